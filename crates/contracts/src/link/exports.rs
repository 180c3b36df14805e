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
    collect(scope, resolver, &mut named, &mut stars, &mut BTreeSet::new());
    if scope.facts.exports.last().is_some_and(|last| last.name == "*") {
        resolver.ask_all();
    }
    let renamed = scope.facts.renamed().filter(|(name, _)| *name != "default");
    let renamed = renamed.map(|(name, local)| (name.to_owned(), local.to_owned()));
    let as_types = scope.facts.exports.iter().filter(|export| export.type_only && export.name != "*");
    let types = as_types
        .filter(|export| match resolver.exported(scope, &export.name) {
            Some(Found::Declared(_, declaration)) => {
                !matches!(declaration.kind, DeclarationKind::Interface | DeclarationKind::Type)
            }
            _ => false,
        })
        .map(|export| export.name.clone());
    let types = sorted(types);
    let texts = |texts: Vec<&String>| {
        let mut texts = texts;
        texts.sort_unstable();
        texts.dedup();
        texts.into_iter().cloned().collect()
    };
    Exports { default, named: texts(named), stars: texts(stars), renamed: renamed.collect(), types }
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

fn collect<'l>(
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
    named: &mut Vec<&'l String>,
    stars: &mut Vec<&'l String>,
    seen: &mut BTreeSet<&'l str>,
) {
    if !seen.insert(scope.entry) {
        return;
    }
    for export in &scope.facts.exports {
        match (export.name.as_str(), &export.origin) {
            ("default", _) => {}
            ("*", ExportOrigin::Module { specifier, .. }) => match resolver.passing(scope, specifier) {
                Some(Scope { module: Some(module), .. }) => named.extend(resolver.declared_names(module)),
                Some(file) => collect(file, resolver, named, stars, seen),
                None => stars.push(specifier),
            },
            _ => named.push(&export.name),
        }
    }
}
