//! Tasks as the store shows them: the definition of the caller's worktree joined with status and lease.

use serde::{Deserialize, Serialize};

use super::{AgentId, Lease, Problem, TaskId};
use crate::spec_file::{Definition, Status};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSummary {
    pub id: TaskId,
    pub title: String,
    pub status: Status,
    pub priority: i64,
    pub labels: Vec<String>,
    pub depends_on: Vec<TaskId>,
    /// How many of these are not verified.
    pub unmet: u64,
    pub claimed_by: Option<AgentId>,
    pub lease_expires_at: Option<String>,
    pub updated_at: Option<String>,
}

impl TaskSummary {
    pub fn is_claimable(&self) -> bool {
        self.status == Status::Ready && self.unmet == 0 && self.claimed_by.is_none()
    }
}

/// What the store alone is the truth for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskState {
    pub status: Status,
    pub updated_at: Option<String>,
    pub completed_by: Option<String>,
    pub completed_at: Option<String>,
    pub verified_by: Option<String>,
    pub verified_at: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskDetail {
    /// As in the caller's `spec.yaml`, except that `status` is the store's.
    pub definition: Definition,
    pub state: TaskState,
    pub lease: Option<Lease>,
    pub unmet: Vec<TaskId>,
    /// The first 200 of them, in natural order.
    pub dependents: Vec<TaskId>,
    pub claimable: bool,
    pub problems: Vec<Problem>,
    pub messages: u64,
}

/// `status: None` is everything but deleted tasks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskQuery {
    pub status: Option<Status>,
    pub include_deleted: bool,
    pub label: Option<String>,
    /// 50 unless told, at most 200.
    pub limit: Option<usize>,
    pub cursor: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPage {
    pub tasks: Vec<TaskSummary>,
    pub next_cursor: Option<String>,
    /// How many match, over all pages.
    pub total: u64,
    /// Of the tasks of this page.
    pub problems: Vec<Problem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NextRequest {
    pub agent: Option<AgentId>,
    /// 5 unless told, at most 20.
    pub limit: Option<usize>,
    /// Any of these; empty asks for no label.
    pub labels: Vec<String>,
    pub max_priority: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next {
    pub candidates: Vec<Candidate>,
    pub rationale: String,
    /// Claimable tasks in all, whatever was asked for.
    pub total_claimable: u64,
    /// Of the whole worktree, the first 20.
    pub problems: Vec<Problem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub task: TaskSummary,
    /// Labels that are capabilities of the asking agent.
    pub matched: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<Edge>,
    pub problems: Vec<Problem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphNode {
    pub id: TaskId,
    pub title: String,
    pub status: Status,
    pub priority: i64,
    pub claimed_by: Option<AgentId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    pub dependency: TaskId,
    pub dependent: TaskId,
}

/// What a new task is called and from when it is, before anything of it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    pub id: TaskId,
    pub created_at: String,
}
