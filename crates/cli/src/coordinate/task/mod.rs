//! `becket task …` and `lodestar task …`: what is to be done, in words for people; the rules are the engine's. One file per
//! family of commands; here they are named and told apart.

mod define;
mod finish;
mod lease;
mod look;

use becket_engine::{Engine, Error, coordinate::InitOptions};
use serde_json::json;

use super::{Outcome, seconds};
use define::{Create, Update};
use finish::Finish;
use lease::Claim;
use look::List;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Task {
    /// Make `.lodestar/` with an empty list of tasks here
    Init {
        /// The name of the project; the folder's if left out
        #[arg(short, long)]
        name: Option<String>,
    },
    /// List tasks by priority
    List(List),
    /// Show one task
    Show {
        /// The task
        id: String,
        /// Accepted, and not needed
        #[arg(long, hide = true)]
        agent: Option<String>,
    },
    /// The requirements behind a task, and whether they changed
    Context {
        /// The task
        id: String,
        /// The budget in characters
        #[arg(short, long, default_value_t = 1_000)]
        max_chars: usize,
    },
    /// Add a task
    Create(Box<Create>),
    /// Change a task
    Update(Box<Update>),
    /// Tasks that can be claimed now
    Next {
        /// How many to name, at most 20
        #[arg(short = 'n', long, default_value_t = 1)]
        count: usize,
        /// Puts tasks first whose labels are capabilities of this agent
        #[arg(short, long)]
        agent: Option<String>,
        /// Only tasks with any of these
        #[arg(short, long)]
        label: Vec<String>,
    },
    /// Take the lease of a task; without an id, of the best free one
    Claim(Claim),
    /// Let a lease last longer
    Renew {
        /// The task
        id: Option<String>,
        /// Who holds it
        #[arg(short, long)]
        agent: Option<String>,
        /// How long from now, such as 15m, 1h30m or 45s
        #[arg(short, long, value_name = "TIME", value_parser = seconds)]
        ttl: Option<u64>,
    },
    /// Give a task back
    Release {
        /// The task
        id: String,
        /// The holder; whoever holds it if left out
        #[arg(short, long)]
        agent: Option<String>,
        /// Why; it is told with the event
        #[arg(long)]
        reason: Option<String>,
    },
    /// Mark a task as done
    Done(Finish),
    /// Mark a done task as verified
    Verify(Finish),
    /// Done and verified at once
    Complete(Finish),
    /// Mark a task as deleted
    Delete {
        /// The task
        id: String,
        /// Also everything that depends on it
        #[arg(long)]
        cascade: bool,
        /// The agent that deletes it; a person if left out
        #[arg(short, long)]
        agent: Option<String>,
    },
    /// How tasks depend on each other
    Graph {
        /// json, dot or text; text for a person
        #[arg(short, long, value_parser = ["json", "dot", "text"])]
        format: Option<String>,
        /// Also deleted tasks
        #[arg(long)]
        include_deleted: bool,
    },
}

impl Task {
    /// For the name of the command in envelopes and explanations.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Task::Init { .. } => "task init",
            Task::List(_) => "task list",
            Task::Show { .. } => "task show",
            Task::Context { .. } => "task context",
            Task::Create(_) => "task create",
            Task::Update(_) => "task update",
            Task::Next { .. } => "task next",
            Task::Claim(_) => "task claim",
            Task::Renew { .. } => "task renew",
            Task::Release { .. } => "task release",
            Task::Done(_) => "task done",
            Task::Verify(_) => "task verify",
            Task::Complete(_) => "task complete",
            Task::Delete { .. } => "task delete",
            Task::Graph { .. } => "task graph",
        }
    }

    pub(crate) fn run(self, engine: &Engine) -> Result<Outcome, Error> {
        match self {
            Task::Init { name } => {
                let root = engine.workspace()?.root.clone();
                let made = engine.lodestar_init(
                    Some(&root),
                    &InitOptions { name, bare: true, ..InitOptions::default() },
                )?;
                engine.register_merge_driver(&crate::context::own_binary()?)?;
                let text = format!("Made {} in {}.", made.files_created.join(", "), made.path);
                Ok(Outcome::new(json!(made), text))
            }
            Task::List(list) => list.run(engine),
            Task::Show { id, .. } => look::show(engine, id),
            Task::Context { id, max_chars } => look::context(engine, id, max_chars),
            Task::Create(create) => create.run(engine),
            Task::Update(update) => update.run(engine),
            Task::Next { count, agent, label } => look::next(engine, count, agent, label),
            Task::Claim(claim) => claim.run(engine),
            Task::Renew { id, agent, ttl } => lease::renew(engine, id, agent, ttl),
            Task::Release { id, agent, reason } => lease::release(engine, id, agent, reason),
            Task::Done(finish) => finish.done(engine),
            Task::Verify(finish) => finish.verify(engine),
            Task::Complete(finish) => finish.complete(engine),
            Task::Delete { id, cascade, agent } => define::delete(engine, id, cascade, agent),
            Task::Graph { format, include_deleted } => {
                look::graph(engine, format.as_deref(), include_deleted)
            }
        }
    }
}
