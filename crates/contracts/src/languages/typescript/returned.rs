//! Where a function returns something, and what the elements of a list are that it returns.

use oxc_ast::ast::{ArrayExpression, ArrayExpressionElement, Expression, Statement, SwitchCase};

use super::component::Callable;
use super::print::{INFERRED, Print};
use super::value::{LONGEST_TYPED, digest};
use super::within::{Local, Within};

/// What sets a state takes what the state is, which stands beside it.
const SETTER: &str = "(value) => void";

/// What the function that a statement stands in returns there; functions inside of it are not looked into.
pub(super) fn returns<'x, 'a>(statement: &'x Statement<'a>, found: &mut Vec<Option<&'x Expression<'a>>>) {
    let mut all = |statements: &'x [Statement<'a>]| {
        for statement in statements {
            returns(statement, found);
        }
    };
    match statement {
        Statement::ReturnStatement(returned) => found.push(returned.argument.as_ref()),
        Statement::BlockStatement(block) => all(&block.body),
        Statement::IfStatement(one) => {
            returns(&one.consequent, found);
            if let Some(otherwise) = &one.alternate {
                returns(otherwise, found);
            }
        }
        Statement::ForStatement(one) => returns(&one.body, found),
        Statement::ForInStatement(one) => returns(&one.body, found),
        Statement::ForOfStatement(one) => returns(&one.body, found),
        Statement::WhileStatement(one) => returns(&one.body, found),
        Statement::DoWhileStatement(one) => returns(&one.body, found),
        Statement::LabeledStatement(one) => returns(&one.body, found),
        Statement::SwitchStatement(one) => {
            one.cases.iter().for_each(|case: &SwitchCase<'a>| all(&case.consequent));
        }
        Statement::TryStatement(one) => {
            all(&one.block.body);
            if let Some(handler) = &one.handler {
                all(&handler.body.body);
            }
            if let Some(finalizer) = &one.finalizer {
                all(&finalizer.body);
            }
        }
        _ => {}
    }
}

/// Whether what stands behind a statement is never reached.
pub(super) fn ends(statement: &Statement<'_>) -> bool {
    let all = |statements: &[Statement<'_>]| statements.iter().any(ends);
    match statement {
        Statement::ReturnStatement(_) | Statement::ThrowStatement(_) => true,
        Statement::BlockStatement(block) => all(&block.body),
        Statement::IfStatement(one) => {
            ends(&one.consequent) && one.alternate.as_ref().is_some_and(|otherwise| ends(otherwise))
        }
        // `while (true)`
        Statement::WhileStatement(one) => {
            matches!(&one.test, Expression::BooleanLiteral(test) if test.value) && !is_left(&one.body)
        }
        Statement::ForStatement(one) => one.test.is_none() && !is_left(&one.body),
        // One without a default is taken to have a case for each.
        Statement::SwitchStatement(one) => {
            let mut statements = one.cases.iter().flat_map(|case| &case.consequent);
            one.cases.last().is_some_and(|last| all(&last.consequent)) && !statements.any(is_left)
        }
        Statement::TryStatement(one) => {
            one.finalizer.as_ref().is_some_and(|last| all(&last.body))
                || all(&one.block.body) && one.handler.as_ref().is_none_or(|handler| all(&handler.body.body))
        }
        _ => false,
    }
}

/// Whether a loop, or a choice of cases, may be left from this statement of it.
fn is_left(statement: &Statement<'_>) -> bool {
    let all = |statements: &[Statement<'_>]| statements.iter().any(is_left);
    match statement {
        Statement::BreakStatement(_) => true,
        Statement::BlockStatement(block) => all(&block.body),
        Statement::IfStatement(one) => {
            is_left(&one.consequent) || one.alternate.as_ref().is_some_and(|otherwise| is_left(otherwise))
        }
        Statement::TryStatement(one) => {
            all(&one.block.body) || one.handler.as_ref().is_some_and(|handler| all(&handler.body.body))
        }
        _ => false,
    }
}

/// Whether a list holds a state by its name, or what sets one.
pub(super) fn has_state(list: &ArrayExpression<'_>, within: &Within<'_, '_, '_>) -> bool {
    list.elements.iter().any(|element| element.as_expression().is_some_and(|value| is_state(value, within)))
}

fn is_state(value: &Expression<'_>, within: &Within<'_, '_, '_>) -> bool {
    let Expression::Identifier(name) = value else { return false };
    let Some(left) = within.steps.get().checked_sub(1) else { return false };
    within.steps.set(left);
    match within.local(&name.name) {
        Some((Local::State(_) | Local::Setter, _)) => true,
        Some((Local::Constant(constant), around)) => {
            constant.init.as_ref().is_some_and(|init| is_state(init, around))
        }
        _ => false,
    }
}

impl Print<'_, '_> {
    /// The elements of a list that a function gives, in their order, with what is known of their types. The names that the
    /// function has for them are its own.
    pub(super) fn returned_list(
        self,
        list: &ArrayExpression<'_>,
        within: &Within<'_, '_, '_>,
    ) -> Option<String> {
        if !list.elements.iter().all(ArrayExpressionElement::is_expression) {
            return None;
        }
        let each = list.elements.iter().filter_map(ArrayExpressionElement::as_expression);
        let each: Vec<Option<String>> = each.map(|value| self.returned_element(value, within)).collect();
        let unknown = || format!("[{}]", vec!["_"; each.len()].join(", "));
        if each.iter().all(Option::is_none) {
            return Some(unknown());
        }
        let told: Vec<&str> = each.iter().map(|one| one.as_deref().unwrap_or(INFERRED)).collect();
        let told = format!("[{}]", told.join(", "));
        Some(if told.len() > LONGEST_TYPED { format!("{} {}", unknown(), digest(&told)) } else { told })
    }

    fn returned_element(self, value: &Expression<'_>, within: &Within<'_, '_, '_>) -> Option<String> {
        within.steps.set(within.steps.get().checked_sub(1)?);
        if let Expression::Identifier(name) = value {
            match within.local(&name.name) {
                Some((Local::Setter, _)) => return Some(SETTER.to_owned()),
                // What is only there at first may be counted on, or not.
                Some((Local::State(state), _)) if state.type_arguments.is_none() => return None,
                // A name for a name.
                Some((Local::Constant(constant), around)) if constant.type_annotation.is_none() => {
                    if let Some(other @ Expression::Identifier(_)) = &constant.init {
                        return self.returned_element(other, around);
                    }
                }
                _ => {}
            }
        }
        match value {
            Expression::ObjectExpression(_) => self.told(value, within),
            _ if Callable::of(value).or_else(|| within.function(value)).is_some() => {
                self.returned_member(value, within)
            }
            _ => self.told(value, within).filter(|text| !text.starts_with('[')),
        }
    }
}
