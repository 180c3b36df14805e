//! Following a path on the disk, one component at a time, and saying in which way it leads out.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::AdmitError;
use super::lexical::{LexicalError, Spelling, Style, spell};
use crate::canonical::canonical;
use crate::root::RootError;
use crate::shown::shown;

/// Where a path leads.
pub(super) struct Walked {
    /// As much of it as exists, canonical.
    pub(super) existing: PathBuf,
    /// All of it: below `existing` as it was written.
    pub(super) place: PathBuf,
}

/// Follows an argument on the disk, from `base` when it is relative, and refuses to end outside `root`.
pub(super) fn resolve(root: &Path, base: &Path, argument: &str) -> Result<Walked, AdmitError> {
    let refused = |source| match source {
        LexicalError::Escape => AdmitError::Escape { argument: shown(argument), root: root.to_owned() },
        source => AdmitError::Spelling { argument: shown(argument), source },
    };
    let (from, components) = match spell(argument, Style::NATIVE).map_err(refused)? {
        Spelling::Relative(components) => (base.to_owned(), components),
        Spelling::Absolute { anchor, components } => (PathBuf::from(anchor), components),
    };
    match walk(&from, &components, argument) {
        Ok(walked) if walked.existing.starts_with(root) => Ok(walked),
        result => Err(match outside(root, &from, &components, argument) {
            // What lies outside is not told apart: neither whether it exists nor whether it may be read.
            Some(outside) => outside,
            None => match result {
                Ok(_) if !root.is_dir() => AdmitError::Root {
                    argument: shown(argument),
                    source: RootError::Missing { path: root.to_owned() },
                },
                Ok(_) => AdmitError::LinkOutside { argument: shown(argument), root: root.to_owned() },
                Err(error) => error,
            },
        }),
    }
}

/// The refusal of an argument that is outside as it is spelled.
fn outside(root: &Path, from: &Path, components: &[String], argument: &str) -> Option<AdmitError> {
    let spelled = normal(from, components);
    if spelled.starts_with(root) {
        return None;
    }
    let unfolded: PathBuf = from.iter().chain(components.iter().map(OsStr::new)).collect();
    let same_beginning =
        spelled.as_os_str().as_encoded_bytes().starts_with(root.as_os_str().as_encoded_bytes());
    let (argument, root) = (shown(argument), root.to_owned());
    Some(if unfolded.starts_with(&root) {
        AdmitError::Escape { argument, root }
    } else if same_beginning {
        AdmitError::Sibling { argument, root }
    } else {
        AdmitError::Outside { argument, root }
    })
}

/// `..` taken back without asking the disk.
pub(super) fn normal(from: &Path, components: &[String]) -> PathBuf {
    let mut path = from.to_owned();
    for component in components {
        if component == ".." {
            path.pop();
        } else {
            path.push(component);
        }
    }
    path
}

/// Each component in turn, as the system would go: a link is replaced by where it leads before `..` is taken back.
fn walk(from: &Path, components: &[String], argument: &str) -> Result<Walked, AdmitError> {
    let unreadable = |source| AdmitError::Unreadable { argument: shown(argument), source };
    let mut existing = from.to_owned();
    let mut missing = Vec::new();
    for component in components {
        if component == ".." {
            if missing.pop().is_none() {
                existing.pop();
            }
            continue;
        }
        if !missing.is_empty() {
            missing.push(component.as_str());
            continue;
        }
        let next = existing.join(component);
        match fs_err::symlink_metadata(&next) {
            Ok(metadata) if metadata.is_symlink() => {
                existing = canonical(&next).map_err(|source| match source.kind() {
                    io::ErrorKind::NotFound => {
                        AdmitError::DanglingLink { argument: shown(argument), link: next }
                    }
                    _ => unreadable(source),
                })?;
            }
            Ok(_) => existing = next,
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(component.as_str()),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(AdmitError::NotAFolder { argument: shown(argument), path: existing });
            }
            Err(error) => return Err(unreadable(error)),
        }
    }
    // A system that does not tell cases apart has one true spelling of what exists.
    let existing = canonical(&existing).map_err(unreadable)?;
    let place = existing.iter().chain(missing.into_iter().map(OsStr::new)).collect();
    Ok(Walked { existing, place })
}
