//! Types as shapes: what `link` needs to know which props a component takes.

use oxc_ast::ast::{
    TSInterfaceDeclaration, TSLiteral, TSMappedTypeModifierOperator, TSMethodSignatureKind, TSSignature,
    TSType, TSTypeAliasDeclaration, TSTypeParameterDeclaration, TSTypeQueryExprName,
};
use oxc_span::GetSpan;

use super::component::is_element;
use super::print::{Print, qualifier, type_name};
use crate::model::{DeclarationDetail, MappedType, Member, MemberKind, TypeShape};

/// Deeper shapes are text: no props are declared like that, and stored shapes must be readable again.
const DEEPEST: usize = 24;

pub(super) fn of_type(print: Print<'_, '_>, ty: &TSType<'_>) -> TypeShape {
    at_depth(print, ty, 0)
}

pub(super) fn of_alias(print: Print<'_, '_>, alias: &TSTypeAliasDeclaration<'_>) -> DeclarationDetail {
    let shape = of_type(print, &alias.type_annotation);
    DeclarationDetail::Shape { parameters: names(alias.type_parameters.as_deref()), shape }
}

pub(super) fn of_interface(
    print: Print<'_, '_>,
    interface: &TSInterfaceDeclaration<'_>,
) -> DeclarationDetail {
    let own = TypeShape::Object(members(print, &interface.body.body));
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
    DeclarationDetail::Shape { parameters: names(interface.type_parameters.as_deref()), shape }
}

pub(super) fn members(print: Print<'_, '_>, signatures: &[TSSignature<'_>]) -> Vec<Member> {
    signatures
        .iter()
        .map(|signature| print.source.documented(signature.span().start, member(print, signature)))
        .collect()
}

fn at_depth(print: Print<'_, '_>, ty: &TSType<'_>, depth: usize) -> TypeShape {
    if depth > DEEPEST {
        return TypeShape::Text(print.ty(ty));
    }
    let all = |types: &[TSType<'_>]| types.iter().map(|ty| at_depth(print, ty, depth + 1)).collect();
    match ty {
        TSType::TSTypeLiteral(literal) => TypeShape::Object(members(print, &literal.members)),
        TSType::TSParenthesizedType(inner) => at_depth(print, &inner.type_annotation, depth),
        TSType::TSIntersectionType(intersection) => TypeShape::Intersection(all(&intersection.types)),
        TSType::TSUnionType(union) => TypeShape::Union(all(&union.types)),
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
            TSTypeQueryExprName::IdentifierReference(name) => TypeShape::Query(name.name.to_string()),
            _ => TypeShape::Text(print.ty(ty)),
        },
        TSType::TSLiteralType(literal) => match &literal.literal {
            TSLiteral::StringLiteral(text) => TypeShape::Literal(text.value.to_string()),
            _ => TypeShape::Text(print.ty(ty)),
        },
        TSType::TSMappedType(mapped) if mapped.name_type.is_none() => {
            let value = mapped.type_annotation.as_ref();
            TypeShape::Mapped(Box::new(MappedType {
                key: mapped.key.name.to_string(),
                keys: at_depth(print, &mapped.constraint, depth + 1),
                value: value.map_or_else(|| "any".to_owned(), |ty| print.ty(ty)),
                optional: mapped.optional.map(|mark| mark != TSMappedTypeModifierOperator::Minus),
                text: print.ty(ty),
            }))
        }
        // A function from props to an element is a component, and is known by its props like any other.
        TSType::TSFunctionType(function) if is_element(&function.return_type.type_annotation) => {
            let props = function.params.items.first().and_then(|first| first.type_annotation.as_ref());
            match props {
                Some(props) => TypeShape::Reference {
                    name: "FC".to_owned(),
                    arguments: vec![at_depth(print, &props.type_annotation, depth + 1)],
                },
                None => TypeShape::Text(print.ty(ty)),
            }
        }
        _ => TypeShape::Text(print.ty(ty)),
    }
}

fn member(print: Print<'_, '_>, signature: &TSSignature<'_>) -> Member {
    let member = |name: String, kind: MemberKind, text: String, optional: bool| Member {
        name,
        kind,
        text,
        optional,
        doc: None,
    };
    match signature {
        TSSignature::TSPropertySignature(property) => {
            let text = print.annotation_or(property.type_annotation.as_deref(), "any");
            member(print.key(&property.key, property.computed), MemberKind::Property, text, property.optional)
        }
        TSSignature::TSMethodSignature(method) => {
            let name = print.key(&method.key, method.computed);
            let returned = print.annotation_or(method.return_type.as_deref(), "any");
            let parameters = print.parameters(&method.params, method.this_param.as_deref());
            let (kind, text) = match method.kind {
                TSMethodSignatureKind::Method => {
                    let generics = print.type_parameters(method.type_parameters.as_deref());
                    (MemberKind::Method, format!("{generics}({parameters}) => {returned}"))
                }
                TSMethodSignatureKind::Get => (MemberKind::Getter, returned),
                TSMethodSignatureKind::Set => (MemberKind::Setter, parameters),
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

fn names(parameters: Option<&TSTypeParameterDeclaration<'_>>) -> Vec<String> {
    parameters.iter().flat_map(|list| &list.params).map(|parameter| parameter.name.name.to_string()).collect()
}
