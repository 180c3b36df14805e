//! Calls on an application or a router.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, ArrowFunctionExpression, AssignmentExpression, AssignmentTarget,
    BindingPattern, CallExpression, Class, ClassElement, Declaration, Expression, FormalParameter, Function,
    Ident, Program, PropertyDefinition, TSTypeAnnotation, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use super::super::body::{callee_name, text_of};
use super::super::component::Callable;
use super::super::modules::{self, DEFAULT};
use super::super::origins::{Origin, root};
use super::super::print::Print;
use super::nest::{class_of, option};
use super::texts::{field_name, field_of_this, fields};
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
        made_inline: BTreeMap::new(),
        inside: None,
        class: None,
        registering: Vec::new(),
        followed: Vec::new(),
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
    /// By the names that hold them, fields with the name of their class: `UserRoutes.router`.
    applications: BTreeMap<String, Application>,
    /// The name that what is made in the statement gets: `const api = Router().get('/a', f)`.
    made_here: Option<String>,
    /// Names for those that are made where they are mounted, by where they begin.
    made_inline: BTreeMap<u32, String>,
    /// Where the outermost function begins that is walked.
    inside: Option<u32>,
    /// The name of the class that is walked, and where it begins.
    class: Option<(String, u32)>,
    /// Where those begin that register something.
    registering: Vec<u32>,
    /// Where those begin that others in their chain come after: `all(check)` of `route('/a').all(check).get(f)`.
    followed: Vec<u32>,
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
    /// Where those of the same chain begin that run before it, and are no routes then.
    earlier: Vec<u32>,
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
            if let Some(application) = self.typed(ty) {
                self.applications.insert(name.name.into_string(), application);
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

    fn visit_class(&mut self, class: &Class<'a>) {
        let name = class.id.as_ref().map_or(DEFAULT, |id| id.name.as_str());
        let around = self.class.replace((name.to_owned(), class.span.start));
        let of_texts = fields(class).filter_map(|(field, value, _)| Some((field, self.texts.text(value)?)));
        let texts = of_texts.collect();
        let texts = std::mem::replace(&mut self.texts.fields, texts);
        for element in &class.body.body {
            match element {
                ClassElement::PropertyDefinition(property) => self.field(property),
                ClassElement::MethodDefinition(method) if method.kind.is_constructor() => {
                    method.value.params.items.iter().for_each(|item| self.parameter_property(item));
                }
                _ => {}
            }
        }
        walk::walk_class(self, class);
        self.texts.fields = texts;
        self.class = around;
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        if let (Some(name), Some(application)) =
            (self.assigned(&assignment.left), self.made(&assignment.right))
        {
            self.applications.insert(name, application);
        }
        walk::walk_assignment_expression(self, assignment);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Some(registration) = self.registration(call) {
            self.name_inline(&registration);
            self.register(registration);
        }
        self.prefixed(call);
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

    /// `router = Router()`, `private app: express.Application`.
    fn field(&mut self, property: &PropertyDefinition<'a>) {
        let made = property.value.as_ref().and_then(|value| self.made(value));
        let made = made.or_else(|| self.typed(property.type_annotation.as_ref()?));
        if let (Some(application), Some(name)) = (made, field_name(&property.key)) {
            self.applications.extend(self.of_class(&name).map(|name| (name, application)));
        }
    }

    /// `constructor(private router = express.Router())`.
    fn parameter_property(&mut self, item: &FormalParameter<'a>) {
        let is_field = item.accessibility.is_some() || item.readonly || item.r#override;
        let Some(name) = item.pattern.get_identifier_name().filter(|_| is_field) else { return };
        let made = item.initializer.as_ref().and_then(|init| self.made(init));
        if let Some(application) = made.or_else(|| self.typed(item.type_annotation.as_ref()?)) {
            self.applications.extend(self.of_class(&name).map(|name| (name, application)));
        }
    }

    /// The name of a field with that of the class that is walked.
    fn of_class(&self, field: &str) -> Option<String> {
        self.class.as_ref().map(|(class, _)| format!("{class}.{field}"))
    }

    /// The name that something has which may hold an application: `app`, and of `this.app` that with its class.
    fn held_by(&self, value: &Expression<'_>) -> Option<String> {
        match value.get_inner_expression() {
            Expression::Identifier(name) => Some(name.name.into_string()),
            Expression::StaticMemberExpression(member) if member.object.is_identifier_reference() => {
                let name = self.print.expression(value);
                self.applications.contains_key(&name).then_some(name)
            }
            other => field_of_this(other).and_then(|field| self.of_class(&field)),
        }
    }

    fn assigned(&self, target: &AssignmentTarget<'_>) -> Option<String> {
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(name) => Some(name.name.into_string()),
            AssignmentTarget::StaticMemberExpression(member)
                if matches!(member.object, Expression::ThisExpression(_)) =>
            {
                self.of_class(&member.property.name)
            }
            AssignmentTarget::PrivateFieldExpression(member)
                if matches!(member.object, Expression::ThisExpression(_)) =>
            {
                self.of_class(&format!("#{}", member.field.name))
            }
            _ => None,
        }
    }

    /// What is made where it is mounted gets a name, by which its routes are found.
    fn name_inline(&mut self, registration: &Registration<'_, 'a>) {
        for handler in registration.handlers.iter().filter(|_| registration.method == USE) {
            if begins_chain(handler).is_some() && self.made(handler).is_some() {
                let name = format!("{MADE_IN_PLACE} {}", self.made_inline.len() + 1);
                self.made_inline.insert(handler.span().start, name);
            }
        }
    }

    /// What a declared type says.
    fn typed(&self, annotation: &TSTypeAnnotation<'_>) -> Option<Application> {
        let text = self.print.annotation(annotation);
        let named = text.split('<').next().and_then(|text| text.rsplit('.').next());
        let framework = match named {
            Some("Application" | "Express" | "Router" | "IRouter") => self.routers(),
            Some("FastifyInstance") => RouteFramework::Fastify,
            Some("Hono") => RouteFramework::Hono,
            _ => return None,
        };
        Some(Application { framework, prefix: None })
    }

    /// The framework that an imported name makes applications of, whatever it is called here.
    fn origin(&self, name: &str) -> Option<RouteFramework> {
        let Some(Origin::Module { specifier, name }) = self.print.source.origins.of(name) else {
            return None;
        };
        let makes = matches!(
            name.as_str(),
            "default" | "*" | "express" | "fastify" | "Fastify" | "Hono" | "OpenAPIHono" | "Router"
        );
        framework(specifier).filter(|_| makes)
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
            let prefix = Some(self.texts.path(self.print, base));
            return self.made(earlier).map(|made| Application { prefix, ..made });
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
            (_, Expression::Identifier(name)) if self.origin(&name.name).is_some() => {
                self.origin(&name.name)?
            }
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
                option(options, "prefix").map(|prefix| self.texts.path(self.print, prefix))
            }
            _ => None,
        };
        Some(Application { framework, prefix })
    }

    fn registration<'x>(&self, call: &'x CallExpression<'a>) -> Option<Registration<'x, 'a>> {
        let member = call.callee.as_member_expression()?;
        let verb = member.static_property_name()?;
        let arguments: Vec<&'x Expression<'a>> = given(call).collect();
        let start = call.callee.span().end;
        // `router.route('/a').get(f).post(g)`
        if let Some((owner, path)) = chained_route(member.object()) {
            let owner = self.held_by(owner)?;
            let method = method(verb);
            let path = self.paths(path);
            let mut handlers = flat(&arguments);
            if !is_verb(verb) || handlers.is_empty() || self.followed.contains(&start) {
                return None;
            }
            // `router.route('/a').all(check).get(f)`
            let earlier = all_before(member.object());
            let checks: Vec<_> = earlier.iter().flat_map(|call| given(call)).collect();
            handlers.splice(..0, flat(&checks));
            let earlier = earlier.iter().map(|call| call.callee.span().end).collect();
            return Some(Registration { owner, method, path, handlers, start, earlier });
        }
        let owner = self.chained_owner(member.object())?;
        let (first, rest) = arguments.split_first()?;
        if let ("register", Some(Expression::ObjectExpression(options))) = (verb, rest.first()) {
            // `app.register(plugin, { prefix: '/users' })`
            let path = self.paths(option(options, "prefix")?);
            let (method, handlers) = (USE.to_owned(), vec![*first]);
            return Some(Registration { owner, method, path, handlers, start, earlier: Vec::new() });
        }
        if let ("route", Expression::ObjectExpression(options), []) = (verb, first, rest) {
            // `app.route({ method: 'GET', url: '/a', handler })`
            let path = self.paths(option(options, "url").or_else(|| option(options, "path"))?);
            let method = self.paths(option(options, "method")?).join(" ").to_ascii_uppercase();
            let handlers = vec![option(options, "handler")?];
            return Some(Registration { owner, method, path, handlers, start, earlier: Vec::new() });
        }
        if verb == "use" {
            // What is handed over may be a router, which `link` knows. What takes an error is for what comes before it.
            let (path, handlers) = if self.is_path(first) {
                (self.paths(first), flat(rest))
            } else {
                (vec![String::new()], flat(&arguments))
            };
            let is_router = |one: &&&Expression<'a>| !self.takes_error(one) && !allows_methods(one);
            let handlers: Vec<_> = handlers.iter().filter(is_router).copied().collect();
            let method = USE.to_owned();
            let earlier = Vec::new();
            return (!handlers.is_empty()).then_some(Registration {
                owner,
                method,
                path,
                handlers,
                start,
                earlier,
            });
        }
        // A path that is among others is not known.
        if call.arguments.first().is_some_and(Argument::is_spread) {
            return None;
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
            handlers: flat(rest),
            start,
            earlier: Vec::new(),
        })
    }

    fn register(&mut self, registration: Registration<'_, 'a>) {
        let Registration { owner, method, path, handlers, start, earlier } = registration;
        self.followed.extend(earlier);
        let made_in_place = Application { framework: self.routers(), prefix: None };
        let known = self.applications.get(&owner).cloned();
        let is_inline = || owner.split(' ').next() == Some(MADE_IN_PLACE);
        let Some(application) = known.or(is_inline().then_some(made_in_place)) else { return };
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
                        text: self.print.annotation(ty),
                        ..RouteParameter::from(RouteParameterSource::Handler)
                    });
                }
            }
            returns = self.print.annotation_or(callable.returned(), "");
        }
        if path.iter().any(|path| !path.is_empty()) {
            let own = owner.rsplit('.').next().and_then(|name| name.split(' ').next()).unwrap_or_default();
            self.routes.decorators.insert(format!("@{own}.{}", method.to_ascii_lowercase()));
        }
        // What is an object are options.
        let guards = guards.iter().filter(|guard| !matches!(guard, Expression::ObjectExpression(_)));
        let guards = guards.map(|guard| (guard, self.handler(guard)));
        // What has no name says nothing.
        let guards = guards.filter(|(_, name)| name != Route::ANONYMOUS);
        let guards: Vec<String> = guards.map(|(guard, name)| self.texts.marked(guard, name)).collect();
        // All methods of a class work on its fields.
        let class = self.class.as_ref().filter(|_| owner.contains('.')).map(|(_, start)| *start);
        let within = class.or(self.inside).map_or(0, |function| {
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

    /// `router.prefix('/users')`, which Koa puts before what is registered already, too.
    fn prefixed(&mut self, call: &CallExpression<'a>) {
        let Some((object, [prefix])) = called(call, "prefix").map(|of| (of, call.arguments.as_slice()))
        else {
            return;
        };
        let Some(owner) = self.chained_owner(object) else { return };
        let Some(prefix) = prefix.as_expression().map(|prefix| self.texts.path(self.print, prefix)) else {
            return;
        };
        let Some(application) = self.applications.get_mut(&owner) else { return };
        if application.framework != RouteFramework::Koa {
            return;
        }
        for (_, route) in self.found.iter_mut().filter(|(_, route)| route.owner == owner) {
            let path = Route::joined(&prefix, &route.path);
            let own = std::mem::replace(&mut route.path, path);
            route.local_path.get_or_insert(own);
            route.parameters.splice(..0, Route::path_parameters(&prefix));
        }
        application.prefix = Some(prefix);
    }

    fn callable<'y>(&'y self, handler: &'y Expression<'a>) -> Option<Callable<'y, 'a>> {
        let handler = unbound(handler);
        Callable::of(handler).or_else(|| {
            let field = field_of_this(handler).and_then(|field| self.of_class(&field));
            let name = field.unwrap_or_else(|| self.print.expression(handler));
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
        let handler = unbound(handler);
        if let Some(name) = self.made_inline.get(&handler.span().start) {
            return name.clone();
        }
        let held = field_of_this(handler).and_then(|field| self.of_class(&field));
        if let Some(name) = held.filter(|name| self.applications.contains_key(name)) {
            return name;
        }
        let named = match handler.get_inner_expression() {
            Expression::ArrowFunctionExpression(_) => None,
            Expression::FunctionExpression(function) => function.name().map(Ident::into_string),
            other => self.print.outside(other, LONGEST_HANDLER).or_else(|| match other {
                Expression::CallExpression(call) => {
                    self.print.outside(&call.callee, LONGEST_HANDLER).map(|callee| format!("{callee}(…)"))
                }
                _ => None,
            }),
        };
        named.unwrap_or_else(|| Route::ANONYMOUS.to_owned())
    }

    /// The name that a chain of registrations begins with: `router` of `router.get('/a', f).post('/b', g)`.
    fn chained_owner(&self, object: &Expression<'_>) -> Option<String> {
        let mut here = object;
        loop {
            if let Some(owner) = self.held_by(here) {
                return Some(owner);
            }
            if begins_chain(here).is_none() && self.made(here).is_some() {
                let inline = self.made_inline.get(&here.span().start);
                let name = inline.or(self.made_here.as_ref());
                return Some(name.cloned().unwrap_or_else(|| MADE_IN_PLACE.to_owned()));
            }
            here = begins_chain(here)?;
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
    Some((called(call, "basePath")?, call.arguments.first()?.as_expression()?))
}

/// What a method of this name is called on.
fn called<'x, 'a>(call: &'x CallExpression<'a>, name: &str) -> Option<&'x Expression<'a>> {
    let Expression::StaticMemberExpression(member) = &call.callee else { return None };
    (member.property.name == name).then_some(&member.object)
}

/// What a registration is called on.
fn begins_chain<'x, 'a>(registration: &'x Expression<'a>) -> Option<&'x Expression<'a>> {
    let Expression::CallExpression(call) = registration else { return None };
    let Expression::StaticMemberExpression(member) = &call.callee else { return None };
    let name = member.property.name.as_str();
    (is_verb(name) || matches!(name, "use" | "param" | "prefix")).then_some(&member.object)
}

/// What `route` is called on, and the path that it is given.
fn chained_route<'x, 'a>(object: &'x Expression<'a>) -> Option<(&'x Expression<'a>, &'x Expression<'a>)> {
    let mut here = object;
    while let Expression::CallExpression(call) = here {
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        if member.property.name == "route" {
            return Some((&member.object, call.arguments.first()?.as_expression()?));
        }
        here = &member.object;
    }
    None
}

/// The calls of `all` in a chain, the first one first.
fn all_before<'x, 'a>(object: &'x Expression<'a>) -> Vec<&'x CallExpression<'a>> {
    let mut found = Vec::new();
    let mut here = object;
    while let Expression::CallExpression(call) = here {
        let Expression::StaticMemberExpression(member) = &call.callee else { break };
        if member.property.name == "all" {
            found.push(&**call);
        }
        here = &member.object;
    }
    found.reverse();
    found
}

/// What a call is given; a list that is spread stands for what is in it.
fn given<'x, 'a>(call: &'x CallExpression<'a>) -> impl Iterator<Item = &'x Expression<'a>> {
    call.arguments.iter().filter_map(|argument| match argument {
        Argument::SpreadElement(spread) => Some(&spread.argument),
        other => other.as_expression(),
    })
}

/// `[requireAuth, [limit]]` is given as `requireAuth, limit` is.
fn flat<'x, 'a>(handlers: &[&'x Expression<'a>]) -> Vec<&'x Expression<'a>> {
    let mut all = Vec::new();
    for handler in handlers {
        match handler.get_inner_expression() {
            Expression::ArrayExpression(list) => {
                let each = list.elements.iter().filter_map(|one| match one {
                    ArrayExpressionElement::SpreadElement(spread) => Some(&spread.argument),
                    one => one.as_expression(),
                });
                let inner: Vec<_> = each.collect();
                all.extend(flat(&inner));
            }
            _ => all.push(*handler),
        }
    }
    all
}

/// The function of `this.create.bind(this)`.
fn unbound<'x, 'a>(handler: &'x Expression<'a>) -> &'x Expression<'a> {
    let Expression::CallExpression(call) = handler.get_inner_expression() else { return handler };
    match &call.callee {
        Expression::StaticMemberExpression(member)
            if member.property.name == "bind" && call.arguments.len() == 1 =>
        {
            &member.object
        }
        _ => handler,
    }
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
    let classes = program.body.iter().filter_map(class_of).flat_map(methods);
    declared.chain(values).chain(classes).collect()
}

/// Methods of a class, and its fields that are functions, with its name.
fn methods<'x, 'a>(class: &'x Class<'a>) -> impl Iterator<Item = (String, Callable<'x, 'a>)> {
    let of = class.id.as_ref().map_or(DEFAULT, |id| id.name.as_str());
    class.body.body.iter().filter_map(move |element| {
        let (key, callable) = match element {
            ClassElement::MethodDefinition(method) => (&method.key, Callable::Function(&method.value)),
            ClassElement::PropertyDefinition(field) => (&field.key, Callable::of(field.value.as_ref()?)?),
            _ => return None,
        };
        Some((format!("{of}.{}", field_name(key)?), callable))
    })
}
