//! A caller's own wording and grouping of a plan. An edit gives a new plan or says why it cannot be.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::change::{Change, Evidence};
use crate::message::message;
use crate::plan::{Plan, PlannedCommit, mark_breaking};
use crate::unit::{HunkId, Unit};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case")]
pub enum Edit {
    Retitle {
        commit: String,
        title: String,
    },
    Describe {
        commit: String,
        body: String,
    },
    /// Into another commit; a commit that is left empty goes.
    Move {
        hunks: Vec<HunkId>,
        to: String,
    },
    /// All into the first of them.
    Merge {
        commits: Vec<String>,
    },
    /// Into a commit of their own, right after the one that they are taken from.
    Split {
        commit: String,
        hunks: Vec<HunkId>,
    },
    /// All commits in their new order.
    Reorder {
        commits: Vec<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("Unknown commit ID: {commit}")]
    UnknownCommit { commit: String },
    #[error("Unknown hunk ID: {hunk}")]
    UnknownHunk { hunk: HunkId },
    #[error("{hunk} is not in {commit}")]
    NotInCommit { hunk: HunkId, commit: String },
    #[error("the title of {commit} must be one line that is not empty")]
    BadTitle { commit: String },
    #[error("an order must name every commit once; {commit} is missing or named twice")]
    BadOrder { commit: String },
    #[error("{hunk} would come before {needs}, without which it cannot be applied")]
    TooEarly { hunk: HunkId, needs: HunkId },
    #[error("nothing would be left in {commit}: leave a hunk there, or edit the commit itself")]
    NothingLeft { commit: String },
    #[error("name at least two commits to merge")]
    NothingToMerge,
    #[error("name at least one hunk")]
    NoHunks,
}

impl Plan {
    /// The plan after `edits`, in their order. Commits whose wording nobody gave are worded anew when their hunks
    /// change. What must be kept is looked at when all are done, so that two edits together can do what one cannot.
    pub fn edited(
        &self,
        changes: &[Change<'_>],
        units: &[Unit],
        evidence: &Evidence<'_>,
        edits: &[Edit],
    ) -> Result<Plan, EditError> {
        let mut plan = self.clone();
        let mut touched = BTreeSet::new();
        for edit in edits {
            plan.apply(edit, &mut touched)?;
        }
        plan.check()?;
        let places: BTreeMap<&HunkId, usize> =
            units.iter().enumerate().map(|(place, unit)| (&unit.id, place)).collect();
        for commit in plan.commits.iter_mut().filter(|commit| touched.contains(&commit.id)) {
            commit.hunks.sort_by_key(|hunk| places.get(hunk).copied());
            // They speak of hunks that may have gone.
            commit.reasons.clear();
            let members: Vec<&Unit> =
                commit.hunks.iter().filter_map(|hunk| places.get(hunk)).map(|place| &units[*place]).collect();
            if !members.is_empty() {
                let words = message(changes, &members, &[], evidence.contracts);
                commit.trailers = words.trailers;
                if !commit.title_given {
                    commit.title = words.title;
                }
                if !commit.body_given {
                    commit.body = words.body;
                }
            }
        }
        mark_breaking(&mut plan.commits, units, evidence.breaking);
        let left: Vec<String> = plan.commits.iter().map(|commit| commit.id.clone()).collect();
        let ranks: BTreeMap<&String, usize> = left.iter().enumerate().map(|(rank, id)| (id, rank)).collect();
        for (rank, commit) in plan.commits.iter_mut().enumerate() {
            commit.depends_on.retain(|id| ranks.get(id).is_some_and(|other| *other < rank));
        }
        Ok(plan)
    }

    fn apply(&mut self, edit: &Edit, touched: &mut BTreeSet<String>) -> Result<(), EditError> {
        match edit {
            Edit::Retitle { commit, title } => {
                let place = self.place(commit)?;
                let title = title.trim();
                if title.is_empty() || title.contains(['\n', '\r', '\0']) {
                    return Err(EditError::BadTitle { commit: commit.clone() });
                }
                title.clone_into(&mut self.commits[place].title);
                self.commits[place].title_given = true;
            }
            Edit::Describe { commit, body } => {
                let place = self.place(commit)?;
                body.replace('\0', "").trim_end().clone_into(&mut self.commits[place].body);
                self.commits[place].body_given = true;
            }
            Edit::Move { hunks, to } => {
                self.place(to)?;
                let sources = self.take(hunks, None)?;
                let place = self.place(to)?;
                self.commits[place].hunks.extend(unique(hunks));
                for source in &sources {
                    let from = self.commits.iter().find(|commit| commit.id == *source).cloned();
                    let groups = from.map(|from| from.group_ids).unwrap_or_default();
                    self.commits[place].add_groups(groups);
                }
                touched.extend(sources);
                touched.insert(to.clone());
                self.commits.retain(|commit| !commit.hunks.is_empty());
            }
            Edit::Merge { commits } => {
                let commits = unique(commits);
                let [first, others @ ..] = commits.as_slice() else { return Err(EditError::NothingToMerge) };
                if others.is_empty() {
                    return Err(EditError::NothingToMerge);
                }
                for commit in &commits {
                    self.place(commit)?;
                }
                for other in others {
                    let gone = self.commits.remove(self.place(other)?);
                    let place = self.place(first)?;
                    let kept = &mut self.commits[place];
                    kept.hunks.extend(gone.hunks);
                    kept.depends_on.extend(gone.depends_on.into_iter().filter(|id| id != first));
                    kept.add_groups(gone.group_ids);
                    for commit in &mut self.commits {
                        for id in &mut commit.depends_on {
                            if id == other {
                                first.clone_into(id);
                            }
                        }
                        commit.depends_on = unique(&commit.depends_on);
                    }
                }
                touched.insert(first.clone());
            }
            Edit::Split { commit, hunks } => {
                let place = self.place(commit)?;
                self.take(hunks, Some(commit))?;
                if self.commits[place].hunks.is_empty() {
                    return Err(EditError::NothingLeft { commit: commit.clone() });
                }
                let id = self.free_id();
                let split = PlannedCommit {
                    id: id.clone(),
                    hunks: unique(hunks),
                    title_given: false,
                    body_given: false,
                    ..self.commits[place].clone()
                };
                self.commits.insert(place + 1, split);
                touched.extend([commit.clone(), id]);
            }
            Edit::Reorder { commits } => {
                let mut left = std::mem::take(&mut self.commits);
                for id in commits {
                    let place = left.iter().position(|commit| commit.id == *id);
                    let known = self.commits.iter().any(|commit| commit.id == *id);
                    let commit = id.clone();
                    let place = place.ok_or(if known {
                        EditError::BadOrder { commit }
                    } else {
                        EditError::UnknownCommit { commit }
                    })?;
                    self.commits.push(left.remove(place));
                }
                if let Some(commit) = left.first() {
                    return Err(EditError::BadOrder { commit: commit.id.clone() });
                }
            }
        }
        Ok(())
    }

    fn place(&self, id: &str) -> Result<usize, EditError> {
        let place = self.commits.iter().position(|commit| commit.id == id);
        place.ok_or_else(|| EditError::UnknownCommit { commit: id.to_owned() })
    }

    /// Takes hunks out of their commits, which must be `from` where that is given. Says which those were.
    fn take(&mut self, hunks: &[HunkId], from: Option<&str>) -> Result<BTreeSet<String>, EditError> {
        if hunks.is_empty() {
            return Err(EditError::NoHunks);
        }
        let mut sources = BTreeSet::new();
        for hunk in unique(hunks) {
            let commit = self.commits.iter_mut().find(|commit| commit.hunks.contains(&hunk));
            let commit = commit.ok_or_else(|| EditError::UnknownHunk { hunk: hunk.clone() })?;
            if let Some(from) = from.filter(|from| *from != commit.id) {
                return Err(EditError::NotInCommit { hunk, commit: from.to_owned() });
            }
            commit.hunks.retain(|other| *other != hunk);
            sources.insert(commit.id.clone());
        }
        Ok(sources)
    }

    /// A number that no commit has, and none had.
    fn free_id(&self) -> String {
        let numbers =
            self.commits.iter().filter_map(|commit| commit.id.rsplit('-').next()?.parse::<u64>().ok());
        format!("commit-{}", numbers.max().unwrap_or_default() + 1)
    }

    fn check(&self) -> Result<(), EditError> {
        let ranks: BTreeMap<&HunkId, usize> = self
            .commits
            .iter()
            .enumerate()
            .flat_map(|(rank, commit)| commit.hunks.iter().map(move |hunk| (hunk, rank)))
            .collect();
        for requirement in &self.requirements {
            // A unit that is in no commit of this plan is committed already, or belongs to another plan.
            if let (Some(hunk), Some(needs)) = (ranks.get(&requirement.hunk), ranks.get(&requirement.needs)) {
                if hunk < needs {
                    let (hunk, needs) = (requirement.hunk.clone(), requirement.needs.clone());
                    return Err(EditError::TooEarly { hunk, needs });
                }
            }
        }
        Ok(())
    }
}

impl PlannedCommit {
    fn add_groups(&mut self, groups: Vec<String>) {
        self.group_ids.extend(groups);
        self.group_ids = unique(&self.group_ids);
    }
}

fn unique<T: Clone + Ord>(items: &[T]) -> Vec<T> {
    let mut seen = BTreeSet::new();
    items.iter().filter(|item| seen.insert((*item).clone())).cloned().collect()
}
