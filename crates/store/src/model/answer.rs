//! Answers to changes, and what else a caller should be told.

use serde::{Deserialize, Serialize};

use super::{AgentId, Lease, Message, TaskId};
use crate::spec_file::Status;

/// Said beside a success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Warning {
    /// Nobody held the task.
    NotClaimed { task: TaskId },
    /// The caller held the task, but its lease had run out.
    LeaseExpired { task: TaskId },
    /// It had that status before.
    AlreadyThere { task: TaskId, status: Status },
    /// The agent verified what it had completed itself.
    SelfVerified { task: TaskId },
    /// These wait for the task to be verified.
    DependentsWaiting { task: TaskId, dependents: Vec<TaskId> },
    /// These are not verified, and the task was completed all the same.
    DependenciesUnmet { task: TaskId, unmet: Vec<TaskId> },
}

/// Of `done`, `verify`, `complete` and every other move of a status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    pub task: TaskId,
    pub status: Status,
    pub previous: Status,
    pub newly_ready: Vec<TaskId>,
    /// The lease that ended with it.
    pub ended_lease: Option<Lease>,
    pub warnings: Vec<Warning>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deleted {
    /// The task first, then what went with it.
    pub tasks: Vec<TaskId>,
    pub ended_leases: Vec<Lease>,
}

/// Why a task can never be claimed as it stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Problem {
    MissingDependency {
        task: TaskId,
        dependency: TaskId,
    },
    DeletedDependency {
        task: TaskId,
        dependency: TaskId,
    },
    /// The tasks of the cycle in order, beginning with the first by natural order.
    Cycle {
        task: TaskId,
        cycle: Vec<TaskId>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle(pub Vec<TaskId>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Readiness {
    Claimable,
    Leased,
    Waiting,
}

/// What reading `spec.yaml` again changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SyncReport {
    /// The worktree was not known before.
    pub first: bool,
    pub created: Vec<TaskId>,
    pub updated: Vec<TaskId>,
    /// No longer in this file; the store keeps their status.
    pub removed: Vec<TaskId>,
    pub taken: Vec<StatusTaken>,
    /// The file says less than the store knows; nothing was rolled back.
    pub behind: Vec<Behind>,
    pub problems: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusTaken {
    pub task: TaskId,
    pub from: Status,
    pub to: Status,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behind {
    pub task: TaskId,
    pub file: Status,
    pub store: Status,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    pub by_status: Vec<(Status, u64)>,
    /// Without deleted ones.
    pub tasks: u64,
    pub claimable: u64,
    pub active_leases: u64,
    pub agents: u64,
    pub agents_online: u64,
    pub messages: u64,
    /// Of the given agent, else over all agents.
    pub unread: u64,
    pub last_event: i64,
    pub stream: String,
    pub problems: u64,
}

/// "Since your last call".
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Digest {
    pub unread: u64,
    /// The newest unread ones, at most three.
    pub newest: Vec<Message>,
    pub expiring: Vec<Expiring>,
    /// Made claimable by others since the last call, and still so; at most ten.
    pub newly_ready: Vec<TaskId>,
    /// The caller's leases that ran out since its last call.
    pub lost: Vec<TaskId>,
}

impl Digest {
    pub fn is_empty(&self) -> bool {
        self.unread == 0 && self.expiring.is_empty() && self.newly_ready.is_empty() && self.lost.is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expiring {
    pub task: TaskId,
    pub agent: AgentId,
    pub expires_at: String,
    pub remaining_seconds: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResetCounts {
    pub agents: u64,
    pub leases: u64,
    pub messages: u64,
    pub events: u64,
}
