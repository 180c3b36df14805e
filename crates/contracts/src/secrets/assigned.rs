//! The texts that are assigned to a name: right away or behind a type, in parentheses, in the braces of an element, in a list,
//! behind a comment, in the place of what is not set, in the branches of a choice. What a call is given is not assigned.

use std::ops::Range;

use memchr::memmem;

/// In parts of an expression, up to a text: what is longer is a program.
const REACH: usize = 128;
/// In bytes, of one text or comment.
const LONGEST: usize = 4096;
/// In bytes, of all that is read for one name: a file may be full of such names.
const FARTHEST: usize = 8192;
/// What is left of a name behind what it is known by.
const LONGEST_END: usize = 24;

/// Where texts stand in `rest` that are assigned to the name which `rest` goes on with, without their quotes.
pub(super) fn texts(rest: &[u8]) -> Vec<Range<usize>> {
    let mut reader =
        Reader { bytes: rest, at: 0, found: Vec::new(), opened: Vec::new(), inside: 0, choices: 0 };
    if let Some(is_typed) = reader.sign() {
        reader.assigned(is_typed);
    }
    reader.found
}

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
    found: Vec<Range<usize>>,
    /// Brackets around the place where a text would be assigned.
    opened: Vec<u8>,
    /// Those of calls and the like, in which none is.
    inside: usize,
    /// Of which the second branch is still to come.
    choices: usize,
}

impl Reader<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or_default()
    }

    /// Reads the end of the name and the sign behind it: whether it is a colon, behind which a type may stand.
    fn sign(&mut self) -> Option<bool> {
        let end = self.bytes.iter().take(LONGEST_END).take_while(|byte| is_of_name(byte)).count();
        self.at = end;
        self.at += usize::from(is_quote(self.byte(0)));
        self.at += usize::from(self.byte(0) == b']');
        self.skip_blanks();
        self.at += usize::from(matches!((self.byte(0), self.byte(1)), (b'?' | b'!', b':')));
        let sign = self.byte(0);
        self.at += 1;
        matches!(sign, b':' | b'=').then_some(sign == b':')
    }

    /// Over blanks, those beyond ASCII too, and comments.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let rest = &rest[..rest.len().min(LONGEST)];
            let length = match rest {
                [b'/', b'*', ..] => memmem::find(rest, b"*/").map(|at| at + 2),
                [b'/', b'/', ..] => memchr::memchr(b'\n', rest),
                _ => Some(rest.iter().take_while(|byte| **byte <= b' ' || !byte.is_ascii()).count()),
            };
            match length {
                Some(length @ 1..) => self.at += length,
                _ => return,
            }
        }
    }

    fn assigned(&mut self, mut is_typed: bool) {
        let (mut may_be, mut is_name) = (true, false);
        let mut left = REACH;
        while left > 0 && self.at < FARTHEST {
            left -= 1;
            let start = self.at;
            self.skip_blanks();
            // A statement may end with its line.
            let is_new_line = self.bytes[start..self.at].contains(&b'\n');
            let goes_on = may_be || self.inside > 0 || !self.opened.is_empty();
            if is_new_line && !goes_on && !matches!(self.byte(0), b'?' | b'|' | b'&' | b':') {
                return;
            }
            let is_outside = self.inside == 0;
            let (byte, next) = (self.byte(0), self.byte(1));
            let mut length = 1;
            let (had, was_name) = (std::mem::take(&mut may_be), std::mem::take(&mut is_name));
            match byte {
                quote if is_quote(quote) => {
                    let Some(text) = self.text() else { return };
                    length = text.len() + 2;
                    if had {
                        left = REACH;
                        self.found.push(text);
                    }
                }
                b'(' | b'[' if had && is_outside => {
                    may_be = true;
                    self.opened.push(byte);
                }
                b'{' if had && is_outside && self.is_in_element() => {
                    may_be = true;
                    self.opened.push(byte);
                }
                b'(' | b'[' => self.inside += 1,
                b'{' if !is_outside => self.inside += 1,
                b')' | b']' | b'}' if !is_outside => self.inside -= 1,
                b')' | b']' | b'}' => {
                    if self.opened.pop().is_none() {
                        return;
                    }
                }
                b'<' if had => match self.asserted() {
                    Some(asserted) => (length, may_be) = (asserted, true),
                    None => return,
                },
                b'|' | b'?' | b'&' if next == byte => (length, may_be) = (2, is_outside),
                b'?' if next == b'.' => length = 2,
                b'?' if is_outside => {
                    self.choices += 1;
                    may_be = true;
                }
                b':' if is_outside && self.choices > 0 => {
                    self.choices -= 1;
                    may_be = true;
                }
                b',' if self.opened.last() == Some(&b'[') => may_be = is_outside,
                b'=' | b'!' | b'<' | b'>' if next == b'=' => {
                    length = if self.byte(2) == b'=' { 3 } else { 2 }
                }
                b'=' if is_typed && next != b'>' && is_outside => (is_typed, may_be) = (false, true),
                b'.' | b'!' | b'|' | b'&' | b'<' | b'>' | b'+' | b'-' => {}
                b'?' | b':' | b',' if !is_outside => {}
                byte if is_of_name(&byte) => {
                    is_name = true;
                    // Two words are no type, nor where one begins.
                    is_typed &= !was_name;
                    length = self.bytes[self.at..].iter().take_while(|byte| is_of_name(byte)).count();
                }
                _ => return,
            }
            self.at += length;
        }
    }

    /// What stands between the quotes that begin here, whatever is escaped in it.
    fn text(&self) -> Option<Range<usize>> {
        let quote = self.byte(0);
        let start = self.at + 1;
        let mut at = start;
        while at < self.bytes.len().min(start + LONGEST) {
            match self.bytes[at] {
                byte if byte == quote => return Some(start..at),
                b'\\' => at += 2,
                b'\n' if quote != b'`' => return None,
                _ => at += 1,
            }
        }
        None
    }

    /// Whether braces that begin here are those of `token={'…'}`, and not an object.
    fn is_in_element(&self) -> bool {
        let mut inner = Self { at: self.at + 1, found: Vec::new(), opened: Vec::new(), ..*self };
        inner.skip_blanks();
        let is_text = is_quote(inner.byte(0));
        let end = inner.text().map(|text| text.end + 1);
        inner.at = end.unwrap_or(inner.at);
        inner.skip_blanks();
        self.bytes[self.at - 1] == b'=' && (!is_text || end.is_some() && inner.byte(0) == b'}')
    }

    /// The length of `<string>`, which says what the text behind it is taken for.
    fn asserted(&self) -> Option<usize> {
        let rest = self.bytes[self.at + 1..].iter().take(LONGEST);
        let length = rest.take_while(|byte| is_of_name(byte) || b".[]| ".contains(byte)).count();
        (length > 0 && self.byte(length + 1) == b'>').then_some(length + 2)
    }
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn is_of_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}
