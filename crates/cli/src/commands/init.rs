//! `becket init`: connects the agent hosts of this repository.

use std::process::ExitCode;

use becket_engine::{
    Error,
    setup::{self, AgentsMd, InitOptions, Replace, SetupPlan, Snippet, ToolsetSize},
};
use becket_mcp::{Toolset, tools};
use serde::Serialize;

use crate::{
    context::{Context, own_binary},
    ui::Report,
};

#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    /// The hosts to connect, or `all`; those that are found if left out: claude-code, cursor, vscode, codex, gemini,
    /// zed, windsurf, opencode, claude-desktop
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    hosts: Vec<String>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the snippet for each host instead, and write nothing
    #[arg(long, conflicts_with = "dry_run")]
    print: bool,
    /// The command that hosts start
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// Leave AGENTS.md alone
    #[arg(long)]
    no_agents_md: bool,
    /// Replace an entry of ours that somebody changed by hand
    #[arg(long)]
    force: bool,
}

/// What `--json` gives.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Outcome {
    Plan {
        applied: bool,
        #[serde(flatten)]
        plan: Box<SetupPlan>,
    },
    Snippets {
        snippets: Vec<Snippet>,
    },
}

impl Init {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let result = self.act(context);
        context.ui.finish("init", result)
    }

    fn act(self, context: &Context) -> Result<Report<Outcome>, Error> {
        let engine = context.engine(Vec::new());
        let machine = setup::machine(context.environment());
        let options = InitOptions {
            hosts: self.hosts,
            command: self.command,
            executable: Some(own_binary()?),
            toolsets: Toolset::PLANES
                .map(|plane| ToolsetSize { name: plane.name().to_owned(), tools: tools::count(plane) })
                .into_iter()
                .filter(|size| size.tools > 0)
                .collect(),
            other_tools: tools::count(Toolset::Becket),
            agents_md: if self.no_agents_md { AgentsMd::Leave } else { AgentsMd::Write },
            replace: if self.force { Replace::Ours } else { Replace::Keep },
        };
        if self.print {
            let snippets = engine.init_snippets(machine, &options)?;
            let text = snippets.iter().map(snippet_text).collect::<Vec<_>>().join("\n");
            return Ok(Report::new(Outcome::Snippets { snippets }, text));
        }
        let plan = engine.plan_init(machine, &options)?;
        let mut text = plan.listing();
        if self.dry_run {
            text.push_str("Nothing was written (--dry-run).\n");
        } else {
            setup::apply(&plan)?;
            if engine.register_merge_driver(&crate::context::own_binary()?)? {
                text.push_str("Git merges .lodestar/spec.yaml task by task from now on.\n");
            }
            text.push_str("Start your agent in this repository; `becket doctor` checks the connection.\n");
        }
        Ok(Report::new(Outcome::Plan { applied: !self.dry_run, plan: Box::new(plan) }, text))
    }
}

fn snippet_text(snippet: &Snippet) -> String {
    let place = snippet
        .file
        .as_ref()
        .map_or_else(|| "its settings file".to_owned(), |file| file.display().to_string());
    let hint = snippet.hint.map(|hint| format!("{hint}\n")).unwrap_or_default();
    format!("{}: {place}\n{}\n{hint}", snippet.title, snippet.text.trim_end())
}
