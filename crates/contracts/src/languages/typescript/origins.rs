//! Where the names at the top of a file come from. Few files ask: with the first question all of them are read.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use oxc_ast::ast::{
    Argument, BindingPattern, ChainElement, Class, Declaration, Expression, Function,
    ImportDeclarationSpecifier, ModuleExportName, Statement, TSEnumDeclaration, TSModuleReference,
    VariableDeclarator,
};

use super::body::callee_name;
use super::modules::DEFAULT;
use super::print::Print;
use crate::model::{is_react, is_vue};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// Of another module, by its name there: `default`, and `*` for all of it.
    Module { specifier: String, name: String },
    /// A constant made by what another module gives, or an object that is written in place.
    Made,
    /// Any other declaration of the file.
    Own,
}

#[derive(Debug)]
pub(super) struct Origins<'a> {
    body: &'a [Statement<'a>],
    known: OnceCell<Known>,
    /// Where values are declared, by their names: the statement, and which part of it.
    declared: OnceCell<Vec<(usize, usize)>>,
    /// Names that the file has for what frameworks call otherwise.
    renamed: OnceCell<Vec<(usize, usize)>>,
}

/// What a file declares at its top.
#[derive(Debug, Clone, Copy)]
pub(super) enum Top<'a> {
    Function(&'a Function<'a>),
    Constant(&'a VariableDeclarator<'a>),
    Class(&'a Class<'a>),
    /// What is declared several times, or stands for one value after the other.
    Other,
}

type Known = BTreeMap<String, Origin>;

impl<'a> Origins<'a> {
    pub(super) fn new(body: &'a [Statement<'a>]) -> Self {
        Self { body, known: OnceCell::new(), declared: OnceCell::new(), renamed: OnceCell::new() }
    }

    /// A value of the file itself; nothing that is imported.
    pub(super) fn declared(&self, name: &str) -> Option<Top<'a>> {
        let named = |at: &(usize, usize)| self.value_at(*at).map_or("", |(name, _)| name);
        let declared = self.declared.get_or_init(|| {
            let places = self.body.iter().enumerate().flat_map(|(at, statement)| {
                let parts = match declaration(statement) {
                    Some(Declaration::VariableDeclaration(variables)) => variables.declarations.len(),
                    Some(_) => 1,
                    None => 0,
                };
                (0..parts).map(move |part| (at, part))
            });
            let mut places: Vec<_> = places.filter(|at| self.value_at(*at).is_some()).collect();
            places.sort_by_key(named);
            places
        });
        let first = declared.partition_point(|at| named(at) < name);
        let (own, top) = self.value_at(*declared.get(first)?)?;
        let again = declared.get(first + 1).is_some_and(|at| named(at) == name);
        (own == name).then_some(if again { Top::Other } else { top })
    }

    fn value_at(&self, (at, part): (usize, usize)) -> Option<(&'a str, Top<'a>)> {
        match declaration(self.body.get(at)?)? {
            Declaration::FunctionDeclaration(function) => {
                Some((function.id.as_ref()?.name.as_str(), Top::Function(function)))
            }
            Declaration::ClassDeclaration(class) => {
                Some((class.id.as_ref()?.name.as_str(), Top::Class(class)))
            }
            Declaration::VariableDeclaration(variables) => {
                let one = variables.declarations.get(part)?;
                let BindingPattern::BindingIdentifier(id) = &one.id else { return None };
                let top = if variables.kind.is_const() { Top::Constant(one) } else { Top::Other };
                Some((id.name.as_str(), top))
            }
            _ => None,
        }
    }

    /// What a framework calls what is imported under another name: `forwardRef` for `fr` of `{ forwardRef as fr }`.
    pub(super) fn renamed(&self, name: &str) -> Option<&'a str> {
        let renamed = self.renamed.get_or_init(|| {
            let parts = |at: usize| imported(self.body, at).into_iter().flatten().enumerate();
            let each = (0..self.body.len()).flat_map(|at| parts(at).map(move |(part, one)| (at, part, one)));
            each.filter_map(|(at, part, one)| renaming(one).map(|_| (at, part))).collect()
        });
        let mut pairs =
            renamed.iter().filter_map(|(at, part)| renaming(imported(self.body, *at)?.get(*part)?));
        pairs.find(|(local, _)| *local == name).map(|(_, imported)| imported)
    }

    /// An enum of the file.
    pub(super) fn enumeration(&self, name: &str) -> Option<&'a TSEnumDeclaration<'a>> {
        self.body.iter().find_map(|statement| match declaration(statement)? {
            Declaration::TSEnumDeclaration(one) if one.id.name == name => Some(&**one),
            _ => None,
        })
    }

    /// `None` for a name that stands for something inside of a function, or is everybody's.
    pub(super) fn of(&self, name: &str) -> Option<&Origin> {
        let known = self.known.get_or_init(|| {
            let mut known = Known::new();
            for statement in self.body {
                read(statement, &mut known);
            }
            known
        });
        known.get(name)
    }
}

/// The last name of what is called, as the framework has it that it is imported from.
pub(super) fn known_as<'n>(print: Print<'n, '_>, callee: &'n Expression<'_>) -> Option<&'n str> {
    let name = callee_name(callee)?;
    let is_name = || callee.get_inner_expression().is_identifier_reference();
    let renamed = print.source.origins.renamed(name).filter(|_| is_name());
    Some(renamed.unwrap_or(name))
}

/// What a statement imports of a framework.
fn imported<'x, 'a>(body: &'x [Statement<'a>], at: usize) -> Option<&'x [ImportDeclarationSpecifier<'a>]> {
    let Statement::ImportDeclaration(import) = body.get(at)? else { return None };
    let specifier = import.source.value.as_str();
    let is_framework = is_react(specifier) || is_vue(specifier) || specifier.starts_with("@nestjs/");
    import.specifiers.as_ref().filter(|_| is_framework).map(|specifiers| specifiers.as_slice())
}

/// The name that an import gives to what is called otherwise there, and that.
fn renaming<'a>(one: &ImportDeclarationSpecifier<'a>) -> Option<(&'a str, &'a str)> {
    let ImportDeclarationSpecifier::ImportSpecifier(named) = one else { return None };
    let ModuleExportName::IdentifierName(imported) = &named.imported else { return None };
    let (local, imported) = (named.local.name.as_str(), imported.name.as_str());
    (local != imported).then_some((local, imported))
}

fn declaration<'x, 'a>(statement: &'x Statement<'a>) -> Option<&'x Declaration<'a>> {
    match statement {
        Statement::ExportDeclaration(export) => Some(&export.declaration),
        other => other.as_declaration(),
    }
}

fn read(statement: &Statement<'_>, known: &mut Known) {
    let declaration = match statement {
        Statement::ImportDeclaration(import) => {
            for one in import.specifiers.iter().flatten() {
                let name = match one {
                    ImportDeclarationSpecifier::ImportSpecifier(named) => named.imported.name().into_string(),
                    ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => DEFAULT.to_owned(),
                    ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => "*".to_owned(),
                };
                let specifier = import.source.value.into_string();
                known.insert(one.local().name.into_string(), Origin::Module { specifier, name });
            }
            return;
        }
        other => declaration(other),
    };
    match declaration {
        Some(Declaration::VariableDeclaration(variables)) => {
            for one in &variables.declarations {
                constant(one, known);
            }
        }
        Some(Declaration::TSImportEqualsDeclaration(import)) => {
            if let TSModuleReference::ExternalModuleReference(module) = &import.module_reference {
                let origin = whole(&module.expression.value);
                known.insert(import.id.name.into_string(), origin);
            }
        }
        // A type is no value, and may have the name of one that is imported.
        Some(Declaration::TSInterfaceDeclaration(_) | Declaration::TSTypeAliasDeclaration(_)) | None => {}
        Some(other) => known.extend(other.id().map(|id| (id.name.into_string(), Origin::Own))),
    }
}

fn constant(declarator: &VariableDeclarator<'_>, known: &mut Known) {
    let Some(origin) = declarator.init.as_ref().and_then(|init| value(init, known)) else { return };
    match &declarator.id {
        BindingPattern::BindingIdentifier(name) => {
            known.insert(name.name.into_string(), origin);
        }
        // `const { Component } = React`
        BindingPattern::ObjectPattern(object) => {
            for property in &object.properties {
                let Some(local) = property.value.get_identifier_name() else { continue };
                let key = property.key.static_name();
                let part = key.map_or(Origin::Made, |key| member(&origin, &key));
                known.insert(local.into_string(), part);
            }
        }
        _ => {}
    }
}

fn value(init: &Expression<'_>, known: &Known) -> Option<Origin> {
    let named = |name: &str| known.get(name).filter(|origin| **origin != Origin::Own);
    match init.get_inner_expression() {
        Expression::ObjectExpression(_) => Some(Origin::Made),
        Expression::Identifier(name) => named(&name.name).cloned(),
        Expression::CallExpression(call) if call.callee.is_specific_id("require") => {
            match call.arguments.first()? {
                Argument::StringLiteral(text) => Some(whole(&text.value)),
                _ => None,
            }
        }
        Expression::StaticMemberExpression(one) => match one.object.get_inner_expression() {
            Expression::Identifier(object) => {
                named(&object.name).map(|object| member(object, &one.property.name))
            }
            object => root(object).and_then(named).map(|_| Origin::Made),
        },
        other => root(other).and_then(named).map(|_| Origin::Made),
    }
}

fn whole(specifier: &str) -> Origin {
    Origin::Module { specifier: specifier.to_owned(), name: "*".to_owned() }
}

/// What a member of a whole module is called there.
fn member(of: &Origin, key: &str) -> Origin {
    match of {
        Origin::Module { specifier, name } if matches!(name.as_str(), "*" | DEFAULT) => {
            Origin::Module { specifier: specifier.clone(), name: key.to_owned() }
        }
        _ => Origin::Made,
    }
}

/// The name that an expression begins with: `api` of `api.posts.list()` and of `new api.Store()`.
pub(super) fn root<'x>(value: &'x Expression<'_>) -> Option<&'x str> {
    match value.get_inner_expression() {
        Expression::Identifier(name) => Some(name.name.as_str()),
        Expression::StaticMemberExpression(member) => root(&member.object),
        Expression::ComputedMemberExpression(member) => root(&member.object),
        Expression::CallExpression(call) => root(&call.callee),
        Expression::NewExpression(new) => root(&new.callee),
        Expression::ChainExpression(chain) => match &chain.expression {
            ChainElement::CallExpression(call) => root(&call.callee),
            ChainElement::StaticMemberExpression(member) => root(&member.object),
            _ => None,
        },
        _ => None,
    }
}
