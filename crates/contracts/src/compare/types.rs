//! Printed types taken apart as far as it needs to tell whether one can stand for another.

use super::generics;
use super::literals::is_primitive;
use super::signature::{group, inside, split};
use super::spelled;
use super::told::INFERRED;

/// Ends the signature of a value that is its own type.
pub(super) const AS_CONST: &str = " as const";
/// The type of a parameter that has none.
pub(super) const UNWRITTEN: &str = "";
/// What a function gives that is `async`, or gives one result after the other, where nothing more is written of that.
pub(super) const ASYNC: &str = "async";
pub(super) const GENERATOR: &str = "*";
/// Deeper types are only compared as text.
const DEEPEST: usize = 24;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Type {
    /// In one order, each once.
    Union(Vec<Type>),
    /// In one order.
    Intersection(Vec<Type>),
    Function {
        /// With what each extends, and is by default. What makes an object has `new` after them.
        generics: Vec<Generic>,
        parameters: Vec<Parameter>,
        result: Box<Type>,
    },
    Object(Vec<Member>),
    Array {
        of: Box<Type>,
        readonly: bool,
    },
    /// Without the names of its elements; one that may be left out is `?`, what goes on `...`, of its type.
    Tuple(Vec<Type>),
    Named {
        name: String,
        arguments: Vec<Type>,
    },
    /// `value is string`
    Predicate(Box<Type>),
    /// A keyword, a literal, or anything else.
    Text(String),
}

pub(super) type Generic = (String, Option<Type>, Option<Type>);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) optional: bool,
    pub(super) rest: bool,
    /// With `undefined` where it is optional; so is that of a member.
    pub(super) ty: Type,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) optional: bool,
    pub(super) readonly: bool,
    pub(super) ty: Type,
}

pub(super) fn parse(text: &str) -> Type {
    at_depth(&generics::without_names(text), 0)
}

pub(super) fn at_depth(text: &str, depth: usize) -> Type {
    let text = text.trim();
    if depth > DEEPEST {
        return Type::Text(text.to_owned());
    }
    // What it looks for is nothing to its type.
    if text.len() > 2 && text.starts_with('/') && text[1..].contains('/') {
        return Type::Text("RegExp".to_owned());
    }
    // What is told of a value ends where the text does.
    let told = text.strip_prefix(INFERRED).and_then(|told| told.strip_prefix(' '));
    if told.is_some_and(|told| !told.starts_with(['|', '&'])) {
        return Type::Text(text.to_owned());
    }
    let inner = |part: &str| at_depth(part, depth + 1);
    if let Some(function) = function(text, depth) {
        return function;
    }
    if let Some(value) = text.strip_suffix(AS_CONST) {
        return frozen(inner(value));
    }
    if let Some((_, of)) = text.split_once(" is ").filter(|(name, _)| is_name(name)) {
        return Type::Predicate(Box::new(inner(of)));
    }
    // What it is asserted of is a parameter, whatever that is called.
    if text.strip_prefix("asserts ").is_some_and(is_name) {
        return Type::Text("asserts".to_owned());
    }
    if text.contains(" extends ") {
        if let Some(conditional) = conditional(&mut split(text, &['?', ':']).into_iter(), depth) {
            return conditional;
        }
    }
    let parts = split(text, &['|']);
    if parts.len() > 1 && !text.starts_with("asserts ") {
        return union(parts.iter().map(|part| inner(part)));
    }
    let parts = split(text, &['&']);
    if parts.len() > 1 && !text.starts_with("asserts ") {
        return intersection(parts.iter().map(|part| inner(part)));
    }
    if let Some(within) = inside(text, '(', ')') {
        return inner(within);
    }
    let taken = || spelled::keys(text, depth).or_else(|| spelled::indexed(text, depth));
    if let Some(plain) = spelled::template(text, depth).or_else(taken) {
        return plain;
    }
    if let Some(within) = inside(text, '{', '}') {
        if let Some(mapped) = spelled::mapped(within, depth) {
            return mapped;
        }
        let members: Option<Vec<Member>> =
            split(within, &[';', ',']).iter().map(|one| member(one, depth)).collect();
        return match members {
            // `{ (a: A): B }`
            Some(mut members) if members.len() == 1 && members[0].name.is_empty() => members.remove(0).ty,
            Some(members) => Type::Object(members),
            None => Type::Text(text.to_owned()),
        };
    }
    if let Some(of) = text.strip_prefix("readonly ").and_then(|rest| rest.strip_suffix("[]")) {
        return Type::Array { of: Box::new(inner(of)), readonly: true };
    }
    if let Some(of) =
        text.strip_suffix("[]").filter(|of| !of.contains(' ') || of.ends_with([')', '}', '>', ']']))
    {
        return Type::Array { of: Box::new(inner(of)), readonly: false };
    }
    if let Some(list) = text.strip_prefix("readonly ").filter(|list| list.starts_with('[')) {
        let list = inner(list);
        return if matches!(list, Type::Tuple(_)) { readonly(list) } else { Type::Text(text.to_owned()) };
    }
    if let Some(parts) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return tuple(split(parts, &[',']).iter().map(|part| element(part, depth)).collect());
    }
    named(text, depth).unwrap_or_else(|| Type::Text(text.to_owned()))
}

/// `[...A[]]` is `A[]`.
fn tuple(mut parts: Vec<Type>) -> Type {
    match parts.as_mut_slice() {
        [Type::Named { name, arguments }]
            if name == "..." && matches!(arguments.as_slice(), [Type::Array { .. }]) =>
        {
            arguments.remove(0)
        }
        _ => Type::Tuple(parts),
    }
}

/// Objects that have nothing in common are one.
fn intersection(parts: impl Iterator<Item = Type>) -> Type {
    let mut all: Vec<Type> = Vec::new();
    for part in parts {
        let is_plain = |one: &Member| is_name(&one.name) || one.name.starts_with('\'');
        let joined = match &part {
            Type::Object(more) if more.iter().all(is_plain) => all.iter_mut().find_map(|one| match one {
                Type::Object(known) => known
                    .iter()
                    .all(|one| is_plain(one) && more.iter().all(|other| other.name != one.name))
                    .then_some(known),
                _ => None,
            }),
            _ => None,
        };
        match (joined, part) {
            (Some(known), Type::Object(more)) => known.extend(more),
            (_, part) => all.push(part),
        }
    }
    all.sort();
    match all.pop() {
        Some(only) if all.is_empty() => only,
        last => {
            all.extend(last);
            Type::Intersection(all)
        }
    }
}

/// A list of which no element can be replaced.
fn readonly(list: Type) -> Type {
    Type::Named { name: "readonly".to_owned(), arguments: vec![list] }
}

/// The type of a value of which nothing can be replaced.
pub(super) fn frozen(ty: Type) -> Type {
    match ty {
        Type::Object(members) => {
            let each = members.into_iter();
            Type::Object(each.map(|one| Member { readonly: true, ty: frozen(one.ty), ..one }).collect())
        }
        Type::Tuple(parts) => readonly(Type::Tuple(parts.into_iter().map(frozen).collect())),
        ty => ty,
    }
}

pub(super) fn union(parts: impl Iterator<Item = Type>) -> Type {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Type::Union(more) => all.extend(more),
            one => all.push(one),
        }
    }
    // Which takes in all others.
    if let Some(at) = all.iter().position(|one| matches!(one, Type::Text(text) if text == "any")) {
        return all.swap_remove(at);
    }
    all.sort();
    all.dedup();
    match all.pop() {
        Some(only) if all.is_empty() => only,
        last => {
            all.extend(last);
            Type::Union(all)
        }
    }
}

/// The type of something that may be left out.
pub(super) fn or_undefined(ty: Type, optional: bool) -> Type {
    match &ty {
        Type::Text(text) if matches!(text.as_str(), UNWRITTEN | "any" | "unknown" | "undefined") => ty,
        _ if optional => union([ty, Type::Text("undefined".to_owned())].into_iter()),
        _ => ty,
    }
}

/// What an element of a tuple is called is nothing to who uses it.
fn element(text: &str, depth: usize) -> Type {
    let (rest, text) = text.strip_prefix("...").map_or((false, text), |text| (true, text));
    let (name, of) = match text.split_once(": ") {
        Some((name, of)) if is_name(name.trim_end_matches('?')) => (name, of),
        _ => ("", text),
    };
    let ty = at_depth(of.trim_end_matches('?'), depth + 1);
    match (rest, name.ends_with('?') || of.ends_with('?')) {
        (false, false) => ty,
        (rest, _) => Type::Named { name: if rest { "..." } else { "?" }.to_owned(), arguments: vec![ty] },
    }
}

/// `A extends B ? C : D`, from what stands between the marks: as a name with these four. What is asked is told by its
/// `extends`, so the marks themselves need not be known.
fn conditional(parts: &mut std::vec::IntoIter<String>, depth: usize) -> Option<Type> {
    let inner = |part: &str| at_depth(part, depth + 1);
    let asked = parts.as_slice().first().filter(|_| parts.len() > 2 && depth < DEEPEST)?;
    let (one, other) = asked.split_once(" extends ")?;
    let mut arguments = vec![inner(one), inner(other)];
    parts.next();
    for _ in 0..2 {
        arguments.push(match conditional(parts, depth + 1) {
            Some(conditional) => conditional,
            None => inner(&parts.next()?),
        });
    }
    Some(Type::Named { name: "extends".to_owned(), arguments })
}

fn named(text: &str, depth: usize) -> Option<Type> {
    let (name, arguments) = match text.find('<') {
        Some(at) => (&text[..at], text[at + 1..].strip_suffix('>')?),
        None => (text, ""),
    };
    if !is_name(name) {
        return None;
    }
    let arguments: Vec<Type> =
        split(arguments, &[',']).iter().map(|argument| at_depth(argument, depth + 1)).collect();
    Some(match (name, arguments.as_slice()) {
        ("Array", [of]) => Type::Array { of: Box::new(of.clone()), readonly: false },
        ("ReadonlyArray", [of]) => Type::Array { of: Box::new(of.clone()), readonly: true },
        ("boolean", []) => Type::Union(vec![Type::Text("true".to_owned()), Type::Text("false".to_owned())]),
        ("Partial", [Type::Object(members)]) => {
            let optional = |one: &Member| or_undefined(one.ty.clone(), true);
            let all = members.iter().map(|one| Member { optional: true, ty: optional(one), ..one.clone() });
            Type::Object(all.collect())
        }
        ("Required", [Type::Object(members)]) => {
            let sure = |one: &Member| if one.optional { without_nothing(&one.ty) } else { one.ty.clone() };
            let all = members.iter().map(|one| Member { optional: false, ty: sure(one), ..one.clone() });
            Type::Object(all.collect())
        }
        ("NonNullable", [of]) if is_plain(of) => without_nothing(of),
        ("Awaited", [Type::Named { name, arguments }])
            if name == "Promise" && arguments.iter().all(is_plain) =>
        {
            arguments.first()?.clone()
        }
        ("Exclude", [of, Type::Text(nothing)]) if nothing == "undefined" && is_plain(of) => {
            without_undefined(of)
        }
        ("Exclude" | "Extract", [of, keys]) if is_literal(of) && is_literal(keys) => {
            let is_meant = |one: &Type| is_part(one, keys) == (name == "Extract");
            union(parts_of(of).iter().filter(|one| is_meant(one)).cloned())
        }
        ("Readonly", [Type::Object(members)]) => {
            Type::Object(members.iter().map(|one| Member { readonly: true, ..one.clone() }).collect())
        }
        ("Record", [keys, of]) if is_literal(keys) || is_open_key(keys) => Type::Object(record(keys, of)),
        ("Pick" | "Omit", [Type::Object(members), keys]) => {
            let is_meant =
                |one: &Member| is_part(&Type::Text(format!("'{}'", one.name)), keys) == (name == "Pick");
            let known = members.iter().all(|one| is_name(&one.name)) && is_literal(keys);
            if !known {
                return Some(Type::Named { name: name.to_owned(), arguments });
            }
            Type::Object(members.iter().filter(|one| is_meant(one)).cloned().collect())
        }
        (_, []) if text.contains('<') => return None,
        (_, []) => Type::Text(name.to_owned()),
        _ => Type::Named { name: name.to_owned(), arguments },
    })
}

/// Whether anything of a kind is a key.
pub(super) fn is_open_key(keys: &Type) -> bool {
    matches!(keys, Type::Text(text) if matches!(text.as_str(), "string" | "number" | "symbol"))
}

/// What stands under each of these keys.
pub(super) fn record(keys: &Type, of: &Type) -> Vec<Member> {
    let name = |key: &Type| match key {
        Type::Text(text) if is_open_key(key) => format!("[{text}]"),
        Type::Text(text) => text.trim_matches('\'').to_owned(),
        _ => String::new(),
    };
    let each = parts_of(keys).iter().map(name);
    each.map(|name| Member { name, optional: false, readonly: false, ty: of.clone() }).collect()
}

/// `<T>(a: A, b?: B) => C`
fn function(text: &str, depth: usize) -> Option<Type> {
    let (marks, rest) = marks(text);
    let (made, rest) = match rest.split_once("new ") {
        Some((made @ ("" | "abstract "), rest)) => (Some(made), rest),
        _ => (None, rest),
    };
    if !rest.starts_with(['(', '<']) {
        return None;
    }
    let (start, end) = group(rest, '(', ')')?;
    let list = rest[..start].trim();
    if !(list.is_empty() || list.starts_with('<') && list.ends_with('>')) {
        return None;
    }
    let result = rest[end + 1..].trim_start().strip_prefix("=>")?;
    let (list, [taken, result]) = generics::unnamed(list, [&rest[start + 1..end], result]);
    let mut generics = generics_of(&list, depth);
    generics.extend(made.map(|made| (format!("{made}new"), None, None)));
    Some(Type::Function {
        generics,
        parameters: parameters(&taken, depth),
        result: Box::new(given(&marks, &result, depth)),
    })
}

/// What is said before a function of how it gives its result, and the rest.
fn marks(text: &str) -> (Vec<&'static str>, &str) {
    let (is_async, text) = text.strip_prefix("async ").map_or((None, text), |rest| (Some(ASYNC), rest));
    let (generator, text) = text.strip_prefix('*').map_or((None, text), |rest| (Some(GENERATOR), rest));
    (generator.into_iter().chain(is_async).collect(), text)
}

/// What a function gives that is marked so. One whose type is written down gives that.
fn given(marks: &[&str], result: &str, depth: usize) -> Type {
    let ty = at_depth(result, depth + 1);
    let is_told = !result.trim().is_empty() && !result.trim().starts_with(INFERRED);
    let marks = marks.iter().filter(|_| !is_told);
    marks.fold(ty, |ty, mark| Type::Named { name: (*mark).to_owned(), arguments: vec![ty] })
}

/// `<T extends A = B>`
fn generics_of(list: &str, depth: usize) -> Vec<Generic> {
    let list = list.strip_prefix('<').and_then(|list| list.strip_suffix('>')).unwrap_or_default();
    let ty = |text: Option<String>| text.map(|text| at_depth(&text, depth + 1));
    let each = generics::parameters(list).into_iter();
    let name = |one: &generics::Parameter| {
        if one.is_pinned() { format!("const {}", one.name) } else { one.name.clone() }
    };
    each.map(|one| (name(&one), ty(one.constraint), ty(one.default))).collect()
}

pub(super) fn parameters(text: &str, depth: usize) -> Vec<Parameter> {
    split(text, &[',']).iter().flat_map(|one| each_of(parameter(one, depth))).collect()
}

/// `...all: [string, number?]` is two parameters.
fn each_of(one: Parameter) -> Vec<Parameter> {
    let Type::Tuple(parts) = &one.ty else { return vec![one] };
    if !one.rest {
        return vec![one];
    }
    let each = parts.iter().map(|part| match part {
        Type::Named { name, arguments: of } if name == "?" && of.len() == 1 => {
            let ty = or_undefined(of[0].clone(), true);
            Parameter { optional: true, rest: false, ty, ..one.clone() }
        }
        Type::Named { name, arguments: of } if name == "..." && of.len() == 1 => {
            Parameter { ty: of[0].clone(), ..one.clone() }
        }
        part => Parameter { rest: false, ty: part.clone(), ..one.clone() },
    });
    each.collect()
}

fn parameter(text: &str, depth: usize) -> Parameter {
    let rest = text.starts_with("...");
    let text = text.trim_start_matches("...");
    let pieces = split(text, &[':']);
    let (name, ty) = match pieces.split_first() {
        Some((name, more)) if !more.is_empty() => (name.as_str(), more.join(": ")),
        _ => (text, String::new()),
    };
    // A default says of what type it is, if anything does.
    let (name, defaulted) = match name.split_once(" = ") {
        Some((name, _)) => (name, true),
        None => (name, false),
    };
    let (ty, by_type) = match ty.rsplit_once(" = ").filter(|(_, value)| !value.starts_with('>')) {
        Some((ty, _)) => (ty.to_owned(), true),
        None => (ty, false),
    };
    let unmarked = name.trim_end().trim_end_matches('?');
    let optional = unmarked.len() < name.trim_end().len() || defaulted || by_type;
    // Deeper, it was done for the whole.
    let ty = if depth == 0 { generics::without_names(&ty) } else { ty.as_str().into() };
    let ty = or_undefined(at_depth(&ty, depth + 1), optional);
    Parameter { name: unmarked.to_owned(), optional, rest, ty }
}

pub(super) fn member(text: &str, depth: usize) -> Option<Member> {
    // What is spread in, or is told by its name alone.
    let is_bare = is_key(text)
        && (!text.starts_with('[') || text.ends_with(']') && !text.contains("]:") && !text.contains("?:"));
    if text.starts_with("...") || is_bare {
        let ty = Type::Text(UNWRITTEN.to_owned());
        return Some(Member { name: text.to_owned(), optional: false, readonly: false, ty });
    }
    let (readonly, text) = match text.strip_prefix("readonly ") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    // `run(a: A): B` is a function, and what stands in a key is not.
    let key = group(text, '[', ']').filter(|(start, _)| *start == 0);
    let is_behind = |(start, _): &(usize, usize)| key.is_none_or(|(_, end)| end < *start);
    if let Some((start, end)) = group(text, '(', ')').filter(is_behind) {
        let head = &text[..start];
        let (marks, head) = marks(head);
        let (name, generics) = head.find('<').map_or((head, ""), |at| head.split_at(at));
        let unmarked = name.trim_end().trim_end_matches('?');
        // What is called itself has no name.
        if is_key(unmarked) || unmarked.is_empty() {
            let result = text[end + 1..].trim_start().strip_prefix(':').unwrap_or(UNWRITTEN);
            let (list, [taken, result]) = generics::unnamed(generics, [&text[start + 1..end], result]);
            let ty = Type::Function {
                generics: generics_of(&list, depth),
                parameters: parameters(&taken, depth),
                result: Box::new(given(&marks, &result, depth)),
            };
            let optional = name.ends_with('?');
            let ty = or_undefined(ty, optional);
            return Some(Member { name: unmarked.to_owned(), optional, readonly, ty });
        }
    }
    let (name, ty) = if text.starts_with('[') {
        let ends = ["]:", "]?:", "]-?:"].iter().filter_map(|end| text.find(end));
        let (name, rest) = text.split_at(ends.min()?);
        let (mark, ty) = rest.split_once(':')?;
        // What a key is called is nothing to who uses it.
        let name = match name[1..].split_once(": ") {
            Some((key, of)) if is_name(key) => format!("[{of}"),
            _ => name.to_owned(),
        };
        (format!("{name}{}", mark.replace("-?", "-")), ty)
    } else {
        text.split_once(':').map(|(name, ty)| (name.to_owned(), ty))?
    };
    let unmarked = name.trim_end_matches('?');
    let optional = unmarked.len() < name.len();
    let ty = or_undefined(at_depth(ty, depth + 1), optional);
    Some(Member { name: unmarked.to_owned(), optional, readonly, ty })
}

pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '$'))
        && text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.'))
}

fn is_key(text: &str) -> bool {
    is_name(text) || (text.starts_with('\'') && text.ends_with('\'')) || text.starts_with('[')
}

/// Whether a type is a choice of keys that are written down.
pub(super) fn is_literal(ty: &Type) -> bool {
    match ty {
        Type::Union(parts) => parts.iter().all(is_literal),
        Type::Text(text) => text.starts_with('\''),
        _ => false,
    }
}

/// Whether every key of one choice is in another.
pub(super) fn is_part(one: &Type, other: &Type) -> bool {
    let all = parts_of(other);
    parts_of(one).iter().all(|key| all.contains(key))
}

pub(super) fn parts_of(ty: &Type) -> &[Type] {
    match ty {
        Type::Union(parts) => parts,
        one => std::slice::from_ref(one),
    }
}

/// Whether a type says all that it is itself, and is not the name of something.
pub(super) fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Union(parts) => parts.iter().all(is_plain),
        Type::Text(text) => is_primitive(text) || matches!(text.as_str(), "null" | "undefined" | "object"),
        Type::Object(_) | Type::Array { .. } | Type::Tuple(_) | Type::Function { .. } => true,
        _ => false,
    }
}

/// A type without `undefined`.
pub(super) fn without_undefined(ty: &Type) -> Type {
    let is_some = |one: &&Type| !matches!(one, Type::Text(text) if text == "undefined");
    union(parts_of(ty).iter().filter(is_some).cloned())
}

/// A type without `null` and `undefined`.
fn without_nothing(ty: &Type) -> Type {
    let is_some = |one: &&Type| !matches!(one, Type::Text(text) if text == "null" || text == "undefined");
    union(parts_of(ty).iter().filter(is_some).cloned())
}
