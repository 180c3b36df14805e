//! Parameters without a type that are taken apart at once: `{ data, error }` tells callers which names are looked for.

use super::signature::{inside, split};
use super::types::{Parameter, Type, UNWRITTEN};

/// What of a parameter is no longer taken, where its names are all that was known of it.
pub(super) fn lost(old: &Parameter, new: &Parameter) -> Option<String> {
    let is_unwritten = |one: &Parameter| one.ty == Type::Text(UNWRITTEN.to_owned());
    if !is_unwritten(old) {
        return None;
    }
    if let (Some(had), Some(has)) = (elements(&old.name), elements(&new.name)) {
        let is_rest = |one: &&String| one.starts_with("...");
        let fewer = is_unwritten(new) && has.len() < had.len() && !has.iter().any(|one| is_rest(&one));
        return had.into_iter().nth(has.len()).filter(|one| fewer && !is_rest(&one));
    }
    let had = names(&old.name)?.into_iter().filter(|name| !name.starts_with("..."));
    let has = match &new.ty {
        Type::Object(members) if members.iter().all(|one| !one.name.starts_with('[')) => {
            members.iter().map(|one| one.name.clone()).collect()
        }
        _ if is_unwritten(new) => names(&new.name)?,
        _ => return None,
    };
    let takes_all = has.iter().any(|name| name.starts_with("..."));
    let mut gone = had.filter(|name| !takes_all && !has.contains(name));
    gone.next()
}

/// Of `{ a, b }`.
fn names(pattern: &str) -> Option<Vec<String>> {
    inside(pattern, '{', '}').map(|names| split(names, &[',']))
}

/// Of `[a, b]`.
fn elements(pattern: &str) -> Option<Vec<String>> {
    inside(pattern, '[', ']').map(|names| split(names, &[',']))
}
