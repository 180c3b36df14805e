//! Functions that give components, such as `withTheme(Button)`: what they take, and the type of what they give, as
//! declared or as returned.

use oxc_ast::ast::{
    Expression, JSXFragment, JSXOpeningElement, Statement, TSType, TSTypeName, VariableDeclarator,
};
use oxc_ast_visit::Visit;

use super::body::BodyUse;
use super::component::{self, Callable, Inner, Wrapped};
use super::print::Print;
use super::shape;
use crate::model::{COMPONENT_TYPES, ComponentForm, DeclarationDetail, TypeParameter, TypeShape};

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
        None => !(body.has_jsx || body.calls_hooks),
    };
    if is_other {
        return None;
    }
    let parameters = shape::parameters(print, callable.type_parameters());
    let gives = if let Some(ty) = returned {
        Some(shape::of_type(print, ty)).filter(|shape| may_be(shape, &parameters))
    } else {
        let returned = Returned { print, callable, parameters: &parameters };
        last(callable).and_then(|expression| returned.component(expression, 0))
    }?;
    let takes = callable.parameters().items.iter().map(|parameter| match &parameter.type_annotation {
        Some(ty) => shape::of_type(print, &ty.type_annotation),
        None => TypeShape::Text(String::new()),
    });
    Some(DeclarationDetail::Maker { takes: takes.collect(), gives, parameters })
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
        TSType::TSParenthesizedType(inner) => is_named_so(&inner.type_annotation, callable),
        TSType::TSFunctionType(_) => true,
        _ => false,
    }
}

/// Whether a declared type can be one of a component. `link` knows what a name stands for, but few names need be asked.
fn may_be(shape: &TypeShape, parameters: &[TypeParameter]) -> bool {
    match shape {
        TypeShape::Reference { name, .. } => {
            let last = name.rsplit('.').next().unwrap_or_default();
            COMPONENT_TYPES.contains(&last)
                || last.contains("Component")
                || parameters.iter().any(|parameter| parameter.name == *name)
        }
        TypeShape::Intersection(parts) | TypeShape::Union(parts) => {
            parts.iter().any(|part| may_be(part, parameters))
        }
        TypeShape::Generic { shape, .. } => may_be(shape, parameters),
        _ => false,
    }
}

struct Returned<'r, 's, 'x, 'a> {
    print: Print<'s, 'r>,
    callable: Callable<'x, 'a>,
    parameters: &'r [TypeParameter],
}

impl<'x, 'a> Returned<'_, '_, 'x, 'a> {
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
            Expression::CallExpression(_) => self.wrapped(component::wrapped(self.print, expression)?, names),
            _ => Callable::of(expression).filter(|inner| renders(*inner)).map(|inner| self.function(inner)),
        }
    }

    fn wrapped(&self, wrapped: Wrapped<'x, 'a>, names: usize) -> Option<TypeShape> {
        if let Some(props) = wrapped.props {
            return Some(of_props(Some(props)));
        }
        match wrapped.inner {
            Inner::Callable(inner) if wrapped.form != ComponentForm::Wrapped || renders(inner) => {
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
                renders(inner).then(|| self.function(inner))
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
        let first = inner.parameters().items.first();
        let annotated = first.and_then(|first| first.type_annotation.as_ref());
        let props = match (annotated, first) {
            (Some(ty), _) => Some(shape::of_type(self.print, &ty.type_annotation)),
            (None, None) => Some(TypeShape::Object(Vec::new())),
            (None, Some(_)) => None,
        };
        shape::generic(shape::parameters(self.print, inner.type_parameters()), of_props(props))
    }

    fn of_class(&self, class: &oxc_ast::ast::Class<'_>) -> Option<TypeShape> {
        component::class_component(self.print, class).map(|found| of_props(found.props))
    }
}

/// A component with these props; without any where nobody says which.
fn of_props(props: Option<TypeShape>) -> TypeShape {
    TypeShape::Reference { name: "FC".to_owned(), arguments: props.into_iter().collect() }
}

/// What a function returns at its end.
fn last<'x, 'a>(callable: Callable<'x, 'a>) -> Option<&'x Expression<'a>> {
    match callable.statements().last() {
        Some(Statement::ReturnStatement(returned)) => returned.argument.as_ref(),
        Some(_) => None,
        None => callable.expression(),
    }
}

fn renders(callable: Callable<'_, '_>) -> bool {
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
