//! `context.create`: write down why, for good.

use becket_engine::{
    Error,
    remember::{CreateRequest, CreatedEntry},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{
    call::Call,
    seed_text::seed_text,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct ContextCreate;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// The reason, as Markdown: short, and about one thing.
    markdown: String,
    /// Places in the code that it explains: `file`, `file#declaration` or `file:10-20`, relative to the root. The entry
    /// is reported as stale once they change.
    #[serde(default)]
    anchors: Vec<String>,
    /// References of entries that this one replaces.
    #[serde(default)]
    supersedes: Vec<String>,
    /// References of entries that belong to the same matter.
    #[serde(default)]
    relates: Vec<String>,
    /// The task that it was written for.
    task: Option<String>,
    /// Who writes it; Git's user name if left out.
    author: Option<String>,
    /// The worktree whose `.context/` is meant: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for ContextCreate {
    const NAME: &'static str = "context.create";
    const TITLE: &'static str = "Write down a reason";
    const DESCRIPTION: &'static str = "Create an immutable Markdown entry that says why code is as it is; put `refer to \
        context <ref>` into a comment beside that code. Near-duplicates are returned as a warning, secrets are refused.";
    const TOOLSET: Toolset = Toolset::Remember;
    const EFFECT: Effect = Effect::Adds;

    type Params = Params;
    type Output = CreatedEntry;

    async fn run(call: Call, params: Params) -> Result<CreatedEntry, Error> {
        let request = CreateRequest {
            markdown: params.markdown,
            supersedes: params.supersedes,
            relates: params.relates,
            task: params.task,
            author: params.author,
            anchors: params.anchors,
            worktree: params.worktree,
        };
        call.blocking(move |engine| engine.context_create(&request)).await
    }

    fn text(output: &CreatedEntry) -> String {
        let mut fields = json!({"file": output.file, "ref": output.reference, "comment": output.comment});
        if let (false, Some(fields)) = (output.warnings.is_empty(), fields.as_object_mut()) {
            fields.insert("warnings".to_owned(), json!(output.warnings));
        }
        seed_text(&fields, || output.file.clone())
    }
}
