//! The HTTP face: one loopback listener that several agents share, and the checks in front of it.
//!
//! Owns what is HTTP and nothing else: who may knock (Host, Origin, bearer token), how much a request may cost
//! (body, time, connections) and how the listener starts and ends. What is served at [`MCP_PATH`] is a tower
//! service that the caller hands in: this crate knows no protocol behind it, no file and no environment.

mod allow;
mod authority;
mod body;
mod cors;
mod error;
mod guard;
mod listen;
mod mount;
mod options;
mod refusal;
mod router;
mod token;

pub use error::WebError;
pub use listen::{Bound, Exposure, bind, parse_address, serve};
pub use options::{Limits, Options};
pub use router::{HEALTH_PATH, MCP_PATH};
pub use token::Secret;
