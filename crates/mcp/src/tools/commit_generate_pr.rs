//! `generate_pr`: the text of a pull request.

use becket_engine::{
    Error,
    commit::{GeneratePrRequest, PullRequestView},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct CommitGeneratePr;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// Planned commits (`commit-1`) or ids of commits.
    commit_ids: Option<Vec<String>>,
    /// The same under another name.
    commit_shas: Option<Vec<String>>,
    /// All commits since this branch, tag or commit, besides.
    base: Option<String>,
    /// Your own words instead of those that would be derived.
    title: Option<String>,
    summary: Option<String>,
    body: Option<String>,
    /// The worktree to speak of: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for CommitGeneratePr {
    const NAME: &'static str = "generate_pr";
    const TITLE: &'static str = "Draft a pull request";
    const DESCRIPTION: &'static str = "Draft title and Markdown description of a pull request from planned or made commits. Reads only; title, summary and body can be your own.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = PullRequestView;

    async fn run(call: Call, params: Params) -> Result<PullRequestView, Error> {
        let mut commits = params.commit_ids.unwrap_or_default();
        commits.extend(params.commit_shas.unwrap_or_default());
        let request = GeneratePrRequest {
            commits,
            base: params.base,
            title: params.title,
            summary: params.summary,
            body: params.body,
            worktree: params.worktree,
        };
        call.blocking(move |engine| engine.generate_pr(&request)).await
    }

    fn text(output: &PullRequestView) -> String {
        output.to_string()
    }
}
