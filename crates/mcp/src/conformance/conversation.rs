//! Tools that speak to the client while they run: logs, progress, and requests of the handshake era.
#![expect(deprecated, reason = "2026-07-28 deprecates sampling, the suite still tests it for older peers")]

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData,
    model::{
        CallToolResponse, CallToolResult, ClientCapabilities, ClientResult, ContentBlock,
        CreateMessageRequestParams, ElicitRequest, ElicitRequestParams, ElicitationAction, SamplingMessage,
    },
    service::ServiceError,
};
use serde_json::{Value, json};

use super::{Answer, Turn, from_json, said, tool};
use crate::{log_level::Level, route::Route};

const PAUSE: Duration = Duration::from_millis(50);

pub(super) fn tools() -> Vec<Arc<dyn Route>> {
    vec![
        tool("test_tool_with_logging", &[], log_thrice),
        tool("test_logging_tool", &[], |turn| async move {
            turn.call.log(Level::Emergency, json!("Only for a request that asked for logs")).await;
            Ok(said("Logged, if logs were asked for."))
        }),
        tool("test_tool_with_progress", &[], progress_thrice),
        tool("test_reconnection", &[], |_| async {
            tokio::time::sleep(2 * PAUSE).await;
            Ok(said("Still here."))
        }),
        tool("test_sampling", &["prompt"], sample),
        tool("test_elicitation", &["message"], |turn| async move {
            let message = turn.text("message").to_owned();
            let schema = json!({
                "type": "object",
                "properties": {
                    "username": {"type": "string", "description": "User's response"},
                    "email": {"type": "string", "description": "User's email address"},
                },
                "required": ["username", "email"],
            });
            elicit(turn, "User response:", &message, schema).await
        }),
        tool("test_elicitation_sep1034_defaults", &[], |turn| async {
            elicit(turn, "Elicitation completed:", "Please confirm these values", defaults()).await
        }),
        tool("test_elicitation_sep1330_enums", &[], |turn| async {
            elicit(turn, "Elicitation completed:", "Please choose", choices()).await
        }),
        tool("test_missing_capability", &[], |turn| async move {
            if turn.context.client_capabilities().is_none_or(|declared| declared.sampling.is_none()) {
                let required = ClientCapabilities::builder().enable_sampling().build();
                return Err(ErrorData::missing_required_client_capability(required));
            }
            Ok(said("The client can sample."))
        }),
        // The lists are fixed and no change is advertised: there is nothing to trigger, and nothing may be sent.
        tool("test_trigger_tool_change", &[], |_| async { Ok(said("The list of tools is fixed.")) }),
        tool("test_trigger_prompt_change", &[], |_| async { Ok(said("The list of prompts is fixed.")) }),
    ]
}

async fn log_thrice(turn: Turn) -> Answer {
    turn.call.log(Level::Info, json!("Tool execution started")).await;
    tokio::time::sleep(PAUSE).await;
    turn.call.log(Level::Info, json!("Tool processing data")).await;
    tokio::time::sleep(PAUSE).await;
    turn.call.log(Level::Info, json!("Tool execution completed")).await;
    Ok(said("Three messages were logged."))
}

async fn progress_thrice(turn: Turn) -> Answer {
    turn.call.progress(0.0, Some(100.0), "begun").await;
    tokio::time::sleep(PAUSE).await;
    turn.call.progress(50.0, Some(100.0), "half done").await;
    tokio::time::sleep(PAUSE).await;
    turn.call.progress(100.0, Some(100.0), "done").await;
    Ok(said("Progress was reported."))
}

async fn sample(turn: Turn) -> Answer {
    let request = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(turn.text("prompt"))], 100);
    match turn.context.peer.create_message(request).await {
        Ok(result) => {
            let message = serde_json::to_value(&result).unwrap_or_default();
            let text = message.pointer("/content/text").and_then(Value::as_str).unwrap_or_default();
            Ok(said(format!("LLM response: {text}")))
        }
        Err(error) => Ok(refused(&error)),
    }
}

async fn elicit(turn: Turn, prefix: &str, message: &str, schema: Value) -> Answer {
    let request: ElicitRequestParams =
        from_json(json!({"mode": "form", "message": message, "requestedSchema": schema}))?;
    // rmcp's own method for this would bring the whole of `url` into the lock file.
    match turn.context.peer.send_request(ElicitRequest::new(request).into()).await {
        Ok(ClientResult::ElicitResult(result)) => {
            let action = match result.action {
                ElicitationAction::Accept => "accept",
                ElicitationAction::Decline => "decline",
                _ => "cancel",
            };
            Ok(said(format!("{prefix} action={action}, content={}", result.content.unwrap_or_default())))
        }
        Ok(_) => Ok(refused(&ServiceError::UnexpectedResponse)),
        Err(error) => Ok(refused(&error)),
    }
}

/// The client cannot, or would not.
fn refused(error: &ServiceError) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())]).into()
}

/// A default for each primitive type.
fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": true},
        },
    })
}

/// The five ways to write a choice.
fn choices() -> Value {
    let titled = |noun: &str| {
        json!([
            {"const": "value1", "title": format!("First {noun}")},
            {"const": "value2", "title": format!("Second {noun}")},
            {"const": "value3", "title": format!("Third {noun}")},
        ])
    };
    let plain = json!(["option1", "option2", "option3"]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": plain},
            "titledSingle": {"type": "string", "oneOf": titled("Option")},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
        },
    })
}
