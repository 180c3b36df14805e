//! What the official conformance suite wants to call, read and get: only in builds with the feature `conformance`.
//!
//! The fixtures go through the same handler, catalogue, registry and transport as becket's own tools, so that the score
//! is that of the real server. No shipped build has them.

mod content;
mod conversation;
mod input_required;
mod prompts;
mod resources;

use std::sync::Arc;

use futures::future::BoxFuture;
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, JsonObject},
    service::RequestContext,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub(crate) use self::{prompts::PROMPTS, resources::RESOURCES};
use crate::{call::Call, route::Route, tool::Effect, toolset::Toolset};

/// Every tool of the suite.
pub(crate) fn tools() -> Vec<Arc<dyn Route>> {
    let mut tools = content::tools();
    tools.extend(conversation::tools());
    tools.extend(input_required::tools());
    tools
}

type Answer = Result<CallToolResponse, ErrorData>;

/// One call of a fixture.
struct Turn {
    call: Call,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
}

impl Turn {
    /// An argument that is a string; empty if it is not there.
    fn text(&self, argument: &str) -> &str {
        self.request
            .arguments
            .as_ref()
            .and_then(|given| given.get(argument))
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

struct Fixture {
    name: &'static str,
    definition: rmcp::model::Tool,
    run: Box<dyn Fn(Turn) -> BoxFuture<'static, Answer> + Send + Sync>,
}

impl Route for Fixture {
    fn name(&self) -> &'static str {
        self.name
    }

    fn toolset(&self) -> Toolset {
        Toolset::Becket
    }

    fn effect(&self) -> Effect {
        Effect::Reads
    }

    fn definition(&self) -> &rmcp::model::Tool {
        &self.definition
    }

    fn call(
        &self,
        call: Call,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> BoxFuture<'static, Answer> {
        (self.run)(Turn { call, request, context })
    }
}

/// A tool with these properties in its input, all of them required strings.
fn tool<F>(
    name: &'static str,
    arguments: &[&str],
    run: impl Fn(Turn) -> F + Send + Sync + 'static,
) -> Arc<dyn Route>
where
    F: Future<Output = Answer> + Send + 'static,
{
    let properties: JsonObject =
        arguments.iter().map(|argument| ((*argument).to_owned(), json!({"type": "string"}))).collect();
    with_schema(name, json!({"type": "object", "properties": properties, "required": arguments}), run)
}

fn with_schema<F>(
    name: &'static str,
    schema: Value,
    run: impl Fn(Turn) -> F + Send + Sync + 'static,
) -> Arc<dyn Route>
where
    F: Future<Output = Answer> + Send + 'static,
{
    let schema = if let Value::Object(schema) = schema { schema } else { JsonObject::new() };
    let definition = rmcp::model::Tool::new(name, "A fixture of the conformance suite.", schema);
    Arc::new(Fixture { name, definition, run: Box::new(move |turn| Box::pin(run(turn))) })
}

/// A successful answer of one text.
fn said(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![rmcp::model::ContentBlock::text(text)]).into()
}

/// The suite describes its fixtures as JSON; so do we.
fn from_json<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(format!("a fixture is not well-formed: {error}"), None))
}
