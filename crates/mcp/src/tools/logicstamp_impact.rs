//! `logicstamp_impact`: who depends on a file or an export.

use becket_engine::{
    Error,
    understand::{ImpactReport, ImpactRequest},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LogicstampImpact;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    /// A file (`src/money.ts`) or one of its exports (`src/money.ts#format`).
    target: String,
    /// How many steps away at most, 1 or more; no end if left out.
    #[schemars(range(min = 1))]
    depth: Option<usize>,
    /// How many dependents to show at most: 1 to 1000, 100 if left out.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// Count tests among the dependents.
    #[serde(default)]
    include_tests: bool,
    /// Where to go on: nextCursor of the answer before.
    cursor: Option<String>,
    /// The project's folder; the server's own worktree if left out.
    project_path: Option<String>,
}

impl Tool for LogicstampImpact {
    const NAME: &'static str = "logicstamp_impact";
    const TITLE: &'static str = "Who depends on it";
    const DESCRIPTION: &'static str = "List the files that depend on a file or on one of its exports, directly and through \
        others, nearest first. Call it before changing a signature.";
    const TOOLSET: Toolset = Toolset::Understand;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = ImpactReport;

    async fn run(call: Call, params: Params) -> Result<ImpactReport, Error> {
        let request = ImpactRequest {
            project_path: params.project_path,
            target: params.target,
            depth: params.depth,
            limit: params.limit,
            include_tests: params.include_tests,
            cursor: params.cursor,
        };
        call.blocking(move |engine| engine.impact(&request)).await
    }

    fn text(output: &ImpactReport) -> String {
        output.to_string()
    }
}
