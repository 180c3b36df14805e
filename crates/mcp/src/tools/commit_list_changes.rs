//! `list_changes`: everything that is not committed, as structured changes.

use becket_engine::{
    Error,
    commit::{Extent, ListChangesRequest, ListedChanges},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct CommitListChanges;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// Only this file or folder; ids stay those of the whole list.
    path: Option<String>,
    /// Whether files that Git does not know are listed; true if left out.
    untracked: Option<bool>,
    /// How many changes to show at most: 1 to 1000, 200 if left out.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// The nextCursor of the answer before, to go on from there.
    cursor: Option<String>,
    /// The worktree to speak of: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for CommitListChanges {
    const NAME: &'static str = "list_changes";
    const TITLE: &'static str = "List uncommitted changes";
    const DESCRIPTION: &'static str = "List uncommitted changes (staged, unstaged, untracked) as structured objects with hunks, \
        sorted by path: edits, renames, deletions, binary, mode, symlink, submodule and conflict. Reads only.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = ListedChanges;

    async fn run(call: Call, params: Params) -> Result<ListedChanges, Error> {
        let request = ListChangesRequest {
            path: params.path,
            tracked_only: params.untracked == Some(false),
            limit: params.limit,
            cursor: params.cursor,
            worktree: params.worktree,
            extent: Extent::Answer,
        };
        call.blocking(move |engine| engine.list_changes(&request)).await
    }

    fn text(output: &ListedChanges) -> String {
        output.to_string()
    }
}
