//! What a becket that died has left in a worktree, for one who only looks. It changes nothing; `recover` does.

use std::path::PathBuf;

use super::error::WriteError;
use super::journal::{Operation, Phase};
use super::place::{IndexLock, WritePlace, lock_path};

/// An operation that was begun and not ended, or what is left of one.
#[derive(Debug, Clone, PartialEq)]
pub enum Unfinished {
    /// Its writer, or a git that this one had started, is still at it.
    UnderWay(Box<Operation>),
    /// Nobody is at it. Commits may have been made, and are taken back by whoever ends it.
    Begun(Box<Operation>),
    /// All was made; whoever ends it does the last steps.
    Finishing(Box<Operation>),
    /// Nothing but the lock on the index.
    Lock(PathBuf),
}

impl WritePlace {
    pub fn unfinished(&self) -> Result<Option<Unfinished>, WriteError> {
        let lock = lock_path(&self.index);
        let look = || Ok::<_, WriteError>((self.journal()?, IndexLock::is_ours(&lock)));
        let before = look()?;
        let held = self.is_held();
        let found = look()?;
        // Who began or ended meanwhile is no dead one.
        let under_way = held || found != before;
        let (journal, is_locked) = found;
        let Some(journal) = journal else {
            return Ok((is_locked && !under_way).then_some(Unfinished::Lock(lock)));
        };
        let operation = Box::new(journal.operation);
        Ok(Some(match journal.phase {
            _ if under_way => Unfinished::UnderWay(operation),
            Phase::Begun { .. } => Unfinished::Begun(operation),
            Phase::Finishing { .. } => Unfinished::Finishing(operation),
        }))
    }

    /// Whether somebody holds the lock of the worktree. Nothing is made to find out, also where nothing may be written.
    fn is_held(&self) -> bool {
        let Ok(file) = fs_err::File::open(self.file("lock")) else { return false };
        matches!(file.into_file().try_lock_shared(), Err(std::fs::TryLockError::WouldBlock))
    }
}
