//! `group_changes`: which edits belong together. The groups are kept, so that their ids go on meaning the same hunks.

use std::{collections::BTreeSet, fmt};

use becket_commits::{Group, Grouping, Reason, group};
use becket_git::write::Trees;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    bound::Extent,
    cut::Cut,
    desk::Desk,
    ledger::{KeptGrouping, Ledger},
    place::{Scope, on},
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct GroupChangesRequest {
    /// Ids of `list_changes`; all changes when none are named.
    pub change_ids: Option<Vec<String>>,
    pub worktree: Option<String>,
    pub extent: Extent,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GroupedChanges {
    /// One intent each; every hunk of the named changes is in exactly one.
    pub groups: Vec<GroupView>,
    /// Changes, or hunks of them, that cannot be committed, and why.
    pub left_out: Vec<LeftOut>,
    pub notices: Vec<String>,
    pub scope: Scope,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GroupView {
    /// Means these hunks for as long as it is known.
    pub id: String,
    /// A change whose hunks fall into several groups stands in each.
    pub change_ids: Vec<String>,
    pub summary: String,
    /// `change-2-hunk-1` is a hunk of `list_changes`, `change-2-hunk-1.2` a part of one.
    pub hunk_ids: Vec<String>,
    /// How many hunks there are, those that were left out of `hunk_ids` included.
    pub hunk_count: usize,
    /// Why they belong together, the strongest first.
    pub reasons: Vec<ReasonView>,
    /// From 0 to 1.
    pub confidence: f64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReasonView {
    pub signal: String,
    pub text: String,
    pub weight: f64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LeftOut {
    pub change_id: String,
    /// Where it is only a part of the change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunk_ids: Vec<String>,
    pub reason: String,
}

impl Engine {
    pub fn group_changes(&self, request: &GroupChangesRequest) -> Result<GroupedChanges, Error> {
        self.looking(request.worktree.as_deref(), |desk| self.grouped(desk, request))
    }

    fn grouped(&self, desk: &Desk, request: &GroupChangesRequest) -> Result<GroupedChanges, Error> {
        let taken = desk.look(self.listings.untracked(desk.git.dir()))?;
        let cut = Cut::of(taken.snapshot);
        let wanted = self.wanted(desk, &cut, request.change_ids.as_deref())?;
        let mut notices = desk.notices.clone();
        if taken.untracked_omitted > 0 {
            let files = counted(taken.untracked_omitted, "more untracked file");
            notices.push(format!("left out: {files}"));
        }
        if !taken.filters_not_run.is_empty() {
            notices.push(format!(
                "filters of the repository's own configuration are run only by a commit: {}",
                taken.filters_not_run.join(", ")
            ));
        }
        let taken_back = cut.taken_back();
        let left_out = left_out(&cut, &wanted, &taken_back);
        let key = key(&cut.snapshot.trees, &wanted, self.embedder().is_ok_and(|embedder| embedder.is_some()));
        let known = Ledger::read(&desk.write)?.groupings.into_iter().find(|kept| kept.key == key);
        let kept = if let Some(kept) = known {
            kept
        } else {
            let (grouping, warnings) = self.grouping(desk, &cut, &wanted, &taken_back);
            notices.extend(warnings);
            let trees = cut.snapshot.trees.clone();
            Ledger::change(&desk.write, |ledger| {
                Ok(ledger.keep_grouping(KeptGrouping { key, trees, grouping }))
            })?
        };
        let room = self.room(request.extent);
        let groups: Vec<GroupView> = kept.grouping.groups.iter().map(|group| view(&cut, group)).collect();
        let (groups, cut_notice) = bounded(groups, room);
        notices.extend(cut_notice);
        Ok(GroupedChanges { groups, left_out, notices, scope: desk.scope.clone() })
    }

    /// The ids that are meant, all of which must be known and mean what they meant when they were handed out.
    fn wanted(&self, desk: &Desk, cut: &Cut, ids: Option<&[String]>) -> Result<BTreeSet<String>, Error> {
        let changes = &cut.snapshot.changes;
        let Some(ids) = ids else { return Ok(changes.iter().map(|change| change.id.clone()).collect()) };
        let known = |id: &String| changes.iter().any(|change| change.id == *id);
        let unknown: Vec<&str> = ids.iter().filter(|id| !known(id)).map(String::as_str).collect();
        if !unknown.is_empty() {
            return Err(Error::not_found(
                "unknown_change",
                format!("Unknown change IDs: {}", unknown.join(", ")),
            )
            .with_hint("list_changes names those that there are."));
        }
        self.listings.check(desk.git.dir(), changes, ids)?;
        Ok(ids.iter().cloned().collect())
    }

    fn grouping(
        &self,
        desk: &Desk,
        cut: &Cut,
        wanted: &BTreeSet<String>,
        taken_back: &BTreeSet<usize>,
    ) -> (Grouping, Vec<String>) {
        let known = self.known(desk, cut);
        let numbers: Vec<usize> = (0..cut.units.len())
            .filter(|unit| wanted.contains(cut.change_id(*unit)) && !taken_back.contains(unit))
            .collect();
        let selection = known.select(cut, &numbers);
        let grouping = group(&cut.changes(), &selection.units, &known.evidence(&selection));
        (grouping, known.warnings)
    }
}

fn left_out(cut: &Cut, wanted: &BTreeSet<String>, taken_back: &BTreeSet<usize>) -> Vec<LeftOut> {
    let named = cut.snapshot.changes.iter().filter(|change| wanted.contains(&change.id));
    named
        .filter_map(|change| {
            let left = |reason: &str, hunk_ids| {
                Some(LeftOut { change_id: change.id.clone(), hunk_ids, reason: reason.to_owned() })
            };
            if change.nested_repository {
                return left("it is a repository of its own", Vec::new());
            }
            if change.staged.is_empty() && change.unstaged.is_empty() {
                return left("it could not be read", Vec::new());
            }
            let own: Vec<usize> =
                (0..cut.units.len()).filter(|unit| cut.change_id(*unit) == change.id).collect();
            let left_units: Vec<_> = own
                .iter()
                .filter(|unit| taken_back.contains(unit))
                .map(|unit| cut.units[*unit].id.clone())
                .collect();
            if left_units.is_empty() {
                return None;
            }
            if left_units.len() < own.len() {
                return left(
                    "what is staged here and what is in the worktree take each other back; it stays as it is",
                    cut.names(&left_units),
                );
            }
            left(
                "what is staged and what is in the worktree take each other back, so that a commit of both changes \
                 nothing; it stays as it is (leave untracked files out to plan what is staged alone)",
                Vec::new(),
            )
        })
        .collect()
}

fn key(trees: &Trees, wanted: &BTreeSet<String>, embeddings: bool) -> String {
    let mut hasher = blake3::Hasher::new();
    let named: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let fields = [
        trees.commit.as_deref().unwrap_or_default(),
        &trees.head,
        &trees.index,
        &trees.worktree,
        &named.join(" "),
        env!("CARGO_PKG_VERSION"),
    ];
    for field in fields {
        hasher.update(&(field.len() as u64).to_le_bytes()).update(field.as_bytes());
    }
    hasher.update(&[u8::from(embeddings)]);
    hasher.finalize().to_hex().to_string()
}

pub(super) fn view(cut: &Cut, group: &Group) -> GroupView {
    let hunk_ids = cut.names(&group.hunks);
    GroupView {
        id: group.id.clone(),
        change_ids: group.change_ids.clone(),
        summary: group.summary.clone(),
        hunk_count: hunk_ids.len(),
        hunk_ids,
        reasons: group.reasons.iter().map(reason).collect(),
        confidence: group.confidence,
    }
}

pub(super) fn reason(reason: &Reason) -> ReasonView {
    ReasonView { signal: reason.signal.clone(), text: reason.text.clone(), weight: reason.weight }
}

/// The first names, and how many more there are.
pub(super) fn some(names: &[String], between: &str) -> String {
    const MOST: usize = 8;
    // A path may hold anything, and a terminal obeys some of it.
    let printable = |name: &String| -> String {
        let escaped = |letter: char| -> Vec<char> {
            if letter.is_control() { letter.escape_default().collect() } else { vec![letter] }
        };
        name.chars().flat_map(escaped).collect()
    };
    let shown = names.iter().take(MOST).map(printable).collect::<Vec<_>>().join(between);
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

pub(super) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Leaves out hunk ids, which `list_changes` and the plan have too, until the answer has room.
fn bounded(mut groups: Vec<GroupView>, room: usize) -> (Vec<GroupView>, Option<String>) {
    let mut notice = None;
    for most in [200, 40, 8, 1] {
        if super::bound::json_size(&groups) <= room {
            break;
        }
        for group in &mut groups {
            group.hunk_ids.truncate(most);
            group.reasons.truncate(most.min(8));
        }
        notice = Some(format!(
            "at most {most} hunk_ids of a group are shown; group fewer changes at a time to see them all"
        ));
    }
    (groups, notice)
}

impl fmt::Display for GroupedChanges {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, noun) = (self.groups.len(), if self.groups.len() == 1 { "group" } else { "groups" });
        writeln!(formatter, "{count} {noun} in {}", on(&self.scope))?;
        for group in &self.groups {
            write!(formatter, "{group}")?;
        }
        for left in &self.left_out {
            let names = match left.hunk_ids.as_slice() {
                [] => left.change_id.clone(),
                hunks => some(hunks, ", "),
            };
            writeln!(formatter, "note: left out: {names}: {}", left.reason)?;
        }
        for notice in &self.notices {
            writeln!(formatter, "note: {notice}")?;
        }
        Ok(())
    }
}

impl fmt::Display for GroupView {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.confidence * 100.0;
        let hunks = counted(self.hunk_count, "hunk");
        writeln!(formatter, "{:<9} {}  ({hunks}, {percent:.0} % sure)", self.id, self.summary)?;
        writeln!(formatter, "          {}", some(&self.change_ids, " "))?;
        for reason in self.reasons.iter().take(3) {
            writeln!(formatter, "          because {}", reason.text)?;
        }
        Ok(())
    }
}
