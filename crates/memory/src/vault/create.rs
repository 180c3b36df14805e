//! Writing an entry: a number that was never used, a file that appears whole or not at all, an event in the log, all on
//! disk before anybody is told "done".

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use becket_base::Timestamp;
use fs_err as fs;

use super::{
    LOG_FILE, Vault, VaultError,
    exclusion::Exclusion,
    mark::{Mark, MarkFile, folder_changed},
};
use crate::{
    config::Config,
    entry::ContentHash,
    log::{Baseline, Created, Event, Link},
};

/// An entry that has no number yet.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The whole text of the file.
    pub text: String,
    pub at: Timestamp,
    pub author: Option<String>,
    pub head: Option<String>,
    pub anchors: Vec<Baseline>,
    pub links: Vec<Link>,
}

/// An entry that is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub number: u64,
    pub reference: String,
    pub file: String,
    pub hash: ContentHash,
}

pub(super) const TEMPORARY: &str = ".writing-";
const LARGEST_NUMBER: u64 = 999_999_999_999_999;

impl Vault {
    /// Writes a new entry. `known_elsewhere` tells the largest number that Git's history knows; it is asked once in the
    /// life of a clone.
    pub fn create(
        &self,
        config: &Config,
        draft: Draft,
        known_elsewhere: impl FnOnce() -> Option<u64>,
    ) -> Result<Written, VaultError> {
        let hash = ContentHash::of(draft.text.as_bytes());
        let mut writing = Writing::begin(self, config, known_elsewhere)?;
        let (number, file) = writing.place(draft.text.as_bytes())?;
        let event = Event::Created(Created {
            number,
            file: file.clone(),
            hash: hash.clone(),
            at: draft.at,
            author: draft.author,
            head: draft.head,
            anchors: draft.anchors,
            links: draft.links,
        });
        if let Err(error) = writing.record(&event) {
            // Without its event the entry was never written; its number stays used.
            remove_quietly(&self.directory.join(&file));
            return Err(error);
        }
        Ok(Written { number, reference: config.format_ref(number), file, hash })
    }

    /// Adds an event to the log.
    pub fn append(&self, event: &Event) -> Result<(), VaultError> {
        let _exclusion = Exclusion::take(&self.state)?;
        append(self, event).map(|_| ())
    }
}

/// The vault while we are its only writer.
#[derive(Debug)]
pub(super) struct Writing<'a> {
    vault: &'a Vault,
    config: &'a Config,
    mark_file: MarkFile,
    mark: Mark,
    _exclusion: Exclusion,
}

impl<'a> Writing<'a> {
    pub(super) fn begin(
        vault: &'a Vault,
        config: &'a Config,
        known_elsewhere: impl FnOnce() -> Option<u64>,
    ) -> Result<Self, VaultError> {
        let exclusion = Exclusion::take(&vault.state)?;
        let failed = |source| VaultError::Write { path: vault.state.join("mark"), source };
        let mut mark_file = MarkFile::open(&vault.state).map_err(failed)?;
        let stored = mark_file.load().map_err(failed)?;
        let mark = match stored {
            Some(mark) if mark.describes(&vault.directory) => mark,
            _ => {
                sweep(&vault.directory);
                let log = vault.log()?;
                // Git's history is asked when there is no mark: a fresh clone must not reuse what was deleted long ago.
                let elsewhere = if stored.is_none() { known_elsewhere() } else { None };
                let used = [vault.list(config, &log)?.highest(), log.highest(), elsewhere];
                let free = used.into_iter().flatten().max().map_or(0, |highest| highest + 1);
                Mark { next: free.max(stored.map_or(0, |mark| mark.next)), folder_changed: 0, log_length: 0 }
            }
        };
        let mark = Mark { next: mark.next.max(config.start_index), ..mark };
        Ok(Self { vault, config, mark_file, mark, _exclusion: exclusion })
    }

    /// Puts the bytes into a file with the next free number.
    pub(super) fn place(&mut self, bytes: &[u8]) -> Result<(u64, String), VaultError> {
        let directory = &self.vault.directory;
        let temporary = Temporary::write(directory, bytes)?;
        loop {
            let number = self.mark.next;
            if number > LARGEST_NUMBER {
                return Err(VaultError::NumbersExhausted { last: LARGEST_NUMBER });
            }
            let file = self.config.file_name(number);
            self.mark = Mark { next: number + 1, folder_changed: 0, log_length: 0 };
            self.store_mark()?;
            let path = directory.join(&file);
            match temporary.publish(&path, bytes) {
                Ok(()) => {
                    drop(temporary);
                    sync_directory(directory).map_err(|source| VaultError::Write { path, source })?;
                    return Ok((number, file));
                }
                // Somebody who does not know our lock was here: the number is taken, try the next.
                Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(VaultError::Write { path, source }),
            }
        }
    }

    pub(super) fn record(&mut self, event: &Event) -> Result<(), VaultError> {
        let log_length = append(self.vault, event)?;
        self.mark.log_length = log_length;
        self.mark.folder_changed = folder_changed(&self.vault.directory);
        // The entry is safe already: a mark that could not be renewed only costs the next writer a look at the folder.
        if let Err(error) = self.store_mark() {
            tracing::debug!(%error, "high-water mark not renewed");
        }
        Ok(())
    }

    fn store_mark(&mut self) -> Result<(), VaultError> {
        let path = || self.vault.state.join("mark");
        self.mark_file.store(self.mark).map_err(|source| VaultError::Write { path: path(), source })
    }
}

impl Mark {
    /// Whether nothing came or went since the mark was made.
    fn describes(self, directory: &Path) -> bool {
        let log_length = fs::metadata(directory.join(LOG_FILE)).map_or(0, |metadata| metadata.len());
        self.folder_changed != 0
            && self.folder_changed == folder_changed(directory)
            && self.log_length == log_length
    }
}

/// A file with the content, under a name that no reader takes for an entry.
#[derive(Debug)]
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn write(directory: &Path, bytes: &[u8]) -> Result<Self, VaultError> {
        let path = directory.join(format!("{TEMPORARY}{}", std::process::id()));
        let failed = |source| VaultError::Write { path: path.clone(), source };
        // We hold the lock, so one that is there was left by a process that died.
        remove_quietly(&path);
        let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&path).map_err(failed)?;
        let temporary = Self { path: path.clone() };
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
        Ok(temporary)
    }

    /// Gives the file its name, which must be free.
    fn publish(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        match fs::hard_link(&self.path, path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists && self.path.exists() => {
                tracing::debug!(%error, "no hard links here");
                write_new(path, bytes)
            }
            done => done,
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        remove_quietly(&self.path);
    }
}

/// For file systems without hard links: exclusive, and removed again if it cannot be finished.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    let done = file.write_all(bytes).and_then(|()| file.sync_all());
    if done.is_err() {
        remove_quietly(path);
    }
    done
}

/// Adds a line to the log, whole or not at all, and gives its new length.
pub(super) fn append(vault: &Vault, event: &Event) -> Result<u64, VaultError> {
    let path = vault.directory.join(LOG_FILE);
    let failed = |source| VaultError::Write { path: path.clone(), source };
    let line = event.to_line().map_err(|error| failed(error.into()))?;
    let existed = path.exists();
    if !existed {
        super::init::attributes(vault)?;
    }
    let mut options = fs::OpenOptions::new();
    let options = options.create(true).append(true).read(true);
    let mut file = vault.open_own(&path, options).map_err(failed)?;
    let before = file.metadata().map_err(failed)?.len();
    let line = if before > 0 && !ends_with_break(&mut file, before).map_err(failed)? {
        format!("\n{line}")
    } else {
        line
    };
    let done = file.write_all(line.as_bytes()).and_then(|()| file.sync_all());
    if let Err(error) = done {
        if let Err(error) = file.set_len(before) {
            tracing::warn!(%error, "a half-written line stays in the log");
        }
        return Err(failed(error));
    }
    if !existed {
        sync_directory(&vault.directory).map_err(failed)?;
    }
    Ok(before + line.len() as u64)
}

/// Whether the last process that wrote here finished its line.
fn ends_with_break(file: &mut fs::File, length: u64) -> io::Result<bool> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(length - 1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Removes what processes that died left behind; we hold the lock.
fn sweep(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            remove_quietly(&entry.path());
        }
    }
}

pub(super) fn remove_quietly(path: &Path) {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::debug!(%error, "could not be removed");
        }
        _ => {}
    }
}

#[cfg(unix)]
pub(super) fn sync_directory(directory: &Path) -> io::Result<()> {
    fs::File::open(directory)?.sync_all()
}

/// Elsewhere a folder cannot be flushed by itself; the system does it with the file.
#[cfg(not(unix))]
pub(super) fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}
