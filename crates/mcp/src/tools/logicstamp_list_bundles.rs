//! `logicstamp_list_bundles`: which bundles a snapshot has.

use becket_base::counted;
use becket_engine::{
    Error,
    understand::{ListBundlesRequest, ListedBundles, SnapshotSource},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Order, Page, Tool},
    toolset::Toolset,
};

pub(super) struct LogicstampListBundles;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    /// From `logicstamp_refresh_snapshot`; the newest snapshot of the project if left out.
    snapshot_id: Option<String>,
    /// Only bundles in this folder and those below it.
    folder_prefix: Option<String>,
    /// The project's folder; the server's own worktree if left out.
    project_path: Option<String>,
}

impl Tool for LogicstampListBundles {
    const NAME: &'static str = "logicstamp_list_bundles";
    const TITLE: &'static str = "List bundles";
    const DESCRIPTION: &'static str = "List the bundles of a snapshot by file, each with its hash, its tokens and the \
        bundlePath that logicstamp_read_bundle takes.";
    const TOOLSET: Toolset = Toolset::Understand;
    const EFFECT: Effect = Effect::Reads;
    const PAGE: Option<Page> =
        Some(Page { list: "bundles", key: "filePath", order: Order::ByKey, default_limit: 200, most: 1000 });

    type Params = Params;
    type Output = ListedBundles;

    async fn run(call: Call, params: Params) -> Result<ListedBundles, Error> {
        let request = ListBundlesRequest {
            source: SnapshotSource { snapshot_id: params.snapshot_id, project_path: params.project_path },
            folder_prefix: params.folder_prefix,
        };
        call.blocking(move |engine| engine.list_bundles(&request)).await
    }

    fn text(output: &ListedBundles) -> String {
        let bundles = counted(output.total_bundles, "bundle");
        format!("{bundles} in {} of {}.", output.snapshot_id, output.project_path)
    }
}
