//! Being notified of commits by the server, over a connection of its own.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use super::connection::{Failure, Session};
use super::tls::Tls;
use crate::address::ServerAddress;
use crate::backend::Watcher;
use crate::error::Result;

/// How often a lost server is looked for.
const NAP: Duration = Duration::from_millis(200);

pub(crate) struct PostgresWatcher {
    address: ServerAddress,
    tls: Option<Tls>,
    schema: String,
    session: Option<Session>,
}

impl fmt::Debug for PostgresWatcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PostgresWatcher").field("address", &self.address).finish_non_exhaustive()
    }
}

impl PostgresWatcher {
    pub(crate) fn new(address: &ServerAddress, tls: Option<Tls>, schema: &str) -> Result<Self> {
        let session = listen(address, tls.as_ref(), schema).map_err(|failure| failure.into_error(address))?;
        Ok(Self { address: address.clone(), tls, schema: schema.to_owned(), session: Some(session) })
    }
}

impl Watcher for PostgresWatcher {
    /// A server that is away tells nothing; once it is back, something may have been missed.
    fn wait(&mut self, timeout: Duration) -> Result<bool> {
        let until = Instant::now() + timeout;
        let Some(session) = &mut self.session else {
            if let Ok(session) = listen(&self.address, self.tls.as_ref(), &self.schema) {
                self.session = Some(session);
                return Ok(true);
            }
            thread::sleep(timeout.min(NAP));
            return Ok(false);
        };
        let left = until.saturating_duration_since(Instant::now());
        if session.wait(left) {
            return Ok(true);
        }
        if session.is_closed() {
            self.session = None;
            return Ok(true);
        }
        Ok(false)
    }
}

fn listen(address: &ServerAddress, tls: Option<&Tls>, schema: &str) -> Result<Session, Failure> {
    let mut session = Session::connect(address, tls, schema)?;
    session.batch(&format!("LISTEN {schema}"))?;
    Ok(session)
}
