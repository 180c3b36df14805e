//! The store seen from outside: what lies where, what waits to be written to a file, what can be carried away.

use serde::{Deserialize, Serialize};

use super::{TaskId, TaskState};

/// What a `spec.yaml` was when it was last read: both texts are the caller's, compared and never understood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpecStamp {
    /// Cheap to take: length, times, inode.
    pub stat: String,
    /// Of the content.
    pub hash: String,
}

/// A status that a `spec.yaml` does not say yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusRow {
    pub task: TaskId,
    /// Told back when the file says it. A newer change of the same task has a higher one.
    pub sequence: i64,
    pub state: TaskState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// `sqlite` or `postgres`.
    pub engine: &'static str,
    /// A path or an address without its password.
    pub place: String,
    pub schema_version: i64,
    pub stream: String,
    pub repository: String,
    pub read_only: bool,
    pub bytes: Option<u64>,
    pub journal_bytes: Option<u64>,
    /// The copy that an import of the original's database left.
    pub imported_from: Option<String>,
    pub worktrees: u64,
}

/// Everything that a store holds, to be read into another: one JSON object per line, tables in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    pub format: u32,
    pub tables: Vec<(String, Vec<serde_json::Value>)>,
}
