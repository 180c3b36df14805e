//! `becket_status`: the first call. Where am I, what is there, what is wrong, what next?

use becket_engine::{
    Error,
    status::{Status, StatusRequest},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Order, Page, Tool},
    toolset::Toolset,
};

pub(super) struct BecketStatus;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// Another repository, inside a path that `security.allowed_paths` names. The server's own if left out.
    repo: Option<String>,
    /// The worktree to speak of: its path, its folder's name or its branch. The server's own if left out.
    worktree: Option<String>,
}

impl Tool for BecketStatus {
    const NAME: &'static str = "becket_status";
    const TITLE: &'static str = "Repository status";
    const DESCRIPTION: &'static str = "Call this first: the repository, worktree and branch that calls speak of, \
        the planes and how fresh each is, what is wrong with the set-up, and suggested next calls. Reads only.";
    const TOOLSET: Toolset = Toolset::Becket;
    const EFFECT: Effect = Effect::Reads;
    const PAGE: Option<Page> =
        Some(Page { list: "worktrees", key: "path", order: Order::ByKey, default_limit: 20, most: 200 });
    const WITH_BROKEN_SETTINGS: bool = true;

    type Params = Params;
    type Output = Status;

    async fn run(call: Call, params: Params) -> Result<Status, Error> {
        let request = StatusRequest { repo: params.repo, worktree: params.worktree };
        call.blocking(move |engine| engine.status(&request)).await
    }

    fn text(output: &Status) -> String {
        output.to_string()
    }
}
