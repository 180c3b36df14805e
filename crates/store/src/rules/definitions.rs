//! Definitions as one worktree has them, mirrored so that no call reads the file again. Owns the rows of a definition
//! and its readiness; when the file is read is `sync`'s matter.

use std::collections::{BTreeMap, BTreeSet};

use super::tallies::{self, Which};
use super::{graph, ids, places};
use crate::error::{Error, Result};
use crate::model::{TaskId, Worktree};
use crate::natural;
use crate::spec_file::{Definition, Status};
use crate::sql::{Transaction, TransactionExt, Value};

/// A worktree as rows name it: short, because every definition says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    pub(crate) fn of(worktree: &Worktree) -> Self {
        Self(blake3::hash(worktree.as_str().as_bytes()).to_hex()[..12].to_owned())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

pub(crate) fn get(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    task: &TaskId,
) -> Result<Option<Definition>> {
    let row = transaction.one(
        "SELECT body FROM definitions WHERE worktree = ?1 AND task_id = ?2",
        &[worktree.as_str().into(), task.as_str().into()],
    )?;
    row.map(|row| row.json(0)).transpose()
}

/// The status of a task and what it waits for.
pub(crate) fn readiness(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    task: &TaskId,
) -> Result<(Status, Vec<TaskId>)> {
    let row = transaction.one(
        "SELECT status, depends_on, unmet FROM definitions WHERE worktree = ?1 AND task_id = ?2",
        &[worktree.as_str().into(), task.as_str().into()],
    )?;
    let Some(row) = row else { return Err(unknown(transaction, worktree, task)?) };
    let status = read_status(row.text(0)?)?;
    if row.integer(2)? == 0 {
        return Ok((status, Vec::new()));
    }
    let dependencies: Vec<String> = row.json(1)?;
    let known = statuses(transaction, &dependencies)?;
    let unmet = dependencies.into_iter().filter(|one| known.get(one) != Some(&Status::Verified)).collect();
    Ok((status, ids(unmet)))
}

/// The error for a task that the worktree does not define, with the nearest spelling that it does.
pub(crate) fn unknown(transaction: &mut dyn Transaction, worktree: &Key, task: &TaskId) -> Result<Error> {
    const LOOKED_AT: usize = 2000;
    let rows = transaction.query(
        "SELECT task_id FROM definitions WHERE worktree = ?1 ORDER BY priority, sort_key LIMIT ?2",
        &[worktree.as_str().into(), LOOKED_AT.into()],
    )?;
    let names = rows.iter().map(|row| row.text(0)).collect::<Result<Vec<_>>>()?;
    let nearest = becket_base::nearest(task.as_str(), names).map(str::to_owned);
    Ok(Error::UnknownTask { task: task.clone(), nearest })
}

pub(crate) fn statuses(
    transaction: &mut dyn Transaction,
    tasks: &[String],
) -> Result<BTreeMap<String, Status>> {
    const AT_ONCE: usize = 500;
    let mut found = BTreeMap::new();
    for chunk in tasks.chunks(AT_ONCE) {
        let sql = format!("SELECT task_id, status FROM tasks WHERE task_id IN ({})", places(1, chunk.len()));
        let values: Vec<Value> = chunk.iter().map(|task| task.as_str().into()).collect();
        for row in transaction.query(&sql, &values)? {
            found.insert(row.text(0)?.to_owned(), read_status(row.text(1)?)?);
        }
    }
    Ok(found)
}

/// Whether a definition that is about to be written to the file can stand: its id is free or taken as it should be,
/// what it depends on exists, and nothing would wait for itself.
pub(crate) fn check(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    definition: &Definition,
    change: Change,
) -> Result<()> {
    super::limits::id("id", &definition.id)?;
    let task = TaskId::from(definition.id.as_str());
    let exists =
        transaction.number("SELECT COUNT(*) FROM tasks WHERE task_id = ?1", &[task.as_str().into()])? > 0;
    match change {
        Change::Create if exists => return Err(Error::TaskExists { task }),
        Change::Update if get(transaction, worktree, &task)?.is_none() => {
            return Err(unknown(transaction, worktree, &task)?);
        }
        _ => {}
    }
    // What is wrong already is a problem to report, not one to refuse a better title for.
    let before = match change {
        Change::Create => Vec::new(),
        Change::Update => get(transaction, worktree, &task)?.map(|one| one.depends_on).unwrap_or_default(),
    };
    let added: Vec<String> =
        definition.depends_on.iter().filter(|one| !before.contains(one)).cloned().collect();
    for dependency in &added {
        let dependency = TaskId::from(dependency.as_str());
        if dependency == task {
            return Err(Error::WouldCycle { cycle: vec![task] });
        }
        if get(transaction, worktree, &dependency)?.is_none() {
            return Err(Error::UnknownDependency { task, dependency });
        }
    }
    match graph::path_to(transaction, worktree, &added, &definition.id)? {
        Some(cycle) => Err(Error::WouldCycle { cycle: ids(cycle) }),
        None => Ok(()),
    }
}

/// Whether the definition is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Create,
    Update,
}

/// Writes many definitions of one worktree, replacing those that exist. `known` says the status of every task.
pub(crate) fn write(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    definitions: &[&Definition],
    replaced: &[&str],
    known: &BTreeMap<String, Status>,
) -> Result<()> {
    remove(transaction, worktree, replaced)?;
    let (mut rows, mut dependencies, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    let mut written = tallies::Written::default();
    for definition in definitions {
        let id = definition.id.as_str();
        let sort_key = natural::sort_key(id);
        let status = known.get(id).copied().unwrap_or(definition.status);
        let needs: BTreeSet<&str> = definition.depends_on.iter().map(String::as_str).collect();
        let unmet = needs.iter().filter(|one| known.get(**one) != Some(&Status::Verified)).count();
        for dependency in needs {
            dependencies.push(vec![worktree.as_str().into(), id.into(), dependency.into()]);
        }
        written.add(definition, status, unmet == 0);
        let claimable = i64::from(status == Status::Ready && unmet == 0);
        for label in definition.labels.iter().collect::<BTreeSet<_>>() {
            labels.push(vec![
                worktree.as_str().into(),
                label.as_str().into(),
                definition.priority.into(),
                sort_key.as_str().into(),
                id.into(),
                claimable.into(),
            ]);
        }
        rows.push(vec![
            worktree.as_str().into(),
            id.into(),
            sort_key.into(),
            definition.priority.into(),
            status.word().into(),
            unmet.into(),
            definition.status.word().into(),
            definition.title.as_str().into(),
            json(&definition.labels)?.into(),
            json(&definition.depends_on)?.into(),
            json(&definition.locks)?.into(),
            digest(definition)?.into(),
            json(definition)?.into(),
        ]);
    }
    transaction.insert_all(
        "definitions (worktree, task_id, sort_key, priority, status, unmet, seen_status, title, labels, depends_on, \
         locks, digest, body)",
        &rows,
        // Status, unmet, priority, key.
        &[4, 5, 3, 2],
    )?;
    transaction.insert_all("dependencies (worktree, task_id, dependency)", &dependencies, &[])?;
    transaction.insert_all(
        "labels (worktree, label, priority, sort_key, task_id, claimable)",
        &labels,
        &[1, 2, 3],
    )?;
    written.note(transaction, worktree)
}

pub(crate) fn remove(transaction: &mut dyn Transaction, worktree: &Key, tasks: &[&str]) -> Result<()> {
    const AT_ONCE: usize = 500;
    for chunk in tasks.chunks(AT_ONCE) {
        tallies::take_out(transaction, Which::These(worktree, chunk))?;
        let places = places(2, chunk.len());
        let mut values = vec![Value::from(worktree.as_str())];
        values.extend(chunk.iter().map(|task| Value::from(*task)));
        for table in OF_A_DEFINITION {
            let sql = format!("DELETE FROM {table} WHERE worktree = ?1 AND task_id IN ({places})");
            transaction.execute(&sql, &values)?;
        }
    }
    Ok(())
}

/// Where the rows of a definition are, itself last.
pub(crate) const OF_A_DEFINITION: [&str; 4] = ["problems", "labels", "dependencies", "definitions"];

/// Of what the file says about a task, its status aside: that one is compared by itself.
pub(crate) fn digest(definition: &Definition) -> Result<String> {
    let mut without = definition.clone();
    without.status = Status::Todo;
    without.updated_at = None;
    (without.completed_by, without.completed_at, without.verified_by, without.verified_at) =
        (None, None, None, None);
    Ok(blake3::hash(json(&without)?.as_bytes()).to_hex()[..16].to_owned())
}

pub(crate) fn read_status(word: &str) -> Result<Status> {
    Status::parse(word).ok_or_else(|| Error::unexpected(format!("no status is called {word}")))
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::unexpected(error.to_string()))
}
