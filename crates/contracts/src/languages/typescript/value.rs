//! What a value is, as far as its own text says it: the type of a literal, the members of an object that is written in
//! place, what a function gives back in such an object. What is too long to be read out is known by a digest, so that a
//! change of it is seen all the same.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeSet;

use oxc_ast::ast::{
    ArrayExpression, ArrayExpressionElement, CallExpression, Expression, ObjectExpression, ObjectProperty,
    ObjectPropertyKind, PropertyKey, PropertyKind, TSTypeParameterInstantiation,
};

use super::arguments::{Given, begins_without_object, given_to, names_listed, names_within};
use super::body::callee_name;
use super::component::{self, Callable};
use super::made::widened;
use super::origins::{Top, known_as, root};
use super::print::{INFERRED, Print, literal_type, primitive_type};
use super::returned::has_state;
use super::spread::Written;
use super::state;
use super::within::{Local, Within};
use super::wrapped::{styled_of, wraps_components};

/// Longer literals are data, not a promise that anybody reads.
pub(super) const LONGEST_LITERAL: usize = 60;
/// Objects that are shown with the objects inside of them.
const LONGEST_WHOLE: usize = 120;
/// Longer objects and lists are data, too.
pub(super) const LONGEST_OBJECT: usize = 240;
/// The names of what a function gives.
pub(super) const LONGEST_RETURN: usize = 160;
/// And with their types.
pub(super) const LONGEST_TYPED: usize = 480;
/// Larger objects are known by the names of their members.
const MOST_TYPED: usize = 100;
/// Functions around a function whose names are followed.
pub(super) const MOST_AROUND: usize = 4;
/// Calls that are shown with the names in what they are given.
const MOST_CALLS: usize = 8;
/// Objects in objects.
pub(super) const DEEPEST: usize = 6;

impl Print<'_, '_> {
    /// The type of a value as far as its own text says it.
    pub(super) fn value_type(self, value: &Expression<'_>) -> String {
        match value {
            Expression::ArrowFunctionExpression(arrow) => self.callable(Callable::Arrow(arrow), None),
            Expression::FunctionExpression(function) => self.callable(Callable::Function(function), None),
            Expression::TSAsExpression(cast) if !cast.type_annotation.is_const_type_reference() => {
                self.ty(&cast.type_annotation)
            }
            Expression::TSTypeAssertion(cast) => self.ty(&cast.type_annotation),
            // What it satisfies is not what it is.
            Expression::TSSatisfiesExpression(cast) => self.value_type(&cast.expression),
            Expression::NewExpression(new) => match &new.callee {
                Expression::Identifier(name) if !self.is_local_value(&name.name) => {
                    format!("{}{}", name.name, self.type_arguments(new.type_arguments.as_deref()))
                }
                _ => INFERRED.to_owned(),
            },
            Expression::TSAsExpression(cast) => match &cast.expression {
                Expression::ArrayExpression(_) | Expression::ObjectExpression(_) => {
                    format!("{} as const", self.frozen(&cast.expression))
                }
                other if literal_type(other).is_some() => self.value_kept(other),
                other => format!("{} as const", self.value_type(other)),
            },
            Expression::ObjectExpression(object) => self.object(object),
            // Another name for what has one.
            Expression::Identifier(name) => {
                let name = query(&name.name).filter(|_| !self.is_local_value(&name.name));
                name.unwrap_or_else(|| INFERRED.to_owned())
            }
            Expression::CallExpression(call) => match &call.type_arguments {
                Some(given) => self.typed_call(&call.callee, given),
                None => self.called(call).unwrap_or_else(|| INFERRED.to_owned()),
            },
            // styled.div<{ wide: boolean }>`…`, styled(Button)<{ wide: boolean }>`…`
            Expression::TaggedTemplateExpression(tagged) => match &tagged.type_arguments {
                Some(given) => {
                    let name = styled_of(&tagged.tag).map(|_| "styled").or_else(|| callee_name(&tagged.tag));
                    self.told_types(name, given)
                }
                None => INFERRED.to_owned(),
            },
            Expression::AwaitExpression(awaited) => match &awaited.argument {
                Expression::CallExpression(call) => {
                    let given = self.result_of(call);
                    given.map_or_else(|| INFERRED.to_owned(), |given| settled(&given).to_owned())
                }
                _ => INFERRED.to_owned(),
            },
            Expression::ArrayExpression(list) => self.list(list).unwrap_or_else(|| INFERRED.to_owned()),
            other => primitive_type(other).unwrap_or(INFERRED).to_owned(),
        }
    }

    /// `string[]`: the type of a list of which each element says what it is. What has names is known by them.
    fn list(self, list: &ArrayExpression<'_>) -> Option<String> {
        if list.elements.len() > MOST_TYPED {
            return None;
        }
        let ty = |element: &ArrayExpressionElement<'_>| match element.as_expression()? {
            Expression::Identifier(_) => None,
            value => match self.value_type(value) {
                text if text == INFERRED => self.made_member(value),
                text => Some(text).filter(|text| !text.contains(INFERRED)),
            },
        };
        let types: BTreeSet<String> = list.elements.iter().map(ty).collect::<Option<_>>()?;
        let mut objects = types.iter().filter(|text| text.starts_with('{'));
        // Objects that differ are no longer what each of them is.
        if objects.next().is_some() && objects.next().is_some() {
            return None;
        }
        let all = Vec::from_iter(types).join(" | ");
        let is_one = !all.contains([' ', '>']) || all.starts_with('{') && !all.contains(" | ");
        let whole = if is_one { format!("{all}[]") } else { format!("({all})[]") };
        (!all.is_empty() && whole.len() <= LONGEST_WHOLE).then_some(whole)
    }

    /// `createContext<Theme>(…)`: what a call is told of types is the most that is known of what it gives.
    fn typed_call(self, callee: &Expression<'_>, given: &TSTypeParameterInstantiation<'_>) -> String {
        if let Some(path) = self.path(callee) {
            return self.told_types(Some(&path), given);
        }
        // `React.` is a way to import.
        self.told_types(known_as(self, callee), given)
    }

    fn told_types(self, name: Option<&str>, given: &TSTypeParameterInstantiation<'_>) -> String {
        let name = name.filter(|name| !matches!(*name, "lazy" | "dynamic"));
        let Some(name) = name else { return INFERRED.to_owned() };
        let text = format!("{INFERRED} {name}{}", self.type_arguments(Some(given)));
        if text.len() <= LONGEST_OBJECT {
            return text;
        }
        match given.params.first() {
            // What its ref holds is known by itself, and its props are told elsewhere.
            Some(element) if name == "forwardRef" => format!("{INFERRED} {name}<{}>", self.ty(element)),
            _ => format!("{INFERRED} {}", digest(&text)),
        }
    }

    /// `memo((props: Props) => …)`, `observer(forwardRef<Element, Props>(…))`, `connect(…)((props: Props) => …)`: the types that
    /// a component says its props are of, within what is made around it.
    fn wrapped(self, call: &CallExpression<'_>) -> Option<String> {
        let callee = match &call.callee {
            Expression::CallExpression(inner) => &inner.callee,
            other => other,
        };
        let name = known_as(self, callee)?;
        if !matches!(name, "memo" | "forwardRef") && !wraps_components(name) {
            return None;
        }
        let inside = match call.arguments.first()?.as_expression()?.get_inner_expression() {
            Expression::CallExpression(inner) => match &inner.type_arguments {
                Some(given) => {
                    self.typed_call(&inner.callee, given).strip_prefix(INFERRED)?.trim_start().to_owned()
                }
                None => self.wrapped(inner)?,
            },
            // The first type of a `forwardRef` is that of what its ref holds.
            other if name == "forwardRef" => return self.ref_and_props(other),
            other => {
                let made = self.callable_named(other)?;
                self.annotation(made.parameters().items.first()?.type_annotation.as_deref()?)
            }
        };
        (!inside.is_empty() && inside.len() <= LONGEST_OBJECT).then(|| format!("{name}<{inside}>"))
    }

    /// `forwardRef((props: Props, ref: Ref<Element>) => …)`: what it would be told as `forwardRef<Element, Props>`.
    fn ref_and_props(self, made: &Expression<'_>) -> Option<String> {
        let made = self.callable_named(made)?;
        let annotated = |at: usize| made.parameters().items.get(at)?.type_annotation.as_deref();
        let props = annotated(0).map(|props| format!(", {}", self.annotation(props)));
        let element = match annotated(1) {
            Some(held) => self.ty(component::held_by_ref(&held.type_annotation)?),
            None => props.as_ref().map(|_| "unknown".to_owned())?,
        };
        let whole = format!("forwardRef<{element}{}>", props.unwrap_or_default());
        Some(if whole.len() <= LONGEST_OBJECT { whole } else { format!("forwardRef<{element}>") })
    }

    /// A function that is written in place, or by its name elsewhere in the file.
    fn callable_named<'x>(self, made: &'x Expression<'x>) -> Option<Callable<'x, 'x>>
    where
        Self: 'x,
    {
        match made {
            Expression::Identifier(name) => match self.source.origins.declared(&name.name)? {
                Top::Function(function) => Some(Callable::Function(function)),
                Top::Constant(constant) => Callable::of(constant.init.as_ref()?),
                Top::Class(_) | Top::Other => None,
            },
            other => Callable::of(other),
        }
    }

    /// `object({ id, name })`: the names in the objects that a call is given, and the calls that it goes on from or is
    /// given. What such a call makes is known by them: the fields of a schema, the actions of a store, the variants of a style.
    /// `make(typeof run)`, `[typeof run]`: what is handed over or listed by its name is seen through the whole.
    pub(super) fn keyed(self, value: &Expression<'_>) -> Option<String> {
        let mut given = Vec::new();
        given_to(value, &mut given);
        if let Expression::ArrayExpression(list) = value.get_inner_expression() {
            given.push(("", Given::Names(names_listed(list))));
        }
        let says = |what: &Given<'_, '_>| !matches!(what, Given::Names(names) if names.is_empty());
        if !given.iter().any(|(_, what)| says(what)) {
            return self.made_whole(value);
        }
        if !self.is_made_elsewhere(value) {
            given.retain(|(_, what)| says(what));
            if let Some(base) = self.goes_on_from(value) {
                given.insert(0, ("", Given::Names(vec![base])));
            }
        }
        let told = |(name, what): &(&str, Given<'_, '_>), how: Read, room: usize| {
            let (Ok(text) | Err((text, _))) = match what {
                Given::Object(object) => read_out(["({ ", " })"], &self.names_in(object, 0, how), room),
                Given::Names(names) if name.is_empty() => read_out(["[", "]"], names, room),
                Given::Names(names) if names.is_empty() => Ok("()".to_owned()),
                Given::Names(names) => read_out(["(", ")"], names, room),
            };
            [*name, &text].concat()
        };
        let all =
            |how: Read| given.iter().map(|one| told(one, how, usize::MAX)).collect::<Vec<_>>().join(" ");
        let whole = all(Read::Values);
        if whole.len() <= LONGEST_RETURN {
            return Some(whole);
        }
        let count = given.iter().map(|(_, what)| match what {
            Given::Object(object) => names_within(object, 0),
            Given::Names(names) => names.len(),
        });
        let count: usize = count.sum();
        // Each has a letter, and a comma and a space to the next: of very many it need not be tried.
        let may_fit = count <= LONGEST_RETURN / 3 + 1;
        let names = may_fit.then(|| all(Read::Names)).filter(|names| names.len() <= LONGEST_RETURN);
        let shown = names.unwrap_or_else(|| {
            let room = LONGEST_RETURN / given.len().min(MOST_CALLS);
            let shown = given.iter().map(|one| told(one, Read::Outermost, room));
            // Of very many calls the first ones.
            shown.take(MOST_CALLS).collect::<Vec<_>>().join(" ")
        });
        Some(format!("{shown} {}.{count}", digest(&whole)))
    }

    /// Sorted; an object inside of it, or given to a call there, with its own names.
    fn names_in<'x>(self, object: &'x ObjectExpression<'_>, depth: usize, how: Read) -> Vec<Cow<'x, str>> {
        let named = |property: &'x ObjectPropertyKind<'_>| match property {
            ObjectPropertyKind::SpreadProperty(spread) => Cow::Owned(self.spread(&spread.argument)),
            ObjectPropertyKind::ObjectProperty(property) => {
                let key = match &property.key {
                    PropertyKey::StaticIdentifier(name) if !property.computed => name.name.as_str().into(),
                    other => Cow::Owned(self.key(other, property.computed)),
                };
                let mut given = Vec::new();
                match property.value.get_inner_expression() {
                    _ if depth >= DEEPEST || how == Read::Outermost => {}
                    Expression::ObjectExpression(inner) => given.push(("", Given::Object(inner))),
                    // What only a later call is told are options: `string().min(1, { message })`.
                    inner if begins_without_object(inner) => {}
                    inner => given_to(inner, &mut given),
                }
                let objects = given.iter().filter_map(|(_, what)| match what {
                    Given::Object(object) => Some(*object),
                    Given::Names(_) => None,
                });
                let mut inner: Vec<Cow<'x, str>> =
                    objects.flat_map(|object| self.names_in(object, depth + 1, how)).collect();
                inner.sort_unstable();
                let is_told = how == Read::Values;
                if inner.is_empty() {
                    let made = if is_told { self.made_by(&property.value) } else { None };
                    // Under its own name it says so itself.
                    let is_other = |name: &String| name.strip_prefix("typeof ") != Some(&key);
                    let named = || self.named(&property.value).filter(is_other);
                    let made = if is_told { made.or_else(named) } else { None };
                    return made.map_or_else(|| key.clone(), |made| [&key, ": ", &made].concat().into());
                }
                let object = ["{ ", &inner.join(", "), " }"].concat();
                let object = if is_told { widened(&property.value, object) } else { object };
                [&key, ": ", &object].concat().into()
            }
        };
        let mut names: Vec<Cow<'x, str>> = object.properties.iter().map(named).collect();
        names.sort_unstable();
        names
    }

    /// What a call gives that is told no types itself.
    fn called(self, call: &CallExpression<'_>) -> Option<String> {
        if let Some(wrapped) = self.wrapped(call) {
            return Some(format!("{INFERRED} {wrapped}"));
        }
        // `create<Store>()(…)`
        if let Expression::CallExpression(inner) = &call.callee {
            return inner.type_arguments.as_ref().map(|given| self.typed_call(&inner.callee, given));
        }
        self.result_of(call)
    }

    /// What a function of the file is annotated to give, `make()`, or a method, `Store.open()`.
    fn result_of(self, call: &CallExpression<'_>) -> Option<String> {
        let Expression::Identifier(name) = &call.callee else { return self.result_of_method(call) };
        if self.is_local_value(&name.name) {
            return None;
        }
        let callable = match self.source.origins.declared(&name.name)? {
            Top::Function(function) => Callable::Function(function),
            Top::Constant(constant) => Callable::of(constant.init.as_ref()?)?,
            Top::Class(_) | Top::Other => return None,
        };
        self.annotated_to_give(callable)
    }

    /// What is known of a value that is returned, in place or by a name.
    pub(super) fn told(self, value: &Expression<'_>, within: &Within<'_, '_, '_>) -> Option<String> {
        within.steps.set(within.steps.get().checked_sub(1)?);
        if within.depth > MOST_AROUND {
            return None;
        }
        match value {
            Expression::ObjectExpression(object) => Some(self.returned_object(object, within)),
            Expression::ConditionalExpression(_) | Expression::LogicalExpression(_) => {
                self.chosen(value, within)
            }
            Expression::TSAsExpression(cast) if cast.type_annotation.is_const_type_reference() => {
                let list = match &cast.expression {
                    Expression::ArrayExpression(list) => list,
                    literal if literal_type(literal).is_some() => return Some(self.value_kept(literal)),
                    other => return self.told(other, within),
                };
                self.returned_list(list, within)
            }
            // Without that nobody knows by its type which element is which; of a hook's state everybody does.
            Expression::ArrayExpression(list) if has_state(list, within) => self.returned_list(list, within),
            Expression::TSAsExpression(_) | Expression::TSTypeAssertion(_) => {
                Some(self.value_type(value)).filter(|text| text.len() <= LONGEST_OBJECT)
            }
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => {
                let text = self.callable(Callable::of(value)?, Some(within));
                Some(if text.len() > LONGEST_TYPED { digest(&text) } else { text })
            }
            Expression::NewExpression(new) => {
                let Expression::Identifier(class) = &new.callee else { return None };
                let is_own = || self.source.origins.declared(&class.name).is_some();
                let is_told =
                    within.local(&class.name).is_none() && (new.type_arguments.is_some() || is_own());
                is_told.then(|| self.value_type(value))
            }
            Expression::AwaitExpression(awaited) => {
                self.told(&awaited.argument, within).map(|text| settled(&text).to_owned())
            }
            Expression::Identifier(name) => match within.local(&name.name) {
                Some((Local::Function(function), around)) => {
                    let around = Within { depth: within.depth + 1, ..*around };
                    Some(self.callable(Callable::Function(function), Some(&around)))
                }
                Some((Local::Constant(constant), around)) => {
                    match (&constant.type_annotation, &constant.init) {
                        (Some(said), _) => Some(self.annotation(said)),
                        // A name for a name is not followed.
                        (None, None | Some(Expression::Identifier(_))) => None,
                        (None, Some(init)) => self.told(init, &Within { depth: within.depth + 1, ..*around }),
                    }
                }
                Some((Local::State(state), _)) => state::told_by(self, state),
                Some((Local::Setter | Local::Other, _)) => None,
                None if self.is_local_value(&name.name) => None,
                None => {
                    self.source.origins.declared(&name.name)?;
                    query(&name.name)
                }
            },
            Expression::CallExpression(call) => match (callee_name(&call.callee), &call.type_arguments) {
                (Some("useMemo"), None) => {
                    let made = Callable::of(call.arguments.first()?.as_expression()?)?;
                    let depth = within.depth + 1;
                    let inside = Within { callable: made, outer: Some(within), depth, steps: within.steps };
                    self.chosen_by(&inside)
                }
                (Some("useCallback"), None) => {
                    let made = Callable::of(call.arguments.first()?.as_expression()?)?;
                    Some(self.callable(made, Some(within)))
                }
                (Some(name @ ("useContext" | "useReducer")), None) => {
                    let Expression::Identifier(of) = call.arguments.first()?.as_expression()? else {
                        return None;
                    };
                    let is_own = within.local(&of.name).is_none();
                    self.source.origins.declared(&of.name).filter(|_| is_own)?;
                    Some(format!("{INFERRED} {name}(typeof {})", of.name))
                }
                (_, Some(given)) => {
                    Some(self.typed_call(&call.callee, given)).filter(|text| text != INFERRED)
                }
                (name, None) => {
                    let of = root(&call.callee).or(name);
                    of.is_none_or(|of| within.local(of).is_none()).then(|| self.called(call))?
                }
            },
            _ => None,
        }
    }

    /// The members of an object that a function gives, with what is written of the types of its functions.
    fn returned_object(self, object: &ObjectExpression<'_>, within: &Within<'_, '_, '_>) -> String {
        let properties = self.spread_out(object, Some(within));
        let is_short = properties.len() <= MOST_TYPED;
        let (mut names, mut typed) = (Vec::new(), Vec::new());
        for (property, object) in properties {
            match property {
                ObjectPropertyKind::SpreadProperty(spread) => {
                    names.push(self.spread(&spread.argument));
                }
                ObjectPropertyKind::ObjectProperty(property) if is_read_too(property, object) => {}
                ObjectPropertyKind::ObjectProperty(property) => {
                    let key = self.readable(property, object);
                    let told = match self.accessed(property) {
                        Some(told) => Some(told).filter(|told| !told.starts_with(INFERRED)),
                        None => self.returned_member(&property.value, within),
                    };
                    typed.extend(told.filter(|_| is_short).map(|told| format!("{key}: {told}")));
                    names.push(key);
                }
            }
        }
        names.sort();
        let by_name = || read_out(["{ ", " }"], &names, LONGEST_RETURN);
        if typed.is_empty() {
            return by_name().unwrap_or_else(|(cut, whole)| format!("{cut} {}", digest(&whole)));
        }
        let is_untyped = |name: &&String| {
            typed.iter().all(|one| one.strip_prefix(name.as_str()).is_none_or(|rest| !rest.starts_with(':')))
        };
        let mut all: Vec<String> =
            names.iter().filter(is_untyped).cloned().chain(typed.iter().cloned()).collect();
        all.sort();
        read_out(["{ ", " }"], &all, LONGEST_TYPED).unwrap_or_else(|(_, whole)| {
            let (Ok(cut) | Err((cut, _))) = by_name();
            format!("{cut} {}", digest(&whole))
        })
    }

    /// What is written of the type of a member, if anything is.
    pub(super) fn returned_member(
        self,
        value: &Expression<'_>,
        within: &Within<'_, '_, '_>,
    ) -> Option<String> {
        let callable = Callable::of(value).or_else(|| within.function(value));
        if let Some(callable) = callable {
            let mut each = callable.parameters().items.iter();
            let says = callable.returned().is_some() || each.any(|one| one.type_annotation.is_some());
            return says.then(|| self.callable(callable, Some(within)));
        }
        match value {
            Expression::ObjectExpression(_) => None,
            other => {
                let told = self.told(other, within).filter(|text| {
                    text != INFERRED && !text.starts_with(['{', '[']) && !text.contains(" | {")
                });
                // Of which kind a literal is; which one it is may be another one the next time.
                told.or_else(|| literal_type(other).map(str::to_owned))
            }
        }
    }

    /// The members of an object that is written in place: with what each of them is, or where that is long, by name.
    fn object(self, object: &ObjectExpression<'_>) -> String {
        let mut members = self.members_of(object, 0);
        let whole = braces(&members);
        if whole.len() <= LONGEST_WHOLE {
            return whole;
        }
        let outer = self.members_of(object, DEEPEST);
        let mut names: Vec<String> = outer.iter().map(|(name, _)| name.clone()).collect();
        names.sort();
        let shallow = braces(&outer);
        if shallow == whole && whole.len() <= LONGEST_OBJECT {
            return whole;
        }
        // In which order they are written is nothing to who uses them.
        members.sort();
        let mark = format!("{}.{}", digest(&braces(&members)), names_within(object, 0));
        if shallow.len() <= LONGEST_OBJECT {
            return format!("{shallow} {mark}");
        }
        let (Ok(names) | Err((names, _))) = read_out(["{ ", " }"], &names, LONGEST_OBJECT);
        format!("{names} {mark}")
    }

    /// Names and what they are; what is spread in has only a name.
    fn members_of(self, object: &ObjectExpression<'_>, depth: usize) -> Vec<(String, String)> {
        let member = |(property, object): (&ObjectPropertyKind<'_>, &ObjectExpression<'_>)| match property {
            ObjectPropertyKind::SpreadProperty(spread) => (self.spread(&spread.argument), String::new()),
            ObjectPropertyKind::ObjectProperty(property) => {
                let value = match &property.value {
                    Expression::ObjectExpression(inner) if depth < DEEPEST => {
                        braces(&self.members_of(inner, depth + 1))
                    }
                    Expression::ObjectExpression(_) => "{ … }".to_owned(),
                    value => self.accessed(property).unwrap_or_else(|| match self.value_type(value) {
                        text if text == INFERRED => self.made_member(value).unwrap_or(text),
                        text => text,
                    }),
                };
                (self.readable(property, object), value)
            }
        };
        let is_second = |(property, object): &Written<'_>| {
            property.as_property().is_some_and(|property| is_read_too(property, object))
        };
        let properties = self.spread_out(object, None).into_iter();
        properties.filter(|property| !is_second(property)).map(member).collect()
    }

    /// What is spread into a value. A name that stands for something at the top of the file says what it is; one of a body is
    /// nobody else's.
    fn spread(self, value: &Expression<'_>) -> String {
        let is_named = match root(value) {
            Some(name) if self.is_local_value(name) => false,
            Some(name) => {
                self.source.origins.of(name).is_some() || self.source.origins.declared(name).is_some()
            }
            None => true,
        };
        format!("...{}", if is_named { self.without_locals(self.short(value)) } else { INFERRED.to_owned() })
    }

    /// The key of a property, which nobody can write that only has a getter.
    fn readable(self, property: &ObjectProperty<'_>, object: &ObjectExpression<'_>) -> String {
        let key = self.key(&property.key, property.computed);
        let mut others = object.properties.iter().filter_map(ObjectPropertyKind::as_property);
        let is_written = property.kind != PropertyKind::Get
            || others.any(|other| {
                is_read_too(other, object) && other.key.static_name() == property.key.static_name()
            });
        if is_written { key } else { format!("readonly {key}") }
    }

    /// What is read of a property, or may be put there, behind which functions stand: `get x(): T`, `set x(value: T)`.
    fn accessed(self, property: &ObjectProperty<'_>) -> Option<String> {
        let Expression::FunctionExpression(function) = &property.value else { return None };
        let said = match property.kind {
            PropertyKind::Init => return None,
            PropertyKind::Get => function.return_type.as_deref(),
            PropertyKind::Set => function.params.items.first().and_then(|one| one.type_annotation.as_deref()),
        };
        Some(match said {
            Some(said) => self.annotation(said),
            None if property.kind == PropertyKind::Get => {
                Print { this: None, ..self }.given(Callable::Function(function), None)
            }
            None => INFERRED.to_owned(),
        })
    }

    /// A value that is its own type, as `as const` makes it: its elements are what others know it by.
    fn frozen(self, value: &Expression<'_>) -> String {
        let whole = self.constant(value);
        if whole.len() <= LONGEST_OBJECT {
            return whole;
        }
        let count = match value {
            Expression::ObjectExpression(object) => format!(".{}", names_within(object, 0)),
            _ => String::new(),
        };
        let (Ok(text) | Err((text, _))) = match value {
            Expression::ArrayExpression(list) => {
                let each = list.elements.iter().map(|one| self.element(one)).collect::<Vec<_>>();
                read_out(["[", "]"], &each, LONGEST_OBJECT)
            }
            Expression::ObjectExpression(object) => {
                let each: Vec<String> =
                    self.members_of(object, DEEPEST).into_iter().map(|(name, _)| name).collect();
                read_out(["{ ", " }"], &each, LONGEST_OBJECT)
            }
            _ => Ok(INFERRED.to_owned()),
        };
        format!("{text} {}{count}", digest(&whole))
    }

    fn constant(self, value: &Expression<'_>) -> String {
        match value.get_inner_expression() {
            Expression::ArrayExpression(list) => {
                let each = list.elements.iter().map(|one| self.element(one));
                format!("[{}]", each.collect::<Vec<_>>().join(", "))
            }
            Expression::ObjectExpression(object) => {
                let each = object.properties.iter().map(|property| match property {
                    ObjectPropertyKind::SpreadProperty(spread) => {
                        (self.spread(&spread.argument), String::new())
                    }
                    ObjectPropertyKind::ObjectProperty(property) => {
                        let value = self.accessed(property).unwrap_or_else(|| self.constant(&property.value));
                        (self.key(&property.key, property.computed), value)
                    }
                });
                braces(&each.collect::<Vec<_>>())
            }
            other => self.literal_value(other).unwrap_or_else(|| self.value_type(other)),
        }
    }

    fn element(self, element: &ArrayExpressionElement<'_>) -> String {
        match element {
            ArrayExpressionElement::SpreadElement(spread) => self.spread(&spread.argument),
            ArrayExpressionElement::Elision(_) => "undefined".to_owned(),
            other => other.as_expression().map_or_else(|| INFERRED.to_owned(), |value| self.constant(value)),
        }
    }
}

/// `set x(value)` beside `get x()`, which says what it is.
fn is_read_too(property: &ObjectProperty<'_>, object: &ObjectExpression<'_>) -> bool {
    let name = property.key.static_name();
    property.kind == PropertyKind::Set
        && name.is_some()
        && object
            .properties
            .iter()
            .filter_map(ObjectPropertyKind::as_property)
            .any(|other| other.kind == PropertyKind::Get && other.key.static_name() == name)
}

/// All of the parts where they fit; else as many as do, how many more there are, and the whole.
fn read_out<T: Borrow<str>>(
    [open, close]: [&str; 2],
    parts: &[T],
    room: usize,
) -> Result<String, (String, String)> {
    let whole = parts.join(", ");
    if parts.is_empty() {
        return Ok(format!("{}{}", open.trim_end(), close.trim_start()));
    }
    if whole.len() + open.len() + close.len() <= room {
        return Ok([open, &whole, close].concat());
    }
    let mut used = 0;
    let fits = |part: &&T| {
        used += T::borrow(part).len() + 2;
        used <= room
    };
    let shown = parts.iter().take_while(fits).count();
    let more = parts.len() - shown;
    let mut cut = parts[..shown].join(", ");
    if shown > 0 {
        cut.push_str(", ");
    }
    Err((format!("{open}{cut}…{more} more{close}"), whole))
}

/// What a promise gives; anything else as it is.
pub(super) fn settled(text: &str) -> &str {
    text.strip_prefix("Promise<").and_then(|inner| inner.strip_suffix('>')).unwrap_or(text)
}

/// How much is read of the objects that calls are given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    /// The names in them, and the calls that make what has one.
    Values,
    Names,
    /// Without objects inside.
    Outermost,
}

/// The type of what has a name.
pub(super) fn query(name: &str) -> Option<String> {
    (!matches!(name, "undefined" | "NaN" | "Infinity")).then(|| format!("typeof {name}"))
}

fn braces(members: &[(String, String)]) -> String {
    let mut text = String::from("{");
    for (index, (name, value)) in members.iter().enumerate() {
        text += if index == 0 { " " } else { "; " };
        text += name;
        if !value.is_empty() {
            text += ": ";
            text += value;
        }
    }
    text += if members.is_empty() { "}" } else { " }" };
    text
}

/// Stands for what is too long to be read out.
pub(super) fn digest(whole: &str) -> String {
    format!("#{}", &blake3::hash(whole.as_bytes()).to_hex()[..8])
}
