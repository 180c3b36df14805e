//! What the repositories of one user wrote into files that they share: a record of the user's own, beside none of them.
//!
//! Owns who wants which entry, and how one entry is changed or taken out from under those that came after it. An entry
//! that several repositories want is written once and goes with the last of them. Knows texts and records, no host.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::document::{DocumentError, Slot};
use super::error::SetupError;
use super::place::Machine;
use super::record::{Exact, FileRecord, Standing};
use crate::files;

const FILE_NAME: &str = "hosts.json";

/// Far more than every repository of a user can need.
const LARGEST: u64 = 64 << 20;

/// The file as it is on disk.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SharedRecord {
    /// The folders that were made to hold this file, outermost first.
    pub(super) folders: Vec<PathBuf>,
    pub(super) entries: Vec<SharedEntry>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SharedEntry {
    /// The worktrees that want it; see [`user_key`].
    pub(super) users: BTreeSet<String>,
    #[serde(flatten)]
    pub(super) record: FileRecord,
}

/// The text under an edit, and the edits of ours that stood on it, the lowest first.
#[derive(Debug)]
pub(super) struct Lifted {
    pub(super) text: Option<String>,
    above: Vec<Slot>,
}

impl SharedRecord {
    /// Where it is kept; none when no home folder is known.
    pub(super) fn path(machine: &Machine) -> Option<PathBuf> {
        Some(machine.state_folder()?.join(FILE_NAME))
    }

    /// The record and its bytes, which tell later whether another process changed it.
    pub(super) fn read(path: &Path) -> Result<(Self, Option<Vec<u8>>), SetupError> {
        let Some(bytes) = files::read(path, LARGEST)? else { return Ok((Self::default(), None)) };
        match serde_json::from_slice(&bytes) {
            Ok(record) => Ok((record, Some(bytes))),
            Err(source) => Err(SetupError::Record { path: path.to_owned(), source }),
        }
    }

    pub(super) fn to_bytes(&self, path: &Path) -> Result<Vec<u8>, SetupError> {
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|source| SetupError::Record { path: path.to_owned(), source })?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    pub(super) fn wants(&self, user: &str) -> bool {
        self.entries.iter().any(|entry| entry.users.contains(user))
    }

    /// What this worktree wants in that file.
    pub(super) fn of(&self, path: &str, user: &str) -> Option<&SharedEntry> {
        self.entries.iter().find(|entry| entry.record.path == path && entry.users.contains(user))
    }

    pub(super) fn at(&self, path: &str, slot: &Slot) -> Option<&SharedEntry> {
        self.entries.iter().find(|entry| entry.record.path == path && entry.record.slot == *slot)
    }

    /// A worktree that was moved keeps what it wanted.
    pub(super) fn rename(&mut self, old: &str, new: &str) {
        for entry in &mut self.entries {
            if entry.users.remove(old) {
                entry.users.insert(new.to_owned());
            }
        }
    }

    pub(super) fn join(&mut self, path: &str, slot: &Slot, user: &str) {
        if let Some(entry) = self.at_mut(path, slot) {
            entry.users.insert(user.to_owned());
        }
    }

    /// Puts a new record in the place of the one of the same slot.
    pub(super) fn put(&mut self, record: FileRecord, user: &str) {
        match self.at_mut(&record.path, &record.slot) {
            Some(entry) => {
                entry.record = record;
                entry.users.insert(user.to_owned());
            }
            None => self.entries.push(SharedEntry { users: BTreeSet::from([user.to_owned()]), record }),
        }
    }

    /// How many others still want it once this worktree does not. Worktrees that are gone want nothing.
    pub(super) fn leave(&mut self, path: &str, slot: &Slot, user: &str) -> usize {
        let Some(entry) = self.at_mut(path, slot) else { return 0 };
        entry.users.retain(|other| other != user && !is_gone(other));
        entry.users.len()
    }

    /// Takes the edits of ours off the text, from the last to that of `slot`; none when somebody edited in between.
    pub(super) fn lift(&self, path: &str, slot: &Slot, current: Option<&str>) -> Option<Lifted> {
        let mut text = current.map(str::to_owned);
        let mut above: Vec<Slot> = Vec::new();
        loop {
            let (top, before) = self
                .entries
                .iter()
                .map(|entry| &entry.record)
                .filter(|record| record.path == path && !above.contains(&record.slot))
                .find_map(|record| match record.standing(text.as_deref()) {
                    Standing::After(before) => Some((&record.slot, before)),
                    Standing::Before | Standing::Edited => None,
                })?;
            text = before;
            if top == slot {
                above.reverse();
                return Some(Lifted { text, above });
            }
            above.push(top.clone());
        }
    }

    /// Puts what was lifted back on what the text has become.
    pub(super) fn put_back(
        &mut self,
        path: &str,
        lifted: &Lifted,
        mut text: Option<String>,
    ) -> Result<Option<String>, DocumentError> {
        for slot in &lifted.above {
            let Some(SharedEntry { record, .. }) = self.at_mut(path, slot) else { continue };
            let edited = slot.put(text.as_deref().unwrap_or_default(), &record.entry)?;
            record.exact = Some(Exact::between(text.as_deref(), &edited.text));
            record.created_file = text.is_none();
            record.new_containers = edited.new_containers;
            text = Some(edited.text);
        }
        Ok(text)
    }

    /// Forgets an entry. What else was made for it is taken back with the file's next one.
    pub(super) fn remove(&mut self, gone: &FileRecord, lifted: bool) {
        self.entries.retain(|entry| entry.record.path != gone.path || entry.record.slot != gone.slot);
        let Some(SharedEntry { record: heir, .. }) =
            self.entries.iter_mut().find(|entry| entry.record.path == gone.path)
        else {
            return;
        };
        let more = gone.created_folders.iter().filter(|folder| !heir.created_folders.contains(folder));
        heir.created_folders = more.cloned().chain(heir.created_folders.clone()).collect();
        // Where the edits were put back one by one, each knows already what it made.
        if !lifted {
            heir.created_file |= gone.created_file;
            heir.new_containers = heir.new_containers.max(gone.new_containers);
        }
    }

    fn at_mut(&mut self, path: &str, slot: &Slot) -> Option<&mut SharedEntry> {
        self.entries.iter_mut().find(|entry| entry.record.path == path && entry.record.slot == *slot)
    }
}

impl Lifted {
    pub(super) fn is_top(&self) -> bool {
        self.above.is_empty()
    }
}

/// A worktree by its path. One that is no text cannot be looked for later, and so never counts as gone.
pub(super) fn user_key(root: &Path) -> String {
    let bytes = || format!("bytes {}", root.as_os_str().as_encoded_bytes().escape_ascii());
    root.to_str().map_or_else(bytes, str::to_owned)
}

/// Whether a worktree that was there once is no more.
pub(super) fn is_gone(user: &str) -> bool {
    Path::new(user).is_absolute() && !Path::new(user).is_dir()
}
