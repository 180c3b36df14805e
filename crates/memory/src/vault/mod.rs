//! The folder `.context/`: opening it safely, reading its configuration, its log and its entries. Owns every access to
//! the files in it; writing is in [`create`] and [`init`], and no other module opens them.
#![allow(clippy::disallowed_methods, reason = "this module owns the files under .context/")]

mod create;
mod exclusion;
mod init;
mod listing;
mod mark;
mod renumber;

use std::{
    io,
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
pub use listing::{Listed, Listing, Problem, Stray};
pub use renumber::Move;

/// A vault that exists.
#[derive(Debug, Clone)]
pub struct Vault {
    directory: PathBuf,
    /// Private to this clone and shared by its worktrees: the lock and the high-water mark.
    state: PathBuf,
}

/// The log as it was when last read.
#[derive(Debug, Default)]
pub struct CachedLog {
    pub log: Log,
    stamp: Option<(u64, SystemTime)>,
    /// Length and digest of what `log` holds.
    digest: Option<(usize, blake3::Hash)>,
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
        let directory = canonical(&directory)?;
        if !directory.starts_with(canonical(root)?) {
            return Err(VaultError::Unfit { path: directory, problem: "it leads outside the workspace" });
        }
        Ok(Self { directory, state: state.to_owned() })
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
        match read(&path)? {
            None => Err(VaultError::ConfigMissing { path }),
            Some(bytes) => {
                let text = String::from_utf8(bytes).map_err(|_| VaultError::ConfigNotText { path })?;
                Ok(Config::parse(&text)?)
            }
        }
    }

    pub fn log(&self) -> Result<Log, VaultError> {
        Ok(Log::parse(&read(&self.directory.join(LOG_FILE))?.unwrap_or_default()))
    }

    /// Brings a log that was read before in step with the file. Lines that were only added are read alone.
    pub fn refresh_log(&self, cached: &mut CachedLog) -> Result<(), VaultError> {
        let path = self.directory.join(LOG_FILE);
        let stamp =
            fs::metadata(&path).ok().and_then(|metadata| Some((metadata.len(), metadata.modified().ok()?)));
        if stamp.is_some() && stamp == cached.stamp {
            return Ok(());
        }
        let bytes = read(&path)?.unwrap_or_default();
        let known = cached.digest.as_ref().is_some_and(|(length, digest)| {
            bytes
                .get(..*length)
                .is_some_and(|before| before.ends_with(b"\n") && blake3::hash(before) == *digest)
        });
        let start = if known { cached.digest.as_ref().map_or(0, |(length, _)| *length) } else { 0 };
        if !known {
            cached.log = Log::default();
            cached.lines = 0;
        }
        cached.log.extend(&bytes[start..], cached.lines);
        cached.lines += bytes[start..].split(|byte| *byte == b'\n').count().saturating_sub(1);
        cached.digest = Some((bytes.len(), blake3::hash(&bytes)));
        cached.stamp = stamp;
        Ok(())
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
        fs::read(&path).map_err(failed)
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, VaultError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(VaultError::Read { path: path.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests;
