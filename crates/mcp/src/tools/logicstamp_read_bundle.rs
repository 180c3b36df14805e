//! `logicstamp_read_bundle`: contracts and graph of a file, of a folder, or the index.

use becket_base::counted;
use becket_engine::{
    Engine, Error,
    understand::{ReadBundle, ReadBundleRequest, SnapshotSource},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LogicstampReadBundle;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    /// From `logicstamp_refresh_snapshot`; the newest snapshot of the project if left out.
    snapshot_id: Option<String>,
    /// A folder's file as `logicstamp_list_bundles` names it (`src/cli/context.json`), or `context_main.json`.
    bundle_path: String,
    /// A component, file name or path in that folder, root of a bundle or not; all bundles of the folder if left out.
    root_component: Option<String>,
    /// The nextCursor of the answer before.
    cursor: Option<String>,
    /// The project's folder; the server's own worktree if left out.
    project_path: Option<String>,
}

impl Tool for LogicstampReadBundle {
    const NAME: &'static str = "logicstamp_read_bundle";
    const TITLE: &'static str = "Read a bundle";
    const DESCRIPTION: &'static str = "Read the contract of a file together with those that it imports, as they were when \
        the snapshot was taken. What is too large comes in parts, by cursor.";
    const TOOLSET: Toolset = Toolset::Understand;
    const EFFECT: Effect = Effect::Reads;
    const MOST_BYTES: fn(&Engine) -> usize = Engine::max_bundle_answer_bytes;

    type Params = Params;
    type Output = ReadBundle;

    async fn run(call: Call, params: Params) -> Result<ReadBundle, Error> {
        let request = ReadBundleRequest {
            source: SnapshotSource { snapshot_id: params.snapshot_id, project_path: params.project_path },
            bundle_path: params.bundle_path,
            root_component: params.root_component,
            cursor: params.cursor,
        };
        call.blocking(move |engine| engine.read_bundle(&request)).await
    }

    fn text(output: &ReadBundle) -> String {
        let what = match (&output.root_component, &output.bundles) {
            (Some(component), _) => format!("the bundle of {component}"),
            (None, Some(bundles)) => counted(bundles.len(), "bundle"),
            (None, None) => "the index".to_owned(),
        };
        let notice = output.notice.as_deref().map(|notice| format!("\n{notice}")).unwrap_or_default();
        format!("{what} in {} of {}.{notice}", output.bundle_path, output.snapshot_id)
    }
}
