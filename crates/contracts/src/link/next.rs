//! What Next.js makes of a file, decided by its path inside the repository together with what it exports.

use crate::graph::NextApp;
use crate::model::{LocalFacts, NextExports, NextFacts, NextRouter, RouteRole};

/// Whether it matters to which app a file belongs.
pub fn may_be_route(entry_id: &str, facts: &LocalFacts) -> bool {
    let (folders, file) = entry_id.rsplit_once('/').unwrap_or(("", entry_id));
    let says_something = || {
        has_default(facts) || !facts.next.methods.is_empty() || facts.directive.is_some() || says_next(facts)
    };
    is_gate(file.split('.').next().unwrap_or_default())
        || folders.split('/').any(|folder| matches!(folder, "app" | "pages")) && says_something()
}

pub(super) fn of(entry_id: &str, facts: &LocalFacts, next: NextApp<'_>) -> Option<NextFacts> {
    let is_known = matches!(next, NextApp::In(_));
    let is_other = next == NextApp::Absent && !facts.next.imports_next;
    let inside = match next {
        NextApp::In(folder) => entry_id.strip_prefix(folder).unwrap_or(entry_id).trim_start_matches('/'),
        NextApp::Unknown | NextApp::Absent => entry_id,
    };
    let segments: Vec<&str> = inside.split('/').collect();
    let (file, folders) = segments.split_last()?;
    // Dots may be part of an address: `[...all].tsx`, `sitemap.xml.tsx`. Many projects mark pages: `about.page.tsx`.
    let stem = file.rsplit_once('.').map_or(*file, |(stem, _)| stem);
    let stem = stem.strip_suffix(".page").unwrap_or(stem);
    let has_default = has_default(facts);
    let root = |name| route_root(folders, name).filter(|_| !is_other);
    let app = root("app").filter(|at| !is_known || !is_part(&folders[..*at]));
    let in_app = app.filter(|at| is_routed(&folders[at + 1..])).and_then(|at| {
        let role = app_role(stem, has_default, &facts.next)?;
        Some((NextRouter::App, role, segment_path(&folders[at + 1..])))
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
        Some((NextRouter::Pages, role, format!("/{}", path.join("/"))))
    };
    let gate = || {
        let is_meant = facts.next.imports_next || is_known && (has_default || exports(facts, stem));
        let is_one = is_gate(stem) && is_meant && is_at_root(folders);
        is_one.then(|| (NextRouter::App, RouteRole::Middleware, "/".to_owned()))
    };
    let route = in_app.or_else(in_pages).or_else(gate);
    if !(route.is_some() || facts.directive.is_some() || says_next(facts)) {
        return None;
    }
    let (router, route_role, segment_path) = match route {
        Some((router, role, path)) => (Some(router), Some(role), Some(path)),
        None => (None, None, None),
    };
    let counts = route_role.is_some();
    Some(NextFacts {
        is_in_app_dir: app.is_some(),
        router,
        directive: facts.directive,
        route_role,
        segment_path,
        metadata: facts.next.metadata.clone().filter(|_| counts),
        methods: if route_role == Some(RouteRole::Route) { facts.next.methods.clone() } else { Vec::new() },
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

/// Whether a file is of Next.js by itself.
fn says_next(facts: &LocalFacts) -> bool {
    facts.next.imports_next || !facts.next.actions.is_empty()
}

/// What every request goes through; since Next.js 16 it has the second name.
fn is_gate(stem: &str) -> bool {
    matches!(stem, "middleware" | "proxy")
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

fn app_role(stem: &str, has_default: bool, exports: &NextExports) -> Option<RouteRole> {
    if stem == "route" {
        return (!exports.methods.is_empty()).then_some(RouteRole::Route);
    }
    let role = match stem {
        "page" => RouteRole::Page,
        "layout" => RouteRole::Layout,
        "loading" => RouteRole::Loading,
        "error" => RouteRole::Error,
        "global-error" => RouteRole::GlobalError,
        "not-found" => RouteRole::NotFound,
        "template" => RouteRole::Template,
        "default" => RouteRole::Default,
        _ => return None,
    };
    has_default.then_some(role)
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

/// `(group)` and `@slot` are no parts of an address, and `(..)photo` is shown at the one that it intercepts.
fn segment_path(folders: &[&str]) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for folder in folders {
        let mut name = *folder;
        while let Some((marker, rest)) = name.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            match marker {
                "." => {}
                ".." => drop(kept.pop()),
                "..." => kept.clear(),
                _ => break,
            }
            name = rest;
        }
        let is_group = name.starts_with('(') && name.ends_with(')');
        if !is_group && !name.starts_with('@') {
            kept.push(name);
        }
    }
    // An address that begins so is written so, for a folder that does is the app's own.
    format!("/{}", kept.join("/")).replace("/%5F", "/_")
}
