//! The routes of an application of `NestJS`: its modules and what those lead to, each path with what Nest puts before it.
//!
//! In the order of Nest: the prefix of all, the version, the path of the module, of the controller, of the method. The path of
//! a module holds for its own controllers, whoever registers it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use becket_base::divided;

use super::composed::{answering, guards};
use super::routes::{MOST, Placed, router};
use super::scope::{Found, Resolver, Scope};
use super::texts::{known, versions};
use crate::mentions::replaced;
use crate::model::{NestApplication, NestClass, Route, RouteFramework, RouteParameter};

/// What an application answers, and how it is shown itself; nothing behind it where something of it is decided when the
/// program runs, or nothing is put before a path.
pub(super) fn behind<'l>(
    mount: &Route,
    application: &NestApplication,
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
) -> (Route, Vec<Placed<'l>>) {
    let mut mount = Route { path: known(&mount.path, scope, resolver), application: None, ..mount.clone() };
    let mut application = Cow::Borrowed(application);
    if !application.versions.is_empty() {
        application.to_mut().versions = versions(&application.versions, scope, resolver);
    }
    for function in &application.clone().handed_to {
        goes_on(function, &mut mount, &mut application, scope, resolver);
    }
    let tree = Tree::of(&mount.handler, scope, resolver);
    mount.guards.extend(tree.guards.iter().cloned());
    let plain = mount.guards.is_empty()
        && mount.path.is_empty()
        && application.before_version.is_none()
        && tree.paths.is_empty();
    if application.is_open || tree.is_open || !application.excluded.iter().all(|(_, path)| is_plain(path)) {
        mount.handler.push_str(", in part");
        return (mount, Vec::new());
    }
    if plain {
        return (mount, Vec::new());
    }
    let mut all = Vec::new();
    for (module, file, controller) in &tree.controllers {
        let module_path = tree.paths.get(module).map(String::as_str).unwrap_or_default();
        for route in routes_of(*file, controller, resolver).iter().take(MOST) {
            let declared = known(&route.path, *file, resolver);
            for (path, version) in paths(&mount.path, &application, module_path, &declared, route) {
                let mut parameters = Route::path_parameters(&mount.path);
                parameters.extend(Route::path_parameters(module_path));
                parameters.extend(route.parameters.iter().cloned());
                let route = Route {
                    local_path: (path != declared).then(|| declared.clone()),
                    path,
                    parameters,
                    versions: version
                        .map_or_else(|| route.versions.clone(), |version| vec![version.to_owned()]),
                    line: mount.line,
                    owner: route.owner.clone(),
                    guards: mount.guards.iter().chain(&route.guards).cloned().collect(),
                    file: (file.entry != scope.entry).then(|| file.entry.to_owned()),
                    ..route.clone()
                };
                all.push(Placed { route, declared: declared.clone(), through: Vec::new() });
            }
        }
        if all.len() > MOST {
            break;
        }
    }
    (mount, all)
}

/// `configure(app)` may put a prefix before its routes too.
fn goes_on<'l>(
    function: &str,
    mount: &mut Route,
    application: &mut Cow<'_, NestApplication>,
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
) {
    let Found::Declared(file, _) = resolver.name(scope, function) else { return };
    let told = file.facts.routes.iter().filter(|route| route.handler.is_empty());
    for (route, more) in told.filter_map(|route| Some((route, route.application.as_deref()?))) {
        let application = application.to_mut();
        mount.guards.extend(route.guards.iter().cloned());
        application.is_open |= more.is_open || !(mount.path.is_empty() || route.path.is_empty());
        application.is_open |= application.before_version.is_some() && more.before_version.is_some();
        if !route.path.is_empty() {
            mount.path = known(&route.path, file, resolver);
        }
        application.excluded.extend(more.excluded.iter().cloned());
        if more.before_version.is_some() {
            application.before_version.clone_from(&more.before_version);
            application.versions = versions(&more.versions, file, resolver);
        }
    }
}

/// Where a route is reachable, and by which version.
fn paths<'r>(
    prefix: &str,
    application: &'r NestApplication,
    module_path: &str,
    declared: &str,
    route: &'r Route,
) -> Vec<(String, Option<&'r str>)> {
    let unversioned =
        if module_path.is_empty() { declared.to_owned() } else { Route::joined(module_path, declared) };
    let excluded = application.excluded.iter().any(|(method, path)| {
        (method == "ALL" || *method == route.method) && covers(path, &unversioned, true)
    });
    let below = |path: String| {
        if excluded || prefix.is_empty() { path } else { Route::joined(prefix, &path) }
    };
    let versions = if route.versions.is_empty() { &application.versions } else { &route.versions };
    match &application.before_version {
        Some(before) if !versions.is_empty() => versions
            .iter()
            .map(|version| {
                let path = match version.as_str() {
                    Route::NEUTRAL => unversioned.clone(),
                    version => Route::joined(&format!("{before}{version}"), &unversioned),
                };
                (below(path), Some(version.as_str()))
            })
            .collect(),
        _ => vec![(below(unversioned), None)],
    }
}

/// Whether we know what a path to leave out means: names, parameters, and everything behind a place.
fn is_plain(path: &str) -> bool {
    let mut segments = segments(path).rev();
    segments.next().is_none_or(|last| is_rest(last) || is_plain_segment(last))
        && segments.all(is_plain_segment)
}

fn is_plain_segment(segment: &str) -> bool {
    !segment.contains(['*', '(', ')', '{', '}', '?', '+', '$'])
}

/// `*`, `(.*)`, `*rest`, `{*rest}`.
fn is_rest(segment: &str) -> bool {
    let bare = segment.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(segment);
    bare == "(.*)" || bare.strip_prefix('*').is_some_and(is_plain_segment)
}

/// Whether a path is what a pattern says, the `whole` of it or what it begins with.
pub(super) fn covers(pattern: &str, path: &str, whole: bool) -> bool {
    let mut path = segments(path);
    for segment in segments(pattern) {
        if is_rest(segment) {
            return true;
        }
        match path.next() {
            Some(own) if segment.starts_with(':') || segment.eq_ignore_ascii_case(own) => {}
            _ => return false,
        }
    }
    !whole || path.next().is_none()
}

fn segments(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

/// The handler of a tree of modules that is not written out.
const UNWRITTEN: &str = "RouterModule";

/// A class by the file that declares it and its name there.
type Class<'l> = (&'l str, &'l str);

#[derive(Default)]
struct Tree<'l> {
    /// With their modules.
    controllers: Vec<(Class<'l>, Scope<'l>, &'l str)>,
    /// What `RouterModule` gives to modules.
    paths: BTreeMap<Class<'l>, String>,
    /// What its modules put before all routes of the application.
    guards: Vec<String>,
    is_open: bool,
}

impl<'l> Tree<'l> {
    fn of(root: &str, scope: Scope<'l>, resolver: &Resolver<'l>) -> Self {
        let mut tree = Self::default();
        let mut seen = BTreeSet::new();
        let mut open: Vec<(Scope<'l>, &'l str)> =
            router(root, scope, resolver).map(|(file, name, _)| (file, name)).into_iter().collect();
        while let Some((file, module)) = open.pop() {
            if !seen.insert((file.entry, module)) || seen.len() > MOST {
                continue;
            }
            let leads = file.facts.routes.iter().filter(|route| is_lead(route, module));
            tree.guards.extend(leads.clone().flat_map(|lead| &lead.guards).cloned());
            let leads = leads.map(|lead| (&*lead.handler, &*lead.path));
            for (handler, path) in leads.chain(listed(module, file)) {
                let Some((to, class, _)) = router(handler, file, resolver) else {
                    // A tree of modules that is not written out; what else is not found has nothing that would be.
                    tree.is_open |= handler == UNWRITTEN;
                    continue;
                };
                if !path.is_empty() {
                    tree.paths.insert((to.entry, class), known(path, file, resolver));
                    continue;
                }
                let mut answers = to.facts.routes.iter().filter(|route| route.owner == class);
                let is_controller = |class: &NestClass| !class.prefixes.is_empty();
                if answers.any(|one| !one.is_mount() || one.class.as_deref().is_some_and(is_controller)) {
                    tree.controllers.push(((file.entry, module), to, class));
                } else {
                    open.push((to, class));
                }
            }
        }
        tree
    }
}

/// What is in a constant that is a list of modules or of controllers.
fn listed<'l>(name: &'l str, file: Scope<'l>) -> impl Iterator<Item = (&'l str, &'l str)> {
    let is_it = move |list: &str| list.strip_suffix(Route::EACH) == Some(name);
    let texts = file.facts.texts.iter().filter(move |(list, _)| is_it(list));
    let named = |text: &'l str| text.strip_prefix("${").and_then(|name| name.strip_suffix('}'));
    texts.filter_map(move |(_, text)| Some((named(text)?, "")))
}

fn is_lead(route: &Route, module: &str) -> bool {
    route.framework == RouteFramework::NestJs
        && route.is_mount()
        && route.owner == module
        && route.application.is_none()
        && route.class.is_none()
}

/// The routes of a controller by its name, in the file that declares it.
fn routes_of<'l>(file: Scope<'l>, controller: &str, resolver: &Resolver<'l>) -> Vec<Route> {
    let own = || file.facts.routes.iter().filter(|route| route.owner == controller);
    let class = own().find_map(|route| Some((route, route.class.as_deref()?)));
    let told = class.map(|(route, class)| answers(route, class, file, resolver)).unwrap_or_default();
    if !told.is_empty() {
        return told;
    }
    let own = own().filter(|route| !route.is_mount());
    let own = own.flat_map(|route| answering(route, file, resolver));
    own.map(|route| Route { versions: versions(&route.versions, file, resolver), ..route }).collect()
}

/// Classes that extend each other.
const MOST_PARENTS: usize = 16;

/// What a class answers that is a controller and has a parent: its own routes, and those of its parents that it does not
/// hide, behind the guards of all of them. `told` is what its file says of the class.
pub(super) fn answers<'l>(
    told: &Route,
    class: &NestClass,
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
) -> Vec<Route> {
    if class.prefixes.is_empty() || class.parent.is_empty() {
        return Vec::new();
    }
    let own = scope.facts.routes.iter().filter(|route| route.owner == told.owner && !route.is_mount());
    let own = own.flat_map(|route| answering(route, scope, resolver)).map(|route| Route {
        path: known(&route.path, scope, resolver),
        versions: versions(&route.versions, scope, resolver),
        local_path: None,
        ..route
    });
    let mut all: Vec<Route> = own.collect();
    let count = all.len();
    let prefixes: Vec<String> = class.prefixes.iter().map(|prefix| known(prefix, scope, resolver)).collect();
    let of_class = versions(&told.versions, scope, resolver);
    let of_told = guards(&told.guards, scope, resolver);
    let mut of_parents: Vec<String> = Vec::new();
    let mut gives = class.gives.clone();
    let mut hidden: BTreeSet<String> = class.methods.iter().cloned().collect();
    let mut next = (scope, class.parent.as_str());
    for _ in 0..MOST_PARENTS {
        let Found::Declared(file, declared) = resolver.name(next.0, next.1) else { break };
        let of_parent = || file.facts.routes.iter().filter(|route| route.owner == declared.name);
        let said = of_parent().find_map(|route| Some((route, route.class.as_deref()?)));
        let (its_guards, its_versions) =
            said.map_or((&[][..], &[][..]), |(said, _)| (&said.guards[..], &said.versions[..]));
        let (of_base, of_controller) = match said {
            Some((_, parent)) if !parent.routes.is_empty() => (parent.routes.as_slice(), false),
            _ => (file.facts.routes.as_slice(), true),
        };
        let routes = of_base.iter().filter(|route| route.owner == declared.name && !route.is_mount());
        let routes = routes.flat_map(|route| {
            let own =
                if of_controller { route.guards.get(its_guards.len()..) } else { Some(&route.guards[..]) };
            let guards = own.unwrap_or_default().to_vec();
            answering(&Route { guards, ..route.clone() }, file, resolver)
        });
        let routes: Vec<Route> = routes.collect();
        let takes = said.map_or(&[][..], |(_, parent)| &parent.takes);
        let bound: BTreeMap<&str, &str> =
            takes.iter().map(String::as_str).zip(gives.iter().map(String::as_str)).collect();
        let (mut seen, mut methods) = (BTreeSet::new(), Vec::new());
        for route in &routes {
            let method = divided::around_last(&route.handler, b'.').map_or("", |(_, method)| method);
            let local = route.local_path.as_ref().filter(|_| of_controller).unwrap_or(&route.path);
            methods.push(method.to_owned());
            // A controller has each of them once per path.
            if hidden.contains(method) || !seen.insert((method, &route.method, local)) {
                continue;
            }
            let local = known(local, file, resolver);
            let versions = if route.versions == its_versions {
                of_class.clone()
            } else {
                versions(&route.versions, file, resolver)
            };
            for prefix in &prefixes {
                all.push(Route {
                    path: Route::joined(prefix, &local),
                    local_path: None,
                    handler: format!("{}.{method}", told.owner),
                    guards: of_told.iter().chain(&route.guards).cloned().collect(),
                    parameters: route.parameters.iter().map(|one| typed(one, &bound)).collect(),
                    returns: put_in(&route.returns, &bound),
                    versions: versions.clone(),
                    line: told.line,
                    owner: told.owner.clone(),
                    file: (file.entry != scope.entry).then(|| file.entry.to_owned()),
                    ..route.clone()
                });
            }
        }
        of_parents.splice(0..0, guards(its_guards, file, resolver));
        hidden.extend(methods);
        let Some((_, parent)) = said.filter(|(_, parent)| !parent.parent.is_empty()) else { break };
        hidden.extend(parent.methods.iter().cloned());
        gives = parent.gives.iter().map(|given| put_in(given, &bound)).collect();
        next = (file, &parent.parent);
    }
    if of_parents.is_empty() && all.len() == count {
        return Vec::new();
    }
    for route in &mut all {
        route.guards.splice(0..0, of_parents.iter().cloned());
    }
    all
}

fn typed(parameter: &RouteParameter, bound: &BTreeMap<&str, &str>) -> RouteParameter {
    RouteParameter { text: put_in(&parameter.text, bound), ..parameter.clone() }
}

/// A type with what is given in the place of type parameters.
fn put_in(text: &str, bound: &BTreeMap<&str, &str>) -> String {
    replaced(text, |mention| bound.get(mention.text).copied()).into_owned()
}
