//! Applications that a file is merely given, as a parameter or by another file of the project. Nothing says what these are,
//! so what is registered on one has to look like a route; where nothing does, it is none.

use std::collections::{BTreeMap, BTreeSet};

use becket_base::divided;
use oxc_ast::ast::{Expression, FormalParameter, TSType, TSTypeAnnotation};

use super::super::component::Callable;
use super::super::origins::{Origin, Origins, root};
use super::super::print::{Print, type_name};
use super::owners::called;
use super::{RARE_VERBS, framework};
use crate::model::{Route, RouteFramework};

/// A name, and where it is declared; 0 for one at the top of the file, and for a field.
pub(super) type Place = (String, u32);

#[derive(Default)]
pub(super) struct Given<'a> {
    /// What names stand for in the functions that are walked, the innermost last: `None` for what is no application.
    pub(super) names: Vec<(&'a str, Option<u32>)>,
    /// Fields that hold one, with the names of their classes.
    fields: BTreeSet<String>,
    /// Parameters of functions in place that somebody else puts below a path, by where they stand.
    pub(super) below: BTreeSet<u32>,
    /// Those that are applications, because what is registered on them tells.
    told: BTreeMap<Place, RouteFramework>,
}

impl<'a> Given<'a> {
    pub(super) fn parameter(&mut self, parameter: &FormalParameter<'a>, print: Print<'_, 'a>) {
        let is_open = parameter.type_annotation.as_ref().is_none_or(|ty| may_be(ty, &print.source.origins));
        let own = parameter.pattern.get_identifier_name();
        for name in parameter.pattern.get_binding_identifiers() {
            let place = own.filter(|_| is_open).map(|_| name.span.start);
            self.names.push((name.name.as_str(), place));
        }
    }

    pub(super) fn field(&mut self, name: String) {
        self.fields.insert(name);
    }

    /// The place of what may be an application.
    pub(super) fn place(&self, owner: &str, origins: &Origins<'_>) -> Option<Place> {
        let owner = called(owner);
        if let Some((name, at)) = self.names.iter().rev().find(|(name, _)| *name == owner) {
            let at = at.filter(|at| !self.below.contains(at));
            return at.map(|at| ((*name).to_owned(), at));
        }
        let is_of_project = || match origins.of(owner) {
            Some(Origin::Module { specifier, .. }) => is_own(specifier) && is_usual(owner),
            _ => false,
        };
        (self.fields.contains(owner) || is_of_project()).then(|| (owner.to_owned(), 0))
    }

    pub(super) fn tell(&mut self, place: &Place, framework: RouteFramework) {
        self.told.entry(place.clone()).or_insert(framework);
    }

    /// Whose application it is, where it is one.
    pub(super) fn framework(&self, place: &Place) -> Option<RouteFramework> {
        self.told.get(place).copied()
    }
}

/// The framework of what a handler is registered on, as far as that tells: a function that takes a request and a response
/// is one on whatever it is; on what is called as applications are, any function.
pub(super) fn told(
    owner: &str,
    (method, paths): (&str, &[String]),
    (handler, callable): (&Expression<'_>, Option<Callable<'_, '_>>),
) -> Option<RouteFramework> {
    let is_rare = RARE_VERBS.iter().any(|verb| verb.eq_ignore_ascii_case(method));
    if is_rare || !paths.iter().any(|path| path.starts_with('/') || path == "*") {
        return None;
    }
    let owner = called(owner);
    let name = divided::after_last(owner, b'.');
    let Some(callable) = callable else {
        let is_function = matches!(
            handler.get_inner_expression(),
            Expression::Identifier(_)
                | Expression::StaticMemberExpression(_)
                | Expression::ComputedMemberExpression(_)
                | Expression::CallExpression(_)
        );
        return (is_function && is_usual(name)).then(|| usual(name));
    };
    let mut taken = callable.parameters().items.iter().map(|item| item.pattern.get_identifier_name());
    // A pattern takes something apart, which may be a request.
    let (first, second) = (taken.next(), taken.next().flatten());
    let first = first.map_or("", |name| name.as_ref().map_or("req", |name| name.as_str()));
    let (first, second) = (bare(first), second.as_ref().map_or("", |name| bare(name.as_str())));
    let replies = matches!(second, "reply" | "rep");
    let answers = replies || matches!(second, "res" | "resp" | "response");
    let is_clear = is_usual(name) || answers && is_request(first, callable);
    if matches!(first, "err" | "error" | "e") || !is_clear {
        return None;
    }
    Some(match first {
        _ if replies => RouteFramework::Fastify,
        "ctx" => RouteFramework::Koa,
        "c" => RouteFramework::Hono,
        _ => usual(name),
    })
}

fn is_request(name: &str, callable: Callable<'_, '_>) -> bool {
    // `(_, res)`
    matches!(name, "req" | "request" | "") && !callable.parameters().items.is_empty()
}

/// Without what says that it is not used.
fn bare(name: &str) -> &str {
    name.trim_matches('_')
}

/// Whether something is called as applications and routers are.
pub(in super::super) fn is_usual(name: &str) -> bool {
    let is_whole = matches!(name, "app" | "router" | "fastify" | "hono" | "webapp");
    is_whole || ["App", "Router", "_app", "_router"].iter().any(|end| name.ends_with(end))
}

fn usual(name: &str) -> RouteFramework {
    match name {
        "fastify" => RouteFramework::Fastify,
        "hono" => RouteFramework::Hono,
        _ => RouteFramework::Express,
    }
}

/// Whether what is declared so may be an application: types of packages say themselves what they are.
fn may_be(annotation: &TSTypeAnnotation<'_>, origins: &Origins<'_>) -> bool {
    match &annotation.type_annotation {
        TSType::TSAnyKeyword(_) | TSType::TSUnknownKeyword(_) | TSType::TSTypeQuery(_) => true,
        TSType::TSTypeReference(reference) => {
            let name = type_name(&reference.type_name);
            let root = divided::before_first(&name, b'.');
            match origins.of(root) {
                Some(Origin::Module { specifier, .. }) => is_own(specifier) || framework(specifier).is_some(),
                _ => !matches!(root, "Map" | "WeakMap" | "Headers" | "FormData" | "URLSearchParams"),
            }
        }
        TSType::TSTypeLiteral(_) | TSType::TSIntersectionType(_) => true,
        _ => false,
    }
}

/// What a function of the project makes: `createApp()`, `await load(app)`.
pub(super) fn is_made_here(value: &Expression<'_>, origins: &Origins<'_>) -> bool {
    let value = match value.get_inner_expression() {
        Expression::AwaitExpression(awaited) => awaited.argument.get_inner_expression(),
        other => other,
    };
    let is_call = matches!(value, Expression::CallExpression(_));
    match root(value).filter(|_| is_call).and_then(|name| origins.of(name)) {
        Some(Origin::Module { specifier, .. }) => is_own(specifier),
        Some(Origin::Own) => true,
        _ => false,
    }
}

/// Whether a module is one of the project, by how it is written.
pub(super) fn is_own(specifier: &str) -> bool {
    ["./", "../", "/", "@/", "~", "#", "src/"].iter().any(|start| specifier.starts_with(start))
        || matches!(specifier, "." | "..")
}

/// What is only there for `link`: an application that is handed to a function, which registers on it.
pub(super) fn handed(framework: RouteFramework, owner: String, handler: String, line: u32) -> Route {
    Route {
        framework,
        method: Route::HANDED.to_owned(),
        ..super::nest::mount(owner, String::new(), handler, line)
    }
}
