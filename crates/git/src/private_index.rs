//! Copies of the index, in which becket can enter what it likes: the user's own is not touched. To see untracked files
//! as Git will when they are added (attributes, line ends, renames), they are entered into such a copy without content.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::GitError;
use crate::path::to_native;
use crate::process::Git;
use crate::read::strip_newline;
use crate::status::conflicts;
use crate::submodules::{hide, show};

/// Where the repository of `git` keeps something, whichever worktree it is.
pub(crate) fn git_path(git: &Git, name: &'static str) -> Result<PathBuf, GitError> {
    let output = git.command("rev-parse").options(["--path-format=absolute", "--git-path", name]).output()?;
    Ok(to_native(strip_newline(&output)))
}

/// Copies an index; false when there is none yet.
pub(crate) fn copy_index(from: &Path, to: &Path) -> io::Result<bool> {
    if !from.exists() {
        return Ok(false);
    }
    fs_err::copy(from, to)?;
    // Git takes an entry as young as the index itself for possibly changed: a younger index would hide it.
    let modified = fs_err::metadata(from)?.modified()?;
    fs_err::OpenOptions::new().write(true).open(to)?.file().set_modified(modified)?;
    Ok(true)
}

/// `git` as it sees that index.
pub(crate) fn with_index(git: &Git, index: &Path) -> Git {
    git.clone()
        .with_variable("GIT_INDEX_FILE", index)
        // A split index would leave its other half in the repository.
        .with_config("core.splitIndex", "false")
}

/// `git` that stores new objects in `own`, and finds those of the repository in `others`.
pub(crate) fn with_objects(git: Git, own: &Path, others: &Path) -> Git {
    git.with_variable("GIT_OBJECT_DIRECTORY", own)
        .with_variable("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(others))
}

/// A copy of the index that also has the untracked files, as files to be added later.
#[derive(Debug)]
pub(crate) struct PrivateIndex {
    dir: tempfile::TempDir,
    /// Whether it has everything that the index has, and each untracked file besides. Not so in a conflict, whose
    /// entries the files would resolve, nor where a file and a folder took each other's place.
    pub(crate) is_complete: bool,
}

impl PrivateIndex {
    pub(crate) fn with_untracked(git: &Git, untracked: usize) -> Result<Self, GitError> {
        let failed = |source| GitError::Io { command: "add", source };
        let index = git_path(git, "index")?;
        let dir = tempfile::tempdir().map_err(failed)?;
        let private = Self { dir, is_complete: false };
        let copy = private.dir.path().join("index");
        let mut entries = 0;
        if copy_index(&index, &copy).map_err(failed)? {
            entries = entry_count(&index).map_err(failed)?;
        }
        // Git stores the empty content for a file to be added, and that must not be in the user's repository either.
        let objects = private.dir.path().join("objects");
        fs_err::create_dir(&objects).map_err(failed)?;
        let private_git = with_objects(private.git(git), &objects, &git_path(git, "objects")?);
        if let Err(GitError::Failed { .. }) = add_untracked(&private_git) {
            // A path that is in conflict and has no file stops it; conflicts are shown from the user's index anyway.
            let unmerged =
                conflicts(git)?.into_keys().flat_map(|path| [path.as_bytes(), b"\0"].concat()).collect();
            let remove = private_git.command("update-index").options(["--force-remove", "-z", "--stdin"]);
            remove.input(unmerged).output()?;
            add_untracked(&private_git)?;
        }
        let is_complete = entry_count(&copy).map_err(failed)? == entries + untracked;
        Ok(Self { is_complete, ..private })
    }

    /// `git` as it sees this index.
    pub(crate) fn git(&self, git: &Git) -> Git {
        with_index(git, &self.dir.path().join("index"))
    }
}

/// A path as the list of object directories takes it, in which it could otherwise hold a separator.
fn quoted(path: &Path) -> OsString {
    let mut quoted = vec![b'"'];
    for &byte in path.as_os_str().as_encoded_bytes() {
        if matches!(byte, b'"' | b'\\') {
            quoted.push(b'\\');
        }
        quoted.push(byte);
    }
    quoted.push(b'"');
    to_native(&quoted).into_os_string()
}

/// What cannot be added (a repository without a commit) is passed over, and makes the index incomplete.
fn add_untracked(git: &Git) -> Result<(), GitError> {
    let options = ["--intent-to-add", "--ignore-removal", "--ignore-errors", "--sparse"];
    let hidden = hide(git)?;
    git.command("add").options(options).path(".").output_unless(&[1])?;
    show(git, &hidden)
}

/// An index begins with a signature, a version and the number of its entries, of four bytes each.
fn entry_count(index: &Path) -> io::Result<usize> {
    let mut header = [0; 12];
    fs_err::File::open(index)?.read_exact(&mut header)?;
    let [.., a, b, c, d] = header;
    Ok(u32::from_be_bytes([a, b, c, d]) as usize)
}
