//! Components: which functions and classes are one, and what their props, state and events are. Those that are the value of
//! an expression are in `wrapped`.

use std::collections::BTreeSet;

use becket_base::divided;
use oxc_ast::ast::{
    ArrayExpressionElement, ArrowFunctionBody, ArrowFunctionExpression, BindingPattern, CallExpression,
    Class, ClassElement, Declaration, Expression, FormalParameters, Function, Ident, Program, Statement,
    TSType, TSTypeAnnotation, TSTypeParameterDeclaration, TSTypeQueryExprName, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::operator::LogicalOperator;

use super::body::{BodyUse, FileUse, Walk, callee_name};
use super::jsdoc::Said;
use super::maker;
use super::origins::{Origin, known_as, root};
use super::print::{Print, qualifier, type_name};
use super::returned::returns;
use super::shape;
use super::state::object_state;
use super::within::{Locals, Meant, declares};
use super::wrapped;
use crate::model::{COMPONENT_TYPES, ComponentFacts, ComponentForm, TypeShape, is_react, is_react_class};

/// A function in either spelling.
#[derive(Clone, Copy)]
pub(super) enum Callable<'x, 'a> {
    Function(&'x Function<'a>),
    Arrow(&'x ArrowFunctionExpression<'a>),
}

impl<'x, 'a> Callable<'x, 'a> {
    pub(super) fn of(expression: &'x Expression<'a>) -> Option<Self> {
        match expression.get_inner_expression() {
            Expression::ArrowFunctionExpression(arrow) => Some(Self::Arrow(arrow)),
            Expression::FunctionExpression(function) => Some(Self::Function(function)),
            _ => None,
        }
    }

    pub(super) fn is_async(self) -> bool {
        match self {
            Self::Function(function) => function.r#async,
            Self::Arrow(arrow) => arrow.r#async,
        }
    }

    /// Whether it gives one result after the other.
    pub(super) fn is_generator(self) -> bool {
        matches!(self, Self::Function(function) if function.generator)
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
        let declares = |name: &str, meant: Meant| declares(self, name, meant);
        let locals = Locals { declares: &declares, outer: print.locals };
        let mut walk = Walk { print: Print { locals: Some(&locals), ..print }, file, body };
        match self {
            Self::Function(function) => {
                let directives = function.body.iter().flat_map(|body| &body.directives);
                if directives.into_iter().any(|directive| directive.directive == "use server") {
                    walk.file.actions.extend(function.name().map(Ident::into_string));
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
            // Others see what it is said to be, where that is a component.
            Some(TypeShape::Reference { arguments, .. }) if arguments.len() == 1 => {
                let said = arguments.into_iter().next();
                said.map(|said| as_said(said, own.or_else(|| self.props_said(print))))
            }
            perhaps => own.or(perhaps).or_else(|| self.props_said(print)),
        };
        destructured.sort();
        destructured.dedup();
        ComponentFacts {
            form,
            props,
            destructured,
            given: Vec::new(),
            used_callbacks: body.callbacks.into_iter().collect(),
            spreads_rest: body.spreads_rest,
            state: body.state,
            state_shape: None,
            made_of: None,
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
fn gives_other(print: Print<'_, '_>, name: &str, body: &BodyUse, callable: Callable<'_, '_>) -> bool {
    if let Some(returned) = callable.returned() {
        let ty = &returned.type_annotation;
        let is_other = match ty {
            TSType::TSNullKeyword(_) => false,
            TSType::TSTypeReference(_) => !body.has_jsx,
            _ => name == WITHOUT_NAME && !body.has_jsx,
        };
        return (is_other || is_data(ty)) && !has_element(ty);
    }
    let Some(last) = maker::last(callable) else { return false };
    match last.get_inner_expression() {
        Expression::ObjectExpression(_) | Expression::NewExpression(_) => true,
        Expression::NullLiteral(_) => false,
        // `[{ key: 'name', title: <b /> }]`
        Expression::ArrayExpression(list)
            if matches!(list.elements.first(), Some(ArrayExpressionElement::ObjectExpression(_))) =>
        {
            true
        }
        Expression::CallExpression(call) if is_test_of(print, call) => true,
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

/// `render(<Card />)` of a test, `renderToString(<Card />)` of a server: what is rendered there is not what is given.
fn is_test_of(print: Print<'_, '_>, call: &CallExpression<'_>) -> bool {
    const RENDERERS: &[&str] = &["react-dom/server", "react-dom/test-utils", "react-test-renderer"];
    match root(&call.callee).and_then(|name| print.source.origins.of(name)) {
        Some(Origin::Module { specifier, .. }) => {
            specifier.starts_with("@testing-library/") || RENDERERS.contains(&specifier.as_str())
        }
        _ => false,
    }
}

/// Whether what a function takes can be props, and a ref or a context beside them.
fn takes_props(callable: Callable<'_, '_>) -> bool {
    let items = &callable.parameters().items;
    let first = items.first().and_then(|first| first.type_annotation.as_ref());
    let is_other = first.is_some_and(|said| {
        let ty = &said.type_annotation;
        is_data(ty) && !matches!(ty, TSType::TSTypeLiteral(_)) || matches!(ty, TSType::TSLiteralType(_))
    });
    items.len() <= 2 && !is_other
}

/// As [`is_element`], also in a list or as what a type is given.
fn has_element(ty: &TSType<'_>) -> bool {
    is_element(ty)
        || match ty {
            TSType::TSArrayType(list) => has_element(&list.element_type),
            TSType::TSParenthesizedType(inner) => has_element(&inner.type_annotation),
            TSType::TSTypeReference(reference) => {
                reference.type_arguments.iter().flat_map(|list| &list.params).any(has_element)
            }
            TSType::TSUnionType(union) => union.types.iter().any(has_element),
            _ => false,
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
    let is_made =
        || declarator.init.as_ref().is_some_and(|init| matches!(init, Expression::CallExpression(_)));
    (declarator.id.is_array_pattern() || declarator.id.is_object_pattern() && is_made())
        && name.ends_with("Provider")
        && is_component_name(name)
        && names.iter().any(|other| super::is_hook(other))
}

/// As [`renders`], also for one that gives back what stands inside of it, `({ children }) => children`, or nothing at all.
pub(super) fn is_component(
    print: Print<'_, '_>,
    name: &str,
    body: &BodyUse,
    callable: Callable<'_, '_>,
) -> bool {
    renders(name, body, callable.returned())
        && !gives_other(print, name, body, callable)
        && takes_props(callable)
        || is_component_name(name) && print.source.has_elements && is_said_to_show_nothing(callable)
        || is_component_name(name)
            && callable.returned().is_none()
            && (shows_children(body, callable)
                || maker::last(callable).is_some_and(Expression::is_null) && gives_nothing_else(callable))
}

/// Whether a function that renders nothing itself may be a component by its name and by what it takes and gives, in a file
/// where components are written.
pub(super) fn may_be_page(
    print: Print<'_, '_>,
    name: &str,
    body: &BodyUse,
    callable: Callable<'_, '_>,
) -> bool {
    let makes_other = || match maker::last(callable).map(Expression::get_inner_expression) {
        Some(Expression::CallExpression(call)) => {
            callee_name(&call.callee).is_some_and(wrapped::makes_other_things)
        }
        _ => false,
    };
    print.source.has_elements
        && !print.source.is_javascript()
        && is_component_name(name)
        && !callable.is_generator()
        && takes_props(callable)
        && !gives_other(print, name, body, callable)
        && !makes_other()
}

/// `(props: Props): null`, where components are written: nobody calls a function for nothing but `null`. What takes more than
/// props, or plain data, may be called for what it does.
fn is_said_to_show_nothing(callable: Callable<'_, '_>) -> bool {
    let is_null = |said: &TSTypeAnnotation<'_>| matches!(said.type_annotation, TSType::TSNullKeyword(_));
    let takes = callable.parameters();
    let said = takes.items.first().and_then(|first| first.type_annotation.as_ref());
    let are_props = said.is_none_or(|said| match &said.type_annotation {
        TSType::TSTypeLiteral(_) => true,
        ty => !ty.is_keyword() && !is_data(ty),
    });
    let takes_more = takes.items.len() > 1 || takes.rest.is_some();
    callable.returned().is_some_and(is_null) && are_props && !takes_more && !callable.is_async()
}

/// Whether a function gives its `children`, in one of its branches, and nothing in others that cannot be shown.
fn shows_children(body: &BodyUse, callable: Callable<'_, '_>) -> bool {
    let mut shown = given(callable);
    let mut has_children = false;
    while let Some(value) = shown.pop() {
        match value.get_inner_expression() {
            Expression::ConditionalExpression(one) => shown.extend([&one.consequent, &one.alternate]),
            // What stands before `&&` is asked, and hardly given.
            Expression::LogicalExpression(one) if one.operator == LogicalOperator::And => {
                shown.push(&one.right);
            }
            Expression::LogicalExpression(one) => shown.extend([&one.left, &one.right]),
            Expression::ArrayExpression(_)
            | Expression::ArrowFunctionExpression(_)
            | Expression::ClassExpression(_)
            | Expression::FunctionExpression(_)
            | Expression::NewExpression(_)
            | Expression::ObjectExpression(_) => return false,
            other => body.props.each_given(other, &mut |prop| has_children |= prop == "children"),
        }
    }
    has_children && takes_props(callable)
}

/// Whether `null` is all that a function gives: that of a component which others only read.
fn gives_nothing_else(callable: Callable<'_, '_>) -> bool {
    given(callable).into_iter().all(Expression::is_null)
}

/// What a function gives, each time that it gives something.
fn given<'x, 'a>(callable: Callable<'x, 'a>) -> Vec<&'x Expression<'a>> {
    let mut returned = Vec::new();
    for statement in callable.statements() {
        returns(statement, &mut returned);
    }
    returned.into_iter().flatten().chain(callable.expression()).collect()
}

pub(super) fn is_element(ty: &TSType<'_>) -> bool {
    match ty {
        TSType::TSTypeReference(reference) => {
            let name = type_name(&reference.type_name);
            let last = divided::after_last(&name, b'.');
            let arguments = reference.type_arguments.iter().flat_map(|list| &list.params);
            matches!(last, "ReactElement" | "ReactNode" | "ReactPortal" | "VNode" | "JSXElement")
                || matches!(name.as_str(), "JSX.Element" | "React.JSX.Element" | "Element")
                || (last == "Promise" && arguments.clone().any(is_element))
                || (last == "ReturnType" && arguments.into_iter().any(is_query_of_component))
        }
        TSType::TSUnionType(union) => union.types.iter().any(is_element),
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
    let (name, arguments) = match annotation {
        TSType::TSTypeReference(reference) => (type_name(&reference.type_name), &reference.type_arguments),
        TSType::TSImportType(import) => {
            (import.qualifier.as_ref().map(qualifier).unwrap_or_default(), &import.type_arguments)
        }
        _ => {
            return match said_to_be(print, annotation) {
                Some(said @ (TypeShape::Generic { .. } | TypeShape::Reference { .. })) => {
                    Annotated::Component(Some(as_said(said, None)))
                }
                Some(said) => Annotated::Perhaps(said),
                None => Annotated::Otherwise,
            };
        }
    };
    let last = divided::after_last(&name, b'.');
    if !COMPONENT_TYPES.contains(&last) {
        return said_to_be(print, annotation).map_or(Annotated::Otherwise, Annotated::Perhaps);
    }
    // `MemoExoticComponent<typeof Card>` names a component, and not its props.
    if matches!(last, "MemoExoticComponent" | "LazyExoticComponent") {
        return Annotated::Component(Some(as_said(shape::of_type(print, annotation), None)));
    }
    let at = usize::from(last == "ForwardRefRenderFunction");
    let arguments = arguments.as_ref().map(|list| &list.params);
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
        Expression::TSTypeAssertion(cast) => Some(&cast.type_annotation),
        Expression::TSSatisfiesExpression(inner) => match inner.expression.get_inner_expression() {
            // Nothing else says what its parameters are.
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => {
                cast(&inner.expression).or(Some(&inner.type_annotation))
            }
            _ => cast(&inner.expression),
        },
        _ => None,
    }
}

/// What a ref of this type holds: `Element` of `React.ForwardedRef<Element>`.
pub(super) fn held_by_ref<'x, 'a>(ty: &'x TSType<'a>) -> Option<&'x TSType<'a>> {
    match ty {
        TSType::TSTypeReference(reference) => {
            let name = type_name(&reference.type_name);
            let is_ref = matches!(
                name.rsplit('.').next(),
                Some("ForwardedRef" | "LegacyRef" | "MutableRefObject" | "Ref" | "RefCallback" | "RefObject")
            );
            reference.type_arguments.as_ref().filter(|_| is_ref)?.params.first()
        }
        TSType::TSUnionType(parts) => parts.types.iter().find_map(held_by_ref),
        _ => None,
    }
}

/// The functions that a file makes components of by their name, where that is not one of a component: `memo(_Card)`.
pub(super) fn handed_on<'x>(print: Print<'x, '_>, program: &'x Program<'_>) -> BTreeSet<&'x str> {
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
    values.filter_map(|value| handed(print, value)).filter(|name| !is_component_name(name)).collect()
}

fn handed<'x>(print: Print<'x, '_>, value: &'x Expression<'_>) -> Option<&'x str> {
    let Expression::CallExpression(call) = value.get_inner_expression() else { return None };
    let is_merge = wrapped::merges(value);
    let may_be = || {
        let is_named = matches!(known_as(print, &call.callee), Some("memo" | "forwardRef"));
        is_named && wrapped::may_be_reacts(print, call)
    };
    if !is_merge && !may_be() {
        return None;
    }
    match call.arguments.first()?.as_expression()?.get_inner_expression() {
        Expression::Identifier(name) => (!is_merge || is_hidden_name(&name.name)).then_some(&name.name),
        inner => handed(print, inner),
    }
}

/// `_Card`, which is there to be made something more of: `Object.assign(_Card, { Title })`.
pub(super) fn is_hidden_name(name: &str) -> bool {
    name.starts_with('_') && is_component_name(name.trim_start_matches('_'))
}

/// What a class that is a component, or may be one, says of itself in its head.
pub(super) struct ClassComponent {
    pub(super) props: Option<TypeShape>,
    pub(super) state: Option<TypeShape>,
    /// Of React itself; what extends another class is a component if that one is, which `link` knows.
    pub(super) is_sure: bool,
}

/// Whether a class extends one of React's by its name, and nothing at the top of the file says that the name is another's.
/// What comes from another file may be React's all the same: `link` knows.
fn extends_react(print: Print<'_, '_>, parent: &Expression<'_>) -> bool {
    let (root, member) = match parent {
        Expression::Identifier(name) => (name.name.as_str(), None),
        Expression::StaticMemberExpression(member) => match member.object.get_inner_expression() {
            Expression::Identifier(object) => (object.name.as_str(), Some(member.property.name.as_str())),
            _ => return is_react_class(&member.property.name),
        },
        _ => return false,
    };
    match print.source.origins.of(root) {
        Some(Origin::Module { specifier, name }) => {
            is_react(specifier) && is_react_class(member.unwrap_or(name))
        }
        Some(Origin::Made) | None => is_react_class(member.unwrap_or(root)),
        Some(Origin::Own) => false,
    }
}

/// `class X extends React.Component<Props, State>`, or any other class that has a parent.
pub(super) fn class_component(print: Print<'_, '_>, class: &Class<'_>) -> Option<ClassComponent> {
    let heritage = class.heritage.as_ref()?;
    let parent = callee_name(&heritage.expression)?;
    let arguments = heritage.type_arguments.as_ref().map(|list| &list.params);
    let at = |index: usize| arguments.and_then(|list| list.get(index)).map(|ty| shape::of_type(print, ty));
    let parameters = shape::parameters(print, class.type_parameters.as_deref());
    if extends_react(print, &heritage.expression) {
        let props = at(0).map(|props| shape::generic(parameters, props));
        return Some(ClassComponent { props, state: at(1), is_sure: true });
    }
    let is_name =
        matches!(heritage.expression, Expression::Identifier(_) | Expression::StaticMemberExpression(_));
    if !is_name || !is_component_name(parent) {
        return None;
    }
    let name = print.expression(&heritage.expression);
    let arguments = arguments.into_iter().flatten().map(|ty| shape::of_type(print, ty)).collect();
    let base = TypeShape::Reference { name, arguments };
    let state = if is_react_class(parent) { at(1) } else { None };
    Some(ClassComponent { props: Some(shape::generic(parameters, base)), state, is_sure: false })
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
                let annotated = property.type_annotation.as_ref().map(|ty| &ty.type_annotation);
                let said = annotated.or_else(|| property.value.as_ref().and_then(cast));
                let said = said.filter(|ty| !ty.is_const_type_reference());
                declared = said.map(|ty| shape::of_type(print, ty));
                let values = property.value.as_ref().map(|value| object_state(print, value));
                body.state.extend(values.into_iter().flatten());
            }
        }
    }
    let facts = ComponentFacts {
        form: ComponentForm::Class,
        props,
        destructured: std::mem::take(&mut body.destructured),
        given: Vec::new(),
        used_callbacks: std::mem::take(&mut body.callbacks).into_iter().collect(),
        spreads_rest: body.spreads_rest,
        state: std::mem::take(&mut body.state),
        state_shape: declared.or(state_shape),
        made_of: None,
        declared_emits: Vec::new(),
    };
    Some((facts, is_sure))
}
