//! A declaration that another file has now: whether it is what it was, and whether who imports it followed. Of what
//! everybody sees without an import nobody has to follow.

use std::collections::{BTreeMap, BTreeSet};

use super::expand::expanded;
use super::origins::{In, Origins, home};
use super::users::{members, names_one_of, users};
use super::verdict::{Judgement, breaking};
use super::{Change, Side, Verdict, exported, judge_in_files, judge_pair};
use crate::graph::{Edge, EdgeKind, is_declaration};
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
    // Who takes all of a file that passes it on has it from there.
    let mut passing: BTreeSet<usize> = BTreeSet::new();
    let has = |passing: &BTreeSet<usize>, edge: &Edge| {
        finds(edge) || passing.contains(&edge.to) && edge.names.has_all()
    };
    loop {
        let more = known.iter().filter(|user| {
            edges(user).iter().any(|edge| edge.kind == EdgeKind::ReExport && has(&passing, edge))
        });
        let more: BTreeSet<usize> = more.filter_map(|user| after.position(origins.path_now(user))).collect();
        if more == passing {
            break;
        }
        passing = more;
    }
    let is_left = |user: &&String| {
        let edges = edges(user);
        !edges.iter().any(|edge| has(&passing, edge))
            && (edges.iter().any(asks) || origins.is_untouched(user))
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

/// What the names of its own file mean to who knew a declaration there, and finds it in another file.
pub(super) fn judge_named(
    before: In<'_, ContractDeclaration>,
    after: In<'_, ContractDeclaration>,
) -> Option<Judgement> {
    if names_the_same(before, after, &mut BTreeSet::new()) {
        return None;
    }
    let whole = |(file, one): In<'_, ContractDeclaration>| {
        let one = expanded(file, one).unwrap_or_else(|| one.clone());
        ContractDeclaration { exported: true, ..one }
    };
    let (was, is) = (whole(before), whole(after));
    // What cannot be written in place of its name is not looked at.
    let names_own = |file: &Contract, one: &ContractDeclaration| {
        names_one_of(one, |name| name != one.name && file.declarations.iter().any(|own| own.name == name))
    };
    judge_pair(&was, &is).or_else(|| {
        let is_open = names_own(before.0, &was) || names_own(after.0, &is);
        is_open.then(|| breaking("what it names in its file is something else"))
    })
}

fn taken_as(side: &Side<'_>, path: &str, one: &ContractDeclaration) -> Vec<String> {
    side.contracts.get(path).map(|file| exported::names(file, one)).unwrap_or_default()
}

/// What everybody sees without an import, by what it is called wherever it stands.
pub(super) type Ambient<'a> = BTreeMap<String, Vec<In<'a, ContractDeclaration>>>;

pub(super) fn ambient<'a>(side: &Side<'a>) -> Ambient<'a> {
    let mut all = Ambient::new();
    for file in side.contracts.values() {
        for one in &file.declarations {
            if let Some(name) = ambient_name(file, one) {
                all.entry(name).or_default().push((*file, one));
            }
        }
    }
    all
}

/// `None` for what is imported.
pub(super) fn ambient_name(file: &Contract, one: &ContractDeclaration) -> Option<String> {
    if let Some(module) = one.module() {
        return Some(format!("module '{}'", home(file, module)));
    }
    let is_global = one.name == "global" && one.kind == DeclarationKind::Namespace
        || one.exported && file.exports.is_empty() && is_of_all(file);
    is_global.then(|| one.name.clone())
}

/// Whether what a file that exports nothing shows is there for everybody: a declaration file, or one that is no module.
fn is_of_all(file: &Contract) -> bool {
    is_declaration(&file.entry_id) || [".ts", ".tsx"].iter().any(|ending| file.entry_id.ends_with(ending))
}

/// Another file that declares for everybody what a file no longer does, and did not before: two files may declare the same,
/// each for its own package.
pub(super) fn declared_elsewhere<'a>(
    origins: &Origins<'_, 'a>,
    (file, old): In<'_, ContractDeclaration>,
) -> Option<&'a str> {
    let name = ambient_name(file, old)?;
    let here = origins.path_now(&file.entry_id);
    let [before, now] = [origins.ambient_before(), origins.ambient_now()].map(|all| all.get(&name));
    let (own, others): (Vec<_>, Vec<_>) = now?.iter().copied().partition(|(other, _)| other.entry_id == here);
    let news = others.into_iter().filter_map(|(other, one)| {
        let path = origins.path_before(&other.entry_id);
        let known =
            before.into_iter().flatten().filter(|(file, _)| file.entry_id == path).map(|(_, one)| *one);
        Some((other, new_in(one, &known.collect::<Vec<_>>())?))
    });
    let news: Vec<(&'a Contract, ContractDeclaration)> = news.collect();
    let own = own.into_iter().map(|(file, one)| (file, one.clone()));
    let parts: Vec<(&Contract, ContractDeclaration)> = own.chain(news.iter().cloned()).collect();
    // The same name may be imported from elsewhere there.
    let means_the_same = |(other, one): &(&Contract, ContractDeclaration)| {
        one.imported.iter().all(|is| {
            let was = old.imported.iter().find(|was| was.text == is.text);
            was.is_none_or(|was| origins.same((file, was), (other, is)))
        })
    };
    if !parts.iter().all(means_the_same) {
        return None;
    }
    let is_kept = |old: &ContractDeclaration, new: &ContractDeclaration| {
        old.kind == new.kind && judge_pair(old, new).is_none_or(|(verdict, _)| verdict != Verdict::Breaking)
    };
    let alone = news.iter().find(|(_, one)| is_kept(old, one));
    let place = alone.or(news.first()).map(|(other, _)| other.entry_id.as_str())?;
    // Blocks for the same module are one, in however many files they stand.
    let together = || whole([old]).zip(whole(parts.iter().map(|(_, one)| one)));
    (alone.is_some() || together().is_some_and(|(before, after)| is_kept(&before, &after))).then_some(place)
}

/// Of what a file declares now what it did not declare before.
fn new_in(one: &ContractDeclaration, known: &[&ContractDeclaration]) -> Option<ContractDeclaration> {
    if known.is_empty() {
        return Some(one.clone());
    }
    let known: Vec<String> = known.iter().flat_map(|one| members(one)).collect();
    let news: Vec<String> = members(one).into_iter().filter(|text| !known.contains(text)).collect();
    (!news.is_empty()).then(|| block(one, &news))
}

/// Blocks as one.
fn whole<'c>(blocks: impl IntoIterator<Item = &'c ContractDeclaration>) -> Option<ContractDeclaration> {
    let blocks: Vec<&ContractDeclaration> = blocks.into_iter().collect();
    let first = *blocks.first().filter(|one| one.kind == DeclarationKind::Namespace)?;
    Some(block(first, &blocks.iter().flat_map(|one| members(one)).collect::<Vec<_>>()))
}

fn block(like: &ContractDeclaration, members: &[String]) -> ContractDeclaration {
    let signature = format!("declare {} {{ {} }}", like.name, members.join("; "));
    ContractDeclaration { signatures: vec![signature], ..like.clone() }
}
