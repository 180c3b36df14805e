//! The store on a PostgreSQL server, for teams and for agents on several machines. One database serves many
//! repositories, each in a schema of its own. Owns connections, their loss, and the dialect.
//!
//! Every writing transaction first locks the one row of its repository's `counter`. So writers come one after the other,
//! event ids are given in the order of commits, and a reader by cursor never passes one that commits late.

mod connection;
mod migration;
mod value;
mod watcher;

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::backend::{Backend, Watcher, Work};
use crate::clock::LeaseClock;
use crate::error::{Error, Result};
use crate::model::Description;
use crate::open::ServerAddress;
use crate::sql::TransactionExt;
use connection::{Failure, PostgresTransaction, Session};
use watcher::PostgresWatcher;

/// How long a lost server is looked for before a call gives up.
const PATIENCE: Duration = Duration::from_secs(5);
const FIRST_NAP: Duration = Duration::from_millis(20);
const LONGEST_NAP: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(crate) struct PostgresStore {
    address: ServerAddress,
    repository: String,
    schema: String,
    clock: Option<Arc<dyn LeaseClock>>,
    session: Mutex<Option<Session>>,
}

impl PostgresStore {
    pub(crate) fn open(
        address: &ServerAddress,
        repository: &str,
        clock: Option<Arc<dyn LeaseClock>>,
    ) -> Result<Self> {
        let schema = format!("becket_{}", &blake3::hash(repository.as_bytes()).to_hex()[..16]);
        let store = Self {
            address: address.clone(),
            repository: repository.to_owned(),
            schema,
            clock,
            session: Mutex::new(None),
        };
        let mut session = store.reconnect()?;
        migration::migrate(&mut session, &store.schema, repository, &store.address)?;
        *store.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
        Ok(store)
    }

    /// Tries until it works or patience ends.
    fn reconnect(&self) -> Result<Session> {
        let until = Instant::now() + PATIENCE;
        let mut nap = FIRST_NAP;
        loop {
            match Session::connect(&self.address, &self.schema) {
                Ok(session) => return Ok(session),
                Err(Failure::Lost(_)) if Instant::now() + nap < until => {
                    thread::sleep(nap);
                    nap = (nap * 2).min(LONGEST_NAP);
                }
                Err(failure) => return Err(failure.into_error(&self.address)),
            }
        }
    }

    /// A connection may have died since it was last used: that shows at the first statement, and nothing is lost by
    /// taking another. Whatever is lost later is told to the caller.
    fn transact(&self, begin: Begin, work: Work<'_>) -> Result<()> {
        let mut slot = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_fresh = false;
        loop {
            if slot.is_none() {
                *slot = Some(self.reconnect()?);
                is_fresh = true;
            }
            let Some(session) = slot.as_mut() else { continue };
            match PostgresTransaction::begin(session, begin, self.clock.as_deref(), &self.address) {
                Ok(transaction) => {
                    let finished = self.finish(transaction, begin, work);
                    if slot.as_ref().is_some_and(Session::is_closed) {
                        *slot = None;
                    }
                    return match finished {
                        Finished::Sure(result) => result,
                        Finished::Unsure(ticket) => self.find_out(&mut slot, &ticket),
                    };
                }
                Err(Failure::Lost(_)) if !is_fresh => *slot = None,
                Err(failure) => {
                    *slot = None;
                    return Err(failure.into_error(&self.address));
                }
            }
        }
    }

    fn finish(&self, mut transaction: PostgresTransaction<'_>, begin: Begin, work: Work<'_>) -> Finished {
        if let Err(error) = work(&mut transaction) {
            transaction.roll_back();
            return Finished::Sure(Err(error));
        }
        let ticket = transaction.ticket().to_owned();
        match transaction.commit(&self.schema) {
            Ok(()) => Finished::Sure(Ok(())),
            Err(Failure::Lost(_)) if begin == Begin::Write => Finished::Unsure(ticket),
            Err(failure) => Finished::Sure(Err(failure.into_error(&self.address))),
        }
    }

    /// The connection was lost between the commit and its answer. The server knows what became of it.
    fn find_out(&self, slot: &mut Option<Session>, ticket: &str) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        let unknown = || Error::Unavailable {
            detail: format!(
                "{} was lost while it committed, and whether it did is not known: repeat the call with its \
                 idempotency key",
                self.address
            ),
        };
        *slot = None;
        while Instant::now() < until {
            if slot.is_none() {
                *slot = Some(self.reconnect().map_err(|_| unknown())?);
            }
            match slot.as_mut().map(|session| session.fate(ticket)) {
                Some(Ok(Some(true))) => return Ok(()),
                Some(Ok(Some(false))) => {
                    let detail = format!("{} was lost, and nothing was done", self.address);
                    return Err(Error::Unavailable { detail });
                }
                Some(Ok(None)) => thread::sleep(FIRST_NAP),
                _ => *slot = None,
            }
        }
        Err(unknown())
    }
}

enum Finished {
    Sure(Result<()>),
    /// The name of a transaction whose commit was not answered.
    Unsure(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begin {
    Write,
    Read,
}

impl Backend for PostgresStore {
    fn write(&self, work: Work<'_>) -> Result<()> {
        self.transact(Begin::Write, work)
    }

    fn read(&self, work: Work<'_>) -> Result<()> {
        self.transact(Begin::Read, work)
    }

    fn watch(&self) -> Result<Box<dyn Watcher>> {
        Ok(Box::new(PostgresWatcher::new(&self.address, &self.schema)?))
    }

    fn is_read_only(&self) -> bool {
        false
    }

    fn describe(&self) -> Result<Description> {
        let mut read = None;
        self.read(&mut |transaction| {
            let worktrees = transaction.number("SELECT COUNT(*) FROM worktrees", &[])?;
            let rows = transaction.query("SELECT key, value FROM meta", &[])?;
            let mut meta = std::collections::BTreeMap::new();
            for row in &rows {
                meta.insert(row.text(0)?.to_owned(), row.text(1)?.to_owned());
            }
            read = Some((worktrees, meta));
            Ok(())
        })?;
        let (worktrees, mut meta) = read.ok_or_else(|| Error::unexpected("nothing was read"))?;
        Ok(Description {
            engine: "postgres",
            place: self.address.to_string(),
            schema_version: meta.get("schema_version").and_then(|text| text.parse().ok()).unwrap_or(0),
            stream: meta.remove("stream").unwrap_or_default(),
            repository: self.repository.clone(),
            read_only: false,
            bytes: None,
            journal_bytes: None,
            imported_from: None,
            worktrees: u64::try_from(worktrees).unwrap_or(0),
        })
    }
}
