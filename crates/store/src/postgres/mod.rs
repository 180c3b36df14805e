//! The store on a PostgreSQL server, for teams and for agents on several machines. One database serves many
//! repositories, each in a schema of its own. Owns connections, their loss, and the dialect.
//!
//! Every writing transaction first takes its turn by a lock of the server that is kept until its end. So writers come one
//! after the other, event ids are given in the order of commits, and a reader by cursor never passes one that commits late.

mod connection;
mod migration;
mod opening;
mod tls;
mod transaction;
mod value;
mod watcher;
mod wire;

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::address::{ServerAddress, Trust};
use crate::backend::{Backend, Watcher, Work};
use crate::clock::LeaseClock;
use crate::error::{Error, Result};
use crate::model::{AgentId, Description};
use crate::sql::TransactionExt;
use connection::{Failure, Session};
use tls::Tls;
use transaction::PostgresTransaction;
use watcher::PostgresWatcher;

/// How long a lost server is looked for before a call gives up.
const PATIENCE: Duration = Duration::from_secs(5);
const FIRST_NAP: Duration = Duration::from_millis(20);
const LONGEST_NAP: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(crate) struct PostgresStore {
    address: ServerAddress,
    tls: Option<Tls>,
    repository: String,
    schema: String,
    clock: Option<Arc<dyn LeaseClock>>,
    slot: Mutex<Slot>,
}

/// The one connection of a process, or that there is none.
#[derive(Debug, Default)]
struct Slot {
    session: Option<Session>,
    /// When a search for the server was given up, and what it met: whoever waited for that search need not repeat it.
    given_up: Option<(Instant, String)>,
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
            tls: (address.trust() != Trust::Plain).then(|| Tls::new(address)).transpose()?,
            repository: repository.to_owned(),
            schema,
            clock,
            slot: Mutex::default(),
        };
        let mut session = store.reconnect(PATIENCE)?;
        migration::migrate(&mut session, &store.schema, repository, &store.address)?;
        store.slot.lock().unwrap_or_else(PoisonError::into_inner).session = Some(session);
        Ok(store)
    }

    /// Tries until it works or patience ends.
    fn reconnect(&self, patience: Duration) -> Result<Session> {
        let until = Instant::now() + patience;
        let mut nap = FIRST_NAP;
        loop {
            match Session::connect(&self.address, self.tls.as_ref(), &self.schema) {
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
    fn transact(&self, begin: Begin<'_>, patience: Duration, work: Work<'_>) -> Result<()> {
        let arrived = Instant::now();
        let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_fresh = false;
        let mut foresight = Foresight::Allowed;
        loop {
            if slot.session.is_none() {
                self.fill(&mut slot, arrived, patience)?;
                is_fresh = true;
            }
            let Some(session) = slot.session.as_mut() else { continue };
            match PostgresTransaction::begin(session, begin, foresight, self.clock.as_deref(), &self.address)
            {
                Ok(transaction) => {
                    let finished = self.finish(transaction, begin, work);
                    if slot.session.as_ref().is_some_and(Session::is_closed) {
                        slot.session = None;
                    }
                    return match finished {
                        Finished::Sure(result) => result,
                        Finished::Unsure(ticket) => self.find_out(&mut slot, &ticket),
                        Finished::Unfounded => {
                            foresight = Foresight::None;
                            continue;
                        }
                    };
                }
                Err(Failure::Lost(_)) if !is_fresh => slot.session = None,
                Err(failure) => {
                    slot.session = None;
                    return Err(failure.into_error(&self.address));
                }
            }
        }
    }

    fn fill(&self, slot: &mut Slot, arrived: Instant, patience: Duration) -> Result<()> {
        if let Some((_, detail)) = slot.given_up.as_ref().filter(|(when, _)| *when >= arrived) {
            return Err(Error::Unavailable { detail: detail.clone() });
        }
        match self.reconnect(patience) {
            Ok(session) => {
                *slot = Slot { session: Some(session), given_up: None };
                Ok(())
            }
            Err(error) => {
                if let Error::Unavailable { detail } = &error {
                    slot.given_up = Some((Instant::now(), detail.clone()));
                }
                Err(error)
            }
        }
    }

    fn finish(&self, mut transaction: PostgresTransaction<'_>, begin: Begin<'_>, work: Work<'_>) -> Finished {
        let worked = work(&mut transaction).and_then(|()| transaction.found());
        if transaction.is_unfounded() {
            transaction.roll_back();
            return Finished::Unfounded;
        }
        if let Err(error) = worked {
            transaction.roll_back();
            return Finished::Sure(Err(error));
        }
        let ticket = transaction.ticket();
        match transaction.commit(&self.schema) {
            Ok(()) => Finished::Sure(Ok(())),
            Err(Failure::Lost(_)) if begin != Begin::Read => Finished::Unsure(ticket),
            Err(failure) => Finished::Sure(Err(failure.into_error(&self.address))),
        }
    }

    /// The connection was lost between the commit and its answer. The server knows what became of it.
    fn find_out(&self, slot: &mut Slot, (ticket, began): &(String, String)) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        let unknown = || Error::Unsure { place: self.address.to_string() };
        slot.session = None;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(unknown());
            }
            if slot.session.is_none() {
                self.fill(slot, Instant::now(), left).map_err(|_| unknown())?;
            }
            let fate = slot.session.as_mut().map(|session| (session.fate(ticket), session.began == *began));
            match fate {
                Some((Ok(Some(true)), true)) => return Ok(()),
                // A server that fell gives the name of what it lost to another transaction.
                Some((Ok(Some(true)), false)) => return Err(unknown()),
                Some((Ok(Some(false)), _)) => {
                    let detail = format!("{} was lost, and nothing was done", self.address);
                    return Err(Error::Unavailable { detail });
                }
                Some((Ok(None), _)) => thread::sleep(FIRST_NAP),
                _ => slot.session = None,
            }
        }
    }
}

enum Finished {
    Sure(Result<()>),
    /// The name of a transaction whose commit was not answered, and the life of the server that it belongs to.
    Unsure((String, String)),
    /// Nothing was kept, because it did not begin as was expected.
    Unfounded,
}

/// Whether a transaction may begin by what the last one leads it to expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foresight {
    Allowed,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begin<'a> {
    /// By an agent that is asked for in the same exchange.
    Write(Option<&'a AgentId>),
    Read,
}

impl Backend for PostgresStore {
    fn write(&self, by: Option<&AgentId>, work: Work<'_>) -> Result<()> {
        self.transact(Begin::Write(by), PATIENCE, work)
    }

    fn write_at_once(&self, work: Work<'_>) -> Result<()> {
        self.transact(Begin::Write(None), Duration::ZERO, work)
    }

    fn read(&self, work: Work<'_>) -> Result<()> {
        self.transact(Begin::Read, PATIENCE, work)
    }

    fn read_at_once(&self, work: Work<'_>) -> Result<()> {
        self.transact(Begin::Read, Duration::ZERO, work)
    }

    fn watch(&self) -> Result<Box<dyn Watcher>> {
        Ok(Box::new(PostgresWatcher::new(&self.address, self.tls.clone(), &self.schema)?))
    }

    fn is_read_only(&self) -> bool {
        false
    }

    fn refusal(&self) -> Option<Error> {
        None
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
