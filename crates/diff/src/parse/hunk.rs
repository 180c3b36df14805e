//! Hunk headers, and the counting by which a hunk's end is known: its lines may look like anything.

use crate::model::Span;

/// Lines that a hunk still has, for each parent and for the result.
#[derive(Debug)]
pub(super) struct Counts {
    old: Vec<usize>,
    new: usize,
}

impl Counts {
    pub(super) fn is_done(&self) -> bool {
        self.new == 0 && self.old.iter().all(|left| *left == 0)
    }

    /// Counts a line; false when it does not belong.
    pub(super) fn pass(&mut self, line: &[u8]) -> bool {
        if line.starts_with(b"\\") {
            return true;
        }
        // An empty line is an empty context line under `diff.suppressBlankEmpty`.
        let marker = |parent: usize| line.get(parent).copied().unwrap_or(b' ');
        let parents = 0..self.old.len();
        if !parents.clone().all(|parent| matches!(marker(parent), b' ' | b'+' | b'-')) {
            return false;
        }
        // A removed line is in the parents that mark it, any other in those that do not.
        let removed = parents.clone().any(|parent| marker(parent) == b'-');
        let in_parent = if removed { b'-' } else { b' ' };
        let take = |left: &mut usize| left.checked_sub(1).map(|less| *left = less).is_some();
        (removed || take(&mut self.new))
            && self
                .old
                .iter_mut()
                .zip(parents)
                .all(|(left, parent)| marker(parent) != in_parent || take(left))
    }
}

/// Reads `@@ -1,2 +3 @@ section`, with one more `@` and one more old span for each parent beyond the first. Gives the
/// spans, the new one last.
pub(super) fn read_hunk_header(line: &[u8]) -> Option<(Vec<Span>, Counts)> {
    let ats = line.iter().take_while(|byte| **byte == b'@').count();
    let rest = line.get(ats..)?.strip_prefix(b" ")?;
    let parents = ats.checked_sub(1).filter(|parents| *parents > 0)?;
    let mut words = rest.split(|byte| *byte == b' ');
    let mut spans = Vec::new();
    for number in 0..=parents {
        let sign: &[u8] = if number < parents { b"-" } else { b"+" };
        spans.push(read_span(words.next()?.strip_prefix(sign)?)?);
    }
    if words.next()? != &line[..ats] {
        return None;
    }
    let (new, old) = spans.split_last()?;
    let counts = Counts { old: old.iter().map(|span| span.lines).collect(), new: new.lines };
    Some((spans, counts))
}

fn read_span(text: &[u8]) -> Option<Span> {
    let text = std::str::from_utf8(text).ok()?;
    let (start, lines) = text.split_once(',').unwrap_or((text, "1"));
    Some(Span { start: start.parse().ok()?, lines: lines.parse().ok()? })
}
