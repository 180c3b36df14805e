//! The decorators of `NestJS` controllers, and of the modules that lead to them.

use oxc_ast::ast::{
    ArrayExpression, ArrayExpressionElement, Class, ClassElement, Expression, ObjectExpression, Program,
    Statement,
};
use oxc_span::GetSpan;

use super::super::component::Callable;
use super::super::modules::constants;
use super::super::print::Print;
use super::decorators::{self, answered, argument, given_by, guards, name_of, parameters, paths, status};
use super::{Constants, Routes, Texts};
use crate::model::{NestClass, Route, RouteFramework};

const APP_GUARD: &str = "APP_GUARD";

pub(super) fn of(program: &Program<'_>, print: Print<'_, '_>, constants: &Constants, routes: &mut Routes) {
    let names = Names { program, print, texts: Texts::new(constants) };
    for class in program.body.iter().filter_map(class_of) {
        nest(class, &names, routes);
    }
    decorators::composed(program, print, constants, routes);
}

/// What names of the file stand for.
pub(super) struct Names<'x, 's, 'a> {
    pub(super) program: &'x Program<'a>,
    pub(super) print: Print<'s, 'a>,
    pub(super) texts: Texts<'x, 'a>,
}

impl<'a> Names<'_, '_, 'a> {
    /// A path that is a text, or a constant of the file that is one; else as it is written.
    pub(super) fn shown(&self, written: &Expression<'_>) -> String {
        self.texts.path(self.print, written)
    }

    pub(super) fn each(&self, paths: &Expression<'_>) -> Vec<String> {
        match paths.get_inner_expression() {
            Expression::ArrayExpression(paths) => {
                let paths = paths.elements.iter().filter_map(|element| element.as_expression());
                paths.map(|path| self.shown(path)).collect()
            }
            path => self.texts.constants.list(path).unwrap_or_else(|| vec![self.shown(path)]),
        }
    }

    /// `'1'`, `['1', '2']`, `VERSION_NEUTRAL`.
    pub(super) fn versions(&self, versions: &Expression<'_>) -> Vec<String> {
        let neutral = format!("${{{}}}", Route::NEUTRAL);
        let named = |version: String| if version == neutral { Route::NEUTRAL.to_owned() } else { version };
        self.each(versions).into_iter().map(named).collect()
    }

    /// What is in a list, with what is in those that are spread in it; a list of another file is one by its name.
    fn elements<'y>(&'y self, list: &'y Expression<'a>) -> Vec<&'y Expression<'a>> {
        let Some(written) = self.list(list) else { return vec![list] };
        let each = written.elements.iter().flat_map(|one| match one {
            ArrayExpressionElement::SpreadElement(spread) => match self.list(&spread.argument) {
                Some(inner) => inner.elements.iter().filter_map(|one| one.as_expression()).collect(),
                None => vec![&spread.argument],
            },
            one => one.as_expression().into_iter().collect(),
        });
        each.collect()
    }

    /// A list, or a constant of the file that is one.
    pub(super) fn list<'y>(&'y self, list: &'y Expression<'a>) -> Option<&'y ArrayExpression<'a>> {
        match list.get_inner_expression() {
            Expression::ArrayExpression(list) => Some(list),
            Expression::Identifier(name) => {
                let mut known = constants(self.program).filter(|(known, _)| *known == name.name);
                match known.next()?.1.get_inner_expression() {
                    Expression::ArrayExpression(list) => Some(list),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

pub(super) fn option<'x, 'a>(options: &'x ObjectExpression<'a>, name: &str) -> Option<&'x Expression<'a>> {
    let mut properties = options.properties.iter().filter_map(|property| property.as_property());
    properties.find(|property| property.key.is_specific_static_name(name)).map(|property| &property.value)
}

/// What is handed on without a path of its own is only there for what is behind it.
pub(super) fn mount(owner: String, path: String, handler: String, line: u32) -> Route {
    Route {
        framework: RouteFramework::NestJs,
        method: Route::USE.to_owned(),
        path,
        handler,
        parameters: Vec::new(),
        guards: Vec::new(),
        returns: String::new(),
        status: None,
        line,
        owner,
        local_path: None,
        file: None,
        versions: Vec::new(),
        full_paths: Vec::new(),
        application: None,
        class: None,
        within: 0,
        awaited: false,
    }
}

/// `@Module({ imports: [UsersModule], controllers: [UsersController] })`, also where a method of its class gives that.
fn module<'a>(options: &Expression<'a>, class_name: &str, names: &Names<'_, '_, 'a>, routes: &mut Routes) {
    let Expression::ObjectExpression(options) = options.get_inner_expression() else { return };
    guarded(options, class_name, names, routes);
    for property in options.properties.iter().filter_map(|property| property.as_property()) {
        let leads = ["imports", "controllers"].iter().any(|name| property.key.is_specific_static_name(name));
        for one in leads.then(|| names.elements(&property.value)).into_iter().flatten() {
            let line = names.print.source.line(one.span().start);
            let mut lead = |path: String, name: &str| {
                routes.table.push(mount(class_name.to_owned(), path, name.to_owned(), line));
            };
            match registered(one).map(|tree| (names.list(tree), tree)) {
                Some((Some(list), _)) => placed(list, "", names, &mut lead),
                // Which modules it puts where is decided elsewhere.
                Some((None, tree)) => lead(Route::joined(&names.shown(tree), ""), "RouterModule"),
                None => {
                    if let Some(name) = handed_on(one) {
                        lead(String::new(), name);
                    }
                }
            }
        }
    }
}

/// `providers: [{ provide: APP_GUARD, useClass: AuthGuard }]`, which guards all routes of the application.
fn guarded<'a>(
    options: &ObjectExpression<'a>,
    class_name: &str,
    names: &Names<'_, '_, 'a>,
    routes: &mut Routes,
) {
    for one in option(options, "providers").into_iter().flat_map(|list| names.elements(list)) {
        let Expression::ObjectExpression(provider) = one.get_inner_expression() else { continue };
        if !option(provider, "provide").is_some_and(|token| token.is_specific_id(APP_GUARD)) {
            continue;
        }
        let said = ["useClass", "useExisting", "useValue"].iter().find_map(|how| option(provider, how));
        let guard = said.map_or_else(|| APP_GUARD.to_owned(), |guard| names.print.expression(guard));
        let line = names.print.source.line(one.span().start);
        let lead = mount(class_name.to_owned(), String::new(), String::new(), line);
        routes.table.push(Route { guards: vec![guard], ..lead });
    }
}

/// The tree of `RouterModule.register(tree)`.
fn registered<'x, 'a>(one: &'x Expression<'a>) -> Option<&'x Expression<'a>> {
    let Expression::CallExpression(call) = one.get_inner_expression() else { return None };
    let registers = call.callee.is_specific_member_access("RouterModule", "register");
    call.arguments.first().filter(|_| registers)?.as_expression()
}

/// The modules of `[{ path: 'admin', module: AdminModule, children: [UsersModule] }]`, each with its path.
fn placed<'a>(
    list: &ArrayExpression<'a>,
    above: &str,
    names: &Names<'_, '_, 'a>,
    lead: &mut dyn FnMut(String, &str),
) {
    for one in list.elements.iter().filter_map(|one| one.as_expression()) {
        let Expression::ObjectExpression(tree) = one.get_inner_expression() else {
            if let Some(name) = handed_on(one) {
                lead(above.to_owned(), name);
            }
            continue;
        };
        let own = option(tree, "path").map(|path| names.shown(path)).unwrap_or_default();
        let path = Route::joined(above, &own);
        if let Some(name) = option(tree, "module").and_then(handed_on) {
            lead(path.clone(), name);
        }
        if let Some(children) = option(tree, "children") {
            match names.list(children) {
                Some(children) => placed(children, &path, names, lead),
                None => lead(Route::joined(&path, &names.shown(children)), "RouterModule"),
            }
        }
    }
}

/// `Users`, `Users.forRoot(…)`, `forwardRef(() => Users)`.
pub(super) fn handed_on<'x>(one: &'x Expression<'_>) -> Option<&'x str> {
    match one.get_inner_expression() {
        Expression::Identifier(name) => Some(name.name.as_str()),
        Expression::CallExpression(call) => match call.callee.get_inner_expression() {
            Expression::StaticMemberExpression(member) => handed_on(&member.object),
            Expression::Identifier(_) => match call.arguments.first()?.as_expression()? {
                Expression::ArrowFunctionExpression(arrow) => handed_on(arrow.body.as_expression()?),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn class_of<'x, 'a>(statement: &'x Statement<'a>) -> Option<&'x Class<'a>> {
    use oxc_ast::ast::{Declaration, ExportDefaultDeclarationKind};
    match statement {
        Statement::ClassDeclaration(class) => Some(class),
        Statement::ExportDeclaration(export) => match &export.declaration {
            Declaration::ClassDeclaration(class) => Some(class),
            _ => None,
        },
        Statement::ExportDefaultDeclaration(export) => match &export.declaration {
            ExportDefaultDeclarationKind::ClassDeclaration(class) => Some(class),
            _ => None,
        },
        _ => None,
    }
}

fn nest<'a>(class: &Class<'a>, names: &Names<'_, '_, 'a>, routes: &mut Routes) {
    let print = names.print;
    let of_class: Vec<&Expression<'a>> = class.decorators.iter().map(|one| &one.expression).collect();
    routes
        .decorators
        .extend(of_class.iter().filter_map(|one| name_of(one, print)).map(|name| format!("@{name}")));
    let named = |wanted: &str| of_class.iter().copied().find(|one| name_of(one, print) == Some(wanted));
    let class_name = class.id.as_ref().map_or("default", |id| id.name.as_str());
    if let Some(decorator) = named("Module") {
        let dynamic = class.body.body.iter().filter_map(|element| match element {
            ClassElement::MethodDefinition(method) if method.r#static => {
                Some(given_by(Callable::Function(&method.value))?.1)
            }
            _ => None,
        });
        for options in argument(decorator).into_iter().chain(dynamic.flatten()) {
            module(options, class_name, names, routes);
        }
    }
    let controller = named("Controller");
    routes.is_controller |= controller.is_some();
    let prefixes = controller.map(|controller| paths(controller, names)).unwrap_or_default();
    let versions = match controller.and_then(argument).map(Expression::get_inner_expression) {
        Some(Expression::ObjectExpression(options)) => option(options, "version"),
        _ => None,
    };
    let versions = versions.map(|versions| names.versions(versions)).unwrap_or_default();
    let class_guards = guards(&of_class, names);
    let (mut found, mut methods) = (Vec::new(), Vec::new());
    for element in &class.body.body {
        let ClassElement::MethodDefinition(method) = element else { continue };
        let method_name = print.key(&method.key, method.computed);
        let of_method: Vec<&Expression<'a>> = method.decorators.iter().map(|one| &one.expression).collect();
        let version = of_method.iter().copied().find(|one| name_of(one, print) == Some("Version"));
        let method_versions = version.and_then(argument).map(|one| names.versions(one));
        let guards = guards(&of_method, names);
        let mut answers = Vec::new();
        for decorator in &of_method {
            if let Some((verb, own)) = answered(decorator, names) {
                routes.decorators.extend(name_of(decorator, print).map(|name| format!("@{name}")));
                answers.extend(own.into_iter().map(|own| (verb.clone(), own, decorator.span().start)));
            }
        }
        if answers.is_empty()
            && controller.is_some()
            && guards.iter().any(|one| one.starts_with(Route::DECORATOR))
        {
            // Another file may say what it answers.
            answers.push((String::new(), String::new(), method.span.start));
        }
        for (verb, own, start) in answers {
            let line = print.source.line(start);
            found.push(Route {
                method: verb,
                parameters: parameters(&method.value, print),
                guards: guards.clone(),
                returns: print.annotation_or(method.value.return_type.as_deref(), ""),
                status: status(&of_method, print),
                versions: method_versions.as_ref().unwrap_or(&versions).clone(),
                ..mount(class_name.to_owned(), own, format!("{class_name}.{method_name}"), line)
            });
        }
        methods.push(method_name);
    }
    let heritage = class.heritage.as_ref();
    let parent = match heritage.map(|heritage| heritage.expression.get_inner_expression()) {
        Some(Expression::Identifier(parent)) => parent.name.into_string(),
        _ => String::new(),
    };
    let given = heritage.and_then(|heritage| heritage.type_arguments.as_ref());
    let gives = given.into_iter().flat_map(|given| &given.params).map(|ty| print.ty(ty)).collect();
    let taken = class.type_parameters.as_ref().filter(|_| !found.is_empty() || !parent.is_empty());
    let taken = taken.into_iter().flat_map(|taken| &taken.params);
    let takes: Vec<String> = taken.map(|one| one.name.name.into_string()).collect();
    let is_base = controller.is_none() && !found.is_empty();
    let says_more = !class_guards.is_empty() || !versions.is_empty() || !takes.is_empty();
    if is_base || !parent.is_empty() || says_more {
        let line = print.source.line(class.span.start);
        let routes_of_base = if is_base { found.clone() } else { Vec::new() };
        let methods = if parent.is_empty() { Vec::new() } else { methods };
        let prefixes = prefixes.clone();
        let told = NestClass { parent, prefixes, methods, routes: routes_of_base, takes, gives };
        routes.table.push(Route {
            guards: class_guards.clone(),
            versions,
            class: Some(Box::new(told)),
            ..mount(class_name.to_owned(), String::new(), String::new(), line)
        });
    }
    // In the order of the methods.
    for route in found {
        for prefix in &prefixes {
            routes.table.push(Route {
                path: Route::joined(prefix, &route.path),
                local_path: Some(route.path.clone()),
                guards: class_guards.iter().chain(&route.guards).cloned().collect(),
                ..route.clone()
            });
        }
    }
}
