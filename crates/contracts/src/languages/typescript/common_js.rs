//! What a `CommonJS` module exports: by `exports`, by `module.exports`, and by every other name that it has for them.

use std::cell::OnceCell;

use memchr::memmem;
use oxc_ast::ast::{
    Argument, AssignmentTarget, BindingPattern, BindingProperty, CallExpression, Expression,
    ObjectExpression, ObjectPropertyKind, Program, PropertyKey, PropertyKind, Statement, VariableDeclarator,
};
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::UnaryOperator;

use super::body::{callee_name, text_of};
use super::component::{self, Callable};
use super::handed::Uses;
use super::maker;
use super::modules::{self, DEFAULT};
use crate::model::is_for_react;

pub(super) struct CommonJs<'x, 'a> {
    /// Names for what is exported: `app` of `module.exports = app`, and of `const app = module.exports = {}`.
    names: Vec<&'x str>,
    /// What variables begin with.
    pub(super) values: Vec<Known<'x, 'a>>,
    /// Their places, by name.
    pub(super) places: OnceCell<Vec<usize>>,
    pub(super) program: &'x Program<'a>,
    pub(super) uses: OnceCell<Uses<'a>>,
    /// Where `module.exports` becomes something else than `exports`, which nobody sees then.
    replaced: Option<u32>,
}

/// `const name = value`, `const { member: name } = value`
pub(super) struct Known<'x, 'a> {
    pub(super) name: &'x str,
    pub(super) member: Option<&'x str>,
    pub(super) value: &'x Expression<'a>,
}

/// What a statement exports.
pub(super) enum Exported<'x, 'a> {
    Named(Member<'x, 'a>),
    /// Each of its members.
    Members(&'x ObjectExpression<'a>),
    /// `module.exports = value`, and what the file calls it.
    Whole(&'x Expression<'a>, &'x str),
    /// All that another module exports, and where it is loaded.
    All(String, Span),
    /// `module.exports = require('…')`: that, and what it is as a whole.
    Same(String, Span),
}

/// Something that is exported by a name.
pub(super) struct Member<'x, 'a> {
    pub(super) name: String,
    pub(super) value: Value<'x, 'a>,
    /// What the file calls it, where that is something else.
    pub(super) local: Option<&'x str>,
    pub(super) span: Span,
}

#[derive(Clone, Copy)]
pub(super) enum Value<'x, 'a> {
    Is(&'x Expression<'a>),
    /// What a getter gives.
    Given(Callable<'x, 'a>),
    Unknown,
}

impl Value<'_, '_> {
    pub(super) fn is_room(self) -> bool {
        matches!(self, Self::Is(value) if is_room(value))
    }
}

/// Says that a file was an ES module once, and is no export.
pub(super) const MARK: &str = "__esModule";

/// How far names are followed to what they stand for: a name may stand for itself.
pub(super) const DEEPEST: usize = 4;

impl<'x, 'a> CommonJs<'x, 'a> {
    /// Nothing for a file that says nothing of it.
    pub(super) fn of(program: &'x Program<'a>) -> Option<Self> {
        let may_be = program.source_type.is_javascript()
            && memmem::find(program.source_text.as_bytes(), b"exports").is_some();
        if !may_be {
            return None;
        }
        let (names, values, places) = (Vec::new(), Vec::new(), OnceCell::new());
        let mut found = Self { names, values, places, program, uses: OnceCell::new(), replaced: None };
        for statement in &program.body {
            each(statement, &mut |statement| found.know(statement));
        }
        found.replaced = found.replaced();
        Some(found)
    }

    /// Only what surely happens counts, and a function around the file may call anything `exports`.
    fn replaced(&self) -> Option<u32> {
        let body = &self.program.body;
        let assignments = body.iter().flat_map(values_of).filter(|value| is_assigned_to_exports(value));
        let last = assignments.filter(|value| !self.is_of_exports(assigned(value))).last()?;
        let is_shared = self.values.iter().any(|one| one.name == "exports")
            || body.iter().any(|one| called_at_once(one).is_some() || values_of(one).any(is_shared));
        (!is_shared).then_some(last.span().start)
    }

    /// Whether what is put onto `exports` may be in a value.
    fn is_of_exports(&self, value: &Expression<'_>) -> bool {
        let is_alias = |name: &str| self.values.iter().any(|one| one.name == name && is_exports(one.value));
        let text = value.span().source_text(self.program.source_text);
        memmem::find(text.as_bytes(), b"exports").is_some() || identifier(value).is_some_and(is_alias)
    }

    /// Reads what a statement says of names.
    fn know(&mut self, statement: &'x Statement<'a>) {
        match statement {
            Statement::VariableDeclaration(variables) => {
                for one in &variables.declarations {
                    let Some(init) = &one.init else { continue };
                    let value = assigned(init);
                    if let BindingPattern::ObjectPattern(object) = &one.id {
                        let parts = object.properties.iter().filter_map(part);
                        self.values.extend(parts.map(|(name, member)| Known { name, member, value }));
                    }
                    let Some(name) = name_of(one) else { continue };
                    if is_exports(init) || is_assigned_to_exports(init) {
                        self.names.push(name);
                    }
                    self.values.push(Known { name, member: None, value });
                }
            }
            Statement::ExpressionStatement(statement) if is_assigned_to_exports(&statement.expression) => {
                self.names.extend(identifier(assigned(&statement.expression)));
            }
            _ => {}
        }
    }

    pub(super) fn exports<'y>(&self, statement: &'y Statement<'a>) -> Vec<Exported<'y, 'a>>
    where
        'x: 'y,
    {
        let mut found = Vec::new();
        each(statement, &mut |statement| match statement {
            Statement::ExpressionStatement(statement) => {
                self.expression(&statement.expression, None, &mut found);
            }
            Statement::VariableDeclaration(variables) => {
                for one in &variables.declarations {
                    if let Some(init @ Expression::AssignmentExpression(_)) = &one.init {
                        self.expression(init, name_of(one), &mut found);
                    }
                }
            }
            _ => {}
        });
        found
    }

    /// What is exported by a variable, and its value.
    pub(super) fn variable<'y>(
        &self,
        declarator: &'y VariableDeclarator<'a>,
    ) -> Option<(&'y Expression<'a>, Vec<Exported<'y, 'a>>)>
    where
        'x: 'y,
    {
        let (name, init) = (name_of(declarator)?, declarator.init.as_ref()?);
        let mut found = Vec::new();
        if self.names.contains(&name) {
            self.whole(assigned(init), Some(name), 0, &mut found);
        } else if matches!(init, Expression::AssignmentExpression(_)) {
            self.expression(init, Some(name), &mut found);
        }
        Some((assigned(init), found)).filter(|(_, found)| !found.is_empty())
    }

    /// Whether what is put onto something of this name is exported by that.
    pub(super) fn is_name(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    fn expression<'y>(
        &self,
        expression: &'y Expression<'a>,
        local: Option<&'y str>,
        found: &mut Vec<Exported<'y, 'a>>,
    ) where
        'x: 'y,
    {
        match expression.get_inner_expression() {
            Expression::AssignmentExpression(assignment) => {
                // `exports.a = exports.b = value`
                self.expression(&assignment.right, local, found);
                let Some(target) = assignment.left.as_member_expression() else { return };
                let Some(property) = target.static_property_name() else { return };
                let value = assigned(&assignment.right);
                if target.object().is_specific_id("module") && property == "exports" {
                    self.whole(value, local, 0, found);
                } else if self.takes(target.object(), property) {
                    let (name, value) = (property.to_owned(), Value::Is(value));
                    found.push(Exported::Named(Member { name, value, local, span: assignment.span }));
                }
            }
            // `0 && (module.exports = { … })` tells the names to those who only read.
            Expression::LogicalExpression(logical) => self.expression(&logical.right, None, found),
            Expression::ConditionalExpression(either) => {
                self.expression(&either.consequent, None, found);
                self.expression(&either.alternate, None, found);
            }
            Expression::SequenceExpression(sequence) => {
                sequence.expressions.iter().for_each(|each| self.expression(each, None, found));
            }
            Expression::CallExpression(call) => self.call(call, found),
            _ => {}
        }
    }

    fn call<'y>(&self, call: &'y CallExpression<'a>, found: &mut Vec<Exported<'y, 'a>>)
    where
        'x: 'y,
    {
        let mut arguments = call.arguments.iter().filter_map(Argument::as_expression);
        let (Some(name), Some(first)) = (callee_name(&call.callee), arguments.next()) else { return };
        match name {
            "defineProperty" if self.is_exports(first) => {
                let name = arguments.next().and_then(text_of).filter(|name| name != MARK);
                let value = arguments.next().map_or(Value::Unknown, described);
                let named = |name| Exported::Named(Member { name, value, local: None, span: call.span });
                found.extend(name.map(named));
            }
            "defineProperties" if self.is_exports(first) => {
                if let Some(Expression::ObjectExpression(all)) = arguments.next() {
                    let each = members(all).map(|member| match member.value {
                        Value::Is(descriptor) => Member { value: described(descriptor), ..member },
                        _ => member,
                    });
                    found.extend(each.map(Exported::Named));
                }
            }
            "assign" | "extend" if self.is_exports(first) => {
                arguments.for_each(|from| self.spread(from, 0, found));
            }
            // As compilers write `export *`.
            "__exportStar" | "__export" if arguments.next().is_none_or(|to| self.is_exports(to)) => {
                found.extend(required(first).map(|module| Exported::All(module, first.span())));
            }
            _ => {}
        }
    }

    /// `module.exports = value`
    fn whole<'y>(
        &self,
        value: &'y Expression<'a>,
        local: Option<&'y str>,
        depth: usize,
        found: &mut Vec<Exported<'y, 'a>>,
    ) where
        'x: 'y,
    {
        let value = assigned(value);
        match value {
            Expression::ObjectExpression(object) => {
                found.push(Exported::Members(object));
                let spread = object.properties.iter().filter_map(|property| match property {
                    ObjectPropertyKind::SpreadProperty(spread) => Some(&spread.argument),
                    ObjectPropertyKind::ObjectProperty(_) => None,
                });
                spread.for_each(|from| self.spread(from, depth, found));
            }
            Expression::ConditionalExpression(either) => {
                self.whole(&either.consequent, local, depth, found);
                self.whole(&either.alternate, local, depth, found);
            }
            Expression::CallExpression(call) if put_together(call) => {
                let mut arguments = call.arguments.iter().filter_map(Argument::as_expression);
                arguments.next().into_iter().for_each(|first| self.whole(first, None, depth, found));
                arguments.for_each(|from| self.spread(from, depth, found));
            }
            _ => match (required(value), self.object(value, depth)) {
                (Some(module), _) => found.push(Exported::Same(module, value.span())),
                (None, Some(object)) => self.whole(object, local, depth + 1, found),
                (None, None) => {
                    let local = identifier(value).or(local).or_else(|| self.own_name(value));
                    found.push(Exported::Whole(value, local.unwrap_or(DEFAULT)));
                }
            },
        }
    }

    /// The name that a function or a class has for itself, where the file has nothing else by it.
    fn own_name<'y>(&self, value: &'y Expression<'a>) -> Option<&'y str> {
        let own = own_name(value)?;
        let mut names = modules::declared(self.program).flat_map(modules::declared_names);
        names.all(|name| name != own).then_some(own)
    }

    /// All that an object has, where it can be known.
    fn spread<'y>(&self, from: &'y Expression<'a>, depth: usize, found: &mut Vec<Exported<'y, 'a>>)
    where
        'x: 'y,
    {
        let from = from.get_inner_expression();
        match (required(from), self.object(from, depth)) {
            (Some(module), _) => found.push(Exported::All(module, from.span())),
            (None, Some(object)) => self.spread(object, depth + 1, found),
            (None, None) if has_members(from) => self.whole(from, None, depth, found),
            (None, None) => {}
        }
    }

    /// What a name stands for, where that is an object whose members can be known.
    fn object(&self, value: &Expression<'a>, depth: usize) -> Option<&'x Expression<'a>> {
        let name = identifier(value).filter(|_| depth < DEEPEST)?;
        let Known { value, .. } = self.values.iter().find(|one| one.name == name && one.member.is_none())?;
        (has_members(value) || self.object(value, depth + 1).is_some()).then_some(*value)
    }

    fn takes(&self, target: &Expression<'_>, property: &str) -> bool {
        if is_exports(target) {
            return property != MARK && !self.is_lost(target);
        }
        let name = identifier(target).filter(|name| self.names.contains(name));
        // What React reads of a component is no export.
        let is_for_react = |name: &str| component::is_component_name(name) && is_for_react(property);
        name.is_some_and(|name| property != "prototype" && !is_for_react(name))
    }

    fn is_exports(&self, expression: &Expression<'_>) -> bool {
        is_exports(expression) && !self.is_lost(expression)
            || identifier(expression).is_some_and(|name| self.names.contains(&name))
    }

    /// Whether it is not what the module exports in the end.
    fn is_lost(&self, exports: &Expression<'_>) -> bool {
        self.replaced.is_some_and(|at| exports.is_specific_id("exports") || exports.span().start < at)
    }
}

/// Each statement that runs when the module is loaded: both ways of an `if` are told, and what is tried.
fn each<'x, 'a>(statement: &'x Statement<'a>, run: &mut impl FnMut(&'x Statement<'a>)) {
    match statement {
        Statement::BlockStatement(block) => block.body.iter().for_each(|one| each(one, run)),
        Statement::IfStatement(either) => {
            each(&either.consequent, run);
            either.alternate.iter().for_each(|other| each(other, run));
        }
        Statement::TryStatement(tried) => {
            let handler = tried.handler.iter().flat_map(|handler| &handler.body.body);
            let finalizer = tried.finalizer.iter().flat_map(|finalizer| &finalizer.body);
            tried.block.body.iter().chain(handler).chain(finalizer).for_each(|one| each(one, run));
        }
        other => match called_at_once(other) {
            Some(called) => called.bodies().for_each(|body| body.iter().for_each(|one| each(one, run))),
            None => run(other),
        },
    }
}

/// `(function () { … })()`, which compilers and people put around a file.
pub(super) struct CalledAtOnce<'x, 'a> {
    callee: Callable<'x, 'a>,
    arguments: &'x [Argument<'a>],
}

impl<'x, 'a> CalledAtOnce<'x, 'a> {
    /// What runs then: the function, and one that it is given for `exports`.
    pub(super) fn bodies(&self) -> impl Iterator<Item = &'x [Statement<'a>]> {
        let given = self.arguments.iter().filter_map(factory);
        std::iter::once(self.callee).chain(given).map(Callable::statements)
    }

    pub(super) fn other_arguments(&self) -> impl Iterator<Item = &'x Argument<'a>> {
        self.arguments.iter().filter(|argument| factory(argument).is_none())
    }
}

/// `function (exports) { … }`
fn factory<'x, 'a>(argument: &'x Argument<'a>) -> Option<Callable<'x, 'a>> {
    let callable = argument.as_expression().and_then(Callable::of)?;
    let mut parameters = callable.parameters().items.iter();
    let takes = parameters.any(|one| one.pattern.get_identifier_name().is_some_and(|name| name == "exports"));
    takes.then_some(callable)
}

pub(super) fn called_at_once<'x, 'a>(statement: &'x Statement<'a>) -> Option<CalledAtOnce<'x, 'a>> {
    let Statement::ExpressionStatement(statement) = statement else { return None };
    let mut expression = statement.expression.get_inner_expression();
    // `!function () { … }()`
    while let Expression::UnaryExpression(unary) = expression {
        expression = unary.argument.get_inner_expression();
    }
    let Expression::CallExpression(call) = expression else { return None };
    let callee = match call.callee.get_inner_expression() {
        // `(function () { … }).call(this)`
        Expression::StaticMemberExpression(member) if member.property.name == "call" => {
            member.object.get_inner_expression()
        }
        other => other,
    };
    Some(CalledAtOnce { callee: Callable::of(callee)?, arguments: &call.arguments })
}

/// The members of an object whose names are known.
pub(super) fn members<'x, 'a>(object: &'x ObjectExpression<'a>) -> impl Iterator<Item = Member<'x, 'a>> {
    object.properties.iter().filter_map(member)
}

pub(super) fn member<'x, 'a>(property: &'x ObjectPropertyKind<'a>) -> Option<Member<'x, 'a>> {
    let ObjectPropertyKind::ObjectProperty(property) = property else { return None };
    let is_text = matches!(property.key, PropertyKey::StringLiteral(_));
    let name = property.key.static_name().filter(|name| (!property.computed || is_text) && name != MARK)?;
    let value = match property.kind {
        PropertyKind::Init => Value::Is(&property.value),
        PropertyKind::Get => Callable::of(&property.value).map_or(Value::Unknown, given),
        PropertyKind::Set => Value::Unknown,
    };
    Some(Member { name: name.into_owned(), value, local: None, span: property.span })
}

/// What a descriptor says of a property: `{ value: 1 }`, `{ get: () => one }`.
fn described<'x, 'a>(descriptor: &'x Expression<'a>) -> Value<'x, 'a> {
    let Expression::ObjectExpression(object) = descriptor.get_inner_expression() else {
        return Value::Unknown;
    };
    let said = members(object).find_map(|member| match (member.name.as_str(), member.value) {
        ("value", value) => Some(value),
        ("get", Value::Is(getter)) => Callable::of(getter).map(given),
        _ => None,
    });
    said.unwrap_or(Value::Unknown)
}

/// A getter that only hands on what has a name gives that.
fn given<'x, 'a>(getter: Callable<'x, 'a>) -> Value<'x, 'a> {
    let last = maker::last(getter).filter(|last| identifier(last).is_some() && getter.statements().len() < 2);
    last.map_or(Value::Given(getter), Value::Is)
}

/// The value of `a = b = value`.
pub(super) fn assigned<'x, 'a>(value: &'x Expression<'a>) -> &'x Expression<'a> {
    match value.get_inner_expression() {
        Expression::AssignmentExpression(assignment) => assigned(&assignment.right),
        other => other,
    }
}

/// `void 0` only makes room for what comes later.
pub(super) fn is_room(value: &Expression<'_>) -> bool {
    matches!(value.get_inner_expression(), Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::Void)
}

fn is_assigned_to_exports(value: &Expression<'_>) -> bool {
    let Expression::AssignmentExpression(assignment) = value.get_inner_expression() else { return false };
    let target = assignment.left.as_member_expression();
    let is_whole = |object: &Expression<'_>| object.is_specific_id("module");
    target.is_some_and(|target| {
        is_whole(target.object()) && target.static_property_name().is_some_and(|name| name == "exports")
    }) || is_assigned_to_exports(&assignment.right)
}

/// `exports = module.exports = value`
fn is_shared(value: &Expression<'_>) -> bool {
    let Expression::AssignmentExpression(assignment) = value.get_inner_expression() else { return false };
    let is_here =
        matches!(&assignment.left, AssignmentTarget::AssignmentTargetIdentifier(to) if to.name == "exports");
    is_here || is_shared(&assignment.right)
}

/// What a statement runs, and what its variables begin with.
fn values_of<'x, 'a>(statement: &'x Statement<'a>) -> impl Iterator<Item = &'x Expression<'a>> {
    let (value, variables) = match statement {
        Statement::ExpressionStatement(statement) => (Some(&statement.expression), &[][..]),
        Statement::VariableDeclaration(variables) => (None, variables.declarations.as_slice()),
        _ => (None, &[][..]),
    };
    value.into_iter().chain(variables.iter().filter_map(|one| one.init.as_ref()))
}

fn is_exports(expression: &Expression<'_>) -> bool {
    expression.is_specific_id("exports") || expression.is_specific_member_access("module", "exports")
}

/// Whether it is known what a value has: what it is written as, or by the module that it is.
fn has_members(value: &Expression<'_>) -> bool {
    match value.get_inner_expression() {
        Expression::ObjectExpression(_) => true,
        Expression::CallExpression(call) => put_together(call) || required(value).is_some(),
        Expression::ConditionalExpression(either) => {
            has_members(&either.consequent) && has_members(&either.alternate)
        }
        _ => false,
    }
}

/// `Object.assign(first, { … })`, `Object.freeze({ … })`
pub(super) fn put_together(call: &CallExpression<'_>) -> bool {
    ["assign", "freeze", "seal"].iter().any(|name| call.callee.is_specific_member_access("Object", name))
}

/// The module of `require('…')`.
pub(super) fn required(expression: &Expression<'_>) -> Option<String> {
    let Expression::CallExpression(call) = expression.get_inner_expression() else { return None };
    let first = call.arguments.first().and_then(Argument::as_expression)?;
    if call.callee.is_specific_id("require") { text_of(first) } else { None }
}

/// The name and the member of `{ member: name }`.
fn part<'x>(property: &'x BindingProperty<'_>) -> Option<(&'x str, Option<&'x str>)> {
    let BindingPattern::BindingIdentifier(name) = &property.value else { return None };
    let member = match &property.key {
        PropertyKey::StaticIdentifier(key) => key.name.as_str(),
        PropertyKey::StringLiteral(key) => key.value.as_str(),
        _ => return None,
    };
    Some((name.name.as_str(), Some(member)))
}

/// `Foo` of `class Foo {}` and of `function Foo() {}` where these are values.
pub(super) fn own_name<'x>(value: &'x Expression<'_>) -> Option<&'x str> {
    match value {
        Expression::ClassExpression(class) => class.id.as_ref().map(|id| id.name.as_str()),
        Expression::FunctionExpression(function) => function.id.as_ref().map(|id| id.name.as_str()),
        _ => None,
    }
}

fn name_of<'x>(declarator: &'x VariableDeclarator<'_>) -> Option<&'x str> {
    match &declarator.id {
        BindingPattern::BindingIdentifier(name) => Some(name.name.as_str()),
        _ => None,
    }
}

pub(super) fn identifier<'x>(expression: &'x Expression<'_>) -> Option<&'x str> {
    match expression.get_inner_expression() {
        Expression::Identifier(name) => Some(name.name.as_str()),
        _ => None,
    }
}
