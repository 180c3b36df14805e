//! The text of a pull request from its commits and what the other planes know of them.

use serde::{Deserialize, Serialize};

use crate::plan::Trailer;

/// All that the text may speak of. Lists are in the order in which they are to be shown; breaking changes go first by
/// themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequest {
    pub commits: Vec<PullRequestCommit>,
    pub contracts: Vec<ContractChange>,
    pub notes: Vec<Note>,
    pub tasks: Vec<Task>,
    /// Commands or steps that show that it works.
    pub checks: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequestCommit {
    /// A plan's `commit-1`, or a commit's id.
    pub id: String,
    pub title: String,
    pub body: String,
    pub trailers: Vec<Trailer>,
    /// Paths that it touches.
    pub files: Vec<String>,
    pub added: usize,
    pub removed: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractChange {
    pub path: String,
    pub name: String,
    /// "the parameter `limit` is now required".
    pub summary: String,
    pub breaking: bool,
    /// Who depends on it, as paths.
    pub consumers: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// `00012`
    pub id: String,
    pub title: String,
    pub standing: NoteStanding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteStanding {
    Cited,
    /// These commits change what it speaks of.
    Stale,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// `T12`
    pub id: String,
    pub title: String,
}

/// A caller's own words, which win.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wording {
    pub title: Option<String>,
    pub summary: Option<String>,
    /// Replaces the whole body.
    pub body: Option<String>,
}

/// What gives the body its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Template<'a> {
    BuiltIn,
    /// A minijinja template of the user. It sees the fields of [`PullRequest`], `title`, `summary` and `body`.
    User(&'a str),
    /// A host's `PULL_REQUEST_TEMPLATE.md`: its headings are kept and filled.
    Form(&'a str),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequestDraft {
    pub title: String,
    pub body: String,
}

#[derive(Debug, thiserror::Error)]
pub enum PullRequestError {
    #[error("a pull request needs at least one commit")]
    NoCommits,
    #[error("the template cannot be used: {reason}")]
    Template { reason: String },
}

pub fn draft(
    request: &PullRequest,
    wording: &Wording,
    template: Template<'_>,
) -> Result<PullRequestDraft, PullRequestError> {
    let _ = (wording, template);
    let first = request.commits.first().ok_or(PullRequestError::NoCommits)?;
    Ok(PullRequestDraft { title: first.title.clone(), body: String::new() })
}
