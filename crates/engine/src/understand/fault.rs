//! What is said of context files that are not there, that may not be read, or that may not be written.

use std::io;
use std::path::Path;

use becket_project::files::{self, FileError};

use super::written::{INDEX, LARGEST};
use crate::Error;
use crate::repository::sentence;

/// What is said of a file that is there and has no text.
pub(super) const NO_TEXT: &str = "it is no file with text in UTF-8";

/// Why a file that the index lists has no text.
pub(super) fn without_text(path: &Path) -> Error {
    let why = if path.exists() { NO_TEXT } else { "it is listed in context_main.json and not there" };
    forbidden(path).unwrap_or_else(|| unreadable(path, why))
}

/// That a file has no text for its permissions alone: it may be sound.
pub(super) fn forbidden(path: &Path) -> Option<Error> {
    files::read(path, LARGEST).err().and_then(|error| denied(path, &error))
}

pub(super) fn denied(path: &Path, error: &FileError) -> Option<Error> {
    let FileError::Failed { source, .. } = error else { return None };
    (source.kind() == io::ErrorKind::PermissionDenied).then(|| {
        let path = path.display();
        Error::denied("context_denied", format!("{path} may not be read: permission denied.")).with_hint(
            "Give yourself the right to read it (`ls -l` says who has it), or run becket as its owner.",
        )
    })
}

/// Why there is no index to be read in a project's folder, in the seed's words: clients look for them.
pub(super) fn no_index(folder: &Path) -> Error {
    lost_index(folder).unwrap_or_else(|| {
        let folder = folder.display();
        Error::not_found(
            "context_missing",
            format!(
                "context_main.json not found in {folder}. Run 'stamp context' or 'logicstamp_refresh_snapshot' first to \
                 generate context files, or use forceRegenerate: true to regenerate automatically."
            ),
        )
        .with_hint(
            "Before edits, call logicstamp_refresh_snapshot or run `becket context`; after them, compare with baseline \
             \"git:HEAD\".",
        )
    })
}

/// The same to whoever types commands.
pub(super) fn no_index_yet(folder: &Path) -> Error {
    lost_index(folder).unwrap_or_else(|| {
        let message = format!("There is no context_main.json in {}.", folder.display());
        Error::not_found("context_missing", message).with_hint(
            "`becket context`, run before edits, writes one; after them, compare with the last commit: `--baseline git:HEAD`.",
        )
    })
}

/// The same of a folder that was named as something to compare with, into which nobody else writes one.
pub(super) fn no_baseline(folder: &Path) -> Error {
    lost_index(folder).unwrap_or_else(|| {
        let folder = folder.display();
        Error::not_found("context_missing", format!("There is no context_main.json in {folder}.")).with_hint(
            format!(
                "`becket context --out {folder}`, run before edits, writes one there; a commit is compared with as git:<ref>."
            ),
        )
    })
}

/// Why an index that is there is none.
fn lost_index(folder: &Path) -> Option<Error> {
    let index = folder.join(INDEX);
    let damaged = || {
        unreadable(&index, "it is no index of LogicStamp")
            .with_hint("Mend it, or delete it and run `becket context` to write it anew.")
    };
    forbidden(&index).or_else(|| index.is_file().then(damaged))
}

pub(super) fn unreadable(path: &Path, why: &str) -> Error {
    Error::invalid("context_unreadable", format!("{} cannot be read: {why}.", path.display()))
        .with_hint("Run `becket context` to write it anew.")
}

pub(super) fn not_written(error: FileError) -> Error {
    unwritten(error, "Rename it, or have the context files written elsewhere: `becket context --out FOLDER`.")
}

/// The same of what has its place, whatever stands there.
pub(super) fn not_put(error: FileError) -> Error {
    unwritten(error, "Rename it or move it away: what becket writes there can have no other name.")
}

/// `taken` is the next step where something else has the name.
fn unwritten(error: FileError, taken: &'static str) -> Error {
    let hint = match &error {
        FileError::NotAFile { .. } | FileError::NotAFolder { .. } | FileError::Link { .. } => taken,
        _ => unless_full(&error, "Check the permissions of the folder."),
    };
    Error::unavailable("not_writable", sentence(&error.to_string())).with_hint(hint).with_source(error)
}

/// What to do about something that could not be written: `hint`, unless there was no room for it.
pub(super) fn unless_full(error: &(dyn std::error::Error + 'static), hint: &'static str) -> &'static str {
    let is_full = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref().is_some_and(|cause: &io::Error| {
            matches!(cause.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
        })
    };
    if std::iter::successors(Some(error), |cause| cause.source()).any(is_full) {
        "The disk is full: make room and do it again. What was written before is still there."
    } else {
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_not_be_read_is_not_called_damaged() {
        let path = Path::new("context_main.json");
        let failed = |kind: io::ErrorKind| FileError::Failed {
            path: path.to_owned(),
            action: "read",
            source: kind.into(),
        };
        let told = denied(path, &failed(io::ErrorKind::PermissionDenied)).unwrap();
        assert_eq!(told.code(), "context_denied");
        assert!(told.message().ends_with("may not be read: permission denied."), "{told}");
        assert!(told.hint().is_some());
        assert!(denied(path, &failed(io::ErrorKind::Other)).is_none());
        assert!(denied(path, &FileError::NotAFile { path: path.to_owned() }).is_none());
    }
}
