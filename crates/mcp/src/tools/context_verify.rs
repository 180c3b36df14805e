//! `context.verify`: it still holds, although the code changed.

use becket_engine::{
    Error,
    remember::{VerifiedEntry, VerifyRequest},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct ContextVerify;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// The entry that was checked against the code as it is now.
    #[serde(rename = "ref")]
    reference: String,
    /// What was looked at, or why it still holds.
    note: Option<String>,
    /// Who checked it; Git's user name if left out.
    author: Option<String>,
    /// The worktree whose `.context/` is meant: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for ContextVerify {
    const NAME: &'static str = "context.verify";
    const TITLE: &'static str = "Confirm a reason";
    const DESCRIPTION: &'static str = "Record that an entry was checked and still holds for the code as it is now; its state \
        becomes fresh and its text stays as it is. If it no longer holds, create an entry that supersedes it instead.";
    const TOOLSET: Toolset = Toolset::Remember;
    const EFFECT: Effect = Effect::Adds;

    type Params = Params;
    type Output = VerifiedEntry;

    async fn run(call: Call, params: Params) -> Result<VerifiedEntry, Error> {
        let request = VerifyRequest {
            reference: params.reference,
            note: params.note,
            author: params.author,
            worktree: params.worktree,
        };
        call.blocking(move |engine| engine.context_verify(&request)).await
    }

    fn text(output: &VerifiedEntry) -> String {
        format!(
            "{} was {} and is {} as of {}: {}",
            output.reference,
            output.before.as_str(),
            output.state.as_str(),
            output.at,
            output.title
        )
    }
}
