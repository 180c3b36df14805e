//! How `runtime.sqlite` is opened: made when it is not there, led to the newest schema, taken over from the original, or
//! read from a private copy where the folder cannot be written. Safe when many processes do it at once.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use becket_fence::canonical::canonical;
use rusqlite::backup::Backup;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use becket_base::clip;

use super::PATIENCE_SECONDS;
use super::connection::{SqliteTransaction, failure};
use super::identity::{Identity, Stat};
use super::original;
use super::turnstile::{Turn, Turnstile};
use crate::clock::LeaseClock;
use crate::error::{Error, Result};
use crate::random;
use crate::sql::Transaction;
use crate::sql::schema::{self, Spelling, VERSION};

const SPELLING: Spelling = Spelling {
    id: "INTEGER PRIMARY KEY AUTOINCREMENT",
    int: "INTEGER",
    text: "TEXT",
    keyed: " WITHOUT ROWID",
    // Here a check is a look into a tree in memory.
    unchecked: "",
    // An index has it first.
    first_expiry: "",
};

/// A database that is open, and how to tell that it is still the right one.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    pub(crate) place: String,
    identity: Option<Identity>,
    access: Access,
}

#[derive(Debug)]
enum Access {
    Write(Turnstile),
    /// The folder cannot be written: all work is on a copy, renewed when the file changes. In memory, if there is no room for
    /// one either.
    Copy {
        _folder: Option<TempDir>,
        /// What was written through before: the last one to close a log writes in the file, and there is no room.
        _before: Option<Connection>,
        file: PathBuf,
        of: (Stat, Stat),
        lack: Lack,
    },
}

/// What is missing to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    Permission,
    Room,
}

impl Lack {
    pub(crate) fn refusal(self, place: String) -> Error {
        match self {
            Self::Permission => Error::ReadOnly { place },
            Self::Room => Error::Full { place },
        }
    }
}

/// What somebody opens a database for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    Write,
    /// Makes no file where there is none.
    Look,
}

impl Opened {
    pub(crate) fn open(path: &Path, repository: &str, clock: &dyn LeaseClock, wish: Wish) -> Result<Self> {
        let place = path.display().to_string();
        if wish == Wish::Look && !path.exists() {
            return Self::copy(path, Lack::Permission, repository, clock);
        }
        if path.is_dir() {
            return Err(Error::Folder { place });
        }
        refuse_foreign(path)?;
        match Turnstile::open(path) {
            Ok(turnstile) if is_writable(path) => match prepared(path, repository, clock, &turnstile) {
                Ok(connection) => {
                    let identity = Identity::of(path);
                    Ok(Self { connection, place, identity, access: Access::Write(turnstile) })
                }
                Err(Error::Full { .. }) => Self::copy(path, Lack::Room, repository, clock),
                Err(error) => Err(error),
            },
            Ok(_) => Self::copy(path, Lack::Permission, repository, clock),
            Err(error) if is_refusal(&error) => Self::copy(path, Lack::Permission, repository, clock),
            Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                Self::copy(path, Lack::Room, repository, clock)
            }
            Err(source) => Err(Error::File { path: place, source }),
        }
    }

    fn copy(path: &Path, lack: Lack, repository: &str, clock: &dyn LeaseClock) -> Result<Self> {
        let of = stats(path);
        let (connection, folder) = match copied(path, repository, clock) {
            Ok((connection, folder)) => (connection, Some(folder)),
            // Where there is no room for one file there may be none for another.
            Err(error) if lack == Lack::Room => {
                tracing::debug!(%error, "no room for a copy either");
                (in_memory(path, repository, clock)?, None)
            }
            Err(error) => return Err(error),
        };
        let access = Access::Copy { _folder: folder, _before: None, file: path.to_owned(), of, lack };
        Ok(Self { connection, place: path.display().to_string(), identity: None, access })
    }

    /// The same for a disk that ran full under a connection, which still reads its log.
    pub(crate) fn go_on_in_memory(&mut self, path: &Path) -> Result<()> {
        let failed = |error| failure(&self.place, error);
        let of = stats(path);
        let mut memory = connect(Path::new(":memory:"), OpenFlags::default()).map_err(failed)?;
        let backup = Backup::new(&self.connection, &mut memory).map_err(failed)?;
        backup.run_to_completion(i32::MAX, Duration::ZERO, None).map_err(failed)?;
        drop(backup);
        let before = std::mem::replace(&mut self.connection, memory);
        let (file, lack) = (path.to_owned(), Lack::Room);
        self.access = Access::Copy { _folder: None, _before: Some(before), file, of, lack };
        Ok(())
    }

    pub(crate) fn is_current(&self, path: &Path) -> bool {
        match &self.access {
            Access::Write(_) => Identity::of(path) == self.identity,
            Access::Copy { file, of, .. } => stats(file) == *of,
        }
    }

    pub(crate) fn is_copy(&self) -> bool {
        self.lack().is_some()
    }

    /// Nothing where it can be written.
    pub(crate) fn lack(&self) -> Option<Lack> {
        match &self.access {
            Access::Write(_) => None,
            Access::Copy { lack, .. } => Some(*lack),
        }
    }

    pub(crate) fn enter(&self, patience_seconds: u64) -> Result<Option<Turn<'_>>> {
        match &self.access {
            Access::Write(turnstile) => turnstile.enter(patience_seconds).map(Some),
            Access::Copy { .. } => Ok(None),
        }
    }
}

fn copied(path: &Path, repository: &str, clock: &dyn LeaseClock) -> Result<(Connection, TempDir)> {
    let failed = |source| Error::File { path: path.display().to_string(), source };
    let (target, folder) = copied_files(path).map_err(failed)?;
    let turnstile = Turnstile::open(&target).map_err(failed)?;
    Ok((prepared(&target, repository, clock, &turnstile)?, folder))
}

/// In a folder of its own, with what was not taken over from its log yet.
fn copied_files(path: &Path) -> io::Result<(PathBuf, TempDir)> {
    let folder = TempDir::new()?;
    let target = canonical(folder.path())?.join("runtime.sqlite");
    for suffix in ["", "-wal"] {
        let from = beside(path, suffix);
        if from.exists() {
            fs_err::copy(&from, beside(&target, suffix))?;
            writable(&beside(&target, suffix))?;
        }
    }
    Ok((target, folder))
}

/// Of a file whose log is empty, because a log cannot be read without writing beside it.
fn in_memory(path: &Path, repository: &str, clock: &dyn LeaseClock) -> Result<Connection> {
    let place = path.display().to_string();
    let failed = |error| failure(&place, error);
    let length = |suffix: &str| fs_err::metadata(beside(path, suffix)).map_or(0, |metadata| metadata.len());
    if length("-wal") > 0 {
        return Err(Error::Full { place });
    }
    let mut memory = connect(Path::new(":memory:"), OpenFlags::default()).map_err(failed)?;
    if length("") > 0 {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let file = connect(Path::new(&immutable(path)), flags).map_err(failed)?;
        let backup = Backup::new(&file, &mut memory).map_err(failed)?;
        backup.run_to_completion(i32::MAX, Duration::ZERO, None).map_err(failed)?;
    }
    if version(&memory).map_err(failed)? != Some(VERSION) {
        migrate(&memory, path, repository, clock)?;
    }
    Ok(memory)
}

/// The address by which SQLite reads a file and nothing beside it.
fn immutable(path: &Path) -> String {
    let path = path.display().to_string();
    let escaped = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?immutable=1")
}

/// `runtime.sqlite-wal` for `-wal`.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// `runtime.queue.lock` for `queue.lock`.
pub(crate) fn beside_named(path: &Path, extension: &str) -> PathBuf {
    path.with_extension(extension)
}

/// A link in the place of the file, which may be a new one, is not followed.
const ALWAYS: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX.union(OpenFlags::SQLITE_OPEN_NOFOLLOW);

/// The path has no link in it.
pub(crate) fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_with_flags(path, flags | ALWAYS)?;
    connection.busy_handler(Some(nap))?;
    connection.set_prepared_statement_cache_capacity(256);
    // Otherwise a statement whose plan may hang on a value, such as that of its LIMIT, is prepared anew whenever one is bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.execute_batch(
        // The cache holds the pages of some ten thousand tasks, in KiB.
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; \
         PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -16384;",
    )?;
    Ok(connection)
}

/// Only a program that is not becket can make a writer wait here. Short sleeps, because long ones starve.
fn nap(tries: i32) -> bool {
    thread::sleep(if tries < 20 { Duration::from_micros(200) } else { Duration::from_millis(1) });
    u64::try_from(tries).unwrap_or(0) < PATIENCE_SECONDS * 1000
}

fn prepared(
    path: &Path,
    repository: &str,
    clock: &dyn LeaseClock,
    turnstile: &Turnstile,
) -> Result<Connection> {
    let place = path.display().to_string();
    let failed = |error| failure(&place, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = connect(path, flags).map_err(failed)?;
    // Most starts find everything done and must not wait for a writer.
    if version(&connection).map_err(failed)? != Some(VERSION) {
        let _turn = turnstile.enter(PATIENCE_SECONDS)?;
        migrate(&connection, path, repository, clock)?;
    }
    Ok(connection)
}

fn migrate(connection: &Connection, path: &Path, repository: &str, clock: &dyn LeaseClock) -> Result<()> {
    let place = path.display().to_string();
    let failed = |error| failure(&place, error);
    let (found, is_original) = match origin(connection).map_err(failed)? {
        Origin::Ours(VERSION) => return Ok(()),
        Origin::Ours(found) if found > VERSION => {
            return Err(Error::Newer { place, found, known: VERSION });
        }
        Origin::Ours(found) => (Some(found), false),
        Origin::Original => (None, true),
        Origin::Empty => (None, false),
        Origin::Foreign { tables } => return Err(Error::Foreign { place, tables }),
    };
    // Not before it is known whose file it is: this changes it.
    set_journal(connection, &place)?;
    let imported = if is_original { Some(original::back_up(connection, path, &clock.now())?) } else { None };
    let mut transaction = SqliteTransaction::begin_blind(connection, clock, &place)?;
    if imported.is_some() {
        original::set_aside(connection).map_err(failed)?;
    }
    connection.execute_batch(&schema::steps(found.unwrap_or(0), SPELLING)).map_err(failed)?;
    let stream = random::name("", 16)?.to_lowercase();
    let created_at = transaction.moment().text();
    let known = VERSION.to_string();
    for (key, value) in [("stream", stream.as_str()), ("repository", repository), ("created_at", &created_at)]
    {
        transaction.execute(
            "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING",
            &[key.into(), value.into()],
        )?;
    }
    if let Some(backup) = imported {
        original::import(&mut transaction)?;
        transaction
            .execute("INSERT INTO meta (key, value) VALUES ('imported_from', ?1)", &[backup.into()])?;
    }
    transaction.execute(
        "INSERT INTO meta (key, value) VALUES ('schema_version', ?1) \
         ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        &[known.into()],
    )?;
    transaction.commit()
}

/// Who made a database.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// With the version of its schema.
    Ours(i64),
    Original,
    Empty,
    Foreign {
        tables: String,
    },
}

pub(crate) fn origin(connection: &Connection) -> rusqlite::Result<Origin> {
    if let Some(version) = version(connection)? {
        return Ok(Origin::Ours(version));
    }
    if original::is_original(connection)? {
        return Ok(Origin::Original);
    }
    let mut select = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name")?;
    let names = select.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let shown = names.iter().take(3).map(|name| format!("`{}`", clip(name, 40))).collect::<Vec<_>>();
    Ok(match shown.as_slice() {
        [] => Origin::Empty,
        shown if names.len() > shown.len() => {
            Origin::Foreign { tables: format!("{} and {} more", shown.join(", "), names.len() - shown.len()) }
        }
        shown => Origin::Foreign { tables: shown.join(", ") },
    })
}

/// Leaves no trace beside the file: it is looked at alone, and with its log as a copy where it alone is not known as ours.
pub(crate) fn refuse_foreign(path: &Path) -> Result<()> {
    let length = |suffix: &str| fs_err::metadata(beside(path, suffix)).map_or(0, |metadata| metadata.len());
    if length("") == 0 {
        return Ok(());
    }
    let before = stats(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let mut found = connect(Path::new(&immutable(path)), flags).and_then(|file| origin(&file));
    if length("-wal") > 0
        && !matches!(found, Ok(Origin::Ours(_)))
        && let Ok((copy, _folder)) = copied_files(path)
    {
        found = connect(&copy, OpenFlags::SQLITE_OPEN_READ_WRITE).and_then(|copy| origin(&copy));
    }
    match found {
        // Somebody may have written it meanwhile.
        Ok(Origin::Foreign { tables }) if stats(path) == before => {
            Err(Error::Foreign { place: path.display().to_string(), tables })
        }
        _ => Ok(()),
    }
}

/// Nothing where there is no schema of ours.
fn version(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let has_meta: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'events') \
         AND 2 = (SELECT COUNT(*) FROM pragma_table_info('meta') WHERE name IN ('key', 'value'))",
        [],
        |row| row.get(0),
    )?;
    if !has_meta {
        return Ok(None);
    }
    let text: Option<String> =
        connection
            .query_row("SELECT MAX(value) FROM meta WHERE key = 'schema_version'", [], |row| row.get(0))?;
    Ok(text.and_then(|text| text.parse().ok()))
}

/// The change to WAL needs the file for itself, and SQLite does not wait for that.
fn set_journal(connection: &Connection, place: &str) -> Result<()> {
    let until = Instant::now() + Duration::from_secs(PATIENCE_SECONDS);
    loop {
        match connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0)) {
            // What is in memory has no journal to choose.
            Ok(mode) if mode.eq_ignore_ascii_case("wal") || mode == "memory" => return Ok(()),
            Ok(mode) => {
                return Err(Error::unexpected(format!(
                    "{place} cannot keep a write-ahead log (it is {mode})"
                )));
            }
            Err(error) if is_busy(&error) && Instant::now() < until => {
                thread::sleep(Duration::from_millis(1));
            }
            Err(error) => return Err(failure(place, error)),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked};
    matches!(error.sqlite_error_code(), Some(DatabaseBusy | DatabaseLocked))
}

/// Whether the file could be written, if it is there.
fn is_writable(path: &Path) -> bool {
    match fs_err::OpenOptions::new().write(true).open(path) {
        Ok(_) => true,
        Err(error) => !is_refusal(&error),
    }
}

fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// A copy has the permissions of what it was copied from.
fn writable(path: &Path) -> io::Result<()> {
    let mut permissions = fs_err::metadata(path)?.permissions();
    #[allow(clippy::permissions_set_readonly_false, reason = "in a folder that only this process can enter")]
    permissions.set_readonly(false);
    fs_err::set_permissions(path, permissions)
}

fn stats(path: &Path) -> (Stat, Stat) {
    (Stat::of(path), Stat::of(&beside(path, "-wal")))
}
