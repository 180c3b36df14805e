//! Agents: who they say they are, and when they were last heard of.

use serde::{Deserialize, Serialize};

use super::{AgentId, Lease};

/// What an agent says of itself when it joins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Join {
    pub name: Option<String>,
    pub role: Option<String>,
    pub client: Option<String>,
    pub model: Option<String>,
    /// Words that labels of tasks are compared with.
    pub capabilities: Vec<String>,
    /// Whatever else the host said, kept as it is.
    pub session_meta: serde_json::Map<String, serde_json::Value>,
    /// How long the agent counts as present after its last call; clamped like a lease.
    pub ttl_seconds: Option<u64>,
    /// Whoever joins again as the same under the same key is the same agent. It has no name yet, so the keys are everybody's.
    pub idempotency_key: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    pub agent: Agent,
    /// What a claim without a time to live gets.
    pub lease_ttl_seconds: u64,
    pub server_time: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    pub id: AgentId,
    pub name: Option<String>,
    pub role: Option<String>,
    pub client: Option<String>,
    pub model: Option<String>,
    pub capabilities: Vec<String>,
    pub session_meta: serde_json::Map<String, serde_json::Value>,
    pub created_at: String,
    pub last_seen_at: String,
    pub left_at: Option<String>,
    pub ttl_seconds: u64,
    /// When the agent stops counting as present, unless it calls.
    pub expires_at: String,
    pub presence: Presence,
    /// Since its last call, by the clock that leases count on.
    pub idle_seconds: u64,
    pub leases: u64,
}

/// Heard of within its time to live, within four of them, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    Active,
    Idle,
    Offline,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentFilter {
    pub capability: Option<String>,
    pub role: Option<String>,
    pub limit: Option<usize>,
}

/// An unknown agent is no error but an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Heartbeat {
    Alive { expires_at: String },
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Farewell {
    pub agent: AgentId,
    /// Leases that were given back by leaving.
    pub released: Vec<Lease>,
}
