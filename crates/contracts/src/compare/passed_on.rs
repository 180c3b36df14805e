//! Names that a file passes on from another one, when that is another file now: whether what they stand for is the same.

use std::collections::BTreeMap;

use super::{Change, DeclarationChange, Side, Verdict, judge_pair, users};
use crate::graph::EdgeKind;
use crate::model::{Contract, ContractDeclaration};

pub(super) fn changes(
    (before, after): (&Side<'_>, &Side<'_>),
    old: &Contract,
    new: &Contract,
    moves: &BTreeMap<&str, &str>,
) -> Vec<DeclarationChange> {
    let both = old.exports.named.iter().filter(|name| new.exports.named.contains(name));
    both.filter_map(|name| {
        let (from, was) = source(before, old, name)?;
        let (to, is) = source(after, new, name)?;
        if from == to || moves.get(to) == Some(&from) {
            return None;
        }
        let (verdict, reason) = judge_pair(was, is)?;
        Some(DeclarationChange {
            name: name.clone(),
            kind: "export".to_owned(),
            change: Change::Changed,
            before: was.signatures.clone(),
            after: is.signatures.clone(),
            verdict,
            reason: format!("it comes from {to} now, and came from {from}: {reason}"),
            used_by: if verdict == Verdict::Breaking {
                users(before, &old.entry_id, name)
            } else {
                Vec::new()
            },
        })
    })
    .collect()
}

/// The file that declares what another one exports by this name without declaring it, where one step leads there.
fn source<'a>(
    side: &Side<'a>,
    contract: &Contract,
    name: &str,
) -> Option<(&'a str, &'a ContractDeclaration)> {
    if contract.declarations.iter().any(|one| one.name == name) {
        return None;
    }
    let graph = side.graph?;
    let file = graph.position(&contract.entry_id)?;
    graph.edges(file).iter().filter(|edge| edge.kind == EdgeKind::ReExport).find_map(|edge| {
        let named = edge.names.iter().any(|one| one == name || one == "*");
        let (entry, other) = side.contracts.get_key_value(graph.path(edge.to)).filter(|_| named)?;
        let declared = other.declarations.iter().find(|one| one.exported && one.name == name)?;
        Some((*entry, declared))
    })
}
