//! `becket why FILE[:LINE]`: the entries that explain this place, with the commits.

use std::process::ExitCode;

use becket_engine::remember::WhyAnswer;

use super::note::{Lines, commit, entry, explanation};
use crate::{
    context::Context,
    ui::{Report, visible},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Why {
    /// FILE, `FILE:LINE`, `FILE:FROM-TO` or FILE#DECLARATION
    place: String,
    /// Show the whole text of each entry
    #[arg(long)]
    full: bool,
    /// The worktree that is meant: its path, its folder's name or its branch
    #[arg(long)]
    worktree: Option<String>,
}

impl Why {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let answer = context.engine(Vec::new()).context_why(&self.place, self.worktree.as_deref());
        context.ui.finish(
            "why",
            answer.map(|answer| {
                let text = render(&answer, self.full);
                Report::new(answer, text)
            }),
        )
    }
}

fn render(answer: &WhyAnswer, full: bool) -> String {
    let mut lines = Lines::default();
    if let Some(written) = &answer.written {
        lines.line(format_args!(
            "{} was last written by {}",
            visible(&answer.target),
            visible(&commit(written))
        ));
    }
    if answer.explanations.is_empty() {
        lines.line(format_args!("No entry explains {}.", visible(&answer.target)));
    }
    for one in &answer.explanations {
        explanation(&mut lines, one);
    }
    for one in &answer.dangling {
        lines.line(format_args!(
            "{}:{} refers to {}, which does not exist",
            visible(&one.file),
            one.line,
            one.reference
        ));
    }
    if full {
        for one in &answer.entries {
            lines.line(format_args!("\n{}", entry(one).trim_end()));
        }
    }
    lines.text()
}
