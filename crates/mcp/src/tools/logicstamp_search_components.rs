//! `logicstamp_search_components`: which declaration or file is meant.

use becket_engine::{
    Error,
    understand::{SearchComponents, SearchComponentsRequest},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LogicstampSearchComponents;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    /// A name, a part of one, or words that describe it.
    query: String,
    /// Only this kind: component, hook, function, class, interface, type, enum, constant, or a file's (react:component).
    kind: Option<String>,
    /// Only files below this folder.
    folder_prefix: Option<String>,
    /// How many at most: 1 to 200, 20 if left out.
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
    /// Where to go on: nextCursor of the answer before.
    cursor: Option<String>,
    /// The project's folder; the server's own worktree if left out.
    project_path: Option<String>,
}

impl Tool for LogicstampSearchComponents {
    const NAME: &'static str = "logicstamp_search_components";
    const TITLE: &'static str = "Find a declaration";
    const DESCRIPTION: &'static str = "Find components, hooks, functions and types by name, signature, doc or path, best first, \
        each with its signature, its line and why it matches.";
    const TOOLSET: Toolset = Toolset::Understand;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = SearchComponents;

    async fn run(call: Call, params: Params) -> Result<SearchComponents, Error> {
        let request = SearchComponentsRequest {
            project_path: params.project_path,
            query: params.query,
            folder_prefix: params.folder_prefix,
            kind: params.kind,
            limit: params.limit,
            cursor: params.cursor,
        };
        call.blocking(move |engine| engine.search_components(&request)).await
    }

    fn text(output: &SearchComponents) -> String {
        let lines = output.results.iter().take(20).map(|one| {
            let place = one.line.map(|line| format!(":{line}")).unwrap_or_default();
            format!(
                "{}{place} {} {} ({})",
                one.entry_id,
                one.kind,
                one.name.as_deref().unwrap_or_default(),
                one.why
            )
        });
        let heading = format!("{} of {} for `{}`", output.results.len(), output.total, output.query);
        std::iter::once(heading).chain(lines).collect::<Vec<_>>().join("\n")
    }
}
