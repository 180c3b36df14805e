//! Whose turn it is to write. SQLite's own waiting starves: a process that has just written finds the lock free before
//! any sleeper wakes. Here a writer first stands in a queue of one place, and whoever holds that place is the next to
//! write, so the one who has just written must stand behind it.
//!
//! Owns fairness alone. That two never write at once is SQLite's own lock to hold: should the lock files be deleted
//! under a running process, only the order suffers.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::opening::beside_named;
use crate::error::{Error, Result};

/// Long enough not to burn a core while waiting, short against a flush.
const NAP: Duration = Duration::from_micros(100);

#[derive(Debug)]
pub(crate) struct Turnstile {
    queue: File,
    writer: File,
    place: String,
}

/// The turn to write, until dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a>(&'a File);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::warn!(%error, "the turn to write could not be given back");
        }
    }
}

impl Turnstile {
    pub(crate) fn open(database: &Path) -> std::io::Result<Self> {
        let open = |name| {
            OpenOptions::new().create(true).truncate(false).write(true).open(beside_named(database, name))
        };
        let place = database.display().to_string();
        Ok(Self { queue: open("queue.lock")?, writer: open("writer.lock")?, place })
    }

    pub(crate) fn enter(&self, patience_seconds: u64) -> Result<Turn<'_>> {
        let until = Instant::now() + Duration::from_secs(patience_seconds);
        let busy = || Error::Busy { place: self.place.clone(), seconds: patience_seconds };
        if !self.take(&self.queue, until)? {
            return Err(busy());
        }
        let queued = Turn(&self.queue);
        if !self.take(&self.writer, until)? {
            return Err(busy());
        }
        drop(queued);
        Ok(Turn(&self.writer))
    }

    fn take(&self, file: &File, until: Instant) -> Result<bool> {
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(true),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => return Ok(false),
                Err(TryLockError::WouldBlock) => thread::sleep(NAP),
                Err(TryLockError::Error(source)) => {
                    return Err(Error::File { path: self.place.clone(), source });
                }
            }
        }
    }
}
