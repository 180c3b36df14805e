//! What changed between two commits, or in one.

use becket_diff::{Entry, FileChange, FilePath, Limits};

use crate::error::GitError;
use crate::history::{Commit, read_commit};
use crate::patch::{ANSWER_LIMITS, Renames, as_patch, read_patch};
use crate::path::to_native;
use crate::process::Git;
use crate::read::{at_root_if_any, text};
use crate::revision::{CommitId, resolve_at};

#[derive(Debug, Clone)]
pub struct CompareOptions {
    pub from: CompareFrom,
    /// Only this file or folder.
    pub path: Option<FilePath>,
    /// Lines of context around a change.
    pub context: u32,
    pub limits: Limits,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self { from: CompareFrom::Base, path: None, context: 3, limits: ANSWER_LIMITS }
    }
}

/// What the head is compared with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CompareFrom {
    /// The base as it is (`base..head`).
    #[default]
    Base,
    /// The commit where the two parted (`base...head`).
    MergeBase,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The commit that was compared with: the base, or the merge base.
    pub base: CommitId,
    pub head: CommitId,
    /// Sorted by path.
    pub changes: Vec<FileChange>,
}

#[derive(Debug, Clone)]
pub struct ShowOptions {
    pub context: u32,
    pub limits: Limits,
}

impl Default for ShowOptions {
    fn default() -> Self {
        Self { context: 3, limits: ANSWER_LIMITS }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownCommit {
    pub commit: Commit,
    /// Against its first parent; all files when it has none. Sorted by path.
    pub changes: Vec<FileChange>,
}

/// The changes that lead from `base` to `head`.
pub fn diff_between_refs(
    git: impl Into<Git>,
    base: &str,
    head: &str,
    options: &CompareOptions,
) -> Result<Comparison, GitError> {
    let git = at_root_if_any(git.into())?;
    let base_id = resolve_at(&git, base)?;
    let head_id = resolve_at(&git, head)?;
    let from = match options.from {
        CompareFrom::Base => base_id,
        CompareFrom::MergeBase => {
            let command = git.command("merge-base").revision(base_id.as_str()).revision(head_id.as_str());
            match command.output_unless(&[1])? {
                (0, output) => resolve_at(&git, text(&output).lines().next().unwrap_or_default())?,
                _ => return Err(GitError::NoMergeBase { base: base.to_owned(), head: head.to_owned() }),
            }
        }
    };
    let changes = changes_between(&git, from.as_str(), &head_id, options)?;
    Ok(Comparison { base: from, head: head_id, changes })
}

/// One commit, its message and its changes.
pub fn show_commit(
    git: impl Into<Git>,
    revision: &str,
    options: &ShowOptions,
) -> Result<ShownCommit, GitError> {
    let git = at_root_if_any(git.into())?;
    let id = resolve_at(&git, revision)?;
    let commit = read_commit(&git, &id)?;
    let base = commit.parents.first().map_or_else(|| id.empty_tree(), String::as_str);
    let options =
        CompareOptions { context: options.context, limits: options.limits, ..CompareOptions::default() };
    let changes = changes_between(&git, base, &id, &options)?;
    Ok(ShownCommit { commit, changes })
}

fn changes_between(
    git: &Git,
    base: &str,
    head: &CommitId,
    options: &CompareOptions,
) -> Result<Vec<FileChange>, GitError> {
    let mut command = as_patch(git.command("diff"), options.context, Renames::Find);
    command = command.revision(base).revision(head.as_str());
    if let Some(path) = &options.path {
        command = command.path(to_native(path.as_bytes()));
    }
    let mut changes = Vec::new();
    read_patch(command, options.limits, &mut |entry| {
        if let Entry::File(change) = entry {
            changes.push(change);
        }
    })?;
    // Stable: a change of type stays a deletion and then an addition.
    changes.sort_by(|one, other| one.path().cmp(&other.path()));
    Ok(changes)
}
