//! `repo_status`: branch, upstream, paths that differ, operations under way.

use becket_engine::{
    Error,
    commit::{Extent, RepoStatus, RepoStatusRequest},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct CommitRepoStatus;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// The worktree to speak of: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for CommitRepoStatus {
    const NAME: &'static str = "repo_status";
    const TITLE: &'static str = "Worktree status";
    const DESCRIPTION: &'static str = "HEAD, upstream with ahead and behind counts, staged, unstaged, untracked and conflicting \
        paths, and any merge, rebase, cherry-pick, revert or bisect under way. list_changes has what differs in them.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = RepoStatus;

    async fn run(call: Call, params: Params) -> Result<RepoStatus, Error> {
        let request = RepoStatusRequest { worktree: params.worktree, extent: Extent::Answer };
        call.blocking(move |engine| engine.repo_status(&request)).await
    }

    fn text(output: &RepoStatus) -> String {
        output.to_string()
    }
}
