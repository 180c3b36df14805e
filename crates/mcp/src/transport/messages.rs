//! From the bytes of a frame to a JSON-RPC message, or to the error that the peer gets instead.
//!
//! Owns what counts as JSON, as a JSON-RPC message and as a well-shaped MCP message. The types are rmcp's; the
//! choice among them is made here by method, because rmcp's union takes an ill-shaped `tools/call` for an unknown
//! method and leaves unparsable text unanswered. It keeps no state: what may be said when is for `exchange`.
#![expect(deprecated, reason = "the handshake versions still have these methods")]

use rmcp::model::{
    CallToolRequest, CancelTaskRequest, CancelledNotification, ClientJsonRpcMessage, ClientNotification,
    ClientRequest, ClientResult, CompleteRequest, CustomNotification, CustomRequest, DiscoverRequest,
    ErrorData, GetPromptRequest, GetTaskRequest, InitializeRequest, InitializedNotification, JsonObject,
    JsonRpcError, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest,
    LoggingLevel, PingRequest, ProgressNotification, ReadResourceRequest, RequestId,
    RootsListChangedNotification, SetLevelRequest, SubscribeRequest, SubscriptionsListenRequest,
    UnsubscribeRequest, UpdateTaskRequest,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::framing::without_byte_order_mark;

const PROTOCOL_VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";

/// An error reply, with the id it answers when one could be read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) id: Option<RequestId>,
    pub(crate) error: Box<ErrorData>,
}

impl Refusal {
    pub(crate) fn new(id: Option<RequestId>, error: ErrorData) -> Self {
        Self { id, error: Box::new(error) }
    }

    pub(crate) fn invalid(id: Option<RequestId>, message: impl Into<String>) -> Self {
        Self::new(id, ErrorData::invalid_request(message.into(), None))
    }
}

/// The JSON text of one frame.
pub(crate) fn parse_text(bytes: &[u8]) -> Result<Value, Refusal> {
    let bytes = without_byte_order_mark(bytes);
    let unparsable = |message: String| Refusal::new(None, ErrorData::parse_error(message, None));
    let text = std::str::from_utf8(bytes).map_err(|error| {
        unparsable(format!("the message is not valid UTF-8: bad byte at offset {}", error.valid_up_to()))
    })?;
    // The parser counts depth and gives up long before the stack would.
    serde_json::from_str(text).map_err(|error| {
        let reason = error.to_string();
        unparsable(if reason.starts_with("recursion limit exceeded") {
            "the message is nested too deeply: at most 128 levels are read".to_owned()
        } else {
            format!("the message is not valid JSON: {reason}")
        })
    })
}

/// One JSON-RPC message that is not a batch. `None`: there is nothing to do and nothing to answer.
pub(crate) fn parse_message(value: Value) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    let Value::Object(mut message) = value else {
        return Err(Refusal::invalid(None, "a JSON-RPC message must be an object"));
    };
    let id = message.remove("id");
    let readable_id = id.clone().and_then(|id| serde_json::from_value::<RequestId>(id).ok());
    let has_method = message.contains_key("method");
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        let id = if has_method { readable_id } else { None };
        return Err(Refusal::invalid(id, "a JSON-RPC message must have \"jsonrpc\": \"2.0\""));
    }
    if !has_method {
        return parse_answer(message, readable_id);
    }
    if message.contains_key("result") || message.contains_key("error") {
        return Err(Refusal::invalid(readable_id, "a message with a method has neither result nor error"));
    }
    let Some(method) = message.get("method").and_then(Value::as_str).map(str::to_owned) else {
        return Err(Refusal::invalid(readable_id, "method must be a string"));
    };
    match (id, readable_id) {
        (None, _) => Ok(parse_notification(&method, message)),
        (Some(_), None) => Err(Refusal::invalid(None, "id must be a string or an integer")),
        (Some(_), Some(id)) => match read_request(&method, message) {
            Ok(request) => Ok(Some(ClientJsonRpcMessage::request(request, id))),
            Err(error) => {
                let message = format!("invalid params for {method}: {error}");
                Err(Refusal::new(Some(id), ErrorData::invalid_params(message, None)))
            }
        },
    }
}

fn read_request(method: &str, message: JsonObject) -> Result<ClientRequest, String> {
    check_log_level(&message)?;
    if REMOVED.contains(&method) && is_stateless(&message) {
        return Ok(unknown(method, Value::Object(message)));
    }
    let is_positional = message.get("params").is_some_and(|params| !params.is_object() && !params.is_null());
    parse_request(method, Value::Object(message)).map_err(|error| {
        if is_positional { "params must be an object".to_owned() } else { error.to_string() }
    })
}

/// What 2026-07-28 no longer has: to its peers these are methods that nobody knows, whatever their params are.
const REMOVED: &[&str] =
    &["initialize", "logging/setLevel", "ping", "resources/subscribe", "resources/unsubscribe"];

fn is_stateless(message: &JsonObject) -> bool {
    let meta = message.get("params").and_then(|params| params.get("_meta"));
    let version = meta.and_then(|meta| meta.get(PROTOCOL_VERSION_KEY)).and_then(Value::as_str);
    version.is_some_and(|version| version >= "2026")
}

/// A request of the stateless era carries its own log level; rmcp takes one that it cannot read for none.
fn check_log_level(message: &JsonObject) -> Result<(), String> {
    let meta = message.get("params").and_then(|params| params.get("_meta"));
    let stated = |key: &str| meta.and_then(|meta| meta.get(key));
    match stated(LOG_LEVEL_KEY) {
        Some(level) if stated(PROTOCOL_VERSION_KEY).is_some() => {
            LoggingLevel::deserialize(level).map(drop).map_err(|_| {
                format!(
                    "_meta[\"{LOG_LEVEL_KEY}\"] must be debug, info, notice, warning, error, critical, alert or emergency"
                )
            })
        }
        _ => Ok(()),
    }
}

fn unknown(method: &str, body: Value) -> ClientRequest {
    let params = body.get("params").cloned();
    serde_json::from_value(body).unwrap_or_else(|_| CustomRequest::new(method, params).into())
}

fn parse_request(method: &str, body: Value) -> serde_json::Result<ClientRequest> {
    match method {
        "ping" => read::<PingRequest, _>(body),
        "initialize" => read::<InitializeRequest, _>(body),
        "server/discover" => read::<DiscoverRequest, _>(body),
        "completion/complete" => read::<CompleteRequest, _>(body),
        "logging/setLevel" => read::<SetLevelRequest, _>(body),
        "prompts/get" => read::<GetPromptRequest, _>(body),
        "prompts/list" => read::<ListPromptsRequest, _>(body),
        "resources/list" => read::<ListResourcesRequest, _>(body),
        "resources/templates/list" => read::<ListResourceTemplatesRequest, _>(body),
        "resources/read" => read::<ReadResourceRequest, _>(body),
        "resources/subscribe" => read::<SubscribeRequest, _>(body),
        "resources/unsubscribe" => read::<UnsubscribeRequest, _>(body),
        "subscriptions/listen" => read::<SubscriptionsListenRequest, _>(body),
        "tools/call" => read::<CallToolRequest, _>(body),
        "tools/list" => read::<ListToolsRequest, _>(body),
        "tasks/get" => read::<GetTaskRequest, _>(body),
        "tasks/update" => read::<UpdateTaskRequest, _>(body),
        "tasks/cancel" => read::<CancelTaskRequest, _>(body),
        // A method nobody knows stays one, whatever its params are.
        _ => Ok(unknown(method, body)),
    }
}

/// A notification is never answered, so an ill-shaped one can only be passed over.
fn parse_notification(method: &str, message: JsonObject) -> Option<ClientJsonRpcMessage> {
    let body = Value::Object(message);
    let notification: serde_json::Result<ClientNotification> = match method {
        "notifications/cancelled" => read::<CancelledNotification, _>(body),
        "notifications/progress" => read::<ProgressNotification, _>(body),
        "notifications/initialized" => read::<InitializedNotification, _>(body),
        "notifications/roots/list_changed" => read::<RootsListChangedNotification, _>(body),
        _ => {
            Ok(serde_json::from_value(body).unwrap_or_else(|_| CustomNotification::new(method, None).into()))
        }
    };
    match notification {
        Ok(notification) => Some(ClientJsonRpcMessage::notification(notification)),
        Err(error) => {
            tracing::debug!(method, %error, "passing over an ill-shaped notification");
            None
        }
    }
}

/// The peer's answer to a request of ours. An error is never answered with an error: two such peers would not stop.
fn parse_answer(
    mut message: JsonObject,
    id: Option<RequestId>,
) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    match (message.remove("result"), message.remove("error"), id) {
        (Some(result), None, Some(id)) => match serde_json::from_value::<ClientResult>(result) {
            Ok(result) => Ok(Some(ClientJsonRpcMessage::response(result, id))),
            Err(error) => Ok(Some(broken_answer(id, &error.to_string()))),
        },
        (Some(_), None, None) => Err(Refusal::invalid(None, "a result must have the id of a request")),
        (Some(_), Some(_), _) => Err(Refusal::invalid(None, "a message has a result or an error, not both")),
        (None, Some(error), id) => Ok(match serde_json::from_value::<ErrorData>(error) {
            Ok(error) => Some(ClientJsonRpcMessage::Error(JsonRpcError::new(id, error))),
            Err(reason) => id.map(|id| broken_answer(id, &reason.to_string())),
        }),
        (None, None, id) => {
            Err(Refusal::invalid(id, "a JSON-RPC message has a method, a result or an error"))
        }
    }
}

/// Ends a request of ours whose answer cannot be used; whoever waits for it learns why.
pub(super) fn broken_answer(id: RequestId, reason: &str) -> ClientJsonRpcMessage {
    let message = format!("the answer of the peer cannot be used: {reason}");
    ClientJsonRpcMessage::error(ErrorData::internal_error(message, None), Some(id))
}

fn read<T, U>(body: Value) -> serde_json::Result<U>
where
    T: DeserializeOwned + Into<U>,
{
    serde_json::from_value::<T>(body).map(Into::into)
}

#[cfg(test)]
mod tests {
    use rmcp::model::ErrorCode;
    use serde_json::json;

    use super::*;

    fn refusal(value: Value) -> (i32, Option<RequestId>, String) {
        let refusal = parse_message(value).expect_err("must be refused");
        (refusal.error.code.0, refusal.id, refusal.error.message.into_owned())
    }

    #[test]
    fn every_known_method_gets_its_own_type() {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
        let implementation = json!({"name": "n", "version": "1"});
        for (method, params) in [
            ("ping", json!({})),
            (
                "initialize",
                json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": implementation}),
            ),
            ("server/discover", json!({"_meta": meta})),
            (
                "completion/complete",
                json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
            ),
            ("logging/setLevel", json!({"level": "debug"})),
            ("prompts/get", json!({"name": "p"})),
            ("prompts/list", json!({})),
            ("resources/list", json!({"cursor": "c"})),
            ("resources/templates/list", json!({})),
            ("resources/read", json!({"uri": "a:b"})),
            ("resources/subscribe", json!({"uri": "a:b"})),
            ("resources/unsubscribe", json!({"uri": "a:b"})),
            ("subscriptions/listen", json!({"notifications": {}})),
            ("tools/call", json!({"name": "t", "arguments": {"a": [1]}})),
            ("tools/list", json!({})),
            ("tasks/get", json!({"taskId": "1"})),
            ("tasks/update", json!({"taskId": "1", "inputResponses": {}})),
            ("tasks/cancel", json!({"taskId": "1"})),
        ] {
            let value = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            let message = parse_message(value).unwrap().unwrap();
            let (request, id) = message.into_request().unwrap();
            assert_eq!(id, RequestId::Number(1));
            assert_eq!(request.method(), method);
            assert!(!matches!(request, ClientRequest::CustomRequest(_)), "{method}");

            let broken = json!({"jsonrpc": "2.0", "id": "b", "method": method, "params": ["positional"]});
            let (code, id, text) = refusal(broken);
            assert_eq!(
                (code, id),
                (ErrorCode::INVALID_PARAMS.0, Some(RequestId::String("b".into()))),
                "{method}"
            );
            assert!(text.contains(method), "{text}");
        }
    }

    #[test]
    fn an_unknown_method_is_left_to_the_handler() {
        for params in [json!([1]), json!(null), json!("text"), json!({"a": 1})] {
            let message =
                parse_message(json!({"jsonrpc": "2.0", "id": 1, "method": "x/y", "params": params}));
            let (request, _) = message.unwrap().unwrap().into_request().unwrap();
            assert!(matches!(request, ClientRequest::CustomRequest(custom) if custom.method == "x/y"));
            let message = parse_message(json!({"jsonrpc": "2.0", "method": "x/y", "params": params}));
            let notification = message.unwrap().unwrap().into_notification().unwrap();
            assert!(
                matches!(notification, ClientNotification::CustomNotification(custom) if custom.method == "x/y")
            );
        }
    }

    #[test]
    fn what_is_not_a_message_is_refused_with_the_id_when_there_is_one() {
        let one = Some(RequestId::Number(1));
        for (value, id) in [
            (json!(1), None),
            (json!("text"), None),
            (json!(null), None),
            (json!({}), None),
            (json!({"jsonrpc": "2.0"}), None),
            (json!({"jsonrpc": "2.0", "id": 1}), one.clone()),
            (json!({"id": 1, "method": "ping"}), one.clone()),
            (json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}), one.clone()),
            (json!({"jsonrpc": 2.0, "id": 1, "method": "ping"}), one.clone()),
            (json!({"jsonrpc": "2.0", "id": 1, "method": 5}), one.clone()),
            (json!({"jsonrpc": "2.0", "method": 5}), None),
            (json!({"jsonrpc": "2.0", "id": null, "method": "ping"}), None),
            (json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}), None),
            (json!({"jsonrpc": "2.0", "id": true, "method": "ping"}), None),
            (json!({"jsonrpc": "2.0", "id": {}, "method": "ping"}), None),
            (json!({"jsonrpc": "2.0", "id": u64::MAX, "method": "ping"}), None),
            (json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}}), one.clone()),
            (json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "error": {}}), one),
            (json!({"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}), None),
            (json!({"jsonrpc": "2.0", "result": {}}), None),
            (json!({"id": 1, "result": {}}), None),
        ] {
            let (code, got, _) = refusal(value.clone());
            assert_eq!((code, got), (ErrorCode::INVALID_REQUEST.0, id), "{value}");
        }
    }

    #[test]
    fn an_ill_shaped_notification_is_passed_over() {
        let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}});
        assert!(parse_message(progress).unwrap().is_none());
        let unknown = json!({"jsonrpc": "2.0", "method": "$/setTrace", "params": {"value": "off"}});
        assert!(parse_message(unknown).unwrap().is_some());
    }

    #[test]
    fn an_error_is_never_answered() {
        let complaint = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "m"}});
        assert!(matches!(parse_message(complaint), Ok(Some(ClientJsonRpcMessage::Error(_)))));
        assert!(parse_message(json!({"jsonrpc": "2.0", "error": "boom"})).unwrap().is_none());
        let broken = parse_message(json!({"jsonrpc": "2.0", "id": 4, "error": "boom"})).unwrap().unwrap();
        assert_eq!(broken.into_error().unwrap().1, Some(RequestId::Number(4)));
    }

    #[test]
    fn text_that_is_not_json_says_why() {
        for (bytes, expected) in [
            (b"{".as_slice(), "not valid JSON"),
            (b"", "not valid JSON"),
            (b"{} {}", "trailing characters"),
            (b"{\"a\":\"\xFF\"}", "not valid UTF-8: bad byte at offset 6"),
        ] {
            let refusal = parse_text(bytes).unwrap_err();
            assert_eq!((refusal.error.code, refusal.id), (ErrorCode::PARSE_ERROR, None));
            assert!(refusal.error.message.contains(expected), "{}", refusal.error.message);
        }
        assert_eq!(parse_text(b"\xEF\xBB\xBF {\"a\":1}").unwrap(), json!({"a": 1}));
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_an_overflow() {
        for text in ["[".repeat(3_000_000), "{\"a\":".repeat(1_000_000)] {
            let refusal = parse_text(text.as_bytes()).unwrap_err();
            assert_eq!(refusal.error.code, ErrorCode::PARSE_ERROR);
            assert!(refusal.error.message.contains("nested too deeply"), "{}", refusal.error.message);
        }
        let deepest = format!("{}{}", "[".repeat(127), "]".repeat(127));
        assert!(parse_text(deepest.as_bytes()).is_ok());
    }
}
