//! `becket blame`: the `blame` tool for people and scripts.

use std::process::ExitCode;

use becket_engine::commit::{BlameRequest, Extent, Moves, Whitespace};

use crate::{context::Context, ui::Report};

#[derive(Debug, clap::Args)]
pub(crate) struct Blame {
    /// The file
    path: String,
    /// Which commit's version of it: a branch, tag, id or expression; HEAD if left out
    revision: Option<String>,
    /// The first line, counted from 1
    #[arg(long, value_name = "LINE")]
    start: Option<usize>,
    /// The last line
    #[arg(long, value_name = "LINE")]
    end: Option<usize>,
    /// Pass over commits that only changed spaces
    #[arg(long, short = 'w')]
    ignore_whitespace: bool,
    /// Follow lines to where they were moved or copied from
    #[arg(long)]
    detect_moves: bool,
    /// The worktree to speak of: its path, its folder's name or its branch
    #[arg(long)]
    worktree: Option<String>,
}

impl Blame {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        let path = if self.worktree.is_some() { self.path } else { context.path(&engine, self.path) };
        let request = BlameRequest {
            path,
            revision: self.revision,
            start_line: self.start,
            end_line: self.end,
            whitespace: if self.ignore_whitespace { Whitespace::Ignore } else { Whitespace::Compare },
            moves: if self.detect_moves { Moves::Follow } else { Moves::Ignore },
            worktree: self.worktree,
            extent: Extent::Whole,
        };
        let report = engine.blame(&request).map(|blamed| {
            let text = blamed.to_string();
            Report::new(blamed, text)
        });
        context.ui.finish("blame", report)
    }
}
