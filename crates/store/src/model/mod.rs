//! The values that the store takes and gives. Owns their shape alone: what may be done with them is said in `rules`,
//! and what a task is meant to be in `spec_file`.

mod agent;
mod answer;
mod event;
mod id;
mod lease;
mod message;
mod state;
mod task;

pub use agent::{Agent, AgentFilter, Farewell, Heartbeat, Join, Joined, Presence};
pub use answer::{
    Behind, Counts, Cycle, Deleted, Digest, Expiring, Outcome, Problem, Readiness, ResetCounts, StatusTaken,
    SyncReport, Warning,
};
pub use event::{ALL_EVENT_TYPES, Event, EventPage, EventQuery, EventType};
pub use id::{AgentId, Call, TaskId, Worktree};
pub use lease::{Claim, ClaimNext, ClaimRequest, Conflict, Lease, LockOverlap};
pub use message::{Inbox, Message, MessagePage, MessageSearch, NewMessage, Sent, Severity};
pub use state::{Description, Snapshot, SpecStamp, StatusRow};
pub use task::{
    Candidate, Edge, Graph, GraphNode, Next, NextRequest, Reservation, TaskDetail, TaskPage, TaskQuery,
    TaskState, TaskSummary,
};
