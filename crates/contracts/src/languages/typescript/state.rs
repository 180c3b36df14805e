//! State that components and hooks keep: the names that it goes by, and its type, as declared or as its first value says.

use oxc_ast::ast::{
    Argument, BindingPattern, CallExpression, Expression, ObjectPropertyKind, TSSignature, TSTupleElement,
    TSType, VariableDeclarator,
};

use super::body::callee_name;
use super::component::{Callable, cast};
use super::origins::{Origin, Top};
use super::print::{INFERRED, Print, bare, literal_type, quoted, type_name};
use crate::model::{State, is_react};

/// What is known of a state, or of a part of one.
enum Known<'x, 'a> {
    Type(&'x TSType<'a>),
    /// Its first value.
    Value(&'x Expression<'a>),
    Text(String),
}

/// The fields of an object that is a state, with the types of literals.
pub(super) fn object_state(print: Print<'_, '_>, value: &Expression<'_>) -> Vec<State> {
    let Expression::ObjectExpression(object) = value.get_inner_expression() else { return Vec::new() };
    let properties = object.properties.iter().filter_map(ObjectPropertyKind::as_property);
    properties
        .map(|property| State {
            name: print.key(&property.key, property.computed),
            text: print.value_type(&property.value),
        })
        .collect()
}

/// The state that a declaration keeps, each part of it that has a name of its own.
pub(super) fn state_of(
    print: Print<'_, '_>,
    declarator: &VariableDeclarator<'_>,
    is_vue: bool,
) -> Vec<State> {
    let mut found = Vec::new();
    let Some(init) = &declarator.init else { return found };
    let Expression::CallExpression(call) = init.get_inner_expression() else { return found };
    let annotated = declarator.type_annotation.as_ref().map(|ty| &ty.type_annotation);
    let said = annotated.or_else(|| cast(init));
    match (keeper(print, &call.callee), &declarator.id) {
        (Some(hook @ ("useState" | "useReducer")), pattern) => {
            let pair = match pattern {
                BindingPattern::ArrayPattern(pair) => pair.elements.first().and_then(Option::as_ref),
                // The pair as a whole, or the one value that Nuxt gives.
                whole => Some(whole).filter(|whole| whole.is_binding_identifier()),
            };
            let said = said.and_then(|ty| first_of_pair(ty).or_else(|| held(ty))).map(Known::Type);
            if let Some(state) = pair {
                let kept = said.unwrap_or_else(|| kept_by(print, hook, call));
                taken_apart(print, state, &kept, &mut found);
            }
        }
        (
            Some("ref" | "shallowRef" | "reactive" | "shallowReactive" | "computed"),
            BindingPattern::BindingIdentifier(name),
        ) if is_vue => {
            let declared = call.type_arguments.as_ref().and_then(|list| list.params.first());
            let first = call.arguments.first().and_then(Argument::as_expression).map(Known::Value);
            let kept = said.map(|ty| held(ty).unwrap_or(ty)).or(declared).map(Known::Type).or(first);
            let text = kept.map_or_else(|| INFERRED.to_owned(), |kept| kept.text(print));
            found.push(State { name: name.name.into_string(), text });
        }
        _ => {}
    }
    found
}

/// The type of a state by the call of `useState` that keeps it, where it is said or that of a literal.
pub(super) fn told_by(print: Print<'_, '_>, call: &CallExpression<'_>) -> Option<String> {
    match kept_by(print, "useState", call) {
        Known::Value(value) if cast(value).is_none() => literal_type(value).map(str::to_owned),
        Known::Text(_) if call.type_arguments.is_none() => None,
        kept => Some(kept.text(print)),
    }
}

/// What is called to keep state, by the name that React or Vue has for it.
fn keeper<'n>(print: Print<'n, '_>, callee: &'n Expression<'_>) -> Option<&'n str> {
    let name = callee_name(callee)?;
    if name == "useState" || !callee.is_identifier_reference() {
        return Some(name);
    }
    match print.source.origins.of(name) {
        Some(Origin::Module { specifier, name: there }) if is_react(specifier) || specifier == "vue" => {
            Some(there)
        }
        _ => Some(name),
    }
}

/// What `useState(…)` or `useReducer(…)` keeps.
fn kept_by<'x, 'a>(print: Print<'_, 'a>, hook: &str, call: &'x CallExpression<'a>) -> Known<'x, 'a> {
    let declared = call.type_arguments.as_ref().and_then(|list| list.params.first());
    let given = |at: usize| call.arguments.get(at).and_then(Argument::as_expression);
    if hook == "useReducer" {
        return match (declared, given(0)) {
            (Some(declared), _) => reduced(print, declared),
            (None, Some(Expression::Identifier(reducer))) => {
                Known::Text(format!("ReturnType<typeof {}>", reducer.name))
            }
            _ => Known::Text(INFERRED.to_owned()),
        };
    }
    // Nuxt's is given a key before the first value.
    match (declared, given(1).or_else(|| given(0))) {
        // Without a first value there is none at first.
        (Some(declared), None) => Known::Text(format!("{} | undefined", print.ty(declared))),
        (Some(declared), Some(_)) => Known::Type(declared),
        (None, Some(value)) => called_at_first(print, value).unwrap_or(Known::Value(value)),
        (None, None) => Known::Text("undefined".to_owned()),
    }
}

/// `useState(load)` keeps what the function gives.
fn called_at_first<'x, 'a>(print: Print<'_, 'a>, value: &Expression<'a>) -> Option<Known<'x, 'a>>
where
    'a: 'x,
{
    let Expression::Identifier(name) = value else { return None };
    let Some(Top::Function(function)) = print.source.origins.declared(&name.name) else { return None };
    let said = function.return_type.as_ref().filter(|_| !function.r#async);
    Some(said.map_or_else(|| Known::Text(INFERRED.to_owned()), |ty| Known::Type(&ty.type_annotation)))
}

/// The state of a type that `useReducer` is told: that of a reducer, or of the state itself.
fn reduced<'x, 'a>(print: Print<'_, '_>, ty: &'x TSType<'a>) -> Known<'x, 'a> {
    match bare(ty) {
        TSType::TSTypeReference(reference) => {
            let name = type_name(&reference.type_name);
            let is_reducer = matches!(name.rsplit('.').next(), Some("Reducer" | "ReducerWithoutAction"));
            let first = reference.type_arguments.as_ref().and_then(|list| list.params.first());
            Known::Type(first.filter(|_| is_reducer).unwrap_or(ty))
        }
        TSType::TSTypeQuery(_) => Known::Text(format!("ReturnType<{}>", print.ty(ty))),
        TSType::TSFunctionType(function) => Known::Type(&function.return_type.type_annotation),
        _ => Known::Type(ty),
    }
}

/// `State` of `[State, Dispatch<SetStateAction<State>>]`.
fn first_of_pair<'x, 'a>(ty: &'x TSType<'a>) -> Option<&'x TSType<'a>> {
    match bare(ty) {
        TSType::TSTupleType(pair) => match pair.element_types.first()? {
            TSTupleElement::TSNamedTupleMember(named) => named.element_type.as_ts_type(),
            other => other.as_ts_type(),
        },
        _ => None,
    }
}

/// `Value` of `Ref<Value>` and its like.
fn held<'x, 'a>(ty: &'x TSType<'a>) -> Option<&'x TSType<'a>> {
    let TSType::TSTypeReference(reference) = bare(ty) else { return None };
    let name = type_name(&reference.type_name);
    let holds = matches!(
        name.rsplit('.').next(),
        Some("Ref" | "ShallowRef" | "ComputedRef" | "WritableComputedRef" | "Reactive")
    );
    reference.type_arguments.as_ref().filter(|_| holds).and_then(|list| list.params.first())
}

/// The names of a state, or of the parts of one: `const [{ from, to }, set] = useState(…)`.
fn taken_apart(
    print: Print<'_, '_>,
    pattern: &BindingPattern<'_>,
    kept: &Known<'_, '_>,
    found: &mut Vec<State>,
) {
    match pattern {
        BindingPattern::BindingIdentifier(name) => {
            found.push(State { name: name.name.into_string(), text: kept.text(print) });
        }
        BindingPattern::AssignmentPattern(with_default) => {
            taken_apart(print, &with_default.left, kept, found);
        }
        BindingPattern::ObjectPattern(object) => {
            for property in &object.properties {
                let part = property.key.static_name().map(|key| kept.member(print, &key));
                let part = part.unwrap_or_else(|| Known::Text(INFERRED.to_owned()));
                taken_apart(print, &property.value, &part, found);
            }
        }
        BindingPattern::ArrayPattern(list) => {
            for element in list.elements.iter().flatten() {
                taken_apart(print, element, &Known::Text(INFERRED.to_owned()), found);
            }
        }
    }
}

impl<'x, 'a> Known<'x, 'a> {
    fn text(&self, print: Print<'_, '_>) -> String {
        match self {
            Self::Type(ty) => print.ty(ty),
            Self::Value(value) => initial_type(print, value),
            Self::Text(text) => text.clone(),
        }
    }

    fn member(&self, print: Print<'_, '_>, key: &str) -> Self {
        let of_value = |value: &'x Expression<'a>| match value {
            Expression::ObjectExpression(object) => {
                let mut each = object.properties.iter().filter_map(ObjectPropertyKind::as_property);
                let found = each.find(|one| one.key.is_specific_static_name(key));
                found.map(|one| Self::Value(&one.value))
            }
            other => cast(other)
                .filter(|ty| !ty.is_const_type_reference())
                .map(|ty| Self::Type(ty).member(print, key)),
        };
        let inferred = || Self::Text(INFERRED.to_owned());
        match self {
            Self::Type(ty) => {
                let written = match bare(ty) {
                    TSType::TSTypeLiteral(literal) => {
                        literal.members.iter().find_map(|member| match member {
                            TSSignature::TSPropertySignature(one) if one.key.is_specific_static_name(key) => {
                                one.type_annotation.as_ref().map(|ty| (&ty.type_annotation, one.optional))
                            }
                            _ => None,
                        })
                    }
                    _ => None,
                };
                match written {
                    Some((ty, false)) => Self::Type(ty),
                    Some((ty, true)) => Self::Text(format!("{} | undefined", print.ty(ty))),
                    None => {
                        let is_name =
                            matches!(bare(ty), TSType::TSTypeReference(_) | TSType::TSTypeLiteral(_));
                        let text = print.ty(ty);
                        let text = if is_name { text } else { format!("({text})") };
                        Self::Text(format!("{text}[{}]", quoted(key)))
                    }
                }
            }
            Self::Value(value) => match Callable::of(value) {
                Some(lazy) => match lazy.returned() {
                    Some(returned) => Self::Type(&returned.type_annotation).member(print, key),
                    None => lazy.expression().and_then(of_value).unwrap_or_else(inferred),
                },
                None => of_value(value).unwrap_or_else(inferred),
            },
            Self::Text(_) => inferred(),
        }
    }
}

fn initial_type(print: Print<'_, '_>, value: &Expression<'_>) -> String {
    match Callable::of(value) {
        Some(lazy) if cast(value).is_none() => match (lazy.returned(), lazy.expression()) {
            (Some(returned), _) => print.annotation(returned),
            (None, Some(value)) => first_type(print, value),
            (None, None) => INFERRED.to_owned(),
        },
        _ => first_type(print, value),
    }
}

/// The type of a value that is there at first.
fn first_type(print: Print<'_, '_>, value: &Expression<'_>) -> String {
    match value {
        Expression::NullLiteral(_) => "null".to_owned(),
        Expression::Identifier(name) if name.name == "undefined" => "undefined".to_owned(),
        Expression::TSSatisfiesExpression(said) => first_type(print, &said.expression),
        Expression::TSNonNullExpression(said) => first_type(print, &said.expression),
        other => print.value_type(other),
    }
}
