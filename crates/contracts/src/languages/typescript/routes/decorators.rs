//! What the decorators of `NestJS` say: which method and path they answer, behind which guards, and what a parameter is.

use oxc_ast::ast::{Argument, Declaration, Expression, Function, Program, Statement};
use oxc_span::GetSpan;

use super::super::body::text_of;
use super::super::component::Callable;
use super::super::modules::{constants, declared};
use super::super::origins::{Origin, known_as, root};
use super::super::print::Print;
use super::super::returned::returns;
use super::nest::{Names, mount, option};
use super::texts::dotted;
use super::{Constants, Routes, Texts, VERBS};
use crate::model::{NestClass, Route, RouteParameter, RouteParameterSource};

/// Decorators of routes besides those of the usual verbs.
const OTHER_VERBS: &[&str] =
    &["Copy", "Lock", "Mkcol", "Move", "Propfind", "Proppatch", "Search", "Sse", "Unlock"];
/// What Nest gives to parameters that is no part of a request which a client chooses.
const GIVEN: &[&str] = &["HostParam", "Ip", "Next", "Req", "Request", "Res", "Response", "Session"];
/// Of more nobody reads what they are given.
const LONGEST: usize = 80;
/// What is given that is neither a text nor a name.
const UNKNOWN: &str = "${…}";

/// The method and the paths that a decorator answers.
pub(super) fn answered(
    decorator: &Expression<'_>,
    names: &Names<'_, '_, '_>,
) -> Option<(String, Vec<String>)> {
    let method = match name_of(decorator, names.print)? {
        "Sse" => "GET".to_owned(),
        "RequestMapping" => requested(decorator, names),
        verb if VERBS.contains(&verb.to_ascii_lowercase().as_str()) || OTHER_VERBS.contains(&verb) => {
            verb.to_ascii_uppercase()
        }
        _ => return None,
    };
    Some((method, paths(decorator, names)))
}

/// The method of `@RequestMapping({ path: 'a', method: RequestMethod.PUT })`.
fn requested(decorator: &Expression<'_>, names: &Names<'_, '_, '_>) -> String {
    let method = match argument(decorator).map(Expression::get_inner_expression) {
        Some(Expression::ObjectExpression(options)) => option(options, "method"),
        _ => None,
    };
    match method.map(Expression::get_inner_expression) {
        None => "GET".to_owned(),
        Some(Expression::StaticMemberExpression(method)) => method.property.name.into_string(),
        Some(other) => names.shown(other),
    }
}

/// `@Get()`, `@Get('a')`, `@Get(['a', 'b'])`, `@Controller({ path: 'a' })`; at least one path always.
pub(super) fn paths(decorator: &Expression<'_>, names: &Names<'_, '_, '_>) -> Vec<String> {
    match argument(decorator).map(Expression::get_inner_expression) {
        None => vec![String::new()],
        Some(Expression::ObjectExpression(options)) => {
            option(options, "path").map_or_else(|| vec![String::new()], |paths| names.each(paths))
        }
        Some(paths) => names.each(paths),
    }
}

/// `@HttpCode(204)`.
pub(super) fn status(decorators: &[&Expression<'_>], print: Print<'_, '_>) -> Option<u16> {
    let code = decorators.iter().find(|one| name_of(one, print) == Some("HttpCode"));
    match code.and_then(|code| argument(code))? {
        Expression::NumericLiteral(number) => super::super::expression::number(number).parse().ok(),
        _ => None,
    }
}

/// The arguments of every `@UseGuards(…)`, and decorators that the project may put together of others.
pub(super) fn guards(decorators: &[&Expression<'_>], names: &Names<'_, '_, '_>) -> Vec<String> {
    let mut found = Vec::new();
    for decorator in decorators {
        let (callee, arguments) = match decorator {
            Expression::CallExpression(call) => (&call.callee, call.arguments.as_slice()),
            other => (*other, &[][..]),
        };
        if known_as(names.print, callee) == Some("UseGuards") {
            found.extend(arguments.iter().map(|guard| names.print.argument(guard)));
        } else if let Some(name) = dotted(callee).filter(|_| !is_of_nest(callee, names.print)) {
            let given = arguments.iter().map(|one| match one.as_expression() {
                Some(one) if text_of(one).is_some() || dotted(one).is_some() => {
                    names.shown(one).replace('\n', " ")
                }
                _ => UNKNOWN.to_owned(),
            });
            let lines: Vec<String> = std::iter::once(name).chain(given).collect();
            found.push(format!("{}{}", Route::DECORATOR, lines.join("\n")));
        }
    }
    found
}

/// Whether something is imported from Nest itself.
fn is_of_nest(value: &Expression<'_>, print: Print<'_, '_>) -> bool {
    let origin = root(value).and_then(|name| print.source.origins.of(name));
    matches!(origin, Some(Origin::Module { specifier, .. }) if specifier.starts_with("@nestjs/"))
}

/// What a method takes of a request.
pub(super) fn parameters(function: &Function<'_>, print: Print<'_, '_>) -> Vec<RouteParameter> {
    let mut found = Vec::new();
    for item in &function.params.items {
        let decorators = || item.decorators.iter().map(|one| &one.expression);
        let of_nest = decorators().find_map(|one| Some((one, source(name_of(one, print)?)?)));
        let Some((decorator, source)) =
            of_nest.or_else(|| Some((decorators().next()?, RouteParameterSource::Other)))
        else {
            continue;
        };
        let named = argument(decorator).and_then(text_of).filter(|_| of_nest.is_some());
        let is_read = !matches!(source, RouteParameterSource::Other);
        found.push(RouteParameter {
            text: print.annotation_or(item.type_annotation.as_deref(), ""),
            optional: item.optional || item.initializer.is_some(),
            whole: is_read && named.is_none(),
            name: named.unwrap_or_else(|| print.pattern(&item.pattern)),
            decorator: if of_nest.is_some() { None } else { Some(format!("@{}", shown(decorator, print))) },
            pipes: if is_read { pipes(decorator, print) } else { Vec::new() },
            ..RouteParameter::from(source)
        });
    }
    found
}

fn source(decorator: &str) -> Option<RouteParameterSource> {
    match decorator {
        "Param" => Some(RouteParameterSource::Path),
        "Query" => Some(RouteParameterSource::Query),
        "Body" | "UploadedFile" | "UploadedFiles" => Some(RouteParameterSource::Body),
        "Headers" => Some(RouteParameterSource::Headers),
        other => GIVEN.contains(&other).then_some(RouteParameterSource::Other),
    }
}

/// `ParseIntPipe` and `new ParseIntPipe({ … })` of `@Param('id', ParseIntPipe)`: whatever is no name.
fn pipes(decorator: &Expression<'_>, print: Print<'_, '_>) -> Vec<String> {
    let Expression::CallExpression(call) = decorator else { return Vec::new() };
    let given = call.arguments.iter().filter_map(Argument::as_expression);
    given.filter(|one| text_of(one).is_none()).map(|one| shown(one, print)).collect()
}

/// Of what is long what it begins with.
fn shown(value: &Expression<'_>, print: Print<'_, '_>) -> String {
    let short = print.outside(value, LONGEST);
    short.unwrap_or_else(|| format!("{}(…)", name_of(value, print).unwrap_or("…")))
}

/// Functions that put decorators together, by `applyDecorators`; also what one has put together already.
pub(super) fn composed(
    program: &Program<'_>,
    print: Print<'_, '_>,
    constants_of: &Constants,
    routes: &mut Routes,
) {
    let functions = declared(program).filter_map(|declaration| match declaration {
        Declaration::FunctionDeclaration(function) => {
            Some((function.id.as_ref()?.name.as_str(), Callable::Function(function)))
        }
        _ => None,
    });
    let values = constants(program).filter_map(|(name, value)| Some((name, Callable::of(value)?)));
    let together = functions.chain(values).filter_map(|(name, callable)| {
        let items = &callable.parameters().items;
        let takes: Vec<&str> = items
            .iter()
            .map(|item| item.pattern.get_identifier_name().map_or("", |name| name.as_str()))
            .collect();
        let (body, given) = given_by(callable)?;
        let decorators: Vec<_> = given.iter().filter_map(|one| applied(one, body, print)).flatten().collect();
        (!decorators.is_empty()).then_some((name, takes, decorators))
    });
    let at_once =
        constants(program).filter_map(|(name, value)| Some((name, Vec::new(), applied(value, &[], print)?)));
    for (name, takes, decorators) in together.chain(at_once) {
        let hidden = takes.iter().map(|name| (*name, None)).collect();
        let texts = Texts { hidden, ..Texts::new(constants_of) };
        let names = Names { program, print, texts };
        let line = decorators.first().map_or(1, |first| print.source.line(first.span().start));
        let answers = decorators.iter().filter_map(|one| answered(one, &names));
        let answers =
            answers.flat_map(|(method, paths)| paths.into_iter().map(move |path| (method.clone(), path)));
        let answers = answers
            .map(|(method, path)| Route { method, ..mount(name.to_owned(), path, String::new(), line) });
        let told = NestClass {
            routes: answers.collect(),
            takes: takes.into_iter().map(str::to_owned).collect(),
            ..NestClass::default()
        };
        routes.table.push(Route {
            guards: guards(&decorators, &names),
            status: status(&decorators, print),
            class: Some(Box::new(told)),
            ..mount(name.to_owned(), String::new(), String::new(), line)
        });
    }
}

/// The body of a function, and all that it may give.
pub(super) fn given_by<'x, 'a>(
    callable: Callable<'x, 'a>,
) -> Option<(&'x [Statement<'a>], Vec<&'x Expression<'a>>)> {
    let body: &'x [Statement<'a>] = match callable {
        Callable::Function(function) => &function.body.as_ref()?.statements,
        Callable::Arrow(arrow) => match arrow.body.as_expression() {
            Some(value) => return Some((&[], vec![value])),
            None => &arrow.body.as_function_body()?.statements,
        },
    };
    let mut found = Vec::new();
    for statement in body {
        returns(statement, &mut found);
    }
    Some((body, found.into_iter().flatten().collect()))
}

/// The decorators of `applyDecorators(UseGuards(AuthGuard), Get('a'))`, of a list that is spread in it, and of either side of
/// a condition; guards alone are given as they are.
fn applied<'x, 'a>(
    value: &'x Expression<'a>,
    body: &'x [Statement<'a>],
    print: Print<'_, '_>,
) -> Option<Vec<&'x Expression<'a>>> {
    let call = match value.get_inner_expression() {
        Expression::CallExpression(call) => call,
        Expression::ConditionalExpression(one) => {
            let sides = [&one.consequent, &one.alternate].map(|side| applied(side, body, print));
            let all: Vec<_> = sides.into_iter().flatten().flatten().collect();
            return (!all.is_empty()).then_some(all);
        }
        _ => return None,
    };
    match known_as(print, &call.callee)? {
        "applyDecorators" => {
            let each = call.arguments.iter().flat_map(|argument| match argument {
                Argument::SpreadElement(spread) => listed(&spread.argument, body),
                other => other.as_expression().into_iter().collect(),
            });
            Some(each.collect())
        }
        "UseGuards" if is_of_nest(&call.callee, print) => Some(vec![value]),
        _ => None,
    }
}

/// The elements of a list that is written in place, or is a constant of the function.
fn listed<'x, 'a>(list: &'x Expression<'a>, body: &'x [Statement<'a>]) -> Vec<&'x Expression<'a>> {
    match list.get_inner_expression() {
        Expression::ArrayExpression(list) => {
            list.elements.iter().filter_map(|one| one.as_expression()).collect()
        }
        Expression::Identifier(name) => {
            let variables = body.iter().filter_map(|statement| match statement {
                Statement::VariableDeclaration(variables) => Some(&variables.declarations),
                _ => None,
            });
            let mut named = variables.flatten().filter(|one| one.id.get_identifier_name() == Some(name.name));
            let init = named.next().and_then(|one| one.init.as_ref());
            init.filter(|init| !init.is_identifier_reference())
                .map(|init| listed(init, body))
                .unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

pub(super) fn name_of<'x>(decorator: &'x Expression<'_>, print: Print<'x, '_>) -> Option<&'x str> {
    match decorator {
        Expression::CallExpression(call) => known_as(print, &call.callee),
        Expression::NewExpression(new) => known_as(print, &new.callee),
        other => known_as(print, other),
    }
}

pub(super) fn argument<'x, 'a>(decorator: &'x Expression<'a>) -> Option<&'x Expression<'a>> {
    match decorator {
        Expression::CallExpression(call) => call.arguments.first()?.as_expression(),
        _ => None,
    }
}
