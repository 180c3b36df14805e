//! A `runtime.sqlite` of the original: recognised, copied beside itself, and taken over once. What it knew comes along:
//! agents, leases that still run, messages with their read marks, events under the names that becket gives them.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value as Json, json};

use super::connection::{SqliteTransaction, failure};
use super::opening::beside;
use crate::clock::{self, Moment};
use crate::error::Result;
use crate::model::{AgentId, EventType, Severity, TaskId};
use crate::natural;
use crate::sql::{NewEvent, Transaction, TransactionExt, Value};

/// Its events have a column that ours lack.
pub(crate) fn is_original(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM pragma_table_info('leases') WHERE name = 'lease_id') \
         AND NOT EXISTS (SELECT 1 FROM pragma_table_info('leases') WHERE name = 'generation')",
        [],
        |row| row.get(0),
    )
}

/// Gives the name of the copy.
pub(crate) fn back_up(connection: &Connection, path: &Path, now: &Moment) -> Result<String> {
    let place = path.display().to_string();
    let stamp: String = now.text().chars().filter(char::is_ascii_digit).collect();
    let target = beside(path, &format!(".original-{stamp}"));
    connection
        .execute("VACUUM INTO ?1", [target.to_string_lossy()])
        .map_err(|error| failure(&place, error))?;
    Ok(target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
}

/// Makes room for our tables.
pub(crate) fn set_aside(connection: &Connection) -> rusqlite::Result<()> {
    for table in ["agents", "leases", "messages", "events"] {
        if exists(connection, table)? {
            connection.execute_batch(&format!("ALTER TABLE {table} RENAME TO original_{table}"))?;
        }
    }
    Ok(())
}

pub(crate) fn import(transaction: &mut SqliteTransaction<'_>) -> Result<()> {
    agents(transaction)?;
    events(transaction)?;
    messages(transaction)?;
    leases(transaction)?;
    for table in ["leases", "messages", "events", "agents"] {
        transaction.execute(&format!("DROP TABLE IF EXISTS original_{table}"), &[])?;
    }
    Ok(())
}

fn agents(transaction: &mut SqliteTransaction<'_>) -> Result<()> {
    if !has(transaction, "original_agents")? {
        return Ok(());
    }
    let rows = transaction.query(
        "SELECT agent_id, display_name, role, created_at, last_seen_at, capabilities, session_meta FROM original_agents",
        &[],
    )?;
    for row in rows {
        let meta: Json =
            row.optional_text(6)?.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(json!({}));
        let word = |key: &str| meta.get(key).and_then(Json::as_str).map(str::to_owned);
        let capabilities: Vec<String> =
            row.optional_text(5)?.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let meta = if meta.is_object() { meta.clone() } else { json!({}) };
        let seen = time(row.optional_text(4)?, transaction.moment());
        let person = Person {
            id: row.text(0)?,
            name: row.owned(1)?.filter(|name| !name.is_empty()),
            role: row.owned(2)?.filter(|role| !role.is_empty()),
            client: word("client").or_else(|| word("tool")),
            model: word("model"),
            capabilities,
            meta,
            created_at: time(row.optional_text(3)?, transaction.moment()),
            seen,
        };
        person.write(transaction)?;
    }
    Ok(())
}

struct Person<'a> {
    id: &'a str,
    name: Option<String>,
    role: Option<String>,
    client: Option<String>,
    model: Option<String>,
    capabilities: Vec<String>,
    meta: Json,
    created_at: String,
    seen: String,
}

impl Person<'_> {
    /// Somebody whom only a message or a lease names.
    fn unknown<'a>(id: &'a str, now: &str) -> Person<'a> {
        let (name, role, client, model) = (None, None, None, None);
        let (capabilities, meta) = (Vec::new(), json!({}));
        Person {
            id,
            name,
            role,
            client,
            model,
            capabilities,
            meta,
            created_at: now.to_owned(),
            seen: now.to_owned(),
        }
    }

    fn write(&self, transaction: &mut dyn Transaction) -> Result<()> {
        transaction.execute(
            "INSERT INTO agents (agent_id, display_name, role, client, model, capabilities, session_meta, created_at, \
             last_seen_at, last_seen_tick, clock_epoch, ttl_seconds, left_at, told_event) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0, 'original', 900, NULL, 0) ON CONFLICT (agent_id) DO NOTHING",
            &[
                self.id.into(),
                self.name.as_deref().into(),
                self.role.as_deref().into(),
                self.client.as_deref().into(),
                self.model.as_deref().into(),
                json!(self.capabilities).to_string().into(),
                self.meta.to_string().into(),
                self.created_at.as_str().into(),
                self.seen.as_str().into(),
            ],
        )?;
        Ok(())
    }
}

/// Each once, under our name for it; those of messages are written with the messages.
fn events(transaction: &mut SqliteTransaction<'_>) -> Result<()> {
    if !has(transaction, "original_events")? {
        return Ok(());
    }
    let rows = transaction.query(
        "SELECT created_at, event_type, agent_id, task_id, target_agent_id, data FROM original_events ORDER BY event_id",
        &[],
    )?;
    let mut before = None;
    for row in rows {
        let kind = match row.text(1)? {
            "agent.join" | "agent.joined" => EventType::AgentJoined,
            "agent.leave" | "agent.left" => EventType::AgentLeft,
            "task.claim" | "task.claimed" => EventType::TaskClaimed,
            "task.release" | "task.released" => EventType::TaskReleased,
            "task.renew" | "lease.renewed" => EventType::LeaseRenewed,
            "task.done" => EventType::TaskDone,
            "task.verify" | "task.verified" => EventType::TaskVerified,
            "lease.expired" => EventType::LeaseExpired,
            _ => continue,
        };
        let (agent, task) = (row.owned(2)?.map(AgentId::new), row.owned(3)?.map(TaskId::new));
        let target = row.owned(4)?.map(AgentId::new);
        // It wrote every release twice.
        let this = (kind, agent.clone(), task.clone());
        if kind == EventType::TaskReleased && before.as_ref() == Some(&this) {
            before = None;
            continue;
        }
        let payload =
            row.optional_text(5)?.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(json!({}));
        let created_at = time(row.optional_text(0)?, transaction.moment());
        transaction.append(&NewEvent {
            actor: agent.as_ref(),
            task: task.as_ref(),
            target: target.as_ref(),
            payload,
            created_at: Some(&created_at),
            ..NewEvent::new(kind)
        })?;
        before = Some(this);
    }
    Ok(())
}

fn messages(transaction: &mut SqliteTransaction<'_>) -> Result<()> {
    if !has(transaction, "original_messages")? {
        return Ok(());
    }
    let rows = transaction.query(
        "SELECT message_id, created_at, from_agent_id, task_id, text, meta, read_by FROM original_messages \
         ORDER BY message_id",
        &[],
    )?;
    // Times in two spellings do not compare as texts.
    let timed = rows.into_iter().map(|row| Ok((time(row.optional_text(1)?, transaction.moment()), row)));
    let mut timed = timed.collect::<Result<Vec<_>>>()?;
    timed.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (created_at, row) in timed {
        let from = AgentId::from(row.optional_text(2)?.unwrap_or("unknown"));
        Person::unknown(from.as_str(), &created_at).write(transaction)?;
        let task = row.owned(3)?.filter(|task| !task.is_empty()).map(TaskId::new);
        let meta: Json =
            row.optional_text(5)?.and_then(|text| serde_json::from_str(text).ok()).unwrap_or(json!({}));
        let subject = meta.get("subject").and_then(Json::as_str);
        let severity = meta.get("severity").and_then(Json::as_str).map(str::to_lowercase);
        let severity = severity.and_then(|word| Severity::parse(&word)).unwrap_or_default();
        let payload = json!({ "messageId": row.text(0)?, "subject": subject, "severity": severity.word() });
        let sequence = transaction.append(&NewEvent {
            actor: Some(&from),
            task: task.as_ref(),
            payload,
            created_at: Some(&created_at),
            ..NewEvent::new(EventType::MessageSent)
        })?;
        transaction.execute(
            "INSERT INTO messages (sequence, message_id, created_at, from_agent_id, to_agent_id, task_id, subject, \
             body, severity) VALUES (?1, ?2, ?3, ?4, NULL, ?5, ?6, ?7, ?8)",
            &[
                sequence.into(),
                row.text(0)?.into(),
                created_at.as_str().into(),
                from.as_str().into(),
                task.as_ref().map(TaskId::as_str).into(),
                subject.into(),
                row.optional_text(4)?.unwrap_or_default().into(),
                severity.word().into(),
            ],
        )?;
        let readers: BTreeSet<String> =
            row.optional_text(6)?.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        for reader in readers {
            Person::unknown(&reader, &created_at).write(transaction)?;
            transaction.execute(
                "INSERT INTO deliveries (agent_id, sequence, in_inbox, read_at) VALUES (?1, ?2, 0, ?3)",
                &[reader.as_str().into(), sequence.into(), created_at.as_str().into()],
            )?;
        }
    }
    Ok(())
}

/// The newest of a task that still runs by the wall clock, which is all the original knows. It may have granted several.
fn leases(transaction: &mut SqliteTransaction<'_>) -> Result<()> {
    if !has(transaction, "original_leases")? {
        return Ok(());
    }
    let rows = transaction.query(
        "SELECT lease_id, task_id, agent_id, created_at, expires_at FROM original_leases ORDER BY created_at DESC",
        &[],
    )?;
    let now = transaction.moment().clone();
    let mut seen = BTreeSet::new();
    for row in rows {
        let (task, agent) = (row.text(1)?, row.text(2)?);
        let expires = time(row.optional_text(4)?, &now);
        let left = expires
            .parse::<becket_base::Timestamp>()
            .map_or(0, |at| at.as_millisecond() - now.wall.as_millisecond());
        if left <= 0 || !seen.insert(task.to_owned()) {
            continue;
        }
        Person::unknown(agent, &now.text()).write(transaction)?;
        transaction.execute(
            "INSERT INTO tasks (task_id, sort_key, status) VALUES (?1, ?2, 'ready') ON CONFLICT (task_id) DO NOTHING",
            &[task.into(), natural::sort_key(task).into()],
        )?;
        transaction.execute(
            "INSERT INTO leases (task_id, generation, lease_id, agent_id, last_agent_id, created_at, expires_at, \
             expires_tick, clock_epoch, ttl_seconds, locks) VALUES (?1, 1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8, '[]')",
            &[
                task.into(),
                row.text(0)?.into(),
                agent.into(),
                time(row.optional_text(3)?, &now).into(),
                expires.into(),
                (now.tick + left).into(),
                Value::from(&*now.epoch),
                (left / 1000).into(),
            ],
        )?;
    }
    Ok(())
}

fn has(transaction: &mut SqliteTransaction<'_>, table: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    Ok(transaction.one(sql, &[table.into()])?.is_some())
}

fn exists(connection: &Connection, table: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1)";
    connection.query_row(sql, [table], |row| row.get(0))
}

/// It wrote ISO times with or without an offset, meaning UTC, and SQLAlchemy a space for the `T`.
fn time(text: Option<&str>, now: &Moment) -> String {
    let Some(text) = text else { return now.text() };
    let text = text.trim().replacen(' ', "T", 1);
    let read = text.parse::<becket_base::Timestamp>().or_else(|_| format!("{text}Z").parse());
    read.map_or_else(|_| now.text(), clock::text)
}
