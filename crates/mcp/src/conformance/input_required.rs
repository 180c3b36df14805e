//! Tools that answer with questions: the multi round-trip requests of 2026-07-28.

use std::sync::Arc;

use rmcp::{
    ErrorData,
    model::{InputRequiredResult, JsonObject, RequestStateCodec, SealOptions},
};
use serde_json::{Value, json};

use super::{Answer, Turn, from_json, said, tool};
use crate::route::Route;

/// A key under which the answer comes back, and the request that asks for it.
pub(super) type Question = (&'static str, Value);

/// The state that a client carries is worth nothing outside these fixtures, so their key need not be secret.
const KEY: &[u8] = b"fixtures of the conformance suite only";

pub(super) fn tools() -> Vec<Arc<dyn Route>> {
    vec![
        stateless("test_input_required_result_elicitation", user_name, |answers| {
            format!("Hello, {}!", string_at(answers, "/user_name/content/name"))
        }),
        stateless(
            "test_input_required_result_sampling",
            || ("capital_question", sampling("What is the capital of France?", 100)),
            |answers| string_at(answers, "/capital_question/content/text").to_owned(),
        ),
        stateless("test_input_required_result_list_roots", client_roots, |answers| {
            format!("The roots are {}.", answers.pointer("/client_roots/roots").unwrap_or(&Value::Null))
        }),
        stateless("test_streaming_elicitation", user_name, |_| "Answered.".to_owned()),
        stateful("test_input_required_result_request_state", || vec![confirmation()]),
        stateful("test_input_required_result_tampered_state", || vec![confirmation()]),
        stateful("test_input_required_result_multiple_inputs", || {
            vec![user_name(), ("greeting", sampling("Generate a greeting", 50)), client_roots()]
        }),
        tool("test_input_required_result_multi_round", &[], two_rounds),
        tool("test_input_required_result_capabilities", &[], within_capabilities),
    ]
}

/// What a client has to find out before it calls again.
pub(super) fn ask(questions: &[Question], state: Option<String>) -> Result<InputRequiredResult, ErrorData> {
    let requests: JsonObject =
        questions.iter().map(|(key, request)| ((*key).to_owned(), request.clone())).collect();
    Ok(InputRequiredResult::new(Some(from_json(requests.into())?), state))
}

/// A question to the person, answered by one string.
pub(super) fn elicitation(message: &str, field: &str) -> Value {
    form(message, field, "string")
}

/// Asks until the answer has come; keeps nothing in between.
fn stateless(name: &'static str, question: fn() -> Question, answer: fn(&Value) -> String) -> Arc<dyn Route> {
    tool(name, &[], move |turn| async move {
        let question = question();
        match answers(&turn, std::slice::from_ref(&question)) {
            Some(answers) => Ok(said(answer(&answers))),
            None => Ok(ask(&[question], None)?.into()),
        }
    })
}

/// Asks until every answer has come together with the state that the questions carried, untouched.
fn stateful(name: &'static str, questions: fn() -> Vec<Question>) -> Arc<dyn Route> {
    tool(name, &[], move |turn| async move {
        let questions = questions();
        let round = opened(&turn)?;
        if round == Some(1) && answers(&turn, &questions).is_some() {
            return Ok(said("All is answered: state-ok"));
        }
        Ok(ask(&questions, Some(sealed(&turn, 1)?))?.into())
    })
}

async fn two_rounds(turn: Turn) -> Answer {
    let first = ("step1", elicitation("Step 1: What is your name?", "name"));
    let second = ("step2", elicitation("Step 2: What is your favorite color?", "color"));
    let answered = |question: &Question| answers(&turn, std::slice::from_ref(question)).is_some();
    let round = match opened(&turn)? {
        Some(2) if answered(&second) => return Ok(said("Both steps are done.")),
        Some(1) if answered(&first) => 2,
        // Whoever does not answer is asked the same again.
        Some(2) => 2,
        _ => 1,
    };
    let question = if round == 2 { second } else { first };
    Ok(ask(&[question], Some(sealed(&turn, round)?))?.into())
}

/// Asks only what the client said that it can answer.
async fn within_capabilities(turn: Turn) -> Answer {
    let declared = turn.context.client_capabilities().unwrap_or_default();
    let mut questions = Vec::new();
    if declared.sampling.is_some() {
        questions.push(("greeting", sampling("Generate a greeting", 50)));
    }
    if declared.elicitation.is_some() {
        questions.push(user_name());
    }
    if declared.roots.is_some() {
        questions.push(client_roots());
    }
    if questions.is_empty() || answers(&turn, &questions).is_some() {
        return Ok(said("Nothing is left to ask."));
    }
    Ok(ask(&questions, None)?.into())
}

/// The answers, if every question has one. What is no object is no answer.
fn answers(turn: &Turn, questions: &[Question]) -> Option<Value> {
    let given = turn.request.input_responses.as_ref()?;
    let complete = questions.iter().all(|(key, _)| given.get(*key).is_some_and(Value::is_object));
    complete.then(|| json!(given))
}

/// The round that the carried state tells of; an error if the client made it up.
fn opened(turn: &Turn) -> Result<Option<u64>, ErrorData> {
    let Some(state) = &turn.request.request_state else { return Ok(None) };
    let round = codec()?
        .open_json_with(state, turn.request.name.as_bytes())
        .map_err(|error| ErrorData::invalid_params(format!("the requestState is not ours: {error}"), None))?;
    Ok(Some(round))
}

/// Good for this tool alone.
fn sealed(turn: &Turn, round: u64) -> Result<String, ErrorData> {
    let options = SealOptions::new().associated_data(turn.request.name.as_bytes());
    codec()?
        .seal_json_with(&round, &options)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn codec() -> Result<RequestStateCodec, ErrorData> {
    RequestStateCodec::try_new(KEY).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn user_name() -> Question {
    ("user_name", elicitation("What is your name?", "name"))
}

fn client_roots() -> Question {
    ("client_roots", json!({"method": "roots/list", "params": {}}))
}

fn confirmation() -> Question {
    ("confirm", form("Please confirm", "ok", "boolean"))
}

fn form(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({"type": "object", "properties": {field: {"type": kind}}, "required": [field]});
    json!({
        "method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": schema},
    })
}

fn sampling(prompt: &str, most_tokens: u32) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": prompt}});
    json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": most_tokens}})
}

fn string_at<'a>(answers: &'a Value, pointer: &str) -> &'a str {
    answers.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
