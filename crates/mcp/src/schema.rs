//! JSON schemas as hosts want them: one object, nothing to resolve, no format that only Rust knows.

use rmcp::model::JsonObject;
use schemars::{JsonSchema, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::{Value, json};

/// The schema of `T`, self-contained.
pub(crate) fn of<T: JsonSchema>() -> JsonObject {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    settings.transforms.push(Box::new(RecursiveTransform(|schema: &mut schemars::Schema| {
        // "Anything" is written as `true`, which official clients refuse for a property.
        if schema.as_bool() == Some(true) {
            schema.ensure_object();
        }
        // `uint32` and the like are not JSON Schema formats; strict hosts refuse what they do not know.
        let foreign = schema.get("format").and_then(Value::as_str).is_some_and(|name| {
            name.starts_with("uint") || name.starts_with("int") || matches!(name, "float" | "double")
        });
        if foreign {
            schema.remove("format");
        }
        without_null(schema);
    })));
    let mut schema = match settings.into_generator().into_root_schema_for::<T>().to_value() {
        Value::Object(schema) => schema,
        // `()` and the like: an object without members.
        _ => JsonObject::new(),
    };
    schema.remove("title");
    schema.insert("type".to_owned(), "object".into());
    schema.entry("properties").or_insert_with(|| json!({}));
    schema
}

/// An optional member is left out, never null: many hosts understand one type at a time.
fn without_null(schema: &mut schemars::Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if object.get("default") == Some(&Value::Null) {
        object.remove("default");
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(variants)) = object.get_mut("anyOf") {
        variants.retain(|variant| variant.get("type") != Some(&json!("null")));
        if let [Value::Object(only)] = variants.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            for (name, value) in only {
                object.entry(name).or_insert(value);
            }
        }
    }
}

/// Lets a failed call answer `{"error": {…}}` without failing the tool's own schema, and any call say what it left out.
pub(crate) fn admit_failure_and_cut(output: &mut JsonObject) {
    let required = output.remove("required").unwrap_or_else(|| json!([]));
    if let Some(properties) = output.get_mut("properties").and_then(Value::as_object_mut) {
        let cut = json!({"type": "string", "description": "What was left out to fit."});
        properties.entry("cut").or_insert(cut);
        properties.insert(
            "error".to_owned(),
            json!({
                "type": "object",
                "description": "Only when the call failed: a stable code, a message and the next step.",
                "properties": {
                    "code": {"type": "string"},
                    "kind": {"type": "string"},
                    "message": {"type": "string"},
                    "hint": {"type": "string"},
                },
                "required": ["code", "kind", "message"],
            }),
        );
    }
    output.insert("anyOf".to_owned(), json!([{"required": required}, {"required": ["error"]}]));
}

/// Bytes of the compact form, counted without building it.
pub(crate) fn size_of(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Writing a `Value` to a writer that never fails cannot fail.
    serde_json::to_writer(&mut count, value).map_or(usize::MAX, |()| count.0)
}

/// Every result of every tool is held against its own schema in tests.
#[cfg(test)]
pub(crate) fn assert_valid(value: &Value, tool: &rmcp::model::Tool) {
    let schema =
        Value::Object(std::sync::Arc::unwrap_or_clone(tool.output_schema.clone().expect("an output schema")));
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let errors: Vec<_> =
        validator.iter_errors(value).map(|error| format!("{} at {}", error, error.instance_path())).collect();
    assert!(errors.is_empty(), "{}: {errors:?}\n{value:#}", tool.name);
}
