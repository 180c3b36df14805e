//! The user's settings: `becket.toml`, `mcp-config.json`, environment and flags, each overriding the one before. One
//! table (`keys`) says what there is; a mistake anywhere is told with its place and never takes the rest down.

mod document;
mod entries;
mod key;
mod keys;
mod problem;
mod source;
mod value;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use entries::{Entry, Source};
pub use key::{
    DefaultValue, FlagKey, Items, Key, Kind, ListKey, NumberKey, OptionalTextKey, PathKey, PathsKey,
    SecretKey, TextKey,
};
pub use keys::*;
pub use problem::{Notice, Place, Position, Problem, ProblemKind};
pub use value::{Secret, Value};

use crate::admit::Sandbox;
use crate::environment::Environment;
use crate::root::Workspace;

/// Becket's own settings file, at the root of the workspace.
pub const BECKET_TOML: &str = "becket.toml";
/// The settings file of logicstamp-mcp, at the same place; it overrides `becket.toml`.
pub const MCP_CONFIG: &str = "mcp-config.json";

/// Every setting with its effective value.
#[derive(Debug, Clone)]
pub struct Settings {
    slots: BTreeMap<&'static str, Slot>,
}

/// Settings that can be used, whatever was wrong.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub settings: Settings,
    pub problems: Vec<Problem>,
    pub notices: Vec<Notice>,
}

#[derive(Debug, Clone)]
struct Slot {
    value: Value,
    /// Nothing for a default.
    place: Option<Place>,
}

impl Settings {
    /// `flags` are the ones that were given, by the name they have in the table (dashes optional); a list flag may be
    /// given more than once.
    pub fn load(workspace: &Workspace, environment: &Environment, flags: &[(&str, String)]) -> Loaded {
        let mut loading = source::Loading::new(environment);
        loading.read_file(workspace, BECKET_TOML, document::Format::Toml);
        loading.read_file(workspace, MCP_CONFIG, document::Format::Json);
        loading.read_variables();
        loading.read_flags(flags);
        loading.confine_paths(workspace);
        loading.finish()
    }

    /// What holds when there is no workspace to read files from.
    pub fn load_without_files(environment: &Environment, flags: &[(&str, String)]) -> Loaded {
        let mut loading = source::Loading::new(environment);
        loading.read_variables();
        loading.read_flags(flags);
        loading.finish()
    }

    pub fn text(&self, key: TextKey) -> &str {
        match self.value(key.key()) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    pub fn optional_text(&self, key: OptionalTextKey) -> Option<&str> {
        match self.value(key.key()) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub fn number(&self, key: NumberKey) -> u64 {
        match self.value(key.key()) {
            Some(Value::Number(number)) => *number,
            _ => 0,
        }
    }

    pub fn flag(&self, key: FlagKey) -> bool {
        matches!(self.value(key.key()), Some(Value::Flag(true)))
    }

    pub fn list(&self, key: ListKey) -> &[String] {
        match self.value(key.key()) {
            Some(Value::List(items)) => items,
            _ => &[],
        }
    }

    pub fn path(&self, key: PathKey) -> Option<&Path> {
        match self.value(key.key()) {
            Some(Value::Path(path)) => Some(path),
            _ => None,
        }
    }

    pub fn paths(&self, key: PathsKey) -> &[PathBuf] {
        match self.value(key.key()) {
            Some(Value::Paths(paths)) => paths,
            _ => &[],
        }
    }

    pub fn secret(&self, key: SecretKey) -> Option<&Secret> {
        match self.value(key.key()) {
            Some(Value::Secret(secret)) => Some(secret),
            _ => None,
        }
    }

    /// The sandbox that these settings describe.
    pub fn sandbox(&self, workspace: Workspace) -> Sandbox {
        Sandbox::new(workspace, self.paths(SECURITY_ALLOWED_PATHS).iter().cloned())
    }

    fn value(&self, key: &Key) -> Option<&Value> {
        self.slots.get(key.name).map(|slot| &slot.value)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self { slots: KEYS.iter().map(|key| (key.name, Slot::default_of(key))).collect() }
    }
}

impl Slot {
    fn default_of(key: &Key) -> Self {
        Self { value: Value::default_of(key), place: None }
    }
}

#[cfg(test)]
mod tests;
