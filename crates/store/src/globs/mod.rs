//! Whether two patterns of paths have a path in common. Exact: the two are run against each other as automata, so that
//! `src/*.rs` and `src/a*` overlap and `src/*.rs` and `src/*.ts` do not. Touches no file.
//!
//! `*` and `?` stay within a folder, `**` as a whole segment stands for any number of folders, `[a-z]`, `[!a]` and
//! `{a,b}` are as usual, `\` takes the meaning off the next character, a `/` at the end means everything below.

mod automaton;
mod braces;

use automaton::Automaton;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    #[error("a pattern is empty")]
    Empty,
    #[error("the pattern `{pattern}` has more than {limit} characters")]
    TooLong { pattern: String, limit: usize },
    #[error("the braces of `{pattern}` stand for more than {limit} patterns")]
    TooManyAlternatives { pattern: String, limit: usize },
    #[error("the pattern `{pattern}` leads out of the repository")]
    Outside { pattern: String },
}

pub const LONGEST: usize = 1_000;
const MOST_ALTERNATIVES: usize = 1_000;

/// Whether a pattern can be worked with.
pub fn validate(pattern: &str) -> Result<(), GlobError> {
    let shown = || becket_base::clip(pattern, 80).to_string();
    if normal(pattern).is_empty() {
        return Err(GlobError::Empty);
    }
    if pattern.chars().count() > LONGEST {
        return Err(GlobError::TooLong { pattern: shown(), limit: LONGEST });
    }
    if braces::expand(pattern, MOST_ALTERNATIVES).is_none() {
        return Err(GlobError::TooManyAlternatives { pattern: shown(), limit: MOST_ALTERNATIVES });
    }
    if pattern.split('/').any(|segment| segment == "..") {
        return Err(GlobError::Outside { pattern: shown() });
    }
    Ok(())
}

/// Whether some path matches both. A pattern that [`validate`] refuses for its size overlaps everything: a warning too
/// many is better than one too few.
pub fn overlap(left: &str, right: &str) -> bool {
    if left == right {
        return !normal(left).is_empty();
    }
    if differ_at_once(normal(left), normal(right)) {
        return false;
    }
    match (automaton(left), automaton(right)) {
        (Some(left), Some(right)) => left.meets(&right),
        _ => true,
    }
}

fn automaton(pattern: &str) -> Option<Automaton> {
    if pattern.chars().count() > LONGEST {
        return None;
    }
    Some(Automaton::new(&braces::expand(normal(pattern), MOST_ALTERNATIVES)?))
}

/// Without what does not change the meaning.
fn normal(pattern: &str) -> &str {
    let mut rest = pattern.trim();
    loop {
        let shorter = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')).unwrap_or(rest);
        if shorter.len() == rest.len() {
            return rest;
        }
        rest = shorter;
    }
}

/// The common case, without an automaton: the plain beginnings already differ.
fn differ_at_once(left: &str, right: &str) -> bool {
    let plain = |one: char| !"*?[]{}\\,!".contains(one);
    let mut after_slash = false;
    for (left, right) in left.chars().zip(right.chars()) {
        // Two slashes mean what one does.
        let doubled = after_slash && left != right && (left == '/' || right == '/');
        if !plain(left) || !plain(right) || doubled {
            return false;
        }
        if left != right {
            return true;
        }
        after_slash = left == '/';
    }
    false
}

#[cfg(test)]
mod tests;
