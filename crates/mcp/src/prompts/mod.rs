//! Texts that a person can start an agent with. To add one: a file here and a row in [`PROMPTS`].

mod begin;
mod lodestar;

use becket_engine::Engine;
use futures::future::BoxFuture;
use rmcp::{
    ErrorData, RoleServer,
    model::{GetPromptRequestParams, GetPromptResponse, Prompt},
    service::RequestContext,
};

use crate::{call::Call, toolset::Toolset};

/// One prompt: its definition, its text and the values of its arguments.
pub(crate) trait Template: Send + Sync {
    fn toolset(&self) -> Toolset;
    fn definition(&self) -> Prompt;

    fn get(
        &self,
        call: Call,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> BoxFuture<'_, Result<GetPromptResponse, ErrorData>>;

    /// Values for an argument.
    fn complete(&self, _engine: &Engine, _argument: &str) -> Option<Vec<String>> {
        None
    }
}

/// Every prompt, in the order in which they are listed.
const PROMPTS: &[&dyn Template] = &[&begin::Begin, &lodestar::AgentWorkflow, &lodestar::TaskExecute];

/// The table.
pub(crate) fn all() -> impl Iterator<Item = &'static dyn Template> {
    let prompts = PROMPTS.iter().copied();
    #[cfg(feature = "conformance")]
    let prompts = prompts.chain(crate::conformance::PROMPTS.iter().copied());
    prompts
}
