//! Submodules with changes of their own, which no commit of the repository around them can take. They are looked at by a
//! git of our own in each: one that looks into them from around runs what their settings name.

use std::path::PathBuf;

use becket_diff::FilePath;

use crate::error::GitError;
use crate::path::to_native;
use crate::process::Git;
use crate::read::text;
use crate::untracked::Untracked;

/// A submodule whose folder is there.
#[derive(Debug)]
pub(crate) struct Submodule {
    path: Vec<u8>,
    /// As `git ls-files -v` has it.
    tag: u8,
    /// Of the commit that the index has.
    id: String,
    inside: PathBuf,
}

/// Where the working tree of a submodule differs from its own commit. `git` is at the root.
pub(crate) fn with_own_changes(git: &Git, untracked: Untracked) -> Result<Vec<FilePath>, GitError> {
    if !git.dir().join(".gitmodules").exists() {
        return Ok(Vec::new());
    }
    let untracked = match untracked {
        Untracked::Include => "--untracked-files=normal",
        Untracked::Exclude => "--untracked-files=no",
    };
    let mut found = Vec::new();
    for submodule in submodules(git)?.into_iter().filter(|submodule| submodule.inside.join(".git").exists()) {
        let inside = git.clone().in_dir(submodule.inside);
        match inside.command("status").options(["--porcelain", "-z", untracked]).output() {
            Ok(output) if output.is_empty() => {}
            Ok(_) => found.push(FilePath::new(submodule.path)),
            Err(GitError::Failed { stderr, .. }) => {
                tracing::debug!(stderr, "a submodule cannot be looked at");
            }
            Err(error) => return Err(error),
        }
    }
    found.dedup();
    Ok(found)
}

/// Keeps a `git add` in the index of `private` from looking into submodules. Gives those that it would have.
pub(crate) fn hide(private: &Git) -> Result<Vec<Submodule>, GitError> {
    let mut hidden = submodules(private)?;
    // Others are in conflict, or the user has asked Git not to look at them.
    hidden.retain(|submodule| submodule.tag == b'H');
    mark(private, "--assume-unchanged", &hidden)?;
    Ok(hidden)
}

pub(crate) fn show(private: &Git, hidden: &[Submodule]) -> Result<(), GitError> {
    mark(private, "--no-assume-unchanged", hidden)
}

fn mark(private: &Git, option: &str, submodules: &[Submodule]) -> Result<(), GitError> {
    if submodules.is_empty() {
        return Ok(());
    }
    let paths =
        submodules.iter().flat_map(|submodule| [&submodule.path, b"\0".as_slice()].concat()).collect();
    private.command("update-index").options(["-z", option, "--stdin"]).input(paths).output().map(drop)
}

/// The path and the commit of each that has another one checked out than the index has.
pub(crate) fn moved(git: &Git, submodules: Vec<Submodule>) -> Result<Vec<(Vec<u8>, String)>, GitError> {
    let mut moved = Vec::new();
    for submodule in submodules {
        let own = submodule.inside.join(".git");
        if !own.exists() {
            continue;
        }
        // Said outright, since a broken one would lead to the repository around it.
        let inside = git.clone().in_dir(submodule.inside).with_variable("GIT_DIR", own);
        let command = inside.command("rev-parse").options(["--verify", "--quiet"]).revision("HEAD");
        let (code, output) = command.output_unless(&[1, 128])?;
        let commit = text(&output);
        if code == 0 && commit != submodule.id {
            moved.push((submodule.path, commit));
        }
    }
    Ok(moved)
}

fn submodules(git: &Git) -> Result<Vec<Submodule>, GitError> {
    let Ok(root) = fs_err::canonicalize(git.dir()) else { return Ok(Vec::new()) };
    let listed = git.command("ls-files").options(["-v", "--stage", "-z"]).output()?;
    let mut found = Vec::new();
    for entry in listed.split(|byte| *byte == 0) {
        let [tag, b' ', entry @ ..] = entry else { continue };
        let Some(entry) = entry.strip_prefix(b"160000 ") else { continue };
        let mut fields = entry.splitn(2, |byte| *byte == b'\t');
        let (Some(id), Some(path)) = (fields.next(), fields.next()) else { continue };
        let folders = path.split(|byte| *byte == b'/').map(to_native);
        let inside = folders.fold(root.clone(), |inside, folder| inside.join(folder));
        // A link on the way leads to something else.
        if inside.is_dir() && fs_err::canonicalize(&inside).is_ok_and(|real| real == inside) {
            let id = text(id).split(' ').next().unwrap_or_default().to_owned();
            found.push(Submodule { path: path.to_vec(), tag: *tag, id, inside });
        }
    }
    Ok(found)
}
