//! What is meant by the name of an application or a router where it stands: functions and blocks have names of their own,
//! and what is registered on one is nothing that another of the same name has.

use std::collections::{BTreeMap, BTreeSet};

use becket_base::divided;
use oxc_ast::ast::{Argument, CallExpression, Expression, FormalParameter, NewExpression, Program};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;

use super::super::body::callee_name;
use super::calls::{Application, Calls};
use super::chain;
use crate::model::{Route, RouteFramework};

#[derive(Default)]
pub(super) struct Owners<'a> {
    /// In the functions and blocks that are walked, the innermost last.
    names: Vec<(&'a str, String)>,
    /// How many others of a name there are already.
    others: BTreeMap<&'a str, u32>,
    /// What functions without a name take: nobody knows what that is.
    parameters: BTreeSet<&'a str>,
    /// Blocks outside of any function, too.
    pub(super) blocks: u32,
}

impl<'a> Owners<'a> {
    /// The name itself for the first one that has it.
    pub(super) fn of<'n>(&'n self, name: &'n str) -> &'n str {
        self.names.iter().rev().find(|(known, _)| *known == name).map_or(name, |(_, owner)| owner)
    }

    fn declare(&mut self, name: &'a str, is_other: bool) {
        let owner = if is_other {
            let count = self.others.entry(name).or_insert(1);
            *count += 1;
            format!("{name}{}{count}", Route::OTHER)
        } else {
            name.to_owned()
        };
        self.names.push((name, owner));
    }

    /// Another name for what has one.
    pub(super) fn same(&mut self, name: &'a str, owner: Option<String>) {
        self.names.extend(owner.map(|owner| (name, owner)));
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.names.truncate(length);
    }
}

/// What it is called in the file.
pub(super) fn called(owner: &str) -> &str {
    owner.split(Route::OTHER).next().unwrap_or(owner)
}

impl<'a> Calls<'_, '_, 'a, '_> {
    /// A variable of a function or a block.
    pub(super) fn own(&mut self, name: &'a str) {
        let is_other = self.is_taken(name) || self.owners.parameters.contains(name);
        self.owners.declare(name, is_other);
    }

    /// A parameter stands for what the file hands over to its function under the same name.
    pub(super) fn own_parameter(&mut self, parameter: &FormalParameter<'a>) {
        // A plugin of Fastify has one of its own.
        let scope = self.plugins.taken_at(parameter.pattern.span().start).cloned();
        if let (Some(owner), Some(name)) = (scope, parameter.pattern.get_identifier_name()) {
            self.applications.insert(owner.clone(), Application::new(RouteFramework::Fastify, None));
            self.owners.same(name.as_str(), Some(owner));
            return;
        }
        for name in parameter.pattern.get_binding_identifiers() {
            let name = name.name.as_str();
            let function = self.taking(parameter);
            let is_other = self.is_taken(name)
                && function.is_some_and(|function| !is_handed(self.program, function, name));
            if function.is_none() {
                self.owners.parameters.insert(name);
            }
            self.owners.declare(name, is_other);
        }
    }

    /// What is handed over that is none of the first of its name, as `router` and as `router.routes()`.
    pub(super) fn other(&self, handler: &Expression<'a>) -> Option<String> {
        let (value, routes) = match handler.get_inner_expression() {
            Expression::CallExpression(call) => match chain::called(call, "routes") {
                Some(router) => (router, ".routes()"),
                None => (chain::called(call, "middleware")?, ".middleware()"),
            },
            other => (other, ""),
        };
        let owner = value.is_identifier_reference().then(|| self.held_by(value))??;
        let is_other = owner.contains(Route::OTHER) && self.applications.contains_key(&owner);
        is_other.then(|| owner + routes)
    }

    fn is_taken(&self, name: &str) -> bool {
        self.applications.contains_key(name) || self.print.source.origins.of(name).is_some()
    }

    /// The name of the function at the top of the file, or of the method, that has a parameter.
    fn taking(&self, parameter: &FormalParameter<'a>) -> Option<&str> {
        let at = parameter.span.start;
        let takes = |items: &[FormalParameter<'a>]| items.iter().any(|one| one.span().start == at);
        let (name, _) = self.functions.iter().find(|(_, function)| takes(&function.parameters().items))?;
        match divided::around_last(name, b'.') {
            Some((class, "constructor")) => Some(class),
            Some((_, method)) => Some(method),
            None => Some(name),
        }
    }
}

fn is_handed(program: &Program<'_>, function: &str, name: &str) -> bool {
    let mut handing = Handing { function, name, found: false };
    handing.visit_program(program);
    handing.found
}

/// Looks for `register(app)`.
struct Handing<'n> {
    function: &'n str,
    name: &'n str,
    found: bool,
}

impl<'a> Visit<'a> for Handing<'_> {
    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.called(&call.callee, &call.arguments);
        walk::walk_call_expression(self, call);
    }

    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        self.called(&new.callee, &new.arguments);
        walk::walk_new_expression(self, new);
    }
}

impl Handing<'_> {
    fn called(&mut self, callee: &Expression<'_>, arguments: &[Argument<'_>]) {
        let mut given = arguments.iter().filter_map(Argument::as_expression);
        self.found |=
            callee_name(callee) == Some(self.function) && given.any(|one| one.is_specific_id(self.name));
    }
}
