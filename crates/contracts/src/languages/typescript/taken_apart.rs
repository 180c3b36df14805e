//! What a name is that a pattern takes out of a value: `export const { a, b: [c] } = make()`.

use std::borrow::Cow;

use oxc_ast::ast::{ArrayExpressionElement, BindingPattern, Expression, PropertyKind, VariableDeclarator};

use super::print::{INFERRED, Print, quoted};
use super::value::query;
use crate::brackets::split;

/// The way from a value to something in it.
struct Way<'x> {
    steps: Vec<Step<'x>>,
    /// Whether something else stands in for what is not there.
    has_default: bool,
}

enum Step<'x> {
    Key(Cow<'x, str>),
    At(usize),
}

impl Print<'_, '_> {
    /// The type of one of the names of a declaration, as far as it is written.
    pub(super) fn taken_apart(self, declarator: &VariableDeclarator<'_>, name: &str) -> Option<String> {
        let way = way(&declarator.id, name);
        if let Some(said) = &declarator.type_annotation {
            let whole = self.annotation(said);
            // What is left over is of the type of the whole.
            let Some(way) = way else { return Some(whole) };
            let part = [in_parentheses(&whole), way.text()].concat();
            return Some(if way.has_default { format!("Exclude<{part}, undefined>") } else { part });
        }
        let way = way.filter(|way| !way.has_default)?;
        match declarator.init.as_ref()?.without_parentheses() {
            Expression::Identifier(of) => {
                self.source.origins.declared(&of.name)?;
                Some(query(&of.name)? + &way.text())
            }
            made @ (Expression::CallExpression(_) | Expression::AwaitExpression(_)) => {
                let whole = Some(self.value_type(made)).filter(|text| !text.starts_with(INFERRED))?;
                Some(in_parentheses(&whole) + &way.text())
            }
            written => self.value_at(written, &way.steps),
        }
    }

    /// Of a value that is written in place.
    fn value_at(self, value: &Expression<'_>, steps: &[Step<'_>]) -> Option<String> {
        let Some((first, rest)) = steps.split_first() else {
            return Some(self.value_type(value)).filter(|text| !text.starts_with(INFERRED));
        };
        match (first, value) {
            (Step::Key(key), Expression::ObjectExpression(object)) => {
                // What is spread in behind it may be another.
                let mut each = object.properties.iter().rev().map_while(|one| one.as_property());
                let found = each.find(|one| one.key.static_name().is_some_and(|name| name == *key))?;
                if found.method || found.kind != PropertyKind::Init {
                    return None;
                }
                self.value_at(&found.value, rest)
            }
            (Step::At(at), Expression::ArrayExpression(list)) => {
                let before = list.elements.get(..=*at)?;
                if before.iter().any(ArrayExpressionElement::is_spread) {
                    return None;
                }
                self.value_at(before.last()?.as_expression()?, rest)
            }
            _ => None,
        }
    }
}

impl Way<'_> {
    fn text(&self) -> String {
        let step = |step: &Step<'_>| match step {
            Step::Key(key) => format!("[{}]", quoted(key)),
            Step::At(at) => format!("[{at}]"),
        };
        self.steps.iter().map(step).collect()
    }
}

/// `None` for what is left over of something, and for what stands under a key that is computed.
fn way<'x>(pattern: &'x BindingPattern<'_>, name: &str) -> Option<Way<'x>> {
    let before = |step: Step<'x>, inner: &'x BindingPattern<'_>| {
        let mut way = way(inner, name)?;
        way.steps.insert(0, step);
        Some(way)
    };
    match pattern {
        BindingPattern::BindingIdentifier(own) => {
            (own.name == name).then(|| Way { steps: Vec::new(), has_default: false })
        }
        BindingPattern::AssignmentPattern(assigned) => {
            way(&assigned.left, name).map(|way| Way { has_default: true, ..way })
        }
        BindingPattern::ObjectPattern(object) => {
            object.properties.iter().find_map(|one| before(Step::Key(one.key.static_name()?), &one.value))
        }
        BindingPattern::ArrayPattern(list) => {
            let mut each = list.elements.iter().enumerate();
            each.find_map(|(at, one)| before(Step::At(at), one.as_ref()?))
        }
    }
}

/// A type of which a part is taken.
fn in_parentheses(whole: &str) -> String {
    if split(whole, &[' ']).len() > 1 { format!("({whole})") } else { whole.to_owned() }
}
