//! `logicstamp_compare_modes`: what each mode costs in tokens.

use becket_engine::{
    Error,
    understand::{ModesReport, ModesRequest},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LogicstampCompareModes;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    /// The project's folder; the server's own worktree if left out.
    project_path: Option<String>,
    /// Forget the cache and read everything again.
    #[serde(default)]
    clean_cache: bool,
}

impl Tool for LogicstampCompareModes {
    const NAME: &'static str = "logicstamp_compare_modes";
    const TITLE: &'static str = "Tokens per mode";
    const DESCRIPTION: &'static str = "Measure what the source and each mode (none, header, header with style, full) cost in \
        tokens, every contract counted once.";
    const TOOLSET: Toolset = Toolset::Understand;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = ModesReport;

    async fn run(call: Call, params: Params) -> Result<ModesReport, Error> {
        let request = ModesRequest {
            project_path: params.project_path,
            include_tests: false,
            clean_cache: params.clean_cache,
        };
        call.blocking(move |engine| engine.compare_modes(&request)).await
    }

    fn text(output: &ModesReport) -> String {
        output.to_string()
    }
}
