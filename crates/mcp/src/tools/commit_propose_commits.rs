//! `propose_commits`: an ordered plan of commits from groups.

use becket_engine::{
    Error,
    commit::{ProposeCommitsRequest, ProposedCommits},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Order, Page, Tool},
    toolset::Toolset,
};

pub(super) struct CommitProposeCommits;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// Ids of `group_changes`.
    group_ids: Vec<String>,
    /// The worktree to speak of: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for CommitProposeCommits {
    const NAME: &'static str = "propose_commits";
    const TITLE: &'static str = "Propose commits from groups";
    const DESCRIPTION: &'static str = "Turn groups into an ordered plan of commits with titles and descriptions. Changes nothing; edit_plan rewords it, apply_commit or apply_all makes the commits.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Reads;
    const PAGE: Option<Page> =
        Some(Page { list: "commits", key: "id", order: Order::Own, default_limit: 1_000, most: 1_000 });

    type Params = Params;
    type Output = ProposedCommits;

    async fn run(call: Call, params: Params) -> Result<ProposedCommits, Error> {
        let request = ProposeCommitsRequest {
            group_ids: params.group_ids,
            worktree: params.worktree,
            ..ProposeCommitsRequest::default()
        };
        call.blocking(move |engine| engine.propose_commits(&request)).await
    }

    fn text(output: &ProposedCommits) -> String {
        output.to_string()
    }
}
