//! Arguments as callers really send them: either case is accepted, an unknown name is answered with the nearest one.

use becket_base::nearest;
use becket_engine::Error;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Renames `task_id` to a declared `taskId` (and the reverse), and refuses what is not declared at all.
pub(crate) fn spelled_as_declared(arguments: JsonObject, schema: &JsonObject) -> Result<JsonObject, Error> {
    let declared = declared_names(schema);
    let mut spelled = Map::new();
    for (name, value) in arguments {
        let Some(known) = declared
            .iter()
            .find(|known| **known == name)
            .or_else(|| declared.iter().find(|known| folded(known) == folded(&name)))
        else {
            return Err(unknown(&name, &declared));
        };
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

/// Into the tool's own type; a wrong type is named with its place.
pub(crate) fn parse<P: DeserializeOwned>(arguments: JsonObject) -> Result<P, Error> {
    locate_error(&Value::Object(arguments)).map_err(|(place, problem)| {
        let message = if place.is_empty() {
            format!("The arguments are not what the tool takes: {problem}.")
        } else {
            format!("The argument `{place}` is not what the tool takes: {problem}.")
        };
        Error::invalid("invalid_arguments", message).with_hint("The tool's inputSchema says what it takes.")
    })
}

fn locate_error<P: DeserializeOwned>(arguments: &Value) -> Result<P, (String, String)> {
    // Which argument is wrong: the one without which, or with which alone, the error goes away.
    let error = match P::deserialize(arguments) {
        Ok(params) => return Ok(params),
        Err(error) => error.to_string(),
    };
    let members = arguments.as_object().cloned().unwrap_or_default();
    let place = members.keys().find(|name| {
        let mut without = members.clone();
        without.remove(*name);
        match P::deserialize(&Value::Object(without)) {
            Ok(_) => true,
            Err(other) => other.to_string() != error && other.to_string().contains("missing field"),
        }
    });
    Err((place.cloned().unwrap_or_default(), error))
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
    let error = Error::invalid("invalid_arguments", format!("There is no argument `{name}`."));
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
        depth: Option<u32>,
    }

    fn read(arguments: Value) -> Result<Params, Error> {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        parse(spelled_as_declared(arguments, &schema::of::<Params>())?)
    }

    #[test]
    fn either_case_is_accepted() {
        assert_eq!(read(json!({"taskId": "T1"})).unwrap().task_id, "T1");
        assert_eq!(read(json!({"task_id": "T1", "depth": 2})).unwrap().depth, Some(2));
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
        assert_eq!(error.hint(), Some("Did you mean `depth`? The tool takes taskId, depth."));
    }

    #[test]
    fn a_wrong_type_is_named_with_its_place() {
        let error = read(json!({"taskId": "T1", "depth": "deep"})).unwrap_err();
        assert!(error.message().starts_with("The argument `depth` is not"), "{error}");
    }

    #[test]
    fn a_wrong_type_of_a_required_argument_is_named_too() {
        let error = read(json!({"taskId": 7, "depth": 1})).unwrap_err();
        assert!(error.message().starts_with("The argument `taskId` is not"), "{error}");
    }

    #[test]
    fn a_missing_argument_is_named() {
        let error = read(json!({})).unwrap_err();
        assert!(error.message().contains("missing field `taskId`"), "{error}");
    }
}
