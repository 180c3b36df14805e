//! Making a repository of our own: for the tour's throw-away one. Never used on a user's repository.

use std::path::Path;

use crate::{error::GitError, process::Git};

/// A new repository with one commit of everything in `dir`, on the branch `main`.
pub fn create_repository(dir: &Path, message: &str) -> Result<(), GitError> {
    let git = own(dir);
    git.command("init").options(["--quiet", "--initial-branch=main"]).output()?;
    // Commits that are shown being made need a name, too, where the user has none.
    for (key, value) in
        [("user.name", "becket tour"), ("user.email", "tour@becket.invalid"), ("commit.gpgsign", "false")]
    {
        git.command("config").options([key, value]).output()?;
    }
    commit_everything(dir, message)
}

/// A commit of everything in the worktree.
pub fn commit_everything(dir: &Path, message: &str) -> Result<(), GitError> {
    let git = own(dir);
    git.command("add").option("--all").output()?;
    let commit = git.command("commit").options(["--quiet", "--no-verify", "--no-gpg-sign"]);
    commit.option(format!("--message={message}")).output().map(drop)
}

/// A second worktree on a new branch.
pub fn add_worktree(dir: &Path, path: &Path, branch: &str) -> Result<(), GitError> {
    let git = own(dir);
    git.command("worktree").options(["add", "--quiet", "-b", branch]).path(path).output().map(drop)
}

/// An identity of its own, so that it works where the user has none.
fn own(dir: &Path) -> Git {
    let mut git = Git::at(dir);
    for (name, value) in [
        ("GIT_AUTHOR_NAME", "becket tour"),
        ("GIT_AUTHOR_EMAIL", "tour@becket.invalid"),
        ("GIT_COMMITTER_NAME", "becket tour"),
        ("GIT_COMMITTER_EMAIL", "tour@becket.invalid"),
        ("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"),
        ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z"),
    ] {
        git = git.with_variable(name, value);
    }
    git
}
