//! Type parameters, before and after.

use std::borrow::Cow;

use super::literals::is_primitive;
use super::signature::{group, split};
use super::stands::{From, keeps, stands_for};
use super::types::{Type, parse, parts_of};
use crate::mentions::mentions;

pub(super) struct Parameter {
    pub(super) name: String,
    /// Whether what is given is taken for as much as can be told of it.
    pub(super) is_const: bool,
    /// Said of how the types that it makes stand for each other.
    is_in: bool,
    is_out: bool,
    pub(super) constraint: Option<String>,
    pub(super) default: Option<String>,
}

/// What is wrong with `new` for those who gave types for `old`; else a text of the new side in which the parameters have
/// the names that they had.
pub(super) struct Renaming(Vec<(String, String)>);

impl Renaming {
    pub(super) fn between(old: &str, new: &str) -> Result<Self, String> {
        let (old, new) = (parameters(old), parameters(new));
        if new.len() < old.len() {
            return Err("it has fewer type parameters".to_owned());
        }
        let renamed = old.iter().zip(&new).filter(|(old, new)| old.name != new.name);
        let renamed = renamed.map(|(old, new)| (new.name.clone(), old.name.clone()));
        // Who gives none for one that was added has what it is by default.
        let added = new.iter().skip(old.len());
        let added = added.filter_map(|new| Some((new.name.clone(), format!("({})", new.default.as_ref()?))));
        let renaming = Self(renamed.chain(added).collect());
        for (old, new) in old.iter().zip(&new) {
            let name = &new.name;
            match (&old.constraint, &new.constraint) {
                (None, Some(constraint)) => {
                    return Err(format!("the type parameter `{name}` has to extend `{constraint}` now"));
                }
                (Some(was), Some(is)) => {
                    if !stands_for(&parse(was), &parse(&renaming.text(is)), From::UserWithin) {
                        return Err(format!("the type parameter `{name}` extended `{was}`, extends `{is}`"));
                    }
                }
                (_, None) => {}
            }
            match (&old.default, &new.default) {
                (Some(_), None) => {
                    return Err(format!("the type parameter `{name}` has no default any more"));
                }
                (Some(was), Some(is)) if !keeps(&parse(was), &parse(&renaming.text(is))) => {
                    return Err(format!("the type parameter `{name}` was `{was}` by default, is `{is}`"));
                }
                _ => {}
            }
        }
        match new.iter().skip(old.len()).find(|added| added.default.is_none()) {
            Some(added) => Err(format!("the type parameter `{}` was added", added.name)),
            None => Ok(renaming),
        }
    }

    /// As [`Self::between`], of something that is called: where nobody could give types, each is what it has to be.
    pub(super) fn of_call(old: &str, new: &str) -> Result<Self, String> {
        if !old.is_empty() {
            return Self::between(old, new);
        }
        let mut known = Self(Vec::new());
        for one in parameters(new) {
            let bound = one.default.or(one.constraint).map_or("unknown".to_owned(), |text| known.text(&text));
            known.0.push((one.name, format!("({bound})")));
        }
        Ok(known)
    }

    pub(super) fn text(&self, text: &str) -> String {
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
        if self.0.is_empty() {
            return text.to_owned();
        }
        let mut renamed = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(is_part) {
            let word = &rest[start..];
            let end = word.find(|letter| !is_part(letter)).unwrap_or(word.len());
            let other = self.0.iter().find(|(new, _)| *new == word[..end]).map(|(_, old)| old.as_str());
            renamed.push_str(&rest[..start]);
            renamed.push_str(other.unwrap_or(&word[..end]));
            rest = &word[end..];
        }
        renamed + rest
    }
}

impl Parameter {
    /// Whether a value that is given for it has more than one type that could be meant: of a text it is told apart anyway.
    fn is_open(&self) -> bool {
        let is_told = |one: &Type| matches!(one, Type::Text(text) if is_primitive(text));
        self.constraint.as_ref().is_none_or(|text| !parts_of(&parse(text)).iter().all(is_told))
    }

    /// Whether it is told apart by `const`, and is not what it would be without.
    pub(super) fn is_pinned(&self) -> bool {
        self.is_const && self.is_open()
    }
}

/// What is inferred for a type parameter that is pinned now, or no longer is, where it is seen again: an element of a list can
/// be told, and none can be put into it.
pub(super) fn pinned(old: &str, new: &str, is_seen: impl Fn(&str) -> bool) -> Option<String> {
    let (old, new) = (parameters(old), parameters(new));
    let mut both = old.iter().zip(&new).filter(|(old, new)| old.is_pinned() != new.is_pinned());
    both.find(|(old, new)| is_seen(&old.name) || is_seen(&new.name)).map(|(_, new)| {
        let now = if new.is_const { "as it is written now" } else { "no longer as it is written" };
        format!("what is given for the type parameter `{}` is taken {now}", new.name)
    })
}

/// A type parameter of what has these members that is said to go one way now, where types that differ in it stood for each
/// other as the members let them.
pub(super) fn one_way(old: &str, new: &str, members: &[String]) -> Option<String> {
    let (old, new) = (parameters(old), parameters(new));
    old.iter().zip(&new).find_map(|(old, new)| {
        let (gets_in, gets_out) = (new.is_in && !old.is_in, new.is_out && !old.is_out);
        let is_named = |text: &str| mentions(text).any(|one| one.first() == new.name);
        let is_kept = |text: &&String| {
            let (taken, given) = match group(text, '(', ')') {
                Some((start, end)) => (is_named(&text[start..=end]), is_named(&text[end..])),
                None => (false, is_named(text)),
            };
            let is_method = text.find(['(', ':']).is_some_and(|at| text[at..].starts_with('('));
            match (new.is_in, new.is_out) {
                (true, true) => !taken && !given,
                (true, false) => !(given || taken && is_method),
                _ => !taken,
            }
        };
        let words = if new.is_in && new.is_out {
            "in out"
        } else if new.is_in {
            "in"
        } else {
            "out"
        };
        ((gets_in || gets_out) && !members.iter().all(|text| is_kept(&text)))
            .then(|| format!("the type parameter `{}` is `{words}` now, which fewer stand for", new.name))
    })
}

/// A text with something else for a name.
pub(super) fn with_name(text: &str, name: &str, other: &str) -> String {
    with_names(text, vec![(name.to_owned(), other.to_owned())])
}

pub(super) fn with_names(text: &str, others: Vec<(String, String)>) -> String {
    Renaming(others).text(text)
}

/// Begins what the type parameters of a function are called, whatever they are called.
const PARAMETER: &str = "type$";

/// The parts of a function with other names for its type parameters: what it calls them is nothing to who calls it. `list` is
/// `<…>` or nothing.
pub(super) fn unnamed<const PARTS: usize>(list: &str, parts: [&str; PARTS]) -> (String, [String; PARTS]) {
    let inner = list.strip_prefix('<').and_then(|list| list.strip_suffix('>')).unwrap_or_default();
    let names = parameters(inner);
    // Those of a function around it are there already.
    let number = |text: &str| {
        let all = text.split(PARAMETER).skip(1);
        let digits = |one: &str| one.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok();
        all.filter_map(digits).max().map_or(0, |last: usize| last + 1)
    };
    let first = parts.iter().map(|part| number(part)).chain([number(list)]).max().unwrap_or_default();
    let others = (first..).zip(names).map(|(at, one)| (one.name, format!("{PARAMETER}{at}")));
    let renaming = Renaming(others.collect());
    (renaming.text(list), parts.map(|part| renaming.text(part)))
}

/// What a type calls what it infers, and the keys that it is made over, is nothing to who uses it.
pub(super) fn without_names(text: &str) -> Cow<'_, str> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let mut names: Vec<(String, String)> = Vec::new();
    for after in text.split("infer ").skip(1) {
        let name = after.split(|letter| !is_part(letter)).next().unwrap_or_default();
        if names.iter().all(|(known, _)| known != name) {
            names.push((name.to_owned(), format!("infer${}", names.len())));
        }
    }
    for (before, _) in text.match_indices(" in ").map(|(at, _)| text.split_at(at)) {
        let start = before.rfind(|letter| !is_part(letter)).unwrap_or_default();
        let name = &before[start..];
        if let Some(name) = name.strip_prefix('[').filter(|name| names.iter().all(|(known, _)| known != name))
        {
            names.push((name.to_owned(), format!("key${}", names.len())));
        }
    }
    if names.is_empty() { text.into() } else { Renaming(names).text(text).into() }
}

/// The text before `<…>`, the list in it, and what follows.
pub(super) fn apart(text: &str) -> (&str, &str, &str) {
    let Some(start) = text.find('<') else { return (text, "", "") };
    let mut depth = 0_usize;
    let mut previous = ' ';
    for (at, letter) in text.char_indices().skip_while(|(at, _)| *at < start) {
        match letter {
            '<' => depth += 1,
            '>' if previous != '=' => {
                depth -= 1;
                if depth == 0 {
                    return (&text[..start], &text[start + 1..at], &text[at + 1..]);
                }
            }
            _ => {}
        }
        previous = letter;
    }
    (text, "", "")
}

pub(super) fn parameters(list: &str) -> Vec<Parameter> {
    split(list, &[','])
        .iter()
        .map(|text| {
            let (head, default) = default_of(text);
            let (name, constraint) = match head.split_once(" extends ") {
                // Everything does.
                Some((name, "any" | "unknown")) => (name, None),
                Some((name, constraint)) => (name, Some(constraint.trim().to_owned())),
                None => (head, None),
            };
            let mut words = name.rsplit(' ');
            let name = words.next().unwrap_or(name).to_owned();
            let words: Vec<&str> = words.collect();
            let has = |word: &str| words.contains(&word);
            let (is_const, is_in, is_out) = (has("const"), has("in"), has("out"));
            Parameter { name, is_const, is_in, is_out, constraint, default }
        })
        .collect()
}

/// `T extends (a: A) => B = C`: the `=` of the default is in no bracket and no arrow.
fn default_of(text: &str) -> (&str, Option<String>) {
    let after_groups = group(text, '(', ')').map_or(0, |(_, end)| end);
    let at = text[after_groups..].rfind(" = ").map(|at| at + after_groups).or_else(|| text.rfind(" = "));
    match at {
        Some(at) => (text[..at].trim_end(), Some(text[at + 3..].trim().to_owned())),
        None => (text, None),
    }
}
