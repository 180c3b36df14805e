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

use crate::admit::{AdmitError, Sandbox};
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
        loading.confine_store(workspace);
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

    /// The same for what a file of the repository names: it may not first allow the place that it then names.
    fn sandbox_for_files(&self, workspace: Workspace) -> Sandbox {
        let is_users = !matches!(self.source(SECURITY_ALLOWED_PATHS.key()), Source::File { .. });
        let allowed = if is_users { self.paths(SECURITY_ALLOWED_PATHS) } else { &[] };
        Sandbox::new(workspace, allowed.iter().cloned())
    }

    /// Where a path in `store.url` leads. One that a file says is refused outside of what the user has opened.
    pub fn place_of_store(&self, workspace: &Workspace, path: &Path) -> Result<PathBuf, AdmitError> {
        let place = workspace.root.join(path);
        if matches!(self.source(STORE_URL.key()), Source::File { .. }) {
            return self.sandbox_for_files(workspace.clone()).admit_anywhere(&place);
        }
        Ok(place)
    }

    fn value(&self, key: &Key) -> Option<&Value> {
        self.slots.get(key.name).map(|slot| &slot.value)
    }
}

/// What a value of `store.url` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorePlace<'a> {
    /// Or something that is no path, which the store refuses.
    Server,
    File(&'a Path),
}

impl<'a> StorePlace<'a> {
    pub fn of(text: &'a str) -> Self {
        match text.split_once("://") {
            Some(("sqlite" | "file", path)) => Self::File(Path::new(path)),
            Some(_) => Self::Server,
            None => Self::File(Path::new(text)),
        }
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
