//! `logicstamp_compare_snapshot`: what the edits changed, and whom they break.

use becket_engine::{
    Error,
    understand::{CompareRequest, Compared, ContextChoice},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LogicstampCompareSnapshot;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    /// llm-chat (default), llm-safe, ci-strict or watch-fast.
    profile: Option<String>,
    /// header (default), full or none.
    mode: Option<String>,
    /// Compare style metadata too.
    #[serde(default)]
    include_style: bool,
    /// Levels of dependencies in a bundle, 0 for the file alone; 2 if left out.
    depth: Option<usize>,
    /// Also rewrite the context files. The comparison is with the files as they are now in any case.
    #[serde(default)]
    force_regenerate: bool,
    /// The project's folder; the server's own worktree if left out.
    project_path: Option<String>,
    /// disk or snapshot (the newest snapshot, of this connection if it took any: the default), a snapshotId, git:<ref>, or a folder that has a
    /// `context_main.json`.
    baseline: Option<String>,
    /// Forget the cache and read everything again.
    #[serde(default)]
    clean_cache: bool,
    /// The nextCursor of the answer before: goes on with that comparison instead of making a new one.
    cursor: Option<String>,
}

impl Tool for LogicstampCompareSnapshot {
    const NAME: &'static str = "logicstamp_compare_snapshot";
    const TITLE: &'static str = "What changed, and whom it breaks";
    const DESCRIPTION: &'static str = "Compare the files as they are now with the snapshot, a commit or written files: per \
        declaration the old and new signature, a verdict, and for breaking ones the files that use it.";
    const TOOLSET: Toolset = Toolset::Understand;
    const EFFECT: Effect = Effect::Settles;

    type Params = Params;
    type Output = Compared;

    async fn run(call: Call, params: Params) -> Result<Compared, Error> {
        let request = CompareRequest {
            project_path: params.project_path,
            choice: ContextChoice {
                profile: params.profile,
                mode: params.mode,
                include_style: params.include_style,
                depth: params.depth,
                ..ContextChoice::default()
            },
            baseline: params.baseline,
            own: call.snapshots(),
            force_regenerate: params.force_regenerate,
            clean_cache: params.clean_cache,
            cursor: params.cursor,
            connection: call.connection(),
        };
        call.blocking(move |engine| engine.compare_snapshot(&request)).await
    }

    fn text(output: &Compared) -> String {
        output.to_string()
    }
}
