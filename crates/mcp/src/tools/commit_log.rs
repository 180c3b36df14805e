//! `log`: commits, newest first.

use becket_engine::{
    Error,
    commit::{Extent, ListedCommits, LogRequest},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct CommitLog;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// How many commits to show at most: 20 if left out, held between 1 and 200.
    limit: Option<i64>,
    /// Where to begin: a branch, tag, id or expression such as HEAD~2; HEAD if left out.
    #[serde(rename = "ref")]
    revision: Option<String>,
    /// Only commits that touch this file or folder.
    path: Option<String>,
    /// Only commits after this date (ISO 8601, or as Git understands it: `2 weeks ago`).
    since: Option<String>,
    /// Only commits before this date.
    until: Option<String>,
    /// Whether merges are listed; false if left out.
    include_merges: Option<bool>,
    /// The nextCursor of the answer before, with the same other arguments, for older commits.
    cursor: Option<String>,
    /// The worktree to speak of: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for CommitLog {
    const NAME: &'static str = "log";
    const TITLE: &'static str = "Commit history";
    const DESCRIPTION: &'static str = "List commits, newest first, from a ref, for a path or between dates. show_commit has what one changed.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = ListedCommits;

    async fn run(call: Call, params: Params) -> Result<ListedCommits, Error> {
        let request = LogRequest {
            limit: params.limit,
            revision: params.revision,
            path: params.path,
            since: params.since,
            until: params.until,
            include_merges: params.include_merges == Some(true),
            cursor: params.cursor,
            worktree: params.worktree,
            extent: Extent::Answer,
        };
        call.blocking(move |engine| engine.log(&request)).await
    }

    fn text(output: &ListedCommits) -> String {
        output.to_string()
    }
}
