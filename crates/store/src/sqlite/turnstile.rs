//! Whose turn it is to write. SQLite's own waiting starves: a process that has just written finds the lock free before
//! any sleeper wakes. Here a writer first stands in a queue of one place, and whoever holds that place is the next to
//! write, so the one who has just written must stand behind it.
//!
//! Owns fairness alone. That two never write at once is SQLite's own lock to hold: should the lock files be deleted
//! under a running process, only the order suffers.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::identity::Stat;
use super::opening::{beside, beside_named};
use crate::error::{Error, Result};

/// Between two looks of the one who writes next: short against a flush, because meanwhile nobody writes.
const NAP: Duration = Duration::from_micros(25);
/// Between two looks of those behind it: the longer they wait the shorter, so that who came first is likely to be first and
/// a crowd does not burn the core that the writer needs.
const LONGEST_NAP: Duration = Duration::from_micros(400);
const SHORTEST_NAP: Duration = Duration::from_micros(20);

#[derive(Debug)]
pub(crate) struct Turnstile {
    queue: File,
    writer: File,
    database: PathBuf,
}

/// How many times somebody waits as long again, as long as others still write: in a fair order its turn comes, however slow the
/// disk is. Who waits for ever helps nobody.
const AGAIN: u32 = 4;

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
        Ok(Self { queue: open("queue.lock")?, writer: open("writer.lock")?, database: database.to_owned() })
    }

    pub(crate) fn enter(&self, patience_seconds: u64) -> Result<Turn<'_>> {
        let arrived = Instant::now();
        let mut patience = Patience::of(Duration::from_secs(patience_seconds));
        let busy = || Error::Busy { place: self.place(), seconds: patience_seconds };
        if !self.take(&self.queue, &mut patience, || behind(arrived.elapsed()))? {
            return Err(busy());
        }
        let queued = Turn(&self.queue);
        let punctual = Punctual::new();
        if !self.take(&self.writer, &mut patience, || NAP)? {
            return Err(busy());
        }
        drop(punctual);
        drop(queued);
        Ok(Turn(&self.writer))
    }

    fn take(&self, file: &File, patience: &mut Patience, nap: impl Fn() -> Duration) -> Result<bool> {
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(true),
                Err(TryLockError::WouldBlock) if patience.is_over(self) => return Ok(false),
                Err(TryLockError::WouldBlock) => thread::sleep(nap()),
                Err(TryLockError::Error(source)) => {
                    return Err(Error::File { path: self.place(), source });
                }
            }
        }
    }

    fn place(&self) -> String {
        self.database.display().to_string()
    }

    /// Another whenever somebody has written.
    fn trace(&self) -> (Stat, Stat) {
        (Stat::of(&self.database), Stat::of(&beside(&self.database, "-wal")))
    }
}

/// Sleeps of this thread end when they should, until dropped. By itself a system gathers what is due within some 50 µs, which
/// is twice as long as the sleep.
#[cfg(any(target_os = "linux", target_os = "android"))]
struct Punctual;

#[cfg(any(target_os = "linux", target_os = "android"))]
impl Punctual {
    fn new() -> Self {
        _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1_000));
        Self
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
impl Drop for Punctual {
    fn drop(&mut self) {
        _ = rustix::thread::set_current_timer_slack(None);
    }
}

/// Elsewhere sleeps are as they are.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
struct Punctual;

#[cfg(not(any(target_os = "linux", target_os = "android")))]
impl Punctual {
    fn new() -> Self {
        Self
    }
}

#[derive(Debug)]
struct Patience {
    each: Duration,
    until: Instant,
    /// From when it first had to wait.
    trace: Option<(Stat, Stat)>,
    again: u32,
}

impl Patience {
    fn of(each: Duration) -> Self {
        Self { each, until: Instant::now() + each, trace: None, again: AGAIN }
    }

    fn is_over(&mut self, turnstile: &Turnstile) -> bool {
        let Some(seen) = &self.trace else {
            self.trace = Some(turnstile.trace());
            return self.each.is_zero();
        };
        if Instant::now() < self.until {
            return false;
        }
        let trace = turnstile.trace();
        if self.again == 0 || trace == *seen {
            return true;
        }
        (self.until, self.trace, self.again) = (Instant::now() + self.each, Some(trace), self.again - 1);
        false
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

    #[test]
    fn whoever_waits_gives_up_only_when_nobody_writes_any_more() {
        let folder = tempfile::TempDir::new().unwrap();
        let database = folder.path().join("runtime.sqlite");
        std::fs::write(&database, "1").unwrap();
        let turnstile = Turnstile::open(&database).unwrap();
        let each = Duration::from_millis(1);
        let mut patience = Patience::of(each);
        let mut is_over = |content: &str| {
            std::fs::write(&database, content).unwrap();
            patience.until = Instant::now();
            patience.is_over(&turnstile)
        };
        assert!(!is_over("1"), "it looks once at least");
        for content in ["22", "333", "4444", "55555"] {
            assert!(!is_over(content), "somebody wrote {content}");
        }
        assert!(is_over("666666"), "not for ever");
        let mut quiet = Patience::of(each);
        assert!(!quiet.is_over(&turnstile));
        quiet.until = Instant::now();
        assert!(quiet.is_over(&turnstile), "nobody wrote");
    }
}
