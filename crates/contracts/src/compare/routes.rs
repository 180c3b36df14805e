//! Addresses that a file answers at: the routes that it registers, and those that Next.js gives it by its path.

use std::collections::{BTreeMap, BTreeSet};

use super::{Change, DeclarationChange, Side, Verdict, users_of_file};
use crate::model::{Contract, Route, RouteRole};

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
        let (change, verdict) = match (before.get(name), after.get(name)) {
            (Some(old), Some(new)) if old == new => continue,
            (Some(_), Some(_)) => (Change::Changed, Verdict::Breaking),
            (Some(_), None) => (Change::Removed, Verdict::Breaking),
            (None, _) => (Change::Added, Verdict::Compatible),
        };
        let users = || old.map(|old| users_of_file(side, &old.entry_id)).unwrap_or_default();
        changes.push(DeclarationChange {
            name: name.clone(),
            kind: "route".to_owned(),
            change,
            before: before.get(name).cloned().into_iter().collect(),
            after: after.get(name).cloned().into_iter().collect(),
            verdict,
            reason: match change {
                Change::Changed => "what it takes or answers changed",
                Change::Removed => "nothing answers there any more",
                _ => "added",
            }
            .to_owned(),
            used_by: if verdict == Verdict::Breaking { users() } else { Vec::new() },
        });
    }
    changes
}

/// By method and path, with what it takes.
fn answered(contract: Option<&Contract>) -> BTreeMap<String, String> {
    let Some(contract) = contract else { return BTreeMap::new() };
    let registered = contract.routes.iter().flat_map(|route| {
        // Each version is an address of its own.
        let versions = route.versions.iter().map(|version| format!(" version {version}"));
        let versions = versions.chain(route.versions.is_empty().then(String::new));
        versions.map(|version| (format!("{} {}{version}", route.method, route.path), shown(route)))
    });
    let next = contract.nextjs.iter().filter_map(|next| Some((next, next.answers()?)));
    let by_path = next.flat_map(|(next, (role, path))| {
        let methods = match role {
            RouteRole::Page => vec!["PAGE"],
            RouteRole::Api => vec!["API"],
            _ => next.methods.iter().map(String::as_str).collect(),
        };
        methods.into_iter().map(move |method| (format!("{method} {path}"), String::new()))
    });
    registered.chain(by_path).collect()
}

fn shown(route: &Route) -> String {
    let parameters: Vec<String> =
        route.parameters.iter().map(|one| format!("{}: {}", one.name, one.text)).collect();
    format!("({}) guards [{}] returns {}", parameters.join(", "), route.guards.join(", "), route.returns)
}
