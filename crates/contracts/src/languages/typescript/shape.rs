//! Types as shapes: what `link` needs to know which props a component takes.

use std::collections::BTreeSet;

use oxc_ast::ast::{
    Expression, FormalParameters, ObjectPropertyKind, PropertyKey, TSInterfaceDeclaration, TSLiteral,
    TSMappedTypeModifierOperator, TSMethodSignatureKind, TSSignature, TSType, TSTypeAliasDeclaration,
    TSTypeAnnotation, TSTypeName, TSTypeParameterDeclaration, TSTypeQueryExprName,
};
use oxc_span::GetSpan;

use super::component::{cast, is_component_name, is_element};
use super::print::{Print, bare, qualifier, type_name, variants};
use crate::model::{
    ConditionalType, DeclarationDetail, MappedType, Member, MemberKind, TypeParameter, TypeShape,
};

/// Deeper shapes are text: no props are declared like that, and stored shapes must be readable again.
const DEEPEST: usize = 24;
/// Larger objects are data: no type is made over their keys.
const MOST_MEMBERS: usize = 100;

pub(super) fn of_type(print: Print<'_, '_>, ty: &TSType<'_>) -> TypeShape {
    at_depth(print, ty, 0)
}

pub(super) fn of_alias(print: Print<'_, '_>, alias: &TSTypeAliasDeclaration<'_>) -> DeclarationDetail {
    let shape = of_type(print, &alias.type_annotation);
    DeclarationDetail::Shape { parameters: parameters(print, alias.type_parameters.as_deref()), shape }
}

pub(super) fn of_interface(
    print: Print<'_, '_>,
    interface: &TSInterfaceDeclaration<'_>,
) -> DeclarationDetail {
    let own = of_members(print, &interface.body.body, 1);
    let shape = if interface.extends.is_empty() {
        own
    } else {
        let parents = interface.extends.iter().map(|parent| {
            let arguments = parent.type_arguments.iter().flat_map(|arguments| &arguments.params);
            TypeShape::Reference {
                name: type_name(&parent.type_name),
                arguments: arguments.map(|ty| at_depth(print, ty, 1)).collect(),
            }
        });
        // What the interface says itself comes last, because it overrules what it extends.
        TypeShape::Intersection(parents.chain(std::iter::once(own)).collect())
    };
    DeclarationDetail::Shape { parameters: parameters(print, interface.type_parameters.as_deref()), shape }
}

/// The members of an object that is written in place, by name; what is spread in is another value.
pub(super) fn of_value(print: Print<'_, '_>, value: &Expression<'_>) -> Option<TypeShape> {
    let Expression::ObjectExpression(object) = value.get_inner_expression() else { return None };
    if object.properties.len() > MOST_MEMBERS {
        return None;
    }
    let mut parts = Vec::new();
    let mut own = Vec::new();
    for property in &object.properties {
        match property {
            ObjectPropertyKind::SpreadProperty(spread) => {
                let Expression::Identifier(other) = &spread.argument else { return None };
                parts.push(TypeShape::Query(other.name.into_string()));
            }
            ObjectPropertyKind::ObjectProperty(property) if property.computed => return None,
            ObjectPropertyKind::ObjectProperty(property) => own.push(Member {
                name: prop_name(print, &property.key, false),
                kind: MemberKind::Property,
                // What may be a component is known by its name, for `Tabs.List`.
                text: match named_component(&property.value) {
                    Some(other) => TypeShape::Query(other.to_owned()).text(),
                    None => String::new(),
                },
                optional: false,
                doc: None,
                elsewhere: false,
            }),
        }
    }
    let own = TypeShape::Object(own);
    Some(if parts.is_empty() {
        own
    } else {
        TypeShape::Intersection(parts.into_iter().chain([own]).collect())
    })
}

/// As [`of_value`], only the members that may be components; `None` where there are none.
pub(super) fn of_components(print: Print<'_, '_>, value: &Expression<'_>) -> Option<TypeShape> {
    let Expression::ObjectExpression(object) = value.get_inner_expression() else { return None };
    let has = |property: &ObjectPropertyKind<'_>| {
        property.as_property().is_some_and(|one| named_component(&one.value).is_some())
    };
    if !object.properties.iter().any(has) {
        return None;
    }
    match of_value(print, value)? {
        TypeShape::Object(mut members) => {
            members.retain(|member| !member.text.is_empty());
            Some(TypeShape::Object(members))
        }
        _ => None,
    }
}

/// The name of what may be a component: that of the value, or the one that it is said to be like, `Plain as typeof Card`.
fn named_component<'x>(value: &'x Expression<'_>) -> Option<&'x str> {
    let name = match (cast(value), value.get_inner_expression()) {
        (Some(TSType::TSTypeQuery(query)), _) => match &query.expr_name {
            TSTypeQueryExprName::IdentifierReference(name) => &name.name,
            _ => return None,
        },
        (_, Expression::Identifier(name)) => &name.name,
        _ => return None,
    };
    is_component_name(name).then_some(name)
}

pub(super) fn members(print: Print<'_, '_>, signatures: &[TSSignature<'_>]) -> Vec<Member> {
    let each = signatures
        .iter()
        .map(|signature| print.source.documented(signature.span().start, member(print, signature)));
    let mut members: Vec<Member> = each.collect();
    // What can be read and written is one member.
    if members.iter().any(|one| one.kind == MemberKind::Setter) {
        let of_kind = |kind: MemberKind| members.iter().filter(move |one| one.kind == kind);
        let read: BTreeSet<String> = of_kind(MemberKind::Getter).map(|one| one.name.clone()).collect();
        members.retain(|one| one.kind != MemberKind::Setter || !read.contains(&one.name));
    }
    members
}

fn at_depth(print: Print<'_, '_>, ty: &TSType<'_>, depth: usize) -> TypeShape {
    if depth > DEEPEST {
        return TypeShape::Text(print.ty(ty));
    }
    let all = |types: &[TSType<'_>]| types.iter().map(|ty| at_depth(print, ty, depth + 1)).collect();
    match bare(ty) {
        TSType::TSTypeLiteral(literal) => of_members(print, &literal.members, depth),
        TSType::TSIntersectionType(intersection) => TypeShape::Intersection(all(&intersection.types)),
        TSType::TSUnionType(union) => {
            let each = variants(union).into_iter();
            TypeShape::Union(each.map(|ty| at_depth(print, ty, depth + 1)).collect())
        }
        TSType::TSTypeReference(reference) => TypeShape::Reference {
            name: type_name(&reference.type_name),
            arguments: reference.type_arguments.as_ref().map(|list| all(&list.params)).unwrap_or_default(),
        },
        TSType::TSImportType(import) => {
            let name = import.qualifier.as_ref().map_or_else(|| "*".to_owned(), qualifier);
            TypeShape::Reference {
                name: format!("import('{}').{name}", import.source.value),
                arguments: import.type_arguments.as_ref().map(|list| all(&list.params)).unwrap_or_default(),
            }
        }
        TSType::TSTypeQuery(query) => match &query.expr_name {
            TSTypeQueryExprName::IdentifierReference(name) => TypeShape::Query(name.name.into_string()),
            TSTypeQueryExprName::QualifiedName(_) if query.type_arguments.is_none() => {
                let text = print.ty(ty);
                match text.strip_prefix(TypeShape::TYPEOF) {
                    Some(name) => TypeShape::Query(name.to_owned()),
                    None => TypeShape::Text(text),
                }
            }
            _ => TypeShape::Text(print.ty(ty)),
        },
        TSType::TSLiteralType(literal) => match &literal.literal {
            TSLiteral::StringLiteral(text) => TypeShape::Literal(text.value.into_string()),
            _ => TypeShape::Text(print.ty(ty)),
        },
        TSType::TSMappedType(mapped) if mapped.name_type.is_none() => {
            let value = mapped.type_annotation.as_ref();
            TypeShape::Mapped(Box::new(MappedType {
                key: mapped.key.name.into_string(),
                keys: at_depth(print, &mapped.constraint, depth + 1),
                value: value.map_or_else(|| "any".to_owned(), |ty| print.ty(ty)),
                optional: mapped.optional.map(|mark| mark != TSMappedTypeModifierOperator::Minus),
                text: print.ty(ty),
            }))
        }
        TSType::TSIndexedAccessType(indexed) => match bare(&indexed.index_type) {
            TSType::TSLiteralType(literal) => match &literal.literal {
                TSLiteral::StringLiteral(key) => TypeShape::Indexed {
                    of: Box::new(at_depth(print, &indexed.object_type, depth + 1)),
                    key: key.value.into_string(),
                },
                // `Parameters<typeof Card>[0]`
                TSLiteral::NumericLiteral(key) if key.value == 0.0 => TypeShape::Indexed {
                    of: Box::new(at_depth(print, &indexed.object_type, depth + 1)),
                    key: TypeShape::FIRST.to_owned(),
                },
                // `Parameters<typeof useCard>[1]`
                TSLiteral::NumericLiteral(key)
                    if is_reference(&indexed.object_type) && is_place(key.value) =>
                {
                    TypeShape::Indexed {
                        of: Box::new(at_depth(print, &indexed.object_type, depth + 1)),
                        key: format!("{}", key.value),
                    }
                }
                _ => TypeShape::Text(print.ty(ty)),
            },
            // `Map[Kind.Card]`, `Props['list'][number]`
            key if is_named_key(key) => TypeShape::Indexed {
                of: Box::new(at_depth(print, &indexed.object_type, depth + 1)),
                key: format!("[{}]", print.ty(key)),
            },
            _ => TypeShape::Text(print.ty(ty)),
        },
        TSType::TSConditionalType(conditional) => TypeShape::Conditional(Box::new(ConditionalType {
            check: at_depth(print, &conditional.check_type, depth + 1),
            wanted: print.ty(&conditional.extends_type),
            yes: at_depth(print, &conditional.true_type, depth + 1),
            no: at_depth(print, &conditional.false_type, depth + 1),
            text: print.ty(ty),
        })),
        TSType::TSFunctionType(function) => {
            let (parameters, takes) = (function.type_parameters.as_deref(), &function.params);
            rendered(print, parameters, takes, Some(&function.return_type), depth)
                .unwrap_or_else(|| TypeShape::Text(print.ty(ty)))
        }
        _ => TypeShape::Text(print.ty(ty)),
    }
}

fn is_reference(ty: &TSType<'_>) -> bool {
    matches!(ty, TSType::TSTypeReference(_))
}

fn is_place(key: f64) -> bool {
    key.fract() == 0.0 && (0.0..100.0).contains(&key)
}

/// `number`, or a member of an enum.
fn is_named_key(key: &TSType<'_>) -> bool {
    match key {
        TSType::TSNumberKeyword(_) => true,
        TSType::TSTypeReference(reference) => {
            matches!(reference.type_name, TSTypeName::QualifiedName(_)) && reference.type_arguments.is_none()
        }
        _ => false,
    }
}

/// What can be called and gives an element is a component, and is known by its props like any other.
fn of_members(print: Print<'_, '_>, signatures: &[TSSignature<'_>], depth: usize) -> TypeShape {
    let own = TypeShape::Object(members(print, signatures));
    let overloads = signatures.iter().filter_map(|signature| match signature {
        TSSignature::TSCallSignatureDeclaration(call) => {
            rendered(print, call.type_parameters.as_deref(), &call.params, call.return_type.as_deref(), depth)
        }
        _ => None,
    });
    let mut parts: Vec<TypeShape> = overloads.collect();
    if parts.is_empty() {
        return own;
    }
    parts.push(own);
    TypeShape::Intersection(parts)
}

/// A function from props to an element.
fn rendered(
    print: Print<'_, '_>,
    type_parameters: Option<&TSTypeParameterDeclaration<'_>>,
    takes: &FormalParameters<'_>,
    returned: Option<&TSTypeAnnotation<'_>>,
    depth: usize,
) -> Option<TypeShape> {
    if !returned.is_some_and(|returned| is_element(&returned.type_annotation)) {
        return None;
    }
    let props = takes.items.first().and_then(|first| first.type_annotation.as_ref());
    let props = match props {
        Some(props) => at_depth(print, &props.type_annotation, depth + 1),
        None if takes.items.is_empty() => TypeShape::Object(Vec::new()),
        None => return None,
    };
    let component = TypeShape::Reference { name: "FC".to_owned(), arguments: vec![props] };
    Some(generic(parameters_at(print, type_parameters, depth + 1), component))
}

/// A shape that may name type parameters, with these.
pub(super) fn generic(parameters: Vec<TypeParameter>, shape: TypeShape) -> TypeShape {
    if parameters.is_empty() { shape } else { TypeShape::Generic { parameters, shape: Box::new(shape) } }
}

fn member(print: Print<'_, '_>, signature: &TSSignature<'_>) -> Member {
    let member = |name: String, kind: MemberKind, text: String, optional: bool| Member {
        name,
        kind,
        text,
        optional,
        doc: None,
        elsewhere: false,
    };
    match signature {
        TSSignature::TSPropertySignature(property) => {
            let text = print.annotation_or(property.type_annotation.as_deref(), "any");
            let name = prop_name(print, &property.key, property.computed);
            member(name, MemberKind::Property, text, property.optional)
        }
        TSSignature::TSMethodSignature(method) => {
            let name = prop_name(print, &method.key, method.computed);
            let returned = print.annotation_or(method.return_type.as_deref(), "any");
            let parameters = print.parameters(&method.params, method.this_param.as_deref());
            let (kind, text) = match method.kind {
                TSMethodSignatureKind::Method => {
                    let generics = print.type_parameters(method.type_parameters.as_deref());
                    (MemberKind::Method, format!("{generics}({parameters}) => {returned}"))
                }
                TSMethodSignatureKind::Get => (MemberKind::Getter, returned),
                TSMethodSignatureKind::Set => {
                    let taken = method.params.items.first();
                    let taken = taken.and_then(|taken| taken.type_annotation.as_deref());
                    (MemberKind::Setter, print.annotation_or(taken, "any"))
                }
            };
            member(name, kind, text, method.optional)
        }
        TSSignature::TSIndexSignature(index) => {
            let key = print.annotation(&index.parameter.type_annotation);
            member(format!("[{key}]"), MemberKind::Index, print.annotation(&index.type_annotation), false)
        }
        other => member("()".to_owned(), MemberKind::Call, print.member(other), false),
    }
}

/// A prop is known by its name, without the quotes that some names need in source.
pub(super) fn prop_name(print: Print<'_, '_>, key: &PropertyKey<'_>, computed: bool) -> String {
    match key {
        PropertyKey::StringLiteral(text) => text.value.into_string(),
        other => print.key(other, computed),
    }
}

pub(super) fn parameters(
    print: Print<'_, '_>,
    declared: Option<&TSTypeParameterDeclaration<'_>>,
) -> Vec<TypeParameter> {
    parameters_at(print, declared, 0)
}

fn parameters_at(
    print: Print<'_, '_>,
    declared: Option<&TSTypeParameterDeclaration<'_>>,
    depth: usize,
) -> Vec<TypeParameter> {
    let shape = |ty: &TSType<'_>| at_depth(print, ty, depth + 1);
    let each = declared.iter().flat_map(|list| &list.params);
    each.map(|parameter| TypeParameter {
        name: parameter.name.name.into_string(),
        constraint: parameter.constraint.as_ref().map(shape),
        default: parameter.default.as_ref().map(shape),
    })
    .collect()
}
