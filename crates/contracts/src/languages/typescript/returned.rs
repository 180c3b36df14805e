//! Where a function returns something.

use oxc_ast::ast::{Expression, Statement, SwitchCase};

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
