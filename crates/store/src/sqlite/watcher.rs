//! Noticing commits of any process: SQLite counts them in memory that all its connections share, so asking is cheap.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::identity::Identity;
use super::opening::connect;
use crate::backend::Watcher;
use crate::error::Result;

/// Well within what a person or an agent notices.
const GLANCE: Duration = Duration::from_millis(15);

#[derive(Debug)]
pub(crate) struct SqliteWatcher {
    path: PathBuf,
    within: Option<PathBuf>,
    watched: Option<Watched>,
}

#[derive(Debug)]
struct Watched {
    connection: Connection,
    identity: Option<Identity>,
    version: i64,
}

impl SqliteWatcher {
    pub(crate) fn new(path: &Path, within: Option<&Path>) -> Self {
        let within = within.map(Path::to_owned);
        let mut watcher = Self { path: path.to_owned(), within, watched: None };
        watcher.watched = watcher.look();
        watcher
    }

    fn look(&self) -> Option<Watched> {
        let identity = Identity::of(&self.path)?;
        let file = super::file(&self.path, self.within.as_deref()).ok()?;
        let connection = connect(&file, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
        let version = version(&connection)?;
        Some(Watched { connection, identity: Some(identity), version })
    }

    fn has_changed(&mut self) -> bool {
        let now = Identity::of(&self.path);
        if let Some(watched) = self.watched.as_mut().filter(|watched| watched.identity == now) {
            if let Some(version) = version(&watched.connection) {
                return std::mem::replace(&mut watched.version, version) != version;
            }
        }
        let was_there = self.watched.take().is_some();
        self.watched = self.look();
        was_there || self.watched.is_some()
    }
}

impl Watcher for SqliteWatcher {
    fn wait(&mut self, timeout: Duration) -> Result<bool> {
        let until = Instant::now() + timeout;
        loop {
            if self.has_changed() {
                return Ok(true);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            thread::sleep(left.min(GLANCE));
        }
    }
}

fn version(connection: &Connection) -> Option<i64> {
    connection
        .prepare_cached("PRAGMA data_version")
        .and_then(|mut ask| ask.query_row([], |row| row.get(0)))
        .ok()
}
