//! Submodules with changes of their own, which no commit of the repository around them can take. They are looked at by a
//! git of our own in each: one that looks into them from around runs what their settings name.

use becket_diff::FilePath;

use crate::error::GitError;
use crate::path::to_native;
use crate::process::Git;
use crate::untracked::Untracked;

/// Where the working tree of a submodule differs from its own commit. `git` is at the root.
pub(crate) fn with_own_changes(git: &Git, untracked: Untracked) -> Result<Vec<FilePath>, GitError> {
    if !git.dir().join(".gitmodules").exists() {
        return Ok(Vec::new());
    }
    let Ok(root) = fs_err::canonicalize(git.dir()) else { return Ok(Vec::new()) };
    let untracked = match untracked {
        Untracked::Include => "--untracked-files=normal",
        Untracked::Exclude => "--untracked-files=no",
    };
    let listed = git.command("ls-files").options(["--stage", "-z"]).output()?;
    let mut found = Vec::new();
    for entry in listed.split(|byte| *byte == 0).filter(|entry| entry.starts_with(b"160000 ")) {
        let Some(path) = entry.splitn(2, |byte| *byte == b'\t').nth(1) else { continue };
        let folders = path.split(|byte| *byte == b'/').map(to_native);
        let inside = folders.fold(root.clone(), |inside, folder| inside.join(folder));
        // A link on the way leads to something else, and what was never checked out has nothing.
        if fs_err::canonicalize(&inside).is_ok_and(|real| real == inside) && inside.join(".git").exists() {
            let inside = git.clone().in_dir(inside);
            match inside.command("status").options(["--porcelain", "-z", untracked]).output() {
                Ok(output) if output.is_empty() => {}
                Ok(_) => found.push(FilePath::new(path)),
                Err(GitError::Failed { stderr, .. }) => {
                    tracing::debug!(stderr, "a submodule cannot be looked at");
                }
                Err(error) => return Err(error),
            }
        }
    }
    found.dedup();
    Ok(found)
}
