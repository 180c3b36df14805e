//! Tangles with what may be known at their time, one after the other in the order of history.

use becket_commits::{Change, Evidence, History, Touched, Unit, units};
use becket_diff::LineKind;

use super::repository::{Repository, files};
use super::tangle::{Tangle, as_changes, make};
use super::{EvalError, Sampling};

/// A tangle laid out: its units and how many changed lines each has.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub(super) tangle: &'a Tangle,
    pub(super) changes: &'a [Change<'a>],
    pub(super) units: &'a [Unit],
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
        let units = units(&changes);
        let lines = units.iter().map(|unit| changed_lines(&changes, unit)).collect();
        let case = Case { tangle, changes: &changes, units: &units, lines };
        each(&case, &Evidence { history: &history, embeddings: None, contracts: &[], together: &[] });
    }
    Ok(repository.name())
}

fn changed_lines(changes: &[Change<'_>], unit: &Unit) -> usize {
    match unit.hunk() {
        Some(hunk) => hunk.lines().filter(|line| line.kind != LineKind::Context).count(),
        None => changes[unit.change].file.added + changes[unit.change].file.removed,
    }
}
