//! Changes to groups, groups to an ordered plan, a plan to messages and the text of a pull request. Pure and
//! deterministic: what reads a repository, keeps a plan or applies it is `becket_engine` with `becket_git`.

mod blocks;
pub mod change;
pub mod cluster;
pub mod edit;
mod follow_up;
pub mod forest;
mod gist;
pub mod group;
pub mod history;
pub mod learning;
mod message;
mod mixture;
pub mod model;
mod order;
mod pairs;
mod parting;
mod pieces;
mod place;
pub mod plan;
mod profile;
pub mod pull_request;
mod signal;
mod signals;
pub mod unit;
mod words;

pub use change::{
    Breaking, Change, Companion, ContractFacts, DeclaredName, Evidence, SideFacts, Stage, UsedName,
};
pub use edit::{Edit, EditError};
pub use group::{Group, Grouping, Reason, group};
pub use history::{History, HistoryError, Touched};
pub use plan::{Plan, PlannedCommit, Requirement, Trailer, plan};
pub use pull_request::{
    ContractChange, Note, NoteStanding, PullRequest, PullRequestCommit, PullRequestDraft, PullRequestError,
    Task, Template, Wording, draft,
};
pub use unit::{HunkId, Part, Unit, embedding_text, joined, runs, units};
