//! Names that a file passes on from another one, when that is another one now: whether what they stand for is the same.

use std::collections::BTreeSet;

use super::origins::{In, Origins, target};
use super::verdict::breaking;
use super::{Change, DeclarationChange, Side, Verdict, exported, users};
use crate::graph::EdgeKind;
use crate::model::{Contract, ContractDeclaration, ImportedAs};

pub(super) fn changes(origins: &Origins<'_, '_>, old: &Contract, new: &Contract) -> Vec<DeclarationChange> {
    let after: BTreeSet<&str> = new.exports.names().collect();
    let both = old.exports.names().filter(|name| after.contains(name));
    both.filter_map(|name| {
        let (said, says) = (explicit(old, name), explicit(new, name));
        if said.zip(says).is_some_and(|(said, says)| origins.same((old, said), (new, says))) {
            return None;
        }
        let was = source(origins.before, old, name);
        let is = source(origins.after, new, name);
        let signatures = |one: Option<(&str, &ContractDeclaration)>| {
            one.map(|(_, one)| one.signatures.clone()).unwrap_or_default()
        };
        let (before, shown_after) = (signatures(was), signatures(is));
        let judged = origins.judge_targets(was, is).or_else(|| {
            let (said, says) = said.zip(says)?;
            Some(Some(breaking(format!("it comes from `{}` now, and came from `{}`", says.from, said.from))))
        });
        let (verdict, reason) = judged.flatten()?;
        let used_by = || users(origins.before, &old.entry_id, name);
        Some(DeclarationChange {
            name: name.to_owned(),
            kind: "export".to_owned(),
            change: Change::Changed,
            before,
            after: shown_after,
            verdict,
            reason,
            used_by: if verdict == Verdict::Breaking { used_by() } else { Vec::new() },
        })
    })
    .collect()
}

/// What is passed on may come by another way and be what it was: it is told, because the hash knows the ways.
pub(super) fn another_way(old: &Contract, new: &Contract) -> Option<DeclarationChange> {
    let all =
        |contract: &'_ Contract| -> BTreeSet<ImportedAs> { contract.passed_on.iter().cloned().collect() };
    let (before, after) = (all(old), all(new));
    let other = after.symmetric_difference(&before).next()?;
    Some(DeclarationChange {
        name: other.text.clone(),
        kind: "export".to_owned(),
        change: Change::Changed,
        before: Vec::new(),
        after: Vec::new(),
        verdict: Verdict::Compatible,
        reason: "it is passed on in another way, and is the same".to_owned(),
        used_by: Vec::new(),
    })
}

fn explicit<'c>(contract: &'c Contract, name: &str) -> Option<&'c ImportedAs> {
    // By name, as the exports are, and what has none last.
    let named = contract.passed_on.partition_point(|one| one.text != "*");
    let at = contract.passed_on[..named].binary_search_by(|one| one.text.as_str().cmp(name)).ok()?;
    contract.passed_on.get(at)
}

/// The file and the declaration there, of something that one contract declares and another of the same file only passes on
/// under the same name.
pub(super) fn of_declared<'a>(
    side: &Side<'a>,
    (contract, declaration): In<'_, ContractDeclaration>,
    passing: &Contract,
) -> Option<In<'a, ContractDeclaration>> {
    let names = exported::names(contract, declaration);
    let mut passed_on = names.iter().filter(|name| passing.exports.names().any(|known| known == *name));
    let (path, found) = passed_on.find_map(|name| source(side, passing, name))?;
    Some((side.contracts.get(path)?, found))
}

/// The module that a file passed on what another declares by one of its names now.
pub(super) fn from<'c>(
    passing: &'c Contract,
    (contract, declaration): In<'_, ContractDeclaration>,
) -> Option<&'c str> {
    let names = exported::names(contract, declaration);
    names.iter().find_map(|name| explicit(passing, name)).map(|one| one.from.as_str())
}

/// The file that declares what another one exports by this name without declaring it, where one step leads there.
fn source<'a>(
    side: &Side<'a>,
    contract: &Contract,
    name: &str,
) -> Option<(&'a str, &'a ContractDeclaration)> {
    if let Some(one) = explicit(contract, name) {
        return target(side, contract, one);
    }
    // It may be called otherwise in its file.
    let is_own = |one: &ContractDeclaration| {
        one.name == name || exported::names(contract, one).iter().any(|known| known == name)
    };
    if contract.declarations.iter().any(is_own) {
        return None;
    }
    let graph = side.graph?;
    let file = graph.position(&contract.entry_id)?;
    graph.edges(file).iter().find_map(|edge| {
        // What is imported and exported by a list is passed on as well.
        let named = edge.names.iter().any(|one| one == name || one == "*" && edge.kind == EdgeKind::ReExport);
        let (entry, other) = side.contracts.get_key_value(graph.path(edge.to)).filter(|_| named)?;
        let declared = other.declarations.iter().find(|one| one.exported && one.name == name)?;
        Some((*entry, declared))
    })
}
