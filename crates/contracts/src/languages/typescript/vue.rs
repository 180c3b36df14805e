//! Vue components that are written in TypeScript: `defineComponent({ props, emits, setup, data })`, and scripts with
//! `defineProps` and its like.

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, CallExpression, Declaration, Expression, FormalParameters,
    ObjectExpression, ObjectPropertyKind, Program, PropertyKey, Statement, TSSignature, TSType,
};
use oxc_span::{GetSpan, Span};

use super::body::{callee_name, text_of};
use super::component::Callable;
use super::modules::Modules;
use super::print::{Print, type_name};
use super::shape;
use super::state::{object_state, state_of};
use crate::model::{ComponentFacts, ComponentForm, Member, MemberKind, State, TypeShape};

/// What the compiler of `<script setup>` replaces.
const MACROS: &[&str] =
    &["defineEmits", "defineExpose", "defineModel", "defineOptions", "defineProps", "defineSlots"];

/// The facts of `defineComponent(…)` and its like; `None` for any other expression.
pub(super) fn define_component(print: Print<'_, '_>, value: &Expression<'_>) -> Option<ComponentFacts> {
    let Expression::CallExpression(call) = value.get_inner_expression() else { return None };
    let name = callee_name(&call.callee)?;
    if !matches!(name, "defineComponent" | "defineAsyncComponent" | "defineCustomElement") {
        return None;
    }
    let arguments = || call.arguments.iter().filter_map(Argument::as_expression);
    let options = arguments().find_map(object);
    let setup = arguments().next().and_then(Callable::of).filter(|_| name == "defineComponent");
    let declared = call.type_arguments.as_ref().and_then(|list| list.params.first());
    // `defineComponent((props: Props) => …)`
    let taken = setup.and_then(|setup| setup.parameters().items.first()?.type_annotation.as_deref());
    let declared = declared.or(taken.map(|annotation| &annotation.type_annotation));
    let option = |name: &str| options.and_then(|options| property(options, name));
    let runtime = option("props").map(|value| TypeShape::Object(runtime_props(print, value)));
    let data = option("data").and_then(returned).map(|value| object_state(print, value));
    Some(ComponentFacts {
        props: declared.map(|ty| shape::of_type(print, ty)).or(runtime),
        state: data.unwrap_or_default(),
        declared_emits: option("emits").map(|value| emits(print, value)).unwrap_or_default(),
        ..nothing()
    })
}

/// State that `setup` keeps, beside that of `data`.
pub(super) fn with_state(facts: ComponentFacts, kept: Vec<State>) -> ComponentFacts {
    let mut state = facts.state;
    state.extend(kept);
    ComponentFacts { state, ..facts }
}

/// Whether a file is the script of a component that names itself by macros.
pub(super) fn has_macros(program: &Program<'_>, modules: &Modules<'_>) -> bool {
    program.body.iter().flat_map(macro_calls).any(|call| macro_name(call, modules).is_some())
}

/// The component of a file with `defineProps` and its like at the top level, and where it says so first.
pub(super) fn script_setup(
    print: Print<'_, '_>,
    program: &Program<'_>,
    modules: &Modules<'_>,
) -> Option<(ComponentFacts, Span)> {
    let mut facts = nothing();
    let mut props = Vec::new();
    let mut place = None;
    for statement in &program.body {
        for call in macro_calls(statement) {
            let Some(name) = macro_name(call, modules) else { continue };
            place = place.or(Some(statement.span()));
            let declared = call.type_arguments.as_ref().and_then(|list| list.params.first());
            let first = call.arguments.first().and_then(Argument::as_expression);
            match (name, declared, first) {
                ("defineProps", Some(ty), _) => props.push(shape::of_type(print, ty)),
                ("defineProps", None, Some(value)) => {
                    props.push(TypeShape::Object(runtime_props(print, value)));
                }
                ("defineEmits", Some(ty), _) => facts.declared_emits.extend(typed_emits(print, program, ty)),
                ("defineEmits", None, Some(value)) => facts.declared_emits.extend(emits(print, value)),
                ("defineModel", declared, first) => {
                    let (prop, event) = model(print, declared, first, call);
                    props.push(TypeShape::Object(vec![prop]));
                    facts.declared_emits.push(event);
                }
                _ => {}
            }
        }
        let variables = match statement {
            Statement::VariableDeclaration(variables) => variables.declarations.as_slice(),
            _ => &[],
        };
        facts.state.extend(variables.iter().flat_map(|one| state_of(print, one, true)));
    }
    facts.props = match props.len() {
        0 => None,
        1 => props.pop(),
        _ => Some(TypeShape::Intersection(props)),
    };
    place.map(|place| (facts, place))
}

/// The calls that a statement at the top level is or binds, with `withDefaults(…)` taken off.
fn macro_calls<'x, 'a>(statement: &'x Statement<'a>) -> Vec<&'x CallExpression<'a>> {
    let values: Vec<&Expression<'a>> = match statement {
        Statement::ExpressionStatement(statement) => vec![&statement.expression],
        Statement::VariableDeclaration(variables) => {
            variables.declarations.iter().filter_map(|declarator| declarator.init.as_ref()).collect()
        }
        _ => return Vec::new(),
    };
    let call = |value: &'x Expression<'a>| match value.get_inner_expression() {
        Expression::CallExpression(call) => Some(&**call),
        _ => None,
    };
    let calls = values.into_iter().filter_map(call);
    calls
        .map(|outer| match outer.arguments.first().and_then(Argument::as_expression).and_then(call) {
            Some(inner) if outer.callee.is_specific_id("withDefaults") => inner,
            _ => outer,
        })
        .collect()
}

fn macro_name<'x>(call: &'x CallExpression<'_>, modules: &Modules<'_>) -> Option<&'x str> {
    let Expression::Identifier(name) = &call.callee else { return None };
    let name = name.name.as_str();
    (MACROS.contains(&name) && !modules.rebinds(name)).then_some(name)
}

/// `defineModel<string>('title', { required: true })`: a prop, and the event that says it changed.
fn model(
    print: Print<'_, '_>,
    declared: Option<&TSType<'_>>,
    first: Option<&Expression<'_>>,
    call: &CallExpression<'_>,
) -> (Member, (String, String)) {
    let name = first.and_then(text_of).unwrap_or_else(|| "modelValue".to_owned());
    let mut options = call.arguments.iter().filter_map(Argument::as_expression).filter_map(object);
    let options = options.next();
    let option = |name: &str| options.and_then(|options| property(options, name));
    let text = declared
        .map(|ty| print.ty(ty))
        .or_else(|| option("type").map(|ty| constructor(print, ty)))
        .unwrap_or_default();
    let is_required = matches!(option("required"), Some(Expression::BooleanLiteral(flag)) if flag.value);
    let signature = if text.is_empty() { String::new() } else { format!("(value: {text}) => void") };
    let event = (format!("update:{name}"), signature);
    (
        Member {
            name,
            kind: MemberKind::Property,
            text,
            optional: !is_required,
            doc: None,
            elsewhere: false,
        },
        event,
    )
}

/// `{ (e: 'change', id: number): void; update: [value: string] }`, in place or by a name of the same file.
fn typed_emits(print: Print<'_, '_>, program: &Program<'_>, ty: &TSType<'_>) -> Vec<(String, String)> {
    match ty {
        TSType::TSTypeLiteral(literal) => signature_emits(print, &literal.members),
        TSType::TSFunctionType(function) => call_emits(print, &function.params),
        TSType::TSIntersectionType(parts) => {
            parts.types.iter().flat_map(|part| typed_emits(print, program, part)).collect()
        }
        TSType::TSTypeReference(reference) => {
            let wanted = type_name(&reference.type_name);
            let declarations = program.body.iter().filter_map(|statement| match statement {
                Statement::ExportDeclaration(export) => Some(&export.declaration),
                other => other.as_declaration(),
            });
            let mut found = Vec::new();
            for declaration in declarations {
                match declaration {
                    Declaration::TSInterfaceDeclaration(one) if one.id.name == wanted.as_str() => {
                        found.extend(signature_emits(print, &one.body.body));
                    }
                    Declaration::TSTypeAliasDeclaration(one) if one.id.name == wanted.as_str() => {
                        // One step only: an alias of itself has no end.
                        if let TSType::TSTypeLiteral(literal) = &one.type_annotation {
                            found.extend(signature_emits(print, &literal.members));
                        }
                    }
                    _ => {}
                }
            }
            found
        }
        _ => Vec::new(),
    }
}

fn signature_emits(print: Print<'_, '_>, members: &[TSSignature<'_>]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for member in members {
        match member {
            TSSignature::TSCallSignatureDeclaration(call) => found.extend(call_emits(print, &call.params)),
            TSSignature::TSPropertySignature(event) => {
                let text =
                    match event.type_annotation.as_deref().map(|annotation| &annotation.type_annotation) {
                        Some(TSType::TSTupleType(tuple)) => {
                            let named = tuple.element_types.iter().all(|element| {
                                matches!(element.as_ts_type(), Some(TSType::TSNamedTupleMember(_)))
                            });
                            let elements = print.tuple(tuple);
                            let parameters = if named { elements } else { format!("...args: [{elements}]") };
                            format!("({parameters}) => void")
                        }
                        Some(ty) => print.ty(ty),
                        None => String::new(),
                    };
                found.push((event_name(print, &event.key, event.computed), text));
            }
            TSSignature::TSMethodSignature(event) => {
                let parameters = print.parameters(&event.params, None);
                found
                    .push((event_name(print, &event.key, event.computed), format!("({parameters}) => void")));
            }
            _ => {}
        }
    }
    found
}

/// `(e: 'change' | 'input', id: number)`: the first parameter names the events, the others are what they carry.
fn call_emits(print: Print<'_, '_>, parameters: &FormalParameters<'_>) -> Vec<(String, String)> {
    let Some((first, rest)) = parameters.items.split_first() else { return Vec::new() };
    let Some(annotation) = &first.type_annotation else { return Vec::new() };
    let carried = rest.iter().map(|parameter| print.parameter(parameter)).collect::<Vec<_>>().join(", ");
    let names = match shape::of_type(print, &annotation.type_annotation) {
        TypeShape::Union(parts) => parts,
        other => vec![other],
    };
    let names = names.into_iter().filter_map(|name| match name {
        TypeShape::Literal(name) => Some(name),
        _ => None,
    });
    names.map(|name| (name, format!("({carried}) => void"))).collect()
}

fn event_name(print: Print<'_, '_>, key: &PropertyKey<'_>, computed: bool) -> String {
    match key {
        PropertyKey::StringLiteral(text) => text.value.into_string(),
        key => print.key(key, computed),
    }
}

fn nothing() -> ComponentFacts {
    ComponentFacts {
        form: ComponentForm::Vue,
        props: None,
        destructured: Vec::new(),
        given: Vec::new(),
        used_callbacks: Vec::new(),
        spreads_rest: false,
        state: Vec::new(),
        state_shape: None,
        made_of: None,
        declared_emits: Vec::new(),
    }
}

fn object<'x, 'a>(value: &'x Expression<'a>) -> Option<&'x ObjectExpression<'a>> {
    match value.get_inner_expression() {
        Expression::ObjectExpression(object) => Some(object),
        _ => None,
    }
}

/// What a function gives back at its end.
fn returned<'x, 'a>(value: &'x Expression<'a>) -> Option<&'x Expression<'a>> {
    let body = match Callable::of(value)? {
        Callable::Arrow(arrow) => match arrow.body.as_expression() {
            Some(value) => return Some(value),
            None => arrow.body.as_function_body(),
        },
        Callable::Function(function) => function.body.as_deref(),
    };
    body?.statements.iter().rev().find_map(|statement| match statement {
        Statement::ReturnStatement(last) => last.argument.as_ref(),
        _ => None,
    })
}

fn runtime_props(print: Print<'_, '_>, value: &Expression<'_>) -> Vec<Member> {
    let member = |name: String, text: String, optional: bool| Member {
        name,
        kind: MemberKind::Property,
        text,
        optional,
        doc: None,
        elsewhere: false,
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
                // A validator says what an event carries; `null` says nothing.
                let text = Callable::of(&event.value)
                    .map(|validator| format!("({}) => void", print.parameters(validator.parameters(), None)));
                (event_name(print, &event.key, event.computed), text.unwrap_or_default())
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
