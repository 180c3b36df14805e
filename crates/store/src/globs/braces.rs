//! `{a,b}` written out: a pattern with braces is several patterns without.

/// All of them, or nothing when there are more than `limit`. Braces that are not closed, or hold no comma, are characters.
pub(super) fn expand(pattern: &str, limit: usize) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut waiting = vec![pattern.to_owned()];
    while let Some(next) = waiting.pop() {
        match split(&next) {
            None => done.push(next),
            Some((before, alternatives, after)) => {
                waiting.extend(alternatives.iter().rev().map(|one| format!("{before}{one}{after}")));
            }
        }
        if done.len() + waiting.len() > limit {
            return None;
        }
    }
    Some(done)
}

/// The first braces that mean something.
fn split(pattern: &str) -> Option<(&str, Vec<&str>, &str)> {
    let mut from = 0;
    loop {
        let open = find_open(pattern, from)?;
        match alternatives(pattern, open) {
            Some((parts, close)) => {
                return Some((pattern.get(..open)?, parts, pattern.get(close + 1..)?));
            }
            None => from = open + 1,
        }
    }
}

fn find_open(pattern: &str, from: usize) -> Option<usize> {
    let mut skip = false;
    let mut class = 0_usize;
    for (at, byte) in pattern.bytes().enumerate() {
        match byte {
            _ if skip => skip = false,
            b'\\' => skip = true,
            b'[' if class == 0 && closes_class(pattern, at) => class = 1,
            // The first character of a class is no end of it.
            b'!' | b'^' if class == 1 => class = 2,
            b']' if class > 2 => class = 0,
            b'{' if class == 0 && at >= from => return Some(at),
            _ if class > 0 => class = 3,
            _ => {}
        }
    }
    None
}

/// Whether the bracket at `open` begins a class.
pub(super) fn closes_class(pattern: &str, open: usize) -> bool {
    let rest = pattern.get(open + 1..).unwrap_or_default();
    let body = rest.strip_prefix(['!', '^']).unwrap_or(rest);
    let mut characters = body.chars();
    if characters.next().is_none() {
        return false;
    }
    characters.as_str().split('/').next().is_some_and(|segment| segment.contains(']'))
}

fn alternatives(pattern: &str, open: usize) -> Option<(Vec<&str>, usize)> {
    let (mut depth, mut skip, mut start) = (0_usize, false, open + 1);
    let mut parts = Vec::new();
    for (at, byte) in pattern.bytes().enumerate().skip(open) {
        match byte {
            _ if skip => skip = false,
            b'\\' => skip = true,
            b'{' => depth += 1,
            b'}' if depth == 1 => {
                parts.push(pattern.get(start..at)?);
                return (parts.len() > 1).then_some((parts, at));
            }
            b'}' => depth -= 1,
            b',' if depth == 1 => {
                parts.push(pattern.get(start..at)?);
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}
