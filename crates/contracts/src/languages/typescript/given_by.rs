//! What other modules give that a declaration is, holds or gives, where its signature only says that this is inferred:
//! `export const user = load()`. Who uses it meets what becomes of that.

use std::collections::BTreeMap;

use oxc_ast::ast::{
    Class, ClassElement, Declaration as Syntax, ExportDefaultDeclarationKind, Expression, ObjectPropertyKind,
    Program, Statement,
};

use super::component::Callable;
use super::modules::{self, DEFAULT};
use super::origins::root;
use super::print::INFERRED;
use super::returned::returns;
use crate::model::{Declaration, Import};

/// Values in values.
const DEEPEST: usize = 4;

/// Tells of the declarations that are exported.
pub(super) fn add(program: &Program<'_>, imports: &[Import], declarations: &mut [Declaration]) {
    let is_open =
        |one: &Declaration| one.exported && one.signatures.iter().any(|text| text.contains(INFERRED));
    if imports.iter().all(|import| import.names.is_empty()) || !declarations.iter().any(is_open) {
        return;
    }
    let mut put = |name: &str, found: &Found<'_>| {
        let named = declarations.iter_mut().filter(|one| one.name == name && is_open(one));
        for one in named {
            one.given_by = found.imported(imports);
        }
    };
    for statement in &program.body {
        let mut found = Found::default();
        let declaration = match statement {
            Statement::ExportDeclaration(export) => Some(&export.declaration),
            Statement::ExportDefaultDeclaration(export) => {
                let own = match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        found.callable(Callable::Function(function), 0);
                        function.id.as_ref().map(|id| id.name.as_str())
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        found.class(class, 0);
                        class.id.as_ref().map(|id| id.name.as_str())
                    }
                    other => {
                        found.value(other.as_expression(), 0);
                        None
                    }
                };
                put(own.unwrap_or(DEFAULT), &found);
                None
            }
            other => other.as_declaration(),
        };
        match declaration {
            Some(Syntax::VariableDeclaration(variables)) => {
                for one in variables.declarations.iter().filter(|one| one.type_annotation.is_none()) {
                    let mut found = Found::default();
                    found.value(one.init.as_ref(), 0);
                    let mut names = Vec::new();
                    modules::bound_names(&one.id, &mut names);
                    for name in &names {
                        put(name, &found);
                    }
                }
            }
            Some(Syntax::FunctionDeclaration(function)) => {
                found.callable(Callable::Function(function), 0);
                function.id.iter().for_each(|id| put(&id.name, &found));
            }
            Some(Syntax::ClassDeclaration(class)) => {
                found.class(class, 0);
                class.id.iter().for_each(|id| put(&id.name, &found));
            }
            _ => {}
        }
    }
}

/// The names that values begin with.
#[derive(Default)]
struct Found<'x>(Vec<&'x str>);

impl<'x> Found<'x> {
    fn imported(&self, imports: &[Import]) -> Vec<String> {
        let is_imported =
            |name: &&&str| imports.iter().flat_map(|import| &import.names).any(|one| one.local == **name);
        let mut names: Vec<String> =
            self.0.iter().filter(is_imported).map(|name| (*name).to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn value(&mut self, value: Option<&'x Expression<'_>>, depth: usize) {
        let Some(value) = value.filter(|_| depth < DEEPEST) else { return };
        match value {
            // What it is said to be is told.
            Expression::TSAsExpression(_) | Expression::TSTypeAssertion(_) => {}
            Expression::AwaitExpression(awaited) => self.value(Some(&awaited.argument), depth),
            Expression::ObjectExpression(object) => {
                for property in &object.properties {
                    match property {
                        ObjectPropertyKind::ObjectProperty(one) => self.value(Some(&one.value), depth + 1),
                        ObjectPropertyKind::SpreadProperty(one) => self.value(Some(&one.argument), depth + 1),
                    }
                }
            }
            Expression::ArrayExpression(list) => {
                for element in &list.elements {
                    self.value(element.as_expression(), depth + 1);
                }
            }
            Expression::ConditionalExpression(one) => {
                self.value(Some(&one.consequent), depth + 1);
                self.value(Some(&one.alternate), depth + 1);
            }
            Expression::LogicalExpression(one) => {
                self.value(Some(&one.left), depth + 1);
                self.value(Some(&one.right), depth + 1);
            }
            Expression::ClassExpression(class) => self.class(class, depth + 1),
            other => match Callable::of(other) {
                Some(callable) => self.callable(callable, depth + 1),
                None => self.0.extend(root(other)),
            },
        }
    }

    fn callable(&mut self, callable: Callable<'x, '_>, depth: usize) {
        if callable.returned().is_some() {
            return;
        }
        let start = self.0.len();
        self.value(callable.expression(), depth);
        let mut returned = Vec::new();
        for statement in callable.statements() {
            returns(statement, &mut returned);
        }
        for value in returned {
            self.value(value, depth);
        }
        self.through_constants(callable.statements(), start);
    }

    /// What constants of a function hold that it gives, in their place: `const { user } = useContext()`.
    fn through_constants(&mut self, statements: &'x [Statement<'_>], start: usize) {
        let declared = statements.iter().filter_map(|statement| match statement {
            Statement::VariableDeclaration(variables) => Some(&variables.declarations),
            _ => None,
        });
        let declared = declared.flatten().filter(|one| one.type_annotation.is_none());
        let mut held: BTreeMap<String, Option<&'x Expression<'_>>> = BTreeMap::new();
        for one in declared {
            let mut names = Vec::new();
            modules::bound_names(&one.id, &mut names);
            held.extend(names.into_iter().map(|name| (name, one.init.as_ref())));
        }
        let mut at = start;
        while let Some(name) = self.0.get(at).copied() {
            // Each once: they may be made of each other.
            match held.remove(name) {
                Some(value) => {
                    self.0.swap_remove(at);
                    self.value(value, 0);
                }
                None => at += 1,
            }
        }
    }

    fn class(&mut self, class: &'x Class<'_>, depth: usize) {
        for element in &class.body.body {
            match element {
                ClassElement::PropertyDefinition(field) if field.type_annotation.is_none() => {
                    self.value(field.value.as_ref(), depth + 1);
                }
                ClassElement::MethodDefinition(method) => {
                    self.callable(Callable::Function(&method.value), depth + 1);
                }
                _ => {}
            }
        }
    }
}
