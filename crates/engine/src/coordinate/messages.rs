//! Messages: to one agent, to all, in the thread of a task; listing, marking as read, searching.

use becket_store::{AgentId, Inbox, Message, MessageSearch as Search, NewMessage, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    answer::{Answer, agent_id},
    tasks::{bounded, task_id},
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageSend {
    pub from_agent_id: String,
    /// Everybody else if left out.
    #[serde(default)]
    pub to_agent_id: Option<String>,
    /// Puts the message into the thread of this task.
    #[serde(default)]
    pub task_id: Option<String>,
    #[serde(default)]
    pub subject: Option<String>,
    /// At most 16 KiB.
    pub body: String,
    /// info, warning, handoff or blocker; info if left out.
    #[serde(default)]
    pub severity: Option<String>,
    /// A word of your own: the same call with the same word is done once, however often it is repeated.
    #[serde(default)]
    pub idempotency_key: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentMessage {
    pub ok: bool,
    pub message_id: String,
    pub sent_at: String,
    pub delivered_to: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageList {
    pub agent_id: String,
    /// True if left out.
    #[serde(default)]
    pub unread_only: Option<bool>,
    /// 1 to 200; 50 if left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<usize>,
    /// After this message: the nextCursor of the answer before.
    #[serde(default)]
    pub since_id: Option<String>,
    /// The whole thread of this task instead of your inbox.
    #[serde(default)]
    pub task_id: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Messages {
    pub messages: Vec<MessageRow>,
    /// Unread in all, before the limit.
    pub unread: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageRow {
    pub id: String,
    pub created_at: String,
    pub from: String,
    /// Absent when it went to everybody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    pub body: String,
    pub severity: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_at: Option<String>,
    #[serde(skip)]
    pub read_by: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageAck {
    pub agent_id: String,
    /// Leave out only with `taskId`.
    #[serde(default)]
    pub message_ids: Vec<String>,
    /// Everything in the thread of this task.
    #[serde(default)]
    pub task_id: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AckedMessages {
    pub ok: bool,
    /// How many became read by the agent: those that were sent to it, or stand in the thread of a task, and were unread.
    pub updated: u64,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct MessageSearch {
    /// Words in subject or body.
    pub keyword: Option<String>,
    pub task_id: Option<String>,
    pub from_agent_id: Option<String>,
    /// RFC 3339, or a day.
    pub since: Option<String>,
    pub until: Option<String>,
    /// 1 to 200; 50 if left out.
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<usize>,
    /// Older than this message: the nextCursor of the answer before.
    pub before_id: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundMessages {
    pub messages: Vec<MessageRow>,
    /// There are older ones: give it as beforeId.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Engine {
    pub fn message_send(&self, request: &MessageSend) -> Result<Answer<SentMessage>, Error> {
        let from = agent_id(&request.from_agent_id)?;
        let severity = match request.severity.as_deref() {
            None => Severity::Info,
            Some(word) => Severity::parse(&word.to_lowercase()).ok_or_else(|| {
                Error::invalid(
                    "invalid_severity",
                    format!("`{}` is not a severity.", becket_base::clip(word, 40)),
                )
                .with_hint("A severity is info, warning, handoff or blocker.")
            })?,
        };
        let board = self.board(None)?;
        let sent = board.store.send(
            &board.caller_with_key(Some(&request.from_agent_id), request.idempotency_key.as_deref())?,
            &NewMessage {
                to: request.to_agent_id.as_deref().map(agent_id).transpose()?,
                task: request.task_id.as_deref().map(task_id).transpose()?,
                subject: request.subject.clone(),
                body: request.body.clone(),
                severity,
            },
        )?;
        let answer = SentMessage {
            ok: true,
            message_id: sent.message_id,
            sent_at: sent.sent_at,
            delivered_to: sent.delivered_to.iter().map(ToString::to_string).collect(),
        };
        Ok(self.answered(&board, Some(&from), answer))
    }

    pub fn message_list(&self, request: &MessageList) -> Result<Answer<Messages>, Error> {
        bounded("limit", request.limit, 200)?;
        let agent = agent_id(&request.agent_id)?;
        let board = self.board(None)?;
        board.store.agent(&agent)?;
        let task = request.task_id.as_deref().map(task_id).transpose()?;
        let listed = self.fitting(request.limit.unwrap_or(50), |limit| {
            let page = board.store.messages(&Inbox {
                agent: Some(agent.clone()),
                task: task.clone(),
                unread_only: request.unread_only.unwrap_or(true),
                limit: Some(limit),
                since_id: request.since_id.clone(),
                ..Inbox::default()
            })?;
            Ok(Messages {
                messages: page.messages.into_iter().map(MessageRow::from).collect(),
                unread: page.unread,
                next_cursor: page.next_cursor,
            })
        })?;
        Ok(match &task {
            Some(task) => self.answered_about(&board, Some(&agent), task, listed),
            None => self.answered(&board, Some(&agent), listed),
        })
    }

    /// The thread of a task, for a person: whole, or what an agent has not read. `since` is a time, or the message that
    /// the page before ended with.
    pub fn message_thread(
        &self,
        task: &str,
        agent: Option<&str>,
        since: Option<&str>,
        limit: Option<usize>,
    ) -> Result<Messages, Error> {
        bounded("limit", limit, 200)?;
        let board = self.board(None)?;
        let agent = agent.map(agent_id).transpose()?;
        let since = since.map(str::to_owned);
        let (since_id, since) = if since.as_ref().is_some_and(|since| since.starts_with('M')) {
            (since, None)
        } else {
            (None, since)
        };
        let page = board.store.messages(&Inbox {
            unread_only: agent.is_some(),
            agent,
            task: Some(task_id(task.strip_prefix("task:").unwrap_or(task))?),
            limit,
            since,
            since_id,
            ..Inbox::default()
        })?;
        Ok(Messages {
            messages: page.messages.into_iter().map(MessageRow::from).collect(),
            unread: page.unread,
            next_cursor: page.next_cursor,
        })
    }

    pub fn message_ack(&self, request: &MessageAck) -> Result<Answer<AckedMessages>, Error> {
        let agent = agent_id(&request.agent_id)?;
        let board = self.board(None)?;
        let call = board.caller(Some(&request.agent_id))?;
        let task = request.task_id.as_deref().map(task_id).transpose()?;
        let updated = match (&task, request.message_ids.is_empty()) {
            (_, false) => board.store.acknowledge(&call, &request.message_ids)?,
            (Some(task), true) => board.store.acknowledge_thread(&call, task)?,
            (None, true) => {
                return Err(Error::invalid("invalid_arguments", "`messageIds` is empty.")
                    .with_hint("Give the ids that lodestar_message_list returned."));
            }
        };
        let answer = AckedMessages { ok: true, updated };
        Ok(match &task {
            Some(task) => self.answered_about(&board, Some(&agent), task, answer),
            None => self.answered(&board, Some(&agent), answer),
        })
    }

    pub fn message_search(&self, request: &MessageSearch) -> Result<FoundMessages, Error> {
        bounded("limit", request.limit, 200)?;
        let board = self.board(None)?;
        let (task, from) = (
            request.task_id.as_deref().map(task_id).transpose()?,
            request.from_agent_id.as_deref().map(agent_id).transpose()?,
        );
        self.fitting(request.limit.unwrap_or(50), |limit| {
            let found = board.store.search_messages(&Search {
                keyword: request.keyword.clone(),
                task: task.clone(),
                from: from.clone(),
                since: request.since.clone(),
                until: request.until.clone(),
                limit: Some(limit),
                before_id: request.before_id.clone(),
            })?;
            Ok(FoundMessages {
                messages: found.messages.into_iter().map(MessageRow::from).collect(),
                next_cursor: found.next_cursor,
            })
        })
    }
}

impl From<Message> for MessageRow {
    fn from(message: Message) -> Self {
        Self {
            id: message.id,
            created_at: message.created_at,
            from: message.from.to_string(),
            to: message.to.map(|agent| agent.to_string()),
            task_id: message.task.map(|task| task.to_string()),
            subject: message.subject,
            body: message.body,
            severity: message.severity.word().to_owned(),
            read_at: message.read_at,
            read_by: message.read_by.iter().map(AgentId::to_string).collect(),
        }
    }
}
