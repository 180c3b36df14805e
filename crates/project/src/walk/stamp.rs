//! What the file system says of a file without reading it. Equal stamps mean "not touched since", with the one hazard
//! that a clock tick is not infinitely short; who keeps stamps has to mind it.
#![allow(clippy::disallowed_methods, reason = "asks the disk for stamps")]

use std::fs::Metadata;
use std::time::UNIX_EPOCH;

use becket_base::codec::{Decoder, Encoder};

/// Size, times and identity of a file or folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
    /// Nanoseconds since 1970; 0 where the system has no such time.
    pub changed: i64,
    /// 0 where the system does not tell.
    pub inode: u64,
}

impl Stamp {
    pub fn of(metadata: &Metadata) -> Self {
        let modified = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            .and_then(|since| i64::try_from(since.as_nanos()).ok())
            .unwrap_or_default();
        let (changed, inode) = identity(metadata);
        Self { size: metadata.len(), modified, changed, inode }
    }

    pub fn encode(self, encoder: &mut Encoder) {
        encoder.word(self.size);
        encoder.bytes.extend(self.modified.to_le_bytes());
        encoder.bytes.extend(self.changed.to_le_bytes());
        encoder.word(self.inode);
    }

    pub fn decode(decoder: &mut Decoder<'_>) -> Option<Self> {
        Some(Self {
            size: decoder.word()?,
            modified: i64::from_le_bytes(decoder.array()?),
            changed: i64::from_le_bytes(decoder.array()?),
            inode: decoder.word()?,
        })
    }
}

/// The stamp of a file now; `None` where there is none.
pub fn stamp_of(path: &std::path::Path) -> Option<Stamp> {
    fs_err::symlink_metadata(path).ok().filter(Metadata::is_file).map(|metadata| Stamp::of(&metadata))
}

/// A digest of the names in a folder, in whatever order they come. What becket itself writes into folders is left out,
/// so that its own output does not look like news.
pub fn names_digest<'a>(names: impl Iterator<Item = &'a str>) -> u64 {
    names.filter(|name| !is_output(name)).fold(0, |sum: u64, name| {
        let digest = blake3::hash(name.as_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&digest.as_bytes()[..8]);
        // A sum does not depend on the order, which no file system promises.
        sum.wrapping_add(u64::from_le_bytes(first))
    })
}

/// Whether becket writes files of this name.
pub(crate) fn is_output(name: &str) -> bool {
    let context = |ending: &str| {
        name == format!("context.{ending}") || (name.starts_with("context_") && name.ends_with(ending))
    };
    let temporary =
        name.starts_with('.') && std::path::Path::new(name).extension().is_some_and(|it| it == "tmp");
    context("json") || context("toon") || context("ndjson") || temporary
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (i64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec()), metadata.ino())
}

#[cfg(not(unix))]
fn identity(_metadata: &Metadata) -> (i64, u64) {
    (0, 0)
}
