//! Which step of a tangle every changed line comes from: rule 3 of the protocol.

use std::collections::BTreeMap;

use becket_commits::{Change, Part, Unit};
use becket_diff::{FileChange, FilePath, Hunk, LineKind};

/// Files as they are after some steps, line by line.
#[derive(Debug, Default)]
pub(super) struct Trace {
    files: BTreeMap<FilePath, File>,
}

#[derive(Debug, Default)]
struct File {
    /// What is known of its lines. Behind them come the lines of the base from `next` on, as far as it goes.
    lines: Vec<Origin>,
    next: usize,
    /// Which step deleted a line of the base.
    deleted: BTreeMap<usize, usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Base(usize),
    Step(usize),
}

/// The step that a unit is from, and whether others had a part in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) step: usize,
    pub(super) mixed: bool,
}

impl Trace {
    /// `changes` has no context.
    pub(super) fn step(&mut self, step: usize, changes: &[FileChange]) {
        for change in changes {
            let Some(path) = change.path() else { continue };
            let file = self.files.entry(path.clone()).or_default();
            for hunk in change.hunks().iter().rev() {
                file.apply(step, hunk);
            }
        }
    }

    /// Nothing for a unit without a line that any step made or deleted.
    pub(super) fn label(&mut self, changes: &[Change<'_>], unit: &Unit) -> Option<Label> {
        let change = &changes[unit.change];
        let file = self.files.get_mut(change.path())?;
        let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
        let hunks: Vec<&Hunk> = match &unit.part {
            Part::Lines(hunk) => vec![hunk],
            Part::File | Part::Metadata => change.file.hunks().iter().collect(),
        };
        for hunk in hunks {
            let (mut old, mut new) =
                (first(hunk.old.start, hunk.old.lines), first(hunk.new.start, hunk.new.lines));
            for line in hunk.lines() {
                let step = match line.kind {
                    LineKind::Removed => file.deleted.get(&old).copied(),
                    LineKind::Added => match file.line(new) {
                        Origin::Step(step) => Some(step),
                        Origin::Base(_) => None,
                    },
                    LineKind::Context => None,
                };
                if let Some(step) = step {
                    *votes.entry(step).or_default() += 1;
                }
                old += usize::from(line.kind != LineKind::Added);
                new += usize::from(line.kind != LineKind::Removed);
            }
        }
        let most = votes.values().copied().max()?;
        let step = votes.iter().find(|(_, count)| **count == most).map(|(step, _)| *step)?;
        Some(Label { step, mixed: votes.len() > 1 })
    }
}

impl File {
    fn apply(&mut self, step: usize, hunk: &Hunk) {
        let begin = first(hunk.old.start, hunk.old.lines);
        let end = begin + hunk.old.lines;
        self.know(end);
        for origin in self.lines.splice(begin..end, vec![Origin::Step(step); hunk.new.lines]) {
            if let Origin::Base(line) = origin {
                self.deleted.insert(line, step);
            }
        }
    }

    fn line(&mut self, place: usize) -> Origin {
        self.know(place + 1);
        self.lines[place]
    }

    fn know(&mut self, count: usize) {
        while self.lines.len() < count {
            self.lines.push(Origin::Base(self.next));
            self.next += 1;
        }
    }
}

/// Counted from zero. A span of no lines names the line before it.
fn first(start: usize, lines: usize) -> usize {
    if lines == 0 { start } else { start.saturating_sub(1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::repository::files;
    use becket_commits::{Stage, units};

    fn patch(hunks: &str) -> Vec<FileChange> {
        let text = format!("diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n{hunks}");
        files(text.as_bytes()).unwrap()
    }

    #[test]
    fn lines_are_followed_through_later_steps() {
        let mut trace = Trace::default();
        trace.step(0, &patch("@@ -5 +5,2 @@\n-old\n+one\n+two\n"));
        trace.step(1, &patch("@@ -0,0 +1 @@\n+top\n@@ -7 +8 @@\n-tail\n+TAIL\n"));
        let whole = patch("@@ -0,0 +1 @@\n+top\n@@ -5,2 +6,3 @@\n-old\n-tail\n+one\n+two\n+TAIL\n");
        let changes = [Change { id: "change-1", stage: Stage::Unstaged, file: &whole[0] }];
        let labels: Vec<_> = units(&changes).iter().map(|unit| trace.label(&changes, unit)).collect();
        assert_eq!(labels, [Some(Label { step: 1, mixed: false }), Some(Label { step: 0, mixed: true })]);
    }
}
