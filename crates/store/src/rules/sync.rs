//! Reading a `spec.yaml` into the mirror of its worktree. The file is the truth for what tasks there are; for how far
//! they are the store is, so a status from a file is taken over only where it says more, or where a person edited it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::definitions::{self, Key, read_status};
use super::status::{self, Move};
use super::{graph, outbox, sweep};
use crate::error::Result;
use crate::model::{
    Behind, Call, EventType, Reservation, SpecStamp, StatusTaken, SyncReport, TaskId, Worktree,
};
use crate::natural;
use crate::spec_file::{Definition, Status};
use crate::sql::{NewEvent, Row, Transaction, TransactionExt, Value};

/// How the file came to say what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Somebody edited it: every legal move counts.
    Edit,
    /// Git put it there: only a move forward counts, older statuses are reported.
    Checkout,
}

/// Definitions that change what a database should know of its tables.
const MANY: usize = 200;

pub(crate) fn stamp(transaction: &mut dyn Transaction, worktree: &Key) -> Result<Option<SpecStamp>> {
    let row = transaction
        .one("SELECT spec_stat, spec_hash FROM worktrees WHERE worktree = ?1", &[worktree.as_str().into()])?;
    row.map(|row| Ok(SpecStamp { stat: row.text(0)?.to_owned(), hash: row.text(1)?.to_owned() })).transpose()
}

pub(crate) fn set_stamp(
    transaction: &mut dyn Transaction,
    worktree: &Worktree,
    stamp: &SpecStamp,
) -> Result<()> {
    let now = transaction.moment().text();
    transaction.execute(
        "INSERT INTO worktrees (worktree, name, spec_stat, spec_hash, synced_at) VALUES (?1, ?2, ?3, ?4, ?5) \
         ON CONFLICT (worktree) DO UPDATE SET name = excluded.name, spec_stat = excluded.spec_stat, \
         spec_hash = excluded.spec_hash, synced_at = excluded.synced_at",
        &[
            Key::of(worktree).as_str().into(),
            worktree.as_str().into(),
            stamp.stat.as_str().into(),
            stamp.hash.as_str().into(),
            now.into(),
        ],
    )?;
    Ok(())
}

/// Nothing, and nothing done, where the origin decides over a status and is not known.
pub(crate) fn sync(
    transaction: &mut dyn Transaction,
    worktree: &Worktree,
    stamp: &SpecStamp,
    origin: Option<Origin>,
    file: &[Definition],
) -> Result<Option<SyncReport>> {
    sweep::expired(transaction)?;
    let key = Key::of(worktree);
    let mut report = SyncReport { first: self::stamp(transaction, &key)?.is_none(), ..SyncReport::default() };
    let mirrored = Mirrored::read(transaction, &key)?;
    let mut known = all_statuses(transaction)?;

    // The last one of a key wins, as for every reader of YAML.
    let file: BTreeMap<&str, &Definition> = file.iter().map(|one| (one.id.as_str(), one)).collect();
    let waiting = outbox::tasks(transaction, &key)?;
    let origin = match origin {
        Some(origin) => origin,
        None if has_steps_back(&file, &mirrored, &known, &waiting) => return Ok(None),
        None => Origin::Checkout,
    };
    set_stamp(transaction, worktree, stamp)?;
    if mirrored.digests.is_empty() && !file.is_empty() {
        transaction.definitions_will_be_imported(file.len())?;
    }
    add_unknown(transaction, &key, &file, &mut known, &mut report)?;
    take_over(transaction, &key, (origin, &waiting), &file, &mirrored, &mut known, &mut report)?;

    let (mut written, mut replaced, mut structure) = (Vec::new(), Vec::new(), false);
    for (id, definition) in &file {
        match mirrored.digests.get(*id) {
            None => written.push(*definition),
            Some((digest, seen)) => {
                if *digest != definitions::digest(definition)? {
                    replaced.push(*id);
                    written.push(*definition);
                } else if *seen != definition.status {
                    see(transaction, &key, id, definition.status)?;
                }
            }
        }
    }
    structure |= !written.is_empty();
    definitions::write(transaction, &key, &written, &replaced, &known)?;
    // The first ones too, however few: a database that knows nothing of a table may walk all of it for one task.
    let is_first = mirrored.digests.is_empty() && !written.is_empty();
    if is_first || written.len() >= MANY {
        transaction.definitions_were_imported()?;
    }
    let gone: Vec<&str> =
        mirrored.digests.keys().map(String::as_str).filter(|id| !file.contains_key(id)).collect();
    structure |= !gone.is_empty();
    definitions::remove(transaction, &key, &gone)?;
    report.removed = gone.into_iter().map(TaskId::from).collect();

    let created: BTreeSet<&str> = report.created.iter().map(TaskId::as_str).collect();
    for id in replaced {
        let task = TaskId::from(id);
        if !created.contains(id) {
            let payload = json!({ "source": "spec.yaml" });
            transaction.append(&NewEvent::new(EventType::TaskUpdated).task(&task).payload(payload))?;
            report.updated.push(task);
        }
    }
    if structure {
        let all: Vec<Definition> = file.values().map(|one| (*one).clone()).collect();
        graph::find_problems(transaction, &key, &all, &known)?;
    }
    report.problems = graph::count_problems(transaction, &key)?;
    Ok(Some(report))
}

/// Whether the file says less of a task than the store, and did not before: only a person may do that.
fn has_steps_back(
    file: &BTreeMap<&str, &Definition>,
    mirrored: &Mirrored,
    known: &BTreeMap<String, Status>,
    waiting: &BTreeSet<String>,
) -> bool {
    file.iter().any(|(id, definition)| {
        let (Some(from), to) = (known.get(*id).copied(), definition.status) else { return false };
        let has_changed = mirrored.digests.get(*id).is_none_or(|(_, seen)| *seen != to);
        from != to
            && has_changed
            && !status::is_forward(from, to)
            && status::is_legal(from, to)
            && !waiting.contains(*id)
    })
}

/// Tasks that no worktree had before.
fn add_unknown(
    transaction: &mut dyn Transaction,
    key: &Key,
    file: &BTreeMap<&str, &Definition>,
    known: &mut BTreeMap<String, Status>,
    report: &mut SyncReport,
) -> Result<()> {
    let added: Vec<&Definition> = file.values().copied().filter(|one| !known.contains_key(&one.id)).collect();
    let rows: Vec<Vec<Value>> = added.iter().map(|definition| task_row(definition)).collect();
    transaction.insert_all(TASK_COLUMNS, &rows, &[])?;
    for definition in added {
        known.insert(definition.id.clone(), definition.status);
        let task = TaskId::from(definition.id.as_str());
        if definition.status == Status::Verified {
            // Definitions that waited for it when it was not there.
            status::met(transaction, key, &task)?;
        }
        if !report.first {
            let payload = json!({ "title": definition.title, "source": "spec.yaml" });
            transaction.append(&NewEvent::new(EventType::TaskCreated).task(&task).payload(payload))?;
        }
        report.created.push(task);
    }
    Ok(())
}

const TASK_COLUMNS: &str =
    "tasks (task_id, sort_key, status, updated_at, completed_by, completed_at, verified_by, verified_at)";

fn task_row(definition: &Definition) -> Vec<Value> {
    vec![
        definition.id.as_str().into(),
        natural::sort_key(&definition.id).into(),
        definition.status.word().into(),
        definition.updated_at.as_deref().into(),
        definition.completed_by.as_deref().into(),
        definition.completed_at.as_deref().into(),
        definition.verified_by.as_deref().into(),
        definition.verified_at.as_deref().into(),
    ]
}

/// Statuses in the file that changed since this worktree's file was last seen.
fn take_over(
    transaction: &mut dyn Transaction,
    key: &Key,
    (origin, waiting): (Origin, &BTreeSet<String>),
    file: &BTreeMap<&str, &Definition>,
    mirrored: &Mirrored,
    known: &mut BTreeMap<String, Status>,
    report: &mut SyncReport,
) -> Result<()> {
    let nobody = Call::default();
    for (id, definition) in file {
        let (Some(from), to) = (known.get(*id).copied(), definition.status) else { continue };
        let has_changed = mirrored.digests.get(*id).is_none_or(|(_, seen)| *seen != to);
        if from == to || !has_changed {
            continue;
        }
        let task = TaskId::from(*id);
        // A file that is known to lag behind the store says nothing by being older.
        let is_edit = origin == Origin::Edit && !waiting.contains(*id);
        let allowed = status::is_forward(from, to) || (is_edit && status::is_legal(from, to));
        if !allowed {
            report.behind.push(Behind { task, file: to, store: from });
            continue;
        }
        let step = Move { call: &nobody, worktree: key, task: &task, from, to, note: None, is_in_file: true };
        step.make(transaction)?;
        credit(transaction, definition)?;
        outbox::drop(transaction, key, &task)?;
        known.insert((*id).to_owned(), to);
        report.taken.push(StatusTaken { task, from, to });
    }
    Ok(())
}

/// What waits to be written is not meant: that the file will say in a moment.
pub(crate) fn behind(transaction: &mut dyn Transaction, worktree: &Key, limit: usize) -> Result<Vec<Behind>> {
    let rows = transaction.query(
        "SELECT d.task_id, d.seen_status, d.status FROM definitions d WHERE d.worktree = ?1 \
         AND d.seen_status <> d.status AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.worktree = d.worktree \
         AND o.task_id = d.task_id) ORDER BY d.sort_key LIMIT ?2",
        &[worktree.as_str().into(), limit.into()],
    )?;
    let read = |row: &Row| {
        let (file, store) = (read_status(row.text(1)?)?, read_status(row.text(2)?)?);
        Ok(Behind { task: row.text(0)?.into(), file, store })
    };
    rows.iter().map(read).collect()
}

/// Who did the work stands in the file that the status came from.
fn credit(transaction: &mut dyn Transaction, definition: &Definition) -> Result<()> {
    if !matches!(definition.status, Status::Done | Status::Verified) {
        return Ok(());
    }
    transaction.execute(
        "UPDATE tasks SET completed_by = ?2, completed_at = ?3, verified_by = ?4, verified_at = ?5 WHERE task_id = ?1",
        &[
            definition.id.as_str().into(),
            definition.completed_by.as_deref().into(),
            definition.completed_at.as_deref().into(),
            definition.verified_by.as_deref().into(),
            definition.verified_at.as_deref().into(),
        ],
    )?;
    Ok(())
}

pub(crate) fn see(transaction: &mut dyn Transaction, key: &Key, task: &str, status: Status) -> Result<()> {
    transaction.execute(
        "UPDATE definitions SET seen_status = ?3 WHERE worktree = ?1 AND task_id = ?2",
        &[key.as_str().into(), task.into(), status.word().into()],
    )?;
    Ok(())
}

/// A task that the caller has just written to the file.
pub(crate) fn create(
    transaction: &mut dyn Transaction,
    call: &Call,
    worktree: &Worktree,
    stamp: &SpecStamp,
    definition: &Definition,
) -> Result<()> {
    super::agents::acting(transaction, call)?;
    let key = Key::of(worktree);
    if is_mirrored(transaction, &key, definition)? {
        // Another process read the file first, and told of it.
        return set_stamp(transaction, worktree, stamp);
    }
    definitions::check(transaction, &key, definition, definitions::Change::Create)?;
    set_stamp(transaction, worktree, stamp)?;
    transaction.insert_all(TASK_COLUMNS, &[task_row(definition)], &[])?;
    let task = TaskId::from(definition.id.as_str());
    if definition.status == Status::Verified {
        status::met(transaction, &key, &task)?;
    }
    let mut known = definitions::statuses(transaction, &definition.depends_on)?;
    known.insert(definition.id.clone(), definition.status);
    definitions::write(transaction, &key, &[definition], &[], &known)?;
    transaction.execute(
        "DELETE FROM problems WHERE worktree = ?1 AND kind = 'missing' AND detail = ?2",
        &[key.as_str().into(), task.as_str().into()],
    )?;
    let ready = definitions::readiness(transaction, &key, &task)?;
    let mut payload = json!({ "title": definition.title });
    if ready.0 == Status::Ready && ready.1.is_empty() {
        payload["newlyReadyTaskIds"] = json!([task.as_str()]);
    }
    transaction.append(&NewEvent::of(EventType::TaskCreated, call).task(&task).payload(payload))?;
    Ok(())
}

/// A definition that the caller has just changed in the file; its status is not looked at.
pub(crate) fn update(
    transaction: &mut dyn Transaction,
    call: &Call,
    worktree: &Worktree,
    stamp: &SpecStamp,
    definition: &Definition,
) -> Result<Vec<TaskId>> {
    super::agents::acting(transaction, call)?;
    let key = Key::of(worktree);
    if is_mirrored(transaction, &key, definition)? {
        set_stamp(transaction, worktree, stamp)?;
        return Ok(Vec::new());
    }
    definitions::check(transaction, &key, definition, definitions::Change::Update)?;
    let had_problems =
        transaction.number("SELECT COUNT(*) FROM problems WHERE worktree = ?1", &[key.as_str().into()])? > 0;
    set_stamp(transaction, worktree, stamp)?;
    let task = TaskId::from(definition.id.as_str());
    let (_, waited) = definitions::readiness(transaction, &key, &task)?;
    let mut names = definition.depends_on.clone();
    names.push(definition.id.clone());
    let known = definitions::statuses(transaction, &names)?;
    let seen = transaction.one(
        "SELECT seen_status FROM definitions WHERE worktree = ?1 AND task_id = ?2",
        &[key.as_str().into(), task.as_str().into()],
    )?;
    definitions::write(transaction, &key, &[definition], &[task.as_str()], &known)?;
    if let Some(row) = seen {
        see(transaction, &key, task.as_str(), read_status(row.text(0)?)?)?;
    }
    let (status, waits) = definitions::readiness(transaction, &key, &task)?;
    let is_newly_ready = status == Status::Ready && waits.is_empty() && !waited.is_empty();
    let newly_ready = if is_newly_ready { vec![task.clone()] } else { Vec::new() };
    let mut payload = json!({ "title": definition.title });
    if is_newly_ready {
        payload["newlyReadyTaskIds"] = json!([task.as_str()]);
    }
    transaction.append(&NewEvent::of(EventType::TaskUpdated, call).task(&task).payload(payload))?;
    if had_problems {
        refresh_problems(transaction, &key)?;
    }
    Ok(newly_ready)
}

/// Whether the mirror says what the file says already.
fn is_mirrored(transaction: &mut dyn Transaction, key: &Key, definition: &Definition) -> Result<bool> {
    let row = transaction.one(
        "SELECT digest FROM definitions WHERE worktree = ?1 AND task_id = ?2",
        &[key.as_str().into(), definition.id.as_str().into()],
    )?;
    Ok(row.is_some_and(|row| {
        row.text(0).is_ok_and(|digest| definitions::digest(definition).is_ok_and(|is| is == digest))
    }))
}

/// After a change of dependencies the whole graph is looked at again, but only where something was or is wrong: a
/// definition that passed `check` cannot have brought a problem into a sound graph.
fn refresh_problems(transaction: &mut dyn Transaction, key: &Key) -> Result<()> {
    let rows =
        transaction.query("SELECT body FROM definitions WHERE worktree = ?1", &[key.as_str().into()])?;
    let all = rows.iter().map(|row| row.json::<Definition>(0)).collect::<Result<Vec<_>>>()?;
    let known = all_statuses(transaction)?;
    graph::find_problems(transaction, key, &all, &known)
}

/// What a new task shall be called, and from when it is.
pub(crate) fn reserve(
    transaction: &mut dyn Transaction,
    worktree: &Key,
    definition: &Definition,
    created_at: &str,
) -> Result<Reservation> {
    let id =
        if definition.id.is_empty() { free_id(transaction)? } else { TaskId::from(definition.id.as_str()) };
    let named = Definition { id: id.to_string(), ..definition.clone() };
    definitions::check(transaction, worktree, &named, definitions::Change::Create)?;
    Ok(Reservation { id, created_at: created_at.to_owned() })
}

/// An id that no worktree has and nobody else was given: `T` and the next number, three digits at least.
fn free_id(transaction: &mut dyn Transaction) -> Result<TaskId> {
    let reserved = transaction
        .one("SELECT value FROM meta WHERE key = 'task_number'", &[])?
        .and_then(|row| row.text(0).ok().and_then(|text| text.parse::<u64>().ok()));
    let rows = transaction.query(
        "SELECT task_id FROM tasks WHERE sort_key >= 'T0' AND sort_key < 'T:' ORDER BY sort_key DESC LIMIT 100",
        &[],
    )?;
    let used = rows.iter().filter_map(|row| row.text(0).ok()?.strip_prefix('T')?.parse::<u64>().ok()).max();
    let number = reserved.max(used).unwrap_or(0) + 1;
    transaction.execute(
        "INSERT INTO meta (key, value) VALUES ('task_number', ?1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        &[number.to_string().into()],
    )?;
    Ok(TaskId::new(format!("T{number:03}")))
}

pub(crate) fn forget(transaction: &mut dyn Transaction, worktree: &Key) -> Result<()> {
    for table in ["outbox", "tallies"].into_iter().chain(definitions::OF_A_DEFINITION).chain(["worktrees"]) {
        transaction
            .execute(&format!("DELETE FROM {table} WHERE worktree = ?1"), &[worktree.as_str().into()])?;
    }
    Ok(())
}

fn all_statuses(transaction: &mut dyn Transaction) -> Result<BTreeMap<String, Status>> {
    let rows = transaction.query("SELECT task_id, status FROM tasks", &[])?;
    rows.iter().map(|row| Ok((row.text(0)?.to_owned(), read_status(row.text(1)?)?))).collect()
}

/// What the mirror holds of a worktree.
#[derive(Debug)]
struct Mirrored {
    digests: BTreeMap<String, (String, Status)>,
}

impl Mirrored {
    fn read(transaction: &mut dyn Transaction, key: &Key) -> Result<Self> {
        let rows = transaction.query(
            "SELECT task_id, digest, seen_status FROM definitions WHERE worktree = ?1",
            &[key.as_str().into()],
        )?;
        let read = |row: &crate::sql::Row| {
            Ok((row.text(0)?.to_owned(), (row.text(1)?.to_owned(), read_status(row.text(2)?)?)))
        };
        Ok(Self { digests: rows.iter().map(read).collect::<Result<_>>()? })
    }
}
