//! What one entry is: its text, its lines as a person counts them, its title, its content hash. Owns these readings of
//! a text; does no I/O and knows nothing of other entries.

use serde::{Deserialize, Serialize};

use crate::front_matter::FrontMatter;

/// A text split into what we know about it and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    pub front: FrontMatter,
    /// Everything after the front matter; the whole text where there is none.
    pub body: &'a str,
    /// Lines of the file before the body begins.
    pub front_lines: usize,
}

impl<'a> Entry<'a> {
    pub fn parse(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match FrontMatter::split(text) {
            Some((front, body)) => {
                let front_lines = count_lines(&text[..text.len() - body.len()]);
                Self { front, body, front_lines }
            }
            None => Self { front: FrontMatter::default(), body: text, front_lines: 0 },
        }
    }

    /// The first heading, else the first line that says anything; markup and length trimmed.
    pub fn title(&self) -> String {
        let mut lines = split_lines(self.body).map(str::trim).filter(|line| !line.is_empty());
        let first = lines.clone().next().unwrap_or("");
        let heading =
            lines.find(|line| line.starts_with('#') && !line.trim_start_matches('#').trim().is_empty());
        let line = heading.map_or(first, |line| line.trim_start_matches('#').trim());
        becket_base::clip(line, LONGEST_TITLE).text.to_owned()
    }
}

const LONGEST_TITLE: usize = 120;

/// The digest that an entry or a piece of code is recognised by. Line endings do not count, so that a checkout with
/// `core.autocrlf` is the same text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(String);

impl ContentHash {
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut rest = bytes;
        while let Some(position) = memchr::memmem::find(rest, b"\r\n") {
            hasher.update(&rest[..position]);
            rest = &rest[position + 1..];
        }
        hasher.update(rest);
        // 128 bits: no two texts of a repository meet by chance, and log lines stay readable.
        Self(hasher.finalize().to_hex()[..32].to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Lines as a person counts them: a final line break ends the last line and begins none; CRLF is one break, and so are
/// CR and the Unicode line and paragraph separators.
pub fn count_lines(text: &str) -> usize {
    split_lines(text).count()
}

pub fn split_lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some((position, width)) = next_break(rest.as_bytes()) else {
            return Some(std::mem::take(&mut rest));
        };
        let line = &rest[..position];
        rest = &rest[position + width..];
        Some(line)
    })
}

/// Where the line ends and how long its end is: a newline, a return or both, or one of Unicode's own breaks (U+0085, U+2028
/// and U+2029), looked for byte by byte because entries are mostly ASCII.
fn next_break(text: &[u8]) -> Option<(usize, usize)> {
    text.iter().enumerate().find_map(|(position, byte)| {
        let width = match (byte, &text[position + 1..]) {
            (b'\n', _) => 1,
            (b'\r', [b'\n', ..]) => 2,
            (b'\r', _) => 1,
            (0xC2, [0x85, ..]) => 2,
            (0xE2, [0x80, 0xA8 | 0xA9, ..]) => 3,
            _ => return None,
        };
        Some((position, width))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_counted_as_a_person_does() {
        for (text, expected) in [
            ("", 0),
            ("a", 1),
            ("a\n", 1),
            ("\n", 1),
            ("a\nb", 2),
            ("a\r\nb\r\n", 2),
            ("a\rb\rc", 3),
            ("a\n\n", 2),
            ("a\u{2028}b\u{2029}c\u{85}d", 4),
            ("a\n\rb", 3),
        ] {
            assert_eq!(count_lines(text), expected, "{text:?}");
        }
        assert_eq!(count_lines(&"line\n".repeat(50)), 50);
    }

    #[test]
    fn titles_are_headings_or_first_lines() {
        let title = |text: &str| Entry::parse(text).title();
        assert_eq!(title("intro\n\n## Why **retry**\nx"), "Why **retry**");
        assert_eq!(title("\n\n  plain words  \nmore"), "plain words");
        assert_eq!(title("---\ntask: T1\n---\n# Real"), "Real");
        assert_eq!(title("#\nfirst"), "#");
        assert_eq!(title(""), "");
        assert_eq!(title(&"x".repeat(500)).len(), LONGEST_TITLE);
    }

    #[test]
    fn a_checkout_with_other_line_endings_is_the_same_text() {
        assert_eq!(ContentHash::of(b"a\r\nb\r\n"), ContentHash::of(b"a\nb\n"));
        assert_ne!(ContentHash::of(b"a\rb"), ContentHash::of(b"a\nb"));
        assert_ne!(ContentHash::of(b"a\n"), ContentHash::of(b"a"));
    }

    proptest! {
        #[test]
        fn bytes_and_characters_end_lines_alike(text in "[ab\u{C2}\u{2027}\u{85}\u{2028}\u{2029}\u{202A}\r\n\u{1F600}]{0,24}") {
            let is_break = |one: char| matches!(one, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
            let joined = text.replace("\r\n", "\n");
            let mut expected: Vec<&str> = joined.split(is_break).collect();
            if expected.last().is_some_and(|last| last.is_empty()) {
                expected.pop();
            }
            prop_assert_eq!(split_lines(&text).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn counting_agrees_with_joining(lines in prop::collection::vec("[a-z ]{0,5}", 1..20), ends in any::<bool>()) {
            for separator in ["\n", "\r\n", "\r"] {
                let mut text = lines.join(separator);
                if ends { text.push_str(separator); }
                let expected = if ends || !lines[lines.len() - 1].is_empty() { lines.len() } else { lines.len() - 1 };
                prop_assert_eq!(count_lines(&text), expected);
            }
        }
    }
}
