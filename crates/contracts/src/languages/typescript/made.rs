//! Values that calls of another module make, known by those calls: the fields of a schema, the columns of a table.

use oxc_ast::ast::Expression;

use super::origins::{Origin, root};
use super::print::Print;
use super::value::LONGEST_LITERAL;

/// Calls in calls.
const DEEPEST: usize = 12;

impl Print<'_, '_> {
    /// The calls of another module that make a value, `string().optional()` for `z.string().optional()`, with what of their
    /// arguments says of which type it is.
    pub(super) fn made_by(self, value: &Expression<'_>) -> Option<String> {
        let from = self.source.origins.of(root(value)?);
        let is_call = matches!(value.get_inner_expression(), Expression::CallExpression(_));
        let made = self.calls(value, 0).filter(|_| is_call && matches!(from, Some(Origin::Module { .. })))?;
        (made.len() <= LONGEST_LITERAL).then_some(made)
    }

    /// Without the name that they begin with, which is a way to import.
    fn calls(self, value: &Expression<'_>, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        match value.get_inner_expression() {
            Expression::Identifier(_) => Some(String::new()),
            Expression::StaticMemberExpression(member) => {
                let of = self.calls(&member.object, depth + 1)?;
                let dot = if of.is_empty() { "" } else { "." };
                Some([&of, dot, &member.property.name].concat())
            }
            Expression::CallExpression(call) => {
                let name = match call.callee.get_inner_expression() {
                    Expression::Identifier(name) => name.name.into_string(),
                    other => self.calls(other, depth + 1)?,
                };
                let is_literal = name.ends_with("literal");
                let given = call.arguments.iter().filter_map(|argument| argument.as_expression());
                let told = given.filter_map(|one| match one.get_inner_expression() {
                    Expression::CallExpression(_) => self.calls(one, depth + 1),
                    Expression::ArrayExpression(list) => {
                        let each = list.elements.iter().filter_map(|element| {
                            let element = element.as_expression()?;
                            self.literal_value(element).or_else(|| self.calls(element, depth + 1))
                        });
                        Some(format!("[{}]", each.collect::<Vec<_>>().join(", ")))
                    }
                    other if is_literal => self.literal_value(other),
                    _ => None,
                });
                Some(format!("{name}({})", told.collect::<Vec<_>>().join(", ")))
            }
            _ => None,
        }
    }
}
