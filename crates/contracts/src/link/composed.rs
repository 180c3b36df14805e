//! Decorators that a project puts together of those of `NestJS`: what they add to the routes that have them.

use super::scope::{Found, Resolver, Scope};
use super::texts::known;
use crate::model::{NestClass, Route};

/// Decorators in decorators.
const DEEPEST: usize = 6;

/// A route with what its decorators stand for. One that only they make is there where they do.
pub(super) fn answering<'l>(route: &Route, scope: Scope<'l>, resolver: &Resolver<'l>) -> Vec<Route> {
    let decorators = || route.guards.iter().filter_map(|guard| Composed::of(guard, scope, resolver));
    if !route.guards.iter().any(|guard| guard.starts_with(Route::DECORATOR)) {
        return vec![route.clone()];
    }
    let status = route.status.or_else(|| decorators().find_map(|one| one.told.status));
    let whole = Route { guards: guards(&route.guards, scope, resolver), status, ..route.clone() };
    if !route.method.is_empty() {
        return vec![whole];
    }
    let answers = decorators().map(|one| one.answers(resolver, DEEPEST)).find(|answers| !answers.is_empty());
    let answers = answers.unwrap_or_default().into_iter().map(|(method, own)| Route {
        method,
        path: Route::joined(&route.path, &own),
        local_path: Some(own),
        ..whole.clone()
    });
    answers.collect()
}

/// Guards with those of decorators in their places.
pub(super) fn guards<'l>(written: &[String], scope: Scope<'l>, resolver: &Resolver<'l>) -> Vec<String> {
    guards_within(written, scope, resolver, DEEPEST)
}

fn guards_within<'l>(
    written: &[String],
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
    depth: usize,
) -> Vec<String> {
    let each = written.iter().flat_map(|guard| {
        if !guard.starts_with(Route::DECORATOR) {
            return vec![guard.clone()];
        }
        let composed = Composed::of(guard, scope, resolver).zip(depth.checked_sub(1));
        composed
            .map(|(one, depth)| guards_within(&one.told.guards, one.file, resolver, depth))
            .unwrap_or_default()
    });
    each.collect()
}

/// A function that puts decorators together, and what it is given.
struct Composed<'l> {
    file: Scope<'l>,
    told: &'l Route,
    class: &'l NestClass,
    given: Vec<String>,
}

impl<'l> Composed<'l> {
    fn of(guard: &str, scope: Scope<'l>, resolver: &Resolver<'l>) -> Option<Self> {
        let mut lines = guard.strip_prefix(Route::DECORATOR)?.lines();
        let Found::Declared(file, function) = resolver.name(scope, lines.next()?) else { return None };
        let mut told = file.facts.routes.iter().filter(|route| route.owner == function.name);
        let (told, class) = told.find_map(|route| Some((route, route.class.as_deref()?)))?;
        let given = lines.map(|one| known(one, scope, resolver)).collect();
        Some(Self { file, told, class, given })
    }

    /// Methods and paths.
    fn answers(&self, resolver: &Resolver<'l>, depth: usize) -> Vec<(String, String)> {
        let own = self.class.routes.iter();
        let mut all: Vec<(String, String)> = own
            .map(|one| (one.method.clone(), known(&self.put_in(&one.path), self.file, resolver)))
            .collect();
        if let Some(depth) = depth.checked_sub(1) {
            let others = self.told.guards.iter();
            let others = others.filter_map(|guard| Composed::of(&self.put_in(guard), self.file, resolver));
            all.extend(others.flat_map(|one| one.answers(resolver, depth)));
        }
        all
    }

    /// A text with what is given in the place of parameters.
    fn put_in(&self, text: &str) -> String {
        let pairs = self.class.takes.iter().zip(&self.given);
        pairs.fold(text.to_owned(), |text, (name, given)| {
            text.replace(&format!("${{{}{name}}}", Route::HIDDEN), given)
        })
    }
}
