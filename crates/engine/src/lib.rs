//! The use cases: one function per thing that a person or an agent can do, plain data in and out.
//!
//! Owns the joining of the boundary crates and the one [`Error`]. Knows no protocol, terminal or HTTP.

mod error;

pub use error::{Error, ErrorKind};
