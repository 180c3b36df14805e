//! Prompts with and without arguments, with a resource, with an image, and one that asks back.

use becket_engine::Engine;
use futures::{FutureExt, future::BoxFuture};
use rmcp::{
    ErrorData, RoleServer,
    model::{GetPromptRequestParams, GetPromptResponse, GetPromptResult, Prompt, PromptArgument},
    service::RequestContext,
};
use serde_json::{Value, json};

use super::{
    content::PNG,
    from_json,
    input_required::{Question, ask, elicitation},
};
use crate::{call::Call, prompts::Template, toolset::Toolset};

pub(crate) const PROMPTS: &[&dyn Template] = &[
    &Fixture {
        name: "test_simple_prompt",
        arguments: &[],
        messages: |_| json!([text("This is a simple prompt for testing.")]),
    },
    &Fixture {
        name: "test_prompt_with_arguments",
        arguments: &["arg1", "arg2"],
        messages: |given| {
            json!([text(&format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                given("arg1"),
                given("arg2")
            ))])
        },
    },
    &Fixture {
        name: "test_prompt_with_embedded_resource",
        arguments: &["resourceUri"],
        messages: |given| {
            let resource = json!({
                "uri": given("resourceUri"),
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            });
            json!([
                {"role": "user", "content": {"type": "resource", "resource": resource}},
                text("Please process the embedded resource above."),
            ])
        },
    },
    &Fixture {
        name: "test_prompt_with_image",
        arguments: &[],
        messages: |_| {
            json!([
                {"role": "user", "content": {"type": "image", "data": PNG, "mimeType": "image/png"}},
                text("Please analyze the image above."),
            ])
        },
    },
    &AsksBack,
];

/// The value of an argument by its name.
type Given<'a> = dyn Fn(&str) -> String + 'a;

struct Fixture {
    name: &'static str,
    arguments: &'static [&'static str],
    /// From the values of the arguments.
    messages: fn(&Given<'_>) -> Value,
}

impl Template for Fixture {
    fn toolset(&self) -> Toolset {
        Toolset::Becket
    }

    fn definition(&self) -> Prompt {
        let arguments: Vec<_> =
            self.arguments.iter().map(|name| PromptArgument::new(*name).with_required(true)).collect();
        let arguments = Some(arguments).filter(|arguments| !arguments.is_empty());
        Prompt::new(self.name, Some("A fixture of the conformance suite."), arguments)
    }

    fn get(
        &self,
        _call: Call,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> BoxFuture<'_, Result<GetPromptResponse, ErrorData>> {
        async move {
            let given = |name: &str| {
                let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name));
                value.and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            Ok(GetPromptResult::new(from_json((self.messages)(&given))?).into())
        }
        .boxed()
    }

    fn complete(&self, _engine: &Engine, argument: &str) -> Option<Vec<String>> {
        (argument == "arg1").then(|| ["paris", "park", "party"].map(str::to_owned).to_vec())
    }
}

/// Answers only once the client has given the context that it asks for.
struct AsksBack;

impl Template for AsksBack {
    fn toolset(&self) -> Toolset {
        Toolset::Becket
    }

    fn definition(&self) -> Prompt {
        Prompt::new("test_input_required_result_prompt", Some("A fixture of the conformance suite."), None)
    }

    fn get(
        &self,
        _call: Call,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> BoxFuture<'_, Result<GetPromptResponse, ErrorData>> {
        async move {
            let question: Question =
                ("user_context", elicitation("What context should the prompt use?", "context"));
            let given = request.input_responses.as_ref().and_then(|responses| responses.get(question.0));
            match given.and_then(|response| response.pointer("/content/context")).and_then(Value::as_str) {
                None => Ok(ask(&[question], None)?.into()),
                Some(context) => {
                    let message = text(&format!("Prompt with context: {context}"));
                    Ok(GetPromptResult::new(from_json(json!([message]))?).into())
                }
            }
        }
        .boxed()
    }
}

fn text(text: &str) -> Value {
    json!({"role": "user", "content": {"type": "text", "text": text}})
}
