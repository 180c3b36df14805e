//! `logicstamp_watch_status`: whether somebody keeps the context files up to date.

use becket_engine::{
    Error,
    understand::{WatchRequest, WatchStatus},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LogicstampWatchStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    /// The project's folder; the server's own worktree if left out.
    project_path: Option<String>,
    /// Add what the watching process logged last.
    #[serde(default)]
    include_recent_logs: bool,
    /// How many entries of the log at most; 5 if left out.
    log_limit: Option<usize>,
}

impl Tool for LogicstampWatchStatus {
    const NAME: &'static str = "logicstamp_watch_status";
    const TITLE: &'static str = "Is the project watched";
    const DESCRIPTION: &'static str = "Say whether a process watches the project and rewrites its context files on every edit, and what it logged last.";
    const TOOLSET: Toolset = Toolset::Understand;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = WatchStatus;

    async fn run(call: Call, params: Params) -> Result<WatchStatus, Error> {
        let request = WatchRequest {
            project_path: params.project_path,
            include_recent_logs: params.include_recent_logs,
            log_limit: params.log_limit,
        };
        call.blocking(move |engine| engine.watch_status(&request)).await
    }

    fn text(output: &WatchStatus) -> String {
        output.message.clone()
    }
}
