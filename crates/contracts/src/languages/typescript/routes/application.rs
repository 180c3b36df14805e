//! Applications of `NestJS`, and what they do to the paths of all their routes: a prefix, what is excepted from it, and
//! versions.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use oxc_ast::ast::{
    Argument, ArrowFunctionExpression, AssignmentExpression, CallExpression, Expression, FormalParameter,
    Function, Program, SimpleAssignmentTarget, StaticMemberExpression, VariableDeclaration,
    VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;

use super::super::component::Callable;
use super::super::print::Print;
use super::nest::{Names, handed_on, mount, option};
use super::{Constants, Routes, Texts};
use crate::model::{NestApplication, Route};

pub(super) fn of<'a>(
    program: &Program<'a>,
    print: Print<'_, 'a>,
    constants: &Constants,
    routes: &mut Routes,
) {
    /// One of these is said wherever there is something to find.
    static WORDS: LazyLock<[Finder<'static>; 4]> = LazyLock::new(|| {
        ["NestFactory", "setGlobalPrefix", "enableVersioning", "useGlobalGuards"].map(Finder::new)
    });
    if !WORDS.iter().any(|word| word.find(program.source_text.as_bytes()).is_some()) {
        return;
    }
    let names = Names { program, print, texts: Texts::new(constants) };
    let mut found = Applications { names, inside: 0, found: BTreeMap::new() };
    found.visit_program(program);
    for (owner, Made { module, prefix, guards, line, application }) in found.found {
        let path = prefix.map(|prefix| Route::joined(&prefix, "")).unwrap_or_default();
        let route = mount(owner, path, module.unwrap_or_default(), line);
        routes.table.push(Route { guards, application: Some(Box::new(application)), ..route });
    }
}

struct Applications<'x, 's, 'a> {
    names: Names<'x, 's, 'a>,
    /// How many functions are walked.
    inside: u32,
    /// By the names that hold them.
    found: BTreeMap<String, Made>,
}

#[derive(Default)]
struct Made {
    /// What it was made of; absent where that was elsewhere.
    module: Option<String>,
    prefix: Option<String>,
    /// Of all its routes.
    guards: Vec<String>,
    line: u32,
    application: NestApplication,
}

impl<'a> Visit<'a> for Applications<'_, '_, 'a> {
    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        self.within(|found| walk::walk_function(found, function, flags));
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        self.within(|found| walk::walk_arrow_function_expression(found, arrow));
    }

    fn visit_formal_parameter(&mut self, parameter: &FormalParameter<'a>) {
        self.names.texts.hide(&parameter.pattern);
        walk::walk_formal_parameter(self, parameter);
    }

    fn visit_variable_declaration(&mut self, variables: &VariableDeclaration<'a>) {
        let around = std::mem::replace(&mut self.names.texts.of_constants, variables.kind.is_const());
        walk::walk_variable_declaration(self, variables);
        self.names.texts.of_constants = around;
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if self.inside > 0 {
            self.names.texts.declared(declarator);
        }
        if let (Some(name), Some(init)) = (declarator.id.get_identifier_name(), &declarator.init) {
            self.made(name.as_str(), init);
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        if let Some(name) = assignment.left.as_simple_assignment_target().and_then(|left| match left {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => Some(name.name.into_string()),
            SimpleAssignmentTarget::StaticMemberExpression(member) => field(member),
            _ => None,
        }) {
            self.made(&name, &assignment.right);
        }
        walk::walk_assignment_expression(self, assignment);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Expression::StaticMemberExpression(member) = &call.callee {
            match (member.property.name.as_str(), first_name(&member.object)) {
                (what @ ("setGlobalPrefix" | "enableVersioning" | "useGlobalGuards"), Some(owner)) => {
                    self.told(&owner, what, call);
                }
                ("then", _) => self.awaited(&member.object, call),
                _ => {}
            }
        }
        self.handed_over(call);
        walk::walk_call_expression(self, call);
    }
}

impl<'a> Applications<'_, '_, 'a> {
    /// Walks a function, whose own names are nobody else's.
    fn within(&mut self, walk: impl FnOnce(&mut Self)) {
        let hidden = self.names.texts.hidden.len();
        self.inside += 1;
        walk(self);
        self.inside -= 1;
        self.names.texts.hidden.truncate(hidden);
    }

    /// `const app = await NestFactory.create(AppModule)`.
    fn made(&mut self, name: &str, init: &Expression<'a>) {
        let init = match init.get_inner_expression() {
            Expression::AwaitExpression(awaited) => awaited.argument.get_inner_expression(),
            other => other,
        };
        let Expression::CallExpression(call) = init else { return };
        if !call.callee.is_specific_member_access("NestFactory", "create") {
            return;
        }
        let module = call.arguments.first().and_then(Argument::as_expression).and_then(handed_on);
        if let Some(module) = module {
            let line = self.names.print.source.line(call.span.start);
            let made = self.found.entry(name.to_owned()).or_default();
            made.application.is_open |= made.module.is_some();
            made.module = Some(module.to_owned());
            made.line = line;
        }
    }

    /// `NestFactory.create(AppModule).then((app) => …)`.
    fn awaited(&mut self, made: &Expression<'a>, call: &CallExpression<'a>) {
        let taken = call.arguments.first().and_then(Argument::as_expression).and_then(Callable::of);
        let first = taken.and_then(|taken| taken.parameters().items.first());
        if let Some(name) = first.and_then(|first| first.pattern.get_identifier_name()) {
            self.made(name.as_str(), made);
        }
    }

    fn told(&mut self, owner: &str, what: &str, call: &CallExpression<'a>) {
        let names = &self.names;
        let line = names.print.source.line(call.span.start);
        let mut arguments = call.arguments.iter().map(Argument::as_expression);
        let made = self.found.entry(owner.to_owned()).or_default();
        if what == "useGlobalGuards" {
            made.guards.extend(call.arguments.iter().map(|guard| names.print.argument(guard)));
            return;
        }
        let application = &mut made.application;
        if what == "enableVersioning" {
            application.is_open |= application.before_version.is_some();
            versioned(application, call.arguments.first(), names);
            return;
        }
        let Some(Some(prefix)) = arguments.next() else { return };
        application.is_open |= made.prefix.is_some();
        made.prefix = Some(names.shown(prefix));
        made.line = line;
        let Some(options) = arguments.next() else { return };
        match options.map(Expression::get_inner_expression) {
            Some(Expression::ObjectExpression(options)) => {
                if let Some(excluded) = option(options, "exclude") {
                    application.is_open |= excluded_from(application, excluded, names).is_none();
                }
            }
            _ => application.is_open = true,
        }
    }

    /// `configure(app)`, `Setup.configure(app)`.
    fn handed_over(&mut self, call: &CallExpression<'a>) {
        for argument in call.arguments.iter().filter_map(Argument::as_expression) {
            let Expression::Identifier(app) = argument else { continue };
            let Some(made) = self.found.get_mut(app.name.as_str()) else { continue };
            if let Some(function) = first_name(&call.callee).filter(|name| app.name != name.as_str()) {
                made.application.handed_to.push(function);
            }
        }
    }
}

/// What a chain begins with: `app` of `app.setGlobalPrefix('a').enableVersioning`, and `this.app`.
fn first_name(chain: &Expression<'_>) -> Option<String> {
    match chain.get_inner_expression() {
        Expression::Identifier(name) => Some(name.name.into_string()),
        Expression::StaticMemberExpression(member) => field(member).or_else(|| first_name(&member.object)),
        Expression::CallExpression(call) => first_name(&call.callee),
        _ => None,
    }
}

/// `this.app`.
fn field(member: &StaticMemberExpression<'_>) -> Option<String> {
    let is_of_this = matches!(member.object, Expression::ThisExpression(_));
    is_of_this.then(|| format!("this.{}", member.property.name))
}

/// `exclude: ['health', { path: 'cats', method: RequestMethod.GET }]`; `None` where it is not written out.
fn excluded_from<'a>(
    application: &mut NestApplication,
    excluded: &Expression<'a>,
    names: &Names<'_, '_, 'a>,
) -> Option<()> {
    for one in &names.list(excluded)?.elements {
        let one = one.as_expression()?;
        let (method, path) = match one.get_inner_expression() {
            Expression::ObjectExpression(route) => {
                let method = match option(route, "method")?.get_inner_expression() {
                    Expression::StaticMemberExpression(method) => method.property.name.as_str(),
                    _ => return None,
                };
                (method, option(route, "path")?)
            }
            _ => ("ALL", one),
        };
        application.excluded.push((method.to_owned(), names.shown(path)));
    }
    Some(())
}

fn versioned<'a>(
    application: &mut NestApplication,
    options: Option<&Argument<'a>>,
    names: &Names<'_, '_, 'a>,
) {
    const USUAL: &str = "v";
    let options = match options.map(|options| options.as_expression().map(Expression::get_inner_expression)) {
        None => {
            application.before_version = Some(USUAL.to_owned());
            return;
        }
        Some(Some(Expression::ObjectExpression(options))) => options,
        Some(_) => {
            application.is_open = true;
            return;
        }
    };
    match option(options, "type").map(Expression::get_inner_expression) {
        Some(Expression::StaticMemberExpression(kind)) if kind.property.name == "URI" => {}
        // In a header or the like: paths are as they are.
        Some(Expression::StaticMemberExpression(_)) => return,
        _ => application.is_open = true,
    }
    application.before_version = match option(options, "prefix").map(Expression::get_inner_expression) {
        None => Some(USUAL.to_owned()),
        Some(Expression::BooleanLiteral(flag)) if !flag.value => Some(String::new()),
        Some(prefix) => Some(names.shown(prefix)),
    };
    if let Some(versions) = option(options, "defaultVersion") {
        application.versions = names.versions(versions);
    }
}
