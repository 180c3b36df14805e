//! Modules that are only declared: `declare module '@theme/heading' { … }`, in a file that is no module itself. An import
//! leads to such a declaration where nothing else is found for it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::Members;
use crate::model::{Declaration, DeclarationKind, LocalFacts};
use crate::target::{Reason, Target};

/// By the name that is declared, with the files that do, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredModules {
    files: BTreeMap<String, Vec<String>>,
    /// The names with a star in them.
    starred: BTreeSet<String>,
    /// All that declare one.
    declaring: BTreeSet<String>,
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
        self.files.entry(module.to_owned()).or_default().push(path.to_owned());
        self.declaring.insert(path.to_owned());
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

    /// The files that declare a module, as one that uses it comes to them: packages of one tree may each have their own.
    pub fn near<'m>(&'m self, module: &str, from: &str) -> Vec<&'m str> {
        let mut files: Vec<&str> = self.files(module).iter().map(String::as_str).collect();
        files.sort_by_cached_key(|path| distance(from, path));
        files
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

    /// Where a specifier of a file leads that was found so: to the nearest that declares it.
    pub fn led(&self, from: &str, specifier: &str, found: Target) -> Target {
        let is_nowhere = match &found {
            Target::Package { declared, .. } => !declared,
            Target::Unresolved(reason) => *reason != Reason::DecidedAtRunTime,
            Target::File(_) | Target::Files(_) | Target::Asset(_) | Target::Builtin(_) => false,
        };
        let module = if is_nowhere { self.name(specifier) } else { None };
        let files = module.map(|module| self.files(module)).unwrap_or_default();
        match files.iter().min_by_key(|path| distance(from, path)) {
            Some(file) => Target::File(file.clone()),
            None => found,
        }
    }

    /// The name by which a specifier is declared that leads to a file, where that is one that declares it. Almost no file is.
    pub fn name_in(&self, file: &str, specifier: &str) -> Option<&str> {
        let module = if self.declaring.contains(file) { self.name(specifier)? } else { return None };
        self.files(module).iter().any(|one| one == file).then_some(module)
    }
}

/// The longer the way that both have from the root, the nearer; then the fewer folders. Of what is as near the first by path
/// comes first. Seen from the nearest the order begins with itself.
fn distance(from: &str, to: &str) -> (Reverse<usize>, usize) {
    let both = from.split('/').zip(to.split('/')).take_while(|(one, other)| one == other).count();
    (Reverse(both), to.split('/').count())
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

/// The files among those that declare a module in which a name is shown, and the name there: all of an interface, which is
/// one in however many they are, and else the nearest to `to`. `asked` is told of every file that is asked for it.
pub(super) fn showing<'a>(
    members: &'a dyn Members,
    to: usize,
    module: &str,
    name: &str,
    mut asked: impl FnMut(usize),
) -> Vec<(usize, &'a str)> {
    let files = members.declaring(to, module).into_iter();
    let shown = files.filter_map(|at| {
        asked(at);
        let mut names = blocks(members.facts(at), module).flat_map(Declaration::shown);
        names.find(|shown| *shown == name).map(|shown| (at, shown.as_str()))
    });
    let mut shown: Vec<_> = shown.collect();
    let is_interface = |at: usize| {
        let types =
            blocks(members.facts(at), module).filter_map(Declaration::adds).flat_map(|(_, types)| types);
        types.into_iter().any(|one| one.name == name && one.kind == DeclarationKind::Interface)
    };
    if shown.len() > 1 && !is_interface(shown[0].0) {
        shown.truncate(1);
    }
    shown
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
        let led = |specifier: &str, found: Target| modules.led("a.ts", specifier, found);
        let asset = Target::Asset("icon.svg".to_owned());
        assert_eq!(led("./icon.svg", asset.clone()), asset);
        let missing = |reason| led("./icon.svg", Target::Unresolved(reason));
        assert_eq!(missing(Reason::FileNotFound), Target::File("d.d.ts".to_owned()));
        assert_eq!(missing(Reason::DecidedAtRunTime), Target::Unresolved(Reason::DecidedAtRunTime));
    }

    #[test]
    fn the_nearest_of_several_is_led_to() {
        let mut modules = DeclaredModules::default();
        for path in ["a/deep/x.d.ts", "a/src/x.d.ts", "b/x.d.ts", "types/more/x.d.ts", "types/x.d.ts"] {
            modules.add("*.svg", path);
        }
        for (from, expected) in [
            ("a/src/one.ts", "a/src/x.d.ts"),
            ("a/deep/er/one.ts", "a/deep/x.d.ts"),
            ("a/one.ts", "a/deep/x.d.ts"),
            ("b/src/one.ts", "b/x.d.ts"),
            ("bc/src/one.ts", "b/x.d.ts"),
            ("types/one.ts", "types/x.d.ts"),
        ] {
            let led = modules.led(from, "./i.svg", Target::Unresolved(Reason::FileNotFound));
            assert_eq!(led, Target::File(expected.to_owned()), "{from}");
            assert_eq!(modules.near("*.svg", from).first(), Some(&expected), "{from}");
            assert_eq!(modules.near("*.svg", expected).first(), Some(&expected));
        }
    }
}
