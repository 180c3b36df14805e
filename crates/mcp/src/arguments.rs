//! Arguments as callers really send them: either case is accepted, `1.0` is a whole number, an unknown name is answered
//! with the nearest one.

use becket_base::{clip, nearest};
use becket_engine::Error;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::expectation::{Mismatch, mismatch};

/// Of what somebody else wrote.
const SHOWN: usize = 200;

/// Whole numbers up to this are exact in JSON's floating point.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Renames `task_id` to a declared `taskId` (and the reverse), and refuses what is not declared at all.
pub(crate) fn spelled_as_declared(arguments: JsonObject, schema: &JsonObject) -> Result<JsonObject, Error> {
    let declared = declared_names(schema);
    let mut spelled = Map::new();
    for (name, mut value) in arguments {
        let Some(known) = declared
            .iter()
            .find(|known| **known == name)
            .or_else(|| declared.iter().find(|known| folded(known) == folded(&name)))
        else {
            return Err(unknown(&name, &declared));
        };
        if let Some(schema) = schema.get("properties").and_then(|all| all.get(*known)) {
            make_whole(&mut value, schema);
        }
        if spelled.insert((*known).to_owned(), value).is_some() {
            return Err(Error::invalid(
                "invalid_arguments",
                format!("The argument `{known}` is given twice."),
            )
            .with_hint("Send it once, in one spelling."));
        }
    }
    Ok(spelled)
}

/// `1.0` where a whole number is declared, which is one to JSON Schema, and is what clients send that know one kind of number.
fn make_whole(value: &mut Value, schema: &Value) {
    for variant in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        make_whole(value, variant);
    }
    let inner = |name: &str| schema.get(name);
    match value {
        Value::Number(number) if inner("type").is_some_and(|kind| kind == "integer") => {
            let whole = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() <= MOST_EXACT);
            #[allow(clippy::cast_possible_truncation, reason = "it is whole and exact")]
            if let Some(float) = whole {
                *value = (float as i64).into();
            }
        }
        Value::Array(items) => {
            if let Some(schema) = inner("items") {
                for item in items {
                    make_whole(item, schema);
                }
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                if let Some(schema) = inner("properties").and_then(|all| all.get(name)) {
                    make_whole(member, schema);
                }
            }
        }
        _ => {}
    }
}

/// Into the tool's own type; what is wrong is named with its place, and with what belongs there. The schema is asked before
/// the type, which would take more than it says: `null` for what may be left out. A host that checks arguments refuses that, so
/// what a call comes to would hang on the host; and to publish `null` beside each type would cost those hosts that understand
/// one type at a time. Who sends it is told to leave the argument out.
pub(crate) fn parse<P: DeserializeOwned>(arguments: JsonObject, schema: &JsonObject) -> Result<P, Error> {
    let arguments = Value::Object(arguments);
    if let Some(wrong) = mismatch(&arguments, &Value::Object(schema.clone()), "") {
        return Err(refused(wrong, schema));
    }
    P::deserialize(&arguments).map_err(|error| {
        let problem = error.to_string();
        Error::invalid(
            "invalid_arguments",
            format!("The arguments are not what the tool takes: {}.", clip(&problem, SHOWN)),
        )
        .with_hint("The tool's inputSchema says what it takes.")
    })
}

fn refused(Mismatch { place, expected, found }: Mismatch, schema: &JsonObject) -> Error {
    let message = match found {
        Some(found) => format!("The argument `{place}` is {expected}, not {found}."),
        None => format!("The argument `{place}` is missing: {expected}."),
    };
    let root = place.split(['.', '[']).next().unwrap_or_default();
    Error::invalid("invalid_arguments", message).with_hint(next_step(schema, root))
}

fn next_step(schema: &JsonObject, name: &str) -> String {
    let names = schema.get("required").and_then(Value::as_array);
    let is_required = names.is_some_and(|names| names.iter().any(|one| one == name));
    let step = if is_required { "Send it so" } else { "Send it so, or leave it out" };
    match schema.get("properties").and_then(|all| all.get(name)?.get("description")?.as_str()) {
        Some(meaning) => format!("{step}: {}", clip(meaning, SHOWN)),
        None => format!("{step}; the tool's inputSchema says what else it takes."),
    }
}

fn declared_names(schema: &JsonObject) -> Vec<&str> {
    let names =
        schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|names| names.keys());
    names.map(String::as_str).collect()
}

/// `taskId`, `task_id` and `TaskID` are one name.
fn folded(name: &str) -> String {
    name.chars().filter(|character| *character != '_').flat_map(char::to_lowercase).collect()
}

fn unknown(name: &str, declared: &[&str]) -> Error {
    let error = Error::invalid("invalid_arguments", format!("There is no argument `{}`.", clip(name, SHOWN)));
    let takes = if declared.is_empty() { "no arguments".to_owned() } else { declared.join(", ") };
    match nearest(name, declared.iter().copied()) {
        Some(meant) => error.with_hint(format!("Did you mean `{meant}`? The tool takes {takes}.")),
        None => error.with_hint(format!("The tool takes {takes}.")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema;

    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        task_id: String,
        /// How far.
        #[schemars(range(min = 0, max = 9))]
        depth: Option<u32>,
        #[serde(default)]
        steps: Vec<u32>,
    }

    fn read(arguments: Value) -> Result<Params, Error> {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let schema = schema::of::<Params>();
        parse(spelled_as_declared(arguments, &schema)?, &schema)
    }

    #[test]
    fn either_case_is_accepted() {
        assert_eq!(read(json!({"taskId": "T1"})).unwrap().task_id, "T1");
        assert_eq!(read(json!({"task_id": "T1", "depth": 2})).unwrap().depth, Some(2));
    }

    #[test]
    fn a_whole_number_may_be_written_with_a_point() {
        let params = read(json!({"taskId": "T1", "depth": 2.0, "steps": [1.0, 2]})).unwrap();
        assert_eq!((params.depth, params.steps), (Some(2), vec![1, 2]));
        let error = read(json!({"taskId": "T1", "depth": 2.5})).unwrap_err();
        assert_eq!(error.message(), "The argument `depth` is a whole number from 0 to 9, not 2.5.");
    }

    #[test]
    fn the_same_argument_in_both_spellings_is_refused() {
        let error = read(json!({"taskId": "T1", "task_id": "T2"})).unwrap_err();
        assert_eq!(error.message(), "The argument `taskId` is given twice.");
    }

    #[test]
    fn an_unknown_argument_is_answered_with_the_nearest() {
        let error = read(json!({"taskID": "T1", "dept": 2})).unwrap_err();
        assert_eq!(error.code(), "invalid_arguments");
        assert_eq!(error.hint(), Some("Did you mean `depth`? The tool takes taskId, depth, steps."));
    }

    #[test]
    fn a_wrong_type_is_named_with_its_place_and_the_next_step() {
        let error = read(json!({"taskId": "T1", "depth": "deep"})).unwrap_err();
        assert_eq!(error.message(), r#"The argument `depth` is a whole number from 0 to 9, not "deep"."#);
        assert_eq!(error.hint(), Some("Send it so, or leave it out: How far."));
        let error = read(json!({"taskId": "T1", "depth": -1})).unwrap_err();
        assert_eq!(error.message(), "The argument `depth` is a whole number from 0 to 9, not -1.");
        let error = read(json!({"taskId": "T1", "depth": null})).unwrap_err();
        assert_eq!(error.code(), "invalid_arguments");
        assert_eq!(error.message(), "The argument `depth` is a whole number from 0 to 9, not null.");
        assert_eq!(error.hint(), Some("Send it so, or leave it out: How far."));
    }

    #[test]
    fn a_wrong_type_of_a_required_argument_is_named_too() {
        let error = read(json!({"taskId": 7, "depth": 1})).unwrap_err();
        assert_eq!(error.message(), "The argument `taskId` is a text, not 7.");
        assert!(error.hint().is_some_and(|hint| hint.starts_with("Send it so;")), "{error:?}");
    }

    #[test]
    fn a_missing_argument_is_named() {
        let error = read(json!({})).unwrap_err();
        assert_eq!(error.message(), "The argument `taskId` is missing: a text.");
    }

    #[test]
    fn a_long_name_or_value_is_not_sent_back_whole() {
        let long = "x".repeat(5000);
        for arguments in [json!({"taskId": "T1", "depth": long}), json!({long.clone(): 1})] {
            let error = read(arguments).unwrap_err();
            assert!(error.message().len() < 400, "{error}");
        }
    }
}
