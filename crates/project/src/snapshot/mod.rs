//! Immutable copies of a reading, by the digest of their content: an edit after a snapshot cannot reach it. Owns how many
//! are kept, for how long, and that a name means the same bytes for ever; what the bytes say is the caller's.
#![allow(clippy::disallowed_methods, reason = "the owner of the snapshot folder")]

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use becket_base::Timestamp;
use becket_fence::cache;
use fs_err as fs;
use serde::{Deserialize, Serialize};

use crate::files::{self, FileError};
use crate::lock::{FileLock, LockError};

/// A larger copy is not read: it is not one of ours.
const LARGEST: u64 = 1 << 30;

/// So long somebody else may store or clean up.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error("there is no snapshot `{id}`")]
    Unknown { id: String },
    #[error("the snapshot `{id}` expired: one is kept for {}", becket_base::counted(*minutes, "minute"))]
    Expired { id: String, minutes: i64 },
    #[error("the snapshot `{id}` is not what was stored")]
    Damaged { id: String },
    #[error("snapshots cannot be stored in {}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("a snapshot cannot be described")]
    Json(#[from] serde_json::Error),
}

/// How many snapshots are kept, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Retention {
    pub most: usize,
    pub minutes: i64,
    /// Whether what is expired is removed without being asked.
    pub automatic: bool,
}

/// What is known of a snapshot without opening it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotRecord {
    pub id: String,
    pub created_at: Timestamp,
    pub project_path: String,
    /// The digest of the copy.
    pub content: String,
    /// Whatever else the caller wants to find again.
    pub about: serde_json::Value,
}

/// A folder of snapshots.
#[derive(Debug, Clone)]
pub struct Snapshots {
    /// Has to be there: what holds the folder and is not becket's.
    home: PathBuf,
    folder: PathBuf,
    retention: Retention,
}

impl Snapshots {
    /// The folder need not exist yet; the project that it may lie in must.
    pub fn new(project: &Path, folder: PathBuf, retention: Retention) -> Self {
        let is_inside = folder.starts_with(project);
        // The project itself, or what is around it, may be called as the cache is.
        let home = cache::holder(&folder).filter(|home| !is_inside || home.starts_with(project));
        let home = home.unwrap_or(if is_inside { project } else { Path::new("") });
        Self { home: home.to_owned(), folder, retention }
    }

    /// Stores a copy under a new id. The same bytes are stored once, however many snapshots have them.
    pub fn store(
        &self,
        now: Timestamp,
        project_path: &str,
        about: &serde_json::Value,
        bytes: &[u8],
    ) -> Result<SnapshotRecord, SnapshotError> {
        let objects = self.folder.join("objects");
        files::create_below(&self.home, &objects)
            .map_err(|source| SnapshotError::Folder { path: self.folder.clone(), source })?;
        // A copy that is there already may be one that nobody has any more: whoever cleans up waits.
        let _lock = self.lock()?;
        let content = blake3::hash(bytes).to_hex().to_string();
        let object = objects.join(&content);
        match files::create(&object, bytes) {
            Ok(()) => {}
            // One that is damaged is mended for all who have it.
            Err(FileError::Exists { .. }) => {
                let found = files::read(&object, LARGEST).ok().flatten();
                if found.is_none_or(|found| found != bytes) {
                    files::write(&object, bytes)?;
                }
            }
            Err(error) => return Err(error.into()),
        }
        let mut number = 0;
        let record = loop {
            number += 1;
            let suffix = if number == 1 { String::new() } else { format!("_{number}") };
            let record = SnapshotRecord {
                id: format!("snap_{}{suffix}", now.as_millisecond()),
                created_at: now,
                project_path: project_path.to_owned(),
                content: content.clone(),
                about: about.clone(),
            };
            match files::create(&self.record_path(&record.id), &serde_json::to_vec(&record)?) {
                Ok(()) => break record,
                Err(FileError::Exists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        };
        if self.retention.automatic {
            self.clean_locked(now);
        }
        Ok(record)
    }

    /// Newest first; what is expired or cannot be read is not among them.
    pub fn list(&self, now: Timestamp) -> Vec<SnapshotRecord> {
        let mut records = self.stored();
        let all = records.len();
        records.retain(|record| !self.is_expired(record, now));
        if records.len() < all {
            self.clean_unasked(now);
        }
        records
    }

    fn stored(&self) -> Vec<SnapshotRecord> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        // The folder may be one of a project: a record is what has the name of its id, and nothing else is touched.
        let record = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let id = name.strip_suffix(".json").filter(|id| is_id(id))?;
            let record: SnapshotRecord = serde_json::from_slice(&fs::read(entry.path()).ok()?).ok()?;
            (record.id == id).then_some(record)
        };
        let mut records: Vec<SnapshotRecord> = entries.filter_map(record).collect();
        records.sort_by(|left, right| (right.created_at, &right.id).cmp(&(left.created_at, &left.id)));
        records
    }

    pub fn record(&self, id: &str, now: Timestamp) -> Result<SnapshotRecord, SnapshotError> {
        let unknown = || SnapshotError::Unknown { id: id.to_owned() };
        // A name from outside is never a path.
        if !is_id(id) {
            return Err(unknown());
        }
        let bytes = files::read(&self.record_path(id), LARGEST)?.ok_or_else(unknown)?;
        let record: SnapshotRecord =
            serde_json::from_slice(&bytes).map_err(|_| SnapshotError::Damaged { id: id.to_owned() })?;
        if self.is_expired(&record, now) {
            self.clean_unasked(now);
            return Err(SnapshotError::Expired { id: record.id, minutes: self.retention.minutes });
        }
        Ok(record)
    }

    /// The copy, checked against its name.
    pub fn open(&self, record: &SnapshotRecord) -> Result<Vec<u8>, SnapshotError> {
        let path = self.folder.join("objects").join(&record.content);
        let bytes =
            files::read(&path, LARGEST)?.ok_or_else(|| SnapshotError::Unknown { id: record.id.clone() })?;
        if blake3::hash(&bytes).to_hex().as_str() != record.content {
            return Err(SnapshotError::Damaged { id: record.id.clone() });
        }
        Ok(bytes)
    }

    /// Removes what is expired or too many, and copies that no snapshot has any more. Gives how many went.
    pub fn clean(&self, now: Timestamp) -> usize {
        // Who cannot have its turn leaves it to the next one. Nothing is removed behind a link.
        if self.folder.is_dir()
            && becket_fence::place(&self.folder, &self.folder.join("objects")).is_ok()
            && let Ok(_lock) = self.lock()
        {
            self.clean_locked(now)
        } else {
            0
        }
    }

    fn lock(&self) -> Result<FileLock, LockError> {
        FileLock::take(&self.folder.join(".lock"), PATIENCE)
    }

    fn clean_locked(&self, now: Timestamp) -> usize {
        let (mut kept, mut gone) = (Vec::new(), 0);
        for (at, record) in self.stored().into_iter().enumerate() {
            if at < self.retention.most && !self.is_expired(&record, now) {
                kept.push(record.content);
            } else if fs::remove_file(self.record_path(&record.id)).is_ok() {
                gone += 1;
            }
        }
        let objects = self.folder.join("objects");
        // Who writes here has the lock: what is half written now is nobody's any more.
        for path in [&self.folder, &objects].into_iter().flat_map(|folder| files::temporaries(folder)) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let of = name.trim_start_matches('.').split('.').next().unwrap_or_default();
            if is_id(of) || is_digest(of) {
                _ = fs::remove_file(path);
            }
        }
        for entry in fs::read_dir(objects).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if is_digest(&name) && !kept.contains(&name) {
                _ = fs::remove_file(entry.path());
            }
        }
        gone
    }

    fn clean_unasked(&self, now: Timestamp) {
        if self.retention.automatic {
            self.clean(now);
        }
    }

    fn is_expired(&self, record: &SnapshotRecord, now: Timestamp) -> bool {
        (now.as_second() - record.created_at.as_second()) / 60 >= self.retention.minutes
    }

    fn record_path(&self, id: &str) -> PathBuf {
        Path::new(&self.folder).join(format!("{id}.json"))
    }
}

/// What a snapshot is called.
pub fn is_id(name: &str) -> bool {
    name.starts_with("snap_") && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// What a copy is called.
fn is_digest(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_project_that_is_gone_is_not_made_for_them() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        let retention = Retention { most: 2, minutes: 60, automatic: true };
        for inside in [".logicstamp/snapshots", ".git/becket/understand/snapshots"] {
            let snapshots = Snapshots::new(&project, project.join(inside), retention);
            let stored = snapshots.store(at(1000), "/p", &serde_json::Value::Null, b"one");
            assert!(matches!(stored, Err(SnapshotError::Folder { .. })), "{inside}");
            assert!(!project.exists());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_project_that_is_called_as_the_cache_is_has_no_links_out_either() {
        let around = tempfile::tempdir().unwrap();
        let (project, outside) = (around.path().join("becket"), around.path().join("outside"));
        for folder in [&project.join("kept"), &outside] {
            fs_err::create_dir_all(folder).unwrap();
        }
        fs_err::os::unix::fs::symlink(&outside, project.join("kept/objects")).unwrap();
        let retention = Retention { most: 2, minutes: 60, automatic: true };
        let snapshots = Snapshots::new(&project, project.join("kept"), retention);
        let stored = snapshots.store(at(1000), "/p", &serde_json::Value::Null, b"one");
        assert!(matches!(stored, Err(SnapshotError::Folder { .. })), "{stored:?}");
        assert_eq!(fs_err::read_dir(&outside).unwrap().count(), 0);
    }

    #[test]
    fn a_copy_is_immutable_and_shared() {
        let folder = tempfile::tempdir().unwrap();
        let retention = Retention { most: 10, minutes: 60, automatic: true };
        let snapshots = Snapshots::new(folder.path(), folder.path().join("new"), retention);
        let first = snapshots.store(at(1000), "/p", &serde_json::json!({"mode": "header"}), b"one").unwrap();
        let second = snapshots.store(at(1000), "/p", &serde_json::Value::Null, b"one").unwrap();
        assert_eq!((first.id.as_str(), second.id.as_str()), ("snap_1000000", "snap_1000000_2"));
        assert_eq!(first.content, second.content);
        assert_eq!(snapshots.open(&snapshots.record(&first.id, at(1000)).unwrap()).unwrap(), b"one");
        fs::write(folder.path().join("new/objects").join(&first.content), "other").unwrap();
        assert!(matches!(snapshots.open(&first), Err(SnapshotError::Damaged { .. })));
        let third = snapshots.store(at(1001), "/p", &serde_json::Value::Null, b"one").unwrap();
        assert_eq!(snapshots.open(&third).unwrap(), b"one");
        assert_eq!(snapshots.open(&first).unwrap(), b"one");
    }

    #[test]
    fn the_old_and_the_too_many_go() {
        let folder = tempfile::tempdir().unwrap();
        let retention = Retention { most: 2, minutes: 60, automatic: true };
        let snapshots = Snapshots::new(folder.path(), folder.path().to_owned(), retention);
        for second in [0, 10, 20] {
            snapshots
                .store(at(second), "/p", &serde_json::Value::Null, second.to_string().as_bytes())
                .unwrap();
        }
        let ids: Vec<String> = snapshots.list(at(20)).into_iter().map(|record| record.id).collect();
        assert_eq!(ids, ["snap_20000", "snap_10000"]);
        assert_eq!(snapshots.clean(at(10 + 60 * 60)), 1);
        assert_eq!(fs::read_dir(folder.path().join("objects")).unwrap().count(), 1);
    }

    #[test]
    fn an_expired_one_is_not_there_and_whoever_notices_removes_it() {
        let hour = 60 * 60;
        for automatic in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let retention = Retention { most: 9, minutes: 60, automatic };
            let snapshots = Snapshots::new(folder.path(), folder.path().to_owned(), retention);
            let store = |second, text: &[u8]| {
                snapshots.store(at(second), "/p", &serde_json::Value::Null, text).unwrap().id
            };
            let kept =
                || (snapshots.stored().len(), fs::read_dir(folder.path().join("objects")).unwrap().count());
            let (first, second) = (store(0, b"one"), store(60, b"two"));
            assert!(snapshots.record(&first, at(hour - 1)).is_ok());
            let asked = snapshots.record(&first, at(hour));
            assert!(matches!(asked, Err(SnapshotError::Expired { minutes: 60, .. })), "{asked:?}");
            assert_eq!(kept(), if automatic { (1, 1) } else { (2, 2) });
            assert_eq!(snapshots.list(at(hour)).into_iter().map(|one| one.id).collect::<Vec<_>>(), [second]);
            assert!(snapshots.list(at(hour + 60)).is_empty());
            assert_eq!(kept(), if automatic { (0, 0) } else { (2, 2) });
        }
    }

    #[test]
    fn what_a_killed_process_left_half_written_goes() {
        let folder = tempfile::tempdir().unwrap();
        let retention = Retention { most: 2, minutes: 60, automatic: true };
        let snapshots = Snapshots::new(folder.path(), folder.path().to_owned(), retention);
        let digits = "0123456789abcdef";
        fs::create_dir_all(folder.path().join("objects")).unwrap();
        let object = folder.path().join(format!("objects/.{}.{digits}.tmp", digits.repeat(4)));
        let record = folder.path().join(format!(".snap_1.json.{digits}.tmp"));
        let other = folder.path().join(format!(".mine.{digits}.tmp"));
        for path in [&object, &record, &other] {
            fs::write(path, "half").unwrap();
        }
        snapshots.store(at(0), "/p", &serde_json::Value::Null, b"one").unwrap();
        assert_eq!([object, record, other].map(|path| path.exists()), [false, false, true]);
    }

    #[test]
    fn a_name_is_never_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let retention = Retention { most: 2, minutes: 60, automatic: true };
        let snapshots = Snapshots::new(folder.path(), folder.path().to_owned(), retention);
        for id in ["../x", "snap_../x", "", "snap_1/2", "snap_99"] {
            assert!(matches!(snapshots.record(id, at(0)), Err(SnapshotError::Unknown { .. })), "{id}");
        }
    }

    #[test]
    fn what_is_not_of_snapshots_stays_in_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("src");
        fs::create_dir_all(inner.join("objects")).unwrap();
        let others =
            [inner.join("objects/vec.ts"), inner.join("data.json"), folder.path().join("package.json")];
        let false_record = |id: &str| {
            let record = SnapshotRecord {
                id: id.to_owned(),
                created_at: at(0),
                project_path: "/p".to_owned(),
                content: "x".to_owned(),
                about: serde_json::Value::Null,
            };
            serde_json::to_vec(&record).unwrap()
        };
        for path in &others {
            fs::write(path, "mine").unwrap();
        }
        fs::write(inner.join("snap_1.json"), false_record("../package")).unwrap();
        fs::write(inner.join("old.json"), false_record("old")).unwrap();
        let retention = Retention { most: 1, minutes: 60, automatic: true };
        let snapshots = Snapshots::new(folder.path(), inner.clone(), retention);
        for second in [hour(), hour() + 1] {
            snapshots.store(at(second), "/p", &serde_json::Value::Null, b"one").unwrap();
        }
        for path in others.iter().chain([&inner.join("snap_1.json"), &inner.join("old.json")]) {
            assert!(path.exists(), "{}", path.display());
        }
        assert_eq!(snapshots.list(at(hour() + 1)).len(), 1);
    }

    fn hour() -> i64 {
        60 * 60
    }

    #[test]
    fn a_copy_that_is_wanted_again_is_not_cleaned_away() {
        let folder = tempfile::tempdir().unwrap();
        let retention = Retention { most: 2, minutes: 60, automatic: true };
        std::thread::scope(|scope| {
            for worker in 0..4_i64 {
                let snapshots = Snapshots::new(folder.path(), folder.path().to_owned(), retention);
                scope.spawn(move || {
                    for round in 0..40_i64 {
                        let now = at(round * 4 + worker);
                        let text = [b'0' + u8::try_from(round % 3).unwrap()];
                        snapshots.store(now, "/p", &serde_json::Value::Null, &text).unwrap();
                    }
                });
            }
        });
        let snapshots = Snapshots::new(folder.path(), folder.path().to_owned(), retention);
        let kept = snapshots.list(at(160));
        assert_eq!(kept.len(), 2);
        for record in kept {
            snapshots.open(&record).unwrap();
        }
    }
}
