//! A file that may be edited: resolved through its links, inside an allowed folder, small enough and text. Reads only.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::SetupError;
use crate::canonical::canonical;
use crate::files::{self, FileError};

/// No host's settings come near this; a larger file is something else.
pub(super) const LARGEST: u64 = 8 << 20;

#[derive(Debug)]
pub(super) struct Target {
    /// As people name it.
    pub(super) path: PathBuf,
    /// Where the bytes are, all links followed; a link stays a link when this is written.
    pub(super) real: PathBuf,
    pub(super) current: Option<String>,
    /// The folders that would have to be made, outermost first.
    pub(super) missing_folders: Vec<PathBuf>,
}

impl Target {
    /// Reads the file, which has to stand inside one of the allowed folders.
    pub(super) fn read(path: &Path, allowed: &[PathBuf]) -> Result<Self, SetupError> {
        let (real, missing_folders) = resolve(path)?;
        let inside = allowed.iter().filter_map(|folder| canonical(folder).ok());
        if !inside.into_iter().any(|folder| real.starts_with(folder)) {
            let allowed = allowed.first().cloned().unwrap_or_default();
            return Err(SetupError::Outside { path: path.to_owned(), target: real, allowed });
        }
        let current = if missing_folders.is_empty() { read_text(&real)? } else { None };
        Ok(Self { path: path.to_owned(), real, current, missing_folders })
    }

    /// Tells while planning what the writing would find out too late.
    pub(super) fn check_writable(&self) -> Result<(), SetupError> {
        let read_only = fs_err::metadata(&self.real).is_ok_and(|metadata| metadata.permissions().readonly());
        if read_only { Err(FileError::ReadOnly { path: self.path.clone() }.into()) } else { Ok(()) }
    }
}

/// Whether something is there, a dangling link included.
pub(super) fn exists(path: &Path) -> bool {
    fs_err::symlink_metadata(path).is_ok()
}

/// The folder and those above it that would have to be made, outermost first.
pub(super) fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let missing = folder.ancestors().take_while(|folder| !exists(folder)).map(Path::to_owned);
    let mut missing: Vec<PathBuf> = missing.collect();
    missing.reverse();
    missing
}

pub(super) fn read_text(path: &Path) -> Result<Option<String>, SetupError> {
    let Some(bytes) = files::read(path, LARGEST)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|error| SetupError::NotText {
        path: path.to_owned(),
        offset: error.utf8_error().valid_up_to(),
    })
}

/// The place behind all links, and the folders on the way that do not exist yet.
fn resolve(path: &Path) -> Result<(PathBuf, Vec<PathBuf>), SetupError> {
    let mut existing = path;
    let mut below = Vec::new();
    while !exists(existing) {
        match (existing.parent(), existing.file_name()) {
            (Some(parent), Some(name)) => {
                below.push(name);
                existing = parent;
            }
            _ => break,
        }
    }
    let mut real = canonical(existing).map_err(|error| match error.kind() {
        ErrorKind::NotFound => SetupError::DanglingLink { path: existing.to_owned() },
        _ => SetupError::io(existing)(error),
    })?;
    if !below.is_empty() && !real.is_dir() {
        return Err(SetupError::NotAFolder { path: existing.to_owned() });
    }
    let mut missing = Vec::new();
    for (index, name) in below.iter().enumerate().rev() {
        real.push(name);
        if index > 0 {
            missing.push(real.clone());
        }
    }
    Ok((real, missing))
}
