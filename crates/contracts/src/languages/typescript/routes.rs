//! Route tables: calls on an Express application or router, and the decorators of `NestJS` controllers.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{
    Argument, BindingPattern, CallExpression, Class, ClassElement, Decorator, Expression, Function, Program,
    Statement, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;

use super::body::{callee_name, text_of};
use super::component::Callable;
use super::modules::Modules;
use super::print::Print;
use crate::model::{Route, RouteFramework, RouteParameter, RouteParameterSource};

const VERBS: &[&str] = &["all", "delete", "get", "head", "options", "patch", "post", "put"];

#[derive(Default)]
pub(super) struct Routes {
    pub(super) table: Vec<Route>,
    /// `@Controller`, `@app.get` …, as the seed lists them.
    pub(super) decorators: BTreeSet<String>,
    pub(super) is_controller: bool,
}

/// Nothing is looked at unless the framework is imported: `map.get('/a', f)` is no route.
pub(super) fn of<'a>(program: &Program<'a>, modules: &Modules, print: Print<'_, 'a>) -> Routes {
    let mut routes = Routes::default();
    if modules.imports_from(|from| from.starts_with("@nestjs/")) {
        let texts = texts(program);
        for class in program.body.iter().filter_map(class_of) {
            nest(class, print, &texts, &mut routes);
        }
    }
    if modules.imports_from(|from| matches!(from, "express" | "express-promise-router" | "router")) {
        let mut express = Express {
            print,
            applications: BTreeSet::new(),
            functions: functions(program),
            texts: texts(program),
            found: Vec::new(),
            routes: &mut routes,
        };
        express.visit_program(program);
        // A chain is walked from its end.
        let mut found = std::mem::take(&mut express.found);
        found.sort_by_key(|(at, _)| *at);
        routes.table.extend(found.into_iter().map(|(_, route)| route));
    }
    routes
}

struct Express<'r, 's, 'a, 'x> {
    print: Print<'s, 'a>,
    /// Names that hold an application or a router.
    applications: BTreeSet<String>,
    functions: Vec<(String, Callable<'x, 'a>)>,
    /// Constants that are texts.
    texts: BTreeMap<String, String>,
    /// With where they stand.
    found: Vec<(u32, Route)>,
    routes: &'r mut Routes,
}

impl<'a> Visit<'a> for Express<'_, '_, 'a, '_> {
    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let (Some(init), Some(name)) = (&declarator.init, declarator.id.get_identifier_name()) {
            if makes_application(init) {
                self.applications.insert(name.to_string());
            }
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_formal_parameter(&mut self, parameter: &oxc_ast::ast::FormalParameter<'a>) {
        // `function mount(app: express.Application)` is handed one.
        if let (BindingPattern::BindingIdentifier(name), Some(ty)) =
            (&parameter.pattern, &parameter.type_annotation)
        {
            let text = self.print.annotation(ty);
            if matches!(text.rsplit('.').next(), Some("Application" | "Express" | "Router" | "IRouter")) {
                self.applications.insert(name.name.to_string());
            }
        }
        walk::walk_formal_parameter(self, parameter);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.register(call);
        walk::walk_call_expression(self, call);
    }
}

impl<'a> Express<'_, '_, 'a, '_> {
    fn register(&mut self, call: &CallExpression<'a>) {
        let Some(member) = call.callee.as_member_expression() else { return };
        let Some(verb) = member.static_property_name() else { return };
        let arguments: Vec<&Expression<'a>> =
            call.arguments.iter().filter_map(Argument::as_expression).collect();
        // `router.route('/a').get(f).post(g)`, else `router.get('/a', f)`
        let (owner, path, handlers) = if let Some((owner, path)) = chained_route(member.object()) {
            (owner, path, arguments.as_slice())
        } else {
            let Some(owner) = chained_owner(member.object()) else { return };
            let Some((first, rest)) = arguments.split_first() else { return };
            (owner, *first, rest)
        };
        let known = owner == MADE_IN_PLACE || self.applications.contains(owner);
        let is_verb = VERBS.contains(&verb) && !handlers.is_empty();
        let mounts = verb == "use" && !handlers.is_empty() && self.text(path).is_some();
        if !known || !(is_verb || mounts) {
            return;
        }
        let Some((last, guards)) = handlers.split_last() else { return };
        let mut taken: Vec<RouteParameter> = Vec::new();
        let callable = Callable::of(last).or_else(|| {
            let name = self.print.source.one_line(last.span());
            self.functions.iter().find(|(known, _)| *known == name).map(|(_, callable)| *callable)
        });
        let mut returns = String::new();
        if let Some(callable) = callable {
            for item in &callable.parameters().items {
                if let (BindingPattern::BindingIdentifier(name), Some(ty)) =
                    (&item.pattern, &item.type_annotation)
                {
                    taken.push(RouteParameter {
                        name: name.name.to_string(),
                        source: RouteParameterSource::Handler,
                        text: self.print.annotation(ty),
                    });
                }
            }
            returns = self.print.annotation_or(callable.returned(), "");
        }
        self.routes.decorators.insert(format!("@{owner}.{verb}"));
        let start = call.callee.span().end;
        for path in self.paths(path) {
            let mut parameters = path_parameters(&path);
            parameters.extend(taken.iter().cloned());
            let route = Route {
                framework: RouteFramework::Express,
                method: verb.to_ascii_uppercase(),
                path,
                handler: self.handler(last),
                parameters,
                guards: guards.iter().map(|guard| self.handler(guard)).collect(),
                returns: returns.clone(),
                status: None,
                line: self.print.source.line(start),
            };
            self.found.push((start, route));
        }
    }

    fn paths(&self, path: &Expression<'_>) -> Vec<String> {
        match path {
            Expression::ArrayExpression(paths) => {
                let each = paths.elements.iter().filter_map(|element| element.as_expression());
                each.flat_map(|path| self.paths(path)).collect()
            }
            Expression::RegExpLiteral(pattern) => vec![self.print.source.one_line(pattern.span)],
            other => {
                let text = self.text(other);
                vec![text.unwrap_or_else(|| format!("${{{}}}", self.print.source.one_line(other.span())))]
            }
        }
    }

    /// A text, or a constant of the file that is one, or a template of both.
    fn text(&self, expression: &Expression<'_>) -> Option<String> {
        match expression.get_inner_expression() {
            Expression::Identifier(name) => self.texts.get(name.name.as_str()).cloned(),
            Expression::TemplateLiteral(template) => {
                let mut text = String::new();
                for (at, quasi) in template.quasis.iter().enumerate() {
                    text.push_str(quasi.value.cooked.as_ref()?);
                    if let Some(part) = template.expressions.get(at) {
                        text.push_str(&self.text(part)?);
                    }
                }
                Some(text)
            }
            other => text_of(other),
        }
    }

    fn handler(&self, handler: &Expression<'_>) -> String {
        match handler.get_inner_expression() {
            Expression::ArrowFunctionExpression(_) => "anonymous".to_owned(),
            Expression::FunctionExpression(function) => {
                function.name().map_or("anonymous".to_owned(), |name| name.to_string())
            }
            other => {
                let text = self.print.source.one_line(other.span());
                if text.chars().count() > 80 { "anonymous".to_owned() } else { text }
            }
        }
    }
}

/// Constants of the file that are texts, by name.
fn texts(program: &Program<'_>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for statement in &program.body {
        let declaration = match statement {
            Statement::ExportDeclaration(export) => Some(&export.declaration),
            other => other.as_declaration(),
        };
        let Some(oxc_ast::ast::Declaration::VariableDeclaration(variables)) = declaration else { continue };
        for declarator in variables.declarations.iter().filter(|_| variables.kind.is_const()) {
            let text = declarator.init.as_ref().and_then(text_of);
            if let (Some(name), Some(text)) = (declarator.id.get_identifier_name(), text) {
                found.insert(name.to_string(), text);
            }
        }
    }
    found
}

/// The name of an application that has none yet: `Router().get('/a', f)`.
const MADE_IN_PLACE: &str = "router";

/// The name that a chain of registrations begins with: `router` of `router.get('/a', f).post('/b', g)`.
fn chained_owner<'x>(object: &'x Expression<'_>) -> Option<&'x str> {
    let mut here = object;
    loop {
        match here {
            Expression::Identifier(owner) => return Some(owner.name.as_str()),
            _ if makes_application(here) && begins_chain(here).is_none() => return Some(MADE_IN_PLACE),
            _ => here = begins_chain(here)?,
        }
    }
}

/// What a registration is called on.
fn begins_chain<'x, 'a>(registration: &'x Expression<'a>) -> Option<&'x Expression<'a>> {
    let Expression::CallExpression(call) = registration else { return None };
    let Expression::StaticMemberExpression(member) = &call.callee else { return None };
    let name = member.property.name.as_str();
    (VERBS.contains(&name) || matches!(name, "use" | "param")).then_some(&member.object)
}

/// `express()`, `express.Router()`, `Router()`, `new Router()`, also with registrations behind it.
fn makes_application(init: &Expression<'_>) -> bool {
    if let Some(earlier) = begins_chain(init.get_inner_expression()) {
        return makes_application(earlier);
    }
    let callee = match init.get_inner_expression() {
        Expression::CallExpression(call) => &call.callee,
        Expression::NewExpression(new) => &new.callee,
        _ => return false,
    };
    matches!(callee_name(callee), Some("express" | "Router" | "PromiseRouter"))
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

fn path_parameters(path: &str) -> Vec<RouteParameter> {
    let names = path.split('/').flat_map(|segment| segment.split(':').skip(1)).map(|name| {
        name.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect::<String>()
    });
    names
        .filter(|name| !name.is_empty())
        .map(|name| RouteParameter { name, source: RouteParameterSource::Path, text: "string".to_owned() })
        .collect()
}

/// Functions of the file by name, so that a handler that is passed by name is known.
fn functions<'x, 'a>(program: &'x Program<'a>) -> Vec<(String, Callable<'x, 'a>)> {
    let mut found = Vec::new();
    for statement in &program.body {
        let declaration = match statement {
            Statement::ExportDeclaration(export) => Some(&export.declaration),
            other => other.as_declaration(),
        };
        match declaration {
            Some(oxc_ast::ast::Declaration::FunctionDeclaration(function)) => {
                if let Some(name) = function.name() {
                    found.push((name.to_string(), Callable::Function(function)));
                }
            }
            Some(oxc_ast::ast::Declaration::VariableDeclaration(variables)) => {
                for declarator in &variables.declarations {
                    let callable = declarator.init.as_ref().and_then(Callable::of);
                    if let (Some(name), Some(callable)) = (declarator.id.get_identifier_name(), callable) {
                        found.push((name.to_string(), callable));
                    }
                }
            }
            _ => {}
        }
    }
    found
}

fn class_of<'x, 'a>(statement: &'x Statement<'a>) -> Option<&'x Class<'a>> {
    use oxc_ast::ast::{Declaration, ExportDefaultDeclarationKind};
    match statement {
        Statement::ClassDeclaration(class) => Some(class),
        Statement::ExportDeclaration(export) => match &export.declaration {
            Declaration::ClassDeclaration(class) => Some(class),
            _ => None,
        },
        Statement::ExportDefaultDeclaration(export) => match &export.declaration {
            ExportDefaultDeclarationKind::ClassDeclaration(class) => Some(class),
            _ => None,
        },
        _ => None,
    }
}

fn nest(class: &Class<'_>, print: Print<'_, '_>, texts: &BTreeMap<String, String>, routes: &mut Routes) {
    for decorator in &class.decorators {
        if let Some(name) = decorator_name(decorator) {
            routes.decorators.insert(format!("@{name}"));
        }
    }
    let Some(controller) = class.decorators.iter().find(|one| decorator_name(one) == Some("Controller"))
    else {
        return;
    };
    routes.is_controller = true;
    let class_name = class.id.as_ref().map_or("default", |id| id.name.as_str());
    let prefixes = decorator_paths(controller, print, texts);
    let class_guards = guards(&class.decorators, print);
    for element in &class.body.body {
        let ClassElement::MethodDefinition(method) = element else { continue };
        for decorator in &method.decorators {
            let Some(verb) = decorator_name(decorator) else { continue };
            if !VERBS.contains(&verb.to_ascii_lowercase().as_str()) && verb != "Sse" {
                continue;
            }
            routes.decorators.insert(format!("@{verb}"));
            for prefix in &prefixes {
                for own in decorator_paths(decorator, print, texts) {
                    let path = join_paths(prefix, &own);
                    routes.table.push(Route {
                        framework: RouteFramework::NestJs,
                        method: if verb == "Sse" { "GET".to_owned() } else { verb.to_ascii_uppercase() },
                        handler: format!("{class_name}.{}", print.key(&method.key, method.computed)),
                        parameters: nest_parameters(&method.value, print),
                        guards: class_guards
                            .iter()
                            .cloned()
                            .chain(guards(&method.decorators, print))
                            .collect(),
                        returns: print.annotation_or(method.value.return_type.as_deref(), ""),
                        status: status(&method.decorators),
                        line: print.source.line(decorator.span.start),
                        path,
                    });
                }
            }
        }
    }
}

fn nest_parameters(function: &Function<'_>, print: Print<'_, '_>) -> Vec<RouteParameter> {
    let mut found = Vec::new();
    for item in &function.params.items {
        let Some(decorator) = item.decorators.first() else { continue };
        let source = match decorator_name(decorator) {
            Some("Param") => RouteParameterSource::Path,
            Some("Query") => RouteParameterSource::Query,
            Some("Body" | "UploadedFile" | "UploadedFiles") => RouteParameterSource::Body,
            Some("Headers") => RouteParameterSource::Headers,
            _ => RouteParameterSource::Other,
        };
        let named = decorator_argument(decorator).and_then(text_of);
        let name = named.unwrap_or_else(|| print.pattern(&item.pattern));
        let text = print.annotation_or(item.type_annotation.as_deref(), "");
        found.push(RouteParameter { name, source, text });
    }
    found
}

/// `@HttpCode(204)`.
fn status(decorators: &[Decorator<'_>]) -> Option<u16> {
    let code =
        decorators.iter().find(|one| decorator_name(one) == Some("HttpCode")).and_then(decorator_argument)?;
    match code {
        Expression::NumericLiteral(number) => number.raw?.parse().ok(),
        _ => None,
    }
}

/// The arguments of every `@UseGuards(…)`.
fn guards(decorators: &[Decorator<'_>], print: Print<'_, '_>) -> Vec<String> {
    let mut found = Vec::new();
    for decorator in decorators.iter().filter(|one| decorator_name(one) == Some("UseGuards")) {
        if let Expression::CallExpression(call) = &decorator.expression {
            found.extend(call.arguments.iter().map(|argument| print.source.one_line(argument.span())));
        }
    }
    found
}

fn decorator_name<'x>(decorator: &'x Decorator<'_>) -> Option<&'x str> {
    match &decorator.expression {
        Expression::CallExpression(call) => callee_name(&call.callee),
        other => callee_name(other),
    }
}

fn decorator_argument<'x, 'a>(decorator: &'x Decorator<'a>) -> Option<&'x Expression<'a>> {
    match &decorator.expression {
        Expression::CallExpression(call) => call.arguments.first()?.as_expression(),
        _ => None,
    }
}

/// `@Get()`, `@Get('a')`, `@Get(['a', 'b'])`, `@Controller({ path: 'a' })`; at least one path always.
fn decorator_paths(
    decorator: &Decorator<'_>,
    print: Print<'_, '_>,
    texts: &BTreeMap<String, String>,
) -> Vec<String> {
    let shown = |path: &Expression<'_>| {
        let named = || match path.get_inner_expression() {
            Expression::Identifier(name) => texts.get(name.name.as_str()).cloned(),
            _ => None,
        };
        text_of(path).or_else(named).unwrap_or_else(|| format!("${{{}}}", print.source.one_line(path.span())))
    };
    let each = |paths: &Expression<'_>| match paths.get_inner_expression() {
        Expression::ArrayExpression(paths) => {
            paths.elements.iter().filter_map(|element| element.as_expression()).map(shown).collect()
        }
        path => vec![shown(path)],
    };
    match decorator_argument(decorator).map(Expression::get_inner_expression) {
        None => vec![String::new()],
        Some(Expression::ObjectExpression(options)) => {
            let properties = options.properties.iter().filter_map(|property| property.as_property());
            let path = properties.into_iter().find(|property| property.key.is_specific_static_name("path"));
            path.map_or_else(|| vec![String::new()], |property| each(&property.value))
        }
        Some(paths) => each(paths),
    }
}

fn join_paths(prefix: &str, own: &str) -> String {
    let segments =
        [prefix, own].into_iter().map(|part| part.trim_matches('/')).filter(|part| !part.is_empty());
    format!("/{}", segments.collect::<Vec<_>>().join("/"))
}
