//! What methods of the file are annotated to give, where they are called: `Store.open()`, `store.list()`, `this.list()`.

use oxc_ast::ast::{CallExpression, Class, ClassElement, Expression, PropertyKey, TSType};

use super::component::Callable;
use super::origins::Top;
use super::print::{INFERRED, Print};
use super::value::{LONGEST_OBJECT, digest};

/// Begins a name that is private by its sign.
const PRIVATE: &str = "#";

impl Print<'_, '_> {
    /// What a method of a class of the file gives that a call names.
    pub(super) fn result_of_method(self, call: &CallExpression<'_>) -> Option<String> {
        let (object, name) = match &call.callee {
            Expression::StaticMemberExpression(member) if !member.optional => {
                (&member.object, member.property.name.as_str().to_owned())
            }
            Expression::PrivateFieldExpression(member) if !member.optional => {
                (&member.object, format!("{PRIVATE}{}", member.field.name))
            }
            _ => return None,
        };
        let (class, is_static) = match object {
            Expression::ThisExpression(_) => return self.this?(&name),
            Expression::Identifier(object) if self.is_local_value(&object.name) => return None,
            Expression::Identifier(object) => match self.source.origins.declared(&object.name)? {
                Top::Class(class) => (class, true),
                Top::Constant(one) if one.type_annotation.is_none() => {
                    (self.class_of(one.init.as_ref()?)?, false)
                }
                Top::Constant(_) | Top::Function(_) | Top::Other => return None,
            },
            made => (self.class_of(made)?, false),
        };
        self.method_gives(class, &name, is_static)
    }

    /// What a method of a class is annotated to give. Of several under one name none is followed.
    pub(super) fn method_gives(self, class: &Class<'_>, name: &str, is_static: bool) -> Option<String> {
        let is_it = |element: &&ClassElement<'_>| {
            element.r#static() == is_static
                && match element.property_key() {
                    Some(PropertyKey::PrivateIdentifier(own)) => {
                        name.strip_prefix(PRIVATE).is_some_and(|name| own.name == name)
                    }
                    _ => element.static_name().is_some_and(|own| own == name),
                }
        };
        let mut found = class.body.body.iter().filter(is_it);
        let element = found.next().filter(|_| found.next().is_none())?;
        self.annotated_to_give(match element {
            ClassElement::MethodDefinition(method) if method.kind.is_method() && !method.optional => {
                Callable::Function(&method.value)
            }
            ClassElement::PropertyDefinition(field) if field.type_annotation.is_none() => {
                Callable::of(field.value.as_ref()?)?
            }
            _ => return None,
        })
    }

    /// What a function says that it gives, where that means the same outside of it.
    pub(super) fn annotated_to_give(self, callable: Callable<'_, '_>) -> Option<String> {
        let said = callable.returned().filter(|_| callable.type_parameters().is_none())?;
        if matches!(said.type_annotation, TSType::TSTypePredicate(_) | TSType::TSThisType(_)) {
            return None;
        }
        let text = self.annotation(said);
        Some(if text.len() > LONGEST_OBJECT { format!("{INFERRED} {}", digest(&text)) } else { text })
    }

    /// The class of the file that a value is made of, if what its methods give is the same for all that are made of it.
    fn class_of<'x>(self, value: &Expression<'_>) -> Option<&'x Class<'x>>
    where
        Self: 'x,
    {
        let Expression::NewExpression(new) = value.get_inner_expression() else { return None };
        let Expression::Identifier(name) = &new.callee else { return None };
        if self.is_local_value(&name.name) {
            return None;
        }
        match self.source.origins.declared(&name.name)? {
            Top::Class(class) if class.type_parameters.is_none() => Some(class),
            _ => None,
        }
    }
}
