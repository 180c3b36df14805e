//! Files that Git does not know yet. To see them as Git will when they are added (attributes, line ends, renames), they
//! are entered, without content, into a private copy of the index, which is thrown away: the user's is not touched.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

use becket_diff::FilePath;

use crate::error::GitError;
use crate::path::to_native;
use crate::process::{Flow, Git};
use crate::read::strip_newline;
use crate::status::conflicts;

/// Whether files that Git does not know are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Untracked {
    #[default]
    Include,
    Exclude,
}

/// What Git does not know and does not ignore.
#[derive(Debug, Default)]
pub(crate) struct UntrackedFiles {
    pub(crate) files: BTreeSet<FilePath>,
    /// Folders that are repositories of their own and no submodules.
    pub(crate) repositories: BTreeSet<FilePath>,
    /// How many more there are.
    pub(crate) omitted: usize,
}

pub(crate) fn find_untracked(git: &Git, limit: usize) -> Result<UntrackedFiles, GitError> {
    let mut found = UntrackedFiles::default();
    let mut partial = Vec::new();
    let command = git.command("ls-files").options(["--others", "--exclude-standard", "-z"]);
    let finished = command.run(&mut |piece| {
        for part in piece.split_inclusive(|byte| *byte == 0) {
            partial.extend_from_slice(part);
            if partial.pop_if(|last| *last == 0).is_some() {
                found.take(std::mem::take(&mut partial), limit);
            }
        }
        Flow::More
    })?;
    if finished.code != Some(0) {
        return Err(GitError::from_exit(git.dir(), "ls-files", finished.code, &finished.stderr));
    }
    Ok(found)
}

impl UntrackedFiles {
    fn take(&mut self, mut path: Vec<u8>, limit: usize) {
        if self.files.len() + self.repositories.len() >= limit {
            self.omitted += 1;
        } else if path.pop_if(|last| *last == b'/').is_some() {
            self.repositories.insert(FilePath::new(path));
        } else {
            self.files.insert(FilePath::new(path));
        }
    }
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
        let path_of = |name: &'static str| {
            let output =
                git.command("rev-parse").options(["--path-format=absolute", "--git-path", name]).output()?;
            Ok::<_, GitError>(to_native(strip_newline(&output)))
        };
        let index = path_of("index")?;
        let dir = tempfile::tempdir().map_err(failed)?;
        let private = Self { dir, is_complete: false };
        let copy = private.dir.path().join("index");
        let mut entries = 0;
        if index.exists() {
            fs_err::copy(&index, &copy).map_err(failed)?;
            // Git takes an entry as young as the index itself for possibly changed: a younger index would hide it.
            let modified =
                fs_err::metadata(&index).and_then(|metadata| metadata.modified()).map_err(failed)?;
            let file = fs_err::OpenOptions::new().write(true).open(&copy).map_err(failed)?;
            file.file().set_modified(modified).map_err(failed)?;
            entries = entry_count(&index).map_err(failed)?;
        }
        // Git stores the empty content for a file to be added, and that must not be in the user's repository either.
        let objects = private.dir.path().join("objects");
        fs_err::create_dir(&objects).map_err(failed)?;
        let private_git = private
            .git(git)
            .with_variable("GIT_OBJECT_DIRECTORY", objects)
            .with_variable("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&path_of("objects")?));
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
        git.clone()
            .with_variable("GIT_INDEX_FILE", self.dir.path().join("index"))
            // A split index would leave its other half in the repository.
            .with_config("core.splitIndex", "false")
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
    git.command("add").options(options).path(".").output_unless(&[1]).map(drop)
}

/// An index begins with a signature, a version and the number of its entries, of four bytes each.
fn entry_count(index: &Path) -> std::io::Result<usize> {
    let mut header = [0; 12];
    fs_err::File::open(index)?.read_exact(&mut header)?;
    let [.., a, b, c, d] = header;
    Ok(u32::from_be_bytes([a, b, c, d]) as usize)
}
