//! A block of whole lines between two marker lines in a Markdown text.

use std::ops::Range;

use serde_json::Value;

use super::DocumentError;
use super::text::{gap_before_append, line_end, newline, position, with_separator, without};

pub(crate) const BEGIN: &str = "<!-- becket:begin -->";
pub(crate) const END: &str = "<!-- becket:end -->";

/// `{"becket": the block's lines}`, or an empty object; line endings are told as `\n`.
pub(super) fn tree(text: &str) -> Result<Value, DocumentError> {
    Ok(match find(text)? {
        Some(block) => {
            serde_json::json!({ "becket": text[block].lines().map(|line| line.to_owned() + "\n").collect::<String>() })
        }
        None => serde_json::json!({}),
    })
}

pub(super) fn put(text: &str, block: &Value) -> Result<String, DocumentError> {
    let block = block.as_str().unwrap_or_default().replace('\n', newline(text));
    Ok(match find(text)? {
        Some(old) => [&text[..old.start], &block, &text[old.end..]].concat(),
        None => [text, &gap_before_append(text), &block].concat(),
    })
}

pub(super) fn take(text: &str) -> Result<String, DocumentError> {
    Ok(match find(text)? {
        Some(block) => without(text, vec![with_separator(text, block)]),
        None => text.to_owned(),
    })
}

/// The lines from marker to marker.
fn find(text: &str) -> Result<Option<Range<usize>>, DocumentError> {
    let mut begin = None;
    let mut block = None;
    let mut start = 0;
    while start < text.len() {
        let end = line_end(text, start);
        match text[start..end].trim() {
            BEGIN if begin.is_some() => return Err(misplaced(text, start, "a second begin marker")),
            BEGIN => begin = Some(start),
            END => match (begin, &block) {
                (Some(begin), None) => block = Some(begin..end),
                _ => return Err(misplaced(text, start, "an end marker without its begin marker")),
            },
            _ => {}
        }
        start = end;
    }
    match (begin, block) {
        (Some(begin), None) => Err(misplaced(text, begin, "a begin marker without its end marker")),
        (_, block) => Ok(block),
    }
}

fn misplaced(text: &str, at: usize, what: &str) -> DocumentError {
    let (line, column) = position(text, at);
    DocumentError::Malformed { line, column, message: format!("{what} of becket's block") }
}
