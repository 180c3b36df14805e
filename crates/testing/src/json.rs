//! Values that a page of examples expects, beside those that were found.

use serde_json::Value;

/// Says where `actual` is not as `wanted`. Fields that are not wanted may be there; lists must be as long.
pub fn differences(wanted: &Value, actual: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", wanted, actual, &mut found);
    found
}

fn compare(at: &str, wanted: &Value, actual: &Value, differences: &mut Vec<String>) {
    match (wanted, actual) {
        (Value::Object(fields), Value::Object(found)) => {
            for (key, value) in fields {
                compare(&format!("{at}.{key}"), value, found.get(key).unwrap_or(&Value::Null), differences);
            }
        }
        (Value::Array(items), Value::Array(found)) if items.len() == found.len() => {
            for (index, (item, found)) in items.iter().zip(found).enumerate() {
                compare(&format!("{at}[{index}]"), item, found, differences);
            }
        }
        // A list that is left out is an empty one.
        (Value::Array(items), Value::Null) if items.is_empty() => {}
        _ if wanted != actual => differences.push(format!("{at}: expected {wanted}, found {actual}")),
        _ => {}
    }
}
