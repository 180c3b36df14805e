//! Taking a hunk apart. The pieces still speak of the same base, so that any of them can be applied without the others.

use crate::model::{Hunk, Line, LineKind};

/// One hunk without context for every run of changed lines. Together they are the hunk.
pub fn split(hunk: &Hunk) -> Vec<Hunk> {
    let mut pieces = Vec::new();
    let mut run: Vec<Line<'_>> = Vec::new();
    let mut position = Position::of(hunk);
    let mut begin = position;
    for line in hunk.lines() {
        if line.kind == LineKind::Context {
            pieces.extend(piece(hunk, begin, &run));
            run.clear();
            position.pass(line.kind);
            begin = position;
        } else {
            run.push(line);
            position.pass(line.kind);
        }
    }
    pieces.extend(piece(hunk, begin, &run));
    pieces
}

/// The hunk with only those of its changed lines for which `keep` says yes; they are counted from zero. A line that is
/// not removed becomes context. Nothing when no line is kept.
///
/// Where the base does not end with a newline, its last line and what replaces it are kept together, because lines
/// added after it would otherwise continue it.
pub fn select(hunk: &Hunk, keep: impl Fn(usize) -> bool) -> Option<Hunk> {
    let lines: Vec<Line<'_>> = hunk.lines().collect();
    let mut changed = 0;
    let mut kept: Vec<bool> = lines
        .iter()
        .map(|line| {
            let is_changed = line.kind != LineKind::Context;
            changed += usize::from(is_changed);
            is_changed && keep(changed - 1)
        })
        .collect();
    let last_line = lines.iter().position(|line| line.kind == LineKind::Removed && !line.newline);
    if let Some(last_line) = last_line {
        let any = kept[last_line..].contains(&true);
        kept[last_line..].fill(any);
    }
    if !kept.contains(&true) {
        return None;
    }
    let selected: Vec<Line<'_>> = lines
        .iter()
        .zip(&kept)
        .filter_map(|(line, kept)| match line.kind {
            LineKind::Added if !kept => None,
            LineKind::Removed if !kept => Some(Line { kind: LineKind::Context, ..*line }),
            _ => Some(*line),
        })
        .collect();
    let old_lines = selected.iter().any(|line| line.kind != LineKind::Added);
    let new_lines = selected.iter().any(|line| line.kind != LineKind::Removed);
    let position = Position::of(hunk);
    Some(Hunk::new(position.old_start(old_lines), position.new_start(new_lines), hunk.section(), &selected))
}

fn piece(hunk: &Hunk, begin: Position, run: &[Line<'_>]) -> Option<Hunk> {
    let has = |kind| run.iter().any(|line| line.kind == kind);
    let old_start = begin.old_start(has(LineKind::Removed));
    let new_start = begin.new_start(has(LineKind::Added));
    (!run.is_empty()).then(|| Hunk::new(old_start, new_start, hunk.section(), run))
}

/// How many lines of the old and of the new file stand before a place.
#[derive(Clone, Copy)]
struct Position {
    old: usize,
    new: usize,
}

impl Position {
    fn of(hunk: &Hunk) -> Self {
        let before = |span: crate::model::Span| {
            if span.lines == 0 { span.start } else { span.start.saturating_sub(1) }
        };
        Self { old: before(hunk.old), new: before(hunk.new) }
    }

    fn pass(&mut self, kind: LineKind) {
        self.old += usize::from(kind != LineKind::Added);
        self.new += usize::from(kind != LineKind::Removed);
    }

    /// A span of no lines names the line before it, any other its own first line.
    fn old_start(self, has_lines: bool) -> usize {
        self.old + usize::from(has_lines)
    }

    fn new_start(self, has_lines: bool) -> usize {
        self.new + usize::from(has_lines)
    }
}
