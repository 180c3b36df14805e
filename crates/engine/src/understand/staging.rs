//! The files of a run, put in place together: each is written beside the one that it replaces, and none takes its place
//! before all are there. So a full disk leaves the files of the run before. What a killed process left half done is known by
//! a journal in the cache, and is cleared away by whoever comes next to write the same files.

use std::path::{Path, PathBuf};

use becket_project::files::{self, FileError, Folders, Staged};
use becket_project::share::each;

use super::session::output_files;
use super::site::Site;
use super::written::{MANY_PAGES, read};

const JOURNAL: &str = "staged";

/// What is about to be put into a folder, until it is dropped.
#[derive(Debug)]
pub(super) struct Staging {
    journal: PathBuf,
}

impl Staging {
    /// `paths` are relative to the folder. The caller holds the lock of the folder.
    pub(super) fn begin(site: &Site, folder: &Path, paths: &[&str]) -> Result<Self, FileError> {
        let text = paths.join("\0");
        let write = |journal: PathBuf| {
            files::write_derived(&journal, text.as_bytes())?;
            Ok(Self { journal })
        };
        let (cache, beside) = output_files(site, JOURNAL, folder);
        match (write(cache), beside) {
            (Err(error), Some(beside)) => write(beside).map_err(|_: FileError| error),
            (begun, _) => begun,
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        _ = files::remove(&self.journal);
    }
}

/// Each takes its place, unless its folder is gone; how many did.
pub(super) fn put(staged: Vec<Staged>, folders: &Folders<'_>) -> Result<usize, FileError> {
    let put = |one: Staged| match one.put() {
        Err(error) if folders.is_gone(&error) => Ok(0),
        put => put.map(|()| 1),
    };
    each(staged, MANY_PAGES, put).into_iter().sum()
}

/// Clears away what a process that was killed has staged in a folder. The caller holds its lock.
pub(super) fn clear(site: &Site, folder: &Path) {
    let (cache, beside) = output_files(site, JOURNAL, folder);
    for journal in std::iter::once(cache).chain(beside) {
        let Some(paths) = read(&journal) else { continue };
        let left = paths.split('\0').flat_map(|path| files::half_written(&folder.join(path)));
        for path in left {
            _ = files::remove(&path);
        }
        _ = files::remove(&journal);
    }
}
