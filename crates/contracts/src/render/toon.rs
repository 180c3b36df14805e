//! TOON: JSON's values in fewer tokens. Indentation for objects, a length for arrays, one header for rows alike.

use std::fmt::Write;

use serde_json::{Map, Value};

/// A value as TOON, without a final line end.
pub fn toon(value: &Value) -> String {
    let mut text = String::new();
    match value {
        Value::Object(fields) => object(&mut text, fields, 0),
        Value::Array(items) => array(&mut text, "", items, 0),
        plain => text.push_str(&scalar(plain)),
    }
    text.trim_end_matches('\n').to_owned()
}

fn object(text: &mut String, fields: &Map<String, Value>, depth: usize) {
    for (name, value) in fields {
        indent(text, depth);
        field(text, &key(name), value, depth);
    }
}

/// `name` is written where the line stands; what is inside goes one deeper than `depth`.
fn field(text: &mut String, name: &str, value: &Value, depth: usize) {
    match value {
        Value::Object(fields) if fields.is_empty() => {
            let _ = writeln!(text, "{name}:");
        }
        Value::Object(fields) => {
            let _ = writeln!(text, "{name}:");
            object(text, fields, depth + 1);
        }
        Value::Array(items) => array(text, name, items, depth),
        plain => {
            let _ = writeln!(text, "{name}: {}", scalar(plain));
        }
    }
}

fn array(text: &mut String, name: &str, items: &[Value], depth: usize) {
    let count = items.len();
    if items.iter().all(|item| !item.is_object() && !item.is_array()) {
        let values: Vec<String> = items.iter().map(scalar).collect();
        let space = if values.is_empty() { "" } else { " " };
        let _ = writeln!(text, "{name}[{count}]:{space}{}", values.join(","));
        return;
    }
    // A list in a list has no name, and readers take a header without one only at the top.
    let may_be_table = !name.is_empty() || depth == 0;
    if let Some(columns) = columns(items).filter(|_| may_be_table) {
        let names: Vec<String> = columns.iter().map(|column| key(column)).collect();
        let _ = writeln!(text, "{name}[{count}]{{{}}}:", names.join(","));
        for item in items {
            indent(text, depth + 1);
            let row: Vec<String> =
                columns.iter().map(|column| item.get(column).map(scalar).unwrap_or_default()).collect();
            let _ = writeln!(text, "{}", row.join(","));
        }
        return;
    }
    let _ = writeln!(text, "{name}[{count}]:");
    for item in items {
        indent(text, depth + 1);
        text.push_str("- ");
        match item {
            Value::Object(fields) => {
                let mut fields = fields.iter();
                match fields.next() {
                    None => text.push('\n'),
                    Some((name, value)) => field(text, &key(name), value, depth + 2),
                }
                for (name, value) in fields {
                    indent(text, depth + 2);
                    field(text, &key(name), value, depth + 2);
                }
            }
            // Its items stand one deeper than the dash, as those of any other item do.
            Value::Array(items) => array(text, "", items, depth + 1),
            plain => {
                let _ = writeln!(text, "{}", scalar(plain));
            }
        }
    }
}

/// The fields of rows that all have the same ones, with plain values in each.
fn columns(items: &[Value]) -> Option<Vec<String>> {
    let first = items.first()?.as_object()?;
    let names: Vec<String> = first.keys().cloned().collect();
    let alike = |item: &Value| {
        item.as_object().is_some_and(|fields| {
            fields.len() == names.len()
                && names
                    .iter()
                    .all(|name| fields.get(name).is_some_and(|value| !value.is_object() && !value.is_array()))
        })
    };
    (!names.is_empty() && items.iter().all(alike)).then_some(names)
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// As JSON has it, less the two short escapes that TOON does not know.
fn quoted(text: &str) -> String {
    Value::from(text)
        .to_string()
        .replace("\\\\", "\u{0}")
        .replace("\\b", "\\u0008")
        .replace("\\f", "\\u000c")
        .replace('\u{0}', "\\\\")
}

/// Whether a string can stand without quotes and still be read as that string.
fn is_plain(text: &str) -> bool {
    let looks_otherwise = matches!(text, "true" | "false" | "null") || text.parse::<f64>().is_ok();
    !text.is_empty()
        && text.trim() == text
        && !looks_otherwise
        && !text.starts_with('-')
        && !text.contains([',', ':', '"', '\\', '[', ']', '{', '}', '\n', '\r', '\t'])
        && !text.chars().any(char::is_control)
}

fn key(name: &str) -> String {
    let mut letters = name.chars();
    let starts = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic() || letter == '_');
    let plain = starts && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.'));
    if plain { name.to_owned() } else { quoted(name) }
}

fn indent(text: &mut String, depth: usize) {
    for _ in 0..depth {
        text.push_str("  ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_lists_and_tables() {
        let value = json!({
            "name": "Ada", "id": 1, "on": true, "nothing": null, "empty": {}, "text": "a, b", "number": "12",
            "tags": ["x", "y z"], "none": [],
            "rows": [{"a": 1, "b": "q"}, {"a": 2, "b": "r"}],
            "mixed": [{"a": 1}, {"b": [1, 2], "c": {"d": 1}}, 3],
            "pairs": [["a", "b"]],
            "$schema": "u",
        });
        let expected = "name: Ada\nid: 1\non: true\nnothing: null\nempty:\ntext: \"a, b\"\nnumber: \"12\"\n\
            tags[2]: x,y z\nnone[0]:\nrows[2]{a,b}:\n  1,q\n  2,r\nmixed[3]:\n  - a: 1\n  - b[2]: 1,2\n    c:\n      d: 1\n  - 3\n\
            pairs[1]:\n  - [2]: a,b\n\"$schema\": u";
        assert_eq!(toon(&value), expected);
    }

    #[test]
    fn a_list_at_the_top() {
        assert_eq!(toon(&json!([1, "b"])), "[2]: 1,b");
        assert_eq!(toon(&json!([{"a": 1}])), "[1]{a}:\n  1");
        assert_eq!(toon(&json!("x")), "x");
        assert_eq!(toon(&json!([[{"a": 1}, {"a": 2}]])), "[1]:\n  - [2]:\n    - a: 1\n    - a: 2");
        assert_eq!(
            toon(&json!([[{"a": [1, {"b": 2}]}, {"c": 1}], []])),
            "[2]:\n  - [2]:\n    - a[2]:\n        - 1\n        - b: 2\n    - c: 1\n  - [0]:"
        );
        assert_eq!(toon(&json!("\u{8}\u{c}\\b\u{1b}")), r#""\u0008\u000c\\b\u001b""#);
    }
}
