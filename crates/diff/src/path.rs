//! The path of a file in a change: whatever bytes Git has, and Git's quoting of them in a patch.

use std::borrow::Cow;
use std::fmt;

/// A path as Git stores it: bytes with `/` between names, relative to the root of the repository.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath(Vec<u8>);

impl FilePath {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// Reads a path as Git prints it in a patch or a blame: quoted when it must be.
    pub fn from_quoted(text: &[u8]) -> Option<Self> {
        read_patch_path(text).and_then(|(path, rest)| rest.is_empty().then_some(Self(path)))
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// As text: the path itself when it is UTF-8, else quoted as Git quotes it, so that two paths never read alike.
    pub fn to_text(&self) -> Cow<'_, str> {
        if let Ok(text) = std::str::from_utf8(&self.0) {
            return Cow::Borrowed(text);
        }
        let mut quoted = Vec::new();
        write_quoted(&self.0, HighBytes::Escaped, &mut quoted);
        Cow::Owned(String::from_utf8_lossy(&quoted).into_owned())
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_text())
    }
}

impl fmt::Debug for FilePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_text(), formatter)
    }
}

impl From<&str> for FilePath {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

/// Appends a path as it stands in a patch (with `core.quotePath=false`): quoted only when it must be.
pub(crate) fn write_patch_path(path: &[u8], output: &mut Vec<u8>) {
    if path.iter().any(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f | 0x7f)) {
        write_quoted(path, HighBytes::Plain, output);
    } else {
        output.extend_from_slice(path);
    }
}

/// Reads a path at the beginning of `text`: a quoted one ends with its quote, a plain one with the text. Gives the path
/// and what follows it.
pub(crate) fn read_patch_path(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    match text.strip_prefix(b"\"") {
        Some(quoted) => read_quoted(quoted),
        None => Some((text.to_vec(), &[])),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HighBytes {
    Plain,
    Escaped,
}

const NAMED: [(u8, u8); 9] = [
    (0x07, b'a'),
    (0x08, b'b'),
    (b'\t', b't'),
    (b'\n', b'n'),
    (0x0b, b'v'),
    (0x0c, b'f'),
    (b'\r', b'r'),
    (b'"', b'"'),
    (b'\\', b'\\'),
];

fn write_quoted(path: &[u8], high_bytes: HighBytes, output: &mut Vec<u8>) {
    output.push(b'"');
    for &byte in path {
        let plain = matches!(byte, 0x20..=0x7e) || (byte >= 0x80 && high_bytes == HighBytes::Plain);
        if let Some((_, name)) = NAMED.iter().find(|(named, _)| *named == byte) {
            output.extend([b'\\', *name]);
        } else if plain {
            output.push(byte);
        } else {
            output.extend([b'\\', b'0' + (byte >> 6), b'0' + ((byte >> 3) & 7), b'0' + (byte & 7)]);
        }
    }
    output.push(b'"');
}

fn read_quoted(mut text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut path = Vec::new();
    loop {
        match *text {
            [b'"', ref rest @ ..] => return Some((path, rest)),
            [b'\\', high @ b'0'..=b'3', middle @ b'0'..=b'7', low @ b'0'..=b'7', ref rest @ ..] => {
                path.push(((high - b'0') << 6) | ((middle - b'0') << 3) | (low - b'0'));
                text = rest;
            }
            [b'\\', name, ref rest @ ..] => {
                path.push(NAMED.iter().find(|(_, named)| *named == name)?.0);
                text = rest;
            }
            [byte, ref rest @ ..] => {
                path.push(byte);
                text = rest;
            }
            [] => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_is_itself_and_other_bytes_are_quoted() {
        assert_eq!(FilePath::from("a \"ñ\"\n").to_text(), "a \"ñ\"\n");
        assert_eq!(FilePath::new(b"caf\xe9\t".to_vec()).to_text(), "\"caf\\351\\t\"");
    }

    #[test]
    fn broken_quoting_is_refused() {
        for text in [&b"\"a"[..], b"\"a\\", b"\"a\\q\"", b"\"\\9\""] {
            assert_eq!(read_patch_path(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn quoting_reads_back(path in proptest::collection::vec(any::<u8>(), 0..20)) {
            let mut written = Vec::new();
            write_quoted(&path, HighBytes::Escaped, &mut written);
            written.extend(b"\trest");
            prop_assert_eq!(read_patch_path(&written), Some((path, &b"\trest"[..])));
        }
    }
}
