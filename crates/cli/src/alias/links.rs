//! Links to the binary under the six other names. A file that is not our link is never touched.
#![allow(clippy::disallowed_methods, reason = "makes and removes links in a folder that the user names")]

use std::path::{Path, PathBuf};

use becket_engine::Error;
use becket_mcp::PERSONAS;
use serde::Serialize;

/// What happened to one name.
#[derive(Debug, Serialize)]
pub(crate) struct LinkReport {
    pub(crate) name: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) state: LinkState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LinkState {
    Made,
    AlreadyThere,
    Removed,
    Absent,
    /// Something else has this name: left alone.
    Occupied,
}

impl LinkState {
    pub(crate) fn words(self) -> &'static str {
        match self {
            LinkState::Made => "made",
            LinkState::AlreadyThere => "already there",
            LinkState::Removed => "removed",
            LinkState::Absent => "not there",
            LinkState::Occupied => "left alone: something else has this name",
        }
    }
}

pub(crate) fn install(binary: &Path, folder: &Path) -> Result<Vec<LinkReport>, Error> {
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
    each(folder, |path| match standing(binary, path) {
        Standing::Free => {
            link(binary, path).map(|()| LinkState::Made).map_err(|error| unwritable(path, error))
        }
        Standing::Ours => Ok(LinkState::AlreadyThere),
        Standing::Foreign => Ok(LinkState::Occupied),
    })
}

pub(crate) fn remove(binary: &Path, folder: &Path) -> Result<Vec<LinkReport>, Error> {
    each(folder, |path| match standing(binary, path) {
        Standing::Free => Ok(LinkState::Absent),
        Standing::Ours => {
            std::fs::remove_file(path).map(|()| LinkState::Removed).map_err(|error| unwritable(path, error))
        }
        Standing::Foreign => Ok(LinkState::Occupied),
    })
}

fn each(
    folder: &Path,
    mut act: impl FnMut(&Path) -> Result<LinkState, Error>,
) -> Result<Vec<LinkReport>, Error> {
    PERSONAS
        .iter()
        .map(|persona| {
            let path = folder.join(format!("{}{}", persona.name, std::env::consts::EXE_SUFFIX));
            let state = act(&path)?;
            Ok(LinkReport { name: persona.name, path, state })
        })
        .collect()
}

enum Standing {
    Free,
    Ours,
    Foreign,
}

fn standing(binary: &Path, path: &Path) -> Standing {
    if path.symlink_metadata().is_err() {
        return Standing::Free;
    }
    if same_file(binary, path) { Standing::Ours } else { Standing::Foreign }
}

#[cfg(unix)]
fn link(binary: &Path, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(binary, path)
}

/// Symbolic links need a privilege on Windows; a hard link does not.
#[cfg(not(unix))]
fn link(binary: &Path, path: &Path) -> std::io::Result<()> {
    std::fs::hard_link(binary, path)
}

#[cfg(unix)]
fn same_file(binary: &Path, path: &Path) -> bool {
    let target = |path: &Path| path.canonicalize().ok();
    // Only a link is ours to remove: never the binary itself.
    path.symlink_metadata().is_ok_and(|data| data.file_type().is_symlink()) && target(path) == target(binary)
}

#[cfg(not(unix))]
fn same_file(binary: &Path, path: &Path) -> bool {
    match (std::fs::read(binary), std::fs::read(path)) {
        (Ok(left), Ok(right)) => left == right,
        _ => false,
    }
}

fn unwritable(path: &Path, error: std::io::Error) -> Error {
    Error::denied("not_writable", format!("{} cannot be written.", path.display()))
        .with_hint("Choose another folder with --dir.")
        .with_source(error)
}
