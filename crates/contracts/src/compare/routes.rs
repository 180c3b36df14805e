//! Addresses that a file answers at: the routes that it registers, and those that Next.js gives it by its path.

use std::collections::{BTreeMap, BTreeSet};

use super::{Change, DeclarationChange, Side, Verdict, users_of_file};
use crate::model::{Contract, Route, RouteParameter, RouteRole};

/// What is answered otherwise, no longer or newly. A side is absent where there is no file.
pub(super) fn changes(
    side: &Side<'_>,
    old: Option<&Contract>,
    new: Option<&Contract>,
) -> Vec<DeclarationChange> {
    let (before, after) = (answered(old), answered(new));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut changes = Vec::new();
    for name in names {
        let (change, verdict, reason) = match (before.get(name), after.get(name)) {
            (Some(old), Some(new)) if old.shown() == new.shown() => continue,
            (Some(old), Some(new)) if old.is_answered_by(new) => {
                (Change::Changed, Verdict::Compatible, "it takes what it took, or more")
            }
            (Some(_), Some(_)) => (Change::Changed, Verdict::Breaking, "what it takes or answers changed"),
            (Some(_), None) => (Change::Removed, Verdict::Breaking, "nothing answers there any more"),
            (None, _) => (Change::Added, Verdict::Compatible, "added"),
        };
        let users = || old.map(|old| users_of_file(side, &old.entry_id)).unwrap_or_default();
        changes.push(DeclarationChange {
            name: name.clone(),
            kind: "route".to_owned(),
            change,
            before: before.get(name).map(Answer::shown).into_iter().collect(),
            after: after.get(name).map(Answer::shown).into_iter().collect(),
            verdict,
            reason: reason.to_owned(),
            used_by: if verdict == Verdict::Breaking { users() } else { Vec::new() },
        });
    }
    changes
}

/// What is answered at an address: by a route, or by what Next.js gives the file.
#[derive(Clone, Copy)]
struct Answer<'a>(Option<&'a Route>);

impl Answer<'_> {
    fn shown(&self) -> String {
        self.0.map(shown).unwrap_or_default()
    }

    /// Whether who asked as before is answered as before.
    fn is_answered_by(&self, other: &Self) -> bool {
        let (Some(was), Some(is)) = (self.0, other.0) else { return false };
        let same = |one: &RouteParameter, other: &RouteParameter| {
            (&one.name, one.source, &one.text) == (&other.name, other.source, &other.text)
        };
        let still_taken = |one: &RouteParameter| {
            let mut others = is.parameters.iter().filter(|other| same(one, other));
            others.any(|other| other.optional || !one.optional)
        };
        let not_needed =
            |other: &&RouteParameter| other.optional || was.parameters.iter().any(|one| same(one, other));
        (&was.guards, &was.returns, was.status) == (&is.guards, &is.returns, is.status)
            && was.parameters.iter().all(still_taken)
            && is.parameters.iter().all(|one| not_needed(&one))
    }
}

/// By method and path.
fn answered(contract: Option<&Contract>) -> BTreeMap<String, Answer<'_>> {
    let Some(contract) = contract else { return BTreeMap::new() };
    let registered = contract.routes.iter().flat_map(|route| {
        // Each version is an address of its own.
        let versions = route.versions.iter().map(|version| format!(" version {version}"));
        let versions = versions.chain(route.versions.is_empty().then(String::new));
        versions
            .map(move |version| (format!("{} {}{version}", route.method, route.path), Answer(Some(route))))
    });
    let next = contract.nextjs.iter().filter_map(|next| Some((next, next.answers()?)));
    let by_path = next.flat_map(|(next, (role, path))| {
        let methods = match role {
            RouteRole::Page => vec!["PAGE"],
            RouteRole::Api => vec!["API"],
            _ => next.methods.iter().map(String::as_str).collect(),
        };
        methods.into_iter().map(move |method| (format!("{method} {path}"), Answer(None)))
    });
    registered.chain(by_path).collect()
}

pub(super) fn shown(route: &Route) -> String {
    let parameters: Vec<String> = route
        .parameters
        .iter()
        .map(|one| format!("{}{}: {}", one.name, if one.optional { "?" } else { "" }, one.text))
        .collect();
    let status = route.status.map(|status| format!(" status {status}")).unwrap_or_default();
    format!(
        "({}) guards [{}] returns {}{status}",
        parameters.join(", "),
        route.guards.join(", "),
        route.returns
    )
}
