//! Guards that many routes of a file begin with, told once: an application runs the same before each of its routes. Only what
//! is written knows of it; a contract has them at each route.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Route;

/// What a contract has once.
pub(crate) const SHARED_GUARDS: &str = "sharedGuards";
/// How many of them run before the guards of a route.
const SHARED: &str = "shared";
/// Fewer letters are not worth a list of their own: a table that is short is read as it stands.
const LEAST: usize = 1_000;
/// What it costs a route to say how many.
const COST: usize = 12;
/// So many different lists are tried.
const MOST_TRIED: usize = 200;

/// The beginning of the guards of some route by which the most is said once; empty where that is little.
pub(crate) fn shared(routes: &[Route]) -> &[String] {
    let mut lists: BTreeMap<&[String], usize> = BTreeMap::new();
    for route in routes.iter().filter(|route| !route.guards.is_empty()) {
        *lists.entry(&route.guards).or_default() += 1;
    }
    let size = |guards: &[String]| guards.iter().map(|guard| guard.len() + "\"\",".len()).sum::<usize>();
    let mut best: (usize, &[String]) = (0, &[]);
    for (list, count) in lists.iter().take(MOST_TRIED) {
        let others = lists.keys().filter(|other| *count > 1 || *other != list);
        let list = &list[..others.map(|other| common(list, other)).max().unwrap_or(0)];
        let each = lists
            .iter()
            .map(|(other, count)| count * size(&list[..common(list, other)]).saturating_sub(COST));
        let saved = each.sum::<usize>().saturating_sub(size(list));
        if saved > best.0 {
            best = (saved, list);
        }
    }
    if best.0 >= LEAST { best.1 } else { &[] }
}

/// How many guards two lists begin with that are the same.
fn common(one: &[String], other: &[String]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// A contract as it is written, with what its routes share said once.
pub(super) fn fold(contract: &mut Map<String, Value>, routes: &[Route]) {
    let shared = shared(routes);
    let at = contract.keys().position(|name| name == "routes");
    let Some(at) = at.filter(|_| !shared.is_empty()) else { return };
    for (told, route) in contract["routes"].as_array_mut().into_iter().flatten().zip(routes) {
        fold_route(told, route, shared);
    }
    contract.shift_insert(at, SHARED_GUARDS.to_owned(), json!(shared));
}

pub(crate) fn fold_route(told: &mut Value, route: &Route, shared: &[String]) {
    let count = common(shared, &route.guards);
    let Some(fields) = told.as_object_mut().filter(|_| count > 0) else { return };
    let at = fields.keys().position(|name| name == "guards").unwrap_or(fields.len());
    match &route.guards[count..] {
        [] => fields.shift_remove("guards"),
        own => fields.insert("guards".to_owned(), json!(own)),
    };
    fields.shift_insert(at, SHARED.to_owned(), json!(count));
}

/// A contract that was written so, with all guards at each route.
pub(crate) fn unfold(contract: &mut Value) {
    let shared = contract.as_object_mut().and_then(|fields| fields.shift_remove(SHARED_GUARDS));
    let Some(Value::Array(shared)) = shared else { return };
    for route in contract["routes"].as_array_mut().into_iter().flatten() {
        let Some(fields) = route.as_object_mut() else { continue };
        let count = fields.shift_remove(SHARED).and_then(|count| count.as_u64()).unwrap_or_default();
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let own = fields.get("guards").and_then(Value::as_array).cloned().unwrap_or_default();
        let all: Vec<Value> = shared.iter().take(count).cloned().chain(own).collect();
        if !all.is_empty() {
            fields.insert("guards".to_owned(), Value::Array(all));
        }
    }
}
