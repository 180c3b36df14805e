//! `repo_status`: branch, upstream, paths that differ and operations under way.

use std::fmt;

use becket_diff::FilePath;
use becket_git::{FileState, Head, Operation, StatusEntry, StatusOptions};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    bound::{Extent, json_size},
    place::{Scope, on},
    view::{conflict_name, shown},
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct RepoStatusRequest {
    pub worktree: Option<String>,
    pub extent: Extent,
}

/// Each list is sorted by path and bounded; the counts tell how many there are.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RepoStatus {
    /// Always true: outside Git the call fails with `not_a_repository`.
    pub is_git_repo: bool,
    pub root_path: String,
    pub head: HeadView,
    pub staged: Vec<StatusRow>,
    pub unstaged: Vec<StatusRow>,
    pub untracked: Vec<String>,
    /// Commits that the upstream does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead_by: Option<u32>,
    /// Commits that only the upstream has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind_by: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    pub merge_in_progress: bool,
    pub rebase_in_progress: bool,
    /// Paths that a merge left for somebody to resolve.
    pub conflicts: Vec<StatusRow>,
    /// What was begun and is neither finished nor given up: `merge`, `rebase`, `apply_mailbox`, `cherry_pick`, `revert`, `bisect`.
    pub operations: Vec<String>,
    pub staged_count: usize,
    pub unstaged_count: usize,
    pub untracked_count: usize,
    pub conflicts_count: usize,
    /// Whether a list is shorter than its count.
    pub truncated: bool,
    /// An operation of becket that was interrupted, and what ends it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    pub scope: Scope,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HeadView {
    /// branch or detached.
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Absent before the first commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatusRow {
    pub path: String,
    /// added, modified, deleted, renamed, copied or typechange; of a conflict: `both_modified` and so on.
    pub status: String,
    /// Of a rename or copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
}

impl Engine {
    pub fn repo_status(&self, request: &RepoStatusRequest) -> Result<RepoStatus, Error> {
        let place = self.commit_place(request.worktree.as_deref(), None)?;
        let notices = place.notices();
        crate::progress::tell("asking Git for the state of the tree", 0, None);
        let status = becket_git::repo_status(place.git, &StatusOptions::default())?;
        let text = |path: &FilePath| path.to_text().into_owned();
        let rows = |entries: &[StatusEntry]| -> Vec<StatusRow> {
            let row = |entry: &StatusEntry| StatusRow {
                path: text(&entry.path),
                status: state_name(entry.state).to_owned(),
                old_path: entry.old_path.as_ref().map(text),
            };
            entries.iter().map(row).collect()
        };
        let counts = status.upstream.as_ref().and_then(|upstream| upstream.ahead_behind);
        let conflicts = status.conflicts.iter().map(|(path, kind)| StatusRow {
            path: text(path),
            status: conflict_name(*kind).to_owned(),
            old_path: None,
        });
        let mut answer = RepoStatus {
            is_git_repo: true,
            root_path: status.location.dir().display().to_string(),
            head: HeadView {
                kind: if matches!(status.head, Head::Detached { .. }) { "detached" } else { "branch" }
                    .to_owned(),
                name: status.head.branch().map(str::to_owned),
                sha: status.head.commit().map(str::to_owned),
            },
            staged: rows(&status.staged),
            unstaged: rows(&status.unstaged),
            untracked: status.untracked.iter().map(text).collect(),
            ahead_by: counts.map(|(ahead, _)| ahead),
            behind_by: counts.map(|(_, behind)| behind),
            upstream: status.upstream.map(|upstream| upstream.name),
            merge_in_progress: status.operations.contains(&Operation::Merge),
            rebase_in_progress: status.operations.contains(&Operation::Rebase),
            conflicts: conflicts.collect(),
            operations: status.operations.iter().map(|one| operation_name(*one).to_owned()).collect(),
            staged_count: status.staged_count,
            unstaged_count: status.unstaged_count,
            untracked_count: status.untracked_count,
            conflicts_count: status.conflicts_count,
            truncated: false,
            notices,
            scope: place.scope,
        };
        answer.fit(self.room(request.extent));
        Ok(answer)
    }
}

impl RepoStatus {
    /// Shortens the longest lists first.
    fn fit(&mut self, room: usize) {
        let longest = |status: &Self| {
            let lists = [status.staged.len(), status.unstaged.len(), status.conflicts.len()];
            lists.into_iter().fold(status.untracked.len(), usize::max)
        };
        let mut most = longest(self);
        while most > 1 && json_size(self) > room {
            most /= 2;
            self.staged.truncate(most);
            self.unstaged.truncate(most);
            self.untracked.truncate(most);
            self.conflicts.truncate(most);
        }
        self.truncated = self.staged.len() < self.staged_count
            || self.unstaged.len() < self.unstaged_count
            || self.untracked.len() < self.untracked_count
            || self.conflicts.len() < self.conflicts_count;
    }
}

fn state_name(state: FileState) -> &'static str {
    match state {
        FileState::Added => "added",
        FileState::Modified => "modified",
        FileState::Deleted => "deleted",
        FileState::Renamed => "renamed",
        FileState::Copied => "copied",
        FileState::TypeChanged => "typechange",
    }
}

fn operation_name(operation: Operation) -> &'static str {
    match operation {
        Operation::Merge => "merge",
        Operation::Rebase => "rebase",
        Operation::ApplyMailbox => "apply_mailbox",
        Operation::CherryPick => "cherry_pick",
        Operation::Revert => "revert",
        Operation::Bisect => "bisect",
    }
}

impl fmt::Display for RepoStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", on(&self.scope))?;
        if let Some(upstream) = &self.upstream {
            match (self.ahead_by, self.behind_by) {
                (Some(ahead), Some(behind)) => {
                    writeln!(formatter, "{ahead} ahead of and {behind} behind {upstream}")?;
                }
                _ => writeln!(formatter, "the upstream {upstream} is gone")?,
            }
        }
        if !self.operations.is_empty() {
            writeln!(formatter, "under way: {}", self.operations.join(", ").replace('_', " "))?;
        }
        writeln!(
            formatter,
            "{} staged, {} unstaged, {} untracked, {} in conflict",
            self.staged_count, self.unstaged_count, self.untracked_count, self.conflicts_count
        )?;
        let lists = [("staged", &self.staged), ("unstaged", &self.unstaged), ("conflict", &self.conflicts)];
        for (name, rows) in lists {
            for row in rows {
                writeln!(formatter, "{name:<9} {:<12} {}", row.status.replace('_', " "), shown(&row.path))?;
            }
        }
        for path in &self.untracked {
            writeln!(formatter, "{:<22} {}", "untracked", shown(path))?;
        }
        for notice in &self.notices {
            writeln!(formatter, "note: {notice}")?;
        }
        if self.truncated {
            writeln!(formatter, "note: the lists are cut; list_changes has every path.")
        } else {
            Ok(())
        }
    }
}
