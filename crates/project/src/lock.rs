//! One at a time, between processes: a file that the system locks, and unlocks by itself when its holder ends, however
//! it ends. Owns the lock; what it protects is the caller's.
#![allow(clippy::disallowed_methods, reason = "the owner of lock files")]

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fs_err::OpenOptions;

use crate::files;

const STEP: Duration = Duration::from_millis(5);

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("{} is held by another process", path.display())]
    Held { path: PathBuf },
    #[error("{} cannot be locked", path.display())]
    Failed { path: PathBuf, source: io::Error },
}

/// Held until it is dropped. The file stays: to remove it would let two hold it.
#[derive(Debug)]
pub struct FileLock {
    _file: File,
}

impl FileLock {
    /// Waits for its turn for as long as `patience`.
    pub fn take(path: &Path, patience: Duration) -> Result<Self, LockError> {
        let failed = |source| LockError::Failed { path: path.to_owned(), source };
        files::create_folder_of(path).map_err(failed)?;
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).write(true);
        let file = becket_fence::open(path, options).map_err(failed)?.into_parts().0;
        let deadline = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(STEP),
                Err(TryLockError::WouldBlock) => return Err(LockError::Held { path: path.to_owned() }),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
    }

    /// Whether somebody holds it now.
    pub fn is_held(path: &Path) -> bool {
        let Ok(file) = becket_fence::open(path, OpenOptions::new().write(true)) else { return false };
        matches!(file.file().try_lock(), Err(TryLockError::WouldBlock))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/lock");
        assert!(!FileLock::is_held(&path));
        let held = FileLock::take(&path, Duration::ZERO).unwrap();
        assert!(FileLock::is_held(&path));
        assert!(matches!(FileLock::take(&path, Duration::from_millis(20)), Err(LockError::Held { .. })));
        drop(held);
        assert!(!FileLock::is_held(&path));
        FileLock::take(&path, Duration::ZERO).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, elsewhere) = (folder.path().join("lock"), folder.path().join("elsewhere"));
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert!(matches!(FileLock::take(&path, Duration::ZERO), Err(LockError::Failed { .. })));
        assert!(!FileLock::is_held(&path) && !elsewhere.exists());
    }
}
