//! Lines, indentation and cuts of a text. Knows no syntax.

use std::ops::Range;

/// The line ending that the text uses first.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Line and column of a byte, both from 1; a column is a character.
pub(super) fn position(text: &str, offset: usize) -> (usize, usize) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let start = line_start(text, offset);
    (text[..start].matches('\n').count() + 1, text[start..offset].chars().count() + 1)
}

pub(super) fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

/// The byte after the line's end.
pub(super) fn line_end(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |at| offset + at + 1)
}

/// The white space that the line of this byte begins with.
pub(super) fn indentation(text: &str, offset: usize) -> &str {
    let line = &text[line_start(text, offset)..offset];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// What has to stand before a paragraph that is appended: the end of an unfinished line, and one blank line.
pub(super) fn gap_before_append(text: &str) -> String {
    let newline = newline(text);
    let unfinished = !text.is_empty() && !text.ends_with('\n');
    if text.trim().is_empty() {
        return newline.repeat(usize::from(unfinished));
    }
    let last_line = &text[line_start(text, text.len() - usize::from(!unfinished))..];
    let blank = !unfinished && last_line.trim().is_empty();
    newline.repeat(usize::from(unfinished) + usize::from(!blank))
}

/// Widens a cut of whole lines by the blank line before it, where a blank line or nothing follows: what separated the
/// lines from the rest goes with them.
pub(super) fn with_separator(text: &str, lines: Range<usize>) -> Range<usize> {
    if lines.start == 0 {
        return lines;
    }
    let before = line_start(text, lines.start - 1);
    let blank_before = text[before..lines.start].trim().is_empty();
    let blank_after = text[lines.end..line_end(text, lines.end)].trim().is_empty();
    if blank_before && blank_after { before..lines.end } else { lines }
}

/// The text without these ranges, which may overlap.
pub(super) fn without(text: &str, mut cuts: Vec<Range<usize>>) -> String {
    cuts.sort_by_key(|cut| cut.start);
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        if cut.start > at {
            kept.push_str(&text[at..cut.start]);
        }
        at = at.max(cut.end);
    }
    kept.push_str(&text[at..]);
    kept
}
