//! Events: what happened, in one order, each written in the transaction of what it tells.

use serde::{Deserialize, Serialize};

use super::{AgentId, TaskId};

macro_rules! event_types {
    ($($variant:ident = $word:literal),* $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum EventType {
            $(#[serde(rename = $word)] $variant,)*
        }

        pub const ALL_EVENT_TYPES: &[EventType] = &[$(EventType::$variant),*];

        impl EventType {
            pub fn word(self) -> &'static str {
                match self {
                    $(EventType::$variant => $word,)*
                }
            }

            pub fn parse(word: &str) -> Option<Self> {
                ALL_EVENT_TYPES.iter().copied().find(|one| one.word() == word)
            }
        }
    };
}

event_types! {
    TaskClaimed = "task.claimed",
    TaskReleased = "task.released",
    TaskDone = "task.done",
    TaskVerified = "task.verified",
    TaskCreated = "task.created",
    TaskUpdated = "task.updated",
    TaskDeleted = "task.deleted",
    MessageSent = "message.sent",
    MessageRead = "message.read",
    LeaseRenewed = "lease.renewed",
    LeaseExpired = "lease.expired",
    AgentJoined = "agent.joined",
    AgentLeft = "agent.left",
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub id: i64,
    pub created_at: String,
    #[serde(rename = "type")]
    pub kind: EventType,
    pub actor: Option<AgentId>,
    pub task: Option<TaskId>,
    pub target: Option<AgentId>,
    pub payload: serde_json::Value,
    pub correlation_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventQuery {
    /// Events after this one.
    pub since: i64,
    /// The stream that `since` belongs to, if the client remembers it.
    pub stream: Option<String>,
    /// 200 unless told, at most 1000.
    pub limit: Option<usize>,
    /// Empty is all.
    pub types: Vec<EventType>,
    /// Only what this agent should look at: not its own doing, and not addressed to another.
    pub concerning: Option<AgentId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    pub events: Vec<Event>,
    /// The id of the last event returned; without any, the cursor that was given (or, after a reset, the start).
    pub next_cursor: i64,
    pub stream: String,
    /// The given cursor or stream is not of this stream: events were read from its beginning.
    pub reset: bool,
    pub more: bool,
}
