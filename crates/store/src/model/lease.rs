//! Leases: who works on a task, until when, and the generation that a later write must present.

use serde::{Deserialize, Serialize};

use super::{AgentId, TaskId, TaskSummary, Warning};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    pub lease_id: String,
    pub task: TaskId,
    pub agent: AgentId,
    /// Rises with every new claim of the task, so that a holder of yesterday can be told from one of today.
    pub generation: u64,
    pub created_at: String,
    /// For display; what counts is the clock of the store.
    pub expires_at: String,
    pub ttl_seconds: u64,
    pub remaining_seconds: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRequest {
    pub task: TaskId,
    pub ttl_seconds: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Claim {
    Granted {
        lease: Lease,
        /// The caller held it already: the same generation, a new expiry.
        renewed: bool,
        overlaps: Vec<LockOverlap>,
        warnings: Vec<Warning>,
    },
    Held(Conflict),
}

/// Somebody else's live lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    pub task: TaskId,
    pub holder: AgentId,
    pub expires_at: String,
    pub remaining_seconds: u64,
}

/// Two patterns that share a possible path, one of the claimed task and one of a task under a live lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockOverlap {
    pub pattern: String,
    pub other_task: TaskId,
    pub other_agent: AgentId,
    pub other_pattern: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "one answer per call is made of it")]
pub enum ClaimNext {
    Claimed {
        task: Box<TaskSummary>,
        lease: Lease,
        rationale: String,
        overlaps: Vec<LockOverlap>,
        warnings: Vec<Warning>,
    },
    /// Nothing is claimable now; the counts say why.
    Nothing { leased: u64, waiting: u64 },
}
