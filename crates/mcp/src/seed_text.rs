//! The text beside a result of a tool whose seed answered in text alone: the seed's fields as JSON, so that a client of
//! the original reads ours; a summary where that would be too long.

use serde_json::Value;

/// The adapter cuts a longer text, and JSON that is cut cannot be read.
const LONGEST_JSON: usize = 7_900;

pub(crate) fn seed_text(fields: &Value, otherwise: impl FnOnce() -> String) -> String {
    let json = fields.to_string();
    if json.chars().count() <= LONGEST_JSON { json } else { otherwise() }
}
