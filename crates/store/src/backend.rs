//! What a database has to offer so that the rules can run on it. One implementation per folder: `sqlite`, `postgres`.

use std::fmt::Debug;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::model::{AgentId, Description};
use crate::sql::Transaction;

/// What is done in one transaction. It may be run again from the start when nothing of it was kept.
pub(crate) type Work<'a> = &'a mut dyn FnMut(&mut dyn Transaction) -> Result<()>;

pub(crate) trait Backend: Debug + Send + Sync {
    /// All of `work`, alone among the writers of the repository and durable when this returns, or nothing of it. `by` is
    /// whom the work will ask for first, if it is known.
    fn write(&self, by: Option<&AgentId>, work: Work<'_>) -> Result<()>;

    /// As `write`, for a caller that keeps others waiting: a server that is away is not waited for.
    fn write_at_once(&self, work: Work<'_>) -> Result<()> {
        self.write(None, work)
    }

    /// One consistent look.
    fn read(&self, work: Work<'_>) -> Result<()>;

    /// As `read`, for a caller that keeps others waiting.
    fn read_at_once(&self, work: Work<'_>) -> Result<()> {
        self.read(work)
    }

    /// On a connection of its own, so that waiting keeps nobody else from working.
    fn watch(&self) -> Result<Box<dyn Watcher>>;

    /// Changes of users cannot be kept; what is mirrored from files still can, for as long as the process lives.
    fn is_read_only(&self) -> bool;

    /// Whether what is mirrored from files can go on without room on the disk, after a write that met none.
    fn make_do(&self) -> Result<bool> {
        Ok(false)
    }

    /// Why a change would not be kept, if it would not. Looks again where that may have changed.
    fn refusal(&self) -> Option<Error>;

    fn describe(&self) -> Result<Description>;
}

pub(crate) trait Watcher: Debug + Send {
    /// Whether anybody has committed something since the last call. Waits no longer than `timeout`.
    fn wait(&mut self, timeout: Duration) -> Result<bool>;
}
