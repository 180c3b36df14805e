//! `becket://tool/{name}`: the reference of one tool, for hosts that load schemas late.

use becket_engine::{Engine, Error};
use futures::{FutureExt, future::BoxFuture};
use rmcp::model::{ResourceContents, ResourceTemplate};

use super::Source;
use crate::{
    call::Call,
    tools,
    toolset::{NameStyle, Toolset, same_name},
};

const PREFIX: &str = "becket://tool/";
const TEMPLATE: &str = "becket://tool/{name}";

pub(super) struct ToolPage;

impl Source for ToolPage {
    fn toolset(&self) -> Toolset {
        Toolset::Becket
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![
            ResourceTemplate::new(TEMPLATE, "tool")
                .with_title("Tool reference")
                .with_description("What one tool does, takes and answers.")
                .with_mime_type("application/json"),
        ]
    }

    fn fresh_for(&self) -> u64 {
        crate::server::FIXED_FOR_MS
    }

    fn read<'a>(
        &'a self,
        _call: &'a Call,
        uri: &'a str,
    ) -> BoxFuture<'a, Option<Result<ResourceContents, Error>>> {
        async move { uri.strip_prefix(PREFIX).map(|name| read(uri, name)) }.boxed()
    }

    fn complete(&self, _engine: &Engine, template: &str, argument: &str) -> Option<Vec<String>> {
        (template == TEMPLATE && argument == "name")
            .then(|| tools::all().iter().map(|route| NameStyle::Underscore.listed(route.name())).collect())
    }
}

fn read(uri: &str, name: &str) -> Result<ResourceContents, Error> {
    let tools = tools::all();
    let route = tools.iter().find(|route| same_name(route.name(), name)).ok_or_else(|| {
        Error::not_found("unknown_tool", format!("There is no tool `{}`.", becket_base::clip(name, 80)))
            .with_hint("tools/list names all of them.")
    })?;
    super::json(uri, route.definition())
}
