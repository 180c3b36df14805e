//! One transaction on one connection, in SQLite's own words.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, ToSql};

use crate::clock::{LeaseClock, Moment};
use crate::error::{Error, Result};
use crate::sql::{NewEvent, Row, Transaction, Value};

#[derive(Debug)]
pub(crate) struct SqliteTransaction<'a> {
    connection: &'a Connection,
    moment: Moment,
    first_expiry: Option<i64>,
    place: &'a str,
    /// The database is a private copy: an event written to it would be told to nobody and take an id that another gets.
    is_copy: bool,
    is_open: bool,
}

/// The first live lease to end; one that counts on another boot's clock is due at once.
const FIRST_EXPIRY: &str = "SELECT \
     (SELECT MIN(expires_tick) FROM leases WHERE agent_id IS NOT NULL AND clock_epoch = ?1), \
     EXISTS (SELECT 1 FROM leases WHERE agent_id IS NOT NULL AND clock_epoch < ?1) \
     OR EXISTS (SELECT 1 FROM leases WHERE agent_id IS NOT NULL AND clock_epoch > ?1)";

impl<'a> SqliteTransaction<'a> {
    pub(crate) fn begin(
        connection: &'a Connection,
        begin: &str,
        clock: &dyn LeaseClock,
        place: &'a str,
        is_copy: bool,
    ) -> Result<Self> {
        connection
            .prepare_cached(begin)
            .and_then(|mut begin| begin.execute([]))
            .map_err(|error| failure(place, error))?;
        // Read after the lock was won: time passes while waiting for it.
        let moment = clock.now();
        let mut transaction = Self { connection, moment, first_expiry: None, place, is_copy, is_open: true };
        transaction.first_expiry = transaction.look()?;
        Ok(transaction)
    }

    /// Before the tables are there.
    pub(crate) fn begin_blind(
        connection: &'a Connection,
        clock: &dyn LeaseClock,
        place: &'a str,
    ) -> Result<Self> {
        connection.execute_batch("BEGIN IMMEDIATE").map_err(|error| failure(place, error))?;
        let moment = clock.now();
        Ok(Self { connection, moment, first_expiry: None, place, is_copy: false, is_open: true })
    }

    fn look(&self) -> Result<Option<i64>> {
        let epoch = &*self.moment.epoch;
        let read = self.connection.prepare_cached(FIRST_EXPIRY).and_then(|mut statement| {
            statement.query_row([epoch], |row| Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, bool>(1)?)))
        });
        let (first, is_foreign) = read.map_err(|error| failure(self.place, error))?;
        Ok(if is_foreign { Some(i64::MIN) } else { first })
    }

    pub(crate) fn commit(mut self) -> Result<()> {
        let commit = self.connection.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
        match commit {
            Ok(_) => {
                self.is_open = false;
                Ok(())
            }
            Err(error) => Err(failure(self.place, error)),
        }
    }

    pub(crate) fn roll_back(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if std::mem::take(&mut self.is_open) && !self.connection.is_autocommit() {
            if let Err(error) = self.connection.execute_batch("ROLLBACK") {
                tracing::warn!(%error, "a transaction could not be rolled back");
            }
        }
    }
}

impl Drop for SqliteTransaction<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

impl Transaction for SqliteTransaction<'_> {
    fn moment(&self) -> &Moment {
        &self.moment
    }

    fn first_expiry(&self) -> Option<i64> {
        self.first_expiry
    }

    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        let run = self.connection.prepare_cached(sql).and_then(|mut statement| {
            let changed = statement.execute(rusqlite::params_from_iter(values));
            #[cfg(test)]
            steps::count(&statement);
            changed
        });
        let changed = run.map_err(|error| failure(self.place, error))?;
        Ok(u64::try_from(changed).unwrap_or(0))
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        let run = || -> rusqlite::Result<Vec<Row>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let width = statement.column_count();
            let mut rows = statement.query(rusqlite::params_from_iter(values))?;
            let mut read = Vec::new();
            while let Some(row) = rows.next()? {
                let cells = (0..width).map(|column| Ok(from_cell(row.get_ref(column)?)));
                read.push(Row(cells.collect::<rusqlite::Result<_>>()?));
            }
            drop(rows);
            #[cfg(test)]
            steps::count(&statement);
            Ok(read)
        };
        run().map_err(|error| failure(self.place, error))
    }

    /// One statement for each row: one for many keeps what it would need to take the first rows back.
    fn insert_all(&mut self, into: &str, rows: &[Vec<Value>], _indexed: &[usize]) -> Result<()> {
        let Some(width) = rows.first().map(Vec::len) else { return Ok(()) };
        let places: Vec<String> = (1..=width).map(|place| format!("?{place}")).collect();
        let sql = format!("INSERT INTO {into} VALUES ({})", places.join(", "));
        let run = self.connection.prepare_cached(&sql).and_then(|mut statement| {
            for row in rows {
                statement.execute(rusqlite::params_from_iter(row))?;
            }
            #[cfg(test)]
            steps::count(&statement);
            Ok(())
        });
        run.map_err(|error| failure(self.place, error))
    }

    fn append(&mut self, event: &NewEvent<'_>) -> Result<i64> {
        if self.is_copy {
            return Ok(i64::MAX);
        }
        let values = event.values(&self.moment);
        self.execute(
            "INSERT INTO events (created_at, type, actor_agent_id, task_id, target_agent_id, payload_json, \
             correlation_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            &values,
        )?;
        Ok(self.connection.last_insert_rowid())
    }

    /// SQLite plans by its indexes alone as long as nobody counts for it.
    fn definitions_were_imported(&mut self) -> Result<()> {
        Ok(())
    }

    /// `AUTOINCREMENT` has seen them.
    fn rows_were_imported(&mut self) -> Result<()> {
        Ok(())
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

fn from_cell(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        #[allow(clippy::cast_possible_truncation, reason = "no column of ours holds a fraction")]
        ValueRef::Real(number) => Value::Integer(number as i64),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Value::Text(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

/// A quota or a limit on the size of files is met as a write that fails, not as a disk that is full.
fn is_write(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{
        SQLITE_IOERR_FSYNC, SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_TRUNCATE,
        SQLITE_IOERR_WRITE,
    };
    let code = error.sqlite_error().map(|error| error.extended_code);
    let writes = [
        SQLITE_IOERR_WRITE,
        SQLITE_IOERR_FSYNC,
        SQLITE_IOERR_TRUNCATE,
        SQLITE_IOERR_SHMSIZE,
        // Memory that processes share is a file, and its first byte is written when it is opened.
        SQLITE_IOERR_SHMOPEN,
    ];
    writes.into_iter().any(|write| code == Some(write))
}

/// What SQLite says, in the words of the store.
#[allow(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
pub(crate) fn failure(place: &str, error: rusqlite::Error) -> Error {
    let place = place.to_owned();
    let detail = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::Busy { place, seconds: super::PATIENCE_SECONDS }
        }
        Some(ErrorCode::ReadOnly) => Error::ReadOnly { place },
        Some(ErrorCode::DiskFull) => Error::Full { place },
        Some(ErrorCode::SystemIoFailure) if is_write(&error) => Error::Full { place },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Error::Corrupt { place, detail },
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::SystemIoFailure) => {
            Error::Unavailable { detail: format!("{place}: {detail}") }
        }
        _ => Error::unexpected(format!("{place}: {detail}")),
    }
}

/// What statements cost, in steps of SQLite's machine: the same on every machine and under any load.
#[cfg(test)]
pub(crate) mod steps {
    use std::cell::Cell;

    use rusqlite::{Statement, StatementStatus};

    thread_local! {
        static TAKEN: Cell<u64> = const { Cell::new(0) };
    }

    pub(super) fn count(statement: &Statement<'_>) {
        // Preparing costs more than most statements do, and no step is counted for it.
        let again = statement.reset_status(StatementStatus::RePrepare);
        assert_eq!(again, 0, "prepared again although nothing but a value changed: {statement:?}");
        let steps = statement.reset_status(StatementStatus::VmStep);
        TAKEN.set(TAKEN.get() + u64::try_from(steps).unwrap_or(0));
    }

    /// Since the last time somebody asked, on this thread.
    pub(crate) fn taken() -> u64 {
        TAKEN.replace(0)
    }
}
