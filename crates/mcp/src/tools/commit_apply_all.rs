//! `apply_all`: a whole plan as one operation.

use becket_engine::{
    Error,
    commit::{AppliedPlan, ApplyAllRequest, ApplyOptions},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Order, Page, Tool},
    toolset::Toolset,
};

pub(super) struct CommitApplyAll;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// The plan's id or one of its commits; the newest plan if left out.
    plan_id: Option<String>,
    /// Only tells what would be committed.
    dry_run: Option<bool>,
    /// Refuses unless HEAD is this commit.
    expected_head_sha: Option<String>,
    /// Commits also where no branch is checked out.
    allow_detached: Option<bool>,
    /// The worktree to speak of: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for CommitApplyAll {
    const NAME: &'static str = "apply_all";
    const TITLE: &'static str = "Apply a whole plan";
    const DESCRIPTION: &'static str = "Make all commits of a plan that are not made yet, as one operation: a hook that refuses one leaves everything as it was. undo takes all of it back.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Adds;
    const PAGE: Option<Page> = Some(Page {
        list: "commits",
        key: "commit_id",
        order: Order::Own,
        default_limit: 1_000,
        most: 1_000,
    });

    type Params = Params;
    type Output = AppliedPlan;

    /// Only to look can be done again.
    fn rest(params: &Params) -> Option<&'static str> {
        (params.dry_run != Some(true)).then_some(
            "`log` and `show_commit` have all that were made, and a `dry_run` pages through what is to be.",
        )
    }

    async fn run(call: Call, params: Params) -> Result<AppliedPlan, Error> {
        let options = ApplyOptions {
            dry_run: params.dry_run.unwrap_or_default(),
            expected_head: params.expected_head_sha,
            allow_detached: params.allow_detached.unwrap_or_default(),
            worktree: params.worktree,
        };
        let request = ApplyAllRequest { plan: params.plan_id, options };
        call.blocking(move |engine| engine.apply_all(&request)).await
    }

    fn text(output: &AppliedPlan) -> String {
        output.to_string()
    }
}
