//! How registrations stand in each other: what a chain of calls begins with, and what a call is given.

use oxc_ast::ast::{Argument, ArrayExpressionElement, CallExpression, Expression};

use super::super::body::callee_name;
use super::super::origins::root;
use super::is_verb;

/// `new Hono().basePath('/api')` in its parts.
pub(super) fn based<'x, 'a>(made: &'x Expression<'a>) -> Option<(&'x Expression<'a>, &'x Expression<'a>)> {
    let Expression::CallExpression(call) = made else { return None };
    Some((called(call, "basePath")?, call.arguments.first()?.as_expression()?))
}

/// What a method of this name is called on.
pub(super) fn called<'x, 'a>(call: &'x CallExpression<'a>, name: &str) -> Option<&'x Expression<'a>> {
    let Expression::StaticMemberExpression(member) = &call.callee else { return None };
    (member.property.name == name).then_some(&member.object)
}

/// What a registration is called on.
pub(super) fn begins_chain<'x, 'a>(registration: &'x Expression<'a>) -> Option<&'x Expression<'a>> {
    let Expression::CallExpression(call) = registration else { return None };
    let Expression::StaticMemberExpression(member) = &call.callee else { return None };
    let gives_itself = match member.property.name.as_str() {
        "use" | "param" | "prefix" | "on" | "openapi" | "mount" | "onError" | "notFound" | "addHook"
        | "register" | "withTypeProvider" => true,
        "route" => path_of_route(call).is_none(),
        name => is_verb(name),
    };
    gives_itself.then_some(&member.object)
}

/// The path of `route('/a')`, which begins the routes below one path. `route('/a', other)` mounts, `route({ … })` is a whole
/// route.
fn path_of_route<'x, 'a>(call: &'x CallExpression<'a>) -> Option<&'x Expression<'a>> {
    let [path] = call.arguments.as_slice() else { return None };
    path.as_expression().filter(|path| !matches!(path, Expression::ObjectExpression(_)))
}

/// What `route` is called on, and the path that it is given.
pub(super) fn chained_route<'x, 'a>(
    object: &'x Expression<'a>,
) -> Option<(&'x Expression<'a>, &'x Expression<'a>)> {
    let mut here = object;
    while let Expression::CallExpression(call) = here {
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        if let Some(path) = path_of_route(call).filter(|_| member.property.name == "route") {
            return Some((&member.object, path));
        }
        here = &member.object;
    }
    None
}

/// The calls of `all` in a chain, the first one first.
pub(super) fn all_before<'x, 'a>(object: &'x Expression<'a>) -> Vec<&'x CallExpression<'a>> {
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
pub(super) fn given<'x, 'a>(call: &'x CallExpression<'a>) -> impl Iterator<Item = &'x Expression<'a>> {
    call.arguments.iter().filter_map(|argument| match argument {
        Argument::SpreadElement(spread) => Some(&spread.argument),
        other => other.as_expression(),
    })
}

/// `[requireAuth, [limit]]` is given as `requireAuth, limit` is.
pub(super) fn flat<'x, 'a>(handlers: &[&'x Expression<'a>]) -> Vec<&'x Expression<'a>> {
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
            // Koa's `compose([requireAuth, limit])`
            Expression::CallExpression(call) if composes(call) => {
                all.extend(flat(&given(call).collect::<Vec<_>>()));
            }
            _ => all.push(*handler),
        }
    }
    all
}

fn composes(call: &CallExpression<'_>) -> bool {
    call.callee.is_specific_id("compose")
        && matches!(call.arguments.as_slice(), [Argument::ArrayExpression(_)])
}

/// The function of `this.create.bind(this)`.
pub(super) fn unbound<'x, 'a>(handler: &'x Expression<'a>) -> &'x Expression<'a> {
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
pub(super) fn allows_methods(handler: &Expression<'_>) -> bool {
    let Expression::CallExpression(call) = handler.get_inner_expression() else { return false };
    let callee = call.callee.as_member_expression();
    callee.is_some_and(|member| member.static_property_name().is_some_and(|name| name == "allowedMethods"))
}

/// Whether something has a name as paths have, or is what a program is set up with: `process.env.API_PREFIX`,
/// `config.get('base')`. Of what `use` is given first nothing else tells a path that is known when the program runs.
pub(super) fn is_called_as_path(value: &Expression<'_>) -> bool {
    let value = match value.get_inner_expression() {
        Expression::CallExpression(call) => call.callee.get_inner_expression(),
        other => other,
    };
    let is_set_up = matches!(root(value), Some("config" | "env" | "process" | "settings"));
    if is_set_up && value.is_member_expression() {
        return true;
    }
    let name = callee_name(value).unwrap_or_default();
    let ends = ["Path", "_PATH", "Prefix", "_PREFIX", "Url", "_URL", "Base", "_BASE"];
    ends.iter().any(|end| name.ends_with(end) || name.eq_ignore_ascii_case(end.trim_start_matches('_')))
}
