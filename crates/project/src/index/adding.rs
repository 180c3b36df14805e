//! Which files add members to types of others by `declare module`, and which declare modules that nothing else is. Nobody
//! imports such a file for it, so a contract that rests on a type cannot know of it by itself: the index tells, and where
//! one of them or the way to its type may be another, it is made anew with whoever looked there. Few projects have any.

use std::collections::{BTreeMap, BTreeSet};

use becket_contracts::graph::{DeclaredModules, Members};
use becket_contracts::link::declaring_file;
use becket_contracts::model::{Declaration, ExportOrigin, LocalFacts};

/// By path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Adding {
    /// The file that declares a type, and those that add to it.
    by: BTreeMap<String, BTreeSet<String>>,
    /// Those that add, that are named, and that declare.
    through: BTreeSet<String>,
    pub(super) modules: DeclaredModules,
}

/// Begins what is stored of a module instead of a path.
const MODULE: char = '\0';

impl Adding {
    pub(super) fn of(tree: &dyn Members, count: usize, modules: DeclaredModules) -> Self {
        let mut adding = Self { modules, ..Self::default() };
        for at in (0..count).filter(|at| adds(tree.facts(*at))) {
            adding.through.insert(tree.path(at).to_owned());
            for (to, types) in tree.facts(at).declarations.iter().filter_map(Declaration::adds) {
                let Some(to) = tree.file(at, to) else { continue };
                adding.through.insert(tree.path(to).to_owned());
                for one in types {
                    let declaring = declaring_file(tree, to, &one.name).map_or(to, |(file, _)| file);
                    let declaring = tree.path(declaring).to_owned();
                    adding.through.insert(declaring.clone());
                    adding.by.entry(declaring).or_default().insert(tree.path(at).to_owned());
                }
            }
        }
        adding
    }

    pub(super) fn to(&self, entry: &str) -> impl Iterator<Item = &str> {
        self.by.get(entry).into_iter().flatten().map(String::as_str)
    }

    /// Whether an edit of a file may change what is added where. A barrel may stand between a module and its types.
    pub(super) fn rests_on<'f>(
        &self,
        path: &str,
        now: &LocalFacts,
        before: impl FnOnce() -> &'f LocalFacts,
    ) -> bool {
        let may_lead = || !self.by.is_empty() && (passes_on(now) || passes_on(before()));
        self.through.contains(path) || adds(now) || self.declares_others(path, now) || may_lead()
    }

    /// Whether a file declares other modules than it did.
    fn declares_others(&self, path: &str, now: &LocalFacts) -> bool {
        let now = DeclaredModules::of([(path, now)].into_iter());
        let before = self.modules.iter().filter(|(_, files)| files.iter().any(|file| file == path));
        !before.map(|(module, _)| module).eq(now.iter().map(|(module, _)| module))
    }

    /// The files that somebody looked at to find what is added, or declared, otherwise now.
    pub(super) fn unlike<'s>(&'s self, now: &'s Self) -> BTreeSet<&'s str> {
        let added = self.by.keys().chain(now.by.keys()).filter(|to| self.by.get(*to) != now.by.get(*to));
        let declared = self.modules.iter().filter(|(module, files)| now.modules.files(module) != *files);
        added.chain(declared.flat_map(|(_, files)| files)).map(String::as_str).collect()
    }

    pub(super) fn pairs(&self) -> Vec<(String, String)> {
        let by = self.by.iter().flat_map(|(to, by)| by.iter().map(move |by| (to.clone(), by.clone())));
        let through = self.through.iter().map(|path| (String::new(), path.clone()));
        let modules = self
            .modules
            .iter()
            .flat_map(|(module, by)| by.iter().map(move |by| (format!("{MODULE}{module}"), by.clone())));
        by.chain(through).chain(modules).collect()
    }

    pub(super) fn from_pairs(pairs: Vec<(String, String)>) -> Self {
        let mut adding = Self::default();
        for (to, by) in pairs {
            if to.is_empty() {
                adding.through.insert(by);
            } else if let Some(module) = to.strip_prefix(MODULE) {
                adding.modules.add(module, &by);
            } else {
                adding.by.entry(to).or_default().insert(by);
            }
        }
        adding
    }
}

fn passes_on(facts: &LocalFacts) -> bool {
    facts.exports.iter().any(|export| matches!(export.origin, ExportOrigin::Module { .. }))
}

/// A block in a file that is no module declares one, and adds to none.
fn adds(facts: &LocalFacts) -> bool {
    !facts.is_global && facts.declarations.iter().any(|one| one.adds().is_some())
}
