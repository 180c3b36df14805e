//! Brackets that were not closed yet, as in every file that somebody writes in. The parser takes all that follows for a part of
//! what is open, and gives nothing. A line that begins with a word in the first column begins a statement: what is open
//! before it is closed there.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_parser::ParserReturn;
use oxc_span::LabeledSpan;

/// So many brackets of one statement.
const MOST: usize = 16;

/// The text with the brackets of each of these statements closed at its end, if that is all that was missing. Lines stay
/// where they were.
pub(super) fn closed<'a>(
    allocator: &'a Allocator,
    text: &'a str,
    statements: &[Range<usize>],
    parse: impl Fn(&'a str) -> ParserReturn<'a>,
) -> Option<&'a str> {
    let mut whole = String::with_capacity(text.len() + MOST);
    let mut done = 0;
    for statement in statements {
        let end = statement.start + own(&text[statement.clone()]).len();
        let mut piece = text[statement.start..end].to_owned();
        for _ in 0..MOST {
            let parsed = parse(allocator.alloc_str(&piece));
            if !parsed.panicked {
                break;
            }
            let error = parsed.diagnostics.errors().next();
            let at_end = |label: &LabeledSpan| label.offset() as usize >= piece.len();
            let wanted = error.filter(|error| error.labels.first().is_some_and(at_end));
            let Some(bracket) = wanted.and_then(|error| bracket_in(&error.message)) else { break };
            piece.push(bracket);
        }
        whole.push_str(&text[done..statement.start]);
        whole.push_str(&piece);
        done = end;
    }
    whole.push_str(&text[done..]);
    let is_more = whole.len() > text.len();
    let whole = is_more.then(|| allocator.alloc_str(&whole))?;
    (!parse(whole).panicked).then_some(whole)
}

/// A statement without the comments behind it, which are the next one's.
fn own(statement: &str) -> &str {
    let is_comment = |line: &str| ["//", "/*", "*"].iter().any(|mark| line.trim_start().starts_with(mark));
    let mut own = statement.trim_end();
    while let Some((before, _)) = own.rsplit_once('\n').filter(|(_, last)| is_comment(last)) {
        own = before.trim_end();
    }
    own
}

/// The one that the parser misses: "Expected `,` or `}` but found `EOF`".
fn bracket_in(message: &str) -> Option<char> {
    let wanted = message.split(" but found").next()?.split('`').skip(1).step_by(2);
    wanted.filter_map(|token| token.parse().ok()).find(|token| matches!(token, '}' | ')' | ']'))
}
