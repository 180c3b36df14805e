//! Tangles with what may be known at their time, one after the other in the order of history.

use becket_commits::{Change, Evidence, History, Touched, Unit, joined, runs, units};
use becket_diff::LineKind;

use super::repository::{Repository, files};
use super::tangle::{Tangle, as_changes, make};
use super::{EvalError, Sampling};

/// A tangle laid out: its runs of changed lines, which the truth is known of, and how many lines each has. What is
/// grouped are the pieces of them.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub(super) tangle: &'a Tangle,
    pub(super) changes: &'a [Change<'a>],
    pub(super) units: &'a [Unit],
    pub(super) pieces: &'a [Unit],
    /// The run that each piece is of.
    pub(super) run_of: &'a [usize],
    pub(super) lines: Vec<usize>,
}

/// Calls back for every tangle of one clone. `History` holds only what was committed before it.
pub(super) fn visit(
    path: &std::path::Path,
    sampling: &Sampling,
    mut each: impl FnMut(&Case<'_>, &Evidence<'_>),
) -> Result<String, EvalError> {
    let repository = Repository::open(path)?;
    let cache = sampling.cache.as_deref();
    let commits = repository.commits(cache)?;
    let tangles = make(&repository, &commits, sampling.seed, sampling.each, cache)?;
    let mut history = History::default();
    let mut known = 0;
    for tangle in &tangles {
        for commit in &commits[known..tangle.before] {
            history.absorb(&Touched { paths: &commit.paths, patch: commit.patch.as_deref() });
        }
        known = tangle.before;
        let Some(files) = files(&tangle.patch) else { continue };
        let changes = as_changes(&files);
        let (units, pieces, run_of) = whole_runs(&changes);
        let lines = units.iter().map(|unit| changed_lines(&changes, unit)).collect();
        let case = Case { tangle, changes: &changes, units: &units, pieces: &pieces, run_of: &run_of, lines };
        each(&case, &Evidence::of(&history));
    }
    Ok(repository.name())
}

/// Runs of changed lines, the pieces that they are cut into, and the run that each piece is of.
pub(super) fn whole_runs(changes: &[Change<'_>]) -> (Vec<Unit>, Vec<Unit>, Vec<usize>) {
    let pieces = units(changes);
    let runs = runs(&pieces);
    let run_of = runs.iter().enumerate().flat_map(|(run, members)| vec![run; members.len()]).collect();
    let whole = runs.iter().filter_map(|run| joined(&pieces, run)).collect();
    (whole, pieces, run_of)
}

pub(super) fn changed_lines(changes: &[Change<'_>], unit: &Unit) -> usize {
    match unit.hunk() {
        Some(hunk) => hunk.lines().filter(|line| line.kind != LineKind::Context).count(),
        None => changes[unit.change].file.added + changes[unit.change].file.removed,
    }
}
