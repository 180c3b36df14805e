//! `edit_plan`: the caller's own wording and grouping of a plan.

use becket_engine::{
    Error,
    commit::{EditPlanRequest, PlanEdit, ProposedCommits},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct CommitEditPlan;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// The plan's id or one of its commits; the newest plan if left out.
    plan_id: Option<String>,
    /// The commit that title, description, `move_hunks` and `split_hunks` are about.
    commit_id: Option<String>,
    /// One line for `commit_id`.
    title: Option<String>,
    /// The rest of the message of `commit_id`.
    description: Option<String>,
    /// Hunk or group ids to move into `commit_id`.
    move_hunks: Option<Vec<String>>,
    /// Hunk ids to take out of `commit_id` into a commit of their own.
    split_hunks: Option<Vec<String>>,
    /// Commit ids to make one of: the first.
    merge: Option<Vec<String>>,
    /// All commit ids in their new order.
    order: Option<Vec<String>>,
    /// The worktree to speak of: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for CommitEditPlan {
    const NAME: &'static str = "edit_plan";
    const TITLE: &'static str = "Edit a plan of commits";
    const DESCRIPTION: &'static str = "Reword, merge, split and reorder the commits of a plan, or move hunks between them. Changes only the plan.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Settles;

    type Params = Params;
    type Output = ProposedCommits;

    async fn run(call: Call, params: Params) -> Result<ProposedCommits, Error> {
        let request = request(params)?;
        call.blocking(move |engine| engine.edit_plan(&request)).await
    }

    fn text(output: &ProposedCommits) -> String {
        output.to_string()
    }
}

/// In the order in which they are made: wording last, so that it is kept whatever moves.
fn request(params: Params) -> Result<EditPlanRequest, Error> {
    let mut edits = Vec::new();
    let commit = |what: &str| {
        params.commit_id.clone().ok_or_else(|| {
            Error::invalid("invalid_arguments", format!("`{what}` needs `commit_id`."))
                .with_hint("Say which commit of the plan it is about.")
        })
    };
    if let Some(hunks) = params.move_hunks {
        edits.push(PlanEdit::Move { hunks, to: commit("move_hunks")? });
    }
    if let Some(hunks) = params.split_hunks {
        edits.push(PlanEdit::Split { commit: commit("split_hunks")?, hunks });
    }
    if let Some(commits) = params.merge {
        edits.push(PlanEdit::Merge { commits });
    }
    if let Some(commits) = params.order {
        edits.push(PlanEdit::Reorder { commits });
    }
    if let Some(title) = params.title {
        edits.push(PlanEdit::Title { commit: commit("title")?, title });
    }
    if let Some(description) = params.description {
        edits.push(PlanEdit::Description { commit: commit("description")?, description });
    }
    let plan = params.plan_id.or(params.commit_id);
    Ok(EditPlanRequest { plan, edits, worktree: params.worktree, ..EditPlanRequest::default() })
}
