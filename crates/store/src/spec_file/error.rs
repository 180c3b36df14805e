//! Why a `spec.yaml` cannot be read or changed, with the place in the file.

use std::{fmt, io, path::PathBuf};

/// Where in the file, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "spec.yaml:{}:{}", self.line, self.column)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    #[error("there is no {}", path.display())]
    Missing { path: PathBuf },
    #[error("{} is a link or no file", path.display())]
    NotAFile { path: PathBuf },
    #[error("{} has more than {limit} bytes", path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("{} could not be {action}", path.display())]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error("{} is held by another process for more than {seconds} s", path.display())]
    Busy { path: PathBuf, seconds: u64 },
    #[error("{place}: not UTF-8")]
    NotUtf8 { place: Place },
    #[error("{place}: conflict markers of a merge are still in the file")]
    ConflictMarkers { place: Place },
    #[error("{place}: {problem}")]
    Malformed { place: Place, problem: String },
    #[error("{place}: `{key}` is {found}, where {expected} belongs")]
    TopLevelType { place: Place, key: String, expected: &'static str, found: &'static str },
    #[error("{place}: `{key}` of task `{task}` is {found}, where {expected} belongs")]
    WrongType { place: Place, task: String, key: String, expected: &'static str, found: String },
    #[error("{place}: task `{task}` has no title")]
    NoTitle { place: Place, task: String },
    #[error("{place}: task `{task}` has the unknown status `{word}`")]
    UnknownStatus { place: Place, task: String, word: String },
    #[error("{place}: a task has an empty id")]
    EmptyId { place: Place },
    #[error("there is no task `{task}` in spec.yaml")]
    UnknownTask { task: String },
    #[error("task `{task}` is in spec.yaml already")]
    TaskExists { task: String },
    #[error("`{task}` in spec.yaml is written in a way that cannot be changed in place: {reason}")]
    NotSpliceable { task: String, reason: String },
}

impl SpecError {
    /// Stable and machine-readable.
    pub fn code(&self) -> &'static str {
        match self {
            SpecError::Missing { .. } => "spec_missing",
            SpecError::NotAFile { .. } => "spec_not_a_file",
            SpecError::TooLarge { .. } => "spec_too_large",
            SpecError::Io { .. } => "spec_io",
            SpecError::Busy { .. } => "spec_locked",
            SpecError::NotUtf8 { .. } => "spec_not_utf8",
            SpecError::ConflictMarkers { .. } => "spec_conflict_markers",
            SpecError::Malformed { .. } => "spec_malformed",
            SpecError::TopLevelType { .. } | SpecError::WrongType { .. } => "spec_wrong_type",
            SpecError::NoTitle { .. } => "spec_no_title",
            SpecError::UnknownStatus { .. } => "spec_unknown_status",
            SpecError::EmptyId { .. } => "spec_empty_id",
            SpecError::UnknownTask { .. } => "unknown_task",
            SpecError::TaskExists { .. } => "task_exists",
            SpecError::NotSpliceable { .. } => "spec_not_spliceable",
        }
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            SpecError::Missing { .. } => "Run `lodestar init`, or `becket task init`, to make one.",
            SpecError::NotAFile { .. } => "Put a regular file there.",
            SpecError::TooLarge { .. } => "Split the work over several repositories.",
            SpecError::Io { .. } => "Check the permissions and the space of the disk.",
            SpecError::Busy { .. } => "Try again; another process is writing the file.",
            SpecError::NotUtf8 { .. } => "Save the file as UTF-8.",
            SpecError::ConflictMarkers { .. } => {
                "Resolve the conflict in .lodestar/spec.yaml; `becket init` registers a merge driver that avoids most."
            }
            SpecError::Malformed { .. } | SpecError::TopLevelType { .. } | SpecError::EmptyId { .. } => {
                "Correct the file at that place; `git diff .lodestar/spec.yaml` shows what changed."
            }
            SpecError::WrongType { .. } | SpecError::NoTitle { .. } => {
                "Correct that task in .lodestar/spec.yaml."
            }
            SpecError::UnknownStatus { .. } => "A status is todo, ready, blocked, done, verified or deleted.",
            SpecError::UnknownTask { .. } => "task.list names those that there are.",
            SpecError::TaskExists { .. } => "Choose another id, or leave it out.",
            SpecError::NotSpliceable { .. } => {
                "Write that task as an ordinary block without anchors, and try again."
            }
        }
    }
}
