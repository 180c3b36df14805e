//! Who uses what was broken: the files that import it, also through what a private declaration is seen by, and through
//! barrels that are imported as a whole.

use std::collections::BTreeSet;

use super::Side;
use super::exported::names;
use crate::graph::{EdgeKind, Graph};
use crate::mentions::mentions;
use crate::model::{Contract, ContractDeclaration};

/// Who uses it under any of the names that it is exported by; of a private one, who uses what it is seen through.
pub(super) fn users_of(
    side: &Side<'_>,
    contract: &Contract,
    declaration: &ContractDeclaration,
) -> Vec<String> {
    let names: BTreeSet<String> = if declaration.exported {
        names(contract, declaration).into_iter().collect()
    } else {
        seen_through(contract, declaration)
    };
    let all = names.iter().flat_map(|name| users(side, &contract.entry_id, name));
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

pub(super) fn users(side: &Side<'_>, entry: &str, name: &str) -> Vec<String> {
    let Some(graph) = side.graph else { return Vec::new() };
    let Some(file) = graph.position(entry) else { return Vec::new() };
    let mut found: BTreeSet<usize> = graph.users_of(file, Some(name)).into_iter().collect();
    let mut barrels: Vec<usize> =
        found.iter().copied().filter(|user| passes_on(graph, *user, file)).collect();
    // Who imports a name from a barrel has an edge to where it is declared; who imports all of it has none.
    while let Some(barrel) = barrels.pop() {
        for user in graph.dependents(barrel) {
            let takes_all = edge(graph, *user, barrel).is_some_and(|edge| edge.names.contains("*"));
            if takes_all && found.insert(*user) && passes_on(graph, *user, barrel) {
                barrels.push(*user);
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

fn edge(graph: &Graph, from: usize, to: usize) -> Option<&crate::graph::Edge> {
    graph.edges(from).iter().find(|edge| edge.to == to)
}

fn passes_on(graph: &Graph, from: usize, to: usize) -> bool {
    edge(graph, from, to).is_some_and(|edge| edge.kind == EdgeKind::ReExport)
}

/// The names by which something is exported that leads to a private declaration.
fn seen_through(contract: &Contract, declaration: &ContractDeclaration) -> BTreeSet<String> {
    let mut leading: BTreeSet<&str> = BTreeSet::from([declaration.name.as_str()]);
    loop {
        let known = leading.len();
        for one in contract.declarations.iter().filter(|one| !one.signatures.is_empty()) {
            let props = one.props.iter().flatten().map(|prop| prop.text.as_str());
            let mut texts = one.signatures.iter().map(String::as_str).chain(props);
            if !leading.contains(&*one.name)
                && texts.any(|text| mentions(text).any(|mention| leading.contains(mention.first())))
            {
                leading.insert(&one.name);
            }
        }
        if leading.len() == known {
            break;
        }
    }
    let exported = contract.declarations.iter().filter(|one| one.exported && leading.contains(&*one.name));
    exported.flat_map(|one| names(contract, one)).collect()
}
