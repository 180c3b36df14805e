//! What a name stands for inside of a function: one of its own, or of those around it.

use std::cell::Cell;

use oxc_ast::ast::{BindingPattern, CallExpression, Expression, Function, Statement, VariableDeclarator};

use super::body::callee_name;
use super::component::Callable;
use super::modules;

/// A function whose result is looked at, and those around it.
#[derive(Clone, Copy)]
pub(super) struct Within<'w, 'x, 'a> {
    pub(super) callable: Callable<'x, 'a>,
    pub(super) outer: Option<&'w Within<'w, 'x, 'a>>,
    pub(super) depth: usize,
    /// How much more is looked at.
    pub(super) steps: &'w Cell<usize>,
}

/// What a name stands for inside of a function.
pub(super) enum Local<'x, 'a> {
    Function(&'x Function<'a>),
    Constant(&'x VariableDeclarator<'a>),
    /// `const [name] = useState(…)`
    State(&'x CallExpression<'a>),
    /// `const [, name] = useState(…)`
    Setter,
    Other,
}

impl<'w, 'x, 'a> Within<'w, 'x, 'a> {
    /// What the function or one around it declares by a name, and which of them does.
    pub(super) fn local(&'w self, name: &str) -> Option<(Local<'x, 'a>, &'w Self)> {
        let binds = |pattern: &BindingPattern<'a>| match pattern {
            BindingPattern::BindingIdentifier(id) => id.name == name,
            other => {
                let mut names = Vec::new();
                modules::bound_names(other, &mut names);
                names.iter().any(|own| own == name)
            }
        };
        for statement in self.callable.statements() {
            match statement {
                Statement::FunctionDeclaration(function)
                    if function.name().is_some_and(|own| own == name) =>
                {
                    return Some((Local::Function(function), self));
                }
                Statement::ClassDeclaration(class) if class.id.as_ref().is_some_and(|id| id.name == name) => {
                    return Some((Local::Other, self));
                }
                Statement::VariableDeclaration(variables) => {
                    if let Some(one) = variables.declarations.iter().find(|one| binds(&one.id)) {
                        let is_plain = one.id.is_binding_identifier();
                        let local = match state_of(one, name) {
                            _ if !variables.kind.is_const() => Local::Other,
                            Some(state) => state,
                            None if is_plain => Local::Constant(one),
                            None => Local::Other,
                        };
                        return Some((local, self));
                    }
                }
                _ => {}
            }
        }
        let parameters = self.callable.parameters();
        let rest = parameters.rest.iter().map(|rest| &rest.rest.argument);
        if parameters.items.iter().map(|item| &item.pattern).chain(rest).any(binds) {
            return Some((Local::Other, self));
        }
        self.outer.and_then(|outer| outer.local(name))
    }

    /// A function by its name, also where it is kept the same: `useCallback(…)`.
    pub(super) fn function(&self, value: &Expression<'_>) -> Option<Callable<'x, 'a>> {
        let Expression::Identifier(name) = value else { return None };
        match self.local(&name.name)?.0 {
            Local::Function(function) => Some(Callable::Function(function)),
            Local::Constant(constant) if constant.type_annotation.is_none() => {
                match constant.init.as_ref()? {
                    Expression::CallExpression(call) if callee_name(&call.callee) == Some("useCallback") => {
                        Callable::of(call.arguments.first()?.as_expression()?)
                    }
                    init => Callable::of(init),
                }
            }
            _ => None,
        }
    }
}

/// What of a state a declaration gives this name.
fn state_of<'x, 'a>(declared: &'x VariableDeclarator<'a>, name: &str) -> Option<Local<'x, 'a>> {
    let BindingPattern::ArrayPattern(pair) = &declared.id else { return None };
    let Some(Expression::CallExpression(call)) = &declared.init else { return None };
    let hook = callee_name(&call.callee)?;
    let named =
        |element: &Option<BindingPattern<'_>>| element.as_ref()?.get_identifier_name().map(|own| own == name);
    match pair.elements.iter().position(|element| named(element) == Some(true))? {
        0 if hook == "useState" => Some(Local::State(call)),
        1 if matches!(hook, "useState" | "useReducer") => Some(Local::Setter),
        _ => None,
    }
}
