//! Tools that answer with every kind of content, and tools whose schema is the point.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use super::{from_json, said, tool, with_schema};
use crate::route::Route;

/// One red pixel.
pub(super) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
/// Two samples of silence.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==";

pub(super) fn tools() -> Vec<Arc<dyn Route>> {
    vec![
        answering("test_simple_text", json!([text("This is a simple text response for testing.")])),
        answering("test_image_content", json!([image()])),
        answering("test_audio_content", json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}])),
        answering(
            "test_embedded_resource",
            json!([resource(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content."
            )]),
        ),
        answering(
            "test_multiple_content_types",
            json!([
                text("Multiple content types test:"),
                image(),
                resource(
                    "test://mixed-content-resource",
                    "application/json",
                    r#"{"test":"data","value":123}"#
                ),
            ]),
        ),
        tool("test_error_handling", &[], |_| async {
            let message = ContentBlock::text("This tool intentionally returns an error for testing");
            Ok(CallToolResult::error(vec![message]).into())
        }),
        with_schema("json_schema_2020_12_tool", every_keyword(), |_| async {
            Ok(said("The schema is what is tested."))
        }),
        with_schema("test_custom_header", header(), |turn| async move { Ok(said(turn.text("region"))) }),
    ]
}

fn answering(name: &'static str, content: Value) -> Arc<dyn Route> {
    tool(name, &[], move |_| {
        let content = from_json(content.clone());
        async { Ok(CallToolResult::success(content?).into()) }
    })
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn image() -> Value {
    json!({"type": "image", "data": PNG, "mimeType": "image/png"})
}

fn resource(uri: &str, mime_type: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}})
}

/// Keywords that a server which rewrites schemas would lose.
fn every_keyword() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

/// An argument that must be repeated in a header of the request.
fn header() -> Value {
    json!({
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    })
}
