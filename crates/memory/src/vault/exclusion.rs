//! One writer at a time, over all processes and worktrees of a clone: a lock that the system drops when its holder dies.

use std::{
    fs::{File, TryLockError},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use fs_err as fs;

use super::VaultError;

/// Held until dropped.
#[derive(Debug)]
pub(super) struct Exclusion {
    _file: File,
}

const PATIENCE: Duration = Duration::from_secs(20);
/// Short and never growing: a back-off starves whoever came first.
const PAUSE: Duration = Duration::from_micros(300);

impl Exclusion {
    pub(super) fn take(state: &Path) -> Result<Self, VaultError> {
        let path = state.join("lock");
        let failed = |source| VaultError::Write { path: path.clone(), source };
        becket_fence::cache::create_folder(state).map_err(failed)?;
        let mut options = fs::OpenOptions::new();
        let options = options.create(true).truncate(false).write(true);
        let file: File = becket_fence::open(&path, options).map_err(failed)?.into_parts().0;
        let deadline = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(VaultError::Busy { path });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        }
    }
}
