//! What Git says about the clone, asked again only when a ref, HEAD or worktree moved.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use becket_git::{GitError, Location, Worktree, stamp::Stamp};
use becket_project::Workspace;

use crate::{Error, ErrorKind};

/// One reading of the clone.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    pub(crate) location: Location,
    pub(crate) worktrees: Vec<Worktree>,
}

/// The last reading of each workspace and the stamp it was taken under.
#[derive(Debug, Default)]
pub(crate) struct RepositoryCache {
    readings: Mutex<BTreeMap<PathBuf, (Stamp, Arc<Repository>)>>,
}

impl RepositoryCache {
    /// `None` outside Git.
    pub(crate) fn read(&self, workspace: &Workspace) -> Result<Option<Arc<Repository>>, Error> {
        let Some(common_dir) = &workspace.common_dir else { return Ok(None) };
        // Taken before the reading: a change in between makes the next call read again.
        let stamp = becket_git::stamp::stamp(common_dir);
        let mut readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, repository)) = readings.get(&workspace.root) {
            if *known == stamp {
                return Ok(Some(Arc::clone(repository)));
            }
        }
        let location = becket_git::locate(workspace.root.as_path()).map_err(Error::from)?;
        let Some(location) = location else { return Ok(None) };
        let worktrees = becket_git::worktrees(&location)?;
        let repository = Arc::new(Repository { location, worktrees });
        readings.insert(workspace.root.clone(), (stamp, Arc::clone(&repository)));
        Ok(Some(repository))
    }
}

impl From<GitError> for Error {
    fn from(error: GitError) -> Self {
        let message = sentence(&error.to_string());
        let mapped = match &error {
            GitError::ProgramMissing => Error::unavailable("git_missing", message)
                .with_hint("Install git and make sure that it is on the PATH."),
            GitError::NotARepository { .. } => Error::not_found("not_a_repository", message)
                .with_hint("Run `git init`, or start becket on a repository (--repo, BECKET_REPO)."),
            GitError::DubiousOwnership { dir, .. } => Error::denied("repository_not_trusted", message)
                .with_hint(format!("Run `git config --global --add safe.directory {}`.", dir.display())),
            GitError::Directory { .. } | GitError::Unreadable { .. } => {
                Error::unavailable("repository_unreadable", message)
                    .with_hint("Run `git status` there to see what Git says, and check the permissions.")
            }
            GitError::Timeout { .. } => Error::unavailable("git_timeout", message)
                .with_hint("Try again; a lock or a slow disk may be the cause."),
            GitError::Cancelled { .. } => Error::unavailable("cancelled", message),
            GitError::TooLarge { .. } => {
                Error::invalid("output_too_large", message).with_hint("Ask for less.")
            }
            GitError::Patch { .. } => Error::new(ErrorKind::Internal, "patch_unreadable", message).with_hint(
                "This is a defect of becket; `git diff` in the same place shows what it could not read.",
            ),
            GitError::NoWorktree { .. } => {
                Error::unavailable("no_worktree", message).with_hint("Name a worktree with `worktree`.")
            }
            GitError::InvalidRevision { .. } => Error::invalid("invalid_revision", message)
                .with_hint("Give a branch, a tag, an id or an expression such as `HEAD~2`."),
            GitError::UnknownRevision { .. } => Error::not_found("unknown_revision", message)
                .with_hint("`git log` and `git branch --all` name those that there are."),
            GitError::AmbiguousRevision { .. } => {
                Error::invalid("ambiguous_revision", message).with_hint("Give more digits of the id.")
            }
            GitError::UnknownPath { path, revision } => {
                Error::not_found("unknown_path", format!("`{path}` is not in {revision}."))
                    .with_hint("Name a file as it stands in that commit, relative to the root.")
            }
            GitError::InvalidArgument { .. } => Error::invalid("invalid_arguments", message)
                .with_hint("Correct that argument, or leave it out."),
            GitError::NoMergeBase { base, head } => {
                Error::invalid("no_merge_base", format!("`{base}` and `{head}` have no commit in common."))
                    .with_hint("Compare them as they are, without `merge_base`.")
            }
            GitError::DiskFull { .. } => Error::unavailable("disk_full", message)
                .with_hint("Make room where the repository is, and for temporary files, and try again."),
            GitError::MissingObject { .. } => Error::unavailable("missing_object", message)
                .with_hint("Run `git fetch --refetch`, or the same command by hand."),
            GitError::Failed { .. } | GitError::Unexpected { .. } | GitError::Io { .. } => {
                Error::unavailable("git_failed", message)
                    .with_hint("Run the same command by hand to see more.")
            }
        };
        mapped.with_source(error)
    }
}

/// Boundary errors begin in lower case, ours are sentences. A name that comes first (`becket.toml`) stays as it is.
pub(crate) fn sentence(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let mut sentence = String::new();
    let mut characters = text.chars();
    if first.bytes().all(|byte| byte.is_ascii_lowercase()) {
        sentence.extend(characters.next().map(|letter| letter.to_ascii_uppercase()));
    }
    sentence.push_str(characters.as_str());
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}
