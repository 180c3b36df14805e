//! One spelling of a place that exists: absolute, no links, no `.` or `..`, and on Windows without the `\\?\` that Git
//! and people do not write. Paths are compared by `starts_with` only after they went through here.

use std::io;
use std::path::{Path, PathBuf};

pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    let path = fs_err::canonicalize(path)?;
    Ok(match path.to_str().and_then(without_verbatim_prefix) {
        Some(short) if cfg!(windows) => PathBuf::from(short),
        _ => path,
    })
}

/// `C:\x` for `\\?\C:\x`, and nothing where the prefix has a meaning: shares, devices, and what is too long or has a
/// name that Windows would read otherwise without it.
fn without_verbatim_prefix(path: &str) -> Option<&str> {
    let short = path.strip_prefix(r"\\?\")?;
    let [letter, b':', b'\\', rest @ ..] = short.as_bytes() else { return None };
    let ordinary = rest
        .split(|byte| *byte == b'\\')
        .all(|name| !matches!(name.last(), Some(b'.' | b' ')) && !name.contains(&b'/'));
    (letter.is_ascii_alphabetic() && short.len() < 260 && ordinary).then_some(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_drive_loses_the_verbatim_prefix() {
        let long = format!(r"\\?\C:\{}", "a".repeat(300));
        for (path, short) in [
            (r"\\?\C:\repo\src", Some(r"C:\repo\src")),
            (r"\\?\C:\", Some(r"C:\")),
            (r"\\?\UNC\server\share", None),
            (r"\\?\Volume{0}\x", None),
            (r"\\.\pipe\x", None),
            (r"\\?\C:\repo\name.", None),
            (r"\\?\C:\repo\name \x", None),
            (r"C:\repo", None),
            ("/repo", None),
            (&long, None),
        ] {
            assert_eq!(without_verbatim_prefix(path), short, "{path}");
        }
    }

    #[test]
    fn links_and_dots_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs_err::create_dir(&inner).unwrap();
        let found = canonical(&inner.join("..").join(".").join("inner")).unwrap();
        assert_eq!(found, canonical(folder.path()).unwrap().join("inner"));
        assert!(canonical(&inner.join("missing")).is_err());
    }
}
