//! How many of what there are.

use super::definitions::{Key, read_status};
use super::{agents, events, graph};
use crate::error::Result;
use crate::model::{AgentId, Counts, ResetCounts};
use crate::spec_file::Status;
use crate::sql::schema::TABLES;
use crate::sql::{Transaction, TransactionExt, Value};

pub(crate) fn counts(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    agent: Option<&AgentId>,
) -> Result<Counts> {
    let rows = transaction.query(
        "SELECT status, COUNT(*) FROM definitions WHERE worktree = ?1 GROUP BY status",
        &[worktree.as_str().into()],
    )?;
    let mut by_status = Vec::new();
    for row in &rows {
        by_status.push((read_status(row.text(0)?)?, row.count(1)?));
    }
    by_status.sort();
    let tasks =
        by_status.iter().filter(|(status, _)| *status != Status::Deleted).map(|(_, count)| count).sum();
    let (agents_online, agents) = agents::presence(transaction)?;
    let unread = match agent {
        Some(agent) => unread(transaction, agent)?,
        None => natural(
            transaction
                .number("SELECT COUNT(*) FROM deliveries WHERE in_inbox = 1 AND read_at IS NULL", &[])?,
        ),
    };
    Ok(Counts {
        by_status,
        tasks,
        claimable: claimable(transaction, worktree)?,
        active_leases: natural(
            transaction.number("SELECT COUNT(*) FROM leases WHERE agent_id IS NOT NULL", &[])?,
        ),
        agents,
        agents_online,
        messages: natural(transaction.number("SELECT COUNT(*) FROM messages", &[])?),
        unread,
        last_event: events::last(transaction)?,
        stream: events::stream(transaction)?,
        problems: graph::count_problems(transaction, worktree)?,
    })
}

/// Ready, nothing unmet, no lease.
pub(crate) fn claimable(transaction: &mut dyn Transaction, worktree: &Key) -> Result<u64> {
    let open = transaction.number(
        "SELECT COUNT(*) FROM definitions WHERE worktree = ?1 AND status = 'ready' AND unmet = 0",
        &[worktree.as_str().into()],
    )?;
    Ok(natural(open).saturating_sub(leased(transaction, worktree)?))
}

pub(crate) fn leased(transaction: &mut dyn Transaction, worktree: &Key) -> Result<u64> {
    let held = transaction.number(
        "SELECT COUNT(*) FROM leases l JOIN definitions d ON d.task_id = l.task_id \
         WHERE l.agent_id IS NOT NULL AND d.worktree = ?1 AND d.status = 'ready' AND d.unmet = 0",
        &[worktree.as_str().into()],
    )?;
    Ok(natural(held))
}

/// Ready but for their dependencies.
pub(crate) fn waiting(transaction: &mut dyn Transaction, worktree: &Key) -> Result<u64> {
    let waiting = transaction.number(
        "SELECT COUNT(*) FROM definitions WHERE worktree = ?1 AND status = 'ready' AND unmet > 0",
        &[worktree.as_str().into()],
    )?;
    Ok(natural(waiting))
}

pub(crate) fn unread(transaction: &mut dyn Transaction, agent: &AgentId) -> Result<u64> {
    let unread = transaction.number(
        "SELECT COUNT(*) FROM deliveries WHERE agent_id = ?1 AND in_inbox = 1 AND read_at IS NULL",
        &[agent.as_str().into()],
    )?;
    Ok(natural(unread))
}

/// Forgets everything that only the store knew, under a new stream id. Ids of events go on.
pub(crate) fn reset(transaction: &mut dyn Transaction, stream: &str) -> Result<ResetCounts> {
    let mut count = |sql: &str| Ok::<u64, crate::error::Error>(natural(transaction.number(sql, &[])?));
    let counts = ResetCounts {
        agents: count("SELECT COUNT(*) FROM agents")?,
        leases: count("SELECT COUNT(*) FROM leases WHERE agent_id IS NOT NULL")?,
        messages: count("SELECT COUNT(*) FROM messages")?,
        events: count("SELECT COUNT(*) FROM events")?,
    };
    for (table, _) in TABLES.iter().rev() {
        transaction.execute(&format!("DELETE FROM {table}"), &[])?;
    }
    set_stream(transaction, stream)?;
    Ok(counts)
}

pub(crate) fn set_stream(transaction: &mut dyn Transaction, stream: &str) -> Result<()> {
    transaction.execute(
        "INSERT INTO meta (key, value) VALUES ('stream', ?1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        &[Value::from(stream)],
    )?;
    Ok(())
}

fn natural(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
