//! The commands. To add one: a file here and a row in [`Command`].

mod agent;
mod alias;
mod blame;
mod changes;
mod commit;
mod completions;
mod config;
pub(crate) mod context;
mod doctor;
mod events;
mod impact;
mod init;
mod log;
pub(crate) mod mcp;
mod merge_spec;
mod msg;
mod note;
mod pr;
mod status;
mod store;
mod task;
mod tour;
mod uninit;
mod why;

use std::process::ExitCode;

use crate::context::Context;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Serve MCP to an agent's host, on stdio or HTTP
    Mcp(mcp::Mcp),
    /// Where am I, what is there, what is wrong, what next
    Status(status::Status),
    /// Connect the agent hosts of this repository to becket
    Init(init::Init),
    /// Take back exactly what `init` wrote
    Uninit(uninit::Uninit),
    /// What the code promises: contracts, bundles, the graph, drift
    Context(Box<context::ContextCommand>),
    /// Who would feel a change of a file or an export
    Impact(impact::Impact),
    /// The entries that say why: write, read, find, check
    Note(note::Note),
    /// Why is this place so: the entries that explain it, with the commits
    Why(why::Why),
    /// What is not committed, and what became of each path
    Changes(changes::Changes),
    /// Turn what is not committed into commits: plan, show, edit, apply, undo
    Commit(commit::Commit),
    /// Draft a pull request from planned or made commits
    Pr(pr::Pr),
    /// Commits, newest first
    Log(log::Log),
    /// Which commit each line of a file comes from
    Blame(blame::Blame),
    /// Tasks that several agents share: list, claim, finish, create
    Task(task::Task),
    /// Who works in this repository
    Agent(agent::Agent),
    /// Messages between agents
    Msg(msg::Msg),
    /// What happened; with --follow, what happens
    Events(events::Events),
    /// Where tasks, leases and messages live
    Store(store::Store),
    /// What Git calls to merge spec.yaml
    #[command(hide = true)]
    MergeSpec(merge_spec::MergeSpec),
    /// Check everything that becket needs, and say how to mend it
    Doctor(doctor::Doctor),
    /// Show what becket does, live, in a throw-away repository
    Tour(tour::Tour),
    /// Print each effective setting and where it came from
    Config(config::Config),
    /// Make or remove links for the six other names
    Alias(alias::Alias),
    /// Run under one of the six other names: `becket as lodestar …`
    As(crate::alias::As),
    /// Print a shell's completion script
    Completions(completions::Completions),
}

impl Command {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        match self {
            Command::Mcp(command) => command.run(context),
            Command::Status(command) => command.run(context),
            Command::Init(command) => command.run(context),
            Command::Uninit(command) => command.run(context),
            Command::Context(command) => command.run(context),
            Command::Impact(command) => command.run(context),
            Command::Note(command) => command.run(context),
            Command::Why(command) => command.run(context),
            Command::Changes(command) => command.run(context),
            Command::Commit(command) => command.run(context),
            Command::Pr(command) => command.run(context),
            Command::Log(command) => command.run(context),
            Command::Blame(command) => command.run(context),
            Command::Task(command) => command.run(context),
            Command::Agent(command) => command.run(context),
            Command::Msg(command) => command.run(context),
            Command::Events(command) => command.run(context),
            Command::Store(command) => command.run(context),
            Command::MergeSpec(command) => command.run(context),
            Command::Doctor(command) => command.run(context),
            Command::Tour(command) => command.run(context),
            Command::Config(command) => command.run(context),
            Command::Alias(command) => command.run(context),
            Command::As(command) => command.run(context),
            Command::Completions(command) => command.run(context),
        }
    }
}
