//! Calls on an application or a router.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{
    Argument, ArrowFunctionExpression, BindingPattern, CallExpression, Declaration, Expression,
    FormalParameter, Function, Ident, Program, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use super::super::body::{callee_name, text_of};
use super::super::component::Callable;
use super::super::modules;
use super::super::origins::{Origin, root};
use super::super::print::Print;
use super::nest::option;
use super::{Constants, DELETE, RARE_VERBS, Routes, Texts, VERBS, framework, is_verb, method};
use crate::model::{Route, RouteFramework, RouteParameter, RouteParameterSource};

pub(super) fn of<'a>(
    program: &Program<'a>,
    print: Print<'_, 'a>,
    (frameworks, constants): (&BTreeSet<RouteFramework>, &Constants),
    routes: &mut Routes,
) {
    let mut calls = Calls {
        print,
        frameworks,
        applications: BTreeMap::new(),
        made_here: None,
        inside: None,
        registering: Vec::new(),
        functions: functions(program),
        texts: Texts::new(constants),
        found: Vec::new(),
        routes,
    };
    calls.visit_program(program);
    // A chain is walked from its end.
    let mut found = std::mem::take(&mut calls.found);
    found.sort_by_key(|(at, _)| *at);
    routes.table.extend(found.into_iter().map(|(_, route)| route));
}

/// What holds routes.
#[derive(Debug, Clone)]
struct Application {
    framework: RouteFramework,
    /// `new Router({ prefix: '/users' })`, `new Hono().basePath('/api')`.
    prefix: Option<String>,
}

struct Calls<'r, 's, 'a, 'x> {
    print: Print<'s, 'a>,
    frameworks: &'r BTreeSet<RouteFramework>,
    /// By the names that hold them.
    applications: BTreeMap<String, Application>,
    /// The name that what is made in the statement gets: `const api = Router().get('/a', f)`.
    made_here: Option<String>,
    /// Where the outermost function begins that is walked.
    inside: Option<u32>,
    /// Where those begin that register something.
    registering: Vec<u32>,
    functions: Vec<(String, Callable<'x, 'a>)>,
    texts: Texts<'r, 'a>,
    /// With where they stand.
    found: Vec<(u32, Route)>,
    routes: &'r mut Routes,
}

/// One registration, with its parts told apart.
struct Registration<'x, 'a> {
    owner: String,
    method: String,
    path: Vec<String>,
    handlers: Vec<&'x Expression<'a>>,
    start: u32,
}

impl<'a> Visit<'a> for Calls<'_, '_, 'a, '_> {
    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if self.inside.is_some() {
            self.hide(&declarator.id);
        }
        if let (Some(init), Some(name)) = (&declarator.init, declarator.id.get_identifier_name()) {
            if let Some(application) = self.made(init) {
                self.applications.insert(name.into_string(), application);
                let around = self.made_here.replace(name.into_string());
                walk::walk_variable_declarator(self, declarator);
                self.made_here = around;
                return;
            }
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_formal_parameter(&mut self, parameter: &FormalParameter<'a>) {
        // `function mount(app: express.Application)` is handed one.
        if let (BindingPattern::BindingIdentifier(name), Some(ty)) =
            (&parameter.pattern, &parameter.type_annotation)
        {
            let text = self.print.annotation(ty);
            let named = text.split('<').next().and_then(|text| text.rsplit('.').next());
            let framework = match named {
                Some("Application" | "Express" | "Router" | "IRouter") => Some(self.routers()),
                Some("FastifyInstance") => Some(RouteFramework::Fastify),
                Some("Hono") => Some(RouteFramework::Hono),
                _ => None,
            };
            if let Some(framework) = framework {
                self.applications.insert(name.name.into_string(), Application { framework, prefix: None });
            }
        }
        self.hide(&parameter.pattern);
        walk::walk_formal_parameter(self, parameter);
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        self.within(function.span.start, |calls| walk::walk_function(calls, function, flags));
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        self.within(arrow.span.start, |calls| walk::walk_arrow_function_expression(calls, arrow));
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Some(registration) = self.registration(call) {
            self.register(registration);
        }
        walk::walk_call_expression(self, call);
    }
}

impl<'a> Calls<'_, '_, 'a, '_> {
    /// Walks a function, whose own names are nobody else's.
    fn within(&mut self, start: u32, walk: impl FnOnce(&mut Self)) {
        let (around, hidden) = (self.inside, self.texts.hidden.len());
        self.inside = around.or(Some(start));
        walk(self);
        self.inside = around;
        self.texts.hidden.truncate(hidden);
    }

    fn hide(&mut self, pattern: &BindingPattern<'a>) {
        let names = pattern.get_binding_identifiers();
        self.texts.hidden.extend(names.into_iter().map(|name| name.name.as_str()));
    }

    /// Whose `Router` is meant.
    fn routers(&self) -> RouteFramework {
        let others = [RouteFramework::Express, RouteFramework::Koa];
        others.into_iter().find(|one| self.frameworks.contains(one)).unwrap_or(RouteFramework::Express)
    }

    /// `express()`, `express.Router()`, `new Hono()`, `require('fastify')()`, also with registrations behind it.
    fn made(&self, init: &Expression<'_>) -> Option<Application> {
        let init = init.get_inner_expression();
        if let Expression::AwaitExpression(awaited) = init {
            return self.made(&awaited.argument);
        }
        if let Some((earlier, base)) = based(init) {
            return self.made(earlier).map(|made| Application { prefix: self.texts.text(base), ..made });
        }
        if let Some(earlier) = begins_chain(init) {
            return self.made(earlier);
        }
        let (callee, arguments) = match init {
            Expression::CallExpression(call) => (&call.callee, &call.arguments),
            Expression::NewExpression(new) => (&new.callee, &new.arguments),
            _ => return None,
        };
        let framework = match (callee_name(callee), callee.get_inner_expression()) {
            (Some("express"), _) => RouteFramework::Express,
            (Some("Router" | "PromiseRouter" | "KoaRouter"), _) => self.routers(),
            (Some("Hono" | "OpenAPIHono"), _) => RouteFramework::Hono,
            (Some("fastify" | "Fastify"), _) => RouteFramework::Fastify,
            (_, Expression::CallExpression(required)) if required.callee.is_specific_id("require") => {
                framework(&text_of(required.arguments.first()?.as_expression()?)?)?
            }
            _ => return None,
        };
        let prefix = match arguments.first().and_then(Argument::as_expression) {
            Some(Expression::ObjectExpression(options)) if framework == RouteFramework::Koa => {
                option(options, "prefix").and_then(|prefix| self.texts.text(prefix))
            }
            _ => None,
        };
        Some(Application { framework, prefix })
    }

    fn registration<'x>(&self, call: &'x CallExpression<'a>) -> Option<Registration<'x, 'a>> {
        let member = call.callee.as_member_expression()?;
        let verb = member.static_property_name()?;
        let arguments: Vec<&'x Expression<'a>> =
            call.arguments.iter().filter_map(Argument::as_expression).collect();
        let start = call.callee.span().end;
        // `router.route('/a').get(f).post(g)`
        if let Some((owner, path)) = chained_route(member.object()) {
            let owner = owner.to_owned();
            let method = method(verb);
            let path = self.paths(path);
            return (is_verb(verb) && !arguments.is_empty()).then_some(Registration {
                owner,
                method,
                path,
                handlers: arguments,
                start,
            });
        }
        let owner = self.chained_owner(member.object())?;
        let (first, rest) = arguments.split_first()?;
        if let ("register", Some(Expression::ObjectExpression(options))) = (verb, rest.first()) {
            // `app.register(plugin, { prefix: '/users' })`
            let path = self.paths(option(options, "prefix")?);
            return Some(Registration { owner, method: USE.to_owned(), path, handlers: vec![first], start });
        }
        if let ("route", Expression::ObjectExpression(options), []) = (verb, first, rest) {
            // `app.route({ method: 'GET', url: '/a', handler })`
            let path = self.paths(option(options, "url").or_else(|| option(options, "path"))?);
            let method = self.paths(option(options, "method")?).join(" ").to_ascii_uppercase();
            let handlers = vec![option(options, "handler")?];
            return Some(Registration { owner, method, path, handlers, start });
        }
        if verb == "use" {
            // What is handed over may be a router, which `link` knows. What takes an error is for what comes before it.
            let (path, handlers) = if self.is_path(first) {
                (self.paths(first), rest.to_vec())
            } else {
                (vec![String::new()], arguments)
            };
            let is_router = |one: &&&Expression<'a>| !self.takes_error(one) && !allows_methods(one);
            let handlers: Vec<_> = handlers.iter().filter(is_router).copied().collect();
            let method = USE.to_owned();
            return (!handlers.is_empty()).then_some(Registration { owner, method, path, handlers, start });
        }
        let framework = self.applications.get(&owner).map(|one| one.framework);
        // `router.get('name', '/path', handler)`
        let is_named = framework == Some(RouteFramework::Koa) && rest.len() > 1 && self.is_path(rest[0]);
        let (first, rest) = if is_named { rest.split_first()? } else { (first, rest) };
        // `app.route('/api', other)`
        let is_mount = verb == "route" && framework == Some(RouteFramework::Hono);
        let method = if is_mount { USE.to_owned() } else { method(verb) };
        // Other functions have such a name, too: `app.bind(this)`. What a constant of another file is, `link` knows.
        let is_rare = || RARE_VERBS.contains(&verb) && (self.is_path(first) || self.is_imported(first));
        let is_usual = VERBS.contains(&verb) || verb == DELETE;
        (!rest.is_empty() && (is_mount || is_usual || is_rare())).then(|| Registration {
            owner,
            method,
            path: self.paths(first),
            handlers: rest.to_vec(),
            start,
        })
    }

    fn register(&mut self, registration: Registration<'_, 'a>) {
        let Registration { owner, method, path, handlers, start } = registration;
        let made_in_place = Application { framework: self.routers(), prefix: None };
        let known = self.applications.get(&owner).cloned();
        let Some(application) = known.or((owner == MADE_IN_PLACE).then_some(made_in_place)) else { return };
        let Some((last, guards)) = handlers.split_last() else { return };
        let mut taken: Vec<RouteParameter> = Vec::new();
        let callable = self.callable(last);
        let mut returns = String::new();
        if let Some(callable) = callable {
            for item in &callable.parameters().items {
                if let (BindingPattern::BindingIdentifier(name), Some(ty)) =
                    (&item.pattern, &item.type_annotation)
                {
                    taken.push(RouteParameter {
                        name: name.name.into_string(),
                        source: RouteParameterSource::Handler,
                        text: self.print.annotation(ty),
                        optional: false,
                    });
                }
            }
            returns = self.print.annotation_or(callable.returned(), "");
        }
        if path.iter().any(|path| !path.is_empty()) {
            self.routes.decorators.insert(format!("@{owner}.{}", method.to_ascii_lowercase()));
        }
        // What is an object are options.
        let guards = guards.iter().filter(|guard| !matches!(guard, Expression::ObjectExpression(_)));
        let guards: Vec<String> = guards.map(|guard| self.texts.marked(guard, self.handler(guard))).collect();
        let within = self.inside.map_or(0, |function| {
            let known = self.registering.iter().position(|one| *one == function);
            known.unwrap_or_else(|| {
                self.registering.push(function);
                self.registering.len() - 1
            }) + 1
        });
        for own in path {
            let path = match &application.prefix {
                Some(prefix) => Route::joined(prefix, &own),
                None => own.clone(),
            };
            let mut parameters = Route::path_parameters(&path);
            parameters.extend(taken.iter().cloned());
            let route = Route {
                framework: application.framework,
                method: method.clone(),
                local_path: (path != own).then_some(own),
                path,
                handler: self.handler(last),
                parameters,
                guards: guards.clone(),
                returns: returns.clone(),
                status: None,
                line: self.print.source.line(start),
                owner: owner.clone(),
                file: None,
                versions: Vec::new(),
                full_paths: Vec::new(),
                application: None,
                class: None,
                within: u32::try_from(within).unwrap_or(u32::MAX),
            };
            self.found.push((start, route));
        }
    }

    fn callable<'y>(&'y self, handler: &'y Expression<'a>) -> Option<Callable<'y, 'a>> {
        Callable::of(handler).or_else(|| {
            let name = self.print.expression(handler);
            self.functions.iter().find(|(known, _)| *known == name).map(|(_, callable)| *callable)
        })
    }

    fn takes_error(&self, handler: &Expression<'a>) -> bool {
        self.callable(handler).is_some_and(|callable| callable.parameters().items.len() == 4)
    }

    /// Whether what `use` is given first is a path, or several.
    fn is_path(&self, first: &Expression<'_>) -> bool {
        match first.get_inner_expression() {
            Expression::ArrayExpression(list) => {
                let first = list.elements.first().and_then(|one| one.as_expression());
                first.is_some_and(|first| self.is_path(first))
            }
            Expression::BinaryExpression(_)
            | Expression::RegExpLiteral(_)
            | Expression::TemplateLiteral(_) => true,
            other => self.texts.text(other).is_some(),
        }
    }

    fn is_imported(&self, value: &Expression<'_>) -> bool {
        let origin = root(value).and_then(|name| self.print.source.origins.of(name));
        matches!(origin, Some(Origin::Module { .. })) && !self.texts.hides(value)
    }

    fn paths(&self, written: &Expression<'_>) -> Vec<String> {
        match written {
            Expression::ArrayExpression(paths) => {
                let each = paths.elements.iter().filter_map(|element| element.as_expression());
                each.flat_map(|path| self.paths(path)).collect()
            }
            Expression::RegExpLiteral(_) => vec![self.print.expression(written)],
            other => vec![self.texts.path(self.print, other)],
        }
    }

    fn handler(&self, handler: &Expression<'_>) -> String {
        match handler.get_inner_expression() {
            Expression::ArrowFunctionExpression(_) => "anonymous".to_owned(),
            Expression::FunctionExpression(function) => {
                function.name().map_or("anonymous".to_owned(), Ident::into_string)
            }
            other => self.print.bounded(other, LONGEST_HANDLER).unwrap_or_else(|| "anonymous".to_owned()),
        }
    }

    /// The name that a chain of registrations begins with: `router` of `router.get('/a', f).post('/b', g)`.
    fn chained_owner(&self, object: &Expression<'_>) -> Option<String> {
        let mut here = object;
        loop {
            match here {
                Expression::Identifier(owner) => return Some(owner.name.into_string()),
                _ if begins_chain(here).is_none() && self.made(here).is_some() => {
                    return Some(self.made_here.clone().unwrap_or_else(|| MADE_IN_PLACE.to_owned()));
                }
                _ => here = begins_chain(here)?,
            }
        }
    }
}

/// What takes more to say has no name.
const LONGEST_HANDLER: usize = 80;
const USE: &str = Route::USE;
/// The name of an application that has none yet: `Router().get('/a', f)`.
const MADE_IN_PLACE: &str = Route::MADE_IN_PLACE;

/// `new Hono().basePath('/api')` in its parts.
fn based<'x, 'a>(made: &'x Expression<'a>) -> Option<(&'x Expression<'a>, &'x Expression<'a>)> {
    let Expression::CallExpression(call) = made else { return None };
    let Expression::StaticMemberExpression(member) = &call.callee else { return None };
    (member.property.name == "basePath").then_some((&member.object, call.arguments.first()?.as_expression()?))
}

/// What a registration is called on.
fn begins_chain<'x, 'a>(registration: &'x Expression<'a>) -> Option<&'x Expression<'a>> {
    let Expression::CallExpression(call) = registration else { return None };
    let Expression::StaticMemberExpression(member) = &call.callee else { return None };
    let name = member.property.name.as_str();
    (is_verb(name) || matches!(name, "use" | "param")).then_some(&member.object)
}

fn chained_route<'x, 'a>(object: &'x Expression<'a>) -> Option<(&'x str, &'x Expression<'a>)> {
    let mut here = object;
    while let Expression::CallExpression(call) = here {
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        if member.property.name == "route" {
            let Expression::Identifier(owner) = &member.object else { return None };
            return Some((owner.name.as_str(), call.arguments.first()?.as_expression()?));
        }
        here = &member.object;
    }
    None
}

/// `router.allowedMethods()`, which Koa wants beside `router.routes()`.
fn allows_methods(handler: &Expression<'_>) -> bool {
    let Expression::CallExpression(call) = handler.get_inner_expression() else { return false };
    let callee = call.callee.as_member_expression();
    callee.is_some_and(|member| member.static_property_name().is_some_and(|name| name == "allowedMethods"))
}

/// Functions of the file by name, so that a handler that is passed by name is known.
fn functions<'x, 'a>(program: &'x Program<'a>) -> Vec<(String, Callable<'x, 'a>)> {
    let declared = modules::declared(program).filter_map(|declaration| match declaration {
        Declaration::FunctionDeclaration(function) => {
            Some((function.name()?.into_string(), Callable::Function(function)))
        }
        _ => None,
    });
    let values = modules::constants(program);
    let values = values.filter_map(|(name, value)| Some((name.to_owned(), Callable::of(value)?)));
    declared.chain(values).collect()
}
