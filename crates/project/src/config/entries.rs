//! The settings as `becket config` shows them: each effective value, and where it came from.

use std::fmt;

use serde::Serialize;
use serde_json::json;

use super::{KEYS, Place, Settings, Slot, Value};

/// One setting. Serialised, it is one element of `becket config --json`.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    pub key: &'static str,
    /// `null` when unset; a secret is never more than `"(set)"`.
    pub value: serde_json::Value,
    pub source: Source,
    pub doc: &'static str,
}

/// Where the effective value of a setting came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Source {
    Default,
    File { path: String, line: usize },
    Variable { name: String },
    Flag { name: String },
}

impl Settings {
    /// Every setting in the order of the table.
    pub fn entries(&self) -> Vec<Entry> {
        let entry = |key: &&'static super::Key| {
            let slot = self.slots.get(key.name)?;
            Some(Entry { key: key.name, value: shown(&slot.value), source: slot.source(), doc: key.doc })
        };
        KEYS.iter().filter_map(entry).collect()
    }

    /// Where the value of one setting came from.
    pub fn source(&self, key: &super::Key) -> Source {
        self.slots.get(key.name).map_or(Source::Default, Slot::source)
    }
}

impl Slot {
    fn source(&self) -> Source {
        self.place.as_ref().map_or(Source::Default, Source::from)
    }
}

impl From<&Place> for Source {
    fn from(place: &Place) -> Self {
        match place {
            Place::File { path, position } => Self::File {
                path: path.to_string_lossy().into_owned(),
                line: position.map_or(1, |position| position.line),
            },
            Place::Variable(name) => Self::Variable { name: name.clone() },
            Place::Flag(name) => Self::Flag { name: name.clone() },
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File { path, line } => write!(formatter, "{path}:{line}"),
            Self::Variable { name } | Self::Flag { name } => formatter.write_str(name),
        }
    }
}

fn shown(value: &Value) -> serde_json::Value {
    match value {
        Value::Unset => serde_json::Value::Null,
        Value::Text(text) => json!(text),
        Value::Number(number) => json!(number),
        Value::Flag(flag) => json!(flag),
        Value::List(items) => json!(items),
        Value::Path(path) => json!(path.to_string_lossy()),
        Value::Paths(paths) => paths.iter().map(|path| path.to_string_lossy()).collect(),
        Value::Secret(_) => json!("(set)"),
    }
}
