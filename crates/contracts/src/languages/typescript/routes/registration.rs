//! What a call registers: on what, for which methods and paths, and what answers there.

use oxc_ast::ast::{Argument, CallExpression, Expression, MemberExpression, ObjectExpression};
use oxc_span::GetSpan;

use super::super::origins::{Origin, Top};
use super::calls::{Calls, USE, is_made_in_place};
use super::chain::{all_before, allows_methods, chained_route, flat, given, is_called_as_path};
use super::given::is_usual;
use super::nest::option;
use super::owners::called;
use super::texts::{described, dotted};
use super::{DELETE, RARE_VERBS, VERBS, fastify, is_verb, method};
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
    /// When a hook runs, where it is one.
    pub(super) phase: Option<usize>,
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
            return Some(Registration { owner, method, path, handlers, start, earlier, phase: None });
        }
        let owner = self.chained_owner(object)?;
        let (first, rest) = arguments.split_first()?;
        match verb {
            "register" => return self.registered(owner, (first, rest), start),
            "addHook" => {
                // `app.addHook('onRequest', check)`
                let phase = Some(fastify::phase(&self.texts.text(first)?)?);
                let (path, handlers, method) = (vec![String::new()], rest.to_vec(), USE.to_owned());
                let earlier = Vec::new();
                return Some(Registration { owner, method, path, handlers, start, earlier, phase });
            }
            _ => {}
        }
        if let ("route", Expression::ObjectExpression(options), []) = (verb, first, rest) {
            // `app.route({ method: 'GET', url: '/a', handler })`
            let path = self.paths(option(options, "url").or_else(|| option(options, "path"))?);
            let method = self.paths(option(options, "method")?).join(" ").to_ascii_uppercase();
            let handlers = vec![*first, option(options, "handler")?];
            let earlier = Vec::new();
            return Some(Registration { owner, method, path, handlers, start, earlier, phase: None });
        }
        if verb == "use" {
            // What is handed over may be a router, which `link` knows. What takes an error is for what comes before it.
            let (place, arguments) = match self.mounted(first) {
                Some((place, handler)) => (place, vec![handler]),
                None => (None, arguments.clone()),
            };
            let has_path = self.is_path(first) || !rest.is_empty() && is_called_as_path(first);
            let (path, handlers) = if let Some(place) = place {
                (self.paths(place), flat(&arguments))
            } else if has_path {
                (self.paths(first), flat(rest))
            } else {
                (vec![String::new()], flat(&arguments))
            };
            let is_router = |one: &&&Expression<'a>| !self.takes_error(one) && !allows_methods(one);
            let handlers: Vec<_> = handlers.iter().filter(is_router).copied().collect();
            let method = USE.to_owned();
            let earlier = Vec::new();
            // What runs below a path in Fastify runs with the first hooks.
            let phase = self.is_of(&owner, RouteFramework::Fastify).then_some(0);
            return (!handlers.is_empty()).then_some(Registration {
                owner,
                method,
                path,
                handlers,
                start,
                earlier,
                phase,
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
        let mut handlers = flat(rest);
        // `app.get('/a', { preHandler: check, handler: show })`
        if let Some(Expression::ObjectExpression(options)) = handlers.last() {
            handlers.extend(option(options, "handler"));
        }
        (!rest.is_empty() && (is_mount || is_usual || is_rare())).then(|| Registration {
            owner,
            method,
            path: self.paths(first),
            handlers,
            start,
            earlier: Vec::new(),
            phase: None,
        })
    }

    /// `app.register(plugin, { prefix: '/users' })`, and Koa's `router.register('/a', ['GET'], show)`.
    fn registered<'x>(
        &self,
        owner: String,
        (first, rest): (&'x Expression<'a>, &[&'x Expression<'a>]),
        start: u32,
    ) -> Option<Registration<'x, 'a>> {
        let earlier = Vec::new();
        if let (true, [methods, handlers @ ..]) = (self.is_of(&owner, RouteFramework::Koa), rest) {
            let method = self.paths(methods).join(" ").to_ascii_uppercase();
            let (path, handlers) = (self.paths(first), flat(handlers));
            return Some(Registration { owner, method, path, handlers, start, earlier, phase: None });
        }
        let prefix = match rest.first() {
            Some(Expression::ObjectExpression(options)) => option(options, "prefix"),
            _ => None,
        };
        if prefix.is_none() && !self.takes_plugins(&owner) {
            return None;
        }
        let (method, path) = match prefix {
            Some(prefix) => (USE, self.paths(prefix)),
            None => (Route::HANDED, vec![String::new()]),
        };
        let (method, handlers) = (method.to_owned(), vec![first]);
        Some(Registration { owner, method, path, handlers, start, earlier, phase: None })
    }

    fn takes_plugins(&self, owner: &str) -> bool {
        let Some(application) = self.applications.get(owner) else {
            let name = called(owner).rsplit('.').next().unwrap_or(owner);
            return is_usual(name)
                && (self.frameworks.is_empty() || self.frameworks.contains(&RouteFramework::Fastify));
        };
        application.framework == RouteFramework::Fastify
    }

    /// The path and the middleware of Koa's `mount('/api', api)`.
    fn mounted<'x>(
        &self,
        value: &'x Expression<'a>,
    ) -> Option<(Option<&'x Expression<'a>>, &'x Expression<'a>)> {
        let Expression::CallExpression(call) = value.get_inner_expression() else { return None };
        let Expression::Identifier(callee) = &call.callee else { return None };
        match self.print.source.origins.of(&callee.name)? {
            Origin::Module { specifier, .. } if specifier == "koa-mount" => {}
            _ => return None,
        }
        match call.arguments.as_slice() {
            [one] => Some((None, one.as_expression()?)),
            [path, one] => Some((Some(path.as_expression()?), one.as_expression()?)),
            _ => None,
        }
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
            phase: None,
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
            phase: None,
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
