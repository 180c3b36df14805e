//! What an edit starts from, whether it may be made, and what is remembered of it. Knows texts and records, no disk.

use std::path::Path;

use serde_json::Value;

use super::document::{DocumentError, Form, Slot};
use super::error::SetupError;
use super::plan::Replace;
use super::record::{Exact, FileRecord, Standing};
use super::target::Target;

/// The text that an edit starts from: what was there before our last edit where that is known, else what is there.
pub(super) struct Baseline<'a> {
    pub(super) text: Option<String>,
    pub(super) undone: bool,
    recorded: Option<&'a FileRecord>,
}

pub(super) enum Decision {
    Same,
    Theirs { found: Value },
    Write(Write),
}

pub(super) struct Write {
    pub(super) text: String,
    /// What stands in the slot and is replaced.
    pub(super) found: Option<Value>,
    pub(super) new_containers: usize,
}

impl<'a> Baseline<'a> {
    pub(super) fn of(current: Option<&str>, recorded: Option<&'a FileRecord>) -> Self {
        match recorded.map(|record| record.standing(current)) {
            Some(Standing::After(text)) => Self { text, undone: true, recorded },
            _ => Self::as_it_is(current, recorded),
        }
    }

    /// The text under an edit that others of ours stood on.
    pub(super) fn under(text: Option<String>, recorded: &'a FileRecord) -> Self {
        Self { text, undone: true, recorded: Some(recorded) }
    }

    /// The text as it is, though it is known what was written there once.
    pub(super) fn as_it_is(current: Option<&str>, recorded: Option<&'a FileRecord>) -> Self {
        Self { text: current.map(str::to_owned), undone: false, recorded }
    }

    fn is_our_entry(&self, found: &Value) -> bool {
        self.recorded.is_some_and(|record| record.entry == *found)
    }

    /// Folders are recorded by the way that people name them, and those of an interrupted init are still ours.
    pub(super) fn created_folders(
        &self,
        target: &Target,
        spell: impl Fn(&Path) -> Result<String, SetupError>,
    ) -> Result<Vec<String>, SetupError> {
        let mut folders = self.recorded.map(|record| record.created_folders.clone()).unwrap_or_default();
        let mut missing: Vec<&Path> =
            target.path.ancestors().skip(1).take(target.missing_folders.len()).collect();
        missing.reverse();
        for folder in missing {
            let folder = spell(folder)?;
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        Ok(folders)
    }

    pub(super) fn record(
        &self,
        owner: &str,
        path: String,
        created_folders: Vec<String>,
        (slot, entry): (Slot, Value),
        write: Write,
    ) -> FileRecord {
        let mut record = FileRecord {
            owner: owner.to_owned(),
            path,
            slot,
            entry,
            replaced: write.found,
            new_containers: write.new_containers,
            created_file: self.text.is_none(),
            created_folders,
            exact: Some(Exact::between(self.text.as_deref(), &write.text)),
        };
        if let (Some(old), false) = (self.recorded, self.undone) {
            // Others have edited the file since: what the first edit made stays known.
            record.created_file |= old.created_file;
            record.new_containers = record.new_containers.max(old.new_containers);
            if record.replaced.as_ref() == Some(&old.entry) {
                record.replaced.clone_from(&old.replaced);
                record.exact = None;
            }
        }
        record
    }
}

pub(super) fn decide(
    baseline: &Baseline<'_>,
    slot: &Slot,
    entry: &Value,
    replace: Replace,
) -> Result<Decision, DocumentError> {
    let text = baseline.text.as_deref().unwrap_or_default();
    let found = slot.find(text)?;
    if let Some(found) = &found {
        if found == entry && !baseline.undone {
            return Ok(Decision::Same);
        }
        // What stands between the markers of a block is ours by their word; an entry may be the user's work.
        let ours = slot.form == Form::Markdown || baseline.undone || baseline.is_our_entry(found);
        if !ours && replace == Replace::Keep {
            return Ok(Decision::Theirs { found: found.clone() });
        }
    }
    let edited = slot.put(text, entry)?;
    Ok(Decision::Write(Write { text: edited.text, found, new_containers: edited.new_containers }))
}
