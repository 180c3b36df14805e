//! Agents: join, heartbeat, leave, list.

use becket_store::{Agent, AgentFilter, Call, Heartbeat, Join, Presence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    answer::{Answer, agent_id},
    board::random_hex,
    views::LeaseView,
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentJoin {
    /// A name for people.
    pub name: Option<String>,
    /// The host and its version.
    pub client: Option<String>,
    pub model: Option<String>,
    /// What the agent can do: words that labels of tasks are compared with, or the host's abilities.
    pub capabilities: Option<Capabilities>,
    /// Seconds after its last call in which the agent still counts as present; clamped.
    pub ttl_seconds: Option<u64>,
    /// backend, reviewer …
    pub role: Option<String>,
    /// A word that nobody else would choose: whoever joins again under it is the same agent and not a second one.
    pub idempotency_key: Option<String>,
}

/// A list of words, or an object whose members are abilities; the words in them count too.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Capabilities {
    Words(Vec<String>),
    Abilities(Map<String, Value>),
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JoinedAgent {
    /// Give it with every call.
    pub agent_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    pub capabilities: Vec<String>,
    pub registered_at: String,
    pub expires_at: String,
    pub lease_defaults: LeaseDefaults,
    pub server_time: String,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaseDefaults {
    pub ttl_seconds: u64,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentHeartbeat {
    pub agent_id: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Beat {
    pub ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentLeave {
    pub agent_id: String,
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftAgent {
    pub ok: bool,
    /// Leases that ended by leaving.
    pub released: Vec<LeaseView>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentList {
    pub capability: Option<String>,
    pub role: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agents {
    /// Last seen first.
    pub agents: Vec<AgentRow>,
    pub count: usize,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentRow {
    pub agent_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// active, idle or offline.
    pub status: String,
    pub capabilities: Vec<String>,
    pub registered_at: String,
    pub last_seen_at: String,
    pub expires_at: String,
    pub active_leases: u64,
    #[serde(skip)]
    pub session_meta: Map<String, Value>,
}

impl Engine {
    pub fn agent_join(&self, request: &AgentJoin) -> Result<JoinedAgent, Error> {
        let board = self.board(None)?;
        let mut notes = Vec::new();
        let mut session_meta = Map::new();
        let capabilities = match &request.capabilities {
            None => Vec::new(),
            Some(Capabilities::Words(words)) => words.clone(),
            Some(Capabilities::Abilities(abilities)) => {
                session_meta.clone_from(abilities);
                words_of(abilities)
            }
        };
        let joined = board.store.join(
            &Join {
                name: request.name.clone(),
                role: request.role.clone(),
                client: request.client.clone(),
                model: request.model.clone(),
                capabilities,
                session_meta,
                ttl_seconds: request.ttl_seconds,
                idempotency_key: request.idempotency_key.clone(),
            },
            Some(&random_hex()),
        )?;
        if let Some(wanted) = request.ttl_seconds.filter(|wanted| *wanted != joined.agent.ttl_seconds) {
            notes.push(format!("ttlSeconds {wanted} was clamped to {}.", joined.agent.ttl_seconds));
        }
        notes.push(
            "Every call with your agentId counts as a heartbeat; lodestar_events_wait tells you of news."
                .to_owned(),
        );
        // Joining works without tasks; that there is something wrong with them is worth a word.
        if let Err(error) = self.refresh(&board) {
            notes.push(format!("Tasks cannot be read: {}", error.message()));
        }
        Ok(JoinedAgent {
            agent_id: joined.agent.id.to_string(),
            display_name: joined.agent.name,
            capabilities: joined.agent.capabilities,
            registered_at: joined.agent.created_at,
            expires_at: joined.agent.expires_at,
            lease_defaults: LeaseDefaults { ttl_seconds: joined.lease_ttl_seconds },
            server_time: joined.server_time,
            notes,
        })
    }

    pub fn agent_heartbeat(&self, request: &AgentHeartbeat) -> Result<Answer<Beat>, Error> {
        let board = self.board(None)?;
        let agent = agent_id(&request.agent_id)?;
        Ok(match board.store.heartbeat(&agent)? {
            Heartbeat::Alive { expires_at } => {
                let beat = Beat { ok: true, expires_at: Some(expires_at), warnings: Vec::new() };
                self.answered(&board, Some(&agent), beat)
            }
            Heartbeat::Unknown => Answer::plain(Beat {
                ok: false,
                expires_at: None,
                warnings: vec![format!(
                    "agent unknown: {agent} never joined here; call lodestar_agent_join."
                )],
            }),
        })
    }

    pub fn agent_leave(&self, request: &AgentLeave) -> Result<LeftAgent, Error> {
        let board = self.board(None)?;
        let call = Call { correlation_id: Some(random_hex()), ..Call::by(&agent_id(&request.agent_id)?) };
        let farewell = board.store.leave(&call, request.reason.as_deref())?;
        Ok(LeftAgent { ok: true, released: farewell.released.into_iter().map(LeaseView::from).collect() })
    }

    pub fn agent_list(&self, request: &AgentList) -> Result<Agents, Error> {
        let board = self.board(None)?;
        let filter =
            AgentFilter { capability: request.capability.clone(), role: request.role.clone(), limit: None };
        let agents: Vec<AgentRow> = board.store.agents(&filter)?.into_iter().map(AgentRow::from).collect();
        Ok(Agents { count: agents.len(), agents })
    }
}

impl From<Agent> for AgentRow {
    fn from(agent: Agent) -> Self {
        let status = match agent.presence {
            _ if agent.left_at.is_some() => "offline",
            Presence::Active => "active",
            Presence::Idle => "idle",
            Presence::Offline => "offline",
        };
        Self {
            agent_id: agent.id.to_string(),
            display_name: agent.name,
            role: agent.role,
            client: agent.client,
            model: agent.model,
            status: status.to_owned(),
            capabilities: agent.capabilities,
            registered_at: agent.created_at,
            last_seen_at: agent.last_seen_at,
            expires_at: agent.expires_at,
            active_leases: agent.leases,
            session_meta: agent.session_meta,
        }
    }
}

/// As the seed's command line prints an agent.
/// The names of what is not denied, and the words that stand there: `{"languages": ["rust"]}` is able in rust.
fn words_of(abilities: &Map<String, Value>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (name, value) in abilities {
        let said = match value {
            Value::Bool(false) | Value::Null => continue,
            Value::Array(items) => items.iter().collect(),
            other => vec![other],
        };
        let said = said.into_iter().filter_map(Value::as_str).filter(|word| !word.trim().is_empty());
        for word in std::iter::once(name.as_str()).chain(said) {
            if !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        }
    }
    words
}

pub(super) fn seed_row(agent: &AgentRow) -> Value {
    let mut meta = agent.session_meta.clone();
    for (name, value) in [("model", &agent.model), ("tool", &agent.client)] {
        if let Some(value) = value {
            meta.insert(name.to_owned(), value.clone().into());
        }
    }
    serde_json::json!({
        "agent_id": agent.agent_id,
        "display_name": agent.display_name,
        "role": agent.role,
        "status": agent.status,
        "capabilities": agent.capabilities,
        "registered_at": agent.registered_at,
        "last_seen_at": agent.last_seen_at,
        "session_meta": meta,
    })
}
