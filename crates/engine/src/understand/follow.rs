//! A tree that is followed: one reading after the other, each when a burst of changes is over, and what differs between
//! them. What is done with it (files, a feed) is decided by whoever follows.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use becket_contracts::compare::{Comparison, Side, compare};
use becket_contracts::model::Contract;
use becket_project::index::{Index, IndexedFile};
use becket_project::walk::Tests;
use becket_project::walk::rules::is_sheet;
use becket_project::watch::{Output, TreeWatch, is_output};

use super::left_out::tell_left_out;
use super::site::Site;
use crate::{Engine, Error};

/// Folders that come while others are being covered come to an end; a program that makes them without end does not.
const MOST_ROUNDS: usize = 8;

/// Follows the folder of a site, until it is dropped.
#[derive(Debug)]
pub(super) struct Follower<'e> {
    engine: &'e Engine,
    path: Option<String>,
    tests: Tests,
    /// Whether style sheets count.
    sheets: bool,
    tree: TreeWatch,
    /// Whether there was a burst that nobody looked at.
    missed: bool,
    /// Whether nothing came of the last step, so that there is one whether files differ or not.
    owed: bool,
    pub(super) site: Site,
    pub(super) index: Arc<Index>,
}

/// From one reading to the next.
#[derive(Debug)]
pub(super) struct Step<G> {
    pub(super) before: Arc<Index>,
    /// What was held while it was read.
    pub(super) guard: G,
    /// Files that were edited, came or went, by path. None where only context files were touched, or something is to be done
    /// again.
    pub(super) files: Vec<String>,
    /// When the burst was over.
    pub(super) settled: Instant,
    /// Whether nothing came of the one before.
    pub(super) owed: bool,
}

impl<'e> Follower<'e> {
    pub(super) fn start(
        engine: &'e Engine,
        path: Option<&str>,
        (tests, sheets): (Tests, bool),
        settle: Duration,
    ) -> Result<Self, Error> {
        let site = engine.site(path)?;
        let workspace = &site.workspace;
        let mut tree = TreeWatch::start(&workspace.root, workspace.git_dir.as_deref(), settle);
        let index = settled(engine, &site, tests, &mut tree)?;
        Ok(Self {
            engine,
            path: path.map(str::to_owned),
            tests,
            sheets,
            tree,
            missed: false,
            owed: false,
            site,
            index,
        })
    }

    /// Why there are only looks at intervals, where that is so.
    pub(super) fn notice(&self) -> Option<&str> {
        self.tree.notice()
    }

    /// Hears what happens to context files, too.
    pub(super) fn hear_output(&mut self) {
        self.tree.hear(Output::Heard);
    }

    /// There is a look soon, whatever happens.
    pub(super) fn look_soon(&mut self) {
        self.tree.look_soon();
    }

    /// The next reading that differs; `None` when there was none within `limit`. What `hold` gives is held from before the
    /// look. After a failure it is looked again soon. Where nothing differs, what was written is a step when it `is_touched`.
    pub(super) fn wait<G>(
        &mut self,
        limit: Duration,
        hold: impl Fn(&Site) -> Result<G, Error>,
        is_touched: impl Fn() -> bool,
    ) -> Result<Option<Step<G>>, Error> {
        let step = self.next(limit, hold, is_touched);
        if step.is_err() {
            self.tree.look_soon();
        }
        step
    }

    /// Whether there is something to be tried again.
    pub(super) fn is_behind(&self) -> bool {
        self.missed
    }

    /// Nothing came of a step: the next one begins where it began, and comes soon.
    pub(super) fn step_back(&mut self, before: Arc<Index>) {
        (self.index, self.missed, self.owed) = (before, true, true);
        self.tree.look_soon();
    }

    fn next<G>(
        &mut self,
        limit: Duration,
        hold: impl Fn(&Site) -> Result<G, Error>,
        is_touched: impl Fn() -> bool,
    ) -> Result<Option<Step<G>>, Error> {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Some(burst) = self.tree.wait(left) else { return Ok(None) };
            let settled_at = Instant::now();
            let is_written = |path: &String| is_output(path.rsplit('/').next().unwrap_or(path));
            let (written, paths): (Vec<String>, Vec<String>) = burst.paths.into_iter().partition(is_written);
            // Mostly it is what we wrote ourselves.
            if !written.is_empty() && paths.is_empty() && !self.missed && !is_touched() {
                continue;
            }
            let missed = std::mem::replace(&mut self.missed, true);
            // The branch may be another one by now.
            self.site = self.engine.site(self.path.as_deref())?;
            let guard = hold(&self.site)?;
            let index = if !written.is_empty() && paths.is_empty() && !missed {
                Arc::clone(&self.index)
            } else if paths.is_empty() || missed {
                settled(self.engine, &self.site, self.tests, &mut self.tree)?
            } else {
                let index = self.engine.live_after(&self.site, self.tests, &paths)?;
                // Where names came or went there may be folders to watch.
                if index.has_same_names(&self.index) {
                    index
                } else {
                    settled(self.engine, &self.site, self.tests, &mut self.tree)?
                }
            };
            self.missed = false;
            let before = std::mem::replace(&mut self.index, index);
            let mut files = differing(&before, &self.index, &self.site);
            if self.sheets {
                let touched = self.index.touched_assets(&before).filter(|path| self.site.holds(path));
                files.extend(touched.filter(|path| is_sheet(path)).map(str::to_owned));
            }
            let owed = std::mem::take(&mut self.owed);
            if owed || !files.is_empty() || is_touched() {
                return Ok(Some(Step { before, guard, files, settled: settled_at, owed }));
            }
        }
    }

    /// What the step means for those who use the code.
    pub(super) fn compared(&self, before: &Index) -> Comparison {
        compared(before, &self.index, &self.site)
    }
}

/// The index of a moment in which every folder of the tree was watched already.
fn settled(engine: &Engine, site: &Site, tests: Tests, tree: &mut TreeWatch) -> Result<Arc<Index>, Error> {
    let mut index = engine.live(site, tests)?;
    for _ in 0..MOST_ROUNDS {
        if !tree.cover(index.folders()) {
            break;
        }
        index = engine.live(site, tests)?;
    }
    Ok(index)
}

/// Contracts that may differ, compared; the others are the very same values.
pub(super) fn compared(before: &Index, after: &Index, site: &Site) -> Comparison {
    let mut comparison = compare(&side(before, after, site), &side(after, before, site));
    tell_left_out(site, after, &mut comparison);
    comparison
}

/// The same with these contracts in the place of those of their files.
pub(super) fn compared_with(
    (before, after): (&Index, &Index),
    site: &Site,
    (was, is): (&Contract, &Contract),
) -> Comparison {
    let (mut before, mut after) = (side(before, after, site), side(after, before, site));
    before.contracts.insert(&was.entry_id, was);
    after.contracts.insert(&is.entry_id, is);
    compare(&before, &after)
}

fn side<'a>(index: &'a Index, other: &'a Index, site: &'a Site) -> Side<'a> {
    let contracts = unlike(index, other, site).map(|file| (&*file.path, file.contract())).collect();
    Side { contracts, graph: Some(index.graph()), reduced: false }
}

/// Files with another text, new ones, and those that are gone.
fn differing(before: &Index, after: &Index, site: &Site) -> Vec<String> {
    let both = unlike(before, after, site).chain(unlike(after, before, site));
    both.map(|file| file.path.to_string()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The files of an index that another one does not have, or has otherwise.
fn unlike<'a>(
    index: &'a Index,
    other: &'a Index,
    site: &'a Site,
) -> impl Iterator<Item = &'a Arc<IndexedFile>> {
    let (files, others) = (index.files(), other.files());
    // Almost always most of them are the very same values, in the same places.
    let places = others.unshared(files).chain(others.len()..files.len());
    places.filter_map(move |at| {
        let file = &files[at];
        let there = others.get(at).filter(|there| Arc::ptr_eq(there, file) || there.path == file.path);
        let there = there.or_else(|| other.position(&file.path).map(|at| &others[at]));
        let same = there.is_some_and(|there| Arc::ptr_eq(there, file) || there.id() == file.id());
        (!same && site.holds(&file.path)).then_some(file)
    })
}
