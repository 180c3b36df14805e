//! Calls on an application or a router.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{
    Argument, ArrowFunctionExpression, AssignmentExpression, AssignmentTarget, AwaitExpression,
    BindingPattern, BlockStatement, CallExpression, Class, ClassElement, Declaration, Expression,
    ExpressionStatement, ForOfStatement, FormalParameter, Function, Ident, Program, PropertyDefinition,
    TSTypeAnnotation, VariableDeclaration, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use super::super::body::{callee_name, text_of};
use super::super::component::Callable;
use super::super::modules::{self, DEFAULT};
use super::super::origins::{Origin, root};
use super::super::print::Print;
use super::chain::{based, begins_chain, called, unbound};
use super::fastify::Plugins;
use super::given::{self, Given, Place};
use super::loops::{self, Each};
use super::nest::{class_of, option};
use super::owners::{self, Owners};
use super::registration::Registration;
use super::texts::{field_name, field_of_this, fields};
use super::{Constants, Routes, Texts, framework};
use crate::model::{Route, RouteFramework, RouteParameter, RouteParameterSource};

pub(super) fn of<'a>(
    program: &Program<'a>,
    print: Print<'_, 'a>,
    (frameworks, constants): (&BTreeSet<RouteFramework>, &Constants),
    routes: &mut Routes,
) {
    let is_fastify = frameworks.contains(&RouteFramework::Fastify);
    let plugins = Plugins::of(program, print.source, is_fastify);
    let mut calls = Calls {
        print,
        frameworks,
        applications: BTreeMap::new(),
        made_here: None,
        made_inline: plugins.in_place.clone(),
        plugins,
        options: Vec::new(),
        awaited: None,
        inside: None,
        class: None,
        registering: Vec::new(),
        followed: Vec::new(),
        functions: functions(program),
        texts: Texts::new(constants),
        given: Given::default(),
        found: Vec::new(),
        owners: Owners::default(),
        program,
    };
    calls.visit_program(program);
    // A chain is walked from its end.
    let mut found = std::mem::take(&mut calls.found);
    found.sort_by_key(|one| one.start);
    for one in found {
        if let Some(route) = calls.sure(one) {
            if !route.local_path.as_ref().unwrap_or(&route.path).is_empty() {
                let own =
                    owners::called(&route.owner).rsplit('.').next().and_then(|name| name.split(' ').next());
                let method = route.method.to_ascii_lowercase();
                routes.decorators.insert(format!("@{}.{method}", own.unwrap_or_default()));
            }
            routes.table.push(route);
        }
    }
}

/// A route, with where it stands and what it is registered on, if that is merely given.
pub(super) struct Registered {
    pub(super) start: u32,
    pub(super) route: Route,
    pub(super) given: Option<Place>,
}

/// What holds routes.
#[derive(Debug, Clone)]
pub(super) struct Application {
    pub(super) framework: RouteFramework,
    /// `new Router({ prefix: '/users' })`, `new Hono().basePath('/api')`.
    pub(super) prefix: Option<String>,
    /// The name of the one whose routes these are, too: `app` of `const api = app.basePath('/api')`.
    pub(super) of: Option<String>,
}

impl Application {
    pub(super) fn new(framework: RouteFramework, prefix: Option<String>) -> Self {
        Self { framework, prefix, of: None }
    }
}

pub(super) struct Calls<'r, 's, 'a, 'x> {
    pub(super) print: Print<'s, 'a>,
    pub(super) frameworks: &'r BTreeSet<RouteFramework>,
    /// By the names that hold them, fields with the name of their class: `UserRoutes.router`.
    pub(super) applications: BTreeMap<String, Application>,
    /// The name that what is made in the statement gets: `const api = Router().get('/a', f)`.
    made_here: Option<String>,
    /// Names for those that are made where they are mounted, by where they begin.
    made_inline: BTreeMap<u32, String>,
    pub(super) plugins: Plugins,
    /// Objects that have a name, with the hooks that they name.
    pub(super) options: Vec<(&'a str, Vec<String>)>,
    /// Where what was last seen to be awaited begins.
    awaited: Option<u32>,
    /// Where the outermost function begins that is walked.
    inside: Option<u32>,
    /// The name of the class that is walked, and where it begins.
    class: Option<(String, u32)>,
    /// Where those begin that register something.
    registering: Vec<u32>,
    /// Where those begin that others in their chain come after: `all(check)` of `route('/a').all(check).get(f)`.
    pub(super) followed: Vec<u32>,
    pub(super) functions: Vec<(String, Callable<'x, 'a>)>,
    pub(super) texts: Texts<'r, 'a>,
    pub(super) given: Given<'a>,
    pub(super) found: Vec<Registered>,
    pub(super) owners: Owners<'a>,
    pub(super) program: &'x Program<'a>,
}

impl<'a> Visit<'a> for Calls<'_, '_, 'a, '_> {
    fn visit_variable_declaration(&mut self, variables: &VariableDeclaration<'a>) {
        let around = std::mem::replace(&mut self.texts.of_constants, variables.kind.is_const());
        walk::walk_variable_declaration(self, variables);
        self.texts.of_constants = around;
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if self.inside.is_some() {
            self.texts.declared(declarator);
        }
        if self.inside.is_some() || self.owners.blocks > 0 {
            for name in declarator.id.get_binding_identifiers() {
                self.own(name.name.as_str());
            }
        }
        self.declared(declarator);
        if let (Some(init), Some(name)) = (&declarator.init, declarator.id.get_identifier_name()) {
            if let (Expression::ObjectExpression(_), Some(hooks)) =
                (init.get_inner_expression(), self.hooks(init))
            {
                self.options.push((name.as_str(), hooks));
            }
            // `const api = app.withTypeProvider<Provider>()`
            if let Expression::CallExpression(call) = init {
                let same = called(call, "withTypeProvider").and_then(|object| self.held_by(object));
                self.owners.same(name.as_str(), same);
            }
            if let Some(application) = self.made(init) {
                let owner = self.owners.of(name.as_str()).to_owned();
                self.applications.insert(owner.clone(), application);
                let around = self.made_here.replace(owner);
                walk::walk_variable_declarator(self, declarator);
                self.made_here = around;
                return;
            }
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_formal_parameter(&mut self, parameter: &FormalParameter<'a>) {
        self.own_parameter(parameter);
        // `function mount(app: express.Application)` is handed one.
        if let (BindingPattern::BindingIdentifier(name), Some(ty)) =
            (&parameter.pattern, &parameter.type_annotation)
        {
            if let Some(application) = self.typed(ty) {
                self.applications.insert(self.owners.of(&name.name).to_owned(), application);
            }
        }
        self.texts.hide(&parameter.pattern);
        self.given.parameter(parameter, self.print);
        walk::walk_formal_parameter(self, parameter);
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        self.within(function.span.start, |calls| walk::walk_function(calls, function, flags));
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        self.within(arrow.span.start, |calls| walk::walk_arrow_function_expression(calls, arrow));
    }

    fn visit_block_statement(&mut self, block: &BlockStatement<'a>) {
        let owners = self.owners.len();
        self.owners.blocks += 1;
        walk::walk_block_statement(self, block);
        self.owners.blocks -= 1;
        self.owners.truncate(owners);
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
        } else if let Expression::Identifier(right) = assignment.right.get_inner_expression() {
            // `this.app = app`
            if let Some(name) = self.assigned(&assignment.left).filter(|name| name.contains('.')) {
                if self.given.place(&right.name, &self.print.source.origins).is_some() {
                    self.given.field(name);
                }
            }
        }
        walk::walk_assignment_expression(self, assignment);
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        match loops::of_statement(statement, &self.texts) {
            Some(each) => self.each(each, |calls| calls.visit_statement(&statement.body)),
            None => walk::walk_for_of_statement(self, statement),
        }
    }

    fn visit_await_expression(&mut self, awaited: &AwaitExpression<'a>) {
        self.awaited = Some(awaited.argument.span().start);
        walk::walk_await_expression(self, awaited);
    }

    fn visit_expression_statement(&mut self, statement: &ExpressionStatement<'a>) {
        self.hand_over(&statement.expression);
        walk::walk_expression_statement(self, statement);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        let base = self.base(call);
        let is_awaited = self.awaited == Some(call.span.start);
        for registration in self.registrations(call) {
            self.name_inline(&registration);
            self.register(registration, base.as_deref(), is_awaited);
        }
        self.prefixed(call);
        self.place_functions(call);
        match loops::of_call(call, &self.texts) {
            Some(each) => self.each(each, |calls| walk::walk_call_expression(calls, call)),
            None => walk::walk_call_expression(self, call),
        }
    }
}

impl<'a> Calls<'_, '_, 'a, '_> {
    /// Walks a function, whose own names are nobody else's.
    fn within(&mut self, start: u32, walk: impl FnOnce(&mut Self)) {
        let (around, hidden, given) = (self.inside, self.texts.hidden.len(), self.given.names.len());
        let owners = self.owners.len();
        self.inside = around.or(Some(start));
        walk(self);
        self.inside = around;
        self.texts.hidden.truncate(hidden);
        self.given.names.truncate(given);
        self.owners.truncate(owners);
    }

    /// Walks what stands in a loop once for each of what it is over.
    fn each(&mut self, (name, all): Each<'a>, walk: impl Fn(&mut Self)) {
        for text in all {
            self.texts.each.push((name, text));
            walk(self);
            self.texts.each.pop();
        }
    }

    /// What a function of the project makes may be an application; whatever else a name stands for in a function is none.
    fn declared(&mut self, declarator: &VariableDeclarator<'a>) {
        let origins = &self.print.source.origins;
        let is_made = declarator.init.as_ref().is_some_and(|init| given::is_made_here(init, origins));
        for name in declarator.id.get_binding_identifiers() {
            let is_usual = is_made && declarator.id.is_binding_identifier() && given::is_usual(&name.name);
            if is_usual || self.inside.is_some() {
                self.given.names.push((name.name.as_str(), is_usual.then_some(name.span.start)));
            }
        }
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
    pub(super) fn held_by(&self, value: &Expression<'_>) -> Option<String> {
        match value.get_inner_expression() {
            Expression::Identifier(name) => Some(self.owners.of(&name.name).to_owned()),
            Expression::StaticMemberExpression(member) if member.object.is_identifier_reference() => {
                let name = self.print.expression(value);
                self.applications.contains_key(&name).then_some(name)
            }
            other => field_of_this(other).and_then(|field| self.of_class(&field)),
        }
    }

    fn assigned(&self, target: &AssignmentTarget<'_>) -> Option<String> {
        match target {
            AssignmentTarget::AssignmentTargetIdentifier(name) => Some(self.owners.of(&name.name).to_owned()),
            AssignmentTarget::StaticMemberExpression(member)
                if matches!(member.object, Expression::ThisExpression(_)) =>
            {
                self.of_class(&member.property.name)
            }
            // `exports.app = express()`
            AssignmentTarget::StaticMemberExpression(member) if member.object.is_specific_id("exports") => {
                Some(format!("exports.{}", member.property.name))
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
        let whole = text.split('<').next();
        // `import { Express as Web } from 'express'`
        let imported = match whole.and_then(|name| self.print.source.origins.of(name)) {
            // `import Koa from 'koa'`
            Some(Origin::Module { specifier, name }) if matches!(name.as_str(), "default" | "*") => {
                return framework(specifier).map(|framework| Application::new(framework, None));
            }
            Some(Origin::Module { specifier, name }) => framework(specifier).map(|_| name.as_str()),
            _ => None,
        };
        let named = imported.or_else(|| whole.and_then(|text| text.rsplit('.').next()));
        let framework = match named.filter(|_| !self.frameworks.is_empty()) {
            Some("Application" | "Express" | "Router" | "IRouter") => self.routers(),
            Some("FastifyInstance") => RouteFramework::Fastify,
            Some("Hono") => RouteFramework::Hono,
            _ => return None,
        };
        Some(Application::new(framework, None))
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
    pub(super) fn routers(&self) -> RouteFramework {
        let others = [RouteFramework::Express, RouteFramework::Koa];
        others.into_iter().find(|one| self.frameworks.contains(one)).unwrap_or(RouteFramework::Express)
    }

    /// `express()`, `express.Router()`, `new Hono()`, `require('fastify')()`, also with registrations behind it.
    fn made(&self, init: &Expression<'_>) -> Option<Application> {
        // Others have such names, too.
        if self.frameworks.is_empty() {
            return None;
        }
        let init = init.get_inner_expression();
        if let Expression::AwaitExpression(awaited) = init {
            return self.made(&awaited.argument);
        }
        // `const app = module.exports = express()`
        if let Expression::AssignmentExpression(assignment) = init {
            return self.made(&assignment.right);
        }
        if let Some((earlier, base)) = based(init) {
            let base = self.texts.path(self.print, base);
            let made = self.made(earlier).or_else(|| {
                let name = self.held_by(earlier)?;
                let known = self.applications.get(&name)?.clone();
                Some(Application { of: known.of.clone().or(Some(name)), ..known })
            })?;
            return Some(Application { prefix: Some(below(made.prefix.as_deref(), &base)), ..made });
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
        Some(Application::new(framework, prefix))
    }

    /// What stands before the paths that a call of a chain registers: what `basePath` says in front of it, and not behind.
    fn base(&self, call: &CallExpression<'a>) -> Option<String> {
        if !self.frameworks.contains(&RouteFramework::Hono) {
            return None;
        }
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        let (mut here, mut base) = (&member.object, None);
        loop {
            if let Some(known) = self.held_by(here).and_then(|name| self.applications.get(&name)) {
                return base.map(|base: String| below(known.prefix.as_deref(), &base));
            }
            if let Some((earlier, path)) = based(here) {
                let path = self.texts.path(self.print, path);
                base = Some(base.map_or_else(|| path.clone(), |inner| below(Some(&path), &inner)));
                here = earlier;
            } else if let Some(earlier) = begins_chain(here) {
                here = earlier;
            } else {
                return self.made(here).map(|_| base.unwrap_or_default());
            }
        }
    }

    fn register(&mut self, registration: Registration<'_, 'a>, base: Option<&str>, awaited: bool) {
        let Registration { owner, method, path, handlers, start, earlier, phase } = registration;
        self.followed.extend(earlier);
        let Some((last, guards)) = handlers.split_last() else { return };
        let callable = self.callable(last);
        let Some((application, place)) = self.registered_on(&owner) else { return };
        // Nobody else has hooks and hands plugins on.
        let is_fastify = (phase.is_some() || method == Route::HANDED).then_some(RouteFramework::Fastify);
        if let Some(place) = &place {
            let told = is_fastify.or_else(|| given::told(&owner, (&method, &path), (last, callable)));
            if let Some(framework) = told {
                self.given.tell(place, framework);
            }
        }
        let callable = self.callable(last);
        let mut taken: Vec<RouteParameter> = Vec::new();
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
        // What is an object are options, and what has no name says nothing.
        let guards = guards.iter().flat_map(|guard| match self.hooks(guard) {
            Some(hooks) => hooks,
            None => match self.handler(guard) {
                name if name == Route::ANONYMOUS => Vec::new(),
                name if phase.is_some() => vec![self.hooked(&owner, phase, name)],
                name => vec![self.texts.marked(guard, name)],
            },
        });
        let guards: Vec<String> = guards.collect();
        let handler = match phase {
            Some(_) => self.hooked(&owner, phase, self.hook(last)),
            None => self.handler(last),
        };
        let within = self.registering(&owner);
        for own in path {
            let prefix = base.filter(|_| application.framework == RouteFramework::Hono);
            let path = match prefix.or(application.prefix.as_deref()).filter(|prefix| !prefix.is_empty()) {
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
                handler: handler.clone(),
                parameters,
                guards: guards.clone(),
                returns: returns.clone(),
                status: None,
                line: self.print.source.line(start),
                owner: application.of.as_ref().unwrap_or(&owner).clone(),
                file: None,
                versions: Vec::new(),
                full_paths: Vec::new(),
                application: None,
                class: None,
                within,
                awaited,
            };
            self.found.push(Registered { start, route, given: place.clone() });
        }
    }

    fn hooked(&self, owner: &str, phase: Option<usize>, name: String) -> String {
        match phase {
            Some(phase) if name != Route::ANONYMOUS => self.plugins.marked(owner, phase, &name),
            _ => name,
        }
    }

    /// Which of the functions that register something is walked, counted from 1; 0 for none.
    pub(super) fn registering(&mut self, owner: &str) -> u32 {
        // All methods of a class work on its fields.
        let class = self.class.as_ref().filter(|_| owner.contains('.')).map(|(_, start)| *start);
        let Some(function) = class.or(self.inside) else { return 0 };
        let known = self.registering.iter().position(|one| *one == function);
        let at = known.unwrap_or_else(|| {
            self.registering.push(function);
            self.registering.len() - 1
        });
        u32::try_from(at + 1).unwrap_or(u32::MAX)
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
        for route in self.found.iter_mut().map(|one| &mut one.route).filter(|route| route.owner == owner) {
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

    pub(super) fn takes_error(&self, handler: &Expression<'a>) -> bool {
        self.callable(handler).is_some_and(|callable| callable.parameters().items.len() == 4)
    }

    /// Whether what `use` is given first is a path, or several.
    pub(super) fn is_path(&self, first: &Expression<'_>) -> bool {
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

    pub(super) fn is_imported(&self, value: &Expression<'_>) -> bool {
        let origin = root(value).and_then(|name| self.print.source.origins.of(name));
        matches!(origin, Some(Origin::Module { .. })) && !self.texts.hides(value)
    }

    pub(super) fn paths(&self, written: &Expression<'_>) -> Vec<String> {
        match written {
            Expression::ArrayExpression(paths) => {
                let each = paths.elements.iter().filter_map(|element| element.as_expression());
                each.flat_map(|path| self.paths(path)).collect()
            }
            Expression::RegExpLiteral(_) => vec![self.print.expression(written)],
            other => vec![self.texts.path(self.print, other)],
        }
    }

    pub(super) fn handler(&self, handler: &Expression<'_>) -> String {
        let handler = unbound(handler);
        if let Some(name) = self.made_inline.get(&handler.span().start) {
            return name.clone();
        }
        if let Some(name) = self.other(handler) {
            return name;
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
    pub(super) fn chained_owner(&self, object: &Expression<'_>) -> Option<String> {
        let mut here = object;
        loop {
            if let Some(owner) = self.held_by(here) {
                return Some(owner);
            }
            if let Some((earlier, _)) = based(here) {
                here = earlier;
                continue;
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

/// A path below another one, if there is one.
fn below(outer: Option<&str>, path: &str) -> String {
    outer.map_or_else(|| path.to_owned(), |outer| Route::joined(outer, path))
}

/// What takes more to say has no name.
pub(super) const LONGEST_HANDLER: usize = 80;
pub(super) const USE: &str = Route::USE;
/// The name of an application that has none yet: `Router().get('/a', f)`.
pub(super) const MADE_IN_PLACE: &str = Route::MADE_IN_PLACE;

/// Also with its number, where there are several.
pub(super) fn is_made_in_place(owner: &str) -> bool {
    owner.split(' ').next() == Some(MADE_IN_PLACE)
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
