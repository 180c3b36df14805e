//! Statuses that a `spec.yaml` does not say yet. A row is written with the move and taken away when the file says it, so
//! that whoever comes after a crash knows what is missing.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::Key;
use super::{listing, places, sync};
use crate::error::Result;
use crate::model::{SpecStamp, StatusRow, TaskId, Worktree};
use crate::sql::{Transaction, Value};

/// `sequence` is the event of the move: a later move of the same task takes the row over.
pub(crate) fn add(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    task: &TaskId,
    sequence: i64,
) -> Result<()> {
    transaction.execute(
        "INSERT INTO outbox (worktree, task_id, sequence) VALUES (?1, ?2, ?3) \
         ON CONFLICT (worktree, task_id) DO UPDATE SET sequence = excluded.sequence",
        &[worktree.as_str().into(), task.as_str().into(), sequence.into()],
    )?;
    Ok(())
}

pub(crate) fn drop(transaction: &mut dyn Transaction, worktree: &Key, task: &TaskId) -> Result<()> {
    transaction.execute(
        "DELETE FROM outbox WHERE worktree = ?1 AND task_id = ?2",
        &[worktree.as_str().into(), task.as_str().into()],
    )?;
    Ok(())
}

pub(crate) fn list(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    limit: usize,
) -> Result<Vec<StatusRow>> {
    let rows = transaction.query(
        "SELECT t.status, t.updated_at, t.completed_by, t.completed_at, t.verified_by, t.verified_at, o.task_id, \
         o.sequence FROM outbox o JOIN tasks t ON t.task_id = o.task_id WHERE o.worktree = ?1 \
         ORDER BY o.sequence LIMIT ?2",
        &[worktree.as_str().into(), limit.into()],
    )?;
    let read = |row: &crate::sql::Row| {
        Ok(StatusRow {
            task: row.text(6)?.into(),
            sequence: row.integer(7)?,
            state: listing::read_state(row)?,
        })
    };
    rows.iter().map(read).collect()
}

pub(crate) fn tasks(transaction: &mut dyn Transaction, worktree: &Key) -> Result<BTreeSet<String>> {
    let rows =
        transaction.query("SELECT task_id FROM outbox WHERE worktree = ?1", &[worktree.as_str().into()])?;
    rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
}

pub(crate) fn worktrees(transaction: &mut dyn Transaction) -> Result<Vec<(Worktree, u64)>> {
    let rows = transaction.query(
        "SELECT w.name, COUNT(*) FROM outbox o JOIN worktrees w ON w.worktree = o.worktree GROUP BY w.name \
         ORDER BY w.name",
        &[],
    )?;
    rows.iter().map(|row| Ok((row.text(0)?.into(), row.count(1)?))).collect()
}

/// The file says these now. What moved again since they were listed stays.
pub(crate) fn written(
    transaction: &mut dyn Transaction,
    worktree: &Worktree,
    rows: &[StatusRow],
    stamp: Option<&SpecStamp>,
) -> Result<()> {
    const AT_ONCE: usize = 500;
    let key = Key::of(worktree);
    let mut seen: BTreeMap<&str, Vec<&TaskId>> = BTreeMap::new();
    for row in rows {
        seen.entry(row.state.status.word()).or_default().push(&row.task);
    }
    for (status, tasks) in seen {
        for chunk in tasks.chunks(AT_ONCE) {
            let sql = format!(
                "UPDATE definitions SET seen_status = ?2 WHERE worktree = ?1 AND task_id IN ({})",
                places(3, chunk.len())
            );
            let mut values: Vec<Value> = vec![key.as_str().into(), status.into()];
            values.extend(chunk.iter().map(|task| Value::from(task.as_str())));
            transaction.execute(&sql, &values)?;
        }
    }
    for chunk in rows.chunks(AT_ONCE) {
        let pairs: Vec<String> = (0..chunk.len())
            .map(|row| format!("(?{}, CAST(?{} AS BIGINT))", 2 * row + 2, 2 * row + 3))
            .collect();
        let sql = format!(
            "DELETE FROM outbox WHERE worktree = ?1 AND (task_id, sequence) IN (VALUES {})",
            pairs.join(", ")
        );
        let mut values: Vec<Value> = vec![key.as_str().into()];
        values.extend(chunk.iter().flat_map(|row| [row.task.as_str().into(), row.sequence.into()]));
        transaction.execute(&sql, &values)?;
    }
    if let Some(stamp) = stamp {
        sync::set_stamp(transaction, worktree, stamp)?;
    }
    Ok(())
}
