//! `apply_commit`: one planned commit becomes a commit.

use becket_engine::{
    Error,
    commit::{AppliedCommit, ApplyCommitRequest, ApplyOptions},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct CommitApplyCommit;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// Of `propose_commits`.
    commit_id: String,
    /// Only tells what would be committed.
    dry_run: Option<bool>,
    /// Understood for the sake of older clients: false refuses.
    confirm: Option<bool>,
    /// Refuses unless HEAD is this commit.
    expected_head_sha: Option<String>,
    /// In place of the planned message.
    message_override: Option<String>,
    /// Understood for the sake of older clients: what is staged otherwise is never committed and stays staged.
    #[allow(dead_code, reason = "nothing depends on it")]
    allow_staged: Option<bool>,
    /// Commits also where no branch is checked out.
    allow_detached: Option<bool>,
    /// The worktree to speak of: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for CommitApplyCommit {
    const NAME: &'static str = "apply_commit";
    const TITLE: &'static str = "Apply a planned commit";
    const DESCRIPTION: &'static str = "Make a commit of a plan: exactly its hunks, with hooks and signing as git commit has them. Files and other staged changes stay as they are; undo takes it back.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Adds;

    type Params = Params;
    type Output = AppliedCommit;

    async fn run(call: Call, params: Params) -> Result<AppliedCommit, Error> {
        if params.confirm == Some(false) {
            return Err(Error::invalid(
                "not_confirmed",
                "confirm must be true to apply a commit. Set confirm: true and dry_run: false to create a real commit.",
            )
            .with_hint("Leave `confirm` out, or set `dry_run` for a preview."));
        }
        let options = ApplyOptions {
            dry_run: params.dry_run.unwrap_or_default(),
            expected_head: params.expected_head_sha,
            allow_detached: params.allow_detached.unwrap_or_default(),
            worktree: params.worktree,
        };
        let request = ApplyCommitRequest {
            commit_id: params.commit_id,
            message_override: params.message_override,
            options,
        };
        call.blocking(move |engine| engine.apply_commit(&request)).await
    }

    fn text(output: &AppliedCommit) -> String {
        output.to_string()
    }
}
