//! Whether one type can stand for another. Not a compiler: where it is not sure, it cannot.

use super::literals::{is_primitive, is_value_of};
use super::patterns;
use super::told::{INFERRED, gives, is_called};
use super::types::{
    ASYNC, GENERATOR, Generic, Member, Parameter, Type, UNWRITTEN, is_part, is_plain, or_undefined,
};

/// Who hands a value over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// Whoever uses the declaration, perhaps as an object written in place: it may hold nothing that is not known.
    User,
    /// The same, as part of something else: not written in place.
    UserWithin,
    /// The declaration itself.
    Declaration,
}

impl From {
    fn within(self) -> Self {
        if self == From::User { From::UserWithin } else { self }
    }

    /// Who hands something to a function that this one hands over.
    fn turned(self) -> Self {
        if self == From::Declaration { From::User } else { From::Declaration }
    }
}

fn is_told(ty: &Type) -> bool {
    matches!(ty, Type::Text(text) if text.starts_with(INFERRED))
}

/// Whether a value of `one`, which `from` hands over, can stand where a value of `other` is wanted.
pub(super) fn stands_for(one: &Type, other: &Type, from: From) -> bool {
    let is = |ty: &Type, name: &str| matches!(ty, Type::Text(text) if text == name);
    let is_any = |ty: &Type, names: &[&str]| names.iter().any(|name| is(ty, name));
    // What is not known of the one is not what is known of the other.
    let is_marked =
        |ty: &Type| matches!(ty, Type::Named { name, .. } if matches!(name.as_str(), ASYNC | GENERATOR));
    if is(one, INFERRED) && is_marked(other) || is_marked(one) && is(other, INFERRED) {
        return false;
    }
    if one == other || is_any(other, &[INFERRED, UNWRITTEN, "unknown"]) || is_any(one, &["never", UNWRITTEN])
    {
        return true;
    }
    // What calls make may be whatever is declared now.
    if matches!((one, other), (_, Type::Text(other)) if is_called(other) && !is_told(one)) {
        return true;
    }
    // Who could hand over anything, or do anything with what was handed over, may have done so.
    if is(other, "any") {
        return from != From::Declaration;
    }
    if is(one, "any") {
        return from == From::Declaration;
    }
    match (one, other) {
        (Type::Predicate(_), Type::Union(parts)) => {
            ["true", "false"].iter().all(|one| parts.iter().any(|part| is(part, one)))
        }
        (Type::Predicate(one), Type::Predicate(other)) => alike(one, other),
        (Type::Union(parts), _) => parts.iter().all(|part| stands_for(part, other, from)),
        (Type::Intersection(own), Type::Union(_)) if from != From::User && own.contains(other) => true,
        (_, Type::Union(parts)) => parts.iter().any(|part| stands_for(one, part, from)),
        (_, Type::Intersection(parts)) => parts.iter().all(|part| {
            stands_for(one, part, from.within()) || from != From::Declaration && leaves_out(one, part)
        }),
        (Type::Intersection(parts), _) => {
            from != From::User && parts.iter().any(|part| stands_for(part, other, from))
        }
        (Type::Text(one), Type::Text(other)) if other.starts_with(INFERRED) => gives(other, one),
        (Type::Text(one), Type::Text(other)) => is_value_of(one, other),
        (Type::Array { of: one, readonly }, Type::Array { of: other, readonly: may_be_readonly }) => {
            (!readonly || *may_be_readonly) && stands_for(one, other, from)
        }
        (Type::Tuple(parts), Type::Array { of, .. }) => {
            parts.iter().all(|part| stands_for(&Element::of(part).held(), of, from))
        }
        (Type::Tuple(one), Type::Tuple(other)) => tuple_stands_for(one, other, from),
        // What can be replaced can be left as it is.
        (Type::Tuple(_), Type::Named { name, arguments }) if name == "readonly" => {
            arguments.iter().all(|other| stands_for(one, other, from))
        }
        (Type::Named { name, arguments }, Type::Array { readonly: true, .. }) if name == "readonly" => {
            arguments.iter().all(|one| stands_for(one, other, from))
        }
        // Everything that is not nothing.
        (Type::Text(one), Type::Object(other)) if other.is_empty() => is_primitive(one) || one == "object",
        (_, Type::Object(other)) if other.is_empty() => is_plain(one),
        (Type::Object(one), Type::Text(other)) if other == "object" => !one.is_empty(),
        (Type::Array { .. } | Type::Tuple(_) | Type::Function { .. }, Type::Text(other))
            if other == "object" =>
        {
            true
        }
        (Type::Object(one), Type::Object(other)) => object_stands_for(one, other, from),
        (
            Type::Function { generics, parameters, result },
            Type::Function { generics: wanted, parameters: passed, result: wanted_result },
        ) => {
            // Who hands a function over may take less than it is given; who calls one gives what it took.
            let ((own, parameters), (wanted_own, passed)) = (without_this(parameters), without_this(passed));
            let enough =
                from != From::Declaration || parameters.len() >= passed.len() || has_rest(parameters);
            enough
                && (generics == wanted || is_made(generics, wanted))
                && this_stands_for(own, wanted_own, from)
                && parameters_take(passed, parameters, from.turned())
                && (is(wanted_result, "void") || stands_for(result, wanted_result, from.within()))
        }
        (Type::Named { name, arguments }, Type::Named { name: other, arguments: others })
            if name == other && matches!(name.as_str(), "Pick" | "Omit") =>
        {
            let ([of, keys], [wanted, other_keys]) = (arguments.as_slice(), others.as_slice()) else {
                return false;
            };
            let (fewer, more) = if name == "Pick" { (other_keys, keys) } else { (keys, other_keys) };
            // An object that is written in place may have no more.
            alike(of, wanted) && (alike(fewer, more) || from != From::User && is_part(fewer, more))
        }
        // All of it is a part of it, and can be read as it can be written.
        (_, Type::Named { name, arguments })
            if is_part_of(name) && !arguments.is_empty() && stands_whole(one, &arguments[0], from) =>
        {
            matches!(name.as_str(), "Partial" | "Readonly") || from != From::User
        }
        (Type::Named { name, arguments }, Type::Named { name: other, arguments: others }) => {
            let covariant = matches!(
                name.as_str(),
                "Promise"
                    | "Readonly"
                    | "Partial"
                    | "ReadonlySet"
                    | "readonly"
                    | "Awaited"
                    | ASYNC
                    | GENERATOR
                    | "?"
                    | "..."
            ) || is_iterated(name) && arguments.len() < 3;
            let fits = |one: &Type, other: &Type| {
                // What is handed over as anything is taken as something unknown.
                let is_open = from != From::Declaration && is(one, "any") && is(other, "unknown");
                is_open || if covariant { stands_for(one, other, from.within()) } else { alike(one, other) }
            };
            // What can be changed can be left as it is.
            let is_left = matches!(
                (name.as_str(), other.as_str()),
                (ASYNC, "Promise")
                    | ("Promise", ASYNC)
                    | ("Map", "ReadonlyMap")
                    | ("Set", "ReadonlySet")
                    | ("Set" | "ReadonlySet", "Iterable")
            ) || goes_through(name, other);
            let fits = |one: &Type, other: &Type| {
                if is_left { stands_for(one, other, from.within()) } else { fits(one, other) }
            };
            // What is given back by who goes through it is not asked for where it is not told.
            let is_enough = goes_through(name, other) && others.len() == 1 && !arguments.is_empty();
            (name == other || is_left)
                && (arguments.len() == others.len() || is_enough)
                && arguments.iter().zip(others).all(|(one, other)| fits(one, other))
        }
        (Type::Array { of, .. }, Type::Named { name, arguments })
            if matches!(name.as_str(), "Iterable" | "ArrayLike") =>
        {
            arguments.first().is_some_and(|wanted| stands_for(of, wanted, from.within()))
        }
        // Of what such a thing is made with, what it holds is not told.
        (Type::Text(bare), Type::Named { name, .. }) | (Type::Named { name, .. }, Type::Text(bare)) => {
            bare == name && matches!(name.as_str(), "Map" | "Set" | "WeakMap" | "WeakSet" | "Promise")
        }
        _ => false,
    }
}

/// Whether nobody has to give anything for a part of what is wanted: all of it may be absent, and is as far as can be seen.
fn leaves_out(one: &Type, part: &Type) -> bool {
    let Type::Object(wanted) = part else { return false };
    let is_absent = |one: &Type| match one {
        Type::Object(own) => !own.iter().any(|member| wanted.iter().any(|other| other.name == member.name)),
        Type::Text(text) => text.starts_with(|first: char| first.is_alphabetic() && first.is_uppercase()),
        Type::Named { .. } => true,
        _ => false,
    };
    let parts = if let Type::Intersection(parts) = one { parts } else { std::slice::from_ref(one) };
    !wanted.is_empty() && wanted.iter().all(|member| member.optional) && parts.iter().all(is_absent)
}

/// As [`stands_for`], of a type that is no such part itself.
fn stands_whole(one: &Type, other: &Type, from: From) -> bool {
    !matches!(one, Type::Named { name, .. } if is_part_of(name)) && stands_for(one, other, from)
}

/// Whether this is what the first type that it is given is, but for some of its members or what can be done with them.
fn is_part_of(name: &str) -> bool {
    matches!(name, "Pick" | "Omit" | "Partial" | "Readonly")
}

/// The parameters of a function as one sees them who knew others: what follows the last one that is written may be any number
/// of the same.
pub(super) fn spread(new: &[Parameter], old: &[Parameter]) -> Vec<Parameter> {
    let [before @ .., rest] = new else { return Vec::new() };
    let Type::Array { of, .. } = &rest.ty else { return new.to_vec() };
    let known = old.iter().take_while(|one| !one.rest).count();
    if !rest.rest || known <= before.len() {
        return new.to_vec();
    }
    let one = Parameter { optional: true, rest: false, ty: (**of).clone(), ..rest.clone() };
    let several = std::iter::repeat_n(one, known - before.len());
    before.iter().cloned().chain(several).chain([rest.clone()]).collect()
}

/// Whether who makes values of a type, and who reads them, can go on with what it is now.
pub(super) fn keeps(was: &Type, is: &Type) -> bool {
    stands_for(was, is, From::User) && stands_for(is, was, From::Declaration)
}

/// Whether what was passed, by whom it was, to parameters can be passed to others.
fn parameters_take(old: &[Parameter], new: &[Parameter], from: From) -> bool {
    // Who hands a function over that takes any number of something may ask for more than is passed.
    let is_handed_over = from == From::Declaration;
    if is_handed_over && has_rest(new) && !has_rest(old) {
        return false;
    }
    // Nor does it count what goes on: each that is asked for is one of these.
    let written = old.len() - usize::from(has_rest(old));
    let mut passed = if is_handed_over { spread(old, new) } else { old.to_vec() };
    for one in passed.iter_mut().skip(written) {
        one.optional = false;
    }
    let new = spread(new, &passed);
    passed.iter().zip(&new).all(|(old, new)| {
        (!old.optional || new.optional || new.rest)
            && old.rest == new.rest
            && stands_for(&old.ty, &new.ty, from)
            && (from == From::Declaration || patterns::lost(old, new).is_none())
    }) && new.iter().skip(passed.len()).all(|added| added.optional || added.rest)
}

/// What a function calls `this`, and what it takes.
fn without_this(parameters: &[Parameter]) -> (Option<&Type>, &[Parameter]) {
    match parameters {
        [first, rest @ ..] if first.name == "this" => (Some(&first.ty), rest),
        all => (None, all),
    }
}

/// Whether a function that calls something `this` stands where another one is wanted. What is handed over where nothing is
/// said of it asks for nothing by that name.
fn this_stands_for(own: Option<&Type>, wanted: Option<&Type>, from: From) -> bool {
    let is_nothing = |ty: &Type| matches!(ty, Type::Text(text) if text == "void");
    match (own, wanted) {
        (None, _) => true,
        (Some(own), None) => is_nothing(own),
        (Some(own), Some(wanted)) => stands_for(wanted, own, from.turned()),
    }
}

fn has_rest(parameters: &[Parameter]) -> bool {
    parameters.last().is_some_and(|last| last.rest)
}

/// Whether each of two types stands for the other, whoever hands it over: only optional members may come or go.
fn alike(one: &Type, other: &Type) -> bool {
    let each = |one: &[Type], other: &[Type]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
    };
    one == other
        || match (one, other) {
            (Type::Union(one), Type::Union(other)) | (Type::Intersection(one), Type::Intersection(other)) => {
                let mut left: Vec<&Type> = other.iter().collect();
                one.len() == other.len()
                    && one.iter().all(|part| {
                        let found = left.iter().position(|other| alike(part, other));
                        found.map(|at| left.swap_remove(at)).is_some()
                    })
            }
            (Type::Tuple(one), Type::Tuple(other)) => each(one, other),
            (Type::Array { of: one, readonly }, Type::Array { of: other, readonly: as_well }) => {
                readonly == as_well && alike(one, other)
            }
            (Type::Named { name, arguments }, Type::Named { name: other, arguments: others }) => {
                name == other && each(arguments, others)
            }
            (Type::Object(one), Type::Object(other)) => {
                let of = |members: &'_ [Member], name: &str| members.iter().position(|one| one.name == name);
                one.iter().all(|member| match of(other, &member.name).map(|at| &other[at]) {
                    Some(same) => {
                        (member.optional, member.readonly) == (same.optional, same.readonly)
                            && alike(&member.ty, &same.ty)
                    }
                    None => member.optional,
                }) && other.iter().all(|member| member.optional || of(one, &member.name).is_some())
            }
            (
                Type::Function { generics, parameters, result },
                Type::Function { generics: others, parameters: passed, result: given },
            ) => {
                generics == others
                    && parameters.len() == passed.len()
                    && parameters.iter().zip(passed).all(|(one, other)| {
                        (one.optional, one.rest) == (other.optional, other.rest) && alike(&one.ty, &other.ty)
                    })
                    && alike(result, given)
            }
            _ => false,
        }
}

/// What stands in a list by its place.
enum Element<'e> {
    Sure(&'e Type),
    Perhaps(&'e Type),
    /// Any number of these.
    Rest(&'e Type),
}

impl<'e> Element<'e> {
    fn of(ty: &'e Type) -> Self {
        match ty {
            Type::Named { name, arguments } if name == "?" && arguments.len() == 1 => {
                Self::Perhaps(&arguments[0])
            }
            Type::Named { name, arguments } if name == "..." => match arguments.as_slice() {
                [Type::Array { of, .. }] => Self::Rest(of),
                _ => Self::Sure(ty),
            },
            ty => Self::Sure(ty),
        }
    }

    /// What is found there.
    fn held(&self) -> Type {
        match self {
            Self::Sure(ty) | Self::Rest(ty) => (*ty).clone(),
            Self::Perhaps(ty) => or_undefined((*ty).clone(), true),
        }
    }
}

/// What stands before what goes on, what goes on, and what stands behind it.
fn open_at(parts: &[Type]) -> Option<(&[Type], &Type, &[Type])> {
    parts.iter().enumerate().find_map(|(at, part)| match Element::of(part) {
        Element::Rest(of) => Some((&parts[..at], of, &parts[at + 1..])),
        _ => None,
    })
}

/// An element that may be left out is there, or is not. Who reads a list counts on as many as there were, and on no end where
/// there was none.
fn tuple_stands_for(one: &[Type], other: &[Type], from: From) -> bool {
    if let Some((first, more, last)) = open_at(other) {
        let (start, rest, end) = match open_at(one) {
            Some((start, rest, end)) => (start, Some(rest), end),
            None if from == From::Declaration || one.len() < first.len() + last.len() => return false,
            None => {
                let (start, end) = one.split_at(one.len() - last.len());
                (start, None, end)
            }
        };
        let stands = |one: &Type, other: &Type| stands_for(&Element::of(one).held(), other, from);
        return start.len() >= first.len()
            && end.len() >= last.len()
            && tuple_stands_for(&start[..first.len()], first, from)
            && tuple_stands_for(&end[end.len() - last.len()..], last, from)
            && start[first.len()..]
                .iter()
                .chain(&end[..end.len() - last.len()])
                .all(|one| stands(one, more))
            && rest.is_none_or(|rest| stands_for(rest, more, from));
    }
    let fits = |one: &Type, other: &Type| match (Element::of(one), Element::of(other)) {
        (Element::Sure(_), Element::Perhaps(other)) => stands_for(one, other, from),
        (Element::Rest(_), _) => false,
        _ => stands_for(one, other, from),
    };
    let is_left_out = |ty: &Type| from != From::Declaration && matches!(Element::of(ty), Element::Perhaps(_));
    one.len() <= other.len()
        && one.iter().zip(other).all(|(one, other)| fits(one, other))
        && other[one.len()..].iter().all(is_left_out)
}

/// What gives one thing after the other.
fn is_iterated(name: &str) -> bool {
    const ALL: [&str; 8] = [
        "AsyncGenerator",
        "AsyncIterable",
        "AsyncIterableIterator",
        "AsyncIterator",
        "Generator",
        "Iterable",
        "IterableIterator",
        "Iterator",
    ];
    ALL.contains(&name)
}

/// Whether one of these is another one, with more to it.
fn goes_through(one: &str, other: &str) -> bool {
    match one {
        "Generator" => matches!(other, "Iterable" | "IterableIterator" | "Iterator"),
        "IterableIterator" => matches!(other, "Iterable" | "Iterator"),
        "AsyncGenerator" => matches!(other, "AsyncIterable" | "AsyncIterableIterator" | "AsyncIterator"),
        "AsyncIterableIterator" => matches!(other, "AsyncIterable" | "AsyncIterator"),
        _ => false,
    }
}

/// What can be made stands where nothing is made of what is handed over: `new () => A` for `abstract new () => A`.
fn is_made(one: &[Generic], other: &[Generic]) -> bool {
    match (one.split_last(), other.split_last()) {
        (Some(((made, ..), one)), Some(((wanted, ..), other))) => {
            made == "new" && wanted == "abstract new" && one == other
        }
        _ => false,
    }
}

fn object_stands_for(one: &[Member], other: &[Member], from: From) -> bool {
    let fits = |wanted: &Member| {
        // There may be several ways to call one.
        let mut same = one.iter().filter(|member| member.name == wanted.name).peekable();
        // Who reads a member that may be absent needs that there may be one.
        same.peek().is_none() && wanted.optional && from != From::Declaration
            || same.any(|member| {
                (!member.optional || wanted.optional)
                    && (!member.readonly || wanted.readonly || from != From::Declaration)
                    && stands_for(&member.ty, &wanted.ty, from)
            })
    };
    let known = |member: &Member| other.iter().any(|wanted| wanted.name == member.name);
    other.iter().all(fits) && (from != From::User || one.iter().all(known))
}

#[cfg(test)]
mod tests {
    use super::super::types::parse;
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
