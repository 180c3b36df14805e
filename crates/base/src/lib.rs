//! Words that every becket crate uses: pure values, no I/O, no clock, no randomness.

pub mod by_name;
pub mod clip;
pub mod clock;
pub mod codec;
pub mod counted;
pub mod divided;
pub mod nearest;
pub mod parts;
pub mod repo_path;
pub mod text;
pub mod tokens;
pub mod unseen;

pub use by_name::ByName;
pub use clip::{Clip, clip};
pub use clock::{Clock, Timestamp};
pub use counted::{counted, verb};
pub use nearest::nearest;
pub use parts::Parts;
pub use repo_path::{RepoPath, RepoPathError};
pub use unseen::{is_unseen, turns_direction};
