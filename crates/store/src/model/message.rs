//! Messages: to one agent, to all, or in the thread of a task.

use serde::{Deserialize, Serialize};

use super::{AgentId, TaskId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// All other agents unless told.
    pub to: Option<AgentId>,
    pub task: Option<TaskId>,
    pub subject: Option<String>,
    pub body: String,
    pub severity: Severity,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    #[default]
    Info,
    Warning,
    Handoff,
    Blocker,
}

impl Severity {
    pub const ALL: [Severity; 4] = [Severity::Info, Severity::Warning, Severity::Handoff, Severity::Blocker];

    pub fn word(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Handoff => "handoff",
            Severity::Blocker => "blocker",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.word() == word)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    pub message_id: String,
    pub sent_at: String,
    pub delivered_to: Vec<AgentId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    pub id: String,
    /// Its place in the order of all messages: the id of its event.
    pub sequence: i64,
    pub created_at: String,
    pub from: AgentId,
    pub to: Option<AgentId>,
    pub task: Option<TaskId>,
    pub subject: Option<String>,
    pub body: String,
    pub severity: Severity,
    /// When the asking agent marked it as read.
    pub read_at: Option<String>,
    pub read_by: Vec<AgentId>,
}

/// What to list: the inbox of `agent`, or with `task` the whole thread of that task, read marks being `agent`'s.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inbox {
    pub agent: Option<AgentId>,
    pub task: Option<TaskId>,
    pub unread_only: bool,
    /// 50 unless told, at most 200.
    pub limit: Option<usize>,
    /// After this message.
    pub since_id: Option<String>,
    /// At or after this time.
    pub since: Option<String>,
    pub newest_first: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessagePage {
    pub messages: Vec<Message>,
    /// The id to give as `since_id` for the rest; nothing when this is all.
    pub next_cursor: Option<String>,
    /// Unread in all, before the limit.
    pub unread: u64,
}

/// At least one filter must be given. Newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MessageSearch {
    /// Older than this message.
    pub before_id: Option<String>,
    pub keyword: Option<String>,
    pub task: Option<TaskId>,
    pub from: Option<AgentId>,
    pub since: Option<String>,
    pub until: Option<String>,
    pub limit: Option<usize>,
}
