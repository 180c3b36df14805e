//! Whether written files are what the published schemas say: context files, and what is written beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use becket_base::counted;
use becket_contracts::fingerprint::{bundle_hash, bundled, digits, file_hash};
use becket_contracts::render::{read_folder_file, source};
use becket_contracts::schema;
use becket_contracts::secrets::REDACTED;
use jsonschema::Validator;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{fault, session, written};
use crate::{Engine, Error};

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidateReport {
    pub valid: bool,
    pub files: Vec<ValidatedFile>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidatedFile {
    pub path: String,
    pub bundles: usize,
    pub nodes: usize,
    /// The first of them, each with its place in the file.
    pub errors: Vec<String>,
}

/// Enough to mend by.
const MOST_ERRORS: usize = 20;

impl Engine {
    /// Checks one file, or with an index every file that it lists. For people: it lies wherever `--out` may have put it.
    pub fn context_validate(&self, file: Option<&str>) -> Result<ValidateReport, Error> {
        let place = match file {
            Some(file) => self.environment().current_dir.join(file),
            None => self.site(None)?.folder(),
        };
        let place = if place.is_dir() { default_file(&place) } else { place };
        let text = text_at(&place, || missing(&place))?;
        if let Some(schema) = beside(&place, &text) {
            let errors = match serde_json::from_str(&text) {
                Ok(value) => errors_of(&validator(schema)?, &value),
                Err(error) => vec![format!("it is not JSON: {error}")],
            };
            let file = ValidatedFile { path: place.display().to_string(), bundles: 0, nodes: 0, errors };
            return Ok(ValidateReport { valid: file.errors.is_empty(), files: vec![file] });
        }
        let (contexts, indexes) = (validator(schema::CONTEXT)?, validator(schema::INDEX)?);
        let is_index =
            serde_json::from_str::<Value>(&text).is_ok_and(|value| value["type"] == "LogicStampIndex");
        let mut files = Vec::new();
        if is_index {
            let index: Value = serde_json::from_str(&text).unwrap_or_default();
            let folder = place.parent().unwrap_or(Path::new(""));
            files.push(ValidatedFile {
                path: place.display().to_string(),
                bundles: 0,
                nodes: 0,
                errors: errors_of(&indexes, &index),
            });
            let rows = index["folders"].as_array().into_iter().flatten();
            for (row, path) in rows.filter_map(|row| Some((row, row["contextFile"].as_str()?))) {
                let faulty = |error: &str| ValidatedFile {
                    path: folder.join(path).display().to_string(),
                    bundles: 0,
                    nodes: 0,
                    errors: vec![error.to_owned()],
                };
                let mut file =
                    match written::page_at(folder, path).map(|place| (written::read(&place), place)) {
                        Some((Some(text), place)) => check(&contexts, &place, &text),
                        Some((None, place)) => match fault::forbidden(&place) {
                            Some(error) => faulty(error.message()),
                            None if place.exists() => faulty(fault::NO_TEXT),
                            None => faulty("it is listed in the index and not there"),
                        },
                        None => faulty(written::NO_PAGE),
                    };
                let told = row["bundles"].as_u64().and_then(|told| usize::try_from(told).ok());
                if let Some(told) = told.filter(|told| *told != file.bundles && file.errors.is_empty()) {
                    file.errors
                        .push(format!("it has {}, and {told} by the index", counted(file.bundles, "bundle")));
                }
                files.push(file);
            }
        } else {
            files.push(check(&contexts, &place, &text));
        }
        Ok(ValidateReport { valid: files.iter().all(|file| file.errors.is_empty()), files })
    }
}

/// The schema of a file that holds no contracts: known by its type, or where it has none by its name.
fn beside(place: &Path, text: &str) -> Option<&'static str> {
    let value: Option<Value> = serde_json::from_str(text).ok();
    match value.as_ref().and_then(|value| value["type"].as_str()) {
        Some("LogicStampCompareModes") => return Some(schema::COMPARE_MODES),
        Some("LogicStampSecurityReport") => return Some(schema::SECURITY_REPORT),
        _ => {}
    }
    let name = place.file_name()?.to_str()?;
    let named = [
        (session::STATUS, schema::WATCH_STATUS),
        (session::LOG, schema::WATCH_LOG),
        (session::VIOLATIONS, schema::STRICT_WATCH),
    ];
    named.into_iter().find(|(path, _)| path.rsplit('/').next() == Some(name)).map(|(_, schema)| schema)
}

fn check(schema: &Validator, place: &Path, text: &str) -> ValidatedFile {
    let path = place.display().to_string();
    match read_folder_file(text) {
        Err(error) => {
            ValidatedFile { path, bundles: 0, nodes: 0, errors: vec![format!("it is not JSON: {error}")] }
        }
        Ok(bundles) => {
            let nodes = bundles
                .iter()
                .filter_map(|bundle| bundle.pointer("/graph/nodes")?.as_array())
                .map(Vec::len)
                .sum();
            let count = bundles.len();
            let unsound: Vec<String> = bundles.iter().enumerate().flat_map(unsound).collect();
            let mut errors = errors_of(schema, &Value::from(bundles));
            let room = MOST_ERRORS.saturating_sub(errors.len());
            errors.extend(unsound.into_iter().take(room));
            if count == 0 {
                errors.push("it has no bundle".to_owned());
            }
            ValidatedFile { path, bundles: count, nodes, errors }
        }
    }
}

/// What no schema says of a bundle: its nodes are there once, what it is of is one of them, and its edges join them.
fn unsound((at, bundle): (usize, &Value)) -> Vec<String> {
    let list = |place: &str| bundle.pointer(place).and_then(Value::as_array).into_iter().flatten();
    let mut errors = Vec::new();
    let mut add = |place: &str, message: String| {
        errors.push(format!("/{at}{place}: {}", becket_base::clip(&message, 300)));
    };
    let numbers = bundle["position"].as_str().and_then(|position| {
        let (own, all) = position.split_once('/')?;
        Some((own.parse::<u64>().ok()?, all.parse::<u64>().ok()?))
    });
    if let Some((own, all)) = numbers.filter(|(own, all)| *own == 0 || own > all) {
        add("/position", format!("there is no bundle {own} of {all}"));
    }
    let mut nodes = BTreeSet::new();
    for (node, entry) in list("/graph/nodes").enumerate() {
        let Some(entry) = entry["entryId"].as_str() else { continue };
        if !nodes.insert(entry) {
            add(&format!("/graph/nodes/{node}"), format!("\"{entry}\" is a node already"));
        }
    }
    if let Some(entry) = bundle["entryId"].as_str().filter(|entry| !nodes.contains(entry)) {
        add("/entryId", format!("\"{entry}\" is none of its nodes"));
    }
    for (edge, ends) in list("/graph/edges").enumerate() {
        for end in ends.as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !nodes.contains(end) {
                add(&format!("/graph/edges/{edge}"), format!("\"{end}\" is none of its nodes"));
            }
        }
    }
    if bundle.pointer("/meta/source").and_then(Value::as_str) == Some(&source()) {
        altered(bundle, &mut add);
    }
    errors
}

/// Hashes over what stands in the file that are not those of it. Only of our own making: the original's are made otherwise.
fn altered(bundle: &Value, add: &mut dyn FnMut(&str, String)) {
    let Some(nodes) = bundle.pointer("/graph/nodes").and_then(Value::as_array) else { return };
    let hash = |node: &Value, name: &str| node["contract"][name].as_str().map(str::to_owned);
    let promise = |node: &Value| {
        let promise = digits(&hash(node, "semanticHash")?);
        Some((node["entryId"].as_str()?.to_owned(), promise))
    };
    let promises: Option<BTreeMap<String, [u8; 12]>> = nodes.iter().map(promise).collect();
    let depth = bundle["depth"].as_u64().and_then(|depth| usize::try_from(depth).ok());
    if let (Some(promises), Some(depth)) = (promises, depth) {
        let nodes: Vec<_> = promises.iter().map(|(path, promise)| bundled(path, *promise)).collect();
        let now = bundle_hash(depth, nodes.iter().map(|node| &**node));
        if bundle["bundleHash"].as_str().is_some_and(|told| told != now) {
            add("/bundleHash", format!("it is {now} by the nodes: something was changed"));
        }
    }
    for (at, node) in nodes.iter().enumerate() {
        // The hash is of the text with its secrets.
        let code = node["code"].as_str().filter(|code| !code.contains(REDACTED));
        if let Some((now, told)) =
            code.map(file_hash).zip(hash(node, "fileHash")).filter(|(now, told)| now != told)
        {
            add(&format!("/graph/nodes/{at}/code"), format!("its hash is {now}, and {told} by its contract"));
        }
    }
}

fn errors_of(schema: &Validator, value: &Value) -> Vec<String> {
    schema
        .iter_errors(value)
        .take(MOST_ERRORS)
        .map(|error| {
            let message = error.to_string();
            format!("{}: {}", error.instance_path(), becket_base::clip(&message, 300))
        })
        .collect()
}

fn validator(text: &str) -> Result<Validator, Error> {
    let broken = || Error::internal("A published schema cannot be read.");
    let schema: Value = serde_json::from_str(text).map_err(|error| broken().with_source(error))?;
    jsonschema::validator_for(&schema).map_err(|_| broken())
}

fn default_file(folder: &Path) -> PathBuf {
    let index = folder.join(written::INDEX);
    if index.is_file() { index } else { folder.join("context.json") }
}

/// The text of a context file that somebody names.
pub(super) fn text_at(place: &Path, missing: impl FnOnce() -> Error) -> Result<String, Error> {
    written::read(place).ok_or_else(|| match fault::forbidden(place) {
        Some(error) => error,
        None if place.exists() => fault::unreadable(place, fault::NO_TEXT),
        None => missing(),
    })
}

fn missing(place: &Path) -> Error {
    Error::not_found("context_missing", format!("There is no context file {}.", place.display()))
        .with_hint("Run `becket context` first, or name the file.")
}
