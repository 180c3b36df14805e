//! What every answer to an agent ends with: what happened since its last call.

use becket_store::{AgentId, Call, Digest, MessagePage, TaskId};
use schemars::JsonSchema;
use serde::Serialize;

use super::board::{Board, random_hex};
use crate::{Engine, Error};

/// An answer, and what else the agent should know.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Answer<T> {
    #[serde(flatten)]
    pub answer: T,
    /// Absent when there is nothing to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "since_schema")]
    pub since_last_call: Option<Since>,
}

/// Nearly every tool carries it, so it says what there is and leaves out what the items are made of.
fn since_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({
        "type": "object",
        "properties": {
            "unreadMessages": { "type": "integer" },
            "newest": { "type": "array" },
            "expiringLeases": { "type": "array" },
            "newlyReadyTaskIds": { "type": "array" },
            "lostTaskIds": { "type": "array" },
        },
    })
}

/// What the agent did not see yet.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Since {
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unread_messages: u64,
    /// The newest of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newest: Vec<Unread>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expiring_leases: Vec<ExpiringLease>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newly_ready_task_ids: Vec<String>,
    /// Leases of yours that ran out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_task_ids: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Unread {
    pub id: String,
    pub from: String,
    pub severity: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The subject, or how the text begins.
    pub about: String,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExpiringLease {
    pub task_id: String,
    pub expires_at: String,
    pub remaining_seconds: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl<T> Answer<T> {
    pub(super) fn plain(answer: T) -> Self {
        Self { answer, since_last_call: None }
    }

    /// The block for people, or nothing.
    pub fn notice(&self) -> String {
        let Some(since) = &self.since_last_call else { return String::new() };
        let mut parts = Vec::new();
        if since.unread_messages > 0 {
            let newest =
                since.newest.first().map(|one| format!(", the newest from {}: {}", one.from, one.about));
            parts.push(format!("{} unread{}", since.unread_messages, newest.unwrap_or_default()));
        }
        for lease in &since.expiring_leases {
            parts.push(format!("the lease of {} ends in {} s", lease.task_id, lease.remaining_seconds));
        }
        if !since.lost_task_ids.is_empty() {
            parts.push(format!("your lease ran out: {}", since.lost_task_ids.join(", ")));
        }
        if !since.newly_ready_task_ids.is_empty() {
            parts.push(format!("newly ready: {}", since.newly_ready_task_ids.join(", ")));
        }
        format!("\nSince your last call: {}.", parts.join("; "))
    }
}

impl Engine {
    /// Asks for fewer rows until the answer is short enough to be given: the cursor of the answer leads to the rest.
    pub(super) fn fitting<T: Serialize>(
        &self,
        limit: usize,
        ask: impl Fn(usize) -> Result<T, Error>,
    ) -> Result<T, Error> {
        const AROUND: usize = 2_000;
        let most = self.max_output_bytes().saturating_sub(AROUND);
        let mut limit = limit.max(1);
        loop {
            let answer = ask(limit)?;
            let size = serde_json::to_vec(&answer).map_or(0, |bytes| bytes.len());
            if size <= most || limit == 1 {
                return Ok(answer);
            }
            limit = (limit * most / size).clamp(1, limit - 1);
        }
    }

    /// Adds what the agent should know; its call counts as a heartbeat. Never fails a call that succeeded.
    pub(super) fn answered<T>(&self, board: &Board, agent: Option<&AgentId>, answer: T) -> Answer<T> {
        let since = agent.and_then(|agent| told(board.store.digest(&board.worktree, agent)));
        Answer { answer, since_last_call: since }
    }

    /// The same of a call that looks into the thread of a task, with what its agent has not read there.
    pub(super) fn news_with_thread(
        &self,
        board: &Board,
        agent: &AgentId,
        task: &TaskId,
    ) -> (Option<Since>, MessagePage) {
        match board.store.digest_with_thread(&board.worktree, agent, task) {
            Ok((digest, thread)) => (told(Ok(digest)), thread),
            Err(error) => (told(Err(error)), MessagePage::default()),
        }
    }
}

fn told(digest: becket_store::Result<Digest>) -> Option<Since> {
    match digest {
        Ok(digest) if digest.is_empty() => None,
        Ok(digest) => Some(Since::from(digest)),
        Err(error) => {
            tracing::debug!(%error, "no digest");
            None
        }
    }
}

impl Engine {
    /// As [`Self::answered`], for a call that names a task: work on it keeps the lease of its holder alive.
    pub(super) fn answered_about<T>(
        &self,
        board: &Board,
        agent: Option<&AgentId>,
        task: &TaskId,
        answer: T,
    ) -> Answer<T> {
        if let Some(agent) = agent.filter(|_| !board.store.is_read_only()) {
            let call = Call { correlation_id: Some(random_hex()), ..Call::by(agent) };
            if let Err(error) = board.store.activity(&call, task) {
                tracing::debug!(%error, "the lease was not renewed");
            }
        }
        self.answered(board, agent, answer)
    }
}

impl Board {
    /// Who asks, if anybody: an agent that joined.
    pub(super) fn asking(&self, agent: Option<&str>) -> Result<Option<AgentId>, Error> {
        let agent = agent.map(agent_id).transpose()?;
        if let Some(agent) = &agent {
            self.store.agent(agent)?;
        }
        Ok(agent)
    }

    /// As [`Self::caller`], under a key that the caller chose to be able to repeat the call.
    pub(super) fn caller_with_key(&self, agent: Option<&str>, key: Option<&str>) -> Result<Call, Error> {
        let call = self.caller(agent)?;
        Ok(match key {
            Some(key) => Call { idempotency_key: Some(key.to_owned()), ..call },
            None => call,
        })
    }

    /// Who makes a change; each call has an id of its own, which its events carry.
    pub(super) fn caller(&self, agent: Option<&str>) -> Result<Call, Error> {
        let agent = agent.map(agent_id).transpose()?;
        Ok(Call { agent, correlation_id: Some(random_hex()), idempotency_key: None })
    }
}

/// An id as somebody typed it.
pub(super) fn agent_id(text: &str) -> Result<AgentId, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::invalid("invalid_arguments", "The agentId is empty.")
            .with_hint("lodestar_agent_join gives one."));
    }
    Ok(AgentId::new(text))
}

impl From<Digest> for Since {
    fn from(digest: Digest) -> Self {
        let newest = digest.newest.into_iter().map(|message| Unread {
            id: message.id,
            from: message.from.to_string(),
            severity: message.severity.word().to_owned(),
            task_id: message.task.map(|task| task.to_string()),
            about: becket_base::clip(message.subject.as_deref().unwrap_or(&message.body), 120).to_string(),
        });
        let expiring = digest.expiring.into_iter().map(|lease| ExpiringLease {
            task_id: lease.task.to_string(),
            expires_at: lease.expires_at,
            remaining_seconds: lease.remaining_seconds,
        });
        Self {
            unread_messages: digest.unread,
            newest: newest.collect(),
            expiring_leases: expiring.collect(),
            newly_ready_task_ids: digest.newly_ready.iter().map(ToString::to_string).collect(),
            lost_task_ids: digest.lost.iter().map(ToString::to_string).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn since() -> Since {
        Since {
            unread_messages: 2,
            newest: vec![Unread {
                id: "M1".to_owned(),
                from: "A1".to_owned(),
                severity: "handoff".to_owned(),
                task_id: None,
                about: "your turn".to_owned(),
            }],
            expiring_leases: vec![ExpiringLease {
                task_id: "T1".to_owned(),
                expires_at: "2026-01-01T00:00:00.000Z".to_owned(),
                remaining_seconds: 40,
            }],
            newly_ready_task_ids: vec!["T2".to_owned()],
            lost_task_ids: vec!["T3".to_owned()],
        }
    }

    #[test]
    fn the_block_names_everything_and_is_absent_without_news() {
        assert_eq!(
            Answer { answer: (), since_last_call: Some(since()) }.notice(),
            "\nSince your last call: 2 unread, the newest from A1: your turn; the lease of T1 ends in 40 s; \
             your lease ran out: T3; newly ready: T2."
        );
        assert_eq!(Answer::plain(()).notice(), "");
        assert_eq!(json!(Answer::plain(json!({"ok": true}))), json!({"ok": true}));
    }

    #[test]
    fn no_answer_needs_the_block() {
        let schema = json!(schemars::schema_for!(Answer<super::super::Finished>));
        assert!(schema["properties"]["sinceLastCall"].is_object(), "{schema}");
        assert!(!schema["required"].as_array().unwrap().contains(&json!("sinceLastCall")), "{schema}");
    }

    #[test]
    fn an_empty_id_is_refused_and_blanks_around_one_are_not_part_of_it() {
        assert_eq!(agent_id("  ").unwrap_err().code(), "invalid_arguments");
        assert_eq!(agent_id(" A1 ").unwrap().as_str(), "A1");
    }
}
