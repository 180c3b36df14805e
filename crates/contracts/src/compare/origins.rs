//! Where the names in a declaration come from, before and after: the same name may be that of something else.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::followed::{Ambient, ambient, judge_named};
use super::left::{Asking, asked};
use super::verdict::{Judgement, breaking};
use super::{Side, judge_pair};
use crate::graph::Graph;
use crate::link::{module_path, seen_from, shown};
use crate::mentions::{mentions, replaced};
use crate::model::{Contract, ContractDeclaration, ImportedAs};

pub(super) struct Origins<'s, 'a> {
    pub(super) before: &'s Side<'a>,
    pub(super) after: &'s Side<'a>,
    /// Modules by where they are now, with where they were.
    moved: BTreeMap<String, String>,
    /// Files by where they were, with where they are now, and the other way.
    now: BTreeMap<&'a str, &'a str>,
    was: &'s BTreeMap<&'a str, &'a str>,
    ambient_before: OnceCell<Ambient<'a>>,
    ambient_now: OnceCell<Ambient<'a>>,
    asking: OnceCell<Asking<'a>>,
    /// What names were found to lead to: many declarations name the same.
    found: RefCell<HashMap<String, Option<Target<'a>>>>,
}

/// A file, and a declaration in it.
pub(super) type Target<'a> = (&'a str, &'a ContractDeclaration);

/// A file with something in it.
pub(super) type In<'c, T> = (&'c Contract, &'c T);

impl<'s, 'a> Origins<'s, 'a> {
    /// `was` are the files that moved, by where they are now.
    pub(super) fn new(
        before: &'s Side<'a>,
        after: &'s Side<'a>,
        was: &'s BTreeMap<&'a str, &'a str>,
    ) -> Self {
        let moved = was.iter().map(|(new, old)| (seen_from("", new), seen_from("", old))).collect();
        let now = was.iter().map(|(new, old)| (*old, *new)).collect();
        let (ambient_before, ambient_now, asking, found) = Default::default();
        Self { before, after, moved, now, was, ambient_before, ambient_now, asking, found }
    }

    /// As [`target`], of one of the two sides.
    pub(super) fn target(&self, is_now: bool, contract: &Contract, one: &ImportedAs) -> Option<Target<'a>> {
        let asked = [if is_now { "1" } else { "0" }, &contract.entry_id, &one.from, &one.name].join("\0");
        if let Some(known) = self.found.borrow().get(&asked) {
            return *known;
        }
        let found = target(if is_now { self.after } else { self.before }, contract, one);
        self.found.borrow_mut().insert(asked, found);
        found
    }

    /// Where a file is now; of one that is gone, where it was.
    pub(super) fn path_now<'p>(&self, path: &'p str) -> &'p str
    where
        'a: 'p,
    {
        self.now.get(path).copied().unwrap_or(path)
    }

    /// Where a file was before.
    pub(super) fn path_before<'p>(&self, path: &'p str) -> &'p str
    where
        'a: 'p,
    {
        self.was.get(path).copied().unwrap_or(path)
    }

    /// Whether the text of a file that was there is what it was.
    pub(super) fn is_untouched(&self, path: &str) -> bool {
        let text = |side: &Side<'_>, path: &str| side.contracts.get(path).map(|one| one.file_hash.clone());
        let was = text(self.before, path).filter(|hash| !hash.is_empty());
        was.is_some() && was == text(self.after, self.path_now(path))
    }

    /// What the earlier side declares for everybody, and the later one.
    pub(super) fn ambient_before(&self) -> &Ambient<'a> {
        self.ambient_before.get_or_init(|| ambient(self.before))
    }

    pub(super) fn ambient_now(&self) -> &Ambient<'a> {
        self.ambient_now.get_or_init(|| ambient(self.after))
    }

    /// What is imported now and is not there.
    pub(super) fn asking(&self) -> &Asking<'a> {
        self.asking.get_or_init(|| asked(self))
    }

    /// Whether two names stand for the same, as far as modules tell.
    pub(super) fn same(&self, old: In<'_, ImportedAs>, new: In<'_, ImportedAs>) -> bool {
        let now = home(new.0, &new.1.from);
        if old.1.name == new.1.name && home(old.0, &old.1.from) == *self.moved.get(&now).unwrap_or(&now) {
            return true;
        }
        let was = outside(self.before, old.0, old.1);
        was.is_some() && was == outside(self.after, new.0, new.1)
    }

    /// The new declaration with the names that the old one has for what it imports; `None` where they are the same.
    pub(super) fn renamed(
        &self,
        (old_file, old): In<'_, ContractDeclaration>,
        (new_file, new): In<'_, ContractDeclaration>,
    ) -> Option<ContractDeclaration> {
        let other = |text: &str| -> Option<&str> {
            let now = new.imported.iter().find(|one| one.text == text)?;
            let was = old.imported.iter().filter(|one| self.same((old_file, one), (new_file, now)));
            // One thing may have two names, and keeps both.
            let mut names = was.map(|was| was.text.as_str());
            if names.clone().any(|was| was == text) { None } else { names.next() }
        };
        new.imported.iter().find(|one| other(&one.text).is_some())?;
        let text = |text: &String| replaced(text, |mention| other(mention.text)).into_owned();
        let mut renamed = new.clone();
        renamed.signatures = new.signatures.iter().map(text).collect();
        for prop in renamed.props.iter_mut().flatten() {
            prop.text = text(&prop.text);
        }
        for one in &mut renamed.imported {
            if let Some(was) = other(&one.text) {
                was.clone_into(&mut one.text);
            }
        }
        Some(renamed)
    }

    /// The gravest of what names mean that both sides have, and that come from elsewhere now.
    pub(super) fn judge(
        &self,
        (old_file, old): In<'_, ContractDeclaration>,
        (new_file, new): In<'_, ContractDeclaration>,
    ) -> Option<Judgement> {
        if old.imported.is_empty() && new.imported.is_empty() {
            return None;
        }
        let (in_old, in_new) = (named(old_file, old), named(new_file, new));
        let all: BTreeSet<&str> = old.imported.iter().chain(&new.imported).map(|one| &*one.text).collect();
        let both = all.into_iter().filter(|text| in_old.contains(*text) && in_new.contains(*text));
        let judged = both.filter_map(|text| {
            let of = |one: &'_ ContractDeclaration| one.imported.iter().position(|one| one.text == text);
            let (was, is) = (of(old).map(|at| &old.imported[at]), of(new).map(|at| &new.imported[at]));
            if was.zip(is).is_some_and(|(was, is)| self.same((old_file, was), (new_file, is))) {
                return None;
            }
            let before = declared(self.before, old_file, was, text);
            let after = declared(self.after, new_file, is, text);
            // The same import of a file that is gone, or left out: that is told of the file.
            let is_gone =
                before.is_some_and(|(path, _)| !self.after.contracts.contains_key(self.path_now(path)));
            if is_gone && after.is_none() && self.is_untouched(&old_file.entry_id) {
                return None;
            }
            let from = |one: Option<&ImportedAs>| one.map_or("elsewhere", |one| &one.from).to_owned();
            self.judge_targets(before, after).unwrap_or_else(|| {
                Some(breaking(format!("`{text}` is of `{}` now, and was of `{}`", from(is), from(was))))
            })
        });
        judged.min()
    }

    /// What two declarations, each with its file, mean to who knew the one and finds the other. The outer `None` where one
    /// of them is not known.
    #[expect(clippy::option_option, reason = "not known, and known to be the same")]
    pub(super) fn judge_targets(
        &self,
        before: Option<(&str, &ContractDeclaration)>,
        after: Option<(&str, &ContractDeclaration)>,
    ) -> Option<Option<Judgement>> {
        let ((from, was), (to, is)) = (before?, after?);
        let here = seen_from("", to);
        if was.name == is.name && seen_from("", from) == *self.moved.get(&here).unwrap_or(&here) {
            return Some(None);
        }
        Some(self.judge_found((from, was), (to, is)))
    }

    /// The same of two that are known not to be in one file, however alike their paths are.
    pub(super) fn judge_found(
        &self,
        (from, was): (&str, &ContractDeclaration),
        (to, is): (&str, &ContractDeclaration),
    ) -> Option<Judgement> {
        let outside = |one: &ContractDeclaration| ContractDeclaration { exported: true, ..one.clone() };
        let files = self.before.contracts.get(from).zip(self.after.contracts.get(to));
        let named = files.and_then(|(before, after)| judge_named((before, was), (after, is)));
        let judged = judge_pair(&outside(was), &outside(is)).into_iter().chain(named).min();
        let told = |(verdict, reason)| {
            (verdict, format!("`{}` comes from {to} now, and came from {from}: {reason}", is.name))
        };
        judged.map(told)
    }
}

/// The file and declaration that a name leads to, through however many barrels.
pub(super) fn target<'a>(side: &Side<'a>, contract: &Contract, one: &ImportedAs) -> Option<Target<'a>> {
    let file = side.graph?.position(&contract.entry_id)?;
    through(side, file, one, &mut BTreeSet::new())
}

/// Of what a file imports or passes on. Barrels may lead in circles.
fn through<'a>(
    side: &Side<'a>,
    file: usize,
    one: &ImportedAs,
    passed: &mut BTreeSet<(usize, String)>,
) -> Option<(&'a str, &'a ContractDeclaration)> {
    let graph = side.graph?;
    let at = leads(graph, file, &one.from)?;
    // `E` of `E.Member`.
    let name = one.name.split('.').next().unwrap_or_default();
    if !passed.insert((at, name.to_owned())) {
        return None;
    }
    let (entry, other) = side.contracts.get_key_value(graph.path(at))?;
    let is_it = |one: &&ContractDeclaration| {
        one.exported && other.exports.names_of(&one.name).any(|known| known == name)
    };
    if let Some(found) = other.declarations.iter().find(is_it) {
        return Some((*entry, found));
    }
    let named = other.passed_on.iter().find(|one| one.text == name);
    if let Some(one) = named {
        return through(side, at, one, passed);
    }
    // A default is not passed on by a star.
    let stars = other.passed_on.iter().filter(|one| one.text == "*" && name != "default");
    stars
        .map(|star| ImportedAs { name: name.to_owned(), ..star.clone() })
        .find_map(|one| through(side, at, &one, passed))
}

/// The file that another one means by a module, as it is seen from there.
fn leads(graph: &Graph, file: usize, from: &str) -> Option<usize> {
    // A package is no file, and asked for most often.
    let there = from.starts_with('.').then(|| home_of(graph.path(file), from))?;
    graph.edges(file).iter().map(|edge| edge.to).find(|to| module_path(graph.path(*to)) == &there[2..])
}

/// The package that a name leads to, through however many barrels, and its name there.
pub(super) fn outside(side: &Side<'_>, contract: &Contract, one: &ImportedAs) -> Option<(String, String)> {
    let mut passed = BTreeSet::new();
    let (mut path, mut from, mut name) = (contract.entry_id.as_str(), one.from.clone(), one.name.clone());
    loop {
        if !from.starts_with('.') {
            return Some((without_ending(&from).to_owned(), name));
        }
        let graph = side.graph?;
        let at = leads(graph, graph.position(path)?, &from)?;
        let other = side.contracts.get(graph.path(at)).filter(|_| passed.insert((at, name.clone())))?;
        let (first, rest) = name.split_once('.').map_or((&*name, None), |(first, rest)| (first, Some(rest)));
        let next = other.passed_on.iter().find(|one| one.text == first);
        // Of several stars nobody knows which one has it.
        let mut stars = other.passed_on.iter().filter(|one| one.text == "*");
        let is_own = other.declarations.iter().any(|one| one.name == first);
        let star = stars.next().filter(|_| stars.next().is_none() && first != "default" && !is_own);
        (from, name) = match (next, star, rest) {
            (Some(next), _, None) => (next.from.clone(), next.name.clone()),
            (Some(next), _, Some(rest)) if next.name == "*" => (next.from.clone(), rest.to_owned()),
            (Some(next), _, Some(rest)) => (next.from.clone(), format!("{}.{rest}", next.name)),
            (None, Some(star), _) => (star.from.clone(), name),
            (None, None, _) => return None,
        };
        path = &other.entry_id;
    }
}

/// As [`target`], where a name that is not imported is one of the file itself.
fn declared<'a>(
    side: &Side<'a>,
    contract: &Contract,
    one: Option<&ImportedAs>,
    text: &str,
) -> Option<(&'a str, &'a ContractDeclaration)> {
    if let Some(one) = one {
        return target(side, contract, one);
    }
    let (entry, file) = side.contracts.get_key_value(contract.entry_id.as_str())?;
    let own = file.declarations.iter().find(|one| one.name == text && !one.signatures.is_empty())?;
    Some((*entry, own))
}

/// What others see named by a declaration. A prop may be of another file, whose names these are, unless this one knows them.
fn named(file: &Contract, one: &ContractDeclaration) -> BTreeSet<String> {
    let (signatures, props) = shown(one);
    let is_known = |name: &&str| {
        one.imported.iter().any(|imported| imported.text == *name)
            || file.declarations.iter().any(|one| one.name == *name)
    };
    let mut all: BTreeSet<String> =
        signatures.iter().flat_map(|text| mentions(text)).map(|mention| mention.text.to_owned()).collect();
    for prop in props.iter().flatten() {
        let names = mentions(&prop.text).map(|mention| mention.text).filter(is_known);
        all.extend(names.map(str::to_owned));
    }
    all
}

/// The module that a name comes from, seen from the root.
pub(super) fn home(contract: &Contract, from: &str) -> String {
    if !from.starts_with('.') {
        return without_ending(from).to_owned();
    }
    home_of(&contract.entry_id, from)
}

/// `next/navigation` for `next/navigation.js`, and `chart.js` for itself.
fn without_ending(from: &str) -> &str {
    let is_module = |path: &&str| path.matches('/').count() > usize::from(from.starts_with('@'));
    from.strip_suffix(".js").filter(is_module).unwrap_or(from)
}

/// The same of a module that is named by the way from a file.
fn home_of(file: &str, from: &str) -> String {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in from.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    format!("./{}", parts.join("/"))
}
