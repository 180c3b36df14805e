//! `show_commit`: one commit, its message and its changes.

use becket_engine::{
    Error,
    commit::{Extent, ShowCommitRequest, ShownCommit},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct CommitShowCommit;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// The commit: an id, a beginning of one, a branch, a tag or an expression such as HEAD~2.
    sha: String,
    /// How many changes to show at most: 1 to 1000, 200 if left out.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// The nextCursor of the answer before, to go on from there.
    cursor: Option<String>,
    /// The worktree to speak of: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for CommitShowCommit {
    const NAME: &'static str = "show_commit";
    const TITLE: &'static str = "Show a commit";
    const DESCRIPTION: &'static str = "One commit: author, committer, whole message, touched files, and its changes against its \
        first parent as structured hunks.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = ShownCommit;

    async fn run(call: Call, params: Params) -> Result<ShownCommit, Error> {
        let request = ShowCommitRequest {
            sha: params.sha,
            limit: params.limit,
            cursor: params.cursor,
            worktree: params.worktree,
            extent: Extent::Answer,
        };
        call.blocking(move |engine| engine.show_commit(&request)).await
    }

    fn text(output: &ShownCommit) -> String {
        output.to_string()
    }
}
