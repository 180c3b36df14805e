//! `list_changes`: everything that is not committed.

use std::fmt;

use becket_diff::{FilePath, Limits};
use becket_git::{ANSWER_LIMITS, Change, ChangesOptions, Untracked};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    bound::{Extent, Page, Window},
    place::{Scope, on},
    view::{Area, ChangeView},
};
use crate::{Engine, Error, progress};

#[derive(Debug, Clone, Default)]
pub struct ListChangesRequest {
    /// Only this file or folder; ids stay those of the whole list.
    pub path: Option<String>,
    /// Leave out files that Git does not know.
    pub tracked_only: bool,
    pub limit: Option<usize>,
    pub cursor: Option<String>,
    pub worktree: Option<String>,
    pub extent: Extent,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListedChanges {
    /// Sorted by path.
    pub changes: Vec<ChangeView>,
    /// How many there are on all pages.
    pub total: usize,
    /// What this list leaves out or does otherwise than Git.
    pub notices: Vec<String>,
    /// What was left out of this answer, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// Where the rest begins; absent at the end.
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub scope: Scope,
}

impl Engine {
    pub fn list_changes(&self, request: &ListChangesRequest) -> Result<ListedChanges, Error> {
        let room = self.room(request.extent);
        let window = Window::new(request.limit, request.cursor.as_deref(), request.extent, room)?;
        let place = self.commit_place(request.worktree.as_deref(), request.path.as_deref())?;
        let options = ChangesOptions {
            untracked: if request.tracked_only { Untracked::Exclude } else { Untracked::Include },
            limits: Limits { file: ANSWER_LIMITS.file.min(room), ..ANSWER_LIMITS },
            ..ChangesOptions::default()
        };
        progress::tell("asking Git for the changes", 0, None);
        let mut list = becket_git::list_changes(&place.git, &options)?;
        self.listings.record(place.git.dir(), options.untracked, &list.changes);
        progress::tell("laying them out", 0, Some(list.changes.len()));
        if let Some(wanted) = &place.path {
            list.changes.retain(|change| is_at_or_below(&change.path, wanted));
        }
        let Page { changes, next_cursor, cut } = window.fill(
            &list.changes,
            |change: &Change| change.path.as_bytes(),
            |change| ChangeView::of(change, Area::Staged),
        );
        let mut notices = place.notices();
        notices.extend(list.notices.iter().map(ToString::to_string));
        notices.extend(shortened(&changes));
        Ok(ListedChanges {
            total: list.changes.len(),
            changes,
            notices,
            cut,
            next_cursor,
            scope: place.scope,
        })
    }
}

/// How to see the rest of changes that were too long.
pub(super) fn shortened(changes: &[ChangeView]) -> Option<String> {
    let first = changes.iter().find(|change| change.omitted.is_some())?;
    Some(format!(
        "`omitted` counts what is left out of {} and other long changes; ask for one alone to see more of it, read \
         the file itself, or raise mcp.max_output_bytes.",
        first.id
    ))
}

pub(super) fn is_at_or_below(path: &FilePath, folder: &FilePath) -> bool {
    let (path, folder) = (path.as_bytes(), folder.as_bytes());
    folder == b"." || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

impl fmt::Display for ListedChanges {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.total {
            0 => writeln!(formatter, "Nothing is uncommitted in {}.", on(&self.scope))?,
            1 => writeln!(formatter, "1 change in {}", on(&self.scope))?,
            total => writeln!(formatter, "{total} changes in {}", on(&self.scope))?,
        }
        for change in &self.changes {
            writeln!(formatter, "{change}")?;
        }
        for notice in self.notices.iter().chain(&self.cut) {
            writeln!(formatter, "note: {notice}")?;
        }
        Ok(())
    }
}
