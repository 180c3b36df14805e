//! Names to what they stand for, through imports and files.

use std::borrow::Cow;
use std::cell::RefCell;

use becket_base::divided;
use rustc_hash::FxHashSet;

use crate::graph::declared::blocks;
use crate::graph::{Asked, Exported, Members, exported};
use crate::model::{
    ComponentForm, Declaration, DeclarationDetail, DeclarationKind, Export, ExportOrigin, ImportKind,
    LocalFacts, TypeShape,
};

/// More names for a component that has others as its members are not followed.
const MOST_STEPS: usize = 8;

/// A file that stands alone.
pub(super) struct Alone<'a> {
    pub(super) path: &'a str,
    pub(super) facts: &'a LocalFacts,
}

impl Members for Alone<'_> {
    fn path(&self, _at: usize) -> &str {
        self.path
    }

    fn facts(&self, _at: usize) -> &LocalFacts {
        self.facts
    }

    fn file(&self, _from: usize, _specifier: &str) -> Option<usize> {
        None
    }

    fn stars(&self, _at: usize) -> Cow<'_, [usize]> {
        Cow::default()
    }
}

/// A file that names are looked up in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'f> {
    pub(super) at: usize,
    pub(super) entry: &'f str,
    pub(super) facts: &'f LocalFacts,
    /// The module that is meant of those that the file only declares.
    pub(super) module: Option<&'f str>,
    /// The namespace of the file whose names are known without it, too.
    pub(super) namespace: Option<&'f str>,
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
    members: &'l dyn Members,
    looked_at: RefCell<LookedAt>,
}

#[derive(Default)]
struct LookedAt {
    followed: FxHashSet<usize>,
    entered: FxHashSet<usize>,
    names: Asked,
}

/// What a contract rests on besides its file, in the order of their paths: files whose facts were looked at, and those
/// that were asked for names, with who is behind their stars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestsOn {
    pub followed: Vec<usize>,
    pub entered: Vec<usize>,
    pub names: Asked,
}

impl<'l> Resolver<'l> {
    pub(super) fn new(members: &'l dyn Members) -> Self {
        Self { members, looked_at: RefCell::default() }
    }

    pub(super) fn scope(&self, at: usize) -> Scope<'l> {
        let (entry, facts) = (self.members.path(at), self.members.facts(at));
        Scope { at, entry, facts, module: None, namespace: None }
    }

    pub(super) fn rests_on(self, except: usize) -> RestsOn {
        let LookedAt { followed, entered, names } = self.looked_at.into_inner();
        let sorted = |files: FxHashSet<usize>| {
            let mut others: Vec<usize> = files.into_iter().filter(|at| *at != except).collect();
            others.sort_unstable();
            others
        };
        RestsOn { followed: sorted(followed), entered: sorted(entered), names }
    }

    fn follow(&self, at: usize) {
        self.looked_at.borrow_mut().followed.insert(at);
    }

    fn enter(&self, at: usize, name: &str) {
        let looked_at = &mut *self.looked_at.borrow_mut();
        looked_at.entered.insert(at);
        looked_at.names.add(Asked::one(name));
    }

    /// All names that are behind the stars of a file were asked for.
    pub(super) fn ask_all(&self) {
        self.looked_at.borrow_mut().names = Asked::ALL;
    }

    /// The file that a specifier leads to, of which nothing but exports is asked.
    pub(super) fn passing(&self, from: Scope<'_>, specifier: &str) -> Option<Scope<'l>> {
        let at = self.members.file(from.at, specifier)?;
        Some(Scope { module: self.members.declared(at, specifier), ..self.scope(at) })
    }

    pub(super) fn file(&self, from: Scope<'_>, specifier: &str) -> Option<Scope<'l>> {
        let file = self.passing(from, specifier)?;
        self.follow(file.at);
        Some(file)
    }

    /// The path of the file that a specifier leads to, of which nothing else is asked. A module that is only declared is
    /// the same in whichever file that is.
    pub(super) fn entry(&self, from: Scope<'_>, specifier: &str) -> Option<&'l str> {
        let at = self.members.file(from.at, specifier)?;
        self.members.declared(at, specifier).is_none().then(|| self.members.path(at))
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
        self.component_within(scope, name, MOST_STEPS)
    }

    fn component_within<'f>(&self, scope: Scope<'f>, name: &str, steps: usize) -> Found<'f>
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
                None => self.part_of_other(scope, name, steps).unwrap_or(found),
            },
        }
    }

    /// `Menu.Item`, where `Menu` has it of another component that it stands for, or is said to have it.
    fn part_of_other<'f>(&self, scope: Scope<'f>, name: &str, steps: usize) -> Option<Found<'f>>
    where
        'l: 'f,
    {
        let (object, part) = divided::around_first(name, b'.')?;
        let Found::Declared(file, declaration) = self.name(scope, object) else { return None };
        let DeclarationDetail::Component(component) = &declaration.detail else { return None };
        let props = component.props.as_ref().filter(|_| component.form == ComponentForm::Wrapped)?;
        self.part_of_type(props, part, file, steps)
    }

    fn part_of_type<'f>(
        &self,
        shape: &TypeShape,
        part: &str,
        scope: Scope<'f>,
        steps: usize,
    ) -> Option<Found<'f>>
    where
        'l: 'f,
    {
        let steps = steps.checked_sub(1)?;
        let named = |name: &str| match self.component_within(scope, name, steps) {
            found @ Found::Declared(..) => Some(found),
            Found::Outside(_) | Found::Unknown => None,
        };
        match shape {
            TypeShape::Query(other) => named(&format!("{other}.{part}")),
            TypeShape::Object(members) => {
                let member = members.iter().find(|one| one.name == part)?;
                named(member.text.strip_prefix(TypeShape::TYPEOF)?)
            }
            TypeShape::Intersection(parts) => {
                parts.iter().find_map(|one| self.part_of_type(one, part, scope, steps))
            }
            TypeShape::Reference { name, arguments } if name == TypeShape::CAST => {
                arguments.iter().find_map(|one| self.part_of_type(one, part, scope, steps))
            }
            TypeShape::Reference { name, .. } => match self.type_name(scope, name) {
                Found::Declared(file, Declaration { detail: DeclarationDetail::Shape { shape, .. }, .. }) => {
                    self.part_of_type(shape, part, file, steps)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `Tabs.List`, where `Tabs` is an object with components in it: the file that it is written in, and the name there.
    pub(super) fn member<'f>(&self, scope: Scope<'f>, name: &str) -> Option<(Scope<'f>, &'f str)>
    where
        'l: 'f,
    {
        let (object, member) = divided::around_first(name, b'.')?;
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
        if let Some(found) = scope.module.and_then(|module| self.declared_for(scope.at, module, name)) {
            return found;
        }
        if let Some(found) = in_namespace(scope, name) {
            return found;
        }
        let scope = Scope { namespace: None, ..scope };
        if let Some(declaration) = scope.facts.declaration(name) {
            // `const { admin } = require('./admin')` is a constant of the file, and stands for what is there.
            let required = || self.required(scope, name).then(|| self.binding(scope, name)).flatten();
            let is_constant = declaration.kind == DeclarationKind::Constant;
            return match is_constant.then(required).flatten() {
                Some(found @ Found::Declared(..)) => found,
                _ => Found::Declared(scope, declaration),
            };
        }
        self.binding(scope, name).or_else(|| self.added_to(scope, name)).unwrap_or(Found::Unknown)
    }

    fn required(&self, scope: Scope<'_>, name: &str) -> bool {
        let mut required = scope.facts.imports.iter().filter(|import| import.kind == ImportKind::Require);
        required.any(|import| import.names.iter().any(|one| one.local == name && one.imported != "*"))
    }

    /// What a name means inside of `declare module`: what stands there beside, and what the module has.
    fn added_to<'f>(&self, scope: Scope<'f>, name: &str) -> Option<Found<'f>>
    where
        'l: 'f,
    {
        // Blocks for modules that are only declared see nothing of each other.
        if scope.facts.is_global {
            return None;
        }
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
        let (first, rest) =
            divided::around_first(name, b'.').map_or((name, None), |(first, rest)| (first, Some(rest)));
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
                    .and_then(|file| self.part(file, imported, rest))
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
        match divided::around_first(name, b'.') {
            Some((first, rest)) => self.part(file, first, rest),
            None => self.exported(file, name),
        }
    }

    /// What is in something that a file exports: the exports of another file as one, or a namespace.
    fn part<'f>(&self, file: Scope<'f>, name: &str, rest: &str) -> Option<Found<'f>>
    where
        'l: 'f,
    {
        if let Some(file) = self.namespace(file, name) {
            return self.inside(file, rest);
        }
        match self.exported(file, name)? {
            Found::Declared(scope, one) => in_namespace(scope, &format!("{}.{rest}", one.name)),
            Found::Outside(_) | Found::Unknown => None,
        }
    }

    fn imported<'f>(&self, scope: Scope<'f>, specifier: &str, name: &str) -> Found<'f>
    where
        'l: 'f,
    {
        let file = self.passing(scope, specifier);
        let found = file.and_then(|file| {
            let found = self.exported(file, name);
            if name.contains('.') { found.or_else(|| self.inside(file, name)) } else { found }
        });
        found.unwrap_or_else(|| Found::Outside(specifier.to_owned()))
    }

    /// A type of a module that files only declare: `declare module '@theme/heading' { … }`.
    fn declared_for<'f>(&self, to: usize, module: &'f str, name: &str) -> Option<Found<'f>>
    where
        'l: 'f,
    {
        let first = self.declared_types(to, module, name).into_iter().next();
        first.map(|(scope, one)| Found::Declared(scope, one))
    }

    /// An interface may stand in several blocks, and is one all the same.
    fn declared_types<'f>(&self, to: usize, module: &'f str, name: &str) -> Vec<(Scope<'f>, &'f Declaration)>
    where
        'l: 'f,
    {
        let mut found = Vec::new();
        for at in self.members.declaring(to, module) {
            self.enter(at, name);
            let scope = Scope { module: Some(module), ..self.scope(at) };
            let blocks = blocks(scope.facts, module).filter_map(Declaration::adds);
            let types = blocks.flat_map(|(_, types)| types).filter(|one| one.name == name);
            found.extend(types.map(|one| (scope, one)));
            if found.last().is_some_and(|(last, _)| last.at == at) {
                self.follow(at);
            }
        }
        found
    }

    /// The names of a module that files only declare.
    pub(super) fn declared_names(&self, to: usize, module: &str) -> Vec<&'l String> {
        let files = self.members.declaring(to, module).into_iter();
        let shown = files.flat_map(|at| blocks(self.members.facts(at), module).flat_map(Declaration::shown));
        shown.filter(|name| *name != "default").collect()
    }

    /// What other files add to an interface of a file.
    pub(super) fn added<'f>(&self, file: Scope<'f>, name: &str) -> Vec<(Scope<'f>, &'f Declaration)>
    where
        'l: 'f,
    {
        if let Some(module) = file.module {
            return self.declared_types(file.at, module, name).into_iter().skip(1).collect();
        }
        let mut found = Vec::new();
        for at in self.members.adding(file.at) {
            self.follow(at);
            let scope = self.scope(at);
            for (to, types) in scope.facts.declarations.iter().filter_map(Declaration::adds) {
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
        match self.found(file, name) {
            Some(Exported::All(file)) => Some(self.scope(file)),
            Some(Exported::Module(file, module)) => Some(Scope { module: Some(module), ..self.scope(file) }),
            None if name == "default" && file.facts.is_common_js => Some(file),
            Some(Exported::Here(..) | Exported::Declared { .. } | Exported::Outside(_)) | None => None,
        }
    }

    /// What a file exports under a name.
    pub(super) fn exported<'f>(&self, file: Scope<'f>, name: &str) -> Option<Found<'f>>
    where
        'l: 'f,
    {
        if let Some(module) = file.module {
            return self.declared_for(file.at, module, name);
        }
        let found = match self.found(file, name)? {
            // `exports.Card = require('./card')` is what that module is.
            Exported::All(at) if self.scope(at).facts.is_common_js => {
                self.found(self.scope(at), "default")?
            }
            found => found,
        };
        match found {
            Exported::Here(at, Export { name, origin: ExportOrigin::Local(local), .. }) => {
                self.follow(at);
                let scope = self.scope(at);
                in_assigned(scope, local, name).or_else(|| {
                    let declaration = scope.facts.declaration(local)?;
                    Some(Found::Declared(scope, declaration))
                })
            }
            Exported::Declared { file, module, name } => self.declared_for(file, module, name),
            Exported::Here(..) | Exported::All(_) | Exported::Module(..) => None,
            Exported::Outside(specifier) => Some(Found::Outside(specifier.to_owned())),
        }
    }

    /// Whether a name is exported that is one of a file.
    pub(super) fn has(&self, file: Scope<'_>, name: &str) -> bool {
        matches!(self.found(file, name), Some(Exported::Here(..) | Exported::All(_)))
    }

    fn found(&self, file: Scope<'_>, name: &str) -> Option<Exported<'l>> {
        self.enter(file.at, name);
        exported(self.members, file.at, name, |at, name| self.enter(at, name))
    }
}

/// A type of a namespace of the file: by its whole name, or from within by as much of it as is needed there. By its whole
/// name also a component that another one has.
fn in_namespace<'f>(scope: Scope<'f>, name: &str) -> Option<Found<'f>> {
    if scope.namespace.is_none() && !name.contains('.') {
        return None;
    }
    let find = |whole: &str| {
        let mut all = scope.facts.declarations.iter().flat_map(Declaration::inside);
        let one = all.find(|one| one.name == whole)?;
        let namespace = divided::around_last(&one.name, b'.').map(|(around, _)| around);
        Some(Found::Declared(Scope { namespace, ..scope }, one))
    };
    let mut around = scope.namespace;
    while let Some(path) = around {
        if let Some(found) = find(&format!("{path}.{name}")) {
            return Some(found);
        }
        around = divided::around_last(path, b'.').map(|(outer, _)| outer);
    }
    find(name).or_else(|| {
        let mut parts = scope.facts.declarations.iter().flat_map(|one| &one.parts);
        Some(Found::Declared(Scope { namespace: None, ..scope }, parts.find(|one| one.name == name)?))
    })
}

/// A type of the namespace that a file exports as a whole: `export = Widget`.
fn in_assigned<'f>(scope: Scope<'f>, assigned: &str, name: &str) -> Option<Found<'f>> {
    if name == assigned || name == "default" {
        return None;
    }
    let (whole, _) = scope.facts.exported_as("default");
    let is_it = |one: &Export| matches!(&one.origin, ExportOrigin::Local(local) if local == assigned);
    whole.iter().any(is_it).then(|| in_namespace(scope, &format!("{assigned}.{name}")))?
}

/// `import('./x').Name` in parts.
fn inline_import(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("import('")?;
    rest.split_once("').")
}
