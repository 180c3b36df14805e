//! What was handed out: groups and plans with the trees that they speak of, kept in the clone so that an id means the same
//! hunks for as long as it means anything. No number is handed out twice in a worktree.

use becket_commits::{Group, Grouping, HunkId, Plan, PlannedCommit};
use becket_git::write::{Operation, OperationKind, Trees, WritePlace};
use serde::{Deserialize, Serialize};

use super::refusal::refused;
use crate::Error;

const FILE: &str = "plans.json";
/// Raised when what is kept means something else: its form, or how changes are cut into hunks.
const VERSION: u32 = 3;
/// Older ones are forgotten, and their ids unknown.
const KEPT: usize = 40;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Ledger {
    version: u32,
    groups_given: u64,
    commits_given: u64,
    plans_given: u64,
    pub(super) groupings: Vec<KeptGrouping>,
    pub(super) plans: Vec<KeptPlan>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KeptGrouping {
    /// What it was made from; the same again gives the same groups.
    pub(super) key: String,
    pub(super) trees: Trees,
    pub(super) grouping: Grouping,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KeptPlan {
    /// `plan-3`
    pub(super) id: String,
    pub(super) trees: Trees,
    pub(super) group_ids: Vec<String>,
    pub(super) plan: Plan,
}

/// What is remembered with an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Payload {
    pub(super) plan: String,
    /// In the order of the operation's commits.
    pub(super) commits: Vec<String>,
    pub(super) hunks: Vec<Vec<HunkId>>,
}

/// How far a plan is: what its commits became, and where branch and index are since.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress {
    /// Plan commit, commit of Git, hunks.
    pub(super) applied: Vec<(String, String, Vec<HunkId>)>,
    pub(super) head: Option<String>,
    pub(super) index: String,
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            version: VERSION,
            groups_given: 0,
            commits_given: 0,
            plans_given: 0,
            groupings: Vec::new(),
            plans: Vec::new(),
        }
    }
}

impl Ledger {
    pub(super) fn read(place: &WritePlace) -> Result<Self, Error> {
        let Some(bytes) = place.kept(FILE).map_err(refused)? else { return Ok(Self::default()) };
        match serde_json::from_slice::<Self>(&bytes) {
            Ok(ledger) if ledger.version == VERSION => Ok(ledger),
            // It can be made again; who holds an id of it is told that nobody knows it.
            other => {
                tracing::warn!(error = ?other.err(), "the kept plans cannot be read, and are begun anew");
                Ok(Self::default())
            }
        }
    }

    /// Reads, changes and writes it, with nobody in between.
    pub(super) fn change<T>(
        place: &WritePlace,
        change: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let result = place.alone(|| {
            let mut ledger = Self::read(place)?;
            if place.prune_objects() {
                ledger.groupings.clear();
                ledger.plans.clear();
            }
            let result = change(&mut ledger)?;
            ledger.forget();
            let bytes = serde_json::to_vec(&ledger)
                .map_err(|error| Error::internal("The plan could not be written.").with_source(error))?;
            place.keep(FILE, &bytes).map_err(refused)?;
            Ok(result)
        });
        result.map_err(refused)?
    }

    pub(super) fn group(&self, id: &str) -> Option<(&KeptGrouping, &Group)> {
        let all = self
            .groupings
            .iter()
            .flat_map(|kept| kept.grouping.groups.iter().map(move |group| (kept, group)));
        all.into_iter().find(|(_, group)| group.id == id)
    }

    pub(super) fn plan_of(&self, commit: &str) -> Option<(&KeptPlan, &PlannedCommit)> {
        let all =
            self.plans.iter().flat_map(|kept| kept.plan.commits.iter().map(move |commit| (kept, commit)));
        all.into_iter().find(|(_, planned)| planned.id == commit)
    }

    /// Gives the groups numbers of their own, and keeps them.
    pub(super) fn keep_grouping(&mut self, mut kept: KeptGrouping) -> KeptGrouping {
        for group in &mut kept.grouping.groups {
            self.groups_given += 1;
            group.id = format!("group-{}", self.groups_given);
        }
        self.groupings.push(kept.clone());
        kept
    }

    /// Gives the commits numbers of their own, and keeps them.
    pub(super) fn keep_plan(&mut self, trees: Trees, group_ids: Vec<String>, mut plan: Plan) -> KeptPlan {
        let renamed: Vec<(String, String)> = plan
            .commits
            .iter()
            .map(|commit| {
                self.commits_given += 1;
                (commit.id.clone(), format!("commit-{}", self.commits_given))
            })
            .collect();
        let rename = |id: &mut String| {
            if let Some((_, new)) = renamed.iter().find(|(old, _)| old == id) {
                id.clone_from(new);
            }
        };
        for commit in &mut plan.commits {
            rename(&mut commit.id);
            commit.depends_on.iter_mut().for_each(rename);
        }
        self.plans_given += 1;
        let kept = KeptPlan { id: format!("plan-{}", self.plans_given), trees, group_ids, plan };
        self.plans.push(kept.clone());
        kept
    }

    /// A plan that was proposed again is the newest.
    pub(super) fn bring_forward(&mut self, plan: &str) {
        if let Some(at) = self.plans.iter().position(|kept| kept.id == plan) {
            self.plans[at..].rotate_left(1);
        }
    }

    /// Ids of commits that an edit made get numbers that nobody has.
    pub(super) fn number_new_commits(&mut self, before: &Plan, after: &mut Plan) {
        for index in 0..after.commits.len() {
            let id = after.commits[index].id.clone();
            if before.commits.iter().any(|commit| commit.id == id) {
                continue;
            }
            self.commits_given += 1;
            let new = format!("commit-{}", self.commits_given);
            for commit in &mut after.commits {
                for depends in commit.depends_on.iter_mut().filter(|depends| **depends == id) {
                    depends.clone_from(&new);
                }
            }
            after.commits[index].id = new;
        }
    }

    fn forget(&mut self) {
        let excess = self.groupings.len().saturating_sub(KEPT);
        self.groupings.drain(..excess);
        let excess = self.plans.len().saturating_sub(KEPT);
        self.plans.drain(..excess);
    }
}

impl KeptPlan {
    /// How far it is, by the operations that were not undone.
    pub(super) fn progress(&self, place: &WritePlace) -> Result<Progress, Error> {
        let operations = place.operations().map_err(refused)?;
        let undone = |number: u64| {
            operations.iter().any(|operation| operation.kind == OperationKind::Undo { of: number })
        };
        let mut progress = Progress {
            applied: Vec::new(),
            head: self.trees.commit.clone(),
            index: self.trees.index.clone(),
        };
        for operation in &operations {
            let Some(payload) = payload_of(operation).filter(|payload| payload.plan == self.id) else {
                continue;
            };
            if operation.kind != OperationKind::Apply || undone(operation.number) {
                continue;
            }
            progress.head.clone_from(&operation.head_after);
            progress.index.clone_from(&operation.index_tree_after);
            let made = payload.commits.into_iter().zip(payload.hunks).zip(&operation.commits);
            progress.applied.extend(made.map(|((id, hunks), commit)| (id, commit.clone(), hunks)));
        }
        Ok(progress)
    }
}

impl Progress {
    /// The commit of Git that a planned one became.
    pub(super) fn sha(&self, commit: &str) -> Option<&str> {
        self.applied.iter().find(|(id, ..)| id == commit).map(|(_, sha, _)| sha.as_str())
    }
}

pub(super) fn payload_of(operation: &Operation) -> Option<Payload> {
    serde_json::from_value(operation.payload.clone()).ok()
}
