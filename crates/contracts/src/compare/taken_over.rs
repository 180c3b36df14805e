//! A file that imports lead to now which led to another one, because it was added, or because a setting says so: what who
//! imports it finds there. The other file did not change, and may still be there for those who name it otherwise.

use std::collections::{BTreeMap, BTreeSet};

use super::left::{ends_as, means};
use super::origins::{Origins, target};
use super::users::importing;
use super::{Change, DeclarationChange, Details, FileChange, Verdict};
use crate::graph::{Edge, EdgeKind, Graph, is_twin};
use crate::model::{Contract, ImportedAs};

/// What those find otherwise who import `new` now by what led elsewhere.
pub(super) fn changes(origins: &Origins<'_, '_>, new: &Contract) -> Vec<DeclarationChange> {
    // Of written files nobody knows where imports led then.
    let graphs = origins.before.graph.zip(origins.after.graph).filter(|_| !origins.before.reduced);
    let Some((before, after)) = graphs else { return Vec::new() };
    let Some(here) = after.position(&new.entry_id) else { return Vec::new() };
    let mut taken: BTreeSet<(usize, usize)> = BTreeSet::new();
    for user in after.dependents(here) {
        let path = after.path(*user);
        let Some(was) = before.position(origins.path_before(path)) else { continue };
        if !is_direct(after.edges(*user), here) || !still_asks(origins, path, &new.entry_id) {
            continue;
        }
        let left = before.edges(was).iter().filter(|edge| edge.through.is_none()).filter_map(|edge| {
            let old = before.path(edge.to);
            let now = after.position(origins.path_now(old))?;
            (!is_direct(after.edges(*user), now) && !is_twin(&new.entry_id, old)).then_some(edge.to)
        });
        taken.extend(left.map(|old| (old, was)));
    }
    let all: BTreeSet<usize> = taken.iter().map(|(old, _)| *old).collect();
    let of = |old: usize| {
        let users = taken.iter().filter(|(of, _)| *of == old).map(|(_, user)| *user).collect();
        TakenOver { origins, graphs: (before, after), old, new, users }.changes()
    };
    all.into_iter().flat_map(of).collect()
}

/// What imports of files that nobody touched lead to now, where both sides have all that there is: settings say so. By the file
/// that is led to, or was and is to nothing now.
fn by_settings(origins: &Origins<'_, '_>) -> BTreeMap<String, Vec<DeclarationChange>> {
    let reduced = origins.before.reduced || origins.after.reduced;
    let graphs = origins.before.graph.zip(origins.after.graph).filter(|_| !reduced);
    let Some((before, after)) = graphs else { return BTreeMap::new() };
    let direct = |graph: &'_ Graph, at: usize| -> Vec<usize> {
        graph.edges(at).iter().filter(|edge| edge.through.is_none()).map(|edge| edge.to).collect()
    };
    let places = places_now(origins, (before, after));
    let (mut found, mut lost) = (BTreeSet::new(), BTreeMap::<&str, Vec<String>>::new());
    for (then, now) in places.iter().enumerate().filter_map(|(then, now)| Some((then, (*now)?))) {
        // Mostly nothing is another: paths are looked at where something is.
        let leads = after.edges(now).iter().filter(|edge| edge.through.is_none()).map(|edge| Some(edge.to));
        let led = before.edges(then).iter().filter(|edge| edge.through.is_none()).map(|edge| places[edge.to]);
        if led.eq(leads) {
            continue;
        }
        let (was_at, user) = (before.path(then), after.path(now));
        let was: Vec<&str> =
            direct(before, then).iter().map(|to| origins.path_now(before.path(*to))).collect();
        let is: Vec<&str> = direct(after, now).iter().map(|to| after.path(*to)).collect();
        if was == is || !origins.after.contracts.contains_key(user) || !origins.is_untouched(was_at) {
            continue;
        }
        let here = |path: &&&str| origins.after.contracts.contains_key(**path);
        let left: Vec<&str> = was.iter().filter(|path| !is.contains(path)).filter(here).copied().collect();
        let led: Vec<&str> = is.into_iter().filter(|path| !was.contains(path)).collect();
        if led.is_empty() {
            // What moved, or is declared otherwise, is told of already.
            let stayed = |path: &&str| origins.path_before(path) == *path && origins.is_untouched(path);
            let stayed = left.into_iter().filter(stayed);
            stayed.for_each(|path| lost.entry(path).or_default().push((*user).to_owned()));
        } else if !left.is_empty() {
            found.extend(led);
        }
    }
    let mut changes: BTreeMap<String, Vec<DeclarationChange>> = BTreeMap::new();
    // Of one that is new it is told with the rest of it.
    let known = |path: &&str| origins.before.contracts.contains_key(origins.path_before(path));
    for path in found.into_iter().filter(known) {
        let contract = origins.after.contracts.get(path);
        let told = contract.map(|contract| self::changes(origins, contract)).unwrap_or_default();
        changes.entry(path.to_owned()).or_default().extend(told);
    }
    for (path, used_by) in lost {
        changes.entry(path.to_owned()).or_default().push(DeclarationChange {
            name: path.to_owned(),
            kind: "file".to_owned(),
            change: Change::Changed,
            before: Vec::new(),
            after: Vec::new(),
            verdict: Verdict::Breaking,
            reason: "imports that led to it lead to no file now, and nobody touched them: settings did"
                .to_owned(),
            used_by,
        });
    }
    changes.retain(|_, changes| !changes.is_empty());
    changes
}

/// Where each file of the earlier graph is in the later one.
fn places_now(origins: &Origins<'_, '_>, (before, after): (&Graph, &Graph)) -> Vec<Option<usize>> {
    let mut next = 0;
    let place = |then: usize| {
        let path = origins.path_now(before.path(then));
        // Both are in the order of their paths.
        let is_next = next < after.len() && after.path(next) == path;
        let found = if is_next { Some(next) } else { after.position(path) };
        next = found.map_or(next, |at| at + 1);
        found
    };
    (0..before.len()).map(place).collect()
}

/// Puts that among what is told of files.
pub(super) fn put_by_settings(origins: &Origins<'_, '_>, files: &mut Vec<FileChange>) {
    for (entry, changes) in by_settings(origins) {
        let least = changes.iter().map(|change| change.verdict).min().unwrap_or(Verdict::Internal);
        if let Some(file) = files.iter_mut().find(|file| file.entry_id == entry) {
            file.verdict = file.verdict.min(least);
            file.declarations.extend(changes);
            file.declarations.sort_by_key(|change| change.verdict);
            continue;
        }
        let hash = origins.after.contracts.get(entry.as_str()).map(|contract| contract.semantic_hash.clone());
        files.push(FileChange {
            entry_id: entry,
            change: Change::Changed,
            moved_from: None,
            verdict: least,
            declarations: changes,
            semantic_hash_before: hash.clone(),
            semantic_hash_after: hash,
            details: Details::default(),
        });
    }
}

fn is_direct(edges: &[Edge], to: usize) -> bool {
    edges.iter().any(|edge| edge.to == to && edge.through.is_none())
}

/// Whether a file that is at a path now imports what it did then, by what leads to a file now.
fn still_asks(origins: &Origins<'_, '_>, user: &str, to: &str) -> bool {
    let (was, is) = (origins.path_before(user), origins.after.contracts.get(user));
    let before = origins.before.contracts.get(was);
    origins.is_untouched(was)
        || before.zip(is).is_some_and(|(before, is)| {
            let known = |from: &&String| before.version.imports.contains(from);
            let leads = |from: &String| means(is, from, to) || ends_as(from, super::left::module(to));
            is.version.imports.iter().filter(known).any(leads)
        })
}

struct TakenOver<'t, 's, 'a> {
    origins: &'t Origins<'s, 'a>,
    graphs: (&'t Graph, &'t Graph),
    /// By its place in the earlier graph.
    old: usize,
    new: &'t Contract,
    /// Those that imported it themselves, by their places in the same.
    users: BTreeSet<usize>,
}

impl TakenOver<'_, '_, '_> {
    fn changes(&self) -> Vec<DeclarationChange> {
        let (before, _) = self.graphs;
        let path = before.path(self.old);
        let Some(old) = self.origins.before.contracts.get(path).copied() else { return Vec::new() };
        // What is declared for a module has its name, and no place.
        if old.declarations.iter().any(|one| one.module().is_some()) {
            return Vec::new();
        }
        let names: BTreeSet<&str> = old.exports.names().collect();
        let mut found: Vec<DeclarationChange> =
            names.into_iter().filter_map(|name| self.change(old, name)).collect();
        if found.iter().all(|change| change.verdict != Verdict::Breaking) {
            let reason = format!("imports find it in the place of {} now", self.origins.path_now(path));
            found.push(self.told((&self.new.entry_id, "file"), Verdict::Compatible, reason));
        }
        found
    }

    /// What those find who use a name of the file that was.
    fn change(&self, old: &Contract, name: &str) -> Option<DeclarationChange> {
        let users = self.users_of(name);
        if users.is_empty() {
            return None;
        }
        let was = declared(self.origins, false, old, name);
        let is = declared(self.origins, true, self.new, name);
        let kind = was.map_or("export", |(_, one)| one.kind.as_str());
        let (verdict, reason) = if self.new.exports.names().any(|known| known == name) {
            self.origins.judge_found(was?, is?)?
        } else if self.new.exports.stars.is_empty() || name == "default" {
            let place = &self.new.entry_id;
            (
                Verdict::Breaking,
                format!("imports find {place} in the place of {} now, which lacks it", old.entry_id),
            )
        } else {
            return None;
        };
        let mut told = self.told((name, kind), verdict, reason);
        told.before = was.map(|(_, one)| one.signatures.clone()).unwrap_or_default();
        told.after = is.map(|(_, one)| one.signatures.clone()).unwrap_or_default();
        if verdict == Verdict::Breaking {
            told.used_by = users;
        }
        Some(told)
    }

    fn told(&self, (name, kind): (&str, &str), verdict: Verdict, reason: String) -> DeclarationChange {
        DeclarationChange {
            name: name.to_owned(),
            kind: kind.to_owned(),
            change: Change::Changed,
            before: Vec::new(),
            after: Vec::new(),
            verdict,
            reason,
            used_by: Vec::new(),
        }
    }

    /// Who had a name from there and has it no more, of those that imported it and of those that had it through these.
    fn users_of(&self, name: &str) -> Vec<String> {
        let (before, after) = self.graphs;
        let has_it = |user: usize| {
            let now = after.position(self.origins.path_now(before.path(self.old)));
            let at = after.position(self.origins.path_now(before.path(user)));
            at.zip(now).is_some_and(|(at, now)| {
                after.edges(at).iter().any(|edge| edge.to == now && edge.takes(name))
            })
        };
        let passing: BTreeSet<usize> =
            self.users.iter().copied().filter(|user| self.passes_on(*user)).collect();
        let is_behind = |user: usize| {
            before.edges(user).iter().any(|edge| {
                edge.through.is_some_and(|through| passing.contains(&through)) || passing.contains(&edge.to)
            })
        };
        let users = importing(before, self.old, name).into_iter();
        let users = users.filter(|user| self.users.contains(user) || is_behind(*user));
        // Who was written anew need not use it any more.
        let is_user = |user: &usize| {
            let path = before.path(*user);
            let uses = || {
                let at = after.position(self.origins.path_now(path));
                at.is_some_and(|at| after.edges(at).iter().any(|edge| self.is_new(edge) && edge.takes(name)))
            };
            !has_it(*user) && (self.origins.is_untouched(path) || uses())
        };
        users.filter(is_user).map(|user| before.path(user).to_owned()).collect()
    }

    fn is_new(&self, edge: &Edge) -> bool {
        self.graphs.1.path(edge.to) == self.new.entry_id
    }

    fn passes_on(&self, user: usize) -> bool {
        let edges = self.graphs.0.edges(user).iter();
        edges.filter(|edge| edge.to == self.old).any(|edge| edge.kind == EdgeKind::ReExport)
    }
}

/// The declaration that a file exports by a name, its own or one that it passes on.
fn declared<'a>(
    origins: &Origins<'_, 'a>,
    is_now: bool,
    file: &Contract,
    name: &str,
) -> Option<(&'a str, &'a crate::model::ContractDeclaration)> {
    let side = if is_now { origins.after } else { origins.before };
    let (path, file) = side.contracts.get_key_value(file.entry_id.as_str())?;
    let own = file
        .declarations
        .iter()
        .find(|one| one.exported && file.exports.names_of(&one.name).any(|known| known == name));
    if let Some(own) = own {
        return Some((path, own));
    }
    let one = file.passed_on.iter().find(|one| one.text == name)?;
    target(side, file, &ImportedAs { text: name.to_owned(), ..one.clone() })
}
