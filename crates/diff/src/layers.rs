//! Two edits of one text, the second on top of the first, and the text with any part of both. Staged and unstaged hunks
//! of a file are such layers, and a commit takes some of each.

use crate::apply::ApplyError;
use crate::model::{Hunk, LineKind};

/// One hunk of a layer, and whether it is in the text that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'a> {
    pub hunk: &'a Hunk,
    pub taken: bool,
}

/// The text that has the taken hunks and no others. `lower` are all hunks from `base` to a middle text, `upper` all from
/// there to the last one, each in order. Any choice has a text, because a line is there exactly when what adds it is
/// taken and what removes it is not; with all of `lower` alone it is the middle text, with everything the last.
///
/// A line that ends a text without a newline gets one where others follow it.
pub fn compose(base: &[u8], lower: &[Choice<'_>], upper: &[Choice<'_>]) -> Result<Vec<u8>, ApplyError> {
    let lines = base.split_inclusive(|byte| *byte == b'\n');
    let base = lines.map(|line| {
        let content = line.strip_suffix(b"\n");
        Cell { content: content.unwrap_or(line), newline: content.is_some(), shown: true, standing: true }
    });
    let cells = lay(lay(base.collect(), lower)?, upper)?;
    let mut text = Vec::new();
    let mut ended = true;
    for cell in cells.iter().filter(|cell| cell.shown) {
        if !ended {
            text.push(b'\n');
        }
        text.extend_from_slice(cell.content);
        if cell.newline {
            text.push(b'\n');
        }
        ended = cell.newline;
    }
    Ok(text)
}

/// A line that stands somewhere in the history of the text.
#[derive(Clone, Copy)]
struct Cell<'a> {
    content: &'a [u8],
    newline: bool,
    /// Whether it is in the text that is asked for.
    shown: bool,
    /// Whether it is in the text that the next layer starts from.
    standing: bool,
}

fn lay<'a>(cells: Vec<Cell<'a>>, choices: &[Choice<'a>]) -> Result<Vec<Cell<'a>>, ApplyError> {
    let standing = cells.iter().filter(|cell| cell.standing).count();
    let mut below = cells.into_iter();
    let mut result = Vec::with_capacity(below.len());
    let mut passed = 0;
    for (number, Choice { hunk, taken }) in choices.iter().enumerate() {
        let begin = if hunk.old.lines == 0 { hunk.old.start } else { hunk.old.start.saturating_sub(1) };
        if begin < passed {
            return Err(ApplyError::Overlap { hunk: number });
        }
        if begin > standing {
            return Err(ApplyError::Mismatch { hunk: number, line: standing + 1 });
        }
        while passed < begin {
            let Some(cell) = below.next() else { break };
            passed += usize::from(cell.standing);
            result.push(cell);
        }
        let mut new_lines = 0;
        for line in hunk.lines() {
            if line.kind == LineKind::Added {
                result.push(Cell {
                    content: line.content,
                    newline: line.newline,
                    shown: *taken,
                    standing: true,
                });
                new_lines += 1;
                continue;
            }
            // Lines that the layer below removed may stand between those of this hunk.
            let found = loop {
                match below.next() {
                    Some(cell) if !cell.standing => result.push(cell),
                    other => break other,
                }
            };
            let mut cell = found
                .filter(|cell| cell.content == line.content && cell.newline == line.newline)
                .ok_or(ApplyError::Mismatch { hunk: number, line: passed + 1 })?;
            passed += 1;
            if line.kind == LineKind::Removed {
                cell.shown &= !taken;
                cell.standing = false;
            } else {
                new_lines += 1;
            }
            result.push(cell);
        }
        if passed - begin != hunk.old.lines || new_lines != hunk.new.lines {
            return Err(ApplyError::Incomplete { hunk: number });
        }
    }
    result.extend(below);
    Ok(result)
}
