//! What can be read without a tool call. To add one: a file here and a row in [`RESOURCES`].

mod context_entry;
pub(crate) mod drift;
pub(crate) mod lodestar;
mod settings;
pub(crate) mod status;
mod tool_page;

use becket_engine::{Engine, Error};
use futures::future::BoxFuture;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use crate::{call::Call, toolset::Toolset};

/// Resources of one kind: fixed ones, a template, or both.
pub(crate) trait Source: Send + Sync {
    fn toolset(&self) -> Toolset;

    /// Fixed addresses, in a stable order.
    fn resources(&self) -> Vec<Resource> {
        Vec::new()
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// How long a reading may be taken for fresh, in milliseconds.
    fn fresh_for(&self) -> u64 {
        0
    }

    /// `None` when the address is not one of this kind.
    fn read<'a>(
        &'a self,
        call: &'a Call,
        uri: &'a str,
    ) -> BoxFuture<'a, Option<Result<ResourceContents, Error>>>;

    /// Values for an argument of the template that begin with what was typed.
    fn complete(&self, _engine: &Engine, _template: &str, _argument: &str) -> Option<Vec<String>> {
        None
    }
}

/// Every kind of resource, in the order in which they are listed.
const RESOURCES: &[&dyn Source] = &[
    &status::Status,
    &settings::Settings,
    &tool_page::ToolPage,
    &drift::Drift,
    &context_entry::ContextEntry,
    &lodestar::Lodestar,
];

/// The table.
pub(crate) fn all() -> impl Iterator<Item = &'static dyn Source> {
    let resources = RESOURCES.iter().copied();
    #[cfg(feature = "conformance")]
    let resources = resources.chain(crate::conformance::RESOURCES.iter().copied());
    resources
}

/// A resource whose content is JSON.
fn json(uri: &str, value: &impl serde::Serialize) -> Result<ResourceContents, Error> {
    let text = serde_json::to_string(value)
        .map_err(|error| Error::internal("The resource could not be written as JSON.").with_source(error))?;
    Ok(ResourceContents::text(text, uri).with_mime_type("application/json"))
}
