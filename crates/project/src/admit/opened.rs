//! Opening what was admitted, and looking again once it is open.

use std::io;

use fs_err as fs;

use super::{AdmitError, Admitted};
use crate::canonical::canonical;

impl Admitted {
    /// Opens the file for reading and makes sure that it is still the one that was admitted: the path has no link in it
    /// and leads to what was opened.
    pub fn open(&self) -> Result<fs::File, AdmitError> {
        let argument = || self.relative.to_string();
        let unreadable = |source| AdmitError::Unreadable { argument: argument(), source };
        let file = fs::File::open(&self.absolute).map_err(unreadable)?;
        if self.is_still(&file).map_err(unreadable)? {
            Ok(file)
        } else {
            Err(AdmitError::Replaced { argument: argument() })
        }
    }

    fn is_still(&self, file: &fs::File) -> io::Result<bool> {
        let unmoved = canonical(&self.absolute)? == self.absolute;
        Ok(unmoved && is_same_file(&file.metadata()?, &fs::symlink_metadata(&self.absolute)?))
    }
}

#[cfg(unix)]
fn is_same_file(opened: &std::fs::Metadata, named: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (opened.dev(), opened.ino()) == (named.dev(), named.ino())
}

/// The standard library does not give a file's identity here: size and time of creation stand in for it.
#[cfg(not(unix))]
fn is_same_file(opened: &std::fs::Metadata, named: &std::fs::Metadata) -> bool {
    !named.is_symlink() && opened.len() == named.len() && opened.created().ok() == named.created().ok()
}
