//! One file on its way from the last commit through the index to the worktree, and what it is when only some of its
//! changes are committed. Pure: contents are given.

use std::collections::BTreeMap;

use becket_commits::{Part, Unit};
use becket_diff::{Choice, FilePath, Mode, compose};
use becket_git::write::{Blob, NewContent, Snapshot, StepStage, TreeEdit};

/// A file at one of the three places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) path: FilePath,
    pub(super) blob: Blob,
}

#[derive(Debug, Default)]
pub(super) struct LayeredFile {
    pub(super) head: Option<State>,
    pub(super) index: Option<State>,
    pub(super) worktree: Option<State>,
    /// Its units, by their number.
    staged: Vec<usize>,
    unstaged: Vec<usize>,
    /// What a commit stores for the file where the repository's own filters say otherwise than the plan saw it. It is
    /// then taken whole.
    filtered: Option<Filtered>,
}

/// What a filter leaves of a file; nothing where the commit has none.
#[derive(Debug)]
struct Filtered(Option<State>);

/// A path and what becomes of it; a file that goes has none.
pub(super) type Rendered = Option<(FilePath, Mode, NewContent)>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum LayerError {
    /// By their numbers.
    #[error("unit {unit} cannot be taken without unit {needs}")]
    Needs { unit: usize, needs: usize },
    #[error("{path} cannot be put together")]
    Content { path: FilePath, source: becket_diff::ApplyError },
    #[error("{path} is not what the plan was made from")]
    Lost { path: FilePath },
}

/// The files of a snapshot. `changes_of` tells for each step, in order, which units are part of it.
pub(super) fn layered_files(snapshot: &Snapshot, units: &[Unit]) -> Vec<LayeredFile> {
    let mut of_step: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, unit) in units.iter().enumerate() {
        of_step.entry(unit.change).or_default().push(number);
    }
    let mut files: Vec<LayeredFile> = Vec::new();
    let mut in_index: BTreeMap<FilePath, usize> = BTreeMap::new();
    let mut steps: Vec<_> = snapshot.steps().enumerate().collect();
    // A staged file may be listed after the unstaged one that was made of it.
    steps.sort_by_key(|(number, step)| (step.stage, *number));
    for (number, step) in steps {
        let units = of_step.remove(&number).unwrap_or_default();
        let sides = match step.stage {
            StepStage::Staged => &snapshot.staged,
            StepStage::Unstaged => &snapshot.unstaged,
        };
        let old = step.file.old.as_ref().and_then(|side| {
            let blob = sides.get(&side.path)?.old.clone()?;
            Some(State { path: side.path.clone(), blob })
        });
        let new = step.file.new.as_ref().and_then(|side| {
            let blob = sides.get(&side.path)?.new.clone()?;
            Some(State { path: side.path.clone(), blob })
        });
        match step.stage {
            StepStage::Staged => {
                if let Some(state) = &new {
                    in_index.insert(state.path.clone(), files.len());
                }
                let (index, worktree) = (new.clone(), new);
                files.push(LayeredFile {
                    head: old,
                    index,
                    worktree,
                    staged: units,
                    ..LayeredFile::default()
                });
            }
            StepStage::Unstaged => {
                let below = old.as_ref().and_then(|state| in_index.get(&state.path).copied());
                match below {
                    Some(file) => {
                        files[file].worktree = new;
                        files[file].unstaged = units;
                    }
                    None => files.push(LayeredFile {
                        head: old.clone(),
                        index: old,
                        worktree: new,
                        unstaged: units,
                        ..LayeredFile::default()
                    }),
                }
            }
        }
    }
    files
}

impl LayeredFile {
    pub(super) fn units(&self) -> impl Iterator<Item = usize> {
        self.staged.iter().chain(&self.unstaged).copied()
    }

    pub(super) fn staged(&self) -> &[usize] {
        &self.staged
    }

    pub(super) fn unstaged(&self) -> &[usize] {
        &self.unstaged
    }

    /// Every path that it ever has.
    pub(super) fn paths(&self) -> impl Iterator<Item = &FilePath> {
        [&self.head, &self.index, &self.worktree].into_iter().flatten().map(|state| &state.path)
    }

    /// Takes the file whole from now on, as `state`.
    pub(super) fn take_whole(&mut self, state: Option<State>) {
        self.filtered = Some(Filtered(state));
    }

    /// The contents that are needed to put it together, by their ids; and, where lines may take back others that are
    /// staged, the one that it is compared with.
    pub(super) fn bases(&self, units: &[Unit]) -> impl Iterator<Item = &str> {
        let lines = |layer: &[usize]| {
            !layer.is_empty() && layer.iter().all(|unit| matches!(units[*unit].part, Part::Lines(_)))
        };
        let both = lines(&self.staged) && lines(&self.unstaged);
        let worktree = self.worktree.as_ref().filter(|_| both);
        [self.head.as_ref(), self.index.as_ref(), worktree]
            .into_iter()
            .flatten()
            .map(|state| state.blob.id.as_str())
    }

    /// What the file is with the taken units and no others.
    pub(super) fn with(
        &self,
        units: &[Unit],
        taken: &dyn Fn(usize) -> bool,
        content_of: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Rendered, LayerError> {
        let any = |layer: &[usize]| layer.iter().any(|unit| taken(*unit));
        let all = |layer: &[usize]| layer.iter().all(|unit| taken(*unit));
        if let (Some(Filtered(filtered)), true) = (&self.filtered, any(&self.unstaged)) {
            return Ok(stored(filtered.as_ref()));
        }
        if all(&self.staged) && all(&self.unstaged) {
            return Ok(stored(self.worktree.as_ref()));
        }
        if !any(&self.unstaged) {
            if !any(&self.staged) {
                return Ok(stored(self.head.as_ref()));
            }
            if all(&self.staged) {
                return Ok(stored(self.index.as_ref()));
            }
        }
        let [lower_name, upper_name] = self.names(units);
        let is_whole = |layer: &[usize], name: Option<usize>| {
            layer.iter().copied().find(|unit| units[*unit].part == Part::File && Some(*unit) != name)
        };
        if is_whole(&self.unstaged, upper_name).is_some_and(taken) {
            return Ok(stored(self.worktree.as_ref()));
        }
        let choices = |layer: &[usize]| -> Vec<Choice<'_>> {
            let hunk = |unit: &usize| Some(Choice { hunk: units[*unit].hunk()?, taken: taken(*unit) });
            layer.iter().filter_map(hunk).collect()
        };
        let (base, lower) = match is_whole(&self.staged, lower_name) {
            Some(whole) if taken(whole) => (self.index.as_ref(), Vec::new()),
            Some(whole) if any(&self.unstaged) => {
                let unit = self.unstaged.iter().copied().find(|unit| taken(*unit)).unwrap_or(whole);
                return Err(LayerError::Needs { unit, needs: whole });
            }
            Some(_) => return Ok(stored(self.head.as_ref())),
            None => (self.head.as_ref(), choices(&self.staged)),
        };
        let Some(base) = base else { return Ok(None) };
        let upper = choices(&self.unstaged);
        let content = if lower.is_empty() && upper.is_empty() {
            NewContent::Stored(base.blob.id.clone())
        } else {
            let lost = || LayerError::Lost { path: base.path.clone() };
            let text = content_of(&base.blob.id).ok_or_else(lost)?;
            let text = compose(&text, &lower, &upper)
                .map_err(|source| LayerError::Content { path: base.path.clone(), source })?;
            NewContent::Bytes(text)
        };
        let (mut path, mut mode) = (base.path.clone(), base.blob.mode);
        let layers = [
            (lower_name, self.head.as_ref(), self.index.as_ref()),
            (upper_name, self.index.as_ref(), self.worktree.as_ref()),
        ];
        for (name, old, new) in layers {
            if let (true, Some(old), Some(new)) = (name.is_some_and(taken), old, new) {
                if old.path != new.path {
                    path = new.path.clone();
                }
                if old.blob.mode != new.blob.mode {
                    mode = new.blob.mode;
                }
            }
        }
        Ok(Some((path, mode, content)))
    }

    /// The unit of each layer that is about the name or the mode alone.
    pub(super) fn names(&self, units: &[Unit]) -> [Option<usize>; 2] {
        let only = |layer: &[usize], old: Option<&State>, new: Option<&State>| {
            let is_regular = |state: &State| state.blob.mode.0 & 0o170_000 == 0o100_000;
            let same_content = matches!((old, new), (Some(old), Some(new))
                if old.blob.id == new.blob.id && is_regular(old) && is_regular(new));
            layer.iter().copied().find(|unit| match units[*unit].part {
                Part::Metadata => true,
                Part::File => same_content,
                Part::Lines(_) => false,
            })
        };
        [
            only(&self.staged, self.head.as_ref(), self.index.as_ref()),
            only(&self.unstaged, self.index.as_ref(), self.worktree.as_ref()),
        ]
    }
}

fn stored(state: Option<&State>) -> Rendered {
    state.map(|State { path, blob }| (path.clone(), blob.mode, NewContent::Stored(blob.id.clone())))
}

/// The edits that lead from one state of files to another.
pub(super) fn edits_between(before: &[Rendered], after: &[Rendered]) -> Vec<TreeEdit> {
    let mut edits: BTreeMap<FilePath, Option<(Mode, NewContent)>> = BTreeMap::new();
    let pairs = || before.iter().zip(after).filter(|(before, after)| before != after);
    for (before, _) in pairs() {
        if let Some((path, ..)) = before {
            edits.insert(path.clone(), None);
        }
    }
    // Afterwards, since what takes the place of another file comes to stay.
    for (_, after) in pairs() {
        if let Some((path, mode, content)) = after {
            edits.insert(path.clone(), Some((*mode, content.clone())));
        }
    }
    edits.into_iter().map(|(path, entry)| TreeEdit { path, entry }).collect()
}
