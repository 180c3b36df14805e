//! Putting becket into the hosts of a repository, and taking it out again: the table of hosts, the plan, the writing.
//!
//! Owns the entries in host files, the block in `AGENTS.md` and the record of both. Does not own the words of the
//! command line, nor what a server does once a host has started it.
//!
//! `table` (a row per host) → `launch` (what a host is told to start) → `init`, `uninit` (a [`SetupPlan`], pure
//! reading) → `apply`. `document` edits a text, `target` reads a file, `record` remembers, and `shared` what
//! several repositories wrote into one file.

mod agents_md;
mod apply;
mod baseline;
mod co_owners;
mod document;
mod error;
mod init;
mod launch;
mod listing;
mod place;
mod plan;
mod record;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod uninit;

pub use apply::apply;
pub use document::{DocumentError, Form};
pub use error::SetupError;
pub use init::{plan_init, snippets};
pub use launch::{Launch, SERVER_NAME, Snippet, ToolsetSize, snippet};
pub use place::{Base, Machine, Place, Scope, System};
pub use plan::{
    AgentsMd, Because, ChosenHost, HostChoice, InitRequest, PlannedFile, Replace, SetupPlan, Step,
    UninitRequest,
};
pub use table::{CommandSearch, HOSTS, Host, PerSystem, RepositoryArgument, Start};
pub use uninit::plan_uninit;
