//! What the file system says of a file without reading it. Equal stamps mean "not touched since", with the one hazard
//! that a clock tick is not infinitely short; who keeps stamps has to mind it.
#![allow(clippy::disallowed_methods, reason = "asks the disk for stamps")]

use std::fs::Metadata;
use std::io;
#[cfg(not(unix))]
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use becket_base::codec::{Decoder, Encoder};
use xxhash_rust::xxh3::xxh3_64;

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

/// A folder that many files below it are asked for: the way to it is gone once.
#[derive(Debug)]
pub struct Below<'a> {
    root: &'a Path,
    #[cfg(unix)]
    folder: Option<std::os::fd::OwnedFd>,
}

impl<'a> Below<'a> {
    #[cfg(unix)]
    pub fn new(root: &'a Path) -> Self {
        use rustix::fs::{CWD, Mode, OFlags, openat};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Self { root, folder: openat(CWD, root, flags, Mode::empty()).ok() }
    }

    #[cfg(not(unix))]
    pub fn new(root: &'a Path) -> Self {
        Self { root }
    }

    /// The stamp of a file; `None` where there is none, or something else.
    pub fn file(&self, path: &str) -> Option<Stamp> {
        #[cfg(unix)]
        if let Some(folder) = &self.folder {
            use rustix::fs::{AtFlags, FileType, statat};
            let stat = statat(folder, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
            return is_file.then(|| Stamp {
                size: u64::try_from(stat.st_size).unwrap_or_default(),
                modified: nanoseconds(stat.st_mtime, stat.st_mtime_nsec).max(0),
                changed: nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
                inode: stat.st_ino,
            });
        }
        stamp_of(&self.root.join(path))
    }
}

impl Below<'_> {
    /// Adds the bytes of a file to `bytes`, one more than `limit` at most. Nobody is asked how large it is: there is room for
    /// almost any.
    #[cfg(unix)]
    pub fn read(&self, path: &str, limit: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        use rustix::buffer::spare_capacity;
        use rustix::fs::{CWD, Mode, OFlags, openat};
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = match &self.folder {
            Some(folder) => openat(folder, path, flags, Mode::empty())?,
            None => openat(CWD, self.root.join(path), flags, Mode::empty())?,
        };
        let most = usize::try_from(limit).unwrap_or(usize::MAX).saturating_add(1);
        while bytes.len() < most {
            if bytes.capacity() - bytes.len() < LEAST_ROOM {
                bytes.reserve(bytes.capacity().max(ROOM));
            }
            match rustix::io::read(&file, spare_capacity(bytes)) {
                Ok(0) => break,
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        bytes.truncate(most);
        Ok(())
    }

    #[cfg(not(unix))]
    pub fn read(&self, path: &str, limit: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        let file = fs_err::File::open(self.root.join(path))?;
        file.file().take(limit.saturating_add(1)).read_to_end(bytes).map(|_| ())
    }
}

/// Bytes that most files do not have, and how much room there must be to ask for more.
#[cfg(unix)]
const ROOM: usize = 64 * 1024;
#[cfg(unix)]
const LEAST_ROOM: usize = 4 * 1024;

/// The stamp of a file now; `None` where there is none.
pub fn stamp_of(path: &Path) -> Option<Stamp> {
    fs_err::symlink_metadata(path).ok().filter(Metadata::is_file).map(|metadata| Stamp::of(&metadata))
}

/// The same of a file that no walk came to: the way to it leads through folders alone, as that of all others does.
pub(crate) fn unlisted_stamp(root: &Path, path: &str) -> Option<Stamp> {
    let mut folders = path.match_indices('/').map(|(end, _)| root.join(&path[..end]));
    let is_folder = |folder: PathBuf| fs_err::symlink_metadata(folder).is_ok_and(|it| it.is_dir());
    folders.all(is_folder).then(|| stamp_of(&root.join(path))).flatten()
}

/// A digest of the names in a folder, in whatever order they come. What becket itself writes into folders is left out,
/// so that its own output does not look like news.
pub fn names_digest<'a>(names: impl Iterator<Item = &'a str>) -> u64 {
    names.filter(|name| !is_output(name)).fold(0, |sum: u64, name| {
        // A sum does not depend on the order, which no file system promises.
        sum.wrapping_add(xxh3_64(name.as_bytes()))
    })
}

/// Whether becket writes files of this name.
pub fn is_output(name: &str) -> bool {
    let context = |ending: &str| {
        name.strip_prefix("context.") == Some(ending)
            || (name.starts_with("context_") && name.ends_with(ending))
    };
    let temporary = name.starts_with('.') && Path::new(name).extension().is_some_and(|it| it == "tmp");
    context("json") || context("toon") || context("ndjson") || temporary
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (i64, u64) {
    use std::os::unix::fs::MetadataExt;
    (nanoseconds(metadata.ctime(), metadata.ctime_nsec()), metadata.ino())
}

/// Systems count parts of seconds with or without a sign.
#[cfg(unix)]
fn nanoseconds(seconds: i64, rest: impl TryInto<i64>) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest.try_into().unwrap_or_default())
}

#[cfg(not(unix))]
fn identity(_metadata: &Metadata) -> (i64, u64) {
    (0, 0)
}
