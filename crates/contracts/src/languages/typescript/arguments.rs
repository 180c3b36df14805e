//! What the calls in a value are given: objects that are written in place, and names.

use oxc_ast::ast::{
    ArrayExpression, ArrayExpressionElement, Expression, ObjectExpression, ObjectPropertyKind,
};

use super::body::callee_name;
use super::print::literal_type;
use super::value::{DEEPEST, query};

/// What a call is given.
pub(super) enum Given<'x, 'a> {
    Object(&'x ObjectExpression<'a>),
    /// Each as its own type, `typeof run`.
    Names(Vec<String>),
}

/// What calls are given, each with the last name of the call.
pub(super) fn given_to<'x, 'a>(value: &'x Expression<'a>, found: &mut Vec<(&'x str, Given<'x, 'a>)>) {
    let Expression::CallExpression(call) = value.get_inner_expression() else { return };
    match call.callee.get_inner_expression() {
        // `z.object({ … }).extend({ … })`, `cva({ … })({ … })`
        Expression::StaticMemberExpression(member) => given_to(&member.object, found),
        made => given_to(made, found),
    }
    let name = callee_name(&call.callee).unwrap_or_default();
    let (mut names, mut has_object) = (Vec::new(), false);
    for argument in call.arguments.iter().filter_map(|argument| argument.as_expression()) {
        let argument = argument.get_inner_expression();
        // `create((set) => ({ … }))`
        let given = match argument {
            Expression::ArrowFunctionExpression(arrow) => arrow.get_expression(),
            _ => None,
        };
        match given.map_or(argument, Expression::get_inner_expression) {
            Expression::ObjectExpression(object) => {
                has_object = true;
                found.push((name, Given::Object(object)));
            }
            _ if given.is_some() => {}
            Expression::ArrayExpression(list) => names.extend(names_listed(list)),
            Expression::Identifier(own) => names.extend(query(&own.name)),
            other => given_to(other, found),
        }
    }
    if !(has_object && names.is_empty()) {
        found.push((name, Given::Names(names)));
    }
}

/// Whether the first call of a chain is given neither an object nor what is made of one, `string()` of `string().min(1, {})`.
pub(super) fn begins_without_object(chain: &Expression<'_>) -> bool {
    let mut first = chain;
    while let Expression::CallExpression(call) = first.get_inner_expression() {
        match call.callee.get_inner_expression() {
            Expression::StaticMemberExpression(member) if is_call(&member.object) => first = &member.object,
            callee if is_call(callee) => first = callee,
            _ => break,
        }
    }
    let mut given = Vec::new();
    given_to(first, &mut given);
    is_call(chain)
        && !std::ptr::eq(first, chain)
        && !given.iter().any(|(_, what)| matches!(what, Given::Object(_)))
}

fn is_call(value: &Expression<'_>) -> bool {
    matches!(value.get_inner_expression(), Expression::CallExpression(_))
}

/// The names in a list; beside one also of what type the literals in it are.
pub(super) fn names_listed(list: &ArrayExpression<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let mut has_name = false;
    for element in list.elements.iter().filter_map(ArrayExpressionElement::as_expression) {
        match element.get_inner_expression() {
            Expression::Identifier(own) => {
                let name = query(&own.name);
                has_name |= name.is_some();
                names.extend(name);
            }
            other => names.extend(literal_type(other).map(str::to_owned).filter(|ty| !names.contains(ty))),
        }
    }
    if has_name { names } else { Vec::new() }
}

/// How many names there are in an object, in the objects in it, and in those that calls are given there: where one comes
/// deep inside of what a digest stands for, that is all that is seen of it.
pub(super) fn names_within(object: &ObjectExpression<'_>, depth: usize) -> usize {
    let within = |property: &ObjectPropertyKind<'_>| {
        let mut given = Vec::new();
        match property {
            ObjectPropertyKind::ObjectProperty(property) if depth < DEEPEST => {
                match property.value.get_inner_expression() {
                    Expression::ObjectExpression(inner) => given.push(("", Given::Object(inner))),
                    inner => given_to(inner, &mut given),
                }
            }
            _ => {}
        }
        let inner = given.iter().map(|(_, what)| match what {
            Given::Object(object) => names_within(object, depth + 1),
            Given::Names(_) => 0,
        });
        1 + inner.sum::<usize>()
    };
    object.properties.iter().map(within).sum()
}
