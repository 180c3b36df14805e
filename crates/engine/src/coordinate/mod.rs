//! The coordinate plane: who does what, what is free, what happened meanwhile? Joins the store with the `spec.yaml` of the
//! worktree that a call speaks of, and holds what needs both. The rules of tasks and leases are `becket_store`'s.

mod agents;
mod answer;
mod board;
mod context;
mod define;
mod events;
mod fault;
mod finish;
mod flush;
mod graph;
mod init;
mod lease;
mod maintenance;
mod merge;
mod messages;
mod requirement;
mod status;
mod tasks;
mod titles;
mod views;

pub use agents::{
    AgentHeartbeat, AgentJoin, AgentLeave, AgentList, AgentRow, Agents, Beat, Capabilities, JoinedAgent,
    LeaseDefaults, LeftAgent,
};
pub use answer::{Answer, Since};
pub use board::Coordination;
pub use context::{ContextAnswer, Drift, PrdContext, SectionView, TaskContext};
pub use define::{ChangedTask, DeletedTasks, TaskCreate, TaskDelete, TaskUpdate};
pub use events::{EventRow, EventsAnswer, EventsPull, EventsWait, Tail};
pub use finish::{Finished, TaskFinish, Verified};
pub use graph::{GraphAnswer, GraphEdge, GraphNodeView, TaskGraph};
pub use init::{InitOptions, InitOutcome};
pub use lease::{
    ClaimedTask, ConflictView, NextClaim, Released, Renewed, TaskClaim, TaskClaimNext, TaskRelease, TaskRenew,
};
pub use maintenance::{Check, CheckState, ResetReport, StoreReport};
pub use merge::merge_spec;
pub use messages::{
    AckedMessages, FoundMessages, MessageAck, MessageList, MessageRow, MessageSearch, MessageSend, Messages,
    SentMessage,
};
pub use requirement::{PrdInput, PrdRef};
pub use status::{AgentCounts, BoardStatus, BoardStatusRequest, Counts, MessageCounts, TaskCounts};
pub use tasks::{Candidates, TaskAnswer, TaskGet, TaskList, TaskNext, TaskRuntime, Tasks};
pub use views::{LeaseView, OverlapView, PrdPointer, PrdReferenceView, TaskDetailView, TaskRow};
