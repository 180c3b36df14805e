//! What others see through the signatures of a file: declarations that it keeps to itself, and names of other modules.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::iter;

use becket_base::divided;
use memchr::{memchr_iter, memrchr};

use super::exports::is_default;
use super::scope::{Resolver, Scope};
use crate::brackets::body;
use crate::mentions::{Mention, first_letter, is_class, mentions_among, type_parameters};
use crate::model::{
    ContractDeclaration, Declaration, DeclarationKind, Export, ExportOrigin, ImportedAs, ImportedName, Member,
};

/// A private declaration is known by its name; what it looks like is nobody else's business, unless somebody has to know
/// it who uses what is exported. What is seen says which of its names are imported.
pub(super) fn published(
    declarations: Vec<ContractDeclaration>,
    seen: Vec<Option<Vec<ImportedAs>>>,
) -> Vec<ContractDeclaration> {
    let mut declarations = declarations;
    for (declaration, imported) in declarations.iter_mut().zip(seen) {
        if !declaration.exported {
            declaration.doc = None;
            declaration.form = None;
            declaration.emits = Vec::new();
            declaration.state = Vec::new();
            if imported.is_none() {
                declaration.signatures = Vec::new();
                declaration.props = Vec::new();
                declaration.inherits = Vec::new();
            }
        }
        declaration.imported = imported.unwrap_or_default();
        for prop in declaration.props.iter_mut().flatten() {
            prop.elsewhere = false;
        }
    }
    declarations
}

/// What is exported without being declared here.
pub(super) fn passed_on<'l>(scope: Scope<'l>, resolver: &Resolver<'l>) -> Vec<ImportedAs> {
    let is_there = |export: &&Export| export.name != "default" || is_default(export, scope, resolver);
    let exports = scope.facts.exports.iter().filter(is_there).filter_map(|export| match &export.origin {
        ExportOrigin::Module { specifier, imported } => Some(ImportedAs {
            text: export.name.clone(),
            name: imported.clone(),
            from: module(scope, resolver, specifier),
        }),
        ExportOrigin::Local(_) => None,
    });
    exports.collect()
}

/// What of other files gives a declaration a type that it does not tell. What packages give stays as it is.
pub(super) fn given_by(one: &Declaration, scope: Scope<'_>, resolver: &Resolver<'_>) -> Vec<ImportedAs> {
    let imported = one.given_by.iter().filter_map(|text| {
        let (import, name) = scope
            .facts
            .imports
            .iter()
            .find_map(|import| Some((import, import.names.iter().find(|name| name.local == *text)?)))?;
        let from = seen_from(scope.entry, resolver.entry(scope, &import.specifier)?);
        Some(ImportedAs { text: text.clone(), name: name.imported.clone(), from })
    });
    imported.collect()
}

/// What a name at the top of a file stands for.
#[derive(Clone, Copy)]
enum Known<'f> {
    Private(usize),
    /// By which of the imports.
    Imported(usize, &'f ImportedName),
}

/// The exported declarations, and the private ones that their signatures mention, or those of such: each with what it
/// mentions of other modules.
pub(super) fn through(
    declarations: &[ContractDeclaration],
    scope: Scope<'_>,
    resolver: &Resolver<'_>,
) -> Vec<Option<Vec<ImportedAs>>> {
    let private = declarations.iter().enumerate().filter(|(_, one)| !one.exported);
    let private = private.map(|(at, one)| (one.name.as_str(), Known::Private(at)));
    let imports = &scope.facts.imports;
    let imported = imports.iter().enumerate().flat_map(|(at, import)| {
        let bound = import.names.iter().filter(|name| !name.local.is_empty());
        bound.map(move |as_what| (as_what.local.as_str(), Known::Imported(at, as_what)))
    });
    let mut names: Vec<(&str, Known<'_>)> = private.chain(imported).collect();
    if names.is_empty() {
        return declarations.iter().map(|one| one.exported.then(Vec::new)).collect();
    }
    // Whether two names are the same is mostly told by their lengths.
    names.sort_by_key(|(name, _)| (name.len(), *name));
    let letters = names.iter().fold(0, |all, (name, _)| all | first_letter(name.as_bytes()));
    let modules: Vec<OnceCell<String>> = imports.iter().map(|_| OnceCell::new()).collect();
    let module = |at: usize| modules[at].get_or_init(|| module(scope, resolver, &imports[at].specifier));
    let mut seen: Vec<Option<Vec<ImportedAs>>> =
        declarations.iter().map(|one| one.exported.then(Vec::new)).collect();
    let mut open: Vec<usize> = (0..declarations.len()).filter(|at| declarations[*at].exported).collect();
    while let Some(from) = open.pop() {
        let texts = visible(&declarations[from]);
        let mut found: Vec<(&str, Cow<'_, str>, &str)> = Vec::new();
        let signatures = &declarations[from].signatures;
        let own: OnceCell<Vec<String>> = OnceCell::new();
        let own = || own.get_or_init(|| signatures.iter().flat_map(|one| type_parameters(one)).collect());
        for mention in texts.iter().flat_map(|text| mentions_among(text, letters)) {
            let wanted = mention.first();
            let start = names.partition_point(|(name, _)| (name.len(), *name) < (wanted.len(), wanted));
            let found_there = names[start..].iter().take_while(|(name, _)| *name == wanted);
            // A type parameter is what it is, whatever else has its name.
            if found_there.clone().next().is_some() && own().iter().any(|own| own == wanted) {
                continue;
            }
            for (_, known) in found_there {
                match *known {
                    Known::Private(at) => {
                        if seen[at].is_none() && leads_to(&mention, &declarations[at]) {
                            seen[at] = Some(Vec::new());
                            open.push(at);
                        }
                    }
                    Known::Imported(at, as_what) => {
                        found.push((mention.text, name_there(&mention, &as_what.imported), module(at)));
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        let found = found.into_iter().map(|(text, name, from)| ImportedAs {
            text: text.to_owned(),
            name: name.into_owned(),
            from: from.to_owned(),
        });
        seen[from] = Some(found.collect());
    }
    seen
}

/// The texts by which others know a declaration, as far as its names are those of its file.
fn visible(one: &ContractDeclaration) -> Vec<Cow<'_, str>> {
    let (signatures, props) = shown(one);
    let signatures = signatures.into_iter().map(Cow::from);
    match props {
        Cow::Borrowed(props) => {
            let own = props.iter().flatten().filter(|prop| !prop.elsewhere);
            signatures.chain(own.map(|prop| (&*prop.text).into())).collect()
        }
        Cow::Owned(props) => {
            let own = props.into_iter().flatten().filter(|prop| !prop.elsewhere);
            signatures.chain(own.map(|prop| prop.text.into())).collect()
        }
    }
}

/// The signatures and the props by which others know a declaration. The props of a component are written out, so what it
/// calls their type is its own business.
pub(crate) fn shown(one: &ContractDeclaration) -> (Vec<&str>, Cow<'_, [Vec<Member>]>) {
    let props = one.declared_props();
    let by_props = one.kind == DeclarationKind::Component && props.iter().any(|variant| !variant.is_empty());
    let signatures = one.signatures.iter().filter_map(|text| {
        // Beside them are the members of a class, and what was assigned to it.
        if by_props && !text.starts_with("namespace ") { class_members(text) } else { Some(text) }
    });
    (signatures.collect(), if by_props { props } else { Cow::Borrowed(&[]) })
}

/// What stands in the braces of a class: behind what it extends, which may have braces of its own.
fn class_members(signature: &str) -> Option<&str> {
    let (start, _) = body(signature).filter(|_| is_class(signature))?;
    signature.get(start..)
}

/// A type is mentioned by its name alone; the same name of a value may be that of anything else.
fn leads_to(mention: &Mention<'_>, declaration: &ContractDeclaration) -> bool {
    use DeclarationKind::{Class, Enum, Interface, Namespace, Type};
    mention.is_value || matches!(declaration.kind, Class | Enum | Interface | Namespace | Type)
}

/// `ReactNode` for `React.ReactNode`, whichever way `React` was imported.
fn name_there<'t>(mention: &Mention<'t>, imported: &'t str) -> Cow<'t, str> {
    match (imported, divided::around_first(mention.text, b'.')) {
        ("*" | "default", Some((_, rest))) => rest.into(),
        (name, Some((_, rest))) => format!("{name}.{rest}").into(),
        (name, None) => name.into(),
    }
}

/// Where a specifier leads: to a file as it is seen from here, so that neither the spelling of an import nor the place of
/// the whole has a say.
fn module(scope: Scope<'_>, resolver: &Resolver<'_>, specifier: &str) -> String {
    match resolver.entry(scope, specifier) {
        Some(entry) => seen_from(scope.entry, entry),
        None => specifier.strip_prefix("node:").unwrap_or(specifier).to_owned(),
    }
}

/// `src/model/user` for `src/model/user.ts`, `src/model` for its index.
pub(crate) fn module_path(file: &str) -> &str {
    let name = memrchr(b'/', file.as_bytes()).map_or(0, |slash| slash + 1);
    let stem = memrchr(b'.', &file.as_bytes()[name..]).map_or(&file[name..], |dot| &file[name..name + dot]);
    let stem = stem.strip_suffix(".d").unwrap_or(stem);
    if stem == "index" { &file[..name.saturating_sub(1)] } else { &file[..name + stem.len()] }
}

/// `../model/user` for `src/model/user.ts`, seen from `src/pages/user.tsx`.
pub(crate) fn seen_from<'p>(from: &'p str, to: &'p str) -> String {
    let here = &from[..memrchr(b'/', from.as_bytes()).unwrap_or(0)];
    let there = module_path(to);
    // The folders that both are in.
    let ends = |path: &str, at: usize| matches!(path.as_bytes().get(at), None | Some(b'/'));
    let same = here.bytes().zip(there.bytes()).take_while(|(one, other)| one == other).count();
    let both = (0..=same).rev().find(|at| ends(here, *at) && ends(there, *at)).unwrap_or(0);
    let rest = |path: &'p str| path[both..].strip_prefix('/').unwrap_or(&path[both..]);
    let (up, down) = (rest(here), rest(there));
    let folders = if up.is_empty() { 0 } else { 1 + memchr_iter(b'/', up.as_bytes()).count() };
    let mut path = String::with_capacity(3 * folders + 2 + down.len());
    path.extend(iter::repeat_n("../", folders));
    if folders == 0 {
        path.push_str("./");
    }
    path.push_str(down);
    path
}

#[cfg(test)]
mod tests {
    use super::seen_from;

    #[test]
    fn a_file_is_known_by_its_way_from_here() {
        for (from, to, expected) in [
            ("src/a.ts", "src/q.ts", "./q"),
            ("src/a.ts", "src/q/index.tsx", "./q"),
            ("src/a/b.ts", "src/q/r.d.ts", "../q/r"),
            ("a.ts", "q.ts", "./q"),
            ("src/a.ts", "src/user.model.ts", "./user.model"),
            ("src/a.ts", "src/index.ts", "./"),
            ("src/a/b.ts", "index.ts", "../../"),
        ] {
            assert_eq!(seen_from(from, to), expected);
        }
    }
}
