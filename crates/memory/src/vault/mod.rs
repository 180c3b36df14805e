//! The folder `.context/`: opening it safely, reading its configuration, its log and its entries. Owns every access to
//! the files in it; writing is in [`create`] and [`init`], and no other module opens them.
#![allow(clippy::disallowed_methods, reason = "this module owns the files under .context/")]

mod create;
mod exclusion;
mod init;
mod listing;
mod mark;
mod renumber;
mod stamps;

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    time::SystemTime,
};

use fs_err as fs;

use crate::{
    config::{Config, ConfigError},
    log::Log,
    naming::InvalidReference,
};

pub use create::{Draft, Written};
pub use init::{ConfigOutcome, Initialised};
pub use listing::{CachedListing, Listed, Listing, Problem, Stray};
pub use renumber::Move;
pub use stamps::FileStamp;

/// A vault that exists.
#[derive(Debug, Clone)]
pub struct Vault {
    /// No link in the vault may lead out of it.
    root: PathBuf,
    directory: PathBuf,
    /// Private to this clone and shared by its worktrees: the lock and the high-water mark.
    state: PathBuf,
}

/// The log as it was when last read.
#[derive(Debug, Default)]
pub struct CachedLog {
    pub log: Log,
    stamp: Option<(u64, SystemTime)>,
    /// How much of the file `log` holds, and how that ends.
    length: u64,
    end: Vec<u8>,
    lines: usize,
}

/// Why the vault did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    #[error("there is no {path}")]
    Missing { path: PathBuf },
    #[error("{path} is not a folder of its own: {problem}")]
    Unfit { path: PathBuf, problem: &'static str },
    #[error("there is no {path}")]
    ConfigMissing { path: PathBuf },
    #[error("{path} is not UTF-8")]
    ConfigNotText { path: PathBuf },
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Reference(#[from] InvalidReference),
    #[error("there is no entry {reference}")]
    NotFound { reference: String },
    #[error("{file} is not UTF-8")]
    NotText { file: String },
    #[error("{file} is {size} bytes long, more than the {most} that are read")]
    TooLarge { file: String, size: u64, most: u64 },
    #[error("{file} is {problem}, not an entry")]
    NotAnEntry { file: String, problem: &'static str },
    #[error("another process holds the lock on {path}")]
    Busy { path: PathBuf },
    #[error("no number is left after {last}")]
    NumbersExhausted { last: u64 },
    #[error("{path} could not be written")]
    Write { path: PathBuf, source: io::Error },
    #[error("{path} could not be read")]
    Read { path: PathBuf, source: io::Error },
}

pub(crate) const FOLDER: &str = ".context";
const CONFIG_FILE: &str = "config.json";
pub(crate) const LOG_FILE: &str = "log.jsonl";
/// Enough to tell whether a file goes on from what is known of it: events have times and digests in them.
const REMEMBERED_END: usize = 4 * 1024;
/// No entry is read beyond this, whatever put it there.
const MOST_READ: u64 = 16 * 1024 * 1024;

impl Vault {
    /// Opens the vault of a workspace. `state` is where the lock and the high-water mark live; it is made when first
    /// something is written.
    pub fn open(root: &Path, state: &Path) -> Result<Self, VaultError> {
        let directory = root.join(FOLDER);
        let metadata = fs::metadata(&directory).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => VaultError::Missing { path: directory.clone() },
            _ => VaultError::Read { path: directory.clone(), source },
        })?;
        if !metadata.is_dir() {
            return Err(VaultError::Unfit { path: directory, problem: "it is a file" });
        }
        let canonical = |path: &Path| {
            fs::canonicalize(path).map_err(|source| VaultError::Read { path: path.to_owned(), source })
        };
        // A link may lead elsewhere in the workspace, never out of it.
        let (directory, root) = (canonical(&directory)?, canonical(root)?);
        if !directory.starts_with(&root) {
            return Err(VaultError::Unfit { path: directory, problem: "it leads outside the workspace" });
        }
        Ok(Self { root, directory, state: state.to_owned() })
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// When a file last came to the folder or left it.
    pub fn stamp(&self) -> Option<SystemTime> {
        fs::metadata(&self.directory).and_then(|metadata| metadata.modified()).ok()
    }

    pub fn config(&self) -> Result<Config, VaultError> {
        let path = self.directory.join(CONFIG_FILE);
        match self.bytes_of(&path)? {
            None => Err(VaultError::ConfigMissing { path }),
            Some(bytes) => {
                let text = String::from_utf8(bytes).map_err(|_| VaultError::ConfigNotText { path })?;
                Ok(Config::parse(&text)?)
            }
        }
    }

    pub fn log(&self) -> Result<Log, VaultError> {
        Ok(Log::parse(&self.bytes_of(&self.directory.join(LOG_FILE))?.unwrap_or_default()))
    }

    /// Brings a log that was read before in step with the file. Lines that were only added are read alone.
    pub fn refresh_log(&self, cached: &mut CachedLog) -> Result<(), VaultError> {
        let path = self.directory.join(LOG_FILE);
        let stamp =
            fs::metadata(&path).ok().and_then(|metadata| Some((metadata.len(), metadata.modified().ok()?)));
        if stamp.is_some() && stamp == cached.stamp {
            return Ok(());
        }
        let (start, bytes) = match self.read_added(&path, cached)? {
            Some(added) => (cached.length, added),
            None => (0, self.bytes_of(&path)?.unwrap_or_default()),
        };
        if start == 0 {
            *cached = CachedLog::default();
        }
        cached.log.extend(&bytes, cached.lines);
        cached.lines += memchr::memchr_iter(b'\n', &bytes).count();
        cached.length = start + bytes.len() as u64;
        cached.end.extend_from_slice(&bytes);
        let surplus = cached.end.len().saturating_sub(REMEMBERED_END);
        cached.end.drain(..surplus);
        cached.stamp = stamp;
        Ok(())
    }

    /// What was added behind what is known; nothing if the file is no longer a continuation of it.
    fn read_added(&self, path: &Path, cached: &CachedLog) -> Result<Option<Vec<u8>>, VaultError> {
        use std::io::{Seek, SeekFrom};
        let failed = |source| VaultError::Read { path: path.to_owned(), source };
        if cached.length == 0 || !cached.end.ends_with(b"\n") {
            return Ok(None);
        }
        let mut file = match self.open_own(path, fs::OpenOptions::new().read(true)) {
            Ok(file) => file,
            Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(failed(source)),
        };
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(cached.length - cached.end.len() as u64)).map_err(failed)?;
        file.read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes.strip_prefix(cached.end.as_slice()).map(<[u8]>::to_vec))
    }

    /// The text of an entry, exactly as it is in the file.
    pub fn read(&self, entry: &Listed) -> Result<String, VaultError> {
        if let Some(problem) = entry.problem {
            return Err(VaultError::NotAnEntry { file: entry.file.clone(), problem: problem.describe() });
        }
        let bytes = self.read_bytes(&entry.file)?;
        String::from_utf8(bytes).map_err(|_| VaultError::NotText { file: entry.file.clone() })
    }

    pub fn read_bytes(&self, file: &str) -> Result<Vec<u8>, VaultError> {
        let path = self.directory.join(file);
        let failed = |source| VaultError::Read { path: path.clone(), source };
        let metadata = fs::symlink_metadata(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => VaultError::NotFound { reference: file.to_owned() },
            _ => failed(source),
        })?;
        if let Some(problem) = Problem::of(metadata.file_type()) {
            return Err(VaultError::NotAnEntry { file: file.to_owned(), problem: problem.describe() });
        }
        if metadata.len() > MOST_READ {
            return Err(VaultError::TooLarge {
                file: file.to_owned(),
                size: metadata.len(),
                most: MOST_READ,
            });
        }
        let mut bytes = Vec::new();
        let file = becket_fence::open(&path, fs::OpenOptions::new().read(true));
        file.and_then(|mut file| file.read_to_end(&mut bytes)).map_err(failed)?;
        Ok(bytes)
    }

    /// A file that is becket's and no entry: it may have come with a clone, as a link to anywhere.
    fn open_own(&self, path: &Path, options: &mut fs::OpenOptions) -> io::Result<fs::File> {
        becket_fence::open_inside(&self.root, path, options)
    }

    fn bytes_of(&self, path: &Path) -> Result<Option<Vec<u8>>, VaultError> {
        let mut bytes = Vec::new();
        let file = self.open_own(path, fs::OpenOptions::new().read(true));
        match file.and_then(|mut file| file.read_to_end(&mut bytes)) {
            Ok(_) => Ok(Some(bytes)),
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(VaultError::Read { path: path.to_owned(), source }),
        }
    }
}

#[cfg(test)]
mod tests;
