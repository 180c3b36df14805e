//! The type of a prop as the seed writes it: plain, optional, a union of literals, or a function.

use std::borrow::Cow;
use std::collections::BTreeSet;

use becket_base::ByName;
use memchr::memchr;

use crate::model::{Member, PropType};

/// Said where a prop is known by its name alone.
pub(super) const UNANNOTATED: &str = Member::UNANNOTATED;

/// Members of the same name become one: optional where any of them is, with the types joined.
pub(super) fn merged<'m>(members: impl IntoIterator<Item = &'m Member>) -> ByName<PropType> {
    let mut members: Vec<&Member> = members.into_iter().collect();
    members.sort_by(|one, other| one.name.cmp(&other.name));
    let same = members.chunk_by(|one, other| one.name == other.name);
    same.map(|all| {
        let mut texts: Vec<&str> = Vec::with_capacity(all.len());
        for member in all {
            if !texts.contains(&&*member.text) {
                texts.push(&member.text);
            }
        }
        let text = match texts[..] {
            [only] => Cow::Borrowed(only),
            _ => Cow::Owned(texts.join(" | ")),
        };
        (all[0].name.clone(), of(&text, all.iter().any(|member| member.optional)))
    })
    .collect()
}

pub(super) fn of(text: &str, optional: bool) -> PropType {
    let mut parts = union_parts(text);
    let count = parts.len();
    parts.retain(|part| *part != "undefined");
    let optional = optional || (parts.len() < count && !parts.is_empty());
    if parts.len() > 1 {
        let mut seen = BTreeSet::new();
        parts.retain(|part| seen.insert(*part));
    }
    let described = |kind: &str, literals: Option<Vec<String>>, signature: Option<String>| {
        PropType::Described { kind: kind.to_owned(), literals, signature, optional }
    };
    let literals: Option<Vec<String>> = parts.iter().map(|part| literal(part)).collect();
    match literals {
        Some(mut literals) if literals.len() > 1 => {
            literals.sort();
            literals.dedup();
            return described("literal-union", Some(literals), None);
        }
        _ => {}
    }
    let text = if parts.is_empty() { text.to_owned() } else { parts.join(" | ") };
    if is_function(&text) {
        return described("function", None, Some(without_parentheses(&text).to_owned()));
    }
    let text = if text.is_empty() { UNANNOTATED.to_owned() } else { text };
    if optional { described(&text, None, None) } else { PropType::Plain(text) }
}

/// The same prop seen as an event.
pub(super) fn as_function(prop: &PropType) -> PropType {
    match prop {
        PropType::Described { kind, .. } if kind == "function" => prop.clone(),
        PropType::Described { kind, optional, .. } => function(kind, *optional),
        PropType::Plain(text) => function(text, false),
    }
}

/// `(a: A) => B`, in parentheses or not; not a type that merely holds one.
pub(super) fn is_function(text: &str) -> bool {
    has_outside(without_parentheses(text), "=>")
}

fn function(text: &str, optional: bool) -> PropType {
    let signature = (text != UNANNOTATED).then(|| text.to_owned());
    PropType::Described { kind: "function".to_owned(), literals: None, signature, optional }
}

/// The members of a union, at the outermost level.
pub(super) fn union_parts(text: &str) -> Vec<&str> {
    if memchr(b'|', text.as_bytes()).is_none() {
        return vec![text];
    }
    let borders: Vec<usize> = outside(text).filter(|at| text.as_bytes()[*at] == b'|').collect();
    // `() => a | b` is one function, not a union.
    if borders.is_empty() || has_outside(text, "=>") {
        return vec![text];
    }
    let mut parts = Vec::new();
    let mut from = 0;
    for border in borders.into_iter().chain([text.len()]) {
        let part = text[from..border].trim();
        if !part.is_empty() {
            parts.push(part);
        }
        from = border + 1;
    }
    parts
}

/// Whether a mark that is no bracket stands outside of brackets and quotes.
pub(super) fn has_outside(text: &str, mark: &str) -> bool {
    let (text_bytes, mark) = (text.as_bytes(), mark.as_bytes());
    // Most texts do not have it at all.
    mark.first().is_some_and(|first| memchr(*first, text_bytes).is_some())
        && outside(text).any(|at| text_bytes[at..].starts_with(mark))
}

/// Positions of bytes outside of brackets and quotes.
fn outside(text: &str) -> impl Iterator<Item = usize> {
    let (mut depth, mut quote, mut before) = (0_u32, None, b' ');
    text.bytes().enumerate().filter_map(move |(at, byte)| {
        let last = std::mem::replace(&mut before, byte);
        match (quote, byte) {
            (Some(open), byte) if open == byte && last != b'\\' => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"' | b'`') => quote = Some(byte),
            (None, b'(' | b'[' | b'{' | b'<') => depth += 1,
            (None, b'>') if last == b'=' => {}
            (None, b')' | b']' | b'}' | b'>') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 => return Some(at),
            _ => {}
        }
        None
    })
}

fn without_parentheses(text: &str) -> &str {
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    match inner {
        // `(a) => (b)` begins and ends with parentheses that do not belong together.
        Some(inner) if outside(text).next().is_none() => without_parentheses(inner),
        _ => text,
    }
}

fn literal(part: &str) -> Option<String> {
    let quoted = part.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    if let Some(text) = quoted {
        return Some(text.to_owned());
    }
    part.parse::<f64>().is_ok().then(|| part.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, optional: bool) -> String {
        serde_json::to_string(&of(text, optional)).unwrap()
    }

    #[test]
    fn each_form_is_as_the_seed_writes_it() {
        assert_eq!(shown("string", false), r#""string""#);
        assert_eq!(shown("string", true), r#"{"type":"string","optional":true}"#);
        assert_eq!(shown("string | undefined", false), r#"{"type":"string","optional":true}"#);
        assert_eq!(shown("'b' | 'a'", false), r#"{"type":"literal-union","literals":["a","b"]}"#);
        assert_eq!(shown("'a'", false), r#""'a'""#);
        assert_eq!(
            shown("(id: number) => void", true),
            r#"{"type":"function","signature":"(id: number) => void","optional":true}"#
        );
        assert_eq!(
            shown("(() => void) | undefined", false),
            r#"{"type":"function","signature":"() => void","optional":true}"#
        );
        assert_eq!(shown("Array<() => void>", false), r#""Array<() => void>""#);
        assert_eq!(shown("() => 'a' | 'b'", false), r#"{"type":"function","signature":"() => 'a' | 'b'"}"#);
        assert_eq!(shown("string | string | undefined", false), r#"{"type":"string","optional":true}"#);
        assert_eq!(shown("undefined", false), r#""undefined""#);
        assert_eq!(shown("", true), r#"{"type":"unannotated","optional":true}"#);
        assert_eq!(shown("string | null", false), r#""string | null""#);
    }
}
