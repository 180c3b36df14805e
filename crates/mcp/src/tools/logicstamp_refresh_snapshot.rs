//! `logicstamp_refresh_snapshot`: what the code promises now, set aside for later comparison.

use becket_base::counted;
use becket_engine::{
    Error,
    understand::{ContextChoice, RefreshRequest, Refreshed},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LogicstampRefreshSnapshot;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    /// llm-chat (default), llm-safe, ci-strict or watch-fast.
    profile: Option<String>,
    /// How much code goes with each contract: header (default), full or none.
    mode: Option<String>,
    /// Add style metadata.
    #[serde(default)]
    include_style: bool,
    /// Levels of dependencies in a bundle, 0 for the file alone; 2 if left out.
    depth: Option<usize>,
    /// The project's folder; the server's own worktree if left out.
    project_path: Option<String>,
    /// Forget the cache and read everything again. A corrupt cache is noticed without it.
    #[serde(default)]
    clean_cache: bool,
}

impl Tool for LogicstampRefreshSnapshot {
    const NAME: &'static str = "logicstamp_refresh_snapshot";
    const TITLE: &'static str = "Take a snapshot of contracts";
    const DESCRIPTION: &'static str = "Analyse the project, write its context files and set an immutable copy aside, for \
        logicstamp_compare_snapshot after the edits. Gives a summary and the folders; the bundles are read one by one.";
    const TOOLSET: Toolset = Toolset::Understand;
    const EFFECT: Effect = Effect::Settles;

    type Params = Params;
    type Output = Refreshed;

    async fn run(call: Call, params: Params) -> Result<Refreshed, Error> {
        let request = RefreshRequest {
            project_path: params.project_path,
            choice: ContextChoice {
                profile: params.profile,
                mode: params.mode,
                include_style: params.include_style,
                depth: params.depth,
                ..ContextChoice::default()
            },
            clean_cache: params.clean_cache,
        };
        let refreshed = call.blocking(move |engine| engine.refresh_snapshot(&request)).await?;
        call.took(&refreshed.snapshot_id);
        Ok(refreshed)
    }

    fn text(output: &Refreshed) -> String {
        let summary = &output.summary;
        format!(
            "{}: {} in {} and {} of {}, {}; {}.",
            output.snapshot_id,
            counted(summary.total_components, "file"),
            counted(summary.total_bundles, "bundle"),
            counted(summary.total_folders, "folder"),
            output.project_path,
            counted(summary.total_token_estimate, "token"),
            counted(summary.missing_dependencies.len(), "missing dependency"),
        )
    }
}
