//! Comments and strings in a text: one pass, never fails, and a quote that is not closed on its line opens nothing.

use std::ops::Range;

use super::syntax::{Quotes, Syntax};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    LineComment,
    BlockComment,
    Text,
}

pub(crate) fn spans(text: &str, syntax: &Syntax) -> Vec<Span> {
    let bytes = text.as_bytes();
    // Most bytes begin nothing; comparing markers only at those that may keeps the pass linear and quick.
    let mut may_begin = [false; 256];
    let markers = syntax.line_comments.iter().chain(syntax.block_comments.iter().map(|(open, _)| open));
    for marker in markers {
        may_begin[usize::from(marker.as_bytes()[0])] = true;
    }
    if syntax.quotes != Quotes::None {
        for quote in [b'"', b'\'', b'`'] {
            may_begin[usize::from(quote)] = true;
        }
    }
    let mut spans = Vec::new();
    let mut position = 0;
    while position < bytes.len() {
        if !may_begin[usize::from(bytes[position])] {
            position += 1;
            continue;
        }
        match span_at(text, position, syntax) {
            Some(span) => {
                position = span.range.end.max(position + 1);
                spans.push(span);
            }
            None => position += 1,
        }
    }
    spans
}

/// The text with spans blanked; line breaks stay, so that lines and offsets agree.
pub(crate) fn mask(text: &str, spans: &[Span]) -> String {
    let mut mask = String::with_capacity(text.len());
    let mut end = 0;
    for span in spans {
        mask.push_str(&text[end..span.range.start]);
        mask.extend(text[span.range.clone()].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        end = span.range.end;
    }
    mask.push_str(&text[end..]);
    mask
}

fn span_at(text: &str, start: usize, syntax: &Syntax) -> Option<Span> {
    let rest = text.get(start..)?;
    let span = |kind, length| Some(Span { kind, range: start..start + length });
    for (open, close) in syntax.block_comments {
        if let Some(body) = rest.strip_prefix(open) {
            let length = body.find(close).map_or(rest.len(), |found| open.len() + found + close.len());
            return span(Kind::BlockComment, length);
        }
    }
    for open in syntax.line_comments {
        if rest.starts_with(open) && opens_comment(text, start, open) {
            return span(Kind::LineComment, rest.find('\n').unwrap_or(rest.len()));
        }
    }
    let quote = rest.as_bytes()[0];
    match (syntax.quotes, quote) {
        (Quotes::Triple, b'"' | b'\'') if is_tripled(rest) => {
            let close = &rest[..3];
            let length = rest[3..].find(close).map_or(rest.len(), |found| found + 6);
            span(Kind::BlockComment, length)
        }
        (Quotes::Backtick, b'`') => span(Kind::Text, closed(rest, quote, true)?),
        (Quotes::Double, b'\'') => span(Kind::Text, character(rest)?),
        (Quotes::Double | Quotes::Both | Quotes::Backtick | Quotes::Triple, b'"') => {
            span(Kind::Text, closed(rest, quote, false)?)
        }
        (Quotes::Both | Quotes::Backtick | Quotes::Triple, b'\'') => {
            span(Kind::Text, closed(rest, quote, false)?)
        }
        _ => None,
    }
}

/// `#`, `;`, `%` and the like are ordinary characters within a word (`$#`, `&#39;`, `C#`); `//` and `--` never are.
fn opens_comment(text: &str, start: usize, open: &str) -> bool {
    if matches!(open, "//" | "--") {
        return true;
    }
    match text[..start].chars().next_back() {
        None => true,
        Some(before) => {
            before.is_whitespace() || matches!(before, ';' | '(' | ')' | '{' | '}' | '[' | ']' | ',')
        }
    }
}

fn is_tripled(rest: &str) -> bool {
    rest.starts_with("\"\"\"") || rest.starts_with("'''")
}

/// The length of a quoted text, quotes included; nothing if it is not closed where it must be.
fn closed(rest: &str, quote: u8, over_lines: bool) -> Option<usize> {
    let mut escaped = false;
    for (offset, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            b'\n' if !over_lines => return None,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return Some(offset + 1),
            _ => {}
        }
    }
    None
}

/// `'x'`, `'\n'`, `'\u{1F600}'`; not the `'a` of a lifetime.
fn character(rest: &str) -> Option<usize> {
    let mut characters = rest.char_indices().skip(1);
    let (_, first) = characters.next()?;
    if first == '\\' {
        return closed(rest, b'\'', false).filter(|length| *length <= 14);
    }
    let (offset, second) = characters.next()?;
    (first != '\n' && second == '\'').then_some(offset + 1)
}

#[cfg(test)]
mod tests {
    use super::{super::syntax, *};
    use proptest::prelude::*;

    fn comments(path: &str, text: &str) -> Vec<String> {
        spans(text, syntax::of(path))
            .into_iter()
            .filter(|span| span.kind != Kind::Text)
            .map(|span| text[span.range].to_owned())
            .collect()
    }

    #[test]
    fn comments_are_found_and_strings_are_not_comments() {
        assert_eq!(
            comments("a.ts", "x(\"// no\", '/* no */', `\n// no`); // yes\n/* and\n this */ y"),
            ["// yes", "/* and\n this */"]
        );
        assert_eq!(comments("a.rs", "fn f<'a>(x: &'a str) { '\"' } // don't\n"), ["// don't"]);
        assert_eq!(
            comments("a.py", "x = '#no' # yes\n\"\"\"doc\n# in\"\"\"\n"),
            ["# yes", "\"\"\"doc\n# in\"\"\""]
        );
        assert_eq!(comments("a.sh", "echo $# \"#no\" # yes\n#first"), ["# yes", "#first"]);
        assert_eq!(comments("a.sql", "select '--no' -- yes\n/* b */"), ["-- yes", "/* b */"]);
        assert_eq!(comments("a.md", "`// no` # no\n<!-- yes -->"), ["<!-- yes -->"]);
        assert_eq!(comments("a.lua", "--[[ a\nb ]] -- c"), ["--[[ a\nb ]]", "-- c"]);
        assert_eq!(comments("Makefile", "a: # yes\n\t@echo it's"), ["# yes"]);
        assert_eq!(comments("x.unknown", "a <!-- b --> ; c"), ["<!-- b -->", "; c"]);
        assert_eq!(comments("a.html", "<a href='x'> <!-- open"), ["<!-- open"]);
    }

    proptest! {
        #[test]
        fn any_text_is_lexed_and_masked_in_place(text in "[a-z'\"`/*#<!>\\-\\\\\n é{}]{0,80}") {
            for path in ["a.ts", "a.rs", "a.py", "a.md", "a.sql", "a.x"] {
                let spans = spans(&text, syntax::of(path));
                prop_assert!(spans.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
                let mask = mask(&text, &spans);
                prop_assert_eq!(mask.len(), text.len());
                prop_assert_eq!(mask.matches('\n').count(), text.matches('\n').count());
            }
        }
    }
}
