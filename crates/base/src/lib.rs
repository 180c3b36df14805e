//! Words that every becket crate uses: pure values, no I/O, no clock, no randomness.

pub mod clip;
pub mod nearest;
pub mod repo_path;

pub use clip::{Clip, clip};
pub use nearest::nearest;
pub use repo_path::{RepoPath, RepoPathError};
