//! The use cases: one function per thing that a person or an agent can do, plain data in and out.
//!
//! Owns the joining of the boundary crates and the one [`Error`]. Knows no protocol, terminal or HTTP.

pub mod commit;
pub mod coordinate;
pub mod doctor;
mod embeddings;
mod engine;
mod error;
pub mod progress;
pub mod remember;
mod repository;
pub mod sample;
mod sandbox;
pub mod settings;
pub mod setup;
mod shrink;
pub mod status;
pub mod token;
pub mod understand;

pub use becket_git::{Cancelled, cancellable, stamp::Stamp as RepositoryStamp};
pub use becket_project::{Environment, share::alone};
pub use engine::{Engine, OpenOptions, current_directory, environment};
pub use error::{Error, ErrorKind};
pub use shrink::shrink;
