//! The names under which a body can reach its props: those of a parameter, and those that the body gives them itself.

use std::collections::BTreeMap;

use oxc_ast::ast::{
    Argument, BindingPattern, ChainElement, ComputedMemberExpression, Expression, ObjectExpression,
    ObjectPropertyKind, Statement, StaticMemberExpression, VariableDeclarator,
};

use super::body::callee_name;
use super::component;
use super::print::Print;
use super::shape;

#[derive(Default)]
pub(super) struct Props {
    /// Local name to the prop's name.
    names: BTreeMap<String, String>,
    /// The parameter that holds all of them.
    whole: Option<String>,
    /// What is left of them behind what is taken apart, and other names for all of them.
    rest: Vec<String>,
    /// Other names for single props, which may be one of several: `const go = onX ?? onY`.
    aliases: Vec<(String, String)>,
    /// Members of `rest` that are something else: `const more = { ...props, onX: other }`.
    overruled: Vec<(String, String)>,
    /// What declarations of the body have added, in their order.
    bound: Vec<String>,
}

/// What a list of statements hides by names of its own, and how many names were known before it.
pub(super) struct Around {
    hidden: Option<Props>,
    bound: usize,
}

impl Props {
    /// Takes in what a pattern binds; gives the props with the text of their defaults.
    pub(super) fn bind(
        &mut self,
        print: Print<'_, '_>,
        pattern: &BindingPattern<'_>,
    ) -> Vec<(String, Option<String>)> {
        match pattern {
            BindingPattern::BindingIdentifier(name) => {
                self.whole = Some(name.name.into_string());
                Vec::new()
            }
            BindingPattern::AssignmentPattern(assignment) => self.bind(print, &assignment.left),
            BindingPattern::ObjectPattern(object) => {
                let mut found = Vec::new();
                for property in &object.properties {
                    let key = shape::prop_name(print, &property.key, property.computed);
                    let (target, default) = match &property.value {
                        BindingPattern::AssignmentPattern(assignment) => {
                            (&assignment.left, Some(print.short(&assignment.right)))
                        }
                        other => (other, None),
                    };
                    if let BindingPattern::BindingIdentifier(local) = target {
                        self.names.insert(local.name.into_string(), key.clone());
                    }
                    found.push((key, default));
                }
                if let Some(BindingPattern::BindingIdentifier(name)) =
                    object.rest.as_ref().map(|rest| &rest.argument)
                {
                    self.rest.push(name.name.into_string());
                }
                found
            }
            BindingPattern::ArrayPattern(_) => Vec::new(),
        }
    }

    /// Takes in what the declarations of a list of statements make of props, wherever in it they stand: functions before
    /// them may use their names. Where the list is not all of a body, their names hide others until [`Props::leave`].
    /// Props that are taken apart are added to `taken`.
    pub(super) fn enter(
        &mut self,
        print: Print<'_, '_>,
        statements: &[Statement<'_>],
        is_inner: bool,
        taken: &mut Vec<(String, Option<String>)>,
    ) -> Around {
        let bound = self.bound.len();
        let hidden = if is_inner && self.has_names() { self.hidden_in(statements) } else { None };
        for statement in statements {
            let Statement::VariableDeclaration(variables) = statement else { continue };
            for declarator in &variables.declarations {
                if let Some(init) = &declarator.init {
                    self.declare(print, declarator, init, is_inner, taken);
                }
            }
        }
        Around { hidden, bound }
    }

    pub(super) fn leave(&mut self, around: Around) {
        for name in self.bound.split_off(around.bound) {
            self.names.remove(&name);
            self.rest.retain(|rest| *rest != name);
            self.aliases.retain(|(local, _)| *local != name);
            self.overruled.retain(|(local, _)| *local != name);
        }
        if let Some(hidden) = around.hidden {
            self.show(hidden);
        }
    }

    fn hidden_in(&mut self, statements: &[Statement<'_>]) -> Option<Self> {
        let mut names = Vec::new();
        let mut take = |name: &str| {
            if self.knows(name) {
                names.push(name.to_owned());
            }
        };
        for statement in statements {
            match statement {
                Statement::VariableDeclaration(variables) => {
                    for declarator in &variables.declarations {
                        match &declarator.id {
                            BindingPattern::BindingIdentifier(name) => take(&name.name),
                            pattern => {
                                pattern.get_binding_identifiers().iter().for_each(|name| take(&name.name));
                            }
                        }
                    }
                }
                Statement::FunctionDeclaration(function) => {
                    function.id.iter().for_each(|name| take(&name.name));
                }
                _ => {}
            }
        }
        (!names.is_empty()).then(|| self.hidden_by(&names))
    }

    fn declare(
        &mut self,
        print: Print<'_, '_>,
        declarator: &VariableDeclarator<'_>,
        init: &Expression<'_>,
        is_inner: bool,
        taken: &mut Vec<(String, Option<String>)>,
    ) {
        let is_all = self.is_rest(init) || self.is_made_of_all(init);
        let BindingPattern::BindingIdentifier(name) = &declarator.id else {
            if is_all && declarator.id.is_object_pattern() {
                let found = self.bind(print, &declarator.id);
                // `const { more } = props as Other` takes apart what the props are not declared to be.
                let is_other = declarator.type_annotation.is_some() || component::cast(init).is_some();
                taken.extend(found.into_iter().filter(|_| !is_other));
                if is_inner {
                    let names = declarator.id.get_binding_identifiers();
                    self.bound.extend(names.into_iter().map(|name| name.name.into_string()));
                }
            }
            return;
        };
        let is_more = match init.get_inner_expression() {
            Expression::ObjectExpression(object) => self.with_more(&name.name, object),
            _ => false,
        };
        let known = self.aliases.len();
        if is_all || is_more {
            self.rest.push(name.name.into_string());
        } else {
            let mut props = Vec::new();
            self.each_given(init, &mut |prop| props.push(prop.to_owned()));
            self.aliases.extend(props.into_iter().map(|prop| (name.name.into_string(), prop)));
        }
        if is_inner && (is_all || is_more || self.aliases.len() > known) {
            self.bound.push(name.name.into_string());
        }
    }

    /// Whether a call gives all props again, with defaults or whatever else a library has for them:
    /// `useProps('Card', defaults, props)`, `useThemeProps({ props, name: 'Card' })`.
    fn is_made_of_all(&self, init: &Expression<'_>) -> bool {
        let Expression::CallExpression(call) = init.get_inner_expression() else { return false };
        let is_it = |value: &Expression<'_>| match value.get_inner_expression() {
            Expression::ObjectExpression(object) => object.properties.iter().any(|property| match property {
                ObjectPropertyKind::SpreadProperty(spread) => self.is_rest(&spread.argument),
                ObjectPropertyKind::ObjectProperty(property) => self.is_rest(&property.value),
            }),
            value => self.is_rest(value),
        };
        callee_name(&call.callee).is_some_and(|name| name.ends_with("Props"))
            && call.arguments.iter().filter_map(Argument::as_expression).any(is_it)
    }

    /// Whether an object has all props, and what it has instead of some of them.
    fn with_more(&mut self, name: &str, object: &ObjectExpression<'_>) -> bool {
        let is_spread = |property: &ObjectPropertyKind<'_>| match property {
            ObjectPropertyKind::SpreadProperty(spread) => self.is_rest(&spread.argument),
            ObjectPropertyKind::ObjectProperty(_) => false,
        };
        let Some(at) = object.properties.iter().rposition(is_spread) else { return false };
        let later = object.properties.iter().skip(at + 1).filter_map(ObjectPropertyKind::as_property);
        let keys = later.filter_map(|property| property.key.static_name());
        self.overruled.extend(keys.map(|key| (name.to_owned(), key.into_owned())));
        true
    }

    /// The prop that an expression names: `onPress`, `props.onPress`, `this.props.onPress`, `rest['onPress']`.
    pub(super) fn named<'n>(&'n self, expression: &'n Expression<'_>) -> Option<&'n str> {
        match expression.get_inner_expression() {
            Expression::Identifier(name) => {
                let alias = || self.aliases.iter().find(|(local, _)| name.name == local.as_str());
                let prop = self.names.get(name.name.as_str()).or_else(|| alias().map(|(_, prop)| prop));
                prop.map(String::as_str)
            }
            Expression::StaticMemberExpression(member) => self.member(member),
            Expression::ComputedMemberExpression(member) => self.computed(member),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::StaticMemberExpression(member) => self.member(member),
                ChainElement::ComputedMemberExpression(member) => self.computed(member),
                _ => None,
            },
            _ => None,
        }
    }

    /// The props that an expression gives as they are, also behind a condition.
    pub(super) fn each_given(&self, expression: &Expression<'_>, found: &mut impl FnMut(&str)) {
        match expression.get_inner_expression() {
            Expression::ConditionalExpression(conditional) => {
                self.each_given(&conditional.consequent, found);
                self.each_given(&conditional.alternate, found);
            }
            Expression::LogicalExpression(logical) => {
                self.each_given(&logical.left, found);
                self.each_given(&logical.right, found);
            }
            Expression::Identifier(name) if !self.names.contains_key(name.name.as_str()) => {
                let all = self.aliases.iter().filter(|(local, _)| name.name == local.as_str());
                all.for_each(|(_, prop)| found(prop));
            }
            other => {
                if let Some(prop) = self.named(other) {
                    found(prop);
                }
            }
        }
    }

    fn member<'n>(&self, member: &'n StaticMemberExpression<'_>) -> Option<&'n str> {
        self.of(&member.object, &member.property.name)
    }

    fn computed<'n>(&self, member: &'n ComputedMemberExpression<'_>) -> Option<&'n str> {
        match member.expression.get_inner_expression() {
            Expression::StringLiteral(key) => self.of(&member.object, &key.value),
            _ => None,
        }
    }

    fn of<'n>(&self, object: &Expression<'_>, key: &'n str) -> Option<&'n str> {
        let is_other = |name: &str| self.overruled.iter().any(|(local, other)| local == name && other == key);
        let is_prop = self.is_rest(object)
            && !matches!(object.get_inner_expression(), Expression::Identifier(name) if is_other(&name.name));
        is_prop.then_some(key)
    }

    fn is_whole(&self, expression: &Expression<'_>) -> bool {
        match expression.get_inner_expression() {
            Expression::Identifier(name) => self.whole.as_deref() == Some(name.name.as_str()),
            Expression::StaticMemberExpression(member) => {
                matches!(member.object, Expression::ThisExpression(_)) && member.property.name == "props"
            }
            _ => false,
        }
    }

    pub(super) fn is_rest(&self, expression: &Expression<'_>) -> bool {
        let rest = match expression.get_inner_expression() {
            Expression::Identifier(name) => self.rest.iter().any(|rest| name.name == rest.as_str()),
            _ => false,
        };
        rest || self.is_whole(expression)
    }

    pub(super) fn has_names(&self) -> bool {
        self.whole.is_some() || !self.names.is_empty() || !self.rest.is_empty() || !self.aliases.is_empty()
    }

    fn knows(&self, name: &str) -> bool {
        self.whole.as_deref() == Some(name)
            || self.names.contains_key(name)
            || self.rest.iter().any(|rest| rest == name)
            || self.aliases.iter().any(|(local, _)| local == name)
    }

    /// Takes out what these names stood for, and gives it.
    pub(super) fn hidden_by(&mut self, names: &[String]) -> Self {
        let is_hidden = |name: &String| names.contains(name);
        Self {
            names: names.iter().filter_map(|name| self.names.remove_entry(name)).collect(),
            whole: self.whole.take_if(|whole| is_hidden(whole)),
            rest: self.rest.extract_if(.., |rest| is_hidden(rest)).collect(),
            aliases: self.aliases.extract_if(.., |(local, _)| is_hidden(local)).collect(),
            overruled: self.overruled.extract_if(.., |(local, _)| is_hidden(local)).collect(),
            bound: Vec::new(),
        }
    }

    pub(super) fn show(&mut self, hidden: Self) {
        self.names.extend(hidden.names);
        self.rest.extend(hidden.rest);
        self.aliases.extend(hidden.aliases);
        self.overruled.extend(hidden.overruled);
        if hidden.whole.is_some() {
            self.whole = hidden.whole;
        }
    }
}
