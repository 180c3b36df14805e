//! The names that a file exports, those behind `export *` included.

use std::collections::BTreeSet;

use super::scope::{Found, Resolver, Scope};
use super::sorted;
use crate::model::{DeclarationKind, Export, ExportOrigin, Exports};

pub(super) fn of<'l>(scope: Scope<'l>, resolver: &Resolver<'l>) -> Exports {
    let default = scope.facts.exports.iter().find(|export| is_default(export, scope, resolver));
    let default = default.map(|export| match &export.origin {
        ExportOrigin::Local(local) => local.clone(),
        ExportOrigin::Module { imported, .. } => imported.clone(),
    });
    let mut named = Vec::new();
    let mut stars = Vec::new();
    collect(scope, resolver, false, &mut named, &mut stars, &mut BTreeSet::new());
    if scope.facts.exports.last().is_some_and(|last| last.name == "*") {
        resolver.ask_all();
    }
    let renamed = scope.facts.renamed().filter(|(name, _)| *name != "default");
    let renamed = renamed.map(|(name, local)| (name.to_owned(), local.to_owned()));
    let is_value = |name: &str| match resolver.exported(scope, name) {
        Some(Found::Declared(_, declaration)) => {
            !matches!(declaration.kind, DeclarationKind::Interface | DeclarationKind::Type)
        }
        _ => false,
    };
    let own = scope.facts.exports.iter().filter(|export| export.type_only && export.name != "*");
    // A type may have the name of a value that is exported as one.
    let as_value = |name: &str| scope.facts.exported_as(name).0.iter().any(|one| !one.type_only);
    let own = own.filter(|export| is_whole(export) || is_value(&export.name) && !as_value(&export.name));
    let own = own.map(|export| &export.name);
    // What comes by a star for types, and by no other way.
    let (behind, named): (Vec<_>, Vec<_>) = named.into_iter().partition(|(_, as_type)| *as_type);
    let mut named: Vec<&String> = named.into_iter().map(|(name, _)| name).collect();
    let behind: BTreeSet<&String> = behind.into_iter().map(|(name, _)| name).collect();
    let behind: Vec<&String> = behind.into_iter().filter(|name| !named.contains(name)).collect();
    named.extend(&behind);
    let types = sorted(own.chain(behind.into_iter().filter(|name| is_value(name))).cloned());
    let texts = |texts: Vec<&String>| {
        let mut texts = texts;
        texts.sort_unstable();
        texts.dedup();
        texts.into_iter().cloned().collect()
    };
    Exports { default, named: texts(named), stars: texts(stars), renamed: renamed.collect(), types }
}

/// All of another module by one name, which is a value.
fn is_whole(export: &Export) -> bool {
    matches!(&export.origin, ExportOrigin::Module { imported, .. } if imported == "*")
}

/// What a `CommonJS` module hands on as a whole has a default only where that has one.
pub(super) fn is_default<'l>(export: &Export, scope: Scope<'l>, resolver: &Resolver<'l>) -> bool {
    // It is handed on with everything else then; what is exported by its name is surely there.
    let may_lack = || {
        let is_same = |star: &Export| star.origin.specifier() == export.origin.specifier();
        scope.facts.is_common_js && scope.facts.exported_as("*").1.iter().any(is_same)
    };
    export.name == "default" && (!may_lack() || resolver.has(scope, "default"))
}

/// Names, each with whether it came by a star for types alone.
fn collect<'l>(
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
    as_types: bool,
    named: &mut Vec<(&'l String, bool)>,
    stars: &mut Vec<&'l String>,
    seen: &mut BTreeSet<(&'l str, bool)>,
) {
    if !seen.insert((scope.entry, as_types)) {
        return;
    }
    for export in &scope.facts.exports {
        match (export.name.as_str(), &export.origin) {
            ("default", _) => {}
            ("*", ExportOrigin::Module { specifier, .. }) => match resolver.passing(scope, specifier) {
                Some(Scope { module: Some(module), at, .. }) => {
                    named
                        .extend(resolver.declared_names(at, module).into_iter().map(|name| (name, as_types)));
                }
                Some(file) => {
                    collect(file, resolver, as_types || export.type_only, named, stars, seen);
                }
                None => stars.push(specifier),
            },
            _ => named.push((&export.name, as_types)),
        }
    }
}
