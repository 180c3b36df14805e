//! A text cut into the pieces that the pattern of `o200k_base` finds, without a pattern engine.
//!
//! The pattern has seven alternatives, tried in order at each place: a word that ends in lower case, a word in upper
//! case, up to three digits, signs, blank space with line breaks, blank space at the end, blank space. Upper and lower
//! include letters without case and marks; one other character may stand before a word, and an English ending (`'s`,
//! `'ll` …) after it.

use super::plain;
use super::vocabulary::{Class, class};

/// Who is told of pieces.
pub(super) trait Pieces {
    /// Where one of several bytes begins and ends.
    fn found(&mut self, start: usize, end: usize);
}

/// Tells each piece of several bytes, and gives how many there are of one byte.
#[inline]
pub(super) fn pieces(text: &str, told: &mut impl Pieces) -> usize {
    let (bytes, mut at, mut single) = (text.as_bytes(), 0, 0);
    while at < bytes.len() {
        let starts = plain::starts(bytes, at);
        let last = starts.checked_ilog2().unwrap_or(0) as usize;
        if last == 0 {
            let end = next(text, at);
            if end == at + 1 {
                single += 1;
            } else {
                told.found(at, end);
            }
            at = end;
            continue;
        }
        // A piece has one byte where the next one begins right behind it.
        single += (starts & starts >> 1).count_ones() as usize;
        let ends = starts & !(1 << last);
        let mut several = ends & !(starts >> 1);
        while several != 0 {
            let start = several.trailing_zeros();
            several &= several - 1;
            let length = (starts >> start >> 1).trailing_zeros() as usize + 1;
            told.found(at + start as usize, at + start as usize + length);
        }
        at += last;
    }
    single
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

    impl Pieces for Vec<(usize, usize)> {
        fn found(&mut self, start: usize, end: usize) {
            self.push((start, end));
        }
    }

    /// What `next` alone finds.
    fn one_by_one(text: &str) -> Vec<(usize, usize)> {
        let (mut all, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let end = next(text, at);
            all.push((at, end));
            at = end;
        }
        all
    }

    fn check(text: &str) -> Result<(), TestCaseError> {
        let wanted = one_by_one(text);
        let mut several = Vec::new();
        let single = pieces(text, &mut several);
        let long: Vec<_> = wanted.iter().copied().filter(|(start, end)| end - start > 1).collect();
        prop_assert_eq!(&several, &long, "{:?}", text);
        prop_assert_eq!(single, wanted.len() - long.len(), "{:?}", text);
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn many_at_once_are_cut_as_one_by_one(text in "[ \t\r\n/'sStTlLvrReEmMdD0-9aZ(){};.]{0,200}") {
            check(&text)?;
        }

        #[test]
        fn so_are_other_letters(text in "[ \t\r\n/'sSlLr0-9aZ(){;.é\u{301}ſ日५\u{a0}]{0,90}") {
            check(&text)?;
        }

        #[test]
        fn so_are_lines_of_code(text in r"(( {0,9}|\t)(foo|Bar|'|it's|//|/\*\*|=>|0x1f|123456|;|\}|, |\.)*(;|\{| )?(\n|\r\n|\n\n)){0,6}") {
            check(&text)?;
        }
    }
}
