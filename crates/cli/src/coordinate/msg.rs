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
        #[arg(short, long)]
        task: Option<String>,
        #[arg(short = 'm', long)]
        text: String,
        #[arg(short, long)]
        from: String,
        /// One agent; everybody else if left out
        #[arg(long)]
        to: Option<String>,
        #[arg(short, long)]
        subject: Option<String>,
        /// info, warning, handoff or blocker
        #[arg(long)]
        severity: Option<String>,
        /// A word of your own: repeated with the same word, the command sends one message
        #[arg(long, value_name = "WORD")]
        idempotency_key: Option<String>,
    },
    /// The thread of a task, oldest first
    Thread {
        task: String,
        /// RFC 3339
        #[arg(short, long)]
        since: Option<String>,
        #[arg(short = 'n', long, default_value_t = 50)]
        limit: usize,
        /// Only what --agent has not read
        #[arg(long, requires = "agent")]
        unread: bool,
        #[arg(short, long)]
        agent: Option<String>,
    },
    /// The messages of an agent
    Inbox {
        #[arg(short, long)]
        agent: String,
        /// Also what was read
        #[arg(long)]
        all: bool,
        #[arg(short = 'n', long, default_value_t = 50)]
        limit: usize,
    },
    /// Mark messages as read: those named, or the whole thread
    MarkRead {
        #[arg(short, long)]
        task: Option<String>,
        #[arg(short, long)]
        agent: String,
        #[arg(short, long)]
        message_id: Vec<String>,
    },
    /// Find messages, newest first
    Search {
        #[arg(short, long)]
        keyword: Option<String>,
        #[arg(short, long)]
        task: Option<String>,
        #[arg(short, long)]
        from: Option<String>,
        #[arg(short, long)]
        since: Option<String>,
        #[arg(short, long)]
        until: Option<String>,
        #[arg(short = 'n', long, default_value_t = 50)]
        limit: usize,
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
                        from_agent_id: from,
                        to_agent_id: to,
                        task_id: task.clone(),
                        subject,
                        body: text,
                        severity,
                        idempotency_key,
                    })?
                    .answer;
                let data = json!({"message_id": sent.message_id, "task_id": task, "sent_at": sent.sent_at,
                    "delivered_to": sent.delivered_to});
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
                    "count": found.messages.len(), "cursor": cursor});
                Ok(Outcome::new(data, text_of(&found.messages)))
            }
            Msg::Inbox { agent, all, limit } => {
                let found = engine.message_list(&MessageList {
                    agent_id: agent,
                    unread_only: Some(!all),
                    limit: Some(limit),
                    ..MessageList::default()
                })?;
                let found = found.answer;
                let data = json!({"messages": rows(&found.messages), "count": found.messages.len(), "unread": found.unread});
                Ok(Outcome::new(data, text_of(&found.messages)))
            }
            Msg::MarkRead { task, agent, message_id } => {
                let request = MessageAck { agent_id: agent, message_ids: message_id, task_id: task };
                let updated = engine.message_ack(&request)?.answer.updated;
                Ok(Outcome::new(
                    json!({"marked": updated, "updated_count": updated}),
                    format!("{updated} marked as read."),
                ))
            }
            Msg::Search { keyword, task, from, since, until, limit } => {
                let found = engine.message_search(&MessageSearch {
                    keyword,
                    task_id: task,
                    from_agent_id: from,
                    since,
                    until,
                    limit: Some(limit),
                })?;
                let data = json!({"messages": rows(&found.messages), "count": found.messages.len()});
                Ok(Outcome::new(data, text_of(&found.messages)))
            }
        }
    }
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
