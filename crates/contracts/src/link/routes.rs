//! Paths of routes that name constants of other files.

use super::scope::{Found, Resolver, Scope};
use crate::model::Route;

pub(super) fn of<'l>(scope: Scope<'l>, resolver: &Resolver<'l>) -> Vec<Route> {
    let each = scope.facts.routes.iter().cloned();
    each.map(|route| Route { path: known(&route.path, scope, resolver), ..route }).collect()
}

/// `/${PREFIX}/a` with what `PREFIX` is, where it is a text.
fn known<'l>(path: &str, scope: Scope<'l>, resolver: &Resolver<'l>) -> String {
    let Some((before, rest)) = path.split_once("${") else { return path.to_owned() };
    let Some((name, after)) = rest.split_once('}') else { return path.to_owned() };
    let text = match resolver.name(scope, name) {
        Found::Declared(_, declaration) => declaration
            .signatures
            .first()
            .and_then(|signature| signature.strip_prefix("const ")?.split_once(" = "))
            .and_then(|(_, value)| value.strip_prefix('\'')?.strip_suffix('\''))
            .map(|text| text.trim_matches('/').to_owned()),
        Found::Outside(_) | Found::Unknown => None,
    };
    let after = known(after, scope, resolver);
    match text {
        Some(text) => format!("{before}{text}{after}"),
        None => format!("{before}${{{name}}}{after}"),
    }
}
