//! Paths of routes as a client asks for them: constants of other files put in, and what routers are mounted at put before.

use std::collections::{BTreeMap, BTreeSet};

use becket_base::divided;
use serde::{Deserialize, Serialize};

use super::composed::answering;
use super::nest;
use super::scope::{Found, Resolver, Scope};
use super::texts::{known, versions};
use crate::brackets::group;
use crate::languages::typescript::is_rare;
use crate::model::{
    Contract, Declaration, DeclarationDetail, DeclarationKind, Diagnostic, Route, RouteFramework, Severity,
    TypeShape,
};

/// Routers that are mounted in each other, one after the other.
const DEEPEST: usize = 6;
/// More routes are those of a program that writes itself.
pub(super) const MOST: usize = 2_000;
/// And so is more middleware.
const MOST_USES: usize = 200;

/// A route of another file that is reachable by what a file mounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handed {
    /// The file that registers it, and what it is in the contract of that.
    pub file: String,
    pub method: String,
    pub declared: String,
    pub handler: String,
    /// Where it is reachable.
    pub path: String,
    /// Files on the way that mount it too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<String>,
}

impl Handed {
    /// The files whose contracts have the route too: the one that registers it, and those on the way.
    pub fn told_in(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.file).chain(&self.through).map(String::as_str)
    }
}

/// Puts into the contract of a file where its routes, and those of the routers that it mounts itself, are reachable by what
/// other files mount. A way that another file takes further is no end. `handed` are all that there are for the file, each
/// with the file that mounts.
pub fn place(contract: &mut Contract, handed: &[(&str, &Handed)]) {
    let entry = contract.entry_id.as_str();
    let last = |path: &str| divided::after_last(path, b'/').to_owned();
    let mut ways: BTreeMap<_, Vec<&(&str, &Handed)>> = BTreeMap::new();
    for way in handed {
        let Handed { file, method, handler, declared, path, .. } = way.1;
        let told = if file == entry { declared.clone() } else { last(path) };
        ways.entry((&**file, &**method, &**handler, told)).or_default().push(way);
    }
    for route in &mut contract.routes {
        let told = if route.file.is_some() { last(&route.path) } else { route.path.clone() };
        let key = (route.file.as_deref().unwrap_or(entry), &*route.method, &*route.handler, told);
        let goes_on = |way: &Handed| {
            route.file.is_none()
                || way.through.iter().any(|by| by == entry) && way.path.ends_with(&route.path)
        };
        let ways = ways.get(&key).into_iter().flatten().copied();
        let ways: Vec<&(&str, &Handed)> = ways.filter(|(_, way)| goes_on(way)).collect();
        let passed = ways.iter().flat_map(|(_, way)| &way.through).filter(|by| *by != entry);
        let passed: BTreeSet<&str> = passed.map(String::as_str).collect();
        let ends = ways.iter().filter(|(by, _)| !passed.contains(by)).map(|(_, way)| &way.path);
        let paths: BTreeSet<&String> = ends.collect();
        let says_more = paths.iter().any(|path| **path != route.path);
        route.full_paths = if says_more { paths.into_iter().cloned().collect() } else { Vec::new() };
    }
}

/// A route where it is mounted.
#[derive(Clone)]
pub(super) struct Placed<'l> {
    pub(super) route: Route,
    /// Its path in the contract of its own file.
    pub(super) declared: String,
    /// Files between its own and the one that is looked at.
    pub(super) through: Vec<&'l str>,
}

/// The routes of a file, those of the routers that it mounts among them, and what to say where there are too many.
pub(super) fn of<'l>(
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
) -> (Vec<Route>, Vec<Handed>, Option<Diagnostic>) {
    if scope.facts.routes.is_empty() {
        return (Vec::new(), Vec::new(), None);
    }
    let mut placed = within(scope, resolver, None, 0);
    let cut = (placed.len() > MOST).then(|| Diagnostic {
        severity: Severity::Warning,
        message: format!("it has more than {MOST} routes; the first {MOST} are listed"),
        line: 1,
        column: 1,
    });
    placed.truncate(MOST);
    let (mut routes, mut handed) = (Vec::new(), Vec::new());
    for Placed { mut route, declared, through } in placed.into_iter().filter(|one| one.route.is_told()) {
        if route.framework != RouteFramework::NestJs {
            let mut guards = route.guards.clone();
            guards.sort_by_key(|guard| Route::phase(guard).map(|(phase, _)| phase));
            let guards = guards.iter().map(|guard| Route::written(guard)).collect();
            route = Route { handler: Route::written(&route.handler), guards, ..route };
        }
        handed.extend(route.file.as_ref().map(|file| Handed {
            file: file.clone(),
            method: route.method.clone(),
            declared,
            handler: route.handler.clone(),
            path: route.path.clone(),
            through: through.into_iter().map(str::to_owned).collect(),
        }));
        let (owner, application) = (String::new(), None);
        routes.push(Route { owner, application, within: 0, awaited: false, ..route });
    }
    let guards: Vec<Option<Vec<String>>> = routes.iter().zip(Route::behind(&routes)).map(beyond).collect();
    for (route, guards) in routes.iter_mut().zip(guards) {
        route.guards = guards.unwrap_or_else(|| std::mem::take(&mut route.guards));
    }
    (routes, handed, cut)
}

/// The guards of a route that the mount before it does not tell.
fn beyond((route, mount): (&Route, Option<&Route>)) -> Option<Vec<String>> {
    let mut told = mount?.guards.iter().peekable();
    let more = route.guards.iter().filter(|guard| told.next_if_eq(guard).is_none());
    Some(more.cloned().collect())
}

/// As a file that mounts `name` of this one sees them, with what they are registered on; what the file itself mounts that at
/// is another way to it.
fn within<'l>(
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
    name: Option<&str>,
    depth: usize,
) -> Vec<Placed<'l>> {
    let own = scope.facts.routes.iter().flat_map(|route| answering(route, scope, resolver));
    let own = own.map(|route| registered(route, scope, resolver));
    let own = each_mounted(own.filter(is_sure).collect(), scope, resolver);
    let uses = uses(&own, scope, resolver);
    let mounted_names: Vec<&str> =
        own.iter().map(|one| if one.is_mount() { mounted(&one.handler, scope) } else { "" }).collect();
    let mut all: Vec<Placed<'l>> = Vec::new();
    // The class of Nest whose routes are told already.
    let mut is_told_by: Option<&str> = None;
    for (at, route) in own.iter().enumerate() {
        if let Some(application) = &route.application {
            let (mount, behind) = nest::behind(route, application, scope, resolver);
            // What is in the same file is there already, as it is declared.
            let is_placed = |one: &Placed<'l>| {
                let same =
                    |other: &Placed<'l>| other.route.file.is_none() && other.route.owner == one.route.owner;
                one.route.framework == RouteFramework::NestJs
                    && !one.route.is_mount()
                    && behind.iter().any(same)
            };
            all.retain(|one| !is_placed(one));
            all.push(Placed::own(mount));
            all.extend(behind);
            continue;
        }
        // Only an application knows what is put before the routes of a module.
        if route.framework == RouteFramework::NestJs {
            match &route.class {
                Some(class) => {
                    let answers = nest::answers(route, class, scope, resolver);
                    is_told_by = Some(&*route.owner).filter(|_| !answers.is_empty());
                    all.extend(answers.into_iter().map(Placed::own));
                }
                None if is_told_by == Some(&*route.owner) && !route.is_mount() => {}
                None => all.push(Placed::own(Route { local_path: None, ..route.clone() })),
            }
            continue;
        }
        let mounted = places((at, &own), &uses, &mounted_names, name, &mut BTreeSet::new());
        // As it is told in the contract of the file.
        let told = name.map(|_| places((at, &own), &uses, &mounted_names, None, &mut BTreeSet::new()));
        let told = told.and_then(|told| told.first().map(|place| below(route, place).path));
        let handed = if route.is_mount() && depth < DEEPEST {
            handed_over(route, scope, resolver, depth)
        } else {
            Vec::new()
        };
        for place in &mounted {
            let behind = handed.iter().map(|one| behind(route, place, one)).collect::<Vec<_>>();
            let own = Placed::own(below(route, place));
            all.push(Placed { declared: told.clone().unwrap_or_else(|| own.declared.clone()), ..own });
            all.extend(behind);
        }
        if all.len() > MOST {
            break;
        }
    }
    all
}

impl Placed<'_> {
    fn own(route: Route) -> Self {
        Self { declared: route.path.clone(), route, through: Vec::new() }
    }
}

/// `app.use('/api', check, users, posts)` mounts one router after the other, each behind the middleware before it.
fn each_mounted<'l>(own: Vec<Route>, scope: Scope<'l>, resolver: &Resolver<'l>) -> Vec<Route> {
    let is_plain = |one: &Route| {
        one.is_mount() && !matches!(one.framework, RouteFramework::NestJs | RouteFramework::Fastify)
    };
    let routers = |one: &Route| -> Vec<usize> {
        let guards = one.guards.iter().enumerate().filter(|_| is_plain(one));
        guards.filter(|(_, guard)| is_router(guard, &own, scope, resolver)).map(|(at, _)| at).collect()
    };
    let found: Vec<Vec<usize>> = own.iter().map(routers).collect();
    let mut all = Vec::with_capacity(own.len());
    for (mut route, found) in own.into_iter().zip(found) {
        // What runs before one runs before those behind it.
        let mut guards = std::mem::take(&mut route.guards).into_iter();
        let mut last = 0;
        for at in found {
            let guards_of: Vec<String> = guards.by_ref().take(at - last).collect();
            let handler = guards.next().unwrap_or_default();
            all.push(Route { handler, guards: guards_of, ..route.clone() });
            last = at + 1;
        }
        route.guards = guards.collect();
        all.push(route);
    }
    all
}

/// Middleware, and the path that it runs below.
#[derive(Clone)]
struct Guard {
    below: String,
    /// Whether it is for that path alone, as Hono has it.
    whole: bool,
    name: String,
}

impl Guard {
    fn everywhere(&self) -> Self {
        Self { below: String::new(), ..self.clone() }
    }

    fn moved(&self, prefix: &str) -> Self {
        let below = match &*self.below {
            "" => String::new(),
            below => Route::joined(prefix, below),
        };
        Self { below, ..self.clone() }
    }

    fn runs_before(&self, path: &str) -> bool {
        self.below.is_empty() || nest::covers(&self.below, path, self.whole)
    }
}

/// As it is registered, with what its path stands for: also that which `app.use(PREFIX, router)` has in another file.
fn registered<'l>(route: Route, scope: Scope<'l>, resolver: &Resolver<'l>) -> Route {
    let mut route = Route {
        path: known(&route.path, scope, resolver),
        versions: versions(&route.versions, scope, resolver),
        ..route
    };
    // What another file describes has its method there, too.
    if route.method.starts_with("${") {
        route.method = known(&route.method, scope, resolver).to_ascii_uppercase();
        route.path = Route::served(&route.path);
        route.parameters.splice(..0, Route::path_parameters(&route.path));
    }
    if let (true, "", Some(first)) = (route.is_mount(), &*route.path, route.guards.first()) {
        let path = known(&format!("${{{first}}}"), scope, resolver);
        if !path.starts_with('$') {
            route.path = Route::joined(&path, "");
            route.guards.remove(0);
        }
    }
    for guard in route.guards.iter_mut().filter(|guard| guard.starts_with(Route::HIDDEN)) {
        guard.remove(0);
    }
    route
}

/// Whether a path may be one: of a method that others have a function for, too, it has to be a text; and so has any
/// method.
fn is_sure(route: &Route) -> bool {
    let is_name = route.path.starts_with("${") && route.path.ends_with('}');
    !(route.method.starts_with("${") || is_rare(route) && is_name)
}

/// What `use` is given that is no router, and hooks, in the order of the file, each with the place of the call in it.
fn uses<'l>(own: &[Route], scope: Scope<'l>, resolver: &Resolver<'l>) -> Vec<(usize, Guard)> {
    let calls = own.iter().enumerate();
    let calls = calls.filter(|(_, one)| one.is_mount() && one.framework != RouteFramework::NestJs);
    let mut found = Vec::new();
    for (at, call) in calls {
        // A path alone, where Hono is given one.
        let has_path = !call.local_path.as_ref().unwrap_or(&call.path).is_empty();
        let whole = has_path && call.framework == RouteFramework::Hono;
        let guard = |below: &str, name: String| (at, Guard { below: below.to_owned(), whole, name });
        if call.framework == RouteFramework::Fastify {
            found.extend(escaping(call, own, scope, resolver).into_iter().map(|name| guard("", name)));
        }
        for name in call.guards.iter().chain([&call.handler]) {
            // What Fastify registers is a plugin, whatever that does.
            let is_guard = match call.framework {
                RouteFramework::Fastify => Route::phase(name).is_some(),
                RouteFramework::Koa => !name.ends_with(".routes()"),
                _ => true,
            };
            let is_named = is_guard && name != Route::ANONYMOUS && !call.is_handed();
            if is_named && !is_router(name, own, scope, resolver) && found.len() < MOST_USES {
                found.push(guard(&call.path, name.clone()));
            }
        }
    }
    found
}

/// The hooks of a plugin that are for who registers it, too.
fn escaping<'l>(mount: &Route, own: &[Route], scope: Scope<'l>, resolver: &Resolver<'l>) -> Vec<String> {
    let escapes = |name: &&String| Route::phase(name).is_some_and(|(_, escapes)| escapes);
    let of = |routes: &[Route], is_it: &dyn Fn(&Route) -> bool| -> Vec<String> {
        let routes = routes.iter().filter(|one| one.is_mount() && is_it(one));
        routes.flat_map(|one| one.guards.iter().chain([&one.handler])).filter(escapes).cloned().collect()
    };
    if Route::phase(&mount.handler).is_some() {
        return Vec::new();
    }
    let here = of(own, &|one| one.owner == mount.handler);
    match router(&mount.handler, scope, resolver).filter(|(file, ..)| file.entry != scope.entry) {
        Some((file, name, kind)) => of(&file.facts.routes, &|one| is_of(one, name, kind)),
        None => here,
    }
}

fn is_router<'l>(handler: &str, own: &[Route], scope: Scope<'l>, resolver: &Resolver<'l>) -> bool {
    let name = mounted(handler, scope);
    let name = name.strip_suffix(".allowedMethods").unwrap_or(name);
    own.iter().any(|one| one.owner == name)
        || router(handler, scope, resolver).is_some_and(|(file, name, kind)| {
            file.entry != scope.entry && file.facts.routes.iter().any(|one| is_of(one, name, kind))
        })
}

/// Whether a route is one of what a file has by a name: of a router, or of the one that a function fills and gives.
fn is_of(route: &Route, name: &str, kind: DeclarationKind) -> bool {
    route.owner == name
        || name == "default" && route.owner == Route::MADE_IN_PLACE
        || route.within > 0 && matches!(kind, DeclarationKind::Function | DeclarationKind::Class)
}

/// What was handed to `use` before something was registered on the same, by the same function or outside of any. Hooks of
/// Fastify are also for what was registered earlier, unless that was waited for.
fn before<'u>(at: usize, own: &'u [Route], uses: &'u [(usize, Guard)]) -> impl Iterator<Item = &'u Guard> {
    let is_early = own[at].framework != RouteFramework::Fastify || own[at].is_mount() && own[at].awaited;
    let runs = uses.iter().filter(move |(by, _)| *by < at || !is_early && *by > at);
    let same = move |by: &Route, route: &Route| {
        by.owner == route.owner && (by.within == 0 || by.within == route.within)
    };
    runs.filter(move |(by, _)| same(&own[*by], &own[at])).map(|(_, guard)| guard)
}

/// Where something is mounted.
struct Place {
    prefix: String,
    /// What it is mounted on, at last.
    root: String,
    guards: Vec<Guard>,
}
/// Where something that the file registers is mounted in the file itself, up to `name`, as it stands where it is not; with
/// all that runs before it there.
fn places(
    (at, own): (usize, &[Route]),
    uses: &[(usize, Guard)],
    mounted: &[&str],
    name: Option<&str>,
    seen: &mut BTreeSet<String>,
) -> Vec<Place> {
    let owner = own[at].owner.as_str();
    let mut found = Vec::new();
    if !owner.is_empty() && name != Some(owner) && seen.insert(owner.to_owned()) {
        let mounts = own.iter().enumerate();
        for (by, mount) in
            mounts.filter(|(by, one)| one.is_mount() && one.owner != owner && mounted[*by] == owner)
        {
            let given = uses.iter().skip_while(|(of, _)| *of < by).take_while(|(of, _)| *of == by);
            // What comes of a plugin of Fastify is known in it.
            let given = given.filter(|_| mount.framework != RouteFramework::Fastify);
            for mut outer in places((by, own), uses, mounted, name, seen) {
                let prefix = match (outer.prefix.is_empty(), mount.path.is_empty()) {
                    (true, _) => mount.path.clone(),
                    (false, true) => outer.prefix,
                    (false, false) => Route::joined(&outer.prefix, &mount.path),
                };
                outer.guards.extend(given.clone().map(|(_, guard)| guard.everywhere()));
                outer.guards.extend(before(at, own, uses).map(|guard| guard.moved(&prefix)));
                found.push(Place { prefix, ..outer });
            }
        }
        seen.remove(owner);
    }
    if found.is_empty() {
        let guards = before(at, own, uses).cloned().collect();
        found.push(Place { prefix: String::new(), root: owner.to_owned(), guards });
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
    let guards = place.guards.iter().filter(|guard| guard.runs_before(&path)).map(|guard| &guard.name);
    Route {
        guards: guards.chain(&route.guards).cloned().collect(),
        local_path: (path != local).then_some(local),
        path,
        parameters,
        owner: place.root.clone(),
        ..route.clone()
    }
}

/// A route of another file, behind what mounts it here, which is at `place`.
fn behind<'l>(mount: &Route, place: &Place, placed: &Placed<'l>) -> Placed<'l> {
    let own = below(mount, place);
    let given =
        mount.guards.iter().map(|name| Guard { below: String::new(), whole: false, name: name.clone() });
    let guards = place.guards.iter().cloned().chain(given).collect();
    let place = Place { prefix: own.path, root: own.owner, guards };
    let route = Route { line: mount.line, within: mount.within, ..below(&placed.route, &place) };
    Placed { route, ..placed.clone() }
}

/// The routes of the router of another file that is mounted.
fn handed_over<'l>(
    mount: &Route,
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
    depth: usize,
) -> Vec<Placed<'l>> {
    // `Users.register(app)`
    let of_class = || {
        let (class, _) = router_of(&mount.handler).rsplit_once('.').filter(|_| mount.is_handed())?;
        router(class, scope, resolver).filter(|(_, _, kind)| *kind == DeclarationKind::Class)
    };
    let Some((file, name, kind)) = router(&mount.handler, scope, resolver).or_else(of_class) else {
        return Vec::new();
    };
    if file.entry == scope.entry || file.facts.routes.is_empty() {
        return Vec::new();
    }
    let filled = filled(name, file);
    let mut placed = within(file, resolver, Some(filled.unwrap_or(name)), depth + 1);
    let owners: BTreeSet<&str> = placed.iter().map(|one| one.route.owner.as_str()).collect();
    // A function gives the one that it fills.
    let kind = if owners.len() == 1 { kind } else { DeclarationKind::Constant };
    match filled {
        Some(filled) => placed.retain(|one| one.route.owner == filled),
        None => placed.retain(|one| is_of(&one.route, name, kind)),
    }
    if mount.is_handed() {
        // A function that is handed an application registers on that, and knows less of whose it is.
        placed.retain(|one| one.route.owner == name || is_within(&one.route, name, file));
        for one in &mut placed {
            one.route.framework = mount.framework;
        }
    }
    for one in &mut placed {
        match &one.route.file {
            Some(_) => one.through.push(file.entry),
            None => one.route.file = Some(file.entry.to_owned()),
        }
    }
    placed
}

/// Whether a route is registered by what a file declares by a name.
fn is_within(route: &Route, name: &str, file: Scope<'_>) -> bool {
    let mut declared = file.facts.declarations.iter().filter(|one| one.name == name).peekable();
    declared.peek().is_none() || declared.any(|one| (one.lines.first..=one.lines.last).contains(&route.line))
}

/// `users`, `users()`, `createUsers(db)`, `users.routes()`: the name in it.
fn router_of(handler: &str) -> &str {
    let handler = called(handler).map_or(handler, |(callee, _)| callee);
    [".routes", ".middleware"].iter().find_map(|end| handler.strip_suffix(end)).unwrap_or(handler)
}

/// What is called, and what it is given: `createUsers` and `db` of `createUsers(db)`. A module that is required is none.
fn called(handler: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    while handler.ends_with(')') {
        let (start, end) = group(handler.get(from..)?, '(', ')')?;
        let (start, end) = (start + from, end + from);
        if end + 1 == handler.len() {
            let callee = handler.get(..start)?;
            return (callee != "require").then_some((callee, handler.get(start + 1..end)?));
        }
        from = end + 1;
    }
    None
}

/// The file of what is mounted, and its name there.
pub(super) fn router<'l>(
    handler: &str,
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
) -> Option<(Scope<'l>, &'l str, DeclarationKind)> {
    let is_told = called(handler).is_some_and(|(_, given)| !given.is_empty());
    let handler = router_of(handler);
    let named = |file: Scope<'l>, declaration: &'l Declaration| {
        let (file, name, kind) = named(file, declaration);
        // What is told something may be middleware as well, and the routes of its file those of others.
        let is_other = is_told && kind == DeclarationKind::Function && !fills(file, declaration);
        (file, name, if is_other { DeclarationKind::Constant } else { kind })
    };
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
        let (specifier, member) = divided::around_first(rest, b')')?;
        let file = resolver.file(scope, specifier.trim_matches(['\'', '"', '`']))?;
        let name = member.strip_prefix('.').unwrap_or("default");
        return declared(file, resolver.exported(file, name));
    }
    // `(await import('./users')).router`
    if let Some(rest) = handler.strip_prefix("(await import(") {
        let (specifier, member) = rest.split_once(")).")?;
        let file = resolver.file(scope, specifier.trim_matches(['\'', '"', '`']))?;
        return declared(file, resolver.exported(file, member));
    }
    if let Some(field) = field(handler, scope, resolver) {
        return Some(field);
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

/// `new Users().router`, `users.router` where `users` is a `Users`, `Users.router`: the field of the class.
fn field<'l>(
    handler: &str,
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
) -> Option<(Scope<'l>, &'l str, DeclarationKind)> {
    let (object, member) = divided::around_last(handler, b'.')?;
    let made = object
        .strip_prefix("new ")
        .and_then(|made| divided::around_first(made, b'('))
        .map(|(class, _)| class);
    let Found::Declared(mut file, mut class) = resolver.name(scope, made.unwrap_or(object)) else {
        return None;
    };
    if class.kind == DeclarationKind::Constant {
        // What is made of a class has its type.
        let (_, of) = class.signatures.first()?.split_once(": ")?;
        let Found::Declared(at, declared) = resolver.name(file, of) else { return None };
        (file, class) = (at, declared);
    }
    if class.kind != DeclarationKind::Class {
        return None;
    }
    let is_it = |owner: &str| {
        owner.strip_prefix(&*class.name).is_some_and(|rest| rest.strip_prefix('.') == Some(member))
    };
    let mut owners = file.facts.routes.iter().map(|route| route.owner.as_str());
    let owner = owners.find(|owner| is_it(owner)).unwrap_or(&class.name);
    Some((file, owner, class.kind))
}

/// The name of what is mounted, which a function of the same file may fill and give.
fn mounted<'x>(handler: &'x str, scope: Scope<'x>) -> &'x str {
    let name = router_of(handler);
    called(handler).and_then(|_| filled(name, scope)).unwrap_or(name)
}

/// The one router that a function of a file registers something on, beside those that it mounts on that.
fn filled<'l>(name: &str, file: Scope<'l>) -> Option<&'l str> {
    let mut declared = file.facts.declarations.iter().filter(|one| one.name == name);
    let function = declared.next().filter(|one| one.kind == DeclarationKind::Function)?;
    if declared.next().is_some() {
        return None;
    }
    let lines = function.lines.first..=function.lines.last;
    let routes = || file.facts.routes.iter().filter(|one| one.within > 0 && lines.contains(&one.line));
    let mounted: BTreeSet<&str> =
        routes().filter(|one| one.is_mount()).map(|one| router_of(&one.handler)).collect();
    let mut owners = routes().map(|one| one.owner.as_str()).filter(|owner| !mounted.contains(owner));
    let only = owners.next()?;
    owners.all(|owner| owner == only).then_some(only)
}

/// Whether the routes that functions of a file register may be those of what this one gives: none of them is, where all
/// stand in other functions that the file exports.
fn fills(file: Scope<'_>, function: &Declaration) -> bool {
    let holds = |one: &Declaration, route: &Route| {
        one.kind == DeclarationKind::Function && (one.lines.first..=one.lines.last).contains(&route.line)
    };
    let is_of_other = |route: &Route| {
        let mut others =
            file.facts.declarations.iter().filter(|one| one.exported && one.name != function.name);
        others.any(|one| holds(one, route))
    };
    let mut registered = file.facts.routes.iter().filter(|route| route.within > 0);
    registered.any(|route| holds(function, route) || !is_of_other(route))
}

fn named<'l>(file: Scope<'l>, declaration: &'l Declaration) -> (Scope<'l>, &'l str, DeclarationKind) {
    (file, declaration.name.as_str(), declaration.kind)
}
