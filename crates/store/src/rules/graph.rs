//! What waits for what: dependents, cycles, and dependencies that lead nowhere. Nothing here starves in silence: a task
//! that can never be claimed as it stands is a problem with a name.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::definitions::{Key, read_status};
use super::ids;
use crate::error::{Error, Result};
use crate::model::{Edge, Graph, GraphNode, Problem, TaskId};
use crate::natural;
use crate::spec_file::{Definition, Status};
use crate::sql::{Transaction, TransactionExt, Value};

const LIVING: &str = "d.status NOT IN ('deleted', 'verified')";

pub(crate) fn graph(transaction: &mut dyn Transaction, worktree: &Key) -> Result<Graph> {
    let key = [Value::from(worktree.as_str())];
    let rows = transaction.query(
        "SELECT d.task_id, d.title, d.status, d.priority, l.agent_id FROM definitions d \
         LEFT JOIN leases l ON l.task_id = d.task_id WHERE d.worktree = ?1 ORDER BY d.sort_key",
        &key,
    )?;
    let mut nodes = Vec::new();
    for row in &rows {
        nodes.push(GraphNode {
            id: row.text(0)?.into(),
            title: row.text(1)?.to_owned(),
            status: read_status(row.text(2)?)?,
            priority: row.integer(3)?,
            claimed_by: row.optional_text(4)?.map(Into::into),
        });
    }
    let rows = transaction.query("SELECT dependency, task_id FROM dependencies WHERE worktree = ?1", &key)?;
    let mut edges = Vec::new();
    for row in &rows {
        edges.push(Edge { dependency: row.text(0)?.into(), dependent: row.text(1)?.into() });
    }
    let order = |task: &TaskId| natural::sort_key(task.as_str());
    edges.sort_by_cached_key(|edge| (order(&edge.dependency), order(&edge.dependent)));
    Ok(Graph { nodes, edges, problems: problems(transaction, worktree, usize::MAX)? })
}

pub(crate) fn dependents(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    task: &TaskId,
    limit: usize,
) -> Result<Vec<TaskId>> {
    let rows = transaction.query(
        "SELECT d.task_id FROM dependencies p JOIN definitions d ON d.worktree = p.worktree AND d.task_id = p.task_id \
         WHERE p.dependency = ?1 AND p.worktree = ?2 AND d.status <> 'deleted' ORDER BY d.sort_key LIMIT ?3",
        &[task.as_str().into(), worktree.as_str().into(), limit.into()],
    )?;
    rows.iter().map(|row| Ok(row.text(0)?.into())).collect()
}

pub(crate) fn living_dependents(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    task: &TaskId,
) -> Result<Vec<TaskId>> {
    dependents(transaction, worktree, task, usize::MAX)
}

/// Over any number of steps, nearest first, the task itself left out.
pub(crate) fn all_dependents(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    task: &TaskId,
) -> Result<Vec<TaskId>> {
    let mut seen = BTreeSet::from([task.clone()]);
    let mut waiting = VecDeque::from([task.clone()]);
    let mut found = Vec::new();
    while let Some(next) = waiting.pop_front() {
        for dependent in dependents(transaction, worktree, &next, usize::MAX)? {
            if seen.insert(dependent.clone()) {
                waiting.push_back(dependent.clone());
                found.push(dependent);
            }
        }
    }
    Ok(found)
}

/// The way from one of `starts` to `end` along dependencies, if there is one: `end`, then what it would depend on.
pub(crate) fn path_to(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    starts: &[String],
    end: &str,
) -> Result<Option<Vec<String>>> {
    let mut came_from: BTreeMap<String, String> = BTreeMap::new();
    let mut waiting: VecDeque<String> = VecDeque::new();
    for start in starts {
        if came_from.insert(start.clone(), end.to_owned()).is_none() {
            waiting.push_back(start.clone());
        }
    }
    while let Some(task) = waiting.pop_front() {
        if task == end {
            let mut path = vec![];
            let mut step = came_from.get(end);
            while let Some(one) = step.filter(|one| *one != end) {
                path.push(one.clone());
                step = came_from.get(one);
            }
            path.push(end.to_owned());
            path.reverse();
            return Ok(Some(path));
        }
        let rows = transaction.query(
            "SELECT dependency FROM dependencies WHERE worktree = ?1 AND task_id = ?2",
            &[worktree.as_str().into(), task.as_str().into()],
        )?;
        for row in rows {
            let next = row.text(0)?.to_owned();
            if !came_from.contains_key(&next) {
                came_from.insert(next.clone(), task.clone());
                waiting.push_back(next);
            }
        }
    }
    Ok(None)
}

/// Of tasks that are neither verified nor deleted, in natural order.
pub(crate) fn problems(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    limit: usize,
) -> Result<Vec<Problem>> {
    let sql = format!(
        "SELECT p.task_id, p.kind, p.detail FROM problems p JOIN definitions d ON d.worktree = p.worktree \
         AND d.task_id = p.task_id WHERE p.worktree = ?1 AND {LIVING} ORDER BY p.sort_key, p.kind, p.detail LIMIT ?2"
    );
    let rows = transaction.query(&sql, &[worktree.as_str().into(), limit.into()])?;
    rows.iter().map(|row| read(row.text(0)?, row.text(1)?, row.text(2)?)).collect()
}

pub(crate) fn problems_of(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    task: &TaskId,
) -> Result<Vec<Problem>> {
    let sql = format!(
        "SELECT p.task_id, p.kind, p.detail FROM problems p JOIN definitions d ON d.worktree = p.worktree \
         AND d.task_id = p.task_id WHERE p.worktree = ?1 AND p.task_id = ?2 AND {LIVING} ORDER BY p.kind, p.detail"
    );
    let rows = transaction.query(&sql, &[worktree.as_str().into(), task.as_str().into()])?;
    rows.iter().map(|row| read(row.text(0)?, row.text(1)?, row.text(2)?)).collect()
}

pub(crate) fn count_problems(transaction: &mut dyn Transaction, worktree: &Key) -> Result<u64> {
    let sql = format!(
        "SELECT COUNT(*) FROM problems p JOIN definitions d ON d.worktree = p.worktree AND d.task_id = p.task_id \
         WHERE p.worktree = ?1 AND {LIVING}"
    );
    Ok(u64::try_from(transaction.number(&sql, &[worktree.as_str().into()])?).unwrap_or(0))
}

/// Tasks that depend on a task that is gone now.
pub(crate) fn note_deleted(transaction: &mut dyn Transaction, task: &TaskId) -> Result<()> {
    transaction.execute(
        "INSERT INTO problems (worktree, task_id, sort_key, kind, detail) SELECT d.worktree, d.task_id, d.sort_key, \
         'deleted', p.dependency FROM dependencies p JOIN definitions d ON d.worktree = p.worktree \
         AND d.task_id = p.task_id WHERE p.dependency = ?1 ON CONFLICT (worktree, task_id, kind, detail) DO NOTHING",
        &[task.as_str().into()],
    )?;
    Ok(())
}

pub(crate) fn note_restored(transaction: &mut dyn Transaction, task: &TaskId) -> Result<()> {
    transaction
        .execute("DELETE FROM problems WHERE kind = 'deleted' AND detail = ?1", &[task.as_str().into()])?;
    Ok(())
}

/// Looks at all definitions of a worktree at once and replaces what was known of their problems.
pub(crate) fn find_problems(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    definitions: &[Definition],
    known: &BTreeMap<String, Status>,
) -> Result<()> {
    transaction.execute("DELETE FROM problems WHERE worktree = ?1", &[worktree.as_str().into()])?;
    let edges: BTreeMap<&str, Vec<&str>> = definitions
        .iter()
        .map(|one| (one.id.as_str(), one.depends_on.iter().map(String::as_str).collect()))
        .collect();
    let mut found = BTreeSet::new();
    for (task, dependencies) in &edges {
        for dependency in dependencies {
            match known.get(*dependency) {
                Some(Status::Deleted) => _ = found.insert((*task, "deleted", (*dependency).to_owned())),
                Some(Status::Verified) => {}
                _ if !edges.contains_key(dependency) => {
                    found.insert((*task, "missing", (*dependency).to_owned()));
                }
                _ => {}
            }
        }
    }
    for cycle in cycles(&edges) {
        let detail = serde_json::to_string(&cycle).map_err(|error| Error::unexpected(error.to_string()))?;
        for task in cycle {
            found.insert((task, "cycle", detail.clone()));
        }
    }
    let rows: Vec<Vec<Value>> = found
        .into_iter()
        .map(|(task, kind, detail)| {
            let sort_key = natural::sort_key(task);
            vec![worktree.as_str().into(), task.into(), sort_key.into(), kind.into(), detail.into()]
        })
        .collect();
    transaction.insert_all("problems (worktree, task_id, sort_key, kind, detail)", &rows, &[])
}

/// One cycle through every knot of tasks that wait for each other. No recursion: a chain may be as long as the file.
fn cycles<'a>(edges: &BTreeMap<&'a str, Vec<&'a str>>) -> Vec<Vec<&'a str>> {
    // Whoever waits for nothing in the graph is taken away until only knots, and what waits for them, are left.
    let mut waits: BTreeMap<&str, usize> = BTreeMap::new();
    let mut waited_by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (task, dependencies) in edges {
        let present = dependencies.iter().filter(|one| edges.contains_key(*one)).collect::<BTreeSet<_>>();
        waits.insert(task, present.len());
        for dependency in present {
            waited_by.entry(dependency).or_default().push(task);
        }
    }
    let mut free: Vec<&str> = waits.iter().filter(|(_, count)| **count == 0).map(|(task, _)| *task).collect();
    while let Some(task) = free.pop() {
        for dependent in waited_by.get(task).into_iter().flatten() {
            if let Some(count) = waits.get_mut(dependent) {
                *count -= 1;
                if *count == 0 {
                    free.push(dependent);
                }
            }
        }
    }
    let mut left: BTreeSet<&str> =
        waits.into_iter().filter(|(_, count)| *count > 0).map(|(task, _)| task).collect();
    let mut found = Vec::new();
    // From any task that is left, dependencies among the left lead round: walking them meets a task twice.
    while let Some(start) = left.first().copied() {
        let (mut path, mut places): (Vec<&str>, BTreeMap<&str, usize>) = (Vec::new(), BTreeMap::new());
        let mut task = start;
        loop {
            if let Some(place) = places.get(task) {
                let mut cycle = path.split_off(*place);
                let first = cycle.iter().enumerate().min_by_key(|(_, one)| natural::sort_key(one));
                let first = first.map_or(0, |(index, _)| index);
                cycle.rotate_left(first);
                for one in path.iter().chain(&cycle) {
                    left.remove(one);
                }
                found.push(cycle);
                break;
            }
            places.insert(task, path.len());
            path.push(task);
            let next = edges.get(task).and_then(|all| all.iter().find(|one| left.contains(**one)));
            let Some(next) = next else {
                // Its knot was told of already.
                for one in &path {
                    left.remove(one);
                }
                break;
            };
            task = next;
        }
    }
    found
}

fn read(task: &str, kind: &str, detail: &str) -> Result<Problem> {
    let task = TaskId::from(task);
    Ok(match kind {
        "missing" => Problem::MissingDependency { task, dependency: detail.into() },
        "deleted" => Problem::DeletedDependency { task, dependency: detail.into() },
        _ => {
            let cycle: Vec<String> =
                serde_json::from_str(detail).map_err(|error| Error::unexpected(error.to_string()))?;
            Problem::Cycle { task, cycle: ids(cycle) }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(edges: &[(&'static str, &[&'static str])]) -> Vec<Vec<&'static str>> {
        cycles(&edges.iter().map(|(task, needs)| (*task, needs.to_vec())).collect())
    }

    #[test]
    fn a_knot_is_told_once_and_what_waits_for_it_is_not_part_of_it() {
        let edges: &[(&str, &[&str])] = &[
            ("T10", &["T2"]),
            ("T2", &["T3"]),
            ("T3", &["T10"]),
            ("T4", &["T3"]),
            ("T5", &[]),
            ("T6", &["T5"]),
        ];
        assert_eq!(found(edges), [vec!["T2", "T3", "T10"]]);
        assert_eq!(found(&[("A", &["A"]), ("B", &["missing"])]), [vec!["A"]]);
        assert_eq!(found(&[("A", &["B"]), ("B", &["A"]), ("C", &["D"]), ("D", &["C"])]).len(), 2);
    }

    #[test]
    fn a_chain_of_any_length_is_no_cycle() {
        let names: Vec<String> = (0..100_000).map(|n| format!("T{n}")).collect();
        let chain: BTreeMap<&str, Vec<&str>> =
            names.windows(2).map(|pair| (pair[1].as_str(), vec![pair[0].as_str()])).collect();
        assert_eq!(cycles(&chain), Vec::<Vec<&str>>::new());
    }
}
