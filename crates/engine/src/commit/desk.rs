//! A worktree at which a plan is made or applied: where it is, what was kept for it, and whether a plan still fits.

use std::collections::{BTreeMap, BTreeSet};

use becket_commits::HunkId;
use becket_diff::FilePath;
use becket_git::{
    Git, Untracked,
    write::{
        BlobSides, Objects, PLAN_LIMITS, Snapshot, SnapshotOptions, Taken, Trees, WritePlace, changed_paths,
        snapshot, snapshot_of,
    },
};

use super::{
    cut::Cut,
    interrupted::{self, Ended},
    ledger::{KeptPlan, Progress},
    place::Scope,
    refusal::{named, refused},
};
use crate::{Engine, Error};

#[derive(Debug)]
pub(super) struct Desk {
    pub(super) git: Git,
    pub(super) write: WritePlace,
    pub(super) scope: Scope,
    /// What an answer says beside what was asked.
    pub(super) notices: Vec<String>,
    /// What had to be ended before this call could write.
    pub(super) ended: Option<Ended>,
}

impl Engine {
    pub(super) fn desk(&self, worktree: Option<&str>) -> Result<Desk, Error> {
        let place = self.commit_place(worktree, None)?;
        let write = WritePlace::of(&place.git).map_err(refused)?;
        let notices = place.notices();
        Ok(Desk { git: place.git, write, scope: place.scope, notices, ended: None })
    }

    /// For a call that leaves the branch as it is: what is unfinished there is told, also when it fails.
    pub(super) fn looking<T>(
        &self,
        worktree: Option<&str>,
        work: impl FnOnce(&Desk) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let desk = self.desk(worktree)?;
        desk.told(work(&desk))
    }

    /// For a call that changes the branch: what a becket that died was at is ended first, and told.
    pub(super) fn desk_to_write(&self, worktree: Option<&str>) -> Result<Desk, Error> {
        let desk = self.desk(worktree)?;
        if desk.notices.is_empty() {
            return Ok(desk);
        }
        let ended = interrupted::end(&desk.git)?;
        let mut desk = self.desk(worktree)?;
        // Who is still at it is waited for.
        desk.notices = ended.iter().map(|ended| ended.sentence.clone()).collect();
        Ok(Desk { ended, ..desk })
    }
}

impl Desk {
    /// A call that failed has still ended what was interrupted, or has found it.
    pub(super) fn told<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|error| match &self.ended {
            Some(ended) => error.after(&ended.sentence),
            None if self.notices.is_empty() => error,
            None => {
                let hint = error.hint().unwrap_or_default();
                let hint = format!("{hint} {}", self.notices.join(" "));
                error.with_hint(hint.trim_start())
            }
        })
    }

    /// The dirty tree as it is, without a trace in the repository.
    pub(super) fn look(&self, untracked: Untracked) -> Result<Taken, Error> {
        let objects = Objects::Folder(self.write.objects());
        let options = SnapshotOptions { objects, untracked, ..SnapshotOptions::default() };
        snapshot(&self.git, &options).map_err(refused)
    }

    /// What was looked at before.
    pub(super) fn recall(&self, trees: &Trees) -> Result<Cut, Error> {
        let objects = self.write.objects();
        let recalled = snapshot_of(&self.git, Some(&objects), trees, PLAN_LIMITS);
        recalled.map(Cut::of).map_err(|error| {
            Error::not_found("plan_expired", "What the plan was made from is no longer kept.")
                .with_hint("Call list_changes, group_changes and propose_commits again, or run `becket commit plan`.")
                .with_source(error)
        })
    }

    /// Whether the dirty tree is still what trees were taken from, as far as the files of `units` go.
    pub(super) fn check_trees(
        &self,
        trees: &Trees,
        cut: &Cut,
        units: &BTreeSet<usize>,
        now: &Snapshot,
    ) -> Result<(), Error> {
        let expected = Expected { head: trees.commit.as_deref(), index: &trees.index, trees };
        self.check(&expected, cut, units, now)
    }

    /// The same for a plan of which some commits were applied: what it still has to do must be untouched.
    pub(super) fn check_plan(
        &self,
        kept: &KeptPlan,
        progress: &Progress,
        cut: &Cut,
        now: &Snapshot,
    ) -> Result<(), Error> {
        let done: BTreeSet<&HunkId> = progress.applied.iter().flat_map(|(_, _, hunks)| hunks).collect();
        let pending =
            kept.plan.commits.iter().flat_map(|commit| &commit.hunks).filter(|id| !done.contains(id));
        let units = pending.filter_map(|id| cut.number(id)).collect();
        let expected =
            Expected { head: progress.head.as_deref(), index: &progress.index, trees: &kept.trees };
        self.check(&expected, cut, &units, now)
    }

    fn check(
        &self,
        expected: &Expected<'_>,
        cut: &Cut,
        units: &BTreeSet<usize>,
        now: &Snapshot,
    ) -> Result<(), Error> {
        if now.trees.commit.as_deref() != expected.head {
            let shown = |commit: Option<&str>| commit.unwrap_or("no commit").to_owned();
            let (expected, found) = (shown(expected.head), shown(now.trees.commit.as_deref()));
            return Err(Error::conflict(
                "head_moved",
                format!("HEAD has moved: expected {expected}, got {found}"),
            )
            .with_hint(
                "The plan no longer fits. Call list_changes, group_changes and propose_commits again, or run `becket commit plan`.",
            ));
        }
        let files = cut.files.iter().filter(|file| file.units().any(|unit| units.contains(&unit)));
        let paths: BTreeSet<&FilePath> = files.flat_map(super::layered::LayeredFile::paths).collect();
        let objects = self.write.objects();
        let mut changed: BTreeMap<FilePath, &'static str> = BTreeMap::new();
        let comparisons = [
            (expected.index, &now.trees.index, "index"),
            (&expected.trees.worktree, &now.trees.worktree, "worktree"),
        ];
        // A file that Git does not know is none that changed since, where such files were not looked at.
        let unknown = |path: &FilePath, sides: &BlobSides| {
            expected.trees.tracked_only
                && sides.old.is_none()
                && now.unstaged.get(path).is_some_and(|sides| sides.old.is_none())
        };
        for (old, new, place) in comparisons {
            let differences: BTreeMap<FilePath, BlobSides> =
                changed_paths(&self.git, Some(&objects), old, new).map_err(refused)?;
            let ours =
                differences.into_iter().filter(|(path, sides)| paths.contains(path) && !unknown(path, sides));
            changed.extend(ours.map(|(path, _)| (path, place)));
        }
        if changed.is_empty() {
            return Ok(());
        }
        let whats: Vec<FilePath> = changed
            .iter()
            .map(|(path, place)| FilePath::from(format!("{path} ({place})").as_str()))
            .collect();
        Err(Error::conflict(
            "stale_plan",
            format!("The tree changed since the plan was made: {}.", named(&whats)),
        )
        .with_hint(
            "Call list_changes, group_changes and propose_commits again, or run `becket commit plan`.",
        ))
    }
}

struct Expected<'a> {
    head: Option<&'a str>,
    index: &'a str,
    trees: &'a Trees,
}
