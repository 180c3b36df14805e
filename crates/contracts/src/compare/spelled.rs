//! Types that are another way to write something plain: templates of texts, objects that are made over keys, the keys of an
//! object that is written down and what stands under them.

use super::generics::with_name;
use super::signature::group;
use super::types::{
    Member, Type, at_depth, is_literal, is_name, is_open_key, or_undefined, parts_of, record, union,
    without_undefined,
};

/// Longer choices stay as they are written.
const MOST: usize = 64;
const MOST_HOLES: usize = 4;

/// A template, or all texts that it stands for, where there are few: `${'a' | 'b'}-x`.
pub(super) fn template(text: &str, depth: usize) -> Option<Type> {
    let within = text.strip_prefix('`')?.strip_suffix('`').filter(|within| !within.contains('`'))?;
    let mut all = vec![String::new()];
    let mut is_text = true;
    let mut rest = within;
    while let Some((before, hole)) = rest.split_once("${") {
        let (hole, after) = hole.split_once('}').filter(|(hole, _)| !hole.contains('{'))?;
        let ty = at_depth(hole, depth + 1);
        let put_in: Vec<String> = if is_literal(&ty) {
            let text = |one: &Type| if let Type::Text(text) = one { text.clone() } else { String::new() };
            parts_of(&ty).iter().map(|one| text(one).trim_matches('\'').to_owned()).collect()
        } else {
            is_text = false;
            vec![format!("${{{}}}", hole.trim())]
        };
        let each = all.iter().flat_map(|head| put_in.iter().map(move |one| [head, before, one].concat()));
        all = each.take(MOST + 1).collect();
        if all.len() > MOST {
            return None;
        }
        rest = after;
    }
    let quote = if is_text { '\'' } else { '`' };
    Some(union(all.iter().map(|head| Type::Text(format!("{quote}{head}{rest}{quote}")))))
}

/// Whether a text, or whatever a template stands for, is one that another template stands for.
pub(super) fn fits(one: &str, template: &str) -> bool {
    let is_text = one.starts_with(['\'', '`']);
    let template = pieces(template);
    // Each can stand for any part, and all ways to part a text are tried.
    let holes = template.iter().filter(|piece| matches!(piece, Piece::Hole(_))).count();
    is_text && holes <= MOST_HOLES && matches(&pieces(one), &template)
}

#[derive(Clone, Copy, PartialEq)]
enum Piece<'t> {
    Letter(char),
    /// What is put in, by its type.
    Hole(&'t str),
}

/// Of what stands between quotes.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut rest = text.get(1..text.len() - 1).unwrap_or_default();
    let mut pieces = Vec::new();
    while let Some(letter) = rest.chars().next() {
        match rest.strip_prefix("${").and_then(|hole| hole.split_once('}')) {
            Some((hole, after)) if text.starts_with('`') => {
                pieces.push(Piece::Hole(hole));
                rest = after;
            }
            _ => {
                pieces.push(Piece::Letter(letter));
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    pieces
}

fn matches(one: &[Piece<'_>], template: &[Piece<'_>]) -> bool {
    let Some((first, rest)) = template.split_first() else { return one.is_empty() };
    match first {
        Piece::Hole("string") => (0..=one.len()).any(|at| matches(&one[at..], rest)),
        Piece::Hole("number") if matches!(one.first(), Some(Piece::Letter(_))) => {
            let is_digit =
                |piece: &&Piece<'_>| matches!(piece, Piece::Letter(letter) if letter.is_ascii_digit());
            let digits = one.iter().take_while(is_digit).count();
            (1..=digits).any(|at| matches(&one[at..], rest))
        }
        first => one.first() == Some(first) && matches(&one[1..], rest),
    }
}

/// `{ [K in 'a' | 'b']?: string }`, where its keys are written down. What is made over the keys of an object has its marks.
pub(super) fn mapped(within: &str, depth: usize) -> Option<Type> {
    let within = within.trim();
    let (readonly, rest) = ["readonly ", "+readonly ", "-readonly "]
        .into_iter()
        .find_map(|word| Some((Some(!word.starts_with('-')), within.strip_prefix(word)?)))
        .unwrap_or((None, within));
    let (_, end) = group(rest, '[', ']').filter(|(start, _)| *start == 0)?;
    let (key, keys) = rest[1..end].split_once(" in ").filter(|(_, keys)| !keys.contains(" as "))?;
    let (mark, of) = rest[end + 1..].split_once(':')?;
    let optional = match mark {
        "" => None,
        "?" | "+?" => Some(true),
        "-?" => Some(false),
        _ => return None,
    };
    let over = keys.strip_prefix("keyof ").map(|object| at_depth(object, depth + 1));
    let keys = at_depth(keys, depth + 1);
    if !(is_literal(&keys) || is_open_key(&keys)) {
        return None;
    }
    let had = |name: &str| match &over {
        Some(Type::Object(members)) => {
            let had = members.iter().find(|one| one.name.trim_matches('\'') == name);
            had.map_or((false, false), |one| (one.optional, one.readonly))
        }
        _ => (false, false),
    };
    let each = parts_of(&keys).iter().flat_map(|name| {
        let Type::Text(text) = name else { return Vec::new() };
        let (was_optional, was_readonly) = had(text.trim_matches('\''));
        let optional = optional.unwrap_or(was_optional) && !is_open_key(name);
        let of = at_depth(&with_name(of.trim_end_matches(';'), key, text), depth + 1);
        let of = if mark == "-?" { without_undefined(&of) } else { or_undefined(of, optional) };
        let readonly = readonly.unwrap_or(was_readonly);
        record(name, &of).into_iter().map(|one| Member { optional, readonly, ..one }).collect()
    });
    Some(Type::Object(each.collect()))
}

/// Whether what stands in braces is made over keys.
pub(super) fn is_mapped(within: &str) -> bool {
    let rest = within.trim().trim_start_matches(['+', '-']);
    let key = rest.strip_prefix("readonly ").unwrap_or(rest).strip_prefix('[');
    key.and_then(|key| key.split_once(" in ")).is_some_and(|(key, _)| is_name(key))
}

/// `keyof { a: string }`, where all keys are written down.
pub(super) fn keys(text: &str, depth: usize) -> Option<Type> {
    let Type::Object(members) = at_depth(text.strip_prefix("keyof ")?, depth + 1) else { return None };
    let key = |one: &Member| {
        let name = one.name.trim_matches('\'');
        let is_told = is_name(&one.name) || name.len() < one.name.len();
        is_told.then(|| Type::Text(format!("'{name}'")))
    };
    let keys = members.iter().map(key).collect::<Option<Vec<_>>>()?;
    Some(if keys.is_empty() { Type::Text("never".to_owned()) } else { union(keys.into_iter()) })
}

/// `['a', 'b'][number]`, `{ a: string }['a']`, where what is asked for is written down.
pub(super) fn indexed(text: &str, depth: usize) -> Option<Type> {
    let (of, index) = last_index(text)?;
    let (of, index) = (at_depth(of, depth + 1), at_depth(index, depth + 1));
    let is_any_place = index == Type::Text("number".to_owned());
    let place = || if let Type::Text(place) = &index { place.parse::<usize>().ok() } else { None };
    match of {
        Type::Array { of, .. } if is_any_place || place().is_some() => Some(*of),
        Type::Named { name, mut arguments } if name == "readonly" => match arguments.pop()? {
            Type::Tuple(parts) => element_of(parts, is_any_place, place()),
            _ => None,
        },
        Type::Tuple(parts) => element_of(parts, is_any_place, place()),
        of if is_literal(&index) => {
            let each = parts_of(&of).iter().map(|one| under(one, &index));
            Some(union(each.collect::<Option<Vec<_>>>()?.into_iter()))
        }
        _ => None,
    }
}

/// What stands under some keys of an object.
fn under(of: &Type, keys: &Type) -> Option<Type> {
    let Type::Object(members) = of else { return None };
    let under = |key: &Type| {
        let Type::Text(key) = key else { return None };
        let name = |one: &&Member| one.name.trim_matches('\'') == key.trim_matches('\'');
        members.iter().find(name).map(|one| one.ty.clone())
    };
    Some(union(parts_of(keys).iter().map(under).collect::<Option<Vec<_>>>()?.into_iter()))
}

fn element_of(parts: Vec<Type>, is_any: bool, place: Option<usize>) -> Option<Type> {
    // What may be left out, or goes on.
    if parts.iter().any(|part| matches!(part, Type::Named { name, .. } if name == "?" || name == "...")) {
        return None;
    }
    match place {
        _ if is_any && parts.is_empty() => Some(Type::Text("never".to_owned())),
        _ if is_any => Some(union(parts.into_iter())),
        Some(place) => parts.into_iter().nth(place),
        None => None,
    }
}

/// What stands before the last brackets, and in them.
fn last_index(text: &str) -> Option<(&str, &str)> {
    let within = text.strip_suffix(']')?;
    let mut depth = 0_usize;
    let mut is_quoted = false;
    let at = within.char_indices().rev().find_map(|(at, letter)| {
        match letter {
            '\'' => is_quoted = !is_quoted,
            ']' if !is_quoted => depth += 1,
            '[' if !is_quoted && depth == 0 => return Some(at),
            '[' if !is_quoted => depth -= 1,
            _ => {}
        }
        None
    })?;
    let (of, index) = (text[..at].trim_end(), within[at + 1..].trim());
    (of.ends_with([')', '}', ']']) && !index.is_empty()).then_some((of, index))
}
