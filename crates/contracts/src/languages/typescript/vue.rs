//! Vue components that are written in TypeScript: `defineComponent({ props, emits, setup })`.

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, Expression, ObjectExpression, ObjectPropertyKind, PropertyKey, TSType,
};

use super::body::{callee_name, text_of};
use super::print::Print;
use super::shape;
use crate::model::{ComponentFacts, ComponentForm, Member, MemberKind, TypeShape};

/// The facts of `defineComponent(…)` or `defineAsyncComponent(…)`; `None` for any other expression.
pub(super) fn define_component(print: Print<'_, '_>, value: &Expression<'_>) -> Option<ComponentFacts> {
    let Expression::CallExpression(call) = value.get_inner_expression() else { return None };
    if !matches!(callee_name(&call.callee), Some("defineComponent" | "defineAsyncComponent")) {
        return None;
    }
    let options =
        call.arguments.iter().filter_map(Argument::as_expression).find_map(|argument| {
            match argument.get_inner_expression() {
                Expression::ObjectExpression(object) => Some(object),
                _ => None,
            }
        });
    let declared = call.type_arguments.as_ref().and_then(|list| list.params.first());
    let runtime =
        options.and_then(|options| property(options, "props")).map(|value| runtime_props(print, value));
    Some(ComponentFacts {
        form: ComponentForm::Vue,
        props: declared.map(|ty| shape::of_type(print, ty)).or(runtime.map(TypeShape::Object)),
        destructured: Vec::new(),
        used_callbacks: Vec::new(),
        spreads_rest: false,
        state: Vec::new(),
        state_shape: None,
        declared_emits: options
            .and_then(|options| property(options, "emits"))
            .map(|value| emits(print, value))
            .unwrap_or_default(),
    })
}

fn runtime_props(print: Print<'_, '_>, value: &Expression<'_>) -> Vec<Member> {
    let member = |name: String, text: String, optional: bool| Member {
        name,
        kind: MemberKind::Property,
        text,
        optional,
        doc: None,
    };
    match value.get_inner_expression() {
        Expression::ArrayExpression(array) => array
            .elements
            .iter()
            .filter_map(ArrayExpressionElement::as_expression)
            .filter_map(text_of)
            .map(|name| member(name, String::new(), true))
            .collect(),
        Expression::ObjectExpression(object) => object
            .properties
            .iter()
            .filter_map(ObjectPropertyKind::as_property)
            .map(|declared| {
                let name = print.key(&declared.key, declared.computed);
                match declared.value.get_inner_expression() {
                    Expression::ObjectExpression(options) => {
                        let text =
                            property(options, "type").map(|ty| constructor(print, ty)).unwrap_or_default();
                        let required = property(options, "required");
                        let is_required =
                            matches!(required, Some(Expression::BooleanLiteral(flag)) if flag.value);
                        member(name, text, !is_required)
                    }
                    _ => member(name, constructor(print, &declared.value), true),
                }
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// `String` is `string`, `Object as PropType<User>` is `User`, `[String, Number]` is `string | number`.
fn constructor(print: Print<'_, '_>, value: &Expression<'_>) -> String {
    match value {
        Expression::TSAsExpression(cast) => match &cast.type_annotation {
            TSType::TSTypeReference(reference) => match &reference.type_arguments {
                Some(list) if !list.params.is_empty() => print.ty(&list.params[0]),
                _ => print.ty(&cast.type_annotation),
            },
            other => print.ty(other),
        },
        Expression::ParenthesizedExpression(inner) => constructor(print, &inner.expression),
        Expression::Identifier(name) => match name.name.as_str() {
            "String" => "string".to_owned(),
            "Number" => "number".to_owned(),
            "Boolean" => "boolean".to_owned(),
            "Array" => "unknown[]".to_owned(),
            "Object" => "object".to_owned(),
            "Function" => "(...args: unknown[]) => unknown".to_owned(),
            other => other.to_owned(),
        },
        Expression::ArrayExpression(array) => {
            let types = array.elements.iter().filter_map(ArrayExpressionElement::as_expression);
            types.map(|ty| constructor(print, ty)).collect::<Vec<_>>().join(" | ")
        }
        _ => String::new(),
    }
}

fn emits(print: Print<'_, '_>, value: &Expression<'_>) -> Vec<(String, String)> {
    match value.get_inner_expression() {
        Expression::ArrayExpression(array) => {
            let names =
                array.elements.iter().filter_map(ArrayExpressionElement::as_expression).filter_map(text_of);
            names.map(|name| (name, String::new())).collect()
        }
        Expression::ObjectExpression(object) => object
            .properties
            .iter()
            .filter_map(ObjectPropertyKind::as_property)
            .map(|event| {
                let name = match &event.key {
                    PropertyKey::StringLiteral(text) => text.value.to_string(),
                    key => print.key(key, event.computed),
                };
                (name, print.value_type(&event.value))
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn property<'x, 'a>(object: &'x ObjectExpression<'a>, name: &str) -> Option<&'x Expression<'a>> {
    let properties = object.properties.iter().filter_map(ObjectPropertyKind::as_property);
    properties
        .into_iter()
        .find(|property| property.key.is_specific_static_name(name))
        .map(|property| &property.value)
}
