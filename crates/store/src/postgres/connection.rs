//! One connection, and one transaction on it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use postgres::error::SqlState;
use postgres::types::ToSql;
use postgres::{Client, Config, NoTls, SimpleQueryMessage, Statement};

use super::Begin;
use super::value::from_row;
use crate::clock::{LeaseClock, Moment};
use crate::error::{Error, Result};
use crate::open::ServerAddress;
use crate::sql::{NewEvent, Row, Transaction, Value};

/// Statements that are kept prepared; lists of ids make new ones.
const STATEMENTS: usize = 300;

/// What goes wrong on a connection.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The server is gone, or does not listen yet.
    Lost(String),
    Refused(postgres::Error),
}

impl Failure {
    pub(crate) fn of(error: postgres::Error) -> Self {
        let shutting_down = [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::TOO_MANY_CONNECTIONS,
            SqlState::CONNECTION_EXCEPTION,
            SqlState::CONNECTION_FAILURE,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        ];
        match error.code() {
            Some(code) if !shutting_down.contains(code) => Self::Refused(error),
            _ => Self::Lost(whole(&error)),
        }
    }

    pub(crate) fn into_error(self, address: &ServerAddress) -> Error {
        match self {
            Self::Lost(detail) => Error::Unavailable { detail: format!("{address}: {detail}") },
            Self::Refused(error) => refused(&error, address),
        }
    }
}

fn refused(error: &postgres::Error, address: &ServerAddress) -> Error {
    let detail = format!("{address}: {}", whole(error));
    match error.code() {
        Some(code) if *code == SqlState::DISK_FULL => Error::Full { place: address.to_string() },
        Some(code) if *code == SqlState::READ_ONLY_SQL_TRANSACTION => {
            Error::ReadOnly { place: address.to_string() }
        }
        Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => {
            Error::Busy { place: address.to_string(), seconds: LOCK_SECONDS }
        }
        Some(code)
            if code.code().starts_with("28") || code.code().starts_with("3D") || code.code() == "42501" =>
        {
            Error::Unavailable { detail }
        }
        _ => Error::Unexpected { detail },
    }
}

/// The library tells its causes only when asked for each.
fn whole(error: &postgres::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

const LOCK_SECONDS: u64 = 30;

pub(crate) struct Session {
    pub(crate) client: Client,
    statements: BTreeMap<String, Statement>,
    /// Whether the server holds what transactions begin with.
    can_begin: bool,
}

impl fmt::Debug for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Session").field("statements", &self.statements.len()).finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn connect(address: &ServerAddress, schema: &str) -> Result<Self, Failure> {
        let mut config: Config = address.url().parse().map_err(Failure::Refused)?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(5));
        }
        config.keepalives_idle(Duration::from_secs(20));
        config.application_name("becket");
        let mut client = config.connect(NoTls).map_err(Failure::of)?;
        // A client that hangs in a transaction must not keep the others waiting for ever.
        let settings = format!(
            "SET search_path TO {schema}; SET synchronous_commit TO on; SET lock_timeout TO '{LOCK_SECONDS}s'; \
             SET idle_in_transaction_session_timeout TO '60s'; SET client_min_messages TO warning"
        );
        client.batch_execute(&settings).map_err(Failure::of)?;
        Ok(Self { client, statements: BTreeMap::new(), can_begin: false })
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    pub(crate) fn query(
        &mut self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<postgres::Row>, Failure> {
        let statement = self.prepare(sql)?;
        self.client.query(&statement, values).map_err(Failure::of)
    }

    fn execute(&mut self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<u64, Failure> {
        let statement = self.prepare(sql)?;
        self.client.execute(&statement, values).map_err(Failure::of)
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement, Failure> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        let statement = self.client.prepare(&numbered(sql)).map_err(Failure::of)?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Begins a transaction and tells its time, its name and the first expiry, all in one exchange: each statement still
    /// sees what was committed before it began.
    fn begin(&mut self, begin: Begin) -> Result<Opening, Failure> {
        if !self.can_begin {
            let prepare = format!(
                "PREPARE becket_write AS {OPENING}; PREPARE becket_read AS {LOOKING}; \
                 PREPARE becket_expiry (TEXT) AS {}",
                numbered(FIRST_EXPIRY)
            );
            self.client.batch_execute(&prepare).map_err(Failure::of)?;
            self.can_begin = true;
        }
        let (start, opening) = match begin {
            Begin::Write => ("BEGIN", "becket_write"),
            Begin::Read => ("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY", "becket_read"),
        };
        let told = self
            .client
            .simple_query(&format!("{start}; EXECUTE {opening}; EXECUTE becket_expiry('{SERVER}')"))
            .map_err(Failure::of)?;
        let mut rows = told.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        let gone = || Failure::Lost("the repository's counter is gone".to_owned());
        let opened = rows.next().filter(|row| row.len() == 2).ok_or_else(gone)?;
        let tick = opened.get(0).and_then(|text| text.parse().ok()).ok_or_else(gone)?;
        let ticket = opened.get(1).unwrap_or_default().to_owned();
        let first_expiry = rows.next().and_then(|row| row.get(0)).and_then(|text| text.parse().ok());
        Ok(Opening { tick, ticket, first_expiry })
    }

    /// What became of a transaction: committed, not, or still under way.
    pub(crate) fn fate(&mut self, ticket: &str) -> Result<Option<bool>, Failure> {
        let rows = self.query("SELECT pg_xact_status(CAST(CAST(?1 AS TEXT) AS xid8))", &[&ticket])?;
        let status: Option<String> = rows.first().and_then(|row| row.get(0));
        Ok(match status.as_deref() {
            Some("committed") => Some(true),
            Some("in progress") => None,
            _ => Some(false),
        })
    }
}

/// `?1` of the rules is `$1` here.
fn numbered(sql: &str) -> String {
    let mut text = String::with_capacity(sql.len());
    let mut letters = sql.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_place = letter == '?' && letters.peek().is_some_and(char::is_ascii_digit);
        text.push(if is_place { '$' } else { letter });
    }
    text
}

/// Wins the lock before it reads the time: the outer row is made after the inner one was locked.
const OPENING: &str = "WITH locked AS MATERIALIZED (SELECT last_event FROM counter FOR UPDATE) \
     SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT), CAST(pg_current_xact_id() AS TEXT) FROM locked";
/// The epoch of leases that count on the server's time.
const SERVER: &str = "server";
const LOOKING: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT), ''";
const FIRST_EXPIRY: &str = "SELECT MIN(CASE WHEN clock_epoch = ?1 THEN expires_tick \
     ELSE -9223372036854775807 END) FROM leases WHERE agent_id IS NOT NULL";

struct Opening {
    tick: i64,
    ticket: String,
    first_expiry: Option<i64>,
}

pub(crate) struct PostgresTransaction<'a> {
    session: &'a mut Session,
    address: &'a ServerAddress,
    moment: Moment,
    first_expiry: Option<i64>,
    ticket: String,
    has_events: bool,
}

impl<'a> PostgresTransaction<'a> {
    pub(crate) fn begin(
        session: &'a mut Session,
        begin: Begin,
        clock: Option<&dyn LeaseClock>,
        address: &'a ServerAddress,
    ) -> Result<Self, Failure> {
        let opened = (|| {
            let Opening { tick, ticket, first_expiry } = session.begin(begin)?;
            let Some(clock) = clock else {
                let wall = becket_base::Timestamp::from_millisecond(tick).unwrap_or_default();
                return Ok((Moment { wall, tick, epoch: Arc::from(SERVER) }, ticket, first_expiry));
            };
            let moment = clock.now();
            let rows = session.query(FIRST_EXPIRY, &[&&*moment.epoch])?;
            let first_expiry = rows.first().and_then(|row| row.get(0));
            Ok((moment, ticket, first_expiry))
        })();
        match opened {
            Ok((moment, ticket, first_expiry)) => {
                Ok(Self { session, address, moment, first_expiry, ticket, has_events: false })
            }
            Err(failure) => {
                let _ = session.client.batch_execute("ROLLBACK");
                Err(failure)
            }
        }
    }

    /// By which the server can be asked what became of it.
    pub(crate) fn ticket(&self) -> &str {
        &self.ticket
    }

    pub(crate) fn commit(self, channel: &str) -> Result<(), Failure> {
        let end = if self.has_events { format!("NOTIFY {channel}; COMMIT") } else { "COMMIT".to_owned() };
        self.session.client.batch_execute(&end).map_err(Failure::of)
    }

    pub(crate) fn roll_back(self) {
        if let Err(error) = self.session.client.batch_execute("ROLLBACK") {
            tracing::debug!(%error, "the server rolls back by itself what it lost");
        }
    }
}

impl Transaction for PostgresTransaction<'_> {
    fn moment(&self) -> &Moment {
        &self.moment
    }

    fn first_expiry(&self) -> Option<i64> {
        self.first_expiry
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        let done = self.session.execute(sql, &borrowed(values));
        done.map_err(|failure| failure.into_error(self.address))
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        let rows = self.session.query(sql, &borrowed(values));
        let rows = rows.map_err(|failure| failure.into_error(self.address))?;
        rows.iter().map(from_row).collect()
    }

    fn append(&mut self, event: &NewEvent<'_>) -> Result<i64> {
        let values = event.values(&self.moment);
        self.has_events = true;
        let rows = self.query(
            "WITH counted AS (UPDATE counter SET last_event = last_event + 1 RETURNING last_event) \
             INSERT INTO events (id, created_at, type, actor_agent_id, task_id, target_agent_id, payload_json, \
             correlation_id) SELECT last_event, CAST(?1 AS TEXT), CAST(?2 AS TEXT), CAST(?3 AS TEXT), CAST(?4 AS TEXT), \
             CAST(?5 AS TEXT), CAST(?6 AS TEXT), CAST(?7 AS TEXT) FROM counted RETURNING id",
            &values,
        )?;
        rows.first().ok_or_else(|| Error::unexpected("an event got no id"))?.integer(0)
    }

    /// The server counts by itself only after a while; until then it would choose the wrong index.
    fn definitions_were_imported(&mut self) -> Result<()> {
        let analyzed = self.session.client.batch_execute("ANALYZE definitions, labels, dependencies, tasks");
        analyzed.map_err(|error| Failure::of(error).into_error(self.address))
    }

    fn events_were_imported(&mut self) -> Result<()> {
        self.execute(
            "UPDATE counter SET last_event = GREATEST(last_event, (SELECT COALESCE(MAX(id), 0) FROM events))",
            &[],
        )?;
        Ok(())
    }
}

fn borrowed(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn places_are_spelled_as_the_server_wants_them() {
        assert_eq!(numbered("a = ?1 AND b = ?12 OR '?'"), "a = $1 AND b = $12 OR '?'");
    }
}
