//! The store in one file, `runtime.sqlite`, shared by all processes of a machine. Owns that file, its locks and its
//! dialect: WAL, flushed at every commit, one writer at a time in a fair order.

#![allow(clippy::disallowed_methods, reason = "it owns the files of the store")]

mod connection;
mod identity;
mod opening;
mod original;
mod repair;
mod turnstile;
mod watcher;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use repair::{Repair, check, repair};

use becket_fence::canonical::canonical;

use crate::backend::{Backend, Watcher, Work};
use crate::clock::{LeaseClock, MachineClock};
use crate::error::{Error, Result};
use crate::model::{AgentId, Description};
use crate::open::Options;
use crate::sql::{Transaction, TransactionExt};
use connection::SqliteTransaction;
use opening::{Lack, Opened, Wish};
use watcher::SqliteWatcher;

/// How long a writer waits for its turn.
const PATIENCE_SECONDS: u64 = 30;

#[derive(Debug)]
pub(crate) struct SqliteStore {
    path: PathBuf,
    repository: String,
    clock: Arc<dyn LeaseClock>,
    within: Option<PathBuf>,
    wish: Wish,
    opened: Mutex<Opened>,
}

impl SqliteStore {
    pub(crate) fn open(path: &Path, options: &Options) -> Result<Self> {
        let clock = options.clock.clone().unwrap_or_else(|| Arc::new(MachineClock::new()));
        let repository = options.repository.as_str();
        let wish = if options.read_only { Wish::Look } else { Wish::Write };
        let within = options.within.clone();
        let opened = Opened::open(&file(path, within.as_deref())?, repository, &*clock, wish)?;
        Ok(Self {
            path: path.to_owned(),
            repository: repository.to_owned(),
            clock,
            within,
            wish,
            opened: Mutex::new(opened),
        })
    }

    fn open_again(&self) -> Result<Opened> {
        let file = file(&self.path, self.within.as_deref())?;
        Opened::open(&file, &self.repository, &*self.clock, self.wish)
    }

    /// The file may have been removed or replaced under a running process: then it is opened (and made) again.
    fn with<T>(&self, work: impl FnOnce(&mut Opened) -> Result<T>) -> Result<T> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if !opened.is_current(&self.path) {
            *opened = self.open_again()?;
        }
        work(&mut opened)
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }
}

/// Where the database is, without a link on the way, so that SQLite can be told to follow none. It follows none to the
/// files beside it either.
fn file(path: &Path, within: Option<&Path>) -> Result<PathBuf> {
    let refused = |source| Error::File { path: path.display().to_string(), source };
    let file = match within {
        Some(root) => becket_fence::place(root, path).map_err(refused)?,
        None => named(path),
    };
    let beside = ["-wal", "-shm", "-journal"].map(|suffix| opening::beside(&file, suffix));
    beside.iter().try_for_each(|beside| becket_fence::no_link(beside)).map_err(refused)?;
    Ok(file)
}

/// The user's own word, wherever it leads.
fn named(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let new = || Some(canonical(folder).ok()?.join(path.file_name()?));
    canonical(path).ok().or_else(new).unwrap_or_else(|| path.to_owned())
}

impl Backend for SqliteStore {
    fn write(&self, _: Option<&AgentId>, work: Work<'_>) -> Result<()> {
        self.with(|opened| {
            let _turn = opened.enter(PATIENCE_SECONDS)?;
            opened.transact("BEGIN IMMEDIATE", &*self.clock, work)
        })
    }

    fn read(&self, work: Work<'_>) -> Result<()> {
        self.with(|opened| opened.transact("BEGIN", &*self.clock, work))
    }

    fn watch(&self) -> Result<Box<dyn Watcher>> {
        Ok(Box::new(SqliteWatcher::new(&self.path, self.within.as_deref())))
    }

    fn is_read_only(&self) -> bool {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).is_copy()
    }

    fn make_do(&self) -> Result<bool> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if !opened.is_copy() {
            opened.go_on_in_memory(&file(&self.path, self.within.as_deref())?)?;
        }
        Ok(true)
    }

    fn refusal(&self) -> Option<Error> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.lack() == Some(Lack::Room) {
            // Somebody may have made room.
            if let Ok(again) = self.open_again() {
                *opened = again;
            }
        }
        opened.lack().map(|lack| lack.refusal(self.place()))
    }

    fn describe(&self) -> Result<Description> {
        let mut read = None;
        self.read(&mut |transaction| {
            let worktrees = transaction.number("SELECT COUNT(*) FROM worktrees", &[])?;
            let meta = |transaction: &mut dyn Transaction, key: &str| {
                let row = transaction.one("SELECT value FROM meta WHERE key = ?1", &[key.into()])?;
                Ok::<Option<String>, Error>(row.map(|row| row.owned(0)).transpose()?.flatten())
            };
            let version = meta(transaction, "schema_version")?;
            read = Some((
                worktrees,
                version.and_then(|text| text.parse().ok()).unwrap_or(0),
                meta(transaction, "stream")?.unwrap_or_default(),
                meta(transaction, "imported_from")?,
            ));
            Ok(())
        })?;
        let (worktrees, schema_version, stream, imported_from) =
            read.ok_or_else(|| Error::unexpected("nothing was read"))?;
        let file = file(&self.path, self.within.as_deref())?;
        let length = |path: &Path| fs_err::metadata(path).ok().map(|metadata| metadata.len());
        Ok(Description {
            engine: "sqlite",
            place: self.place(),
            schema_version,
            stream,
            repository: self.repository.clone(),
            read_only: self.is_read_only(),
            bytes: length(&file),
            journal_bytes: length(&opening::beside(&file, "-wal")),
            imported_from,
            worktrees: u64::try_from(worktrees).unwrap_or(0),
        })
    }
}

impl Opened {
    fn transact(&self, begin: &str, clock: &dyn LeaseClock, work: Work<'_>) -> Result<()> {
        let place = self.place.clone();
        let mut transaction =
            SqliteTransaction::begin(&self.connection, begin, clock, &place, self.is_copy())?;
        match work(&mut transaction) {
            Ok(()) => transaction.commit(),
            Err(error) => {
                transaction.roll_back();
                Err(error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::connection::steps;
    use crate::spec_file::{Definition, Status};
    use crate::{
        AgentId, Call, ClaimRequest, Join, NextRequest, Options, Origin, Place, SpecStamp, Store, TaskId,
        TaskQuery, Worktree,
    };

    fn filled(tasks: usize) -> (TempDir, Store, AgentId) {
        let folder = TempDir::new().unwrap();
        let store = Store::open(&Options::new(Place::File(folder.path().join("runtime.sqlite")))).unwrap();
        let file: Vec<Definition> = (0..tasks)
            .map(|n| Definition {
                id: format!("T{n}"),
                title: format!("Task {n}"),
                // Chains of two, and labels that many tasks share.
                depends_on: if n % 4 == 3 { vec![format!("T{}", n - 1)] } else { Vec::new() },
                labels: vec!["all".to_owned(), format!("area-{}", n % 7)],
                priority: i64::try_from(n % 5).unwrap(),
                status: Status::Ready,
                ..Definition::default()
            })
            .collect();
        store.sync(&tree(), &SpecStamp::default(), Origin::Checkout, &file).unwrap();
        let join = Join { capabilities: vec!["all".to_owned()], ..Join::default() };
        let agent = store.join(&join, None).unwrap().agent.id;
        (folder, store, agent)
    }

    fn tree() -> Worktree {
        Worktree::new("main")
    }

    /// Each call by name, and the steps that it took.
    fn costs(tasks: usize) -> Vec<(&'static str, u64)> {
        let (_folder, store, agent) = filled(tasks);
        let call = Call::by(&agent);
        let task = TaskId::new(format!("T{}", tasks / 2 / 4 * 4 + 2));
        let ask = |label: Option<&str>, status| TaskQuery {
            label: label.map(str::to_owned),
            status,
            ..TaskQuery::default()
        };
        let mut costs = Vec::new();
        let mut measured = |name, work: &dyn Fn()| {
            steps::taken();
            work();
            costs.push((name, steps::taken()));
        };
        let listed = |query: &TaskQuery| _ = store.tasks(&tree(), query).unwrap();
        // Once more than it is measured: what is prepared again is prepared for the second time.
        listed(&TaskQuery::default());
        measured("list", &|| listed(&TaskQuery::default()));
        measured("list by label", &|| listed(&ask(Some("all"), None)));
        measured("list by status", &|| listed(&ask(None, Some(Status::Ready))));
        measured("next", &|| _ = store.next(&tree(), &NextRequest::default()).unwrap());
        let mine = NextRequest { agent: Some(agent.clone()), ..NextRequest::default() };
        measured("next for an agent", &|| _ = store.next(&tree(), &mine).unwrap());
        measured("get", &|| _ = store.task(&tree(), &task).unwrap());
        measured("counts", &|| _ = store.counts(&tree(), Some(&agent)).unwrap());
        let request = ClaimRequest { task: task.clone(), ttl_seconds: None };
        measured("claim", &|| _ = store.claim(&call, &tree(), &request).unwrap());
        measured("release", &|| _ = store.release(&call, &task, None, None).unwrap());
        measured("claim next", &|| _ = store.claim_next(&call, &tree(), &mine, None).unwrap());
        measured("done", &|| _ = store.done(&call, &tree(), &task, None, None).unwrap());
        measured("verify", &|| _ = store.verify(&call, &tree(), &task, None, None).unwrap());
        measured("digest", &|| _ = store.digest(&tree(), &agent).unwrap());
        let changed = Definition {
            id: task.to_string(),
            title: "Another title".to_owned(),
            labels: vec!["all".to_owned()],
            ..Definition::default()
        };
        measured("update", &|| {
            _ = store.update_task(&call, &tree(), &SpecStamp::default(), &changed).unwrap();
        });
        costs
    }

    #[test]
    fn no_call_costs_more_because_there_are_more_tasks() {
        for ((name, few), (_, many)) in costs(200).into_iter().zip(costs(4_000)) {
            assert!(few > 0, "{name} was not measured");
            assert!(many <= few * 3 / 2, "{name}: {few} steps at 200 tasks, {many} at 4000");
        }
    }
}
