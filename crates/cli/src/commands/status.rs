//! `becket status`: the `becket_status` tool for people.

use std::process::ExitCode;

use becket_engine::status::StatusRequest;

use crate::{context::Context, ui::Report};

#[derive(Debug, clap::Args)]
pub(crate) struct Status {
    /// The worktree to speak of: its path, its folder's name or its branch
    #[arg(long)]
    worktree: Option<String>,
}

impl Status {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        let result = engine.status(&StatusRequest { worktree: self.worktree, ..StatusRequest::default() });
        context.ui.finish(
            "status",
            result.map(|status| {
                let text = status.to_string();
                Report::new(status, text)
            }),
        )
    }
}
