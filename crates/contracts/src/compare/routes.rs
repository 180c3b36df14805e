//! Addresses that a file answers at: the routes that it registers, and those that Next.js gives it by its path.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::addresses::{Pattern, by_place};
use super::origins::In;
use super::result::folder_of;
use super::{Change, DeclarationChange, Side, Verdict};
use crate::graph::Graph;
use crate::model::{Contract, Route, RouteParameter, RouteRole};

/// What is answered otherwise, no longer or newly. A file is absent where there is none.
pub(super) fn changes(
    before: &Side<'_>,
    after: &Side<'_>,
    old: Option<&Contract>,
    new: Option<&Contract>,
) -> Vec<DeclarationChange> {
    if let Some((one, other)) = old.zip(new).filter(|(one, other)| is_of_another_app(one, other)) {
        let left = changes(before, after, Some(one), None);
        return left.into_iter().chain(changes(before, after, None, Some(other))).collect();
    }
    let (was, is) = (answered(old), answered(new));
    let renamed = renamed(&was, &is);
    let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
    let everywhere = everywhere(&was, &is);
    let mut changes = Vec::new();
    let other: BTreeSet<&String> = renamed.values().copied().collect();
    for name in names.into_iter().filter(|name| !other.contains(name)) {
        let before_it = renamed.get(name).copied().unwrap_or(name);
        let had = was.get(before_it);
        let moved = match (had, is.get(name), old) {
            (Some(one), None, Some(old)) => elsewhere(before, after, (old, one), name),
            _ => None,
        };
        let now = is.get(name).or(moved.as_ref().map(|(_, answer)| answer));
        let wider = if now.is_none() { wider(&is, name) } else { None };
        if let Some((old, (other, new))) = had.zip(wider)
            && (old.is_same(new) || old.is_answered_by(new, &everywhere))
        {
            changes.push(DeclarationChange {
                name: name.clone(),
                kind: "route".to_owned(),
                change: Change::Changed,
                before: old.told().into_iter().collect(),
                after: new.told().into_iter().collect(),
                verdict: Verdict::Compatible,
                reason: format!("`{other}` answers there now, and elsewhere"),
                used_by: Vec::new(),
            });
            continue;
        }
        let mut place =
            moved.as_ref().map(|(file, _)| format!(": {file} answers there now")).unwrap_or_default();
        if before_it != name {
            place = format!("{place}; it was `{before_it}`");
        }
        let (change, verdict, reason) = match (had, now) {
            (Some(old), Some(new)) if old.is_same(new) => {
                match (old.names(before_it) == new.names(name), &moved) {
                    (true, None) if before_it == name => continue,
                    (true, Some(_)) => (Change::Moved, Verdict::Compatible, "it takes and answers the same"),
                    (true, None) => (
                        Change::Changed,
                        Verdict::Compatible,
                        "its path is written otherwise, and answers as it did",
                    ),
                    (false, _) => {
                        let reason = "a parameter of its path has another name, and every address is answered as it was";
                        (Change::Changed, Verdict::Compatible, reason)
                    }
                }
            }
            (Some(old), Some(new)) if old.is_answered_by(new, &everywhere) => {
                let reason = if old.guards() == new.guards() {
                    "it takes what it took, or more"
                } else {
                    "something more runs before it, which is no guard of its own"
                };
                (Change::Changed, Verdict::Compatible, reason)
            }
            (Some(_), Some(_)) => (Change::Changed, Verdict::Breaking, "what it takes or answers changed"),
            (Some(_), None) => (Change::Removed, Verdict::Breaking, "nothing answers there any more"),
            (None, _) => (Change::Added, Verdict::Compatible, "added"),
        };
        changes.push(DeclarationChange {
            name: name.clone(),
            kind: "route".to_owned(),
            change,
            before: had.and_then(Answer::told).into_iter().collect(),
            after: now.and_then(Answer::told).into_iter().collect(),
            verdict,
            reason: format!("{reason}{place}"),
            // Who imports the file need not ask for anything there, and who asks need not import it.
            used_by: Vec::new(),
        });
    }
    changes
}

/// What answers wherever the one of this name did: to every method, or also where the end of its path is absent.
fn wider<'i, 'n>(is: &'i BTreeMap<String, Answer<'n>>, name: &str) -> Option<(&'i String, &'i Answer<'n>)> {
    let (method, path) = name.split_once(' ')?;
    let (before, last) = path.rsplit_once('/')?;
    let catch_all = last.strip_prefix("[...").map(|rest| format!("{method} {before}/[[...{rest}]"));
    let ways = [format!("ALL {path}"), format!("{method} {path}?"), format!("{method} {before}{{/{last}}}")];
    ways.into_iter().chain(catch_all).find_map(|way| is.get_key_value(&way))
}

/// The names that are new and have the addresses of others that are gone, with these.
fn renamed<'n>(
    was: &'n BTreeMap<String, Answer<'_>>,
    is: &'n BTreeMap<String, Answer<'_>>,
) -> BTreeMap<&'n String, &'n String> {
    let only = |one: &'n BTreeMap<String, Answer<'_>>, other: &BTreeMap<String, Answer<'_>>| {
        let mut names: BTreeMap<String, Vec<&'n String>> = BTreeMap::new();
        for (name, answer) in one.iter().filter(|(name, _)| !other.contains_key(*name)) {
            names.entry(answer.pattern(name).text).or_default().push(name);
        }
        names
    };
    let gone = only(was, is);
    let pairs = only(is, was).into_iter().filter_map(|(pattern, names)| Some((names, gone.get(&pattern)?)));
    pairs.flat_map(|(names, gone)| names.into_iter().zip(gone.iter().copied())).collect()
}

/// What runs before every route of a file now, and ran before none: it is not there to guard one of them. Of an only route
/// nobody can tell.
fn everywhere<'n>(
    was: &BTreeMap<String, Answer<'_>>,
    is: &BTreeMap<String, Answer<'n>>,
) -> BTreeSet<&'n str> {
    let mut routes = is.values().filter(|answer| answer.route.is_some_and(|route| route.method != "USE"));
    let (Some(first), others) = (routes.next(), routes.collect::<Vec<_>>()) else { return BTreeSet::new() };
    let is_new = |guard: &&str| !was.values().any(|answer| answer.guards().contains(guard));
    let is_shared = |guard: &&str| others.iter().all(|answer| answer.guards().contains(guard));
    let shared = first.guards().into_iter().filter(|_| !others.is_empty()).filter(is_shared);
    shared.filter(is_new).collect()
}

/// The file that answers now what another one did. Two programs may answer at the same address, so only one that is new there
/// in the same program has taken it over, or one of the same Next.js app: there a page may be shown in several places.
fn elsewhere<'a>(
    before: &Side<'_>,
    after: &Side<'a>,
    (old, one): In<'_, Answer<'_>>,
    name: &str,
) -> Option<(&'a str, Answer<'a>)> {
    let answers = |contract: &Contract, wanted: &[String]| {
        answered(Some(contract)).iter().any(|(name, answer)| answer.at(name) == wanted)
    };
    let wanted = one.at(name);
    let is_new = |entry: &str| before.contracts.get(entry).is_none_or(|was| !answers(was, &wanted));
    let is_it = |entry: &str| match one.route {
        Some(_) => is_new(entry) && is_same_program((before, &old.entry_id), (after, entry)),
        None => app(entry).is_some() && app(entry) == app(&old.entry_id),
    };
    let mut others = after.contracts.iter().filter(|(entry, _)| **entry != old.entry_id);
    others.find_map(|(entry, contract)| {
        let mut all = answered(Some(contract)).into_iter();
        let (_, answer) = all.find(|(name, answer)| {
            answer.route.is_none_or(|route| route.file.is_none()) && answer.at(name) == wanted
        })?;
        is_it(entry).then_some((*entry, answer))
    })
}

/// Whether two files run in one program, as far as imports tell: one needs the other, or something needs both. Files beside
/// each other that nobody imports may be found by their folder.
fn is_same_program((before, old): (&Side<'_>, &str), (after, new): (&Side<'_>, &str)) -> bool {
    let Some((was, is)) = before.graph.zip(after.graph) else { return true };
    let needing = |graph: &Graph, entry: &str| -> Option<BTreeSet<String>> {
        let mut found = BTreeSet::from([graph.position(entry)?]);
        let mut open: Vec<usize> = found.iter().copied().collect();
        while let Some(at) = open.pop() {
            open.extend(graph.dependents(at).iter().filter(|user| found.insert(**user)));
        }
        Some(found.into_iter().map(|at| graph.path(at).to_owned()).collect())
    };
    let Some((was, is)) = needing(was, old).zip(needing(is, new)) else { return true };
    let are_beside = || was.len() == 1 && is.len() == 1 && folder_of(old) == folder_of(new);
    !was.is_disjoint(&is) || are_beside()
}

/// Whether a page is one of another Next.js app now.
fn is_of_another_app(old: &Contract, new: &Contract) -> bool {
    let apps = app(&old.entry_id).zip(app(&new.entry_id));
    old.nextjs.is_some() && new.nextjs.is_some() && apps.is_some_and(|(was, is)| was != is)
}

/// The folder of the Next.js app that a file makes addresses of.
fn app(entry: &str) -> Option<&str> {
    let mut start = 0;
    for part in entry.split_inclusive('/') {
        if matches!(part, "app/" | "pages/") {
            let around = &entry[..start];
            // `web/src/app` is of the app in `web`.
            let outside = around.strip_suffix("src/").filter(|rest| rest.is_empty() || rest.ends_with('/'));
            return Some(outside.unwrap_or(around));
        }
        start += part.len();
    }
    None
}

/// What is answered at an address: by a route, or by what Next.js gives the file.
#[derive(Clone, Copy)]
struct Answer<'a> {
    route: Option<&'a Route>,
    /// The mount that it is behind, whose guards are its own too.
    mount: Option<&'a Route>,
}

impl<'a> Answer<'a> {
    /// Its addresses in the whole project, by its name in the file.
    fn at(&self, name: &str) -> Vec<String> {
        match self.route {
            Some(route) if !route.full_paths.is_empty() => {
                let rest = self.behind_path(name);
                let patterns = route.full_paths.iter().map(|path| Pattern::of(route.framework, path).text);
                patterns.map(|path| format!("{} {path}{rest}", route.method)).collect()
            }
            _ => vec![self.pattern(name).text],
        }
    }

    /// Its name in the file, without the names of the parameters of its path; and these.
    fn pattern(&self, name: &str) -> Pattern {
        let Some(route) = self.route else {
            let (method, path) = name.split_once(' ').unwrap_or(("", name));
            let Pattern { text, names } = Pattern::of_file(path);
            return Pattern { text: format!("{method} {text}"), names };
        };
        let Pattern { text, names } = Pattern::of(route.framework, &route.path);
        Pattern { text: format!("{} {text}{}", route.method, self.behind_path(name)), names }
    }

    fn names(&self, name: &str) -> Vec<String> {
        self.pattern(name).names
    }

    /// The version that a name ends with.
    fn behind_path<'n>(&self, name: &'n str) -> &'n str {
        let route = self.route.map(|route| format!("{} {}", route.method, route.path));
        route.and_then(|path| name.strip_prefix(&path)).unwrap_or_default()
    }

    /// What there is to say of it beside its method and its path: of what Next.js gives a file nothing.
    fn told(&self) -> Option<String> {
        self.route.map(|_| self.shown())
    }

    fn shown(&self) -> String {
        self.route.map(|route| shown_behind(route, &self.guards())).unwrap_or_default()
    }

    fn guards(&self) -> Vec<&'a str> {
        let guards = self.mount.into_iter().chain(self.route).flat_map(|one| &one.guards);
        guards.map(String::as_str).collect()
    }

    /// Whether it takes and answers the same, whatever the parameters of its path are called.
    fn is_same(&self, other: &Self) -> bool {
        let (Some(was), Some(is)) = (self.route, other.route) else { return self.shown() == other.shown() };
        let (taken, takes) = taken(was, is);
        let shown = |answer: &Self, route: &Route, parameters: Vec<RouteParameter>| {
            shown_behind(&Route { parameters, ..route.clone() }, &answer.guards())
        };
        shown(self, was, taken) == shown(other, is, takes)
    }

    /// Whether who asked as before is answered as before. What runs `everywhere` is no guard that somebody gave the route.
    fn is_answered_by(&self, other: &Self, everywhere: &BTreeSet<&str>) -> bool {
        let (Some(was), Some(is)) = (self.route, other.route) else { return false };
        let same = |one: &RouteParameter, other: &RouteParameter| {
            (&one.name, one.source, one.taken_as()) == (&other.name, other.source, other.taken_as())
        };
        let (taken, takes) = taken(was, is);
        let still_taken = |one: &RouteParameter| {
            let mut others = takes.iter().filter(|other| same(one, other));
            others.any(|other| other.optional || !one.optional)
        };
        let not_needed = |other: &&RouteParameter| other.optional || taken.iter().any(|one| same(one, other));
        let guards = |answer: &Self| -> Vec<String> {
            let guards = answer.guards().into_iter();
            let own = |guard: &&str| !everywhere.contains(guard);
            guards.filter(own).map(str::to_owned).collect()
        };
        guards(self) == guards(other)
            && (was.answer(), was.own_status()) == (is.answer(), is.own_status())
            && taken.iter().all(still_taken)
            && takes.iter().all(|one| not_needed(&one))
    }
}

/// What two routes take: by names, where those in their paths are the same, else by where it stands in the path.
fn taken(was: &Route, is: &Route) -> (Vec<RouteParameter>, Vec<RouteParameter>) {
    let names = |route: &Route| Pattern::of(route.framework, &route.path).names;
    if names(was) == names(is) {
        (was.parameters.clone(), is.parameters.clone())
    } else {
        (by_place(was), by_place(is))
    }
}

/// By method and path.
fn answered(contract: Option<&Contract>) -> BTreeMap<String, Answer<'_>> {
    let Some(contract) = contract else { return BTreeMap::new() };
    let registered = contract.routes.iter().zip(Route::behind(&contract.routes));
    let registered = registered.flat_map(|(route, mount)| {
        // Each version is an address of its own.
        let versions = route.versions.iter().map(|version| format!(" version {version}"));
        let versions = versions.chain(route.versions.is_empty().then(String::new));
        let answer = Answer { route: Some(route), mount };
        versions.map(move |version| (format!("{} {}{version}", route.method, route.path), answer))
    });
    let next = contract.nextjs.iter().filter_map(|next| Some((next, next.answers()?)));
    let by_path = next.flat_map(|(next, (role, path))| {
        let methods = match role {
            RouteRole::Page => vec!["PAGE"],
            RouteRole::Api => vec!["API"],
            _ => next.methods.iter().map(String::as_str).collect(),
        };
        methods
            .into_iter()
            .map(move |method| (format!("{method} {path}"), Answer { route: None, mount: None }))
    });
    registered.chain(by_path).collect()
}

pub(super) fn shown(route: &Route) -> String {
    shown_behind(route, &route.guards.iter().map(String::as_str).collect::<Vec<_>>())
}

fn shown_behind(route: &Route, guards: &[&str]) -> String {
    let parameters: Vec<String> = route
        .parameters
        .iter()
        .map(|one| format!("{}{}: {}", one.name, if one.optional { "?" } else { "" }, one.taken_as()))
        .collect();
    let mut shown = format!("({})", parameters.join(", "));
    if !guards.is_empty() {
        let _ = write!(shown, " guards [{}]", guards.join(", "));
    }
    if !route.returns.is_empty() {
        let _ = write!(shown, " returns {}", route.answer());
    }
    if let Some(status) = route.own_status() {
        let _ = write!(shown, " status {status}");
    }
    shown
}
