//! What only Fastify has: plugins, each with a scope of its own unless `fastify-plugin` takes that away; hooks, which run before
//! every route of a scope and of those in it; and options of routes, which name hooks, too.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;
use oxc_ast::ast::{
    AssignmentExpression, CallExpression, ExportDefaultDeclaration, Expression, Function, ObjectExpression,
    ObjectPropertyKind, Program, TSType, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use super::super::body::{callee_name, text_of};
use super::super::component::Callable;
use super::super::maker;
use super::super::modules::DEFAULT;
use super::super::origins::{Origin, Origins};
use super::super::print::type_name;
use super::super::source::Source;
use super::calls::{Calls, LONGEST_HANDLER};
use super::chain::flat;
use super::given::is_usual;
use super::nest::option;
use crate::model::Route;

/// Whether a package is one of Fastify's, for those that write routes and plugins.
pub(super) fn is_of_fastify(specifier: &str) -> bool {
    specifier.starts_with("@fastify/") || specifier.starts_with("fastify-")
}

/// When a hook of this name runs, if that is before the handler.
pub(super) fn phase(hook: &str) -> Option<usize> {
    Route::PHASES.iter().position(|phase| *phase == hook)
}

#[derive(Default)]
pub(super) struct Plugins {
    /// What those are called that plugins take, by where the parameter stands.
    scopes: BTreeMap<u32, String>,
    /// What is registered in place, by where that stands.
    pub(super) in_place: BTreeMap<u32, String>,
    /// Those whose hooks are for whoever registers them, too.
    open: BTreeSet<String>,
}

impl Plugins {
    /// Of a file that has an application of Fastify, or where `is_known`.
    pub(super) fn of<'a>(program: &Program<'a>, source: &Source<'a>, is_known: bool) -> Self {
        let (plugins, origins) = (Self::default(), &source.origins);
        let may_have = |word: &str| memmem::find(source.text.as_bytes(), word.as_bytes()).is_some();
        if !["register", "fastify-plugin", "FastifyPlugin"].into_iter().any(may_have) {
            return plugins;
        }
        let (functions, named, handed) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut finder = Finder { origins, is_known, plugins, functions, named, handed };
        finder.visit_program(program);
        let Finder { mut plugins, functions, named, handed, .. } = finder;
        for (name, at) in functions {
            if let Some((owner, is_open)) = named.get(name) {
                plugins.scope(at, owner.clone(), *is_open);
            }
        }
        for (at, name) in handed {
            plugins.in_place.extend(
                named.get(name).filter(|(owner, _)| owner != name).map(|(owner, _)| (at, owner.clone())),
            );
        }
        plugins
    }

    fn scope(&mut self, at: u32, owner: String, is_open: bool) {
        if is_open {
            self.open.insert(owner.clone());
        }
        self.scopes.insert(at, owner);
    }

    /// What a parameter is called that takes an application.
    pub(super) fn taken_at(&self, parameter: u32) -> Option<&String> {
        self.scopes.get(&parameter)
    }

    /// A hook, as [`Route::PHASES`] has them marked.
    pub(super) fn marked(&self, owner: &str, phase: usize, name: &str) -> String {
        let phase = if self.open.contains(owner) { phase + Route::PHASES.len() } else { phase };
        format!("{phase}{name}")
    }
}

struct Finder<'o, 'a> {
    origins: &'o Origins<'a>,
    is_known: bool,
    plugins: Plugins,
    /// Functions that have a name, and where their first parameter stands.
    functions: Vec<(&'a str, u32)>,
    /// What functions are called as plugins, and whether they are open.
    named: BTreeMap<&'a str, (String, bool)>,
    /// What is registered by its name, by where that stands.
    handed: Vec<(u32, &'a str)>,
}

impl<'a> Visit<'a> for Finder<'_, 'a> {
    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        if let (Some(id), Some(at)) = (&function.id, first(Callable::Function(function))) {
            self.functions.push((id.name.as_str(), at));
        }
        walk::walk_function(self, function, flags);
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let (Some(name), Some(init)) = (declarator.id.get_identifier_name(), &declarator.init) {
            let name = name.as_str();
            match Callable::of(init) {
                Some(function) => {
                    self.functions.extend(first(function).map(|at| (name, at)));
                    // `const plugin: FastifyPluginAsync = async (app) => {}`
                    let declared = declarator.type_annotation.as_ref().map(|ty| &ty.type_annotation);
                    if matches!(declared, Some(TSType::TSTypeReference(ty)) if type_name(&ty.type_name).starts_with("FastifyPlugin"))
                    {
                        self.named.entry(name).or_insert((name.to_owned(), false));
                    }
                }
                None => self.opened(init, name),
            }
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_export_default_declaration(&mut self, export: &ExportDefaultDeclaration<'a>) {
        if let Some(value) = export.declaration.as_expression() {
            self.opened(value, DEFAULT);
        }
        walk::walk_export_default_declaration(self, export);
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        let target = assignment.left.as_member_expression();
        if target.is_some_and(|target| target.object().is_specific_id("module")) {
            self.opened(&assignment.right, DEFAULT);
        }
        walk::walk_assignment_expression(self, assignment);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Expression::StaticMemberExpression(member) = &call.callee {
            let plugin = call.arguments.first().and_then(|plugin| plugin.as_expression());
            let is_known = || self.is_known || callee_name(&member.object).is_some_and(is_usual);
            if let Some(plugin) = plugin.filter(|_| member.property.name == "register" && is_known()) {
                self.registered(plugin);
            }
        }
        walk::walk_call_expression(self, call);
    }
}

impl<'a> Finder<'_, 'a> {
    fn registered(&mut self, plugin: &Expression<'a>) {
        let at = plugin.span().start;
        let inner = opened(plugin, self.origins);
        let (plugin, is_open) = (inner.unwrap_or(plugin).get_inner_expression(), inner.is_some());
        if let Some((parameter, function)) = Callable::of(plugin).and_then(|one| Some((first(one)?, one))) {
            let name = match function {
                Callable::Function(function) => function.name().map(|name| name.as_str()),
                Callable::Arrow(_) => None,
            };
            let count = self.plugins.in_place.len() + 1;
            let owner = format!("{}{}0{count}", name.unwrap_or(Route::ANONYMOUS), Route::OTHER);
            self.plugins.in_place.insert(at, owner.clone());
            self.plugins.scope(parameter, owner, is_open);
        } else if let Expression::Identifier(name) = plugin {
            let name = name.name.as_str();
            self.named.entry(name).or_insert_with(|| (name.to_owned(), false)).1 |= is_open;
            self.handed.push((at, name));
        }
    }

    /// `name = fp(async (app) => {})`, `name = fp(plugin)`
    fn opened(&mut self, value: &Expression<'a>, name: &str) {
        let Some(plugin) = opened(value, self.origins) else { return };
        match (Callable::of(plugin), plugin.get_inner_expression()) {
            (Some(function), _) => {
                if let Some(at) = first(function) {
                    self.plugins.scope(at, name.to_owned(), true);
                }
            }
            (None, Expression::Identifier(plugin)) => {
                self.named.insert(plugin.name.as_str(), (name.to_owned(), true));
            }
            _ => {}
        }
    }
}

/// Where the first parameter of a function stands.
fn first(function: Callable<'_, '_>) -> Option<u32> {
    function.parameters().items.first().map(|first| first.pattern.span().start)
}

/// The plugin of `fp(plugin)`.
fn opened<'x, 'a>(value: &'x Expression<'a>, origins: &Origins<'a>) -> Option<&'x Expression<'a>> {
    let Expression::CallExpression(call) = value.get_inner_expression() else { return None };
    let specifier = match call.callee.get_inner_expression() {
        Expression::Identifier(name) => match origins.of(&name.name)? {
            Origin::Module { specifier, .. } => specifier.clone(),
            _ => return None,
        },
        Expression::CallExpression(required) if required.callee.is_specific_id("require") => {
            text_of(required.arguments.first()?.as_expression()?)?
        }
        _ => return None,
    };
    call.arguments.first()?.as_expression().filter(|_| specifier == "fastify-plugin")
}

impl<'a> Calls<'_, '_, 'a, '_> {
    /// The hooks that the options of a route name; `None` for what are no options.
    pub(super) fn hooks(&self, options: &Expression<'a>) -> Option<Vec<String>> {
        match options.get_inner_expression() {
            Expression::ObjectExpression(options) => Some(self.hooks_of(options)),
            Expression::Identifier(name) => {
                let known = self.options.iter().rev().find(|(known, _)| name.name == *known);
                known.map(|(_, hooks)| hooks.clone())
            }
            _ => None,
        }
    }

    fn hooks_of(&self, options: &ObjectExpression<'a>) -> Vec<String> {
        let mut found = Vec::new();
        for (phase, hook) in Route::PHASES.iter().enumerate() {
            let named = option(options, hook).map(|hooks| flat(&[hooks])).into_iter().flatten();
            let named = named.map(|hook| self.hook(hook)).filter(|name| name != Route::ANONYMOUS);
            found.extend(named.map(|name| format!("{phase}{name}")));
        }
        let spread = options.properties.iter().filter_map(|property| match property {
            ObjectPropertyKind::SpreadProperty(spread) => self.hooks(&spread.argument),
            ObjectPropertyKind::ObjectProperty(_) => None,
        });
        found.extend(spread.flatten());
        found
    }

    /// What a hook is called: `(request) => request.jwtVerify()` is what it calls.
    pub(super) fn hook(&self, hook: &Expression<'a>) -> String {
        let name = self.handler(hook);
        let only =
            Callable::of(hook).filter(|function| name == Route::ANONYMOUS && function.statements().len() < 2);
        let mut last = only.and_then(maker::last).map(Expression::get_inner_expression);
        if let Some(Expression::AwaitExpression(awaited)) = last {
            last = Some(awaited.argument.get_inner_expression());
        }
        let called = last.filter(|last| matches!(last, Expression::CallExpression(_)));
        called.and_then(|call| self.print.outside(call, LONGEST_HANDLER)).unwrap_or(name)
    }
}
