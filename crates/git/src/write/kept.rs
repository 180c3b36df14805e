//! Small files that becket keeps for a worktree beside its operations: plans, and the objects that they speak of. What is
//! in them is the caller's.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::WriteError;
use super::place::{WritePlace, write_durably};

/// How long to wait for another who writes the same files; nobody does for long.
const WAIT: Duration = Duration::from_secs(10);
/// Objects of plans that nobody applied are thrown away beyond this many.
const MOST_OBJECTS: usize = 50_000;

impl WritePlace {
    /// A file of this worktree; nothing when it was never kept.
    pub fn kept(&self, name: &str) -> Result<Option<Vec<u8>>, WriteError> {
        read(self.file(name))
    }

    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        write(&self.file(name), bytes)
    }

    /// A file that all worktrees of the clone share.
    pub fn shared(&self, name: &str) -> Result<Option<Vec<u8>>, WriteError> {
        read(self.shared_file(name))
    }

    pub fn share(&self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        write(&self.shared_file(name), bytes)
    }

    /// Runs `work` while no other becket runs any for this worktree.
    pub fn alone<T>(&self, work: impl FnOnce() -> T) -> Result<T, WriteError> {
        let _lock = self.lock_file("files-lock", WAIT)?;
        Ok(work())
    }

    /// Where snapshots that nobody committed yet have their objects.
    pub fn objects(&self) -> PathBuf {
        self.file("objects")
    }

    /// Throws the objects away once they are too many; true when it did. Snapshots of before are then gone.
    pub fn prune_objects(&self) -> bool {
        let Ok(folders) = fs_err::read_dir(self.objects()) else { return false };
        let count = |folder: PathBuf| fs_err::read_dir(folder).map_or(0, Iterator::count);
        let objects: usize = folders.flatten().map(|folder| count(folder.path())).sum();
        objects > MOST_OBJECTS && fs_err::remove_dir_all(self.objects()).is_ok()
    }

    fn shared_file(&self, name: &str) -> PathBuf {
        self.location.common_dir.join("becket").join("commit").join(name)
    }
}

fn read(path: PathBuf) -> Result<Option<Vec<u8>>, WriteError> {
    match fs_err::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(WriteError::Io { doing: "reading what was kept", source }),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let failed = WriteError::io("keeping a file");
    path.parent().map_or(Ok(()), fs_err::create_dir_all).map_err(&failed)?;
    write_durably(path, bytes).map_err(failed)
}
