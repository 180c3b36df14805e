//! Texts that constants hold, of other files too, where they are part of a route: its path, its versions.

use becket_base::divided;

use super::scope::{Found, Resolver, Scope};
use crate::model::{Declaration, Route};

/// Constants that hold each other, one after the other.
const DEEPEST: usize = 6;

/// `/${PREFIX}/a` with what `PREFIX` is, where it is a text.
pub(super) fn known<'l>(path: &str, scope: Scope<'l>, resolver: &Resolver<'l>) -> String {
    known_within(path, scope, resolver, DEEPEST)
}

fn known_within<'l>(path: &str, scope: Scope<'l>, resolver: &Resolver<'l>, depth: usize) -> String {
    let Some((before, rest)) = path.split_once("${") else { return path.to_owned() };
    let Some((name, after)) = divided::around_first(rest, b'}') else { return path.to_owned() };
    let own = name.strip_prefix(Route::HIDDEN);
    let text = match own {
        Some(_) => None,
        None => text_of(name, scope, resolver, depth),
    };
    let after = known_within(after, scope, resolver, depth);
    match text {
        // `/${PREFIX}/a`, whether `PREFIX` has strokes around it or not.
        Some(text) => {
            let start = if before.ends_with('/') { text.trim_start_matches('/') } else { &text };
            let text = if after.starts_with('/') { start.trim_end_matches('/') } else { start };
            format!("{before}{text}{after}")
        }
        None => format!("{before}${{{}}}{after}", own.unwrap_or(name)),
    }
}

/// The text that a constant holds, or a member of one: `PREFIX`, `ROUTES.users.list`.
fn text_of<'l>(name: &str, scope: Scope<'l>, resolver: &Resolver<'l>, depth: usize) -> Option<String> {
    let (file, constant, member) = constant(name, scope, resolver)?;
    let held = || texts_of(file, &constant.name, member).next();
    let said = || {
        let signature = constant.signatures.first().filter(|_| member.is_empty())?;
        let (_, value) = signature.strip_prefix("const ")?.split_once(" = ")?;
        value.strip_prefix('\'')?.strip_suffix('\'')
    };
    let text = held().or_else(said)?;
    // One that holds another goes on.
    if !text.contains("${") {
        return Some(text.to_owned());
    }
    let whole = known_within(text, file, resolver, depth.checked_sub(1)?);
    (!whole.contains("${")).then_some(whole)
}

/// What a name begins with, and the members behind it: `ROUTES` and `.users.list`.
fn constant<'l, 'n>(
    name: &'n str,
    scope: Scope<'l>,
    resolver: &Resolver<'l>,
) -> Option<(Scope<'l>, &'l Declaration, &'n str)> {
    let mut end = name.len();
    loop {
        if let Found::Declared(file, declaration) = resolver.name(scope, &name[..end]) {
            return Some((file, declaration, &name[end..]));
        }
        end = name[..end].rfind('.')?;
    }
}

fn texts_of<'l, 'n>(
    file: Scope<'l>,
    constant: &'l str,
    member: &'n str,
) -> impl Iterator<Item = &'l str> + use<'l, 'n> {
    let is_it = move |name: &str| name.strip_prefix(constant).is_some_and(|rest| rest == member);
    file.facts.texts.iter().filter(move |(name, _)| is_it(name)).map(|(_, text)| text.as_str())
}

/// Versions with what constants of other files hold: a text, or a list of them.
pub(super) fn versions<'l>(written: &[String], scope: Scope<'l>, resolver: &Resolver<'l>) -> Vec<String> {
    let each = written.iter().flat_map(|version| listed(version, scope, resolver, DEEPEST));
    each.collect()
}

fn listed<'l>(written: &str, scope: Scope<'l>, resolver: &Resolver<'l>, depth: usize) -> Vec<String> {
    let text = known_within(written, scope, resolver, depth);
    let name = text.strip_prefix("${").and_then(|name| name.strip_suffix('}'));
    let Some((name, depth)) = name.zip(depth.checked_sub(1)) else { return vec![text] };
    if name == Route::NEUTRAL {
        return vec![name.to_owned()];
    }
    let object = name.strip_prefix(Route::VALUES).and_then(|object| object.strip_suffix(')'));
    let Some((file, constant, member)) = constant(object.unwrap_or(name), scope, resolver) else {
        return vec![text];
    };
    let held: Vec<&str> = match object {
        Some(_) => {
            let within = format!("{}{member}.", constant.name);
            let texts = file.facts.texts.iter().filter(|(name, _)| name.starts_with(&within));
            texts.map(|(_, text)| text.as_str()).collect()
        }
        None => texts_of(file, &constant.name, &format!("{member}{}", Route::EACH)).collect(),
    };
    if held.is_empty() {
        // `VALUES = VERSIONS`
        let other = texts_of(file, &constant.name, member).next().filter(|_| object.is_none());
        let other = other.map(|other| listed(other, file, resolver, depth));
        let is_known = |all: &Vec<String>| all.iter().all(|one| !one.contains("${"));
        return other.filter(is_known).unwrap_or_else(|| vec![text]);
    }
    held.into_iter().flat_map(|one| listed(one, file, resolver, depth)).collect()
}
