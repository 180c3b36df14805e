//! Route tables: calls on an application or a router (Express, Fastify, Hono, Koa), and the decorators of `NestJS`
//! controllers. What is mounted where is composed by `link`, which sees other files.

mod application;
mod calls;
mod nest;

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{Expression, Program};
use oxc_syntax::operator::BinaryOperator;

use super::body::text_of;
use super::modules::constants;
use super::print::Print;
use crate::model::{Import, Route, RouteFramework};

const VERBS: &[&str] = &["all", "delete", "get", "head", "options", "patch", "post", "put"];

/// Further methods that Node knows, of which routers have functions, too.
const RARE_VERBS: &[&str] = &[
    "acl",
    "bind",
    "checkout",
    "connect",
    "copy",
    "link",
    "lock",
    "m-search",
    "merge",
    "mkactivity",
    "mkcalendar",
    "mkcol",
    "move",
    "notify",
    "propfind",
    "proppatch",
    "purge",
    "query",
    "rebind",
    "report",
    "search",
    "source",
    "subscribe",
    "trace",
    "unbind",
    "unlink",
    "unlock",
    "unsubscribe",
];

fn is_verb(name: &str) -> bool {
    VERBS.contains(&name) || RARE_VERBS.contains(&name)
}

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

/// A text, or a constant of the file that is one, or a template of both.
fn text(texts: &BTreeMap<String, String>, expression: &Expression<'_>) -> Option<String> {
    match expression.get_inner_expression() {
        Expression::Identifier(name) => texts.get(name.name.as_str()).cloned(),
        Expression::TemplateLiteral(template) => {
            let mut whole = String::new();
            for (at, quasi) in template.quasis.iter().enumerate() {
                whole.push_str(quasi.value.cooked.as_ref()?);
                if let Some(part) = template.expressions.get(at) {
                    whole.push_str(&text(texts, part)?);
                }
            }
            Some(whole)
        }
        other => text_of(other),
    }
}

/// What is known of a path, with the rest as it is written: `/users/${NAME}`.
fn path(print: Print<'_, '_>, texts: &BTreeMap<String, String>, expression: &Expression<'_>) -> String {
    if let Some(text) = text(texts, expression) {
        return text;
    }
    match expression.get_inner_expression() {
        Expression::TemplateLiteral(template) => {
            let mut whole = String::new();
            for (at, quasi) in template.quasis.iter().enumerate() {
                whole.push_str(quasi.value.cooked.as_ref().unwrap_or(&quasi.value.raw));
                if let Some(part) = template.expressions.get(at) {
                    whole.push_str(&path(print, texts, part));
                }
            }
            whole
        }
        Expression::BinaryExpression(sum) if sum.operator == BinaryOperator::Addition => {
            path(print, texts, &sum.left) + &path(print, texts, &sum.right)
        }
        other => format!("${{{}}}", print.expression(other)),
    }
}
