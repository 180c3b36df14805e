//! `propose_commits`: an ordered plan of commits from groups, kept until it is applied; and the caller's own wording and
//! grouping of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use becket_commits::{Edit, EditError, Evidence, Group, Grouping, HunkId, Plan, PlannedCommit, Unit, plan};
use becket_git::Untracked;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    bound::{Extent, json_size},
    cut::Cut,
    desk::Desk,
    effects::{Compared, EffectsView},
    evidence::Known,
    group::{ReasonView, counted, reason, some},
    ledger::{KeptPlan, Ledger, Progress},
    place::{Scope, on},
    rendering::{Rendering, numbers},
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct ProposeCommitsRequest {
    pub group_ids: Vec<String>,
    pub worktree: Option<String>,
    pub extent: Extent,
}

#[derive(Debug, Clone, Default)]
pub struct EditPlanRequest {
    /// Any commit of the plan, or the plan's own id; the newest plan when none is named.
    pub plan: Option<String>,
    pub edits: Vec<PlanEdit>,
    pub worktree: Option<String>,
    pub extent: Extent,
}

/// One change of a plan. Hunks are named by handle (`change-2-hunk-1`) or by group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanEdit {
    Title { commit: String, title: String },
    Description { commit: String, description: String },
    Move { hunks: Vec<String>, to: String },
    Merge { commits: Vec<String> },
    Split { commit: String, hunks: Vec<String> },
    Reorder { commits: Vec<String> },
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProposedCommits {
    /// In the order in which they are to be applied.
    pub commits: Vec<CommitPlan>,
    pub plan_id: String,
    pub notices: Vec<String>,
    pub scope: Scope,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CommitPlan {
    /// Means these hunks for as long as it is known.
    pub id: String,
    pub title: String,
    /// The rest of the message: body and trailers.
    pub description: String,
    pub change_group_ids: Vec<String>,
    /// A hunk that has several pieces goes by its own name where all of them are here, and can be split by theirs.
    pub hunk_ids: Vec<String>,
    pub hunk_count: usize,
    /// How many pieces a hunk has: `change-2-hunk-1.1` is the first of `change-2-hunk-1`. Those with one are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pieces: BTreeMap<String, usize>,
    pub files: Vec<String>,
    pub depends_on: Vec<String>,
    pub reasons: Vec<ReasonView>,
    /// What it means to the rest of the repository; absent where that is nothing, and once it is applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<EffectsView>,
    /// The commit that it became.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_sha: Option<String>,
}

impl Engine {
    pub fn propose_commits(&self, request: &ProposeCommitsRequest) -> Result<ProposedCommits, Error> {
        self.looking(request.worktree.as_deref(), |desk| self.proposed(desk, request))
    }

    fn proposed(&self, desk: &Desk, request: &ProposeCommitsRequest) -> Result<ProposedCommits, Error> {
        let ledger = Ledger::read(&desk.write)?;
        let unknown: Vec<&str> =
            request.group_ids.iter().map(String::as_str).filter(|id| ledger.group(id).is_none()).collect();
        if !unknown.is_empty() {
            return Err(Error::not_found(
                "unknown_group",
                format!("Unknown group IDs: {}", unknown.join(", ")),
            )
            .with_hint("group_changes hands them out."));
        }
        let mut ids = request.group_ids.clone();
        ids.dedup();
        let found: Vec<_> = ids.iter().filter_map(|id| ledger.group(id)).collect();
        let Some((first, _)) = found.first() else {
            return Err(Error::invalid("no_groups", "Name at least one group.")
                .with_hint("group_changes hands out their ids."));
        };
        if found.iter().any(|(kept, _)| kept.trees != first.trees) {
            return Err(Error::conflict(
                "groups_of_two_trees",
                "The groups speak of different states of the tree.",
            )
            .with_hint("Call group_changes again and use only its ids."));
        }
        let groups: Vec<Group> = found.iter().map(|(_, group)| (*group).clone()).collect();
        let trees = first.trees.clone();
        let cut = desk.recall(&trees)?;
        let hunks: Vec<&HunkId> = groups.iter().flat_map(|group| &group.hunks).collect();
        let units: BTreeSet<usize> = hunks.iter().filter_map(|id| cut.number(id)).collect();
        if units.len() != hunks.len() {
            return Err(Error::invalid("groups_overlap", "Two of the groups have a hunk in common.")
                .with_hint("Use the ids of one answer of group_changes."));
        }
        desk.check_trees(&trees, &cut, &units, &desk.look(Untracked::Include)?.snapshot)?;
        let known = ledger.plans.iter().find(|kept| kept.group_ids == ids && kept.trees == trees);
        let mut notices = Vec::new();
        let (kept, compared) = if let Some(kept) = known {
            if ledger.plans.last().is_some_and(|newest| newest.id != kept.id) {
                Ledger::change(&desk.write, |ledger| {
                    ledger.bring_forward(&kept.id);
                    Ok(())
                })?;
            }
            (kept.clone(), None)
        } else {
            let known = self.known(desk, &cut);
            let (breaking, compared) = self.breaking(desk, &cut, &units);
            let numbers: Vec<usize> = units.into_iter().collect();
            let mut selection = known.select(&cut, &numbers);
            selection.break_promises(&numbers, breaking);
            let evidence = known.evidence(&selection);
            let made = plan(&cut.changes(), &selection.units, &evidence, &Grouping { groups });
            let (made, empty) = without_empty(desk, &cut, made, &selection.units, &evidence)?;
            notices.extend(known.warnings.clone());
            notices.extend(empty);
            (Ledger::change(&desk.write, |ledger| Ok(ledger.keep_plan(trees, ids, made)))?, compared)
        };
        let proposed = self.plan_view(desk, &cut, &kept, notices, compared)?;
        Ok(bounded(proposed, desk.notices.len(), self.room(request.extent)))
    }

    /// A plan as it is now.
    pub fn show_plan(&self, plan: Option<&str>, worktree: Option<&str>) -> Result<ProposedCommits, Error> {
        self.looking(worktree, |desk| {
            let kept = chosen(&Ledger::read(&desk.write)?, plan)?;
            let cut = desk.recall(&kept.trees)?;
            self.plan_view(desk, &cut, &kept, Vec::new(), None)
        })
    }

    pub fn edit_plan(&self, request: &EditPlanRequest) -> Result<ProposedCommits, Error> {
        self.looking(request.worktree.as_deref(), |desk| self.edited(desk, request))
    }

    fn edited(&self, desk: &Desk, request: &EditPlanRequest) -> Result<ProposedCommits, Error> {
        let kept = chosen(&Ledger::read(&desk.write)?, request.plan.as_deref())?;
        let cut = desk.recall(&kept.trees)?;
        let known = Known::for_wording(desk, &cut);
        let planned: BTreeSet<usize> =
            kept.plan.commits.iter().flat_map(|commit| numbers(&cut, &commit.hunks)).collect();
        let (breaking, compared) = self.breaking(desk, &cut, &planned);
        let planned: Vec<usize> = planned.into_iter().collect();
        let mut selection = known.select(&cut, &planned);
        selection.break_promises(&planned, breaking);
        let evidence = known.evidence(&selection);
        let kept = Ledger::change(&desk.write, |ledger| {
            let kept = chosen(ledger, Some(&kept.id))?;
            let progress = kept.progress(&desk.write)?;
            let edits = edits(&cut, ledger, &kept, &progress, &request.edits)?;
            let edited = kept.plan.edited(&cut.changes(), &selection.units, &evidence, &edits);
            let mut plan = edited.map_err(|error| refused_edit(&cut, &error))?;
            ledger.number_new_commits(&kept.plan, &mut plan);
            let kept = KeptPlan { plan, ..kept };
            if let Some(stored) = ledger.plans.iter_mut().find(|stored| stored.id == kept.id) {
                *stored = kept.clone();
            }
            Ok(kept)
        })?;
        let view = self.plan_view(desk, &cut, &kept, Vec::new(), compared)?;
        Ok(bounded(view, desk.notices.len(), self.room(request.extent)))
    }

    fn plan_view(
        &self,
        desk: &Desk,
        cut: &Cut,
        kept: &KeptPlan,
        own: Vec<String>,
        compared: Option<Compared>,
    ) -> Result<ProposedCommits, Error> {
        let progress = kept.progress(&desk.write)?;
        let (mut effects, missing) = self.effects(desk, cut, kept, &progress, compared);
        let mut notices = desk.notices.clone();
        notices.extend(own);
        notices.extend(missing);
        let view = |commit: &PlannedCommit| CommitPlan {
            effects: effects.remove(&commit.id),
            ..view(cut, commit, &progress)
        };
        let commits = kept.plan.commits.iter().map(view).collect();
        Ok(ProposedCommits { commits, plan_id: kept.id.clone(), notices, scope: desk.scope.clone() })
    }
}

/// The plan that a caller means by its id or by one of its commits; the newest without any.
pub(super) fn chosen(ledger: &Ledger, named: Option<&str>) -> Result<KeptPlan, Error> {
    let found = match named {
        None => ledger.plans.last(),
        Some(id) => ledger
            .plans
            .iter()
            .find(|kept| kept.id == id)
            .or_else(|| ledger.plan_of(id).map(|(kept, _)| kept)),
    };
    found.cloned().ok_or_else(|| match named {
        None => Error::not_found("no_plan", "There is no plan in this worktree.")
            .with_hint("Make one with propose_commits, or `becket commit plan`."),
        Some(id) if id.starts_with("plan-") => {
            Error::not_found("unknown_plan", format!("Unknown plan ID: {id}"))
                .with_hint("propose_commits makes one, or `becket commit plan`.")
        }
        Some(id) => unknown_commit(id),
    })
}

pub(super) fn unknown_commit(id: &str) -> Error {
    Error::not_found("unknown_commit", format!("Unknown commit ID: {id}"))
        .with_hint("propose_commits hands them out, or `becket commit plan`.")
}

/// A plan without commits that change nothing, and what is said of those. One without which another cannot be applied goes
/// into that.
fn without_empty(
    desk: &Desk,
    cut: &Cut,
    mut plan: Plan,
    units: &[Unit],
    evidence: &Evidence<'_>,
) -> Result<(Plan, Vec<String>), Error> {
    let mut notices = Vec::new();
    while let Some(empty) = first_empty(desk, cut, &plan)? {
        let needed = |commit: &&PlannedCommit| {
            commit.id != empty.id
                && plan.requirements.iter().any(|required| {
                    commit.hunks.contains(&required.hunk) && empty.hunks.contains(&required.needs)
                })
        };
        if let Some(home) = plan.commits.iter().find(needed).map(|commit| commit.id.clone()) {
            let merge = Edit::Merge { commits: vec![home, empty.id.clone()] };
            let merged = plan.edited(&cut.changes(), units, evidence, &[merge]);
            plan = merged.map_err(|error| refused_edit(cut, &error))?;
            continue;
        }
        plan.commits.retain(|commit| commit.id != empty.id);
        for commit in &mut plan.commits {
            commit.depends_on.retain(|id| *id != empty.id);
        }
        notices.push(format!(
            "{} in {} is left out: what is staged there and what is in the worktree take each other back",
            some(&cut.names(&empty.hunks), ", "),
            some(&files(cut, &empty.hunks), ", ")
        ));
    }
    Ok((plan, notices))
}

fn first_empty(desk: &Desk, cut: &Cut, plan: &Plan) -> Result<Option<PlannedCommit>, Error> {
    if cut.snapshot.staged.is_empty() || cut.snapshot.unstaged.is_empty() {
        return Ok(None);
    }
    let all = plan.commits.iter().flat_map(|commit| numbers(cut, &commit.hunks)).collect();
    let rendering = Rendering::of(desk, cut, &all)?;
    let mut done = BTreeSet::new();
    let mut before = rendering.with(&|_| false)?;
    for commit in &plan.commits {
        done.extend(numbers(cut, &commit.hunks));
        let after = rendering.with(&|unit| done.contains(&unit))?;
        if rendering.is_same(&before, &after) {
            return Ok(Some(commit.clone()));
        }
        before = after;
    }
    Ok(None)
}

/// Leaves out hunk ids, which the groups have too, until the answer has room; the first `own` notices stay.
fn bounded(mut proposed: ProposedCommits, own: usize, room: usize) -> ProposedCommits {
    for most in [200, 40, 8, 1] {
        if json_size(&proposed) <= room {
            break;
        }
        for commit in &mut proposed.commits {
            commit.hunk_ids.truncate(most);
            commit.files.truncate(most);
            commit.pieces.retain(|id, _| commit.hunk_ids.contains(id));
            commit.reasons.truncate(most.min(8));
            if let Some(effects) = commit.effects.as_mut().filter(|_| most <= 8) {
                effects.contract_changes.truncate(most);
                effects.dependents.truncate(most);
                effects.stale_notes.truncate(most);
            }
        }
        proposed.notices.truncate(own);
        proposed.notices.push(format!("at most {most} hunk_ids and files of a commit are shown"));
    }
    proposed
}

pub(super) fn view(cut: &Cut, commit: &PlannedCommit, progress: &Progress) -> CommitPlan {
    let hunk_ids = cut.names(&commit.hunks);
    CommitPlan {
        id: commit.id.clone(),
        title: commit.title.clone(),
        description: description(commit),
        change_group_ids: commit.group_ids.clone(),
        hunk_count: hunk_ids.len(),
        pieces: cut.pieces_of(&hunk_ids),
        hunk_ids,
        files: files(cut, &commit.hunks),
        depends_on: commit.depends_on.clone(),
        reasons: commit.reasons.iter().map(reason).collect(),
        effects: None,
        commit_sha: progress.sha(&commit.id).map(str::to_owned),
    }
}

/// All of the message but its first line.
pub(super) fn description(commit: &PlannedCommit) -> String {
    let message = commit.message();
    message.split_once('\n').map_or("", |(_, rest)| rest).trim().to_owned()
}

/// The paths that hunks touch, sorted.
pub(super) fn files(cut: &Cut, hunks: &[HunkId]) -> Vec<String> {
    let changes = cut.changes();
    let units = hunks.iter().filter_map(|id| cut.number(id));
    let paths: BTreeSet<String> =
        units.map(|unit| changes[cut.units[unit].change].path().to_text().into_owned()).collect();
    paths.into_iter().collect()
}

/// The caller's edits in the words of the plan.
fn edits(
    cut: &Cut,
    ledger: &Ledger,
    kept: &KeptPlan,
    progress: &Progress,
    edits: &[PlanEdit],
) -> Result<Vec<Edit>, Error> {
    let pending = |id: &String| match progress.sha(id) {
        Some(sha) => Err(Error::conflict("already_applied", format!("{id} was applied as {sha}."))
            .with_hint("`undo` takes it back, if nothing was built upon it.")),
        None => Ok(id.clone()),
    };
    let planned = |hunk: &HunkId| kept.plan.commits.iter().any(|commit| commit.hunks.contains(hunk));
    let hunks = |names: &[String]| {
        let mut found = Vec::new();
        for name in names {
            let by_group = ledger.group(name).map(|(_, group)| group.hunks.clone());
            let named = by_group.unwrap_or_else(|| {
                cut.named(name).into_iter().map(|unit| cut.units[unit].id.clone()).collect()
            });
            let named: Vec<HunkId> = named.into_iter().filter(planned).collect();
            if named.is_empty() {
                return Err(Error::not_found("unknown_hunk", format!("Unknown hunk ID: {name}"))
                    .with_hint("The plan's hunk_ids name those that there are."));
            }
            found.extend(named);
        }
        Ok(found)
    };
    let all = |ids: &[String]| ids.iter().map(pending).collect::<Result<Vec<_>, _>>();
    let edit = |edit: &PlanEdit| {
        Ok(match edit {
            PlanEdit::Title { commit, title } => {
                Edit::Retitle { commit: pending(commit)?, title: title.clone() }
            }
            PlanEdit::Description { commit, description } => {
                Edit::Describe { commit: pending(commit)?, body: description.clone() }
            }
            PlanEdit::Move { hunks: names, to } => {
                let hunks = hunks(names)?;
                for commit in
                    kept.plan.commits.iter().filter(|commit| hunks.iter().any(|id| commit.hunks.contains(id)))
                {
                    pending(&commit.id)?;
                }
                Edit::Move { hunks, to: pending(to)? }
            }
            PlanEdit::Merge { commits } => Edit::Merge { commits: all(commits)? },
            PlanEdit::Split { commit, hunks: names } => {
                Edit::Split { commit: pending(commit)?, hunks: hunks(names)? }
            }
            PlanEdit::Reorder { commits } => Edit::Reorder { commits: commits.clone() },
        })
    };
    edits.iter().map(edit).collect()
}

fn refused_edit(cut: &Cut, error: &EditError) -> Error {
    const HINT: &str = "`becket commit show` has the plan with its ids.";
    let mut message = error.to_string();
    for (unit, handle) in cut.units.iter().zip(&cut.handles) {
        message = message.replace(unit.id.as_str(), handle);
    }
    let code = match error {
        EditError::UnknownCommit { .. } => {
            return Error::not_found("unknown_commit", message).with_hint(HINT);
        }
        EditError::UnknownHunk { .. } | EditError::NotInCommit { .. } => "unknown_hunk",
        EditError::TooEarly { .. } => "commit_depends",
        _ => "invalid_edit",
    };
    Error::invalid(code, message).with_hint(HINT)
}

impl fmt::Display for ProposedCommits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, noun) = (self.commits.len(), if self.commits.len() == 1 { "commit" } else { "commits" });
        writeln!(formatter, "{}: {count} {noun} for {}", self.plan_id, on(&self.scope))?;
        for commit in &self.commits {
            write!(formatter, "{commit}")?;
        }
        for notice in &self.notices {
            writeln!(formatter, "note: {notice}")?;
        }
        Ok(())
    }
}

impl fmt::Display for CommitPlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = self.commit_sha.as_deref().and_then(|sha| sha.get(..10));
        let done = done.map(|sha| format!("  applied as {sha}")).unwrap_or_default();
        writeln!(formatter, "{:<9} {}{done}", self.id, self.title)?;
        writeln!(formatter, "          {} in {}", counted(self.hunk_count, "hunk"), some(&self.files, ", "))?;
        for reason in self.reasons.iter().take(3) {
            writeln!(formatter, "          because {}", reason.text)?;
        }
        self.effects.as_ref().map_or(Ok(()), |effects| write!(formatter, "{effects}"))
    }
}
