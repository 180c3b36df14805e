//! What a schema says of a value, in words that a caller can act on: where the value differs, and what belongs there.
//! Speaks of our own input schemas, in which everything is inlined; it does not replace a validator.

use becket_base::clip;
use serde_json::Value;

/// A value that is shown back is no longer than this.
const SHOWN: usize = 60;

/// Where a value is not what its schema says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// `limit`, `labels[2]`, `prd.source`.
    pub(crate) place: String,
    /// "a whole number from 1 to 200"
    pub(crate) expected: String,
    /// What stands there instead; nothing where it is missing.
    pub(crate) found: Option<String>,
}

/// The first place, in the order of the schema.
pub(crate) fn mismatch(value: &Value, schema: &Value, place: &str) -> Option<Mismatch> {
    let differs =
        || Some(Mismatch { place: place.to_owned(), expected: words(schema), found: Some(shown(value)) });
    if let Some(variants) = schema.get("anyOf").and_then(Value::as_array) {
        // Which of several was meant is not known: what stands deeper is told only where the outside fits one alone.
        let mut fitting = variants.iter().filter(|variant| has_type(value, variant));
        return match (fitting.next(), fitting.next()) {
            (Some(one), None) => mismatch(value, one, place),
            (Some(_), Some(_)) if variants.iter().any(|one| mismatch(value, one, place).is_none()) => None,
            _ => differs(),
        };
    }
    if !has_type(value, schema) || !is_within(value, schema) {
        return differs();
    }
    match value {
        Value::Array(items) => {
            let schema = schema.get("items")?;
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| mismatch(item, schema, &format!("{place}[{index}]")))
        }
        Value::Object(members) => {
            let required = |name: &str| {
                let names = schema.get("required").and_then(Value::as_array);
                names.is_some_and(|names| names.iter().any(|one| one == name))
            };
            let declared = schema.get("properties").and_then(Value::as_object)?;
            declared.iter().find_map(|(name, schema)| {
                let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                match members.get(name) {
                    None if required(name) => Some(Mismatch { place, expected: words(schema), found: None }),
                    None => None,
                    Some(member) => mismatch(member, schema, &place),
                }
            })
        }
        _ => None,
    }
}

fn has_type(value: &Value, schema: &Value) -> bool {
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    }
}

fn is_within(value: &Value, schema: &Value) -> bool {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return words.contains(value);
    }
    if let Some(items) = value.as_array() {
        let (least, most) = counts(schema);
        return least.is_none_or(|least| least <= items.len()) && most.is_none_or(|most| items.len() <= most);
    }
    let Some(number) = value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from)) else {
        return true;
    };
    least(schema).is_none_or(|least| i128::from(least) <= number)
        && number <= i128::from(most(schema).unwrap_or(i64::MAX))
}

fn least(schema: &Value) -> Option<i64> {
    schema.get("minimum").and_then(Value::as_i64)
}

fn most(schema: &Value) -> Option<i64> {
    schema.get("maximum").and_then(Value::as_i64)
}

/// How many items a list has at least, and at most.
fn counts(schema: &Value) -> (Option<usize>, Option<usize>) {
    let count = |name: &str| usize::try_from(schema.get(name)?.as_u64()?).ok();
    (count("minItems"), count("maxItems"))
}

fn counted(schema: &Value) -> String {
    match counts(schema) {
        (Some(least), Some(most)) if least == most => format!(" of {least}"),
        (Some(least), Some(most)) => format!(" of {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (None, None) => String::new(),
    }
}

/// What belongs there.
fn words(schema: &Value) -> String {
    if let Some(variants) = schema.get("anyOf").and_then(Value::as_array) {
        return variants.iter().map(words).collect::<Vec<_>>().join(", or ");
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return format!("one of {}", words.iter().map(Value::to_string).collect::<Vec<_>>().join(", "));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => match (least(schema), most(schema)) {
            (Some(least), Some(most)) => format!("a whole number from {least} to {most}"),
            (Some(least), None) => format!("a whole number from {least} to {}", i64::MAX),
            (None, Some(most)) => format!("a whole number of at most {most}"),
            (None, None) => "a whole number of at most 64 bits".to_owned(),
        },
        Some("number") => "a number".to_owned(),
        Some("string") => "a text".to_owned(),
        Some("boolean") => "true or false".to_owned(),
        Some("array") => match schema.get("items").map(words) {
            Some(item) => format!("a list{}, each {item}", counted(schema)),
            None => format!("a list{}", counted(schema)),
        },
        Some("object") => {
            let members = schema.get("properties").and_then(Value::as_object);
            let names: Vec<&str> = members.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            if names.is_empty() {
                "an object".to_owned()
            } else {
                format!("an object of {}", names.join(", "))
            }
        }
        _ => "something else".to_owned(),
    }
}

fn shown(value: &Value) -> String {
    clip(&value.to_string(), SHOWN).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// "place: what belongs there", or nothing.
    fn found(value: &Value) -> String {
        let schema = json!({
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 200},
                "labels": {"type": "array", "items": {"type": "string"}},
                "skills": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "object"}]},
                "prd": {"type": "object", "required": ["source"], "properties": {"source": {"type": "string"}}},
                "cursor": {"type": "integer"},
                "lines": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
            },
        });
        let wrong = mismatch(value, &schema, "");
        wrong.map_or_else(String::new, |one| format!("{}: {}", one.place, one.expected))
    }

    #[test]
    fn a_place_and_what_belongs_there_are_named() {
        for wrong in [json!(0), json!(201), json!(-1), json!(1.5), json!(true), json!("5"), json!(u64::MAX)] {
            let told = found(&json!({"id": "T", "limit": wrong}));
            assert_eq!(told, "limit: a whole number from 1 to 200", "{wrong}");
        }
        for (wrong, told) in [
            (json!({"id": "T", "labels": ["a", 7]}), "labels[1]: a text"),
            (json!({"id": "T", "labels": "a"}), "labels: a list, each a text"),
            (json!({"id": "T", "skills": 3}), "skills: a list, each a text, or an object"),
            (json!({"id": "T", "skills": [3]}), "skills[0]: a text"),
            (json!({"id": "T", "lines": [1]}), "lines: a list of 2, each a whole number of at most 64 bits"),
            (json!({"id": "T", "prd": 3}), "prd: an object of source"),
            (json!({"id": "T", "prd": {}}), "prd.source: a text"),
            (json!({"id": "T", "cursor": u64::MAX}), "cursor: a whole number of at most 64 bits"),
            (json!({"id": null}), "id: a text"),
            (json!({"id": "T", "limit": null}), "limit: a whole number from 1 to 200"),
            (json!({}), "id: a text"),
        ] {
            assert_eq!(found(&wrong), told, "{wrong}");
        }
    }

    #[test]
    fn what_fits_is_passed_over() {
        let all = json!({"id": "T", "limit": 1, "labels": [], "skills": {"a": 1}, "prd": {"source": "x"}, "cursor": -1});
        assert_eq!(found(&all), "");
    }

    #[test]
    fn a_long_value_is_not_shown_whole() {
        let wrong = mismatch(&json!("x".repeat(5000)), &json!({"type": "integer"}), "limit").unwrap();
        assert!(wrong.found.is_some_and(|found| found.len() < 120), "shown short");
    }
}
