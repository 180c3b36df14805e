//! What a name stands for inside of a function: one of its own, or of those around it.

use std::cell::Cell;

use oxc_ast::ast::{
    BindingPattern, CallExpression, Declaration, Expression, ForStatementInit, ForStatementLeft, Function,
    Statement, TSTypeName, TSTypeQueryExprName, VariableDeclaration, VariableDeclarator,
};

use super::body::callee_name;
use super::component::Callable;
use super::modules;
use super::print::{INFERRED, Print};

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

/// The names that functions around a place declare: nobody else knows them, and whoever renames one changes nothing.
#[derive(Clone, Copy)]
pub(super) struct Locals<'s> {
    pub(super) declares: &'s dyn Fn(&str, Meant) -> bool,
    pub(super) outer: Option<&'s Locals<'s>>,
}

/// A name may stand for a type and for a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meant {
    Type,
    Value,
}

impl Locals<'_> {
    fn have(&self, name: &str, meant: Meant) -> bool {
        (self.declares)(name, meant) || self.outer.is_some_and(|outer| outer.have(name, meant))
    }
}

impl Print<'_, '_> {
    pub(super) fn is_local_value(self, name: &str) -> bool {
        self.locals.is_some_and(|locals| locals.have(name, Meant::Value))
    }

    pub(super) fn is_local_type(self, name: &TSTypeName<'_>) -> bool {
        let Some(locals) = self.locals else { return false };
        match name {
            TSTypeName::IdentifierReference(name) => locals.have(&name.name, Meant::Type),
            TSTypeName::QualifiedName(qualified) => self.is_local_type(&qualified.left),
            TSTypeName::ThisExpression(_) => false,
        }
    }

    pub(super) fn is_local_query(self, name: &TSTypeQueryExprName<'_>) -> bool {
        fn first<'x>(name: &'x TSTypeName<'_>) -> Option<&'x str> {
            match name {
                TSTypeName::IdentifierReference(name) => Some(&name.name),
                TSTypeName::QualifiedName(qualified) => first(&qualified.left),
                TSTypeName::ThisExpression(_) => None,
            }
        }
        let name = match name {
            TSTypeQueryExprName::IdentifierReference(name) => Some(name.name.as_str()),
            TSTypeQueryExprName::QualifiedName(name) => first(&name.left),
            _ => None,
        };
        name.is_some_and(|name| self.is_local_value(name))
    }

    /// A printed expression, unless one of the words in it is such a name.
    pub(super) fn without_locals(self, text: String) -> String {
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
        let has_local = || text.split(|letter| !is_part(letter)).any(|word| self.is_local_value(word));
        if self.locals.is_some() && has_local() { INFERRED.to_owned() } else { text }
    }
}

/// Whether a function declares a name, as a parameter or anywhere in its body outside of other functions.
pub(super) fn declares(callable: Callable<'_, '_>, name: &str, meant: Meant) -> bool {
    let parameters = callable.parameters();
    let rest = parameters.rest.iter().map(|rest| &rest.rest.argument);
    let mut patterns = parameters.items.iter().map(|item| &item.pattern).chain(rest);
    meant == Meant::Value && patterns.any(|pattern| binds(pattern, name))
        || callable.statements().iter().any(|statement| declares_in(statement, name, meant))
}

fn binds(pattern: &BindingPattern<'_>, name: &str) -> bool {
    pattern.get_binding_identifiers().iter().any(|own| own.name == name)
}

fn declares_in(statement: &Statement<'_>, name: &str, meant: Meant) -> bool {
    let is_value = meant == Meant::Value;
    let all = |statements: &[Statement<'_>]| statements.iter().any(|one| declares_in(one, name, meant));
    let within = |statement: &Statement<'_>| declares_in(statement, name, meant);
    let variables =
        |all: &VariableDeclaration<'_>| is_value && all.declarations.iter().any(|one| binds(&one.id, name));
    let of_loop = |left: &ForStatementLeft<'_>| match left {
        ForStatementLeft::VariableDeclaration(all) => variables(all),
        _ => false,
    };
    match statement {
        Statement::BlockStatement(block) => all(&block.body),
        Statement::IfStatement(one) => within(&one.consequent) || one.alternate.as_ref().is_some_and(within),
        Statement::ForStatement(one) => {
            matches!(&one.init, Some(ForStatementInit::VariableDeclaration(all)) if variables(all))
                || within(&one.body)
        }
        Statement::ForInStatement(one) => of_loop(&one.left) || within(&one.body),
        Statement::ForOfStatement(one) => of_loop(&one.left) || within(&one.body),
        Statement::WhileStatement(one) => within(&one.body),
        Statement::DoWhileStatement(one) => within(&one.body),
        Statement::LabeledStatement(one) => within(&one.body),
        Statement::SwitchStatement(one) => one.cases.iter().any(|case| all(&case.consequent)),
        Statement::TryStatement(one) => {
            let caught = one.handler.as_ref().is_some_and(|handler| {
                let given = handler.param.as_ref().is_some_and(|param| binds(&param.pattern, name));
                is_value && given || all(&handler.body.body)
            });
            caught || all(&one.block.body) || one.finalizer.as_ref().is_some_and(|last| all(&last.body))
        }
        other => match other.as_declaration() {
            Some(Declaration::VariableDeclaration(all)) => variables(all),
            Some(Declaration::FunctionDeclaration(function)) => {
                is_value && function.name().is_some_and(|own| own == name)
            }
            Some(Declaration::TSInterfaceDeclaration(one)) => !is_value && one.id.name == name,
            Some(Declaration::TSTypeAliasDeclaration(one)) => !is_value && one.id.name == name,
            // A class and an enum are both.
            Some(other) => other.id().is_some_and(|id| id.name == name),
            None => false,
        },
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
