//! What others see through the signatures of a file: declarations that it keeps to itself, and names of other modules.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::scope::{Resolver, Scope};
use crate::brackets::group;
use crate::mentions::{Mention, is_class, mentions};
use crate::model::{ContractDeclaration, DeclarationKind, ExportOrigin, ImportedAs, ImportedName};

/// A private declaration is known by its name; what it looks like is nobody else's business, unless somebody has to know
/// it who uses what is exported. What is seen says which of its names are imported.
pub(super) fn published(
    declarations: Vec<ContractDeclaration>,
    scope: Scope<'_>,
    resolver: &Resolver<'_>,
) -> Vec<ContractDeclaration> {
    let seen = seen_through(&declarations, scope, resolver);
    let publish = |(declaration, imported): (ContractDeclaration, Option<Vec<ImportedAs>>)| {
        let is_seen = imported.is_some();
        let declaration = ContractDeclaration { imported: imported.unwrap_or_default(), ..declaration };
        if declaration.exported {
            return declaration;
        }
        let (signatures, props, inherits) = if is_seen {
            (declaration.signatures, declaration.props, declaration.inherits)
        } else {
            Default::default()
        };
        ContractDeclaration {
            signatures,
            props,
            inherits,
            doc: None,
            form: None,
            emits: Vec::new(),
            state: Vec::new(),
            ..declaration
        }
    };
    declarations.into_iter().zip(seen).map(publish).collect()
}

/// What is exported without being declared here.
pub(super) fn passed_on(scope: Scope<'_>, resolver: &Resolver<'_>) -> Vec<ImportedAs> {
    let exports = scope.facts.exports.iter().filter_map(|export| match &export.origin {
        ExportOrigin::Module { specifier, imported } => Some(ImportedAs {
            text: export.name.clone(),
            name: imported.clone(),
            from: module(scope, resolver, specifier),
        }),
        ExportOrigin::Local(_) => None,
    });
    exports.collect()
}

/// What a name at the top of a file stands for.
#[derive(Clone, Copy)]
enum Known<'f> {
    Private(usize),
    Imported { specifier: &'f str, as_what: &'f ImportedName },
}

/// The exported declarations, and the private ones that their signatures mention, or those of such: each with what it
/// mentions of other modules.
fn seen_through(
    declarations: &[ContractDeclaration],
    scope: Scope<'_>,
    resolver: &Resolver<'_>,
) -> Vec<Option<Vec<ImportedAs>>> {
    let private = declarations.iter().enumerate().filter(|(_, one)| !one.exported);
    let private = private.map(|(at, one)| (one.name.as_str(), Known::Private(at)));
    let imported = scope.facts.imports.iter().flat_map(|import| {
        let bound = import.names.iter().filter(|name| !name.local.is_empty());
        let specifier = import.specifier.as_str();
        bound.map(move |as_what| (as_what.local.as_str(), Known::Imported { specifier, as_what }))
    });
    let mut names: Vec<(&str, Known<'_>)> = private.chain(imported).collect();
    if names.is_empty() {
        return declarations.iter().map(|one| one.exported.then(Vec::new)).collect();
    }
    names.sort_by_key(|(name, _)| *name);
    let first_letters = names.iter().fold(0, |all, (name, _)| all | first_letter(name));
    let mut modules: BTreeMap<&str, String> = BTreeMap::new();
    let mut seen: Vec<Option<Vec<ImportedAs>>> =
        declarations.iter().map(|one| one.exported.then(Vec::new)).collect();
    let mut open: Vec<usize> = (0..declarations.len()).filter(|at| declarations[*at].exported).collect();
    while let Some(from) = open.pop() {
        let mut found = Vec::new();
        for mention in visible(&declarations[from]).iter().flat_map(|text| mentions(text)) {
            let wanted = mention.first();
            if first_letters & first_letter(wanted) == 0 {
                continue;
            }
            let start = names.partition_point(|(name, _)| *name < wanted);
            for (_, known) in names[start..].iter().take_while(|(name, _)| *name == wanted) {
                match *known {
                    Known::Private(at) => {
                        if seen[at].is_none() && leads_to(&mention, &declarations[at]) {
                            seen[at] = Some(Vec::new());
                            open.push(at);
                        }
                    }
                    Known::Imported { specifier, as_what } => {
                        let from =
                            modules.entry(specifier).or_insert_with(|| module(scope, resolver, specifier));
                        found.push(ImportedAs {
                            text: mention.text.to_owned(),
                            name: name_there(&mention, &as_what.imported),
                            from: from.clone(),
                        });
                    }
                }
            }
        }
        found.sort();
        found.dedup();
        seen[from] = Some(found);
    }
    seen
}

/// One bit, by which most words are told from the names of a file.
fn first_letter(name: &str) -> u64 {
    1 << (name.bytes().next().unwrap_or_default() & 63)
}

/// The texts by which others know a declaration. The props of a component are written out, so what it calls their type is
/// its own business.
fn visible(one: &ContractDeclaration) -> Vec<Cow<'_, str>> {
    let props = one.declared_props();
    let by_props = one.kind == DeclarationKind::Component && props.iter().any(|variant| !variant.is_empty());
    let signatures = one.signatures.iter().filter_map(|text| {
        // Beside them are the members of a class, and what was assigned to it.
        if by_props && !text.starts_with("namespace ") { class_members(text) } else { Some(text) }
    });
    let signatures = signatures.map(Cow::from);
    match props {
        _ if !by_props => signatures.collect(),
        Cow::Borrowed(props) => {
            signatures.chain(props.iter().flatten().map(|prop| (&*prop.text).into())).collect()
        }
        Cow::Owned(props) => {
            signatures.chain(props.into_iter().flatten().map(|prop| prop.text.into())).collect()
        }
    }
}

/// What stands in the braces of a class: behind what it extends, which may have braces of its own.
fn class_members(signature: &str) -> Option<&str> {
    let (start, _) = group(signature, '{', '}').filter(|_| is_class(signature))?;
    signature.get(start..)
}

/// A type is mentioned by its name alone; the same name of a value may be that of anything else.
fn leads_to(mention: &Mention<'_>, declaration: &ContractDeclaration) -> bool {
    use DeclarationKind::{Class, Enum, Interface, Namespace, Type};
    mention.is_value || matches!(declaration.kind, Class | Enum | Interface | Namespace | Type)
}

/// `ReactNode` for `React.ReactNode`, whichever way `React` was imported.
fn name_there(mention: &Mention<'_>, imported: &str) -> String {
    match (imported, mention.text.split_once('.')) {
        ("*" | "default", Some((_, rest))) => rest.to_owned(),
        (name, Some((_, rest))) => format!("{name}.{rest}"),
        (name, None) => name.to_owned(),
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

/// `../model/user` for `src/model/user.ts`, seen from `src/pages/user.tsx`.
pub(crate) fn seen_from(from: &str, to: &str) -> String {
    let (folder, file) = to.rsplit_once('/').unwrap_or(("", to));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let stem = Some(stem.strip_suffix(".d").unwrap_or(stem)).filter(|stem| *stem != "index");
    let here = from.rsplit_once('/').map_or("", |(folder, _)| folder).split('/');
    let mut here = here.filter(|part| !part.is_empty()).peekable();
    let mut there = folder.split('/').filter(|part| !part.is_empty()).chain(stem).peekable();
    while here.peek().is_some() && here.peek() == there.peek() {
        here.next();
        there.next();
    }
    let mut path = "../".repeat(here.count());
    if path.is_empty() {
        path.push_str("./");
    }
    for (at, part) in there.enumerate() {
        path.push_str(if at > 0 { "/" } else { "" });
        path.push_str(part);
    }
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
