//! A caller's text inside a message: short, on one line, and unable to drive a terminal or to hide or reorder what
//! stands around it.

use std::path::Path;

use becket_base::{clip, is_unseen};

const LONGEST: usize = 200;

pub(crate) fn shown(text: &str) -> String {
    escaped(&clip(text, LONGEST).to_string())
}

/// A path stays whole: its end is what tells.
pub(crate) fn shown_path(path: &Path) -> String {
    escaped(&path.to_string_lossy())
}

fn escaped(text: &str) -> String {
    let mut line = String::new();
    for character in text.chars() {
        // On one line, among our own words, the joiners hold nothing together.
        if character.is_control() || is_unseen(character) || matches!(character, '\u{200c}' | '\u{200d}') {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stays_short_and_on_one_line() {
        assert_eq!(shown(r"C:\dir\'é'"), r"C:\dir\'é'");
        assert_eq!(shown("a\nb\u{1b}[2J"), r"a\nb\u{1b}[2J");
        assert_eq!(shown("\u{202e}live\u{2066}\u{200b}e\u{301}"), "\\u{202e}live\\u{2066}\\u{200b}e\u{301}");
        assert_eq!(shown_path(Path::new("a/\u{202e}b")), r"a/\u{202e}b");
        assert_eq!(shown(&"x".repeat(250)), format!("{}… [50 characters cut]", "x".repeat(200)));
    }
}
