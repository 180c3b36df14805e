//! What past commits say: how common a name is, and which files change together. It owns the counts and their compact
//! form; which commits are read, and where the counts are kept, is `becket_engine`'s to decide.

use std::collections::HashMap;

use becket_diff::{FileChange, FilePath};

/// Counts over past commits. Names and paths are kept as hashes. Take in commits in any order, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    pub(crate) patches: u32,
    pub(crate) names: HashMap<u64, u32>,
    pub(crate) commits: u32,
    pub(crate) files: HashMap<u64, u32>,
    pub(crate) pairs: HashMap<u64, u32>,
}

/// What one past commit touched.
#[derive(Debug, Clone, Copy)]
pub struct Touched<'a> {
    pub paths: &'a [FilePath],
    /// Its patch, where it was read: names are learned from it.
    pub patch: Option<&'a [FileChange]>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    #[error("these bytes are not counts of a history, or of another version of them")]
    Unreadable,
}

impl History {
    pub fn absorb(&mut self, commit: &Touched<'_>) {
        let _ = commit;
    }

    /// How many commits were taken in.
    pub fn commits(&self) -> u32 {
        self.commits
    }

    /// Compact, and the same bytes for the same counts.
    pub fn to_bytes(&self) -> Vec<u8> {
        Vec::new()
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, HistoryError> {
        let _ = bytes;
        Err(HistoryError::Unreadable)
    }
}
