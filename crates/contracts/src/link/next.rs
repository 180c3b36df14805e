//! What Next.js makes of a file, decided by its path inside the repository together with what it exports.

use std::borrow::Cow;

use becket_base::divided;

use super::scope::{Resolver, Scope};
use crate::graph::NextApp;
use crate::model::{Kind, LocalFacts, NextExports, NextFacts, NextRouter, RouteRole};

/// Whether it matters to which app a file belongs.
pub fn may_be_route(entry_id: &str, facts: &LocalFacts) -> bool {
    let (folders, file) = divided::around_last(entry_id, b'/').unwrap_or(("", entry_id));
    let says_something = || {
        let answers = !facts.next.methods.is_empty() || file.starts_with("route.") && hands_on(facts);
        has_default(facts) || answers || facts.directive.is_some() || says_next(facts)
    };
    is_of_root(divided::before_first(file, b'.'))
        || folders.split('/').any(|folder| matches!(folder, "app" | "pages")) && says_something()
}

pub(super) fn of<'l>(scope: Scope<'l>, resolver: &Resolver<'l>, next: NextApp<'_>) -> Option<NextFacts> {
    let Scope { entry: entry_id, facts, .. } = scope;
    let is_known = matches!(next, NextApp::In(_));
    let is_other = next == NextApp::Absent && !facts.next.imports_next;
    let inside = match next {
        NextApp::In(folder) => entry_id.strip_prefix(folder).unwrap_or(entry_id).trim_start_matches('/'),
        NextApp::Unknown | NextApp::Absent => entry_id,
    };
    let segments: Vec<&str> = inside.split('/').collect();
    let (file, folders) = segments.split_last()?;
    // Dots may be part of an address: `[...all].tsx`, `sitemap.xml.tsx`. Many projects mark pages: `about.page.tsx`.
    let stem = divided::around_last(file, b'.').map_or(*file, |(stem, _)| stem);
    let stem = stem.strip_suffix(".page").unwrap_or(stem);
    let has_default = has_default(facts);
    let root = |name| route_root(folders, name).filter(|_| !is_other);
    let mut methods = Cow::default();
    let app = root("app").filter(|at| !is_known || !is_part(&folders[..*at]));
    let in_app = app.map(|at| &folders[at + 1..]).filter(|below| is_routed(below)).and_then(|below| {
        let role = if stem == "route" {
            methods = handlers(scope, resolver);
            (!methods.is_empty()).then_some(RouteRole::Route)
        } else {
            app_role(stem, below, facts)
        }?;
        Some((role, Some((NextRouter::App, Place::of(below)))))
    });
    let in_pages = || {
        let at = root("pages")?;
        let role = pages_role(stem, &folders[at + 1..], has_default)?;
        let says_so = facts.next.imports_next || !facts.next.data.is_empty();
        let is_special = matches!(role, RouteRole::App | RouteRole::Document);
        let is_read = is_known && is_at_top(&folders[..at]);
        if !(is_special || says_so || is_read) {
            return None;
        }
        let own =
            if stem == "index" || role != RouteRole::Page && role != RouteRole::Api { "" } else { stem };
        let path: Vec<&str> =
            folders[at + 1..].iter().copied().chain([own]).filter(|part| !part.is_empty()).collect();
        let place = Place { path: format!("/{}", path.join("/")), ..Place::default() };
        Some((role, Some((NextRouter::Pages, place))))
    };
    let at_root = || {
        let says = |names: &[&str]| names.iter().any(|name| exports(facts, name));
        let is_gate = || facts.next.imports_next || is_known && (has_default || exports(facts, stem));
        match stem {
            _ if !is_of_root(stem) || !is_at_root(folders) => None,
            "instrumentation" => (is_known && says(&["register", "onRequestError"]))
                .then_some((RouteRole::Instrumentation, None)),
            "instrumentation-client" => is_known.then_some((RouteRole::InstrumentationClient, None)),
            _ => is_gate().then(|| (RouteRole::Middleware, Some((NextRouter::App, Place::of(&[]))))),
        }
    };
    let route = in_app.or_else(in_pages).or_else(at_root);
    if !(route.is_some() || facts.directive.is_some() || says_next(facts)) {
        return None;
    }
    let route_role = route.as_ref().map(|(role, _)| *role);
    let (router, place) = route.and_then(|(_, at)| at).unzip();
    let counts = route_role.is_some();
    Some(NextFacts {
        is_in_app_dir: app.is_some(),
        router,
        directive: facts.directive,
        route_role,
        slot: place.as_ref().and_then(|place| place.slot.clone()),
        intercepts: place.as_ref().is_some_and(|place| place.intercepts),
        segment_path: place.map(|place| place.path),
        metadata: facts.next.metadata.clone().filter(|_| counts),
        methods: methods.into_owned(),
        data: if counts { facts.next.data.clone() } else { Vec::new() },
        actions: facts.next.actions.clone(),
    })
}

fn exports(facts: &LocalFacts, name: &str) -> bool {
    !facts.exported_as(name).0.is_empty()
}

fn has_default(facts: &LocalFacts) -> bool {
    exports(facts, "default")
}

/// Whether all that other files export is exported here, too.
fn hands_on(facts: &LocalFacts) -> bool {
    !facts.exported_as("*").1.is_empty()
}

/// The methods that a route answers: its own functions, and those that it hands on.
fn handlers<'l>(scope: Scope<'l>, resolver: &Resolver<'l>) -> Cow<'l, [String]> {
    if !hands_on(scope.facts) {
        return Cow::Borrowed(&scope.facts.next.methods);
    }
    let all = NextExports::METHODS.iter().map(|method| (*method).to_owned());
    all.filter(|method| scope.facts.next.methods.contains(method) || resolver.has(scope, method)).collect()
}

/// Whether a file is of Next.js by itself.
fn says_next(facts: &LocalFacts) -> bool {
    facts.next.imports_next || !facts.next.actions.is_empty()
}

/// What Next.js looks for beside its routes: what every request goes through, by the second name since Next.js 16, and what
/// begins with the program.
fn is_of_root(stem: &str) -> bool {
    matches!(stem, "middleware" | "proxy" | "instrumentation" | "instrumentation-client")
}

/// The folder that routes hang from: at the root, below `src`, or in a package of a monorepo.
fn route_root(folders: &[&str], name: &str) -> Option<usize> {
    let at = folders.iter().position(|folder| *folder == name)?;
    let before = without_src(&folders[..at]);
    (before.len() <= 1 || before.first().is_some_and(|first| holds_packages(first))).then_some(at)
}

fn without_src<'f, 's>(folders: &'f [&'s str]) -> &'f [&'s str] {
    folders.strip_suffix(&["src"]).unwrap_or(folders)
}

fn holds_packages(folder: &str) -> bool {
    matches!(folder, "apps" | "packages" | "examples" | "sites" | "websites")
}

fn app_role(stem: &str, below: &[&str], facts: &LocalFacts) -> Option<RouteRole> {
    let is_top = below.iter().all(|folder| is_group(folder));
    // Components are called so, too.
    let is_icon = || facts.kind != Kind::ReactComponent || facts.next.imports_next;
    // There may be several: `icon1.tsx`.
    let image = stem.strip_suffix(|last: char| last.is_ascii_digit()).unwrap_or(stem);
    let role = match stem {
        "page" => RouteRole::Page,
        "layout" => RouteRole::Layout,
        "loading" => RouteRole::Loading,
        "error" => RouteRole::Error,
        "global-error" => RouteRole::GlobalError,
        "not-found" => RouteRole::NotFound,
        "global-not-found" if is_top => RouteRole::GlobalNotFound,
        "forbidden" => RouteRole::Forbidden,
        "unauthorized" => RouteRole::Unauthorized,
        "template" => RouteRole::Template,
        "default" => RouteRole::Default,
        "robots" if is_top => RouteRole::Robots,
        "manifest" if is_top => RouteRole::Manifest,
        "sitemap" => RouteRole::Sitemap,
        _ => match image {
            "icon" if is_icon() => RouteRole::Icon,
            "apple-icon" => RouteRole::AppleIcon,
            "opengraph-image" => RouteRole::OpengraphImage,
            "twitter-image" => RouteRole::TwitterImage,
            _ => return None,
        },
    };
    has_default(facts).then_some(role)
}

/// Many projects have a folder `pages`; a route of Next.js says so by what it imports or exports, or stands where Next.js
/// looks for it in a package that depends on it.
fn pages_role(stem: &str, below: &[&str], has_default: bool) -> Option<RouteRole> {
    let role = match (stem, below.first()) {
        ("_app", None) => RouteRole::App,
        ("_document", None) => RouteRole::Document,
        (_, Some(&"api")) => RouteRole::Api,
        _ => RouteRole::Page,
    };
    has_default.then_some(role)
}

/// Whether a folder of routes has no more around it than the package, as far as names tell.
fn is_at_top(around: &[&str]) -> bool {
    is_at_root(around) || without_src(around).len() == 1 && !is_part(around)
}

/// Whether folders are those of a package.
fn is_at_root(folders: &[&str]) -> bool {
    match without_src(folders) {
        [] => true,
        [first, _] => holds_packages(first),
        _ => false,
    }
}

/// Whether folders hold parts of an app, and no app.
fn is_part(folders: &[&str]) -> bool {
    let parts = ["app", "components", "features", "lib", "modules", "pages", "ui", "views"];
    matches!(without_src(folders), [only] if parts.contains(only))
}

/// Whether Next.js looks for routes below folders of `app`: `_lib` is the app's own.
fn is_routed(folders: &[&str]) -> bool {
    !folders.iter().any(|folder| folder.starts_with('_'))
}

/// `(shop)`
fn is_group(folder: &str) -> bool {
    folder.starts_with('(') && folder.ends_with(')')
}

/// Where a file of `app` is shown.
#[derive(Default)]
struct Place {
    path: String,
    slot: Option<String>,
    intercepts: bool,
}

impl Place {
    /// `(group)` and `@slot` are no parts of an address, and `(..)photo` is shown at the one that it intercepts.
    fn of(folders: &[&str]) -> Self {
        let mut place = Self::default();
        let mut kept: Vec<&str> = Vec::new();
        for folder in folders {
            let mut name = *folder;
            while let Some((marker, rest)) =
                name.strip_prefix('(').and_then(|rest| divided::around_first(rest, b')'))
            {
                match marker {
                    "." => {}
                    ".." => drop(kept.pop()),
                    "..." => kept.clear(),
                    _ => break,
                }
                place.intercepts = true;
                name = rest;
            }
            match name.strip_prefix('@') {
                Some(slot) => place.slot = Some(slot.to_owned()),
                None if is_group(name) => {}
                None => kept.push(name),
            }
        }
        // An address that begins so is written so, for a folder that does is the app's own.
        place.path = format!("/{}", kept.join("/")).replace("/%5F", "/_");
        place
    }
}
