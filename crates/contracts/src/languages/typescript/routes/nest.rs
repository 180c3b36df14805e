//! The decorators of `NestJS` controllers, and what leads to them: modules that name them, and the application that puts a
//! prefix before all of their paths.

use std::collections::BTreeMap;

use oxc_ast::ast::{
    Argument, CallExpression, Class, ClassElement, Decorator, Expression, Function, Program, Statement,
    VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;

use super::super::body::{callee_name, text_of};
use super::super::print::Print;
use super::{Routes, VERBS, texts};
use crate::model::{Route, RouteFramework, RouteParameter, RouteParameterSource};

pub(super) fn of(program: &Program<'_>, print: Print<'_, '_>, routes: &mut Routes) {
    let texts = texts(program);
    for class in program.body.iter().filter_map(class_of) {
        nest(class, print, &texts, routes);
    }
}

/// `app.setGlobalPrefix('api')`, of an application that a module makes. Where versions or exceptions decide over paths, what
/// is behind the prefix is not told.
pub(super) fn prefixes<'a>(program: &Program<'a>, print: Print<'_, 'a>, routes: &mut Routes) {
    let mut found =
        Applications { print, texts: texts(program), made: Vec::new(), prefixed: Vec::new(), told: true };
    found.visit_program(program);
    for (owner, path, line, has_exceptions) in found.prefixed {
        let Some((_, module)) = found.made.iter().find(|(name, _)| *name == owner) else { continue };
        let tells = found.told && !has_exceptions;
        let handler = if tells { module.clone() } else { format!("{module}, in part") };
        routes.table.push(mount(owner, Route::joined(&path, ""), handler, line));
    }
}

struct Applications<'s, 'a> {
    print: Print<'s, 'a>,
    texts: BTreeMap<String, String>,
    /// Names, and the modules that they were made of.
    made: Vec<(String, String)>,
    prefixed: Vec<(String, String, u32, bool)>,
    told: bool,
}

impl<'a> Visit<'a> for Applications<'_, 'a> {
    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let (Some(name), Some(init)) = (declarator.id.get_identifier_name(), &declarator.init) {
            let init = match init.get_inner_expression() {
                Expression::AwaitExpression(awaited) => awaited.argument.get_inner_expression(),
                other => other,
            };
            if let Expression::CallExpression(call) = init {
                let makes = call.callee.is_specific_member_access("NestFactory", "create");
                let module = call.arguments.first().and_then(Argument::as_expression).filter(|_| makes);
                if let Some(Expression::Identifier(module)) = module {
                    self.made.push((name.to_string(), module.name.to_string()));
                }
            }
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Expression::StaticMemberExpression(member) = &call.callee {
            let first = call.arguments.first().and_then(Argument::as_expression);
            match (&member.object, member.property.name.as_str(), first) {
                (Expression::Identifier(app), "setGlobalPrefix", Some(path)) => {
                    let path = shown(path, self.print, &self.texts);
                    let line = self.print.source.line(call.span.start);
                    self.prefixed.push((app.name.to_string(), path, line, call.arguments.len() > 1));
                }
                (_, "enableVersioning", _) => self.told = false,
                _ => {}
            }
        }
        walk::walk_call_expression(self, call);
    }
}

/// What is handed on without a path of its own is only there for what is behind it.
fn mount(owner: String, path: String, handler: String, line: u32) -> Route {
    Route {
        framework: RouteFramework::NestJs,
        method: "USE".to_owned(),
        path,
        handler,
        parameters: Vec::new(),
        guards: Vec::new(),
        returns: String::new(),
        status: None,
        line,
        owner,
        local_path: None,
        file: None,
    }
}

/// `@Module({ imports: [UsersModule], controllers: [UsersController] })`.
fn module(decorator: &Decorator<'_>, class_name: &str, print: Print<'_, '_>, routes: &mut Routes) {
    let Some(Expression::ObjectExpression(options)) = decorator_argument(decorator) else { return };
    for property in options.properties.iter().filter_map(|property| property.as_property()) {
        let leads = ["imports", "controllers"].iter().any(|name| property.key.is_specific_static_name(name));
        let Expression::ArrayExpression(list) = property.value.get_inner_expression() else { continue };
        for one in list.elements.iter().filter_map(|one| one.as_expression()).filter(|_| leads) {
            if let Some(name) = handed_on(one) {
                let line = print.source.line(one.span().start);
                routes.table.push(mount(class_name.to_owned(), String::new(), name.to_owned(), line));
            }
        }
    }
}

/// `Users`, `Users.forRoot(…)`, `forwardRef(() => Users)`.
fn handed_on<'x>(one: &'x Expression<'_>) -> Option<&'x str> {
    match one.get_inner_expression() {
        Expression::Identifier(name) => Some(name.name.as_str()),
        Expression::CallExpression(call) => match call.callee.get_inner_expression() {
            Expression::StaticMemberExpression(member) => handed_on(&member.object),
            Expression::Identifier(_) => match call.arguments.first()?.as_expression()? {
                Expression::ArrowFunctionExpression(arrow) => handed_on(arrow.body.as_expression()?),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
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
    let class_name = class.id.as_ref().map_or("default", |id| id.name.as_str());
    if let Some(decorator) = class.decorators.iter().find(|one| decorator_name(one) == Some("Module")) {
        module(decorator, class_name, print, routes);
    }
    let Some(controller) = class.decorators.iter().find(|one| decorator_name(one) == Some("Controller"))
    else {
        return;
    };
    routes.is_controller = true;
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
                    let path = Route::joined(prefix, &own);
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
                        owner: class_name.to_owned(),
                        local_path: None,
                        file: None,
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
    let shown = |path: &Expression<'_>| shown(path, print, texts);
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

/// A path that is a text, or a constant of the file that is one; else as it is written.
fn shown(path: &Expression<'_>, print: Print<'_, '_>, texts: &BTreeMap<String, String>) -> String {
    let named = || match path.get_inner_expression() {
        Expression::Identifier(name) => texts.get(name.name.as_str()).cloned(),
        _ => None,
    };
    text_of(path).or_else(named).unwrap_or_else(|| format!("${{{}}}", print.source.one_line(path.span())))
}
