//! What edits of files show to others, and who has to be made again for it: whoever looked at a file that others see
//! otherwise now, and whoever asked for a name that it exports otherwise now, also through the stars of barrels.

use std::collections::{BTreeMap, BTreeSet};

use becket_contracts::graph::{Asked, Graph};
use becket_contracts::model::{DeclarationDetail, Export, ExportOrigin, LocalFacts};
use becket_contracts::target::Target;

use super::Targets;
use super::file::{Bits, IndexedFile};

/// By positions in the index of before.
#[derive(Default)]
pub(super) struct Shown {
    facts: BTreeSet<usize>,
    /// The names that are exported otherwise, by each file that can be asked for them.
    exports: BTreeMap<usize, Asked>,
    /// All of these.
    bits: Bits,
}

impl Shown {
    /// A file that others see otherwise, or see no more: what it says and where that leads, before and now.
    pub(super) fn add(&mut self, at: usize, old: &IndexedFile, now: Option<(&LocalFacts, &Targets)>) {
        self.facts.insert(at);
        let names = match now {
            Some(now) => changed((&old.local().facts, old.targets()), now),
            None => Asked::ALL,
        };
        if names != Asked::default() {
            self.exports.insert(at, names);
        }
    }

    /// A file in which something else is to be found by any name.
    pub(super) fn add_all(&mut self, at: usize) {
        self.facts.insert(at);
        self.exports.insert(at, Asked::ALL);
    }

    /// When all are added: who is asked for names asks whoever is behind his stars, as they led before.
    pub(super) fn through_stars<'g>(&mut self, graph: impl FnOnce() -> &'g Graph) {
        if !self.exports.is_empty() {
            self.spread(graph());
        }
        self.bits = Bits::of(self.facts.iter().chain(self.exports.keys()).copied());
    }

    fn spread(&mut self, graph: &Graph) {
        let mut open: Vec<(usize, Asked)> = self.exports.iter().map(|(at, names)| (*at, *names)).collect();
        while let Some((to, names)) = open.pop() {
            for from in graph.takers_of_all(to) {
                let known = self.exports.entry(from).or_default();
                let before = *known;
                known.add(names);
                if *known != before {
                    open.push((from, *known));
                }
            }
        }
    }

    /// Whether a file that stood at this place has to be made again.
    pub(super) fn touches(&self, at: usize, file: &IndexedFile) -> bool {
        let rests_on = &file.rests_on;
        // Almost always neither, and the places of a file lie elsewhere in memory.
        if !rests_on.may_have(self.bits) && !self.exports.contains_key(&at) {
            return false;
        }
        let asked = |at: usize| self.exports.get(&at).is_some_and(|names| names.meets(rests_on.names));
        rests_on.followed().iter().any(|other| self.facts.contains(&(*other as usize)))
            || !self.exports.is_empty()
                && (asked(at) || rests_on.entered().iter().any(|other| asked(*other as usize)))
    }
}

/// The names by which something else is exported, or that lead elsewhere.
fn changed(old: (&LocalFacts, &Targets), new: (&LocalFacts, &Targets)) -> Asked {
    fn said<'f>((facts, targets): (&'f LocalFacts, &'f Targets)) -> BTreeSet<(&'f Export, Option<&'f str>)> {
        let led = |export: &'f Export| match &export.origin {
            ExportOrigin::Module { specifier, .. } => targets.get(specifier).and_then(Target::file),
            ExportOrigin::Local(_) => None,
        };
        facts.exports.iter().map(|export| (export, led(export))).collect()
    }
    if blocks(old.0).ne(blocks(new.0)) {
        return Asked::ALL;
    }
    let mut names = Asked::default();
    for (export, _) in said(old).symmetric_difference(&said(new)) {
        names.add(if export.name == "*" { Asked::ALL } else { Asked::one(&export.name) });
    }
    // The default of such a file is all of it.
    if old.0.is_common_js != new.0.is_common_js {
        names.add(Asked::one("default"));
    }
    names
}

/// What a file declares for modules, which is asked for as exports are.
fn blocks(facts: &LocalFacts) -> impl Iterator<Item = (&str, &DeclarationDetail)> {
    facts.declarations.iter().filter_map(|one| Some((one.module()?, &one.detail)))
}
