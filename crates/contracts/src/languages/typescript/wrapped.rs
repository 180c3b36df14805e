//! Components that are values: the calls around them taken off, and what a call of a function is given and gives.

use std::collections::BTreeMap;

use oxc_ast::ast::{
    Argument, ArrowFunctionExpression, BindingPattern, BindingProperty, CallExpression, ChainElement, Class,
    Expression, ImportExpression, ObjectProperty, ObjectPropertyKind, ReturnStatement,
    StaticMemberExpression, TSTypeParameterInstantiation, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};

use super::body::{callee_name, text_of};
use super::component::{Callable, cast, is_component_name, is_hidden_name};
use super::origins::{Origin, Top, known_as, root};
use super::print::Print;
use super::{component, maker, shape};
use crate::model::{CallShape, ComponentForm, NATIVE_COMPONENTS, TypeShape, is_react};

/// Calls in what a call is given that are looked at.
const MOST_WRAPPED: usize = 4;

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

/// Takes `memo(…)`, `forwardRef(…)`, `lazy(…)` and calls of other wrappers off an expression.
pub(super) fn of<'x, 'a>(print: Print<'_, '_>, expression: &'x Expression<'a>) -> Option<Wrapped<'x, 'a>> {
    match either(expression) {
        Expression::CallExpression(call) => wrapped_call(print, call),
        // `Reanimated?.createAnimatedComponent(View)`
        Expression::ChainExpression(chain) => match &chain.expression {
            ChainElement::CallExpression(call) => wrapped_call(print, call),
            _ => None,
        },
        Expression::TaggedTemplateExpression(tagged) => {
            let told = tagged.type_arguments.as_deref();
            styled(print, &tagged.tag, told).or_else(|| global_style(print, &tagged.tag, told))
        }
        Expression::Identifier(other) if is_component_name(&other.name) => {
            let inner = Inner::Alias(other.name.into_string());
            Some(Wrapped { form: ComponentForm::Wrapped, inner, props: None })
        }
        // `Context.Provider`, `Animated.View`
        Expression::StaticMemberExpression(member) => {
            let is_of = |is_it: &dyn Fn(&str) -> bool| matches!(&member.object, Expression::Identifier(of) if is_it(&of.name));
            let name = member.property.name.as_str();
            let of_context = is_part_of_context(name) && is_of(&|of| of.contains("Context"));
            let of_native = NATIVE_COMPONENTS.contains(&name) && is_of(&|of| of == "Animated");
            let inner =
                if of_context || of_native { Inner::Opaque } else { Inner::Alias(member_path(member)?) };
            Some(Wrapped { form: ComponentForm::Wrapped, inner, props: None })
        }
        _ => None,
    }
}

/// `Primitive.Root`, `all.Primitive.Root`, which may be a component: `link` knows what it stands for.
fn member_path(member: &StaticMemberExpression<'_>) -> Option<String> {
    let (object, last) = match &member.object {
        Expression::Identifier(object) => (object.name.into_string(), object.name.as_str()),
        Expression::StaticMemberExpression(inner) => match &inner.object {
            Expression::Identifier(all) => {
                (format!("{}.{}", all.name, inner.property.name), inner.property.name.as_str())
            }
            _ => return None,
        },
        _ => return None,
    };
    let may_be = is_component_name(last) && is_component_name(&member.property.name);
    may_be.then(|| format!("{object}.{}", member.property.name))
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

pub(super) fn is_context(print: Print<'_, '_>, value: &Expression<'_>) -> bool {
    match value {
        Expression::CallExpression(call) => known_as(print, &call.callee) == Some(CREATE_CONTEXT),
        _ => false,
    }
}

/// What a context of React has that is rendered.
pub(super) fn is_part_of_context(name: &str) -> bool {
    matches!(name, "Provider" | "Consumer")
}

/// By its name, a call that makes a component of another one.
pub(super) fn wraps_components(name: &str) -> bool {
    const WRAPPERS: &[&str] = &["connect", "inject", "observer", "reactive", "styled", "track", "withStyles"];
    // What libraries of Vue make plugins of may be a function or a directive as well: `withInstall(Card)`.
    let with =
        name.strip_prefix("with").is_some_and(|rest| is_component_name(rest) && !rest.contains("Install"));
    with || WRAPPERS.contains(&name)
}

/// Whether a call is given a function that renders and takes no props, and by its name makes something else,
/// `createRoute(() => <Page />)`: it is a component if what is called gives one, which `link` knows.
pub(super) fn is_made_of_rendering(wrapped: &Wrapped<'_, '_>, value: &Expression<'_>) -> bool {
    let Expression::CallExpression(call) = either(value) else { return false };
    wrapped.form == ComponentForm::Wrapped
        && matches!(wrapped.inner, Inner::Callable(made) if made.parameters().items.is_empty())
        && call_name(&call.callee).is_some_and(makes_other_things)
}

/// By its name, a call that makes something else.
pub(super) fn makes_other_things(name: &str) -> bool {
    ["create", "make", "register", "render", "is", "get", "has", "new"]
        .iter()
        .any(|prefix| name.strip_prefix(prefix).is_some_and(is_component_name))
        && !name.ends_with("Component")
}

/// Methods of lists, promises and choices: what they are given is called, and is no component.
const CALLING: &[&str] = &[
    "every",
    "filter",
    "find",
    "flatMap",
    "forEach",
    "map",
    "otherwise",
    "reduce",
    "reduceRight",
    "some",
    "sort",
    "then",
    "when",
    "with",
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
    let mut parts = styled_of(made)?;
    let told = told.and_then(|list| list.params.first()).map(|ty| shape::of_type(print, ty));
    parts.extend(told);
    let props = if parts.len() > 1 { Some(TypeShape::Intersection(parts)) } else { parts.pop() };
    Some(Wrapped { form: ComponentForm::Wrapped, inner: Inner::Opaque, props })
}

/// `createGlobalStyle<Props>` of styled-components, which is rendered as a component that shows nothing.
fn global_style<'x, 'a>(
    print: Print<'_, '_>,
    made: &Expression<'_>,
    told: Option<&TSTypeParameterInstantiation<'_>>,
) -> Option<Wrapped<'x, 'a>> {
    if callee_name(made) != Some("createGlobalStyle") {
        return None;
    }
    let Origin::Module { specifier, .. } = print.source.origins.of(root(made)?)? else { return None };
    let told = told.and_then(|list| list.params.first()).map(|ty| shape::of_type(print, ty));
    let props = Some(told.unwrap_or(TypeShape::Object(Vec::new())));
    let whole = Wrapped { form: ComponentForm::Wrapped, inner: Inner::Opaque, props };
    specifier.starts_with("styled-components").then_some(whole)
}

/// `styled(View, { variants: { size: … } })`: all in one call. The variants are props.
fn styled_at_once<'x, 'a>(print: Print<'_, '_>, call: &CallExpression<'_>) -> Option<Wrapped<'x, 'a>> {
    let [of, Argument::ObjectExpression(styles), ..] = call.arguments.as_slice() else { return None };
    if !call.callee.is_specific_id("styled") {
        return None;
    }
    let of = match of.as_expression()?.get_inner_expression() {
        Expression::Identifier(of) if is_component_name(&of.name) => {
            Some(TypeShape::Query(of.name.into_string()))
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

/// The props of the component or element that `styled` is given; none where that has no name.
pub(super) fn styled_of(made: &Expression<'_>) -> Option<Vec<TypeShape>> {
    let named = |name: &str| {
        if is_component_name(name) {
            return TypeShape::Query(name.to_owned());
        }
        let element = TypeShape::Literal(name.to_owned());
        TypeShape::Reference { name: "ComponentProps".to_owned(), arguments: vec![element] }
    };
    match made.get_inner_expression() {
        Expression::StaticMemberExpression(member) if member.object.is_specific_id("styled") => {
            Some(vec![named(&member.property.name)])
        }
        Expression::StaticMemberExpression(member) => styled_of(&member.object),
        Expression::CallExpression(call) if call.callee.is_specific_id("styled") => {
            let first = call.arguments.first().and_then(Argument::as_expression)?;
            let of = match first.get_inner_expression() {
                Expression::StringLiteral(element) => Some(named(&element.value)),
                Expression::StaticMemberExpression(member) => member_path(member).map(TypeShape::Query),
                Expression::Identifier(name) if is_component_name(&name.name) => Some(named(&name.name)),
                _ => None,
            };
            Some(of.into_iter().collect())
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
    let name = known_as(print, &call.callee);
    let name = name.filter(|name| !is_widespread(name) || may_be_reacts(print, call));
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
            let inner = match &finder.specifier {
                Some(specifier) => {
                    Inner::Named(format!("import('{specifier}').{}", finder.name().unwrap_or("default")))
                }
                None => finder.own(print).map_or(Inner::Opaque, Inner::Named),
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
        let is_alone = callables.next().is_none() || callables.next().is_none();
        let rendered = if is_alone { None } else { rendering(call) };
        rendered.or_else(|| given().find(|value| !is_setting(value)))?
    } else {
        argument(0)?
    };
    // `list.map((one) => <li />)` is a list of elements.
    if form == ComponentForm::Wrapped && name.is_some_and(|name| CALLING.contains(&name)) && is_method(call) {
        return None;
    }
    let inner = match last.get_inner_expression() {
        Expression::Identifier(inner) if form != ComponentForm::Wrapped => {
            Inner::Named(inner.name.into_string())
        }
        Expression::Identifier(inner) if is_merge(call) && is_hidden_name(&inner.name) => {
            Inner::Alias(inner.name.into_string())
        }
        Expression::Identifier(inner) if is_component_name(&inner.name) => {
            let called = call_name(&call.callee);
            match called {
                Some(name) if wraps_components(name) => Inner::Named(inner.name.into_string()),
                Some(name) if makes_other_things(name) => return None,
                _ => Inner::Alias(inner.name.into_string()),
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
        Expression::CallExpression(inner) => match wrapped_call(print, inner) {
            Some(wrapped) => {
                return Some(Wrapped { form, props: props.or(wrapped.props), inner: wrapped.inner });
            }
            None if form == ComponentForm::Wrapped => return None,
            // Whatever `memo` is given, it gives a component.
            None => {
                let made = call_of(print, inner).map(|made| component::as_said(made, None));
                return Some(Wrapped { form, props: props.or(made), inner: Inner::Opaque });
            }
        },
        other => match Callable::of(other) {
            Some(callable) => Inner::Callable(callable),
            None if form == ComponentForm::Wrapped => return None,
            None => Inner::Opaque,
        },
    };
    Some(Wrapped { form, inner, props })
}

/// Names that libraries have for other things, too: `lazy` of a schema, `memo` of a function.
fn is_widespread(name: &str) -> bool {
    matches!(name, "memo" | "forwardRef") || loads(name)
}

fn loads(name: &str) -> bool {
    matches!(name, "lazy" | "dynamic" | "lazyWithPreload" | "loadable")
}

/// Whether a call of such a name makes a component: by where the name comes from, or where that is not known by what it is
/// given.
pub(super) fn may_be_reacts(print: Print<'_, '_>, call: &CallExpression<'_>) -> bool {
    const FRAMEWORKS: &[&str] = &["next/dynamic", "react-loadable", "react-lazy-with-preload", "solid-js"];
    let origin = root(&call.callee).and_then(|name| print.source.origins.of(name));
    let is_framework = |specifier: &str| {
        is_react(specifier) || specifier.starts_with("@loadable/") || FRAMEWORKS.contains(&specifier)
    };
    if call.callee.get_member_expr().is_some_and(|member| member.object().is_specific_id("React")) {
        return true;
    }
    match origin {
        Some(Origin::Module { specifier, .. }) if is_framework(specifier) => true,
        // A function of the file may be called so, too.
        Some(Origin::Own) => false,
        _ => renders_plainly(print, call),
    }
}

/// Whether a call is given a component that is written in place, or what loads one.
fn renders_plainly(print: Print<'_, '_>, call: &CallExpression<'_>) -> bool {
    if known_as(print, &call.callee).is_some_and(loads) {
        let mut finder = FindImport::default();
        finder.visit_call_expression(call);
        return finder.specifier.is_some();
    }
    let first =
        call.arguments.first().and_then(Argument::as_expression).map(Expression::get_inner_expression);
    match first {
        Some(Expression::CallExpression(inner)) => {
            known_as(print, &inner.callee).is_some_and(is_widespread) && may_be_reacts(print, inner)
        }
        Some(other) => Callable::of(other).is_some_and(maker::has_jsx),
        None => false,
    }
}

/// Of several functions that a call is given, the one that renders: the first that says what it takes, else the first.
fn rendering<'x, 'a>(call: &'x CallExpression<'a>) -> Option<&'x Expression<'a>> {
    let rendering = || {
        let given = call.arguments.iter().filter_map(Argument::as_expression);
        given.filter(|value| Callable::of(value).is_some_and(maker::has_jsx))
    };
    let says = |value: &&Expression<'a>| {
        let first = Callable::of(value).and_then(|callable| callable.parameters().items.first());
        first.is_some_and(|first| first.type_annotation.is_some())
    };
    rendering().find(says).or_else(|| rendering().next())
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
    // `motify(View)()`
    if call.arguments.is_empty() && matches!(call.callee, Expression::CallExpression(_)) {
        return self::call(print, &call.callee);
    }
    if call.callee.is_specific_id(CREATE_CONTEXT) { None } else { call_of(print, call) }
}

/// What `memo` is given, where a call makes it: `withTheme(Plain)` of `memo(withTheme(Plain))`.
pub(super) fn call_within(print: Print<'_, '_>, value: &Expression<'_>) -> Option<TypeShape> {
    let Expression::CallExpression(call) = value.get_inner_expression() else { return None };
    let name = known_as(print, &call.callee);
    let is_typed = call.type_arguments.is_some();
    if is_typed || !matches!(name, Some("memo" | "forwardRef")) || !may_be_reacts(print, call) {
        return None;
    }
    let inner = call.arguments.first()?.as_expression()?;
    match inner.get_inner_expression() {
        Expression::CallExpression(one)
            if known_as(print, &one.callee).is_some_and(is_widespread) && may_be_reacts(print, one) =>
        {
            call_within(print, inner)
        }
        _ if keeps_props(inner) => None,
        _ => self::call(print, inner),
    }
}

/// The type of a component that is made in place: `memo(Plain)`, `withTheme(Plain)`.
fn wrapped_type(print: Print<'_, '_>, value: &Expression<'_>) -> Option<TypeShape> {
    let Expression::CallExpression(call) = value else { return None };
    if nests(value, MOST_WRAPPED) {
        return None;
    }
    let wrapped = wrapped_call(print, call)?;
    let is_sure = wrapped.form != ComponentForm::Wrapped;
    let of = match wrapped.inner {
        _ if wrapped.props.is_some() => Some(TypeShape::Reference {
            name: "FC".to_owned(),
            arguments: wrapped.props.into_iter().collect(),
        }),
        Inner::Named(name) | Inner::Alias(name) => Some(TypeShape::Query(name)),
        Inner::Callable(made) if is_sure || maker::has_jsx(made) => maker::component_type(print, made),
        Inner::Callable(_) | Inner::Class(_) | Inner::Opaque => None,
    };
    let made = if is_sure { call_within(print, value) } else { self::call(print, value) };
    match made.filter(|_| !keeps_props(value)) {
        Some(made) => Some(component::as_said(made, of)),
        None => of,
    }
}

/// Whether a call is made of calls over more than so many levels.
fn nests(value: &Expression<'_>, levels: usize) -> bool {
    let Expression::CallExpression(call) = value.get_inner_expression() else { return false };
    let Some(levels) = levels.checked_sub(1) else { return true };
    let mut given = call.arguments.iter().filter_map(Argument::as_expression);
    nests(&call.callee, levels) || given.any(|one| nests(one, levels))
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
            (None, Expression::Identifier(name)) => TypeShape::Query(name.name.into_string()),
            (None, other) => Callable::of(other)
                .and_then(|callable| maker::component_type(print, callable))
                .or_else(|| wrapped_type(print, other))
                .unwrap_or_else(|| TypeShape::Text(String::new())),
        },
        None => TypeShape::Text(String::new()),
    });
    Some(TypeShape::Call(Box::new(CallShape {
        callee: callee.name.into_string(),
        types: types.map(|ty| shape::of_type(print, ty)).collect(),
        values: values.collect(),
    })))
}

/// One of the values that a call gives, `const [Provider, useStore] = create()`, `const { Provider } = create()`, or that an
/// object has: `const { List } = Tabs`.
pub(super) fn part(
    print: Print<'_, '_>,
    declarator: &VariableDeclarator<'_>,
    name: &str,
) -> Option<TypeShape> {
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
            let key = found.key.static_name()?;
            if let Expression::Identifier(object) = either(init) {
                return Some(TypeShape::Query(format!("{}.{key}", object.name)));
            }
            (key.to_string(), call(print, init)?)
        }
        _ => return None,
    };
    Some(TypeShape::Indexed { of: Box::new(of), key })
}

/// One of them by the name of them all, which is a constant of the file: `pair.Provider`.
pub(super) fn part_of_made(print: Print<'_, '_>, value: &Expression<'_>) -> Option<TypeShape> {
    let Expression::StaticMemberExpression(member) = either(value) else { return None };
    let Expression::Identifier(object) = &member.object else { return None };
    let Top::Constant(constant) = print.source.origins.declared(&object.name)? else { return None };
    let of = Box::new(call(print, constant.init.as_ref()?)?);
    Some(TypeShape::Indexed { of, key: member.property.name.into_string() })
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

/// Finds `import('./x')` and the name in it that becomes the default.
#[derive(Default)]
struct FindImport<'a> {
    specifier: Option<String>,
    /// `module.Name`
    member: Option<&'a str>,
    /// What patterns take apart, by the local name.
    taken: BTreeMap<&'a str, String>,
    /// Names that are given back, or given as the default.
    given: Vec<&'a str>,
}

impl<'a> FindImport<'a> {
    fn name(&self) -> Option<&str> {
        let taken = self.given.iter().find_map(|local| self.taken.get(local));
        taken.map(String::as_str).or(self.member)
    }

    /// What is given and was there before: `async () => ({ default: Card })`.
    fn own(&self, print: Print<'_, '_>) -> Option<String> {
        let is_own = |name: &&&str| is_component_name(name) && print.source.origins.of(name).is_some();
        self.given.iter().find(is_own).map(|name| (*name).to_owned())
    }

    fn give(&mut self, value: Option<&Expression<'a>>) {
        if let Some(Expression::Identifier(local)) = value.map(Expression::get_inner_expression) {
            self.given.push(local.name.as_str());
        }
    }
}

impl<'a> Visit<'a> for FindImport<'a> {
    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        self.specifier = text_of(&import.source);
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        let of = member.object.get_inner_expression();
        if matches!(of, Expression::Identifier(_) | Expression::AwaitExpression(_))
            && is_component_name(&member.property.name)
        {
            self.member = Some(member.property.name.as_str());
        }
        walk::walk_static_member_expression(self, member);
    }

    fn visit_binding_property(&mut self, property: &BindingProperty<'a>) {
        if let (Some(key), Some(local)) = (property.key.static_name(), property.value.get_identifier_name()) {
            self.taken.insert(local.as_str(), key.into_owned());
        }
        walk::walk_binding_property(self, property);
    }

    fn visit_object_property(&mut self, property: &ObjectProperty<'a>) {
        if property.key.is_specific_static_name("default") {
            self.give(Some(&property.value));
        }
        walk::walk_object_property(self, property);
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        self.give(arrow.get_expression());
        walk::walk_arrow_function_expression(self, arrow);
    }

    fn visit_return_statement(&mut self, returned: &ReturnStatement<'a>) {
        self.give(returned.argument.as_ref());
        walk::walk_return_statement(self, returned);
    }
}
