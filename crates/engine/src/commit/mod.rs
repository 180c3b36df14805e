//! The commit plane's reading half: what is not committed, what was, and who wrote it. All of it is read live from Git.
//!
//! Owns the shapes that agents and people get, their bounds and which worktree they speak of. How Git is asked is
//! `becket_git`'s; no call here changes anything.

mod blame;
mod bound;
mod changes;
mod compare;
mod history;
mod place;
#[cfg(test)]
mod tests;
mod tree;
mod view;

pub use becket_git::{CompareFrom, Moves, Whitespace};
pub use blame::{BlameRequest, BlamedCommit, BlamedFile, BlamedLine};
pub use bound::Extent;
pub use changes::{ListChangesRequest, ListedChanges};
pub use compare::{
    CommitDiff, CommitView, CompareRequest, ComparedRefs, FileStatus, ShowCommitRequest, ShownCommit,
};
pub use history::{CommitRow, ListedCommits, LogRequest};
pub use place::Scope;
pub use tree::{HeadView, RepoStatus, RepoStatusRequest, StatusRow};
pub use view::{Area, ChangeKind, ChangeView, FileKind, HunkView, OmittedView, PartView};
