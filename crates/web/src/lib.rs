//! The HTTP face: one loopback listener that several agents share, and the checks in front of it.
//!
//! Owns what is HTTP and nothing else: who may knock (Host, Origin, bearer token), how much a request may cost
//! (body, time, connections) and how the listener starts and ends. What is served at [`MCP_PATH`] is a tower
//! service that the caller hands in, what is told at [`FEED_PATH`] are texts of the caller's: this crate knows no
//! protocol behind either, no file and no environment.

mod allow;
mod authority;
mod body;
mod cors;
mod error;
mod feed;
mod guard;
mod listen;
mod mount;
mod options;
mod refusal;
mod router;
mod token;

pub use error::WebError;
pub use feed::{FEED_PROTOCOL, Feed, Greeting};
pub use listen::{Bound, Exposure, bind, parse_address, serve};
pub use options::{Limits, Options};
pub use router::{FEED_PATH, HEALTH_PATH, MCP_PATH};
pub use token::Secret;
