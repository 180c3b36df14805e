//! Makes one answer fit that is too large by itself: its longest lists and texts lose their ends until it does, and
//! what was lost is said.

use std::collections::BTreeMap;

use serde_json::Value;

/// Shorter texts and lists say what something is, and stay.
const SHORT_TEXT: usize = 400;
const SHORT_LIST: usize = 4;

/// Cuts `value` down to about `room` bytes. Gives, for every place that was cut, how much of it is left.
pub(super) fn shrink(value: &mut Value, room: usize) -> Vec<String> {
    let mut cut: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    while value.to_string().len() > room {
        let mut largest = (0, String::new());
        find(value, &mut String::new(), &mut largest);
        let Some(found) = value.pointer_mut(&largest.1).filter(|_| largest.0 > 0) else { break };
        let (all, kept) = halve(found);
        let entry = cut.entry(largest.1).or_insert((all, kept));
        entry.1 = kept;
    }
    cut.iter().map(|(place, (all, kept))| format!("{kept} of {all} at {place}")).collect()
}

/// The place whose own content is largest among those that can be cut.
fn find(value: &Value, place: &mut String, largest: &mut (usize, String)) {
    let size = match value {
        Value::Array(list) if list.len() > SHORT_LIST => value.to_string().len(),
        Value::String(text) if text.len() > SHORT_TEXT => text.len(),
        Value::Object(fields) if fields.len() > 16 * SHORT_LIST => value.to_string().len(),
        _ => 0,
    };
    if size > largest.0 {
        *largest = (size, place.clone());
    }
    let depth = place.len();
    let mut inside = |key: &str, value: &Value| {
        place.push('/');
        place.push_str(&key.replace('~', "~0").replace('/', "~1"));
        find(value, place, largest);
        place.truncate(depth);
    };
    match value {
        // What is inside of a list that can be cut goes with it.
        Value::Array(list) if list.len() <= SHORT_LIST => {
            for (at, value) in list.iter().enumerate() {
                inside(&at.to_string(), value);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                inside(key, value);
            }
        }
        _ => {}
    }
}

/// How much there was, and how much is left.
fn halve(value: &mut Value) -> (usize, usize) {
    match value {
        Value::Array(list) => {
            let all = list.len();
            list.truncate(all / 2);
            (all, list.len())
        }
        Value::Object(fields) => {
            let all = fields.len();
            *fields = std::mem::take(fields).into_iter().take(all / 2).collect();
            (all, fields.len())
        }
        Value::String(text) => {
            let all = text.len();
            let half = becket_base::clip(text, all / 2).to_string();
            *text = half;
            (all, text.len())
        }
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_longest_lists_lose_their_ends_and_it_is_said() {
        let many: Vec<String> = (0..1000).map(|at| format!("name{at}")).collect();
        let mut value = json!({
            "entryId": "src/a.ts",
            "contract": { "declarations": many, "exports": { "named": many }, "description": "short" },
            "codeHeader": "line\n".repeat(2000),
        });
        let cut = shrink(&mut value, 3000);
        assert!(value.to_string().len() <= 3000, "{}", value.to_string().len());
        assert_eq!(value["entryId"], "src/a.ts");
        assert_eq!(value["contract"]["description"], "short");
        assert_eq!(value["contract"]["declarations"][0], "name0");
        assert_eq!(cut.len(), 3, "{cut:?}");
        assert!(cut.iter().any(|one| one.ends_with("of 1000 at /contract/declarations")), "{cut:?}");
        assert!(shrink(&mut json!({ "a": 1 }), 1).is_empty());
    }
}
