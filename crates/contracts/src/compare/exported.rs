//! Which declaration of one side is which of the other: by the names that others use, then by its own.

use std::collections::BTreeSet;

use crate::model::{Contract, ContractDeclaration, DeclarationKind};

type Pair<'a> = (Option<&'a ContractDeclaration>, Option<&'a ContractDeclaration>);

/// Each declaration once. Exported ones are paired by a name that both are exported by; what the file calls them is
/// nobody else's business.
pub(super) fn pairs<'a>(old: &'a Contract, new: &'a Contract) -> Vec<Pair<'a>> {
    let before: Vec<(&ContractDeclaration, BTreeSet<String>)> = with_names(old);
    let after: Vec<(&ContractDeclaration, BTreeSet<String>)> = with_names(new);
    let mut found: Vec<Option<usize>> = vec![None; before.len()];
    let mut taken = vec![false; after.len()];
    let fits: [fn(&Named<'_>, &Named<'_>) -> bool; 4] = [
        |one, other| shared(one, other) && is_type(one.0) == is_type(other.0),
        |one, other| one.0.name == other.0.name && is_type(one.0) == is_type(other.0),
        shared,
        |one, other| one.0.name == other.0.name,
    ];
    for fit in fits {
        for (at, one) in before.iter().enumerate().filter(|(at, _)| found[*at].is_none()).collect::<Vec<_>>()
        {
            let other = (0..after.len()).find(|other| !taken[*other] && fit(one, &after[*other]));
            if let Some(other) = other {
                found[at] = Some(other);
                taken[other] = true;
            }
        }
    }
    let olds =
        before.iter().zip(&found).map(|((one, _), other)| (Some(*one), other.map(|other| after[other].0)));
    let news = after.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|((one, _), _)| (None, Some(*one)));
    let mut all: Vec<Pair<'a>> = olds.chain(news).collect();
    all.sort_by_key(|(old, new)| new.or(*old).map(|one| (one.name.as_str(), one.kind)));
    all
}

type Named<'a> = (&'a ContractDeclaration, BTreeSet<String>);

fn shared(one: &Named<'_>, other: &Named<'_>) -> bool {
    !one.1.is_disjoint(&other.1)
}

fn with_names(contract: &Contract) -> Vec<Named<'_>> {
    contract.declarations.iter().map(|one| (one, names(contract, one).into_iter().collect())).collect()
}

/// The names that a declaration is exported by.
pub(super) fn names(contract: &Contract, declaration: &ContractDeclaration) -> Vec<String> {
    if !declaration.exported {
        return Vec::new();
    }
    contract.exports.names_of(&declaration.name).map(str::to_owned).collect()
}

/// Names whose coming or going is told by a declaration that came or went.
pub(super) fn told_by_declarations(old: &Contract, new: &Contract) -> BTreeSet<String> {
    let mut told = BTreeSet::new();
    for (before, after) in pairs(old, new) {
        match (before, after) {
            (Some(before), None) => told.extend(names(old, before)),
            (None, Some(after)) => told.extend(names(new, after)),
            (Some(before), Some(after)) if before.exported != after.exported => {
                told.extend(names(old, before));
                told.extend(names(new, after));
            }
            _ => {}
        }
    }
    told
}

fn is_type(declaration: &ContractDeclaration) -> bool {
    matches!(declaration.kind, DeclarationKind::Interface | DeclarationKind::Type)
}
