//! Carries a plan out: under a lock, each file replaced as a whole, and everything taken back when one step fails.
//! An interruption leaves whole files and a record from which the next init or uninit goes on.
#![allow(
    clippy::disallowed_methods,
    reason = "this is where host files, AGENTS.md and the record are written"
)]

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use becket_fence::cache;
use fs_err::OpenOptions;

use super::co_owners::SharedRecord;
use super::error::SetupError;
use super::plan::{RecordOrder, SetupPlan};
use super::record::{Record, RecordFile, locate};
use super::target::{exists, read_text};
use crate::canonical::canonical;
use crate::files;

const LOCK_NAME: &str = "setup.lock";

/// Does what the plan says, if everything is still as it was when the plan was made.
pub fn apply(plan: &SetupPlan) -> Result<(), SetupError> {
    if plan.is_empty() {
        return Ok(());
    }
    let cache = &plan.records.cache;
    let lock = Lock::take(&RecordFile::path(cache), &[])?;
    let result = match plan.shared_change() {
        None => apply_locked(plan),
        Some(change) => Lock::take(&change.path, &change.folders).and_then(|shared| {
            let result = apply_locked(plan);
            shared.release();
            result
        }),
    };
    lock.release();
    result
}

fn apply_locked(plan: &SetupPlan) -> Result<(), SetupError> {
    check_unchanged(plan)?;
    let steps = steps(plan)?;
    for path in &plan.records.litter {
        remove_file(path)?;
    }
    for (done, step) in steps.iter().enumerate() {
        if let Err(cause) = step.perform() {
            let undo = |step: &Action| step.undo().err().map(|_| step.path().to_owned());
            let left = steps[..done].iter().rev().filter_map(undo).collect();
            return Err(SetupError::Undone { cause: Box::new(cause), left });
        }
    }
    Ok(())
}

/// Half-written files that an interrupted init or uninit left beside those that it knows.
pub(super) fn litter(root: &Path, cache: &Path, record: Option<&Record>) -> Vec<PathBuf> {
    let mut written = vec![RecordFile::path(cache)];
    for file in record.into_iter().flat_map(|record| &record.files) {
        let path = locate(&file.path, root);
        // In a file that repositories share, another of them may be writing right now.
        if path.starts_with(root) {
            written.push(canonical(&path).unwrap_or(path));
        }
    }
    written.iter().flat_map(|path| files::half_written(path)).collect()
}

/// One thing that is done to the disk, with what it takes to undo it.
#[derive(Debug)]
pub(super) enum Action {
    MakeFolder {
        path: PathBuf,
    },
    /// `None` is no file.
    Write {
        path: PathBuf,
        before: Option<Vec<u8>>,
        after: Option<Vec<u8>>,
        audience: Audience,
    },
    RemoveFolder {
        path: PathBuf,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    Everyone,
    /// The record may hold a few bytes of a user's settings.
    User,
}

/// The plan in the order in which it is carried out.
pub(super) fn steps(plan: &SetupPlan) -> Result<Vec<Action>, SetupError> {
    let change = &plan.records;
    let mut steps = Vec::new();
    for planned in &plan.files {
        let bytes = |text: &Option<String>| text.clone().map(String::into_bytes);
        let write = planned.step.writes().then(|| Action::Write {
            path: planned.real.clone(),
            before: bytes(&planned.before),
            after: bytes(&planned.after),
            audience: Audience::Everyone,
        });
        let folders = planned.folders.iter().cloned();
        if planned.after.is_some() {
            steps.extend(folders.map(|path| Action::MakeFolder { path }));
            steps.extend(write);
        } else {
            steps.extend(write);
            steps.extend(folders.rev().map(|path| Action::RemoveFolder { path }));
        }
    }
    let mut records = Vec::new();
    if plan.changes_record() {
        let file = &change.file;
        records.push(Action::Write {
            path: RecordFile::path(&change.cache),
            before: change.seen.clone(),
            after: if file.trees.is_empty() { None } else { Some(file.to_bytes(&change.cache)?) },
            audience: Audience::User,
        });
    }
    match change.order {
        RecordOrder::First => {
            records.extend(steps_of_shared(plan)?);
            steps.splice(0..0, records);
        }
        RecordOrder::Last => {
            steps.extend(steps_of_shared(plan)?);
            steps.extend(records);
        }
    }
    Ok(steps)
}

fn steps_of_shared(plan: &SetupPlan) -> Result<Vec<Action>, SetupError> {
    let Some(change) = plan.shared_change() else { return Ok(Vec::new()) };
    let after =
        if change.record.entries.is_empty() { None } else { Some(change.record.to_bytes(&change.path)?) };
    let folders = change.folders.iter().cloned();
    let (make, remove): (Vec<Action>, Vec<Action>) = match after {
        Some(_) => (folders.map(|path| Action::MakeFolder { path }).collect(), Vec::new()),
        None => (Vec::new(), folders.rev().map(|path| Action::RemoveFolder { path }).collect()),
    };
    let write = Action::Write {
        path: change.path.clone(),
        before: change.seen.clone(),
        after,
        audience: Audience::User,
    };
    Ok(make.into_iter().chain([write]).chain(remove).collect())
}

impl Action {
    pub(super) fn perform(&self) -> Result<(), SetupError> {
        match self {
            Action::MakeFolder { path } => make_folder(path),
            Action::Write { path, after: Some(bytes), audience, .. } => write(path, bytes, *audience),
            Action::Write { path, after: None, .. } => remove_file(path),
            Action::RemoveFolder { path } => remove_empty_folder(path),
        }
    }

    fn undo(&self) -> Result<(), SetupError> {
        match self {
            Action::MakeFolder { path } => remove_empty_folder(path),
            Action::Write { path, before: Some(bytes), audience, .. } => write(path, bytes, *audience),
            Action::Write { path, before: None, .. } => remove_file(path),
            Action::RemoveFolder { path } => make_folder(path),
        }
    }

    fn path(&self) -> &Path {
        match self {
            Action::MakeFolder { path } | Action::Write { path, .. } | Action::RemoveFolder { path } => path,
        }
    }
}

fn check_unchanged(plan: &SetupPlan) -> Result<(), SetupError> {
    for file in plan.files.iter().filter(|file| file.step.writes()) {
        if read_text(&file.real)? != file.before {
            return Err(SetupError::Changed { path: file.path.clone() });
        }
    }
    let (_, seen) = RecordFile::read(&plan.records.cache)?;
    if seen != plan.records.seen {
        return Err(SetupError::Changed { path: RecordFile::path(&plan.records.cache) });
    }
    if let Some(change) = plan.shared_change()
        && SharedRecord::read(&change.path)?.1 != change.seen
    {
        return Err(SetupError::Changed { path: change.path.clone() });
    }
    Ok(())
}

/// One init or uninit at a time; the system lets go of it when the process ends.
struct Lock {
    record: PathBuf,
    path: PathBuf,
    file: fs_err::File,
    /// The record's own and those that were made for it, outermost first.
    folders: Vec<PathBuf>,
}

impl Lock {
    fn take(record: &Path, made: &[PathBuf]) -> Result<Self, SetupError> {
        let folder = record.parent().unwrap_or(record);
        let above = made.iter().filter(|above| *above != folder);
        let folders = above.cloned().chain([folder.to_owned()]).collect();
        cache::create_folder(folder).map_err(SetupError::io(folder))?;
        let path = folder.join(LOCK_NAME);
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).write(true);
        let file = becket_fence::open(&path, options).map_err(SetupError::io(&path))?;
        match file.file().try_lock() {
            Ok(()) => Ok(Self { record: record.to_owned(), path, file, folders }),
            Err(std::fs::TryLockError::WouldBlock) => Err(SetupError::Busy { path }),
            Err(std::fs::TryLockError::Error(error)) => Err(SetupError::io(path)(error)),
        }
    }

    /// Where nothing is recorded, no trace of us stays, not even an empty folder; a cache that others use is not
    /// empty and stays.
    fn release(self) {
        let recorded = exists(&self.record);
        if !recorded {
            drop(fs_err::remove_file(&self.path));
        }
        drop(self.file);
        if !recorded {
            for folder in self.folders.iter().rev() {
                cache::empty(folder);
                drop(fs_err::remove_dir(folder));
            }
        }
    }
}

fn write(path: &Path, bytes: &[u8], audience: Audience) -> Result<(), SetupError> {
    match audience {
        Audience::User if !exists(path) => files::create_secret(path, bytes)?,
        _ => files::write(path, bytes)?,
    }
    Ok(())
}

fn make_folder(path: &Path) -> Result<(), SetupError> {
    match fs_err::create_dir(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        result => result.map_err(SetupError::io(path)),
    }
}

fn remove_file(path: &Path) -> Result<(), SetupError> {
    match fs_err::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(SetupError::io(path)(error)),
        _ => Ok(()),
    }
}

/// A folder that somebody put something into stays.
fn remove_empty_folder(path: &Path) -> Result<(), SetupError> {
    match fs_err::remove_dir(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => Ok(()),
        result => result.map_err(SetupError::io(path)),
    }
}
