//! The JSON that tests of both protocol eras send, written out by hand.

use serde_json::{Value, json};

/// The stateless version.
pub const MODERN: &str = "2026-07-28";

/// The versions that open with a handshake.
pub const HANDSHAKE_VERSIONS: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The params of an `initialize` request.
pub fn initialize_params(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "becket-testing", "version": "1.0.0"},
    })
}

/// `params` with the `_meta` that every request of 2026-07-28 carries; what is already in `_meta` is kept.
pub fn modern_params(params: Value) -> Value {
    let mut params = if params.is_null() { json!({}) } else { params };
    let meta = params
        .as_object_mut()
        .expect("params are an object")
        .entry("_meta")
        .or_insert_with(|| json!({}))
        .as_object_mut()
        .expect("_meta is an object");
    for (key, value) in [
        ("protocolVersion", json!(MODERN)),
        ("clientInfo", json!({"name": "becket-testing", "version": "1.0.0"})),
        ("clientCapabilities", json!({})),
    ] {
        meta.entry(format!("io.modelcontextprotocol/{key}")).or_insert(value);
    }
    params
}

/// A whole request.
pub fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "id": id.into(), "method": method});
    if !params.is_null() {
        message["params"] = params;
    }
    message
}

/// A whole notification.
pub fn notification(method: &str, params: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    if !params.is_null() {
        message["params"] = params;
    }
    message
}

/// The params of a `tools/call` request.
pub fn call_params(tool: &str, arguments: Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modern_params_keep_what_is_there() {
        let params = modern_params(
            json!({"a": 1, "_meta": {"progressToken": 5, "io.modelcontextprotocol/protocolVersion": "x"}}),
        );
        assert_eq!(params["a"], 1);
        assert_eq!(params["_meta"]["progressToken"], 5);
        assert_eq!(params["_meta"]["io.modelcontextprotocol/protocolVersion"], "x");
        assert_eq!(params["_meta"]["io.modelcontextprotocol/clientCapabilities"], json!({}));
        assert_eq!(modern_params(Value::Null)["_meta"]["io.modelcontextprotocol/protocolVersion"], MODERN);
    }
}
