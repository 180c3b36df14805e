//! What can go wrong when `git` is run. Owns the reading of git's own words, so that callers match variants, not texts.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A failure of `git`, or of getting it to run.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error("the program `git` was not found on the PATH")]
    ProgramMissing,
    #[error("the directory {} cannot be entered", dir.display())]
    Directory { dir: PathBuf, source: io::Error },
    #[error("{} is not in a Git repository", dir.display())]
    NotARepository { dir: PathBuf },
    /// Git refuses a repository that belongs to another user until `safe.directory` names it.
    #[error("the repository at {} belongs to another user, and Git refuses it", dir.display())]
    DubiousOwnership { dir: PathBuf, stderr: String },
    /// There is a repository, and it is broken, or this user may not read it.
    #[error("the repository at {} cannot be read: {reason}", dir.display())]
    Unreadable { dir: PathBuf, reason: String },
    #[error("`git {command}` did not finish within {} s", after.as_secs_f32())]
    Timeout { command: &'static str, after: Duration },
    #[error("`git {command}` was cancelled")]
    Cancelled { command: &'static str },
    #[error("`git {command}` printed more than {limit} bytes")]
    TooLarge { command: &'static str, limit: usize },
    #[error("`git {command}` failed{}: {stderr}", code.map(|code| format!(" with exit code {code}")).unwrap_or_default())]
    Failed { command: &'static str, code: Option<i32>, stderr: String },
    /// It printed something that no version known to us prints.
    #[error("`git {command}` printed what becket cannot read: {found}")]
    Unexpected { command: &'static str, found: String },
    /// It printed a patch that is not one.
    #[error("the patch of `git {command}` cannot be read")]
    Patch { command: &'static str, source: becket_diff::ParseError },
    /// A bare repository, or a directory inside a Git directory: there are no files to look at.
    #[error("{} has no worktree", dir.display())]
    NoWorktree { dir: PathBuf },
    #[error("`{revision}` cannot name a revision: {reason}")]
    InvalidRevision { revision: String, reason: &'static str },
    #[error("`{revision}` names no commit of this repository")]
    UnknownRevision { revision: String },
    #[error("`{revision}` is the beginning of several ids")]
    AmbiguousRevision { revision: String },
    #[error("{path} is not in {revision}")]
    UnknownPath { path: String, revision: String },
    #[error("the {name} `{value}` cannot be used: {reason}")]
    InvalidArgument { name: &'static str, value: String, reason: &'static str },
    #[error("{base} and {head} have no commit in common")]
    NoMergeBase { base: String, head: String },
    /// A partial clone leaves objects on its server, and becket does not reach for them.
    #[error("an object that is needed is not in this partial clone; fetch it with git")]
    MissingObject { stderr: String },
    #[error("`git {command}` found no room on the disk")]
    DiskFull { command: &'static str, stderr: String },
    #[error("`git {command}` could not be run")]
    Io { command: &'static str, source: io::Error },
}

impl GitError {
    /// The variant that a non-zero exit of `git` means.
    pub(crate) fn from_exit(dir: &Path, command: &'static str, code: Option<i32>, stderr: &[u8]) -> Self {
        let stderr = String::from_utf8_lossy(stderr).trim_end().to_owned();
        let dir = || dir.to_path_buf();
        if stderr.contains("not a git repository (or any") {
            match unreadable_git_dir(&dir()) {
                Some(reason) => Self::Unreadable { dir: dir(), reason },
                None => Self::NotARepository { dir: dir() },
            }
        } else if stderr.contains("dubious ownership") || stderr.contains("is owned by someone else") {
            Self::DubiousOwnership { dir: dir(), stderr }
        } else if stderr.contains("must be run in a work tree") {
            Self::NoWorktree { dir: dir() }
        } else if stderr.contains("lazy fetching disabled") || stderr.contains("promisor remote") {
            Self::MissingObject { stderr }
        } else if BROKEN.iter().any(|words| stderr.contains(words)) {
            let reason = stderr.lines().next().unwrap_or_default().trim_start_matches("fatal: ").to_owned();
            Self::Unreadable { dir: dir(), reason }
        } else if FULL.iter().any(|words| stderr.contains(words)) {
            Self::DiskFull { command, stderr }
        } else {
            Self::Failed { command, code, stderr }
        }
    }
}

/// Git's words for a repository that is there and cannot be used.
const BROKEN: [&str; 10] = [
    "not a git repository: ", // a `.git` file that leads nowhere
    "invalid gitfile format",
    "bad config",
    "bad numeric config",
    "bad boolean config",
    "unable to access",
    "unknown repository extension",
    "Expected git repo version",
    "cannot use bare repository",
    "index file corrupt",
];

/// The system's words for a disk without room.
const FULL: [&str; 2] = ["No space left on device", "Disk quota exceeded"];

/// To Git, a `.git` that it may not open is no repository at all; to a person it is one that cannot be read.
fn unreadable_git_dir(dir: &Path) -> Option<String> {
    dir.ancestors().map(|ancestor| ancestor.join(".git")).find_map(|git_dir| {
        let error = match fs_err::metadata(&git_dir) {
            Ok(metadata) if metadata.is_dir() => fs_err::read_dir(&git_dir).err(),
            Ok(_) => fs_err::File::open(&git_dir).err(),
            Err(error) => Some(error),
        };
        error.filter(|error| error.kind() == io::ErrorKind::PermissionDenied).map(|error| error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_room_is_told_from_other_failures() {
        let failed = |stderr: &str| GitError::from_exit(Path::new("."), "add", Some(128), stderr.as_bytes());
        let full =
            "error: unable to create temporary file: No space left on device\nfatal: updating files failed";
        assert!(matches!(failed(full), GitError::DiskFull { .. }));
        assert!(matches!(failed("fatal: updating files failed"), GitError::Failed { .. }));
    }
}
