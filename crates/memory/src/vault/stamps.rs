//! When files of the vault were last written, asked for thousands at a time.
#![allow(clippy::disallowed_methods, reason = "asks for the times of files under .context/")]

use std::{
    fs::Metadata,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use fs_err as fs;

use super::Vault;

/// Two equal stamps of one file mean equal content, if the file was read long enough after it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// Nanoseconds.
    modified: i64,
    /// When anything about the file last changed, which no program can set back; where the system tells.
    changed: i64,
    size: u64,
}

/// The folder, for many questions in a row.
#[derive(Debug)]
pub(crate) struct Stamps<'a> {
    directory: &'a Path,
}

/// The coarsest clock of a file system that is in use: what was written this shortly before it was read may have been
/// written again within the same tick.
pub(crate) const TICK: i64 = 2_000_000_000;

impl Vault {
    pub(crate) fn stamps(&self) -> Stamps<'_> {
        Stamps { directory: &self.directory }
    }
}

impl Stamps<'_> {
    /// Nothing if it is not there or its times are not known.
    pub(crate) fn of(&self, file: &str) -> Option<FileStamp> {
        FileStamp::from_metadata(&fs::symlink_metadata(self.directory.join(file)).ok()?)
    }
}

impl FileStamp {
    pub(crate) fn from_metadata(metadata: &Metadata) -> Option<Self> {
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(Self {
            modified: i64::try_from(modified).ok()?,
            changed: changed(metadata),
            size: metadata.len(),
        })
    }

    /// This moment, by the clock that files are stamped with: that of the machine, whatever clock entries are dated by.
    pub(crate) fn now() -> i64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(now.as_nanos()).unwrap_or(i64::MAX)
    }

    /// Whether the file was left alone for a while before `moment`.
    pub(crate) fn is_older_than(&self, moment: i64) -> bool {
        self.modified.max(self.changed) < moment.saturating_sub(TICK)
    }
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed(_metadata: &Metadata) -> i64 {
    0
}
