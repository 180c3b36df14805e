//! What a worktree that cannot be committed to is to a caller: each reason with its own code and next step.

use std::io;

use becket_diff::FilePath;
use becket_git::write::WriteError;

use super::layered::LayerError;
use crate::{Error, ErrorKind, repository::sentence};

/// How many paths a message names.
const NAMED: usize = 10;

pub(super) fn refused(error: WriteError) -> Error {
    let message = sentence(&error.to_string());
    let mapped = match &error {
        WriteError::Git(_) => match error {
            WriteError::Git(git) => return git.into(),
            _ => Error::internal(message),
        },
        WriteError::UnderWay { .. } => Error::conflict("operation_in_progress", message)
            .with_hint("Finish or abort it with git first (`git status` says how)."),
        // Clients of Segmint compare this sentence.
        WriteError::Unmerged { paths } => Error::conflict(
            "unmerged_paths",
            "Cannot commit during merge/rebase with unresolved conflicts. Resolve conflicts first.",
        )
        .with_hint(format!("Settle each and `git add` it, or abort with git: {}.", named(paths))),
        WriteError::Detached { .. } => Error::conflict("detached_head", message)
            .with_hint("Check out a branch, or allow it with `allow_detached` (--allow-detached)."),
        WriteError::CheckedOutElsewhere { .. } => Error::conflict("branch_checked_out_elsewhere", message)
            .with_hint("Check out another branch in one of the two worktrees."),
        WriteError::IndexLocked { path } => Error::unavailable("index_locked", message)
            .with_hint(format!("Wait for the other git; if none runs, remove {}.", path.display())),
        WriteError::Busy => {
            Error::unavailable("commit_in_progress", message).with_hint("Try again when it is done.")
        }
        WriteError::HeadMoved { expected, found } => {
            Error::conflict("head_moved", format!("HEAD has moved: expected {expected}, got {found}"))
                .with_hint("Call list_changes and plan again.")
        }
        WriteError::BranchMoved { .. } | WriteError::IndexMoved { .. } => {
            let code =
                if matches!(error, WriteError::BranchMoved { .. }) { "branch_moved" } else { "index_moved" };
            Error::conflict(code, message)
                .with_hint("Undo only takes back what nobody built upon; use git for the rest.")
        }
        WriteError::NothingToCommit { .. } => Error::conflict("nothing_to_commit", message)
            .with_hint("Its hunks change nothing that Git would store; merge it with another commit."),
        WriteError::Refused { hook: true, stderr, .. } => Error::conflict(
            "hook_failed",
            format!("A hook refused the commit, and nothing was changed: {}", one_line(stderr)),
        )
        .with_hint("Correct what the hook complains of, then plan and apply again."),
        WriteError::Refused { stderr, .. } => Error::unavailable(
            "commit_refused",
            format!("Git did not make the commit, and nothing was changed: {}", one_line(stderr)),
        )
        .with_hint(
            "Run `git commit` by hand to see more; name and signing are those of Git's configuration.",
        ),
        WriteError::HookChangedFiles { paths, .. } => Error::conflict("hook_changed_files", message)
            .with_hint(format!(
                "Nothing was committed; the hook's changes are in the worktree: {}. Plan again with them.",
                named(paths)
            )),
        WriteError::HookChangedCommit { paths, .. } => Error::conflict("hook_changed_commit", message)
            .with_hint(format!(
                "Nothing was committed; the hook changed {}. Run it before planning.",
                named(paths)
            )),
        WriteError::NothingToUndo => Error::not_found("nothing_to_undo", message)
            .with_hint("becket has applied nothing here, or it was undone."),
        WriteError::UnknownOperation { .. } | WriteError::NotTheLast { .. } => {
            Error::invalid("not_undoable", message)
                .with_hint("Leave the number out to undo the last operation.")
        }
        WriteError::Journal { path, .. } => Error::new(ErrorKind::Internal, "journal_unreadable", message)
            .with_hint(format!("Look at the branch and the index with git, then remove {}.", path.display())),
        WriteError::Io { source, .. }
            if matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) =>
        {
            Error::unavailable("disk_full", message)
                .with_hint("Make room where the repository is, and for temporary files, and try again.")
        }
        WriteError::Io { .. } => Error::unavailable("repository_not_writable", message)
            .with_hint("Check the permissions of, and the room for, the Git directory."),
    };
    mapped.with_source(error)
}

/// `name` gives a unit's handle.
pub(super) fn layer_refused(error: LayerError, name: impl Fn(usize) -> String) -> Error {
    let error = match error {
        LayerError::Needs { unit, needs } => {
            return Error::conflict(
                "commit_depends",
                format!("{} cannot be committed before {}.", name(unit), name(needs)),
            )
            .with_hint("Apply the commit that has it first, or move both into one.");
        }
        other => other,
    };
    let message = sentence(&error.to_string());
    Error::conflict("stale_plan", message)
        .with_hint("Call list_changes, group_changes and propose_commits again, or run `becket commit plan`.")
        .with_source(error)
}

/// The first few paths.
pub(super) fn named(paths: &[FilePath]) -> String {
    let text = paths.iter().take(NAMED).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if paths.len() > NAMED { format!("{text} and {} more", paths.len() - NAMED) } else { text }
}

fn one_line(stderr: &str) -> String {
    let text = stderr.trim().replace('\n', "; ");
    let text = becket_base::clip(&text, 2_000).to_string();
    if text.is_empty() { "it said nothing.".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_has_the_code_that_it_has_elsewhere() {
        let full = |kind: io::ErrorKind| WriteError::Io { doing: "storing a content", source: kind.into() };
        assert_eq!(refused(full(io::ErrorKind::StorageFull)).code(), "disk_full");
        assert_eq!(refused(full(io::ErrorKind::PermissionDenied)).code(), "repository_not_writable");
        let git = becket_git::GitError::DiskFull { command: "add", stderr: String::new() };
        assert_eq!(refused(git.into()).code(), "disk_full");
    }
}
