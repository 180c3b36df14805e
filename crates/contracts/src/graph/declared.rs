//! Modules that are only declared: `declare module '@theme/heading' { … }`, in a file that is no module itself. An import
//! leads to such a declaration where nothing else is found for it.

use std::collections::{BTreeMap, BTreeSet};

use super::Members;
use crate::model::{Declaration, LocalFacts};
use crate::target::{Reason, Target};

/// By the name that is declared, with the files that do, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredModules {
    files: BTreeMap<String, Vec<String>>,
    /// The names with a star in them.
    starred: BTreeSet<String>,
    /// The first of the files of each, where imports lead.
    first: BTreeSet<String>,
}

impl DeclaredModules {
    /// `files` come by path.
    pub fn of<'f>(files: impl Iterator<Item = (&'f str, &'f LocalFacts)>) -> Self {
        let mut modules = Self::default();
        // What is a module itself adds to others, and declares none.
        for (path, facts) in files.filter(|(_, facts)| facts.is_global) {
            for module in facts.declarations.iter().filter_map(Declaration::module) {
                // A star alone says nothing of a module.
                if !module.starts_with('.') && module != "*" {
                    modules.add(module, path);
                }
            }
        }
        modules
    }

    pub fn add(&mut self, module: &str, path: &str) {
        let files = self.files.entry(module.to_owned()).or_default();
        if files.is_empty() {
            self.first.insert(path.to_owned());
        }
        files.push(path.to_owned());
        if module.contains('*') {
            self.starred.insert(module.to_owned());
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.files.iter().map(|(module, files)| (module.as_str(), files.as_slice()))
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub fn files(&self, module: &str) -> &[String] {
        self.files.get(module).map(Vec::as_slice).unwrap_or_default()
    }

    /// The name by which a specifier is declared: its own, else the one with the longest text before its star.
    pub fn name(&self, specifier: &str) -> Option<&str> {
        if let Some((module, _)) = self.files.get_key_value(specifier) {
            return Some(module);
        }
        let fitting = self.starred.iter().filter(|module| fits(module, specifier));
        // Of those that are as long the first.
        fitting.rev().max_by_key(|module| module.find('*')).map(String::as_str)
    }

    /// Where a specifier leads that was found so.
    pub fn led(&self, specifier: &str, found: Target) -> Target {
        let is_nowhere = match &found {
            Target::Package { declared, .. } => !declared,
            Target::Unresolved(reason) => *reason != Reason::DecidedAtRunTime,
            Target::File(_) | Target::Files(_) | Target::Asset(_) | Target::Builtin(_) => false,
        };
        let module = if is_nowhere { self.name(specifier) } else { None };
        match module.and_then(|module| self.files(module).first()) {
            Some(file) => Target::File(file.clone()),
            None => found,
        }
    }

    /// The name by which a specifier is declared that leads to a file, where that is the one that declares it. Almost no
    /// file is.
    pub fn name_in(&self, file: &str, specifier: &str) -> Option<&str> {
        let module = if self.first.contains(file) { self.name(specifier)? } else { return None };
        self.files(module).first().is_some_and(|first| first == file).then_some(module)
    }
}

/// Whether a name with a star stands for a specifier.
pub fn fits(pattern: &str, specifier: &str) -> bool {
    pattern
        .split_once('*')
        .is_some_and(|(start, end)| specifier.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)))
}

/// The blocks of a file that are declared for a module.
pub(crate) fn blocks<'f>(facts: &'f LocalFacts, module: &str) -> impl Iterator<Item = &'f Declaration> {
    facts.declarations.iter().filter(move |one| one.module() == Some(module))
}

/// The files among those that declare a module in which a name is shown, and the name there. `asked` is told of every file
/// that is asked for it.
pub(super) fn showing<'a>(
    members: &'a dyn Members,
    module: &str,
    name: &str,
    mut asked: impl FnMut(usize),
) -> Vec<(usize, &'a str)> {
    let files = members.declaring(module).into_iter();
    let shown = files.filter_map(|at| {
        asked(at);
        let mut names = blocks(members.facts(at), module).flat_map(Declaration::shown);
        names.find(|shown| *shown == name).map(|shown| (at, shown.as_str()))
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_itself_comes_before_the_longest_beginning() {
        let mut modules = DeclaredModules::default();
        for (module, path) in [
            ("@theme/*", "a.d.ts"),
            ("@theme/hooks/*", "b.d.ts"),
            ("@theme/hooks/use", "c.d.ts"),
            ("*.svg", "d.d.ts"),
        ] {
            modules.add(module, path);
        }
        for (specifier, expected) in [
            ("@theme/Heading", Some("@theme/*")),
            ("@theme/hooks/other", Some("@theme/hooks/*")),
            ("@theme/hooks/use", Some("@theme/hooks/use")),
            ("@theme/icon.svg", Some("@theme/*")),
            ("./icon.svg", Some("*.svg")),
            ("./icon.png", None),
        ] {
            assert_eq!(modules.name(specifier), expected, "{specifier}");
        }
        let led = |specifier: &str, found: Target| modules.led(specifier, found);
        let asset = Target::Asset("icon.svg".to_owned());
        assert_eq!(led("./icon.svg", asset.clone()), asset);
        let missing = |reason| led("./icon.svg", Target::Unresolved(reason));
        assert_eq!(missing(Reason::FileNotFound), Target::File("d.d.ts".to_owned()));
        assert_eq!(missing(Reason::DecidedAtRunTime), Target::Unresolved(Reason::DecidedAtRunTime));
    }
}
