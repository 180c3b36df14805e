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
use super::origins::root;
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

/// Koa's, and of old Express.
const DELETE: &str = "del";

fn is_verb(name: &str) -> bool {
    VERBS.contains(&name) || RARE_VERBS.contains(&name) || name == DELETE
}

fn method(verb: &str) -> String {
    if verb == DELETE { "DELETE".to_owned() } else { verb.to_ascii_uppercase() }
}

/// Whether a function of the same name may be meant, of which the path tells.
pub(crate) fn is_rare(route: &Route) -> bool {
    RARE_VERBS.iter().any(|verb| verb.eq_ignore_ascii_case(&route.method))
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
#[derive(Default)]
struct Texts<'a> {
    known: BTreeMap<String, String>,
    /// Names that functions give a meaning of their own, around what is looked at.
    hidden: Vec<&'a str>,
}

impl Texts<'_> {
    fn of(program: &Program<'_>) -> Self {
        let texts = constants(program).filter_map(|(name, value)| Some((name.to_owned(), text_of(value)?)));
        Self { known: texts.collect(), hidden: Vec::new() }
    }

    fn hides(&self, value: &Expression<'_>) -> bool {
        root(value).is_some_and(|name| self.hidden.contains(&name))
    }

    /// A text, or a constant of the file that is one, or a template of both.
    fn text(&self, expression: &Expression<'_>) -> Option<String> {
        match expression.get_inner_expression() {
            Expression::Identifier(_) if self.hides(expression) => None,
            Expression::Identifier(name) => self.known.get(name.name.as_str()).cloned(),
            Expression::TemplateLiteral(template) => {
                let mut whole = String::new();
                for (at, quasi) in template.quasis.iter().enumerate() {
                    whole.push_str(quasi.value.cooked.as_ref()?);
                    if let Some(part) = template.expressions.get(at) {
                        whole.push_str(&self.text(part)?);
                    }
                }
                Some(whole)
            }
            other => text_of(other),
        }
    }

    /// What is known of a path, with the rest as it is written: `/users/${NAME}`.
    fn path(&self, print: Print<'_, '_>, expression: &Expression<'_>) -> String {
        if let Some(text) = self.text(expression) {
            return text;
        }
        match expression.get_inner_expression() {
            Expression::TemplateLiteral(template) => {
                let mut whole = String::new();
                for (at, quasi) in template.quasis.iter().enumerate() {
                    whole.push_str(quasi.value.cooked.as_ref().unwrap_or(&quasi.value.raw));
                    if let Some(part) = template.expressions.get(at) {
                        whole.push_str(&self.path(print, part));
                    }
                }
                whole
            }
            Expression::BinaryExpression(sum) if sum.operator == BinaryOperator::Addition => {
                self.path(print, &sum.left) + &self.path(print, &sum.right)
            }
            other => format!("${{{}}}", self.marked(other, print.expression(other))),
        }
    }

    /// The text of a value, which says whether its name is one of the file.
    fn marked(&self, value: &Expression<'_>, text: String) -> String {
        if self.hides(value) { format!("{}{text}", Route::HIDDEN) } else { text }
    }
}
