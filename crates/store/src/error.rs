//! Why the store refuses or fails. Ids and places stand in fields, so that whoever tells a user need not read texts.

use becket_base::verb;

use crate::model::{AgentId, Conflict, LockOverlap, TaskId};
use crate::spec_file::Status;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no agent is called {agent}")]
    UnknownAgent { agent: AgentId },
    #[error("this call needs an agent")]
    NoAgent,
    #[error("no task is called {task}")]
    UnknownTask { task: TaskId, nearest: Option<String> },
    #[error("no message is called {message}")]
    UnknownMessage { message: String },
    #[error("{} holds {} until {}", .0.holder, .0.task, .0.expires_at)]
    Held(Conflict),
    #[error("the lease of {task} that was presented (generation {presented}) is no longer the current one")]
    StaleLease { task: TaskId, presented: u64, current: u64 },
    #[error("nobody holds {task}")]
    NotHeld { task: TaskId },
    #[error("{task} cannot be claimed: it is {}{}", status.word(), waiting(unmet))]
    NotClaimable { task: TaskId, status: Status, unmet: Vec<TaskId> },
    #[error("{task} cannot go from {} to {}", from.word(), to.word())]
    IllegalMove { task: TaskId, from: Status, to: Status },
    #[error("{agent} completed {task} itself, and another agent must verify it")]
    SelfVerification { task: TaskId, agent: AgentId },
    #[error("{task} locks paths that another task under lease locks too")]
    LocksOverlap { task: TaskId, overlaps: Vec<LockOverlap> },
    #[error("{} {} on {task}", list(dependents), verb(dependents.len(), "depends", "depend"))]
    HasDependents { task: TaskId, dependents: Vec<TaskId> },
    #[error("{task} exists already")]
    TaskExists { task: TaskId },
    #[error("{task} depends on {dependency}, which does not exist")]
    UnknownDependency { task: TaskId, dependency: TaskId },
    #[error("{}", circle(cycle))]
    WouldCycle { cycle: Vec<TaskId> },
    #[error("{field} {problem}")]
    Invalid { field: &'static str, problem: String },
    #[error("the idempotency key was used for another call")]
    KeyReused { key: String },

    #[error("{place} can only be read")]
    ReadOnly { place: String },
    #[error("there is no room left to write {place}")]
    Full { place: String },
    #[error("{place} was kept busy by another process for {seconds} s")]
    Busy { place: String, seconds: u64 },
    #[error("{place} is damaged: {detail}")]
    Corrupt { place: String, detail: String },
    #[error("{place} is a database of something else: it has {tables}, and nothing of becket's")]
    Foreign { place: String, tables: String },
    #[error("{place} is a folder, and the store is one file")]
    Folder { place: String },
    #[error("{place} was written by a newer becket (schema {found}, this one knows {known})")]
    Newer { place: String, found: i64, known: i64 },
    #[error("the store cannot be reached: {detail}")]
    Unavailable { detail: String },
    #[error("{place} was lost while it committed, and whether it did is not known")]
    Unsure { place: String },
    #[error("the address of the store is not understood: {detail}")]
    Address { detail: String },
    #[error("{path}")]
    File { path: String, source: std::io::Error },
    #[error("the file cannot be imported: {detail}")]
    Import { detail: String },
    #[error("the store answered something unexpected: {detail}")]
    Unexpected { detail: String },
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn invalid(field: &'static str, problem: impl Into<String>) -> Self {
        Self::Invalid { field, problem: problem.into() }
    }

    pub(crate) fn unexpected(detail: impl Into<String>) -> Self {
        Self::Unexpected { detail: detail.into() }
    }
}

fn waiting(unmet: &[TaskId]) -> String {
    if unmet.is_empty() { String::new() } else { format!(", and waits for {}", list(unmet)) }
}

fn circle(cycle: &[TaskId]) -> String {
    match cycle {
        [alone] => format!("{alone} would depend on itself"),
        several => format!("{} would depend on each other in a circle", list(several)),
    }
}

fn list(tasks: &[TaskId]) -> String {
    const SHOWN: usize = 5;
    let mut text = tasks.iter().take(SHOWN).map(TaskId::as_str).collect::<Vec<_>>().join(", ");
    if tasks.len() > SHOWN {
        let rest = tasks.len() - SHOWN;
        text = format!("{text} and {rest} more");
    }
    text
}
