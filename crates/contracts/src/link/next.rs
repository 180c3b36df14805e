//! What Next.js makes of a file, decided by its path inside the repository together with what it exports.

use crate::model::{LocalFacts, NextExports, NextFacts, NextRouter, RouteRole};

pub(super) fn of(entry_id: &str, facts: &LocalFacts, has_next: impl Fn() -> bool) -> Option<NextFacts> {
    let segments: Vec<&str> = entry_id.split('/').collect();
    let (file, folders) = segments.split_last()?;
    // Dots may be part of an address: `[...all].tsx`, `sitemap.xml.tsx`. Many projects mark pages: `about.page.tsx`.
    let stem = file.rsplit_once('.').map_or(*file, |(stem, _)| stem);
    let stem = stem.strip_suffix(".page").unwrap_or(stem);
    let has_default = facts.exports.iter().any(|export| export.name == "default");
    let app = route_root(folders, "app");
    let in_app = app.and_then(|at| {
        let role = app_role(stem, has_default, &facts.next)?;
        Some((NextRouter::App, role, segment_path(&folders[at + 1..])))
    });
    let in_pages = || {
        let at = route_root(folders, "pages")?;
        let role = pages_role(stem, &folders[at + 1..], has_default)?;
        let says_so = facts.next.imports_next || !facts.next.data.is_empty();
        let is_special = matches!(role, RouteRole::App | RouteRole::Document);
        let is_read = || is_at_top(&folders[..at]) && has_next();
        if !(is_special || says_so || is_read()) {
            return None;
        }
        let own =
            if stem == "index" || role != RouteRole::Page && role != RouteRole::Api { "" } else { stem };
        let path: Vec<&str> =
            folders[at + 1..].iter().copied().chain([own]).filter(|part| !part.is_empty()).collect();
        Some((NextRouter::Pages, role, format!("/{}", path.join("/"))))
    };
    let is_middleware = stem == "middleware" && facts.next.imports_next && matches!(folders, [] | ["src"]);
    let middleware = || is_middleware.then(|| (NextRouter::App, RouteRole::Middleware, "/".to_owned()));
    let route = in_app.or_else(in_pages).or_else(middleware);
    let is_next = route.is_some()
        || facts.directive.is_some()
        || facts.next.imports_next
        || !facts.next.actions.is_empty();
    if !is_next {
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

/// The folder that routes hang from: at the root, below `src`, or in a package of a monorepo.
fn route_root(folders: &[&str], name: &str) -> Option<usize> {
    let at = folders.iter().position(|folder| *folder == name)?;
    let before = folders[..at].strip_suffix(&["src"]).unwrap_or(&folders[..at]);
    let is_package =
        matches!(before.first(), Some(&("apps" | "packages" | "examples" | "sites" | "websites")));
    (before.len() <= 1 || is_package).then_some(at)
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
    let around = around.strip_suffix(&["src"]).unwrap_or(around);
    match around {
        [] | ["apps" | "packages" | "examples" | "sites" | "websites", _] => true,
        [only] => !matches!(*only, "components" | "features" | "lib" | "modules" | "ui" | "views"),
        _ => false,
    }
}

/// `(group)` is no part of an address; `@slot` and `(.)intercepted` are kept, because they tell routes apart.
fn segment_path(folders: &[&str]) -> String {
    let is_group = |folder: &&&str| folder.starts_with('(') && folder.ends_with(')');
    let kept: Vec<&str> = folders.iter().filter(|folder| !is_group(folder)).copied().collect();
    format!("/{}", kept.join("/"))
}
