//! Source text to syntax tree, whatever the text is.
//!
//! Where the parser gives up, it gives nothing at all. So the statement around the error is blanked out (its lines stay,
//! so that positions do) and the rest is read again; the diagnostics of each attempt are kept.

use std::cell::OnceCell;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::{LabeledSpan, SourceType};

use super::nesting;
use super::source::{Source, small};
use crate::model::{Diagnostic, Severity};

/// How often the text around an error is taken out before the file is given up.
const ATTEMPTS: usize = 12;
const MOST_DIAGNOSTICS: usize = 20;

pub(super) struct Parsed<'a> {
    pub(super) program: Option<Program<'a>>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The text must live as long as the tree, so it is copied into the arena where it had to be changed.
pub(super) fn parse<'a>(allocator: &'a Allocator, file_name: &str, text: &'a str) -> Parsed<'a> {
    let source_type = source_type(file_name);
    let mut diagnostics = Vec::new();
    let mut current: &'a str = text;
    for _ in 0..ATTEMPTS {
        let parsed = parse_once(allocator, current, source_type);
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
            return Parsed { program: Some(parsed.program), diagnostics };
        }
        // The parser says of Flow only that it is Flow, and not where it stopped: without the word it does.
        if current.contains("@flow") {
            current = allocator.alloc_str(&current.replace("@flow", "_flow"));
            continue;
        }
        // Bytes that are no text stop the parser; as part of a name they do not. As many bytes, so that positions stay.
        if current.contains('\u{fffd}') {
            current = allocator.alloc_str(&current.replace('\u{fffd}', "___"));
            continue;
        }
        let Some(blanked) = blank_around(current, offset.map_or(text.len(), |at| at as usize)) else { break };
        current = allocator.alloc_str(&blanked);
    }
    tidy(&mut diagnostics);
    Parsed { program: None, diagnostics }
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
    Some(stacker::maybe_grow(need, need * 2, work))
}

fn parse_once<'a>(allocator: &'a Allocator, text: &'a str, source_type: SourceType) -> ParserReturn<'a> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        enable_ident_hashes: false,
        // What they group is in the tree; whether they were needed is nobody's concern.
        preserve_parens: false,
        ..ParseOptions::default()
    };
    let mut parsed = Parser::new(allocator, text, source_type).with_options(options).parse();
    // Without them `{(a, b)}` in JSX looks like `{a, b}`, which is a fault: with them it is told apart.
    if !parsed.panicked && !parsed.diagnostics.is_empty() {
        let options = ParseOptions { preserve_parens: true, ..options };
        parsed.diagnostics =
            Parser::new(allocator, text, source_type).with_options(options).parse().diagnostics;
    }
    // A script with `with` or octal numbers, and TypeScript that reads `<T>` where JSX reads a tag, are worth a second try.
    if parsed.panicked && source_type.is_javascript() {
        let other = SourceType::tsx().with_module(true);
        let again = Parser::new(allocator, text, other).with_options(options).parse();
        if !again.panicked {
            return again;
        }
    }
    parsed
}

fn source_type(file_name: &str) -> SourceType {
    let lower = file_name.to_ascii_lowercase();
    let known = SourceType::from_path(&lower).unwrap_or_else(|_| SourceType::tsx());
    // JSX is common in plain `.js`, and nothing else can be meant by it there.
    if known.is_javascript() { known.with_jsx(true) } else { known }
}

/// Replaces the top-level statement that holds `offset` by blanks. Statements are told apart by lines that begin in the
/// first column with a word or a decorator; what cannot be parsed has no better borders.
fn blank_around(text: &str, offset: usize) -> Option<String> {
    let offset = offset.min(text.len());
    let starts: Vec<usize> = line_starts(text).filter(|at| begins_statement(&text[*at..])).collect();
    let upto = starts.partition_point(|start| *start <= offset);
    let first = upto.saturating_sub(1);
    let before = first.saturating_sub(1);
    // An error at the very start of a statement is the fault of the one before it, which did not end.
    let blames_before = starts.get(first) == Some(&offset) && !is_marker(&text[offset..]);
    let candidates = if blames_before { [before, first] } else { [first, before] };
    for index in candidates {
        let from = starts.get(index).copied().unwrap_or(0);
        let to = starts.get(index + 1).copied().unwrap_or(text.len());
        let (from, to) = if starts.is_empty() { (0, text.len()) } else { (from, to) };
        if text[from..to].bytes().any(|byte| !byte.is_ascii_whitespace()) {
            return Some(blanked(text, from, to));
        }
    }
    let from = starts.get(first).copied().unwrap_or(0);
    text[from..].bytes().any(|byte| !byte.is_ascii_whitespace()).then(|| blanked(text, from, text.len()))
}

fn blanked(text: &str, from: usize, to: usize) -> String {
    let blank = text[from..to].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' });
    text[..from].chars().chain(blank).chain(text[to..].chars()).collect()
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
