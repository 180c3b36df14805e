//! Everything in becket that runs `git`. No other crate starts it, and here only [`process`] does.

pub mod create;
pub mod error;
pub mod path;
pub mod process;
pub mod provenance;
pub mod read;
pub mod stamp;
pub mod worktree;

pub use create::{add_worktree, commit_everything, create_repository};
pub use error::GitError;
pub use process::{Git, MINIMUM_VERSION};
pub use read::{Head, Location, Version, head, locate, version};
pub use worktree::{Worktree, worktrees};
