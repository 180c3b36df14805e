//! Route tables: calls on an application or a router (Express, Fastify, Hono, Koa), and the decorators of `NestJS`
//! controllers. What is mounted where is composed by `link`, which sees other files.

mod application;
mod calls;
mod chain;
mod decorators;
mod fastify;
mod given;
mod handing;
mod loops;
mod nest;
mod owners;
mod registration;
mod texts;

use std::collections::BTreeSet;

use oxc_ast::ast::Program;

use super::print::Print;
use crate::model::{Export, Import, Route, RouteFramework};
pub(super) use given::is_usual as is_usual_application;
use texts::{Constants, Texts};

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

/// Whether a method of this name registers routes wherever it is one of an application.
pub(super) fn registers(name: &str) -> bool {
    VERBS.contains(&name) || matches!(name, DELETE | "use" | "route")
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
    /// Texts of exported constants, which may be part of a route elsewhere.
    pub(super) texts: Vec<(String, String)>,
}

/// No routes are looked for unless the framework is imported, or `registers` says that something in the file looks like one:
/// `map.get('/a', f)` is none.
pub(super) fn of<'a>(
    program: &Program<'a>,
    (imports, exports): (&[Import], &[Export]),
    registers: bool,
    print: Print<'_, 'a>,
) -> Routes {
    let is_nest = imports.iter().any(|import| import.specifier.starts_with("@nestjs/"));
    let mut frameworks: BTreeSet<RouteFramework> =
        imports.iter().filter_map(|import| framework(&import.specifier)).collect();
    if imports.iter().any(|import| fastify::is_of_fastify(&import.specifier)) {
        frameworks.insert(RouteFramework::Fastify);
    }
    let has_calls = registers || !frameworks.is_empty();
    let constants = Constants::of(program, is_nest || has_calls);
    let mut routes = Routes::default();
    if is_nest {
        nest::of(program, print, &constants, &mut routes);
        application::of(program, print, &constants, &mut routes);
    }
    if has_calls {
        calls::of(program, print, (&frameworks, &constants), &mut routes);
    }
    routes.texts = constants.exported(exports);
    routes
}

fn framework(specifier: &str) -> Option<RouteFramework> {
    match specifier {
        "express" | "express-promise-router" | "express-serve-static-core" | "router" => {
            Some(RouteFramework::Express)
        }
        "fastify" => Some(RouteFramework::Fastify),
        "hono" | "hono/tiny" | "hono/quick" | "@hono/zod-openapi" => Some(RouteFramework::Hono),
        "@koa/router" | "koa-router" | "koa" => Some(RouteFramework::Koa),
        // What a project puts around it has its name: `require('../shared/express')`.
        own if given::is_own(own) => match own.rsplit('/').next().and_then(|name| name.split('.').next()) {
            Some("express") => Some(RouteFramework::Express),
            Some("fastify") => Some(RouteFramework::Fastify),
            _ => None,
        },
        _ => None,
    }
}
