//! One connection: how it is made, how a transaction begins on it, and what its loss means.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use futures::{SinkExt, TryStreamExt};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, NoTls, Row, Statement};

use super::Begin;
use super::opening::{Opening, Outlook, READING, TURN, WRITING};
use super::tls::{Tls, is_distrust};
use super::value::write_line;
use super::wire::{Wire, WireError, in_order};
use crate::address::ServerAddress;
use crate::error::{Error, Result};
use crate::model::AgentId;
use crate::sql::Value;

/// Statements that are kept prepared; lists of ids make new ones.
const STATEMENTS: usize = 300;

/// What goes wrong on a connection.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The server is gone, or does not listen yet.
    Lost(String),
    Refused(tokio_postgres::Error),
}

impl Failure {
    pub(crate) fn of(error: tokio_postgres::Error) -> Self {
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

fn refused(error: &tokio_postgres::Error, address: &ServerAddress) -> Error {
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
fn whole(error: &tokio_postgres::Error) -> String {
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
    wire: Wire,
    /// Which life of the server it belongs to: one that fell gives the names of what it lost to others.
    pub(super) began: String,
    statements: BTreeMap<String, Statement>,
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
        let wire = match tls {
            Some(tls) if config.get_hosts().iter().any(is_remote) => Wire::connect(&config, tls.clone()),
            // Nobody listens in on a socket of the machine, and no server encrypts it.
            _ => Wire::connect(config.ssl_mode(SslMode::Disable), NoTls),
        };
        let mut wire = wire.map_err(|error| match error {
            WireError::Server(error) => Failure::of(error),
            WireError::Runtime(_) => Failure::Lost(error.to_string()),
        })?;
        // A client that hangs in a transaction must not keep the others waiting for ever.
        let settings = format!(
            "SET search_path TO {schema}; SET synchronous_commit TO on; SET standard_conforming_strings TO on; SET lock_timeout TO '{LOCK_SECONDS}s'; \
             SET idle_in_transaction_session_timeout TO '60s'; SET client_min_messages TO warning"
        );
        let digest = blake3::hash(schema.as_bytes());
        let turn = digest.as_bytes().first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes));
        let turn = TURN.replace("?1", &turn.to_string());
        wire.batch(&format!("{settings}; PREPARE becket_turn AS {turn}")).map_err(Failure::of)?;
        let began = wire.run(async |client| client.query_one(BEGAN, &[]).await).map_err(Failure::of)?;
        let began = began.try_get(0).map_err(Failure::of)?;
        Ok(Self { wire, began, statements: BTreeMap::new(), outlook: None })
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.wire.is_closed()
    }

    pub(crate) fn batch(&mut self, sql: &str) -> Result<(), Failure> {
        self.wire.batch(sql).map_err(Failure::of)
    }

    /// Whether the server has told of something since the last call.
    pub(super) fn wait(&mut self, timeout: Duration) -> bool {
        self.wire.wait(timeout)
    }

    /// The rows of a statement, and how many it touched.
    pub(crate) fn ask(&mut self, sql: &str, values: &[Value]) -> Result<(Vec<Row>, u64), Failure> {
        let statement = self.prepare(sql)?;
        self.wire.run(async |client| ask(client, &statement, values).await).map_err(Failure::of)
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement, Failure> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        let spelled = numbered(sql);
        let statement = self.wire.run(async |client| client.prepare(&spelled).await).map_err(Failure::of)?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Begins a transaction in one exchange: each statement of it still sees what was committed before it began.
    pub(super) fn begin(&mut self, begin: Begin<'_>) -> Result<Opening, Failure> {
        let (how, sql, by, values) = match begin {
            Begin::Write(by) => (WRITE, WRITING, by, vec![agent(by)]),
            Begin::Read => (READ, READING, None, Vec::new()),
        };
        let statement = self.prepare(sql)?;
        let begun = self.wire.run(async |client| {
            let (begun, found) = futures::join!(client.batch_execute(how), ask(client, &statement, &values));
            begun.and(found)
        });
        let (rows, _) = begun.map_err(Failure::of)?;
        Opening::read(&rows, by)
    }

    /// Whether a statement is prepared, as one is that transactions begin with again and again.
    pub(super) fn is_prepared(&self, sql: &str) -> bool {
        self.statements.contains_key(sql)
    }

    /// The same as `begin`, and the first statement in the same exchange. That one has run whatever was found: who does not
    /// like what was found rolls it back.
    pub(super) fn begin_with(
        &mut self,
        by: &AgentId,
        sql: &str,
        values: &[Value],
    ) -> Result<(Opening, Vec<Row>, u64), Failure> {
        let (writing, first) = (self.prepare(WRITING)?, self.prepare(sql)?);
        let caller = [agent(Some(by))];
        let begun = self.wire.run(async |client| {
            let (begun, found, answer) = futures::join!(
                client.batch_execute(WRITE),
                ask(client, &writing, &caller),
                ask(client, &first, values)
            );
            begun?;
            Ok((found?, answer?))
        });
        let ((found, _), (rows, touched)) = begun.map_err(Failure::of)?;
        Ok((Opening::read(&found, Some(by))?, rows, touched))
    }

    /// These statements, each with its values, and `end`, in one exchange. Of a transaction of which a part was refused the
    /// server keeps nothing, whatever `end` says.
    pub(super) fn end(&mut self, parts: &[(&str, Vec<Value>)], end: &str) -> Result<(), Failure> {
        let mut prepared = Vec::new();
        for (sql, values) in parts {
            prepared.push((self.prepare(sql)?, values));
        }
        let ended = self.wire.run(async |client| {
            let parts = prepared.iter().map(|(statement, values)| ask(client, statement, values)).collect();
            let (done, ended) = futures::join!(in_order(parts), client.batch_execute(end));
            done.and(ended)
        });
        ended.map_err(Failure::of)
    }

    pub(super) fn copy(&mut self, into: &str, rows: &[&Vec<Value>]) -> Result<(), Failure> {
        let sql = format!("COPY {into} FROM STDIN");
        let copied = self.wire.run(async |client| {
            let mut sink = std::pin::pin!(client.copy_in(&sql).await?);
            for chunk in rows.chunks(500) {
                let mut lines = Vec::new();
                for row in chunk {
                    write_line(row, &mut lines);
                }
                sink.send(Bytes::from(lines)).await?;
            }
            sink.finish().await.map(drop)
        });
        copied.map_err(Failure::of)
    }

    /// What became of a transaction: committed, not, or still under way.
    pub(crate) fn fate(&mut self, ticket: &str) -> Result<Option<bool>, Failure> {
        let (rows, _) =
            self.ask("SELECT pg_xact_status(CAST(CAST(?1 AS TEXT) AS xid8))", &[ticket.into()])?;
        let status: Option<String> = rows.first().and_then(|row| row.get(0));
        Ok(match status.as_deref() {
            Some("committed") => Some(true),
            Some("in progress") => None,
            _ => Some(false),
        })
    }
}

/// When the server began, and which processes it works with: where one of its sessions dies badly it recovers without beginning
/// anew, but with other processes. These two everybody may see.
const BEGAN: &str = "SELECT concat_ws(' ', pg_postmaster_start_time(), (SELECT string_agg(CAST(pid AS TEXT), ' ' ORDER BY pid) \
     FROM pg_stat_activity WHERE datid IS NULL AND usesysid IS NULL))";
const WRITE: &str = "BEGIN; EXECUTE becket_turn";
const READ: &str = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

async fn ask(
    client: &Client,
    statement: &Statement,
    values: &[Value],
) -> Result<(Vec<Row>, u64), tokio_postgres::Error> {
    let mut stream = std::pin::pin!(client.query_raw(statement, values).await?);
    let mut rows = Vec::new();
    while let Some(row) = stream.try_next().await? {
        rows.push(row);
    }
    Ok((rows, stream.rows_affected().unwrap_or(0)))
}

fn agent(by: Option<&AgentId>) -> Value {
    by.map_or(Value::Null, |agent| agent.as_str().into())
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
/// The last event of a transaction, and the count of all.
pub(super) const LAST_EVENT: &str = "WITH counted AS (UPDATE counter SET last_event = ?1, \
     first_expiry = LEAST(first_expiry, CAST(?9 AS BIGINT))) INSERT INTO events (id, created_at, type, actor_agent_id, \
     task_id, target_agent_id, payload_json, correlation_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
pub(super) const NEXT_EXPIRY: &str =
    "UPDATE counter SET first_expiry = LEAST(first_expiry, CAST(?1 AS BIGINT))";
pub(super) const COUNTED: &str =
    "UPDATE counter SET last_event = ?1, first_expiry = LEAST(first_expiry, CAST(?2 AS BIGINT))";
/// No live lease ends before it; one that was given back may leave it too early, and then this is asked once more.
pub(super) const FIRST_EXPIRY: &str = "UPDATE counter SET clock_epoch = ?1, first_expiry = COALESCE((SELECT \
     MIN(expires_tick) FROM leases WHERE agent_id IS NOT NULL AND clock_epoch = ?1), 9223372036854775807)";

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use becket_testing::postgres::{Cluster, Durability};

    use super::*;

    /// What `find_out` rests on: a transaction of another life may bear the name of one that was lost.
    #[test]
    fn a_server_that_recovers_under_the_same_head_has_another_life() {
        let cluster = Cluster::start(Durability::None);
        let address = ServerAddress::parse(&cluster.url()).unwrap();
        let until = Instant::now() + Duration::from_mins(1);
        let connect = || loop {
            match Session::connect(&address, None, "becket_life") {
                Ok(session) => return session,
                Err(failure) => assert!(Instant::now() < until, "{failure:?}"),
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let pid = |session: &mut Session| session.ask("SELECT pg_backend_pid()", &[]).unwrap().0[0].get(0);
        let (mut first, mut second) = (connect(), connect());
        assert_eq!(first.began, second.began);
        let ended: i32 = pid(&mut second);
        first.batch(&format!("SELECT pg_terminate_backend({ended})")).unwrap();
        assert_eq!(connect().began, first.began, "only one session was ended");
        let own: i32 = pid(&mut first);
        assert!(first.batch(&format!("COPY (SELECT 1) TO PROGRAM 'kill -9 {own}'")).is_err());
        assert_ne!(connect().began, first.began);
    }

    #[test]
    fn places_are_spelled_as_the_server_wants_them() {
        assert_eq!(numbered("a = ?1 AND b = ?12 OR '?'"), "a = $1 AND b = $12 OR '?'");
    }
}
