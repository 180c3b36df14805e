//! Why a repository was not changed.

use std::io;
use std::path::PathBuf;

use becket_diff::FilePath;

use crate::error::GitError;
use crate::status::Operation;

/// Whatever it is, branch, index and worktree are as they were before the call, unless it says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("a {} is under way", operation_name(*operation))]
    UnderWay { operation: Operation },
    #[error("unmerged: {}", listed(paths))]
    Unmerged { paths: Vec<FilePath> },
    #[error("HEAD is detached at {commit}")]
    Detached { commit: String },
    #[error("the branch {branch} is checked out in {} too", worktree.display())]
    CheckedOutElsewhere { branch: String, worktree: PathBuf },
    #[error("{} exists: another git is at work, or one died", path.display())]
    IndexLocked { path: PathBuf },
    #[error("another becket is changing this worktree")]
    Busy,
    #[error("HEAD has moved: expected {expected}, got {found}")]
    HeadMoved { expected: String, found: String },
    #[error("{reference} is not where the operation left it: expected {expected}, got {found}")]
    BranchMoved { reference: String, expected: String, found: String },
    #[error("the index has changed since, at {}", listed(paths))]
    IndexMoved { paths: Vec<FilePath> },
    #[error("commit {number} would be the same as the one before it")]
    NothingToCommit { number: usize },
    /// A hook said no, or Git could not sign or name the author.
    #[error("Git did not make commit {number}: {stderr}")]
    Refused { number: usize, hook: bool, stderr: String },
    #[error("a hook changed {} while commit {number} was made", listed(paths))]
    HookChangedFiles { number: usize, paths: Vec<FilePath> },
    #[error("a hook put something else into commit {number} than was asked for")]
    HookChangedCommit { number: usize, paths: Vec<FilePath> },
    #[error("there is no operation to undo")]
    NothingToUndo,
    #[error("there is no operation {number} to undo")]
    UnknownOperation { number: u64 },
    #[error("operation {number} is not the last one; undo {last} first")]
    NotTheLast { number: u64, last: u64 },
    #[error("{} cannot be read: {reason}", path.display())]
    Journal { path: PathBuf, reason: String },
    #[error("{doing} failed")]
    Io { doing: &'static str, source: io::Error },
    #[error(transparent)]
    Git(#[from] GitError),
}

impl WriteError {
    pub(super) fn io(doing: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}

fn operation_name(operation: Operation) -> &'static str {
    match operation {
        Operation::Merge => "merge",
        Operation::Rebase => "rebase",
        Operation::ApplyMailbox => "`git am`",
        Operation::CherryPick => "cherry-pick",
        Operation::Revert => "revert",
        Operation::Bisect => "bisect",
    }
}

/// The first, and how many more there are.
fn listed(paths: &[FilePath]) -> String {
    let first = paths.first().map(ToString::to_string).unwrap_or_default();
    match paths.len() {
        0 | 1 => first,
        2 => format!("{first} and 1 other file"),
        count => format!("{first} and {} other files", count - 1),
    }
}
