//! Source text to syntax tree, whatever the text is.
//!
//! Where the parser gives up, it gives nothing at all. So the body of the function around the error is blanked out, or the
//! whole statement where that is not enough (its lines stay, so that positions do), and the rest is read again; the diagnostics
//! of each attempt are kept.

use std::cell::OnceCell;
use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::{LabeledSpan, SourceType};

use super::bodies::body_around;
use super::closing;
use super::nesting;
use super::source::{Source, small};
use super::unread;
use crate::model::{Diagnostic, Import, Severity};

/// How often the text around an error is taken out before the file is given up.
const ATTEMPTS: usize = 12;
/// Flow has much that TypeScript has not, in files that are sound.
const ATTEMPTS_WITH_FLOW: usize = 60;
const MOST_DIAGNOSTICS: usize = 20;
/// So many bodies of a statement are taken out before all of it is.
const BODIES: usize = 3;

pub(super) struct Parsed<'a> {
    pub(super) program: Option<Program<'a>>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// What is named in statements that were taken out.
    pub(super) unread: Vec<Import>,
}

/// The text must live as long as the tree, so it is copied into the arena where it had to be changed.
pub(super) fn parse<'a>(allocator: &'a Allocator, file_name: &str, text: &'a str) -> Parsed<'a> {
    let source_type = source_type(file_name);
    let mut diagnostics = Vec::new();
    let mut current: &'a str = text;
    let mut unread = Vec::new();
    let (mut attempts, mut is_flow) = (ATTEMPTS, false);
    let mut may_be_open = true;
    // Statements of which a body was taken out, by where they begin.
    let mut opened = Vec::new();
    while attempts > 0 {
        attempts -= 1;
        let parsed = if is_flow {
            parse_with_types(allocator, current, source_type)
        } else {
            parse_once(allocator, current, source_type)
        };
        let error = parsed.diagnostics.errors().next().and_then(|error| error.labels.first());
        let offset = error.map(LabeledSpan::offset);
        let source = OnceCell::new();
        diagnostics.extend(parsed.diagnostics.iter().map(|found| {
            let source = source.get_or_init(|| Source::new(text, &[]));
            let offset = found.labels.first().map_or(0, LabeledSpan::offset).min(small(text.len()));
            let column = source.column(floor_boundary(text, offset));
            let message = found.message.to_string();
            Diagnostic { severity: Severity::Error, message, line: source.line(offset), column }
        }));
        if !parsed.panicked {
            tidy(&mut diagnostics);
            return Parsed { program: Some(parsed.program), diagnostics, unread };
        }
        if current.contains("@flow") {
            current = allocator.alloc_str(&unread::as_typescript(current));
            (attempts, is_flow) = (ATTEMPTS_WITH_FLOW, true);
            continue;
        }
        // Bytes that are no text stop the parser; as part of a name they do not. As many bytes, so that positions stay.
        if current.contains('\u{fffd}') {
            current = allocator.alloc_str(&current.replace('\u{fffd}', "___"));
            continue;
        }
        let parse = |text| parse_once(allocator, text, source_type);
        if std::mem::take(&mut may_be_open) && !is_flow {
            if let Some(closed) = closing::closed(allocator, current, &statements(current), parse) {
                current = closed;
                continue;
            }
        }
        let at = offset.map_or(text.len(), |at| at as usize);
        let Some(mut around) = statement_around(current, at) else { break };
        let before = opened.iter().filter(|start| **start == around.start).count();
        if !is_flow && before < BODIES {
            opened.push(around.start);
            around = body_around(current, around.clone(), at).unwrap_or(around);
        }
        unread.extend(modules_in(text, current, around.clone()));
        current = allocator.alloc_str(&blanked(current, around));
    }
    tidy(&mut diagnostics);
    unread.extend(modules_in(text, current, 0..current.len()));
    Parsed { program: None, diagnostics, unread }
}

/// What the part `range` of the text of now imports, as far as that can be known without parsing.
pub(super) fn modules_in(text: &str, current: &str, range: Range<usize>) -> Vec<Import> {
    let start = range.start;
    let source = OnceCell::new();
    let found = unread::modules(&current[range]).into_iter().map(|(at, import)| {
        let source = source.get_or_init(|| Source::new(text, &[]));
        Import { line: source.line(small(start + at)), ..import }
    });
    found.collect()
}

/// A text without a fault in it, or nothing.
pub(super) fn strictly<'a>(allocator: &'a Allocator, text: &'a str) -> Option<Program<'a>> {
    let parsed = parse_once(allocator, text, SourceType::ts());
    (!parsed.panicked && parsed.diagnostics.errors().next().is_none()).then_some(parsed.program)
}

/// Runs `work`, which recurses over `text`, where the stack is large enough for it; `None` where none would be.
pub(super) fn with_stack<T>(text: &str, work: impl FnOnce() -> T) -> Option<T> {
    /// What one level costs at most; 2.7 KiB were the most that was seen in an optimised build.
    const LEVEL: usize = if cfg!(debug_assertions) { 24 * 1024 } else { 4 * 1024 };
    const SPARE: usize = 512 * 1024;
    let most = text.len().saturating_mul(LEVEL).saturating_add(SPARE);
    // No text is nested deeper than it is long.
    if stacker::remaining_stack().is_some_and(|left| left >= most) {
        return Some(work());
    }
    let levels = nesting::deepest(text);
    if levels > nesting::DEEPEST {
        return None;
    }
    let need = levels * LEVEL + SPARE;
    Some(stacker::maybe_grow(need, need + SPARE, work))
}

fn options() -> ParseOptions {
    ParseOptions {
        allow_return_outside_function: true,
        enable_ident_hashes: false,
        // What they group is in the tree; whether they were needed is nobody's concern.
        preserve_parens: false,
        ..ParseOptions::default()
    }
}

fn parse_once<'a>(allocator: &'a Allocator, text: &'a str, source_type: SourceType) -> ParserReturn<'a> {
    let mut parsed = Parser::new(allocator, text, source_type).with_options(options()).parse();
    // Without them `{(a, b)}` in JSX looks like `{a, b}`, which is a fault: with them it is told apart.
    if !parsed.panicked && !parsed.diagnostics.is_empty() {
        let options = ParseOptions { preserve_parens: true, ..options() };
        parsed.diagnostics =
            Parser::new(allocator, text, source_type).with_options(options).parse().diagnostics;
    }
    // A script with `with` or octal numbers, and TypeScript that reads `<T>` where JSX reads a tag, are worth a second try.
    if parsed.panicked && source_type.is_javascript() {
        let again = parse_with_types(allocator, text, source_type);
        if !again.panicked {
            return again;
        }
    }
    parsed
}

/// Types may be written in JavaScript too, which it stays.
fn parse_with_types<'a>(
    allocator: &'a Allocator,
    text: &'a str,
    source_type: SourceType,
) -> ParserReturn<'a> {
    let with_types = SourceType::tsx().with_module(true);
    let mut parsed = Parser::new(allocator, text, with_types).with_options(options()).parse();
    parsed.program.source_type = source_type;
    parsed
}

fn source_type(file_name: &str) -> SourceType {
    let lower = file_name.to_ascii_lowercase();
    let known = SourceType::from_path(&lower).unwrap_or_else(|_| SourceType::tsx());
    // JSX is common in plain `.js`, and nothing else can be meant by it there.
    if known.is_javascript() { known.with_jsx(true) } else { known }
}

fn statement_starts(text: &str) -> Vec<usize> {
    line_starts(text).filter(|at| begins_statement(&text[*at..])).collect()
}

/// All that begin at the left, each with what follows up to the next.
fn statements(text: &str) -> Vec<Range<usize>> {
    let starts = statement_starts(text);
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// The top-level statement that holds `offset`. Statements are told apart by lines that begin in the first column with a
/// word or a decorator; what cannot be parsed has no better borders.
fn statement_around(text: &str, offset: usize) -> Option<Range<usize>> {
    let offset = offset.min(text.len());
    let starts = statement_starts(text);
    let upto = starts.partition_point(|start| *start <= offset);
    let first = upto.saturating_sub(1);
    let before = first.saturating_sub(1);
    // An error at the very start of a statement is the fault of the one before it, which did not end.
    let blames_before = starts.get(first) == Some(&offset) && !is_marker(&text[offset..]);
    let candidates = if blames_before { [before, first] } else { [first, before] };
    for mut index in candidates {
        let last = index;
        // What decorates a class goes with it, or it would decorate the next one.
        while index > 0 && starts.get(index - 1).is_some_and(|start| text[*start..].starts_with('@')) {
            index -= 1;
        }
        let from = starts.get(index).copied().unwrap_or(0);
        let index = last;
        let to = starts.get(index + 1).copied().unwrap_or(text.len());
        let (from, to) = if starts.is_empty() { (0, text.len()) } else { (from, to) };
        if text[from..to].bytes().any(|byte| !byte.is_ascii_whitespace()) {
            return Some(from..to);
        }
    }
    let from = starts.get(first).copied().unwrap_or(0);
    text[from..].bytes().any(|byte| !byte.is_ascii_whitespace()).then_some(from..text.len())
}

fn blanked(text: &str, range: Range<usize>) -> String {
    let blank = text[range.clone()].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' });
    text[..range.start].chars().chain(blank).chain(text[range.end..].chars()).collect()
}

fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1))
}

/// The mark of a merge conflict is a piece of its own, so that both sides are read.
fn begins_statement(line: &str) -> bool {
    is_marker(line)
        || line.starts_with(|first: char| first.is_alphabetic() || matches!(first, '@' | '_' | '$'))
}

fn is_marker(line: &str) -> bool {
    ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].iter().any(|marker| line.starts_with(marker))
}

fn floor_boundary(text: &str, offset: u32) -> u32 {
    (0..=offset).rev().find(|at| text.is_char_boundary(*at as usize)).unwrap_or(0)
}

fn tidy(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| (a.line, a.column, &a.message).cmp(&(b.line, b.column, &b.message)));
    diagnostics.dedup();
    diagnostics.truncate(MOST_DIAGNOSTICS);
}
