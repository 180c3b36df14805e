//! Top-level statements to declarations, in source order.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;
use oxc_ast::ast::{
    Argument, AssignmentExpression, AssignmentTarget, Class, Declaration as Syntax,
    ExportDefaultDeclarationKind, Expression, Function, FunctionType, Ident, ObjectProperty,
    ObjectPropertyKind, Program, Statement, StaticMemberExpression, TSInterfaceDeclaration,
    TSNamespaceDeclaration, VariableDeclaration, VariableDeclarator,
};
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};
use rustc_hash::FxHashSet;

use super::body::{BodyUse, FileUse, Walk, is_hook};
use super::common_js::{self, CommonJs, Value};
use super::component::{self, Annotated, Callable};
use super::modules::{self, DEFAULT, Modules};
use super::origins::Top;
use super::places::Places;
use super::print::{INFERRED, Print, join, listed, literal_type};
use super::vue_events::Emitter;
use super::wrapped::{self, Inner, Wrapped};
use super::{blocks, hook, jsdoc, maker, shape, vue};
use crate::model::{
    ComponentFacts, ComponentForm, Declaration, DeclarationDetail, DeclarationKind, TypeShape, is_for_react,
};

pub(super) struct Collector<'c, 's, 'a> {
    pub(super) print: Print<'s, 'a>,
    pub(super) file: &'c mut FileUse,
    pub(super) exported: BTreeSet<&'c str>,
    /// The name that the default export has in the file.
    pub(super) default: Option<&'c str>,
    /// What stands behind `typeof`, wherever it does; few files ask.
    pub(super) asked: OnceCell<BTreeSet<&'a str>>,
    /// Functions that become components by what is made of them: `memo(_Card)`.
    pub(super) wrapped: BTreeSet<&'c str>,
    /// `exports.name = value` declares.
    pub(super) common_js: Option<&'c CommonJs<'c, 'a>>,
    /// What it exports by another name.
    pub(super) renamed: BTreeSet<&'c str>,
    /// What was declared so.
    pub(super) by_export: FxHashSet<String>,
    /// A declaration file: everything in it is declared for others.
    pub(super) is_ambient: bool,
    /// One that is no module: nobody imports what it declares, and everybody sees it.
    pub(super) is_global: bool,
    pub(super) declarations: Vec<Declaration>,
    pub(super) places: Places,
}

impl<'a> Collector<'_, '_, 'a> {
    pub(super) fn statement(&mut self, statement: &Statement<'a>) {
        let span = statement.span();
        match statement {
            Statement::ExportDeclaration(export) => self.declaration(&export.declaration, span),
            Statement::ExportDefaultDeclaration(export) => self.default(&export.declaration, span),
            Statement::TSExportAssignment(export) => self.default_expression(&export.expression, span),
            other => match other.as_declaration() {
                Some(declaration) => self.declaration(declaration, span),
                None => match self.common_js {
                    Some(common_js) => self.common_js(common_js, other),
                    None => {
                        self.walk(|walk| walk.visit_statement(other));
                    }
                },
            },
        }
    }

    /// `Menu.Item = Item` adds to what is exported what a namespace of its name would, which is one more signature. So do
    /// `Menu = Object.assign(Root, { Item })` and `Menu.prototype.open = function () {}`.
    pub(super) fn assigned<'x>(&mut self, program: &'x Program<'a>) {
        let mut added: BTreeMap<&str, BTreeMap<String, String>> = BTreeMap::new();
        let mut add = |of: &'x str, name: String, value: &Expression<'a>| {
            if self.exported.contains(of) && !is_for_react(&name) && name != "prototype" {
                let members = added.entry(of).or_default();
                members.entry(name).or_insert_with(|| self.print.value_type(value));
            }
        };
        for (of, value) in modules::values(program, |_| true).filter(|(_, value)| is_assign(value)) {
            for property in assigned_properties(value) {
                if let Some(name) = property.key.static_name() {
                    add(of, name.into_owned(), &property.value);
                }
            }
        }
        let mut methods: BTreeMap<&str, BTreeMap<String, String>> = BTreeMap::new();
        for statement in &program.body {
            let Statement::ExpressionStatement(statement) = statement else { continue };
            let Expression::AssignmentExpression(assignment) = &statement.expression else { continue };
            let AssignmentTarget::StaticMemberExpression(member) = &assignment.left else { continue };
            if let Some((of, name)) = of_prototype(member) {
                self.methods((of, name), assignment, &mut methods);
                continue;
            }
            let Expression::Identifier(of) = &member.object else { continue };
            if self.common_js.is_none_or(|common_js| !common_js.is_name(&of.name)) {
                add(of.name.as_str(), member.property.name.into_string(), &assignment.right);
            }
        }
        methods.retain(|of, methods| self.exported.contains(*of) && !methods.is_empty());
        for (of, methods) in methods {
            let methods = join(methods.iter().map(|(name, ty)| format!("{}: {ty}", listed(name))), "; ");
            added.entry(of).or_default().insert("prototype".to_owned(), format!("{{ {methods} }}"));
        }
        for (of, members) in added {
            let is_empty = |one: &VariableDeclarator<'_>| {
                one.type_annotation.is_none() && one.init.as_ref().is_some_and(is_empty)
            };
            let is_merged = || {
                modules::values(program, |_| true).any(|(name, value)| name == of && is_assign(value))
                    || matches!(self.print.source.origins.declared(of), Some(Top::Constant(one)) if is_empty(one))
            };
            let can_have = |one: &Declaration| match one.kind {
                DeclarationKind::Class => true,
                DeclarationKind::Constant | DeclarationKind::Variable => is_merged(),
                kind => is_function(kind),
            };
            let places = self.places.of(&self.declarations, of);
            let place = places.into_iter().find(|at| can_have(&self.declarations[*at]));
            if let Some(to) = place.map(|at| &mut self.declarations[at]) {
                let members = join(members.iter().map(|(name, ty)| format!("const {name}: {ty}")), "; ");
                to.signatures.push(format!("namespace {} {{ {members} }}", listed(of)));
            }
        }
    }

    /// `Menu.prototype.open = Menu.prototype.show = function () {}`, `Menu.prototype = { open() {} }`
    fn methods<'x>(
        &self,
        (of, name): (&'x str, Option<&str>),
        assignment: &'x AssignmentExpression<'a>,
        found: &mut BTreeMap<&'x str, BTreeMap<String, String>>,
    ) {
        let methods = found.entry(of).or_default();
        match (name, common_js::assigned(&assignment.right)) {
            (Some(name), value) => {
                methods.insert(name.to_owned(), self.print.value_type(value));
            }
            (None, Expression::ObjectExpression(object)) => {
                methods.extend(common_js::members(object).filter_map(|member| match member.value {
                    Value::Is(value) => Some((member.name, self.print.value_type(value))),
                    _ => None,
                }));
            }
            _ => {}
        }
        let Expression::AssignmentExpression(inner) = &assignment.right else { return };
        let AssignmentTarget::StaticMemberExpression(member) = &inner.left else { return };
        if let Some(named) = of_prototype(member) {
            self.methods(named, inner, found);
        }
    }

    /// A file of `<script setup>` is a component, which nothing in it names.
    pub(super) fn script_setup(&mut self, program: &Program<'a>, modules: &Modules<'_>) {
        if let Some((facts, span)) = vue::script_setup(self.print, program, modules) {
            let detail = DeclarationDetail::Component(Box::new(facts));
            let signature = "default: inferred".to_owned();
            self.push(DEFAULT.to_owned(), DeclarationKind::Component, signature, span, detail);
        }
    }

    /// Types that doc comments declare.
    pub(super) fn documented(&mut self, types: Vec<jsdoc::Declared>) {
        for declared in types {
            let detail = DeclarationDetail::Shape { parameters: declared.parameters, shape: declared.shape };
            self.push(declared.name, DeclarationKind::Type, declared.signature, declared.span, detail);
        }
    }

    fn declaration(&mut self, declaration: &Syntax<'a>, span: Span) {
        match declaration {
            Syntax::FunctionDeclaration(function) => {
                let name = function.name().map_or(DEFAULT.to_owned(), Ident::into_string);
                if self.by_export.contains(&name) {
                    Callable::Function(function).walk(self.print, self.file);
                } else {
                    self.function(function, name, span);
                }
            }
            Syntax::ClassDeclaration(class) => {
                let name = class.id.as_ref().map_or(DEFAULT.to_owned(), |id| id.name.into_string());
                self.class(class, name, span);
            }
            Syntax::VariableDeclaration(variables) => self.variables(variables, span),
            Syntax::TSInterfaceDeclaration(interface) => self.interface(interface, span),
            Syntax::TSTypeAliasDeclaration(alias) => {
                self.walk(|walk| walk.visit_ts_type_alias_declaration(alias));
                let detail = shape::of_alias(self.print, alias);
                let signature = self.print.alias(alias);
                self.push(alias.id.name.into_string(), DeclarationKind::Type, signature, span, detail);
            }
            Syntax::TSEnumDeclaration(declared) => {
                let signature = self.print.enumeration(declared);
                let name = declared.id.name.into_string();
                self.push(name, DeclarationKind::Enum, signature, span, DeclarationDetail::None);
            }
            Syntax::TSNamespaceDeclaration(namespace) => self.namespace(namespace, span),
            Syntax::TSExternalModuleDeclaration(module) => {
                self.walk(|walk| walk.visit_declaration(declaration));
                let body = module.body.as_ref().map_or(&[][..], |block| block.body.as_slice());
                let detail = self.added_types(module.id.value.as_str(), body);
                self.added_elsewhere(&format!("module '{}'", module.id.value), body, span, detail);
            }
            Syntax::TSGlobalDeclaration(global) => {
                self.walk(|walk| walk.visit_declaration(declaration));
                self.added_elsewhere("global", &global.body.body, span, DeclarationDetail::None);
            }
            Syntax::TSImportEqualsDeclaration(import) => {
                let name = import.id.name.into_string();
                if self.exported.contains(name.as_str()) {
                    let signature = self.print.import_equals(import);
                    self.push(name, DeclarationKind::Namespace, signature, span, DeclarationDetail::None);
                }
            }
        }
    }

    fn interface(&mut self, interface: &TSInterfaceDeclaration<'a>, span: Span) {
        self.walk(|walk| walk.visit_ts_interface_declaration(interface));
        let detail = shape::of_interface(self.print, interface);
        let (name, signature) = (interface.id.name.into_string(), self.print.interface(interface));
        self.push(name, DeclarationKind::Interface, signature, span, detail);
    }

    fn default(&mut self, declaration: &ExportDefaultDeclarationKind<'a>, span: Span) {
        match declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                let name = function.name().map_or(DEFAULT.to_owned(), Ident::into_string);
                self.function(function, name, span);
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                let name = class.id.as_ref().map_or(DEFAULT.to_owned(), |id| id.name.into_string());
                self.class(class, name, span);
            }
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                self.interface(interface, span);
            }
            other => {
                if let Some(expression) = other.as_expression() {
                    self.default_expression(expression, span);
                }
            }
        }
    }

    /// `export default Name` declares nothing; any other expression is a declaration without a name.
    fn default_expression(&mut self, expression: &Expression<'a>, span: Span) {
        if modules::named(expression).is_some() {
            return;
        }
        self.value(expression, DEFAULT.to_owned(), None, None, "default", span);
    }

    pub(super) fn function(&mut self, function: &Function<'a>, name: String, span: Span) {
        let print = self.print;
        let signature = print.function(function, &name);
        let callable = Callable::Function(function);
        let body = callable.walk(print, self.file);
        let known = if name == DEFAULT { component::WITHOUT_NAME } else { name.as_str() };
        let maker =
            maker::of(print, callable, &body).filter(|maker| !maker::renders(known, &body, callable, maker));
        let is_component =
            component::is_component(print, known, &body, callable) || self.is_page(&name, &body, callable);
        let (kind, detail) = if maker.is_none() && is_component || self.wrapped.contains(name.as_str()) {
            let facts = callable.component(print, ComponentForm::Function, body, None);
            (DeclarationKind::Component, DeclarationDetail::Component(Box::new(facts)))
        } else {
            self.plain_function(&name, callable, body, maker)
        };
        let is_implementation = function.r#type == FunctionType::FunctionDeclaration;
        let places = self.places.of(&self.declarations, &name);
        let place = places.into_iter().rfind(|at| is_function(self.declarations[*at].kind));
        if let Some(overloaded) = place.map(|at| &mut self.declarations[at]) {
            overloaded.lines.last = print.source.lines(span).last;
            overloaded.detail = overload(std::mem::take(&mut overloaded.detail), detail, is_implementation);
            if is_implementation {
                overloaded.kind = kind;
            } else {
                overloaded.signatures.push(signature);
            }
            return;
        }
        let overloads = print.overloads(function, &name);
        self.push(name, kind, signature, span, detail);
        if let Some(declared) = self.declarations.last_mut().filter(|_| !overloads.is_empty()) {
            declared.signatures = overloads;
        }
    }

    /// What a file with elements exports as its default is rendered by a framework, whatever it gives: a page may only
    /// redirect.
    fn is_page(&self, name: &str, body: &BodyUse, callable: Callable<'_, '_>) -> bool {
        self.default == Some(name) && component::may_be_page(self.print, name, body, callable)
    }

    fn plain_function(
        &self,
        name: &str,
        callable: Callable<'_, '_>,
        body: BodyUse,
        maker: Option<DeclarationDetail>,
    ) -> (DeclarationKind, DeclarationDetail) {
        // What calls hooks and is no component is a hook.
        if !is_hook(name) && (name != DEFAULT || !body.calls_hooks) {
            return (DeclarationKind::Function, maker.unwrap_or_default());
        }
        let parameters = TypeShape::Object(hook::parameters(self.print, callable));
        (DeclarationKind::Hook, DeclarationDetail::Hook { parameters, state: body.state })
    }

    pub(super) fn class(&mut self, class: &Class<'a>, name: String, span: Span) {
        let (kind, signature, detail) = match component::class_facts(self.print, class, self.file) {
            Some((facts, true)) => {
                let whole = self.print.class_component(class, &listed(&name));
                (DeclarationKind::Component, whole, DeclarationDetail::Component(Box::new(facts)))
            }
            Some((facts, false)) => {
                let whole = self.print.class(class, &listed(&name));
                (DeclarationKind::Class, whole, DeclarationDetail::Component(Box::new(facts)))
            }
            None => {
                (DeclarationKind::Class, self.print.class(class, &listed(&name)), DeclarationDetail::None)
            }
        };
        self.push(name, kind, signature, span, detail);
        if let Some(declared) = self.declarations.last_mut().filter(|one| one.exported) {
            declared.decorators = self.print.decorators(class);
        }
    }

    fn variables(&mut self, variables: &VariableDeclaration<'a>, span: Span) {
        let keyword = if variables.kind.is_const() { "const" } else { variables.kind.as_str() };
        let alone = variables.declarations.len() == 1;
        for declarator in &variables.declarations {
            let span = if alone { span } else { declarator.span };
            self.variable(keyword, declarator, span);
        }
    }

    fn variable(&mut self, keyword: &str, declarator: &VariableDeclarator<'a>, span: Span) {
        if self
            .common_js
            .is_some_and(|common_js| self.exported_variable(common_js, keyword, declarator, span))
        {
            return;
        }
        let mut names = Vec::new();
        modules::bound_names(&declarator.id, &mut names);
        let single = declarator.id.is_binding_identifier();
        match (&declarator.init, names.first()) {
            (Some(init), Some(name)) if single => {
                self.walk(|walk| walk.name_required(declarator, init));
                self.value(init, name.clone(), Some(declarator), None, keyword, span);
            }
            _ => {
                self.walk(|walk| walk.visit_variable_declarator(declarator));
                let of_context = matches!(
                    &declarator.init,
                    Some(Expression::Identifier(init)) if init.name.ends_with("Context")
                );
                for name in &names {
                    let of_pair = component::is_provider_of_pair(declarator, name, &names);
                    let name = name.clone();
                    let signature = self.print.variable(keyword, declarator, &name);
                    let annotation = declarator.type_annotation.as_deref();
                    let annotation = annotation.filter(|_| single && component::is_component_name(&name));
                    let annotated =
                        component::annotated(self.print, annotation.map(|ty| &ty.type_annotation));
                    let component =
                        |props| DeclarationDetail::Component(Box::new(opaque(ComponentForm::Wrapped, props)));
                    let is_component = component::is_component_name(&name);
                    let part = if is_component { wrapped::part(self.print, declarator, &name) } else { None };
                    let (kind, detail) = match annotated {
                        Annotated::Component(props) => (DeclarationKind::Component, component(props)),
                        Annotated::Otherwise if of_context && wrapped::is_part_of_context(&name) => {
                            (DeclarationKind::Component, component(None))
                        }
                        Annotated::Otherwise if part.is_some() => {
                            let part = part.map(|part| component::as_said(part, None));
                            let kind =
                                if of_pair { DeclarationKind::Component } else { variable_kind(keyword) };
                            (kind, component(part))
                        }
                        Annotated::Perhaps(_) => (variable_kind(keyword), component(annotated.props())),
                        Annotated::Otherwise if of_pair => (DeclarationKind::Component, component(None)),
                        Annotated::Otherwise if is_hook(&name) => {
                            let parameters = TypeShape::Object(Vec::new());
                            let hook = DeclarationDetail::Hook { parameters, state: Vec::new() };
                            (DeclarationKind::Hook, hook)
                        }
                        Annotated::Otherwise => {
                            let maker = maker::part(self.print, declarator, &name).filter(|_| !is_component);
                            (variable_kind(keyword), maker.unwrap_or_default())
                        }
                    };
                    self.push(name, kind, signature, span, detail);
                }
            }
        }
    }

    /// A value with a name: a function, a component in any wrapping, a class, or a constant.
    pub(super) fn value(
        &mut self,
        value: &Expression<'a>,
        name: String,
        declarator: Option<&VariableDeclarator<'a>>,
        form: Option<ComponentForm>,
        keyword: &str,
        span: Span,
    ) {
        let print = self.print;
        let annotation = declarator.and_then(|declarator| declarator.type_annotation.as_deref());
        let annotation = annotation.map(|annotation| &annotation.type_annotation);
        let cast = component::cast(value);
        // A type may name a file: `const open: typeof import('./open').open = …`.
        if let Some(said) = annotation.or(cast) {
            self.walk(|walk| walk.visit_ts_type(said));
        }
        let signature = match declarator {
            Some(declarator) => print.variable(keyword, declarator, &name),
            None if name == DEFAULT => format!("default: {}", print.value_type(value)),
            None => format!("{keyword} {}: {}", listed(&name), print.value_type(value)),
        };
        let known = if name == DEFAULT { component::WITHOUT_NAME.to_owned() } else { name.clone() };
        let merges = wrapped::merges(value);
        let signature = if merges { self.keyed(signature, value, &name) } else { signature };
        let annotated = component::annotated(print, annotation.or(cast));
        if let Some(facts) = vue::define_component(print, value) {
            let body = self.walk(|walk| {
                walk.body.emitter = Emitter::of(value);
                walk.visit_expression(value);
            });
            let facts = vue::with_use(facts, body.state, body.emitted);
            self.push(
                name,
                DeclarationKind::Component,
                signature,
                span,
                DeclarationDetail::Component(Box::new(facts)),
            );
            return;
        }
        if let Some(callable) = Callable::of(value) {
            let body = callable.walk(print, self.file);
            let maker = maker::of(print, callable, &body);
            let maker = maker.filter(|maker| !maker::renders(&known, &body, callable, maker));
            let renders = maker.is_none()
                && (component::is_component(print, &known, &body, callable)
                    || self.is_page(&name, &body, callable));
            let maker = maker.filter(|_| !renders).or_else(|| maker::said_to_be(print, annotation));
            let is_component = annotated.is_component() || renders;
            let is_wrapped = self.wrapped.contains(name.as_str());
            let (kind, detail) = if is_component && component::is_component_name(&known) || is_wrapped {
                let form = form.unwrap_or(match callable {
                    Callable::Function(_) => ComponentForm::Function,
                    Callable::Arrow(_) => ComponentForm::Arrow,
                });
                let facts = callable.component(print, form, body, annotated.props());
                (DeclarationKind::Component, DeclarationDetail::Component(Box::new(facts)))
            } else {
                self.plain_function(&name, callable, body, maker)
            };
            self.push(name, kind, signature, span, detail);
            return;
        }
        if let Expression::ClassExpression(class) = value.get_inner_expression() {
            self.class(class, name, span);
            return;
        }
        let has_name = component::is_component_name(&known);
        let wrapped = wrapped::of(print, value).filter(|_| has_name);
        let is_guess = |wrapped: &Wrapped<'_, '_>| {
            matches!(wrapped.inner, Inner::Alias(_)) || wrapped::is_made_of_rendering(wrapped, value)
        };
        let alias = wrapped.as_ref().is_some_and(is_guess) && !annotated.is_component();
        // A call says what it gives, if it can be looked at; what a type says is surer.
        let is_followed = wrapped.as_ref().is_some_and(|wrapped| !matches!(wrapped.inner, Inner::Opaque));
        let within = if is_followed { wrapped::call_within(print, value) } else { None };
        let is_made = |form: ComponentForm| form == ComponentForm::Wrapped || within.is_some();
        let made = within.clone().or_else(|| wrapped::call(print, value));
        let made = made.or_else(|| wrapped::part_of_made(print, value));
        let made = made.filter(|_| has_name && !wrapped::keeps_props(value));
        let said = match &annotated {
            Annotated::Perhaps(said) if has_name => Some(said.clone()),
            _ => made,
        };
        if let Some(facts) =
            wrapped.and_then(|wrapped| self.wrapped(wrapped, value, &known, annotated.declared()))
        {
            let facts = match said {
                Some(said) if !annotated.is_component() && is_made(facts.form) => {
                    ComponentFacts { props: Some(component::as_said(said, facts.props)), ..facts }
                }
                Some(said) if matches!(annotated, Annotated::Perhaps(_)) => {
                    ComponentFacts { props: Some(component::as_said(said, facts.props)), ..facts }
                }
                _ => facts,
            };
            // What an alias stands for may be in another file: `link` knows. It may be a schema that is given another.
            let kind = if alias { variable_kind(keyword) } else { DeclarationKind::Component };
            let signature = if alias && !merges { self.keyed(signature, value, &name) } else { signature };
            self.push(name, kind, signature, span, DeclarationDetail::Component(Box::new(facts)));
            return;
        }
        self.walk(|walk| walk.visit_expression(value));
        let signature = if merges { signature } else { self.keyed(signature, value, &name) };
        let component = |props| DeclarationDetail::Component(Box::new(opaque(ComponentForm::Wrapped, props)));
        let (kind, detail) = match annotated {
            Annotated::Component(props) => (DeclarationKind::Component, component(props)),
            _ if is_hook(&name) && can_be_called(value) => {
                let parameters = TypeShape::Object(Vec::new());
                (DeclarationKind::Hook, DeclarationDetail::Hook { parameters, state: Vec::new() })
            }
            _ => {
                let said = said.map(|said| component(Some(component::as_said(said, None))));
                let members = || match keyword {
                    "const" if self.exported.contains(name.as_str()) => shape::of_value(print, value),
                    "default" => shape::of_components(print, value),
                    _ => None,
                };
                let detail = said.or_else(|| members().map(DeclarationDetail::Value));
                let detail = detail.or_else(|| maker::alias(value)).or_else(|| maker::variants(print, value));
                (variable_kind(keyword), detail.unwrap_or_default())
            }
        };
        self.push(name, kind, signature, span, detail);
    }

    /// With the names in what a call is given, where others see the value, perhaps through `z.infer<typeof user>`, and
    /// nothing says its type.
    fn keyed(&self, signature: String, value: &Expression<'a>, name: &str) -> String {
        // What a private context has is seen through the hooks that give it.
        let is_asked = || self.asked.get_or_init(|| asked(self.print.source.text)).contains(name);
        // A schema is seen through those that are made of it.
        let is_part = || self.print.is_made_elsewhere(value);
        let is_seen = || {
            self.exported.contains(name) || is_asked() || is_part() || wrapped::is_context(self.print, value)
        };
        if !signature.ends_with(INFERRED) || !is_seen() {
            return signature;
        }
        match self.print.keyed(value) {
            Some(keys) => format!("{signature} {keys}"),
            None => signature,
        }
    }

    fn wrapped(
        &mut self,
        wrapped: Wrapped<'_, 'a>,
        value: &Expression<'a>,
        known: &str,
        annotated: Option<TypeShape>,
    ) -> Option<ComponentFacts> {
        let print = self.print;
        let declared = wrapped.props.or(annotated);
        match wrapped.inner {
            Inner::Callable(callable) => {
                let body = callable.walk(print, self.file);
                let sure = wrapped.form != ComponentForm::Wrapped;
                if !sure && !component::renders(known, &body, callable.returned()) {
                    return None;
                }
                Some(callable.component(print, wrapped.form, body, declared))
            }
            Inner::Class(class) => {
                let (facts, is_sure) = component::class_facts(print, class, self.file)?;
                is_sure.then_some(ComponentFacts { form: wrapped.form, ..facts })
            }
            Inner::Named(name) | Inner::Alias(name) => {
                self.walk(|walk| walk.visit_expression(value));
                Some(match declared {
                    Some(props) => {
                        ComponentFacts { made_of: Some(name), ..opaque(wrapped.form, Some(props)) }
                    }
                    None => opaque(wrapped.form, Some(TypeShape::Query(name))),
                })
            }
            Inner::Opaque => {
                self.walk(|walk| walk.visit_expression(value));
                Some(opaque(wrapped.form, declared))
            }
        }
    }

    fn namespace(&mut self, namespace: &TSNamespaceDeclaration<'a>, span: Span) {
        self.walk(|walk| walk.visit_ts_namespace_declaration(namespace));
        let signature = self.print.namespace(namespace, self.is_ambient);
        self.push(
            namespace.id.name.into_string(),
            DeclarationKind::Namespace,
            signature,
            span,
            blocks::of_namespace(self.print, namespace),
        );
    }

    /// What a file adds to other modules or to the globals: nobody imports it, and everybody sees it.
    fn added_elsewhere(&mut self, name: &str, body: &[Statement<'a>], span: Span, detail: DeclarationDetail) {
        let signature = format!("declare {name} {}", self.print.block(body, true));
        self.push(name.to_owned(), DeclarationKind::Namespace, signature, span, detail);
        if let Some(at) = self.places.of(&self.declarations, name).pop() {
            self.declarations[at].exported = true;
        }
    }

    /// The types that a block declares for a module, and the names that it shows.
    fn added_types(&self, to: &str, body: &[Statement<'a>]) -> DeclarationDetail {
        let (types, names) = (blocks::types(self.print, body, ""), blocks::names(body, true));
        if names.is_empty() && types.is_empty() {
            return DeclarationDetail::None;
        }
        DeclarationDetail::Adds { to: to.to_owned(), types, names }
    }

    pub(super) fn walk(&mut self, visit: impl FnOnce(&mut Walk<'_, '_, 'a>)) -> BodyUse {
        let mut walk = Walk { print: self.print, file: self.file, body: BodyUse::default() };
        visit(&mut walk);
        walk.body
    }

    pub(super) fn push(
        &mut self,
        name: String,
        kind: DeclarationKind,
        signature: String,
        span: Span,
        detail: DeclarationDetail,
    ) {
        // An interface, a namespace or an enum may be declared in several places, and is one all the same.
        let merges =
            matches!(kind, DeclarationKind::Interface | DeclarationKind::Namespace | DeclarationKind::Enum);
        let places = if merges { self.places.of(&self.declarations, &name) } else { Vec::new() };
        let place = places.into_iter().find(|at| self.declarations[*at].kind == kind);
        if let Some(earlier) = place.map(|at| &mut self.declarations[at]) {
            earlier.signatures.push(signature);
            match (&mut earlier.detail, detail) {
                (DeclarationDetail::Shape { shape, .. }, DeclarationDetail::Shape { shape: more, .. }) => {
                    let first = std::mem::replace(shape, TypeShape::Object(Vec::new()));
                    *shape = TypeShape::Intersection(vec![first, more]);
                }
                (
                    DeclarationDetail::Adds { types, names, .. },
                    DeclarationDetail::Adds { types: more, names: others, .. },
                ) => {
                    types.extend(more);
                    names.extend(others);
                }
                (DeclarationDetail::Namespace { types }, DeclarationDetail::Namespace { types: more }) => {
                    blocks::merge(types, more);
                }
                (earlier @ DeclarationDetail::None, more) => *earlier = more,
                _ => {}
            }
            return;
        }
        let exported = self.is_global || self.exported.contains(name.as_str());
        let doc = self.print.source.doc(span.start);
        let lines = self.print.source.lines(span);
        self.declarations.push(Declaration {
            name,
            kind,
            exported,
            signatures: vec![signature],
            decorators: Vec::new(),
            given_by: Vec::new(),
            doc,
            lines,
            detail,
            parts: Vec::new(),
        });
    }
}

/// `Menu` and `open` of `Menu.prototype.open`, and `Menu` of `Menu.prototype`.
fn of_prototype<'x>(member: &'x StaticMemberExpression<'_>) -> Option<(&'x str, Option<&'x str>)> {
    let (prototype, name) = match &member.object {
        Expression::StaticMemberExpression(prototype) => (&**prototype, Some(member.property.name.as_str())),
        _ => (member, None),
    };
    let of = common_js::identifier(&prototype.object)?;
    (prototype.property.name == "prototype").then_some((of, name))
}

/// The names whose types a text asks for.
fn asked(text: &str) -> BTreeSet<&str> {
    const QUESTION: &str = "typeof ";
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let asked = memmem::find_iter(text.as_bytes(), QUESTION).filter_map(|at| {
        let rest = text.get(at + QUESTION.len()..)?;
        rest.split(|letter| !is_name(letter)).next()
    });
    asked.collect()
}

/// The implementation is not one of the ways to call a function, but it knows what the function is.
fn overload(known: DeclarationDetail, more: DeclarationDetail, is_implementation: bool) -> DeclarationDetail {
    match (known, more) {
        (DeclarationDetail::Component(known), DeclarationDetail::Component(mut more)) => {
            more.props = match (known.props, more.props.take()) {
                (Some(first), Some(second)) if !is_implementation => {
                    Some(TypeShape::Union(vec![first, second]))
                }
                (first, second) => first.or(second),
            };
            DeclarationDetail::Component(more)
        }
        (
            DeclarationDetail::Hook { parameters, mut state },
            DeclarationDetail::Hook { parameters: more, state: kept },
        ) => {
            state.extend(kept);
            let more = (!is_implementation).then_some(more);
            DeclarationDetail::Hook { parameters: hook::overloaded(parameters, more), state }
        }
        (_, more) if is_implementation => more,
        (known, _) => known,
    }
}

/// `Object.assign(root, { … })`
pub(super) fn is_assign(value: &Expression<'_>) -> bool {
    matches!(value.get_inner_expression(), Expression::CallExpression(call) if call.callee.is_specific_member_access("Object", "assign"))
}

/// `{}`, which has what is put onto it.
fn is_empty(value: &Expression<'_>) -> bool {
    matches!(value, Expression::ObjectExpression(object) if object.properties.is_empty())
}

/// Those of the objects that such a call puts onto the first.
pub(super) fn assigned_properties<'x, 'a>(value: &'x Expression<'a>) -> Vec<&'x ObjectProperty<'a>> {
    let Expression::CallExpression(call) = value.get_inner_expression() else { return Vec::new() };
    let objects = call.arguments.iter().skip(1).filter_map(|argument| match argument {
        Argument::ObjectExpression(object) => Some(object),
        _ => None,
    });
    objects.flat_map(|object| object.properties.iter().filter_map(ObjectPropertyKind::as_property)).collect()
}

fn is_function(kind: DeclarationKind) -> bool {
    matches!(kind, DeclarationKind::Function | DeclarationKind::Hook | DeclarationKind::Component)
}

pub(super) fn variable_kind(keyword: &str) -> DeclarationKind {
    if matches!(keyword, "const" | "default") { DeclarationKind::Constant } else { DeclarationKind::Variable }
}

pub(super) fn opaque(form: ComponentForm, props: Option<TypeShape>) -> ComponentFacts {
    ComponentFacts {
        form,
        props,
        destructured: Vec::new(),
        given: Vec::new(),
        used_callbacks: Vec::new(),
        spreads_rest: false,
        state: Vec::new(),
        state_shape: None,
        made_of: None,
        declared_emits: Vec::new(),
    }
}

/// Whether a value may be a function, as far as its own text says.
fn can_be_called(value: &Expression<'_>) -> bool {
    let value = value.get_inner_expression();
    literal_type(value).is_none()
        && !matches!(
            value,
            Expression::ArrayExpression(_)
                | Expression::BinaryExpression(_)
                | Expression::NewExpression(_)
                | Expression::ObjectExpression(_)
                | Expression::TemplateLiteral(_)
                | Expression::UnaryExpression(_)
        )
}
