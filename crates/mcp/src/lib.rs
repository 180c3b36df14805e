//! The MCP server: the only crate that knows rmcp.
//!
//! Owns tools, resources, prompts and transports. Owns no rule: every answer comes from `becket-engine`.

mod arguments;
mod call;
mod catalogue;
#[cfg(test)]
mod commit_tests;
mod completion;
#[cfg(feature = "conformance")]
mod conformance;
mod coordinate_text;
mod drift;
mod expectation;
mod follow;
pub mod http;
mod instructions;
mod listing;
mod log_level;
mod page;
mod persona;
#[cfg(test)]
mod probes;
mod prompts;
mod resources;
mod route;
mod schema;
mod seed_text;
mod server;
#[cfg(test)]
mod server_tests;
mod session;
mod subscriptions;
mod tool;
pub mod tools;
mod toolset;
pub mod transport;
mod watch;

pub use call::Call;
pub use catalogue::Choice;
pub use drift::{Greeting, Outlet};
pub use log_level::Level;
pub use persona::{PERSONAS, Persona};
pub use server::{Connection, Server};
pub use subscriptions::Notice;
pub use tool::{Effect, Page, Tool};
pub use toolset::{NameStyle, Toolset};

/// The resource that changes with branch and worktrees.
pub use resources::status::URI as STATUS_URI;
