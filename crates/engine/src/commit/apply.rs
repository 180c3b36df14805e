//! `apply_commit` and `apply_all`: planned commits become commits, as one operation or not at all.

use std::{collections::BTreeSet, fmt};

use becket_commits::{HunkId, PlannedCommit};
use becket_git::Untracked;
use becket_git::write::{
    ApplyRequest, DetachedHead, Filters, NewCommit, Session, SessionOptions, Snapshot, SnapshotOptions,
    snapshot,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    cut::Cut,
    desk::Desk,
    group::{counted, some},
    interrupted::Ended,
    layered::{State, edits_between},
    ledger::{KeptPlan, Ledger, Payload, Progress},
    place::{Scope, on},
    propose::{chosen, files, unknown_commit},
    refusal::refused,
    rendering::{Rendering, numbers},
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct ApplyCommitRequest {
    pub commit_id: String,
    /// In place of the planned message.
    pub message_override: Option<String>,
    pub options: ApplyOptions,
}

#[derive(Debug, Clone, Default)]
pub struct ApplyAllRequest {
    /// The plan's own id or any of its commits; the newest plan when none is named.
    pub plan: Option<String>,
    pub options: ApplyOptions,
}

#[derive(Debug, Clone, Default)]
pub struct ApplyOptions {
    /// Only tells what would be done.
    pub dry_run: bool,
    pub expected_head: Option<String>,
    pub allow_detached: bool,
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AppliedCommit {
    pub success: bool,
    pub dry_run: bool,
    /// Absent in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_sha: Option<String>,
    pub committed_paths: Vec<String>,
    /// The whole message of the commit.
    pub message: String,
    /// It had been applied before, and nothing was done now.
    pub already_applied: bool,
    /// What `undo` takes; absent in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<u64>,
    /// What had been interrupted before, and how it was ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    pub scope: Scope,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AppliedPlan {
    pub success: bool,
    pub dry_run: bool,
    pub plan_id: String,
    /// In their order; those that had been applied before are not among them.
    pub commits: Vec<AppliedRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<u64>,
    /// Commits that were passed over because they change nothing, and what had been interrupted before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    pub scope: Scope,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AppliedRow {
    pub commit_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_sha: Option<String>,
    pub committed_paths: Vec<String>,
    pub message: String,
}

impl Engine {
    pub fn apply_commit(&self, request: &ApplyCommitRequest) -> Result<AppliedCommit, Error> {
        let desk = self.desk_for(&request.options)?;
        desk.told(apply_commit(&desk, request))
    }

    pub fn apply_all(&self, request: &ApplyAllRequest) -> Result<AppliedPlan, Error> {
        let desk = self.desk_for(&request.options)?;
        desk.told(apply_all(&desk, request))
    }

    /// One who only asks what would be done ends nothing.
    fn desk_for(&self, options: &ApplyOptions) -> Result<Desk, Error> {
        let worktree = options.worktree.as_deref();
        if options.dry_run { self.desk(worktree) } else { self.desk_to_write(worktree) }
    }
}

fn apply_commit(desk: &Desk, request: &ApplyCommitRequest) -> Result<AppliedCommit, Error> {
    let options = &request.options;
    let ledger = Ledger::read(&desk.write)?;
    let (kept, planned) =
        ledger.plan_of(&request.commit_id).ok_or_else(|| unknown_commit(&request.commit_id))?;
    let progress = kept.progress(&desk.write)?;
    if let Some(sha) = progress.sha(&planned.id) {
        let cut = desk.recall(&kept.trees)?;
        return Ok(AppliedCommit {
            success: true,
            dry_run: options.dry_run,
            commit_sha: Some(sha.to_owned()),
            committed_paths: files(&cut, &planned.hunks),
            message: becket_git::message(&desk.git, sha)?,
            already_applied: true,
            operation: None,
            notices: desk.notices.clone(),
            scope: desk.scope.clone(),
        });
    }
    let mut wanted = planned.clone();
    let message = request.message_override.as_deref().map(str::trim);
    if message == Some("") {
        return Err(Error::invalid("empty_message", "The message of a commit must not be empty.")
            .with_hint("Leave out `message_override` for the planned one."));
    }
    if let Some(message) = message {
        let (title, body) = message.split_once('\n').unwrap_or((message, ""));
        title.clone_into(&mut wanted.title);
        body.trim_start().clone_into(&mut wanted.body);
        wanted.trailers.clear();
    }
    let outcome = apply(desk, kept, &[wanted], options)?;
    let row = outcome.rows.into_iter().next().ok_or_else(|| {
            let message = format!("{} changes nothing that Git would store.", request.commit_id);
            Error::conflict("nothing_to_commit", message).with_hint(
                "What is staged and what is in the worktree take each other back; merge it with another commit, or leave it.",
            )
        })?;
    let scope = desk.scope.clone().with_head(outcome.head);
    Ok(AppliedCommit {
        success: true,
        dry_run: options.dry_run,
        commit_sha: row.commit_sha,
        committed_paths: row.committed_paths,
        message: row.message,
        already_applied: false,
        operation: outcome.operation,
        notices: desk.notices.iter().cloned().chain(outcome.ended).collect(),
        scope,
    })
}

fn apply_all(desk: &Desk, request: &ApplyAllRequest) -> Result<AppliedPlan, Error> {
    let options = &request.options;
    let kept = chosen(&Ledger::read(&desk.write)?, request.plan.as_deref())?;
    let progress = kept.progress(&desk.write)?;
    let pending: Vec<PlannedCommit> =
        kept.plan.commits.iter().filter(|commit| progress.sha(&commit.id).is_none()).cloned().collect();
    let outcome = match pending.as_slice() {
        [] => Outcome::default(),
        pending => apply(desk, &kept, pending, options)?,
    };
    let passed_over = |id: &String| format!("{id} changes nothing that Git would store, and was passed over");
    Ok(AppliedPlan {
        success: true,
        dry_run: options.dry_run,
        plan_id: kept.id,
        commits: outcome.rows,
        operation: outcome.operation,
        notices: desk
            .notices
            .iter()
            .cloned()
            .chain(outcome.ended)
            .chain(outcome.empty.iter().map(passed_over))
            .collect(),
        scope: desk.scope.clone().with_head(outcome.head),
    })
}

#[derive(Default)]
struct Outcome {
    rows: Vec<AppliedRow>,
    operation: Option<u64>,
    /// Where the branch is afterwards, if it moved.
    head: Option<String>,
    /// Ids of commits that change nothing.
    empty: Vec<String>,
    /// What one who was waited for had left when it died.
    ended: Option<String>,
}

fn apply(
    desk: &Desk,
    kept: &KeptPlan,
    wanted: &[PlannedCommit],
    options: &ApplyOptions,
) -> Result<Outcome, Error> {
    let cut = desk.recall(&kept.trees)?;
    if options.dry_run {
        let now = desk.look(Untracked::Include)?.snapshot;
        check_head(options, &now)?;
        // Read only now: an operation of another may have ended meanwhile.
        let progress = kept.progress(&desk.write)?;
        desk.check_plan(kept, &progress, &cut, &now)?;
        check_order(&cut, kept, &progress, wanted)?;
        let Steps { made, empty, .. } = steps(desk, &cut, &progress, wanted)?;
        return Ok(Outcome {
            rows: made.iter().map(|commit| row(&cut, commit, None)).collect(),
            empty,
            ..Outcome::default()
        });
    }
    let detached = if options.allow_detached { DetachedHead::Allow } else { DetachedHead::Refuse };
    let session = Session::begin(&desk.git, SessionOptions { detached, ..SessionOptions::default() })
        .map_err(refused)?;
    let ended = Ended::of(session.recovery()).map(|ended| ended.sentence);
    let taken = snapshot(&desk.git, &SnapshotOptions::default()).map_err(refused)?;
    let now = taken.snapshot;
    check_head(options, &now)?;
    let progress = kept.progress(&desk.write)?;
    if let Some(commit) = wanted.iter().find(|commit| progress.sha(&commit.id).is_some()) {
        return Err(Error::conflict(
            "already_applied",
            format!("{} has just been applied by another.", commit.id),
        )
        .with_hint("`log` shows it."));
    }
    desk.check_plan(kept, &progress, &cut, &now)?;
    check_order(&cut, kept, &progress, wanted)?;
    let mut cut = cut;
    if !taken.filters_not_run.is_empty() {
        take_filtered(desk, &mut cut, &now)?;
    }
    let Steps { made, commits, index, empty } = steps(desk, &cut, &progress, wanted)?;
    if made.is_empty() {
        return Ok(Outcome { empty, ended, ..Outcome::default() });
    }
    let payload = Payload {
        plan: kept.id.clone(),
        commits: made.iter().map(|commit| commit.id.clone()).collect(),
        hunks: made.iter().map(|commit| commit.hunks.clone()).collect(),
    };
    let payload = serde_json::to_value(payload)
        .map_err(|error| Error::internal("The operation could not be written.").with_source(error))?;
    let request = ApplyRequest { snapshot: &now, filters: Filters::Users, commits, index, payload };
    let operation = session.apply(&request).map_err(refused)?.operation;
    // Hooks and Git's own clean-up have the last word on a message.
    let rows = made.iter().zip(&operation.commits).map(|(commit, sha)| {
        let message = becket_git::message(&desk.git, sha).unwrap_or_else(|error| {
            tracing::warn!(%error, sha, "the message of a commit cannot be read");
            commit.message()
        });
        AppliedRow { message, ..row(&cut, commit, Some(sha.clone())) }
    });
    Ok(Outcome {
        rows: rows.collect(),
        operation: Some(operation.number),
        head: operation.head_after,
        empty,
        ended,
    })
}

fn row(cut: &Cut, commit: &PlannedCommit, sha: Option<String>) -> AppliedRow {
    AppliedRow {
        commit_id: commit.id.clone(),
        commit_sha: sha,
        committed_paths: files(cut, &commit.hunks),
        message: commit.message(),
    }
}

fn check_head(options: &ApplyOptions, now: &Snapshot) -> Result<(), Error> {
    let Some(expected) = &options.expected_head else { return Ok(()) };
    let found = now.trees.commit.as_deref().unwrap_or("no commit");
    // A caller may know the beginning of an id only.
    if expected.len() >= 7 && found.starts_with(expected.as_str()) {
        return Ok(());
    }
    Err(Error::conflict("head_moved", format!("HEAD has moved: expected {expected}, got {found}"))
        .with_hint("Look at what was committed meanwhile, and plan again."))
}

/// Hunks that cannot be committed before others are.
fn check_order(
    cut: &Cut,
    kept: &KeptPlan,
    progress: &Progress,
    wanted: &[PlannedCommit],
) -> Result<(), Error> {
    let mut done: BTreeSet<&HunkId> = progress.applied.iter().flat_map(|(_, _, hunks)| hunks).collect();
    for commit in wanted {
        done.extend(&commit.hunks);
        let missing = |needed: &&becket_commits::Requirement| {
            commit.hunks.contains(&needed.hunk) && !done.contains(&needed.needs)
        };
        let Some(missing) = kept.plan.requirements.iter().find(missing) else { continue };
        let Some(first) = kept.plan.commits.iter().find(|other| other.hunks.contains(&missing.needs)) else {
            continue;
        };
        let (hunk, needs) = (cut.handle(&missing.hunk), cut.handle(&missing.needs));
        return Err(Error::conflict(
            "commit_depends",
            format!("{} cannot be applied before {}: {hunk} builds upon {needs}.", commit.id, first.id),
        )
        .with_hint(format!("Apply {} first, or merge the two with edit_plan.", first.id)));
    }
    Ok(())
}

struct Steps<'a> {
    made: Vec<&'a PlannedCommit>,
    /// One for each that is made.
    commits: Vec<NewCommit>,
    index: Vec<becket_git::write::TreeEdit>,
    /// Ids of those that change nothing, and are not made.
    empty: Vec<String>,
}

/// What each commit changes, and what the index becomes: what was staged stays so, and what is committed is in it.
fn steps<'a>(
    desk: &Desk,
    cut: &Cut,
    progress: &Progress,
    wanted: &'a [PlannedCommit],
) -> Result<Steps<'a>, Error> {
    let mut done: BTreeSet<usize> =
        progress.applied.iter().flat_map(|(_, _, hunks)| numbers(cut, hunks)).collect();
    let all: BTreeSet<usize> = wanted.iter().flat_map(|commit| numbers(cut, &commit.hunks)).collect();
    let rendering = Rendering::of(desk, cut, &all)?;
    let staged: BTreeSet<usize> = cut.files.iter().flat_map(|file| file.staged().to_vec()).collect();
    let index_before = rendering.with(&|unit| done.contains(&unit) || staged.contains(&unit))?;
    let mut before = rendering.with(&|unit| done.contains(&unit))?;
    let (mut made, mut commits, mut empty) = (Vec::new(), Vec::new(), Vec::new());
    for commit in wanted {
        let own = numbers(cut, &commit.hunks);
        let after = rendering.with(&|unit| done.contains(&unit) || own.contains(&unit))?;
        if rendering.is_same(&before, &after) {
            empty.push(commit.id.clone());
            continue;
        }
        done.extend(own);
        commits.push(NewCommit { message: commit.message(), edits: edits_between(&before, &after) });
        made.push(commit);
        before = after;
    }
    let index_after = rendering.with(&|unit| done.contains(&unit) || staged.contains(&unit))?;
    Ok(Steps { made, commits, index: edits_between(&index_before, &index_after), empty })
}

/// Where the repository's own filters store something else than the plan saw, the file is taken whole as they have it.
fn take_filtered(desk: &Desk, cut: &mut Cut, now: &Snapshot) -> Result<(), Error> {
    let options = SnapshotOptions { filters: Filters::All, ..SnapshotOptions::default() };
    let filtered = snapshot(&desk.git, &options).map_err(refused)?.snapshot;
    let differs =
        becket_git::write::changed_paths(&desk.git, None, &now.trees.worktree, &filtered.trees.worktree);
    let differs = differs.map_err(refused)?;
    for file in &mut cut.files {
        let path = file.worktree.as_ref().map(|state| state.path.clone());
        if let Some((path, sides)) = path.and_then(|path| differs.get(&path).map(|sides| (path, sides))) {
            file.take_whole(sides.new.clone().map(|blob| State { path, blob }));
        }
    }
    Ok(())
}

impl fmt::Display for AppliedCommit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = self.message.lines().next().unwrap_or_default();
        let paths = some(&self.committed_paths, ", ");
        match &self.commit_sha {
            Some(sha) => writeln!(formatter, "{} {title}  ({paths}) on {}", short(sha), on(&self.scope)),
            None => writeln!(formatter, "would commit {title}  ({paths}) on {}", on(&self.scope)),
        }?;
        for notice in &self.notices {
            writeln!(formatter, "note: {notice}")?;
        }
        Ok(())
    }
}

impl fmt::Display for AppliedPlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.commits.is_empty() && self.notices.is_empty() {
            return writeln!(formatter, "{}: all of it was applied before", self.plan_id);
        }
        let would = if self.dry_run { "would be " } else { "" };
        writeln!(
            formatter,
            "{}: {} {would}made on {}",
            self.plan_id,
            counted(self.commits.len(), "commit"),
            on(&self.scope)
        )?;
        for row in &self.commits {
            let title = row.message.lines().next().unwrap_or_default();
            let id = row.commit_sha.as_deref().map_or(row.commit_id.as_str(), short);
            writeln!(formatter, "{id:<10} {title}  ({})", some(&row.committed_paths, ", "))?;
        }
        for notice in &self.notices {
            writeln!(formatter, "note: {notice}")?;
        }
        Ok(())
    }
}

fn short(sha: &str) -> &str {
    sha.get(..10).unwrap_or(sha)
}
