//! `becket commit …`: the dirty tree becomes a plan, the plan becomes commits, and the way back.

mod sheet;

use std::process::ExitCode;

use becket_engine::{
    Engine, Error,
    commit::{
        ApplyAllRequest, ApplyCommitRequest, ApplyOptions, EditPlanRequest, Extent, GroupChangesRequest,
        ListChangesRequest, PlanEdit, ProposeCommitsRequest, ProposedCommits,
    },
};
use serde_json::{Value, json};

use crate::{context::Context, editor, ui::Report};

#[derive(Debug, clap::Args)]
pub(crate) struct Commit {
    /// The worktree to speak of: its path, its folder's name or its branch
    #[arg(long, global = true)]
    worktree: Option<String>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Group what is not committed and plan commits; changes nothing
    Plan {
        /// Changes of `becket changes` (`change-1`); all if left out
        changes: Vec<String>,
        /// Leave out files that Git does not know
        #[arg(long)]
        no_untracked: bool,
    },
    /// Show a plan and how far it is
    Show {
        /// The plan or one of its commits; the newest if left out
        plan: Option<String>,
    },
    /// Reword, regroup and reorder a plan in your editor, or by options
    Edit(Edit),
    /// Make the commits of a plan, all as one operation, or one of them
    Apply(Apply),
    /// Take back the last operation: branch and index are exactly what they were
    Undo {
        /// The operation that is meant, to be sure
        operation: Option<u64>,
    },
    /// List what was applied and undone here
    Operations,
}

#[derive(Debug, clap::Args)]
struct Edit {
    /// The plan or one of its commits; the newest if left out
    plan: Option<String>,
    /// Give a commit this title: COMMIT=TITLE
    #[arg(long, value_name = "COMMIT=TITLE")]
    title: Vec<String>,
    /// Give a commit this description: COMMIT=TEXT
    #[arg(long, value_name = "COMMIT=TEXT")]
    description: Vec<String>,
    /// Move a hunk or a group into a commit: HUNK=COMMIT
    #[arg(long = "move", value_name = "HUNK=COMMIT")]
    moves: Vec<String>,
    /// Make these commits one: COMMIT,COMMIT
    #[arg(long, value_name = "COMMITS", value_delimiter = ',')]
    merge: Vec<String>,
    /// The new order of all commits: COMMIT,COMMIT
    #[arg(long, value_name = "COMMITS", value_delimiter = ',')]
    order: Vec<String>,
}

#[derive(Debug, clap::Args)]
struct Apply {
    /// A planned commit (`commit-2`) or a plan; the newest plan if left out
    what: Option<String>,
    /// Only tell what would be committed
    #[arg(long)]
    dry_run: bool,
    /// The message, in place of the planned one; for one commit only
    #[arg(long, short)]
    message: Option<String>,
    /// Refuse unless HEAD is this commit
    #[arg(long, value_name = "COMMIT")]
    expected_head: Option<String>,
    /// Commit also where no branch is checked out
    #[arg(long)]
    allow_detached: bool,
}

impl Commit {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        let worktree = self.worktree;
        let (name, report) = match self.action {
            Action::Plan { changes, no_untracked } => {
                ("commit plan", plan(&engine, changes, no_untracked, worktree.as_deref()))
            }
            Action::Show { plan } => {
                let shown = engine.show_plan(plan.as_deref(), worktree.as_deref());
                ("commit show", shown.and_then(|plan| shown_plan(&plan)))
            }
            Action::Edit(edit) => {
                ("commit edit", edit.run(context, &engine, worktree).and_then(|plan| shown_plan(&plan)))
            }
            Action::Apply(apply) => ("commit apply", apply.run(&engine, worktree)),
            Action::Undo { operation } => {
                let undone = engine.undo(operation, worktree.as_deref());
                ("commit undo", undone.and_then(|undone| report(&undone, undone.to_string())))
            }
            Action::Operations => {
                let listed = engine.operations(worktree.as_deref());
                ("commit operations", listed.and_then(|listed| report(&listed, listed.to_string())))
            }
        };
        context.ui.finish(name, report)
    }
}

fn plan(
    engine: &Engine,
    changes: Vec<String>,
    no_untracked: bool,
    worktree: Option<&str>,
) -> Result<Report<Value>, Error> {
    if no_untracked {
        // The ids count what was listed last.
        engine.list_changes(&ListChangesRequest {
            tracked_only: true,
            limit: Some(1),
            worktree: worktree.map(str::to_owned),
            ..ListChangesRequest::default()
        })?;
    }
    let grouped = engine.group_changes(&GroupChangesRequest {
        change_ids: (!changes.is_empty()).then_some(changes),
        worktree: worktree.map(str::to_owned),
        extent: Extent::Whole,
    })?;
    let group_ids: Vec<String> = grouped.groups.iter().map(|group| group.id.clone()).collect();
    if group_ids.is_empty() {
        let text = if grouped.left_out.is_empty() {
            "Nothing is uncommitted.".to_owned()
        } else {
            grouped.to_string()
        };
        let data = json!({
            "groups": [],
            "commits": [],
            "left_out": grouped.left_out,
            "notices": grouped.notices,
            "scope": grouped.scope,
        });
        return report(&data, text);
    }
    let proposed = engine.propose_commits(&ProposeCommitsRequest {
        group_ids,
        worktree: worktree.map(str::to_owned),
        extent: Extent::Whole,
    })?;
    let text = format!(
        "{grouped}\n{proposed}\nNext: `becket commit edit` to reword it, `becket commit apply` to make the commits."
    );
    let notices = [grouped.notices, proposed.notices].concat();
    let data = json!({
        "groups": grouped.groups,
        "commits": proposed.commits,
        "plan_id": proposed.plan_id,
        "left_out": grouped.left_out,
        "notices": notices,
        "scope": proposed.scope,
    });
    Ok(Report::new(data, text))
}

impl Edit {
    fn run(
        self,
        context: &Context,
        engine: &Engine,
        worktree: Option<String>,
    ) -> Result<ProposedCommits, Error> {
        let mut edits = Vec::new();
        for text in &self.moves {
            let (hunk, to) = pair(text)?;
            edits.push(PlanEdit::Move { hunks: vec![hunk], to });
        }
        if !self.merge.is_empty() {
            edits.push(PlanEdit::Merge { commits: self.merge });
        }
        if !self.order.is_empty() {
            edits.push(PlanEdit::Reorder { commits: self.order });
        }
        for text in &self.title {
            let (commit, title) = pair(text)?;
            edits.push(PlanEdit::Title { commit, title });
        }
        for text in &self.description {
            let (commit, description) = pair(text)?;
            edits.push(PlanEdit::Description { commit, description });
        }
        if !edits.is_empty() {
            return engine.edit_plan(&EditPlanRequest {
                plan: self.plan,
                edits,
                worktree,
                extent: Extent::Whole,
            });
        }
        let shown = engine.show_plan(self.plan.as_deref(), worktree.as_deref())?;
        let outline = engine.plan_outline(Some(&shown.plan_id), worktree.as_deref())?;
        let text = editor::edit(context.environment(), &sheet::write(&shown, &outline), ".becket-plan")?;
        let rewrite = sheet::read(&text, &shown, &outline)?;
        let edit = |edits: Vec<PlanEdit>| {
            let plan = Some(shown.plan_id.clone());
            engine.edit_plan(&EditPlanRequest {
                plan,
                edits,
                worktree: worktree.clone(),
                extent: Extent::Whole,
            })
        };
        // New commits are split off first, since the rest names them.
        let mut now = shown.clone();
        let mut names = Vec::new();
        for split in &rewrite.splits {
            let before = now;
            now = edit(vec![split.clone()])?;
            let new =
                now.commits.iter().find(|commit| before.commits.iter().all(|known| known.id != commit.id));
            names.extend(new.map(|commit| commit.id.clone()));
        }
        edit(rewrite.edits(&names))
    }
}

impl Apply {
    fn run(self, engine: &Engine, worktree: Option<String>) -> Result<Report<Value>, Error> {
        let options = ApplyOptions {
            dry_run: self.dry_run,
            expected_head: self.expected_head,
            allow_detached: self.allow_detached,
            worktree,
        };
        match self.what {
            Some(commit_id) if !commit_id.starts_with("plan-") => {
                let request = ApplyCommitRequest { commit_id, message_override: self.message, options };
                let applied = engine.apply_commit(&request)?;
                report(&applied, applied.to_string())
            }
            plan => {
                if self.message.is_some() {
                    return Err(Error::invalid("invalid_arguments", "A message is for one commit.")
                        .with_hint("Name the commit: `becket commit apply commit-1 -m …`."));
                }
                let applied = engine.apply_all(&ApplyAllRequest { plan, options })?;
                report(&applied, applied.to_string())
            }
        }
    }
}

fn shown_plan(plan: &ProposedCommits) -> Result<Report<Value>, Error> {
    report(plan, plan.to_string())
}

fn report(data: &impl serde::Serialize, text: String) -> Result<Report<Value>, Error> {
    let data = serde_json::to_value(data)
        .map_err(|error| Error::internal("The answer could not be written as JSON.").with_source(error))?;
    Ok(Report::new(data, text))
}

fn pair(text: &str) -> Result<(String, String), Error> {
    let (name, value) = text.split_once('=').ok_or_else(|| {
        Error::invalid("invalid_arguments", format!("`{text}` has no `=`.")).with_hint("Write NAME=VALUE.")
    })?;
    Ok((name.to_owned(), value.to_owned()))
}
