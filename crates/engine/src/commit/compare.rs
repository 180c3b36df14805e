//! `show_commit` and `diff_between_refs`: what changed in a commit, or between two.

use std::fmt;

use becket_base::{clip, counted, verb};
use becket_diff::{FileChange, Limits};
use becket_git::{ANSWER_LIMITS, Change, CompareFrom, CompareOptions, ShowOptions};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    bound::{Extent, Page, Window, fitting},
    changes::shortened,
    history::LONGEST_SUBJECT,
    place::Scope,
    view::{Area, ChangeKind, ChangeView, shown},
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct ShowCommitRequest {
    /// An id, or any name of a commit.
    pub sha: String,
    pub limit: Option<usize>,
    pub cursor: Option<String>,
    pub worktree: Option<String>,
    pub extent: Extent,
}

#[derive(Debug, Clone, Default)]
pub struct CompareRequest {
    pub base: String,
    pub head: String,
    /// Only this file or folder.
    pub path: Option<String>,
    /// Lines of context: 3 if left out, held between 0 and 20 as the seed's original does.
    pub unified: Option<i64>,
    pub from: CompareFrom,
    pub limit: Option<usize>,
    pub cursor: Option<String>,
    pub worktree: Option<String>,
    pub extent: Extent,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShownCommit {
    pub commit: CommitView,
    pub notices: Vec<String>,
    /// What was left out of this answer, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// Where the rest of the changes begins; absent at the end.
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub scope: Scope,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CommitView {
    pub sha: String,
    pub short_sha: String,
    pub subject: String,
    /// The message without its subject.
    pub body: String,
    pub author_name: String,
    pub author_email: String,
    pub author_date: String,
    pub committer_name: String,
    pub committer_email: String,
    pub committer_date: String,
    pub parents: Vec<String>,
    /// Every path that it touches, against its first parent.
    pub files: Vec<FileStatus>,
    pub diff: CommitDiff,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileStatus {
    pub path: String,
    /// added, modified, deleted, renamed, copied or typechange.
    pub status: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CommitDiff {
    /// Sorted by path.
    pub changes: Vec<ChangeView>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ComparedRefs {
    /// As it was asked for.
    pub base: String,
    pub head: String,
    /// Sorted by path.
    pub changes: Vec<ChangeView>,
    /// How many there are on all pages.
    pub total: usize,
    /// The commit that was compared with: the base, or where the two parted.
    pub base_sha: String,
    pub head_sha: String,
    pub notices: Vec<String>,
    /// What was left out of this answer, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// Where the rest begins; absent at the end.
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub scope: Scope,
}

const LONGEST_BODY: usize = 8_000;
const DEFAULT_CONTEXT: i64 = 3;
const MOST_CONTEXT: i64 = 20;

impl Engine {
    pub fn show_commit(&self, request: &ShowCommitRequest) -> Result<ShownCommit, Error> {
        let room = self.room(request.extent);
        let place = self.commit_place(request.worktree.as_deref(), None)?;
        let mut notices = place.notices();
        let options = ShowOptions { limits: limits(room), ..ShowOptions::default() };
        crate::progress::tell("asking Git for the commit", 0, None);
        let shown = becket_git::show_commit(place.git, &request.sha, &options)?;
        let changes = by_path(shown.changes);
        let mut files: Vec<FileStatus> = changes.iter().map(FileStatus::of).collect();
        let listed = fitting(&files, room / 4);
        let unlisted = files.len() - listed;
        files.truncate(listed);
        let commit = shown.commit;
        let body = clip(&commit.body, LONGEST_BODY).to_string();
        let around = body.len() * 2 + room / 4;
        let window = Window::new(
            request.limit,
            request.cursor.as_deref(),
            request.extent,
            room.saturating_sub(if request.extent == Extent::Whole { 0 } else { around }),
        )?;
        let Page { changes, next_cursor, cut } = page(&window, &changes);
        notices.extend(shortened(&changes));
        if unlisted > 0 {
            notices.push(format!(
                "{} {} not in `files`; the pages of changes have them all.",
                counted(unlisted, "other path"),
                verb(unlisted, "is", "are"),
            ));
        }
        let commit = CommitView {
            sha: commit.id,
            short_sha: commit.short_id,
            subject: clip(&commit.subject, LONGEST_SUBJECT).to_string(),
            body,
            author_name: commit.author.name,
            author_email: commit.author.email,
            author_date: commit.author.date,
            committer_name: commit.committer.name,
            committer_email: commit.committer.email,
            committer_date: commit.committer.date,
            parents: commit.parents,
            files,
            diff: CommitDiff { changes },
        };
        Ok(ShownCommit { commit, notices, cut, next_cursor, scope: place.scope })
    }

    pub fn diff_between_refs(&self, request: &CompareRequest) -> Result<ComparedRefs, Error> {
        let room = self.room(request.extent);
        let window = Window::new(request.limit, request.cursor.as_deref(), request.extent, room)?;
        let place = self.commit_place(request.worktree.as_deref(), request.path.as_deref())?;
        let mut notices = place.notices();
        let context = request.unified.unwrap_or(DEFAULT_CONTEXT).clamp(0, MOST_CONTEXT);
        let options = CompareOptions {
            from: request.from,
            path: place.path,
            context: u32::try_from(context).unwrap_or(0),
            limits: limits(room),
        };
        crate::progress::tell("asking Git to compare", 0, None);
        let compared = becket_git::diff_between_refs(place.git, &request.base, &request.head, &options)?;
        let changes = by_path(compared.changes);
        let total = changes.len();
        let Page { changes, next_cursor, cut } = page(&window, &changes);
        notices.extend(shortened(&changes));
        Ok(ComparedRefs {
            base: request.base.clone(),
            head: request.head.clone(),
            notices,
            changes,
            total,
            base_sha: compared.base.to_string(),
            head_sha: compared.head.to_string(),
            cut,
            next_cursor,
            scope: place.scope,
        })
    }
}

fn limits(room: usize) -> Limits {
    Limits { file: ANSWER_LIMITS.file.min(room), ..ANSWER_LIMITS }
}

/// One change for each path, numbered in order; a change of type is two parts of one.
fn by_path(files: Vec<FileChange>) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for file in files {
        let Some(path) = file.path().cloned() else { continue };
        match changes.last_mut() {
            Some(last) if last.path == path => last.staged.push(file),
            _ => changes.push(Change {
                id: format!("change-{}", changes.len() + 1),
                path,
                staged: vec![file],
                unstaged: Vec::new(),
                conflict: None,
                untracked: false,
                nested_repository: false,
            }),
        }
    }
    changes
}

fn page(window: &Window, changes: &[Change]) -> Page {
    window.fill(changes, |change| change.path.as_bytes(), |change| ChangeView::of(change, Area::Committed))
}

impl FileStatus {
    fn of(change: &Change) -> Self {
        let status = match ChangeKind::from(change.kind()) {
            ChangeKind::TypeChanged => "typechange",
            ChangeKind::ModeChanged => "modified",
            kind => kind.as_str(),
        };
        Self { path: change.path.to_text().into_owned(), status: status.to_owned() }
    }
}

impl fmt::Display for ShownCommit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let commit = &self.commit;
        writeln!(formatter, "{}  {}", commit.sha, shown(&commit.subject))?;
        writeln!(
            formatter,
            "{} <{}> {}",
            shown(&commit.author_name),
            commit.author_email,
            commit.author_date
        )?;
        write_changes(formatter, &commit.diff.changes, &self.notices, self.cut.as_ref())
    }
}

impl fmt::Display for ComparedRefs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |sha: &str| sha.get(..10).unwrap_or(sha).to_owned();
        let changes = counted(self.total, "change");
        writeln!(
            formatter,
            "{changes} from {} ({}) to {} ({})",
            shown(&self.base),
            short(&self.base_sha),
            shown(&self.head),
            short(&self.head_sha)
        )?;
        write_changes(formatter, &self.changes, &self.notices, self.cut.as_ref())
    }
}

fn write_changes(
    formatter: &mut fmt::Formatter<'_>,
    changes: &[ChangeView],
    notices: &[String],
    cut: Option<&String>,
) -> fmt::Result {
    for change in changes {
        writeln!(formatter, "{change}")?;
    }
    for notice in notices.iter().chain(cut) {
        writeln!(formatter, "note: {notice}")?;
    }
    Ok(())
}
