//! Texts that constants of a file hold, by the names that lead to them: `PREFIX`, `ROUTES.users.list`, `Role.Admin`.

use std::collections::BTreeMap;

use becket_base::divided;
use oxc_ast::ast::{
    ArrayExpressionElement, BindingPattern, Class, ClassElement, Declaration, ExportDefaultDeclarationKind,
    Expression, ObjectExpression, Program, PropertyDefinition, PropertyKey, Statement, TSEnumDeclaration,
    TSEnumMemberName, TemplateLiteral, VariableDeclarator,
};
use oxc_syntax::operator::BinaryOperator;

use super::super::body::{given_to, held, text_of};
use super::super::modules::{DEFAULT, declared};
use super::super::origins::root;
use super::super::print::Print;
use super::nest::option;
use crate::model::{Export, ExportOrigin, Route};

/// Objects in objects.
const DEEPEST: usize = 6;
/// A file with more is data.
const MOST: usize = 1_000;
/// Longer texts are no part of a path.
const LONGEST: usize = 200;

/// What the constants of a file hold. A name of another file in it is in `${}`, as in a path.
#[derive(Default)]
pub(super) struct Constants {
    texts: BTreeMap<String, String>,
    lists: BTreeMap<String, Vec<String>>,
    /// Other names for what another file has, whatever that is.
    others: BTreeMap<String, String>,
    /// Whether every object and list counts, not only one that is called as those are that hold paths.
    all: bool,
}

/// `ROUTES`, `Role`, `apiPaths`.
fn may_hold_paths(name: &str) -> bool {
    const WORDS: [&str; 9] =
        ["route", "path", "url", "endpoint", "prefix", "version", "api", "controller", "module"];
    let small = name.to_ascii_lowercase();
    name == DEFAULT || name.starts_with(char::is_uppercase) || WORDS.iter().any(|word| small.contains(word))
}

impl Constants {
    /// `all` where the file itself has routes: what other files name their routes by is told by its name, and most objects and
    /// lists of a project hold something else.
    pub(super) fn of(program: &Program<'_>, all: bool) -> Self {
        let mut constants = Self { all, ..Self::default() };
        for declaration in declared(program) {
            match declaration {
                Declaration::VariableDeclaration(variables) if variables.kind.is_const() => {
                    for one in &variables.declarations {
                        if let (BindingPattern::BindingIdentifier(name), Some(init)) = (&one.id, &one.init) {
                            constants.add(&mut name.name.to_string(), init, 0);
                        }
                    }
                }
                Declaration::TSEnumDeclaration(declared) => constants.enumeration(declared),
                Declaration::ClassDeclaration(class) => constants.class(class),
                _ => {}
            }
        }
        for statement in &program.body {
            let Statement::ExportDefaultDeclaration(export) = statement else { continue };
            match &export.declaration {
                ExportDefaultDeclarationKind::ClassDeclaration(class) => constants.class(class),
                other => {
                    if let Some(value) = other.as_expression() {
                        constants.add(&mut DEFAULT.to_owned(), value, 0);
                    }
                }
            }
        }
        constants
    }

    /// What other files can see of them; of a list each element, by the name of the list with brackets.
    pub(super) fn exported(self, exports: &[Export]) -> Vec<(String, String)> {
        let is_exported = |name: &str| {
            let name = divided::before_first(name, b'.');
            exports.iter().any(|one| matches!(&one.origin, ExportOrigin::Local(local) if local == name))
        };
        let lists = self.lists.into_iter().filter(|(name, _)| is_exported(name)).flat_map(|(name, all)| {
            let name = format!("{name}{}", Route::EACH);
            all.into_iter().map(move |text| (name.clone(), text))
        });
        let texts = self.texts.into_iter().chain(self.others).filter(|(name, _)| is_exported(name));
        let can_be = |text: &str| text.len() <= LONGEST && !text.contains(char::is_whitespace);
        texts.chain(lists).filter(|(_, text)| can_be(text)).collect()
    }

    fn add(&mut self, name: &mut String, value: &Expression<'_>, depth: usize) {
        if self.texts.len() + self.others.len() >= MOST {
            return;
        }
        if let Some(route) = described(value) {
            for what in ["method", "path"] {
                let text = option(route, what).and_then(|text| self.part(text));
                if let Some(text) = text {
                    self.texts.insert(format!("{name}.{what}"), text);
                }
            }
            return;
        }
        match held(value) {
            Expression::ObjectExpression(_) | Expression::ArrayExpression(_)
                if depth == 0 && !self.all && !may_hold_paths(name) => {}
            Expression::ObjectExpression(object) if depth < DEEPEST => {
                let length = name.len();
                for property in object.properties.iter().filter_map(|property| property.as_property()) {
                    if let Some(key) = property.key.static_name() {
                        name.push('.');
                        name.push_str(&key);
                        self.add(name, &property.value, depth + 1);
                        name.truncate(length);
                    }
                }
            }
            Expression::ArrayExpression(list) => {
                let part = |one: &ArrayExpressionElement<'_>| {
                    one.as_expression().and_then(|one| self.part(one)).filter(|text| !text.is_empty())
                };
                if let Some(all) = list.elements.iter().take(MOST).map(part).collect() {
                    self.lists.insert(name.clone(), all);
                }
            }
            list if values_of(list).is_some() => {
                let all = self.list(list).unwrap_or_default();
                self.lists.insert(name.clone(), all);
            }
            other => match (dotted(other), self.part(other)) {
                (Some(known), _) if self.lists.contains_key(&known) => {
                    let all = self.lists[&known].clone();
                    self.lists.insert(name.clone(), all);
                }
                (Some(known), Some(text)) if !self.texts.contains_key(&known) => {
                    self.others.insert(name.clone(), text);
                }
                (_, Some(text)) => {
                    self.texts.insert(name.clone(), text);
                }
                (_, None) => {}
            },
        }
    }

    fn enumeration(&mut self, declared: &TSEnumDeclaration<'_>) {
        for member in &declared.body.members {
            let name = match &member.id {
                TSEnumMemberName::Identifier(name) => name.name.as_str(),
                TSEnumMemberName::String(text) | TSEnumMemberName::ComputedString(text) => {
                    text.value.as_str()
                }
                TSEnumMemberName::ComputedTemplateString(_) => continue,
            };
            if let Some(value) = &member.initializer {
                self.add(&mut format!("{}.{name}", declared.id.name), value, DEEPEST);
            }
        }
    }

    fn class(&mut self, class: &Class<'_>) {
        let name = class.id.as_ref().map_or(DEFAULT, |id| id.name.as_str());
        for (field, value, property) in fields(class) {
            if property.r#static {
                self.add(&mut format!("{name}.{field}"), value, DEEPEST);
            }
        }
    }

    /// A text, or what one is put together of.
    fn part(&self, value: &Expression<'_>) -> Option<String> {
        match value.get_inner_expression() {
            Expression::TemplateLiteral(template) => joined(template, |part| self.part(part)),
            Expression::BinaryExpression(sum) if sum.operator == BinaryOperator::Addition => {
                Some(self.part(&sum.left)? + &self.part(&sum.right)?)
            }
            Expression::StringLiteral(text) => Some(text.value.into_string()),
            other => {
                let name = dotted(other)?;
                Some(self.texts.get(&name).cloned().unwrap_or_else(|| format!("${{{name}}}")))
            }
        }
    }

    /// A list that is written in place or is a constant, and the values of an object: `Object.values(VERSIONS)`.
    pub(super) fn list(&self, value: &Expression<'_>) -> Option<Vec<String>> {
        if let Some(object) = values_of(value) {
            let name = dotted(object)?;
            let within = format!("{name}.");
            let all = self.texts.iter().filter(|(key, _)| key.starts_with(&within));
            let all: Vec<String> = all.map(|(_, text)| text.clone()).collect();
            let unknown = || vec![format!("${{{}{name})}}", Route::VALUES)];
            return Some(if all.is_empty() { unknown() } else { all });
        }
        self.lists.get(&dotted(value)?).cloned()
    }
}

/// A template with the texts of what is put into it.
fn joined(
    template: &TemplateLiteral<'_>,
    text: impl Fn(&Expression<'_>) -> Option<String>,
) -> Option<String> {
    let mut whole = String::new();
    for (at, quasi) in template.quasis.iter().enumerate() {
        whole.push_str(quasi.value.cooked.as_ref()?);
        if let Some(part) = template.expressions.get(at) {
            whole.push_str(&text(part)?);
        }
    }
    Some(whole)
}

/// The texts of a file as a place in it sees them.
pub(super) struct Texts<'k, 'a> {
    pub(super) constants: &'k Constants,
    /// Fields of the class around that are texts: `path` for `this.path`.
    pub(super) fields: BTreeMap<String, String>,
    /// Names that functions give a meaning of their own, around what is looked at, the innermost last; with the text of one
    /// that is a constant there.
    pub(super) hidden: Vec<(&'a str, Option<String>)>,
    /// Whether what is declared here stays as it is.
    pub(super) of_constants: bool,
    /// What the names of loops stand for, around what is looked at.
    pub(super) each: Vec<(&'a str, String)>,
}

impl<'k, 'a> Texts<'k, 'a> {
    pub(super) fn new(constants: &'k Constants) -> Self {
        Self { constants, fields: BTreeMap::new(), hidden: Vec::new(), of_constants: false, each: Vec::new() }
    }

    pub(super) fn hides(&self, value: &Expression<'_>) -> bool {
        root(value).is_some_and(|name| self.hidden.iter().any(|(hidden, _)| *hidden == name))
    }

    /// What is declared inside of a function.
    pub(super) fn declared(&mut self, declarator: &VariableDeclarator<'a>) {
        let init = declarator.init.as_ref().filter(|_| self.of_constants);
        match declarator.id.get_identifier_name() {
            Some(name) => {
                let text = init.and_then(|init| self.text(init)).filter(|text| text.len() <= LONGEST);
                self.hidden.push((name.as_str(), text));
            }
            None => self.hide(&declarator.id),
        }
    }

    pub(super) fn hide(&mut self, pattern: &BindingPattern<'a>) {
        let names = pattern.get_binding_identifiers();
        self.hidden.extend(names.into_iter().map(|name| (name.name.as_str(), None)));
    }

    /// A text, or a constant of the file that is one, or a template of both.
    pub(super) fn text(&self, expression: &Expression<'_>) -> Option<String> {
        match expression.get_inner_expression() {
            Expression::TemplateLiteral(template) => joined(template, |part| self.text(part)),
            other => text_of(other).or_else(|| self.named(other)),
        }
    }

    fn named(&self, value: &Expression<'_>) -> Option<String> {
        if let Some(field) = field_of_this(value) {
            return self.fields.get(&field).cloned();
        }
        if let Expression::Identifier(name) = value {
            if let Some((_, text)) = self.each.iter().rev().find(|(each, _)| name.name == *each) {
                return Some(text.clone());
            }
            if let Some((_, text)) = self.hidden.iter().rev().find(|(hidden, _)| name.name == *hidden) {
                return text.clone();
            }
        }
        let name = dotted(value).filter(|_| !self.hides(value))?;
        self.constants.texts.get(&name).cloned()
    }

    /// What is known of a path, with the rest as it is written: `/users/${NAME}`.
    pub(super) fn path(&self, print: Print<'_, '_>, expression: &Expression<'_>) -> String {
        if let Some(text) = self.text(expression) {
            return text;
        }
        match expression.get_inner_expression() {
            Expression::TemplateLiteral(template) => {
                let mut whole = String::new();
                for (at, quasi) in template.quasis.iter().enumerate() {
                    whole.push_str(quasi.value.cooked.as_ref().unwrap_or(&quasi.value.raw));
                    if let Some(part) = template.expressions.get(at) {
                        whole.push_str(&self.path(print, part));
                    }
                }
                whole
            }
            Expression::BinaryExpression(sum) if sum.operator == BinaryOperator::Addition => {
                self.path(print, &sum.left) + &self.path(print, &sum.right)
            }
            other => {
                let text = dotted(other).unwrap_or_else(|| print.expression(other));
                format!("${{{}}}", self.marked(other, text))
            }
        }
    }

    /// The text of a value, which says whether its name is one of the file.
    pub(super) fn marked(&self, value: &Expression<'_>, text: String) -> String {
        if self.hides(value) { format!("{}{text}", Route::HIDDEN) } else { text }
    }
}

/// Fields of a class that have a name and a value.
pub(super) fn fields<'x, 'a>(
    class: &'x Class<'a>,
) -> impl Iterator<Item = (String, &'x Expression<'a>, &'x PropertyDefinition<'a>)> {
    class.body.body.iter().filter_map(|element| match element {
        ClassElement::PropertyDefinition(property) => {
            Some((field_name(&property.key)?, property.value.as_ref()?, &**property))
        }
        _ => None,
    })
}

pub(super) fn field_name(key: &PropertyKey<'_>) -> Option<String> {
    match key {
        PropertyKey::PrivateIdentifier(name) => Some(format!("#{}", name.name)),
        other => other.static_name().map(std::borrow::Cow::into_owned),
    }
}

/// The name in `this.name` and in `this.#name`.
pub(super) fn field_of_this(value: &Expression<'_>) -> Option<String> {
    let member = value.get_inner_expression().as_member_expression()?;
    if !matches!(member.object().get_inner_expression(), Expression::ThisExpression(_)) {
        return None;
    }
    match value.get_inner_expression() {
        Expression::PrivateFieldExpression(member) => Some(format!("#{}", member.field.name)),
        _ => member.static_property_name().map(str::to_owned),
    }
}

/// `ROUTES.users.list`, also where a name in it stands in brackets.
pub(super) fn dotted(value: &Expression<'_>) -> Option<String> {
    match value.get_inner_expression() {
        Expression::Identifier(name) => Some(name.name.into_string()),
        other => {
            let member = other.as_member_expression()?;
            let name = member.static_property_name()?;
            Some(format!("{}.{name}", dotted(member.object())?))
        }
    }
}

/// What `createRoute` of `@hono/zod-openapi` is given.
pub(super) fn described<'x, 'a>(value: &'x Expression<'a>) -> Option<&'x ObjectExpression<'a>> {
    let Expression::CallExpression(call) = value.get_inner_expression() else { return None };
    match call.arguments.first()?.as_expression()?.get_inner_expression() {
        Expression::ObjectExpression(options) if call.callee.is_specific_id("createRoute") => Some(options),
        _ => None,
    }
}

/// The object of `Object.values(object)`.
fn values_of<'x, 'a>(value: &'x Expression<'a>) -> Option<&'x Expression<'a>> {
    given_to(value.get_inner_expression(), "values")
}
