//! `becket msg …` and `lodestar msg …`: threads and messages, in words for people; the rules are the engine's.

use becket_base::counted;
use becket_engine::{
    Engine, Error,
    coordinate::{MessageAck, MessageList, MessageRow, MessageSearch, MessageSend},
};
use serde_json::{Value, json};

use super::Outcome;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Msg {
    /// Send a message into the thread of a task, to one agent, or to all
    Send {
        /// The task whose thread it goes into
        #[arg(short, long)]
        task: Option<String>,
        /// What it says, at most 16 KiB
        #[arg(short = 'm', long)]
        text: String,
        /// The agent that sends it
        #[arg(short, long, value_name = "AGENT")]
        from: String,
        /// One agent; everybody else if left out
        #[arg(long, value_name = "AGENT")]
        to: Option<String>,
        /// What it is about, in one line
        #[arg(short, long)]
        subject: Option<String>,
        /// info, warning, handoff or blocker; info if left out
        #[arg(long)]
        severity: Option<String>,
        /// A word of your own: repeated with the same word, the command sends one message
        #[arg(long, value_name = "WORD")]
        idempotency_key: Option<String>,
    },
    /// The thread of a task, oldest first
    Thread {
        /// The task
        task: String,
        /// From this time on (RFC 3339, or a day), or after this message
        #[arg(short, long, value_name = "TIME|MESSAGE")]
        since: Option<String>,
        /// At most so many, up to 200
        #[arg(short = 'n', long, default_value_t = 50)]
        limit: usize,
        /// Only what --agent has not read
        #[arg(long, requires = "agent")]
        unread: bool,
        /// Whose read marks count with --unread
        #[arg(short, long)]
        agent: Option<String>,
    },
    /// The messages of an agent
    Inbox {
        /// The agent
        #[arg(short, long)]
        agent: String,
        /// Also what was read
        #[arg(long)]
        all: bool,
        /// At most so many, up to 200
        #[arg(short = 'n', long, default_value_t = 50)]
        limit: usize,
        /// After this message
        #[arg(short, long, value_name = "MESSAGE")]
        since: Option<String>,
    },
    /// Mark messages as read: those named, or the whole thread
    MarkRead {
        /// The task whose thread is meant, where no message is named
        #[arg(short, long)]
        task: Option<String>,
        /// Who has read them
        #[arg(short, long)]
        agent: String,
        /// A message; may be repeated
        #[arg(short, long)]
        message_id: Vec<String>,
    },
    /// Find messages, newest first
    Search {
        /// Words in subject or body
        #[arg(short, long)]
        keyword: Option<String>,
        /// In the thread of this task
        #[arg(short, long)]
        task: Option<String>,
        /// Sent by this agent
        #[arg(short, long, value_name = "AGENT")]
        from: Option<String>,
        /// From this time on (RFC 3339, or a day)
        #[arg(short, long, value_name = "TIME")]
        since: Option<String>,
        /// Up to this time (RFC 3339, or a day)
        #[arg(short, long, value_name = "TIME")]
        until: Option<String>,
        /// At most so many, up to 200
        #[arg(short = 'n', long, default_value_t = 50)]
        limit: usize,
        /// Older than this message
        #[arg(long, value_name = "MESSAGE")]
        before: Option<String>,
    },
}

impl Msg {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Msg::Send { .. } => "msg send",
            Msg::Thread { .. } => "msg thread",
            Msg::Inbox { .. } => "msg inbox",
            Msg::MarkRead { .. } => "msg mark-read",
            Msg::Search { .. } => "msg search",
        }
    }

    pub(crate) fn run(self, engine: &Engine) -> Result<Outcome, Error> {
        match self {
            Msg::Send { task, text, from, to, subject, severity, idempotency_key } => {
                let sent = engine
                    .message_send(&MessageSend {
                        from_agent_id: from.clone(),
                        to_agent_id: to,
                        task_id: task.clone(),
                        subject,
                        body: text,
                        severity,
                        idempotency_key,
                    })?
                    .answer;
                let data = json!({"message_id": sent.message_id, "task_id": task, "from_agent_id": from,
                    "sent_at": sent.sent_at, "delivered_to": sent.delivered_to});
                Ok(Outcome::new(
                    data,
                    format!("Sent {} to {}.", sent.message_id, counted(sent.delivered_to.len(), "agent")),
                ))
            }
            Msg::Thread { task, since, limit, unread, agent } => {
                let reader = agent.as_deref().filter(|_| unread);
                let found = engine.message_thread(&task, reader, since.as_deref(), Some(limit))?;
                let cursor = found.messages.last().map(|message| message.created_at.clone());
                let data = json!({"task_id": task.strip_prefix("task:").unwrap_or(&task), "messages": rows(&found.messages),
                    "count": found.messages.len(), "cursor": cursor, "next_cursor": found.next_cursor});
                Ok(Outcome::new(data, text_of(&found.messages)).warn(more(
                    found.next_cursor,
                    "newer",
                    "--since",
                )))
            }
            Msg::Inbox { agent, all, limit, since } => {
                let found = engine.message_list(&MessageList {
                    agent_id: agent,
                    unread_only: Some(!all),
                    limit: Some(limit),
                    since_id: since,
                    ..MessageList::default()
                })?;
                let found = found.answer;
                let data = json!({"messages": rows(&found.messages), "count": found.messages.len(), "unread": found.unread,
                    "next_cursor": found.next_cursor});
                Ok(Outcome::new(data, text_of(&found.messages)).warn(more(
                    found.next_cursor,
                    "newer",
                    "--since",
                )))
            }
            Msg::MarkRead { task, agent, message_id } => {
                let request = MessageAck { agent_id: agent, message_ids: message_id, task_id: task };
                let updated = engine.message_ack(&request)?.answer.updated;
                let data = json!({"task_id": request.task_id, "agent_id": request.agent_id, "marked": updated,
                    "updated_count": updated, "messages_marked": updated});
                Ok(Outcome::new(data, format!("{updated} marked as read.")))
            }
            Msg::Search { keyword, task, from, since, until, limit, before } => {
                let filters = json!({"keyword": keyword, "task_id": task, "from_agent_id": from, "since": since,
                    "until": until});
                let found = engine.message_search(&MessageSearch {
                    keyword,
                    task_id: task,
                    from_agent_id: from,
                    since,
                    until,
                    limit: Some(limit),
                    before_id: before,
                })?;
                let data = json!({"messages": rows(&found.messages), "count": found.messages.len(), "filters": filters,
                    "next_cursor": found.next_cursor});
                Ok(Outcome::new(data, text_of(&found.messages)).warn(more(
                    found.next_cursor,
                    "older",
                    "--before",
                )))
            }
        }
    }
}

/// That a list was cut, and what shows the rest.
fn more(cursor: Option<String>, which: &str, option: &str) -> Vec<String> {
    cursor.map(|id| format!("There are {which} ones: {option} {id}")).into_iter().collect()
}

fn rows(messages: &[MessageRow]) -> Vec<Value> {
    messages
        .iter()
        .map(|message| {
            json!({"message_id": message.id, "created_at": message.created_at, "from_agent_id": message.from,
                "to_agent_id": message.to, "task_id": message.task_id, "text": message.body,
                "meta": {"subject": message.subject, "severity": message.severity}, "read_by": message.read_by})
        })
        .collect()
}

fn text_of(messages: &[MessageRow]) -> String {
    if messages.is_empty() {
        return "No messages.".to_owned();
    }
    let one = |message: &MessageRow| {
        let place = message.task_id.as_ref().map(|task| format!(" on {task}")).unwrap_or_default();
        let to = message.to.as_ref().map(|agent| format!(" to {agent}")).unwrap_or_default();
        let subject = message.subject.as_ref().map(|subject| format!("{subject}\n")).unwrap_or_default();
        format!(
            "{}  {}{to}{place}  [{}]\n{subject}{}",
            message.created_at, message.from, message.severity, message.body
        )
    };
    messages.iter().map(one).collect::<Vec<_>>().join("\n\n")
}
