//! Who uses what was broken: the files that import it, also through what a private declaration is seen by, and through
//! barrels that are imported as a whole.

use std::collections::BTreeSet;

use super::exported::names;
use super::{Change, Side};
use crate::graph::{EdgeKind, is_twin};
use crate::mentions::mentions;
use crate::model::{Contract, ContractDeclaration, DeclarationKind};

/// Who uses it under any of the names that it is exported by; of a private one, and of a type that is no longer what it
/// was, also who uses what it is seen through.
pub(super) fn users_of(
    side: &Side<'_>,
    contract: &Contract,
    declaration: &ContractDeclaration,
    change: Change,
) -> Vec<String> {
    use DeclarationKind::{Class, Enum, Interface, Type};
    let is_type = matches!(declaration.kind, Class | Enum | Interface | Type);
    let mut names: BTreeSet<String> = names(contract, declaration).into_iter().collect();
    if !declaration.exported || is_type && change == Change::Changed {
        names.extend(seen_through(contract, declaration));
    }
    let all = names.iter().flat_map(|name| users(side, &contract.entry_id, name));
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

pub(super) fn users(side: &Side<'_>, entry: &str, name: &str) -> Vec<String> {
    let Some(graph) = side.graph else { return Vec::new() };
    let Some(file) = graph.position(entry) else { return Vec::new() };
    let mut found: BTreeSet<usize> = BTreeSet::new();
    // Who imports a name from a barrel has an edge to where it is declared; who imports all of it has none. A declaration
    // file has the names of what it stands for itself.
    let mut open = vec![(file, true)];
    while let Some((here, by_name)) = open.pop() {
        for user in graph.dependents(here).iter().copied().filter(|user| *user != file) {
            let Some(edge) = graph.edges(user).iter().find(|edge| edge.to == here) else { continue };
            let takes = if by_name { edge.takes(name) } else { edge.names.has_all() };
            if takes && found.insert(user) && edge.kind == EdgeKind::ReExport {
                open.push((user, is_twin(graph.path(user), graph.path(here))));
            }
        }
    }
    found.into_iter().map(|user| graph.path(user).to_owned()).collect()
}

pub(super) fn users_of_file(side: &Side<'_>, entry: &str) -> Vec<String> {
    let Some(graph) = side.graph else { return Vec::new() };
    let Some(file) = graph.position(entry) else { return Vec::new() };
    graph.dependents(file).iter().map(|user| graph.path(*user).to_owned()).collect()
}

/// The names by which something is exported that leads to a declaration.
fn seen_through(contract: &Contract, declaration: &ContractDeclaration) -> BTreeSet<String> {
    leading_to(contract, declaration).flat_map(|one| names(contract, one)).collect()
}

/// What is exported and leads to a declaration of the same file.
pub(super) fn leading_to<'c>(
    contract: &'c Contract,
    declaration: &'c ContractDeclaration,
) -> impl Iterator<Item = &'c ContractDeclaration> {
    let mut leading: BTreeSet<&str> = BTreeSet::from([declaration.name.as_str()]);
    loop {
        let known = leading.len();
        for one in contract.declarations.iter().filter(|one| !one.signatures.is_empty()) {
            if !leading.contains(&*one.name) && names_one_of(one, |name| leading.contains(name)) {
                leading.insert(&one.name);
            }
        }
        if leading.len() == known {
            break;
        }
    }
    contract.declarations.iter().filter(move |one| one.exported && leading.contains(&*one.name))
}

/// Whether the signatures or props of a declaration mention such a name.
pub(super) fn names_one_of(one: &ContractDeclaration, is: impl Fn(&str) -> bool) -> bool {
    let props = one.props.iter().flatten().map(|prop| &prop.text);
    one.signatures.iter().chain(props).any(|text| mentions(text).any(|mention| is(mention.first())))
}
