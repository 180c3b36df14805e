//! Whether the repository changed since somebody asked to be told.
//!
//! What it is compared with is taken before a subscription is confirmed: a change right after it is never missed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use becket_engine::{Engine, RepositoryStamp};

#[derive(Debug, Default)]
pub(crate) struct Watch {
    last: Mutex<Option<RepositoryStamp>>,
}

impl Watch {
    /// Forgets what was before; for the first of several subscribers.
    pub(crate) fn begin(&self, engine: &Engine) {
        *self.lock() = engine.repository_stamp();
    }

    /// Whether there was a change since the last look.
    pub(crate) fn look(&self, engine: &Engine) -> bool {
        let stamp = engine.repository_stamp();
        let mut last = self.lock();
        let changed = *last != stamp;
        *last = stamp;
        changed
    }

    fn lock(&self) -> MutexGuard<'_, Option<RepositoryStamp>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
