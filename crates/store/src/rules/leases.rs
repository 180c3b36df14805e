//! Who works on a task. A lease is granted by one statement on the one row of its task, and its generation rises with
//! every new holder, so that a holder of yesterday cannot write over the one of today.

use serde_json::json;

use super::definitions::Key;
use super::{LockPolicy, Policy, agents, limits, needed};
use crate::clock::Moment;
use crate::error::{Error, Result};
use crate::globs;
use crate::model::{
    AgentId, Call, Claim, ClaimRequest, Conflict, EventType, Lease, LockOverlap, TaskId, Warning,
};
use crate::random;
use crate::sql::{NewEvent, Row, Transaction, TransactionExt};

const COLUMNS: &str = "l.lease_id, l.task_id, l.agent_id, l.generation, l.created_at, l.expires_at, l.ttl_seconds, l.expires_tick";

/// The rule of the claim is its condition: ready, nothing unmet, held by nobody or by the caller. It is spelled so that no
/// database looks for the task among all that are ready.
const CLAIM: &str = "INSERT INTO leases (task_id, generation, lease_id, agent_id, last_agent_id, created_at, \
     expires_at, expires_tick, clock_epoch, ttl_seconds, locks) \
     SELECT d.task_id, 1, CAST(?3 AS TEXT), CAST(?4 AS TEXT), CAST(?4 AS TEXT), CAST(?5 AS TEXT), CAST(?6 AS TEXT), \
     CAST(?7 AS BIGINT), CAST(?8 AS TEXT), CAST(?9 AS BIGINT), d.locks \
     FROM definitions d WHERE d.worktree = ?1 AND d.task_id = ?2 \
     AND CASE WHEN d.status = 'ready' THEN d.unmet = 0 ELSE FALSE END \
     ON CONFLICT (task_id) DO UPDATE SET \
     generation = leases.generation + CASE WHEN leases.agent_id = excluded.agent_id THEN 0 ELSE 1 END, \
     lease_id = CASE WHEN leases.agent_id = excluded.agent_id THEN leases.lease_id ELSE excluded.lease_id END, \
     created_at = CASE WHEN leases.agent_id = excluded.agent_id THEN leases.created_at ELSE excluded.created_at END, \
     agent_id = excluded.agent_id, last_agent_id = excluded.last_agent_id, expires_at = excluded.expires_at, \
     expires_tick = excluded.expires_tick, clock_epoch = excluded.clock_epoch, ttl_seconds = excluded.ttl_seconds, \
     locks = excluded.locks WHERE leases.agent_id IS NULL OR leases.agent_id = excluded.agent_id \
     RETURNING lease_id, task_id, agent_id, generation, created_at, expires_at, ttl_seconds, expires_tick, locks";

/// The holder's own, under the generation that it presents if it does. The row stays, for its generation.
const RELEASE: &str = "UPDATE leases SET agent_id = NULL WHERE task_id = ?1 AND agent_id = ?2 \
     AND (CAST(?3 AS BIGINT) IS NULL OR generation = CAST(?3 AS BIGINT)) RETURNING lease_id, task_id, \
     CAST(?2 AS TEXT), generation, created_at, expires_at, ttl_seconds, expires_tick";

pub(crate) fn claim(
    transaction: &mut dyn Transaction,
    policy: &Policy,
    call: &Call,
    worktree: &Key,
    request: &ClaimRequest,
) -> Result<Claim> {
    let agent = needed(call)?;
    agents::acting(transaction, call)?;
    let now = transaction.moment().clone();
    let ttl = policy.lease.clamp(request.ttl_seconds);
    let new_id = random::name("L", 8)?;
    let granted = transaction.one(
        CLAIM,
        &[
            worktree.as_str().into(),
            request.task.as_str().into(),
            new_id.as_str().into(),
            agent.as_str().into(),
            now.text().into(),
            now.text_in(milliseconds(ttl)).into(),
            (now.tick + milliseconds(ttl)).into(),
            (&*now.epoch).into(),
            ttl.into(),
        ],
    )?;
    let Some(row) = granted else { return refusal(transaction, worktree, &request.task) };
    transaction.lease_ends(now.tick + milliseconds(ttl));
    let lease = read(&row, &now)?;
    let renewed = lease.lease_id != new_id;
    let overlaps = overlaps(transaction, &lease.task, &row.json::<Vec<String>>(8)?)?;
    if policy.locks == LockPolicy::Enforce && !overlaps.is_empty() {
        return Err(Error::LocksOverlap { task: request.task.clone(), overlaps });
    }
    let kind = if renewed { EventType::LeaseRenewed } else { EventType::TaskClaimed };
    transaction.append(&NewEvent::of(kind, call).task(&lease.task).payload(told(&lease)))?;
    Ok(Claim::Granted { lease, renewed, overlaps, warnings: Vec::<Warning>::new() })
}

/// Why the statement granted nothing.
fn refusal(transaction: &mut dyn Transaction, worktree: &Key, task: &TaskId) -> Result<Claim> {
    if let Some(held) = holder(transaction, task)? {
        return Ok(Claim::Held(held.conflict()));
    }
    let (status, unmet) = super::definitions::readiness(transaction, worktree, task)?;
    Err(Error::NotClaimable { task: task.clone(), status, unmet })
}

pub(crate) fn renew(
    transaction: &mut dyn Transaction,
    policy: &Policy,
    call: &Call,
    task: &TaskId,
    generation: Option<u64>,
    ttl_seconds: Option<u64>,
) -> Result<Lease> {
    let agent = needed(call)?;
    agents::acting(transaction, call)?;
    match standing(transaction, Some(agent), task, generation)? {
        Standing::Holder => {}
        Standing::Lapsed | Standing::Free => return Err(not_held(transaction, task)?),
    }
    let lease = prolong(transaction, task, policy.lease.clamp(ttl_seconds))?;
    transaction.append(&NewEvent::of(EventType::LeaseRenewed, call).task(task).payload(told(&lease)))?;
    Ok(lease)
}

pub(crate) fn release(
    transaction: &mut dyn Transaction,
    call: &Call,
    task: &TaskId,
    generation: Option<u64>,
    reason: Option<&str>,
) -> Result<Lease> {
    limits::text("reason", reason, limits::NOTE_BYTES)?;
    let agent = needed(call)?;
    agents::acting(transaction, call)?;
    let row = transaction.one(RELEASE, &[task.as_str().into(), agent.as_str().into(), generation.into()])?;
    let Some(row) = row else {
        // Why not: held by another, under another generation, or by nobody.
        standing(transaction, Some(agent), task, generation)?;
        return Err(not_held(transaction, task)?);
    };
    let lease = read(&row, transaction.moment())?;
    let payload = json!({ "generation": lease.generation, "leaseId": lease.lease_id, "reason": reason });
    transaction.append(&NewEvent::of(EventType::TaskReleased, call).task(task).payload(payload))?;
    Ok(lease)
}

/// Nobody holds a task that is not there either, but that is not what its caller has to know.
fn not_held(transaction: &mut dyn Transaction, task: &TaskId) -> Result<Error> {
    let known = transaction.one("SELECT 1 FROM tasks WHERE task_id = ?1", &[task.as_str().into()])?;
    Ok(match known {
        Some(_) => Error::NotHeld { task: task.clone() },
        None => Error::UnknownTask { task: task.clone(), nearest: None },
    })
}

/// Work on a task keeps its lease: the holder's is renewed once less than a third of it is left.
pub(crate) fn activity(transaction: &mut dyn Transaction, call: &Call, task: &TaskId) -> Result<()> {
    if !is_due_for_renewal(transaction, call, task)? {
        return Ok(());
    }
    let Some(held) = holder(transaction, task)? else { return Ok(()) };
    let lease = prolong(transaction, task, held.ttl_seconds)?;
    transaction.append(&NewEvent::of(EventType::LeaseRenewed, call).task(task).payload(told(&lease)))?;
    Ok(())
}

pub(crate) fn is_due_for_renewal(
    transaction: &mut dyn Transaction,
    call: &Call,
    task: &TaskId,
) -> Result<bool> {
    let agent = needed(call)?;
    let held = holder(transaction, task)?;
    Ok(held.is_some_and(|held| held.agent == *agent && held.remaining_seconds * 3 < held.ttl_seconds))
}

/// What an agent is to a task's lease.
#[derive(Debug)]
pub(crate) enum Standing {
    Holder,
    /// The caller was the last holder, and its lease has run out.
    Lapsed,
    /// Nobody holds it.
    Free,
}

/// Refuses whoever is not the holder of a live lease, and whoever presents a generation that is over.
pub(crate) fn standing(
    transaction: &mut dyn Transaction,
    agent: Option<&AgentId>,
    task: &TaskId,
    presented: Option<u64>,
) -> Result<Standing> {
    let sql = format!("SELECT {COLUMNS}, l.last_agent_id FROM leases l WHERE l.task_id = ?1");
    let Some(row) = transaction.one(&sql, &[task.as_str().into()])? else {
        return match presented {
            Some(presented) => Err(Error::StaleLease { task: task.clone(), presented, current: 0 }),
            None => Ok(Standing::Free),
        };
    };
    let current = row.count(3)?;
    if row.optional_text(2)?.is_some() {
        let lease = read(&row, transaction.moment())?;
        if Some(&lease.agent) != agent {
            return Err(Error::Held(lease.conflict()));
        }
        return match presented {
            Some(presented) if presented != current => {
                Err(Error::StaleLease { task: task.clone(), presented, current })
            }
            _ => Ok(Standing::Holder),
        };
    }
    if let Some(presented) = presented.filter(|presented| *presented != current) {
        return Err(Error::StaleLease { task: task.clone(), presented, current });
    }
    let was_caller = agent.is_some_and(|agent| row.optional_text(8).ok().flatten() == Some(agent.as_str()));
    // One that was given back in time has not run out.
    let ran_out = row.integer(7)? <= transaction.moment().tick;
    Ok(if was_caller && ran_out { Standing::Lapsed } else { Standing::Free })
}

pub(crate) fn holder(transaction: &mut dyn Transaction, task: &TaskId) -> Result<Option<Lease>> {
    let sql = format!("SELECT {COLUMNS} FROM leases l WHERE l.task_id = ?1 AND l.agent_id IS NOT NULL");
    let row = transaction.one(&sql, &[task.as_str().into()])?;
    row.map(|row| read(&row, transaction.moment())).transpose()
}

pub(crate) fn of_agent(transaction: &mut dyn Transaction, agent: &AgentId) -> Result<Vec<Lease>> {
    let sql = format!("SELECT {COLUMNS} FROM leases l WHERE l.agent_id = ?1 ORDER BY l.task_id");
    let rows = transaction.query(&sql, &[agent.as_str().into()])?;
    rows.iter().map(|row| read(row, transaction.moment())).collect()
}

pub(crate) fn live(transaction: &mut dyn Transaction) -> Result<Vec<Lease>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM leases l JOIN tasks t ON t.task_id = l.task_id WHERE l.agent_id IS NOT NULL \
         ORDER BY t.sort_key"
    );
    let rows = transaction.query(&sql, &[])?;
    rows.iter().map(|row| read(row, transaction.moment())).collect()
}

/// The row stays, for its generation.
pub(crate) fn end(transaction: &mut dyn Transaction, task: &TaskId) -> Result<()> {
    transaction.execute("UPDATE leases SET agent_id = NULL WHERE task_id = ?1", &[task.as_str().into()])?;
    Ok(())
}

fn prolong(transaction: &mut dyn Transaction, task: &TaskId, ttl: u64) -> Result<Lease> {
    let now = transaction.moment().clone();
    transaction.execute(
        "UPDATE leases SET expires_at = ?2, expires_tick = ?3, clock_epoch = ?4, ttl_seconds = ?5 WHERE task_id = ?1",
        &[
            task.as_str().into(),
            now.text_in(milliseconds(ttl)).into(),
            (now.tick + milliseconds(ttl)).into(),
            (&*now.epoch).into(),
            ttl.into(),
        ],
    )?;
    transaction.lease_ends(now.tick + milliseconds(ttl));
    holder(transaction, task)?.ok_or_else(|| Error::NotHeld { task: task.clone() })
}

/// Patterns of the claimed task that share a path with those of any other task under lease.
fn overlaps(transaction: &mut dyn Transaction, task: &TaskId, locks: &[String]) -> Result<Vec<LockOverlap>> {
    if locks.is_empty() {
        return Ok(Vec::new());
    }
    let rows = transaction.query(
        "SELECT task_id, agent_id, locks FROM leases WHERE agent_id IS NOT NULL AND locks <> '[]' AND task_id <> ?1 \
         ORDER BY task_id",
        &[task.as_str().into()],
    )?;
    let mut overlaps = Vec::new();
    for row in rows {
        for other_pattern in row.json::<Vec<String>>(2)? {
            for pattern in locks.iter().filter(|pattern| globs::overlap(pattern, &other_pattern)) {
                overlaps.push(LockOverlap {
                    pattern: pattern.clone(),
                    other_task: row.text(0)?.into(),
                    other_agent: row.text(1)?.into(),
                    other_pattern: other_pattern.clone(),
                });
            }
        }
    }
    Ok(overlaps)
}

/// Whether a claim would not be refused for its locks.
pub(crate) fn locks_are_free(
    transaction: &mut dyn Transaction,
    policy: &Policy,
    worktree: &Key,
    task: &TaskId,
) -> Result<bool> {
    if policy.locks == LockPolicy::Warn {
        return Ok(true);
    }
    let row = transaction.one(
        "SELECT locks FROM definitions WHERE worktree = ?1 AND task_id = ?2",
        &[worktree.as_str().into(), task.as_str().into()],
    )?;
    let Some(row) = row else { return Ok(false) };
    Ok(overlaps(transaction, task, &row.json::<Vec<String>>(0)?)?.is_empty())
}

fn told(lease: &Lease) -> serde_json::Value {
    json!({
        "leaseId": lease.lease_id,
        "generation": lease.generation,
        "expiresAt": lease.expires_at,
        "ttlSeconds": lease.ttl_seconds,
    })
}

fn read(row: &Row, now: &Moment) -> Result<Lease> {
    Ok(Lease {
        lease_id: row.text(0)?.to_owned(),
        task: row.text(1)?.into(),
        agent: row.text(2)?.into(),
        generation: row.count(3)?,
        created_at: row.text(4)?.to_owned(),
        expires_at: row.text(5)?.to_owned(),
        ttl_seconds: row.count(6)?,
        remaining_seconds: u64::try_from((row.integer(7)? - now.tick).max(0) / 1000).unwrap_or(0),
    })
}

impl Lease {
    pub(crate) fn conflict(&self) -> Conflict {
        Conflict {
            task: self.task.clone(),
            holder: self.agent.clone(),
            expires_at: self.expires_at.clone(),
            remaining_seconds: self.remaining_seconds,
        }
    }
}

fn milliseconds(seconds: u64) -> i64 {
    i64::try_from(seconds).unwrap_or(i64::MAX / 4000).saturating_mul(1000)
}
