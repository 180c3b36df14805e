//! Applications that go from one file of the project to another: what a file is given, and what it hands over.

use oxc_ast::ast::{Argument, CallExpression, Expression};
use oxc_span::GetSpan;

use super::super::body::text_of;
use super::super::component::Callable;
use super::super::origins::{Origin, root};
use super::calls::{Application, Calls, LONGEST_HANDLER, Registered, is_made_in_place};
use super::given::{self, Place};
use super::is_verb;
use super::owners::called;
use crate::model::{Route, RouteFramework};

impl<'a> Calls<'_, '_, 'a, '_> {
    /// What is registered on something that is merely given is a route if anything on that looks like one.
    pub(super) fn sure(&self, one: Registered) -> Option<Route> {
        let Registered { mut route, given, .. } = one;
        if let Some(place) = given {
            let told = self.given.framework(&place)?;
            let mut others = self.frameworks.iter();
            route.framework = others.next().copied().filter(|_| others.next().is_none()).unwrap_or(told);
        }
        if route.framework == RouteFramework::Fastify && !route.is_mount() {
            // What is no hook holds options, which may name some.
            for guard in route.guards.iter_mut().filter(|guard| Route::phase(guard).is_none()) {
                *guard = format!("${{{}}}", guard.trim_start_matches(Route::HIDDEN));
            }
        }
        Some(route)
    }

    /// `register(app)`, `require('./users')(app)`, `new Users(app)`: which routes these have `link` knows.
    pub(super) fn hand_over(&mut self, expression: &Expression<'a>) {
        let expression = match expression.get_inner_expression() {
            Expression::AwaitExpression(awaited) => awaited.argument.get_inner_expression(),
            other => other,
        };
        let (callee, arguments) = match expression {
            Expression::CallExpression(call) => (&call.callee, &call.arguments),
            Expression::NewExpression(new) => (&new.callee, &new.arguments),
            _ => return,
        };
        let start = callee.span().start;
        let given: Vec<&Expression<'a>> = arguments.iter().filter_map(Argument::as_expression).collect();
        if !self.is_elsewhere(callee) {
            return;
        }
        let application = given.iter().find_map(|one| self.application(one));
        let callee = self.print.outside(callee, LONGEST_HANDLER);
        if let Some(((framework, owner), callee)) = application.zip(callee) {
            let handler = format!("{callee}({owner})");
            let within = self.registering(&owner);
            let route = given::handed(framework, owner, handler, self.print.source.line(start));
            self.found.push(Registered { start, route: Route { within, ..route }, given: None });
        }
    }

    /// What an expression holds that is an application, or is called so.
    fn application(&self, value: &Expression<'a>) -> Option<(RouteFramework, String)> {
        let owner = self.held_by(value)?;
        let made = self.applications.get(&owner).map(|one| one.framework);
        let name = called(&owner).rsplit('.').next().unwrap_or(&owner);
        let is_given =
            || given::is_usual(name) && self.given.place(&owner, &self.print.source.origins).is_some();
        Some((made.or_else(|| is_given().then(|| self.routers()))?, owner))
    }

    /// Whether something is of another file of the project.
    fn is_elsewhere(&self, callee: &Expression<'a>) -> bool {
        let Some(name) = root(callee) else { return false };
        match self.print.source.origins.of(name) {
            Some(Origin::Module { specifier, .. }) => given::is_own(specifier),
            _ => name == "require",
        }
    }

    /// Functions in place that are given something below a path.
    pub(super) fn place_functions(&mut self, call: &CallExpression<'a>) {
        let Expression::StaticMemberExpression(member) = &call.callee else { return };
        let given: Vec<&Expression<'a>> = call.arguments.iter().filter_map(Argument::as_expression).collect();
        let function = given.iter().find_map(|one| Callable::of(one));
        let parameter = function.and_then(|function| function.parameters().items.first());
        let Some(at) = parameter.map(|parameter| parameter.pattern.span().start) else { return };
        let verb = member.property.name.as_str();
        if !is_verb(verb) && verb != "use" && given.iter().any(|one| is_below(one)) {
            self.given.below.insert(at);
        }
    }

    /// What has a name, with where it is declared if it is merely given.
    pub(super) fn registered_on(&self, owner: &str) -> Option<(Application, Option<Place>)> {
        if let Some(known) = self.applications.get(owner) {
            return Some((known.clone(), None));
        }
        let usual = Application::new(self.routers(), None);
        if is_made_in_place(owner) && !self.frameworks.is_empty() {
            let mut all = self.frameworks.iter();
            let only = all.next().copied().filter(|_| all.next().is_none());
            return Some((Application { framework: only.unwrap_or(usual.framework), ..usual }, None));
        }
        let place = self.given.place(owner, &self.print.source.origins)?;
        Some((usual, Some(place)))
    }
}

fn is_below(value: &Expression<'_>) -> bool {
    text_of(value).is_some_and(|text| text.starts_with('/'))
}
