//! Types of keys, and the members of types that are made over keys.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use becket_base::divided;

use super::chosen::element;
use super::filled::filled;
use super::props::{Arguments, Bound, Expander, Place, Variants, bind, is_nothing, plain};
use super::scope::{Found, Scope};
use crate::brackets::{group, split};
use crate::languages::typescript::type_shape;
use crate::model::{
    Declaration, DeclarationDetail, DeclarationKind, MappedType, Member, MemberKind, TypeShape,
};

/// A type of keys.
pub(super) enum Keys {
    Only(BTreeSet<String>),
    /// Of the type that is picked from, whatever else it has.
    AllBut(BTreeSet<String>),
}

impl Keys {
    pub(super) fn have(&self, name: &str) -> bool {
        match self {
            Self::Only(keys) => keys.contains(name),
            Self::AllBut(keys) => !keys.contains(name),
        }
    }
}

impl<'l> Expander<'l> {
    /// The members of a mapped type whose keys are known; `None` for any other.
    pub(super) fn mapped<'f>(
        &mut self,
        mapped: &MappedType,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Variants>
    where
        'l: 'f,
    {
        let value = |name: &str| with_key(&mapped.value, &mapped.key, name);
        let source = match &mapped.keys {
            TypeShape::Text(text) => text.strip_prefix("keyof "),
            _ => None,
        };
        let Some(source) = source else {
            let keys = self.keys(&mapped.keys, &nothing_to_pick_from(), scope, arguments)?;
            let Keys::Only(keys) = keys else { return None };
            let optional = mapped.optional == Some(true);
            return Some(vec![
                keys.into_iter()
                    .map(|key| plain(key.clone(), filled(&value(&key), arguments).into_owned(), optional))
                    .collect(),
            ]);
        };
        // Over the keys of another type members keep what that one says of them.
        let mut other = self.beside();
        let variants = other.within(&named(source), scope, arguments);
        if !other.unresolved.is_empty() {
            return None;
        }
        // What an object has under a key is not told by saying once more which key that is.
        let of_value = arguments.get(source).is_some_and(|bound| matches!(bound.shape, TypeShape::Query(_)));
        let value = |name: &str| {
            let text = value(name);
            if of_value { text.replace(&format!("{source}['{name}']"), "…") } else { text }
        };
        let member = |member: Member| {
            let written = value(&member.name);
            let kept = written == format!("{source}['{}']", member.name);
            Member {
                optional: mapped.optional.unwrap_or(member.optional),
                text: if kept { member.text } else { filled(&written, arguments).into_owned() },
                kind: if kept { member.kind } else { MemberKind::Property },
                ..member
            }
        };
        Some(variants.into_iter().map(|variant| variant.into_iter().map(member).collect()).collect())
    }

    /// What a member of a type is, where that is a type by its name.
    pub(super) fn indexed<'f>(
        &mut self,
        of: &TypeShape,
        key: &str,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Bound<'f>>
    where
        'l: 'f,
    {
        let key = &*self.key_of(key, scope);
        self.deeper(|expander| match of {
            TypeShape::Reference { name, arguments: given } if name == "Parameters" => {
                match expander.taken(given.first()?, key, scope) {
                    Some(taken) => Some(taken),
                    // What a component takes first are its props.
                    None if key == TypeShape::FIRST => {
                        let name = "ComponentProps";
                        let mut beside = expander.beside();
                        beside.known_type(name, given, scope, arguments)?;
                        let shape = TypeShape::Reference { name: name.to_owned(), arguments: given.clone() };
                        Some(Bound::new(shape, scope, arguments))
                    }
                    None => None,
                }
            }
            TypeShape::Text(list) if key == TypeShape::EACH => {
                let each = list.strip_prefix("readonly ").unwrap_or(list).strip_suffix("[]")?;
                Some(Bound::new(type_shape(each)?, scope, arguments))
            }
            TypeShape::Text(list) => Some(Bound::new(element(list, key)?, scope, arguments)),
            TypeShape::Object(members) => {
                let is_it = |member: &&Member| expander.key_of(&member.name, scope) == key;
                let text = &members.iter().find(is_it)?.text;
                let shape = if is_name(text) {
                    TypeShape::Reference { name: text.clone(), arguments: Vec::new() }
                } else {
                    type_shape(text)?
                };
                Some(Bound::new(shape, scope, arguments))
            }
            TypeShape::Intersection(parts) => {
                parts.iter().rev().find_map(|part| expander.indexed(part, key, scope, arguments))
            }
            // `Slots | undefined`
            TypeShape::Union(parts) => {
                let is_nothing =
                    |part: &&TypeShape| matches!(part, TypeShape::Text(text) if is_nothing(text));
                let mut rest = parts.iter().filter(|part| !is_nothing(part));
                match (rest.next(), rest.next()) {
                    (Some(only), None) => expander.indexed(only, key, scope, arguments),
                    _ => None,
                }
            }
            // `(typeof Menu)['Item']`
            TypeShape::Query(object) => {
                let name = format!("{object}.{key}");
                let found = expander.resolver.component_name(scope, &name);
                let is_known = matches!(found, Found::Declared(..));
                is_known.then(|| Bound::new(TypeShape::Query(name), scope, arguments))
            }
            TypeShape::Indexed { of, key: outer } => {
                let found = expander.indexed(of, outer, scope, arguments)?;
                expander.indexed(&found.shape, key, found.scope, &found.arguments)
            }
            TypeShape::Reference { name, arguments: given } => {
                if let Some(bound) = arguments.get(name) {
                    return expander.indexed(&bound.shape, key, bound.scope, &bound.arguments);
                }
                match expander.resolver.type_name(scope, name) {
                    Found::Declared(file, declaration) => {
                        let at = Place { scope, arguments: Rc::clone(arguments) };
                        let given = |index: usize| given.get(index);
                        if let DeclarationDetail::Shape { parameters, shape } = &declaration.detail {
                            return expander.indexed(shape, key, file, &bind(parameters, given, &at, file));
                        }
                        let (parameters, shape) = expander.instance_of(declaration, file)?;
                        expander.indexed(&shape, key, file, &bind(&parameters, given, &at, file))
                    }
                    _ if key == TypeShape::EACH && matches!(name.as_str(), "Array" | "ReadonlyArray") => {
                        Some(Bound::new(given.first()?.clone(), scope, arguments))
                    }
                    _ if matches!(name.as_str(), "ReturnType" | "Awaited") => {
                        let found = expander.result(name, given, scope, arguments)?;
                        expander.indexed(&found.shape, key, found.scope, &found.arguments)
                    }
                    _ if matches!(name.as_str(), "Extract" | "Exclude") => {
                        let kept = expander.chosen(name, given, scope, arguments)?;
                        let [only] = kept.as_slice() else { return None };
                        expander.indexed(&only.shape, key, only.scope, &only.arguments)
                    }
                    _ if matches!(name.as_str(), "Readonly" | "Partial" | "Required" | "NonNullable") => {
                        expander.indexed(given.first()?, key, scope, arguments)
                    }
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// The name that a member has whose key is one of an enum or a constant, `[Kind.Card]`; any other as it is.
    pub(super) fn key_of<'n>(&self, name: &'n str, scope: Scope<'_>) -> Cow<'n, str> {
        let key = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).filter(|key| is_name(key));
        let key = key.filter(|key| !matches!(*key, "number" | "string" | "symbol"));
        key.and_then(|key| self.key_named(key, scope)).map_or(Cow::Borrowed(name), Cow::Owned)
    }

    /// What a member of an enum, or a constant, is as a key.
    fn key_named(&self, name: &str, scope: Scope<'_>) -> Option<String> {
        if let Some((of, member)) = divided::around_last(name, b'.') {
            let Found::Declared(_, one) = self.resolver.name(scope, of) else { return None };
            return values_of(one)?.remove(member);
        }
        match self.resolver.name(scope, name) {
            Found::Declared(_, one) if one.kind == DeclarationKind::Constant => {
                let (_, value) = one.signatures.first()?.split_once(" = ")?;
                key_written(value)
            }
            _ => None,
        }
    }

    /// The keys that a type stands for, when they are picked from `of`.
    pub(super) fn keys<'f>(
        &mut self,
        shape: &TypeShape,
        of: &TypeShape,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Keys>
    where
        'l: 'f,
    {
        // Aliases may stand for each other in a circle.
        self.depth += 1;
        let keys = if self.goes_on() { self.keys_of(shape, of, scope, arguments) } else { None };
        self.depth -= 1;
        keys
    }

    fn keys_of<'f>(
        &mut self,
        shape: &TypeShape,
        of: &TypeShape,
        scope: Scope<'f>,
        arguments: &Arguments<'f>,
    ) -> Option<Keys>
    where
        'l: 'f,
    {
        match shape {
            TypeShape::Literal(key) => Some(Keys::Only(BTreeSet::from([key.clone()]))),
            TypeShape::Union(parts) => {
                let mut all = BTreeSet::new();
                for part in parts {
                    match self.keys(part, of, scope, arguments)? {
                        Keys::Only(keys) => all.extend(keys),
                        Keys::AllBut(_) => return None,
                    }
                }
                Some(Keys::Only(all))
            }
            TypeShape::Reference { name, arguments: given } => {
                if let Some(bound) = arguments.get(name) {
                    return self.keys(&bound.shape, of, bound.scope, &bound.arguments);
                }
                match (self.resolver.type_name(scope, name), given.as_slice()) {
                    (Found::Declared(file, declaration), _) => match &declaration.detail {
                        DeclarationDetail::Shape { shape, .. } => {
                            self.keys(shape, of, file, &Arguments::default())
                        }
                        _ => values_of(declaration).map(|all| Keys::Only(all.into_values().collect())),
                    },
                    (Found::Unknown | Found::Outside(_), []) if name.contains('.') => {
                        let key = self.key_named(name, scope)?;
                        Some(Keys::Only(BTreeSet::from([key])))
                    }
                    (Found::Unknown, [from, other]) if name == "Exclude" => {
                        let Keys::Only(less) = self.keys(other, of, scope, arguments)? else { return None };
                        Some(match self.keys(from, of, scope, arguments)? {
                            Keys::Only(keys) => Keys::Only(keys.difference(&less).cloned().collect()),
                            Keys::AllBut(keys) => Keys::AllBut(keys.union(&less).cloned().collect()),
                        })
                    }
                    (Found::Unknown, [from, other]) if name == "Extract" => {
                        let Keys::Only(keys) = self.keys(from, of, scope, arguments)? else { return None };
                        let other = self.keys(other, of, scope, arguments)?;
                        Some(Keys::Only(keys.into_iter().filter(|key| other.have(key)).collect()))
                    }
                    _ => None,
                }
            }
            // `Keys & string`
            TypeShape::Intersection(parts) => {
                let is_any = |part: &&TypeShape| matches!(part, TypeShape::Text(text) if text == "string");
                let mut rest = parts.iter().filter(|part| !is_any(part));
                match (rest.next(), rest.next()) {
                    (Some(only), None) => self.keys(only, of, scope, arguments),
                    _ => None,
                }
            }
            TypeShape::Text(text) if text == "never" => Some(Keys::Only(BTreeSet::new())),
            // `(typeof sizes)[number]`
            TypeShape::Indexed { of: list, key } if key == TypeShape::EACH => {
                let TypeShape::Query(list) = &**list else { return None };
                let Found::Declared(_, one) = self.resolver.name(scope, list) else { return None };
                Some(Keys::Only(elements_of(one)?))
            }
            // `keyof Other`: the keys of what can be expanded.
            TypeShape::Text(text) => {
                let name = text.strip_prefix("keyof ")?;
                if of.text() == name {
                    return Some(Keys::AllBut(BTreeSet::new()));
                }
                let mut other = self.beside();
                let variants = other.within(&named(name), scope, arguments);
                if !other.unresolved.is_empty() {
                    return None;
                }
                Some(Keys::Only(variants.into_iter().flatten().map(|member| member.name).collect()))
            }
            _ => None,
        }
    }
}

/// The members of an enum with what they are as keys, as far as they are written; `None` for what is no enum.
fn values_of(declared: &Declaration) -> Option<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for signature in declared.signatures.iter().filter(|_| declared.kind == DeclarationKind::Enum) {
        let (start, end) = group(signature, '{', '}')?;
        let mut next: Option<i64> = Some(0);
        for member in split(&signature[start + 1..end], &[',']) {
            let (name, value) = match member.split_once(" = ") {
                Some((name, value)) => (name, key_written(value)),
                None => (member.as_str(), next.map(|next| next.to_string())),
            };
            next = value.as_ref().and_then(|value| value.parse::<i64>().ok()?.checked_add(1));
            found.extend(value.map(|value| (name.to_owned(), value)));
        }
    }
    (declared.kind == DeclarationKind::Enum).then_some(found)
}

/// The elements of a constant list, `['a', 'b'] as const`, as keys.
fn elements_of(declared: &Declaration) -> Option<BTreeSet<String>> {
    let [signature] = declared.signatures.as_slice() else { return None };
    let (_, list) = signature.strip_suffix("] as const")?.split_once('[')?;
    split(list, &[',']).iter().map(|element| key_written(element)).collect()
}

/// A literal as a key.
fn key_written(value: &str) -> Option<String> {
    let text = value.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    text.map(str::to_owned).or_else(|| value.parse::<i64>().ok().map(|number| number.to_string()))
}

/// A type by its name, that of a value, `typeof sizes`, or what is written in the place of one: `Map['props']`.
fn named(name: &str) -> TypeShape {
    let reference = || TypeShape::Reference { name: name.to_owned(), arguments: Vec::new() };
    match name.strip_prefix("typeof ") {
        Some(value) if is_name(value) => TypeShape::Query(value.to_owned()),
        None if is_name(name) => reference(),
        _ => type_shape(name).unwrap_or_else(reference),
    }
}

fn is_name(text: &str) -> bool {
    text.chars().all(|one| one.is_alphanumeric() || matches!(one, '_' | '$' | '.'))
}

/// `Array<Model[K]>` is `Array<Model['id']>` for the key `id`.
fn with_key(value: &str, key: &str, name: &str) -> String {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find(key) {
        let (before, found) = rest.split_at(at);
        let after = &found[key.len()..];
        text.push_str(before);
        if before.ends_with(is_part) || after.starts_with(is_part) {
            text.push_str(key);
        } else {
            text.push('\'');
            text.push_str(name);
            text.push('\'');
        }
        rest = after;
    }
    text + rest
}

pub(super) fn nothing_to_pick_from() -> TypeShape {
    TypeShape::Object(Vec::new())
}
