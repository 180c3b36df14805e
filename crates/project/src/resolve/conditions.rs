//! What the `exports` and `imports` of a manifest say in more than one way: lists, of which TypeScript takes the first entry
//! that leads to a file, and conditions with a version of the compiler.

use becket_base::divided;
use becket_contracts::model::{ImportKind, LocalFacts};
use serde_json::{Map, Value};

/// How a module is asked for, which decides between the branches `import` and `require`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Loading {
    #[default]
    Import,
    Require,
}

impl Loading {
    /// Of what is imported by a statement of a file.
    pub fn within(file: &str) -> Self {
        match divided::around_last(file, b'.') {
            Some((_, "cts")) => Self::Require,
            _ => Self::Import,
        }
    }

    /// Of what a file calls so. What it imports and requires leads to one place, that of the import.
    pub(crate) fn of(file: &str, facts: &LocalFacts, specifier: &str) -> Self {
        let within = Self::within(file);
        let is_other = |kind: ImportKind| match within {
            Self::Import => kind == ImportKind::Require,
            Self::Require => kind == ImportKind::Dynamic,
        };
        // Most files have none.
        if !facts.imports.iter().any(|import| is_other(import.kind)) {
            return within;
        }
        let mut said = facts.imports.iter().filter(|import| import.specifier == specifier).peekable();
        match within {
            Self::Import if said.peek().is_some() && said.all(|import| is_other(import.kind)) => {
                Self::Require
            }
            Self::Require if said.any(|import| is_other(import.kind)) => Self::Import,
            _ => within,
        }
    }

    /// The condition that holds for it, and the one that does not.
    pub(super) fn conditions(self) -> (&'static str, &'static str) {
        match self {
            Self::Import => ("import", "require"),
            Self::Require => ("require", "import"),
        }
    }

    /// The conditions of a tsconfig, which are those for `import`.
    pub(super) fn among(self, conditions: &[String]) -> Vec<String> {
        let (holds, not) = self.conditions();
        let meant = |name: &String| if name == not { holds.to_owned() } else { name.clone() };
        conditions.iter().map(meant).collect()
    }
}

/// The entries of a list that are looked at.
const MOST_CHOICES: usize = 8;
const FIELDS: [&str; 2] = ["exports", "imports"];

/// A manifest with conditions without versions, and for each further entry of its lists one with that in the place of the
/// list. Nothing where there is nothing of either kind.
pub(super) fn said_plainly(bytes: &[u8]) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
    let has =
        |mark: u8, field: &[u8]| bytes.contains(&mark) && bytes.windows(field.len()).any(|at| at == field);
    let has_versions = has(b'@', b"\"types@");
    if !has_versions && !has(b'[', b"\"exports\"") && !has(b'[', b"\"imports\"") {
        return None;
    }
    let mut manifest: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
    let choices =
        FIELDS.iter().filter_map(|field| manifest.get(*field)).map(longest).max().unwrap_or_default();
    if choices < 2 && !has_versions {
        return None;
    }
    for field in FIELDS {
        if let Some(value) = manifest.get_mut(field) {
            without_versions(value);
        }
    }
    let chosen = (1..choices.min(MOST_CHOICES)).map(|at| {
        let mut manifest = manifest.clone();
        for field in FIELDS {
            if let Some(value) = manifest.get_mut(field) {
                choose(value, at);
            }
        }
        serde_json::to_vec(&manifest).ok()
    });
    let chosen = chosen.collect::<Option<Vec<_>>>()?;
    Some((serde_json::to_vec(&manifest).ok()?, chosen))
}

/// `types@>=5` is meant for the compilers of today, `types@<5` is not.
fn without_versions(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(without_versions),
        Value::Object(by_condition) => {
            for (condition, mut said) in std::mem::take(by_condition) {
                without_versions(&mut said);
                let is_types = condition.starts_with("types@>") || condition == "types@*";
                let condition = if is_types { "types".to_owned() } else { condition };
                by_condition.entry(condition).or_insert(said);
            }
        }
        _ => {}
    }
}

fn longest(value: &Value) -> usize {
    match value {
        Value::Array(list) => list.iter().map(longest).max().unwrap_or_default().max(list.len()),
        Value::Object(by_condition) => by_condition.values().map(longest).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Puts one entry in the place of each list; the last where it is shorter.
fn choose(value: &mut Value, at: usize) {
    match value {
        Value::Array(list) => {
            if let Some(last) = list.len().checked_sub(1) {
                let mut chosen = list.swap_remove(at.min(last));
                choose(&mut chosen, at);
                *value = chosen;
            }
        }
        Value::Object(by_condition) => by_condition.values_mut().for_each(|said| choose(said, at)),
        _ => {}
    }
}
