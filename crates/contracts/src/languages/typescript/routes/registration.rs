//! What a call registers: on what, for which methods and paths, and what answers there.

use oxc_ast::ast::{Argument, CallExpression, Expression, MemberExpression, ObjectExpression};
use oxc_span::GetSpan;

use super::super::origins::Top;
use super::calls::{Calls, USE, is_made_in_place};
use super::chain::{all_before, allows_methods, chained_route, flat, given, is_called_as_path};
use super::nest::option;
use super::texts::{described, dotted};
use super::{DELETE, RARE_VERBS, VERBS, is_verb, method};
use crate::model::{Route, RouteFramework};

/// One registration, with its parts told apart.
pub(super) struct Registration<'x, 'a> {
    pub(super) owner: String,
    pub(super) method: String,
    pub(super) path: Vec<String>,
    pub(super) handlers: Vec<&'x Expression<'a>>,
    pub(super) start: u32,
    /// Where those of the same chain begin that run before it, and are no routes then.
    pub(super) earlier: Vec<u32>,
}

impl<'a> Calls<'_, '_, 'a, '_> {
    pub(super) fn registrations<'x>(&self, call: &'x CallExpression<'a>) -> Vec<Registration<'x, 'a>> {
        let Some(member) = call.callee.as_member_expression() else { return Vec::new() };
        let named = match member {
            // `app[method]('/a', f)` in a loop over methods.
            MemberExpression::ComputedMemberExpression(member) => self.texts.text(&member.expression),
            _ => None,
        };
        let Some(verb) = named.as_deref().or_else(|| member.static_property_name()) else {
            return Vec::new();
        };
        match verb {
            "on" => self.of_methods(member.object(), call),
            "openapi" => self.described(member.object(), call).into_iter().collect(),
            _ => self.registration(member.object(), verb, call).into_iter().collect(),
        }
    }

    fn registration<'x>(
        &self,
        object: &'x Expression<'a>,
        verb: &str,
        call: &'x CallExpression<'a>,
    ) -> Option<Registration<'x, 'a>> {
        let arguments: Vec<&'x Expression<'a>> = given(call).collect();
        let start = call.callee.span().end;
        // `router.route('/a').get(f).post(g)`
        if let Some((owner, path)) = chained_route(object) {
            let owner = self.held_by(owner)?;
            let method = method(verb);
            let path = self.paths(path);
            let mut handlers = flat(&arguments);
            if !is_verb(verb) || handlers.is_empty() || self.followed.contains(&start) {
                return None;
            }
            // `router.route('/a').all(check).get(f)`
            let earlier = all_before(object);
            let checks: Vec<_> = earlier.iter().flat_map(|call| given(call)).collect();
            handlers.splice(..0, flat(&checks));
            let earlier = earlier.iter().map(|call| call.callee.span().end).collect();
            return Some(Registration { owner, method, path, handlers, start, earlier });
        }
        let owner = self.chained_owner(object)?;
        let (first, rest) = arguments.split_first()?;
        if let ("register", Some(Expression::ObjectExpression(options))) = (verb, rest.first()) {
            // `app.register(plugin, { prefix: '/users' })`
            let path = self.paths(option(options, "prefix")?);
            let (method, handlers) = (USE.to_owned(), vec![*first]);
            return Some(Registration { owner, method, path, handlers, start, earlier: Vec::new() });
        }
        if let ("route", Expression::ObjectExpression(options), []) = (verb, first, rest) {
            // `app.route({ method: 'GET', url: '/a', handler })`
            let path = self.paths(option(options, "url").or_else(|| option(options, "path"))?);
            let method = self.paths(option(options, "method")?).join(" ").to_ascii_uppercase();
            let handlers = vec![option(options, "handler")?];
            return Some(Registration { owner, method, path, handlers, start, earlier: Vec::new() });
        }
        if verb == "use" {
            // What is handed over may be a router, which `link` knows. What takes an error is for what comes before it.
            let has_path = self.is_path(first) || !rest.is_empty() && is_called_as_path(first);
            let (path, handlers) = if has_path {
                (self.paths(first), flat(rest))
            } else {
                (vec![String::new()], flat(&arguments))
            };
            let is_router = |one: &&&Expression<'a>| !self.takes_error(one) && !allows_methods(one);
            let handlers: Vec<_> = handlers.iter().filter(is_router).copied().collect();
            let method = USE.to_owned();
            let earlier = Vec::new();
            return (!handlers.is_empty()).then_some(Registration {
                owner,
                method,
                path,
                handlers,
                start,
                earlier,
            });
        }
        // A path that is among others is not known.
        if call.arguments.first().is_some_and(Argument::is_spread) {
            return None;
        }
        let framework = self.applications.get(&owner).map(|one| one.framework);
        // `router.get('name', '/path', handler)`
        let is_named = framework == Some(RouteFramework::Koa) && rest.len() > 1 && self.is_path(rest[0]);
        let (first, rest) = if is_named { rest.split_first()? } else { (first, rest) };
        // `app.route('/api', other)`
        let is_mount = verb == "route" && self.is_of(&owner, RouteFramework::Hono);
        let method = if is_mount { USE.to_owned() } else { method(verb) };
        // Other functions have such a name, too: `app.bind(this)`. What a constant of another file is, `link` knows.
        let is_rare = || RARE_VERBS.contains(&verb) && (self.is_path(first) || self.is_imported(first));
        let is_usual = VERBS.contains(&verb) || verb == DELETE;
        (!rest.is_empty() && (is_mount || is_usual || is_rare())).then(|| Registration {
            owner,
            method,
            path: self.paths(first),
            handlers: flat(rest),
            start,
            earlier: Vec::new(),
        })
    }

    /// Hono's `app.on(['GET', 'POST'], '/a', f)`.
    fn of_methods<'x>(
        &self,
        object: &'x Expression<'a>,
        call: &'x CallExpression<'a>,
    ) -> Vec<Registration<'x, 'a>> {
        let arguments: Vec<&'x Expression<'a>> = given(call).collect();
        let ([methods, path, handlers @ ..], Some(owner)) =
            (arguments.as_slice(), self.chained_owner(object))
        else {
            return Vec::new();
        };
        if handlers.is_empty() || !self.is_of(&owner, RouteFramework::Hono) {
            return Vec::new();
        }
        let each = self.paths(methods).into_iter().map(|method| Registration {
            owner: owner.clone(),
            method: method.to_ascii_uppercase(),
            path: self.paths(path),
            handlers: flat(handlers),
            start: call.callee.span().end,
            earlier: Vec::new(),
        });
        each.collect()
    }

    /// `app.openapi(createRoute({ method: 'get', path: '/a' }), f)`; what another file describes `link` knows.
    fn described<'x>(
        &self,
        object: &'x Expression<'a>,
        call: &'x CallExpression<'a>,
    ) -> Option<Registration<'x, 'a>> {
        let arguments: Vec<&'x Expression<'a>> = given(call).collect();
        let (first, handlers) = arguments.split_first().filter(|(_, handlers)| !handlers.is_empty())?;
        let owner = self.chained_owner(object).filter(|owner| self.is_of(owner, RouteFramework::Hono))?;
        let (method, path) = if let Some(options) = self.written(first) {
            let paths = self.paths(option(options, "path")?);
            let served = paths.iter().map(|path| Route::served(path)).collect();
            (self.texts.path(self.print, option(options, "method")?), served)
        } else {
            let name = dotted(first).filter(|_| !self.texts.hides(first))?;
            let told = |what: &str| format!("${{{name}.{what}}}");
            (told("method"), vec![told("path")])
        };
        let method = if method.contains("${") { method } else { method.to_ascii_uppercase() };
        // What checks an answer that is refused comes behind the handler.
        let handlers = flat(&handlers[..1]);
        Some(Registration {
            owner,
            method,
            path,
            handlers,
            start: call.callee.span().end,
            earlier: Vec::new(),
        })
    }

    fn is_of(&self, owner: &str, framework: RouteFramework) -> bool {
        match self.applications.get(owner) {
            Some(application) => application.framework == framework,
            None => is_made_in_place(owner) && self.frameworks.contains(&framework),
        }
    }

    /// What `createRoute` is given, also by a constant of the file.
    fn written<'x>(&'x self, route: &'x Expression<'a>) -> Option<&'x ObjectExpression<'a>> {
        let origins = &self.print.source.origins;
        let value = match route.get_inner_expression() {
            Expression::Identifier(name) if !self.texts.hides(route) => match origins.declared(&name.name)? {
                Top::Constant(constant) => constant.init.as_ref()?,
                _ => return None,
            },
            other => other,
        };
        described(value)
    }
}
