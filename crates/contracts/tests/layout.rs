//! How a file is laid out says nothing of what it promises: `tests/layout.md`, where all files under a heading are the
//! same, and every file of the other pages, written in other ways.

#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads its own pages and fails loudly"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use becket_contracts::compare::{Side, compare};
use becket_contracts::fingerprint::semantic_hash;
use becket_contracts::language::Reader;
use becket_contracts::link::link_alone;
use becket_contracts::model::Contract;
use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ArrayExpression, CallExpression, Expression, NumericLiteral, ObjectExpression, PropertyKey,
    StringLiteral, TSLiteral, TSType,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};

#[test]
fn files_that_are_laid_out_otherwise_are_the_same() {
    let (mut count, mut failures) = (0, String::new());
    for (title, files) in cases("layout.md") {
        let (ending, first) = &files[0];
        assert!(files.len() > 1, "{title}: one file alone");
        for (_, other) in &files[1..] {
            count += 1;
            differ(&title, ending, (first, other), &mut failures);
        }
    }
    assert!(count >= 60, "only {count} cases were found");
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn any_file_can_be_laid_out_otherwise() {
    let (mut count, mut failures) = (0, String::new());
    for page in [
        "verdicts.md",
        "layout.md",
        "spec/components.md",
        "spec/modules.md",
        "spec/servers.md",
        "spec/probes.md",
    ] {
        for (title, files) in cases(page) {
            for (ending, text) in files {
                for way in WAYS {
                    let Some(other) = rewritten(&ending, &text, *way) else { continue };
                    count += usize::from(other != text);
                    differ(&format!("{page} {title} {way:?}"), &ending, (&text, &other), &mut failures);
                }
            }
        }
    }
    assert!(count >= 1000, "only {count} files were written otherwise");
    assert!(failures.is_empty(), "{failures}");
}

/// By heading, the files in its fences, each with the ending of its name.
fn cases(page: &str) -> Vec<(String, Vec<(String, String)>)> {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(page)).unwrap();
    let mut cases = Vec::new();
    for case in text.split("\n## ").skip(1) {
        let (title, body) = case.split_once('\n').unwrap();
        let fences = body.split("\n```").skip(1).step_by(2).filter_map(|fence| fence.split_once('\n'));
        let files = fences.filter(|(kind, _)| ["ts", "tsx", "js", "jsx"].contains(kind));
        cases
            .push((title.to_owned(), files.map(|(kind, text)| (kind.to_owned(), text.to_owned())).collect()));
    }
    cases
}

fn differ(title: &str, ending: &str, (before, after): (&str, &str), failures: &mut String) {
    let (old, new) = (contract(ending, before), contract(ending, after));
    let found = compare(&side(&old), &side(&new)).files;
    if old.semantic_hash != new.semantic_hash || !found.is_empty() {
        let said: Vec<_> = found.iter().flat_map(|file| &file.declarations).collect();
        writeln!(failures, "{title}: {said:#?}\n{after}").unwrap();
    }
}

fn contract(ending: &str, text: &str) -> Contract {
    let facts = Reader::new().read(&format!("it.{ending}"), text);
    let mut contract = link_alone("src/it", &facts).contract;
    contract.semantic_hash = semantic_hash(&contract);
    contract
}

fn side(contract: &Contract) -> Side<'_> {
    let contracts = BTreeMap::from([(contract.entry_id.as_str(), contract)]);
    Side { contracts, graph: None, reduced: false }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// `'` for `"` and the other way.
    Quotes,
    /// `1_000` for `1000`.
    Numbers,
    /// `[a,]` for `[a]`.
    Commas,
    /// `(A | B)[]`, `((a + b))`.
    Parentheses,
    /// A comment before every type and every value.
    Comments,
    /// Blanks around them.
    Blanks,
    /// As another system ends lines.
    Lines,
}

const WAYS: &[Way] =
    &[Way::Quotes, Way::Numbers, Way::Commas, Way::Parentheses, Way::Comments, Way::Blanks, Way::Lines];

/// `None` for what cannot be read as it is.
fn rewritten(ending: &str, text: &str, way: Way) -> Option<String> {
    if way == Way::Lines {
        return Some(text.replace('\n', "\r\n"));
    }
    let allocator = Allocator::default();
    let source_type = SourceType::from_path(format!("it.{ending}")).unwrap();
    let parsed = Parser::new(&allocator, text, source_type).parse();
    if parsed.panicked || parsed.diagnostics.errors().next().is_some() {
        return None;
    }
    let mut edits = Edits { text, way, found: Vec::new() };
    edits.visit_program(&parsed.program);
    // From the end, and of those at one place what closes before what opens.
    edits.found.sort_by_key(|(span, order, _)| (span.start, span.end, *order));
    let mut other = text.to_owned();
    for (span, _, new) in edits.found.iter().rev() {
        other.replace_range(span.start as usize..span.end as usize, new);
    }
    let again = Parser::new(&allocator, allocator.alloc_str(&other), source_type).parse();
    // Some places have no room for more parentheses.
    (!again.panicked && again.diagnostics.errors().next().is_none()).then_some(other)
}

struct Edits<'t> {
    text: &'t str,
    way: Way,
    found: Vec<(Span, usize, String)>,
}

impl Edits<'_> {
    fn put(&mut self, at: u32, new: &str) {
        self.found.push((Span::empty(at), self.found.len(), new.to_owned()));
    }

    fn before(&mut self, span: Span) {
        match self.way {
            Way::Comments => self.put(span.start, "/* of it */ "),
            Way::Blanks => self.put(span.start, "  "),
            _ => {}
        }
    }

    /// Nothing follows the last one yet.
    fn comma(&mut self, last: Option<Span>, end: u32) {
        let Some(last) = last.filter(|_| self.way == Way::Commas) else { return };
        if self.text[last.end as usize..end as usize].trim() == &self.text[end as usize - 1..end as usize] {
            self.put(last.end, ",");
        }
    }
}

impl<'a> Visit<'a> for Edits<'_> {
    fn visit_ts_type(&mut self, ty: &TSType<'a>) {
        self.before(ty.span());
        let may = matches!(
            ty,
            TSType::TSUnionType(_)
                | TSType::TSIntersectionType(_)
                | TSType::TSFunctionType(_)
                | TSType::TSConditionalType(_)
                | TSType::TSTypeQuery(_)
                | TSType::TSArrayType(_)
                | TSType::TSIndexedAccessType(_)
        );
        let wraps = may && self.way == Way::Parentheses;
        if wraps {
            self.put(ty.span().start, "(");
        }
        walk::walk_ts_type(self, ty);
        if wraps {
            self.put(ty.span().end, ")");
        }
    }

    fn visit_expression(&mut self, value: &Expression<'a>) {
        let may = matches!(
            value,
            Expression::BinaryExpression(_)
                | Expression::LogicalExpression(_)
                | Expression::ConditionalExpression(_)
                | Expression::NumericLiteral(_)
                | Expression::ArrayExpression(_)
                | Expression::NewExpression(_)
        );
        let wraps = may && self.way == Way::Parentheses;
        if may {
            self.before(value.span());
        }
        if wraps {
            self.put(value.span().start, "(");
        }
        walk::walk_expression(self, value);
        if wraps {
            self.put(value.span().end, ")");
        }
    }

    // The grammar leaves no room for more around what these are.
    fn visit_property_key(&mut self, key: &PropertyKey<'a>) {
        if matches!(self.way, Way::Quotes | Way::Numbers) {
            walk::walk_property_key(self, key);
        }
    }

    fn visit_ts_literal(&mut self, literal: &TSLiteral<'a>) {
        if matches!(self.way, Way::Quotes | Way::Numbers) {
            walk::walk_ts_literal(self, literal);
        }
    }

    fn visit_string_literal(&mut self, literal: &StringLiteral<'a>) {
        let raw = &self.text[literal.span.start as usize..literal.span.end as usize];
        let inner = &raw[1..raw.len() - 1];
        if self.way == Way::Quotes && !inner.contains(['\'', '"', '\\', '\n']) {
            let quote = if raw.starts_with('\'') { '"' } else { '\'' };
            self.found.push((literal.span, 0, format!("{quote}{inner}{quote}")));
        }
    }

    fn visit_numeric_literal(&mut self, literal: &NumericLiteral<'a>) {
        let raw = &self.text[literal.span.start as usize..literal.span.end as usize];
        let plain = raw.len() > 1 && !raw.starts_with('0') && raw.bytes().all(|byte| byte.is_ascii_digit());
        if self.way == Way::Numbers && plain {
            let (head, tail) = raw.split_at(1);
            self.found.push((literal.span, 0, format!("{head}_{tail}")));
        }
    }

    fn visit_array_expression(&mut self, list: &ArrayExpression<'a>) {
        walk::walk_array_expression(self, list);
        self.comma(list.elements.last().filter(|one| !one.is_elision()).map(GetSpan::span), list.span.end);
    }

    fn visit_object_expression(&mut self, object: &ObjectExpression<'a>) {
        walk::walk_object_expression(self, object);
        self.comma(object.properties.last().map(GetSpan::span), object.span.end);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        walk::walk_call_expression(self, call);
        self.comma(call.arguments.last().map(GetSpan::span), call.span.end);
    }
}
