//! Drift as it happens, for whoever is connected: what each burst of edits changed in what the code promises, and whom
//! it breaks. Owns the last events and what the next one is compared with; how they reach a client is the faces'.

use std::collections::VecDeque;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use becket_contracts::compare::{Comparison, FileChange, Verdict};
use becket_project::index::Index;
use becket_project::walk::Tests;
use becket_project::watch::SETTLE;
use schemars::JsonSchema;
use serde::Serialize;

use super::follow::Follower;
use super::site::Site;
use crate::{Engine, Error};

const KEPT_EVENTS: usize = 50;
const MOST_FILES: usize = 100;
const MOST_CHANGES: usize = 20;
const MOST_DECLARATIONS: usize = 10;
const MOST_USERS: usize = 20;

/// What one burst of edits changed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DriftEvent {
    /// Counted from 1 in this server; a gap means that something was missed.
    pub sequence: u64,
    pub at: String,
    pub project_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// In one line.
    pub summary: String,
    /// Files that were edited, came or went; the first of them where there are many.
    pub changed_files: Vec<String>,
    /// Files with a change that breaks who uses them.
    pub breaking: usize,
    pub compatible: usize,
    pub internal: usize,
    /// What differs file by file, the worst first.
    pub changes: Vec<FileChange>,
    /// Set when something was left out: how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// Whether somebody is told of drift, and of what last.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DriftRecent {
    pub project_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Whether edits are followed now; they are while somebody subscribes to this or is connected to the feed.
    pub watching: bool,
    /// Newest first.
    pub events: Vec<DriftEvent>,
}

/// Kept by the engine.
#[derive(Debug, Default)]
pub(super) struct FeedState {
    watching: bool,
    /// What the first event will be compared with.
    baseline: Option<Arc<Index>>,
    sequence: u64,
    events: VecDeque<DriftEvent>,
}

/// Edits as they happen, until it is dropped.
#[derive(Debug)]
pub struct DriftFeed<'e> {
    engine: &'e Engine,
    follower: Follower<'e>,
    baseline: Option<Arc<Index>>,
}

impl Engine {
    /// From now on no edit is missed by the feed that follows; for the first of its listeners.
    pub fn begin_drift(&self) -> Result<(), Error> {
        if self.feed().watching || self.feed().baseline.is_some() {
            return Ok(());
        }
        let index = self.live(&self.site(None)?, Tests::LeftOut)?;
        self.feed().baseline.get_or_insert(index);
        Ok(())
    }

    /// Follows the server's own worktree.
    pub fn drift_feed(&self) -> Result<DriftFeed<'_>, Error> {
        let follower = Follower::start(self, None, (Tests::LeftOut, false), SETTLE)?;
        let mut feed = self.feed();
        feed.watching = true;
        let baseline = feed.baseline.take();
        drop(feed);
        Ok(DriftFeed { engine: self, follower, baseline })
    }

    pub fn recent_drift(&self) -> Result<DriftRecent, Error> {
        let site = self.site(None)?;
        let feed = self.feed();
        Ok(DriftRecent {
            project_path: site.shown(),
            branch: site.branch,
            watching: feed.watching,
            events: feed.events.iter().cloned().collect(),
        })
    }

    fn feed(&self) -> MutexGuard<'_, FeedState> {
        self.understanding.feed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DriftFeed<'_> {
    /// Why there are only looks at intervals, where that is so.
    pub fn notice(&self) -> Option<&str> {
        self.follower.notice()
    }

    /// The next edits that change what the code is made of; `None` when there were none within `limit`.
    pub fn wait(&mut self, limit: Duration) -> Result<Option<DriftEvent>, Error> {
        // What came between the subscription and the first watched folder.
        if let Some(before) = self.baseline.take() {
            let comparison = self.follower.compared(&before);
            if !comparison.files.is_empty() {
                let files = comparison.files.iter().map(|file| file.entry_id.clone()).collect();
                return Ok(Some(self.event(files, comparison)));
            }
        }
        let Some(step) = self.follower.wait(limit, |_| Ok(()), || false)? else { return Ok(None) };
        let comparison = self.follower.compared(&step.before);
        // Formatting, comments and bodies are nobody's drift.
        Ok((!comparison.files.is_empty()).then(|| self.event(step.files, comparison)))
    }

    fn event(&self, files: Vec<String>, comparison: Comparison) -> DriftEvent {
        let mut feed = self.engine.feed();
        feed.sequence += 1;
        let at = self.engine.now().to_string();
        let event = event(feed.sequence, at, &self.follower.site, files, comparison);
        feed.events.push_front(event.clone());
        feed.events.truncate(KEPT_EVENTS);
        event
    }
}

impl Drop for DriftFeed<'_> {
    fn drop(&mut self) {
        let mut feed = self.engine.feed();
        feed.watching = false;
        feed.baseline = None;
    }
}

fn event(
    sequence: u64,
    at: String,
    site: &Site,
    mut files: Vec<String>,
    comparison: Comparison,
) -> DriftEvent {
    let count = |verdict| comparison.count(verdict);
    let (breaking, compatible, internal) =
        (count(Verdict::Breaking), count(Verdict::Compatible), count(Verdict::Internal));
    let mut changes = comparison.files;
    changes.sort_by(|left, right| (left.verdict, &left.entry_id).cmp(&(right.verdict, &right.entry_id)));
    let worst = changes.first().map(|change| change.entry_id.clone()).unwrap_or_default();
    let others = match changes.len() {
        0 | 1 => String::new(),
        all => format!(" and {} more", all - 1),
    };
    let summary =
        format!("{worst}{others}: {breaking} breaking, {compatible} compatible, {internal} internal");
    let mut cut = files.len() > MOST_FILES || changes.len() > MOST_CHANGES;
    files.truncate(MOST_FILES);
    changes.truncate(MOST_CHANGES);
    for change in &mut changes {
        cut |= change.declarations.len() > MOST_DECLARATIONS;
        change.declarations.truncate(MOST_DECLARATIONS);
        for declaration in &mut change.declarations {
            cut |= declaration.used_by.len() > MOST_USERS;
            declaration.used_by.truncate(MOST_USERS);
        }
    }
    DriftEvent {
        sequence,
        at,
        project_path: site.shown(),
        branch: site.branch.clone(),
        summary,
        changed_files: files,
        breaking,
        compatible,
        internal,
        changes,
        notice: cut.then(|| {
            "Not all of it is shown; logicstamp_compare_snapshot against a snapshot or git:<ref> has the rest."
                .to_owned()
        }),
    }
}
