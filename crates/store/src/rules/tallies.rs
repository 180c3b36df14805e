//! How many tasks of which kind a worktree has: kept with every change, so that no call has to count them. Owns the table
//! `tallies`; whoever changes a definition's status, readiness or labels notes it here, before and after.

use std::collections::BTreeMap;

use super::definitions::Key;
use super::places;
use crate::error::Result;
use crate::model::TaskId;
use crate::spec_file::{Definition, Status};
use crate::sql::{Transaction, TransactionExt, Value};

/// Tasks whose rows are about to change, or have just changed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Which<'a> {
    /// One task, in every worktree.
    Task(&'a TaskId),
    /// What depends on it, in every worktree.
    DependentsOf(&'a TaskId),
    /// Some tasks of one worktree, not more than one statement has places for.
    These(&'a Key, &'a [&'a str]),
    Every,
}

/// Runs `change` with the tasks taken out of the counts before, and put back as they are afterwards.
pub(crate) fn around<T>(
    transaction: &mut dyn Transaction,
    which: Which<'_>,
    change: impl FnOnce(&mut dyn Transaction) -> Result<T>,
) -> Result<T> {
    note(transaction, which, -1)?;
    let changed = change(transaction)?;
    note(transaction, which, 1)?;
    Ok(changed)
}

/// The tasks are about to go.
pub(crate) fn take_out(transaction: &mut dyn Transaction, which: Which<'_>) -> Result<()> {
    note(transaction, which, -1)
}

/// Counts everything anew, for rows that came from elsewhere.
pub(crate) fn recount(transaction: &mut dyn Transaction) -> Result<()> {
    transaction.execute("DELETE FROM tallies", &[])?;
    note(transaction, Which::Every, 1)
}

/// Definitions that were just written, with the status and the readiness that their rows have.
#[derive(Debug, Default)]
pub(crate) struct Written(BTreeMap<(String, Status, bool), i64>);

impl Written {
    pub(crate) fn add(&mut self, definition: &Definition, status: Status, is_open: bool) {
        let labels: std::collections::BTreeSet<&String> = definition.labels.iter().collect();
        let keys = std::iter::once(String::new()).chain(labels.into_iter().map(|label| of_label(label)));
        for key in keys {
            *self.0.entry((key, status, is_open)).or_default() += 1;
        }
    }

    pub(crate) fn note(&self, transaction: &mut dyn Transaction, worktree: &Key) -> Result<()> {
        for ((label, status, is_open), amount) in &self.0 {
            transaction.execute(
                "INSERT INTO tallies (worktree, label, status, is_open, amount) VALUES (?1, ?2, ?3, ?4, ?5) \
                 ON CONFLICT (worktree, label, status, is_open) DO UPDATE SET amount = tallies.amount + excluded.amount",
                &[
                    worktree.as_str().into(),
                    label.as_str().into(),
                    status.word().into(),
                    i64::from(*is_open).into(),
                    (*amount).into(),
                ],
            )?;
        }
        Ok(())
    }
}

/// Tasks with this label (all without one) and this status (all but deleted ones without one).
pub(crate) fn total(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    label: Option<&str>,
    status: StatusFilter,
) -> Result<u64> {
    let mut values: Vec<Value> =
        vec![worktree.as_str().into(), label.map(of_label).unwrap_or_default().into()];
    let condition = match status {
        StatusFilter::Any => "",
        StatusFilter::Living => " AND status <> 'deleted'",
        StatusFilter::Only(status) => {
            values.push(status.word().into());
            " AND status = ?3"
        }
    };
    let sql = format!(
        "SELECT CAST(SUM(amount) AS BIGINT) FROM tallies WHERE worktree = ?1 AND label = ?2{condition}"
    );
    Ok(natural(transaction.number(&sql, &values)?))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatusFilter {
    Any,
    /// All but deleted ones.
    Living,
    Only(Status),
}

/// Ready tasks that wait for nothing.
pub(crate) fn open(transaction: &mut dyn Transaction, worktree: &Key) -> Result<u64> {
    ready(transaction, worktree, 1)
}

/// Ready tasks that wait for others.
pub(crate) fn waiting(transaction: &mut dyn Transaction, worktree: &Key) -> Result<u64> {
    ready(transaction, worktree, 0)
}

fn ready(transaction: &mut dyn Transaction, worktree: &Key, is_open: i64) -> Result<u64> {
    let sql = "SELECT CAST(SUM(amount) AS BIGINT) FROM tallies \
               WHERE worktree = ?1 AND label = '' AND status = 'ready' AND is_open = ?2";
    Ok(natural(transaction.number(sql, &[worktree.as_str().into(), is_open.into()])?))
}

/// Only statuses that some task has.
pub(crate) fn by_status(transaction: &mut dyn Transaction, worktree: &Key) -> Result<Vec<(Status, u64)>> {
    let rows = transaction.query(
        "SELECT status, CAST(SUM(amount) AS BIGINT) FROM tallies WHERE worktree = ?1 AND label = '' GROUP BY status",
        &[worktree.as_str().into()],
    )?;
    let mut found = Vec::new();
    for row in &rows {
        let count = row.count(1)?;
        if count > 0 {
            found.push((super::definitions::read_status(row.text(0)?)?, count));
        }
    }
    found.sort();
    Ok(found)
}

/// Never the same as the key for all tasks, whatever the label is.
fn of_label(label: &str) -> String {
    format!("={label}")
}

fn note(transaction: &mut dyn Transaction, which: Which<'_>, sign: i64) -> Result<()> {
    let mut values: Vec<Value> = vec![sign.into()];
    let condition = match which {
        Which::Task(task) => {
            values.push(task.as_str().into());
            "d.task_id = ?2".to_owned()
        }
        Which::DependentsOf(task) => {
            values.push(task.as_str().into());
            "(d.worktree, d.task_id) IN (SELECT worktree, task_id FROM dependencies WHERE dependency = ?2)"
                .to_owned()
        }
        Which::These(worktree, tasks) => {
            values.push(worktree.as_str().into());
            values.extend(tasks.iter().map(|task| Value::from(*task)));
            format!("d.worktree = ?2 AND d.task_id IN ({})", places(3, tasks.len()))
        }
        Which::Every => "1 = 1".to_owned(),
    };
    let open = "CASE WHEN d.unmet = 0 THEN 1 ELSE 0 END";
    let sql = format!(
        "INSERT INTO tallies (worktree, label, status, is_open, amount) \
         SELECT k.worktree, k.label, k.status, k.is_open, COUNT(*) * CAST(?1 AS BIGINT) FROM ( \
         SELECT d.worktree AS worktree, '' AS label, d.status AS status, {open} AS is_open FROM definitions d \
         WHERE {condition} UNION ALL \
         SELECT d.worktree, '=' || b.label, d.status, {open} FROM definitions d \
         JOIN labels b ON b.task_id = d.task_id AND b.worktree = d.worktree WHERE {condition}) k \
         GROUP BY k.worktree, k.label, k.status, k.is_open \
         ON CONFLICT (worktree, label, status, is_open) DO UPDATE SET amount = tallies.amount + excluded.amount"
    );
    transaction.execute(&sql, &values)?;
    Ok(())
}

fn natural(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
