//! One connection: how it is made, how a transaction begins on it, and what its loss means.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::time::Duration;

use postgres::config::{Host, SslMode};
use postgres::error::SqlState;
use postgres::types::ToSql;
use postgres::{Client, Config, NoTls, SimpleQueryMessage, Statement};

use super::Begin;
use super::tls::{Tls, is_distrust};
use super::value::{literal, write_line};
use crate::address::ServerAddress;
use crate::error::{Error, Result};
use crate::model::AgentId;
use crate::sql::{Seen, Value};

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
            None if is_distrust(&error) => Self::Refused(error),
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
        None => Error::Unavailable { detail },
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
    /// The number by which the repository's writers take turns.
    turn: i64,
}

impl fmt::Debug for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Session").field("statements", &self.statements.len()).finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn connect(address: &ServerAddress, tls: Option<&Tls>, schema: &str) -> Result<Self, Failure> {
        let mut config: Config = address.url().parse().map_err(Failure::Refused)?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(5));
        }
        config.keepalives_idle(Duration::from_secs(20));
        config.application_name("becket");
        let mut client = match tls {
            Some(tls) if config.get_hosts().iter().any(is_remote) => config.connect(tls.clone()),
            // Nobody listens in on a socket of the machine, and no server encrypts it.
            _ => config.ssl_mode(SslMode::Disable).connect(NoTls),
        }
        .map_err(Failure::of)?;
        // A client that hangs in a transaction must not keep the others waiting for ever.
        let settings = format!(
            "SET search_path TO {schema}; SET synchronous_commit TO on; SET standard_conforming_strings TO on; SET lock_timeout TO '{LOCK_SECONDS}s'; \
             SET idle_in_transaction_session_timeout TO '60s'; SET client_min_messages TO warning"
        );
        client.batch_execute(&settings).map_err(Failure::of)?;
        let digest = blake3::hash(schema.as_bytes());
        let turn = digest.as_bytes().first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes));
        Ok(Self { client, statements: BTreeMap::new(), can_begin: false, turn })
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

    pub(super) fn execute(&mut self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<u64, Failure> {
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
    pub(super) fn begin(&mut self, begin: Begin<'_>) -> Result<Opening, Failure> {
        if !self.can_begin {
            self.prepare_beginnings()?;
        }
        let by = match begin {
            Begin::Write(by) => by,
            Begin::Read => None,
        };
        let exchange = match begin {
            Begin::Write(_) => {
                let agent = by.map_or(Value::Null, |agent| agent.as_str().into());
                format!("BEGIN; EXECUTE becket_turn; EXECUTE becket_write({})", literal(&agent))
            }
            Begin::Read => {
                "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; EXECUTE becket_read".to_owned()
            }
        };
        let told = self.client.simple_query(&exchange).map_err(Failure::of)?;
        // The row of the turn itself says nothing.
        let row = told.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) if row.len() > 1 => Some(row),
            _ => None,
        });
        let gone = || Failure::Lost("the repository's counter is gone".to_owned());
        let row = row.ok_or_else(gone)?;
        let text = |column: usize| row.try_get(column).ok().flatten().map(str::to_owned);
        let number = |column: usize| text(column).and_then(|text| text.parse::<i64>().ok());
        let seen = number(5).zip(text(6)).zip(text(7)).map(|((tick, epoch), wall)| Seen {
            tick,
            epoch,
            wall,
            has_left: text(8).is_some(),
        });
        Ok(Opening {
            tick: number(0).ok_or_else(gone)?,
            first_expiry: number(1).ok_or_else(gone)?,
            clock_epoch: text(2).unwrap_or_default(),
            ticket: text(3).unwrap_or_default(),
            last_event: number(4).unwrap_or(0),
            caller: by.map(|agent| (agent.clone(), seen)),
        })
    }

    /// Without places, or with few, a statement is planned once: planning costs more than these do.
    fn prepare_beginnings(&mut self) -> Result<(), Failure> {
        let event = numbered(EVENT);
        let prepare = format!(
            "PREPARE becket_turn AS {}; \
             PREPARE becket_read AS SELECT {NOW}, first_expiry, clock_epoch FROM counter; \
             PREPARE becket_write (TEXT) AS SELECT {NOW}, c.first_expiry, c.clock_epoch, \
             CAST(pg_current_xact_id() AS TEXT), c.last_event, a.last_seen_tick, a.clock_epoch, a.last_seen_at, \
             a.left_at FROM counter c LEFT JOIN agents a ON a.agent_id = $1; \
             PREPARE becket_event (BIGINT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT) AS {event}; \
             PREPARE becket_last (BIGINT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, BIGINT) AS \
             WITH counted AS ({}) {event}",
            TURN.replace("?1", &self.turn.to_string()),
            numbered(&COUNTED.replace("?2", "?9")),
        );
        self.client.batch_execute(&prepare).map_err(Failure::of)?;
        self.can_begin = true;
        Ok(())
    }

    pub(super) fn copy(&mut self, into: &str, rows: &[Vec<Value>]) -> Result<(), Failure> {
        let lost = |error: std::io::Error| match error.downcast::<postgres::Error>() {
            Ok(error) => Failure::of(error),
            Err(error) => Failure::Lost(error.to_string()),
        };
        let mut writer = self.client.copy_in(&format!("COPY {into} FROM STDIN")).map_err(Failure::of)?;
        let mut lines = Vec::new();
        for chunk in rows.chunks(500) {
            lines.clear();
            for row in chunk {
                write_line(row, &mut lines);
            }
            writer.write_all(&lines).map_err(lost)?;
        }
        writer.finish().map_err(Failure::of)?;
        Ok(())
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

#[cfg(unix)]
fn is_remote(host: &Host) -> bool {
    matches!(host, Host::Tcp(_))
}

/// There is no other kind.
#[cfg(not(unix))]
fn is_remote(_: &Host) -> bool {
    true
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

/// The turn to write, until the end of the transaction. Such locks are handed from one to the next in the order in which
/// they were asked for; that of a row goes to whoever is quickest, which is whoever has just given it back.
const TURN: &str = "SELECT CAST(pg_advisory_xact_lock(CAST(?1 AS BIGINT)) AS TEXT)";
/// Asked in a statement of its own after the turn was won: that one sees what was committed before.
const NOW: &str = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
/// The epoch of leases that count on the server's time.
pub(super) const SERVER: &str = "server";
pub(super) const EVENT: &str = "INSERT INTO events (id, created_at, type, actor_agent_id, task_id, target_agent_id, payload_json, \
     correlation_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
pub(super) const COUNTED: &str =
    "UPDATE counter SET last_event = ?1, first_expiry = LEAST(first_expiry, CAST(?2 AS BIGINT))";
/// No live lease ends before it; one that was given back may leave it too early, and then this is asked once more.
pub(super) const FIRST_EXPIRY: &str = "UPDATE counter SET clock_epoch = ?1, first_expiry = COALESCE((SELECT \
     MIN(expires_tick) FROM leases WHERE agent_id IS NOT NULL AND clock_epoch = ?1), 9223372036854775807)";

pub(super) struct Opening {
    pub(super) tick: i64,
    pub(super) ticket: String,
    pub(super) last_event: i64,
    pub(super) first_expiry: i64,
    /// The clock that the first expiry counts on.
    pub(super) clock_epoch: String,
    pub(super) caller: Option<(AgentId, Option<Seen>)>,
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn places_are_spelled_as_the_server_wants_them() {
        assert_eq!(numbered("a = ?1 AND b = ?12 OR '?'"), "a = $1 AND b = $12 OR '?'");
    }
}
