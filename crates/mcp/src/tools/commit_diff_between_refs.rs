//! `diff_between_refs`: the changes that lead from one commit to another.

use becket_engine::{
    Error,
    commit::{CompareFrom, CompareRequest, ComparedRefs, Extent},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct CommitDiffBetweenRefs;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// What to compare with: a branch, tag, id or expression such as HEAD~3.
    base: String,
    /// What is compared.
    head: String,
    /// Only this file or folder.
    path: Option<String>,
    /// Lines of context: 3 if left out, held between 0 and 20.
    unified: Option<i64>,
    /// Compare with the commit where the two parted instead of with the base as it is; false if left out.
    merge_base: Option<bool>,
    /// How many changes to show at most: 1 to 1000, 200 if left out.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// The nextCursor of the answer before, to go on from there.
    cursor: Option<String>,
    /// The worktree to speak of: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for CommitDiffBetweenRefs {
    const NAME: &'static str = "diff_between_refs";
    const TITLE: &'static str = "Compare two refs";
    const DESCRIPTION: &'static str = "The changes between any two commits, branches or tags as structured hunks, sorted by path. \
        Uncommitted work is not in it: list_changes has that.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = ComparedRefs;

    async fn run(call: Call, params: Params) -> Result<ComparedRefs, Error> {
        let from = if params.merge_base == Some(true) { CompareFrom::MergeBase } else { CompareFrom::Base };
        let request = CompareRequest {
            base: params.base,
            head: params.head,
            path: params.path,
            unified: params.unified,
            from,
            limit: params.limit,
            cursor: params.cursor,
            worktree: params.worktree,
            extent: Extent::Answer,
        };
        call.blocking(move |engine| engine.diff_between_refs(&request)).await
    }

    fn text(output: &ComparedRefs) -> String {
        output.to_string()
    }
}
