//! The store in one file, `runtime.sqlite`, shared by all processes of a machine. Owns that file, its locks and its
//! dialect: WAL, flushed at every commit, one writer at a time in a fair order.

#![allow(clippy::disallowed_methods, reason = "it owns the files of the store")]

mod connection;
mod identity;
mod opening;
mod original;
mod repair;
mod turnstile;
mod watcher;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use repair::{Repair, check, repair};

use crate::backend::{Backend, Watcher, Work};
use crate::clock::{LeaseClock, MachineClock};
use crate::error::{Error, Result};
use crate::model::Description;
use crate::sql::{Transaction, TransactionExt};
use connection::SqliteTransaction;
use opening::Opened;
use watcher::SqliteWatcher;

/// How long a writer waits for its turn.
const PATIENCE_SECONDS: u64 = 30;

#[derive(Debug)]
pub(crate) struct SqliteStore {
    path: PathBuf,
    repository: String,
    clock: Arc<dyn LeaseClock>,
    opened: Mutex<Opened>,
}

impl SqliteStore {
    pub(crate) fn open(path: &Path, repository: &str, clock: Option<Arc<dyn LeaseClock>>) -> Result<Self> {
        let clock = clock.unwrap_or_else(|| Arc::new(MachineClock::new()));
        let opened = Opened::open(path, repository, &*clock)?;
        Ok(Self {
            path: path.to_owned(),
            repository: repository.to_owned(),
            clock,
            opened: Mutex::new(opened),
        })
    }

    /// The file may have been removed or replaced under a running process: then it is opened (and made) again.
    fn with<T>(&self, work: impl FnOnce(&mut Opened) -> Result<T>) -> Result<T> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if !opened.is_current(&self.path) {
            *opened = Opened::open(&self.path, &self.repository, &*self.clock)?;
        }
        work(&mut opened)
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }
}

impl Backend for SqliteStore {
    fn write(&self, work: Work<'_>) -> Result<()> {
        self.with(|opened| {
            let _turn = opened.enter(PATIENCE_SECONDS)?;
            opened.transact("BEGIN IMMEDIATE", &*self.clock, work)
        })
    }

    fn read(&self, work: Work<'_>) -> Result<()> {
        self.with(|opened| opened.transact("BEGIN", &*self.clock, work))
    }

    fn watch(&self) -> Result<Box<dyn Watcher>> {
        Ok(Box::new(SqliteWatcher::new(&self.path)))
    }

    fn is_read_only(&self) -> bool {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).is_read_only()
    }

    fn describe(&self) -> Result<Description> {
        let mut read = None;
        self.read(&mut |transaction| {
            let worktrees = transaction.number("SELECT COUNT(*) FROM worktrees", &[])?;
            let meta = |transaction: &mut dyn Transaction, key: &str| {
                let row = transaction.one("SELECT value FROM meta WHERE key = ?1", &[key.into()])?;
                Ok::<Option<String>, Error>(row.map(|row| row.owned(0)).transpose()?.flatten())
            };
            let version = meta(transaction, "schema_version")?;
            read = Some((
                worktrees,
                version.and_then(|text| text.parse().ok()).unwrap_or(0),
                meta(transaction, "stream")?.unwrap_or_default(),
                meta(transaction, "imported_from")?,
            ));
            Ok(())
        })?;
        let (worktrees, schema_version, stream, imported_from) =
            read.ok_or_else(|| Error::unexpected("nothing was read"))?;
        let length = |path: &Path| fs_err::metadata(path).ok().map(|metadata| metadata.len());
        Ok(Description {
            engine: "sqlite",
            place: self.place(),
            schema_version,
            stream,
            repository: self.repository.clone(),
            read_only: self.is_read_only(),
            bytes: length(&self.path),
            journal_bytes: length(&opening::beside(&self.path, "-wal")),
            imported_from,
            worktrees: u64::try_from(worktrees).unwrap_or(0),
        })
    }
}

impl Opened {
    fn transact(&self, begin: &str, clock: &dyn LeaseClock, work: Work<'_>) -> Result<()> {
        let place = self.place.clone();
        let mut transaction =
            SqliteTransaction::begin(&self.connection, begin, clock, &place, self.is_copy())?;
        match work(&mut transaction) {
            Ok(()) => transaction.commit(),
            Err(error) => {
                transaction.roll_back();
                Err(error)
            }
        }
    }
}
