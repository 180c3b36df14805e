//! What to do next: claimable tasks by priority and natural order, those whose labels an agent names as capabilities
//! first. `claim_next` finds and claims in one transaction.

use std::collections::BTreeSet;

use super::definitions::Key;
use super::listing::{JOINS, SUMMARY, read_summary};
use super::{Policy, agents, counts, graph, leases, limits, needed, tallies};
use crate::error::{Error, Result};
use crate::model::{Call, Candidate, Claim, ClaimNext, ClaimRequest, Next, NextRequest};
use crate::natural;
use crate::sql::{Transaction, Value};

/// Problems that `next` names.
const PROBLEMS: usize = 20;

pub(crate) fn next(transaction: &mut dyn Transaction, worktree: &Key, request: &NextRequest) -> Result<Next> {
    let capabilities = match &request.agent {
        Some(agent) => agents::get(transaction, agent)?.capabilities,
        None => Vec::new(),
    };
    let limit = limits::page(request.limit, 5, 20);
    let candidates = candidates(transaction, worktree, request, &capabilities, limit)?;
    let total_claimable = counts::claimable(transaction, worktree)?;
    let problems = graph::problems(transaction, worktree, PROBLEMS)?;
    let rationale = rationale(&candidates, total_claimable);
    Ok(Next { candidates, rationale, total_claimable, problems })
}

pub(crate) fn claim_next(
    transaction: &mut dyn Transaction,
    policy: &Policy,
    call: &Call,
    worktree: &Key,
    request: &NextRequest,
    ttl_seconds: Option<u64>,
) -> Result<ClaimNext> {
    /// Tasks refused for their locks are passed over, but not without end.
    const TRIED: usize = 20;
    let agent = needed(call)?;
    agents::acting(transaction, call)?;
    let capabilities = agents::get(transaction, agent)?.capabilities;
    for candidate in candidates(transaction, worktree, request, &capabilities, TRIED)? {
        let wish = ClaimRequest { task: candidate.task.id.clone(), ttl_seconds };
        if !leases::locks_are_free(transaction, policy, worktree, &wish.task)? {
            continue;
        }
        match leases::claim(transaction, policy, call, worktree, &wish) {
            Ok(Claim::Granted { lease, overlaps, warnings, .. }) => {
                let rationale = rationale(std::slice::from_ref(&candidate), 0);
                let mut task = candidate.task;
                task.claimed_by = Some(agent.clone());
                task.lease_expires_at = Some(lease.expires_at.clone());
                return Ok(ClaimNext::Claimed { task: Box::new(task), lease, rationale, overlaps, warnings });
            }
            Ok(Claim::Held(_)) | Err(Error::NotClaimable { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(ClaimNext::Nothing {
        leased: counts::leased(transaction, worktree)?,
        waiting: tallies::waiting(transaction, worktree)?,
    })
}

fn candidates(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    request: &NextRequest,
    capabilities: &[String],
    limit: usize,
) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let wanted: BTreeSet<&String> = request.labels.iter().collect();
    let able: BTreeSet<&String> = capabilities.iter().collect();
    let preferred: Vec<&String> =
        able.iter().copied().filter(|one| wanted.is_empty() || wanted.contains(one)).collect();
    let groups: [Vec<&String>; 2] = [preferred, wanted.iter().copied().collect()];
    for (group, labels) in groups.into_iter().enumerate() {
        let is_unlabelled = group == 1 && labels.is_empty();
        let mut tasks = Vec::new();
        if is_unlabelled {
            tasks.extend(claimable(transaction, worktree, None, request, limit + found.len())?);
        }
        for label in labels {
            tasks.extend(claimable(transaction, worktree, Some(label), request, limit + found.len())?);
        }
        tasks.sort_by_cached_key(|task| (task.priority, natural::sort_key(task.id.as_str())));
        for task in tasks {
            if found.len() < limit && seen.insert(task.id.clone()) {
                let matched = task.labels.iter().filter(|label| able.contains(label)).cloned().collect();
                found.push(Candidate { task, matched });
            }
        }
    }
    Ok(found)
}

fn claimable(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    label: Option<&String>,
    request: &NextRequest,
    limit: usize,
) -> Result<Vec<crate::model::TaskSummary>> {
    let mut values: Vec<Value> =
        vec![worktree.as_str().into(), request.max_priority.unwrap_or(i64::MAX).into(), limit.into()];
    let sql = match label {
        Some(label) => {
            values.push(label.as_str().into());
            format!(
                "SELECT {SUMMARY} FROM labels b JOIN definitions d ON d.worktree = b.worktree AND d.task_id = b.task_id \
                 {JOINS} WHERE b.worktree = ?1 AND b.label = ?4 AND b.claimable = 1 AND b.priority <= ?2 \
                 AND l.agent_id IS NULL ORDER BY b.priority, b.sort_key LIMIT ?3"
            )
        }
        None => format!(
            "SELECT {SUMMARY} FROM definitions d {JOINS} WHERE d.worktree = ?1 AND d.status = 'ready' AND d.unmet = 0 \
             AND d.priority <= ?2 AND l.agent_id IS NULL ORDER BY d.priority, d.sort_key LIMIT ?3"
        ),
    };
    let rows = transaction.query(&sql, &values)?;
    rows.iter().map(read_summary).collect()
}

fn rationale(candidates: &[Candidate], total: u64) -> String {
    let Some(first) = candidates.first() else {
        return "No task is claimable: each is done, waits for another, or is under lease.".to_owned();
    };
    let id = &first.task.id;
    let why = if first.matched.is_empty() {
        format!("{id} comes first by priority ({}) and id", first.task.priority)
    } else {
        let matched = first.matched.join(", ");
        format!(
            "{id} comes first because its labels match your capabilities ({matched}), then by priority and id"
        )
    };
    match total {
        0 => format!("{why}; every dependency of it is verified."),
        1 => format!("{why}; it is the only claimable task."),
        total => format!("{why}; {total} tasks are claimable."),
    }
}
