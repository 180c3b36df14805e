//! Entries that an edit of files makes stale: what they cite or are referred to from was as it should be before, and is not
//! afterwards. Both sides are given, so that it can be asked of a commit that is only planned.

use std::{collections::BTreeSet, sync::Arc};

use becket_base::RepoPath;
use becket_memory::{
    ContentHash,
    anchor::{Anchor, State},
    references::references_in,
    search::Document,
};

use super::desk::Desk;
use crate::{Engine, Error};

/// One file before and after.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileEdit {
    /// Path and content; nothing for a file that is new.
    pub(crate) old: Option<(String, Vec<u8>)>,
    /// Nothing for a file that goes.
    pub(crate) new: Option<(String, Vec<u8>)>,
}

/// An entry that may no longer be true.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StaleNote {
    pub(crate) reference: String,
    pub(crate) title: String,
    /// What was changed of that which it speaks of: `src/a.ts#save`.
    pub(crate) places: Vec<String>,
}

impl Engine {
    /// By number. Entries that others replaced are not asked.
    pub(crate) fn notes_made_stale(
        &self,
        worktree: Option<&str>,
        edits: &[FileEdit],
    ) -> Result<Vec<StaleNote>, Error> {
        self.at_desk(worktree, |desk| {
            desk.read_entries()?;
            let documents: Vec<Arc<Document>> = desk.documents().to_vec();
            let standing = documents.iter().filter(|document| !desk.replaced.contains_key(&document.number));
            let standing: Vec<&Arc<Document>> = standing.collect();
            let mut stale = Vec::new();
            for document in standing {
                let places: BTreeSet<String> = desk
                    .anchors_hit(document, edits)
                    .into_iter()
                    .chain(referrers_hit(document, edits))
                    .collect();
                if !places.is_empty() {
                    stale.push(StaleNote {
                        reference: document.reference.clone(),
                        title: document.title.clone(),
                        places: places.into_iter().collect(),
                    });
                }
            }
            Ok(stale)
        })
    }
}

impl Desk<'_> {
    fn anchors_hit(&mut self, document: &Document, edits: &[FileEdit]) -> Vec<String> {
        let cites = |edit: &FileEdit| {
            let path = edit.old.as_ref().map(|(path, _)| path.as_str()).unwrap_or_default();
            !path.is_empty() && document.front.anchors.iter().any(|anchor| anchor.contains(path))
        };
        // Most entries cite nothing of it, and what they are compared with costs a look into history.
        if !edits.iter().any(cites) {
            return Vec::new();
        }
        let mut hit = Vec::new();
        for (baseline, _) in self.baselines(document) {
            let Ok(anchor) = Anchor::parse(&baseline.anchor, |_| baseline.lines.is_none()) else { continue };
            let here = |path: &str| RepoPath::parse(path).is_ok_and(|path| path == anchor.path);
            let edit = edits.iter().find(|edit| edit.old.as_ref().is_some_and(|(path, _)| here(path)));
            let Some((edit, (_, before))) = edit.and_then(|edit| Some((edit, edit.old.as_ref()?))) else {
                continue;
            };
            let holds = |content: &[u8]| {
                matches!(anchor.compare(&baseline, Some(content)).state, State::Fresh | State::Moved)
            };
            let kept = edit.new.as_ref().is_some_and(|(_, content)| holds(content));
            // It may have gone to another file of the same edit.
            let moved =
                || edits.iter().filter_map(|edit| edit.new.as_ref()).any(|(_, content)| holds(content));
            if holds(before) && !kept && !moved() {
                hit.push(baseline.anchor.clone());
            }
        }
        hit
    }
}

/// Comments that refer to the entry and now stand at other code than before.
fn referrers_hit(document: &Document, edits: &[FileEdit]) -> Vec<String> {
    let mut hit = Vec::new();
    for edit in edits {
        let (Some((old_path, old)), Some((path, new))) = (&edit.old, &edit.new) else { continue };
        let regions = |path: &str, content: &[u8]| -> Vec<(usize, ContentHash)> {
            let Ok(text) = std::str::from_utf8(content) else { return Vec::new() };
            let all = references_in(path, text).into_iter();
            all.filter(|one| one.number == document.number).map(|one| (one.line, one.region)).collect()
        };
        let before: Vec<ContentHash> = regions(old_path, old).into_iter().map(|(_, region)| region).collect();
        if before.is_empty() {
            continue;
        }
        let changed = regions(path, new).into_iter().filter(|(_, region)| !before.contains(region));
        hit.extend(changed.map(|(line, _)| format!("{path}:{line}")));
    }
    hit
}
