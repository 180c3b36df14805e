//! `log`: commits, newest first.

use std::fmt;

use becket_base::clip;
use becket_git::{Commit, LogOptions, Merges};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    bound::{Extent, fitting, invalid_cursor},
    place::{Scope, on},
    view::shown,
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct LogRequest {
    /// How many at most: 20 if left out; in an answer held between 1 and 200, as the seed's original does.
    pub limit: Option<i64>,
    /// A branch, tag, id or expression; `HEAD` if left out.
    pub revision: Option<String>,
    /// Only commits that touch this file or folder.
    pub path: Option<String>,
    /// Dates as Git understands them: `2024-05-01`, `2 weeks ago`.
    pub since: Option<String>,
    pub until: Option<String>,
    pub include_merges: bool,
    pub cursor: Option<String>,
    pub worktree: Option<String>,
    pub extent: Extent,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedCommits {
    /// Newest first.
    pub commits: Vec<CommitRow>,
    /// What was left out of this answer, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// Where older ones begin; absent at the end. It holds on to where this answer began, whatever is committed meanwhile.
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub scope: Scope,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitRow {
    pub sha: String,
    pub short_sha: String,
    pub subject: String,
    pub author_name: String,
    pub author_email: String,
    /// ISO 8601 with the author's own offset.
    pub author_date: String,
    pub parents: Vec<String>,
}

const DEFAULT_COMMITS: i64 = 20;
const MOST_COMMITS: i64 = 200;
/// A subject may be a whole paragraph.
pub(super) const LONGEST_SUBJECT: usize = 500;

impl Engine {
    pub fn log(&self, request: &LogRequest) -> Result<ListedCommits, Error> {
        let place = self.commit_place(request.worktree.as_deref(), request.path.as_deref())?;
        let most = if request.extent == Extent::Whole { i64::MAX } else { MOST_COMMITS };
        let limit = request.limit.unwrap_or(DEFAULT_COMMITS).clamp(1, most);
        let (begin, skip) = match (&request.cursor, &request.revision) {
            (Some(cursor), _) => read_cursor(cursor)?,
            (None, Some(revision)) => (becket_git::resolve(place.git.clone(), revision)?.to_string(), 0),
            (None, None) => match becket_git::head(place.git.clone())?.commit() {
                Some(commit) => (commit.to_owned(), 0),
                None => return Ok(ListedCommits::none(place.scope)),
            },
        };
        let options = LogOptions {
            limit: usize::try_from(limit).unwrap_or(1),
            skip,
            revision: Some(begin.clone()),
            path: place.path,
            since: request.since.clone(),
            until: request.until.clone(),
            merges: if request.include_merges { Merges::Include } else { Merges::Exclude },
        };
        crate::progress::tell("asking Git for the commits", 0, None);
        let log = becket_git::log(place.git, &options)?;
        let mut commits: Vec<CommitRow> = log.commits.iter().map(CommitRow::of).collect();
        let fit = fitting(&commits, self.room(request.extent));
        let more = log.more || fit < commits.len();
        commits.truncate(fit);
        let mut answer = ListedCommits { commits, ..ListedCommits::none(place.scope) };
        if more {
            let shown = skip + fit;
            answer.next_cursor = Some(format!("{begin}+{shown}"));
            answer.cut = Some(format!(
                "commits {} to {shown} are shown; call again with `cursor` set to nextCursor for older ones.",
                skip + 1
            ));
        }
        Ok(answer)
    }
}

impl ListedCommits {
    fn none(scope: Scope) -> Self {
        Self { commits: Vec::new(), cut: None, next_cursor: None, scope }
    }
}

impl CommitRow {
    fn of(commit: &Commit) -> Self {
        Self {
            sha: commit.id.clone(),
            short_sha: commit.short_id.clone(),
            subject: clip(&commit.subject, LONGEST_SUBJECT).to_string(),
            author_name: commit.author.name.clone(),
            author_email: commit.author.email.clone(),
            author_date: commit.author.date.clone(),
            parents: commit.parents.clone(),
        }
    }
}

/// Where the first page began, and how many were shown.
fn read_cursor(cursor: &str) -> Result<(String, usize), Error> {
    let (begin, skip) = cursor.split_once('+').ok_or_else(invalid_cursor)?;
    let is_id = matches!(begin.len(), 40 | 64) && begin.bytes().all(|byte| byte.is_ascii_hexdigit());
    match (is_id, skip.parse()) {
        (true, Ok(skip)) => Ok((begin.to_owned(), skip)),
        _ => Err(invalid_cursor()),
    }
}

impl fmt::Display for ListedCommits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.commits.is_empty() {
            writeln!(formatter, "No commits in {}.", on(&self.scope))?;
        }
        for commit in &self.commits {
            let day = commit.author_date.get(..10).unwrap_or(&commit.author_date);
            writeln!(
                formatter,
                "{} {day} {}  {}",
                commit.short_sha,
                shown(&commit.author_name),
                shown(&commit.subject)
            )?;
        }
        self.cut.iter().try_for_each(|cut| writeln!(formatter, "note: {cut}"))
    }
}
