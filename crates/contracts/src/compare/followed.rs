//! A declaration that another file has now: whether it is what it was, and whether who imports it followed. Of what
//! everybody sees without an import nobody has to follow.

use std::collections::{BTreeMap, BTreeSet};

use super::origins::{In, Origins, home};
use super::signature::group;
use super::users::users;
use super::{Change, Side, Verdict, exported, judge_in_files, judge_pair};
use crate::graph::{Edge, is_declaration};
use crate::mentions::mentions;
use crate::model::{Contract, ContractDeclaration, DeclarationKind};

/// What is said of a declaration that a file has no more.
pub(super) struct Gone {
    pub(super) change: Change,
    pub(super) verdict: Verdict,
    pub(super) reason: String,
    /// Those who did not follow; `None` for everybody who used it.
    pub(super) used_by: Option<Vec<String>>,
}

/// Of an exported declaration that its file, which is `now` there, no longer has.
pub(super) fn gone(
    origins: &Origins<'_, '_>,
    old: In<'_, ContractDeclaration>,
    now: Option<&Contract>,
    reason: &str,
) -> Gone {
    let moved =
        |reason: String| Gone { change: Change::Moved, verdict: Verdict::Compatible, reason, used_by: None };
    if let Some(place) = declared_elsewhere(origins, old) {
        return moved(format!("it is declared in {place} now"));
    }
    let removed = |reason: String, used_by| Gone {
        change: Change::Removed,
        verdict: Verdict::Breaking,
        reason,
        used_by,
    };
    match moved_to(origins, old, now) {
        Some((place, left)) if left.is_empty() => {
            moved(format!("it is in {place} now, and who imports it followed"))
        }
        Some((place, left)) => {
            removed(format!("it is in {place} now, and who imports it did not follow"), Some(left))
        }
        None => removed(reason.to_owned(), None),
    }
}

/// The file that has a declaration now, and those who look for it where it was. Nothing where none of its users found it,
/// and of files that others import whom nobody here knows.
fn moved_to<'a>(
    origins: &Origins<'_, 'a>,
    old: In<'_, ContractDeclaration>,
    now: Option<&Contract>,
) -> Option<(&'a str, Vec<String>)> {
    let (file, one) = old;
    let after = origins.after.graph.filter(|_| !is_entry(file))?;
    let names = exported::names(file, one);
    let known = names.iter().flat_map(|name| users(origins.before, &file.entry_id, name));
    let known: BTreeSet<String> = known.collect();
    let edges = |user: &String| {
        let at = after.position(origins.path_now(user));
        at.map(|at| after.edges(at)).unwrap_or_default()
    };
    let mut homes: BTreeMap<&'a str, &'a ContractDeclaration> = BTreeMap::new();
    let mut others = BTreeSet::new();
    let may_take = |edge: &&Edge| names.iter().chain([&one.name]).any(|name| edge.takes(name));
    for edge in known.iter().flat_map(edges).filter(may_take).filter(|edge| others.insert(edge.to)) {
        homes.extend(new_there(origins, old, after.path(edge.to)));
    }
    let finds = |edge: &Edge| {
        let path = after.path(edge.to);
        let taken = homes.get(path).map(|one| taken_as(origins.after, path, one));
        taken.is_some_and(|names| names.iter().any(|name| edge.takes(name)))
    };
    let asks = |edge: &Edge| {
        let is_there = now.is_some_and(|now| now.entry_id == after.path(edge.to));
        is_there && names.iter().any(|name| edge.takes(name))
    };
    let is_left = |user: &&String| {
        let edges = edges(user);
        !edges.iter().any(finds) && (edges.iter().any(asks) || origins.is_untouched(user))
    };
    let place = homes.keys().next()?;
    Some((*place, known.iter().filter(is_left).cloned().collect()))
}

/// A file that is made to be imported from elsewhere, or that a framework imports.
fn is_entry(file: &Contract) -> bool {
    let name = file.entry_id.rsplit('/').next().unwrap_or_default();
    name.starts_with("index.") || file.nextjs.as_ref().is_some_and(|next| next.route_role.is_some())
}

/// The same declaration in a file that did not have it.
fn new_there<'a>(
    origins: &Origins<'_, 'a>,
    old: In<'_, ContractDeclaration>,
    path: &str,
) -> Option<(&'a str, &'a ContractDeclaration)> {
    let (file, one) = old;
    let (path, other) = origins.after.contracts.get_key_value(path)?;
    let has =
        |file: &&Contract| file.declarations.iter().any(|known| known.exported && known.name == one.name);
    if *path == file.entry_id || origins.before.contracts.get(origins.path_before(path)).is_some_and(has) {
        return None;
    }
    let found = other.declarations.iter().find(|found| {
        found.exported
            && found.name == one.name
            && judge_in_files(origins, old, (other, found))
                .is_none_or(|(verdict, _)| verdict != Verdict::Breaking)
            && names_the_same(old, (other, found), &mut BTreeSet::new())
    })?;
    Some((*path, found))
}

/// Whether what a declaration names of its own file came along as it was.
fn names_the_same<'c>(
    (old_file, old): In<'c, ContractDeclaration>,
    (new_file, new): In<'_, ContractDeclaration>,
    seen: &mut BTreeSet<&'c str>,
) -> bool {
    let own = |file: &'_ Contract, name: &str| {
        file.declarations.iter().position(|one| one.name == name && !one.signatures.is_empty())
    };
    let texts = old.signatures.iter().chain(old.props.iter().flatten().map(|prop| &prop.text));
    let named: BTreeSet<&'c str> =
        texts.flat_map(|text| mentions(text)).map(|mention| mention.first()).collect();
    named.into_iter().filter(|name| *name != old.name).all(|name| {
        let Some(was) = own(old_file, name).map(|at| &old_file.declarations[at]) else { return true };
        let Some(is) = own(new_file, name).map(|at| &new_file.declarations[at]) else {
            // What is imported there is judged by where it comes from.
            return new.imported.iter().any(|one| one.text.split('.').next() == Some(name));
        };
        let outside = |one: &ContractDeclaration| ContractDeclaration { exported: true, ..one.clone() };
        !seen.insert(name)
            || judge_pair(&outside(was), &outside(is)).is_none()
                && names_the_same((old_file, was), (new_file, is), seen)
    })
}

fn taken_as(side: &Side<'_>, path: &str, one: &ContractDeclaration) -> Vec<String> {
    side.contracts.get(path).map(|file| exported::names(file, one)).unwrap_or_default()
}

/// What everybody sees without an import, by what it is called wherever it stands.
pub(super) type Ambient<'a> = BTreeMap<String, Vec<(&'a str, &'a ContractDeclaration)>>;

pub(super) fn ambient<'a>(side: &Side<'a>) -> Ambient<'a> {
    let mut all = Ambient::new();
    for (path, file) in &side.contracts {
        for one in &file.declarations {
            if let Some(name) = ambient_name(file, one) {
                all.entry(name).or_default().push((*path, one));
            }
        }
    }
    all
}

/// `None` for what is imported.
fn ambient_name(file: &Contract, one: &ContractDeclaration) -> Option<String> {
    if let Some(module) = one.module() {
        return Some(format!("module '{}'", home(file, module)));
    }
    let is_global = one.name == "global" && one.kind == DeclarationKind::Namespace
        || one.exported && file.exports.is_empty() && is_declaration(&file.entry_id);
    is_global.then(|| one.name.clone())
}

/// Another file that declares for everybody what a file no longer does.
pub(super) fn declared_elsewhere<'a>(
    origins: &Origins<'_, 'a>,
    (file, old): In<'_, ContractDeclaration>,
) -> Option<&'a str> {
    let name = ambient_name(file, old)?;
    let now = origins.ambient_now().get(&name)?;
    let is_kept = |old: &ContractDeclaration, new: &ContractDeclaration| {
        old.kind == new.kind && judge_pair(old, new).is_none_or(|(verdict, _)| verdict != Verdict::Breaking)
    };
    let alone = now.iter().find(|(_, one)| is_kept(old, one));
    if let Some((path, _)) = alone {
        return Some(*path);
    }
    // Blocks for the same module are one, in however many files they stand.
    let before = whole([old])?;
    let after = whole(now.iter().map(|(_, one)| *one))?;
    let (path, _) = now.iter().find(|(path, _)| *path != origins.path_now(&file.entry_id))?;
    is_kept(&before, &after).then_some(*path)
}

/// Blocks as one.
fn whole<'c>(blocks: impl IntoIterator<Item = &'c ContractDeclaration>) -> Option<ContractDeclaration> {
    let blocks: Vec<&ContractDeclaration> = blocks.into_iter().collect();
    let first = *blocks.first().filter(|one| one.kind == DeclarationKind::Namespace)?;
    let texts = blocks.iter().flat_map(|one| &one.signatures);
    let members =
        texts.filter_map(|text| group(text, '{', '}').and_then(|(start, end)| text.get(start + 1..end)));
    let members: Vec<&str> = members.map(str::trim).collect();
    let signature = format!("declare {} {{ {} }}", first.name, members.join("; "));
    Some(ContractDeclaration { signatures: vec![signature], ..first.clone() })
}
