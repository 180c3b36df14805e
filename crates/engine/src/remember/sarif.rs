//! A check's report as SARIF 2.1.0, which code hosts show beside the lines.

use serde_json::{Value, json};

use super::check::{CheckReport, RULES};

impl CheckReport {
    pub fn to_sarif(&self) -> Value {
        let rules: Vec<Value> = RULES
            .iter()
            .map(|rule| {
                json!({
                    "id": rule.code,
                    "shortDescription": {"text": rule.description},
                    "defaultConfiguration": {"level": rule.level.as_str()},
                })
            })
            .collect();
        let results: Vec<Value> = self
            .findings
            .iter()
            .map(|finding| {
                let mut place =
                    json!({"artifactLocation": {"uri": uri(&finding.file), "uriBaseId": "SRCROOT"}});
                if let (Some(line), Some(place)) = (finding.line, place.as_object_mut()) {
                    place.insert("region".to_owned(), json!({"startLine": line}));
                }
                json!({
                    "ruleId": finding.code,
                    "ruleIndex": RULES.iter().position(|rule| rule.code == finding.code),
                    "level": finding.level.as_str(),
                    "message": {"text": finding.message},
                    "locations": [{"physicalLocation": place}],
                })
            })
            .collect();
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "becket note check",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                }},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        })
    }
}

/// A path as a relative URI: what is not plain is percent-encoded.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~');
    let encoded = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(encoded).collect()
}
