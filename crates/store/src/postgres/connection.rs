//! One connection: how it is made, how a transaction begins on it, and what its loss means.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::time::Duration;

use postgres::config::{Host, SslMode};
use postgres::error::SqlState;
use postgres::types::{ToSql, Type};
use postgres::{Client, Config, NoTls, Statement};

use super::Begin;
use super::opening::{NOW, Opening, Outlook, TURN, last_answer};
use super::tls::{Tls, is_distrust};
use super::value::{from_text, literal, write_line};
use crate::address::ServerAddress;
use crate::error::{Error, Result};
use crate::model::AgentId;
use crate::sql::{Row, Value};

/// Statements that are kept prepared; lists of ids make new ones.
const STATEMENTS: usize = 300;
/// And of those, how many are known by a name.
const FIRSTS: usize = 40;

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
    /// The numbers of statements that can go along with the beginning.
    firsts: BTreeMap<String, usize>,
    /// What the next transaction may expect.
    pub(super) outlook: Option<Outlook>,
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
        Ok(Self {
            client,
            statements: BTreeMap::new(),
            can_begin: false,
            turn,
            firsts: BTreeMap::new(),
            outlook: None,
        })
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

    /// Begins a transaction in one exchange: each statement of it still sees what was committed before it began.
    pub(super) fn begin(&mut self, begin: Begin<'_>) -> Result<Opening, Failure> {
        if !self.can_begin {
            self.prepare_beginnings()?;
        }
        let by = match begin {
            Begin::Write(by) => by,
            Begin::Read => None,
        };
        let exchange = match begin {
            Begin::Write(_) => beginning(by),
            Begin::Read => {
                "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; EXECUTE becket_read".to_owned()
            }
        };
        let told = self.client.simple_query(&exchange).map_err(Failure::of)?;
        Opening::read(&told, by)
    }

    /// Whether the statement is one that transactions begin with again and again, which then can go along.
    pub(super) fn can_begin_with(&self, sql: &str) -> bool {
        self.firsts.contains_key(sql) || (self.statements.contains_key(sql) && self.firsts.len() < FIRSTS)
    }

    /// The same as `begin`, and the first statement in the same exchange. The statement has run whatever was found: who does
    /// not like that rolls it back.
    pub(super) fn begin_with(
        &mut self,
        by: &AgentId,
        sql: &str,
        values: &[Value],
    ) -> Result<(Opening, Vec<Row>, u64), Failure> {
        if !self.can_begin {
            self.prepare_beginnings()?;
        }
        let statement = self.prepare(sql)?;
        let number = match self.firsts.get(sql) {
            Some(number) => *number,
            None => self.name_first(sql, &statement)?,
        };
        let mut exchange = beginning(Some(by));
        let _ = write!(exchange, "; EXECUTE becket_first_{number}");
        for (index, value) in values.iter().enumerate() {
            exchange.push_str(if index == 0 { "(" } else { ", " });
            exchange.push_str(&literal(value));
        }
        exchange.push_str(if values.is_empty() { "" } else { ")" });
        let told = self.client.simple_query(&exchange).map_err(Failure::of)?;
        let opening = Opening::read(&told, Some(by))?;
        let (rows, touched) = last_answer(&told);
        let rows: Result<Vec<Row>> =
            rows.into_iter().map(|row| from_text(row, statement.columns())).collect();
        Ok((opening, rows.map_err(|error| Failure::Lost(error.to_string()))?, touched))
    }

    /// Under a name that a text of SQL can say.
    fn name_first(&mut self, sql: &str, statement: &Statement) -> Result<usize, Failure> {
        let number = self.firsts.len();
        let kinds = statement.params().iter().map(Type::name).collect::<Vec<_>>().join(", ");
        let kinds = if kinds.is_empty() { kinds } else { format!("({kinds})") };
        self.client
            .batch_execute(&format!("PREPARE becket_first_{number}{kinds} AS {}", numbered(sql)))
            .map_err(Failure::of)?;
        self.firsts.insert(sql.to_owned(), number);
        Ok(number)
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

/// What a writing transaction begins with.
fn beginning(by: Option<&AgentId>) -> String {
    let agent = by.map_or(Value::Null, |agent| agent.as_str().into());
    format!("BEGIN; EXECUTE becket_turn; EXECUTE becket_write({})", literal(&agent))
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

/// The epoch of leases that count on the server's time.
pub(super) const SERVER: &str = "server";
pub(super) const EVENT: &str = "INSERT INTO events (id, created_at, type, actor_agent_id, task_id, target_agent_id, payload_json, \
     correlation_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
pub(super) const COUNTED: &str =
    "UPDATE counter SET last_event = ?1, first_expiry = LEAST(first_expiry, CAST(?2 AS BIGINT))";
/// No live lease ends before it; one that was given back may leave it too early, and then this is asked once more.
pub(super) const FIRST_EXPIRY: &str = "UPDATE counter SET clock_epoch = ?1, first_expiry = COALESCE((SELECT \
     MIN(expires_tick) FROM leases WHERE agent_id IS NOT NULL AND clock_epoch = ?1), 9223372036854775807)";

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn places_are_spelled_as_the_server_wants_them() {
        assert_eq!(numbered("a = ?1 AND b = ?12 OR '?'"), "a = $1 AND b = $12 OR '?'");
    }
}
