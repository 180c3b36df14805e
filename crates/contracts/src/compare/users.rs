//! Who uses what was broken: the files that import it, also through what a private declaration is seen by, and through
//! barrels that are imported as a whole; of what is declared for a module those that import it from there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::exported::names;
use super::form::{Form, Members};
use super::members::{brief_name, judge_members};
use super::origins::{In, Origins};
use super::{DeclarationChange, Side, Verdict, left};
use crate::graph::{Edge, EdgeKind, Graph, fits, is_twin};
use crate::mentions::mentions;
use crate::model::{Contract, ContractDeclaration, DeclarationKind, ImportedAs};
use crate::render::named;

/// What so many files use that is made of something that is made of it is hardly used for that.
const MOST_BEHIND: usize = 12;

/// Who uses it under any of the names that it is exported by. Of what is there, and no longer what it was, also who uses what
/// it is seen through, in this file or in one that names it: a type, or a value that has its type. `now` is what became of it.
pub(super) fn users_of(
    origins: &Origins<'_, '_>,
    (contract, declaration): In<'_, ContractDeclaration>,
    now: Option<&ContractDeclaration>,
) -> Vec<String> {
    let side = origins.before;
    if let Some(module) = declaration.module() {
        return users_of_module(side, contract, module, &broken(declaration, now));
    }
    let Some(graph) = side.graph else { return Vec::new() };
    let Some(own) = graph.position(&contract.entry_id) else { return Vec::new() };
    // Who does not name it does not miss its name.
    let is_there = !declaration.exported || now.is_some_and(|now| now.exported);
    let gives_other = now.is_none_or(|now| !gives_same(declaration, now));
    let mut seen: Vec<&ContractDeclaration> = vec![declaration];
    if is_there {
        seen.extend(leading_to(contract, declaration));
    }
    let names: BTreeSet<String> = seen.iter().flat_map(|one| names(contract, one)).collect();
    let mut all = BTreeSet::new();
    let mut told: BTreeMap<usize, BTreeSet<String>> = BTreeMap::from([(own, names.clone())]);
    let mut open = VecDeque::from([(own, names, 0)]);
    while let Some((file, names, steps)) = open.pop_front() {
        let users: BTreeSet<usize> = names.iter().flat_map(|name| importing(graph, file, name)).collect();
        if steps > 1 && users.len() > MOST_BEHIND {
            continue;
        }
        for user in users.iter().filter(|_| is_there) {
            let known = told.entry(*user).or_default();
            let mut more = handed_on(origins, graph, (file, &names), *user, steps > 0 || gives_other);
            more.retain(|name| known.insert(name.clone()));
            if !more.is_empty() {
                open.push_back((*user, more, steps + 1));
            }
        }
        all.extend(users);
    }
    all.remove(&own);
    all.into_iter().map(|user| graph.path(user).to_owned()).collect()
}

/// Without those who used something that went, were written anew since, and take nothing by its name any more. Whoever depends
/// on it through them is told as long as one of them is left.
pub(super) fn users_left(origins: &Origins<'_, '_>, file: &str, change: &mut DeclarationChange) {
    let Some((before, after)) = origins.before.graph.zip(origins.after.graph) else { return };
    let Some(contract) = origins.before.contracts.get(file) else { return };
    let named = contract.declarations.iter().filter(|one| one.name == change.name);
    let names: BTreeSet<String> =
        named.flat_map(|one| names(contract, one)).chain([change.name.clone()]).collect();
    let takes = |edge: &Edge| names.iter().any(|name| edge.takes(name));
    let asks =
        |graph: &Graph, user: &str| graph.position(user).is_some_and(|at| graph.edges(at).iter().any(takes));
    let is_gone = !origins.after.contracts.contains_key(origins.path_now(file));
    let missing = if is_gone { left::missing(origins, file) } else { Vec::new() };
    // Who finds the name elsewhere now may find something else by it.
    let has_followed = |user: &String| {
        asks(before, user)
            && !origins.is_untouched(user)
            && !asks(after, origins.path_now(user))
            && !missing.contains(user)
    };
    let is_direct = |user: &&String| asks(before, user);
    let direct = change.used_by.iter().filter(is_direct).count();
    change.used_by.retain(|user| !has_followed(user));
    if direct > 0 && !change.used_by.iter().any(|user| is_direct(&user)) {
        change.used_by.clear();
    }
}

/// Users are found where they were, and told where they are; one that is gone uses nothing.
pub(super) fn users_now(origins: &Origins<'_, '_>, users: &mut Vec<String>) {
    for user in users.iter_mut() {
        *user = origins.path_now(user).to_owned();
    }
    if let Some(graph) = origins.after.graph {
        users.retain(|user| graph.position(user).is_some());
    }
    users.sort_unstable();
    users.dedup();
}

/// The names of what another file exports that takes, gives or is something of these: who uses that need not name it.
fn handed_on(
    origins: &Origins<'_, '_>,
    graph: &Graph,
    (of, known): (usize, &BTreeSet<String>),
    by: usize,
    with_values: bool,
) -> BTreeSet<String> {
    let contract = |at: usize| origins.before.contracts.get(graph.path(at));
    let Some((contract, file)) = contract(of).zip(contract(by)) else { return BTreeSet::new() };
    let is_known = |one: &ImportedAs| {
        origins.target(false, file, one).is_some_and(|(path, found)| {
            path == contract.entry_id && names(contract, found).iter().any(|name| known.contains(name))
        })
    };
    let leads = |one: &ImportedAs| match one.name.as_str() {
        // The whole of a module has all of its names.
        "*" => known.iter().any(|name| is_known(&ImportedAs { name: name.clone(), ..one.clone() })),
        _ => is_known(one),
    };
    let met = |one| met(one, with_values);
    let all: BTreeSet<&ImportedAs> = file.declarations.iter().flat_map(met).collect();
    let texts: BTreeSet<&str> = all.into_iter().filter(|one| leads(one)).map(|one| &*one.text).collect();
    let named = file.declarations.iter().filter(|one| met(*one).any(|one| texts.contains(&*one.text)));
    leading_from(file, named).flat_map(|one| names(file, one)).collect()
}

/// What a declaration names of other files, and what gives it a type that it does not tell.
fn met(one: &ContractDeclaration, with_values: bool) -> impl Iterator<Item = &ImportedAs> {
    one.imported.iter().chain(one.given_by.iter().filter(move |_| with_values))
}

/// Whether only what it takes is not what it was.
fn gives_same(was: &ContractDeclaration, is: &ContractDeclaration) -> bool {
    let result = |one: &ContractDeclaration| match one.signatures.as_slice() {
        [signature] => match Form::of(one.kind, signature) {
            Form::Call(call) => Some((call.modifiers, call.generics, call.result)),
            _ => None,
        },
        _ => None,
    };
    result(was).is_some_and(|was| Some(was) == result(is))
}

pub(super) fn users(side: &Side<'_>, entry: &str, name: &str) -> Vec<String> {
    let Some(graph) = side.graph else { return Vec::new() };
    let Some(file) = graph.position(entry) else { return Vec::new() };
    importing(graph, file, name).into_iter().map(|user| graph.path(user).to_owned()).collect()
}

/// Who imports a name of a file, from there or through others.
pub(super) fn importing(graph: &Graph, file: usize, name: &str) -> BTreeSet<usize> {
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
    found
}

pub(super) fn users_of_file(side: &Side<'_>, entry: &str) -> Vec<String> {
    let Some(graph) = side.graph else { return Vec::new() };
    let Some(file) = graph.position(entry) else { return Vec::new() };
    graph.dependents(file).iter().map(|user| graph.path(*user).to_owned()).collect()
}

/// Who takes one of these names from a module that a file declares; who takes anything, where there are none.
fn users_of_module(
    side: &Side<'_>,
    contract: &Contract,
    module: &str,
    names: &BTreeSet<String>,
) -> Vec<String> {
    let Some(graph) = side.graph else { return Vec::new() };
    let Some(file) = graph.position(&contract.entry_id) else { return Vec::new() };
    let all: BTreeSet<String> = if names.is_empty() {
        users_of_file(side, &contract.entry_id).into_iter().collect()
    } else {
        names.iter().flat_map(|name| users(side, &contract.entry_id, name)).collect()
    };
    // The file may declare the same name for another module.
    let means_it = |user: &String| {
        let edges = graph.position(user).map(|at| graph.edges(at)).unwrap_or_default();
        let is_direct = edges.iter().any(|edge| edge.to == file && edge.through.is_none());
        let imports = |user: &&Contract| {
            user.brief || user.version.imports.iter().any(|from| from == module || fits(module, from))
        };
        !is_direct || side.contracts.get(user.as_str()).is_some_and(imports)
    };
    all.into_iter().filter(means_it).collect()
}

/// The names of a block by which its users find something else now, or nothing: also through what stands beside.
pub(super) fn broken(was: &ContractDeclaration, now: Option<&ContractDeclaration>) -> BTreeSet<String> {
    let block = |own: Vec<String>| Members { generics: String::new(), parents: Vec::new(), own };
    let after = block(now.map(members).unwrap_or_default());
    let before: Vec<(String, String)> =
        members(was).into_iter().map(|text| (shown_as(&text).to_owned(), text)).collect();
    let is_broken =
        |text: &String| judge_members(was.kind, &block(vec![text.clone()]), &after).0 == Verdict::Breaking;
    let mut names: BTreeSet<String> =
        before.iter().filter(|(_, text)| is_broken(text)).map(|(name, _)| name.clone()).collect();
    loop {
        let known = names.len();
        for (name, text) in &before {
            if mentions(text).any(|mention| names.contains(mention.first())) {
                names.insert(name.clone());
            }
        }
        if names.len() == known {
            return names;
        }
    }
}

/// What is in a block, each as it is declared.
pub(super) fn members(one: &ContractDeclaration) -> Vec<String> {
    let forms = one.signatures.iter().map(|text| Form::of(one.kind, text));
    forms
        .filter_map(|form| if let Form::Members(members) = form { Some(members.own) } else { None })
        .flatten()
        .collect()
}

/// The name by which a member of a block is imported.
fn shown_as(text: &str) -> &str {
    let listed = text.strip_prefix("export { ").and_then(|list| list.strip_suffix(" }"));
    if let Some(listed) = listed {
        return listed.rsplit_once(" as ").map_or(listed, |(_, name)| name);
    }
    let imported = text.strip_prefix("import ").and_then(|rest| rest.split(' ').next());
    match named(text) {
        _ if text.starts_with("default ") => "default",
        named => brief_name(text).or(imported).or(named.map(|(_, name, _)| name)).unwrap_or_default(),
    }
}

/// The names by which a file exports what `name` is seen through: itself, and what takes, gives or is something of it. Who
/// uses a component depends on the type of its props, though it never names it.
pub fn seen_through(contract: &Contract, name: &str) -> BTreeSet<String> {
    let meant = contract.declarations.iter().filter(|one| names(contract, one).iter().any(|own| own == name));
    let seen = leading_from(contract, meant).flat_map(|one| names(contract, one));
    seen.chain([name.to_owned()]).collect()
}

/// What is exported and leads to a declaration of the same file.
pub(super) fn leading_to<'c>(
    contract: &'c Contract,
    declaration: &'c ContractDeclaration,
) -> impl Iterator<Item = &'c ContractDeclaration> {
    leading_from(contract, [declaration])
}

/// What is exported and leads to one of these, or is one.
fn leading_from<'c>(
    contract: &'c Contract,
    to: impl IntoIterator<Item = &'c ContractDeclaration>,
) -> impl Iterator<Item = &'c ContractDeclaration> {
    let (mut leading, mut found) = (BTreeSet::new(), BTreeSet::new());
    let mut open: Vec<&ContractDeclaration> = to.into_iter().collect();
    while !open.is_empty() {
        for one in open.drain(..) {
            let bare = is_type(one.kind).then_some(false);
            leading.extend(bare.into_iter().chain([true]).map(|is_value| (one.name.as_str(), is_value)));
            found.insert(position(contract, one));
        }
        let is_new = |(at, one): &(usize, &ContractDeclaration)| {
            !found.contains(&Some(*at))
                && texts(one)
                    .flat_map(mentions)
                    .any(|mention| leading.contains(&(mention.first(), mention.is_value)))
        };
        open = contract.declarations.iter().enumerate().filter(is_new).map(|(_, one)| one).collect();
    }
    let is_found =
        move |(at, one): &(usize, &ContractDeclaration)| one.exported && found.contains(&Some(*at));
    contract.declarations.iter().enumerate().filter(is_found).map(|(_, one)| one)
}

fn position(contract: &Contract, declaration: &ContractDeclaration) -> Option<usize> {
    contract.declarations.iter().position(|one| std::ptr::eq(one, declaration))
}

/// Whether the bare name of such a declaration is that of a type; the same name may be that of something else.
fn is_type(kind: DeclarationKind) -> bool {
    use DeclarationKind::{Class, Component, Enum, Interface, Namespace, Type};
    matches!(kind, Class | Component | Enum | Interface | Namespace | Type)
}

/// Whether the signatures or props of a declaration mention such a name.
pub(super) fn names_one_of(one: &ContractDeclaration, is: impl Fn(&str) -> bool) -> bool {
    texts(one).any(|text| mentions(text).any(|mention| is(mention.first())))
}

fn texts(one: &ContractDeclaration) -> impl Iterator<Item = &str> {
    let props = one.props.iter().flatten().map(|prop| prop.text.as_str());
    one.signatures.iter().map(String::as_str).chain(props)
}
