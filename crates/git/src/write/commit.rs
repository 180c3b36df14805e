//! One commit by the real `git commit`, in an index of our own: hooks, author, signing and configuration are what they
//! always are.

use std::fs::File;
use std::time::Duration;

use becket_diff::FilePath;

use super::edit::StoredEdit;
use super::error::WriteError;
use super::place::WritePlace;
use super::snapshot::{Filters, changed_paths, raw_differences, tree_of, worktree_tree};
use crate::error::GitError;
use crate::private_index::git_path;
use crate::process::Git;
use crate::read::text;

/// Hooks may build and test.
const LONGEST: Duration = Duration::from_mins(30);
/// The hooks that can stop a commit.
const HOOKS: [&str; 4] =
    ["hooks/pre-commit", "hooks/prepare-commit-msg", "hooks/commit-msg", "hooks/reference-transaction"];

/// What the log of a branch says of commits that an operation made, before their titles.
pub(super) fn reflog_action(operation: u64) -> String {
    format!("becket (operation {operation})")
}

/// What one commit is to be.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    pub(super) operation: u64,
    /// Counts from 1 in its operation.
    pub(super) number: usize,
    pub(super) message: &'a str,
    pub(super) parent: Option<&'a str>,
    pub(super) tree: &'a str,
    /// Of the worktree before the operation, and how it was made.
    pub(super) worktree_tree: &'a str,
    pub(super) filters: Filters,
}

impl WritePlace {
    /// Commits what is in `next-index`, which moves HEAD. `lock` stays held by git itself, so that nobody recovers while it
    /// still runs.
    pub(super) fn commit(&self, lock: &File, wanted: &Wanted<'_>) -> Result<String, WriteError> {
        let message = self.file("message");
        fs_err::write(&message, wanted.message).map_err(WriteError::io("writing the message"))?;
        let stdin = lock.try_clone().map_err(WriteError::io("sharing the lock"))?;
        let git = self
            .users_git()
            .with_variable("GIT_INDEX_FILE", self.file("next-index"))
            .with_variable("GIT_REFLOG_ACTION", reflog_action(wanted.operation));
        let mut file_option = std::ffi::OsString::from("--file=");
        file_option.push(&message);
        let command = git.command("commit").option("--quiet").option(file_option).stdin(stdin);
        if let Err(error) = command.output() {
            return Err(match error {
                GitError::Failed { stderr, .. } => {
                    let hook = self.has_hook()? && !stderr.contains("failed to sign");
                    WriteError::Refused { number: wanted.number, hook, stderr }
                }
                error => error.into(),
            });
        }
        let made = self.read_reference("HEAD")?;
        let made = made.filter(|made| Some(made.as_str()) != wanted.parent);
        let made = made.ok_or_else(|| GitError::Unexpected {
            command: "commit",
            found: "HEAD did not move".to_owned(),
        })?;
        let parents = self.git.command("rev-list").options(["--parents", "--max-count=1"]).revision(&made);
        let parents = text(&parents.output()?);
        let parent = parents.split(' ').nth(1);
        if parent != wanted.parent {
            return Err(WriteError::HeadMoved {
                expected: wanted.parent.unwrap_or_default().to_owned(),
                found: parent.unwrap_or_default().to_owned(),
            });
        }
        Ok(made)
    }

    /// Checks that this commit and nothing else was made.
    pub(super) fn check(&self, made: &str, wanted: &Wanted<'_>) -> Result<(), WriteError> {
        self.check_worktree(wanted)?;
        let tree = tree_of(&self.git, made)?;
        if tree != wanted.tree {
            let paths = raw_differences(&self.git, wanted.tree, &tree)?.into_keys().collect();
            return Err(WriteError::HookChangedCommit { number: wanted.number, paths });
        }
        Ok(())
    }

    /// A hook that formats files has changed what was to be committed next. Files that it only adds are no harm.
    fn check_worktree(&self, wanted: &Wanted<'_>) -> Result<(), WriteError> {
        let now = worktree_tree(&self.git, wanted.filters)?;
        let differences = changed_paths(&self.git, None, wanted.worktree_tree, &now)?;
        let changed = differences.into_iter().filter(|(_, sides)| sides.old.is_some());
        let paths: Vec<FilePath> = changed.map(|(path, _)| path).collect();
        if paths.is_empty() {
            return Ok(());
        }
        Err(WriteError::HookChangedFiles { number: wanted.number, paths })
    }

    /// Nobody's cancellation reaches it: a commit ends by itself, or at the deadline.
    fn users_git(&self) -> Git {
        self.git.clone().for_user().with_timeout(LONGEST).with_cancellation(|| false)
    }

    fn has_hook(&self) -> Result<bool, GitError> {
        // Asked as the user, since our own gits see no hooks.
        let git = self.users_git();
        for name in HOOKS {
            if git_path(&git, name)?.exists() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The edits that lead from the user's index to the last commit.
pub(super) fn unstaged_edits(
    staged: &std::collections::BTreeMap<FilePath, super::snapshot::BlobSides>,
) -> Vec<StoredEdit> {
    let edit = |(path, sides): (&FilePath, &super::snapshot::BlobSides)| StoredEdit {
        path: path.as_bytes().to_vec(),
        entry: sides.old.as_ref().map(|blob| (blob.mode.0, blob.id.clone())),
    };
    staged.iter().map(edit).collect()
}
