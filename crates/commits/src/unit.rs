//! The unit of grouping: a run of changed lines or a piece of one, or a file as a whole where it cannot be taken apart. It
//! owns which is which, and the ids of units.

use std::collections::HashMap;
use std::fmt;

use becket_diff::{Content, Hunk, LineKind, Mode, Status, adjoins, join, split};
use serde::{Deserialize, Serialize};

use crate::change::{Change, Stage};
use crate::pieces::pieces;
use crate::place::Place;

/// Names a unit by what it changes: the path, the step, and the lines removed and added, not where they stand. It
/// therefore stays the same when other units of the file are committed. Units that are wholly alike are told apart by
/// their order in the file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HunkId(String);

impl HunkId {
    /// Takes a caller's word for it; whether there is such a unit is another question.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HunkId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for HunkId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// One part of the changes that goes into exactly one commit: a run of changed lines, or less where a run may hold two
/// concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    pub id: HunkId,
    /// Which of the changes it is part of, counted from zero.
    pub change: usize,
    pub part: Part,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// All of a change that cannot be taken apart: a file that is new, gone, binary, a link, a submodule, empty, or of
    /// which not all is known.
    File,
    /// The rename, copy or mode of a file whose lines changed too; those are units of their own.
    Metadata,
    /// A hunk without context. Its positions are those of the base of the change, so that any selection of the units
    /// of a change can be given to `becket_diff::apply` in order.
    Lines(Hunk),
}

impl Unit {
    pub fn hunk(&self) -> Option<&Hunk> {
        match &self.part {
            Part::Lines(hunk) => Some(hunk),
            Part::File | Part::Metadata => None,
        }
    }
}

/// Takes changes apart, in their order. Together the units are the changes.
pub fn units(changes: &[Change<'_>]) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut seen: HashMap<blake3::Hash, u64> = HashMap::new();
    for (number, change) in changes.iter().enumerate() {
        for part in parts(change) {
            let content = digest(change, &part);
            let twins = seen.entry(content).or_default();
            let id = hunk_id(content, *twins);
            *twins += 1;
            units.push(Unit { id, change: number, part });
        }
    }
    units
}

/// Units that are one run of changed lines, in order; any other unit is alone. Git shows a run as one, and only a run
/// that holds two concerns is not one in the end.
pub fn runs(units: &[Unit]) -> Vec<Vec<usize>> {
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for (number, unit) in units.iter().enumerate() {
        let goes_on = number.checked_sub(1).map(|last| &units[last]).is_some_and(|last| {
            last.change == unit.change
                && matches!((last.hunk(), unit.hunk()), (Some(one), Some(next)) if adjoins(one, next))
        });
        match runs.last_mut().filter(|_| goes_on) {
            Some(run) => run.push(number),
            None => runs.push(vec![number]),
        }
    }
    runs
}

/// Consecutive units of a run as one, under the id of the first.
pub fn joined(units: &[Unit], run: &[usize]) -> Option<Unit> {
    let first = &units[*run.first()?];
    let hunks: Vec<&Hunk> = run.iter().filter_map(|unit| units[*unit].hunk()).collect();
    let part = if run.len() == 1 { first.part.clone() } else { Part::Lines(join(&hunks)?) };
    Some(Unit { id: first.id.clone(), change: first.change, part })
}

/// What an embedding of a unit is made from: its path, the declaration around it, and its lines with their context
/// as far as a model reads.
pub fn embedding_text(changes: &[Change<'_>], unit: &Unit) -> String {
    const LONGEST: usize = 6_000;
    let change = &changes[unit.change];
    let mut text = change.path().to_text().into_owned();
    let mut add = |prefix: &str, line: &[u8]| {
        if text.len() < LONGEST {
            text.push('\n');
            text.push_str(prefix);
            text.push_str(&String::from_utf8_lossy(&line[..line.len().min(500)]));
        }
    };
    match &unit.part {
        Part::Lines(hunk) => {
            let around = crate::profile::surrounding(change.file.hunks(), hunk);
            add("", around.section);
            around.before.iter().for_each(|line| add(" ", line));
            hunk.raw_lines().for_each(|line| add("", line));
            around.after.iter().for_each(|line| add(" ", line));
        }
        Part::File => change.file.hunks().iter().flat_map(Hunk::raw_lines).for_each(|line| add("", line)),
        Part::Metadata => {
            let old = change.file.old.as_ref().map(|side| side.path.as_bytes()).unwrap_or_default();
            add("moved from ", old);
        }
    }
    text
}

fn parts(change: &Change<'_>) -> Vec<Part> {
    let file = change.file;
    let divisible = file.omitted.is_nothing()
        && !matches!(file.status, Status::Added | Status::Deleted)
        && !matches!(file.mode(), Some(Mode::SYMLINK | Mode::SUBMODULE));
    let hunks = match &file.content {
        Content::Text(hunks) if divisible => hunks,
        _ => return vec![Part::File],
    };
    let metadata = file.status != Status::Modified || file.mode_changed();
    let mut parts: Vec<Part> = metadata.then_some(Part::Metadata).into_iter().collect();
    let place = Place::of(change.path());
    parts.extend(hunks.iter().flat_map(split).flat_map(|run| pieces(run, &place)).map(Part::Lines));
    if parts.is_empty() { vec![Part::File] } else { parts }
}

fn digest(change: &Change<'_>, part: &Part) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let mut field = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    field(change.path().as_bytes());
    let stage = if change.stage == Stage::Staged { b"staged".as_slice() } else { b"worktree" };
    field(stage);
    match part {
        Part::Lines(hunk) => {
            field(b"lines");
            for line in hunk.lines() {
                field(&[line.kind.marker(), u8::from(line.newline)]);
                field(line.content);
            }
        }
        Part::Metadata => field(b"metadata"),
        Part::File => field(b"file"),
    }
    if !matches!(part, Part::Lines(_)) {
        let file = change.file;
        field(format!("{:?}", file.status).as_bytes());
        for side in [&file.old, &file.new] {
            let Some(side) = side else {
                field(b"none");
                continue;
            };
            field(side.path.as_bytes());
            field(format!("{:?}", side.mode).as_bytes());
            if *part == Part::File {
                field(side.id.as_deref().unwrap_or_default().as_bytes());
            }
        }
        if *part == Part::File {
            for line in file.hunks().iter().flat_map(Hunk::lines) {
                if line.kind != LineKind::Context {
                    field(&[line.kind.marker(), u8::from(line.newline)]);
                    field(line.content);
                }
            }
        }
    }
    hasher.finalize()
}

fn hunk_id(content: blake3::Hash, twins: u64) -> HunkId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(content.as_bytes());
    hasher.update(&twins.to_le_bytes());
    HunkId(format!("hunk-{}", &hasher.finalize().to_hex()[..16]))
}
