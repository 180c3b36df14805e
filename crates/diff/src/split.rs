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

/// A run without context, taken apart at `cuts`: so many of its removed and so many of its added lines stand before each.
/// Together the pieces are the run, and any of them can be applied without the others. Nothing is taken apart where lines
/// of both kinds alternate, where a file ends without a newline, or where a cut is not behind the one before it.
pub fn part(run: &Hunk, cuts: &[(usize, usize)]) -> Vec<Hunk> {
    let lines: Vec<Line<'_>> = run.lines().collect();
    let removed = lines.iter().take_while(|line| line.kind == LineKind::Removed).count();
    let (old, new) = lines.split_at(removed);
    let plain = new.iter().all(|line| line.kind == LineKind::Added) && lines.iter().all(|line| line.newline);
    let mut places = vec![(0, 0)];
    places.extend(cuts);
    places.push((old.len(), new.len()));
    let forward =
        |pair: &[(usize, usize)]| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1 && pair[0] != pair[1];
    if !plain || !places.windows(2).all(forward) {
        return vec![run.clone()];
    }
    let begin = Position::of(run);
    let piece = |pair: &[(usize, usize)]| {
        let [(old_from, new_from), (old_to, new_to)] = [pair[0], pair[1]];
        let at = Position { old: begin.old + old_from, new: begin.new + new_from };
        piece(run, at, &[&old[old_from..old_to], &new[new_from..new_to]].concat())
    };
    places.windows(2).filter_map(piece).collect()
}

/// The run that consecutive pieces of [`part`] are, or were; nothing without any.
pub fn join(pieces: &[&Hunk]) -> Option<Hunk> {
    let (first, others) = pieces.split_first()?;
    if others.is_empty() {
        return Some((*first).clone());
    }
    let of =
        |kind: LineKind| pieces.iter().flat_map(|piece| piece.lines()).filter(move |line| line.kind == kind);
    let lines: Vec<Line<'_>> = of(LineKind::Removed).chain(of(LineKind::Added)).collect();
    piece(first, Position::of(first), &lines)
}

/// Whether one run goes on where another ends, in the old file and in the new one.
pub fn adjoins(one: &Hunk, next: &Hunk) -> bool {
    let (begin, end) = (Position::of(one), Position::of(next));
    begin.old + one.old.lines == end.old && begin.new + one.new.lines == end.new
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
