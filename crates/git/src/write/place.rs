//! Where the state of changes to one worktree is kept, the locks that guard them, and files that survive a crash.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::error::WriteError;
use crate::error::GitError;
use crate::private_index::git_path;
use crate::process::Git;
use crate::read::{Head, Location, at_root, locate};

const TICK: Duration = Duration::from_millis(25);
/// What a lock on the index says when it is ours; one of Git's begins with the index itself.
const INDEX_LOCK: &[u8] = b"becket is committing\n";

/// One worktree and the folder in which becket keeps what it does there.
#[derive(Debug, Clone)]
pub struct WritePlace {
    pub(super) git: Git,
    pub(super) location: Location,
    pub(super) index: PathBuf,
    folder: PathBuf,
}

impl WritePlace {
    /// The worktree that holds `git`'s directory.
    pub fn of(git: impl Into<Git>) -> Result<Self, WriteError> {
        // What was begun is brought to an end, whoever stopped waiting for it.
        let git = at_root(git.into())?.with_cancellation(|| false);
        let location =
            locate(&git)?.ok_or_else(|| GitError::NotARepository { dir: git.dir().to_path_buf() })?;
        let index = git_path(&git, "index")?;
        let folder = folder_of(&location.git_dir, &location.common_dir);
        Ok(Self { git, location, index, folder })
    }

    /// Below the common directory, one for each worktree.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether in some worktree an operation was begun and not ended, by one who may still be at it. Who died before the
    /// journal was written, or after it was closed, left only a lock.
    pub fn has_unfinished(common_dir: &Path) -> bool {
        let below = |folder: &Path| -> Vec<PathBuf> {
            let linked = fs_err::read_dir(folder.join("worktrees")).into_iter().flatten().flatten();
            linked.map(|folder| folder.path()).collect()
        };
        let commits = common_dir.join("becket").join("commit");
        let journals = below(&commits).into_iter().chain([commits.join("main")]);
        let locks = below(common_dir).into_iter().chain([common_dir.to_owned()]);
        journals.map(|folder| folder.join("journal.json")).any(|journal| journal.exists())
            || locks.map(|folder| folder.join("index.lock")).any(|lock| IndexLock::is_ours(&lock))
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Keeps every other becket out for as long as the file is open, here or as the input of a git that outlives us.
    pub(super) fn lock(&self, wait: Duration) -> Result<File, WriteError> {
        self.lock_file("lock", wait)
    }

    pub(super) fn lock_file(&self, name: &str, wait: Duration) -> Result<File, WriteError> {
        let failed = WriteError::io("locking the worktree");
        fs_err::create_dir_all(&self.folder).map_err(&failed)?;
        let mut options = fs_err::OpenOptions::new();
        let options = options.create(true).truncate(false).write(true).read(true);
        let file = options.open(self.file(name)).map_err(&failed)?.into_file();
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if started.elapsed() >= wait => return Err(WriteError::Busy),
                Err(TryLockError::WouldBlock) => thread::sleep(TICK),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }

    /// The name under which Git moves HEAD: its branch, or HEAD itself.
    pub(super) fn reference(head: &Head) -> String {
        match head.branch() {
            Some(name) if name.starts_with("refs/") => name.to_owned(),
            Some(name) => format!("refs/heads/{name}"),
            None => "HEAD".to_owned(),
        }
    }
}

/// Git's own lock on the user's index: as long as it is there, no git stages or commits.
#[derive(Debug)]
pub(super) struct IndexLock {
    path: PathBuf,
}

impl IndexLock {
    /// `folder` is on the same file system. The lock appears with its content, so that one of ours can be told from one
    /// that a git has just made.
    pub(super) fn take(index: &Path, folder: &Path) -> Result<Self, WriteError> {
        let path = lock_path(index);
        let failed = WriteError::io("locking the index");
        let content = folder.join("index-lock");
        fs_err::write(&content, INDEX_LOCK).map_err(&failed)?;
        let taken = fs_err::hard_link(&content, &path);
        fs_err::remove_file(content).ok();
        match taken {
            Ok(()) => Ok(Self { path }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(WriteError::IndexLocked { path })
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Takes away a lock that a becket left when it died. Call it only while holding the lock of the worktree.
    pub(super) fn clear(index: &Path) {
        let path = lock_path(index);
        if Self::is_ours(&path) {
            fs_err::remove_file(path).ok();
        }
    }

    pub(super) fn is_ours(lock: &Path) -> bool {
        let length = fs_err::metadata(lock).map(|metadata| metadata.len());
        // One of Git's may be as large as the index.
        length.is_ok_and(|length| length == INDEX_LOCK.len() as u64)
            && fs_err::read(lock).is_ok_and(|content| content == INDEX_LOCK)
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        fs_err::remove_file(&self.path).ok();
    }
}

/// Replaces a file; after this returns, also a crash of the system leaves the new bytes.
pub(super) fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    let mut file = fs_err::File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    rename_durably(&new, path)
}

/// Moves a file whose bytes are on the disk.
pub(super) fn rename_durably(from: &Path, to: &Path) -> io::Result<()> {
    fs_err::rename(from, to)?;
    to.parent().map_or(Ok(()), sync_folder)
}

pub(super) fn sync(path: &Path) -> io::Result<()> {
    fs_err::OpenOptions::new().write(true).open(path)?.sync_all()
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    fs_err::File::open(folder)?.sync_all()
}

/// A folder cannot be opened as a file here, and its entries are written with the file.
#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

pub(super) fn lock_path(index: &Path) -> PathBuf {
    let mut name = index.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

fn folder_of(git_dir: &Path, common_dir: &Path) -> PathBuf {
    let commits = common_dir.join("becket").join("commit");
    match git_dir.file_name() {
        Some(name) if git_dir != common_dir => commits.join("worktrees").join(name),
        _ => commits.join("main"),
    }
}
