//! Who looks for a file where it was, and finds it no more: by the graph of then, where there is one, else by what imports of
//! now ask for.

use std::collections::{BTreeMap, BTreeSet};

use super::origins::{Origins, home};
use crate::graph::{Edge, Graph, is_twin};
use crate::model::Contract;

/// What a path may end with that importers leave out, or write otherwise: `./a.js` for `a.ts`.
const ENDINGS: [&str; 9] = [".cjs", ".cts", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx", ".vue"];
/// What projects call their own sources by, as a rule.
const OWN: [&str; 2] = ["@/", "~/"];

/// The files that needed a file where it was, and find it no more; none where all of them had it through others, for which
/// those answer. It is `new` now.
pub(super) fn behind(origins: &Origins<'_, '_>, old: &str, new: &str) -> Vec<String> {
    let Some((before, after)) = origins.before.graph.zip(origins.after.graph) else { return Vec::new() };
    let Some(file) = before.position(old) else { return asking(origins, old) };
    let is_left = |user: &&str| {
        // Where something else has its name, that is found instead.
        let found = |edge: &Edge| {
            let to = after.path(edge.to);
            to == new || module(to) == module(old)
        };
        let stands_for_it = is_twin(user, old) && module(old) == module(new);
        let finds = |at: usize| stands_for_it || after.edges(at).iter().any(found);
        (origins.is_untouched(user) || asks(origins, user, old))
            && !after.position(origins.path_now(user)).is_none_or(finds)
    };
    let users = before.dependents(file).iter().map(|user| before.path(*user));
    let left: Vec<&str> = users.filter(is_left).collect();
    if !left.iter().any(|user| is_direct(before, user, file)) {
        return Vec::new();
    }
    left.into_iter().map(str::to_owned).collect()
}

/// The files that import one that is gone, and still do: also who only runs it.
pub(super) fn missing(origins: &Origins<'_, '_>, old: &str) -> Vec<String> {
    let Some(before) = origins.before.graph else { return Vec::new() };
    let Some(file) = before.position(old) else { return asking(origins, old) };
    let users = before.dependents(file).iter().map(|user| before.path(*user));
    let left =
        users.filter(|user| is_direct(before, user, file) && !is_twin(user, old) && asks(origins, user, old));
    left.map(str::to_owned).collect()
}

fn is_direct(graph: &Graph, user: &str, file: usize) -> bool {
    let edges = graph.position(user).map(|at| graph.edges(at)).unwrap_or_default();
    edges.iter().any(|edge| edge.to == file && edge.through.is_none())
}

/// Whether a file, by where it was, has an import now that means a file which is not there.
fn asks(origins: &Origins<'_, '_>, user: &str, old: &str) -> bool {
    let was = origins.before.contracts.get(user);
    let Some(is) = origins.after.contracts.get(origins.path_now(user)) else { return false };
    let by_place = |one: &&Contract| one.version.imports.iter().any(|from| means(one, from, old));
    // Who had it by another name than its place may have it by that still.
    let by_name = was.is_some_and(|was| !by_place(was));
    let leads = |from: &String| means(is, from, old) || by_name && ends_as(from, module(old));
    is.version.imports.iter().any(|from| leads(from) && !is_found(origins, is, from))
}

/// As [`asks`], of everybody now, where nobody knows who imported it then.
fn asking(origins: &Origins<'_, '_>, old: &str) -> Vec<String> {
    let module = module(old);
    let by_place = origins.asking().get(module).into_iter().flatten();
    let ends = module.match_indices('/').map(|(at, _)| &module[at + 1..]).chain([module]);
    let by_name = ends.flat_map(|end| OWN.map(|own| format!("{own}{end}")));
    let by_name: Vec<String> = by_name.collect();
    let by_name = by_name.iter().filter_map(|name| origins.asking().get(name)).flatten();
    let users: BTreeSet<&str> = by_place.chain(by_name).copied().collect();
    users.into_iter().map(|user| origins.path_before(user).to_owned()).collect()
}

/// Files of now by what they import and does not lead anywhere: a path from the root, or a name as it is written.
pub(super) type Asking<'a> = BTreeMap<String, Vec<&'a str>>;

pub(super) fn asked<'a>(origins: &Origins<'_, 'a>) -> Asking<'a> {
    let mut all = Asking::new();
    for (path, contract) in &origins.after.contracts {
        for from in &contract.version.imports {
            let key = if from.starts_with('.') {
                place(contract, from)
            } else if OWN.iter().any(|own| from.starts_with(own)) {
                bare(from).to_owned()
            } else {
                continue;
            };
            if !is_found(origins, contract, from) {
                all.entry(key).or_default().push(path);
            }
        }
    }
    all
}

/// Whether an import of a file leads to one that is there.
fn is_found(origins: &Origins<'_, '_>, file: &Contract, from: &str) -> bool {
    let Some(graph) = origins.after.graph else { return true };
    let edges = graph.position(&file.entry_id).map(|at| graph.edges(at)).unwrap_or_default();
    let mut paths = edges.iter().map(|edge| graph.path(edge.to));
    if !from.starts_with('.') {
        return paths.any(|path| ends_as(from, module(path)));
    }
    let place = place(file, from);
    paths.any(|path| place == module(path) || place == path)
}

/// Whether what a file imports by a path is the file at another.
pub(super) fn means(file: &Contract, from: &str, path: &str) -> bool {
    from.starts_with('.') && [module(path), path].contains(&&*place(file, from))
}

/// What a file calls another by its path, from the root.
fn place(file: &Contract, from: &str) -> String {
    let home = home(file, from.split('?').next().unwrap_or(from));
    match bare(home.strip_prefix("./").unwrap_or(&home)) {
        "" => "index".to_owned(),
        place => place.to_owned(),
    }
}

/// Whether a name that is no path may be that of a module: all of it, or what follows a name for the project.
pub(super) fn ends_as(from: &str, module: &str) -> bool {
    let is_end = |end: &str| {
        !end.is_empty() && module.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let from = bare(from);
    !from.starts_with('.') && (is_end(from) || from.split_once('/').is_some_and(|(_, end)| is_end(end)))
}

/// A specifier without what it may end with.
fn bare(from: &str) -> &str {
    let stem = ENDINGS.iter().find_map(|ending| from.strip_suffix(ending)).unwrap_or(from);
    let stem = stem.strip_suffix(".d").unwrap_or(stem);
    stem.strip_suffix("/index").unwrap_or(stem)
}

/// What importers call a file, from the root: `src/a` for `src/a.ts`, `src/a.tsx` and `src/a/index.js`.
pub(super) fn module(path: &str) -> &str {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let stem = stem.strip_suffix(".d").unwrap_or(stem);
    stem.strip_suffix("/index").unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_for_the_project_may_stand_before_a_module() {
        assert!(ends_as("@/polyfill", "src/polyfill"));
        assert!(ends_as("~/setup/polyfill.js", "app/setup/polyfill"));
        assert!(ends_as("setup/polyfill", "src/setup/polyfill"));
        assert!(!ends_as("@/fill", "src/polyfill"));
        assert!(!ends_as("@/other/polyfill", "src/polyfill"));
        assert!(!ends_as("./polyfill", "src/polyfill"));
    }
}
