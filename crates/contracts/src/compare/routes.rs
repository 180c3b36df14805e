//! Addresses that a file answers at: the routes that it registers, and those that Next.js gives it by its path.

use std::collections::{BTreeMap, BTreeSet};

use super::origins::In;
use super::{Change, DeclarationChange, Side, Verdict};
use crate::model::{Contract, Route, RouteParameter, RouteRole};

/// What is answered otherwise, no longer or newly. A file is absent where there is none.
pub(super) fn changes(
    before: &Side<'_>,
    after: &Side<'_>,
    old: Option<&Contract>,
    new: Option<&Contract>,
) -> Vec<DeclarationChange> {
    let (was, is) = (answered(old), answered(new));
    let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
    let everywhere = everywhere(&was, &is);
    let mut changes = Vec::new();
    for name in names {
        let moved = match (was.get(name), is.get(name), old) {
            (Some(one), None, Some(old)) => elsewhere(before, after, (old, one), name),
            _ => None,
        };
        let now = is.get(name).or(moved.as_ref().map(|(_, answer)| answer));
        let place = moved.as_ref().map(|(file, _)| format!(": {file} answers there now")).unwrap_or_default();
        let (change, verdict, reason) = match (was.get(name), now) {
            (Some(old), Some(new)) if old.shown() == new.shown() && moved.is_none() => continue,
            (Some(old), Some(new)) if old.shown() == new.shown() => {
                (Change::Moved, Verdict::Compatible, "it takes and answers the same")
            }
            (Some(old), Some(new)) if old.is_answered_by(new, &everywhere) => {
                let reason = if old.guards() == new.guards() {
                    "it takes what it took, or more"
                } else {
                    "something more runs before it, which is no guard of its own"
                };
                (Change::Changed, Verdict::Compatible, reason)
            }
            (Some(_), Some(_)) => (Change::Changed, Verdict::Breaking, "what it takes or answers changed"),
            (Some(_), None) => (Change::Removed, Verdict::Breaking, "nothing answers there any more"),
            (None, _) => (Change::Added, Verdict::Compatible, "added"),
        };
        changes.push(DeclarationChange {
            name: name.clone(),
            kind: "route".to_owned(),
            change,
            before: was.get(name).map(Answer::shown).into_iter().collect(),
            after: now.map(Answer::shown).into_iter().collect(),
            verdict,
            reason: format!("{reason}{place}"),
            // Who imports the file need not ask for anything there, and who asks need not import it.
            used_by: Vec::new(),
        });
    }
    changes
}

/// What runs before every route of a file now, and ran before none: it is not there to guard one of them. Of an only route
/// nobody can tell.
fn everywhere<'n>(
    was: &BTreeMap<String, Answer<'_>>,
    is: &BTreeMap<String, Answer<'n>>,
) -> BTreeSet<&'n str> {
    let mut routes = is.values().filter(|answer| answer.route.is_some_and(|route| route.method != "USE"));
    let (Some(first), others) = (routes.next(), routes.collect::<Vec<_>>()) else { return BTreeSet::new() };
    let is_new = |guard: &&str| !was.values().any(|answer| answer.guards().contains(guard));
    let is_shared = |guard: &&str| others.iter().all(|answer| answer.guards().contains(guard));
    let shared = first.guards().into_iter().filter(|_| !others.is_empty()).filter(is_shared);
    shared.filter(is_new).collect()
}

/// The file that answers now what another one did. Two programs may answer at the same address, so only one that is new there
/// has taken it over, or one of the same Next.js app: there a page may be shown in several places.
fn elsewhere<'a>(
    before: &Side<'_>,
    after: &Side<'a>,
    (old, one): In<'_, Answer<'_>>,
    name: &str,
) -> Option<(&'a str, Answer<'a>)> {
    let answers = |contract: &Contract, wanted: &[String]| {
        answered(Some(contract)).iter().any(|(name, answer)| answer.at(name) == wanted)
    };
    let wanted = one.at(name);
    let is_new = |entry: &str| before.contracts.get(entry).is_none_or(|was| !answers(was, &wanted));
    let same_app =
        |entry: &str| one.route.is_none() && app(entry).is_some() && app(entry) == app(&old.entry_id);
    let mut others = after.contracts.iter().filter(|(entry, _)| **entry != old.entry_id);
    others.find_map(|(entry, contract)| {
        let mut all = answered(Some(contract)).into_iter();
        let (_, answer) = all.find(|(name, answer)| {
            answer.route.is_none_or(|route| route.file.is_none()) && answer.at(name) == wanted
        })?;
        (is_new(entry) || same_app(entry)).then_some((*entry, answer))
    })
}

/// The folder whose paths Next.js makes addresses of.
fn app(entry: &str) -> Option<&str> {
    let mut parts = entry.split_inclusive('/');
    let mut length = 0;
    parts.by_ref().find(|part| {
        length += part.len();
        matches!(*part, "app/" | "pages/")
    })?;
    Some(&entry[..length])
}

/// What is answered at an address: by a route, or by what Next.js gives the file.
#[derive(Clone, Copy)]
struct Answer<'a> {
    route: Option<&'a Route>,
    /// The mount that it is behind, whose guards are its own too.
    mount: Option<&'a Route>,
}

impl<'a> Answer<'a> {
    /// Its addresses in the whole project, by its name in the file.
    fn at(&self, name: &str) -> Vec<String> {
        match self.route {
            Some(route) if !route.full_paths.is_empty() => {
                let rest = name.strip_prefix(&format!("{} {}", route.method, route.path)).unwrap_or_default();
                route.full_paths.iter().map(|path| format!("{} {path}{rest}", route.method)).collect()
            }
            _ => vec![name.to_owned()],
        }
    }

    fn shown(&self) -> String {
        self.route.map(|route| shown_behind(route, &self.guards())).unwrap_or_default()
    }

    fn guards(&self) -> Vec<&'a str> {
        let guards = self.mount.into_iter().chain(self.route).flat_map(|one| &one.guards);
        guards.map(String::as_str).collect()
    }

    /// Whether who asked as before is answered as before. What runs `everywhere` is no guard that somebody gave the route.
    fn is_answered_by(&self, other: &Self, everywhere: &BTreeSet<&str>) -> bool {
        let (Some(was), Some(is)) = (self.route, other.route) else { return false };
        let same = |one: &RouteParameter, other: &RouteParameter| {
            (&one.name, one.source, one.taken_as()) == (&other.name, other.source, other.taken_as())
        };
        let still_taken = |one: &RouteParameter| {
            let mut others = is.parameters.iter().filter(|other| same(one, other));
            others.any(|other| other.optional || !one.optional)
        };
        let not_needed =
            |other: &&RouteParameter| other.optional || was.parameters.iter().any(|one| same(one, other));
        let guards = |answer: &Self| -> Vec<String> {
            let guards = answer.guards().into_iter();
            let own = |guard: &&str| !everywhere.contains(guard);
            guards.filter(own).map(str::to_owned).collect()
        };
        guards(self) == guards(other)
            && (&was.returns, was.status) == (&is.returns, is.status)
            && was.parameters.iter().all(still_taken)
            && is.parameters.iter().all(|one| not_needed(&one))
    }
}

/// By method and path.
fn answered(contract: Option<&Contract>) -> BTreeMap<String, Answer<'_>> {
    let Some(contract) = contract else { return BTreeMap::new() };
    let registered = contract.routes.iter().zip(Route::behind(&contract.routes));
    let registered = registered.flat_map(|(route, mount)| {
        // Each version is an address of its own.
        let versions = route.versions.iter().map(|version| format!(" version {version}"));
        let versions = versions.chain(route.versions.is_empty().then(String::new));
        let answer = Answer { route: Some(route), mount };
        versions.map(move |version| (format!("{} {}{version}", route.method, route.path), answer))
    });
    let next = contract.nextjs.iter().filter_map(|next| Some((next, next.answers()?)));
    let by_path = next.flat_map(|(next, (role, path))| {
        let methods = match role {
            RouteRole::Page => vec!["PAGE"],
            RouteRole::Api => vec!["API"],
            _ => next.methods.iter().map(String::as_str).collect(),
        };
        methods
            .into_iter()
            .map(move |method| (format!("{method} {path}"), Answer { route: None, mount: None }))
    });
    registered.chain(by_path).collect()
}

pub(super) fn shown(route: &Route) -> String {
    shown_behind(route, &route.guards.iter().map(String::as_str).collect::<Vec<_>>())
}

fn shown_behind(route: &Route, guards: &[&str]) -> String {
    let parameters: Vec<String> = route
        .parameters
        .iter()
        .map(|one| format!("{}{}: {}", one.name, if one.optional { "?" } else { "" }, one.taken_as()))
        .collect();
    let status = route.status.map(|status| format!(" status {status}")).unwrap_or_default();
    format!("({}) guards [{}] returns {}{status}", parameters.join(", "), guards.join(", "), route.returns)
}
