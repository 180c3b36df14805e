//! Texts that a person can start an agent with. To add one: a file here and a row in [`PROMPTS`].

mod begin;
mod lodestar;

use becket_engine::{Engine, Error};
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

/// Whether the arguments are those of the prompt: a misspelt one would otherwise be left out without a word.
pub(crate) fn check(prompt: &Prompt, request: &GetPromptRequestParams) -> Result<(), Error> {
    let declared = prompt.arguments.as_deref().unwrap_or_default();
    let names: Vec<&str> = declared.iter().map(|argument| argument.name.as_str()).collect();
    let all = match names.as_slice() {
        [] => "It takes no arguments.".to_owned(),
        names => format!("Its arguments are {}.", names.join(", ")),
    };
    let wrong = |message: String, hint: String| Error::invalid("invalid_arguments", message).with_hint(hint);
    let given = request.arguments.iter().flatten();
    for (name, value) in given {
        if !names.contains(&name.as_str()) {
            let shown = becket_base::clip(name, 80);
            let hint = match becket_base::nearest(name, names.iter().copied()) {
                Some(meant) => format!("Did you mean `{meant}`? {all}"),
                None => all,
            };
            return Err(wrong(
                format!("The prompt `{}` has no argument `{shown}`. {hint}", prompt.name),
                hint,
            ));
        }
        if !value.is_string() && !value.is_null() {
            let hint = "Prompt arguments are strings.".to_owned();
            return Err(wrong(format!("The argument `{name}` is a string."), hint));
        }
    }
    let is_given = |name: &str| {
        request.arguments.as_ref().and_then(|given| given.get(name)).is_some_and(|value| !value.is_null())
    };
    match declared.iter().find(|argument| argument.required == Some(true) && !is_given(&argument.name)) {
        Some(missing) => {
            Err(wrong(format!("The prompt `{}` needs the argument `{}`.", prompt.name, missing.name), all))
        }
        None => Ok(()),
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
