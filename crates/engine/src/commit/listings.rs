//! What `list_changes` handed out last, so that an id which has come to mean another change is refused.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use becket_git::{Change, Untracked};

use crate::Error;

/// Kept by the engine between calls, by worktree.
#[derive(Debug, Default)]
pub(crate) struct Listings(Mutex<BTreeMap<PathBuf, Listing>>);

#[derive(Debug)]
struct Listing {
    untracked: Untracked,
    changes: BTreeMap<String, Listed>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Listed {
    path: String,
    /// Of the hunks; nothing when not all of them were read.
    content: Option<blake3::Hash>,
}

impl Listings {
    pub(super) fn record(&self, root: &Path, untracked: Untracked, changes: &[Change]) {
        let changes = changes.iter().map(|change| (change.id.clone(), Listed::of(change))).collect();
        let listing = Listing { untracked, changes };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(root.to_path_buf(), listing);
    }

    /// Whether the last list had files that Git does not know, since that decides what the ids count.
    pub(super) fn untracked(&self, root: &Path) -> Untracked {
        let listings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listings.get(root).map_or(Untracked::Include, |listing| listing.untracked)
    }

    /// Whether the named changes are those that were handed out under these ids. Nothing was handed out to one who asks
    /// for the first time, and then they are what they are now.
    pub(super) fn check(&self, root: &Path, changes: &[Change], ids: &[String]) -> Result<(), Error> {
        let listings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Listing { changes: listed, .. }) = listings.get(root) else { return Ok(()) };
        for change in changes.iter().filter(|change| ids.contains(&change.id)) {
            let Some(then) = listed.get(&change.id) else { continue };
            let now = Listed::of(change);
            let same_content = then.content.is_none() || now.content.is_none() || then.content == now.content;
            if then.path != now.path || !same_content {
                let message = if then.path == now.path {
                    format!("{} ({}) has changed since it was listed.", change.id, now.path)
                } else {
                    format!("{} was {} when it was listed and is {} now.", change.id, then.path, now.path)
                };
                return Err(Error::conflict("stale_changes", message).with_hint("Call list_changes again."));
            }
        }
        Ok(())
    }
}

impl Listed {
    fn of(change: &Change) -> Self {
        let mut hasher = blake3::Hasher::new();
        for hunk in change.hunks() {
            hasher.update(&hunk.header).update(b"\n").update(&hunk.body);
        }
        let content = (!change.is_cut()).then(|| hasher.finalize());
        Self { path: change.path.to_text().into_owned(), content }
    }
}
