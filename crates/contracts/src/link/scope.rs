//! Names to what they stand for, through imports and files.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::Asked;
use crate::model::{
    Declaration, DeclarationDetail, DeclarationKind, ExportOrigin, ImportKind, LocalFacts, TypeShape,
};

/// What a specifier in a file resolves to. `project` answers from its index.
pub trait Lookup {
    /// The entry id and the facts of the file that `specifier` means in `from`; `None` for a package, an asset, or
    /// nothing at all.
    fn resolve(&self, from: &str, specifier: &str) -> Option<(&str, &LocalFacts)>;

    /// Whether a manifest in reach of a file names Next.js. Asked of files in folders that are called `pages` alone.
    fn has_next(&self, _entry: &str) -> bool {
        false
    }

    /// The files that add members to types of a file by `declare module`, by path.
    fn adding(&self, _entry: &str) -> Vec<(&str, &LocalFacts)> {
        Vec::new()
    }
}

/// A lookup for a file that stands alone.
#[derive(Debug, Clone, Copy)]
pub struct NoImports;

impl Lookup for NoImports {
    fn resolve(&self, _from: &str, _specifier: &str) -> Option<(&str, &LocalFacts)> {
        None
    }
}

/// A file that names are looked up in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'f> {
    pub(super) entry: &'f str,
    pub(super) facts: &'f LocalFacts,
}

/// What a name stands for.
pub(super) enum Found<'f> {
    Declared(Scope<'f>, &'f Declaration),
    /// Imported from where nothing can be followed; the specifier.
    Outside(String),
    Unknown,
}

impl Found<'_> {
    /// A name may stand for a type and for a value: the one of them that is wanted, where it has both.
    pub(super) fn wanted(self, is_wanted: impl Fn(&Declaration) -> bool) -> Self {
        match self {
            Self::Declared(scope, declaration) if !is_wanted(declaration) => {
                let named = scope.facts.declarations.iter().filter(|one| one.name == declaration.name);
                Self::Declared(scope, named.into_iter().find(|one| is_wanted(one)).unwrap_or(declaration))
            }
            other => other,
        }
    }
}

pub(super) struct Resolver<'l> {
    lookup: &'l dyn Lookup,
    looked_at: RefCell<LookedAt>,
}

/// Files by where their names stand in memory, of which each has one.
type Files = FxHashMap<usize, String>;

#[derive(Default)]
struct LookedAt {
    followed: Files,
    entered: Files,
    names: Asked,
}

/// What a contract rests on, by path: files whose facts were looked at, and those that were asked for names, with who is
/// behind their stars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestsOn {
    pub followed: Vec<String>,
    pub entered: Vec<String>,
    pub names: Asked,
}

/// What a file exports under a name.
enum Exported<'f> {
    One(Found<'f>),
    /// All that another file exports: `export * as Primitive from './primitive'`.
    All(Scope<'f>),
}

/// The files that a name was looked for in, and by which name, both by where they stand in memory.
type Passed = FxHashSet<(usize, usize)>;

/// Files between a name and its declaration; a longer way is a cycle that renames as it goes.
const LONGEST_WAY: usize = 40;

impl<'l> Resolver<'l> {
    pub(super) fn new(lookup: &'l dyn Lookup) -> Self {
        Self { lookup, looked_at: RefCell::default() }
    }

    pub(super) fn rests_on(self, except: &str) -> RestsOn {
        let LookedAt { followed, entered, names } = self.looked_at.into_inner();
        let sorted = |files: Files| {
            let mut others: Vec<String> = files.into_values().filter(|entry| *entry != except).collect();
            others.sort_unstable();
            others
        };
        RestsOn { followed: sorted(followed), entered: sorted(entered), names }
    }

    fn follow(&self, entry: &str) {
        let followed = &mut self.looked_at.borrow_mut().followed;
        followed.entry(entry.as_ptr().addr()).or_insert_with(|| entry.to_owned());
    }

    fn enter(&self, entry: &str, name: &str) {
        let looked_at = &mut *self.looked_at.borrow_mut();
        looked_at.entered.entry(entry.as_ptr().addr()).or_insert_with(|| entry.to_owned());
        looked_at.names.add(Asked::one(name));
    }

    /// All names that are behind the stars of a file were asked for.
    pub(super) fn ask_all(&self) {
        self.looked_at.borrow_mut().names = Asked::ALL;
    }

    /// The file that a specifier leads to, of which nothing but exports is asked.
    pub(super) fn passing<'f>(&self, from: Scope<'f>, specifier: &str) -> Option<Scope<'f>>
    where
        'l: 'f,
    {
        let (entry, facts) = self.lookup.resolve(from.entry, specifier)?;
        Some(Scope { entry, facts })
    }

    pub(super) fn file<'f>(&self, from: Scope<'f>, specifier: &str) -> Option<Scope<'f>>
    where
        'l: 'f,
    {
        let (entry, facts) = self.lookup.resolve(from.entry, specifier)?;
        self.follow(entry);
        Some(Scope { entry, facts })
    }

    /// The path of the file that a specifier leads to, of which nothing else is asked.
    pub(super) fn entry(&self, from: Scope<'_>, specifier: &str) -> Option<&'l str> {
        self.lookup.resolve(from.entry, specifier).map(|(entry, _)| entry)
    }

    /// As [`Resolver::name`], of a type.
    pub(super) fn type_name<'f>(&self, scope: Scope<'f>, name: &str) -> Found<'f>
    where
        'l: 'f,
    {
        let is_type = |one: &Declaration| matches!(one.detail, DeclarationDetail::Shape { .. });
        match self.name(scope, name).wanted(is_type) {
            // `import type { Card }` beside a component of the same name.
            Found::Declared(file, one) if file.entry == scope.entry && one.name == name && !is_type(one) => {
                self.binding(scope, name).unwrap_or(Found::Declared(file, one))
            }
            found => found,
        }
    }

    /// As [`Resolver::name`], of a component.
    pub(super) fn component_name<'f>(&self, scope: Scope<'f>, name: &str) -> Found<'f>
    where
        'l: 'f,
    {
        let found =
            self.name(scope, name).wanted(|one| matches!(one.detail, DeclarationDetail::Component(_)));
        match found {
            // `const { Card } = require('./card')` declares a name for what is imported.
            Found::Declared(file, one)
                if file.entry == scope.entry && one.name == name && one.detail.is_none() =>
            {
                self.binding(scope, name).unwrap_or(found)
            }
            Found::Declared(..) => found,
            Found::Outside(_) | Found::Unknown => match self.member(scope, name) {
                Some((file, name)) => self.component_name(file, name),
                None => found,
            },
        }
    }

    /// `Tabs.List`, where `Tabs` is an object with components in it: the file that it is written in, and the name there.
    pub(super) fn member<'f>(&self, scope: Scope<'f>, name: &str) -> Option<(Scope<'f>, &'f str)>
    where
        'l: 'f,
    {
        let (object, member) = name.split_once('.')?;
        let Found::Declared(file, declaration) = self.name(scope, object) else { return None };
        let DeclarationDetail::Value(TypeShape::Object(members)) = &declaration.detail else { return None };
        let member = members.iter().find(|one| one.name == member)?;
        Some((file, member.text.strip_prefix(TypeShape::TYPEOF)?))
    }

    /// A local name, an import, `Namespace.name`, or `import('./x').name`.
    pub(super) fn name<'f>(&self, scope: Scope<'f>, name: &str) -> Found<'f>
    where
        'l: 'f,
    {
        if let Some((specifier, imported)) = inline_import(name) {
            return self.imported(scope, specifier, imported);
        }
        if let Some(declaration) = scope.facts.declarations.iter().find(|one| one.name == name) {
            return Found::Declared(scope, declaration);
        }
        self.binding(scope, name).or_else(|| self.added_to(scope, name)).unwrap_or(Found::Unknown)
    }

    /// What a name means inside of `declare module`: what stands there beside, and what the module has.
    fn added_to<'f>(&self, scope: Scope<'f>, name: &str) -> Option<Found<'f>>
    where
        'l: 'f,
    {
        scope.facts.declarations.iter().filter_map(Declaration::adds).find_map(|(to, types)| {
            let beside = types.iter().find(|one| one.name == name);
            let beside = beside.filter(|one| one.kind == DeclarationKind::Type);
            match beside {
                Some(one) => Some(Found::Declared(scope, one)),
                None => self.passing(scope, to).and_then(|file| self.exported(file, name)),
            }
        })
    }

    /// What a name that is imported stands for.
    fn binding<'f>(&self, scope: Scope<'f>, name: &str) -> Option<Found<'f>>
    where
        'l: 'f,
    {
        let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
        for import in &scope.facts.imports {
            let Some(binding) = import.names.iter().find(|binding| binding.local == first) else { continue };
            return Some(match (binding.imported.as_str(), rest) {
                ("*", Some(rest)) => self
                    .passing(scope, &import.specifier)
                    .and_then(|file| self.inside(file, rest))
                    .unwrap_or_else(|| Found::Outside(import.specifier.clone())),
                // What `module.exports` is, and `export =`.
                ("*", None) if import.kind == ImportKind::Require => {
                    self.imported(scope, &import.specifier, "default")
                }
                (imported, Some(rest)) => self
                    .passing(scope, &import.specifier)
                    .and_then(|file| self.namespace(file, imported))
                    .and_then(|file| self.inside(file, rest))
                    .unwrap_or_else(|| Found::Outside(import.specifier.clone())),
                (imported, None) => self.imported(scope, &import.specifier, imported),
            });
        }
        None
    }

    /// What a file exports under a name that may lead through namespaces: `Card.Root`.
    fn inside<'f>(&self, file: Scope<'f>, name: &str) -> Option<Found<'f>>
    where
        'l: 'f,
    {
        match name.split_once('.') {
            Some((first, rest)) => self.inside(self.namespace(file, first)?, rest),
            None => self.exported(file, name),
        }
    }

    fn imported<'f>(&self, scope: Scope<'f>, specifier: &str, name: &str) -> Found<'f>
    where
        'l: 'f,
    {
        let Some(file) = self.passing(scope, specifier) else { return Found::Outside(specifier.to_owned()) };
        self.exported(file, name).unwrap_or_else(|| Found::Outside(specifier.to_owned()))
    }

    /// What other files add to an interface of a file.
    pub(super) fn added<'f>(&self, file: Scope<'f>, name: &str) -> Vec<(Scope<'f>, &'f Declaration)>
    where
        'l: 'f,
    {
        let mut found = Vec::new();
        for (entry, facts) in self.lookup.adding(file.entry) {
            self.follow(entry);
            let scope = Scope { entry, facts };
            for (to, types) in facts.declarations.iter().filter_map(Declaration::adds) {
                let is_wanted =
                    |one: &&Declaration| one.name == name && one.kind == DeclarationKind::Interface;
                let added = types.iter().filter(is_wanted).filter(|_| {
                    self.passing(scope, to).is_some_and(|to| {
                        let declared = || self.exported(to, name);
                        to.entry == file.entry
                            || matches!(declared(), Some(Found::Declared(at, _)) if at.entry == file.entry)
                    })
                });
                found.extend(added.map(|one| (scope, one)));
            }
        }
        found
    }

    /// The file whose exports another one exports as one: `export * as Primitive from './primitive'`.
    fn namespace<'f>(&self, file: Scope<'f>, name: &str) -> Option<Scope<'f>>
    where
        'l: 'f,
    {
        self.enter(file.entry, name);
        match self.exported_within(file, name, &mut Passed::default())? {
            Exported::All(file) => Some(file),
            Exported::One(_) => None,
        }
    }

    /// What a file exports under a name.
    pub(super) fn exported<'f>(&self, scope: Scope<'f>, name: &str) -> Option<Found<'f>>
    where
        'l: 'f,
    {
        self.enter(scope.entry, name);
        match self.exported_within(scope, name, &mut Passed::default())? {
            Exported::One(found) => Some(found),
            Exported::All(_) => None,
        }
    }

    fn exported_within<'f>(&self, scope: Scope<'f>, name: &str, passed: &mut Passed) -> Option<Exported<'f>>
    where
        'l: 'f,
    {
        let (named, stars) = scope.facts.exported_as(name);
        let exact = named.first().map(|export| &export.origin);
        if let Some(ExportOrigin::Local(local)) = exact {
            self.follow(scope.entry);
            let declaration = scope.facts.declarations.iter().find(|one| one.name == *local)?;
            return Some(Exported::One(Found::Declared(scope, declaration)));
        }
        // A default is not passed on by a star.
        let may_be_behind = exact.is_some() || !stars.is_empty() && name != "default";
        let here = (scope.entry.as_ptr().addr(), name.as_ptr().addr());
        if !may_be_behind || passed.len() > LONGEST_WAY * 25 || !passed.insert(here) {
            return None;
        }
        if let Some(ExportOrigin::Module { specifier, imported }) = exact {
            return match self.passing(scope, specifier) {
                Some(file) if imported == "*" => Some(Exported::All(file)),
                Some(file) => {
                    self.enter(file.entry, imported);
                    self.exported_within(file, imported, passed)
                }
                None => Some(Exported::One(Found::Outside(specifier.clone()))),
            };
        }
        stars.iter().find_map(|star| match &star.origin {
            ExportOrigin::Module { specifier, .. } => {
                self.exported_within(self.passing(scope, specifier)?, name, passed)
            }
            ExportOrigin::Local(_) => None,
        })
    }
}

/// `import('./x').Name` in parts.
fn inline_import(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("import('")?;
    rest.split_once("').")
}
