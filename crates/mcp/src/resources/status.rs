//! `becket://status`: what the `becket_status` tool answers, for hosts that read without asking.

use becket_engine::{Error, status::StatusRequest};
use futures::{FutureExt, future::BoxFuture};
use rmcp::model::{Resource, ResourceContents};

use super::Source;
use crate::{call::Call, toolset::Toolset};

/// The address; subscribers hear when the branch or the worktrees change.
pub const URI: &str = "becket://status";

pub(super) struct Status;

impl Source for Status {
    fn toolset(&self) -> Toolset {
        Toolset::Becket
    }

    fn resources(&self) -> Vec<Resource> {
        vec![
            Resource::new(URI, "status")
                .with_title("Repository status")
                .with_description(
                    "Repository, worktree, branch, planes, settings problems and suggested next calls.",
                )
                .with_mime_type("application/json"),
        ]
    }

    fn read<'a>(
        &'a self,
        call: &'a Call,
        uri: &'a str,
    ) -> BoxFuture<'a, Option<Result<ResourceContents, Error>>> {
        async move { if uri == URI { Some(read(call).await) } else { None } }.boxed()
    }
}

async fn read(call: &Call) -> Result<ResourceContents, Error> {
    let status = call.blocking(|engine| engine.status(&StatusRequest::default())).await?;
    super::json(URI, &status)
}
