//! `becket log`: the `log` tool for people and scripts.

use std::process::ExitCode;

use becket_engine::commit::{Extent, LogRequest};

use crate::{
    context::Context,
    ui::{Report, at_least_one},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Log {
    /// Where to begin: a branch, tag, id or expression such as HEAD~2; HEAD if left out
    revision: Option<String>,
    /// Only commits that touch this file or folder
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// How many commits to show at most; 20 if left out
    #[arg(long, short = 'n', value_name = "COUNT", allow_negative_numbers = true, value_parser = at_least_one)]
    limit: Option<i64>,
    /// Only commits after this date: `2026-01-31`, `2 weeks ago`
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only commits before this date
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// List merges too
    #[arg(long)]
    merges: bool,
    /// The nextCursor of the answer before
    #[arg(long)]
    cursor: Option<String>,
    /// The worktree to speak of: its path, its folder's name or its branch
    #[arg(long)]
    worktree: Option<String>,
}

impl Log {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        let here = |path| if self.worktree.is_some() { path } else { context.path(&engine, path) };
        let request = LogRequest {
            limit: self.limit,
            revision: self.revision,
            path: self.path.map(here),
            since: self.since,
            until: self.until,
            include_merges: self.merges,
            cursor: self.cursor,
            worktree: self.worktree.clone(),
            extent: Extent::Whole,
        };
        let report = engine.log(&request).map(|listed| {
            let text = listed.to_string();
            Report::new(listed, text)
        });
        context.ui.finish("log", report)
    }
}
