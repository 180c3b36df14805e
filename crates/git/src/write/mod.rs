//! Everything that changes a repository: commits made in a private index, and taken back. A [`Session`] holds the locks
//! while it does so; a journal written first makes the change whole, whatever interrupts it.
//!
//! Knows nothing of plans: it is given edits of trees and messages. No file of the worktree is ever written here.

mod commit;
mod edit;
mod error;
mod journal;
mod kept;
mod place;
mod recover;
mod session;
mod snapshot;
mod undo;
mod unfinished;

pub use edit::{Blob, NewContent, TreeEdit};
pub use error::WriteError;
pub use journal::{Operation, OperationKind};
pub use place::WritePlace;
pub use recover::{Recovered, Recovery, recover};
pub use session::{Applied, ApplyRequest, DetachedHead, NewCommit, Session, SessionOptions};
pub use snapshot::{
    BlobSides, Filters, Objects, PLAN_LIMITS, Snapshot, SnapshotOptions, Step, StepStage, Taken, Trees,
    changed_paths, empty_tree, read_blobs, read_blobs_up_to, snapshot, snapshot_of,
};
pub use undo::undo;
pub use unfinished::Unfinished;
