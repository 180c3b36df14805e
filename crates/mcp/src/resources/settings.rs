//! `becket://settings`: each effective setting and where it came from. Secrets never stand here.

use becket_engine::Error;
use futures::{FutureExt, future::BoxFuture};
use rmcp::model::{Resource, ResourceContents};

use super::Source;
use crate::{call::Call, toolset::Toolset};

const URI: &str = "becket://settings";

pub(super) struct Settings;

impl Source for Settings {
    fn toolset(&self) -> Toolset {
        Toolset::Becket
    }

    fn resources(&self) -> Vec<Resource> {
        vec![
            Resource::new(URI, "settings")
                .with_title("Effective settings")
                .with_description(
                    "Each setting, its value and whether a file, the environment or a flag decided it.",
                )
                .with_mime_type("application/json"),
        ]
    }

    fn read<'a>(
        &'a self,
        call: &'a Call,
        uri: &'a str,
    ) -> BoxFuture<'a, Option<Result<ResourceContents, Error>>> {
        async move { (uri == URI).then(|| super::json(URI, &call.engine().settings_report())) }.boxed()
    }
}
