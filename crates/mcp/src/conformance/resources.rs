//! Fixed resources of both kinds, a template, and one that can be watched.

use becket_engine::Error;
use futures::{FutureExt, future::BoxFuture};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::content::PNG;
use crate::{call::Call, resources::Source, toolset::Toolset};

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";

pub(crate) const RESOURCES: &[&dyn Source] = &[&Fixtures];

struct Fixtures;

impl Source for Fixtures {
    fn toolset(&self) -> Toolset {
        Toolset::Becket
    }

    fn resources(&self) -> Vec<Resource> {
        [(TEXT, "text/plain"), (BINARY, "image/png"), (WATCHED, "text/plain")]
            .map(|(uri, mime_type)| {
                Resource::new(uri, uri)
                    .with_description("A fixture of the conformance suite.")
                    .with_mime_type(mime_type)
            })
            .to_vec()
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![
            ResourceTemplate::new("test://template/{id}/data", "template")
                .with_description("A fixture of the conformance suite.")
                .with_mime_type("application/json"),
        ]
    }

    fn read<'a>(
        &'a self,
        _call: &'a Call,
        uri: &'a str,
    ) -> BoxFuture<'a, Option<Result<ResourceContents, Error>>> {
        async move { contents(uri).map(Ok) }.boxed()
    }
}

fn contents(uri: &str) -> Option<ResourceContents> {
    Some(match uri {
        TEXT => ResourceContents::text("This is the content of the static text resource.", uri),
        BINARY => ResourceContents::blob(PNG, uri).with_mime_type("image/png"),
        WATCHED => ResourceContents::text("Never the same.", uri),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            ResourceContents::text(data.to_string(), uri).with_mime_type("application/json")
        }
    })
}
