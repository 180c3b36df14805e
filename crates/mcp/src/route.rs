//! From a typed [`Tool`] to what the protocol calls: the one place that reads arguments, bounds output, times and logs
//! the call, and maps [`Error`] to a result.

use std::{
    marker::PhantomData,
    panic::AssertUnwindSafe,
    sync::{Arc, OnceLock},
    time::Instant,
};

use becket_base::clip;
use becket_engine::{Error, ErrorKind};
use futures::{FutureExt, future::BoxFuture};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, ToolAnnotations,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use crate::{
    arguments,
    call::Call,
    log_level::Level,
    page,
    persona::Persona,
    schema,
    tool::{Effect, Tool},
    toolset::Toolset,
};

/// The text beside the structured result never grows past this.
const MAX_TEXT_CHARACTERS: usize = 8_000;

/// What stands around the text and the structured part of a result.
const AROUND: usize = 150;

/// The longest message or hint of a failure; an argument that it repeats is named by much less.
const MAX_SAID_CHARACTERS: usize = 2_000;
const MAX_ECHO_CHARACTERS: usize = 120;

const MAX_CAUSES: usize = 5;

/// Room for saying what was cut.
const CUT_NOTICE: usize = 1_000;

/// What the handler can list and call.
pub(crate) trait Route: Send + Sync {
    /// The canonical name.
    fn name(&self) -> &'static str;
    fn toolset(&self) -> Toolset;
    fn effect(&self) -> Effect;
    /// The definition under its canonical name.
    fn definition(&self) -> &rmcp::model::Tool;
    fn call(
        &self,
        call: Call,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> BoxFuture<'static, Result<CallToolResponse, ErrorData>>;
}

/// A row of [`crate::tools::TOOLS`].
pub(crate) fn route<T: Tool>() -> Arc<dyn Route> {
    Arc::new(TypedRoute::<T> { definition: OnceLock::new(), tool: PhantomData })
}

struct TypedRoute<T> {
    /// Made when first asked for: a server start pays for no schema.
    definition: OnceLock<rmcp::model::Tool>,
    tool: PhantomData<fn() -> T>,
}

impl<T: Tool> Route for TypedRoute<T> {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn toolset(&self) -> Toolset {
        T::TOOLSET
    }

    fn effect(&self) -> Effect {
        T::EFFECT
    }

    fn definition(&self) -> &rmcp::model::Tool {
        self.definition.get_or_init(define::<T>)
    }

    fn call(
        &self,
        call: Call,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> BoxFuture<'static, Result<CallToolResponse, ErrorData>> {
        let input = Arc::clone(&self.definition().input_schema);
        async move {
            let started = Instant::now();
            let most_bytes = T::MOST_BYTES(call.engine());
            let persona = call.persona();
            let arguments = request.arguments.unwrap_or_default();
            let long = long_texts(&arguments);
            let caller = call.clone();
            // A tool that panics costs its caller one answer, not everybody the server.
            let answer =
                match AssertUnwindSafe(run::<T>(call, arguments, &input, most_bytes)).catch_unwind().await {
                    Ok(answer) => answer,
                    Err(_) => Err(Error::internal(format!("The tool `{}` failed unexpectedly.", T::NAME))
                        .with_hint(
                            "This is a defect of becket; the server goes on. The log on stderr has more.",
                        )),
                };
            let milliseconds = started.elapsed().as_secs_f64() * 1e3;
            let mut told = json!({"tool": T::NAME, "milliseconds": milliseconds});
            Ok(CallToolResponse::Complete(match answer {
                Ok((text, value)) => {
                    tracing::info!(tool = T::NAME, milliseconds, "call");
                    caller.log(Level::Debug, told).await;
                    success(&text, value)
                }
                Err(error) => {
                    let error = shortened(error, &long);
                    let source = std::error::Error::source(&error).map(ToString::to_string);
                    tracing::info!(
                        tool = T::NAME,
                        milliseconds,
                        code = error.code(),
                        source,
                        "call failed: {error}"
                    );
                    // A wrong argument is the caller's to mend; what is broken here concerns whoever watches.
                    let level = match error.kind() {
                        ErrorKind::Unavailable | ErrorKind::Internal => Level::Warning,
                        _ => Level::Debug,
                    };
                    told["code"] = error.code().into();
                    told["message"] = error.message().into();
                    caller.log(level, told).await;
                    failure(&error, persona)
                }
            }))
        }
        .boxed()
    }
}

fn define<T: Tool>() -> rmcp::model::Tool {
    let mut input = schema::of::<T::Params>();
    let mut output = schema::of::<T::Output>();
    if let Some(page) = T::PAGE {
        page.add_to_input(&mut input);
        page.add_to_output(&mut output);
    }
    schema::admit_failure_and_cut(&mut output);
    input.insert("additionalProperties".to_owned(), false.into());
    let mut tool = rmcp::model::Tool::new(T::NAME, T::DESCRIPTION, input);
    tool.title = Some(T::TITLE.to_owned());
    tool.output_schema = Some(Arc::new(output));
    tool.annotations = Some(annotations(T::EFFECT));
    tool
}

async fn run<T: Tool>(
    call: Call,
    arguments: JsonObject,
    input: &JsonObject,
    most_bytes: usize,
) -> Result<(String, Value), Error> {
    if !T::WITH_BROKEN_SETTINGS {
        call.engine().settings_are_sound()?;
    }
    let mut arguments = arguments::spelled_as_declared(arguments, input)?;
    let request = T::PAGE.map(|page| page::Request::take(page, &mut arguments)).transpose()?;
    let json_text = call.json_text();
    let room = call.engine().max_text_bytes().saturating_sub(AROUND);
    let params = arguments::parse::<T::Params>(arguments, input)?;
    let request = request.map(|request| request.ending(T::rest(&params))).transpose()?;
    let output = T::run(call, params).await?;
    let text = T::text(&output);
    let mut value = serde_json::to_value(&output)
        .map_err(|error| Error::internal("The answer could not be written as JSON.").with_source(error))?;
    let mut cut = None;
    if let Some(request) = request {
        cut = request.bound(&mut value, most_bytes)?;
    }
    if schema::size_of(&value) > most_bytes {
        cut = shrunk(&mut value, most_bytes).or(cut);
    }
    #[cfg(test)]
    schema::assert_valid(&value, &define::<T>());
    // Bounded by now, and never cut: a part of JSON is none.
    let text = if json_text { value.to_string() } else { with_notice(&text, cut.as_deref(), room) };
    Ok((text, value))
}

/// What could not be left for another answer loses its ends: what was asked for may have been done by now, so to fail would
/// be to hide it. Says what was lost; what has no ends to lose stays.
fn shrunk(value: &mut Value, most_bytes: usize) -> Option<String> {
    // What says what was left out before is no part of what can go.
    let said =
        ["cut", "notice"].map(|name| (name, value.as_object_mut().and_then(|value| value.remove(name))));
    let saying: usize = said.iter().flat_map(|(_, text)| text).map(schema::size_of).sum();
    let room = most_bytes.saturating_sub(saying + CUT_NOTICE.min(most_bytes / 2));
    let lost = becket_engine::shrink(value, room);
    for (name, text) in said {
        if let (Some(value), Some(text)) = (value.as_object_mut(), text) {
            value.insert(name.to_owned(), text);
        }
    }
    if lost.is_empty() {
        return None;
    }
    let lost = clip(&lost.join("; "), CUT_NOTICE / 2).to_string();
    let notice = format!(
        "Cut to {most_bytes} bytes: {lost}. Ask for less, or raise mcp.max_output_bytes or security.max_tokens_per_request."
    );
    let notice = match value.get("cut").and_then(Value::as_str) {
        Some(before) => format!("{before} {notice}"),
        None => notice,
    };
    if let Some(value) = value.as_object_mut() {
        value.insert("cut".to_owned(), notice.clone().into());
    }
    Some(notice)
}

/// Bounded in characters, and in the bytes that it has as JSON.
fn with_notice(text: &str, cut: Option<&str>, room: usize) -> String {
    let mut most = MAX_TEXT_CHARACTERS;
    loop {
        let text = clip(text, most);
        let said = match cut {
            Some(notice) => format!("{text}\n{notice}"),
            None => text.to_string(),
        };
        let size = schema::size_of(&Value::from(said.as_str()));
        if size <= room || most == 0 {
            return said;
        }
        most = (most.min(text.text.chars().count()) * room / size).min(most - 1);
    }
}

/// Texts among the arguments that are too long to be repeated in a failure.
fn long_texts(arguments: &JsonObject) -> Vec<String> {
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) if text.len() > MAX_ECHO_CHARACTERS * 2 => found.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            Value::Object(members) => members.values().for_each(|member| collect(member, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    arguments.values().for_each(|value| collect(value, &mut found));
    // One that holds another goes first.
    found.sort_by_key(|text| std::cmp::Reverse(text.len()));
    found
}

/// The same failure, in which no argument is repeated at length and nothing is longer than somebody reads.
fn shortened(error: Error, long: &[String]) -> Error {
    error.reworded(|said| {
        let mut said = said.to_owned();
        for text in long {
            if said.contains(text.as_str()) {
                said = said.replace(text.as_str(), &clip(text, MAX_ECHO_CHARACTERS).to_string());
            }
        }
        clip(&said, MAX_SAID_CHARACTERS).to_string()
    })
}

fn success(text: &str, value: Value) -> CallToolResult {
    let mut result = CallToolResult::structured(value);
    result.content = vec![ContentBlock::text(text)];
    result
}

/// The one mapping of a use case's error to a tool result.
pub(crate) fn failure(error: &Error, persona: Persona) -> CallToolResult {
    let text = if persona.bare_failures {
        error.message().to_owned()
    } else {
        let said = format!("{} [{}]", error.message(), error.code());
        let causes = error.causes().into_iter().take(MAX_CAUSES);
        let causes = causes.map(|cause| format!("cause: {}", clip(&cause, MAX_SAID_CHARACTERS)));
        let lines = std::iter::once(said).chain(causes).chain(error.hint().map(str::to_owned));
        lines.collect::<Vec<_>>().join("\n")
    };
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    // Fits the output schema: `schema::admit_failure_and_cut` put it there.
    let mut details = json!({"code": error.code(), "kind": error.kind(), "message": error.message()});
    if let (Some(hint), Some(details)) = (error.hint(), details.as_object_mut()) {
        details.insert("hint".to_owned(), hint.into());
    }
    result.structured_content = Some(json!({"error": details}));
    result
}

/// The one mapping of a use case's error to a protocol error, for what is not a tool call.
pub(crate) fn protocol_error(error: &Error) -> ErrorData {
    let hint = error.hint().map(|hint| clip(hint, MAX_SAID_CHARACTERS).to_string());
    let data = Some(json!({"code": error.code(), "kind": error.kind(), "hint": hint}));
    let message = clip(error.message(), MAX_SAID_CHARACTERS).to_string();
    match error.kind() {
        ErrorKind::NotFound => ErrorData::resource_not_found(message, data),
        ErrorKind::Invalid | ErrorKind::Denied | ErrorKind::Conflict => {
            ErrorData::invalid_params(message, data)
        }
        ErrorKind::Unavailable | ErrorKind::Internal => ErrorData::internal_error(message, data),
    }
}

fn annotations(effect: Effect) -> ToolAnnotations {
    let (reads, destroys, settles) = match effect {
        Effect::Reads => (true, false, true),
        Effect::Adds => (false, false, false),
        Effect::Settles => (false, true, true),
        Effect::Changes => (false, true, false),
    };
    ToolAnnotations::new().read_only(reads).destructive(destroys).idempotent(settles).open_world(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_what_was_left_out_is_not_cut_itself() {
        let notice = "Cut inside of src/index.ts: 60 of 120 at /contract/exports/named. ".repeat(8);
        let mut value = json!({"notice": notice, "cut": "before", "names": vec!["name"; 500]});
        let cut = shrunk(&mut value, 2_000).unwrap();
        assert_eq!(value["notice"], notice);
        assert!(cut.starts_with("before Cut to 2000 bytes: ") && cut.contains("of 500 at /names"), "{cut}");
        assert!(schema::size_of(&value) <= 2_000);
    }
}
