//! Functions that give components, such as `withTheme(Button)`: what they take, and the type of what they give, as
//! declared or as returned.

use becket_base::divided;
use oxc_ast::ast::{
    Argument, ArrayExpressionElement, Expression, JSXFragment, JSXOpeningElement, ObjectPropertyKind,
    Statement, TSType, TSTypeName, VariableDeclarator,
};
use oxc_ast_visit::Visit;

use super::body::BodyUse;
use super::component::{self, Callable};
use super::origins::known_as;
use super::print::{INFERRED, Print, quoted};
use super::shape;
use super::wrapped::{self, Inner, Wrapped};
use crate::model::{
    COMPONENT_TYPES, ComponentForm, DeclarationDetail, Member, MemberKind, TypeParameter, TypeShape,
};

/// More names for what is returned are not followed.
const MOST_NAMES: usize = 6;

pub(super) fn of(
    print: Print<'_, '_>,
    callable: Callable<'_, '_>,
    body: &BodyUse,
) -> Option<DeclarationDetail> {
    let returned = callable.returned().map(|returned| &returned.type_annotation);
    // Most functions are no makers, and this is asked of each.
    let is_other = match returned {
        Some(ty) => !is_named_so(ty, callable),
        None => !(body.has_jsx || body.has_hooks || last(callable).is_some_and(may_give)),
    };
    if is_other {
        return None;
    }
    let parameters = shape::parameters(print, callable.type_parameters());
    let gives = if let Some(ty) = returned {
        let said = Some(shape::of_type(print, ty)).filter(|shape| may_be(shape, &parameters));
        // A name alone would be that of another function, which gives the same.
        let is_name = matches!(said, Some(TypeShape::Query(_)));
        said.map(|said| if is_name { component::as_said(said, None) } else { said })
    } else {
        let returned = Returned { print, callable, parameters: &parameters };
        last(callable).and_then(|expression| returned.value(expression))
    }?;
    let gives = with_own_types(print, callable, &gives);
    Some(DeclarationDetail::Maker { takes: takes(print, callable).collect(), gives, parameters })
}

fn takes<'x>(print: Print<'x, 'x>, callable: Callable<'x, '_>) -> impl Iterator<Item = TypeShape> {
    callable.parameters().items.iter().map(move |parameter| match &parameter.type_annotation {
        Some(ty) => shape::of_type(print, &ty.type_annotation),
        None => TypeShape::Text(String::new()),
    })
}

/// Whether a function that gives what some call gives is a component itself, and that what it renders: by its name, and by
/// hooks that it calls or props that it takes apart.
pub(super) fn renders(
    name: &str,
    body: &BodyUse,
    callable: Callable<'_, '_>,
    maker: &DeclarationDetail,
) -> bool {
    let DeclarationDetail::Maker { gives: TypeShape::Reference { name: said, arguments }, .. } = maker else {
        return false;
    };
    // What calls hooks makes nothing of its own: `return list.show(() => <b />)`.
    let is_given = || last(callable).is_some_and(|last| matches!(last, Expression::CallExpression(_)));
    let is_guess = said == TypeShape::CAST && matches!(arguments.as_slice(), [TypeShape::Call(_)])
        || body.calls_hooks && is_given();
    let takes_props = match callable.parameters().items.first() {
        Some(first) => first.pattern.is_object_pattern(),
        None => true,
    };
    is_guess
        && component::renders(name, body, callable.returned())
        && (body.calls_hooks || takes_props && body.has_jsx)
}

/// `const polymorphic = createPolymorphicComponent`: what the other one gives.
pub(super) fn alias(value: &Expression<'_>) -> Option<DeclarationDetail> {
    let Expression::Identifier(other) = value.get_inner_expression() else { return None };
    Some(same_as(other.name.into_string()))
}

/// `const { withContext } = createStyles()`: what that part of it gives.
pub(super) fn part(
    print: Print<'_, '_>,
    declarator: &VariableDeclarator<'_>,
    name: &str,
) -> Option<DeclarationDetail> {
    let gives = wrapped::part(print, declarator, name)?;
    let is_called = matches!(&gives, TypeShape::Indexed { of, .. } if matches!(**of, TypeShape::Call(_)));
    is_called.then(|| DeclarationDetail::Maker { takes: Vec::new(), gives, parameters: Vec::new() })
}

/// `const make: typeof other = …`: what the other one gives, too.
pub(super) fn said_to_be(print: Print<'_, '_>, annotation: Option<&TSType<'_>>) -> Option<DeclarationDetail> {
    let query = annotation.filter(|ty| matches!(ty, TSType::TSTypeQuery(_)))?;
    match shape::of_type(print, query) {
        TypeShape::Query(other) => Some(same_as(other)),
        _ => None,
    }
}

/// `cva('base', { variants: { size: { s: '…', m: '…' } } })`: a function from variants to classes. What it takes are props of
/// the component that the classes are for.
pub(super) fn variants(print: Print<'_, '_>, value: &Expression<'_>) -> Option<DeclarationDetail> {
    let Expression::CallExpression(call) = value.get_inner_expression() else { return None };
    let is_cva = call.callee.is_specific_id("cva");
    if !is_cva && !call.callee.is_specific_id("tv") {
        return None;
    }
    let Argument::ObjectExpression(config) = call.arguments.get(usize::from(is_cva))? else { return None };
    let property = |name: &str| {
        let mut each = config.properties.iter().filter_map(|one| one.as_property());
        each.find(|one| one.key.is_specific_static_name(name))
    };
    // What is extended has variants of its own.
    if property("extend").is_some() {
        return None;
    }
    let Expression::ObjectExpression(each) = property("variants")?.value.get_inner_expression() else {
        return None;
    };
    let members = each.properties.iter().map(|variant| {
        let variant = variant.as_property().filter(|variant| !variant.computed)?;
        let choices = choices(print, &variant.value);
        Some(Member {
            name: shape::prop_name(print, &variant.key, false),
            kind: MemberKind::Property,
            text: if is_cva { choices + " | null" } else { choices },
            optional: true,
            doc: None,
            elsewhere: false,
        })
    });
    let takes = vec![TypeShape::Object(members.collect::<Option<_>>()?)];
    let gives = TypeShape::Text("string".to_owned());
    Some(DeclarationDetail::Maker { takes, gives, parameters: Vec::new() })
}

/// The names of the choices of a variant.
fn choices(print: Print<'_, '_>, value: &Expression<'_>) -> String {
    let Expression::ObjectExpression(object) = value.get_inner_expression() else {
        return INFERRED.to_owned();
    };
    let names = object.properties.iter().map(|one| match one {
        ObjectPropertyKind::ObjectProperty(one) if !one.computed => {
            let name = shape::prop_name(print, &one.key, false);
            Some(if matches!(name.as_str(), "true" | "false") { "boolean".to_owned() } else { quoted(&name) })
        }
        _ => None,
    });
    let Some(mut names) = names.collect::<Option<Vec<String>>>() else { return INFERRED.to_owned() };
    names.dedup();
    if names.is_empty() { INFERRED.to_owned() } else { names.join(" | ") }
}

fn same_as(other: String) -> DeclarationDetail {
    DeclarationDetail::Maker { takes: Vec::new(), gives: TypeShape::Query(other), parameters: Vec::new() }
}

/// Whether an expression may be a component, or several values of which some are, though nothing around it renders.
fn may_give(expression: &Expression<'_>) -> bool {
    match expression.get_inner_expression() {
        Expression::ArrayExpression(list) => {
            (2..=4).contains(&list.elements.len())
                && list.elements.iter().all(ArrayExpressionElement::is_expression)
        }
        Expression::ObjectExpression(object) => object.properties.iter().any(|property| {
            property.as_property().and_then(|one| one.key.static_name()).is_some_and(|name| {
                name.starts_with("with") || name.ends_with("Provider") || name.ends_with("Consumer")
            })
        }),
        _ => component::cast(expression).is_some_and(|ty| !ty.is_keyword() && !ty.is_const_type_reference()),
    }
}

/// Types that the function declares for itself mean nothing outside of it: they are written out.
fn with_own_types(print: Print<'_, '_>, callable: Callable<'_, '_>, gives: &TypeShape) -> TypeShape {
    let own = callable.statements().iter().filter_map(|statement| match statement {
        Statement::TSTypeAliasDeclaration(alias) => Some(alias),
        _ => None,
    });
    let mut own: Vec<OwnType> = own
        .map(|alias| OwnType {
            name: alias.id.name.into_string(),
            parameters: shape::parameters(print, alias.type_parameters.as_deref()),
            shape: shape::of_type(print, &alias.type_annotation),
        })
        .collect();
    // In source order: what one of them names has been written out before.
    for at in 0..own.len() {
        let (before, rest) = own.split_at_mut(at);
        if let Some(one) = rest.first_mut() {
            one.shape = written_out(&one.shape, before, 0);
        }
    }
    written_out(gives, &own, 0)
}

struct OwnType {
    name: String,
    parameters: Vec<TypeParameter>,
    shape: TypeShape,
}

fn written_out(shape: &TypeShape, own: &[OwnType], depth: usize) -> TypeShape {
    if own.is_empty() || depth > MOST_NAMES {
        return shape.clone();
    }
    let inner = |shape: &TypeShape| written_out(shape, own, depth + 1);
    let all = |parts: &[TypeShape]| parts.iter().map(inner).collect::<Vec<_>>();
    match shape {
        TypeShape::Reference { name, arguments } => match own.iter().find(|one| one.name == *name) {
            Some(one) => {
                let names = one.parameters.iter().zip(all(arguments));
                one.shape.with(&names.map(|(parameter, given)| (parameter.name.clone(), given)).collect())
            }
            None => TypeShape::Reference { name: name.clone(), arguments: all(arguments) },
        },
        TypeShape::Intersection(parts) => TypeShape::Intersection(all(parts)),
        TypeShape::Union(parts) => TypeShape::Union(all(parts)),
        TypeShape::Generic { parameters, shape } => {
            TypeShape::Generic { parameters: parameters.clone(), shape: Box::new(inner(shape)) }
        }
        TypeShape::Parts(parts) => {
            TypeShape::Parts(parts.iter().map(|(name, part)| (name.clone(), inner(part))).collect())
        }
        other => other.clone(),
    }
}

/// As [`may_be`], before anything is made of a type.
fn is_named_so(ty: &TSType<'_>, callable: Callable<'_, '_>) -> bool {
    match ty {
        TSType::TSTypeReference(reference) => {
            let last = match &reference.type_name {
                TSTypeName::IdentifierReference(name) => name.name.as_str(),
                TSTypeName::QualifiedName(name) => name.right.name.as_str(),
                TSTypeName::ThisExpression(_) => return false,
            };
            let mut parameters = callable.type_parameters().into_iter().flat_map(|list| &list.params);
            COMPONENT_TYPES.contains(&last)
                || last.contains("Component")
                || parameters.any(|parameter| parameter.name.name == last)
        }
        TSType::TSIntersectionType(parts) => parts.types.iter().any(|part| is_named_so(part, callable)),
        TSType::TSUnionType(parts) => parts.types.iter().any(|part| is_named_so(part, callable)),
        TSType::TSFunctionType(_) => true,
        // `function icon(path: ReactNode): typeof Icon`
        TSType::TSTypeQuery(_) => component::is_query_of_component(ty),
        _ => false,
    }
}

/// Whether a declared type can be one of a component. `link` knows what a name stands for, but few names need be asked.
fn may_be(shape: &TypeShape, parameters: &[TypeParameter]) -> bool {
    match shape {
        TypeShape::Reference { name, .. } => {
            let last = divided::after_last(name, b'.');
            COMPONENT_TYPES.contains(&last)
                || last.contains("Component")
                || parameters.iter().any(|parameter| parameter.name == *name)
        }
        TypeShape::Intersection(parts) | TypeShape::Union(parts) => {
            parts.iter().any(|part| may_be(part, parameters))
        }
        TypeShape::Generic { shape, .. } => may_be(shape, parameters),
        TypeShape::Query(name) => component::is_component_name(name),
        // `Payload['signature']`
        TypeShape::Indexed { of, .. } => {
            matches!(&**of, TypeShape::Reference { name, .. } if parameters.iter().any(|one| one.name == *name))
        }
        _ => false,
    }
}

struct Returned<'r, 's, 'x, 'a> {
    print: Print<'s, 'r>,
    callable: Callable<'x, 'a>,
    parameters: &'r [TypeParameter],
}

impl<'x, 'a> Returned<'_, '_, 'x, 'a> {
    /// A component, or several values of which one is.
    fn value(&self, expression: &'x Expression<'a>) -> Option<TypeShape> {
        let parts: Vec<(String, TypeShape)> = match expression.get_inner_expression() {
            Expression::ArrayExpression(list) => {
                let each = list.elements.iter().enumerate();
                each.filter_map(|(at, one)| Some((at.to_string(), self.part(one.as_expression()?)?)))
                    .collect()
            }
            Expression::ObjectExpression(object) => {
                let each = object.properties.iter().filter_map(|property| property.as_property());
                each.filter_map(|one| Some((one.key.static_name()?.into_owned(), self.part(&one.value)?)))
                    .collect()
            }
            _ => return self.component(expression, 0),
        };
        (!parts.is_empty()).then_some(TypeShape::Parts(parts))
    }

    fn part(&self, value: &'x Expression<'a>) -> Option<TypeShape> {
        match value.get_inner_expression() {
            // `Context.Provider`
            Expression::StaticMemberExpression(member) => {
                let Expression::Identifier(of) = &member.object else { return None };
                let is_part = wrapped::is_part_of_context(&member.property.name);
                (is_part && self.makes_context(&of.name)).then(|| of_props(Some(provided())))
            }
            // A context can be rendered itself since React 19.
            Expression::Identifier(name) if self.makes_context(&name.name) => {
                Some(of_props(Some(provided())))
            }
            other => {
                let function = match other {
                    Expression::Identifier(name) => self.function_named(&name.name),
                    other => Callable::of(other),
                };
                function.and_then(|function| self.maker(function)).or_else(|| self.component(value, 0))
            }
        }
    }

    /// A function of its own, as one of what it gives: `{ withContext }`.
    fn function_named(&self, name: &str) -> Option<Callable<'x, 'a>> {
        self.callable.statements().iter().find_map(|statement| match statement {
            Statement::FunctionDeclaration(function) if function.name().is_some_and(|own| own == name) => {
                Some(Callable::Function(function))
            }
            Statement::VariableDeclaration(variables) => {
                let is_it = |one: &&VariableDeclarator<'_>| {
                    one.id.get_identifier_name().is_some_and(|own| own == name)
                };
                Callable::of(variables.declarations.iter().find(is_it)?.init.as_ref()?)
            }
            _ => None,
        })
    }

    /// A function that makes components itself, by the type that it declares, or by the name of what it returns.
    fn maker(&self, function: Callable<'x, 'a>) -> Option<TypeShape> {
        let parameters = shape::parameters(self.print, function.type_parameters());
        let gives = match function.returned().map(|returned| &returned.type_annotation) {
            Some(ty) if is_named_so(ty, function) => {
                Some(shape::of_type(self.print, ty)).filter(|said| may_be(said, &parameters))
            }
            Some(_) => None,
            None => {
                let inside = Returned { print: self.print, callable: function, parameters: &parameters };
                match last(function)?.get_inner_expression() {
                    Expression::Identifier(name) if component::is_component_name(&name.name) => {
                        inside.named(&name.name, 1)
                    }
                    _ => None,
                }
            }
        }?;
        let arguments = std::iter::once(gives).chain(takes(self.print, function)).collect();
        Some(shape::generic(
            parameters,
            TypeShape::Reference { name: TypeShape::MAKES.to_owned(), arguments },
        ))
    }

    fn makes_context(&self, name: &str) -> bool {
        self.callable.statements().iter().any(|statement| {
            let Statement::VariableDeclaration(variables) = statement else { return false };
            variables.declarations.iter().any(|one| {
                let called = match one.init.as_ref().map(Expression::get_inner_expression) {
                    Some(Expression::CallExpression(call)) => known_as(self.print, &call.callee),
                    _ => None,
                };
                one.id.get_identifier_name().is_some_and(|own| own == name) && called == Some("createContext")
            })
        })
    }

    fn component(&self, expression: &'x Expression<'a>, names: usize) -> Option<TypeShape> {
        if let Some(ty) = component::cast(expression).filter(|ty| !component::is_element(ty)) {
            let said = shape::of_type(self.print, ty);
            // `Component as Made<P>` gives what that is, whatever it is called.
            let is_component = matches!(
                expression.get_inner_expression(),
                Expression::Identifier(name) if component::is_component_name(&name.name)
            );
            if may_be(&said, self.parameters)
                || is_component && matches!(said, TypeShape::Reference { .. } | TypeShape::Intersection(_))
            {
                return Some(said);
            }
        }
        match expression.get_inner_expression() {
            Expression::Identifier(name) => self.named(&name.name, names),
            Expression::ClassExpression(class) => Some(self.of_class(class)?),
            Expression::CallExpression(_) => {
                let wrapped = wrapped::of(self.print, expression);
                let otherwise = wrapped.and_then(|wrapped| self.wrapped(wrapped, names));
                // What another function makes of it is surer, if that can be looked at.
                match wrapped::call(self.print, expression).filter(|_| names == 0 || otherwise.is_some()) {
                    Some(made) => Some(component::as_said(made, otherwise)),
                    None => otherwise,
                }
            }
            _ => Callable::of(expression).and_then(|inner| {
                let given = || has_jsx(inner).then(|| self.function(inner));
                self.made_inside(inner, names).or_else(given)
            }),
        }
    }

    /// A function that takes nothing and gives a component that it makes: what is given is called once more, as in
    /// `motify(View)()`.
    fn made_inside(&self, inner: Callable<'x, 'a>, names: usize) -> Option<TypeShape> {
        let Expression::Identifier(name) = last(inner)?.get_inner_expression() else { return None };
        let is_one = inner.parameters().items.is_empty() && component::is_component_name(&name.name);
        let inside = Returned { print: self.print, callable: inner, parameters: self.parameters };
        if is_one { inside.named(&name.name, names + 1) } else { None }
    }

    fn wrapped(&self, wrapped: Wrapped<'x, 'a>, names: usize) -> Option<TypeShape> {
        if let Some(props) = wrapped.props {
            return Some(of_props(Some(props)));
        }
        match wrapped.inner {
            Inner::Callable(inner) if wrapped.form != ComponentForm::Wrapped || has_jsx(inner) => {
                Some(self.function(inner))
            }
            Inner::Class(class) => self.of_class(class),
            Inner::Named(name) | Inner::Alias(name) => self.named(&name, names),
            Inner::Callable(_) | Inner::Opaque => None,
        }
    }

    /// What a name inside the function stands for.
    fn named(&self, name: &str, names: usize) -> Option<TypeShape> {
        if names > MOST_NAMES {
            return None;
        }
        for parameter in &self.callable.parameters().items {
            if parameter.pattern.get_identifier_name().is_some_and(|taken| taken == name) {
                let ty = parameter.type_annotation.as_ref()?;
                let shape = shape::of_type(self.print, &ty.type_annotation);
                return may_be(&shape, self.parameters).then_some(shape);
            }
        }
        self.callable.statements().iter().find_map(|statement| match statement {
            Statement::FunctionDeclaration(function) if function.name().is_some_and(|own| own == name) => {
                let inner = Callable::Function(function);
                has_jsx(inner).then(|| self.function(inner))
            }
            Statement::ClassDeclaration(class) if class.id.as_ref().is_some_and(|id| id.name == name) => {
                self.of_class(class)
            }
            Statement::VariableDeclaration(variables) => {
                let declares = |one: &&VariableDeclarator<'_>| {
                    one.id.get_identifier_name().is_some_and(|own| own == name)
                };
                let found = variables.declarations.iter().find(declares)?;
                let annotated = found.type_annotation.as_ref();
                let said = annotated.map(|ty| shape::of_type(self.print, &ty.type_annotation));
                match said.filter(|said| may_be(said, self.parameters)) {
                    Some(said) => Some(said),
                    None => self.component(found.init.as_ref()?, names + 1),
                }
            }
            _ => None,
        })
    }

    fn function(&self, inner: Callable<'_, '_>) -> TypeShape {
        component_type(self.print, inner).unwrap_or_else(|| of_props(None))
    }

    fn of_class(&self, class: &oxc_ast::ast::Class<'_>) -> Option<TypeShape> {
        component::class_component(self.print, class).map(|found| of_props(found.props))
    }
}

/// The type of a function that is a component; `None` where it does not say what it takes.
pub(super) fn component_type(print: Print<'_, '_>, callable: Callable<'_, '_>) -> Option<TypeShape> {
    let props = match callable.parameters().items.first() {
        Some(first) => shape::of_type(print, &first.type_annotation.as_ref()?.type_annotation),
        None => TypeShape::Object(Vec::new()),
    };
    Some(shape::generic(shape::parameters(print, callable.type_parameters()), of_props(Some(props))))
}

/// What the provider of a context takes.
fn provided() -> TypeShape {
    let member = |name: &str, text: &str, optional: bool| Member {
        name: name.to_owned(),
        kind: MemberKind::Property,
        text: text.to_owned(),
        optional,
        doc: None,
        elsewhere: false,
    };
    TypeShape::Object(vec![member("value", "inferred", false), member("children", "ReactNode", true)])
}

/// A component with these props; without any where nobody says which.
fn of_props(props: Option<TypeShape>) -> TypeShape {
    TypeShape::Reference { name: "FC".to_owned(), arguments: props.into_iter().collect() }
}

/// What a function returns at its end.
pub(super) fn last<'x, 'a>(callable: Callable<'x, 'a>) -> Option<&'x Expression<'a>> {
    match callable.statements().last() {
        Some(Statement::ReturnStatement(returned)) => returned.argument.as_ref(),
        Some(_) => None,
        None => callable.expression(),
    }
}

pub(super) fn has_jsx(callable: Callable<'_, '_>) -> bool {
    let mut found = Jsx(false);
    for statement in callable.statements() {
        found.visit_statement(statement);
    }
    if let Some(expression) = callable.expression() {
        found.visit_expression(expression);
    }
    found.0
}

struct Jsx(bool);

impl<'a> Visit<'a> for Jsx {
    fn visit_jsx_opening_element(&mut self, _: &JSXOpeningElement<'a>) {
        self.0 = true;
    }

    fn visit_jsx_fragment(&mut self, _: &JSXFragment<'a>) {
        self.0 = true;
    }

    fn visit_statement(&mut self, statement: &Statement<'a>) {
        if !self.0 {
            oxc_ast_visit::walk::walk_statement(self, statement);
        }
    }
}
