//! The commit plane: what is not committed, what was, and who wrote it, read live from Git; and how the dirty tree becomes
//! commits: groups, a plan that is kept, its applying, and the way back.
//!
//! Owns the shapes that agents and people get, their bounds and which worktree they speak of. How Git is asked and told
//! is `becket_git`'s, what belongs together `becket_commits`'s.

mod apply;
mod blame;
mod bound;
mod changes;
mod citations;
mod compare;
mod contracts;
mod cut;
mod desk;
mod effects;
mod evidence;
mod group;
mod history;
mod interrupted;
mod layered;
mod ledger;
mod listings;
mod outline;
mod place;
mod propose;
mod pull_request;
mod refusal;
mod rendering;
mod significance;
mod statistics;
#[cfg(test)]
mod tests;
mod tree;
mod undo;
mod view;

pub use apply::{AppliedCommit, AppliedPlan, AppliedRow, ApplyAllRequest, ApplyCommitRequest, ApplyOptions};
pub use becket_git::{CompareFrom, Moves, Whitespace};
pub use blame::{BlameRequest, BlamedCommit, BlamedFile, BlamedLine};
pub use bound::Extent;
pub use changes::{ListChangesRequest, ListedChanges};
pub use compare::{
    CommitDiff, CommitView, CompareRequest, ComparedRefs, FileStatus, ShowCommitRequest, ShownCommit,
};
pub use effects::{ContractChangeView, EffectsView, StaleNoteView};
pub use group::{GroupChangesRequest, GroupView, GroupedChanges, LeftOut, ReasonView};
pub use history::{CommitRow, ListedCommits, LogRequest};
pub(crate) use interrupted::problems as interrupted_operations;
pub(crate) use listings::Listings;
pub use outline::HunkOutline;
pub use place::Scope;
pub use propose::{CommitPlan, EditPlanRequest, PlanEdit, ProposeCommitsRequest, ProposedCommits};
pub use pull_request::{GeneratePrRequest, PullRequestRow, PullRequestView, TaskView};
pub use tree::{HeadView, RepoStatus, RepoStatusRequest, StatusRow};
pub use undo::{ListedOperations, OperationRow, UndoneOperation};
pub use view::{Area, ChangeKind, ChangeView, FileKind, HunkView, OmittedView, PartView};
