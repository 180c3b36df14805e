//! Texts as a program has them: a letter may be written as `\u0067`, and a text may go on in the next line behind a backslash.
//! Hardly anybody writes letters so, and so it costs one look for backslashes.

use std::ops::Range;

/// A text without such escapes.
#[derive(Debug)]
pub(super) struct Unescaped {
    pub(super) text: String,
    /// Where something shorter ends in it, and how much longer it is written up to there.
    longer: Vec<(usize, usize)>,
}

impl Unescaped {
    /// Nothing where nothing is escaped that needs no escape.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut unescaped = Self { text: String::new(), longer: Vec::new() };
        let (mut copied, mut at) = (0, 0);
        while let Some(found) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
            let start = at + found;
            let Some((length, letter)) = meant(&text.as_bytes()[start + 1..]) else {
                // What follows is escaped itself.
                at = (start + 2).min(text.len());
                continue;
            };
            at = start + 1 + length;
            unescaped.text.push_str(&text[copied..start]);
            unescaped.text.extend(letter);
            unescaped.longer.push((unescaped.text.len(), at - unescaped.text.len()));
            copied = at;
        }
        if copied == 0 {
            return None;
        }
        unescaped.text.push_str(&text[copied..]);
        Some(unescaped)
    }

    /// Where it is written what stands in the text.
    pub(super) fn written(&self, range: &Range<usize>) -> Range<usize> {
        let written = |place: usize| {
            let before = self.longer.partition_point(|(end, _)| *end <= place);
            place + before.checked_sub(1).map_or(0, |last| self.longer[last].1)
        };
        written(range.start)..written(range.end)
    }
}

/// How long it is what follows a backslash, and the letter that it stands for, if any. Only what could be part of a secret.
fn meant(rest: &[u8]) -> Option<(usize, Option<char>)> {
    let code = |digits: &[u8], length: usize| {
        let code = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        let is_plain = code.is_ascii_graphic() && !b"'\"`\\$".contains(&code);
        is_plain.then_some((length, Some(char::from(code))))
    };
    match rest {
        [b'\n', ..] => Some((1, None)),
        [b'\r', b'\n', ..] => Some((2, None)),
        [b'x', first, second, ..] => code(&[*first, *second], 3),
        [b'u', b'{', inside @ ..] => {
            let length = inside.iter().take(8).position(|byte| *byte == b'}')?;
            code(&inside[..length], length + 3)
        }
        [b'u', b'0', b'0', first, second, ..] => code(&[*first, *second], 5),
        _ => None,
    }
}
