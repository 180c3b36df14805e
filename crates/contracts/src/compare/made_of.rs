//! Types that are made of a value by `typeof`, as a key, or as a member of an enum: a list that goes on has all that it had, and a choice of its elements is one
//! more to who has to know them all.

use super::expand::{expanded, instantiated, type_of};
use super::exported::names;
use super::form::Form;
use super::origins::{In, Origins};
use super::signature::{group, inside};
use super::types::{Type, parse};
use super::users::{importing, leading_to, users_of};
use super::{Verdict, judge_pair, same_signatures};
use crate::mentions::{Mention, is_enum, is_key, mentions};
use crate::model::{Contract, ContractDeclaration, DeclarationKind};

const TYPEOF: &str = "typeof ";
/// Longer texts are not written out.
const LONGEST: usize = 8_000;
/// Types that are what they are given, as far as it can be told what that means. Of others a part may be all that matters.
const TOLD: [&str; 16] = [
    "Array",
    "Exclude",
    "Extract",
    "Iterable",
    "Map",
    "NonNullable",
    "Omit",
    "Partial",
    "Pick",
    "Promise",
    "Readonly",
    "ReadonlyArray",
    "ReadonlySet",
    "Record",
    "Required",
    "Set",
];

/// What is no longer what it was because a value is not, which by itself breaks nobody: why, and who uses it.
pub(super) fn broken(
    origins: &Origins<'_, '_>,
    was: In<'_, ContractDeclaration>,
    is: In<'_, ContractDeclaration>,
) -> Option<(String, Vec<String>)> {
    if same_signatures(was.1, is.1) {
        return None;
    }
    let change = (Meaning::of(was)?, Meaning::of(is)?);
    let found = of_file(origins, was.0, is.0, &change, |_, text| text == was.1.name)
        .into_iter()
        .chain(elsewhere(origins, was, is, &change));
    let mut reason = None;
    let mut users = Vec::new();
    for one in found {
        reason.get_or_insert(one.reason);
        users.extend(one.used_by);
    }
    Some((reason?, users))
}

/// One declaration that is broken.
struct Broken {
    reason: String,
    used_by: Vec<String>,
}

/// What other files make of it.
fn elsewhere(
    origins: &Origins<'_, '_>,
    was: In<'_, ContractDeclaration>,
    is: In<'_, ContractDeclaration>,
    change: &(Meaning, Meaning),
) -> Vec<Broken> {
    let Some(graph) = origins.before.graph else { return Vec::new() };
    let Some(own) = graph.position(&was.0.entry_id) else { return Vec::new() };
    let names = names(was.0, was.1);
    let users: std::collections::BTreeSet<usize> =
        names.iter().flat_map(|name| importing(graph, own, name)).collect();
    let leads = |is_now: bool, file: &Contract, one: &ContractDeclaration, text: &str| {
        let (home, meant) = if is_now { is } else { was };
        one.imported.iter().filter(|imported| imported.text.split('.').eq(text.split('.'))).any(|imported| {
            let found = origins.target(is_now, file, imported);
            found.is_some_and(|(path, found)| path == home.entry_id && found.name == meant.name)
        })
    };
    let of_user = |user: usize| {
        let path = graph.path(user);
        let old = *origins.before.contracts.get(path)?;
        let new = *origins.after.contracts.get(origins.path_now(path))?;
        let is_it = |one: &ContractDeclaration, text: &str| leads(false, old, one, text);
        let mut found = of_file(origins, old, new, change, is_it);
        for one in &mut found {
            one.used_by.push(path.to_owned());
            one.reason = format!("{path}: {}", one.reason);
        }
        Some(found)
    };
    users.into_iter().filter_map(of_user).flatten().collect()
}

/// What of a file names a value that `is_it`, and means something else by it now.
fn of_file(
    origins: &Origins<'_, '_>,
    old: &Contract,
    new: &Contract,
    change: &(Meaning, Meaning),
    is_it: impl Fn(&ContractDeclaration, &str) -> bool,
) -> Vec<Broken> {
    let mut found: Vec<Broken> = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    let names_it = |one: &&ContractDeclaration| {
        let is_it = |text: &str| is_it(one, text);
        // What it is given to may ask for all of it.
        change.0.is_named(one, is_it)
            || texts(one).any(|text| text.contains('<') && mentions(text).any(|mention| is_it(mention.text)))
                && change.0.is_named(&instantiated(origins, false, (old, one)), is_it)
    };
    for one in old.declarations.iter().filter(names_it) {
        for seen in leading_to(old, one).filter(|seen| seen.exported) {
            // A type may have the name of the value that it is made of.
            let same = |other: &&ContractDeclaration| {
                (&other.name, other.kind) == (&seen.name, seen.kind) && other.exported
            };
            // What is written otherwise now is judged by itself.
            let now = new.declarations.iter().find(same).filter(|now| same_signatures(seen, now));
            let Some(now) = now.filter(|_| !known.contains(&seen.name.as_str())) else { continue };
            let whole = |is_now: bool, file: &Contract, of: &ContractDeclaration, meaning: &Meaning| {
                let whole = if std::ptr::eq(one, seen) { None } else { expanded(file, of) };
                let plain = instantiated(origins, is_now, (file, whole.as_ref().unwrap_or(of)));
                meaning.written_out(&plain, |text| is_it(one, text))
            };
            let Some((before, after)) =
                whole(false, old, seen, &change.0).zip(whole(true, new, now, &change.1))
            else {
                continue;
            };
            if let Some((Verdict::Breaking, reason)) = judge_pair(&before, &after) {
                known.push(&seen.name);
                let used_by = users_of(origins, (old, seen), Some(now));
                found.push(Broken { reason: format!("`{}` is made of it: {reason}", seen.name), used_by });
            }
        }
    }
    found
}

/// The type of a value that is no function, with what is cut off as one more part of it.
fn value(one: &ContractDeclaration) -> Option<String> {
    let [signature] = one.signatures.as_slice() else { return None };
    if !matches!(one.kind, DeclarationKind::Constant | DeclarationKind::Variable) {
        return None;
    }
    let Form::Value(text) = Form::of(one.kind, signature) else { return None };
    let Some((before, rest)) = text.split_once('…').filter(|(_, rest)| rest.contains(" #")) else {
        return Some(text);
    };
    let (more, rest) = rest.split_once([' ', ']', '}'])?;
    let end = if before.starts_with('[') { ']' } else { '}' };
    let is_frozen = if rest.ends_with(" as const") { " as const" } else { "" };
    Some(format!("{before}'…{more}'{end}{is_frozen}"))
}

fn texts(one: &ContractDeclaration) -> impl Iterator<Item = &str> {
    let props = one.props.iter().flatten().map(|prop| prop.text.as_str());
    one.signatures.iter().map(String::as_str).chain(props)
}

/// What of a value is meant: `['a', 'b']` of `KEYS.a.b`.
fn path(text: &str, is_it: impl Fn(&str) -> bool) -> Option<Vec<&str>> {
    let ends = text.match_indices('.').map(|(at, _)| at).chain([text.len()]);
    let end = ends.into_iter().find(|end| is_it(&text[..*end]))?;
    Some(text[end..].split('.').filter(|part| !part.is_empty()).collect())
}

/// What something is that others may be made of.
enum Meaning {
    /// The type of a value.
    Value(String),
    /// The members of an object: who is made of its keys, or asks for all of them, sees also those that may be absent.
    Object(String),
}

impl Meaning {
    fn of((file, one): In<'_, ContractDeclaration>) -> Option<Self> {
        match one.kind {
            DeclarationKind::Interface | DeclarationKind::Type => {
                type_of(file, one).filter(|text| inside(text, '{', '}').is_some()).map(Self::Object)
            }
            _ => value(one).map(Self::Value),
        }
    }

    /// Whether a declaration names it in a way that makes something else of it.
    fn is_named(&self, one: &ContractDeclaration, is_it: impl Fn(&str) -> bool) -> bool {
        texts(one).any(|text| {
            mentions(text).any(|mention| match self {
                Self::Value(_) => mention.is_value && path(mention.text, &is_it).is_some(),
                Self::Object(_) => is_it(mention.text) && is_asked_for(text, &mention),
            })
        })
    }

    /// A declaration with what it is in place of its name.
    fn written_out(
        &self,
        one: &ContractDeclaration,
        is_it: impl Fn(&str) -> bool,
    ) -> Option<ContractDeclaration> {
        let text = |text: &String| match self {
            Self::Value(value) => with_value(text, value, &is_it),
            Self::Object(object) => with_object(text, object, &is_it),
        };
        let signatures = one.signatures.iter().map(text).collect::<Option<Vec<_>>>()?;
        let mut props = one.props.clone();
        for prop in props.iter_mut().flatten() {
            prop.text = text(&prop.text)?;
        }
        Some(ContractDeclaration { signatures, props, ..one.clone() })
    }
}

/// Whether a type is named for all of its keys, those of members that may be absent among them.
fn is_asked_for(text: &str, mention: &Mention<'_>) -> bool {
    let (before, _) = around(text, mention);
    before.ends_with("Required<") || before.ends_with("keyof ") && !keeps_marks(text, mention)
}

/// `[K in keyof O]`: what is made so may be absent where it may in `O`, unless it says that it may not.
fn keeps_marks(text: &str, mention: &Mention<'_>) -> bool {
    let (before, after) = around(text, mention);
    before.ends_with(" in keyof ") && after.starts_with(']') && !after.starts_with("]-?")
}

/// What stands before a name, and after it, without brackets that hold it alone.
fn around<'t>(text: &'t str, mention: &Mention<'_>) -> (&'t str, &'t str) {
    let (mut before, mut after) = (&text[..mention.start], &text[mention.start + mention.text.len()..]);
    while let Some((outer, rest)) = before.strip_suffix('(').zip(after.strip_prefix(')')) {
        (before, after) = (outer, rest);
    }
    (before, after)
}

fn with_object(text: &str, object: &str, is_it: impl Fn(&str) -> bool) -> Option<String> {
    let mut whole = String::new();
    let mut places = Vec::new();
    let mut done = 0;
    for mention in mentions(text).filter(|mention| !mention.is_value && is_it(mention.text)) {
        if keeps_marks(text, &mention) {
            continue;
        }
        whole.push_str(&text[done..mention.start]);
        let start = whole.len();
        whole.extend(["(", object, ")"]);
        places.push(start..whole.len());
        done = mention.start + mention.text.len();
        if whole.len() > LONGEST {
            return None;
        }
    }
    whole.push_str(&text[done..]);
    places.into_iter().all(|place| is_told(&whole, place)).then_some(whole)
}

fn with_value(text: &str, value: &str, is_it: impl Fn(&str) -> bool) -> Option<String> {
    let mut whole = String::new();
    let mut places = Vec::new();
    let mut done = 0;
    for mention in mentions(text).filter(|mention| mention.is_value) {
        let Some(path) = path(mention.text, &is_it) else { continue };
        let end = mention.start + mention.text.len();
        let Some(before) = text[..mention.start].strip_suffix(TYPEOF) else {
            if is_enum(text) || is_key(text, mention.start..end) {
                let keys = path.iter().map(|part| format!("['{part}']")).collect::<Vec<_>>().concat();
                let Type::Text(literal) = parse(&format!("({value}){keys}")) else { return None };
                whole.extend([&text[done..mention.start], &literal]);
                done = end;
            }
            continue;
        };
        whole.push_str(&text[done..before.len()]);
        let start = whole.len();
        whole.extend(["(", value, ")"]);
        whole.extend(path.iter().map(|part| format!("['{part}']")));
        places.push(start..whole.len());
        done = end;
        if whole.len() > LONGEST {
            return None;
        }
    }
    whole.push_str(&text[done..]);
    places.into_iter().all(|place| is_told(&whole, place)).then_some(whole)
}

/// Whether it is known what a type makes of what stands at a place in it.
fn is_told(text: &str, place: std::ops::Range<usize>) -> bool {
    let std::ops::Range { mut start, mut end } = place;
    // What stands under each key is whatever that is given to, once the keys are known.
    if let Some((from, to)) = made_over(text, start..end) {
        return matches!(parse(&text[from..to]), Type::Object(_)) && is_told(text, from..to);
    }
    loop {
        if let Some((0, last)) = group(&text[end..], '[', ']').filter(|(_, last)| *last > 1) {
            end += last + 1;
        } else if text[..start].ends_with("keyof ") {
            start -= "keyof ".len();
        } else if text[..start].ends_with('(') && text[end..].starts_with(')') {
            (start, end) = (start - 1, end + 1);
        } else {
            break;
        }
    }
    is_whole(&parse(&text[start..end])) && openers(&text[..start]).all(|name| TOLD.contains(&name))
}

/// The braces around `O[K]` that are made over the keys that `K` is.
fn made_over(text: &str, of: std::ops::Range<usize>) -> Option<(usize, usize)> {
    let (_, last) = group(&text[of.end..], '[', ']').filter(|(start, _)| *start == 0)?;
    let key = &text[of.end + 1..of.end + last];
    let begins = text[..of.start].rfind(&format!("[{key} in "))?;
    let start = text[..begins].rfind('{')?;
    let is_all = matches!(text[start + 1..begins].trim(), "" | "readonly" | "+readonly" | "-readonly");
    let (_, end) = group(&text[start..], '{', '}').filter(|_| is_all)?;
    (of.end < start + end).then_some((start, start + end + 1))
}

/// Whose arguments something stands in, by what stands before it.
fn openers(before: &str) -> impl Iterator<Item = &str> {
    let mut open: Vec<usize> = Vec::new();
    let mut previous = ' ';
    for (at, letter) in before.char_indices() {
        match letter {
            '<' => open.push(at),
            '>' if previous != '=' => {
                open.pop();
            }
            _ => {}
        }
        previous = letter;
    }
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.');
    open.into_iter().map(move |at| {
        let head = &before[..at];
        &head[head.trim_end_matches(is_part).len()..]
    })
}

/// Whether nothing in a type is only a text that nobody took apart.
fn is_whole(ty: &Type) -> bool {
    match ty {
        Type::Union(parts) | Type::Intersection(parts) | Type::Tuple(parts) => parts.iter().all(is_whole),
        Type::Function { .. } | Type::Predicate(_) => true,
        Type::Object(members) => members.iter().all(|one| !one.name.starts_with("...") && is_whole(&one.ty)),
        Type::Array { of, .. } => is_whole(of),
        Type::Named { name, arguments } => {
            name == "readonly" && arguments.iter().all(is_whole) || TOLD.contains(&&**name)
        }
        Type::Text(text) => text.starts_with('\'') || !text.contains(['(', '[', '{', ' ']),
    }
}
