//! `group_changes`: which edits belong together.

use becket_engine::{
    Error,
    commit::{Extent, GroupChangesRequest, GroupedChanges},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Order, Page, Tool},
    toolset::Toolset,
};

pub(super) struct CommitGroupChanges;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// Ids of `list_changes`; all changes if left out.
    change_ids: Option<Vec<String>>,
    /// The worktree to speak of: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for CommitGroupChanges {
    const NAME: &'static str = "group_changes";
    const TITLE: &'static str = "Group changes by intent";
    const DESCRIPTION: &'static str = "Group uncommitted changes by intent, hunk by hunk, with reasons and a confidence. Changes nothing; the ids go on meaning the same hunks.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Reads;
    const PAGE: Option<Page> =
        Some(Page { list: "groups", key: "id", order: Order::Own, default_limit: 1_000, most: 1_000 });

    type Params = Params;
    type Output = GroupedChanges;

    async fn run(call: Call, params: Params) -> Result<GroupedChanges, Error> {
        let request = GroupChangesRequest {
            change_ids: params.change_ids,
            worktree: params.worktree,
            extent: Extent::Answer,
        };
        call.blocking(move |engine| engine.group_changes(&request)).await
    }

    fn text(output: &GroupedChanges) -> String {
        output.to_string()
    }
}
