//! The decorators of `NestJS` controllers.

use std::collections::BTreeMap;

use oxc_ast::ast::{Class, ClassElement, Decorator, Expression, Function, Program, Statement};
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
                        owner: String::new(),
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
