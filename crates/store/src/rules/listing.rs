//! Tasks as a page, and one task whole. Pages go by the key of their order, so that every task is shown once however
//! much is written meanwhile.

use super::definitions::{self, Key, read_status};
use super::tallies::{self, StatusFilter};
use super::{graph, ids, leases, limits};
use crate::error::{Error, Result};
use crate::model::{Problem, TaskDetail, TaskId, TaskPage, TaskQuery, TaskState, TaskSummary};
use crate::spec_file::{Definition, Status};
use crate::sql::{Row, Transaction, TransactionExt, Value};

/// What a join could be begun from is asked for by itself: the order of the page is the order of the definitions.
pub(crate) const SUMMARY: &str = "d.task_id, d.title, d.status, d.priority, d.labels, d.depends_on, d.unmet, \
     l.agent_id, l.expires_at, (SELECT t.updated_at FROM tasks t WHERE t.task_id = d.task_id), d.sort_key";

pub(crate) const JOINS: &str = "LEFT JOIN leases l ON l.task_id = d.task_id AND l.agent_id IS NOT NULL";

pub(crate) fn page(transaction: &mut dyn Transaction, worktree: &Key, query: &TaskQuery) -> Result<TaskPage> {
    let limit = limits::page(query.limit, 50, 200);
    let (priority, sort_key) = query.cursor.as_deref().map_or(Ok((i64::MIN, String::new())), read_cursor)?;
    let mut values: Vec<Value> = vec![worktree.as_str().into()];
    let mut place = |value: Value| {
        values.push(value);
        format!("?{}", values.len())
    };
    let (from, order) = match &query.label {
        Some(label) => {
            let label = place(label.as_str().into());
            let from = format!(
                "labels b JOIN definitions d ON d.worktree = b.worktree AND d.task_id = b.task_id {JOINS} \
                 WHERE b.worktree = ?1 AND b.label = {label}"
            );
            (from, "b")
        }
        None => (format!("definitions d {JOINS} WHERE d.worktree = ?1"), "d"),
    };
    let status = match query.status {
        Some(status) => format!(" AND d.status = {}", place(status.word().into())),
        None if query.include_deleted => String::new(),
        None => " AND d.status <> 'deleted'".to_owned(),
    };
    // A total is over all pages, whatever the cursor.
    let wanted = match query.status {
        Some(status) => StatusFilter::Only(status),
        None if query.include_deleted => StatusFilter::Any,
        None => StatusFilter::Living,
    };
    let total = tallies::total(transaction, worktree, query.label.as_deref(), wanted)?;
    let after = format!(
        " AND ({order}.priority, {order}.sort_key) > ({}, {})",
        place(priority.into()),
        place(sort_key.into())
    );
    let most = place((limit + 1).into());
    let sql = format!(
        "SELECT {SUMMARY} FROM {from}{status}{after} ORDER BY {order}.priority, {order}.sort_key LIMIT {most}"
    );
    let rows = transaction.query(&sql, &values)?;
    let tasks = rows.iter().take(limit).map(read_summary).collect::<Result<Vec<_>>>()?;
    let next_cursor = match rows.get(limit.saturating_sub(1)) {
        Some(last) if rows.len() > limit => Some(write_cursor(last.integer(3)?, last.text(10)?)),
        _ => None,
    };
    let problems = problems_among(transaction, worktree, &tasks)?;
    Ok(TaskPage { tasks, next_cursor, total, problems })
}

fn problems_among(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    tasks: &[TaskSummary],
) -> Result<Vec<Problem>> {
    let any =
        transaction.one("SELECT 1 FROM problems WHERE worktree = ?1 LIMIT 1", &[worktree.as_str().into()])?;
    let mut problems = Vec::new();
    if any.is_some() {
        for task in tasks.iter().filter(|task| task.unmet > 0) {
            problems.extend(graph::problems_of(transaction, worktree, &task.id)?);
        }
    }
    Ok(problems)
}

pub(crate) fn detail(transaction: &mut dyn Transaction, worktree: &Key, task: &TaskId) -> Result<TaskDetail> {
    const DEPENDENTS: usize = 200;
    let row = transaction.one(
        "SELECT t.status, t.updated_at, t.completed_by, t.completed_at, t.verified_by, t.verified_at, d.body \
         FROM definitions d JOIN tasks t ON t.task_id = d.task_id WHERE d.worktree = ?1 AND d.task_id = ?2",
        &[worktree.as_str().into(), task.as_str().into()],
    )?;
    let Some(row) = row else { return Err(definitions::unknown(transaction, worktree, task)?) };
    let state = read_state(&row)?;
    let mut definition: Definition = row.json(6)?;
    definition.status = state.status;
    definition.updated_at.clone_from(&state.updated_at);
    definition.completed_by.clone_from(&state.completed_by);
    definition.completed_at.clone_from(&state.completed_at);
    definition.verified_by.clone_from(&state.verified_by);
    definition.verified_at.clone_from(&state.verified_at);
    let lease = leases::holder(transaction, task)?;
    let (_, unmet) = definitions::readiness(transaction, worktree, task)?;
    let messages =
        transaction.number("SELECT COUNT(*) FROM messages WHERE task_id = ?1", &[task.as_str().into()])?;
    Ok(TaskDetail {
        claimable: state.status == Status::Ready && unmet.is_empty() && lease.is_none(),
        dependents: graph::dependents(transaction, worktree, task, DEPENDENTS)?,
        problems: graph::problems_of(transaction, worktree, task)?,
        messages: u64::try_from(messages).unwrap_or(0),
        definition,
        state,
        lease,
        unmet,
    })
}

pub(crate) fn read_summary(row: &Row) -> Result<TaskSummary> {
    Ok(TaskSummary {
        id: row.text(0)?.into(),
        title: row.text(1)?.to_owned(),
        status: read_status(row.text(2)?)?,
        priority: row.integer(3)?,
        labels: row.json(4)?,
        depends_on: ids(row.json(5)?),
        unmet: row.count(6)?,
        claimed_by: row.optional_text(7)?.map(Into::into),
        lease_expires_at: row.owned(8)?,
        updated_at: row.owned(9)?,
    })
}

/// The first six columns: status, then when and by whom.
pub(crate) fn read_state(row: &Row) -> Result<TaskState> {
    Ok(TaskState {
        status: read_status(row.text(0)?)?,
        updated_at: row.owned(1)?,
        completed_by: row.owned(2)?,
        completed_at: row.owned(3)?,
        verified_by: row.owned(4)?,
        verified_at: row.owned(5)?,
    })
}

fn write_cursor(priority: i64, sort_key: &str) -> String {
    format!("{priority}:{sort_key}")
}

fn read_cursor(cursor: &str) -> Result<(i64, String)> {
    let (priority, sort_key) =
        cursor.split_once(':').ok_or_else(|| Error::invalid("cursor", "is not one that a list has given"))?;
    let priority =
        priority.parse().map_err(|_| Error::invalid("cursor", "is not one that a list has given"))?;
    Ok((priority, sort_key.to_owned()))
}
