//! Whether a path still leads to the file that was opened.

use std::fs::Metadata;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity(u64, u64);

impl Identity {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        fs_err::metadata(path).ok().map(|metadata| Self::read(&metadata))
    }

    #[cfg(unix)]
    fn read(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(metadata.dev(), metadata.ino())
    }

    /// An open database cannot be removed there; one that was replaced has another time of making.
    #[cfg(not(unix))]
    fn read(metadata: &Metadata) -> Self {
        let made = metadata.created().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Self(0, made.map_or(0, |made| u64::try_from(made.as_nanos()).unwrap_or(0)))
    }
}

/// What tells two contents of a file apart without reading them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stat(Option<(u64, Option<std::time::SystemTime>)>);

impl Stat {
    pub(crate) fn of(path: &Path) -> Self {
        Self(fs_err::metadata(path).ok().map(|metadata| (metadata.len(), metadata.modified().ok())))
    }
}
