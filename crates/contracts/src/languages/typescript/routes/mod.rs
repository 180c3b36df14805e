//! Route tables: calls on an application or a router (Express, Fastify, Hono, Koa), and the decorators of `NestJS`
//! controllers. What is mounted where is composed by `link`, which sees other files.

mod application;
mod calls;
mod nest;

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::Program;

use super::body::text_of;
use super::modules::constants;
use super::print::Print;
use crate::model::{Import, Route, RouteFramework};

const VERBS: &[&str] = &["all", "delete", "get", "head", "options", "patch", "post", "put"];

#[derive(Default)]
pub(super) struct Routes {
    pub(super) table: Vec<Route>,
    /// `@Controller`, `@app.get` …, as the seed lists them.
    pub(super) decorators: BTreeSet<String>,
    pub(super) is_controller: bool,
}

/// Nothing is looked at unless the framework is imported: `map.get('/a', f)` is no route.
pub(super) fn of<'a>(program: &Program<'a>, imports: &[Import], print: Print<'_, 'a>) -> Routes {
    let mut routes = Routes::default();
    if imports.iter().any(|import| import.specifier.starts_with("@nestjs/")) {
        nest::of(program, print, &mut routes);
        application::of(program, print, &mut routes);
    }
    let frameworks: BTreeSet<RouteFramework> =
        imports.iter().filter_map(|import| framework(&import.specifier)).collect();
    if !frameworks.is_empty() {
        calls::of(program, print, &frameworks, &mut routes);
    }
    routes
}

fn framework(specifier: &str) -> Option<RouteFramework> {
    match specifier {
        "express" | "express-promise-router" | "router" => Some(RouteFramework::Express),
        "fastify" => Some(RouteFramework::Fastify),
        "hono" | "hono/tiny" | "hono/quick" | "@hono/zod-openapi" => Some(RouteFramework::Hono),
        "@koa/router" | "koa-router" => Some(RouteFramework::Koa),
        _ => None,
    }
}

/// Constants of the file that are texts, by name.
fn texts(program: &Program<'_>) -> BTreeMap<String, String> {
    let texts = constants(program).filter_map(|(name, value)| Some((name.to_owned(), text_of(value)?)));
    texts.collect()
}
