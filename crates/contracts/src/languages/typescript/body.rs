//! One walk over everything inside declarations: hooks that are called, components that are rendered, modules that are
//! loaded, state that is kept, props that are called or passed on.
//!
//! What belongs to the file is collected in `FileUse`; what belongs to the declaration being walked, in `BodyUse`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use becket_base::divided;
use oxc_allocator::ArenaVec;
use oxc_ast::ast::{
    Argument, ArrowFunctionExpression, AssignmentExpression, AssignmentTarget, BindingPattern,
    BindingProperty, CallExpression, Expression, ExpressionStatement, FormalParameters, Function, Ident,
    ImportExpression, JSXAttributeItem, JSXAttributeName, JSXAttributeValue, JSXElementName, JSXFragment,
    JSXMemberExpression, JSXMemberExpressionObject, JSXOpeningElement, NewExpression, ObjectProperty,
    ObjectPropertyKind, ReturnStatement, Statement, StaticMemberExpression, Str, TSImportType,
    TaggedTemplateExpression, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::Span;
use oxc_syntax::scope::ScopeFlags;

use super::component::Callable;
use super::loading::{loaded, matched, placed, required, specifiers};
use super::modules::bound_names;
use super::origins::{Origin, root};
use super::print::{Print, qualifier};
use super::props::Props;
use super::routes::{is_usual_application, registers};
use super::state::{object_state, state_of};
use super::style::StyleCollector;
use super::vue_events::Emitter;
use crate::model::{Import, ImportKind, ImportedName, State, is_react};

#[derive(Default)]
pub(super) struct FileUse {
    pub(super) hooks: BTreeSet<String>,
    pub(super) components: BTreeSet<String>,
    pub(super) imports: Vec<Import>,
    /// Where a `require` or an `import()` begins of which it is known what is taken.
    pub(super) named: BTreeSet<u32>,
    pub(super) reads_arguments: bool,
    pub(super) has_jsx: bool,
    /// Whether something is called as what registers routes is, whatever on.
    pub(super) registers: bool,
    /// `ref` and its like keep state.
    pub(super) is_vue: bool,
    /// Functions with a `'use server'` of their own.
    pub(super) actions: BTreeSet<String>,
    pub(super) style: StyleCollector,
}

#[derive(Default)]
pub(super) struct BodyUse {
    pub(super) has_jsx: bool,
    /// Itself, when it is called.
    pub(super) calls_hooks: bool,
    /// Also in functions inside of it, which others may call: `renderHook(() => useCard())`.
    pub(super) has_hooks: bool,
    /// Gives a value at all; what functions inside of it give is theirs.
    pub(super) returns: bool,
    /// Functions of its own that are called as hooks are, and are none: what they call is in the body too.
    pub(super) own_hooks: Vec<String>,
    /// Names of constants that hold what a hook gave.
    pub(super) from_hooks: Vec<Span>,
    /// How many functions deep the walk is.
    pub(super) depth: usize,
    /// How many lists of statements deep.
    pub(super) blocks: usize,
    pub(super) state: Vec<State>,
    pub(super) callbacks: BTreeSet<String>,
    pub(super) spreads_rest: bool,
    /// Props that are taken apart inside the body, as `const { a } = props`.
    pub(super) destructured: Vec<(String, Option<String>)>,
    pub(super) props: Props,
    /// What a component of Vue tells events by, where it declares none.
    pub(super) emitter: Option<Box<Emitter>>,
    pub(super) emitted: Vec<String>,
}

pub(super) struct Walk<'w, 's, 'a> {
    pub(super) print: Print<'s, 'a>,
    pub(super) file: &'w mut FileUse,
    pub(super) body: BodyUse,
}

impl<'a> Visit<'a> for Walk<'_, '_, 'a> {
    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Some(name) = callee_name(&call.callee) {
            // `document.createElement()` is of something else than of React.
            let is_own = is_own_name(&call.callee);
            if is_hook(name) && !self.body.own_hooks.iter().any(|own| own == name) {
                if is_own || self.has_hooks(name, &call.callee) {
                    self.file.hooks.insert(name.to_owned());
                }
                self.body.has_hooks |= is_own;
                self.body.calls_hooks |= is_own && self.body.depth == 0;
            }
            self.body.has_jsx |= is_own && (is_rendering(name) || self.renders_as(name));
            self.file.style.call(name, call);
        }
        let is_new = |file: &mut FileUse| file.named.insert(call.span.start);
        if let Some(specifiers) = required(self.print, call).filter(|_| is_new(self.file)) {
            // Given to somebody, or whatever else: it is all of it, unless only its place is asked for.
            let is_loaded = call.callee.is_specific_id("require");
            let names = if is_loaded { vec![taken("*")] } else { Vec::new() };
            self.load(specifiers, ImportKind::Require, &names, call.span);
        }
        if let Some(found) = matched(call) {
            let name = taken(found.name.as_deref().unwrap_or("*"));
            self.load(found.specifiers, found.kind, &[name], call.span);
        }
        self.name_awaited(call);
        self.file.registers = self.file.registers || looks_like_route(call);
        if let Some(emitter) = &self.body.emitter {
            self.body.emitted.extend(emitter.event(call, self.print));
        }
        self.pass_on(&call.callee);
        // `onPress.call(…)` calls it too.
        if let Expression::StaticMemberExpression(member) = &call.callee {
            if matches!(member.property.name.as_str(), "call" | "apply" | "bind") {
                self.pass_on(&member.object);
            }
        }
        for argument in call.arguments.iter().filter_map(Argument::as_expression) {
            self.pass_on(argument);
        }
        walk::walk_call_expression(self, call);
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if let Some(init) = &declarator.init {
            if let (BindingPattern::BindingIdentifier(name), Expression::CallExpression(call)) =
                (&declarator.id, init.get_inner_expression())
            {
                self.body
                    .from_hooks
                    .extend(callee_name(&call.callee).filter(|name| is_hook(name)).map(|_| name.span));
            }
            if let Some(emitter) = &mut self.body.emitter {
                emitter.declare(declarator, init);
            }
            self.body.state.extend(state_of(self.print, declarator, self.file.is_vue));
            self.name_required(declarator, init);
            self.name_action(declarator, init);
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_expression_statement(&mut self, statement: &ExpressionStatement<'a>) {
        // `require('./setup');` is for what happens then.
        if let Expression::CallExpression(call) = statement.expression.get_inner_expression() {
            if let Some(specifiers) = required(self.print, call) {
                self.file.named.insert(call.span.start);
                self.load(specifiers, ImportKind::Require, &[], call.span);
            }
        }
        walk::walk_expression_statement(self, statement);
    }

    fn visit_statements(&mut self, statements: &ArenaVec<'a, Statement<'a>>) {
        let BodyUse { props, destructured, depth, blocks, .. } = &mut self.body;
        let is_inner = *depth > 0 || *blocks > 0;
        let around = props.enter(self.print, statements, is_inner, destructured);
        self.body.blocks += 1;
        walk::walk_statements(self, statements);
        self.body.blocks -= 1;
        self.body.props.leave(around);
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        let directives = function.body.iter().flat_map(|body| &body.directives);
        if directives.into_iter().any(|directive| directive.directive == "use server") {
            self.file.actions.insert(function.name().map_or("anonymous".to_owned(), Ident::into_string));
        }
        self.inside(&function.params, |walk| walk::walk_function(walk, function, flags));
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        self.inside(&arrow.params, |walk| walk::walk_arrow_function_expression(walk, arrow));
    }

    fn visit_return_statement(&mut self, returned: &ReturnStatement<'a>) {
        self.body.returns |= self.body.depth == 0 && returned.argument.is_some();
        walk::walk_return_statement(self, returned);
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        if let AssignmentTarget::StaticMemberExpression(member) = &assignment.left {
            if matches!(member.object, Expression::ThisExpression(_)) && member.property.name == "state" {
                self.body.state.extend(object_state(self.print, &assignment.right));
            }
        }
        walk::walk_assignment_expression(self, assignment);
    }

    fn visit_object_property(&mut self, property: &ObjectProperty<'a>) {
        self.pass_on(&property.value);
        walk::walk_object_property(self, property);
    }

    fn visit_jsx_fragment(&mut self, fragment: &JSXFragment<'a>) {
        self.file.has_jsx = true;
        self.body.has_jsx = true;
        walk::walk_jsx_fragment(self, fragment);
    }

    fn visit_jsx_opening_element(&mut self, element: &JSXOpeningElement<'a>) {
        self.file.has_jsx = true;
        self.body.has_jsx = true;
        let tag = tag_name(&element.name);
        if tag.starts_with(|first: char| first.is_uppercase()) || tag.contains('.') {
            if !self.file.components.contains(&*tag) {
                self.file.components.insert(tag.to_string());
            }
        }
        self.file.style.element(&tag);
        for attribute in &element.attributes {
            match attribute {
                JSXAttributeItem::SpreadAttribute(spread) => {
                    self.body.spreads_rest |= self.body.props.is_rest(&spread.argument);
                }
                JSXAttributeItem::Attribute(attribute) => {
                    if let Some(JSXAttributeValue::ExpressionContainer(container)) = &attribute.value {
                        if let Some(expression) = container.expression.as_expression() {
                            self.pass_on(expression);
                        }
                    }
                    if let JSXAttributeName::Identifier(name) = &attribute.name {
                        self.file.style.attribute(self.print, &name.name, attribute.value.as_ref());
                    }
                }
            }
        }
        walk::walk_jsx_opening_element(self, element);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if self.file.named.insert(import.span.start) {
            let specifiers = specifiers(self.print, &import.source);
            self.load(specifiers, ImportKind::Dynamic, &[taken("*")], import.span);
        }
        walk::walk_import_expression(self, import);
    }

    fn visit_new_expression(&mut self, new: &NewExpression<'a>) {
        if let Some(specifier) = placed(new) {
            self.load(vec![specifier], ImportKind::Dynamic, &[], new.span);
        }
        // What is drawn there is the content of a picture: `new ImageResponse(<p />)`.
        let draws = new.callee.is_specific_id("ImageResponse");
        let before = (self.file.has_jsx, self.body.has_jsx);
        walk::walk_new_expression(self, new);
        if draws {
            (self.file.has_jsx, self.body.has_jsx) = before;
        }
    }

    fn visit_ts_import_type(&mut self, import: &TSImportType<'a>) {
        let imported = import.qualifier.as_ref().map_or_else(|| "*".to_owned(), qualifier);
        let imported = divided::before_first(&imported, b'.').to_owned();
        let name = ImportedName { imported, local: String::new(), type_only: true };
        self.load(vec![import.source.value.into_string()], ImportKind::TypeOnly, &[name], import.span);
        walk::walk_ts_import_type(self, import);
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        if member.property.name == "argv" && member.object.is_specific_id("process") {
            self.file.reads_arguments = true;
        }
        self.name_member(member, "");
        walk::walk_static_member_expression(self, member);
    }

    fn visit_tagged_template_expression(&mut self, tagged: &TaggedTemplateExpression<'a>) {
        self.file.style.tagged(self.print, tagged);
        walk::walk_tagged_template_expression(self, tagged);
    }
}

impl Walk<'_, '_, '_> {
    /// Whether a name stands for what makes elements: `h` of Preact, `createElement as el`.
    fn renders_as(&self, name: &str) -> bool {
        match self.print.source.origins.of(name) {
            Some(Origin::Module { specifier, name }) => {
                is_react(specifier) && (name == "h" || is_rendering(name))
            }
            _ => false,
        }
    }

    /// A function inside of another: parameters of the same names hide the props.
    fn inside(&mut self, parameters: &FormalParameters<'_>, walk: impl FnOnce(&mut Self)) {
        let mut taken = Vec::new();
        let rest = parameters.rest.iter().map(|rest| &rest.rest.argument);
        let patterns = parameters.items.iter().map(|parameter| &parameter.pattern).chain(rest);
        for pattern in patterns.filter(|_| self.body.props.has_names()) {
            bound_names(pattern, &mut taken);
        }
        let hidden = self.body.props.hidden_by(&taken);
        self.body.depth += 1;
        walk(self);
        self.body.depth -= 1;
        self.body.props.show(hidden);
    }

    /// Whether what is called as a hook is by a member is one. It is of an object that comes from another module
    /// (`React.useState`, `api.posts.useQuery`), that the file makes at its top of such a thing or writes there
    /// (`const Route = createFileRoute('/')(…)`), or that another hook gave (`const form = useForm()`). Whatever else a
    /// function is handed or makes may have any methods: a context of WebGL, an application of Nest.
    fn has_hooks(&self, name: &str, callee: &Expression<'_>) -> bool {
        // The one method of what browsers have that is called so.
        if name == "useProgram" {
            return false;
        }
        let Some(root) = root(callee) else { return false };
        let source = self.print.source;
        is_hook(root)
            || matches!(source.origins.of(root), Some(Origin::Module { .. } | Origin::Made))
            || self.body.from_hooks.iter().any(|name| source.slice(*name) == root)
    }

    /// A prop that is called, or handed over as a value, also behind a condition.
    fn pass_on(&mut self, expression: &Expression<'_>) {
        let callbacks = &mut self.body.callbacks;
        self.body.props.each_given(expression, &mut |prop| {
            if !callbacks.contains(prop) {
                callbacks.insert(prop.to_owned());
            }
        });
    }

    fn load(&mut self, specifiers: Vec<String>, kind: ImportKind, names: &[ImportedName], span: Span) {
        let line = self.print.source.line(span.start);
        let each =
            specifiers.into_iter().map(|specifier| Import { specifier, kind, names: names.to_vec(), line });
        self.file.imports.extend(each);
    }

    fn name_action(&mut self, declarator: &VariableDeclarator<'_>, init: &Expression<'_>) {
        let Expression::ArrowFunctionExpression(arrow) = init.get_inner_expression() else { return };
        let directives = arrow.body.as_function_body().into_iter().flat_map(|body| &body.directives);
        if directives.into_iter().any(|directive| directive.directive == "use server") {
            self.file.actions.extend(declarator.id.get_identifier_name().map(Ident::into_string));
        }
    }

    /// `require('x').a`
    fn name_member(&mut self, member: &StaticMemberExpression<'_>, local: &str) {
        let Some((specifiers, kind, span)) = loaded(self.print, &member.object) else { return };
        if self.file.named.insert(span.start) {
            let (imported, local) = (member.property.name.into_string(), local.to_owned());
            let name = ImportedName { imported, local, type_only: false };
            self.load(specifiers, kind, &[name], span);
        }
    }

    /// `const { a } = require('x')` names what it takes, and so do `const b = require('x').a` and `await import('x')`.
    pub(super) fn name_required(&mut self, declarator: &VariableDeclarator<'_>, init: &Expression<'_>) {
        if let Expression::StaticMemberExpression(member) = init.get_inner_expression() {
            let local = declarator.id.get_identifier_name();
            self.name_member(member, local.as_ref().map_or("", |local| local.as_str()));
            return;
        }
        let Some((specifiers, kind, span)) = loaded(self.print, init) else { return };
        if self.file.named.insert(span.start) {
            self.load(specifiers, kind, &names_taken(&declarator.id, kind), span);
        }
    }

    /// `import('x').then(({ a }) => …)`, `import('x').then((x) => x.a)`.
    fn name_awaited(&mut self, call: &CallExpression<'_>) {
        let Expression::StaticMemberExpression(callee) = call.callee.get_inner_expression() else { return };
        let Expression::ImportExpression(import) = callee.object.get_inner_expression() else { return };
        let first = call.arguments.first().and_then(Argument::as_expression).and_then(Callable::of);
        let Some(then) = first.filter(|_| callee.property.name == "then" && call.arguments.len() == 1) else {
            return;
        };
        let Some(parameter) = then.parameters().items.first() else { return };
        let names = match &parameter.pattern {
            BindingPattern::BindingIdentifier(whole) => {
                members_given(then, &whole.name).map(|members| members.into_iter().map(taken).collect())
            }
            pattern => Some(names_taken(pattern, ImportKind::Dynamic)),
        };
        if let Some(names) = names {
            if self.file.named.insert(import.span.start) {
                self.load(specifiers(self.print, &import.source), ImportKind::Dynamic, &names, import.span);
            }
        }
    }
}

/// `app.get('/a', show)`, `app[method]('/a', show)`, `register(app)`.
fn looks_like_route(call: &CallExpression<'_>) -> bool {
    let is_path = |text: &str| text.starts_with('/') || text == "*";
    match (call.callee.get_inner_expression(), call.arguments.first()) {
        (Expression::StaticMemberExpression(member), Some(Argument::ObjectExpression(_))) => {
            member.property.name == "route"
        }
        (Expression::StaticMemberExpression(member), Some(Argument::StringLiteral(text))) => {
            is_path(&text.value) && registers(&member.property.name) || member.property.name == "addHook"
        }
        // Of a plugin.
        (Expression::StaticMemberExpression(member), Some(_)) if member.property.name == "register" => {
            callee_name(&member.object).is_some_and(is_usual_application)
        }
        (Expression::StaticMemberExpression(member), Some(Argument::TemplateLiteral(text))) => {
            text.quasis.first().is_some_and(|text| text.value.raw.starts_with('/'))
                && registers(&member.property.name)
        }
        // In a loop.
        (Expression::StaticMemberExpression(member), Some(Argument::Identifier(_)))
            if registers(&member.property.name) && call.arguments.len() > 1 =>
        {
            callee_name(&member.object).is_some_and(is_usual_application)
        }
        (Expression::ComputedMemberExpression(_), Some(Argument::StringLiteral(text))) => {
            is_path(&text.value)
        }
        (_, Some(Argument::Identifier(given))) => is_usual_application(&given.name),
        _ => false,
    }
}

/// What a pattern takes of a module.
fn names_taken(pattern: &BindingPattern<'_>, kind: ImportKind) -> Vec<ImportedName> {
    let name = |imported: &str, local: &str| ImportedName { local: local.to_owned(), ..taken(imported) };
    match pattern {
        BindingPattern::BindingIdentifier(local) if kind == ImportKind::Require => {
            vec![name("*", &local.name)]
        }
        BindingPattern::ObjectPattern(object) => {
            // What is known when it runs may be any of it.
            let is_open = |one: &BindingProperty<'_>| one.key.static_name().is_none();
            let is_whole = object.rest.is_some() || object.properties.iter().any(is_open);
            let each = object.properties.iter().filter_map(|property| {
                let local = property.value.get_identifier_name();
                let local = local.as_ref().map_or("", |local| local.as_str());
                Some(name(&property.key.static_name()?, local))
            });
            each.chain(is_whole.then(|| taken("*"))).collect()
        }
        _ => vec![taken("*")],
    }
}

/// `(x) => x.a`, `(x) => ({ default: x.a })`: the members of a parameter, where they are all that is made of it.
fn members_given<'x>(callable: Callable<'x, '_>, whole: &str) -> Option<Vec<&'x str>> {
    let member = |value: &'x Expression<'_>| match value.get_inner_expression() {
        Expression::StaticMemberExpression(member) if member.object.is_specific_id(whole) => {
            Some(member.property.name.as_str())
        }
        _ => None,
    };
    let Callable::Arrow(arrow) = callable else { return None };
    let given = arrow.get_expression()?;
    let Expression::ObjectExpression(object) = given.get_inner_expression() else {
        return member(given).map(|name| vec![name]);
    };
    let each = object.properties.iter().map(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => member(&property.value),
        ObjectPropertyKind::SpreadProperty(_) => None,
    });
    each.collect()
}

fn taken(imported: &str) -> ImportedName {
    ImportedName { imported: imported.to_owned(), local: String::new(), type_only: false }
}

pub(crate) fn is_hook(name: &str) -> bool {
    name.strip_prefix("use")
        .is_some_and(|rest| rest.starts_with(|next: char| next.is_uppercase() || next.is_ascii_digit()))
}

/// Whether something is called by its own name, or as React's: `useState`, `React.useState`.
fn is_own_name(callee: &Expression<'_>) -> bool {
    match callee.get_inner_expression() {
        Expression::Identifier(_) => true,
        Expression::StaticMemberExpression(member) => matches!(
            member.object.get_inner_expression(),
            Expression::Identifier(object) if matches!(object.name.as_str(), "React" | "Preact" | "react" | "_react")
        ),
        _ => false,
    }
}

fn is_rendering(name: &str) -> bool {
    matches!(name, "createElement" | "cloneElement" | "createPortal")
}

/// The last name of a callee: `useState` of `React.useState`.
pub(super) fn callee_name<'e>(callee: &'e Expression<'_>) -> Option<&'e str> {
    match callee.get_inner_expression() {
        Expression::Identifier(name) => Some(name.name.as_str()),
        Expression::StaticMemberExpression(member) => Some(member.property.name.as_str()),
        _ => None,
    }
}

pub(super) fn text_of(expression: &Expression<'_>) -> Option<String> {
    match expression.get_inner_expression() {
        Expression::StringLiteral(text) => Some(text.value.into_string()),
        Expression::TemplateLiteral(template) => template.single_quasi().map(Str::into_string),
        _ => None,
    }
}

/// What a value is that may not be changed.
pub(super) fn held<'x, 'a>(value: &'x Expression<'a>) -> &'x Expression<'a> {
    let value = value.get_inner_expression();
    given_to(value, "freeze").map_or(value, held)
}

/// What a function of `Object` is given.
pub(super) fn given_to<'x, 'a>(value: &'x Expression<'a>, function: &str) -> Option<&'x Expression<'a>> {
    let Expression::CallExpression(call) = value else { return None };
    let is_it = call.callee.is_specific_member_access("Object", function);
    call.arguments.first().filter(|_| is_it).and_then(Argument::as_expression)
}

pub(super) fn tag_name<'a>(name: &JSXElementName<'a>) -> Cow<'a, str> {
    match name {
        JSXElementName::Identifier(name) => name.name.as_str().into(),
        JSXElementName::IdentifierReference(name) => name.name.as_str().into(),
        JSXElementName::NamespacedName(name) => format!("{}:{}", name.namespace.name, name.name.name).into(),
        JSXElementName::MemberExpression(member) => member_tag(member).into(),
        JSXElementName::ThisExpression(_) => "this".into(),
    }
}

fn member_tag(member: &JSXMemberExpression<'_>) -> String {
    let property = member.property.name.as_str();
    match &member.object {
        JSXMemberExpressionObject::IdentifierReference(name) => [name.name.as_str(), ".", property].concat(),
        JSXMemberExpressionObject::MemberExpression(inner) => [&member_tag(inner), ".", property].concat(),
        JSXMemberExpressionObject::ThisExpression(_) => ["this.", property].concat(),
    }
}
