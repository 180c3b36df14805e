//! From the store to `spec.yaml`: statuses that were answered reach the file within a second, and before the process ends.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use becket_store::{
    StatusRow, TaskState,
    spec_file::{Definition, Edit, Field, Sheet, SpecError},
};

use super::board::{Board, stamp_of};
use crate::{Engine, Error};

/// Gathers what happens within this time into one write.
const GATHER: Duration = Duration::from_millis(250);
/// After a failure: somebody has to mend the file first. The longer that takes, the less often it is tried and told; any
/// call that finds the file changed writes at once.
const RETRY: Duration = Duration::from_secs(2);
const RETRY_MOST: Duration = Duration::from_mins(1);
/// How long the end of a process waits for a write that is under way.
const PATIENCE: Duration = Duration::from_secs(20);
/// Rows of one write.
const BATCH: usize = 1_000;

/// Boards with something to write. The thread is started with the first of them.
#[derive(Debug, Default)]
pub(super) struct Flusher {
    shared: Arc<Shared>,
    running: AtomicBool,
}

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    boards: Vec<Due>,
    /// Whether the thread is writing one right now.
    writing: bool,
    stopped: bool,
}

#[derive(Debug)]
struct Due {
    board: Board,
    at: Instant,
    /// How long it waited after the failure before, if that failed.
    paused: Option<Duration>,
}

impl Flusher {
    /// Notes that a board has something to write.
    pub(super) fn nudge(&self, board: &Board) {
        let mut waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let at = Instant::now() + GATHER;
        match waiting.boards.iter_mut().find(|due| due.board.worktree == board.worktree) {
            // Something new is written soon, whatever is still in the way of what is old.
            Some(due) => due.at = due.at.min(at),
            None => waiting.boards.push(Due { board: board.clone(), at, paused: None }),
        }
        drop(waiting);
        self.shared.changed.notify_all();
        if !self.running.swap(true, Ordering::AcqRel) {
            let shared = Arc::clone(&self.shared);
            let started =
                std::thread::Builder::new().name("spec-flusher".to_owned()).spawn(move || run(&shared));
            if let Err(error) = started {
                tracing::warn!(%error, "spec.yaml is written at the end only: no thread could be started");
            }
        }
    }

    /// Everything that waits, now.
    fn settle(&self) -> Result<(), Error> {
        let boards = {
            let mut waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut waiting.boards)
        };
        let mut outcome = Ok(());
        for due in boards {
            if let Err(error) = flush(&due.board) {
                outcome = Err(error);
            }
        }
        // What the thread had taken up before is not ours to write, but ours to wait for.
        let waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let pause = self.shared.changed.wait_timeout_while(waiting, PATIENCE, |waiting| waiting.writing);
        drop(pause.unwrap_or_else(PoisonError::into_inner));
        outcome
    }
}

impl Drop for Flusher {
    fn drop(&mut self) {
        if let Err(error) = self.settle() {
            tracing::warn!(%error, "spec.yaml could not be brought up to date; the next process does it");
        }
        self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner).stopped = true;
        self.shared.changed.notify_all();
    }
}

fn run(shared: &Shared) {
    loop {
        let due = {
            let mut waiting = shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                if waiting.stopped {
                    return;
                }
                let now = Instant::now();
                if let Some(index) = waiting.boards.iter().position(|due| due.at <= now) {
                    waiting.writing = true;
                    break waiting.boards.swap_remove(index);
                }
                let next = waiting.boards.iter().map(|due| due.at.saturating_duration_since(now)).min();
                let pause = next.unwrap_or(Duration::from_hours(1));
                waiting =
                    shared.changed.wait_timeout(waiting, pause).unwrap_or_else(PoisonError::into_inner).0;
            }
        };
        let outcome = flush(&due.board);
        let mut waiting = shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.writing = false;
        if let Err(error) = outcome {
            tracing::warn!(code = error.code(), "spec.yaml is not up to date: {error}");
            let pause = due.paused.map_or(RETRY, |paused| (paused * 2).min(RETRY_MOST));
            waiting.boards.push(Due { at: Instant::now() + pause, paused: Some(pause), ..due });
        }
        drop(waiting);
        shared.changed.notify_all();
    }
}

impl Engine {
    /// Before a command or a server ends: what was answered is in `spec.yaml`.
    pub fn settle_tasks(&self) -> Result<(), Error> {
        self.coordinate.flusher.settle()
    }

    pub(super) fn flush_board(&self, board: &Board) -> Result<(), Error> {
        flush(board)
    }
}

/// Writes what the store says and the file does not. A task that is written in a way that cannot be changed in place waits,
/// and is the error; the others do not wait for it.
fn flush(board: &Board) -> Result<(), Error> {
    if board.store.is_read_only() {
        return Ok(());
    }
    let mut fixed = BTreeSet::new();
    let mut outcome = Ok(());
    loop {
        let mut rows = board.store.outbox(&board.worktree, BATCH)?;
        let is_last = rows.len() < BATCH;
        rows.retain(|row| !fixed.contains(&row.task));
        if rows.is_empty() {
            return outcome;
        }
        let mut parts = vec![rows.as_slice()];
        while let Some(part) = parts.pop() {
            match (write(board, part), part) {
                (Err(error), [one]) if error.code() == "spec_not_spliceable" => {
                    fixed.insert(one.task.clone());
                    outcome = outcome.and(Err(error));
                }
                // One of them is in the way, and only trying tells which.
                (Err(error), _) if error.code() == "spec_not_spliceable" => {
                    let (earlier, later) = part.split_at(part.len() / 2);
                    parts.extend([later, earlier]);
                }
                (written, _) => written?,
            }
        }
        if is_last {
            return outcome;
        }
    }
}

fn write(board: &Board, rows: &[StatusRow]) -> Result<(), Error> {
    let known = board.store.spec_stamp(&board.worktree)?;
    let untouched = std::cell::Cell::new(false);
    let written = board.spec.change_then::<Error>(
        |sheet| {
            untouched.set(known.as_ref().is_some_and(|known| known.hash == sheet.hash));
            Ok(edits(sheet, rows)?)
        },
        |after| {
            // Only then is the mirror as new as the file.
            let stamp = untouched.get().then(|| stamp_of(after));
            Ok(board.store.outbox_written(&board.worktree, rows, stamp.as_ref())?)
        },
    );
    written.map(drop)
}

/// A task that the file does not have any more needs no edit.
fn edits(sheet: &Sheet, rows: &[StatusRow]) -> Result<Vec<Edit>, SpecError> {
    let mut edits = Vec::new();
    for row in rows {
        let Some(task) = sheet.task(row.task.as_str())? else { continue };
        let fields = fields(&task, &row.state);
        if !fields.is_empty() {
            edits.push(Edit::Set { id: task.id, fields });
        }
    }
    Ok(edits)
}

/// What differs, so that a write that changes nothing is none.
fn fields(task: &Definition, state: &TaskState) -> Vec<Field> {
    let mut fields = Vec::new();
    if task.status != state.status {
        fields.push(Field::Status(state.status));
    }
    let texts = [
        (&task.completed_by, &state.completed_by, Field::CompletedBy as fn(Option<String>) -> Field),
        (&task.completed_at, &state.completed_at, Field::CompletedAt),
        (&task.verified_by, &state.verified_by, Field::VerifiedBy),
        (&task.verified_at, &state.verified_at, Field::VerifiedAt),
    ];
    for (before, after, field) in texts {
        if before != after {
            fields.push(field(after.clone()));
        }
    }
    if !fields.is_empty() && task.updated_at != state.updated_at && state.updated_at.is_some() {
        fields.push(Field::UpdatedAt(state.updated_at.clone()));
    }
    fields
}

#[cfg(test)]
mod tests {
    use becket_store::spec_file::Status;

    use super::*;

    fn state(status: Status) -> TaskState {
        TaskState {
            status,
            updated_at: Some("2026-01-02T00:00:00.000Z".to_owned()),
            completed_by: None,
            completed_at: None,
            verified_by: None,
            verified_at: None,
        }
    }

    #[test]
    fn only_what_differs_is_written() {
        let task = Definition { status: Status::Ready, ..Definition::default() };
        assert!(fields(&task, &state(Status::Ready)).is_empty(), "a new time alone is no reason to write");
        let done = TaskState { completed_by: Some("A1".to_owned()), ..state(Status::Done) };
        assert_eq!(
            fields(&task, &done),
            [
                Field::Status(Status::Done),
                Field::CompletedBy(Some("A1".to_owned())),
                Field::UpdatedAt(Some("2026-01-02T00:00:00.000Z".to_owned())),
            ]
        );
    }

    #[test]
    fn what_a_reopened_task_had_is_taken_away() {
        let task =
            Definition { status: Status::Done, completed_by: Some("A1".to_owned()), ..Definition::default() };
        let fields = fields(&task, &state(Status::Ready));
        assert!(fields.contains(&Field::CompletedBy(None)), "{fields:?}");
    }
}
