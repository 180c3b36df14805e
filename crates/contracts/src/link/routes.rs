//! Paths of routes as a client asks for them: constants of other files put in, and what routers are mounted at put before.

use std::collections::BTreeSet;

use super::scope::{Found, Resolver, Scope};
use crate::model::{
    Declaration, DeclarationDetail, DeclarationKind, Diagnostic, Route, RouteFramework, Severity, TypeShape,
};

/// Routers that are mounted in each other, one after the other.
const DEEPEST: usize = 6;
/// More routes are those of a program that writes itself.
const MOST: usize = 2_000;
const USE: &str = "USE";

/// The routes of a file, those of the routers that it mounts among them, and what to say where there are too many.
pub(super) fn of<'l>(scope: Scope<'l>, resolver: &Resolver<'l>) -> (Vec<Route>, Option<Diagnostic>) {
    if scope.facts.routes.is_empty() {
        return (Vec::new(), None);
    }
    let mut routes = within(scope, resolver, 0);
    let cut = (routes.len() > MOST).then(|| Diagnostic {
        severity: Severity::Warning,
        message: format!("it has more than {MOST} routes; the first {MOST} are listed"),
        line: 1,
        column: 1,
    });
    routes.truncate(MOST);
    // What a module of Nest leads to is told where a prefix is put before it.
    let is_nest = |route: &Route| route.framework == RouteFramework::NestJs;
    let prefixes =
        scope.facts.routes.iter().any(|route| is_nest(route) && route.method == USE && route.is_told());
    let routes = routes.into_iter().filter(|route| prefixes || route.file.is_none() || !is_nest(route));
    let told = routes.filter(Route::is_told).map(|route| Route { owner: String::new(), ..route });
    (told.collect(), cut)
}

/// As a file that mounts this one sees them, with what they are registered on.
fn within<'l>(scope: Scope<'l>, resolver: &Resolver<'l>, depth: usize) -> Vec<Route> {
    let own: Vec<Route> = scope
        .facts
        .routes
        .iter()
        .map(|route| Route { path: known(&route.path, scope, resolver), ..route.clone() })
        .collect();
    let mut all = Vec::new();
    for route in &own {
        let mounted = places(&route.owner, &own, &mut BTreeSet::new());
        let placed: Vec<Route> = mounted.iter().map(|place| below(route, place)).collect();
        let handed = if route.method == USE && depth < DEEPEST {
            handed_over(route, scope, resolver, depth)
        } else {
            Vec::new()
        };
        for mount in placed {
            let behind = handed.iter().map(|route| behind(&mount, route)).collect::<Vec<_>>();
            all.push(mount);
            all.extend(behind);
        }
        if all.len() > MOST {
            break;
        }
    }
    all
}

/// Where something is mounted.
struct Place {
    prefix: String,
    /// What it is mounted on, at last.
    root: String,
    guards: Vec<String>,
}

/// Where something of the file is mounted in the file itself; as it stands where it is not.
fn places(owner: &str, own: &[Route], seen: &mut BTreeSet<String>) -> Vec<Place> {
    let mut found = Vec::new();
    if !owner.is_empty() && seen.insert(owner.to_owned()) {
        for mount in own.iter().filter(|one| one.method == USE && router_of(&one.handler) == owner) {
            for outer in places(&mount.owner, own, seen) {
                found.push(Place {
                    prefix: match (outer.prefix.is_empty(), mount.path.is_empty()) {
                        (true, _) => mount.path.clone(),
                        (false, true) => outer.prefix.clone(),
                        (false, false) => Route::joined(&outer.prefix, &mount.path),
                    },
                    guards: outer.guards.iter().chain(&mount.guards).cloned().collect(),
                    root: outer.root,
                });
            }
        }
        seen.remove(owner);
    }
    if found.is_empty() {
        found.push(Place { prefix: String::new(), root: owner.to_owned(), guards: Vec::new() });
    }
    found
}

fn below(route: &Route, place: &Place) -> Route {
    let local = route.local_path.clone().unwrap_or_else(|| route.path.clone());
    let path = match (place.prefix.as_str(), route.path.as_str()) {
        ("", own) => own.to_owned(),
        (prefix, "") => prefix.to_owned(),
        (prefix, own) => Route::joined(prefix, own),
    };
    let mut parameters = Route::path_parameters(&place.prefix);
    parameters.extend(route.parameters.iter().cloned());
    Route {
        local_path: (path != local).then_some(local),
        path,
        parameters,
        guards: place.guards.iter().chain(&route.guards).cloned().collect(),
        owner: place.root.clone(),
        ..route.clone()
    }
}

/// A route of another file, behind what mounts it here.
fn behind(mount: &Route, route: &Route) -> Route {
    let guards = mount.guards.clone();
    let place = Place { prefix: mount.path.clone(), root: mount.owner.clone(), guards };
    Route { line: mount.line, ..below(route, &place) }
}

/// The routes of the router of another file that is mounted.
fn handed_over<'l>(mount: &Route, scope: Scope<'l>, resolver: &Resolver<'l>, depth: usize) -> Vec<Route> {
    let Some((file, name, kind)) = router(&mount.handler, scope, resolver) else { return Vec::new() };
    if file.entry == scope.entry || file.facts.routes.is_empty() {
        return Vec::new();
    }
    let routes = within(file, resolver, depth + 1);
    let owners: BTreeSet<&str> = routes.iter().map(|route| route.owner.as_str()).collect();
    // A function gives the one that it fills.
    let makes = owners.len() == 1 && matches!(kind, DeclarationKind::Function | DeclarationKind::Class);
    let is_it = |route: &Route| {
        makes || route.owner == name || name == "default" && route.owner == Route::MADE_IN_PLACE
    };
    let here = |route: &Route| Route {
        file: Some(route.file.clone().unwrap_or_else(|| file.entry.to_owned())),
        ..route.clone()
    };
    routes.iter().filter(|route| is_it(route)).map(here).collect()
}

/// `users`, `users()`, `users.routes()`: the name in it.
fn router_of(handler: &str) -> &str {
    let handler = handler.strip_suffix("()").unwrap_or(handler);
    handler.strip_suffix(".routes").unwrap_or(handler)
}

/// The file of what is mounted, and its name there.
fn router<'l>(
    handler: &str,
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
) -> Option<(Scope<'l>, &'l str, DeclarationKind)> {
    let handler = router_of(handler);
    let declared = |file: Scope<'l>, found: Option<Found<'l>>| match found {
        Some(Found::Declared(file, declaration)) => Some(named(file, declaration)),
        // `module.exports = router` is the module.
        _ => file.facts.exports.iter().any(|export| export.name == "default").then_some((
            file,
            "default",
            DeclarationKind::Constant,
        )),
    };
    // `require('./users')`, `require('./users').router`
    if let Some(rest) = handler.strip_prefix("require(") {
        let (specifier, member) = rest.split_once(')')?;
        let file = resolver.file(scope, specifier.trim_matches(['\'', '"', '`']))?;
        let name = member.strip_prefix('.').unwrap_or("default");
        return declared(file, resolver.exported(file, name));
    }
    let whole = scope.facts.imports.iter().find_map(|import| {
        let is_it = |one: &&crate::model::ImportedName| one.local == handler && one.imported == "*";
        import.names.iter().find(is_it).map(|_| import.specifier.as_str())
    });
    if let Some(specifier) = whole {
        let file = resolver.file(scope, specifier)?;
        return declared(file, resolver.exported(file, "default"));
    }
    let mut place = (scope, handler);
    for _ in 0..DEEPEST {
        let Found::Declared(file, declaration) = resolver.name(place.0, place.1) else { return None };
        // `const api = users`
        match &declaration.detail {
            DeclarationDetail::Maker { gives: TypeShape::Query(other), takes, .. } if takes.is_empty() => {
                place = (file, other);
            }
            _ => return Some(named(file, declaration)),
        }
    }
    None
}

fn named<'l>(file: Scope<'l>, declaration: &'l Declaration) -> (Scope<'l>, &'l str, DeclarationKind) {
    (file, declaration.name.as_str(), declaration.kind)
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
