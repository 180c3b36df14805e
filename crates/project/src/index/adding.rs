//! Which files add members to types of others by `declare module`, and which declare modules that nothing else is. Nobody
//! imports such a file for it, so a contract that rests on a type cannot know of it by itself: the index tells, and where
//! one of them or the way to its type may be another, everything is made anew. Few projects have any.

use std::collections::{BTreeMap, BTreeSet};

use becket_contracts::graph::Members;
use becket_contracts::link::declaring_file;
use becket_contracts::model::{Declaration, ExportOrigin, LocalFacts};
use becket_contracts::target::Target;

/// By path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Adding {
    /// The file that declares a type, and those that add to it.
    by: BTreeMap<String, BTreeSet<String>>,
    /// Those that add, that are named, and that declare.
    through: BTreeSet<String>,
    modules: Modules,
}

/// Modules that a declaration file speaks of and that are nowhere: by specifier, with the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Modules(BTreeMap<String, String>);

impl Modules {
    pub(super) fn of<'f>(files: impl Iterator<Item = (&'f str, &'f LocalFacts)>) -> Self {
        let mut modules = Self::default();
        for (path, facts) in files {
            // What is a module itself adds to others, and declares none.
            if !facts.is_global {
                continue;
            }
            for module in facts.declarations.iter().filter_map(Declaration::module) {
                if !module.starts_with('.') && !module.contains('*') {
                    modules.0.entry(module.to_owned()).or_insert_with(|| path.to_owned());
                }
            }
        }
        modules
    }

    /// Where a specifier leads that was found so: to a declaration only where there is nothing else.
    pub(super) fn led(&self, specifier: &str, found: Target) -> Target {
        let is_nowhere = match &found {
            Target::Package { declared, .. } => !declared,
            Target::Unresolved(_) => true,
            Target::File(_) | Target::Asset(_) | Target::Builtin(_) => false,
        };
        match self.0.get(specifier).filter(|_| is_nowhere) {
            Some(file) => Target::File(file.clone()),
            None => found,
        }
    }
}

/// Begins what is stored of a module instead of a path.
const MODULE: char = '\0';

impl Adding {
    pub(super) fn of(tree: &dyn Members, count: usize, modules: Modules) -> Self {
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

    /// As [`Modules::led`].
    pub(super) fn led(&self, specifier: &str, found: Target) -> Target {
        self.modules.led(specifier, found)
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
        self.through.contains(path) || adds(now) || may_lead()
    }

    pub(super) fn pairs(&self) -> Vec<(String, String)> {
        let by = self.by.iter().flat_map(|(to, by)| by.iter().map(move |by| (to.clone(), by.clone())));
        let through = self.through.iter().map(|path| (String::new(), path.clone()));
        let modules = self.modules.0.iter().map(|(module, by)| (format!("{MODULE}{module}"), by.clone()));
        by.chain(through).chain(modules).collect()
    }

    pub(super) fn from_pairs(pairs: Vec<(String, String)>) -> Self {
        let mut adding = Self::default();
        for (to, by) in pairs {
            if to.is_empty() {
                adding.through.insert(by);
            } else if let Some(module) = to.strip_prefix(MODULE) {
                adding.modules.0.insert(module.to_owned(), by);
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

fn adds(facts: &LocalFacts) -> bool {
    facts.declarations.iter().any(|one| one.module().is_some())
}
