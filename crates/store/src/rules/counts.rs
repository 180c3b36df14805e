//! How many of what there are.

use super::definitions::Key;
use super::{agents, events, graph, tallies};
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
    let by_status = tallies::by_status(transaction, worktree)?;
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
    Ok(tallies::open(transaction, worktree)?.saturating_sub(leased(transaction, worktree)?))
}

pub(crate) fn leased(transaction: &mut dyn Transaction, worktree: &Key) -> Result<u64> {
    let held = transaction.number(
        // From the few leases to their definitions, never the other way round.
        "SELECT COUNT(*) FROM leases l WHERE l.agent_id IS NOT NULL AND 1 = (SELECT CASE WHEN d.status = 'ready' \
         AND d.unmet = 0 THEN 1 ELSE 0 END FROM definitions d WHERE d.worktree = ?1 AND d.task_id = l.task_id)",
        &[worktree.as_str().into()],
    )?;
    Ok(natural(held))
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
    transaction.execute("DELETE FROM tallies", &[])?;
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
