//! Whose turn it is to write. SQLite's own waiting starves: a process that has just written finds the lock free before
//! any sleeper wakes. Here a writer first stands in a queue of one place, and whoever holds that place is the next to
//! write, so the one who has just written must stand behind it.
//!
//! Who must wait sleeps until the system wakes it: eight servers that look again and again burn the core that the one who
//! writes needs. A sleep in a file lock has no end of its own, so a thread sleeps there and the caller waits for that thread.
//!
//! Owns fairness alone. That two never write at once is SQLite's own lock to hold: should the lock files be deleted
//! under a running process, only the order suffers.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use super::identity::Stat;
use super::opening::{beside, beside_named};
use crate::error::{Error, Result};

/// How many times somebody waits as long again, as long as others still write: in a fair order its turn comes, however slow the
/// disk is. Who waits for ever helps nobody.
const AGAIN: u32 = 4;

#[derive(Debug)]
pub(crate) struct Turnstile {
    gate: Arc<Gate>,
    /// Only where somebody had to wait.
    porter: OnceLock<Sender<Wish>>,
    database: PathBuf,
}

#[derive(Debug)]
struct Gate {
    queue: File,
    writer: File,
    /// Wishes whose answer nobody has heard yet. While there are any, a lock of these files may be the porter's.
    open_wishes: AtomicUsize,
}

/// That somebody wants to write, and where it waits to hear that it may.
#[derive(Debug)]
struct Wish {
    is_next: bool,
    granted: SyncSender<io::Result<()>>,
}

/// The turn to write, until dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a>(&'a File);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        give_back(self.0);
    }
}

impl Turnstile {
    pub(crate) fn open(database: &Path) -> io::Result<Self> {
        let open = |name| {
            let mut options = fs_err::OpenOptions::new();
            let options = options.create(true).truncate(false).write(true);
            Ok::<File, io::Error>(becket_fence::open(&beside_named(database, name), options)?.into_parts().0)
        };
        let gate = Gate {
            queue: open("queue.lock")?,
            writer: open("writer.lock")?,
            open_wishes: AtomicUsize::new(0),
        };
        Ok(Self { gate: Arc::new(gate), porter: OnceLock::new(), database: database.to_owned() })
    }

    pub(crate) fn enter(&self, patience_seconds: u64) -> Result<Turn<'_>> {
        self.enter_within(Duration::from_secs(patience_seconds))
    }

    fn enter_within(&self, each: Duration) -> Result<Turn<'_>> {
        let gate = &*self.gate;
        let mut is_next = false;
        if gate.open_wishes.load(Ordering::Acquire) == 0 && self.take(&gate.queue)? {
            if self.take(&gate.writer)? {
                give_back(&gate.queue);
                return Ok(Turn(&gate.writer));
            }
            is_next = true;
        }
        self.wait(is_next, each)
    }

    fn take(&self, file: &File) -> Result<bool> {
        match file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(source)) => Err(self.failed(source)),
        }
    }

    fn wait(&self, is_next: bool, each: Duration) -> Result<Turn<'_>> {
        let (granted, answer) = mpsc::sync_channel(0);
        self.gate.open_wishes.fetch_add(1, Ordering::AcqRel);
        let asked = self.porter().and_then(|porter| {
            porter.send(Wish { is_next, granted }).map_err(|_| io::Error::other("the porter is gone"))
        });
        if let Err(source) = asked {
            self.gate.open_wishes.fetch_sub(1, Ordering::AcqRel);
            if is_next {
                give_back(&self.gate.queue);
            }
            return Err(self.failed(source));
        }
        let mut patience = Patience::of(self);
        loop {
            match answer.recv_timeout(each) {
                Ok(granted) => {
                    self.gate.open_wishes.fetch_sub(1, Ordering::AcqRel);
                    return granted.map(|()| Turn(&self.gate.writer)).map_err(|source| self.failed(source));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.failed(io::Error::other("the porter is gone")));
                }
                Err(RecvTimeoutError::Timeout) if patience.is_over(self) => {
                    return Err(Error::Busy { place: self.place(), seconds: each.as_secs() });
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn porter(&self) -> io::Result<&Sender<Wish>> {
        if let Some(porter) = self.porter.get() {
            return Ok(porter);
        }
        let (wishes, heard) = mpsc::channel();
        let gate = Arc::clone(&self.gate);
        thread::Builder::new().name("turnstile".to_owned()).spawn(move || gate.serve(&heard))?;
        Ok(self.porter.get_or_init(|| wishes))
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::File { path: self.place(), source }
    }

    fn place(&self) -> String {
        self.database.display().to_string()
    }

    /// Another whenever somebody has written.
    fn trace(&self) -> (Stat, Stat) {
        (Stat::of(&self.database), Stat::of(&beside(&self.database, "-wal")))
    }
}

impl Gate {
    /// Until nobody can wish any more.
    fn serve(&self, wishes: &Receiver<Wish>) {
        for Wish { is_next, granted } in wishes {
            let turn = self.take_turn(is_next);
            let is_taken = turn.is_ok();
            if granted.send(turn).is_ok() {
                continue;
            }
            // Who wished it gave up in the meantime.
            if is_taken {
                give_back(&self.writer);
            }
            self.open_wishes.fetch_sub(1, Ordering::AcqRel);
        }
    }

    fn take_turn(&self, is_next: bool) -> io::Result<()> {
        if !is_next {
            sleep_for(&self.queue)?;
        }
        let taken = sleep_for(&self.writer);
        give_back(&self.queue);
        taken
    }
}

fn sleep_for(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            locked => return locked,
        }
    }
}

fn give_back(file: &File) {
    if let Err(error) = file.unlock() {
        tracing::warn!(%error, "the turn to write could not be given back");
    }
}

#[derive(Debug)]
struct Patience {
    trace: (Stat, Stat),
    again: u32,
}

impl Patience {
    fn of(turnstile: &Turnstile) -> Self {
        Self { trace: turnstile.trace(), again: AGAIN }
    }

    /// To be asked whenever a wait has ended in vain.
    fn is_over(&mut self, turnstile: &Turnstile) -> bool {
        let trace = turnstile.trace();
        if self.again == 0 || trace == self.trace {
            return true;
        }
        (self.trace, self.again) = (trace, self.again - 1);
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tempfile::TempDir;

    use super::*;

    fn database() -> (TempDir, PathBuf) {
        let folder = TempDir::new().unwrap();
        let database = folder.path().join("runtime.sqlite");
        std::fs::write(&database, "1").unwrap();
        (folder, database)
    }

    #[test]
    fn one_at_a_time() {
        let (_folder, database) = database();
        let inside = Mutex::new(());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let turnstile = Turnstile::open(&database).unwrap();
                    for _ in 0..100 {
                        let _turn = turnstile.enter(30).unwrap();
                        let _alone = inside.try_lock().expect("two have the turn");
                        thread::sleep(Duration::from_micros(50));
                    }
                });
            }
        });
    }

    /// However fast the one who has just written comes back, and however slow the system is to wake the other.
    #[test]
    fn who_waits_is_before_who_has_just_written() {
        let (_folder, database) = database();
        let open = || Turnstile::open(&database).unwrap();
        let (hasty, patient, onlooker) = (open(), open(), open());
        for _ in 0..100 {
            let order = Mutex::new(Vec::new());
            let turn = hasty.enter(30).unwrap();
            thread::scope(|scope| {
                scope.spawn(|| {
                    let _turn = patient.enter(30).unwrap();
                    order.lock().unwrap().push("patient");
                });
                while onlooker.take(&onlooker.gate.queue).unwrap() {
                    give_back(&onlooker.gate.queue);
                    thread::sleep(Duration::from_micros(50));
                }
                drop(turn);
                let _turn = hasty.enter(30).unwrap();
                order.lock().unwrap().push("hasty");
            });
            assert_eq!(order.into_inner().unwrap(), ["patient", "hasty"]);
        }
    }

    #[test]
    fn a_turn_that_comes_too_late_is_given_back() {
        let (_folder, database) = database();
        let (one, two, three) = (
            Turnstile::open(&database).unwrap(),
            Turnstile::open(&database).unwrap(),
            Turnstile::open(&database).unwrap(),
        );
        let turn = one.enter(30).unwrap();
        let short = Duration::from_millis(20);
        // The second is the next one and the third stands behind it; both give up.
        assert!(matches!(two.enter_within(short), Err(Error::Busy { .. })));
        assert!(matches!(three.enter_within(short), Err(Error::Busy { .. })));
        assert!(
            matches!(two.enter_within(short), Err(Error::Busy { .. })),
            "also while its first wish is open"
        );
        drop(turn);
        let four = Turnstile::open(&database).unwrap();
        for turnstile in [&one, &two, &three, &two] {
            let turn = turnstile.enter(30).unwrap();
            assert!(!four.take(&four.gate.writer).unwrap(), "nobody else gave it back");
            drop(turn);
        }
    }

    #[test]
    fn whoever_waits_gives_up_only_when_nobody_writes_any_more() {
        let (_folder, database) = database();
        let turnstile = Turnstile::open(&database).unwrap();
        let mut patience = Patience::of(&turnstile);
        let mut is_over = |content: &str| {
            std::fs::write(&database, content).unwrap();
            patience.is_over(&turnstile)
        };
        for content in ["22", "333", "4444", "55555"] {
            assert!(!is_over(content), "somebody wrote {content}");
        }
        assert!(is_over("666666"), "not for ever");
        assert!(Patience::of(&turnstile).is_over(&turnstile), "nobody wrote");
    }
}
