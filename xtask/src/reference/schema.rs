//! A JSON schema as rows for a table: one per field, nested ones under their path (`worktrees[].branch`).

use serde_json::Value;

use super::markdown::{code, sentence};

/// Deeper fields are left to the schema itself.
const DEPTH: usize = 4;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) path: String,
    pub(super) kind: String,
    pub(super) required: bool,
    pub(super) default: String,
    pub(super) description: String,
}

/// The fields of an object schema, in its order.
pub(super) fn fields(schema: &Value) -> Vec<Field> {
    let mut found = Vec::new();
    collect(schema, schema, "", DEPTH, &mut found);
    found
}

fn collect(root: &Value, schema: &Value, prefix: &str, depth: usize, found: &mut Vec<Field>) {
    let schema = resolve(root, schema);
    let Some(properties) = schema["properties"].as_object().filter(|_| depth > 0) else { return };
    for (name, property) in properties {
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        let required = schema["required"].as_array().is_some_and(|names| names.iter().any(|one| one == name));
        let target = resolve(root, property);
        let description =
            property["description"].as_str().or(target["description"].as_str()).unwrap_or_default();
        let default = property.get("default").filter(|value| !value.is_null());
        found.push(Field {
            path: path.clone(),
            kind: kind(root, property),
            required,
            default: default.map(|value| code(&value.to_string())).unwrap_or_default(),
            description: sentence(description),
        });
        for (inner, suffix) in nested(root, property) {
            collect(root, inner, &format!("{path}{suffix}"), depth - 1, found);
        }
    }
}

/// The schemas inside a property that have fields of their own: itself, its alternatives, its items.
fn nested<'schema>(root: &'schema Value, property: &'schema Value) -> Vec<(&'schema Value, &'static str)> {
    let schema = resolve(root, property);
    let mut inner = vec![(schema, "")];
    inner.extend(alternatives(schema).iter().map(|one| (one, "")));
    inner.extend(schema.get("items").map(|items| (items, "[]")));
    inner.extend(schema.get("additionalProperties").map(|values| (values, ".*")));
    inner
}

fn kind(root: &Value, schema: &Value) -> String {
    let schema = resolve(root, schema);
    let choices = alternatives(schema);
    if !choices.is_empty() {
        return join_or(choices.iter().map(|choice| kind(root, choice)));
    }
    if let Some(values) = schema["enum"].as_array() {
        return join_or(values.iter().map(|value| code(&value.to_string())));
    }
    if let Some(value) = schema.get("const") {
        return code(&value.to_string());
    }
    let name = |kind: &str| match kind {
        "array" if !schema["items"].is_null() => format!("list of {}", kind_of_items(root, schema)),
        _ => bounded(schema, kind),
    };
    match &schema["type"] {
        Value::String(kind) => name(kind),
        Value::Array(kinds) => join_or(kinds.iter().filter_map(Value::as_str).map(name)),
        _ => "any".to_owned(),
    }
}

fn kind_of_items(root: &Value, schema: &Value) -> String {
    let items = kind(root, &schema["items"]);
    if items.contains(" or ") { format!("({items})") } else { items }
}

/// A number with its bounds.
fn bounded(schema: &Value, kind: &str) -> String {
    match (kind, &schema["minimum"], &schema["maximum"]) {
        ("integer" | "number", Value::Null, Value::Null) => kind.to_owned(),
        ("integer" | "number", least, Value::Null) => format!("{kind} ≥ {least}"),
        ("integer" | "number", Value::Null, most) => format!("{kind} ≤ {most}"),
        ("integer" | "number", least, most) => format!("{kind} {least}–{most}"),
        _ => kind.to_owned(),
    }
}

fn alternatives(schema: &Value) -> &[Value] {
    ["anyOf", "oneOf"].iter().find_map(|key| schema[*key].as_array()).map_or(&[], Vec::as_slice)
}

/// Follows `$ref` within the document, as far as it leads.
fn resolve<'schema>(root: &'schema Value, mut schema: &'schema Value) -> &'schema Value {
    for _ in 0..DEPTH {
        let pointer = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        match pointer.and_then(|pointer| root.pointer(pointer)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

fn join_or(words: impl Iterator<Item = String>) -> String {
    let mut unique: Vec<String> = Vec::new();
    for word in words {
        if !unique.contains(&word) {
            unique.push(word);
        }
    }
    unique.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kinds(schema: &Value) -> Vec<(String, String)> {
        fields(schema).into_iter().map(|field| (field.path, field.kind)).collect()
    }

    #[test]
    fn nested_fields_stand_under_their_path() {
        let schema = json!({
            "$defs": {"Tree": {"type": "object", "properties": {"branch": {"type": ["string", "null"]}}}},
            "properties": {
                "trees": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
                "main": {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]},
                "limit": {"type": "integer", "minimum": 1, "maximum": 200, "default": 20},
                "mode": {"enum": ["a", "b"]},
            },
        });
        let expected = [
            ("trees", "list of object"),
            ("trees[].branch", "string or null"),
            ("main", "object or null"),
            ("main.branch", "string or null"),
            ("limit", "integer 1–200"),
            ("mode", "`\"a\"` or `\"b\"`"),
        ];
        assert_eq!(kinds(&schema), expected.map(|(path, kind)| (path.to_owned(), kind.to_owned())));
        assert_eq!(fields(&schema)[4].default, "`20`");
    }

    #[test]
    fn a_schema_that_holds_itself_ends() {
        let schema = json!({"type": "object", "properties": {"child": {"$ref": "#"}}});
        assert_eq!(fields(&schema).len(), DEPTH);
    }
}
