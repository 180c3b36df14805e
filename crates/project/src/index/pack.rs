//! Records by key, in a file that only grows. A record is whole or it is not there: each carries its length, its key and
//! a checksum, a torn end is cut off by the next writer, and writers take turns by a lock. One that is known by its
//! place is read alone; the others are found by reading the file once.
#![allow(clippy::disallowed_methods, reason = "the owner of the pack files")]

use std::collections::HashMap;
use std::io::{IoSlice, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fs_err as fs;
use xxhash_rust::xxh3::xxh3_128;

use super::local::Key;
use crate::files::{create_folder_of, write_pieces};

/// What files say, by their content.
pub(super) const FACTS: &str = "facts-4.pack";
/// What files promise, by what was written of it.
pub(super) const LINKED: &str = "linked-3.pack";
/// Length, key, checksum.
const HEAD: usize = 4 + 32 + 8;
/// So many records may be appended at a time: no system takes more than a thousand pieces.
pub(super) const AT_ONCE: usize = 256;
/// Above this the file is begun anew: most of it is of trees that are gone.
const LARGE: u64 = 256 * 1024 * 1024;

/// Where the payload of a record lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) at: u64,
    pub(super) length: u32,
}

/// What is to be appended: a head, and its payload.
#[derive(Debug, Clone)]
pub(super) struct Record(Box<[u8]>);

impl Record {
    /// With the hash of its payload.
    pub(super) fn new(key: Key, payload: &[u8], hash: u128) -> Self {
        // One too long for its length has none, and is refused when it is appended.
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        Self([&length.to_le_bytes()[..], &key.0, &checksum(key, hash), payload].concat().into())
    }
}

#[derive(Debug)]
pub(super) struct Pack {
    path: PathBuf,
    file: OnceLock<Option<std::fs::File>>,
    scanned: OnceLock<Scanned>,
}

#[derive(Debug, Default)]
struct Scanned {
    bytes: Vec<u8>,
    slots: HashMap<Key, Slot>,
    /// Whether something was there that could not be used.
    damaged: bool,
}

impl Pack {
    pub(super) fn new(cache: &Path, name: &str) -> Self {
        Self { path: cache.join(name), file: OnceLock::new(), scanned: OnceLock::new() }
    }

    /// The payload at a place, if it is the one that is meant.
    pub(super) fn read(&self, slot: Slot, key: Key) -> Option<Vec<u8>> {
        let file = self.file.get_or_init(|| std::fs::File::open(&self.path).ok()).as_ref()?;
        let mut bytes = vec![0; HEAD + slot.length as usize];
        read_at(file, &mut bytes, slot.at.checked_sub(HEAD as u64)?).ok()?;
        let (found, slot) = record(&bytes, 0)?;
        (found == key && slot.at == HEAD as u64).then(|| bytes.split_off(HEAD))
    }

    /// By its key, wherever it lies. Reads the whole file at the first call.
    pub(super) fn find(&self, key: Key) -> Option<(&[u8], Slot)> {
        let scanned = self.scanned();
        let slot = *scanned.slots.get(&key)?;
        let start = usize::try_from(slot.at).ok()?;
        Some((scanned.bytes.get(start..start + slot.length as usize)?, slot))
    }

    /// Whether the file was read and something in it could not be used.
    pub(super) fn is_damaged(&self) -> bool {
        self.scanned.get().is_some_and(|scanned| scanned.damaged)
    }

    /// Appends records, some at a time, and tells where each payload lies.
    pub(super) fn append(&self, records: impl Iterator<Item = Vec<Record>>) -> std::io::Result<Vec<Slot>> {
        create_folder_of(&self.path)?;
        let mut options = fs::OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = becket_fence::open(&self.path, options)?;
        file.file().lock()?;
        let length = file.metadata()?.len();
        // Only what is unsound at the very end is cut, and only a reader of the whole file knows.
        let sound = if self.is_damaged() { sound_end(&self.path)? } else { length };
        let mut at = if sound > LARGE { 0 } else { sound };
        if at < length {
            file.set_len(at)?;
        }
        let mut slots = Vec::new();
        file.seek(SeekFrom::End(0))?;
        for some in records {
            for Record(bytes) in &some {
                let length = u32::try_from(bytes.len() - HEAD).map_err(std::io::Error::other)?;
                slots.push(Slot { at: at + HEAD as u64, length });
                at += bytes.len() as u64;
            }
            let pieces = some.iter().map(|Record(bytes)| IoSlice::new(bytes));
            write_pieces(&mut file, &mut pieces.collect::<Vec<_>>())?;
        }
        Ok(slots)
    }

    fn scanned(&self) -> &Scanned {
        self.scanned.get_or_init(|| {
            let bytes = fs::read(&self.path).unwrap_or_default();
            let mut slots = HashMap::new();
            let mut at = 0;
            while let Some((key, slot)) = record(&bytes, at) {
                at = end(slot);
                slots.insert(key, slot);
            }
            Scanned { damaged: at != bytes.len(), bytes, slots }
        })
    }
}

fn sound_end(path: &Path) -> std::io::Result<u64> {
    let bytes = fs::read(path)?;
    let mut at = 0;
    while let Some((_, slot)) = record(&bytes, at) {
        at = end(slot);
    }
    Ok(at as u64)
}

fn end(slot: Slot) -> usize {
    usize::try_from(slot.at).unwrap_or(usize::MAX).saturating_add(slot.length as usize)
}

/// The record at an offset, where there is a sound one.
fn record(bytes: &[u8], at: usize) -> Option<(Key, Slot)> {
    let head = bytes.get(at..at.checked_add(HEAD)?)?;
    let length = u32::from_le_bytes(head[..4].try_into().ok()?);
    let key = Key(head[4..36].try_into().ok()?);
    let start = at + HEAD;
    let payload = bytes.get(start..start.checked_add(length as usize)?)?;
    (checksum(key, xxh3_128(payload)) == head[36..]).then_some((key, Slot { at: start as u64, length }))
}

/// Over a key and the hash of its payload.
fn checksum(key: Key, hash: u128) -> [u8; 8] {
    let [first, ..] = key.words();
    let bytes = hash.wrapping_add(first.into()).to_le_bytes();
    std::array::from_fn(|at| bytes[at])
}

#[cfg(unix)]
fn read_at(file: &std::fs::File, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &std::fs::File, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match std::os::windows::fs::FileExt::seek_read(file, &mut bytes[done..], at + done as u64)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => done += read,
        }
    }
    Ok(())
}
