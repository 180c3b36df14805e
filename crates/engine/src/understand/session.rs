//! What a watching process says of itself in `.logicstamp/`, in the original's files, and how others know that it is
//! still there: a lock that the system lets go of when the process ends, however it ends.

use std::path::{Path, PathBuf};
use std::time::Duration;

use becket_project::files;
use becket_project::lock::{FileLock, LockError};
use serde::Serialize;
use serde_json::{Value, json};

use super::fault::{not_put, unless_full};
use super::site::Site;
use super::staging;
use super::strict::StrictReport;
use super::written;
use crate::Error;
use crate::repository::sentence;
use crate::sandbox::refused_link;

pub(super) const STATUS: &str = ".logicstamp/context_watch-status.json";
pub(super) const LOG: &str = ".logicstamp/context_watch-mode-logs.json";
pub(super) const VIOLATIONS: &str = ".logicstamp/strict_watch_violations.json";
const FOLDER: &str = ".logicstamp";
/// As many as the original keeps.
const KEPT_ENTRIES: usize = 100;
/// Somebody who only asks whether it is held holds it for a moment too.
const PATIENCE: Duration = Duration::from_millis(300);
/// How long a run waits for another one that writes the same files.
const WRITE_PATIENCE: Duration = Duration::from_mins(1);

/// The one watcher of a folder, until it is dropped.
#[derive(Debug)]
pub(super) struct Session {
    folder: PathBuf,
    /// What it says of itself.
    status: Value,
    _lock: FileLock,
}

/// One regeneration, in the original's words.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogEntry {
    pub(super) timestamp: String,
    pub(super) changed_files: Vec<String>,
    pub(super) file_count: usize,
    pub(super) duration_ms: u64,
    #[serde(flatten)]
    pub(super) outcome: Value,
}

impl Session {
    /// Refused while another process watches the same folder.
    pub(super) fn open(site: &Site, output: &Path, started_at: &str, strict: bool) -> Result<Self, Error> {
        let folder = site.folder();
        let lock = FileLock::take(&watch_lock(site), PATIENCE).map_err(|error| match error {
            LockError::Held { .. } => {
                let pid = status_in(&folder).and_then(|status| status["pid"].as_u64());
                let who = pid.map(|pid| format!(" (process {pid})")).unwrap_or_default();
                Error::conflict("already_watched", format!("{} is watched already{who}.", site.shown()))
                    .with_hint("Use what it writes, or end it first.")
            }
            LockError::Failed { .. } => unlockable(error),
        })?;
        let status = json!({
            "active": true,
            "projectRoot": site.shown(),
            "pid": std::process::id(),
            "startedAt": started_at,
            "outputDir": output.display().to_string(),
            "strictWatch": strict,
            // By which a reader knows that the lock speaks for the process.
            "watcher": concat!("becket ", env!("CARGO_PKG_VERSION")),
        });
        let session = Self { folder, status, _lock: lock };
        session.write(STATUS, &session.status)?;
        Ok(session)
    }

    /// Says again what somebody removed, as `git clean` does.
    pub(super) fn say_again(&self, strict: Option<&StrictReport>) -> Result<(), Error> {
        let is_lost = self.folder.join(STATUS).symlink_metadata().is_err();
        // A folder that is gone is not made again.
        if !is_lost || !self.folder.is_dir() {
            return Ok(());
        }
        self.write(STATUS, &self.status)?;
        strict.map_or(Ok(()), |report| self.report(report))
    }

    pub(super) fn log(&self, entry: &LogEntry) -> Result<(), Error> {
        let old: Value = written::read(&self.folder.join(LOG))
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let mut entries = vec![json!(entry)];
        entries.extend(old["entries"].as_array().into_iter().flatten().take(KEPT_ENTRIES - 1).cloned());
        self.write(LOG, &json!({"entries": entries, "maxEntries": KEPT_ENTRIES}))
    }

    pub(super) fn report(&self, report: &StrictReport) -> Result<(), Error> {
        self.write(VIOLATIONS, &json!(report))
    }

    /// Says that nobody watches any more. The report stays where it names something that is still broken.
    pub(super) fn close(self, strict: Option<&StrictReport>) -> Result<(), Error> {
        files::remove(&self.folder.join(STATUS)).map_err(not_put)?;
        match strict {
            Some(report) if report.cumulative_violations > 0 => {
                self.report(&StrictReport { active: false, ..report.clone() })
            }
            _ => files::remove(&self.folder.join(VIOLATIONS)).map_err(not_put),
        }
    }

    fn write(&self, path: &str, value: &Value) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(value).unwrap_or_default() + "\n";
        files::create_folder(&self.folder, Path::new(FOLDER))
            .and_then(|_| files::write_derived(&self.folder.join(path), text.as_bytes()))
            .map_err(not_put)
    }
}

pub(super) fn status_in(folder: &Path) -> Option<Value> {
    serde_json::from_str(&written::read(&folder.join(STATUS))?).ok()
}

/// Whether a process of ours watches the folder.
pub(super) fn is_watched(site: &Site) -> bool {
    FileLock::is_held(&watch_lock(site))
}

/// Keeps others from writing context files into a folder: whoever looks at the tree first also writes first.
pub(super) fn output_lock(site: &Site, output: &Path) -> Result<FileLock, Error> {
    let (cache, beside) = output_files(site, "output", output);
    let lock = match (FileLock::take(&cache, WRITE_PATIENCE), beside) {
        (Err(error @ LockError::Failed { .. }), Some(beside)) => {
            FileLock::take(&beside, WRITE_PATIENCE).map_err(|_| error)
        }
        (taken, _) => taken,
    };
    let lock = lock.map_err(|error| match error {
        LockError::Held { .. } => Error::conflict(
            "output_busy",
            format!("Another process writes the context files in {}.", output.display()),
        )
        .with_hint("Try again when it has ended."),
        LockError::Failed { .. } => unlockable(error),
    })?;
    staging::clear(site, output);
    Ok(lock)
}

fn watch_lock(site: &Site) -> PathBuf {
    lock_file(site, "watch", &site.folder())
}

/// A file in the cache that speaks of a folder.
pub(super) fn lock_file(site: &Site, what: &str, folder: &Path) -> PathBuf {
    let digest = blake3::hash(folder.to_string_lossy().as_bytes()).to_hex();
    site.cache().join("locks").join(format!("{what}-{}", &digest[..16]))
}

/// Where something is kept about an output folder: in the cache; and for the cache of a checkout that may not be written, in
/// the folder itself, where that lies elsewhere.
pub(super) fn output_files(site: &Site, what: &str, output: &Path) -> (PathBuf, Option<PathBuf>) {
    let is_elsewhere = !output.starts_with(&site.workspace.root);
    (
        lock_file(site, what, output),
        is_elsewhere.then(|| output.join(becket_fence::cache::IN_PROJECT).join(what)),
    )
}

fn unlockable(error: LockError) -> Error {
    if let Some(refused) = refused_link(&error) {
        return refused.with_source(error);
    }
    let hint = unless_full(&error, "Check the permissions of becket's cache folder.");
    Error::unavailable("not_writable", sentence(&error.to_string())).with_hint(hint).with_source(error)
}
