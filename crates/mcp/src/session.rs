//! What lasts as long as one connection: its log level and its end.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use tokio_util::sync::CancellationToken;

use crate::log_level::Level;

static NEXT: AtomicU64 = AtomicU64::new(1);

/// One connection of the handshake era, or one request of the stateless era.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: u64,
    /// Cancelled when the connection or the server is about to end: long waits stop.
    pub(crate) closing: CancellationToken,
    level: AtomicU8,
}

impl Session {
    pub(crate) fn new(closing: CancellationToken) -> Self {
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), closing, level: AtomicU8::new(Level::Info as u8) }
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
