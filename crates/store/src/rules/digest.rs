//! "Since your last call": what an agent should be told with whatever it asked for. Nothing when there is nothing.

use std::collections::BTreeSet;

use super::definitions::Key;
use super::{counts, events, leases, messages};
use crate::error::{Error, Result};
use crate::model::{AgentId, Digest, Expiring, Inbox, TaskId};
use crate::natural;
use crate::sql::{Transaction, TransactionExt, Value};

/// Older events than so many are not looked through.
const LOOKED_BACK: i64 = 2000;
const TASKS: usize = 10;

/// What the agent was told of last, by event, or an error for an agent that never joined.
pub(crate) fn told(transaction: &mut dyn Transaction, agent: &AgentId) -> Result<i64> {
    let row =
        transaction.one("SELECT told_event FROM agents WHERE agent_id = ?1", &[agent.as_str().into()])?;
    row.ok_or_else(|| Error::UnknownAgent { agent: agent.clone() })?.integer(0)
}

pub(crate) fn tell(transaction: &mut dyn Transaction, agent: &AgentId, event: i64) -> Result<()> {
    transaction.execute(
        "UPDATE agents SET told_event = ?2 WHERE agent_id = ?1 AND told_event < ?2",
        &[agent.as_str().into(), event.into()],
    )?;
    Ok(())
}

/// The digest over events after `since`, and the event up to which it speaks.
pub(crate) fn digest(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    agent: &AgentId,
    since: i64,
) -> Result<(Digest, i64)> {
    let last = events::last(transaction)?;
    let mut digest = Digest { unread: counts::unread(transaction, agent)?, ..Digest::default() };
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
    for lease in leases::of_agent(transaction, agent)? {
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
    if last > since {
        let since = since.max(last - LOOKED_BACK);
        digest.newly_ready = newly_ready(transaction, worktree, agent, since)?;
        digest.lost = lost(transaction, agent, since)?;
    }
    Ok((digest, last))
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
        let payload: serde_json::Value = row.json(2)?;
        let ready = payload.get("newlyReadyTaskIds").and_then(serde_json::Value::as_array);
        named.extend(ready.into_iter().flatten().filter_map(|id| id.as_str()).map(str::to_owned));
    }
    let mut still = Vec::new();
    for id in named {
        let row = transaction.one(
            "SELECT d.priority FROM definitions d LEFT JOIN leases l ON l.task_id = d.task_id WHERE d.worktree = ?1 \
             AND d.task_id = ?2 AND d.status = 'ready' AND d.unmet = 0 AND l.agent_id IS NULL",
            &[worktree.as_str().into(), Value::from(id.as_str())],
        )?;
        if let Some(row) = row {
            still.push((row.integer(0)?, natural::sort_key(&id), TaskId::new(id)));
        }
    }
    still.sort();
    Ok(still.into_iter().map(|(_, _, task)| task).take(TASKS).collect())
}

fn lost(transaction: &mut dyn Transaction, agent: &AgentId, since: i64) -> Result<Vec<TaskId>> {
    let rows = transaction.query(
        "SELECT task_id FROM events WHERE id > ?1 AND type = 'lease.expired' AND target_agent_id = ?2 \
         ORDER BY id LIMIT 10",
        &[since.into(), agent.as_str().into()],
    )?;
    rows.iter().map(|row| Ok(row.text(0)?.into())).collect()
}
