//! What a task is, as `spec.yaml` says it: the fields of the schema, and nothing that only the store knows.

use serde::{Deserialize, Serialize};

/// One task of the file. Times are RFC 3339 texts in UTC, as they are written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Definition {
    pub id: String,
    pub title: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub acceptance_criteria: Vec<String>,
    #[serde(default)]
    pub depends_on: Vec<String>,
    #[serde(default)]
    pub labels: Vec<String>,
    #[serde(default)]
    pub locks: Vec<String>,
    pub priority: i64,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prd: Option<Prd>,
}

/// Where a task comes from in the document of requirements.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Prd {
    /// The file, relative to the repository.
    pub source: String,
    #[serde(default)]
    pub refs: Vec<PrdReference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    /// SHA-256 of the whole file when the task was made, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prd_hash: Option<String>,
}

/// One section of that document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PrdReference {
    pub anchor: String,
    /// First and last line, counted from 1; they win over the anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u64, u64)>,
    /// SHA-256 of the section when the task was made: drift of this section and not of its neighbours. The original's
    /// files lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_hash: Option<String>,
}

/// How far a task is. `claimed` is none of them: that is a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// What a task without a status is.
    #[default]
    Todo,
    Ready,
    Blocked,
    Done,
    Verified,
    Deleted,
}

impl Status {
    pub const ALL: [Status; 6] =
        [Status::Todo, Status::Ready, Status::Blocked, Status::Done, Status::Verified, Status::Deleted];

    pub fn word(self) -> &'static str {
        match self {
            Status::Todo => "todo",
            Status::Ready => "ready",
            Status::Blocked => "blocked",
            Status::Done => "done",
            Status::Verified => "verified",
            Status::Deleted => "deleted",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }
}

/// What the file says besides its tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub name: String,
    pub default_branch: String,
}

impl Default for Project {
    fn default() -> Self {
        Self { name: "unnamed".to_owned(), default_branch: "main".to_owned() }
    }
}

/// A task without a priority has this one; lower comes first.
pub const DEFAULT_PRIORITY: i64 = 100;
