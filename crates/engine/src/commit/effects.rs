//! What commits mean to others: promises that they change and who relies on them, files that depend on what they touch,
//! notes that they make stale. Asked of the other planes, for commits that are planned or made; brief and bounded.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use becket_commits::{Breaking, ContractFacts, DeclaredName};
use becket_contracts::{
    compare::{Change, DeclarationChange, Verdict},
    language::language_of,
};
use becket_diff::Span;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    contracts::contract_facts,
    cut::Cut,
    desk::Desk,
    ledger::{KeptPlan, Progress},
    rendering::{Rendering, numbers},
};
use crate::{
    Engine, Error,
    remember::{FileEdit, StaleNote},
    understand::{Given, GivenDrift},
};

/// What a commit means to the rest of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EffectsView {
    /// What its files promise otherwise than before, breaking changes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contract_changes: Vec<ContractChangeView>,
    /// How many there are, those that are not shown included.
    pub contract_change_count: usize,
    /// Files outside of it that depend on files that it changes, directly or through others; the nearest are named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependents: Vec<String>,
    pub dependent_count: usize,
    /// Notes that speak of what it changes, and may no longer be true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale_notes: Vec<StaleNoteView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ContractChangeView {
    pub file: String,
    pub name: String,
    /// added, removed, changed or moved.
    pub change: String,
    pub breaking: bool,
    /// Why it is judged so.
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Of a breaking change: files that use it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used_by: Vec<String>,
    pub used_by_count: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StaleNoteView {
    #[serde(rename = "ref")]
    pub reference: String,
    pub title: String,
    /// What was changed of that which it speaks of.
    pub places: Vec<String>,
}

/// Everything that some commits do to the contracts of a tree.
#[derive(Debug, Default)]
pub(super) struct ContractEffects {
    /// Breaking changes first.
    pub(super) changes: Vec<ContractChangeView>,
    drift: Option<GivenDrift>,
}

/// A comparison of contracts that was made, and what it was made of.
#[derive(Debug)]
pub(super) struct Compared {
    base: String,
    edits: Vec<FileEdit>,
    effects: ContractEffects,
    notices: Vec<String>,
}

const MOST_CHANGES: usize = 8;
const MOST_NAMED: usize = 5;
const LONGEST_SIGNATURE: usize = 160;
/// Of a larger tree the contracts are not compared while somebody waits for a plan.
const MOST_SOURCES: usize = 20_000;

impl Engine {
    /// For each commit of a plan that is still to be made, by id; and why something is missing. What was `compared` for its
    /// wording is not compared again.
    pub(super) fn effects(
        &self,
        desk: &Desk,
        cut: &Cut,
        kept: &KeptPlan,
        progress: &Progress,
        compared: Option<Compared>,
    ) -> (BTreeMap<String, EffectsView>, Vec<String>) {
        match self.plan_effects(desk, cut, kept, progress, compared) {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, "a plan is shown without what it means to others");
                (BTreeMap::new(), vec![format!("what the commits mean to others is not known: {error}")])
            }
        }
    }

    fn plan_effects(
        &self,
        desk: &Desk,
        cut: &Cut,
        kept: &KeptPlan,
        progress: &Progress,
        compared: Option<Compared>,
    ) -> Result<(BTreeMap<String, EffectsView>, Vec<String>), Error> {
        let pending: Vec<_> =
            kept.plan.commits.iter().filter(|commit| progress.sha(&commit.id).is_none()).collect();
        let mut done: BTreeSet<usize> =
            progress.applied.iter().flat_map(|(_, _, hunks)| numbers(cut, hunks)).collect();
        let all: BTreeSet<usize> = pending.iter().flat_map(|commit| numbers(cut, &commit.hunks)).collect();
        if all.is_empty() {
            return Ok((BTreeMap::new(), Vec::new()));
        }
        let rendering = Rendering::of(desk, cut, &all)?;
        let first = rendering.with(&|unit| done.contains(&unit))?;
        let mut before = first.clone();
        let mut edits: Vec<Vec<FileEdit>> = Vec::new();
        for commit in &pending {
            done.extend(numbers(cut, &commit.hunks));
            let after = rendering.with(&|unit| done.contains(&unit))?;
            edits.push(rendering.edits(&before, &after)?);
            before = after;
        }
        let whole = rendering.edits(&first, &before)?;
        let base = progress.head.as_deref().unwrap_or(&kept.trees.head);
        let same = compared.filter(|compared| compared.base == base && compared.edits == whole);
        let (contracts, notices) = match same {
            Some(compared) => (compared.effects, compared.notices),
            None => self.planned_contracts(desk, base, &whole)?,
        };
        let facts = if contracts.changes.is_empty() { &[] } else { contract_facts(desk, cut) };
        let units: Vec<BTreeSet<usize>> = pending.iter().map(|commit| numbers(cut, &commit.hunks)).collect();
        let homes: Vec<Option<usize>> =
            contracts.changes.iter().map(|change| home(cut, &units, &edits, facts, change)).collect();
        let mut effects = BTreeMap::new();
        for (number, commit) in pending.iter().enumerate() {
            let own = contracts.changes.iter().zip(&homes).filter(|(_, home)| **home == Some(number));
            let mut changes: Vec<ContractChangeView> = own.map(|(change, _)| change.clone()).collect();
            let contract_change_count = changes.len();
            changes.truncate(MOST_CHANGES);
            let paths: Vec<String> = paths(&edits[number]).map(str::to_owned).collect();
            let mut dependents =
                contracts.drift.as_ref().map(|drift| drift.dependents(&paths)).unwrap_or_default();
            let dependent_count = dependents.len();
            dependents.truncate(MOST_NAMED);
            let own = EffectsView {
                contract_changes: changes,
                contract_change_count,
                dependents,
                dependent_count,
                stale_notes: self.stale_notes(desk, &edits[number]),
            };
            if own != EffectsView::default() {
                effects.insert(commit.id.clone(), own);
            }
        }
        Ok((effects, notices))
    }

    /// Promises that units break, each with those that touch it, and how they were found. Nothing where that is not known.
    pub(super) fn breaking(
        &self,
        desk: &Desk,
        cut: &Cut,
        units: &BTreeSet<usize>,
    ) -> (Vec<Breaking>, Option<Compared>) {
        match self.compare_planned(desk, cut, units) {
            Ok(compared) => (broken(desk, cut, units, &compared.effects), Some(compared)),
            Err(error) => {
                tracing::warn!(%error, "a plan is worded without what it breaks");
                (Vec::new(), None)
            }
        }
    }

    fn compare_planned(&self, desk: &Desk, cut: &Cut, units: &BTreeSet<usize>) -> Result<Compared, Error> {
        let rendering = Rendering::of(desk, cut, units)?;
        let (before, after) = (rendering.with(&|_| false)?, rendering.with(&|unit| units.contains(&unit))?);
        let edits = rendering.edits(&before, &after)?;
        let trees = &cut.snapshot.trees;
        let base = trees.commit.clone().unwrap_or_else(|| trees.head.clone());
        let (effects, notices) = self.planned_contracts(desk, &base, &edits)?;
        Ok(Compared { base, edits, effects, notices })
    }

    /// What edits on top of a commit or tree do to its contracts.
    pub(super) fn planned_contracts(
        &self,
        desk: &Desk,
        base: &str,
        edits: &[FileEdit],
    ) -> Result<(ContractEffects, Vec<String>), Error> {
        if !touch_sources(edits) {
            return Ok((ContractEffects::default(), Vec::new()));
        }
        let before = Given::of(&desk.git, Some(&desk.write.objects()), base)?;
        let mut after = before.clone();
        after.edit(edits);
        self.contract_effects(&before, &after)
    }

    /// What one state of the tree promises otherwise than another.
    pub(super) fn contract_effects(
        &self,
        before: &Given,
        after: &Given,
    ) -> Result<(ContractEffects, Vec<String>), Error> {
        if before.sources().max(after.sources()) > MOST_SOURCES {
            let notice =
                format!("contracts were not compared: there are more than {MOST_SOURCES} source files");
            return Ok((ContractEffects::default(), vec![notice]));
        }
        let drift = self.drift(self.workspace()?, before, after)?;
        let mut changes: Vec<ContractChangeView> = Vec::new();
        for file in &drift.comparison.files {
            let told = file.declarations.iter().filter(|change| change.verdict != Verdict::Internal);
            changes.extend(told.map(|change| view(&file.entry_id, change)));
        }
        changes.sort_by_key(|change| !change.breaking);
        Ok((ContractEffects { changes, drift: Some(drift) }, Vec::new()))
    }

    /// A repository without notes has none that go stale.
    pub(super) fn stale_notes(&self, desk: &Desk, edits: &[FileEdit]) -> Vec<StaleNoteView> {
        let view = |note: StaleNote| {
            let mut places = note.places;
            places.truncate(MOST_NAMED);
            StaleNoteView { reference: note.reference, title: note.title, places }
        };
        match self.notes_made_stale(desk.scope.worktree.as_deref(), edits) {
            Ok(notes) => notes.into_iter().take(MOST_CHANGES).map(view).collect(),
            Err(error) => {
                tracing::debug!(%error, "notes are not looked at");
                Vec::new()
            }
        }
    }
}

fn broken(desk: &Desk, cut: &Cut, units: &BTreeSet<usize>, effects: &ContractEffects) -> Vec<Breaking> {
    let broken: Vec<&ContractChangeView> = effects.changes.iter().filter(|change| change.breaking).collect();
    if broken.is_empty() {
        return Vec::new();
    }
    let (facts, changes) = (contract_facts(desk, cut), cut.changes());
    let breaking = |change: &&ContractChangeView| {
        let here = |unit: &&usize| is_of(&changes[cut.units[**unit].change], &change.file);
        let file: Vec<usize> = units.iter().filter(here).copied().collect();
        let exact: Vec<usize> =
            file.iter().copied().filter(|unit| declares(cut, facts, *unit, &change.name)).collect();
        let text = format!("`{}` in {}: {}", change.name, change.file, change.reason);
        Breaking { units: if exact.is_empty() { file } else { exact }, text }
    };
    broken.iter().map(breaking).collect()
}

fn view(file: &str, change: &DeclarationChange) -> ContractChangeView {
    let signature = |signatures: &[String]| {
        signatures.first().map(|text| becket_base::clip(text, LONGEST_SIGNATURE).to_string())
    };
    let mut used_by = change.used_by.clone();
    let used_by_count = used_by.len();
    used_by.truncate(MOST_NAMED * 4);
    let what = match change.change {
        Change::Added => "added",
        Change::Removed => "removed",
        Change::Changed => "changed",
        Change::Moved => "moved",
    };
    ContractChangeView {
        file: file.to_owned(),
        name: change.name.clone(),
        change: what.to_owned(),
        breaking: change.verdict == Verdict::Breaking,
        reason: change.reason.clone(),
        before: signature(&change.before),
        after: signature(&change.after),
        used_by,
        used_by_count,
    }
}

/// Whether contracts can have anything to do with it.
pub(super) fn touch_sources(edits: &[FileEdit]) -> bool {
    paths(edits).any(|path| language_of(path).is_some())
}

/// Paths before and after.
fn paths(edits: &[FileEdit]) -> impl Iterator<Item = &str> {
    edits.iter().flat_map(|edit| [&edit.old, &edit.new]).flatten().map(|(path, _)| path.as_str())
}

/// The commit that makes a change: the one that touches the declaration, else the first that touches the file.
fn home(
    cut: &Cut,
    commits: &[BTreeSet<usize>],
    edits: &[Vec<FileEdit>],
    facts: &[ContractFacts],
    change: &ContractChangeView,
) -> Option<usize> {
    let touching: Vec<usize> =
        (0..commits.len()).filter(|commit| paths(&edits[*commit]).any(|path| path == change.file)).collect();
    let changes = cut.changes();
    let here = |unit: &&usize| is_of(&changes[cut.units[**unit].change], &change.file);
    let exact = touching.iter().copied().find(|commit| {
        let mut units = commits[*commit].iter().filter(here);
        units.any(|unit| declares(cut, facts, *unit, &change.name))
    });
    exact.or_else(|| touching.first().copied())
}

/// Whether a step is of a file, by its name before or after.
fn is_of(step: &becket_commits::Change<'_>, file: &str) -> bool {
    [&step.file.new, &step.file.old].into_iter().flatten().any(|side| side.path.to_text() == file)
}

/// Whether a unit touches lines of a declaration, before or after.
fn declares(cut: &Cut, facts: &[ContractFacts], unit: usize, name: &str) -> bool {
    let unit = &cut.units[unit];
    let facts = facts.iter().find(|facts| facts.change == unit.change);
    let (Some(facts), Some(hunk)) = (facts, unit.hunk()) else { return false };
    let meets = |declared: &DeclaredName, span: Span| {
        declared.name == name
            && span.lines > 0
            && span.start <= declared.last_line
            && declared.first_line < span.start + span.lines
    };
    facts.new.declares.iter().any(|declared| meets(declared, hunk.new))
        || facts.old.declares.iter().any(|declared| meets(declared, hunk.old))
}

impl fmt::Display for EffectsView {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for change in self.contract_changes.iter().filter(|change| change.breaking).take(3) {
            write!(formatter, "          breaks `{}` in {} ({})", change.name, change.file, change.reason)?;
            if change.used_by.is_empty() {
                writeln!(formatter)?;
            } else {
                writeln!(formatter, ", used by {}", enumerated(&change.used_by, change.used_by_count))?;
            }
        }
        if self.dependent_count > 0 {
            let noun = if self.dependent_count == 1 { "file depends" } else { "files depend" };
            writeln!(
                formatter,
                "          {} {noun} on it: {}",
                self.dependent_count,
                enumerated(&self.dependents, self.dependent_count)
            )?;
        }
        for note in self.stale_notes.iter().take(3) {
            let (places, title) = (note.places.join(", "), &note.title);
            writeln!(formatter, "          makes note {} stale: {title} ({places})", note.reference)?;
        }
        Ok(())
    }
}

fn enumerated(names: &[String], count: usize) -> String {
    let shown = names.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = count.saturating_sub(3);
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
