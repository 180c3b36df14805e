//! A three-way merge of lines, with the conflict markers that Git writes.

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::{merge::Merged, splice::line_break};

/// What the markers call the two sides.
#[derive(Debug, Clone, Copy)]
pub struct Labels<'l> {
    pub ours: &'l str,
    pub theirs: &'l str,
}

/// A stretch of the base, and what a side has in its place.
#[derive(Debug, Clone, Copy)]
struct Change {
    start: usize,
    end: usize,
    new_start: usize,
    new_end: usize,
}

pub(super) fn merge(base: &str, ours: &str, theirs: &str, labels: &Labels<'_>) -> Merged {
    let whole = |text: &str| Merged { text: text.to_owned(), conflicts: 0 };
    if ours == theirs || base == theirs {
        return whole(ours);
    }
    if base == ours {
        return whole(theirs);
    }
    let (old, mine, other) = (split(base), split(ours), split(theirs));
    let (left, right) = (changes(&old, &mine), changes(&old, &other));
    let line_break = line_break(if ours.is_empty() { theirs } else { ours });
    let mut merged = Merged { text: String::new(), conflicts: 0 };
    let (mut at, mut i, mut j) = (0, 0, 0);
    loop {
        let next = match (left.get(i), right.get(j)) {
            (None, None) => break,
            (Some(one), None) | (None, Some(one)) => one.start,
            (Some(one), Some(two)) => one.start.min(two.start),
        };
        push(&mut merged.text, old.get(at..next));
        // Grows until no change of either side reaches over its end.
        let (from_left, from_right) = (i, j);
        let mut end = next;
        loop {
            let reaches = |change: Option<&Change>, end: usize| {
                change
                    .filter(|change| {
                        change.start < end
                            || (change.start == end && (change.start == next || change.end == change.start))
                    })
                    .map(|change| change.end)
            };
            if let Some(to) = reaches(left.get(i), end) {
                (end, i) = (end.max(to), i + 1);
            } else if let Some(to) = reaches(right.get(j), end) {
                (end, j) = (end.max(to), j + 1);
            } else {
                break;
            }
        }
        let here = side(&mine, left.get(from_left..i), left.get(..from_left), next, end);
        let there = side(&other, right.get(from_right..j), right.get(..from_right), next, end);
        let before = old.get(next..end).unwrap_or_default().concat();
        if here == there || there == before {
            merged.text.push_str(&here);
        } else if here == before {
            merged.text.push_str(&there);
        } else {
            merged.conflicts += 1;
            merged.text.push_str(&conflict(&here, &there, labels, line_break));
        }
        at = end;
    }
    push(&mut merged.text, old.get(at..));
    merged
}

/// Both sides between Git's markers.
pub(super) fn conflict(ours: &str, theirs: &str, labels: &Labels<'_>, line_break: &str) -> String {
    let closed = |text: &str| {
        if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}{line_break}") }
    };
    format!(
        "<<<<<<< {}{line_break}{}======={line_break}{}>>>>>>> {}{line_break}",
        labels.ours,
        closed(ours),
        closed(theirs),
        labels.theirs
    )
}

fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn push(text: &mut String, lines: Option<&[&str]>) {
    lines.unwrap_or_default().iter().for_each(|line| text.push_str(line));
}

fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    capture_diff_slices(Algorithm::Myers, old, new)
        .into_iter()
        .filter(|op| op.tag() != DiffTag::Equal)
        .map(|op| {
            let (old, new) = (op.old_range(), op.new_range());
            Change { start: old.start, end: old.end, new_start: new.start, new_end: new.end }
        })
        .collect()
}

/// What a side has where the base has `start..end`.
fn side(
    lines: &[&str],
    inside: Option<&[Change]>,
    before: Option<&[Change]>,
    start: usize,
    end: usize,
) -> String {
    // Base line to this side's line: the changes before shift it.
    let shift = before.and_then(<[Change]>::last).map_or(0, |last| signed(last.new_end) - signed(last.end));
    let inside = inside.unwrap_or_default();
    let from = inside.first().map_or(signed(start) + shift, |first| {
        signed(first.new_start) - (signed(first.start) - signed(start))
    });
    let to = inside
        .last()
        .map_or(signed(end) + shift, |last| signed(last.new_end) + (signed(end) - signed(last.end)));
    let index = |number: i64| usize::try_from(number.max(0)).unwrap_or_default();
    lines.get(index(from)..index(to)).unwrap_or_default().concat()
}

fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
