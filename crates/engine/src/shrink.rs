//! Makes one answer fit that is too large by itself: its longest lists and texts lose their ends until it does, and
//! what was lost is said.

use std::collections::BTreeMap;

use serde_json::Value;

/// Shorter texts and lists say what something is, and stay.
const SHORT_TEXT: usize = 400;
const SHORT_LIST: usize = 4;

/// Cuts `value` down to about `room` bytes. Gives, for every place that was cut, how much of it is left.
pub fn shrink(value: &mut Value, room: usize) -> Vec<String> {
    let mut cut: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    loop {
        let excess = value.to_string().len().saturating_sub(room);
        if excess == 0 {
            break;
        }
        let mut largest = (0, String::new());
        find(value, &mut String::new(), &mut largest);
        let Some(found) = value.pointer_mut(&largest.1).filter(|_| largest.0 > 0) else { break };
        let (all, kept) = shorten(found, excess);
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

/// Takes away about so many bytes, but not more than a half: others may be larger then. How much there was, and how much is
/// left.
fn shorten(value: &mut Value, excess: usize) -> (usize, usize) {
    match value {
        Value::Array(list) => {
            let (all, mut gone) = (list.len(), 0);
            while gone < excess && list.len() > all / 2 {
                gone += list.pop().map_or(0, |last| last.to_string().len() + 1);
            }
            (all, list.len())
        }
        Value::Object(fields) => {
            let all = fields.len();
            *fields = std::mem::take(fields).into_iter().take(all / 2).collect();
            (all, fields.len())
        }
        Value::String(text) => {
            let all = text.chars().count();
            let left = all.saturating_sub(excess + 1).max(all / 2);
            *text = becket_base::clip(text, left).text.to_owned() + "…";
            (all, left)
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

    #[test]
    fn no_more_is_lost_than_has_to_be() {
        let many: Vec<String> = (0..1000).map(|at| format!("name{at}")).collect();
        let mut value = json!({ "many": many, "text": "字".repeat(2000) });
        let all = value.to_string().len();
        let cut = shrink(&mut value, all - 100);
        assert_eq!(cut.len(), 1, "{cut:?}");
        let left = value.to_string().len();
        assert!((all - 120..=all - 100).contains(&left), "{left} of {all}");
        shrink(&mut value, 1_000);
        assert!(value.to_string().len() <= 1_000, "{value}");
    }
}
