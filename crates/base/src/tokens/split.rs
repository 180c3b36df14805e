//! A text cut into the pieces that the pattern of `o200k_base` finds, without a pattern engine.
//!
//! The pattern has seven alternatives, tried in order at each place: a word that ends in lower case, a word in upper
//! case, up to three digits, signs, blank space with line breaks, blank space at the end, blank space. Upper and lower
//! include letters without case and marks; one other character may stand before a word, and an English ending (`'s`,
//! `'ll` …) after it.

use super::vocabulary::{Class, class};

/// Calls `found` with where each piece begins and ends.
pub(super) fn pieces(text: &str, mut found: impl FnMut(usize, usize)) {
    let mut at = 0;
    while at < text.len() {
        let end = plain(text.as_bytes(), at).unwrap_or_else(|| next(text, at));
        found(at, end);
        at = end;
    }
}

/// The same as [`next`] where a piece is of ASCII and nothing else follows it, as almost everywhere in code.
#[inline]
fn plain(bytes: &[u8], at: usize) -> Option<usize> {
    let first = kind(bytes, at);
    let end = match first {
        DIGIT => {
            let goes_on = |length: usize| kind(bytes, at + length) == DIGIT;
            match (goes_on(1), goes_on(2)) {
                (true, true) => return Some(at + 3),
                (true, false) => at + 2,
                (false, _) => at + 1,
            }
        }
        UPPER | LOWER => word(bytes, at),
        // One of these may stand before a word.
        OTHER | BLANK if matches!(kind(bytes, at + 1), UPPER | LOWER) => word(bytes, at + 1),
        BLANK if bytes[at] != b' ' || kind(bytes, at + 1) != OTHER => return gap(bytes, at),
        // One blank may stand before signs.
        OTHER | BLANK => {
            let end = past(bytes, at + 1, |kind| kind == OTHER);
            let breaks = past(bytes, end, |kind| kind == BREAK);
            // A `/` after the last line break belongs to it as well; that is left to the slow way.
            if breaks > end && bytes.get(breaks) == Some(&b'/') {
                return None;
            }
            return (kind(bytes, end) != BEYOND).then_some(breaks);
        }
        BREAK => return gap(bytes, at),
        _ => return None,
    };
    match kind(bytes, end) {
        BEYOND => None,
        OTHER if first != DIGIT => Some(end + ending(&bytes[end..])),
        _ => Some(end),
    }
}

/// Past the capitals and small letters that begin at `at`.
#[inline]
fn word(bytes: &[u8], at: usize) -> usize {
    let capitals = past(bytes, at, |kind| kind == UPPER);
    let mut end = capitals;
    // Eight letters in one step: words are most of a text.
    while let Some(eight) = bytes.get(end..end + 8).and_then(|bytes| bytes.try_into().ok()) {
        let others = !small_letters(u64::from_le_bytes(eight)) & HIGH;
        if others != 0 {
            return end + others.trailing_zeros() as usize / 8;
        }
        end += 8;
    }
    past(bytes, end, |kind| kind == LOWER)
}

/// The highest bit of each of eight bytes.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Has it set for every byte that is a small letter.
#[inline]
fn small_letters(bytes: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let ascii = bytes & !HIGH;
    // A sum reaches the highest bit from a bound on, and none runs over into the next byte.
    let from = ascii + (HIGH - ONES * u64::from(b'a'));
    let beyond = ascii + (HIGH - ONES * u64::from(b'z' + 1));
    from & !beyond & !bytes & HIGH
}

/// [`blank`] for ASCII.
#[inline]
fn gap(bytes: &[u8], at: usize) -> Option<usize> {
    let end = past(bytes, at, |kind| matches!(kind, BLANK | BREAK));
    if kind(bytes, end) == BEYOND {
        return None;
    }
    let last = bytes[at..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n'));
    Some(match last {
        Some(last) => at + last + 1,
        None if end == bytes.len() || end == at + 1 => end,
        None => end - 1,
    })
}

#[inline]
fn past(bytes: &[u8], at: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let mut end = at;
    while wanted(kind(bytes, end)) {
        end += 1;
    }
    end
}

/// Of the byte at `at`; the end is a kind of its own.
#[inline]
fn kind(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).map_or(END, |byte| KINDS[*byte as usize])
}

const OTHER: u8 = 0;
const UPPER: u8 = 1;
const LOWER: u8 = 2;
const DIGIT: u8 = 3;
const BLANK: u8 = 4;
const BREAK: u8 = 5;
const BEYOND: u8 = 6;
const END: u8 = 7;

const KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [BEYOND; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match ASCII[byte] {
            Class::Upper => UPPER,
            Class::Lower => LOWER,
            Class::Number => DIGIT,
            Class::Space => BLANK,
            Class::Break => BREAK,
            _ => OTHER,
        };
        byte += 1;
    }
    kinds
}

/// Where the piece that begins at `at` ends.
fn next(text: &str, at: usize) -> usize {
    let Some((first, after_first)) = look(text, at) else { return text.len() };
    if !matches!(first, Class::Break | Class::Number) {
        // A letter begins a word itself; a mark may, or may stand before one; anything else can only stand before one.
        let starts: &[usize] = match first {
            Class::Upper | Class::Lower | Class::Letter => &[at],
            Class::Mark => &[after_first, at],
            _ => &[after_first],
        };
        let small = starts.iter().find_map(|start| small_word(text, *start));
        if let Some(end) = small.or_else(|| starts.iter().find_map(|start| capitals(text, *start))) {
            return end + ending(&text.as_bytes()[end..]);
        }
    }
    if first == Class::Number {
        let mut end = after_first;
        for _ in 0..2 {
            match look(text, end) {
                Some((Class::Number, after)) => end = after,
                _ => break,
            }
        }
        return end;
    }
    // One blank may stand before signs, but only the ASCII one.
    let signs = if text.as_bytes()[at] == b' ' { after_first } else { at };
    if let Some(end) = run(text, signs, |class| matches!(class, Class::Other | Class::Mark)) {
        let rest = text[end..].bytes().take_while(|byte| matches!(byte, b'\r' | b'\n' | b'/')).count();
        return end + rest;
    }
    blank(text, at, after_first)
}

/// `\s*[\r\n]+`, else `\s+(?!\S)`, else `\s+`.
fn blank(text: &str, at: usize, after_first: usize) -> usize {
    let end = run(text, at, |class| matches!(class, Class::Space | Class::Break)).unwrap_or(after_first);
    let blank = &text[at..end];
    if let Some(last) = blank.rfind(['\r', '\n']) {
        return at + last + 1;
    }
    if end == text.len() {
        return end;
    }
    // The last blank belongs to what follows, unless it is the only one.
    match blank.char_indices().next_back() {
        Some((last, _)) if last > 0 => at + last,
        _ => end,
    }
}

/// `[upper]*[lower]+`, where letters without case and marks are both.
fn small_word(text: &str, at: usize) -> Option<usize> {
    let upper = run(text, at, is_upper).unwrap_or(at);
    if let Some(end) = run(text, upper, |class| matches!(class, Class::Lower | Class::Letter | Class::Mark)) {
        return Some(end);
    }
    // No small letter follows, so the last one without case has to be it.
    let mut end = None;
    let mut here = at;
    while let Some((class, after)) = look(text, here).filter(|_| here < upper) {
        if matches!(class, Class::Letter | Class::Mark) {
            end = Some(after);
        }
        here = after;
    }
    end
}

/// `[upper]+`, where no small letter follows.
fn capitals(text: &str, at: usize) -> Option<usize> {
    run(text, at, is_upper)
}

fn is_upper(class: Class) -> bool {
    matches!(class, Class::Upper | Class::Letter | Class::Mark)
}

/// The length of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d`, in any case. Unicode folds `ſ` to `s`.
fn ending(bytes: &[u8]) -> usize {
    if bytes.first() != Some(&b'\'') {
        return 0;
    }
    let letter = |index: usize| bytes.get(index).map(u8::to_ascii_lowercase);
    match (letter(1), letter(2)) {
        (Some(b's' | b't' | b'm' | b'd'), _) => 2,
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => 3,
        (Some(0xc5), Some(0xbf)) => 3,
        _ => 0,
    }
}

/// The end of the longest run of wanted characters; `None` where there is none.
fn run(text: &str, at: usize, wanted: impl Fn(Class) -> bool) -> Option<usize> {
    let mut end = at;
    while let Some((class, after)) = look(text, end) {
        if !wanted(class) {
            break;
        }
        end = after;
    }
    (end > at).then_some(end)
}

/// The class of the character at `at`, and where the next one begins.
fn look(text: &str, at: usize) -> Option<(Class, usize)> {
    let byte = *text.as_bytes().get(at)?;
    if byte < 0x80 {
        return Some((ASCII[byte as usize], at + 1));
    }
    let letter = text[at..].chars().next()?;
    Some((class(letter), at + letter.len_utf8()))
}

const ASCII: [Class; 128] = ascii();

const fn ascii() -> [Class; 128] {
    let mut classes = [Class::Other; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'A'..=b'Z' => Class::Upper,
            b'a'..=b'z' => Class::Lower,
            b'0'..=b'9' => Class::Number,
            b'\r' | b'\n' => Class::Break,
            b' ' | b'\t' | 0x0b | 0x0c => Class::Space,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_plain_way_cuts_as_the_other(text in "[ \t\r\n/'sStTlLvrReEmMdD0-9aZ(){};.é\u{301}ſ日५\u{a0}]{0,24}") {
            for (at, _) in text.char_indices() {
                if let Some(end) = plain(text.as_bytes(), at) {
                    prop_assert_eq!(end, next(&text, at), "{:?} at {}", text, at);
                }
            }
        }
    }
}
