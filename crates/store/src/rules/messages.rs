//! Messages and who has read them. A delivery is a row per reader, so that no read mark can overwrite another, and the
//! unread are counted before a page is cut.

use std::collections::BTreeMap;

use serde_json::json;

use super::{agents, counts, leases, limits, needed, places};
use crate::error::{Error, Result};
use crate::model::{
    AgentId, Call, EventType, Inbox, Message, MessagePage, MessageSearch, NewMessage, Sent, Severity, TaskId,
};
use crate::random;
use crate::sql::{NewEvent, Row, Transaction, TransactionExt, Value};

/// Whoever was not heard of for so long gets no broadcast: a machine that is off for good would collect them for ever.
const ABSENT_MILLISECONDS: i64 = 7 * 24 * 60 * 60 * 1000;

const COLUMNS: &str = "m.message_id, m.sequence, m.created_at, m.from_agent_id, m.to_agent_id, m.task_id, m.subject, \
     m.body, m.severity, x.read_at";

pub(crate) fn send(transaction: &mut dyn Transaction, call: &Call, new: &NewMessage) -> Result<Sent> {
    if new.body.trim().is_empty() {
        return Err(Error::invalid("body", "is empty"));
    }
    limits::text("body", Some(&new.body), limits::BODY_BYTES)?;
    limits::text("subject", new.subject.as_deref(), limits::SUBJECT_BYTES)?;
    let from = needed(call)?;
    agents::acting(transaction, call)?;
    if let Some(to) = &new.to {
        agents::get(transaction, to)?;
    }
    if let Some(task) = &new.task {
        let known = transaction.one("SELECT 1 FROM tasks WHERE task_id = ?1", &[task.as_str().into()])?;
        known.ok_or_else(|| Error::UnknownTask { task: task.clone(), nearest: None })?;
        leases::activity(transaction, call, task)?;
    }
    let message_id = random::name("M", 12)?;
    let now = transaction.moment().clone();
    let payload = json!({ "messageId": message_id, "subject": new.subject, "severity": new.severity.word() });
    let event = NewEvent::of(EventType::MessageSent, call).payload(payload);
    let sequence =
        transaction.append(&NewEvent { task: new.task.as_ref(), target: new.to.as_ref(), ..event })?;
    transaction.execute(
        "INSERT INTO messages (sequence, message_id, created_at, from_agent_id, to_agent_id, task_id, subject, body, \
         severity) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        &[
            sequence.into(),
            message_id.as_str().into(),
            now.text().into(),
            from.as_str().into(),
            new.to.as_ref().map(AgentId::as_str).into(),
            new.task.as_ref().map(TaskId::as_str).into(),
            new.subject.as_deref().into(),
            new.body.as_str().into(),
            new.severity.word().into(),
        ],
    )?;
    let delivered_to = deliver(transaction, from, new.to.as_ref(), sequence)?;
    Ok(Sent { message_id, sent_at: now.text(), delivered_to })
}

pub(crate) fn by_task(transaction: &mut dyn Transaction) -> Result<Vec<(TaskId, u64)>> {
    let rows = transaction.query(
        "SELECT task_id, COUNT(*) FROM messages WHERE task_id IS NOT NULL GROUP BY task_id ORDER BY task_id",
        &[],
    )?;
    rows.iter().map(|row| Ok((row.text(0)?.into(), row.count(1)?))).collect()
}

fn deliver(
    transaction: &mut dyn Transaction,
    from: &AgentId,
    to: Option<&AgentId>,
    sequence: i64,
) -> Result<Vec<AgentId>> {
    let rows = if let Some(to) = to {
        transaction.query(
            "INSERT INTO deliveries (agent_id, sequence, in_inbox, read_at) VALUES (?1, ?2, 1, NULL) \
             RETURNING agent_id",
            &[to.as_str().into(), sequence.into()],
        )?
    } else {
        let oldest = transaction.moment().text_in(-ABSENT_MILLISECONDS);
        transaction.query(
                "INSERT INTO deliveries (agent_id, sequence, in_inbox, read_at) SELECT agent_id, CAST(?1 AS BIGINT), 1, \
                 NULL FROM agents WHERE left_at IS NULL AND agent_id <> ?2 AND last_seen_at >= ?3 RETURNING agent_id",
                &[sequence.into(), from.as_str().into(), oldest.into()],
            )?
    };
    let mut delivered = rows.iter().map(|row| Ok(row.text(0)?.into())).collect::<Result<Vec<AgentId>>>()?;
    delivered.sort();
    Ok(delivered)
}

pub(crate) fn list(transaction: &mut dyn Transaction, inbox: &Inbox) -> Result<MessagePage> {
    let limit = limits::page(inbox.limit, 50, 200);
    let agent = inbox.agent.as_ref().map_or("", AgentId::as_str);
    if let Some(agent) = &inbox.agent {
        agents::get(transaction, agent)?;
    } else if inbox.task.is_none() {
        return Err(Error::NoAgent);
    }
    let after = match &inbox.since_id {
        Some(id) => sequence_of(transaction, id)?,
        None => 0,
    };
    let mut values: Vec<Value> = vec![agent.into(), after.into(), (limit + 1).into()];
    let (from, unread) = match &inbox.task {
        Some(task) => {
            values.push(task.as_str().into());
            (
                "messages m LEFT JOIN deliveries x ON x.sequence = m.sequence AND x.agent_id = ?1 WHERE m.task_id = ?4",
                " AND x.read_at IS NULL AND m.from_agent_id <> ?1",
            )
        }
        None => (
            "deliveries x JOIN messages m ON m.sequence = x.sequence WHERE x.agent_id = ?1 AND x.in_inbox = 1",
            " AND x.read_at IS NULL",
        ),
    };
    let mut conditions = String::new();
    if inbox.unread_only {
        conditions.push_str(unread);
    }
    if let Some(since) = &inbox.since {
        values.push(time("since", since, Day::Start)?.into());
        conditions = format!("{conditions} AND m.created_at >= ?{}", values.len());
    }
    let order = if inbox.newest_first { " ORDER BY m.sequence DESC" } else { " ORDER BY m.sequence" };
    let sql = format!("SELECT {COLUMNS} FROM {from} AND m.sequence > ?2{conditions}{order} LIMIT ?3");
    let rows = transaction.query(&sql, &values)?;
    let messages = read_all(transaction, &rows[..rows.len().min(limit)])?;
    let has_more = rows.len() > limit && !inbox.newest_first;
    let next_cursor = messages.last().filter(|_| has_more).map(|message| message.id.clone());
    let unread = match (&inbox.agent, &inbox.task) {
        (Some(agent), None) => counts::unread(transaction, agent)?,
        (_, Some(task)) => {
            let sql = format!("SELECT COUNT(*) FROM {from}{unread}").replace("?4", "?2");
            let number = transaction.number(&sql, &[agent.into(), task.as_str().into()])?;
            u64::try_from(number).unwrap_or(0)
        }
        (None, None) => 0,
    };
    Ok(MessagePage { messages, next_cursor, unread })
}

/// Newest first. Most threads are empty, and that is known at a glance.
pub(crate) fn unread_in_thread(
    transaction: &mut dyn Transaction,
    agent: &AgentId,
    task: &TaskId,
) -> Result<MessagePage> {
    let any =
        transaction.one("SELECT 1 FROM messages WHERE task_id = ?1 LIMIT 1", &[task.as_str().into()])?;
    if any.is_none() {
        return Ok(MessagePage::default());
    }
    let inbox = Inbox {
        agent: Some(agent.clone()),
        task: Some(task.clone()),
        unread_only: true,
        newest_first: true,
        ..Inbox::default()
    };
    list(transaction, &inbox)
}

/// `unread` of the page is nobody's, and 0.
pub(crate) fn search(transaction: &mut dyn Transaction, search: &MessageSearch) -> Result<MessagePage> {
    let limit = limits::page(search.limit, 50, 200);
    let mut values: Vec<Value> = vec![(limit + 1).into()];
    let mut conditions = Vec::new();
    let mut with = |values: &mut Vec<Value>, condition: &str, value: Value| {
        values.push(value);
        conditions.push(condition.replace("{}", &format!("?{}", values.len())));
    };
    if let Some(keyword) = search.keyword.as_deref().filter(|keyword| !keyword.is_empty()) {
        limits::text("keyword", Some(keyword), limits::SUBJECT_BYTES)?;
        let escaped = keyword.to_lowercase().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        let condition = "(LOWER(m.body) LIKE {} ESCAPE '\\' OR LOWER(m.subject) LIKE {} ESCAPE '\\')";
        with(&mut values, condition, format!("%{escaped}%").into());
    }
    if let Some(task) = &search.task {
        with(&mut values, "m.task_id = {}", task.as_str().into());
    }
    if let Some(from) = &search.from {
        with(&mut values, "m.from_agent_id = {}", from.as_str().into());
    }
    if let Some(since) = &search.since {
        with(&mut values, "m.created_at >= {}", time("since", since, Day::Start)?.into());
    }
    if let Some(until) = &search.until {
        with(&mut values, "m.created_at <= {}", time("until", until, Day::End)?.into());
    }
    if conditions.is_empty() {
        return Err(Error::invalid("search", "needs a keyword, a task, a sender or a time"));
    }
    if let Some(before) = &search.before_id {
        values.push(sequence_of(transaction, before)?.into());
        conditions.push(format!("m.sequence < ?{}", values.len()));
    }
    let columns = COLUMNS.replace("x.read_at", "NULL");
    let sql = format!(
        "SELECT {columns} FROM messages m WHERE {} ORDER BY m.sequence DESC LIMIT ?1",
        conditions.join(" AND ")
    );
    let rows = transaction.query(&sql, &values)?;
    let messages = read_all(transaction, &rows[..rows.len().min(limit)])?;
    let has_more = rows.len() > limit;
    let next_cursor = messages.last().filter(|_| has_more).map(|message| message.id.clone());
    Ok(MessagePage { messages, next_cursor, unread: 0 })
}

/// Marks messages as read by the caller; gives how many were not before.
pub(crate) fn acknowledge(
    transaction: &mut dyn Transaction,
    call: &Call,
    messages: &[String],
) -> Result<u64> {
    if messages.len() > limits::ACKNOWLEDGED {
        let most = limits::ACKNOWLEDGED;
        return Err(Error::invalid("messageIds", format!("are more than {most}")));
    }
    agents::acting(transaction, call)?;
    let mut sequences = Vec::new();
    for message in messages {
        sequences.push((message.as_str(), sequence_of(transaction, message)?));
    }
    mark(transaction, call, &sequences)
}

pub(crate) fn acknowledge_thread(
    transaction: &mut dyn Transaction,
    call: &Call,
    task: &TaskId,
) -> Result<u64> {
    agents::acting(transaction, call)?;
    let agent = needed(call)?;
    let rows = transaction.query(
        "SELECT m.message_id, m.sequence FROM messages m LEFT JOIN deliveries x ON x.sequence = m.sequence \
         AND x.agent_id = ?1 WHERE m.task_id = ?2 AND x.read_at IS NULL AND m.from_agent_id <> ?1 ORDER BY m.sequence",
        &[agent.as_str().into(), task.as_str().into()],
    )?;
    let sequences = rows.iter().map(|row| Ok((row.text(0)?, row.integer(1)?))).collect::<Result<Vec<_>>>()?;
    mark(transaction, call, &sequences)
}

fn mark(transaction: &mut dyn Transaction, call: &Call, messages: &[(&str, i64)]) -> Result<u64> {
    let agent = needed(call)?;
    let now = transaction.moment().text();
    let mut marked = Vec::new();
    for (message, sequence) in messages {
        // What was sent to others is nobody's here to read, but threads are open to all.
        let changed = transaction.execute(
            "INSERT INTO deliveries (agent_id, sequence, in_inbox, read_at) \
             SELECT CAST(?1 AS TEXT), m.sequence, 0, CAST(?3 AS TEXT) FROM messages m WHERE m.sequence = ?2 \
             AND (m.task_id IS NOT NULL AND m.from_agent_id <> ?1 OR EXISTS (SELECT 1 FROM deliveries x \
             WHERE x.agent_id = ?1 AND x.sequence = m.sequence)) \
             ON CONFLICT (agent_id, sequence) DO UPDATE SET read_at = excluded.read_at \
             WHERE deliveries.read_at IS NULL",
            &[agent.as_str().into(), (*sequence).into(), now.as_str().into()],
        )?;
        if changed > 0 {
            marked.push(*message);
        }
    }
    if !marked.is_empty() {
        let payload = json!({ "messageIds": marked });
        transaction.append(&NewEvent::of(EventType::MessageRead, call).payload(payload))?;
    }
    Ok(u64::try_from(marked.len()).unwrap_or(0))
}

fn sequence_of(transaction: &mut dyn Transaction, message: &str) -> Result<i64> {
    let row = transaction.one("SELECT sequence FROM messages WHERE message_id = ?1", &[message.into()])?;
    row.ok_or_else(|| Error::UnknownMessage { message: message.to_owned() })?.integer(0)
}

/// Which end of it a day without a time of day means.
#[derive(Clone, Copy)]
enum Day {
    Start,
    End,
}

/// A time as a caller writes it, in the one spelling that is stored. Without an offset it is UTC.
fn time(field: &'static str, text: &str, day: Day) -> Result<String> {
    let text = text.trim();
    let is_day = text.len() == 10;
    let candidates = match day {
        Day::Start if is_day => [format!("{text}T00:00:00Z"), String::new()],
        Day::End if is_day => [format!("{text}T23:59:59.999Z"), String::new()],
        _ => [text.to_owned(), format!("{text}Z")],
    };
    let time = candidates.iter().find_map(|text| text.parse::<becket_base::Timestamp>().ok());
    let time = time.ok_or_else(|| {
        Error::invalid(field, format!("is no time such as 2026-01-31T12:00:00Z or 2026-01-31: {text}"))
    })?;
    Ok(crate::clock::text(time))
}

fn read_all(transaction: &mut dyn Transaction, rows: &[Row]) -> Result<Vec<Message>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT sequence, agent_id FROM deliveries WHERE read_at IS NOT NULL AND sequence IN ({}) ORDER BY agent_id",
        places(1, rows.len())
    );
    let sequences = rows.iter().map(|row| Ok(row.integer(1)?.into())).collect::<Result<Vec<Value>>>()?;
    let mut readers: BTreeMap<i64, Vec<AgentId>> = BTreeMap::new();
    for row in transaction.query(&sql, &sequences)? {
        readers.entry(row.integer(0)?).or_default().push(row.text(1)?.into());
    }
    rows.iter()
        .map(|row| {
            let sequence = row.integer(1)?;
            Ok(Message {
                id: row.text(0)?.to_owned(),
                sequence,
                created_at: row.text(2)?.to_owned(),
                from: row.text(3)?.into(),
                to: row.optional_text(4)?.map(Into::into),
                task: row.optional_text(5)?.map(Into::into),
                subject: row.owned(6)?,
                body: row.text(7)?.to_owned(),
                severity: Severity::parse(row.text(8)?).unwrap_or_default(),
                read_at: row.owned(9)?,
                read_by: readers.remove(&sequence).unwrap_or_default(),
            })
        })
        .collect()
}
