//! Paths as Git prints them: bytes, which are a path of this system on Unix and UTF-8 elsewhere.

use std::path::PathBuf;

/// What Git printed, as this system has it.
#[cfg(unix)]
pub(crate) fn to_native(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// What Git printed, as this system has it.
#[cfg(not(unix))]
pub(crate) fn to_native(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
