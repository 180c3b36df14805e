//! Printed types taken apart as far as it needs to tell whether one can stand for another. Not a compiler: where it is
//! not sure, one type cannot.

use super::signature::{group, split};
use super::told::{INFERRED, gives};

/// Deeper types are only compared as text.
const DEEPEST: usize = 24;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Type {
    Union(Vec<Type>),
    Intersection(Vec<Type>),
    Function {
        generics: String,
        parameters: Vec<Parameter>,
        result: Box<Type>,
    },
    Object(Vec<Member>),
    Array {
        of: Box<Type>,
        readonly: bool,
    },
    Tuple(Vec<Type>),
    Named {
        name: String,
        arguments: Vec<Type>,
    },
    /// `value is string`
    Predicate(String),
    /// A keyword, a literal, or anything else.
    Text(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) optional: bool,
    pub(super) rest: bool,
    pub(super) ty: Type,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) optional: bool,
    pub(super) readonly: bool,
    pub(super) ty: Type,
}

/// Who hands a value over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// Whoever uses the declaration, perhaps as an object written in place: it may hold nothing that is not known.
    User,
    /// The declaration itself.
    Declaration,
}

pub(super) fn parse(text: &str) -> Type {
    at_depth(text, 0)
}

fn at_depth(text: &str, depth: usize) -> Type {
    let text = text.trim();
    if depth > DEEPEST {
        return Type::Text(text.to_owned());
    }
    let inner = |part: &str| at_depth(part, depth + 1);
    if let Some(function) = function(text, depth) {
        return function;
    }
    let parts = split(text, &['|']);
    if parts.len() > 1 && !is_conditional(text) {
        return Type::Union(parts.iter().map(|part| inner(part)).collect());
    }
    let parts = split(text, &['&']);
    if parts.len() > 1 && !is_conditional(text) {
        return Type::Intersection(parts.iter().map(|part| inner(part)).collect());
    }
    if let Some((start, end)) = group(text, '(', ')') {
        if start == 0 && end + 1 == text.len() {
            return inner(&text[1..end]);
        }
    }
    if let Some((start, end)) = group(text, '{', '}') {
        if start == 0 && end + 1 == text.len() && !text.contains(" in keyof ") {
            let members: Option<Vec<Member>> =
                split(&text[1..end], &[';', ',']).iter().map(|one| member(one, depth)).collect();
            return members.map_or_else(|| Type::Text(text.to_owned()), Type::Object);
        }
    }
    if let Some(of) = text.strip_prefix("readonly ").and_then(|rest| rest.strip_suffix("[]")) {
        return Type::Array { of: Box::new(inner(of)), readonly: true };
    }
    if let Some(of) = text.strip_suffix("[]").filter(|of| !of.contains(' ') || of.ends_with([')', '}', '>']))
    {
        return Type::Array { of: Box::new(inner(of)), readonly: false };
    }
    if let Some(parts) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return Type::Tuple(split(parts, &[',']).iter().map(|part| inner(part)).collect());
    }
    if let Some((_, of)) = text.split_once(" is ").filter(|(name, _)| is_name(name)) {
        return Type::Predicate(of.to_owned());
    }
    named(text, depth).unwrap_or_else(|| Type::Text(text.to_owned()))
}

/// A conditional type, or one with an operator: only its text says what it is.
fn is_conditional(text: &str) -> bool {
    split(text, &['?']).len() > 1
        || ["keyof ", "infer ", "typeof ", "asserts "].iter().any(|operator| text.starts_with(operator))
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
        (_, []) if text.contains('<') => return None,
        (_, []) => Type::Text(name.to_owned()),
        _ => Type::Named { name: name.to_owned(), arguments },
    })
}

/// `<T>(a: A, b?: B) => C`
fn function(text: &str, depth: usize) -> Option<Type> {
    let rest = text.strip_prefix("async ").unwrap_or(text);
    if !rest.starts_with(['(', '<']) {
        return None;
    }
    let (start, end) = group(rest, '(', ')')?;
    let generics = rest[..start].trim();
    if !(generics.is_empty() || generics.starts_with('<') && generics.ends_with('>')) {
        return None;
    }
    let result = rest[end + 1..].trim_start().strip_prefix("=>")?;
    Some(Type::Function {
        generics: generics.to_owned(),
        parameters: parameters(&rest[start + 1..end], depth),
        result: Box::new(at_depth(result, depth + 1)),
    })
}

pub(super) fn parameters(text: &str, depth: usize) -> Vec<Parameter> {
    split(text, &[',']).iter().map(|one| parameter(one, depth)).collect()
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
    Parameter {
        name: unmarked.to_owned(),
        optional: unmarked.len() < name.trim_end().len() || defaulted || by_type,
        rest,
        ty: at_depth(&ty, depth + 1),
    }
}

pub(super) fn member(text: &str, depth: usize) -> Option<Member> {
    // What is spread in, or is told by its name alone.
    let is_bare = is_key(text) && (!text.starts_with('[') || text.ends_with(']'));
    if text.starts_with("...") || is_bare {
        let ty = Type::Text("any".to_owned());
        return Some(Member { name: text.to_owned(), optional: false, readonly: false, ty });
    }
    let (readonly, text) = match text.strip_prefix("readonly ") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    // `run(a: A): B` is a function.
    if let Some((start, end)) = group(text, '(', ')') {
        let head = &text[..start];
        let (name, generics) = head.find('<').map_or((head, ""), |at| head.split_at(at));
        let unmarked = name.trim_end_matches('?');
        if is_key(unmarked) {
            let result = text[end + 1..].trim_start().strip_prefix(':').unwrap_or("any");
            let ty = Type::Function {
                generics: generics.to_owned(),
                parameters: parameters(&text[start + 1..end], depth),
                result: Box::new(at_depth(result, depth + 1)),
            };
            return Some(Member {
                name: unmarked.to_owned(),
                optional: unmarked.len() < name.len(),
                readonly,
                ty,
            });
        }
    }
    let (name, ty) = if text.starts_with('[') {
        text.split_once("]:").map(|(name, ty)| (format!("{name}]"), ty))?
    } else {
        text.split_once(':').map(|(name, ty)| (name.to_owned(), ty))?
    };
    let unmarked = name.trim_end_matches('?');
    Some(Member {
        name: unmarked.to_owned(),
        optional: unmarked.len() < name.len(),
        readonly,
        ty: at_depth(ty, depth + 1),
    })
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '$'))
        && text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.'))
}

fn is_key(text: &str) -> bool {
    is_name(text) || (text.starts_with('\'') && text.ends_with('\'')) || text.starts_with('[')
}

/// Whether a value of `one`, which `from` hands over, can stand where a value of `other` is wanted.
pub(super) fn stands_for(one: &Type, other: &Type, from: From) -> bool {
    let is = |ty: &Type, name: &str| matches!(ty, Type::Text(text) if text == name);
    if one == other
        || is(other, INFERRED)
        || is(other, "any")
        || is(other, "unknown")
        || is(one, "never")
        || is(one, "any")
    {
        return true;
    }
    match (one, other) {
        (Type::Predicate(_), Type::Union(parts)) => {
            ["true", "false"].iter().all(|one| parts.iter().any(|part| is(part, one)))
        }
        (Type::Union(parts), _) => parts.iter().all(|part| stands_for(part, other, from)),
        (_, Type::Union(parts)) => parts.iter().any(|part| stands_for(one, part, from)),
        (_, Type::Intersection(parts)) => parts.iter().all(|part| stands_for(one, part, From::Declaration)),
        (Type::Intersection(parts), _) => {
            from == From::Declaration && parts.iter().any(|part| stands_for(part, other, from))
        }
        (Type::Text(one), Type::Text(other)) if other.starts_with(INFERRED) => gives(other, one),
        (Type::Text(one), Type::Text(other)) => is_value_of(one, other),
        (Type::Array { of: one, readonly }, Type::Array { of: other, readonly: may_be_readonly }) => {
            (!readonly || *may_be_readonly) && stands_for(one, other, from)
        }
        (Type::Tuple(parts), Type::Array { of, .. }) => parts.iter().all(|part| stands_for(part, of, from)),
        (Type::Tuple(one), Type::Tuple(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| stands_for(one, other, from))
        }
        (Type::Object(one), Type::Object(other)) => object_stands_for(one, other, from),
        (
            Type::Function { generics, parameters, result },
            Type::Function { generics: wanted, parameters: passed, result: wanted_result },
        ) => {
            generics == wanted
                && parameters_take(passed, parameters, From::Declaration)
                && (is(wanted_result, "void") || stands_for(result, wanted_result, From::Declaration))
        }
        (Type::Named { name, arguments }, Type::Named { name: other, arguments: others }) => {
            let covariant = matches!(
                name.as_str(),
                "Promise" | "Readonly" | "Partial" | "ReadonlySet" | "AsyncIterable" | "Iterable" | "Awaited"
            );
            covariant
                && name == other
                && arguments.len() == others.len()
                && arguments.iter().zip(others).all(|(one, other)| stands_for(one, other, From::Declaration))
        }
        _ => false,
    }
}

/// Whether both types take the same values.
pub(super) fn is_same(one: &Type, other: &Type) -> bool {
    stands_for(one, other, From::User) && stands_for(other, one, From::User)
}

/// Whether whatever could be passed to `old` parameters can be passed to `new` ones.
pub(super) fn parameters_take(old: &[Parameter], new: &[Parameter], from: From) -> bool {
    // A callback may take less than it is given.
    let enough = from == From::Declaration || new.len() >= old.len();
    enough
        && old.iter().zip(new).all(|(old, new)| {
            (!old.optional || new.optional || new.rest)
                && old.rest == new.rest
                && stands_for(&old.ty, &new.ty, from)
        })
        && new.iter().skip(old.len()).all(|added| added.optional || added.rest)
}

fn object_stands_for(one: &[Member], other: &[Member], from: From) -> bool {
    let fits = |wanted: &Member| match one.iter().find(|member| member.name == wanted.name) {
        Some(member) => {
            (!member.optional || wanted.optional)
                && (!member.readonly || wanted.readonly || from == From::User)
                && stands_for(&member.ty, &wanted.ty, from)
        }
        None => wanted.optional,
    };
    let known = |member: &Member| other.iter().any(|wanted| wanted.name == member.name);
    other.iter().all(fits) && (from == From::Declaration || one.iter().all(known))
}

/// A literal of a keyword.
fn is_value_of(one: &str, other: &str) -> bool {
    match other {
        "string" => one.starts_with(['\'', '"', '`']),
        "number" => one.starts_with(|first: char| first.is_ascii_digit() || first == '-'),
        "void" => one == "undefined",
        // What React shows, by the name that everybody knows it by.
        "ReactNode" | "React.ReactNode" => {
            one.starts_with(['\'', '"', '`', '-'])
                || one.starts_with(|first: char| first.is_ascii_digit())
                || matches!(one, "string" | "number" | "true" | "false" | "null" | "undefined")
                || matches!(one.trim_start_matches("React."), "ReactNode" | "ReactElement" | "JSX.Element")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_type_stands_for_another() {
        let wide: &[(&str, &str)] = &[
            ("'a'", "string"),
            ("'a' | 'b'", "'b' | 'a' | 'c'"),
            ("string[]", "readonly string[]"),
            ("Array<string>", "string[]"),
            ("(a: string) => void", "(a: string, b: number) => void"),
            ("(a: string | number) => 1", "(a: string) => number"),
            ("{ a: 1; b?: string }", "{ a: number; b?: string | undefined }"),
            ("Promise<'a'>", "Promise<string>"),
            ("true", "boolean"),
            ("{ run(a: string): void }", "{ run: (a: string) => void }"),
            ("[string, 'a']", "[string, string]"),
            ("string", "unknown"),
            ("string | null", "React.ReactNode"),
            ("JSX.Element", "ReactNode"),
        ];
        for (one, other) in wide {
            assert!(stands_for(&parse(one), &parse(other), From::User), "{one} for {other}");
        }
        let not: &[(&str, &str)] = &[
            ("string", "'a'"),
            ("{ a?: string }", "{ a: string }"),
            ("{ a: string; b: string }", "{ a: string }"),
            ("readonly string[]", "string[]"),
            ("(a: string) => void", "() => void"),
            ("Map<'a', 1>", "Map<string, number>"),
            ("Foo", "Bar"),
            ("Foo", "React.ReactNode"),
            ("React.ReactNode", "string"),
            ("T extends string ? 1 : 2", "T extends string ? 1 : 3"),
        ];
        for (one, other) in not {
            assert!(!stands_for(&parse(one), &parse(other), From::User), "{one} for {other}");
        }
        let more = parse("{ a: string; b: string }");
        assert!(stands_for(&more, &parse("{ a: string }"), From::Declaration));
    }
}
