//! Loops over lists that are written out: `for (const path of ['/a', '/b']) app.get(path, show)`. What is in one is walked
//! once for each, with its name standing for that.

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, BindingPattern, CallExpression, Expression, ForOfStatement,
    ForStatementLeft,
};

use super::super::body::text_of;
use super::super::component::Callable;
use super::Texts;

/// Of a longer list nobody reads the routes.
const MOST: usize = 32;
/// Loops in loops that are walked more than once.
const DEEPEST: usize = 2;

/// The name that a loop gives to each text of a list, and these.
pub(super) type Each<'a> = (&'a str, Vec<String>);

pub(super) fn of_statement<'a>(statement: &ForOfStatement<'a>, texts: &Texts<'_, 'a>) -> Option<Each<'a>> {
    let ForStatementLeft::VariableDeclaration(variables) = &statement.left else { return None };
    let BindingPattern::BindingIdentifier(name) = &variables.declarations.first()?.id else { return None };
    Some((name.name.as_str(), list(&statement.right, texts)?))
}

/// `['get', 'post'].forEach((method) => …)`.
pub(super) fn of_call<'a>(call: &CallExpression<'a>, texts: &Texts<'_, 'a>) -> Option<Each<'a>> {
    let Expression::StaticMemberExpression(member) = &call.callee else { return None };
    if !matches!(member.property.name.as_str(), "forEach" | "map") {
        return None;
    }
    let callable = Callable::of(call.arguments.first().and_then(Argument::as_expression)?)?;
    let BindingPattern::BindingIdentifier(name) = &callable.parameters().items.first()?.pattern else {
        return None;
    };
    Some((name.name.as_str(), list(&member.object, texts)?))
}

fn list(value: &Expression<'_>, texts: &Texts<'_, '_>) -> Option<Vec<String>> {
    let text = |one: &ArrayExpressionElement<'_>| one.as_expression().and_then(text_of);
    let all: Vec<String> = match value.get_inner_expression() {
        Expression::ArrayExpression(list) => list.elements.iter().map(text).collect::<Option<_>>()?,
        other if !texts.hides(other) => texts.constants.list(other)?,
        _ => return None,
    };
    let is_known = !all.is_empty() && all.iter().all(|text| !text.contains("${"));
    (is_known && all.len() <= MOST && texts.each.len() < DEEPEST).then_some(all)
}
