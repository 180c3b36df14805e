//! The values that several answers share: states, anchors, references, commits, filters.

use becket_base::Timestamp;
use becket_git::provenance::Cause;
use becket_memory::anchor::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;

/// Whether what an entry explains is still what it was written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    /// Nothing is cited and no code refers to it, so nothing can be compared.
    Unanchored,
    Fresh,
    /// The same code, elsewhere.
    Moved,
    Changed,
    Gone,
}

impl From<State> for Freshness {
    fn from(state: State) -> Self {
        match state {
            State::Fresh => Self::Fresh,
            State::Moved => Self::Moved,
            State::Changed => Self::Changed,
            State::Gone => Self::Gone,
        }
    }
}

impl Freshness {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unanchored => "unanchored",
            Self::Fresh => "fresh",
            Self::Moved => "moved",
            Self::Changed => "changed",
            Self::Gone => "gone",
        }
    }

    pub fn is_stale(self) -> bool {
        matches!(self, Self::Changed | Self::Gone)
    }
}

/// A commit, as far as a reader needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommitView {
    pub commit: String,
    pub author: String,
    /// RFC 3339.
    pub at: String,
    pub subject: String,
}

impl From<&Cause> for CommitView {
    fn from(cause: &Cause) -> Self {
        let at = Timestamp::from_second(cause.at).unwrap_or(Timestamp::UNIX_EPOCH).to_string();
        let subject = becket_base::clip(&cause.subject, LONGEST_SUBJECT).to_string();
        Self { commit: cause.commit.clone(), author: cause.author.clone(), at, subject }
    }
}

const LONGEST_SUBJECT: usize = 120;

/// A place that an entry cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnchorView {
    /// As cited: `file`, `file#declaration` or `file:10-20`.
    pub anchor: String,
    pub state: Freshness,
    /// Where it is now, if it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// The commit that changed or removed it; absent while that is not committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<CommitView>,
}

/// A comment in code that refers to an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReferenceView {
    #[serde(rename = "ref")]
    pub reference: String,
    pub file: String,
    pub line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declaration: Option<String>,
    /// How the code around it compares to what it was when the reference was written.
    pub state: Freshness,
    /// The commit that introduced the reference; absent while it is not committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<CommitView>,
    /// The commit that changed the code afterwards; absent while that is not committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<CommitView>,
}

/// Which entries are wanted.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// fresh, moved, changed, gone, unanchored, or stale for changed and gone.
    pub state: Option<String>,
    /// Only entries that explain something at or below this path.
    pub path: Option<String>,
    /// Only entries created at or after this day or moment.
    pub since: Option<String>,
    /// Only entries whose author's name contains this.
    pub author: Option<String>,
}

/// A filter that was understood.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) states: Option<Vec<Freshness>>,
    pub(super) path: Option<becket_base::RepoPath>,
    pub(super) since: Option<Timestamp>,
    pub(super) author: Option<String>,
}

impl Filter {
    pub(super) fn understood(&self) -> Result<Wanted, Error> {
        let states = self.state.as_deref().map(states).transpose()?;
        let path = self.path.as_deref().map(becket_base::RepoPath::parse).transpose().map_err(|error| {
            Error::invalid("invalid_path", crate::repository::sentence(&error.to_string()))
                .with_hint("Paths are relative to the root of the workspace.")
        })?;
        let since = self.since.as_deref().map(moment).transpose()?;
        let author = self.author.as_deref().map(str::to_lowercase);
        Ok(Wanted { states, path, since, author })
    }
}

fn states(name: &str) -> Result<Vec<Freshness>, Error> {
    Ok(match name.to_ascii_lowercase().as_str() {
        "stale" => vec![Freshness::Changed, Freshness::Gone],
        "fresh" => vec![Freshness::Fresh],
        "moved" => vec![Freshness::Moved],
        "changed" => vec![Freshness::Changed],
        "gone" => vec![Freshness::Gone],
        "unanchored" => vec![Freshness::Unanchored],
        _ => {
            return Err(Error::invalid(
                "invalid_arguments",
                format!("`{}` is not a state.", becket_base::clip(name, 40)),
            )
            .with_hint(
                "States are fresh, moved, changed, gone, unanchored, and stale for changed or gone.",
            ));
        }
    })
}

/// `2026-01-31` or a full RFC 3339 moment.
fn moment(text: &str) -> Result<Timestamp, Error> {
    let text = text.trim();
    text.parse().or_else(|_| format!("{text}T00:00:00Z").parse()).map_err(|_| {
        Error::invalid("invalid_arguments", format!("`{}` is not a date.", becket_base::clip(text, 40)))
            .with_hint("Write a day (2026-01-31) or a moment (2026-01-31T12:00:00Z).")
    })
}
