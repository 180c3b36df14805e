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

/// The coarsest clock of a file system that is in use: what was written this shortly before it was read may have been
/// written again within the same tick.
pub(crate) const TICK: i64 = 2_000_000_000;

impl Vault {
    pub(crate) fn stamps(&self) -> Stamps<'_> {
        Stamps::new(&self.directory)
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
pub(crate) use unix::Stamps;

#[cfg(not(unix))]
pub(crate) use elsewhere::Stamps;

#[cfg(unix)]
mod unix {
    use std::{fs::Metadata, os::fd::OwnedFd, os::unix::fs::MetadataExt, path::Path};

    use rustix::fs::{AtFlags, Mode, OFlags, Stat, open, statat};

    use super::FileStamp;

    /// The folder, for many questions in a row: its own path is walked once.
    #[derive(Debug)]
    pub(crate) struct Stamps<'a> {
        directory: &'a Path,
        open: Option<OwnedFd>,
    }

    impl<'a> Stamps<'a> {
        pub(super) fn new(directory: &'a Path) -> Self {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Self { directory, open: open(directory, flags, Mode::empty()).ok() }
        }

        /// Nothing if it is not there or its times are not known.
        pub(crate) fn of(&self, file: &str) -> Option<FileStamp> {
            match &self.open {
                Some(folder) => from_stat(&statat(folder, file, AtFlags::SYMLINK_NOFOLLOW).ok()?),
                None => super::of_path(&self.directory.join(file)),
            }
        }
    }

    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_fallible_conversions,
        reason = "these numbers have other types on other systems"
    )]
    fn from_stat(stat: &Stat) -> Option<FileStamp> {
        let modified =
            nanoseconds(i64::try_from(stat.st_mtime).ok()?, i64::try_from(stat.st_mtime_nsec).ok()?);
        let changed =
            nanoseconds(i64::try_from(stat.st_ctime).ok()?, i64::try_from(stat.st_ctime_nsec).ok()?);
        Some(FileStamp { modified, changed, size: u64::try_from(stat.st_size).ok()? })
    }

    pub(super) fn changed(metadata: &Metadata) -> i64 {
        nanoseconds(metadata.ctime(), metadata.ctime_nsec())
    }

    fn nanoseconds(seconds: i64, rest: i64) -> i64 {
        seconds.saturating_mul(1_000_000_000).saturating_add(rest)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn both_ways_of_asking_agree() {
            let folder = tempfile::tempdir().unwrap();
            fs_err::write(folder.path().join("00001.md"), "text").unwrap();
            let stamps = Stamps::new(folder.path());
            let without = Stamps { directory: folder.path(), open: None };
            assert!(stamps.open.is_some() && stamps.of("00001.md").is_some());
            assert_eq!(stamps.of("00001.md"), without.of("00001.md"));
            assert_eq!((stamps.of("00002.md"), without.of("00002.md")), (None, None));
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::{fs::Metadata, path::Path};

    use super::FileStamp;

    /// The folder, for many questions in a row.
    #[derive(Debug)]
    pub(crate) struct Stamps<'a> {
        directory: &'a Path,
    }

    impl<'a> Stamps<'a> {
        pub(super) fn new(directory: &'a Path) -> Self {
            Self { directory }
        }

        /// Nothing if it is not there or its times are not known.
        pub(crate) fn of(&self, file: &str) -> Option<FileStamp> {
            super::of_path(&self.directory.join(file))
        }
    }

    pub(super) fn changed(_metadata: &Metadata) -> i64 {
        0
    }
}

#[cfg(not(unix))]
use elsewhere::changed;
#[cfg(unix)]
use unix::changed;

fn of_path(path: &Path) -> Option<FileStamp> {
    FileStamp::from_metadata(&fs::symlink_metadata(path).ok()?)
}
