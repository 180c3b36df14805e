//! "Since your last call": what an agent should be told with whatever it asked for. Nothing when there is nothing.

use std::collections::BTreeSet;

use super::definitions::Key;
use super::{leases, messages, places};
use crate::error::{Error, Result};
use crate::model::{AgentId, Digest, Expiring, Inbox, TaskId};
use crate::natural;
use crate::sql::{Seen, Transaction, TransactionExt, Value};

/// Older events than so many are not looked through.
const LOOKED_BACK: i64 = 2000;
const TASKS: usize = 10;
/// Tasks that are looked up by one statement.
const AT_ONCE: usize = 256;
/// What a payload calls the tasks that can be claimed since.
const READY: &str = "newlyReadyTaskIds";

/// What one look tells of an agent; most digests need no other.
#[derive(Debug)]
pub(crate) struct Glance {
    /// The event up to which it was told.
    pub(crate) told: i64,
    pub(crate) is_quiet: bool,
    /// The newest event.
    pub(crate) last: i64,
    unread: u64,
    leases: u64,
}

/// An error for an agent that never joined.
pub(crate) fn glance(transaction: &mut dyn Transaction, agent: &AgentId) -> Result<Glance> {
    let row = transaction.one(
        "SELECT told_event, last_seen_tick, clock_epoch, last_seen_at, left_at, (SELECT MAX(id) FROM events), \
         (SELECT COUNT(*) FROM deliveries WHERE agent_id = ?1 AND in_inbox = 1 AND read_at IS NULL), \
         (SELECT COUNT(*) FROM leases WHERE agent_id = ?1) FROM agents WHERE agent_id = ?1",
        &[agent.as_str().into()],
    )?;
    let row = row.ok_or_else(|| Error::UnknownAgent { agent: agent.clone() })?;
    let seen = Seen {
        tick: row.integer(1)?,
        epoch: row.text(2)?.to_owned(),
        wall: row.text(3)?.to_owned(),
        has_left: row.optional_text(4)?.is_some(),
    };
    Ok(Glance {
        told: row.integer(0)?,
        is_quiet: seen.is_quiet(transaction.moment()),
        last: row.optional_integer(5)?.unwrap_or(0),
        unread: row.count(6)?,
        leases: row.count(7)?,
    })
}

pub(crate) fn tell(transaction: &mut dyn Transaction, agent: &AgentId, event: i64) -> Result<()> {
    transaction.execute(
        "UPDATE agents SET told_event = ?2 WHERE agent_id = ?1 AND told_event < ?2",
        &[agent.as_str().into(), event.into()],
    )?;
    Ok(())
}

/// The digest over events after `since`.
pub(crate) fn digest(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    agent: &AgentId,
    glance: &Glance,
    since: i64,
) -> Result<Digest> {
    let mut digest = Digest { unread: glance.unread, ..Digest::default() };
    if digest.unread > 0 {
        let inbox = Inbox {
            agent: Some(agent.clone()),
            unread_only: true,
            limit: Some(3),
            newest_first: true,
            ..Inbox::default()
        };
        digest.newest = messages::list(transaction, &inbox)?.messages;
    }
    let held = if glance.leases > 0 { leases::of_agent(transaction, agent)? } else { Vec::new() };
    for lease in held {
        // A fifth of the lease, or two minutes of a long one.
        if lease.remaining_seconds * 5 <= lease.ttl_seconds
            || lease.remaining_seconds < 120 && lease.ttl_seconds > 600
        {
            digest.expiring.push(Expiring {
                task: lease.task,
                agent: lease.agent,
                expires_at: lease.expires_at,
                remaining_seconds: lease.remaining_seconds,
            });
        }
    }
    if glance.last > since {
        let since = since.max(glance.last - LOOKED_BACK);
        digest.newly_ready = newly_ready(transaction, worktree, agent, since)?;
        digest.lost = lost(transaction, agent, since)?;
    }
    Ok(digest)
}

fn newly_ready(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    agent: &AgentId,
    since: i64,
) -> Result<Vec<TaskId>> {
    let rows = transaction.query(
        "SELECT task_id, type, payload_json FROM events WHERE id > ?1 AND type IN ('task.verified', 'task.created', \
         'task.updated', 'task.released', 'lease.expired') AND (actor_agent_id IS NULL OR actor_agent_id <> ?2) \
         ORDER BY id DESC LIMIT 200",
        &[since.into(), agent.as_str().into()],
    )?;
    let mut named = BTreeSet::new();
    for row in &rows {
        if matches!(row.text(1)?, "task.released" | "lease.expired") {
            named.extend(row.owned(0)?);
        }
        if row.text(2)?.contains(READY) {
            let payload: serde_json::Value = row.json(2)?;
            let ready = payload.get(READY).and_then(serde_json::Value::as_array);
            named.extend(ready.into_iter().flatten().filter_map(|id| id.as_str()).map(str::to_owned));
        }
    }
    let named: Vec<String> = named.into_iter().collect();
    let mut still = Vec::new();
    for chunk in named.chunks(AT_ONCE) {
        still.extend(still_ready(transaction, worktree, chunk)?);
    }
    still.sort();
    Ok(still.into_iter().map(|(_, _, task)| task).take(TASKS).collect())
}

/// Those that can be claimed now, as they are sorted.
fn still_ready(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    named: &[String],
) -> Result<Vec<(i64, String, TaskId)>> {
    let Some(last) = named.last() else { return Ok(Vec::new()) };
    // A database keeps what it prepared: few lengths, few statements.
    let length = named.len().next_power_of_two();
    let sql = format!(
        "SELECT d.task_id, d.priority FROM definitions d LEFT JOIN leases l ON l.task_id = d.task_id \
         WHERE d.worktree = ?1 AND d.task_id IN ({}) AND l.agent_id IS NULL \
         AND CASE WHEN d.status = 'ready' THEN d.unmet = 0 ELSE FALSE END",
        places(2, length)
    );
    let mut values: Vec<Value> = vec![worktree.as_str().into()];
    values.extend(named.iter().map(|id| Value::from(id.as_str())));
    values.resize(length + 1, last.as_str().into());
    let rows = transaction.query(&sql, &values)?;
    rows.iter()
        .map(|row| {
            let id = row.text(0)?;
            Ok((row.integer(1)?, natural::sort_key(id), TaskId::from(id)))
        })
        .collect()
}

fn lost(transaction: &mut dyn Transaction, agent: &AgentId, since: i64) -> Result<Vec<TaskId>> {
    let rows = transaction.query(
        "SELECT task_id FROM events WHERE id > ?1 AND type = 'lease.expired' AND target_agent_id = ?2 \
         ORDER BY id LIMIT 10",
        &[since.into(), agent.as_str().into()],
    )?;
    rows.iter().map(|row| Ok(row.text(0)?.into())).collect()
}
