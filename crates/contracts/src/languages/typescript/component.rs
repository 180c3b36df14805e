//! Components: which functions, classes and expressions are one, and what their props, state and events are.

use std::collections::BTreeSet;

use oxc_ast::ast::{
    Argument, ArrowFunctionBody, ArrowFunctionExpression, BindingPattern, CallExpression, ChainElement,
    Class, ClassElement, Declaration, Expression, FormalParameters, Function, ImportExpression,
    ObjectPropertyKind, Program, Statement, StaticMemberExpression, TSType, TSTypeAnnotation,
    TSTypeParameterDeclaration, TSTypeParameterInstantiation, TSTypeQueryExprName, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};

use super::body::{BodyUse, FileUse, Walk, callee_name, object_state, text_of};
use super::jsdoc::Said;
use super::maker;
use super::modules;
use super::print::{Print, type_name};
use super::shape;
use super::value::returns;
use crate::model::{COMPONENT_TYPES, CallShape, ComponentFacts, ComponentForm, NATIVE_COMPONENTS, TypeShape};

/// A function in either spelling.
#[derive(Clone, Copy)]
pub(super) enum Callable<'x, 'a> {
    Function(&'x Function<'a>),
    Arrow(&'x ArrowFunctionExpression<'a>),
}

/// A component that is the value of an expression, with the calls around it taken off.
pub(super) struct Wrapped<'x, 'a> {
    pub(super) form: ComponentForm,
    pub(super) inner: Inner<'x, 'a>,
    /// Props that the wrapping call declares: `memo<Props>(…)`, `forwardRef<Ref, Props>(…)`.
    pub(super) props: Option<TypeShape>,
}

pub(super) enum Inner<'x, 'a> {
    Callable(Callable<'x, 'a>),
    Class(&'x Class<'a>),
    /// Another component by its name, or `import('…').name`.
    Named(String),
    /// Something that has to be looked at first: it is a component if that is one.
    Alias(String),
    /// A call that makes a component of something that cannot be followed.
    Opaque,
}

impl<'x, 'a> Callable<'x, 'a> {
    pub(super) fn of(expression: &'x Expression<'a>) -> Option<Self> {
        match expression.get_inner_expression() {
            Expression::ArrowFunctionExpression(arrow) => Some(Self::Arrow(arrow)),
            Expression::FunctionExpression(function) => Some(Self::Function(function)),
            _ => None,
        }
    }

    pub(super) fn parameters(self) -> &'x FormalParameters<'a> {
        match self {
            Self::Function(function) => &function.params,
            Self::Arrow(arrow) => &arrow.params,
        }
    }

    pub(super) fn returned(self) -> Option<&'x TSTypeAnnotation<'a>> {
        match self {
            Self::Function(function) => function.return_type.as_deref(),
            Self::Arrow(arrow) => arrow.return_type.as_deref(),
        }
    }

    pub(super) fn type_parameters(self) -> Option<&'x TSTypeParameterDeclaration<'a>> {
        match self {
            Self::Function(function) => function.type_parameters.as_deref(),
            Self::Arrow(arrow) => arrow.type_parameters.as_deref(),
        }
    }

    pub(super) fn statements(self) -> &'x [Statement<'a>] {
        match self {
            Self::Function(function) => function.body.as_ref().map_or(&[], |body| &body.statements),
            Self::Arrow(arrow) => match &arrow.body {
                ArrowFunctionBody::FunctionBody(body) => &body.statements,
                _ => &[],
            },
        }
    }

    /// The value of `() => value`.
    pub(super) fn expression(self) -> Option<&'x Expression<'a>> {
        match self {
            Self::Function(_) => None,
            Self::Arrow(arrow) => arrow.body.as_expression(),
        }
    }

    /// Names of functions that stand in the body itself.
    fn own_functions(self) -> impl Iterator<Item = &'x str> {
        let variables = |statement: &'x Statement<'a>| match statement {
            Statement::VariableDeclaration(variables) => variables.declarations.as_slice(),
            _ => &[],
        };
        self.statements().iter().flat_map(move |statement| {
            let declared = match statement {
                Statement::FunctionDeclaration(function) => function.id.as_ref().map(|id| id.name.as_str()),
                _ => None,
            };
            let assigned = variables(statement).iter().filter_map(|one| {
                let BindingPattern::BindingIdentifier(name) = &one.id else { return None };
                one.init.as_ref().and_then(Callable::of).map(|_| name.name.as_str())
            });
            declared.into_iter().chain(assigned)
        })
    }

    /// Walks the body with the first parameter as the props.
    pub(super) fn walk(self, print: Print<'_, 'a>, file: &mut FileUse) -> BodyUse {
        let mut body = BodyUse {
            returns: self.expression().is_some(),
            own_hooks: self.own_functions().filter(|name| super::is_hook(name)).map(str::to_owned).collect(),
            ..BodyUse::default()
        };
        if let Some(first) = self.parameters().items.first() {
            body.destructured = body.props.bind(print, &first.pattern);
        }
        let mut walk = Walk { print, file, body };
        match self {
            Self::Function(function) => {
                let directives = function.body.iter().flat_map(|body| &body.directives);
                if directives.into_iter().any(|directive| directive.directive == "use server") {
                    walk.file.actions.extend(function.name().map(|name| name.to_string()));
                }
                walk.visit_formal_parameters(&function.params);
                if let Some(body) = &function.body {
                    walk.visit_function_body(body);
                }
                if let Some(returned) = &function.return_type {
                    walk.visit_ts_type_annotation(returned);
                }
            }
            Self::Arrow(arrow) => walk::walk_arrow_function_expression(&mut walk, arrow),
        }
        walk.body
    }

    /// The props that a doc comment says.
    fn props_said(self, print: Print<'_, '_>) -> Option<TypeShape> {
        let first = self.parameters().items.first()?;
        let start = match self {
            Self::Function(function) => function.span.start,
            Self::Arrow(arrow) => arrow.span.start,
        };
        let said = Said::of(print.source, start)?;
        super::type_shape(&said.of_parameter(first.pattern.get_identifier_name().as_deref(), 0)?.text)
    }

    /// What a function component says of itself; `declared` is a props type that stands elsewhere (`FC<Props>`), which is
    /// what others see where it is sure to be one.
    pub(super) fn component(
        self,
        print: Print<'_, '_>,
        form: ComponentForm,
        body: BodyUse,
        declared: Option<TypeShape>,
    ) -> ComponentFacts {
        let first = self.parameters().items.first();
        let annotated = first.and_then(|first| first.type_annotation.as_ref());
        let own = annotated.map(|ty| shape::of_type(print, &ty.type_annotation));
        let own = own.map(|props| shape::generic(shape::parameters(print, self.type_parameters()), props));
        let is_sure = |props: &TypeShape| !matches!(props, TypeShape::Reference { name, .. } if name == TypeShape::CAST);
        let mut destructured = body.destructured;
        let props = match declared {
            Some(props) if is_sure(&props) => {
                // What the function takes apart is of the type that it says itself, which may be more, unless it is a part.
                let holds = |own: &TypeShape| match &props {
                    TypeShape::Intersection(parts) => parts.contains(own),
                    whole => whole == own,
                };
                if own.is_some_and(|own| !holds(&own)) {
                    destructured.clear();
                }
                Some(props)
            }
            perhaps => own.or(perhaps).or_else(|| self.props_said(print)),
        };
        destructured.sort();
        destructured.dedup();
        ComponentFacts {
            form,
            props,
            destructured,
            used_callbacks: body.callbacks.into_iter().collect(),
            spreads_rest: body.spreads_rest,
            state: body.state,
            state_shape: None,
            declared_emits: Vec::new(),
        }
    }
}

/// What a default export without a name is taken for.
pub(super) const WITHOUT_NAME: &str = "Default";

pub(super) fn is_component_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_uppercase())
}

/// A capitalised function is a component when it renders and gives something, calls hooks, or is declared to give an element.
pub(super) fn renders(name: &str, body: &BodyUse, returned: Option<&TSTypeAnnotation<'_>>) -> bool {
    is_component_name(name)
        && (body.has_jsx && body.returns
            || body.calls_hooks
            || returned.is_some_and(|ty| is_element(&ty.type_annotation)))
}

/// Whether what a function gives is nothing that can be shown, whatever it calls or contains. One without a name that gives
/// something and renders nothing is a hook: `export default (id: string) => { … useState … return value; }`.
fn gives_other(name: &str, body: &BodyUse, callable: Callable<'_, '_>) -> bool {
    if let Some(returned) = callable.returned() {
        let ty = &returned.type_annotation;
        let is_other =
            if name == WITHOUT_NAME { !matches!(ty, TSType::TSNullKeyword(_)) } else { is_data(ty) };
        return is_other && !body.has_jsx && !is_element(ty);
    }
    let Some(last) = maker::last(callable) else { return false };
    match last.get_inner_expression() {
        Expression::ObjectExpression(_) | Expression::NewExpression(_) => true,
        Expression::NullLiteral(_) => false,
        _ if body.has_jsx => false,
        Expression::ArrayExpression(_)
        | Expression::ArrowFunctionExpression(_)
        | Expression::BooleanLiteral(_)
        | Expression::ClassExpression(_)
        | Expression::FunctionExpression(_)
        | Expression::NumericLiteral(_)
        | Expression::StringLiteral(_)
        | Expression::TemplateLiteral(_)
        | Expression::ThisExpression(_) => true,
        _ => name == WITHOUT_NAME,
    }
}

fn is_data(ty: &TSType<'_>) -> bool {
    matches!(
        ty,
        TSType::TSArrayType(_)
            | TSType::TSBooleanKeyword(_)
            | TSType::TSFunctionType(_)
            | TSType::TSNumberKeyword(_)
            | TSType::TSStringKeyword(_)
            | TSType::TSTupleType(_)
            | TSType::TSTypeLiteral(_)
    )
}

/// Whether a name takes apart what a maker of contexts gives: `const [CartProvider, useCart] = createContext()`.
pub(super) fn is_provider_of_pair(declarator: &VariableDeclarator<'_>, name: &str, names: &[String]) -> bool {
    declarator.id.is_array_pattern()
        && name.ends_with("Provider")
        && is_component_name(name)
        && names.iter().any(|other| super::is_hook(other))
}

/// As [`renders`], also for one that gives back what stands inside of it, `({ children }) => children`, or nothing at all.
pub(super) fn is_component(name: &str, body: &BodyUse, callable: Callable<'_, '_>) -> bool {
    renders(name, body, callable.returned()) && !gives_other(name, body, callable)
        || is_component_name(name)
            && callable.returned().is_none()
            && maker::last(callable).is_some_and(|last| {
                body.props.named(last).is_some_and(|prop| prop == "children")
                    || last.is_null() && gives_nothing_else(callable)
            })
}

/// Whether `null` is all that a function gives: that of a component which others only read.
fn gives_nothing_else(callable: Callable<'_, '_>) -> bool {
    let mut given = Vec::new();
    for statement in callable.statements() {
        returns(statement, &mut given);
    }
    given.into_iter().flatten().all(Expression::is_null)
}

pub(super) fn is_element(ty: &TSType<'_>) -> bool {
    match ty {
        TSType::TSTypeReference(reference) => {
            let name = type_name(&reference.type_name);
            let last = name.rsplit('.').next().unwrap_or_default();
            let arguments = reference.type_arguments.iter().flat_map(|list| &list.params);
            matches!(last, "ReactElement" | "ReactNode" | "ReactPortal" | "VNode" | "JSXElement")
                || matches!(name.as_str(), "JSX.Element" | "React.JSX.Element" | "Element")
                || (last == "Promise" && arguments.clone().any(is_element))
                || (last == "ReturnType" && arguments.into_iter().any(is_query_of_component))
        }
        TSType::TSUnionType(union) => union.types.iter().any(is_element),
        TSType::TSParenthesizedType(inner) => is_element(&inner.type_annotation),
        _ => false,
    }
}

/// `typeof Card`: what a component gives is an element.
pub(super) fn is_query_of_component(ty: &TSType<'_>) -> bool {
    let TSType::TSTypeQuery(query) = ty else { return false };
    matches!(&query.expr_name, TSTypeQueryExprName::IdentifierReference(name) if is_component_name(&name.name))
}

/// What an annotation such as `React.FC<Props>` says.
pub(super) enum Annotated {
    /// No component type, or nothing at all.
    Otherwise,
    /// A type that may be one of a component: `link` knows what its name stands for.
    Perhaps(TypeShape),
    /// A component, with its props where they are given.
    Component(Option<TypeShape>),
}

impl Annotated {
    pub(super) fn is_component(&self) -> bool {
        matches!(self, Self::Component(_))
    }

    /// The props that a component type names.
    pub(super) fn declared(&self) -> Option<TypeShape> {
        match self {
            Self::Component(props) => props.clone(),
            Self::Perhaps(_) | Self::Otherwise => None,
        }
    }

    pub(super) fn props(&self) -> Option<TypeShape> {
        match self {
            Self::Component(props) => props.clone(),
            Self::Perhaps(said) => Some(as_said(said.clone(), None)),
            Self::Otherwise => None,
        }
    }
}

pub(super) fn annotated(print: Print<'_, '_>, annotation: Option<&TSType<'_>>) -> Annotated {
    let Some(annotation) = annotation else { return Annotated::Otherwise };
    let TSType::TSTypeReference(reference) = annotation else {
        return match said_to_be(print, annotation) {
            Some(said @ (TypeShape::Generic { .. } | TypeShape::Reference { .. })) => {
                Annotated::Component(Some(as_said(said, None)))
            }
            Some(said) => Annotated::Perhaps(said),
            None => Annotated::Otherwise,
        };
    };
    let name = type_name(&reference.type_name);
    let last = name.rsplit('.').next().unwrap_or_default();
    if !COMPONENT_TYPES.contains(&last) {
        return said_to_be(print, annotation).map_or(Annotated::Otherwise, Annotated::Perhaps);
    }
    // `MemoExoticComponent<typeof Card>` names a component, and not its props.
    if matches!(last, "MemoExoticComponent" | "LazyExoticComponent") {
        return Annotated::Component(Some(as_said(shape::of_type(print, annotation), None)));
    }
    let at = usize::from(last == "ForwardRefRenderFunction");
    let arguments = reference.type_arguments.as_ref().map(|list| &list.params);
    Annotated::Component(arguments.and_then(|list| list.get(at)).map(|ty| shape::of_type(print, ty)))
}

/// A declared type that can be one of a component.
fn said_to_be(print: Print<'_, '_>, ty: &TSType<'_>) -> Option<TypeShape> {
    let can_be = matches!(
        ty,
        TSType::TSTypeReference(_)
            | TSType::TSFunctionType(_)
            | TSType::TSImportType(_)
            | TSType::TSIntersectionType(_)
            | TSType::TSParenthesizedType(_)
            | TSType::TSTypeLiteral(_)
            | TSType::TSTypeQuery(_)
    );
    let shape = can_be.then(|| shape::of_type(print, ty))?;
    (!matches!(shape, TypeShape::Text(_) | TypeShape::Object(_))).then_some(shape)
}

/// The props of what is said to be of a type, and without that would have others.
pub(super) fn as_said(said: TypeShape, otherwise: Option<TypeShape>) -> TypeShape {
    let arguments = std::iter::once(said).chain(otherwise).collect();
    TypeShape::Reference { name: TypeShape::CAST.to_owned(), arguments }
}

/// The type that a value is said to have: `value as Type`.
pub(super) fn cast<'x, 'a>(value: &'x Expression<'a>) -> Option<&'x TSType<'a>> {
    match value {
        Expression::TSAsExpression(cast) => Some(&cast.type_annotation),
        Expression::TSSatisfiesExpression(inner) => cast(&inner.expression),
        Expression::ParenthesizedExpression(inner) => cast(&inner.expression),
        _ => None,
    }
}

/// Takes `memo(…)`, `forwardRef(…)`, `lazy(…)` and calls of other wrappers off an expression.
pub(super) fn wrapped<'x, 'a>(
    print: Print<'_, '_>,
    expression: &'x Expression<'a>,
) -> Option<Wrapped<'x, 'a>> {
    match either(expression) {
        Expression::CallExpression(call) => wrapped_call(print, call),
        // `Reanimated?.createAnimatedComponent(View)`
        Expression::ChainExpression(chain) => match &chain.expression {
            ChainElement::CallExpression(call) => wrapped_call(print, call),
            _ => None,
        },
        Expression::TaggedTemplateExpression(tagged) => {
            styled(print, &tagged.tag, tagged.type_arguments.as_deref())
        }
        Expression::Identifier(other) if is_component_name(&other.name) => {
            let inner = Inner::Alias(other.name.to_string());
            Some(Wrapped { form: ComponentForm::Wrapped, inner, props: None })
        }
        // `Context.Provider`, `Animated.View`
        Expression::StaticMemberExpression(member) => {
            let Expression::Identifier(object) = &member.object else { return None };
            let of_context = is_part_of_context(&member.property.name) && object.name.contains("Context");
            let of_native =
                object.name == "Animated" && NATIVE_COMPONENTS.contains(&member.property.name.as_str());
            let inner =
                if of_context || of_native { Inner::Opaque } else { Inner::Alias(member_path(member)?) };
            Some(Wrapped { form: ComponentForm::Wrapped, inner, props: None })
        }
        _ => None,
    }
}

/// `Primitive.Root`, which may be a component: `link` knows what it stands for.
fn member_path(member: &StaticMemberExpression<'_>) -> Option<String> {
    let Expression::Identifier(object) = &member.object else { return None };
    let may_be = is_component_name(&object.name) && is_component_name(&member.property.name);
    may_be.then(|| format!("{}.{}", object.name, member.property.name))
}

/// `Object.assign(Tabs, { List })`
pub(super) fn merges(value: &Expression<'_>) -> bool {
    matches!(value.get_inner_expression(), Expression::CallExpression(call) if is_merge(call))
}

fn is_merge(call: &CallExpression<'_>) -> bool {
    call.callee.is_specific_member_access("Object", "assign")
}

/// One of the values that an expression may have: `isNative ? Plain : wrap(Plain)`, `wrap?.(Plain) ?? Plain`,
/// `Platform.select({ ios: Plain, default: wrap(Plain) })`.
fn either<'x, 'a>(expression: &'x Expression<'a>) -> &'x Expression<'a> {
    match expression.get_inner_expression() {
        Expression::ConditionalExpression(conditional) => either(&conditional.consequent),
        Expression::LogicalExpression(logical) => either(&logical.right),
        Expression::CallExpression(call) => selected(call).map_or(expression.get_inner_expression(), either),
        other => other,
    }
}

/// What most platforms get of `Platform.select({ … })`.
fn selected<'x, 'a>(call: &'x CallExpression<'a>) -> Option<&'x Expression<'a>> {
    if !call.callee.is_specific_member_access("Platform", "select") {
        return None;
    }
    let Some(Expression::ObjectExpression(each)) = call.arguments.first()?.as_expression() else {
        return None;
    };
    let each = || each.properties.iter().filter_map(ObjectPropertyKind::as_property);
    let default = each().find(|one| one.key.is_specific_static_name("default"));
    default.or_else(|| each().next()).map(|one| &one.value)
}

/// What a context of React has that is rendered.
pub(super) fn is_part_of_context(name: &str) -> bool {
    matches!(name, "Provider" | "Consumer")
}

/// By its name, a call that makes a component of another one.
fn wraps_components(name: &str) -> bool {
    const WRAPPERS: &[&str] = &["connect", "inject", "observer", "reactive", "styled", "track", "withStyles"];
    let with = name.strip_prefix("with").is_some_and(is_component_name);
    with || WRAPPERS.contains(&name)
}

/// By its name, a call that makes something else.
fn makes_other_things(name: &str) -> bool {
    ["create", "make", "register", "render", "is", "get", "has", "new"]
        .iter()
        .any(|prefix| name.strip_prefix(prefix).is_some_and(is_component_name))
        && !name.ends_with("Component")
}

/// Methods of lists and promises: what they are given is called, and is no component.
const OF_LISTS: &[&str] = &[
    "every",
    "filter",
    "find",
    "flatMap",
    "forEach",
    "map",
    "reduce",
    "reduceRight",
    "some",
    "sort",
    "then",
];

fn is_method(call: &CallExpression<'_>) -> bool {
    call.callee.get_inner_expression().is_member_expression()
}

/// `styled.div`, `styled(Button, options)` and what is called on them, given styles: a component with the props of the one it
/// was made of, and those that the styles are told by.
fn styled<'x, 'a>(
    print: Print<'_, '_>,
    made: &Expression<'_>,
    told: Option<&TSTypeParameterInstantiation<'_>>,
) -> Option<Wrapped<'x, 'a>> {
    let name = styled_of(made)?;
    let of = is_component_name(name).then(|| TypeShape::Query(name.to_owned()));
    let told = told.and_then(|list| list.params.first()).map(|ty| shape::of_type(print, ty));
    let props = match (of, told) {
        (Some(of), Some(told)) => Some(TypeShape::Intersection(vec![of, told])),
        (of, told) => of.or(told),
    };
    Some(Wrapped { form: ComponentForm::Wrapped, inner: Inner::Opaque, props })
}

/// `styled(View, { variants: { size: … } })`: all in one call. The variants are props.
fn styled_at_once<'x, 'a>(print: Print<'_, '_>, call: &CallExpression<'_>) -> Option<Wrapped<'x, 'a>> {
    let [of, Argument::ObjectExpression(styles), ..] = call.arguments.as_slice() else { return None };
    if !call.callee.is_specific_id("styled") {
        return None;
    }
    let of = match of.as_expression()?.get_inner_expression() {
        Expression::Identifier(of) if is_component_name(&of.name) => {
            Some(TypeShape::Query(of.name.to_string()))
        }
        Expression::StaticMemberExpression(of) => member_path(of).map(TypeShape::Query),
        _ => None,
    };
    let properties = styles.properties.iter().filter_map(|property| property.as_property());
    let variants = properties.filter(|property| property.key.is_specific_static_name("variants"));
    let variants = variants.filter_map(|property| shape::of_value(print, &property.value));
    let optional = |shape| TypeShape::Reference { name: "Partial".to_owned(), arguments: vec![shape] };
    let parts: Vec<TypeShape> = of.into_iter().chain(variants.map(optional)).collect();
    let props = (!parts.is_empty()).then_some(TypeShape::Intersection(parts));
    Some(Wrapped { form: ComponentForm::Wrapped, inner: Inner::Opaque, props })
}

/// The name of the component or element that `styled` is given; empty where it has none.
fn styled_of<'x>(made: &'x Expression<'_>) -> Option<&'x str> {
    match made.get_inner_expression() {
        Expression::StaticMemberExpression(member) if member.object.is_specific_id("styled") => {
            Some(&member.property.name)
        }
        Expression::StaticMemberExpression(member) => styled_of(&member.object),
        Expression::CallExpression(call) if call.callee.is_specific_id("styled") => {
            let first = call.arguments.first().and_then(Argument::as_expression)?;
            Some(first.get_inner_expression().get_identifier_reference().map_or("", |name| &name.name))
        }
        Expression::CallExpression(call) => styled_of(&call.callee),
        _ => None,
    }
}

fn wrapped_call<'x, 'a>(print: Print<'_, '_>, call: &'x CallExpression<'a>) -> Option<Wrapped<'x, 'a>> {
    if let Some(styled) = styled(print, &call.callee, call.type_arguments.as_deref()) {
        return Some(styled);
    }
    if let Some(styled) = styled_at_once(print, call) {
        return Some(styled);
    }
    let name = callee_name(&call.callee);
    let argument = |at: usize| call.arguments.get(at).and_then(Argument::as_expression);
    let declared = |at: usize| {
        let arguments = call.type_arguments.as_ref().map(|list| &list.params);
        arguments.and_then(|list| list.get(at)).map(|ty| shape::of_type(print, ty))
    };
    let (form, props) = match name {
        Some("memo") => (ComponentForm::Memo, declared(0)),
        Some("forwardRef") => (ComponentForm::ForwardRef, declared(1)),
        Some("lazy" | "dynamic" | "lazyWithPreload" | "loadable") => {
            let mut finder = FindImport::default();
            finder.visit_call_expression(call);
            let inner = match finder.specifier {
                Some(specifier) => Inner::Named(format!(
                    "import('{specifier}').{}",
                    finder.name.unwrap_or("default".to_owned())
                )),
                None => Inner::Opaque,
            };
            return Some(Wrapped { form: ComponentForm::Lazy, inner, props: declared(0) });
        }
        Some("createContext" | "createElement" | "createPortal" | "cloneElement") => return None,
        Some(
            "codegenNativeComponent"
            | "requireNativeComponent"
            | "createSvgIcon"
            | "getHostComponent"
            | "requireNativeView"
            | "requireNativeViewManager",
        ) => {
            return Some(Wrapped { form: ComponentForm::Wrapped, inner: Inner::Opaque, props: declared(0) });
        }
        _ => (ComponentForm::Wrapped, None),
    };
    // `motify(View)()`: what a call gives for a component is called once more.
    if let (Expression::CallExpression(inner), []) =
        (call.callee.get_inner_expression(), call.arguments.as_slice())
    {
        return wrapped_call(print, inner)
            .filter(|inner| matches!(inner.inner, Inner::Named(_) | Inner::Alias(_)));
    }
    let last = if form == ComponentForm::Wrapped && !is_merge(call) {
        let given = || call.arguments.iter().rev().filter_map(Argument::as_expression);
        let mut callables = given().filter_map(Callable::of);
        // Of several functions it is the one that renders.
        let is_alone = callables.next().is_none() || callables.next().is_none();
        let renders = |value: &&Expression<'_>| Callable::of(value).is_some_and(maker::has_jsx);
        let rendered = if is_alone { None } else { given().find(renders) };
        rendered.or_else(|| given().find(|value| !is_setting(value)))?
    } else {
        argument(0)?
    };
    // `list.map((one) => <li />)` is a list of elements.
    if form == ComponentForm::Wrapped && name.is_some_and(|name| OF_LISTS.contains(&name)) && is_method(call)
    {
        return None;
    }
    let inner = match last.get_inner_expression() {
        Expression::Identifier(inner) if form != ComponentForm::Wrapped => {
            Inner::Named(inner.name.to_string())
        }
        Expression::Identifier(inner) if is_component_name(&inner.name) => {
            let called = call_name(&call.callee);
            match called {
                Some(name) if wraps_components(name) => Inner::Named(inner.name.to_string()),
                Some(name) if makes_other_things(name) => return None,
                _ => Inner::Alias(inner.name.to_string()),
            }
        }
        Expression::StaticMemberExpression(member) if form != ComponentForm::Wrapped => {
            member_path(member).map_or(Inner::Opaque, Inner::Named)
        }
        Expression::StaticMemberExpression(_) if call_name(&call.callee).is_some_and(makes_other_things) => {
            return None;
        }
        Expression::StaticMemberExpression(member) => Inner::Alias(member_path(member)?),
        Expression::ClassExpression(class) => Inner::Class(class),
        Expression::CallExpression(call) => {
            let wrapped = wrapped_call(print, call)?;
            return Some(Wrapped { form, props: props.or(wrapped.props), inner: wrapped.inner });
        }
        other => match Callable::of(other) {
            Some(callable) => Inner::Callable(callable),
            None if form == ComponentForm::Wrapped => return None,
            None => Inner::Opaque,
        },
    };
    Some(Wrapped { form, inner, props })
}

/// What a call is told beside the component that it takes: a name, an object of further things.
fn is_setting(value: &Expression<'_>) -> bool {
    let value = value.get_inner_expression();
    value.is_literal() || matches!(value, Expression::ObjectExpression(_) | Expression::TemplateLiteral(_))
}

/// A call of a function by its name, which `link` can look at.
pub(super) fn call(print: Print<'_, '_>, value: &Expression<'_>) -> Option<TypeShape> {
    let Expression::CallExpression(call) = either(value) else { return None };
    if is_merge(call) {
        return self::call(print, call.arguments.first()?.as_expression()?);
    }
    if call.callee.is_specific_id(CREATE_CONTEXT) { None } else { call_of(print, call) }
}

/// Gives one value where it is React's.
const CREATE_CONTEXT: &str = "createContext";

fn call_of(print: Print<'_, '_>, call: &CallExpression<'_>) -> Option<TypeShape> {
    const OTHER: &[&str] = &[
        "Number",
        "Object",
        "String",
        "Symbol",
        "cloneElement",
        "createElement",
        "createPortal",
        "createRef",
        "require",
        "styled",
    ];
    let Expression::Identifier(callee) = call.callee.get_inner_expression() else { return None };
    if OTHER.contains(&callee.name.as_str()) || super::is_hook(&callee.name) {
        return None;
    }
    let types = call.type_arguments.iter().flat_map(|list| &list.params);
    let values = call.arguments.iter().map(|argument| match argument.as_expression() {
        Some(value) => match (cast(value), value.get_inner_expression()) {
            (Some(said), _) => shape::of_type(print, said),
            (None, Expression::Identifier(name)) => TypeShape::Query(name.name.to_string()),
            (None, other) => Callable::of(other)
                .and_then(|callable| maker::component_type(print, callable))
                .unwrap_or_else(|| TypeShape::Text(String::new())),
        },
        None => TypeShape::Text(String::new()),
    });
    Some(TypeShape::Call(Box::new(CallShape {
        callee: callee.name.to_string(),
        types: types.map(|ty| shape::of_type(print, ty)).collect(),
        values: values.collect(),
    })))
}

/// One of the values that a call gives: `const [Provider, useStore] = create()`, `const { Provider } = create()`.
pub(super) fn part(
    print: Print<'_, '_>,
    declarator: &VariableDeclarator<'_>,
    name: &str,
) -> Option<TypeShape> {
    if !is_component_name(name) {
        return None;
    }
    let is_name = |pattern: &BindingPattern<'_>| pattern.get_identifier_name().is_some_and(|own| own == name);
    let init = declarator.init.as_ref()?;
    let (key, of) = match &declarator.id {
        BindingPattern::ArrayPattern(list) => {
            let mut each = list.elements.iter();
            let at = each.position(|one| one.as_ref().is_some_and(is_name))?;
            // React's `createContext` gives no list: this one is somebody's own.
            let Expression::CallExpression(call) = either(init) else { return None };
            (at.to_string(), call_of(print, call)?)
        }
        BindingPattern::ObjectPattern(object) => {
            let found = object.properties.iter().find(|one| is_name(&one.value))?;
            (found.key.static_name()?.to_string(), call(print, init)?)
        }
        _ => return None,
    };
    Some(TypeShape::Indexed { of: Box::new(of), key })
}

/// By its name, a call that gives a component with the very props of the one it takes.
pub(super) fn keeps_props(value: &Expression<'_>) -> bool {
    match value.get_inner_expression() {
        Expression::CallExpression(call) => {
            matches!(callee_name(&call.callee), Some("observer" | "reactive"))
        }
        _ => false,
    }
}

/// The name at the root of a callee: `connect` of `connect(state)(View)`.
fn call_name<'x>(callee: &'x Expression<'_>) -> Option<&'x str> {
    match callee.get_inner_expression() {
        Expression::CallExpression(inner) => call_name(&inner.callee),
        other => callee_name(other),
    }
}

/// Finds `import('./x')` and, behind a `then`, the name that becomes the default.
#[derive(Default)]
struct FindImport {
    specifier: Option<String>,
    name: Option<String>,
}

impl<'a> Visit<'a> for FindImport {
    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        self.specifier = text_of(&import.source);
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        if matches!(member.object, Expression::Identifier(_)) && is_component_name(&member.property.name) {
            self.name = Some(member.property.name.to_string());
        }
        walk::walk_static_member_expression(self, member);
    }
}

/// The functions that a file makes components of by their name, where that is not one of a component: `memo(_Card)`.
pub(super) fn handed_on<'x>(program: &'x Program<'_>) -> BTreeSet<&'x str> {
    let values = program.body.iter().flat_map(|statement| {
        let declared = match statement {
            Statement::ExportDefaultDeclaration(export) => {
                return export.declaration.as_expression().into_iter().collect();
            }
            Statement::ExportDeclaration(export) => Some(&export.declaration),
            other => other.as_declaration(),
        };
        match declared {
            Some(Declaration::VariableDeclaration(variables)) => {
                variables.declarations.iter().filter_map(|one| one.init.as_ref()).collect()
            }
            _ => Vec::new(),
        }
    });
    values.filter_map(handed).filter(|name| !is_component_name(name)).collect()
}

fn handed<'x>(value: &'x Expression<'_>) -> Option<&'x str> {
    let Expression::CallExpression(call) = value.get_inner_expression() else { return None };
    if !matches!(callee_name(&call.callee), Some("memo" | "forwardRef")) {
        return None;
    }
    match call.arguments.first()?.as_expression()?.get_inner_expression() {
        Expression::Identifier(name) => Some(&name.name),
        inner => handed(inner),
    }
}

/// What a class that is a component, or may be one, says of itself in its head.
pub(super) struct ClassComponent {
    pub(super) props: Option<TypeShape>,
    pub(super) state: Option<TypeShape>,
    /// Of React itself; what extends another class is a component if that one is, which `link` knows.
    pub(super) is_sure: bool,
}

/// The classes of React that components extend.
const BASES: &[&str] = &["Component", "PureComponent"];

/// Whether a file declares a class of such a name itself.
pub(super) fn declares_base(program: &Program<'_>) -> bool {
    modules::declared(program).filter_map(|one| one.id()).any(|id| BASES.contains(&id.name.as_str()))
}

/// `class X extends React.Component<Props, State>`, or any other class that has a parent.
pub(super) fn class_component(print: Print<'_, '_>, class: &Class<'_>) -> Option<ClassComponent> {
    let heritage = class.heritage.as_ref()?;
    let parent = callee_name(&heritage.expression)?;
    let arguments = heritage.type_arguments.as_ref().map(|list| &list.params);
    let at = |index: usize| arguments.and_then(|list| list.get(index)).map(|ty| shape::of_type(print, ty));
    let parameters = shape::parameters(print, class.type_parameters.as_deref());
    // One of the file's own may be anything.
    let is_own = print.source.declares_base && matches!(heritage.expression, Expression::Identifier(_));
    if BASES.contains(&parent) && !is_own {
        let props = at(0).map(|props| shape::generic(parameters, props));
        return Some(ClassComponent { props, state: at(1), is_sure: true });
    }
    let is_name =
        matches!(heritage.expression, Expression::Identifier(_) | Expression::StaticMemberExpression(_));
    if !is_name || !is_component_name(parent) {
        return None;
    }
    let name = print.source.one_line(oxc_span::GetSpan::span(&heritage.expression));
    let arguments = arguments.into_iter().flatten().map(|ty| shape::of_type(print, ty)).collect();
    let parent = TypeShape::Reference { name, arguments };
    Some(ClassComponent { props: Some(shape::generic(parameters, parent)), state: None, is_sure: false })
}

/// Walks a class and gives what a class component says of itself, and whether it is one for sure.
pub(super) fn class_facts<'a>(
    print: Print<'_, 'a>,
    class: &Class<'a>,
    file: &mut FileUse,
) -> Option<(ComponentFacts, bool)> {
    let mut walk = Walk { print, file, body: BodyUse::default() };
    walk::walk_class(&mut walk, class);
    let mut body = walk.body;
    let ClassComponent { props, state: state_shape, is_sure } = class_component(print, class)?;
    let mut declared = None;
    for element in &class.body.body {
        if let ClassElement::PropertyDefinition(property) = element {
            if property.key.is_specific_static_name("state") && !property.r#static {
                declared =
                    property.type_annotation.as_ref().map(|ty| shape::of_type(print, &ty.type_annotation));
                let values = property.value.as_ref().map(|value| object_state(print, value));
                body.state.extend(values.into_iter().flatten());
            }
        }
    }
    let facts = ComponentFacts {
        form: ComponentForm::Class,
        props,
        destructured: std::mem::take(&mut body.destructured),
        used_callbacks: std::mem::take(&mut body.callbacks).into_iter().collect(),
        spreads_rest: body.spreads_rest,
        state: std::mem::take(&mut body.state),
        state_shape: state_shape.or(declared),
        declared_emits: Vec::new(),
    };
    Some((facts, is_sure))
}
