//! What a signature tells of a value that nobody annotated: its members by name, and a digest over what is too long to be
//! read out.

use super::choice;
use super::signature::{group, split};
use super::stands::{From, stands_for};
use super::types::{Type, is_plain, parse};
use super::verdict::{Judgement, breaking, compatible};

/// Said by a signature where nothing is annotated.
pub(super) const INFERRED: &str = "inferred";

/// Two values of which at least one has a digest, and behind it how many names there are in all: `{ a, b, …12 more }
/// #5f3a9c1e.31`. `None` for any other.
pub(super) fn judge_marked(was: &str, is: &str) -> Option<Judgement> {
    let ((before, was_mark), (after, is_mark)) = (unmarked(was), unmarked(is));
    if was_mark.is_none() && is_mark.is_none() {
        return None;
    }
    // It was short enough to be read out with the calls that make its members, and is no longer.
    if was_mark.is_none() && is_mark.is_some_and(|mark| mark.contains('.')) {
        let names = without_calls(before);
        if names != before {
            let keeps = stands_for(&parse(after), &parse(&names), From::Declaration);
            return if keeps { Some(compatible("members were added")) } else { judge_marked(&names, is) };
        }
    }
    // It was short enough to be read out whole, and is no longer.
    if was_mark.is_none() && is_mark.is_some_and(|mark| mark.contains('.')) && before.contains(": {") {
        let (outer, names) = outermost(before);
        return judge_marked(&format!("{outer} #00000000.{names}"), is);
    }
    if was_mark == is_mark {
        return Some(compatible("it has the same members, in another order"));
    }
    let (had, has) = (count(before), count(after));
    let is_cut = had.is_some_and(|(_, cut)| cut) || has.is_some_and(|(_, cut)| cut);
    Some(match (had, has) {
        (Some((had, _)), Some((has, _))) if is_cut && has > had && before.starts_with('{') => {
            compatible(format!("it has {has} members, and had {had}"))
        }
        (Some((had, _)), Some((has, _)))
            if is_cut && has == had && before.starts_with('{') && has_more(was_mark, is_mark) =>
        {
            compatible("members were added to its members")
        }
        _ if is_cut && before.starts_with('[') && is_listed(before, after, true) => {
            compatible("it has what it had, and perhaps more")
        }
        (Some((had, _)), Some((has, _)))
            if !is_cut && stands_for(&parse(after), &parse(before), From::Declaration) =>
        {
            if had == has && !has_more(was_mark, is_mark) {
                breaking("what its members are changed")
            } else {
                compatible("members were added")
            }
        }
        _ => breaking("its members changed"),
    })
}

/// Two values that are known by the names in what calls were given: `inferred object({ id, name })`. `None` for any other.
pub(super) fn judge_keyed(was: &str, is: &str) -> Option<Judgement> {
    /// What these are told is taken away, or nothing else is left.
    const CHOOSE: &[&str] = &["omit", "pick", "exclude", "without"];
    let ((before, was_mark), (after, is_mark)) = (keyed(was)?, keyed(is)?);
    let names = |calls: &[(&str, &str)]| calls.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>();
    if names(&before) != names(&after) {
        return Some(breaking("it is made by other calls"));
    }
    let marked = |text: &str, mark: Option<&str>| match mark {
        Some(mark) => format!("{text} #{mark}"),
        None => text.to_owned(),
    };
    let each = before.iter().zip(&after).filter(|(one, other)| one != other);
    let judged = each.map(|((name, had), (_, has))| {
        if CHOOSE.contains(name) {
            return breaking(format!("`{name}` is told otherwise"));
        }
        if !had.starts_with('{') && was_mark != is_mark && is_listed(had, has, false) {
            return compatible("more is listed");
        }
        judge_marked(&marked(had, was_mark), &marked(has, is_mark)).unwrap_or_else(|| {
            if had.starts_with('{') && is_told_at_last(had, has) {
                return breaking(format!("what a member is that `{name}` is given may have changed"));
            }
            match (keeps_given(had, has), name.is_empty()) {
                (true, true) => compatible("more is listed"),
                (true, false) => compatible(format!("`{name}` is given more")),
                (false, true) => breaking("something that was listed went"),
                (false, false) => breaking(format!("something that `{name}` was given went")),
            }
        })
    });
    let deep = || {
        (was_mark != is_mark).then(|| {
            if has_more(was_mark, is_mark) {
                compatible("it is made of more")
            } else {
                breaking("what it is made of changed")
            }
        })
    };
    judged.min().or_else(deep).or_else(|| Some(compatible("it is made of the same")))
}

/// Whether it is told of a member what it is, and was not, or was known by the name of another value: it may have been that
/// before, or something else.
fn is_told_at_last(was: &str, is: &str) -> bool {
    let members = |text: &str| -> Vec<(String, String)> {
        let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or_default();
        let each = split(inner, &[',']).into_iter();
        let parts = each.map(|one| match one.split_once(": ") {
            Some((name, ty)) => (name.trim().to_owned(), ty.trim().to_owned()),
            None => (one.trim().to_owned(), String::new()),
        });
        parts.collect()
    };
    // What it stands for may have been written out.
    let is_name = |ty: &str| {
        let ty = ty.trim_start_matches('(');
        ty.starts_with("typeof ") || ty.starts_with(INFERRED)
    };
    let after = members(is);
    members(was).iter().any(|(name, had)| {
        let again = after.iter().find(|(other, _)| other == name);
        again.is_some_and(|(_, has)| {
            had.is_empty() && !has.is_empty()
                || is_name(had) && !is_name(has)
                || had.starts_with('{') && is_told_at_last(had, has)
        })
    })
}

/// Of an object its members, of what is handed over by name each name.
fn keeps_given(had: &str, has: &str) -> bool {
    if had.starts_with('{') {
        return has.starts_with('{') && keeps(had, has);
    }
    let each = |text: &str| split(text.get(1..text.len() - 1).unwrap_or_default(), &[',']);
    let after = each(has);
    each(had).iter().all(|one| after.contains(one))
}

/// Whether a value is known by the call that makes it, or by what it lists: `inferred make<string>`, `inferred [a, b]`.
pub(super) fn is_made(text: &str) -> bool {
    members(text).is_some_and(|(told, _)| is_word(told)) || keyed(text).is_some()
}

/// Whether nothing but the calls that make it tell what it is: `inferred signal()`.
pub(super) fn is_called(text: &str) -> bool {
    keyed(text).is_some_and(|(calls, _)| calls.iter().all(|(name, _)| is_word(name)))
}

/// Whether it cannot be told what one is beside the other: what is made by calls is known beside other calls alone.
pub(super) fn is_unknown_beside(one: &str, other: &str) -> bool {
    if one == INFERRED { !is_called(other) } else { is_called(one) && !other.starts_with(INFERRED) }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '$'))
}

/// Whether a type that was written down may only have been left out: what is inferred then stands for it. What can be seen
/// of the value is looked at. Of what could be anything, that it still is cannot be told.
pub(super) fn is_left_out(was: &str, is: &str) -> bool {
    // Another name is nothing that was written down.
    if was.starts_with(INFERRED) || !is.starts_with(INFERRED) || was == "any" || was.starts_with("typeof ") {
        return false;
    }
    let Some((told, also)) = members(is) else { return true };
    let parts = match parse(was) {
        Type::Union(parts) => parts,
        one => vec![one],
    };
    let is_open = |part: &Type| match part {
        Type::Text(text) => is_name_of_type(text),
        part => matches!(part, Type::Named { .. } | Type::Intersection(_)),
    };
    let fits = |part: &Type, told: &str| {
        let plain = Some(parse(told)).filter(is_plain);
        match (part, &plain) {
            // What is made by a call may be anything.
            _ if is_word(told) && plain.is_none() => true,
            (Type::Object(_), _) => {
                told.starts_with('{') && stands_for(&parse(told), part, From::Declaration)
            }
            (Type::Array { .. } | Type::Tuple(_), _) => told.starts_with('['),
            (Type::Function { .. }, _) => told.starts_with(['(', '<']),
            // Of several literals it is told what they are of.
            (Type::Text(_), Some(of)) => is_open(part) || stands_for(part, of, From::Declaration),
            _ => is_open(part),
        }
    };
    let told = choice::parts(told).unwrap_or_else(|| vec![told.to_owned()]);
    let is_one_of =
        |told: &String| choice::unread(told).is_some() || parts.iter().any(|part| fits(part, told));
    let admits =
        |one: &&str| parts.iter().any(|part| is_open(part) || *part == Type::Text((**one).to_owned()));
    told.iter().all(is_one_of) && also.iter().all(admits)
}

/// One that is declared somewhere, and may be anything.
fn is_name_of_type(text: &str) -> bool {
    !matches!(
        text,
        "string"
            | "number"
            | "bigint"
            | "symbol"
            | "true"
            | "false"
            | "null"
            | "undefined"
            | "void"
            | "never"
    ) && is_word(text)
}

/// Whether a component that was made one with its parts has lost some of them.
pub(super) fn lost_parts(was: &[String], is: &[String]) -> bool {
    let made = |signatures: &[String]| -> Option<String> {
        let (_, made) = signatures.first()?.split_once(&format!(": {INFERRED} "))?;
        Some(format!("{INFERRED} {made}"))
    };
    match (made(was), made(is)) {
        (Some(was), Some(is)) => {
            was != is
                && judge_keyed(&was, &is).is_some_and(|(verdict, _)| verdict == super::Verdict::Breaking)
        }
        (Some(was), None) => keyed(&was).is_some(),
        (None, _) => false,
    }
}

/// The calls with what is in their objects, and the digest.
#[expect(clippy::type_complexity, reason = "a pair of pairs that is taken apart at once")]
fn keyed(text: &str) -> Option<(Vec<(&str, &str)>, Option<&str>)> {
    let (mut rest, mark) = unmarked(text.strip_prefix(INFERRED)?.strip_prefix(' ')?);
    let mut calls = Vec::new();
    while !rest.is_empty() {
        let brackets = if rest.starts_with('[') { ['[', ']'] } else { ['(', ')'] };
        let (start, end) = group(rest, brackets[0], brackets[1])?;
        let name = rest.get(..start).filter(|name| !name.contains([' ', '{', '=', ':']))?;
        let inner = rest.get(start + 1..end)?;
        let is_object = inner.starts_with('{') && inner.ends_with('}');
        calls.push((name, if is_object { inner } else { rest.get(start..=end)? }));
        rest = rest.get(end + 1..)?.trim_start();
    }
    (!calls.is_empty()).then_some((calls, mark))
}

/// Whether who uses what a function gave can use what it gives.
pub(super) fn gives(was: &str, is: &str) -> bool {
    // Nobody used what was nothing; a promise is to be waited for.
    let of_nothing = match was {
        "void" => !is.trim_start_matches("inferred ").starts_with("Promise<"),
        "Promise<void>" => is.starts_with("Promise<") && split(is, &['|']).len() == 1,
        _ => false,
    };
    if was == is || was == INFERRED || of_nothing || is_left_out(was, is) {
        return true;
    }
    if is == INFERRED {
        return false;
    }
    if is_called(was) && is_called(is) {
        return judge_keyed(was, is).is_none_or(|(verdict, _)| verdict != super::Verdict::Breaking);
    }
    match (members(was), members(is)) {
        (Some((before, also)), Some((after, more))) => {
            let is_open = choice::is_open(before);
            more.iter().all(|one| is_open || also.contains(one)) && keeps(before, after)
        }
        // What somebody declares under a name cannot be looked at.
        (Some((before, also)), None) => match parse(is) {
            // What each of several is, is said now.
            Type::Union(parts) if before.starts_with('{') && parts.iter().all(is_plain) => {
                let is_nothing = |part: &String| matches!(part.as_str(), "null" | "undefined");
                let (more, after): (Vec<String>, Vec<String>) =
                    split(is, &['|']).into_iter().partition(is_nothing);
                more.iter().all(|one| also.contains(&one.as_str())) && keeps(before, &after.join(" | "))
            }
            Type::Object(_) => !before.starts_with('{') || keeps(before, is),
            Type::Function { .. } => !before.contains("=>") || keeps(before, is),
            Type::Text(text) if text == "void" => false,
            text @ Type::Text(_) if is_plain(&text) && is_plain(&parse(before)) => keeps(before, is),
            _ => true,
        },
        _ => stands_for(&parse(is), &parse(was), From::Declaration),
    }
}

/// Whether the ref of a component is said to hold something else: `inferred forwardRef<HTMLInputElement, Props>`.
pub(super) fn other_ref(was: &[String], is: &[String]) -> bool {
    let held = |signatures: &[String]| {
        let types = signatures.first()?.split_once("forwardRef<")?.1.strip_suffix('>')?;
        // What nobody says takes whatever there is.
        let held = split(types, &[',']);
        Some(parse(held.first().filter(|held| held.as_str() != "unknown")?))
    };
    held(was).zip(held(is)).is_some_and(|(was, is)| !stands_for(&is, &was, From::Declaration))
}

fn keeps(before: &str, after: &str) -> bool {
    if before == after {
        return true;
    }
    if choice::parts(before).or_else(|| choice::parts(after)).is_some() {
        return choice::keeps(before, after, keeps);
    }
    match judge_marked(before, after) {
        Some((verdict, _)) => verdict != super::Verdict::Breaking,
        None => stands_for(&first_of(parse(after), &parse(before)), &parse(before), From::Declaration),
    }
}

/// Of a list that nobody said to be so long, as much as there was: who takes it apart goes on.
fn first_of(list: Type, was: &Type) -> Type {
    match (list, was) {
        (Type::Tuple(mut parts), Type::Tuple(known)) => {
            parts.truncate(known.len().max(1));
            Type::Tuple(parts)
        }
        (other, _) => other,
    }
}

/// `inferred { a, b } | null` in its parts.
fn members(result: &str) -> Option<(&str, Vec<&str>)> {
    let mut told = result.strip_prefix(INFERRED)?.strip_prefix(' ')?;
    let mut also = Vec::new();
    while let Some((before, last @ ("null" | "undefined"))) = told.rsplit_once(" | ") {
        also.push(last);
        told = before;
    }
    Some((told, also))
}

/// The text without its digest.
fn unmarked(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(" #") {
        Some((before, mark)) if is_mark(mark) => (before, Some(mark)),
        _ => (text, None),
    }
}

/// An object with the objects in it as `{ … }`, and how many names there are in all of them.
fn outermost(text: &str) -> (String, usize) {
    let (mut outer, mut names) = (String::new(), 0);
    // What is in brackets of a type is no member.
    let (mut depth, mut brackets, mut last) = (0_usize, 0_usize, ' ');
    for letter in text.chars() {
        match letter {
            '(' | '<' | '[' => brackets += 1,
            ')' | ']' => brackets = brackets.saturating_sub(1),
            '>' if last != '=' => brackets = brackets.saturating_sub(1),
            '{' if brackets == 0 => {
                depth += 1;
                names += 1;
                if depth == 2 {
                    outer.push_str("{ … }");
                }
            }
            ';' | ',' if brackets == 0 => names += 1,
            _ => {}
        }
        if depth < 2 {
            outer.push(letter);
        }
        if letter == '}' && brackets == 0 {
            depth = depth.saturating_sub(1);
        }
        last = letter;
    }
    (outer, names)
}

/// `{ id, at: { on } }` for `{ id: string(), at: { on: array(date()) } }`.
fn without_calls(text: &str) -> String {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.');
    let (mut names, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(": ") {
        let value = &rest[at + 2..];
        let word = value.find(|letter| !is_word(letter)).unwrap_or(value.len());
        if word == 0 || !value[word..].starts_with('(') {
            names.push_str(&rest[..at + 2]);
            rest = value;
            continue;
        }
        names.push_str(&rest[..at]);
        let first = split(value, &[',']).into_iter().next().unwrap_or_default();
        let end = first.find(" }").unwrap_or(first.len());
        rest = &value[end.min(value.len())..];
    }
    names + rest
}

fn is_mark(mark: &str) -> bool {
    let digest = mark.split('.').next().unwrap_or(mark);
    digest.len() == 8 && digest.bytes().all(|one| one.is_ascii_hexdigit())
}

/// Whether the second of two digests stands for more names.
fn has_more(was: Option<&str>, is: Option<&str>) -> bool {
    let count = |mark: Option<&str>| mark?.split_once('.')?.1.parse::<usize>().ok();
    count(was).zip(count(is)).is_some_and(|(was, is)| is > was)
}

/// How many members or elements there are, and whether some are not read out.
fn count(text: &str) -> Option<(usize, bool)> {
    let (parts, more) = read_out(text)?;
    Some((parts.len() + more, more > 0))
}

/// The members or elements that are read out, and how many are not.
fn read_out(text: &str) -> Option<(Vec<String>, usize)> {
    let inner = text.strip_prefix(['{', '[', '('])?.strip_suffix(['}', ']', ')'])?;
    let mut parts = split(inner, &[',', ';']);
    let more =
        parts.last().and_then(|last| last.strip_prefix('…')?.strip_suffix(" more")?.parse::<usize>().ok());
    if more.is_some() {
        parts.pop();
    }
    Some((parts, more.unwrap_or(0)))
}

/// Whether more is listed than was, and what was read out still is, as far as it can be seen: what came before it may have
/// moved the last of it out of sight.
fn is_listed(had: &str, has: &str, in_order: bool) -> bool {
    let Some(((before, unread), (after, left))) = read_out(had).zip(read_out(has)) else { return false };
    if before.len() + unread >= after.len() + left {
        return false;
    }
    if in_order {
        return before.iter().zip(&after).all(|(one, other)| one == other);
    }
    let (kept, gone): (Vec<&String>, Vec<&String>) = before.iter().partition(|one| after.contains(one));
    gone.len() <= left && before.iter().skip(kept.len()).all(|one| gone.contains(&one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Verdict;

    fn verdict(was: &str, is: &str) -> Option<Verdict> {
        judge_marked(was, is).map(|(verdict, _)| verdict)
    }

    #[test]
    fn what_is_too_long_to_be_read_out_is_known_by_its_digest() {
        assert_eq!(verdict("{ a, b }", "{ a }"), None);
        assert_eq!(verdict("{ a, b } #00000001", "{ a, b } #00000002"), Some(Verdict::Breaking));
        assert_eq!(verdict("{ a, b } #00000001", "{ a, b, c } #00000002"), Some(Verdict::Compatible));
        assert_eq!(verdict("{ a, b } #00000001", "{ a, c, d } #00000002"), Some(Verdict::Breaking));
        assert_eq!(
            verdict("{ a, …7 more } #00000001", "{ a, …8 more } #00000002"),
            Some(Verdict::Compatible)
        );
        assert_eq!(verdict("{ a, …7 more } #00000001", "{ a, …6 more } #00000002"), Some(Verdict::Breaking));
        assert_eq!(verdict("[1, …7 more] #00000001", "[1, …8 more] #00000002"), Some(Verdict::Compatible));
        assert_eq!(verdict("[1, …7 more] #00000001", "[2, …8 more] #00000002"), Some(Verdict::Breaking));
        assert_eq!(verdict("[1, …7 more] #00000001", "[1, …7 more] #00000002"), Some(Verdict::Breaking));
        assert_eq!(
            outermost("{ a: { x: 1; y: (p: { q: 1 }) => void }; b: string }").0,
            "{ a: { … }; b: string }"
        );
        let whole = "{ a: { x: number; y: number }; b: { z: string } }";
        assert_eq!(verdict(whole, "{ a: { … }; b: { … } } #00000002.6"), Some(Verdict::Compatible));
        assert_eq!(verdict(whole, "{ a: { … }; b: { … } } #00000002.5"), Some(Verdict::Breaking));
        assert_eq!(verdict(whole, "{ a: { … }; c: { … } } #00000002.6"), Some(Verdict::Breaking));
        let deep = "{ a: { … }; b: { … } }";
        let marked = |count: usize| format!("{deep} #0000000{count}.{count}");
        assert_eq!(verdict(&marked(4), &marked(5)), Some(Verdict::Compatible));
        assert_eq!(verdict(&marked(5), &marked(4)), Some(Verdict::Breaking));
        assert_eq!(verdict(&marked(5), &format!("{deep} #00000006.5")), Some(Verdict::Breaking));
    }

    #[test]
    fn what_was_read_out_with_calls_is_known_by_its_names() {
        let text = "{ at: { on: array(date(), ['a, b']).min() }, id: string(), no }";
        assert_eq!(without_calls(text), "{ at: { on }, id, no }");
        for text in ["{ a, b }", "{ run: (a: string) => void }", ": x", "", "{ a: b"] {
            assert_eq!(without_calls(text), text);
        }
        assert_eq!(without_calls("{ a: b("), "{ a");
    }

    #[test]
    fn what_is_given_may_have_more_members_and_not_fewer() {
        for (was, is) in [
            ("inferred { a, b }", "inferred { a, b, c }"),
            ("inferred", "inferred { a }"),
            ("inferred { a } | null", "inferred { a }"),
            ("inferred { a, b }", "{ a: string; b: number }"),
            ("inferred { a, b }", "Result"),
        ] {
            assert!(gives(was, is), "{was} -> {is}");
        }
        for (was, is) in [
            ("inferred { a, b }", "inferred { a }"),
            ("inferred { a }", "inferred"),
            ("inferred { a }", "inferred { a } | null"),
            ("inferred { a, b }", "{ a: string }"),
            ("inferred [_, _]", "inferred [_]"),
            ("inferred { ...base, a }", "inferred { a }"),
        ] {
            assert!(!gives(was, is), "{was} -> {is}");
        }
    }
}
