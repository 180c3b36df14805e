//! The crate against the real `git`, in throw-away repositories.
#![allow(clippy::disallowed_methods, reason = "tests make repositories with git and plain files")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod blame;
mod changes;
mod compare;
mod conflicts;
mod hostile;
mod interrupted;
mod kinds;
mod locate;
mod log;
mod past;
mod repository;
mod status;
mod tree;
mod write;
