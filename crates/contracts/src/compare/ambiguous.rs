//! Names that a barrel has of two files behind its stars: TypeScript refuses the second, and at run time there is neither. What
//! the barrel exports by its name itself, or finds twice in the same place, is none of these.

use std::collections::BTreeSet;

use super::exported::names;
use super::origins::{Origins, Target};
use super::{Change, DeclarationChange, Verdict, users};
use crate::graph::{EdgeKind, Graph};
use crate::model::{Contract, ImportedAs};

/// Tells them in the place of what was told of the same names.
pub(super) fn put(
    origins: &Origins<'_, '_>,
    old: Option<&Contract>,
    new: &Contract,
    told: &mut Vec<DeclarationChange>,
) {
    let found = changes(origins, old, new);
    let is_told = |one: &DeclarationChange| found.iter().any(|other| other.name == one.name);
    told.retain(|one| one.verdict == Verdict::Breaking || !is_told(one));
    told.extend(found);
}

/// What a file brings that a barrel has of another one, and what it has twice itself, where it had neither before.
fn changes(origins: &Origins<'_, '_>, old: Option<&Contract>, new: &Contract) -> Vec<DeclarationChange> {
    // Of written files nobody knows what was behind stars.
    let graphs = origins.before.graph.zip(origins.after.graph).filter(|_| !origins.before.reduced);
    let Some((_, graph)) = graphs else { return Vec::new() };
    let Some(here) = graph.position(&new.entry_id) else { return Vec::new() };
    let own: BTreeSet<String> = own_names(new).collect();
    let mut found: Vec<DeclarationChange> = Vec::new();
    for barrel in barrels(origins, graph, here) {
        let names = own.iter().filter(|name| found.iter().all(|one| one.name != **name));
        let told: Vec<_> = names.filter_map(|name| brought(origins, (old, new), barrel, name)).collect();
        found.extend(told);
    }
    if stars(new).nth(1).is_some()
        && is_refused(&new.entry_id)
        && old.is_some_and(|old| old.passed_on != new.passed_on)
    {
        found.extend(new.exports.names().filter_map(|name| had(origins, new, name)));
    }
    found
}

/// A name that another file has for the same barrel.
fn brought(
    origins: &Origins<'_, '_>,
    (old, new): (Option<&Contract>, &Contract),
    barrel: &str,
    name: &str,
) -> Option<DeclarationChange> {
    let (path, other) = *new_in(origins, barrel, name)?.iter().find(|(path, _)| *path != new.entry_id)?;
    let declared = new.declarations.iter().find(|one| names(new, one).iter().any(|own| own == name));
    let was_there = old.is_some_and(|old| old.exports.names().any(|known| known == name));
    let mut used_by = users(origins.before, origins.path_before(barrel), name);
    used_by.push(barrel.to_owned());
    Some(DeclarationChange {
        name: name.to_owned(),
        kind: declared.map_or("export", |one| one.kind.as_str()).to_owned(),
        change: if was_there { Change::Changed } else { Change::Added },
        before: Vec::new(),
        after: declared.map(|one| one.signatures.clone()).unwrap_or_default(),
        verdict: Verdict::Breaking,
        reason: format!(
            "{barrel} has `{}` of {path} by that name, too, and can hand on only one",
            other.name
        ),
        used_by,
    })
}

/// A name that a barrel has twice.
fn had(origins: &Origins<'_, '_>, barrel: &Contract, name: &str) -> Option<DeclarationChange> {
    let found = new_in(origins, &barrel.entry_id, name)?;
    let places: Vec<&str> = found.iter().map(|(path, _)| *path).collect();
    Some(DeclarationChange {
        name: name.to_owned(),
        kind: "export".to_owned(),
        change: Change::Removed,
        before: Vec::new(),
        after: Vec::new(),
        verdict: Verdict::Breaking,
        reason: format!("it comes from {} now, and only one can be handed on", places.join(" and from ")),
        used_by: users(origins.before, origins.path_before(&barrel.entry_id), name),
    })
}

/// What a barrel exported by a name and has of several files now.
fn new_in<'a>(origins: &Origins<'_, 'a>, barrel: &str, name: &str) -> Option<Vec<Target<'a>>> {
    let now = *origins.after.contracts.get(barrel)?;
    let was = *origins.before.contracts.get(origins.path_before(barrel))?;
    let was_there = name != "default" && was.exports.names().any(|known| known == name);
    let found = was_there.then(|| found_by(origins, true, now, name))?;
    (found.len() > 1 && found_by(origins, false, was, name).len() < 2).then_some(found)
}

/// What is behind the stars of a file by a name that it does not have itself.
fn found_by<'a>(origins: &Origins<'_, 'a>, is_now: bool, file: &Contract, name: &str) -> Vec<Target<'a>> {
    let mut found: Vec<Target<'a>> = Vec::new();
    if own_names(file).any(|own| own == name) {
        return found;
    }
    for star in stars(file) {
        let asked = ImportedAs { name: name.to_owned(), ..star.clone() };
        let target = origins.target(is_now, file, &asked);
        let is_new =
            |one: &Target<'_>| found.iter().all(|known| (known.0, &known.1.name) != (one.0, &one.1.name));
        found.extend(target.filter(is_new));
    }
    found
}

/// The files that have all of this one by stars, through however many of them.
fn barrels<'g>(origins: &Origins<'_, '_>, graph: &'g Graph, here: usize) -> Vec<&'g str> {
    let mut found: BTreeSet<usize> = BTreeSet::new();
    let mut open = vec![here];
    while let Some(at) = open.pop() {
        for user in graph.dependents(at).iter().copied() {
            let is_star = graph
                .edges(user)
                .iter()
                .any(|edge| edge.to == at && edge.kind == EdgeKind::ReExport && edge.names.has_all());
            if is_star && user != here && found.insert(user) {
                open.push(user);
            }
        }
    }
    let has_several =
        |path: &&str| origins.after.contracts.get(*path).is_some_and(|file| stars(file).nth(1).is_some());
    found.into_iter().map(|at| graph.path(at)).filter(|path| is_refused(path)).filter(has_several).collect()
}

/// Whether a second star is refused there: of `CommonJS` one is put onto the other, and the last is had.
fn is_refused(path: &str) -> bool {
    !path.rsplit_once('.').is_some_and(|(_, ending)| matches!(ending, "js" | "cjs" | "jsx"))
}

fn stars(file: &Contract) -> impl Iterator<Item = &ImportedAs> {
    file.passed_on.iter().filter(|one| one.text == "*")
}

/// What a file exports by its name, and not by a star.
fn own_names(file: &Contract) -> impl Iterator<Item = String> {
    let declared = file.declarations.iter().flat_map(|one| names(file, one));
    let passed_on = file.passed_on.iter().filter(|one| one.text != "*").map(|one| one.text.clone());
    declared.chain(passed_on).filter(|name| name != "default")
}
