//! Vue components that are written in TypeScript: `defineComponent({ props, emits, setup, data })`, and scripts with
//! `defineProps` and its like.

use oxc_ast::ast::{
    Argument, ArrayExpression, ArrayExpressionElement, CallExpression, Declaration, Expression,
    FormalParameters, ObjectExpression, ObjectProperty, ObjectPropertyKind, Program, PropertyKey, Statement,
    TSSignature, TSType,
};
use oxc_span::{GetSpan, Span};

use super::body::{callee_name, held, text_of};
use super::component::Callable;
use super::modules::{DEFAULT, Modules, constants};
use super::origins::known_as;
use super::print::{Print, type_name};
use super::shape;
use super::state::{object_state, state_of};
use super::vue_events::{is_said_to_hold, name_by};
use crate::model::{
    ComponentFacts, ComponentForm, Declaration as Model, DeclarationDetail, Member, MemberKind, State,
    TypeShape,
};

/// What the compiler of `<script setup>` replaces.
const MACROS: &[&str] =
    &["defineEmits", "defineExpose", "defineModel", "defineOptions", "defineProps", "defineSlots"];

/// The facts of `defineComponent(…)` and its like; `None` for any other expression.
pub(super) fn define_component(print: Print<'_, '_>, value: &Expression<'_>) -> Option<ComponentFacts> {
    let Expression::CallExpression(call) = value.get_inner_expression() else { return None };
    let name = known_as(print, &call.callee)?;
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
    Some(of_options(print, options, declared.map(|ty| shape::of_type(print, ty))))
}

/// What the options of a component say of it, with what it is said to take, and with what it extends.
fn of_options(
    print: Print<'_, '_>,
    options: Option<&ObjectExpression<'_>>,
    declared: Option<TypeShape>,
) -> ComponentFacts {
    let option = |name: &str| options.and_then(|options| property(options, name));
    let own = declared.or_else(|| option("props").map(|value| runtime_props(print, value)));
    let mut declared_emits = option("emits").map(|value| emits(print, value)).unwrap_or_default();
    let data = option("data").and_then(returned).map(|value| object_state(print, value));
    let mut parts = Vec::new();
    for base in bases(option("extends"), option("mixins")) {
        let inner = match object(base) {
            Some(inner) => Some(of_options(print, Some(inner), None)),
            None => define_component(print, base),
        };
        match (inner, base.get_inner_expression()) {
            (Some(inner), _) => {
                parts.extend(inner.props);
                declared_emits.extend(inner.declared_emits);
            }
            (None, Expression::Identifier(name)) => {
                parts.push(TypeShape::Query(name.name.into_string()));
                declared_emits.push((format!("{}{}", ComponentFacts::SPREAD, name.name), String::new()));
            }
            (None, other) => parts.push(elsewhere(print, other)),
        }
    }
    // What a component says itself comes last, because it overrules what it extends.
    parts.extend(own);
    ComponentFacts {
        props: (!parts.is_empty()).then(|| all_of(parts)),
        state: data.unwrap_or_default(),
        declared_emits,
        ..nothing()
    }
}

/// `extends: base`, `mixins: [first, second]`.
fn bases<'x, 'a>(
    extended: Option<&'x Expression<'a>>,
    mixed: Option<&'x Expression<'a>>,
) -> Vec<&'x Expression<'a>> {
    let mut found: Vec<&'x Expression<'a>> = extended.into_iter().collect();
    match mixed.map(Expression::get_inner_expression) {
        Some(Expression::ArrayExpression(list)) => {
            found.extend(list.elements.iter().filter_map(|one| match one {
                ArrayExpressionElement::SpreadElement(spread) => Some(&spread.argument),
                one => one.as_expression(),
            }));
        }
        other => found.extend(other),
    }
    found
}

/// With the state that `setup` keeps, beside that of `data`, and the events that it tells without declaring them.
pub(super) fn with_use(facts: ComponentFacts, kept: Vec<State>, mut emitted: Vec<String>) -> ComponentFacts {
    let ComponentFacts { mut state, mut declared_emits, .. } = facts;
    state.extend(kept);
    emitted.sort();
    emitted.dedup();
    declared_emits.extend(emitted.into_iter().map(|name| (name, String::new())));
    ComponentFacts { state, declared_emits, ..facts }
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
                ("defineProps", None, Some(value)) => props.push(runtime_props(print, value)),
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
    let is_required = is_true(option("required"));
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
pub(super) fn typed_emits(
    print: Print<'_, '_>,
    program: &Program<'_>,
    ty: &TSType<'_>,
) -> Vec<(String, String)> {
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
        key => {
            let by = key.as_expression().filter(|_| computed).and_then(|by| name_by(print, by));
            by.unwrap_or_else(|| print.key(key, computed))
        }
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

pub(super) fn object<'x, 'a>(value: &'x Expression<'a>) -> Option<&'x ObjectExpression<'a>> {
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

/// What is declared by constants is theirs to say: `props: shared`, `props: { ...shared, size: String }`.
fn runtime_props(print: Print<'_, '_>, value: &Expression<'_>) -> TypeShape {
    match held(value) {
        Expression::ArrayExpression(array) => {
            listed(print, array, |name| is_known(&name).then(|| plain_prop(name)))
        }
        Expression::ObjectExpression(object) => put_together(print, object, |declared| {
            let name = event_name(print, &declared.key, declared.computed);
            // Of a prop what another file calls it is not looked up.
            let name = if is_known(&name) { name } else { print.key(&declared.key, true) };
            let option = |name: &str| match declared.value.get_inner_expression() {
                Expression::ObjectExpression(options) => property(options, name),
                _ => None,
            };
            let is_required = is_true(option("required"));
            let text = match declared.value.get_inner_expression() {
                Expression::ObjectExpression(_) => option("type").map(|ty| constructor(print, ty)),
                _ => Some(constructor(print, &declared.value)),
            };
            Member { text: text.unwrap_or_default(), optional: !is_required, ..plain_prop(name) }
        }),
        other => elsewhere(print, other),
    }
}

/// `true`, or `true as const`.
fn is_true(value: Option<&Expression<'_>>) -> bool {
    matches!(value.map(Expression::get_inner_expression), Some(Expression::BooleanLiteral(flag)) if flag.value)
}

fn plain_prop(name: String) -> Member {
    let (kind, text) = (MemberKind::Property, String::new());
    Member { name, kind, text, optional: true, doc: None, elsewhere: false }
}

/// The names of a list, with those of lists that are spread into it.
fn listed(
    print: Print<'_, '_>,
    array: &ArrayExpression<'_>,
    member: impl Fn(String) -> Option<Member>,
) -> TypeShape {
    let mut parts = Vec::new();
    for element in &array.elements {
        match element {
            ArrayExpressionElement::SpreadElement(spread) => parts.push(elsewhere(print, &spread.argument)),
            one => {
                let name = one.as_expression().and_then(|name| name_by(print, name));
                parts.extend(name.and_then(&member).map(|member| TypeShape::Object(vec![member])));
            }
        }
    }
    all_of(parts)
}

/// The members of an object, with those that are spread into it, which count as far as no later one does.
fn put_together(
    print: Print<'_, '_>,
    object: &ObjectExpression<'_>,
    member: impl Fn(&ObjectProperty<'_>) -> Member,
) -> TypeShape {
    let parts = object.properties.iter().map(|property| match property {
        ObjectPropertyKind::SpreadProperty(spread) => elsewhere(print, &spread.argument),
        ObjectPropertyKind::ObjectProperty(property) => TypeShape::Object(vec![member(property)]),
    });
    all_of(parts.collect())
}

/// One shape of several; objects that follow each other are one.
fn all_of(parts: Vec<TypeShape>) -> TypeShape {
    let mut all: Vec<TypeShape> = Vec::new();
    for part in parts {
        match (all.last_mut(), part) {
            (Some(TypeShape::Object(known)), TypeShape::Object(more)) => known.extend(more),
            (_, part) => all.push(part),
        }
    }
    match all.len() {
        0 => TypeShape::Object(Vec::new()),
        1 => all.swap_remove(0),
        _ => TypeShape::Intersection(all),
    }
}

/// What another declaration says: a constant, or a component by its `props`. Whatever else it is has its text alone.
fn elsewhere(print: Print<'_, '_>, value: &Expression<'_>) -> TypeShape {
    match value.get_inner_expression() {
        Expression::Identifier(name) => TypeShape::Query(name.name.into_string()),
        Expression::StaticMemberExpression(member) if member.property.name == "props" => {
            elsewhere(print, &member.object)
        }
        Expression::ObjectExpression(_) | Expression::ArrayExpression(_) => runtime_props(print, value),
        Expression::CallExpression(call) => match callee_name(&call.callee) {
            Some(name) => TypeShape::Text(format!("ReturnType<typeof {name}>")),
            None => TypeShape::Text(print.short(value)),
        },
        other => TypeShape::Text(print.short(other)),
    }
}

/// Gives constants that hold what components declare the types of that, so that whoever names them knows.
pub(super) fn add(program: &Program<'_>, print: Print<'_, '_>, is_vue: bool, declarations: &mut [Model]) {
    let default = program.body.iter().find_map(|statement| match statement {
        Statement::ExportDefaultDeclaration(export) => {
            export.declaration.as_expression().map(|value| (DEFAULT, value))
        }
        _ => None,
    });
    for (name, value) in constants(program).chain(default) {
        let value = held(value);
        let told = match value {
            Expression::ObjectExpression(object) if are_props(object, is_vue) => {
                DeclarationDetail::Value(runtime_props(print, value))
            }
            Expression::ObjectExpression(object) if is_vue && are_events(print, object) => {
                DeclarationDetail::Value(events(print, value))
            }
            // What others extend.
            Expression::ObjectExpression(object) if are_options(print, object, is_vue) => {
                DeclarationDetail::Component(Box::new(of_options(print, Some(object), None)))
            }
            // Of props, or of events, which have no more than their names.
            Expression::ArrayExpression(array)
                if (is_vue || is_said_to_hold(name)) && is_list(print, array) =>
            {
                DeclarationDetail::Value(runtime_props(print, value))
            }
            _ => continue,
        };
        let declaration = declarations.iter_mut().find(|one| one.name == name);
        let detail = declaration.map(|one| &mut one.detail);
        if let Some(detail @ (DeclarationDetail::None | DeclarationDetail::Value(_))) = detail {
            *detail = told;
        }
    }
}

/// Whether an object says of events what they carry.
fn are_events(print: Print<'_, '_>, object: &ObjectExpression<'_>) -> bool {
    let mut own = object.properties.iter().filter_map(ObjectPropertyKind::as_property).peekable();
    let is_named = |one: &ObjectProperty<'_>| {
        !one.computed || one.key.as_expression().is_some_and(|key| name_by(print, key).is_some())
    };
    own.peek().is_some() && own.all(|one| is_named(one) && is_validator(one.value.get_inner_expression()))
}

/// Whether an object says of props what they take. `null` takes anything, and alone says nothing.
fn are_props(object: &ObjectExpression<'_>, is_vue: bool) -> bool {
    let mut own = object.properties.iter().filter_map(ObjectPropertyKind::as_property);
    holds(object, |value| is_vue && value.is_null() || is_option(value, is_vue))
        && own.any(|one| !one.value.is_null())
}

/// Whether an object is what a component is made of: its props say so.
fn are_options(print: Print<'_, '_>, object: &ObjectExpression<'_>, is_vue: bool) -> bool {
    match property(object, "props").map(Expression::get_inner_expression) {
        Some(Expression::ObjectExpression(props)) => are_props(props, is_vue),
        Some(Expression::ArrayExpression(names)) => is_vue && is_list(print, names),
        Some(_) => is_vue,
        None => is_vue && ["emits", "mixins"].iter().any(|name| property(object, name).is_some()),
    }
}

/// Whether all that an object holds itself is something, and that it holds anything.
fn holds(object: &ObjectExpression<'_>, is: impl Fn(&Expression<'_>) -> bool) -> bool {
    let mut own = object.properties.iter().filter_map(ObjectPropertyKind::as_property).peekable();
    own.peek().is_some() && own.all(|one| !one.computed && is(one.value.get_inner_expression()))
}

fn is_list(print: Print<'_, '_>, array: &ArrayExpression<'_>) -> bool {
    let is_name = |one: &ArrayExpressionElement<'_>| {
        one.is_spread()
            || one.as_expression().and_then(|name| name_by(print, name)).is_some_and(|name| is_known(&name))
    };
    !array.elements.is_empty() && array.elements.iter().all(is_name)
}

/// Whether nothing has to be looked up in another file.
fn is_known(name: &str) -> bool {
    !name.contains("${")
}

/// Whether a value says of a prop what it takes.
fn is_option(value: &Expression<'_>, is_vue: bool) -> bool {
    let Expression::ObjectExpression(options) = value else { return is_constructor(value) };
    let known = |property: &ObjectPropertyKind<'_>| {
        let key = property.as_property().and_then(|one| one.key.static_name());
        key.is_some_and(|key| matches!(&*key, "type" | "default" | "required" | "validator"))
    };
    let ty = property(options, "type");
    ty.is_some_and(is_constructor)
        || is_vue && !options.properties.is_empty() && options.properties.iter().all(known)
}

fn is_constructor(value: &Expression<'_>) -> bool {
    match value {
        Expression::TSAsExpression(cast) => match &cast.type_annotation {
            TSType::TSTypeReference(of) => type_name(&of.type_name) == "PropType",
            TSType::TSFunctionType(_) => is_constructor(&cast.expression),
            _ => false,
        },
        Expression::Identifier(name) => matches!(
            name.name.as_str(),
            "Array" | "Boolean" | "Date" | "Function" | "Number" | "Object" | "String" | "Symbol"
        ),
        Expression::ArrayExpression(list) => {
            let is_null =
                |one: &ArrayExpressionElement<'_>| one.as_expression().is_some_and(Expression::is_null);
            let mut each = list.elements.iter().filter(|one| !is_null(one)).peekable();
            each.peek().is_some() && each.all(|one| one.as_expression().is_some_and(is_constructor))
        }
        _ => false,
    }
}

/// Whether a value says of an event what it carries.
fn is_validator(value: &Expression<'_>) -> bool {
    matches!(value, Expression::NullLiteral(_)) || Callable::of(value).is_some()
}

/// `String` is `string`, `Object as PropType<User>` and `Object as () => User` are `User`, `[String, Number]` is
/// `string | number`.
fn constructor(print: Print<'_, '_>, value: &Expression<'_>) -> String {
    match value {
        Expression::TSAsExpression(cast) => match &cast.type_annotation {
            TSType::TSTypeReference(reference) => match &reference.type_arguments {
                Some(list) if !list.params.is_empty() => print.ty(&list.params[0]),
                _ => print.ty(&cast.type_annotation),
            },
            // What makes a function is often written as the function.
            TSType::TSFunctionType(makes)
                if makes.params.items.is_empty()
                    && (!cast.expression.is_specific_id("Function")
                        || matches!(makes.return_type.type_annotation, TSType::TSFunctionType(_))) =>
            {
                print.annotation(&makes.return_type)
            }
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
            let types = types.map(|ty| match (ty, constructor(print, ty)) {
                (Expression::NullLiteral(_), _) => "null".to_owned(),
                (_, text) if text.is_empty() => "unknown".to_owned(),
                (_, text) => text,
            });
            types.collect::<Vec<_>>().join(" | ")
        }
        _ => String::new(),
    }
}

/// Events with what they carry. Those that a constant declares are known by its name, behind [`ComponentFacts::SPREAD`].
pub(super) fn emits(print: Print<'_, '_>, value: &Expression<'_>) -> Vec<(String, String)> {
    fn each(shape: TypeShape) -> Vec<(String, String)> {
        match shape {
            TypeShape::Object(members) => members.into_iter().map(|one| (one.name, one.text)).collect(),
            TypeShape::Intersection(parts) => parts.into_iter().flat_map(each).collect(),
            TypeShape::Query(name) | TypeShape::Text(name) => {
                vec![(format!("{}{name}", ComponentFacts::SPREAD), String::new())]
            }
            _ => Vec::new(),
        }
    }
    each(events(print, value))
}

fn events(print: Print<'_, '_>, value: &Expression<'_>) -> TypeShape {
    let event = |name: String| Member { optional: false, ..plain_prop(name) };
    match held(value) {
        Expression::ArrayExpression(array) => listed(print, array, |name| Some(event(name))),
        Expression::ObjectExpression(object) => put_together(print, object, |declared| {
            // A validator says what an event carries; `null` says nothing.
            let text = Callable::of(&declared.value)
                .map(|validator| format!("({}) => void", print.parameters(validator.parameters(), None)));
            let name = event_name(print, &declared.key, declared.computed);
            Member { text: text.unwrap_or_default(), ..event(name) }
        }),
        other => elsewhere(print, other),
    }
}

pub(super) fn property<'x, 'a>(object: &'x ObjectExpression<'a>, name: &str) -> Option<&'x Expression<'a>> {
    let properties = object.properties.iter().filter_map(ObjectPropertyKind::as_property);
    properties
        .into_iter()
        .find(|property| property.key.is_specific_static_name(name))
        .map(|property| &property.value)
}
