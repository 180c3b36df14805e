//! The decorators of `NestJS` controllers, and of the modules that lead to them.

use oxc_ast::ast::{
    ArrayExpression, Class, ClassElement, Decorator, Expression, Function, ObjectExpression, Program,
    Statement,
};
use oxc_span::GetSpan;

use super::super::body::{callee_name, text_of};
use super::super::modules::constants;
use super::super::print::Print;
use super::{Constants, Routes, Texts, VERBS};
use crate::model::{NestClass, Route, RouteFramework, RouteParameter, RouteParameterSource};

/// Decorators of routes besides those of the usual verbs.
const OTHER_VERBS: &[&str] =
    &["Copy", "Lock", "Mkcol", "Move", "Propfind", "Proppatch", "Search", "Sse", "Unlock"];

pub(super) fn of(program: &Program<'_>, print: Print<'_, '_>, constants: &Constants, routes: &mut Routes) {
    let names = Names { program, print, texts: Texts::new(constants) };
    for class in program.body.iter().filter_map(class_of) {
        nest(class, &names, routes);
    }
}

/// What names of the file stand for.
pub(super) struct Names<'x, 's, 'a> {
    pub(super) program: &'x Program<'a>,
    pub(super) print: Print<'s, 'a>,
    pub(super) texts: Texts<'x, 'x>,
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
    }
}

/// `@Module({ imports: [UsersModule], controllers: [UsersController] })`.
fn module<'a>(decorator: &Decorator<'a>, class_name: &str, names: &Names<'_, '_, 'a>, routes: &mut Routes) {
    let Some(Expression::ObjectExpression(options)) = decorator_argument(decorator) else { return };
    for property in options.properties.iter().filter_map(|property| property.as_property()) {
        let leads = ["imports", "controllers"].iter().any(|name| property.key.is_specific_static_name(name));
        let Some(list) = leads.then(|| names.list(&property.value)).flatten() else { continue };
        for one in list.elements.iter().filter_map(|one| one.as_expression()) {
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
fn handed_on<'x>(one: &'x Expression<'_>) -> Option<&'x str> {
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
    for decorator in &class.decorators {
        if let Some(name) = decorator_name(decorator) {
            routes.decorators.insert(format!("@{name}"));
        }
    }
    let class_name = class.id.as_ref().map_or("default", |id| id.name.as_str());
    if let Some(decorator) = class.decorators.iter().find(|one| decorator_name(one) == Some("Module")) {
        module(decorator, class_name, names, routes);
    }
    let controller = class.decorators.iter().find(|one| decorator_name(one) == Some("Controller"));
    routes.is_controller |= controller.is_some();
    let prefixes = controller.map(|controller| decorator_paths(controller, names)).unwrap_or_default();
    let versions = match controller.and_then(decorator_argument).map(Expression::get_inner_expression) {
        Some(Expression::ObjectExpression(options)) => option(options, "version"),
        _ => None,
    };
    let versions = versions.map(|versions| names.versions(versions)).unwrap_or_default();
    let class_guards = guards(&class.decorators, print);
    let (mut found, mut methods) = (Vec::new(), Vec::new());
    for element in &class.body.body {
        let ClassElement::MethodDefinition(method) = element else { continue };
        let method_name = print.key(&method.key, method.computed);
        let version = method.decorators.iter().find(|one| decorator_name(one) == Some("Version"));
        let method_versions = version.and_then(decorator_argument).map(|one| names.versions(one));
        for decorator in &method.decorators {
            let Some(verb) = decorator_name(decorator) else { continue };
            if !VERBS.contains(&verb.to_ascii_lowercase().as_str()) && !OTHER_VERBS.contains(&verb) {
                continue;
            }
            routes.decorators.insert(format!("@{verb}"));
            for own in decorator_paths(decorator, names) {
                let line = print.source.line(decorator.span.start);
                found.push(Route {
                    method: if verb == "Sse" { "GET".to_owned() } else { verb.to_ascii_uppercase() },
                    parameters: nest_parameters(&method.value, print),
                    guards: guards(&method.decorators, print),
                    returns: print.annotation_or(method.value.return_type.as_deref(), ""),
                    status: status(&method.decorators),
                    versions: method_versions.as_ref().unwrap_or(&versions).clone(),
                    ..mount(class_name.to_owned(), own, format!("{class_name}.{method_name}"), line)
                });
            }
        }
        methods.push(method_name);
    }
    let parent = match class.heritage.as_ref().map(|heritage| heritage.expression.get_inner_expression()) {
        Some(Expression::Identifier(parent)) => parent.name.into_string(),
        _ => String::new(),
    };
    let is_base = controller.is_none() && !found.is_empty();
    if is_base || !parent.is_empty() || !class_guards.is_empty() || !versions.is_empty() {
        let line = print.source.line(class.span.start);
        let routes_of_base = if is_base { found.clone() } else { Vec::new() };
        let methods = if parent.is_empty() { Vec::new() } else { methods };
        let told = NestClass { parent, prefixes: prefixes.clone(), methods, routes: routes_of_base };
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

fn nest_parameters(function: &Function<'_>, print: Print<'_, '_>) -> Vec<RouteParameter> {
    let mut found = Vec::new();
    for item in &function.params.items {
        let Some(decorator) = item.decorators.first() else { continue };
        let source = match decorator_name(decorator) {
            Some("Param") => RouteParameterSource::Path,
            Some("Query") => RouteParameterSource::Query,
            Some("Body" | "UploadedFile" | "UploadedFiles") => RouteParameterSource::Body,
            Some("Headers") => RouteParameterSource::Headers,
            _ => RouteParameterSource::Other,
        };
        let named = decorator_argument(decorator).and_then(text_of);
        let name = named.unwrap_or_else(|| print.pattern(&item.pattern));
        let text = print.annotation_or(item.type_annotation.as_deref(), "");
        let optional = item.optional || item.initializer.is_some();
        found.push(RouteParameter { name, source, text, optional });
    }
    found
}

/// `@HttpCode(204)`.
fn status(decorators: &[Decorator<'_>]) -> Option<u16> {
    let code =
        decorators.iter().find(|one| decorator_name(one) == Some("HttpCode")).and_then(decorator_argument)?;
    match code {
        Expression::NumericLiteral(number) => super::super::expression::number(number).parse().ok(),
        _ => None,
    }
}

/// The arguments of every `@UseGuards(…)`.
fn guards(decorators: &[Decorator<'_>], print: Print<'_, '_>) -> Vec<String> {
    let mut found = Vec::new();
    for decorator in decorators.iter().filter(|one| decorator_name(one) == Some("UseGuards")) {
        if let Expression::CallExpression(call) = &decorator.expression {
            found.extend(call.arguments.iter().map(|argument| print.argument(argument)));
        }
    }
    found
}

fn decorator_name<'x>(decorator: &'x Decorator<'_>) -> Option<&'x str> {
    match &decorator.expression {
        Expression::CallExpression(call) => callee_name(&call.callee),
        other => callee_name(other),
    }
}

fn decorator_argument<'x, 'a>(decorator: &'x Decorator<'a>) -> Option<&'x Expression<'a>> {
    match &decorator.expression {
        Expression::CallExpression(call) => call.arguments.first()?.as_expression(),
        _ => None,
    }
}

/// `@Get()`, `@Get('a')`, `@Get(['a', 'b'])`, `@Controller({ path: 'a' })`; at least one path always.
fn decorator_paths(decorator: &Decorator<'_>, names: &Names<'_, '_, '_>) -> Vec<String> {
    match decorator_argument(decorator).map(Expression::get_inner_expression) {
        None => vec![String::new()],
        Some(Expression::ObjectExpression(options)) => {
            option(options, "path").map_or_else(|| vec![String::new()], |paths| names.each(paths))
        }
        Some(paths) => names.each(paths),
    }
}
