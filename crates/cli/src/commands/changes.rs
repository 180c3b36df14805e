//! `becket changes`: the `list_changes` tool for people and scripts.

use std::{fmt::Write, process::ExitCode};

use becket_engine::commit::{Extent, ListChangesRequest, ListedChanges};
use owo_colors::OwoColorize;

use crate::{context::Context, ui::Report};

#[derive(Debug, clap::Args)]
pub(crate) struct Changes {
    /// Only this file or folder
    path: Option<String>,
    /// Show the changed lines too
    #[arg(long, short)]
    patch: bool,
    /// Leave out files that Git does not know
    #[arg(long)]
    no_untracked: bool,
    /// How many changes to show at most: 1 to 1000; all if left out
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
    /// The nextCursor of the answer before
    #[arg(long)]
    cursor: Option<String>,
    /// The worktree to speak of: its path, its folder's name or its branch
    #[arg(long)]
    worktree: Option<String>,
}

impl Changes {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        let here = |path| if self.worktree.is_some() { path } else { context.path(&engine, path) };
        let request = ListChangesRequest {
            path: self.path.map(here),
            tracked_only: self.no_untracked,
            limit: self.limit,
            cursor: self.cursor,
            worktree: self.worktree.clone(),
            extent: Extent::Whole,
        };
        let report = engine.list_changes(&request).map(|listed| {
            let text = if self.patch { with_lines(&listed) } else { listed.to_string() };
            Report::new(listed, text)
        });
        context.ui.finish("changes", report)
    }
}

fn with_lines(listed: &ListedChanges) -> String {
    let mut text = String::new();
    for change in &listed.changes {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", change.bold());
        for hunk in &change.hunks {
            let _ = writeln!(text, "{}", hunk.header.cyan());
            for line in &hunk.lines {
                let _ = match line.as_bytes().first() {
                    Some(b'+') => writeln!(text, "{}", line.green()),
                    Some(b'-') => writeln!(text, "{}", line.red()),
                    _ => writeln!(text, "{line}"),
                };
            }
        }
        if let Some(omitted) = &change.omitted {
            let counted =
                |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
            let (hunks, lines) = (counted(omitted.hunks, "hunk"), counted(omitted.lines, "line"));
            let _ = writeln!(text, "… {hunks} and {lines} more");
        }
    }
    for notice in listed.notices.iter().chain(&listed.cut) {
        let _ = writeln!(text, "{} {notice}", "note:".yellow());
    }
    text
}
