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

/// Between two looks of the one who writes next: short against a flush.
const NAP: Duration = Duration::from_micros(80);
/// Between two looks of those behind it: the longer they wait the shorter, so that who came first is likely to be first and
/// a crowd does not burn the core that the writer needs.
const LONGEST_NAP: Duration = Duration::from_micros(400);
const SHORTEST_NAP: Duration = Duration::from_micros(20);

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
        let arrived = Instant::now();
        let until = arrived + Duration::from_secs(patience_seconds);
        let busy = || Error::Busy { place: self.place.clone(), seconds: patience_seconds };
        if !self.take(&self.queue, until, || behind(arrived.elapsed()))? {
            return Err(busy());
        }
        let queued = Turn(&self.queue);
        if !self.take(&self.writer, until, || NAP)? {
            return Err(busy());
        }
        drop(queued);
        Ok(Turn(&self.writer))
    }

    fn take(&self, file: &File, until: Instant, nap: impl Fn() -> Duration) -> Result<bool> {
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(true),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => return Ok(false),
                Err(TryLockError::WouldBlock) => thread::sleep(nap()),
                Err(TryLockError::Error(source)) => {
                    return Err(Error::File { path: self.place.clone(), source });
                }
            }
        }
    }
}

/// 400 µs for whoever has just come, 120 µs after four milliseconds, 20 µs after ten.
fn behind(waited: Duration) -> Duration {
    let waited = waited.as_secs_f64() * 1e3;
    Duration::from_secs_f64(2e-3 / (0.5 + waited * waited)).clamp(SHORTEST_NAP, LONGEST_NAP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_longer_looks_more_often() {
        let naps: Vec<Duration> = (0..40).map(|half| behind(Duration::from_micros(half * 500))).collect();
        assert!(naps.is_sorted_by(|sooner, later| sooner >= later), "{naps:?}");
        assert_eq!((naps[0], naps[39]), (LONGEST_NAP, SHORTEST_NAP));
        assert_eq!(behind(Duration::from_secs(30)), SHORTEST_NAP);
    }
}
