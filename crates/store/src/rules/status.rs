//! How far a task is, and along which edges it goes. Every move is made here: by an agent, by a person, or taken over
//! from a file, and leaves the readiness of its dependents, the outbox and the event behind in the same transaction.

use serde_json::{Value as Json, json};

use super::definitions::{self, Key, read_status};
use super::leases::{self, Standing};
use super::tallies::{self, Which};
use super::{Policy, Verifier, agents, graph, limits, outbox, words};
use crate::error::{Error, Result};
use crate::model::{AgentId, Call, Deleted, EventType, Lease, Outcome, TaskId, Warning};
use crate::natural;
use crate::spec_file::Status;
use crate::sql::{NewEvent, Transaction, TransactionExt, Value};

/// Whether anybody may move a task so.
pub(crate) fn is_legal(from: Status, to: Status) -> bool {
    use Status::{Blocked, Deleted, Done, Ready, Todo, Verified};
    match from {
        Todo => matches!(to, Ready | Blocked | Deleted),
        Ready => matches!(to, Todo | Blocked | Done | Deleted),
        Blocked => matches!(to, Todo | Ready | Deleted),
        Done => matches!(to, Verified | Ready | Deleted),
        Verified => matches!(to, Ready | Deleted),
        Deleted => matches!(to, Todo | Ready),
    }
}

/// Whether a file that says `to` knows more than a store that says `from`, several steps at once included.
pub(crate) fn is_forward(from: Status, to: Status) -> bool {
    let rank = |status| match status {
        Status::Todo => 0,
        Status::Blocked => 1,
        Status::Ready => 2,
        Status::Done => 3,
        Status::Verified => 4,
        Status::Deleted => 5,
    };
    rank(to) > rank(from)
}

/// What `done`, `verify` and `complete` are told.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finish<'a> {
    pub(crate) worktree: &'a Key,
    pub(crate) task: &'a TaskId,
    pub(crate) generation: Option<u64>,
    pub(crate) note: Option<&'a str>,
}

pub(crate) fn done(transaction: &mut dyn Transaction, call: &Call, finish: Finish<'_>) -> Result<Outcome> {
    let mut begun = Begun::new(transaction, call, finish)?;
    match begun.status {
        Status::Ready => {}
        Status::Done => return Ok(begun.unchanged(finish.task)),
        from => return Err(Error::IllegalMove { task: finish.task.clone(), from, to: Status::Done }),
    }
    begun.warn_of_dependencies(finish.task);
    let moved = Move::of(call, finish, begun.status, Status::Done).make(transaction)?;
    let dependents = graph::dependents(transaction, finish.worktree, finish.task, 20)?;
    if !dependents.is_empty() {
        begun.warnings.push(Warning::DependentsWaiting { task: finish.task.clone(), dependents });
    }
    Ok(begun.outcome(finish.task, Status::Done, moved))
}

pub(crate) fn verify(
    transaction: &mut dyn Transaction,
    policy: &Policy,
    call: &Call,
    finish: Finish<'_>,
) -> Result<Outcome> {
    let mut begun = Begun::new(transaction, call, finish)?;
    match begun.status {
        Status::Done => {}
        Status::Verified => return Ok(begun.unchanged(finish.task)),
        from => return Err(Error::IllegalMove { task: finish.task.clone(), from, to: Status::Verified }),
    }
    begun.warnings.clear();
    let completed_by = transaction
        .one("SELECT completed_by FROM tasks WHERE task_id = ?1", &[finish.task.as_str().into()])?
        .map(|row| row.owned(0))
        .transpose()?
        .flatten();
    if let Some(agent) = call.agent.as_ref().filter(|agent| completed_by.as_deref() == Some(agent.as_str())) {
        refuse_self(policy, finish.task, agent)?;
        begun.warnings.push(Warning::SelfVerified { task: finish.task.clone() });
    }
    let moved = Move::of(call, finish, begun.status, Status::Verified).make(transaction)?;
    Ok(begun.outcome(finish.task, Status::Verified, moved))
}

/// Done and verified in one transaction, with both events.
pub(crate) fn complete(
    transaction: &mut dyn Transaction,
    policy: &Policy,
    call: &Call,
    finish: Finish<'_>,
) -> Result<Outcome> {
    let mut begun = Begun::new(transaction, call, finish)?;
    match begun.status {
        Status::Done => return verify(transaction, policy, call, finish),
        Status::Verified => return Ok(begun.unchanged(finish.task)),
        Status::Ready => {}
        from => return Err(Error::IllegalMove { task: finish.task.clone(), from, to: Status::Verified }),
    }
    if let Some(agent) = &call.agent {
        refuse_self(policy, finish.task, agent)?;
    }
    begun.warn_of_dependencies(finish.task);
    Move::of(call, finish, begun.status, Status::Done).make(transaction)?;
    let moved = Move::of(call, finish, Status::Done, Status::Verified).make(transaction)?;
    Ok(begun.outcome(finish.task, Status::Verified, moved))
}

/// `task update --status`: any other legal move. The two that mean work are made as such.
pub(crate) fn go(
    transaction: &mut dyn Transaction,
    policy: &Policy,
    call: &Call,
    finish: Finish<'_>,
    to: Status,
) -> Result<Outcome> {
    match to {
        Status::Done => return done(transaction, call, finish),
        Status::Verified => return verify(transaction, policy, call, finish),
        Status::Deleted => {
            let (previous, _) = definitions::readiness(transaction, finish.worktree, finish.task)?;
            let deleted = delete(transaction, call, finish.worktree, finish.task, Cascade::Refuse)?;
            let ended_lease = deleted.ended_leases.into_iter().next();
            let task = finish.task.clone();
            let (newly_ready, warnings) = (Vec::new(), Vec::new());
            return Ok(Outcome { task, status: to, previous, newly_ready, ended_lease, warnings });
        }
        _ => {}
    }
    let mut begun = Begun::new(transaction, call, finish)?;
    begun.warnings.clear();
    if begun.status == to {
        return Ok(begun.unchanged(finish.task));
    }
    if !is_legal(begun.status, to) {
        return Err(Error::IllegalMove { task: finish.task.clone(), from: begun.status, to });
    }
    let moved = Move::of(call, finish, begun.status, to).make(transaction)?;
    Ok(begun.outcome(finish.task, to, moved))
}

/// What happens to tasks that depend on a deleted one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cascade {
    /// They keep it from being deleted.
    Refuse,
    /// They are deleted with it.
    Dependents,
}

pub(crate) fn delete(
    transaction: &mut dyn Transaction,
    call: &Call,
    worktree: &Key,
    task: &TaskId,
    cascade: Cascade,
) -> Result<Deleted> {
    agents::acting(transaction, call)?;
    let (status, _) = definitions::readiness(transaction, worktree, task)?;
    if status == Status::Deleted {
        return Ok(Deleted { tasks: Vec::new(), ended_leases: Vec::new() });
    }
    let dependents = graph::living_dependents(transaction, worktree, task)?;
    if cascade == Cascade::Refuse && !dependents.is_empty() {
        return Err(Error::HasDependents { task: task.clone(), dependents });
    }
    let mut deleted = Deleted { tasks: Vec::new(), ended_leases: Vec::new() };
    let going = std::iter::once(task.clone()).chain(graph::all_dependents(transaction, worktree, task)?);
    for task in going.collect::<Vec<_>>() {
        let (from, _) = definitions::readiness(transaction, worktree, &task)?;
        if from == Status::Deleted {
            continue;
        }
        let finish = Finish { worktree, task: &task, generation: None, note: None };
        leases::standing(transaction, call.agent.as_ref(), &task, None)?;
        let moved = Move::of(call, finish, from, Status::Deleted).make(transaction)?;
        deleted.ended_leases.extend(moved.ended_lease);
        deleted.tasks.push(task);
    }
    Ok(deleted)
}

fn refuse_self(policy: &Policy, task: &TaskId, agent: &AgentId) -> Result<()> {
    match policy.verify {
        Verifier::Anyone => Ok(()),
        Verifier::OtherAgent => Err(Error::SelfVerification { task: task.clone(), agent: agent.clone() }),
    }
}

/// What is known of a task before it moves: everything that could refuse the move has been asked.
#[derive(Debug)]
struct Begun {
    status: Status,
    unmet: Vec<TaskId>,
    warnings: Vec<Warning>,
}

impl Begun {
    fn new(transaction: &mut dyn Transaction, call: &Call, finish: Finish<'_>) -> Result<Self> {
        limits::text("note", finish.note, limits::NOTE_BYTES)?;
        let agent = agents::acting(transaction, call)?;
        let (status, unmet) = definitions::readiness(transaction, finish.worktree, finish.task)?;
        let task = finish.task.clone();
        let warnings = match leases::standing(transaction, agent, finish.task, finish.generation)? {
            Standing::Holder => Vec::new(),
            Standing::Lapsed => vec![Warning::LeaseExpired { task }],
            Standing::Free => vec![Warning::NotClaimed { task }],
        };
        Ok(Self { status, unmet, warnings })
    }

    fn warn_of_dependencies(&mut self, task: &TaskId) {
        if !self.unmet.is_empty() {
            let unmet = std::mem::take(&mut self.unmet);
            self.warnings.push(Warning::DependenciesUnmet { task: task.clone(), unmet });
        }
    }

    fn unchanged(self, task: &TaskId) -> Outcome {
        let warnings = vec![Warning::AlreadyThere { task: task.clone(), status: self.status }];
        Outcome {
            task: task.clone(),
            status: self.status,
            previous: self.status,
            newly_ready: Vec::new(),
            ended_lease: None,
            warnings,
        }
    }

    fn outcome(self, task: &TaskId, status: Status, moved: Moved) -> Outcome {
        Outcome {
            task: task.clone(),
            status,
            previous: self.status,
            newly_ready: moved.newly_ready,
            ended_lease: moved.ended_lease,
            warnings: self.warnings,
        }
    }
}

/// One step of one task, already judged.
#[derive(Debug)]
pub(crate) struct Move<'a> {
    pub(crate) call: &'a Call,
    pub(crate) worktree: &'a Key,
    pub(crate) task: &'a TaskId,
    pub(crate) from: Status,
    pub(crate) to: Status,
    pub(crate) note: Option<&'a str>,
    /// The file that the move was read from says it already.
    pub(crate) is_in_file: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Moved {
    pub(crate) newly_ready: Vec<TaskId>,
    pub(crate) ended_lease: Option<Lease>,
}

impl<'a> Move<'a> {
    fn of(call: &'a Call, finish: Finish<'a>, from: Status, to: Status) -> Self {
        let Finish { worktree, task, note, .. } = finish;
        Self { call, worktree, task, from, to, note, is_in_file: false }
    }

    pub(crate) fn make(self, transaction: &mut dyn Transaction) -> Result<Moved> {
        self.write_state(transaction)?;
        let mut newly_ready = Vec::new();
        let id = Value::from(self.task.as_str());
        let sql = "UPDATE definitions SET status = ?2 WHERE task_id = ?1 RETURNING worktree, unmet";
        let copies = tallies::around(transaction, Which::Task(self.task), |transaction| {
            transaction.query(sql, &[id.clone(), self.to.word().into()])
        })?;
        let was = i64::from(self.from == Status::Ready);
        let is = i64::from(self.to == Status::Ready);
        if was != is {
            let sql = "UPDATE labels SET claimable = ?2 WHERE task_id = ?1 AND worktree = ?3";
            for copy in &copies {
                if copy.integer(1)? == 0 {
                    transaction.execute(sql, &[id.clone(), is.into(), copy.text(0)?.into()])?;
                    if is == 1 && copy.text(0)? == self.worktree.as_str() {
                        newly_ready.push(self.task.clone());
                    }
                }
            }
        }
        if self.to == Status::Verified {
            newly_ready.extend(met(transaction, self.worktree, self.task)?);
        } else if self.from == Status::Verified {
            unmet(transaction, self.task)?;
        }
        if self.to == Status::Deleted {
            graph::note_deleted(transaction, self.task)?;
        } else if self.from == Status::Deleted {
            graph::note_restored(transaction, self.task)?;
        }
        let mut ended_lease = None;
        if self.from == Status::Ready {
            ended_lease = leases::holder(transaction, self.task)?;
            if ended_lease.is_some() {
                leases::end(transaction, self.task)?;
            }
        }
        let event = self.tell(transaction, ended_lease.as_ref(), &newly_ready)?;
        if !self.is_in_file {
            outbox::add(transaction, self.worktree, self.task, event)?;
        }
        Ok(Moved { newly_ready, ended_lease })
    }

    fn write_state(&self, transaction: &mut dyn Transaction) -> Result<()> {
        let now = transaction.moment().text();
        let by = self.call.agent.as_ref().map(AgentId::as_str);
        let id = Value::from(self.task.as_str());
        let (sql, values) = match self.to {
            Status::Done => (
                "UPDATE tasks SET status = ?2, updated_at = ?3, completed_by = ?4, completed_at = ?3, \
                 verified_by = NULL, verified_at = NULL WHERE task_id = ?1",
                vec![id, self.to.word().into(), now.into(), by.into()],
            ),
            Status::Verified => (
                "UPDATE tasks SET status = ?2, updated_at = ?3, verified_by = ?4, verified_at = ?3 WHERE task_id = ?1",
                vec![id, self.to.word().into(), now.into(), by.into()],
            ),
            Status::Deleted => (
                "UPDATE tasks SET status = ?2, updated_at = ?3 WHERE task_id = ?1",
                vec![id, self.to.word().into(), now.into()],
            ),
            Status::Todo | Status::Ready | Status::Blocked => (
                "UPDATE tasks SET status = ?2, updated_at = ?3, completed_by = NULL, completed_at = NULL, \
                 verified_by = NULL, verified_at = NULL WHERE task_id = ?1",
                vec![id, self.to.word().into(), now.into()],
            ),
        };
        transaction.execute(sql, &values)?;
        Ok(())
    }

    fn tell(
        &self,
        transaction: &mut dyn Transaction,
        ended: Option<&Lease>,
        newly_ready: &[TaskId],
    ) -> Result<i64> {
        let kind = match self.to {
            Status::Done => EventType::TaskDone,
            Status::Verified => EventType::TaskVerified,
            Status::Deleted => EventType::TaskDeleted,
            _ => EventType::TaskUpdated,
        };
        let mut payload = json!({ "from": self.from.word(), "to": self.to.word() });
        let mut add = |key: &str, value: Json| {
            if let Some(object) = payload.as_object_mut() {
                object.insert(key.to_owned(), value);
            }
        };
        if let Some(note) = self.note {
            add("note", json!(note));
        }
        if let Some(lease) = ended {
            add("generation", json!(lease.generation));
            add("heldBy", json!(lease.agent));
        }
        if !newly_ready.is_empty() {
            add("newlyReadyTaskIds", json!(words(newly_ready.iter().take(100))));
        }
        if self.is_in_file {
            add("source", json!("spec.yaml"));
        }
        transaction.append(&NewEvent::of(kind, self.call).task(self.task).payload(payload))
    }
}

/// One dependency less to wait for, in every worktree. Gives the tasks of `worktree` that became claimable.
pub(crate) fn met(transaction: &mut dyn Transaction, worktree: &Key, task: &TaskId) -> Result<Vec<TaskId>> {
    let id = [Value::from(task.as_str())];
    let sql = "UPDATE definitions SET unmet = unmet - 1 WHERE (worktree, task_id) IN \
         (SELECT worktree, task_id FROM dependencies WHERE dependency = ?1) RETURNING worktree, task_id, unmet, status";
    let rows =
        tallies::around(transaction, Which::DependentsOf(task), |transaction| transaction.query(sql, &id))?;
    let mut ready = Vec::new();
    let mut any = false;
    for row in &rows {
        if row.integer(2)? == 0 && read_status(row.text(3)?)? == Status::Ready {
            any = true;
            if row.text(0)? == worktree.as_str() {
                ready.push(TaskId::from(row.text(1)?));
            }
        }
    }
    if any {
        transaction.execute(
            "UPDATE labels SET claimable = 1 WHERE (worktree, task_id) IN (SELECT d.worktree, d.task_id \
             FROM dependencies p JOIN definitions d ON d.worktree = p.worktree AND d.task_id = p.task_id \
             WHERE p.dependency = ?1 AND d.status = 'ready' AND d.unmet = 0)",
            &id,
        )?;
    }
    ready.sort_by_cached_key(|task| natural::sort_key(task.as_str()));
    Ok(ready)
}

/// The reverse: a verified task was reopened or deleted.
fn unmet(transaction: &mut dyn Transaction, task: &TaskId) -> Result<()> {
    let id = [Value::from(task.as_str())];
    let sql = "UPDATE definitions SET unmet = unmet + 1 WHERE (worktree, task_id) IN \
         (SELECT worktree, task_id FROM dependencies WHERE dependency = ?1)";
    let changed =
        tallies::around(transaction, Which::DependentsOf(task), |transaction| transaction.execute(sql, &id))?;
    if changed > 0 {
        transaction.execute(
            "UPDATE labels SET claimable = 0 WHERE (worktree, task_id) IN \
             (SELECT worktree, task_id FROM dependencies WHERE dependency = ?1)",
            &id,
        )?;
    }
    Ok(())
}
