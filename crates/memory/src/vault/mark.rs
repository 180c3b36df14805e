//! The high-water mark: the first number that this clone never gave out, so that none is given twice even after a
//! deletion. It also remembers what the folder looked like then, which spares reading it before every create.
//!
//! Losing the file loses nothing that the folder, the log and Git's history do not also tell.

use std::{
    io::{Read, Seek, SeekFrom, Write},
    path::Path,
    time::UNIX_EPOCH,
};

use fs_err as fs;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) next: u64,
    /// When the folder last gained or lost a file, in nanoseconds; that of one worktree.
    pub(super) folder_changed: u128,
    pub(super) log_length: u64,
}

/// The file of the mark, held open while the lock is.
#[derive(Debug)]
pub(super) struct MarkFile {
    file: fs::File,
}

impl MarkFile {
    pub(super) fn open(state: &Path) -> std::io::Result<Self> {
        let path = state.join("mark");
        let mut options = fs::OpenOptions::new();
        let options = options.create(true).truncate(false).read(true).write(true);
        let file = becket_fence::open(&path, options)?;
        Ok(Self { file })
    }

    /// Nothing when there is none yet, or it was damaged.
    pub(super) fn load(&mut self) -> std::io::Result<Option<Mark>> {
        let mut text = String::new();
        self.file.seek(SeekFrom::Start(0))?;
        if self.file.read_to_string(&mut text).is_err() {
            return Ok(None);
        }
        let mut words = text.split_whitespace();
        let mark = (|| {
            Some(Mark {
                next: words.next()?.parse().ok()?,
                folder_changed: words.next()?.parse().ok()?,
                log_length: words.next()?.parse().ok()?,
            })
        })();
        Ok(mark.filter(|_| words.next() == Some("end")))
    }

    /// One write of a fixed length, so that a process killed here leaves the old mark or the new one.
    pub(super) fn store(&mut self, mark: Mark) -> std::io::Result<()> {
        let line = format!("{:020} {:040} {:020} end\n", mark.next, mark.folder_changed, mark.log_length);
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(line.as_bytes())
    }
}

/// When a folder last gained or lost a file; zero where the system cannot tell, which never equals a stored mark.
pub(super) fn folder_changed(directory: &Path) -> u128 {
    fs::metadata(directory)
        .and_then(|metadata| metadata.modified())
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .map_or(0, |duration| duration.as_nanos())
}
