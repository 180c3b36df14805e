//! Values that calls of another module make, known by those calls: the fields of a schema, the columns of a table.

use oxc_ast::ast::Expression;

use super::component;
use super::modules::DEFAULT;
use super::origins::{Origin, root};
use super::print::{INFERRED, Print};
use super::value::{LONGEST_LITERAL, LONGEST_RETURN, digest, query};

/// Calls in calls.
const DEEPEST: usize = 12;

impl Print<'_, '_> {
    /// The calls of another module that make a value, `string().optional()` for `z.string().optional()`, with what of their
    /// arguments says of which type it is.
    pub(super) fn made_by(self, value: &Expression<'_>) -> Option<String> {
        let made = self.is_made_of_another(value).then(|| self.calls(value, 0))??;
        (made.len() <= LONGEST_LITERAL).then_some(made)
    }

    /// The same of a value that has nothing else to be known by: of what is long, its calls are named.
    pub(super) fn made_whole(self, value: &Expression<'_>) -> Option<String> {
        let made = self.is_made_of_another(value).then(|| self.calls(value, 0))??;
        if made.len() <= LONGEST_RETURN {
            return Some(made);
        }
        let name = made.split('(').next().filter(|name| name.len() <= LONGEST_LITERAL)?;
        Some(format!("{name}() {}.1", digest(&made)))
    }

    /// What a field is that calls of another module make, as a constant would be known by them.
    pub(super) fn made_field(self, value: &Expression<'_>) -> Option<String> {
        let is_call = matches!(value, Expression::CallExpression(_));
        let keys = self.keyed(value).filter(|_| is_call && self.is_made_of_another(value))?;
        Some(format!("{INFERRED} {keys}"))
    }

    /// The same of a member of an object and of an element of a list, of which there are many.
    pub(super) fn made_member(self, value: &Expression<'_>) -> Option<String> {
        let text = self.made_field(value)?;
        if text.len() <= LONGEST_LITERAL {
            return Some(text);
        }
        let name = text.split('(').next().filter(|name| name.len() <= LONGEST_LITERAL)?;
        Some(format!("{name}() {}", digest(&text)))
    }

    /// Whether calls of another module make a value.
    pub(super) fn is_made_elsewhere(self, value: &Expression<'_>) -> bool {
        let is_call = matches!(value.get_inner_expression(), Expression::CallExpression(_));
        let from = root(value).filter(|name| is_call && !self.is_local_value(name));
        let from = from.and_then(|name| self.source.origins.of(name));
        matches!(from, Some(Origin::Module { .. }))
    }

    /// The same, or whether a value of the file goes on in it that was made so: `User.partial()`.
    fn is_made_of_another(self, value: &Expression<'_>) -> bool {
        let is_made = |name: &str| matches!(self.source.origins.of(name), Some(Origin::Made));
        self.is_made_elsewhere(value)
            || root(value).is_some_and(is_made) && self.goes_on_from(value).is_some()
    }

    /// `typeof user` of `user.partial`, where that is a value of the project: what a package is called is a way to import, also
    /// where a file of the project gives it again, `z`.
    fn base(self, callee: &Expression<'_>) -> Option<String> {
        let Expression::StaticMemberExpression(member) = callee else { return None };
        let Expression::Identifier(name) = member.object.get_inner_expression() else { return None };
        let is_own = match self.source.origins.of(&name.name)? {
            Origin::Module { specifier, .. } => {
                is_file(specifier) && (name.name.len() > 2 || component::is_component_name(&name.name))
            }
            Origin::Made => true,
            Origin::Own => false,
        };
        self.named(&member.object).filter(|_| is_own)
    }

    /// `typeof Base` of `Base.extend({ … })`, where that is a value of the file.
    pub(super) fn goes_on_from(self, value: &Expression<'_>) -> Option<String> {
        let Expression::CallExpression(call) = value.get_inner_expression() else { return None };
        let Expression::StaticMemberExpression(member) = call.callee.get_inner_expression() else {
            return None;
        };
        self.named(&member.object).or_else(|| self.goes_on_from(&member.object))
    }

    /// What a name at the top of the file stands for.
    pub(super) fn named(self, value: &Expression<'_>) -> Option<String> {
        let Expression::Identifier(name) = value.get_inner_expression() else { return None };
        let origins = &self.source.origins;
        let is_known = || origins.of(&name.name).is_some() || origins.declared(&name.name).is_some();
        query(&name.name).filter(|_| !self.is_local_value(&name.name) && is_known())
    }

    /// Its name in its module, where that is a function with more of them: `input` of `input.required()`. What all of a
    /// package is called, `z`, is a way to import; so are names of types that hold what there is.
    fn maker(self, name: &str) -> Option<String> {
        match self.source.origins.of(name)? {
            Origin::Module { specifier, name } if !is_file(specifier) => {
                let is_function = name.len() > 2 && name.starts_with(|first: char| first.is_lowercase());
                (is_function && name != DEFAULT).then(|| name.clone())
            }
            _ => None,
        }
    }

    /// What a call is known by that types are told, as it is called here: `input.required`. Of what is named beside types it
    /// is known where it is from.
    pub(super) fn path(self, callee: &Expression<'_>) -> Option<String> {
        let Expression::StaticMemberExpression(member) = callee.get_inner_expression() else { return None };
        let Expression::Identifier(name) = member.object.get_inner_expression() else { return None };
        let is_maker = !self.is_local_value(&name.name) && self.maker(&name.name).is_some();
        is_maker.then(|| format!("{}.{}", name.name, member.property.name))
    }

    /// Without the name that they begin with, where that is a way to import.
    fn calls(self, value: &Expression<'_>, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        match value.get_inner_expression() {
            Expression::Identifier(name) => Some(self.maker(&name.name).unwrap_or_default()),
            Expression::StaticMemberExpression(member) => {
                let of = self.calls(&member.object, depth + 1)?;
                let dot = if of.is_empty() { "" } else { "." };
                Some([&of, dot, &member.property.name].concat())
            }
            Expression::CallExpression(call) => {
                let callee = call.callee.get_inner_expression();
                let name = match callee {
                    Expression::Identifier(name) => {
                        let known = self.source.origins.of(&name.name);
                        match known {
                            Some(Origin::Module { name, .. }) if !matches!(name.as_str(), "*" | DEFAULT) => {
                                name.clone()
                            }
                            _ => name.name.into_string(),
                        }
                    }
                    other => self.calls(other, depth + 1)?,
                };
                let base = self.base(callee);
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
                    Expression::Identifier(_) if base.is_none() => self.named(one),
                    _ => None,
                });
                let told = base.iter().cloned().chain(told).collect::<Vec<_>>();
                Some(format!("{name}({})", told.join(", ")))
            }
            _ => None,
        }
    }
}

fn is_file(specifier: &str) -> bool {
    specifier.starts_with(['.', '/', '~', '#']) || specifier.starts_with("@/")
}

/// What an object becomes by the calls of schemas around it, as a type would say it: `{ … }[]`, `{ … } | undefined`.
pub(super) fn widened(value: &Expression<'_>, object: String) -> String {
    let Expression::CallExpression(call) = value.get_inner_expression() else { return object };
    let (earlier, name) = match call.callee.get_inner_expression() {
        Expression::StaticMemberExpression(member) => (Some(&member.object), member.property.name.as_str()),
        Expression::Identifier(name) => (None, name.name.as_str()),
        _ => return object,
    };
    let is_call = |one: &&Expression<'_>| matches!(one.get_inner_expression(), Expression::CallExpression(_));
    let within = || call.arguments.first().and_then(|one| one.as_expression());
    let object = match earlier.filter(is_call).or_else(within) {
        Some(inner) => widened(inner, object),
        None => object,
    };
    match name {
        "array" if object.contains(" | ") => format!("({object})[]"),
        "array" => object + "[]",
        "optional" => object + " | undefined",
        "nullable" => object + " | null",
        "nullish" => object + " | null | undefined",
        "partial" | "deepPartial" => format!("Partial<{object}>"),
        _ => object,
    }
}
