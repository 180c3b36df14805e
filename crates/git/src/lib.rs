//! Everything in becket that runs `git`. No other crate starts it, and here only [`process`] does.

pub mod blame;
mod cancel;
pub mod changes;
pub mod compare;
pub mod create;
mod date;
mod environment;
pub mod error;
mod filters;
pub mod history;
mod merge_driver;
pub mod past;
mod patch;
mod path;
mod private_index;
pub mod process;
pub mod provenance;
pub mod read;
pub mod revision;
mod root_commit;
pub mod stamp;
pub mod status;
mod submodules;
pub mod tree;
mod untracked;
pub mod worktree;
pub mod write;

pub use blame::{Blame, BlameOptions, BlamedCommit, BlamedLine, Moves, Whitespace, blame};
pub use cancel::{Cancelled, cancellable, cancellation};
pub use changes::{Change, ChangeKind, ChangeList, ChangesOptions, Conflict, FileKind, Notice, list_changes};
pub use compare::{
    CompareFrom, CompareOptions, Comparison, ShowOptions, ShownCommit, diff_between_refs, show_commit,
};
pub use create::{add_worktree, commit_everything, create_repository};
pub use error::GitError;
pub use history::{Commit, Log, LogOptions, Merges, Person, log, message};
pub use merge_driver::{merge_driver, remove_merge_driver, set_merge_driver};
pub use patch::ANSWER_LIMITS;
pub use process::{Git, MINIMUM_VERSION};
pub use read::{Head, Location, Version, head, locate, version};
pub use revision::{CommitId, resolve};
pub use root_commit::root_commit;
pub use status::{
    ConflictKind, FileState, Operation, StatusEntry, StatusOptions, TreeStatus, Upstream, repo_status,
};
pub use untracked::Untracked;
pub use worktree::{Worktree, worktrees, worktrees_with};
