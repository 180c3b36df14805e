//! The commands. To add one: a file here and a row in `commands!`.

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

/// A row for each command: what it is for, its name, and what it takes, which is made ready only for the one that is called.
macro_rules! commands {
    ($($(#[$hidden:ident])? $about:literal $name:literal $variant:ident($arguments:ty),)+) => {
        #[derive(Debug)]
        pub(crate) enum Command {
            $($variant($arguments),)+
        }

        impl Command {
            pub(crate) fn run(self, context: &Context) -> ExitCode {
                match self {
                    $(Command::$variant(command) => command.run(context),)+
                }
            }

            /// A command of its name with all that it takes, for who asks about all commands.
            pub(crate) fn whole(command: clap::Command) -> clap::Command {
                match command.get_name() {
                    $($name => {
                        ready::<$arguments>(clap::Command::new($name)$(.$hidden(true))?, $about)
                    })+
                    _ => command,
                }
            }
        }

        impl clap::FromArgMatches for Command {
            fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                match matches.subcommand() {
                    $(Some(($name, matches)) => {
                        <$arguments as clap::FromArgMatches>::from_arg_matches(matches).map(Command::$variant)
                    })+
                    _ => Err(clap::Error::new(clap::error::ErrorKind::MissingSubcommand)),
                }
            }

            fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
                *self = clap::FromArgMatches::from_arg_matches(matches)?;
                Ok(())
            }
        }

        impl clap::Subcommand for Command {
            fn augment_subcommands(command: clap::Command) -> clap::Command {
                command$(.subcommand(
                    clap::Command::new($name).about($about)$(.$hidden(true))?
                        .defer(|command| ready::<$arguments>(command, $about)),
                ))+
            }

            fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
                Self::augment_subcommands(command)
            }

            fn has_subcommand(name: &str) -> bool {
                [$($name),+].contains(&name)
            }
        }
    };
}

/// What a command is for is said by its row, whatever its arguments say of themselves.
fn ready<Arguments: clap::Args>(command: clap::Command, about: &'static str) -> clap::Command {
    Arguments::augment_args(command).about(about).long_about(None)
}

commands! {
    "Serve MCP to an agent's host, on stdio or HTTP"
        "mcp" Mcp(mcp::Mcp),
    "Where am I, what is there, what is wrong, what next"
        "status" Status(status::Status),
    "Connect the agent hosts of this repository to becket"
        "init" Init(init::Init),
    "Take back exactly what `init` wrote"
        "uninit" Uninit(uninit::Uninit),
    "What the code promises: contracts, bundles, the graph, drift"
        "context" Context(Box<context::ContextCommand>),
    "Who would feel a change of a file or an export"
        "impact" Impact(impact::Impact),
    "The entries that say why: write, read, find, check"
        "note" Note(note::Note),
    "Why is this place so: the entries that explain it, with the commits"
        "why" Why(why::Why),
    "What is not committed, and what became of each path"
        "changes" Changes(changes::Changes),
    "Turn what is not committed into commits: plan, show, edit, apply, undo"
        "commit" Commit(commit::Commit),
    "Draft a pull request from planned or made commits"
        "pr" Pr(pr::Pr),
    "Commits, newest first"
        "log" Log(log::Log),
    "Which commit each line of a file comes from"
        "blame" Blame(blame::Blame),
    "Tasks that several agents share: list, claim, finish, create"
        "task" Task(task::Task),
    "Who works in this repository"
        "agent" Agent(agent::Agent),
    "Messages between agents"
        "msg" Msg(msg::Msg),
    "What happened; with --follow, what happens"
        "events" Events(events::Events),
    "Where tasks, leases and messages live"
        "store" Store(store::Store),
    #[hide] "What Git calls to merge spec.yaml"
        "merge-spec" MergeSpec(merge_spec::MergeSpec),
    "Check everything that becket needs, and say how to mend it"
        "doctor" Doctor(doctor::Doctor),
    "Show what becket does, live, in a throw-away repository"
        "tour" Tour(tour::Tour),
    "Print each effective setting and where it came from"
        "config" Config(config::Config),
    "Make or remove links for the six other names"
        "alias" Alias(alias::Alias),
    "Run under one of the six other names: `becket as lodestar …`"
        "as" As(crate::alias::As),
    "Print a shell's completion script"
        "completions" Completions(completions::Completions),
}
