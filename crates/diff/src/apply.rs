//! A base content and some hunks of a change to it → the content with those hunks.

use crate::model::{Hunk, LineKind};

/// Why a hunk does not fit. `hunk` counts from zero in the order given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    #[error("hunk {hunk} does not match the base at line {line}")]
    Mismatch { hunk: usize, line: usize },
    #[error("hunk {hunk} begins before the one ahead of it ends")]
    Overlap { hunk: usize },
    #[error("hunk {hunk} does not have the lines that its header promises")]
    Incomplete { hunk: usize },
}

/// Applies any selection of the hunks of one change, in their order. Positions are those of the base, so that leaving
/// hunks out moves nothing, and every context and removed line must be there exactly: nothing is searched for.
pub fn apply<'a>(base: &[u8], hunks: impl IntoIterator<Item = &'a Hunk>) -> Result<Vec<u8>, ApplyError> {
    let lines: Vec<&[u8]> = base.split_inclusive(|byte| *byte == b'\n').collect();
    let mut result = Vec::with_capacity(base.len());
    let mut taken = 0;
    for (number, hunk) in hunks.into_iter().enumerate() {
        let begin = if hunk.old.lines == 0 { hunk.old.start } else { hunk.old.start.saturating_sub(1) };
        if begin < taken {
            return Err(ApplyError::Overlap { hunk: number });
        }
        let untouched = lines.get(taken..begin);
        let untouched = untouched.ok_or(ApplyError::Mismatch { hunk: number, line: lines.len() + 1 })?;
        result.extend(untouched.iter().copied().flatten());
        taken = begin;
        let mut new_lines = 0;
        for line in hunk.lines() {
            let end: &[u8] = if line.newline { b"\n" } else { b"" };
            if line.kind != LineKind::Added {
                let expected = lines
                    .get(taken)
                    .is_some_and(|base| base.strip_suffix(end).is_some_and(|base| base == line.content));
                if !expected {
                    return Err(ApplyError::Mismatch { hunk: number, line: taken + 1 });
                }
                taken += 1;
            }
            if line.kind != LineKind::Removed {
                result.extend_from_slice(line.content);
                result.extend_from_slice(end);
                new_lines += 1;
            }
        }
        if taken - begin != hunk.old.lines || new_lines != hunk.new.lines {
            return Err(ApplyError::Incomplete { hunk: number });
        }
    }
    result.extend(lines[taken..].iter().copied().flatten());
    Ok(result)
}
