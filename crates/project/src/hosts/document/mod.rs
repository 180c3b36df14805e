//! One entry of ours in a text that belongs to somebody else. Owns finding it, putting it in and taking it out so that
//! every other byte stays; knows no files. Each form of document (`json`, `toml`, `markdown`) splices text at parsed
//! positions, and the result is read again before it is given back: the tree must be the old one and our entry.

mod json;
mod json_write;
mod markdown;
mod text;
mod toml;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(super) use markdown::{BEGIN, END};

/// How a document is written. A further kind of file (attributes of a merge driver, say) is a further form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// JSON, with comments and trailing commas where the owner wrote them.
    Json,
    Toml,
    /// A block of lines between two markers; the entry is its text.
    Markdown,
}

/// Where in a document an entry belongs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Slot {
    pub form: Form,
    pub container: Vec<String>,
    pub name: String,
}

/// Why a document cannot be edited. Lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    #[error("line {line}, column {column}: {message}")]
    Malformed { line: usize, column: usize, message: String },
    #[error("line {line}, column {column}: {what} is {found}, and {wanted} is needed there")]
    Shape { line: usize, column: usize, what: String, found: &'static str, wanted: &'static str },
    /// Nothing is written on a guess.
    #[error("the edit of `{name}` would change something else; nothing was done")]
    Unverified { name: String },
}

/// A document with the entry in it.
#[derive(Debug)]
pub(super) struct Edited {
    pub(super) text: String,
    /// How many of the innermost containers were not there before.
    pub(super) new_containers: usize,
}

impl Slot {
    /// What stands under our name now.
    pub(super) fn find(&self, text: &str) -> Result<Option<Value>, DocumentError> {
        Ok(self.entry_in(&self.tree(body(text))?).cloned())
    }

    /// The names beside ours and what they hold, in the order of the document.
    pub(super) fn siblings(&self, text: &str) -> Result<Vec<(String, Value)>, DocumentError> {
        let tree = self.tree(body(text))?;
        let entries = self.container_in(&tree).and_then(Value::as_object);
        Ok(entries.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// Inserts the entry, or puts it in the place of the one that is there.
    pub(super) fn put(&self, text: &str, entry: &Value) -> Result<Edited, DocumentError> {
        let (mark, old) = split_mark(text);
        let before = self.tree(old)?;
        let present = self.entry_in(&before).is_some();
        let new = match self.form {
            Form::Json if present => json::replace(old, &self.container, &self.name, entry)?,
            Form::Json => json::insert(old, &self.container, &self.name, entry)?,
            Form::Toml if present => {
                let emptied = toml::remove(old, &self.container, &self.name)?;
                toml::insert(&emptied, &self.container, &self.name, entry)?
            }
            Form::Toml => toml::insert(old, &self.container, &self.name, entry)?,
            Form::Markdown => markdown::put(old, entry)?,
        };
        let mut expected = before.clone();
        self.set(&mut expected, entry.clone());
        self.verify(&new, &expected)?;
        let known = (1..=self.container.len()).take_while(|depth| self.at_depth(&before, *depth).is_some());
        Ok(Edited { text: mark.to_owned() + &new, new_containers: self.container.len() - known.count() })
    }

    /// Takes the entry out, and those of the `new_containers` innermost containers that are then empty.
    pub(super) fn take(&self, text: &str, new_containers: usize) -> Result<String, DocumentError> {
        let (mark, old) = split_mark(text);
        let mut expected = self.tree(old)?;
        let new = match self.form {
            Form::Json => json::remove(old, &self.container, &self.name, new_containers)?,
            Form::Toml => toml::remove(old, &self.container, &self.name)?,
            Form::Markdown => markdown::take(old)?,
        };
        self.unset(&mut expected);
        self.verify(&new, &expected)?;
        Ok(mark.to_owned() + &new)
    }

    #[cfg(test)]
    pub(super) fn tree_of(&self, text: &str) -> Value {
        self.tree(body(text)).unwrap()
    }

    fn tree(&self, text: &str) -> Result<Value, DocumentError> {
        match self.form {
            Form::Json => json::tree(text),
            Form::Toml => toml::tree(text),
            Form::Markdown => markdown::tree(text),
        }
    }

    fn entry_in<'tree>(&self, tree: &'tree Value) -> Option<&'tree Value> {
        self.container_in(tree)?.get(&self.name)
    }

    fn container_in<'tree>(&self, tree: &'tree Value) -> Option<&'tree Value> {
        self.at_depth(tree, self.container.len())
    }

    fn at_depth<'tree>(&self, tree: &'tree Value, depth: usize) -> Option<&'tree Value> {
        self.container[..depth].iter().try_fold(tree, |tree, key| tree.get(key))
    }

    fn set(&self, tree: &mut Value, entry: Value) {
        let mut place = tree;
        for key in self.container.iter().chain([&self.name]) {
            if !place.is_object() {
                *place = Value::Object(Map::new());
            }
            let Value::Object(map) = place else { return };
            place = map.entry(key.clone()).or_insert(Value::Null);
        }
        *place = entry;
    }

    fn unset(&self, tree: &mut Value) {
        let container = self.container.iter().try_fold(tree, |tree, key| tree.get_mut(key));
        if let Some(map) = container.and_then(Value::as_object_mut) {
            map.shift_remove(&self.name);
        }
    }

    /// Containers of ours that are empty count as absent: whether one stays is not a change of anybody's settings.
    fn verify(&self, text: &str, expected: &Value) -> Result<(), DocumentError> {
        let mut actual = self.tree(text).map_err(|_| self.unverified())?;
        let mut expected = expected.clone();
        self.prune(&mut actual);
        self.prune(&mut expected);
        if actual == expected { Ok(()) } else { Err(self.unverified()) }
    }

    fn prune(&self, tree: &mut Value) {
        for depth in (0..self.container.len()).rev() {
            let parent = self.container[..depth].iter().try_fold(&mut *tree, |tree, key| tree.get_mut(key));
            let Some(map) = parent.and_then(Value::as_object_mut) else { continue };
            let key = &self.container[depth];
            if map.get(key).and_then(Value::as_object).is_some_and(Map::is_empty) {
                map.shift_remove(key);
            }
        }
        if tree.as_object().is_some_and(Map::is_empty) {
            *tree = Value::Null;
        }
    }

    fn unverified(&self) -> DocumentError {
        DocumentError::Unverified { name: self.name.clone() }
    }
}

/// The text after a byte order mark.
fn body(text: &str) -> &str {
    split_mark(text).1
}

fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}
