//! What is being done, written before it is done, and what was done. A journal that is found says that its writer died.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::error::WriteError;
use super::place::{WritePlace, write_durably};
use crate::read::Location;

/// Operations that are remembered, and those that can still be undone.
const KEPT: u64 = 200;
const KEPT_INDEXES: u64 = 20;

/// One change of a worktree, as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// Counts from 1 in each worktree.
    pub number: u64,
    pub kind: OperationKind,
    /// What was moved: `refs/heads/main`, or `HEAD` when that was detached.
    pub reference: String,
    /// Nothing before the first commit.
    pub head_before: Option<String>,
    pub head_after: Option<String>,
    pub index_tree_before: String,
    pub index_tree_after: String,
    /// The commits that were made, in order.
    pub commits: Vec<String>,
    /// What the caller wants to be remembered with it.
    pub payload: serde_json::Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OperationKind {
    Apply,
    Undo { of: u64 },
}

/// An operation that is under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Journal {
    pub(super) operation: Operation,
    pub(super) phase: Phase,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub(super) enum Phase {
    /// Commits with these trees are being made, one upon the other, and the first of them are. To be rolled back.
    Begun {
        trees: Vec<String>,
        #[serde(default)]
        made: Vec<String>,
    },
    /// Everything is made; the rest is to be done from here.
    Finishing { index: NewIndex, reference: Reference },
}

/// What becomes of the user's index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum NewIndex {
    /// `index-after` takes its place.
    Replaced,
    /// There was none, and there is to be none.
    Removed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reference {
    /// It has been moved.
    Moved,
    /// It is to be moved, unless somebody moved it meanwhile.
    ToMove,
}

impl WritePlace {
    /// Every operation that is remembered, oldest first.
    pub fn operations(&self) -> Result<Vec<Operation>, WriteError> {
        let folder = self.file("operations");
        let failed = WriteError::io("reading the operations");
        let names = match fs_err::read_dir(&folder) {
            Ok(names) => names,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut operations: Vec<Operation> = Vec::new();
        for name in names {
            let path = name.map_err(&failed)?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                operations.push(read_json(path)?);
            }
        }
        operations.sort_by_key(|operation| operation.number);
        Ok(operations)
    }

    /// The operation that an undo would take back: the last one that was neither undone nor is an undo.
    pub fn last_applied(&self) -> Result<Option<Operation>, WriteError> {
        let mut undone = std::collections::BTreeSet::new();
        for operation in self.operations()?.into_iter().rev() {
            match operation.kind {
                OperationKind::Undo { of } => {
                    undone.insert(of);
                }
                OperationKind::Apply if undone.contains(&operation.number) => {}
                OperationKind::Apply => return Ok(Some(operation)),
            }
        }
        Ok(None)
    }

    pub(super) fn next_number(&self) -> Result<u64, WriteError> {
        Ok(self.operations()?.last().map_or(1, |operation| operation.number + 1))
    }

    /// The index as it was before an operation.
    pub(super) fn index_before(&self, number: u64) -> PathBuf {
        self.file("operations").join(format!("{number:06}.index"))
    }

    /// The other half of that, if it was split; the name is Git's, which is made from the content.
    pub(super) fn shared_before(&self, number: u64, name: &OsStr) -> PathBuf {
        let mut kept = OsString::from(format!("{number:06}."));
        kept.push(name);
        self.file("operations").join(kept)
    }

    /// Each other half that is kept for an operation, with Git's name.
    pub(super) fn shared_halves(&self, number: u64) -> Result<Vec<(PathBuf, OsString)>, WriteError> {
        let failed = WriteError::io("reading the operations");
        let begin = format!("{number:06}.");
        let mut halves = Vec::new();
        for entry in fs_err::read_dir(self.file("operations")).map_err(&failed)? {
            let path = entry.map_err(&failed)?.path();
            let name = path.file_name().and_then(OsStr::to_str).and_then(|name| name.strip_prefix(&begin));
            if let Some(name) = name.filter(|name| name.starts_with("sharedindex.")) {
                let name = OsString::from(name);
                halves.push((path, name));
            }
        }
        Ok(halves)
    }

    /// Remembers an operation, and forgets old ones.
    pub(super) fn remember(&self, operation: &Operation) -> Result<(), WriteError> {
        let failed = WriteError::io("remembering the operation");
        let folder = self.file("operations");
        fs_err::create_dir_all(&folder).map_err(&failed)?;
        let json = serde_json::to_vec_pretty(operation).map_err(|error| failed(error.into()))?;
        let path = |number: u64| folder.join(format!("{number:06}.json"));
        write_durably(&path(operation.number), &json).map_err(&failed)?;
        if let Some(old) = operation.number.checked_sub(KEPT_INDEXES) {
            fs_err::remove_file(self.index_before(old)).ok();
            for (half, _) in self.shared_halves(old)? {
                fs_err::remove_file(half).ok();
            }
        }
        if let Some(old) = operation.number.checked_sub(KEPT) {
            fs_err::remove_file(path(old)).ok();
        }
        Ok(())
    }

    pub(super) fn journal(&self) -> Result<Option<Journal>, WriteError> {
        let path = self.file("journal.json");
        if path.exists() { read_json(path).map(Some) } else { Ok(None) }
    }

    pub(super) fn write_journal(&self, journal: &Journal) -> Result<(), WriteError> {
        let failed = WriteError::io("writing the journal");
        if let Some(mark) = self.mark().filter(|mark| !mark.exists()) {
            write_durably(&mark, b"").map_err(&failed)?;
        }
        let json = serde_json::to_vec_pretty(journal).map_err(|error| failed(error.into()))?;
        write_durably(&self.file("journal.json"), &json).map_err(failed)
    }

    /// The operation is over, and what it needed goes.
    pub(super) fn close_journal(&self) -> Result<(), WriteError> {
        fs_err::remove_file(self.file("journal.json")).map_err(WriteError::io("closing the journal"))?;
        let files = ["index-after", "next-index", "message"].map(|name| self.file(name));
        for path in files.into_iter().chain(self.mark()) {
            fs_err::remove_file(path).ok();
        }
        Ok(())
    }

    /// Says in the Git directory of a linked worktree that the journal is about this one, and not about another of the
    /// same name that was removed.
    fn mark(&self) -> Option<PathBuf> {
        let Location { git_dir, common_dir, .. } = &self.location;
        (git_dir != common_dir).then(|| git_dir.join("becket-commits"))
    }

    pub(super) fn is_marked(&self) -> bool {
        self.mark().is_none_or(|mark| mark.exists())
    }
}

fn read_json<T: serde::de::DeserializeOwned>(path: PathBuf) -> Result<T, WriteError> {
    let bytes = fs_err::read(&path).map_err(WriteError::io("reading the journal"))?;
    serde_json::from_slice(&bytes).map_err(|error| WriteError::Journal { path, reason: error.to_string() })
}
