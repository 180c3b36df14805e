//! A snapshot cut into the units that plans are made of, and the names under which callers know them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use becket_commits::{Change, ContractFacts, HunkId, Part, Stage, Unit, joined, runs, units};
use becket_diff::{FilePath, Hunk, LineKind, Span};
use becket_git::write::{Snapshot, StepStage};

use super::layered::{LayeredFile, State, layered_files};

#[derive(Debug)]
pub(super) struct Cut {
    pub(super) snapshot: Snapshot,
    pub(super) units: Vec<Unit>,
    pub(super) files: Vec<LayeredFile>,
    /// One for each unit: `change-2-hunk-1`, as `list_changes` has it; `change-2-hunk-1.2` for the second part of one.
    pub(super) handles: Vec<String>,
    numbers: BTreeMap<HunkId, usize>,
    /// How many units each hunk of `list_changes` has.
    pieces: BTreeMap<String, usize>,
    /// The id of the change that each step is of.
    change_ids: Vec<String>,
    /// What the contracts say of it, once somebody asked.
    facts: OnceCell<Vec<ContractFacts>>,
}

impl Cut {
    pub(super) fn of(snapshot: Snapshot) -> Self {
        let all = changes(&snapshot);
        let units = units(&all);
        let handles = handles(&all, &units);
        let files = layered_files(&snapshot, &units);
        let change_ids = snapshot.steps().map(|step| step.change.id.clone()).collect();
        let numbers = units.iter().enumerate().map(|(number, unit)| (unit.id.clone(), number)).collect();
        let mut pieces: BTreeMap<String, usize> = BTreeMap::new();
        for handle in &handles {
            *pieces.entry(handle.split('.').next().unwrap_or(handle).to_owned()).or_default() += 1;
        }
        Self { snapshot, units, files, handles, numbers, pieces, change_ids, facts: OnceCell::new() }
    }

    /// What the contracts say of it, which is looked for once.
    pub(super) fn facts(&self, find: impl FnOnce() -> Vec<ContractFacts>) -> &[ContractFacts] {
        self.facts.get_or_init(find)
    }

    /// As [`becket_commits`] takes them: one for each step of the snapshot, in its order.
    pub(super) fn changes(&self) -> Vec<Change<'_>> {
        changes(&self.snapshot)
    }

    pub(super) fn number(&self, id: &HunkId) -> Option<usize> {
        self.numbers.get(id).copied()
    }

    /// The units that a caller means by a handle, by a unit's own id, or by a whole hunk that has several.
    pub(super) fn named(&self, text: &str) -> Vec<usize> {
        if let Some(number) = self.numbers.get(&HunkId::new(text)) {
            return vec![*number];
        }
        let whole = format!("{text}.");
        let matches = |handle: &String| handle == text || handle.starts_with(&whole);
        self.handles
            .iter()
            .enumerate()
            .filter(|(_, handle)| matches(handle))
            .map(|(number, _)| number)
            .collect()
    }

    pub(super) fn handle(&self, id: &HunkId) -> String {
        self.number(id).map_or_else(|| id.to_string(), |number| self.handles[number].clone())
    }

    /// The names of some units. A hunk that is all there goes by its own name, whatever pieces it is in.
    pub(super) fn names(&self, hunks: &[HunkId]) -> Vec<String> {
        let of_hunk = |handle: &str| handle.split('.').next().unwrap_or(handle).to_owned();
        let mut here: BTreeMap<String, usize> = BTreeMap::new();
        for id in hunks {
            *here.entry(of_hunk(&self.handle(id))).or_default() += 1;
        }
        let mut names: Vec<String> = Vec::new();
        for id in hunks {
            let handle = self.handle(id);
            let whole = of_hunk(&handle);
            let all = self.pieces.get(&whole).copied().unwrap_or(1);
            let name = if here.get(&whole) == Some(&all) { whole } else { handle };
            if names.last() != Some(&name) {
                names.push(name);
            }
        }
        names
    }

    /// How many pieces each of these hunks has, where it is more than one.
    pub(super) fn pieces_of(&self, names: &[String]) -> BTreeMap<String, usize> {
        let count = |name: &String| Some((name.clone(), *self.pieces.get(name)?));
        names.iter().filter_map(count).filter(|(_, pieces)| *pieces > 1).collect()
    }

    pub(super) fn change_id(&self, unit: usize) -> &str {
        &self.change_ids[self.units[unit].change]
    }

    /// Sets of units that only make sense together: files that take each other's place, as a file and a link, or a file
    /// and a folder, of one name.
    pub(super) fn together(&self) -> Vec<Vec<usize>> {
        let indivisible = |file: &usize| {
            self.files[*file].units().filter(|unit| !matches!(self.units[*unit].part, Part::Lines(_)))
        };
        self.sharing().iter().map(|files| files.iter().flat_map(indivisible).collect()).collect()
    }

    /// Units of which the worktree takes back what is staged: whole files, or parts of one. Taken together they change
    /// nothing.
    pub(super) fn taken_back(&self) -> BTreeSet<usize> {
        let alone = (0..self.files.len()).map(|file| vec![file]);
        let changes_nothing = |files: &Vec<usize>| {
            let states = |of: fn(&LayeredFile) -> &Option<State>| -> BTreeSet<_> {
                let states = files.iter().filter_map(|file| of(&self.files[*file]).as_ref());
                states.map(|state| (&state.path, state.blob.mode.0, &state.blob.id)).collect()
            };
            states(|file| &file.head) == states(|file| &file.worktree)
        };
        let sets = self.sharing().into_iter().chain(alone).filter(changes_nothing);
        let mut found: BTreeSet<usize> =
            sets.flatten().flat_map(|file| self.files[file].units().collect::<Vec<_>>()).collect();
        for file in &self.files {
            found.extend(self.parts_taken_back(file));
        }
        found
    }

    /// Staged and unstaged units of one file, each the other's way back.
    fn parts_taken_back(&self, file: &LayeredFile) -> Vec<usize> {
        // By themselves, and joined where they are one run of changed lines.
        let candidates = |layer: &[usize]| -> Vec<(Vec<usize>, Hunk)> {
            let units: Vec<Unit> = layer.iter().map(|unit| self.units[*unit].clone()).collect();
            let alone = (0..units.len()).map(|unit| vec![unit]);
            let all = runs(&units).into_iter().filter(|run| run.len() > 1).chain(alone);
            let hunk = |places: Vec<usize>| {
                let hunk = joined(&units, &places)?.hunk()?.clone();
                Some((places.iter().map(|place| layer[*place]).collect(), hunk))
            };
            all.filter_map(hunk).collect()
        };
        let (staged, unstaged) = (file.staged(), file.unstaged());
        if staged.is_empty() || unstaged.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let upper = candidates(unstaged);
        for (units, hunk) in candidates(staged) {
            if let Some((others, _)) = upper.iter().find(|(_, other)| takes_back(&hunk, other)) {
                found.extend(units);
                found.extend(others);
            }
        }
        let name = |state: &Option<State>| state.as_ref().map(|it| (it.path.clone(), it.blob.mode.0));
        if let [Some(one), Some(other)] = file.names(&self.units) {
            if name(&file.head) == name(&file.worktree) {
                found.extend([one, other]);
            }
        }
        found
    }

    /// Files that have a path in common, or of which one is a folder of another's.
    fn sharing(&self) -> Vec<Vec<usize>> {
        let mut at: BTreeMap<&FilePath, Vec<usize>> = BTreeMap::new();
        for (number, file) in self.files.iter().enumerate() {
            for path in file.paths() {
                let here = at.entry(path).or_default();
                if !here.contains(&number) {
                    here.push(number);
                }
            }
        }
        let mut sets: Vec<Vec<usize>> = Vec::new();
        for (path, files) in &at {
            let mut set = files.clone();
            let bytes = path.as_bytes();
            for (end, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
                set.extend(at.get(&FilePath::new(&bytes[..end])).into_iter().flatten());
            }
            set.sort_unstable();
            set.dedup();
            if set.len() > 1 {
                sets.push(set);
            }
        }
        sets
    }
}

fn changes(snapshot: &Snapshot) -> Vec<Change<'_>> {
    let stage = |step: &becket_git::write::Step<'_>| match step.stage {
        StepStage::Staged => Stage::Staged,
        StepStage::Unstaged if step.file.old.is_none() => Stage::Untracked,
        StepStage::Unstaged => Stage::Unstaged,
    };
    snapshot
        .steps()
        .map(|step| Change { id: &step.change.id, stage: stage(&step), file: step.file })
        .collect()
}

fn handles(changes: &[Change<'_>], units: &[Unit]) -> Vec<String> {
    // How many hunks of the same change are listed before those of each step.
    let mut listed: BTreeMap<&str, usize> = BTreeMap::new();
    let before: Vec<usize> = changes
        .iter()
        .map(|change| {
            let count = listed.entry(change.id).or_default();
            let before = *count;
            *count += change.file.hunks().len();
            before
        })
        .collect();
    let name = |unit: &Unit| {
        let change = &changes[unit.change];
        let hunks = change.file.hunks();
        let hunk = match &unit.part {
            Part::Lines(hunk) => hunks.iter().position(|shown| holds(shown, hunk)),
            Part::File if hunks.len() == 1 => Some(0),
            Part::File | Part::Metadata => None,
        };
        match (hunk, &unit.part) {
            (Some(hunk), _) => format!("{}-hunk-{}", change.id, before[unit.change] + hunk + 1),
            (None, Part::Metadata) => format!("{}-name", change.id),
            (None, _) => format!("{}-file", change.id),
        }
    };
    let names: Vec<String> = units.iter().map(name).collect();
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for name in &names {
        counts.entry(name).or_default().0 += 1;
    }
    let numbered = names.iter().map(|name| {
        let Some((all, seen)) = counts.get_mut(name.as_str()) else { return name.clone() };
        *seen += 1;
        if *all == 1 { name.clone() } else { format!("{name}.{seen}") }
    });
    numbered.collect()
}

/// Whether a part without context is of a hunk with context.
fn holds(shown: &Hunk, part: &Hunk) -> bool {
    let ((begin, end), (from, to)) = (bounds(shown.old), bounds(part.old));
    begin <= from && to <= end
}

/// Whether the second of two hunks without context leads back to where the first began.
fn takes_back(first: &Hunk, second: &Hunk) -> bool {
    let side = |hunk: &Hunk, kind: LineKind| -> Vec<(Vec<u8>, bool)> {
        let lines = hunk.lines().filter(|line| line.kind == kind);
        lines.map(|line| (line.content.to_vec(), line.newline)).collect()
    };
    bounds(first.new) == bounds(second.old)
        && side(first, LineKind::Added) == side(second, LineKind::Removed)
        && side(first, LineKind::Removed) == side(second, LineKind::Added)
}

/// Lines before it and at its end, counted from zero.
fn bounds(span: Span) -> (usize, usize) {
    let begin = if span.lines == 0 { span.start } else { span.start.saturating_sub(1) };
    (begin, begin + span.lines)
}
