//! What tests stand on: a hermetic home, real repositories, a raw MCP client for a real server process, and
//! fuzzing by the clock.
//!
//! A development dependency only. It shares no code with what it tests: its client frames and parses for itself, so
//! that a fault on one side cannot hide behind the same fault on the other. Everything here panics on failure, with
//! the words a person needs to see.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "it exists to start processes and write files for tests, and its failures are test failures"
)]
#![allow(
    clippy::needless_pass_by_value,
    clippy::return_self_not_must_use,
    reason = "tests pass `json!` literals, and make worktrees only for their being there"
)]

pub mod embeddings;
mod fuzz;
mod home;
mod json;
pub mod postgres;
mod process;
pub mod protocol;
mod repo;
mod stream;

pub use fuzz::fuzz;
pub use home::TestHome;
pub use json::differences;
pub use process::{McpProcess, Signal};
pub use repo::TestRepo;
pub use stream::Framing;
