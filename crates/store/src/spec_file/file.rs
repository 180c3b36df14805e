//! The file on disk: read without a lock, changed under one that covers reading, changing and writing alike.
#![allow(clippy::disallowed_methods, reason = "owns .lodestar/spec.yaml and its lock")]

use std::{
    fs::{File, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant, SystemTime},
};

use fs_err as fs;

use super::{
    definition::Definition,
    edit::{self, Edit},
    error::{Place, SpecError},
    outline::Outline,
    read::{self, Spec},
};

/// `.lodestar/spec.yaml` of one worktree. Clones remember together where the tasks stood when it was last read or written.
#[derive(Debug, Clone)]
pub struct SpecFile {
    folder: PathBuf,
    outline: Arc<Mutex<Option<Known>>>,
    /// The hash of a text that was read whole, here or by another process.
    sound: Arc<Mutex<Option<String>>>,
}

/// The outline of the text with this hash.
#[derive(Debug, Clone)]
struct Known {
    hash: String,
    outline: Arc<Outline>,
}

/// One reading.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub spec: Spec,
    pub text: String,
    /// BLAKE3 of the bytes, in hexadecimal.
    pub hash: String,
    pub stat: Stat,
}

/// The text of one moment, of which single tasks are looked up and changed.
#[derive(Debug, Clone)]
pub struct Sheet {
    text: String,
    /// BLAKE3 of the bytes, in hexadecimal.
    pub hash: String,
    pub stat: Stat,
    tasks: Tasks,
}

#[derive(Debug, Clone)]
enum Tasks {
    Outlined(Arc<Outline>),
    Whole(Vec<Definition>),
}

impl Sheet {
    /// Nothing where the text has no such task.
    pub fn task(&self, id: &str) -> Result<Option<Definition>, SpecError> {
        match &self.tasks {
            Tasks::Outlined(outline) => outline.task(without_mark(&self.text), id).transpose(),
            Tasks::Whole(tasks) => Ok(tasks.iter().find(|task| task.id == id).cloned()),
        }
    }
}

/// What the system says of the file: as long as it is the same, so are the bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stat {
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: i128,
    /// What tells a replaced file from the one before: the inode and its time of change where there are such.
    pub identity: String,
}

const PATIENCE: Duration = Duration::from_secs(15);
/// Short and never growing: a back-off starves whoever came first.
const PAUSE: Duration = Duration::from_micros(500);
const LARGEST: u64 = 512 * 1024 * 1024;
/// Every `.gitignore` that was ever shipped for the folder covers `*.lock`.
const TEMPORARY: (&str, &str) = ("spec-", ".tmp.lock");

impl SpecFile {
    /// In a `.lodestar` folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), outline: Arc::default(), sound: Arc::default() }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.join("spec.yaml")
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Nothing where there is no file.
    pub fn stat(&self) -> Result<Option<Stat>, SpecError> {
        let path = self.path();
        match fs::symlink_metadata(&path) {
            Ok(metadata) if !metadata.is_file() => Err(SpecError::NotAFile { path }),
            Ok(metadata) => Ok(Some(stat(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(SpecError::Io { path, action: "read", source }),
        }
    }

    /// Whole, or as an error with its place. Takes no lock, because every writer replaces the file in one step: a folder
    /// that cannot be written can still be read.
    pub fn read(&self) -> Result<Loaded, SpecError> {
        let (bytes, stat) = self.bytes()?;
        let hash = hash(&bytes);
        let text = text(bytes)?;
        let spec = self.outlined(&text, &hash)?.0;
        Ok(Loaded { spec, text, hash, stat })
    }

    /// Somebody has read the text with this hash and found nothing wrong: a change of it need not do so again.
    pub fn trust(&self, hash: &str) {
        let mut sound = self.sound.lock().unwrap_or_else(PoisonError::into_inner);
        if sound.as_deref() != Some(hash) {
            *sound = Some(hash.to_owned());
        }
    }

    /// The outline of a text that is trusted, if its lines tell it.
    fn scanned(&self, text: &str, hash: &str) -> Option<Arc<Outline>> {
        let is_sound = self.sound.lock().unwrap_or_else(PoisonError::into_inner).as_deref() == Some(hash);
        let outline = Arc::new(is_sound.then(|| Outline::scan(without_mark(text)))??);
        self.remember(hash, Some(Arc::clone(&outline)));
        Some(outline)
    }

    /// Reads the whole text, and remembers where its tasks stand.
    fn outlined(&self, text: &str, hash: &str) -> Result<(Spec, Option<Arc<Outline>>), SpecError> {
        let body = without_mark(text);
        let (spec, layout) = read::read_with(body, |_| false)?;
        let outline = Outline::of(body, &layout).map(Arc::new);
        self.remember(hash, outline.clone());
        Ok((spec, outline))
    }

    fn remember(&self, hash: &str, outline: Option<Arc<Outline>>) {
        *self.outline.lock().unwrap_or_else(PoisonError::into_inner) =
            outline.map(|outline| Known { hash: hash.to_owned(), outline });
    }

    /// The present text. Read whole only if it is not the one that was read or written last.
    fn sheet(&self) -> Result<Sheet, SpecError> {
        let (bytes, stat) = self.bytes()?;
        let hash = hash(&bytes);
        let text = text(bytes)?;
        let known = self.outline.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let known = known.filter(|known| known.hash == hash).map(|known| known.outline);
        let tasks = match known.or_else(|| self.scanned(&text, &hash)) {
            Some(outline) => Tasks::Outlined(outline),
            None => match self.outlined(&text, &hash)? {
                (_, Some(outline)) => Tasks::Outlined(outline),
                (spec, None) => Tasks::Whole(spec.tasks),
            },
        };
        Ok(Sheet { text, hash, stat, tasks })
    }

    /// How the file begins, as whole characters.
    pub fn head(&self) -> Result<String, SpecError> {
        const LENGTH: u64 = 64 * 1024;
        let path = self.path();
        if self.stat()?.is_none() {
            return Err(SpecError::Missing { path });
        }
        let failed = |source| SpecError::Io { path: path.clone(), action: "read", source };
        let mut bytes = Vec::new();
        let file = becket_fence::open(&path, fs::OpenOptions::new().read(true));
        file.and_then(|file| file.take(LENGTH).read_to_end(&mut bytes)).map_err(failed)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(without_mark(&text).trim_end_matches(char::REPLACEMENT_CHARACTER).to_owned())
    }

    /// The hash of the bytes, without a look at what they say.
    pub fn hash(&self) -> Result<(String, Stat), SpecError> {
        let (bytes, stat) = self.bytes()?;
        Ok((hash(&bytes), stat))
    }

    /// Under the lock: reads, asks for edits, writes. Nothing is written without an edit. An editor knows of no lock: what it
    /// wrote or took away meanwhile is read again, and edits are asked for again.
    pub fn change<E: From<SpecError>>(
        &self,
        edits: impl FnMut(&Sheet) -> Result<Vec<Edit>, E>,
    ) -> Result<Sheet, E> {
        self.change_then(edits, |_| Ok(()))
    }

    /// As [`Self::change`], with something more to do while the lock is still held.
    pub fn change_then<E: From<SpecError>>(
        &self,
        mut edits: impl FnMut(&Sheet) -> Result<Vec<Edit>, E>,
        then: impl FnOnce(&Sheet) -> Result<(), E>,
    ) -> Result<Sheet, E> {
        let _lock = Lock::take(&self.folder)?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let before = self.sheet()?;
            let edits = edits(&before)?;
            let after = if edits.is_empty() { Some(before) } else { self.write(before, &edits)? };
            if let Some(after) = after {
                then(&after)?;
                return Ok(after);
            }
            if Instant::now() >= deadline {
                return Err(SpecError::Busy { path: self.path(), seconds: PATIENCE.as_secs() }.into());
            }
        }
    }

    /// While `work` runs nobody writes the file, so that what it reads is still so when it tells others. Where the folder
    /// cannot be written, or has no room, nobody of us writes the file, and there is nothing to hold.
    pub fn held<T, E: From<SpecError>>(&self, work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let _lock = match Lock::take(&self.folder) {
            Ok(lock) => Some(lock),
            Err(SpecError::Io { source, .. })
                if matches!(
                    source.kind(),
                    io::ErrorKind::PermissionDenied
                        | io::ErrorKind::ReadOnlyFilesystem
                        | io::ErrorKind::StorageFull
                        | io::ErrorKind::QuotaExceeded
                ) =>
            {
                None
            }
            Err(error) => return Err(error.into()),
        };
        work()
    }

    /// Makes the file where there is none.
    pub fn create(&self, text: &str) -> Result<(), SpecError> {
        let _lock = Lock::take(&self.folder)?;
        if self.stat()?.is_some() {
            return Ok(());
        }
        self.replace(text.as_bytes(), |_| true).map(drop)
    }

    /// Replaces the whole file, whatever stands there.
    pub fn overwrite(&self, text: &str) -> Result<(), SpecError> {
        let _lock = Lock::take(&self.folder)?;
        self.replace(text.as_bytes(), |_| true).map(drop)
    }

    /// Takes away what writers left that died. Also done by every change.
    pub fn sweep(&self) -> Result<usize, SpecError> {
        let _lock = Lock::take(&self.folder)?;
        Ok(sweep(&self.folder))
    }

    /// Nothing if the file is not any more what the edits were made for.
    fn write(&self, before: Sheet, edits: &[Edit]) -> Result<Option<Sheet>, SpecError> {
        let body = without_mark(&before.text);
        let in_part = match &before.tasks {
            Tasks::Outlined(outline) => outline.apply(body, edits),
            Tasks::Whole(_) => None,
        };
        let (changed, tasks) = if let Some((changed, outline)) = in_part {
            (changed, Tasks::Outlined(Arc::new(outline)))
        } else {
            let (changed, spec) = edit::apply(body, edits)?;
            (changed, Tasks::Whole(spec.tasks))
        };
        let mark = before.text.len() - body.len();
        let text = match before.text.get(..mark) {
            Some(mark) if !mark.is_empty() => format!("{mark}{changed}"),
            _ => changed,
        };
        if text == before.text {
            return Ok(Some(before));
        }
        if !self.replace(text.as_bytes(), |present| present == Some(&before.stat))? {
            return Ok(None);
        }
        let stat = self.stat()?.ok_or_else(|| SpecError::Missing { path: self.path() })?;
        let hash = hash(text.as_bytes());
        self.remember(
            &hash,
            match &tasks {
                Tasks::Outlined(outline) => Some(Arc::clone(outline)),
                Tasks::Whole(_) => None,
            },
        );
        Ok(Some(Sheet { text, hash, stat, tasks }))
    }

    /// Readers see the old bytes or the new ones, also after a crash. Whether it was done: the last look at what stands there
    /// comes after the slow part, so that next to no time is left in which somebody else's work could be written over.
    fn replace(&self, bytes: &[u8], may: impl FnOnce(Option<&Stat>) -> bool) -> Result<bool, SpecError> {
        let path = self.path();
        let failed = |source| SpecError::Io { path: path.clone(), action: "written", source };
        sweep(&self.folder);
        let permissions = match fs::symlink_metadata(&path) {
            Ok(metadata) if !metadata.is_file() => return Err(SpecError::NotAFile { path }),
            Ok(metadata) if metadata.permissions().readonly() => {
                let source = io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only");
                return Err(failed(source));
            }
            Ok(metadata) => Some(metadata.permissions()),
            Err(_) => None,
        };
        let mut temporary = temporary(permissions, &self.folder).map_err(failed)?;
        temporary.write_all(bytes).map_err(failed)?;
        temporary.as_file().sync_all().map_err(failed)?;
        if !may(self.stat()?.as_ref()) {
            return Ok(false);
        }
        temporary.persist(&path).map_err(|error| failed(error.error))?;
        sync_folder(&self.folder).map_err(failed)?;
        Ok(true)
    }

    fn bytes(&self) -> Result<(Vec<u8>, Stat), SpecError> {
        let path = self.path();
        // The kind is asked first: opening a pipe would wait for ever.
        if self.stat()?.is_none() {
            return Err(SpecError::Missing { path });
        }
        let failed = |source| SpecError::Io { path: path.clone(), action: "read", source };
        let file = becket_fence::open(&path, fs::OpenOptions::new().read(true)).map_err(failed)?;
        let stat = stat(&file.metadata().map_err(failed)?);
        let mut bytes = Vec::with_capacity(usize::try_from(stat.size.min(LARGEST)).unwrap_or_default());
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > LARGEST {
            return Err(SpecError::TooLarge { path, limit: LARGEST });
        }
        Ok((bytes, stat))
    }
}

pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn text(bytes: Vec<u8>) -> Result<String, SpecError> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = valid.split(|byte| *byte == b'\n').count();
        let column = valid.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
        SpecError::NotUtf8 { place: Place { line, column } }
    })
}

fn stat(metadata: &std::fs::Metadata) -> Stat {
    let modified =
        metadata.modified().ok().map_or(0, |time| match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => i128::try_from(after.as_nanos()).unwrap_or(i128::MAX),
            Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX),
        });
    Stat { size: metadata.len(), modified, identity: identity(metadata) }
}

#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    format!("{}:{}:{}.{}", metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn identity(metadata: &std::fs::Metadata) -> String {
    let created = metadata.created().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    created.map_or_else(String::new, |created| created.as_nanos().to_string())
}

/// The mode of the file before; of a new one what the system's mask leaves.
#[cfg(unix)]
fn temporary(
    permissions: Option<std::fs::Permissions>,
    folder: &Path,
) -> io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    let permissions = permissions.unwrap_or_else(|| std::fs::Permissions::from_mode(0o666));
    let (prefix, suffix) = TEMPORARY;
    tempfile::Builder::new().prefix(prefix).suffix(suffix).permissions(permissions).tempfile_in(folder)
}

/// The permissions that the folder hands down.
#[cfg(not(unix))]
fn temporary(
    _permissions: Option<std::fs::Permissions>,
    folder: &Path,
) -> io::Result<tempfile::NamedTempFile> {
    let (prefix, suffix) = TEMPORARY;
    tempfile::Builder::new().prefix(prefix).suffix(suffix).tempfile_in(folder)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

/// A folder cannot be opened for that on Windows; the rename itself is durable there.
#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Only under the lock: nobody else is writing then, so that every such file is left over.
fn sweep(folder: &Path) -> usize {
    let Ok(files) = fs::read_dir(folder) else { return 0 };
    let left_over = |name: &str| name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1);
    files
        .flatten()
        .filter(|file| file.file_name().to_str().is_some_and(left_over))
        .filter(|file| fs::remove_file(file.path()).is_ok())
        .count()
}

/// The lock of the original, `spec.lock`: the two never write at once.
struct Lock {
    _file: File,
}

impl Lock {
    fn take(folder: &Path) -> Result<Self, SpecError> {
        let path = folder.join("spec.lock");
        let failed = |source| SpecError::Io { path: path.clone(), action: "locked", source };
        let mut options = fs::OpenOptions::new();
        let options = options.create(true).truncate(false).write(true);
        let root = folder.parent().unwrap_or(folder);
        let (file, _) = becket_fence::open_inside(root, &path, options).map_err(failed)?.into_parts();
        let deadline = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(SpecError::Busy { path, seconds: PATIENCE.as_secs() });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        }
    }
}
