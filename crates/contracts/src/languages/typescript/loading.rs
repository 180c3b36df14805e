//! Which modules an expression names that loads them, or asks for their place, where it stands: `require`, `import()`, the
//! patterns of bundlers, and addresses beside the file.

use oxc_ast::ast::{Argument, CallExpression, Expression, NewExpression, ObjectExpression};
use oxc_span::Span;
use oxc_syntax::operator::{BinaryOperator, LogicalOperator};

use super::body::text_of;
use super::common_js::{Value, members};
use super::print::Print;
use crate::language::language_of;
use crate::model::{Import, ImportKind};

/// What is loaded where it stands, `require('x')` and `await import('x')`.
pub(super) fn loaded(
    print: Print<'_, '_>,
    value: &Expression<'_>,
) -> Option<(Vec<String>, ImportKind, Span)> {
    match value.get_inner_expression() {
        Expression::CallExpression(call) => Some((required(print, call)?, ImportKind::Require, call.span)),
        Expression::AwaitExpression(awaited) => match awaited.argument.get_inner_expression() {
            Expression::ImportExpression(import) => {
                Some((specifiers(print, &import.source), ImportKind::Dynamic, import.span))
            }
            _ => None,
        },
        _ => None,
    }
}

/// What `require(…)` names. One that is handed something without a text in it may be anybody's.
pub(super) fn required(print: Print<'_, '_>, call: &CallExpression<'_>) -> Option<Vec<String>> {
    let requires = match &call.callee {
        Expression::Identifier(name) => name.name == "require",
        Expression::StaticMemberExpression(member) => {
            member.object.is_specific_id("require") && member.property.name == "resolve"
        }
        _ => false,
    };
    let first = call.arguments.first().and_then(Argument::as_expression).filter(|_| requires)?;
    says_something(first).then(|| specifiers(print, first))
}

fn says_something(expression: &Expression<'_>) -> bool {
    match either(expression) {
        Some((one, other)) => says_something(one) || says_something(other),
        None => matches!(
            expression.get_inner_expression(),
            Expression::StringLiteral(_) | Expression::TemplateLiteral(_) | Expression::BinaryExpression(_)
        ),
    }
}

/// The names of the modules that it may be: `c ? './a' : './b'`.
pub(super) fn specifiers(print: Print<'_, '_>, expression: &Expression<'_>) -> Vec<String> {
    match either(expression) {
        Some((one, other)) => [specifiers(print, one), specifiers(print, other)].concat(),
        None => vec![specifier(print, expression)],
    }
}

fn either<'x, 'a>(expression: &'x Expression<'a>) -> Option<(&'x Expression<'a>, &'x Expression<'a>)> {
    match expression.get_inner_expression() {
        Expression::ConditionalExpression(one) => Some((&one.consequent, &one.alternate)),
        Expression::LogicalExpression(one) if one.operator != LogicalOperator::And => {
            Some((&one.left, &one.right))
        }
        _ => None,
    }
}

/// The name of a module, with what is only known when the program runs as it is written, in `${}`.
fn specifier(print: Print<'_, '_>, expression: &Expression<'_>) -> String {
    match expression.get_inner_expression() {
        Expression::StringLiteral(text) => text.value.into_string(),
        Expression::TemplateLiteral(template) => {
            let mut text = String::new();
            for (at, quasi) in template.quasis.iter().enumerate() {
                text.push_str(quasi.value.cooked.as_ref().unwrap_or(&quasi.value.raw));
                if let Some(part) = template.expressions.get(at) {
                    text.push_str(&specifier(print, part));
                }
            }
            text
        }
        Expression::BinaryExpression(sum) if sum.operator == BinaryOperator::Addition => {
            specifier(print, &sum.left) + &specifier(print, &sum.right)
        }
        other => format!("{}{}}}", Import::PUT_IN, print.short(other)),
    }
}

/// What a call names by a pattern, and the one name that is taken of each, where it is one.
pub(super) struct Matched {
    pub(super) specifiers: Vec<String>,
    pub(super) kind: ImportKind,
    pub(super) name: Option<String>,
}

/// `import.meta.glob('./pages/*.ts')`, `require.context('./pages', true, /\.ts$/)`
pub(super) fn matched(call: &CallExpression<'_>) -> Option<Matched> {
    let Expression::StaticMemberExpression(callee) = &call.callee else { return None };
    let mut arguments = call.arguments.iter().map(Argument::as_expression);
    let is_meta = || matches!(callee.object, Expression::ImportMeta(_));
    match callee.property.name.as_str() {
        name @ ("glob" | "globEager") if is_meta() => {
            let patterns = texts(arguments.next()??)?;
            let options = arguments.next().flatten().map(Expression::get_inner_expression);
            let options = match options {
                Some(Expression::ObjectExpression(options)) => Some(&**options),
                _ => None,
            };
            let option = |name: &str| option(options?, name);
            let base = option("base").and_then(text_of);
            let patterns: Vec<String> = patterns.iter().map(|one| below(base.as_deref(), one)).collect();
            let is_eager = name == "globEager"
                || matches!(option("eager"), Some(Expression::BooleanLiteral(one)) if one.value);
            Some(Matched {
                specifiers: without_others(&patterns),
                kind: if is_eager { ImportKind::Static } else { ImportKind::Dynamic },
                name: option("import").and_then(text_of),
            })
        }
        "context" if callee.object.is_specific_id("require") => {
            let folder = text_of(arguments.next()??)?;
            let deep = match arguments.next().flatten() {
                Some(Expression::BooleanLiteral(deep)) if !deep.value => "",
                _ => "**/",
            };
            let endings = match arguments.next().flatten() {
                Some(Expression::RegExpLiteral(ending)) => endings(&ending.regex.pattern.text)?,
                Some(_) => return None,
                None => String::new(),
            };
            let specifiers = vec![format!("{}/{deep}*{endings}", folder.trim_end_matches('/'))];
            Some(Matched { specifiers, kind: ImportKind::Static, name: None })
        }
        _ => None,
    }
}

fn option<'x, 'a>(options: &'x ObjectExpression<'a>, name: &str) -> Option<&'x Expression<'a>> {
    members(options).find(|one| one.name == name).and_then(|one| match one.value {
        Value::Is(value) => Some(value.get_inner_expression()),
        _ => None,
    })
}

/// One text, or a list of nothing but texts.
fn texts(expression: &Expression<'_>) -> Option<Vec<String>> {
    let Expression::ArrayExpression(list) = expression.get_inner_expression() else {
        return text_of(expression).map(|text| vec![text]);
    };
    list.elements.iter().map(|one| one.as_expression().and_then(text_of)).collect()
}

/// A pattern that begins at a folder.
fn below(base: Option<&str>, pattern: &str) -> String {
    let (not, inside) = pattern.strip_prefix('!').map_or(("", pattern), |inside| ("!", inside));
    match base.filter(|_| !inside.starts_with('/')) {
        Some(base) => format!("{not}{}/{}", base.trim_end_matches('/'), inside.trim_start_matches("./")),
        None => pattern.to_owned(),
    }
}

/// Each pattern with those of what it leaves out: `./pages/*.ts !./pages/_*.ts`.
fn without_others(patterns: &[String]) -> Vec<String> {
    let (others, wanted): (Vec<&str>, Vec<&str>) =
        patterns.iter().map(String::as_str).partition(|one| one.starts_with('!'));
    wanted.into_iter().map(|one| [&[one], &*others].concat().join(" ")).collect()
}

/// What a regular expression of nothing but endings says, as a pattern: `\.(ts|js)$`, `\.tsx?$`.
fn endings(expression: &str) -> Option<String> {
    let inside = expression.trim_start_matches(['^', '.', '*', '/']);
    let inside = inside.strip_prefix("\\.")?.strip_suffix('$')?;
    let inside =
        inside.strip_prefix('(').map_or(inside, |list| list.trim_start_matches("?:").trim_end_matches(')'));
    let mut all: Vec<String> = Vec::new();
    for one in inside.split('|') {
        let (one, last) = one.strip_suffix('?').map_or((one, None), |one| (one, one.chars().next_back()));
        if one.is_empty() || !one.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        all.extend(last.map(|last| one.trim_end_matches(last).to_owned()));
        all.push(one.to_owned());
    }
    Some(if let [one] = all.as_slice() { format!(".{one}") } else { format!(".{{{}}}", all.join(",")) })
}

/// `new URL('./worker.ts', import.meta.url)` is the place of a module, where that is one.
pub(super) fn placed(new: &NewExpression<'_>) -> Option<String> {
    let [address, base] = new.arguments.as_slice() else { return None };
    let is_here = match base.as_expression()?.get_inner_expression() {
        Expression::StaticMemberExpression(base) => {
            base.property.name == "url" && matches!(base.object, Expression::ImportMeta(_))
        }
        _ => false,
    };
    if !is_here || !new.callee.is_specific_id("URL") {
        return None;
    }
    let address = address.as_expression().and_then(text_of)?;
    language_of(address.split(['?', '#']).next()?)?;
    match address.as_bytes() {
        [b'.', ..] => Some(address),
        [b'/', ..] => None,
        _ => (!address.contains(':')).then(|| format!("./{address}")),
    }
}
