//! What lasts as long as one connection: its log level, the snapshots that it took, and its end.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::log_level::Level;

static NEXT: AtomicU64 = AtomicU64::new(1);

/// Of more no one is compared with the first.
const MOST_SNAPSHOTS: usize = 64;

/// One connection of the handshake era, or one request of the stateless era.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: u64,
    /// Cancelled when the connection or the server is about to end: long waits stop.
    pub(crate) closing: CancellationToken,
    level: AtomicU8,
    /// The newest last.
    snapshots: Mutex<Vec<String>>,
}

impl Session {
    pub(crate) fn new(closing: CancellationToken) -> Self {
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            closing,
            level: AtomicU8::new(Level::Info as u8),
            snapshots: Mutex::default(),
        }
    }

    pub(crate) fn took(&self, snapshot: String) {
        let mut snapshots = self.snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        if snapshots.len() == MOST_SNAPSHOTS {
            snapshots.remove(0);
        }
        snapshots.push(snapshot);
    }

    pub(crate) fn snapshots(&self) -> Vec<String> {
        self.snapshots.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn level(&self) -> Level {
        const LEVELS: [Level; 8] = [
            Level::Debug,
            Level::Info,
            Level::Notice,
            Level::Warning,
            Level::Error,
            Level::Critical,
            Level::Alert,
            Level::Emergency,
        ];
        LEVELS.get(usize::from(self.level.load(Ordering::Relaxed))).copied().unwrap_or(Level::Info)
    }

    pub(crate) fn set_level(&self, level: Level) {
        self.level.store(level as u8, Ordering::Relaxed);
    }
}
