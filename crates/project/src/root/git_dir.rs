//! A Git directory as its files describe it, read without starting Git: `.git` files, `commondir`, and the two settings
//! that say where the work tree is. It decides nothing about which directory to use.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::git_config::CoreSettings;
use crate::canonical::canonical;

/// Longer than any path, short enough to read without a thought.
const LONGEST_LINK: u64 = 64 * 1024;

/// A folder that Git itself would accept: it has a `HEAD`, and it or its common directory has `objects` and `refs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitDir {
    pub(crate) path: PathBuf,
    /// Where objects and refs are: `path` itself, except for a linked worktree.
    pub(crate) common: PathBuf,
    pub(crate) core: CoreSettings,
}

#[derive(Debug, thiserror::Error)]
pub enum GitFileError {
    #[error("it does not begin with `gitdir: `")]
    NotAGitFile,
    #[error("its path is empty or not text")]
    NotAPath,
    #[error("it is larger than a path can be")]
    TooLarge,
    #[error("it cannot be read: {source}")]
    Unreadable { source: io::Error },
}

impl GitDir {
    /// Nothing when `path` is not a Git directory; an error when that cannot be found out.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Self>> {
        if !has_head(path)? {
            return Ok(None);
        }
        let Some(common) = common_of(path)? else { return Ok(None) };
        if !is_folder(&common.join("objects"))? || !is_folder(&common.join("refs"))? {
            return Ok(None);
        }
        let core = CoreSettings::read(&common)?;
        Ok(Some(Self { path: canonical(path)?, common: canonical(&common)?, core }))
    }

    pub(crate) fn is_linked(&self) -> bool {
        self.path != self.common
    }

    /// Whether it lies in the `modules` folder of another Git directory, where Git keeps those of submodules.
    pub(crate) fn is_in_modules(&self) -> bool {
        self.path.ancestors().skip(1).any(|ancestor| {
            ancestor.file_name() == Some(OsStr::new("modules"))
                && ancestor.parent().is_some_and(|parent| has_head(parent).unwrap_or(false))
        })
    }

    /// The work tree that belongs to it, for whoever comes from inside. A claim of the Git directory counts only when
    /// the `.git` over there leads back here: else a directory that looks like Git could move the root anywhere.
    pub(crate) fn work_tree(&self) -> Option<PathBuf> {
        if self.is_linked() {
            let dot_git = read_path(&self.path.join("gitdir")).ok()?;
            let tree = canonical(self.path.join(dot_git).parent()?).ok()?;
            return self.is_led_to_from(&tree).then_some(tree);
        }
        if self.core.bare {
            return None;
        }
        if let Some(tree) = &self.core.work_tree {
            let tree = canonical(&self.path.join(tree)).ok()?;
            return self.is_led_to_from(&tree).then_some(tree);
        }
        let named_dot_git = self.path.file_name() == Some(OsStr::new(".git"));
        self.path.parent().filter(|_| named_dot_git).map(Path::to_owned)
    }

    /// The Git directory that holds the objects, when this is that of a linked worktree.
    pub(crate) fn common_git_dir(&self) -> io::Result<Option<Self>> {
        if self.is_linked() { Self::open(&self.common) } else { Ok(Some(self.clone())) }
    }

    fn is_led_to_from(&self, tree: &Path) -> bool {
        let dot_git = tree.join(".git");
        let target = if dot_git.is_dir() { Ok(dot_git) } else { read_git_file(&dot_git) };
        target.is_ok_and(|target| canonical(&target).is_ok_and(|target| target == self.path))
    }
}

/// The work trees that a Git directory (canonical) has registered and that lead back to it, in a fixed order.
pub(crate) fn linked_work_trees(common: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(common.join("worktrees")) else { return Vec::new() };
    // A link can make the entries of another clone appear here.
    let registered = |path: &Path| GitDir::open(path).ok()?.filter(|git_dir| git_dir.common == common);
    let mut trees: Vec<PathBuf> =
        entries.filter_map(|entry| registered(&entry.ok()?.path())?.work_tree()).collect();
    trees.sort();
    trees
}

/// Where a `.git` file leads: absolute when `dot_git` is, neither resolved nor checked.
pub(crate) fn read_git_file(dot_git: &Path) -> Result<PathBuf, GitFileError> {
    let bytes = read_short(dot_git)?;
    let target = bytes.strip_prefix(b"gitdir:").ok_or(GitFileError::NotAGitFile)?;
    let target = path_of(target.trim_ascii_start()).ok_or(GitFileError::NotAPath)?;
    Ok(dot_git.parent().unwrap_or(dot_git).join(target))
}

/// The path in a file that has nothing else, such as `commondir` or `gitdir`.
fn read_path(file: &Path) -> Result<PathBuf, GitFileError> {
    path_of(&read_short(file)?).ok_or(GitFileError::NotAPath)
}

fn read_short(file: &Path) -> Result<Vec<u8>, GitFileError> {
    let unreadable = |source| GitFileError::Unreadable { source };
    let metadata = fs_err::metadata(file).map_err(unreadable)?;
    // A pipe would never end, and a huge file has no path in it.
    if !metadata.is_file() {
        return Err(GitFileError::NotAGitFile);
    }
    if metadata.len() > LONGEST_LINK {
        return Err(GitFileError::TooLarge);
    }
    fs_err::read(file).map_err(unreadable)
}

fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    let end = bytes.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r'))?;
    let bytes = &bytes[..=end];
    if bytes.contains(&0) {
        return None;
    }
    Some(bytes_as_path(bytes))
}

#[cfg(unix)]
fn bytes_as_path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// Git writes UTF-8 here; what is not leads nowhere.
#[cfg(not(unix))]
fn bytes_as_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// `HEAD` as Git accepts it: a symbolic or detached reference, or the old link into `refs`.
fn has_head(path: &Path) -> io::Result<bool> {
    let head = path.join("HEAD");
    match found(fs_err::symlink_metadata(&head))? {
        None => return Ok(false),
        Some(metadata) if metadata.is_symlink() => {
            return Ok(fs_err::read_link(&head)?.starts_with("refs"));
        }
        Some(_) => {}
    }
    match read_short(&head) {
        Ok(text) => Ok(is_reference(&text)),
        Err(GitFileError::Unreadable { source }) => Err(source),
        Err(_) => Ok(false),
    }
}

/// What is checked out, as far as `HEAD` says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckedOut {
    Branch(String),
    Detached,
    /// It is kept elsewhere (a reftable), or cannot be read: Git knows.
    Unsaid,
}

/// What the `HEAD` in a Git directory says.
pub(super) fn checked_out(git_dir: &Path) -> CheckedOut {
    let head = git_dir.join("HEAD");
    let link = fs_err::read_link(&head).ok().and_then(|link| link.to_str().map(str::to_owned));
    let name = match link {
        Some(link) => Some(link),
        None => match read_short(&head).ok().and_then(|text| String::from_utf8(text).ok()) {
            Some(text) => match text.strip_prefix("ref:") {
                Some(name) => Some(name.trim().to_owned()),
                None if is_reference(text.as_bytes()) => return CheckedOut::Detached,
                None => None,
            },
            None => None,
        },
    };
    // Where there is no such file format, this stands in for it.
    match name.as_deref().and_then(|name| name.strip_prefix("refs/heads/")) {
        Some(".invalid") | None => CheckedOut::Unsaid,
        Some(branch) => CheckedOut::Branch(branch.to_owned()),
    }
}

fn is_reference(head: &[u8]) -> bool {
    if let Some(name) = head.strip_prefix(b"ref:") {
        return name.trim_ascii_start().starts_with(b"refs/");
    }
    let id = head.trim_ascii_end();
    matches!(id.len(), 40 | 64) && id.iter().all(u8::is_ascii_hexdigit)
}

/// The common directory; nothing when `commondir` is there but says nothing usable.
pub(crate) fn common_of(path: &Path) -> io::Result<Option<PathBuf>> {
    let file = path.join("commondir");
    if found(fs_err::symlink_metadata(&file))?.is_none() {
        return Ok(Some(path.to_owned()));
    }
    match read_path(&file) {
        Ok(common) => Ok(Some(path.join(common))),
        Err(GitFileError::Unreadable { source }) => Err(source),
        Err(_) => Ok(None),
    }
}

fn is_folder(path: &Path) -> io::Result<bool> {
    Ok(found(fs_err::metadata(path))?.is_some_and(|metadata| metadata.is_dir()))
}

/// Nothing for what is not there, also when a parent is a file.
pub(crate) fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_is_read_as_git_reads_it() {
        for (head, expected) in [
            ("ref: refs/heads/main\n", true),
            ("ref:refs/heads/main", true),
            ("ref: \trefs/heads/.invalid\n", true),
            ("ref: heads/main\n", false),
            ("0123456789abcdef0123456789ABCDEF01234567\n", true),
            (&"a".repeat(64), true),
            (&"a".repeat(63), false),
            ("main\n", false),
            ("", false),
        ] {
            assert_eq!(is_reference(head.as_bytes()), expected, "{head:?}");
        }
    }

    #[test]
    fn a_git_file_is_one_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".git");
        let read = |bytes: &[u8]| {
            fs_err::write(&file, bytes).unwrap();
            read_git_file(&file)
        };
        assert_eq!(read(b"gitdir: ../a b\n").unwrap(), folder.path().join("../a b"));
        assert_eq!(read(b"gitdir: ../a b\r\n").unwrap(), folder.path().join("../a b"));
        assert_eq!(read(b"gitdir:x").unwrap(), folder.path().join("x"));
        if cfg!(unix) {
            assert_eq!(read(b"gitdir: /x/y\n\n").unwrap(), PathBuf::from("/x/y"));
        }
        assert!(matches!(read(b"gitdir: "), Err(GitFileError::NotAPath)));
        assert!(matches!(read(b"gitdir: a\0b"), Err(GitFileError::NotAPath)));
        assert!(matches!(read(b"worktree: x"), Err(GitFileError::NotAGitFile)));
        assert!(matches!(read(b""), Err(GitFileError::NotAGitFile)));
        assert!(matches!(read(&vec![b'x'; 70_000]), Err(GitFileError::TooLarge)));
        assert!(matches!(read_git_file(folder.path()), Err(GitFileError::NotAGitFile)));
        assert!(matches!(read_git_file(&folder.path().join("absent")), Err(GitFileError::Unreadable { .. })));
    }
}
