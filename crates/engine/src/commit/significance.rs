//! What a pull request means to others: its commits, made or planned, taken as the changes of the tree that they are
//! together.

use std::collections::{BTreeMap, BTreeSet};

use becket_git::{
    GitError, ShowOptions, show_commit,
    write::{Blob, BlobSides, changed_paths, read_blobs_up_to},
};

use super::{
    desk::Desk,
    effects::{ContractChangeView, ContractEffects, StaleNoteView},
    ledger::KeptPlan,
    refusal::refused,
    rendering::{Rendering, numbers},
};
use crate::{Engine, Error, remember::FileEdit, understand::Given};

/// A commit that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) id: String,
    /// The first one; nothing for the first commit of all.
    pub(super) parent: Option<String>,
}

/// What the other planes have to say.
#[derive(Debug, Default)]
pub(super) struct Significance {
    /// Breaking changes first.
    pub(super) contracts: Vec<ContractChangeView>,
    pub(super) stale_notes: Vec<StaleNoteView>,
    /// Why something is missing.
    pub(super) notices: Vec<String>,
}

/// Commits that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    before: Option<String>,
    after: String,
}

/// Stretches that are looked at; commits from here and there have many.
const MOST_STRETCHES: usize = 8;
/// Changed files that notes are looked for of.
const MOST_FILES: usize = 600;
const LONGEST: usize = 2 << 20;

impl Made {
    pub(super) fn of(desk: &Desk, id: &str) -> Result<Self, Error> {
        let shown = show_commit(desk.git.clone(), id, &ShowOptions::default());
        let commit = shown.map_err(|error: GitError| Error::from(error))?.commit;
        Ok(Self { id: commit.id, parent: commit.parents.first().cloned() })
    }
}

impl Engine {
    /// Never fails: what is not known is left out, and told.
    pub(super) fn significance(
        &self,
        desk: &Desk,
        made: &[Made],
        planned: &[(KeptPlan, Vec<String>)],
    ) -> Significance {
        let mut significance = Significance::default();
        let mut stretches = stretches(made);
        if stretches.len() > MOST_STRETCHES {
            significance.notices.push(format!(
                "only the first {MOST_STRETCHES} of {} separate runs of commits were compared",
                stretches.len()
            ));
            stretches.truncate(MOST_STRETCHES);
        }
        for (kept, commits) in planned {
            let found = self.of_planned(desk, kept, commits, &mut stretches);
            significance.take(found);
        }
        for stretch in &stretches {
            significance.take(self.of_made(desk, stretch));
        }
        significance.contracts.sort_by_key(|change| !change.breaking);
        significance
    }

    /// Planned commits, with the made ones that they directly follow.
    fn of_planned(
        &self,
        desk: &Desk,
        kept: &KeptPlan,
        commits: &[String],
        stretches: &mut Vec<Stretch>,
    ) -> Result<Found, Error> {
        let progress = kept.progress(&desk.write)?;
        let cut = desk.recall(&kept.trees)?;
        let done: BTreeSet<usize> =
            progress.applied.iter().flat_map(|(_, _, hunks)| numbers(&cut, hunks)).collect();
        let named = kept.plan.commits.iter().filter(|commit| commits.contains(&commit.id));
        let units: BTreeSet<usize> = named.flat_map(|commit| numbers(&cut, &commit.hunks)).collect();
        let rendering = Rendering::of(desk, &cut, &units)?;
        let before = rendering.with(&|unit| done.contains(&unit))?;
        let after = rendering.with(&|unit| done.contains(&unit) || units.contains(&unit))?;
        let edits = rendering.edits(&before, &after)?;
        let base = progress.head.as_deref().unwrap_or(&kept.trees.head);
        let follows = stretches.iter().position(|stretch| stretch.after == base);
        let Some(follows) = follows else {
            let (contracts, notices) = self.planned_contracts(desk, base, &edits)?;
            return Ok(Found { contracts, stale_notes: self.stale_notes(desk, &edits), notices });
        };
        let stretch = stretches.remove(follows);
        let mut after = given(desk, Some(base))?;
        after.edit(&edits);
        let (contracts, notices) = self.contract_effects(&given(desk, stretch.before.as_deref())?, &after)?;
        let mut stale_notes = self.stale_notes(desk, &edits_of(desk, &stretch)?);
        stale_notes.extend(self.stale_notes(desk, &edits));
        Ok(Found { contracts, stale_notes, notices })
    }

    fn of_made(&self, desk: &Desk, stretch: &Stretch) -> Result<Found, Error> {
        let edits = edits_of(desk, stretch)?;
        let stale_notes = self.stale_notes(desk, &edits);
        if !super::effects::touch_sources(&edits) {
            return Ok(Found { stale_notes, ..Found::default() });
        }
        let (before, after) = (given(desk, stretch.before.as_deref())?, given(desk, Some(&stretch.after))?);
        let (contracts, notices) = self.contract_effects(&before, &after)?;
        Ok(Found { contracts, stale_notes, notices })
    }
}

#[derive(Debug, Default)]
struct Found {
    contracts: ContractEffects,
    stale_notes: Vec<StaleNoteView>,
    notices: Vec<String>,
}

impl Significance {
    fn take(&mut self, found: Result<Found, Error>) {
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, "a pull request is drafted without what it means to others");
                self.notices.push(format!("what some commits mean to others is not known: {error}"));
                return;
            }
        };
        for change in found.contracts.changes {
            let same = |known: &ContractChangeView| known.file == change.file && known.name == change.name;
            match self.contracts.iter_mut().find(|known| same(known)) {
                // Of two stretches that change the same, the worse is told.
                Some(known) if change.breaking && !known.breaking => *known = change,
                Some(_) => {}
                None => self.contracts.push(change),
            }
        }
        for note in found.stale_notes {
            if !self.stale_notes.iter().any(|known| known.reference == note.reference) {
                self.stale_notes.push(note);
            }
        }
        self.notices.extend(found.notices);
    }
}

/// Commits that follow each other are one stretch, in the order in which they begin.
fn stretches(made: &[Made]) -> Vec<Stretch> {
    let find = |id: &str| made.iter().find(|one| one.id == id);
    let is_tip = |one: &&Made| !made.iter().any(|other| other.parent.as_deref() == Some(&one.id));
    let mut stretches: Vec<Stretch> = Vec::new();
    for tip in made.iter().filter(is_tip) {
        let mut first = tip;
        while let Some(before) = first.parent.as_deref().and_then(find) {
            first = before;
        }
        let stretch = Stretch { before: first.parent.clone(), after: tip.id.clone() };
        if !stretches.contains(&stretch) {
            stretches.push(stretch);
        }
    }
    stretches
}

/// A commit, or the tree before the first.
fn given(desk: &Desk, commit: Option<&str>) -> Result<Given, Error> {
    match commit {
        Some(commit) => Given::of(&desk.git, Some(&desk.write.objects()), commit),
        None => Ok(Given::empty(&desk.git)),
    }
}

/// The files that a stretch changes, as far as they are text of a length that somebody wrote.
fn edits_of(desk: &Desk, stretch: &Stretch) -> Result<Vec<FileEdit>, Error> {
    let empty = becket_git::write::empty_tree(&stretch.after);
    let before = stretch.before.as_deref().unwrap_or(empty);
    let changed = changed_paths(desk.git.clone(), None, before, &stretch.after).map_err(refused)?;
    let changed: Vec<(&str, &BlobSides)> = changed
        .iter()
        .filter_map(|(path, sides)| Some((std::str::from_utf8(path.as_bytes()).ok()?, sides)))
        .take(MOST_FILES)
        .collect();
    let regular = |blob: &Option<Blob>| {
        blob.as_ref().filter(|blob| blob.mode.0 & 0o170_000 == 0o100_000).map(|blob| blob.id.clone())
    };
    let ids: BTreeSet<String> =
        changed.iter().flat_map(|(_, sides)| [regular(&sides.old), regular(&sides.new)]).flatten().collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let read = read_blobs_up_to(desk.git.clone(), None, &ids, LONGEST).map_err(refused)?;
    let texts: BTreeMap<&str, Option<Vec<u8>>> = ids.into_iter().zip(read).collect();
    // Nothing at all for what is there and cannot be read as text.
    let side = |path: &str, blob: &Option<Blob>| match blob {
        None => Some(None),
        Some(_) => Some(Some((path.to_owned(), texts.get(regular(blob)?.as_str())?.clone()?))),
    };
    let edit = |(path, sides): &(&str, &BlobSides)| {
        Some(FileEdit { old: side(path, &sides.old)?, new: side(path, &sides.new)? })
    };
    Ok(changed.iter().filter_map(edit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(id: &str, parent: &str) -> Made {
        Made { id: id.to_owned(), parent: (!parent.is_empty()).then(|| parent.to_owned()) }
    }

    #[test]
    fn commits_that_follow_each_other_are_one_stretch() {
        let stretch = |before: &str, after: &str| Stretch {
            before: (!before.is_empty()).then(|| before.to_owned()),
            after: after.to_owned(),
        };
        assert_eq!(stretches(&[made("b", "a"), made("c", "b")]), [stretch("a", "c")]);
        assert_eq!(stretches(&[made("c", "b"), made("b", "a"), made("a", "")]), [stretch("", "c")]);
        assert_eq!(
            stretches(&[made("b", "a"), made("d", "c"), made("b", "a")]),
            [stretch("a", "b"), stretch("c", "d")]
        );
        assert_eq!(stretches(&[]), []);
    }
}
