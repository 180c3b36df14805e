//! `becket pr`: the `generate_pr` tool for people and scripts.

use std::process::ExitCode;

use becket_engine::commit::GeneratePrRequest;

use crate::{context::Context, ui::Report};

#[derive(Debug, clap::Args)]
pub(crate) struct Pr {
    /// Planned commits (`commit-1`) or ids of commits; otherwise those since --base, or of the newest plan
    commits: Vec<String>,
    /// All commits since this branch, tag or commit
    #[arg(long)]
    base: Option<String>,
    /// Your own title
    #[arg(long)]
    title: Option<String>,
    /// Your own summary
    #[arg(long)]
    summary: Option<String>,
    /// The worktree to speak of: its path, its folder's name or its branch
    #[arg(long)]
    worktree: Option<String>,
}

impl Pr {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        let draft = || {
            let mut commits = self.commits.clone();
            if commits.is_empty() && self.base.is_none() {
                commits = engine.planned_commit_ids(self.worktree.as_deref())?;
            }
            engine.generate_pr(&GeneratePrRequest {
                commits,
                base: self.base.clone(),
                title: self.title.clone(),
                summary: self.summary.clone(),
                body: None,
                worktree: self.worktree.clone(),
            })
        };
        context.ui.finish("pr", draft().map(|view| Report::new(view.clone(), view.to_string())))
    }
}
