//! Facts by content, in one file that only grows. A record is whole or it is not there: each carries its length and a
//! checksum, a torn end is cut off by the next writer, and writers take turns by a lock.
#![allow(clippy::disallowed_methods, reason = "the owner of the pack file")]

use std::collections::HashMap;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use fs_err as fs;

use super::local::{Key, Local};

const NAME: &str = "facts-1.pack";
/// Length, key, checksum.
const HEAD: usize = 4 + 32 + 8;
/// Above this, what no tree has asked for in this run is dropped when it is most of the file.
const LARGE: usize = 256 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Pack {
    path: PathBuf,
    bytes: Vec<u8>,
    places: HashMap<Key, Range<usize>>,
    /// How far the file is sound.
    sound: usize,
    added: Vec<u8>,
    /// Whether a record was there that could not be used.
    pub(super) damaged: bool,
}

impl Pack {
    /// As if nothing were remembered.
    pub(super) fn empty(cache: &Path) -> Self {
        Self {
            path: cache.join(NAME),
            bytes: Vec::new(),
            places: HashMap::new(),
            sound: 0,
            added: Vec::new(),
            damaged: false,
        }
    }

    /// What was remembered; nothing where there is nothing to read.
    pub(super) fn open(cache: &Path) -> Self {
        let mut pack = Self::empty(cache);
        pack.bytes = fs::read(&pack.path).unwrap_or_default();
        let mut at = 0;
        while let Some((key, place)) = record(&pack.bytes, at) {
            at = place.end;
            pack.places.insert(key, place);
        }
        pack.sound = at;
        pack.damaged = at != pack.bytes.len();
        pack
    }

    pub(super) fn get(&self, key: Key) -> Option<Local> {
        let payload = self.bytes.get(self.places.get(&key)?.clone())?;
        let mut local: Local = serde_json::from_slice(payload).ok()?;
        local.key = key;
        Some(local)
    }

    pub(super) fn add(&mut self, local: &Local) {
        let Ok(payload) = serde_json::to_vec(local) else { return };
        let Ok(length) = u32::try_from(payload.len()) else { return };
        self.added.extend_from_slice(&length.to_le_bytes());
        self.added.extend_from_slice(&local.key.0);
        self.added.extend_from_slice(&checksum(local.key, &payload));
        self.added.extend_from_slice(&payload);
    }

    /// Remembers what was added. That it could not is no failure: it will be read again.
    pub(super) fn save(&mut self) {
        if self.added.is_empty() && !self.damaged {
            return;
        }
        if let Err(error) = self.write() {
            tracing::debug!(%error, path = %self.path.display(), "facts are not remembered");
        }
    }

    fn write(&mut self) -> std::io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file =
            fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.path)?;
        file.file().lock()?;
        let length = file.metadata()?.len();
        // Others may have added since; only what is unsound at the very end is cut.
        let end = if length == self.bytes.len() as u64 { self.sound as u64 } else { sound_end(&self.path)? };
        if usize::try_from(end).unwrap_or(usize::MAX) > LARGE {
            file.set_len(0)?;
        } else if end < length {
            file.set_len(end)?;
        }
        file.seek(SeekFrom::End(0))?;
        file.write_all(&self.added)?;
        self.added.clear();
        Ok(())
    }
}

fn sound_end(path: &Path) -> std::io::Result<u64> {
    let bytes = fs::read(path)?;
    let mut at = 0;
    while let Some((_, place)) = record(&bytes, at) {
        at = place.end;
    }
    Ok(at as u64)
}

/// The record at an offset, where there is a sound one.
fn record(bytes: &[u8], at: usize) -> Option<(Key, Range<usize>)> {
    let head = bytes.get(at..at.checked_add(HEAD)?)?;
    let length = u32::from_le_bytes(head[..4].try_into().ok()?) as usize;
    let key = Key(head[4..36].try_into().ok()?);
    let start = at + HEAD;
    let end = start.checked_add(length)?;
    let payload = bytes.get(start..end)?;
    (checksum(key, payload) == head[36..]).then_some((key, start..end))
}

fn checksum(key: Key, payload: &[u8]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&key.0).update(payload);
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    first
}
