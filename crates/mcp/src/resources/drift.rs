//! `becket://drift`: what the last edits changed in what the code promises. Subscribers hear of every burst of edits.

use becket_engine::Error;
use futures::{FutureExt, future::BoxFuture};
use rmcp::model::{Resource, ResourceContents};

use super::Source;
use crate::{call::Call, toolset::Toolset};

pub(crate) const URI: &str = "becket://drift";

pub(super) struct Drift;

impl Source for Drift {
    fn toolset(&self) -> Toolset {
        Toolset::Understand
    }

    fn resources(&self) -> Vec<Resource> {
        vec![
            Resource::new(URI, "drift")
                .with_title("Drift as it happens")
                .with_description(
                    "What the last edits changed in the contracts of the code, and whom they break; followed while \
                     somebody subscribes.",
                )
                .with_mime_type("application/json"),
        ]
    }

    fn read<'a>(
        &'a self,
        call: &'a Call,
        uri: &'a str,
    ) -> BoxFuture<'a, Option<Result<ResourceContents, Error>>> {
        async move {
            if uri != URI {
                return None;
            }
            let recent = call.blocking(becket_engine::Engine::recent_drift).await;
            Some(recent.and_then(|recent| super::json(URI, &recent)))
        }
        .boxed()
    }
}
