//! Texts of types with what parameters stand for in the place of their names.

use std::borrow::Cow;

use memchr::memmem;

use super::prop_type::has_outside;
use super::props::Arguments;
use super::scope::{Found, Resolver, Scope};
use crate::brackets::end_of_list;
use crate::mentions::mentions;

/// What is longer stays behind its name: types may grow with every other that they are made of.
const LONGEST: usize = 400;

/// A text with the types that are given for parameters. One that nobody gives a type for stays as declared.
pub(super) fn filled<'t>(text: &'t str, arguments: &Arguments<'_>) -> Cow<'t, str> {
    // Most texts name none of them.
    if !arguments.iter().any(|(name, bound)| !bound.is_free && text.contains(&**name)) {
        return text.into();
    }
    let mut known: Vec<(&str, Option<String>)> = Vec::new();
    let (mut whole, mut done) = (String::new(), 0);
    for mention in mentions(text).filter(|mention| !mention.is_value) {
        let Some(given) = arguments.get(mention.text).filter(|bound| !bound.is_free) else { continue };
        let at = known.iter().position(|(name, _)| *name == mention.text).unwrap_or_else(|| {
            let given = || filled(&given.shape.text(), &given.arguments).into_owned();
            let given = (!declares(text, mention.text)).then(given);
            let fits = |given: &String| given.len() <= LONGEST && given != mention.text;
            known.push((mention.text, given.filter(fits)));
            known.len() - 1
        });
        let Some(word) = &known[at].1 else { continue };
        let (before, end) = (&text[done..mention.start], mention.start + mention.text.len());
        let binds = binds(&text[..mention.start], &text[end..]);
        whole.push_str(before);
        if is_open(word, binds) {
            whole.extend(["(", word, ")"]);
        } else {
            whole.push_str(word);
        }
        done = end;
    }
    if done == 0 { text.into() } else { Cow::Owned(whole + &text[done..]) }
}

/// Whether a text that is filled has names which mean something else in the file that uses it.
pub(super) fn is_of_others<'f, 'l: 'f>(
    text: &str,
    scope: Scope<'f>,
    arguments: &Arguments<'f>,
    home: &str,
    resolver: &Resolver<'l>,
) -> bool {
    mentions(text).any(|mention| match arguments.get(mention.text) {
        Some(bound) if bound.is_free => false,
        Some(bound) => is_of_others(&bound.shape.text(), bound.scope, &bound.arguments, home, resolver),
        None => scope.entry != home && !matches!(resolver.type_name(scope, mention.first()), Found::Unknown),
    })
}

/// How close what stands around a name binds it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binds {
    Not,
    Union,
    Intersection,
    Closest,
}

fn binds(before: &str, after: &str) -> Binds {
    if after.starts_with('[') || before.ends_with("keyof ") || before.ends_with("readonly ") {
        Binds::Closest
    } else if before.ends_with("& ") || after.starts_with(" &") {
        Binds::Intersection
    } else if before.ends_with("| ") || after.starts_with(" |") || after.starts_with(" extends ") {
        Binds::Union
    } else {
        Binds::Not
    }
}

/// Whether a type would not end where it is put.
fn is_open(word: &str, around: Binds) -> bool {
    if around == Binds::Not {
        return false;
    }
    let has = |mark: &str| has_outside(word, mark);
    let own = if has("=>") || has(" ? ") || word.starts_with("infer ") {
        Binds::Not
    } else if has("| ") {
        Binds::Union
    } else if has("& ")
        || ["keyof ", "typeof ", "readonly ", "unique "].iter().any(|one| word.starts_with(one))
    {
        Binds::Intersection
    } else {
        return false;
    };
    own < around
}

/// Whether a text has a parameter of its own by this name: `<T>(value: T) => T`, `{ [K in Keys]: K }`, `infer T`.
fn declares(text: &str, name: &str) -> bool {
    let names = |rest: &str| {
        let rest = rest.strip_prefix("const ").unwrap_or(rest).strip_prefix(name);
        rest.is_some_and(|rest| {
            !rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '_' | '$'))
        })
    };
    let is_bound = |at: usize| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        before.ends_with("infer ") || before.ends_with('[') && after.starts_with(" in ")
    };
    let is_in_list = || {
        text.match_indices('<').any(|(start, _)| {
            let list = &text[start + 1..];
            let Some(end) = end_of_list(list) else { return false };
            list[end + 1..].starts_with('(') && list[..end].split(", ").any(names)
        })
    };
    memmem::find_iter(text.as_bytes(), name).any(is_bound) || is_in_list()
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::super::props::Bound;
    use super::*;
    use crate::languages::typescript::type_shape;
    use crate::link::scope::Alone;
    use crate::model::LocalFacts;

    fn with(text: &str, given: &[(&str, &str)]) -> String {
        let facts = LocalFacts::empty();
        let members = Alone { path: "a.ts", facts: &facts };
        let resolver = Resolver::new(&members);
        let scope = resolver.scope(0);
        let bound = given.iter().map(|(name, ty)| {
            let shape = type_shape(ty).unwrap();
            ((*name).to_owned(), Bound { shape, scope, arguments: Arguments::default(), is_free: false })
        });
        filled(text, &Rc::new(bound.collect())).into_owned()
    }

    #[test]
    fn what_is_given_stands_in_the_place_of_the_name() {
        for (text, given, expected) in [
            ("T", "string", "string"),
            ("T[]", "string", "string[]"),
            ("T[]", "keyof Row", "(keyof Row)[]"),
            ("T[]", "A | B", "(A | B)[]"),
            ("T['id']", "A & B", "(A & B)['id']"),
            ("T | undefined", "A | B", "A | B | undefined"),
            ("T | undefined", "() => void", "(() => void) | undefined"),
            ("T & Own", "A | B", "(A | B) & Own"),
            ("(T: string) => T", "A | B", "(T: string) => A | B"),
            ("Map<string, T>", "() => void", "Map<string, () => void>"),
            ("<T>(value: T) => T", "string", "<T>(value: T) => T"),
            ("{ [T in Keys]: T }", "string", "{ [T in Keys]: T }"),
            ("A extends (infer T)[] ? T : never", "string", "A extends (infer T)[] ? T : never"),
            ("{ T: 'T'; other: Ts }", "string", "{ T: 'T'; other: Ts }"),
        ] {
            assert_eq!(with(text, &[("T", given)]), expected);
        }
        assert_eq!(with("Map<K, V>", &[("K", "V"), ("V", "K")]), "Map<V, K>");
    }

    #[test]
    fn what_is_long_keeps_its_name() {
        let long = format!("{{ {} }}", "a: string; ".repeat(60));
        assert_eq!(with("T[]", &[("T", &long)]), "T[]");
    }
}
