//! The body of a function in a text that cannot be parsed: what stands in it is nobody else's concern, so it can be left out
//! without anything being said that is not so.

use std::ops::Range;

/// What the body of the innermost function that holds `offset` has inside its braces; nothing where there is none, or where
/// more would be lost with it: a component is known by what it renders.
pub(super) fn body_around(text: &str, statement: Range<usize>, offset: usize) -> Option<Range<usize>> {
    let is_component = names_component(&text[statement.clone()]);
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut head = statement.start;
    let mut wanted = None;
    for (at, byte) in braces(text, statement) {
        if at >= offset && wanted.is_none() {
            let place = open.iter().rposition(|(_, is_body)| *is_body)?;
            wanted = Some(place);
        }
        match byte {
            b'{' => {
                let is_whole = is_component && open.is_empty();
                open.push((at, !is_whole && is_head_of_function(&text[head..at])));
            }
            b'}' => {
                let (start, _) = open.pop()?;
                if wanted == Some(open.len()) {
                    let body = start + 1..at;
                    return (!text[body.clone()].trim().is_empty()).then_some(body);
                }
            }
            _ => {}
        }
        head = at + 1;
    }
    None
}

/// Braces and semicolons, but for those in texts and comments.
fn braces(text: &str, range: Range<usize>) -> impl Iterator<Item = (usize, u8)> {
    let bytes = text.as_bytes();
    let mut at = range.start;
    std::iter::from_fn(move || {
        while at < range.end {
            let here = at;
            let rest = &bytes[here..range.end];
            at += match rest {
                [b'{' | b'}' | b';', ..] => {
                    at += 1;
                    return Some((here, bytes[here]));
                }
                [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
                [b'/', b'*', ..] => memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2),
                [quote @ (b'\'' | b'"' | b'`'), ..] => text_length(rest, *quote),
                _ => 1,
            };
        }
        None
    })
}

/// Of a text in quotes. One that does not end on its line is a quote by itself.
fn text_length(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' if quote != b'`' => return 1,
            _ if *byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    1
}

/// Whether what stands before a brace, behind the last one, says that a function begins with it.
fn is_head_of_function(head: &str) -> bool {
    const OTHERS: &[&str] = &[
        "class",
        "interface",
        "enum",
        "namespace",
        "module",
        "type",
        "if",
        "for",
        "while",
        "switch",
        "catch",
        "with",
    ];
    let head = head.trim_end();
    let mut words = head.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$');
    // `function f(a: A): B`, `async f(a)`, `): B`; not `f(a, `, `= ` or `a: `.
    let is_called = head.contains(')') && !head.ends_with(['(', ',', '=', ':', '[', '?', '&', '|', '+']);
    (head.ends_with("=>") || is_called) && !words.any(|word| OTHERS.contains(&word))
}

/// Whether a statement gives something a name as components have.
fn names_component(statement: &str) -> bool {
    let head = statement.split(['(', '=', '{', ':', '<']).next().unwrap_or_default();
    head.split_whitespace().next_back().is_some_and(|name| name.starts_with(char::is_uppercase))
}
