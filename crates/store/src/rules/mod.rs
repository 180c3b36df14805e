//! The rules: what may happen to tasks, leases, agents and messages, and which event tells of it. Each works inside one
//! transaction that somebody else opened, and knows no database.

pub(crate) mod agents;
pub(crate) mod answers;
pub(crate) mod counts;
pub(crate) mod definitions;
pub(crate) mod digest;
pub(crate) mod events;
pub(crate) mod graph;
pub(crate) mod leases;
pub(crate) mod limits;
pub(crate) mod listing;
pub(crate) mod messages;
pub(crate) mod next;
pub(crate) mod outbox;
pub(crate) mod status;
pub(crate) mod sweep;
pub(crate) mod sync;
pub(crate) mod tallies;
pub(crate) mod transfer;

use crate::model::{AgentId, Call, TaskId};
use crate::sql::NewEvent;

impl<'a> NewEvent<'a> {
    /// An event of a call: by its agent, under its correlation id.
    fn of(kind: crate::model::EventType, call: &'a Call) -> Self {
        Self { actor: call.agent.as_ref(), correlation_id: call.correlation_id.as_deref(), ..Self::new(kind) }
    }
}

/// What a repository has decided about its agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policy {
    pub verify: Verifier,
    pub locks: LockPolicy,
    pub lease: LeaseBounds,
}

/// Who may verify a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verifier {
    #[default]
    Anyone,
    /// Not the one who completed it.
    OtherAgent,
}

/// What two tasks under lease that lock a common path mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LockPolicy {
    #[default]
    Warn,
    Enforce,
}

/// Seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseBounds {
    pub min: u64,
    pub max: u64,
    pub default: u64,
}

impl Default for LeaseBounds {
    fn default() -> Self {
        Self { min: 60, max: 2 * 60 * 60, default: 15 * 60 }
    }
}

impl LeaseBounds {
    pub fn clamp(&self, wanted: Option<u64>) -> u64 {
        wanted.unwrap_or(self.default).max(self.min).min(self.max)
    }
}

fn ids<T: From<String>>(texts: Vec<String>) -> Vec<T> {
    texts.into_iter().map(T::from).collect()
}

/// `?from, ?from+1, …` for a list whose length only the call knows.
fn places(from: usize, count: usize) -> String {
    (from..from + count).map(|place| format!("?{place}")).collect::<Vec<_>>().join(", ")
}

fn words<'a>(tasks: impl IntoIterator<Item = &'a TaskId>) -> Vec<&'a str> {
    tasks.into_iter().map(TaskId::as_str).collect()
}

fn needed(call: &Call) -> crate::error::Result<&AgentId> {
    call.agent.as_ref().ok_or(crate::error::Error::NoAgent)
}
