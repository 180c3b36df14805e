//! What a file says that it needs in comments before its first word: `/// <reference path="./globals.d.ts" />`, and
//! `/** @jsxImportSource ../jsx */` for what its elements are made by.

use oxc_ast::ast::{Comment, JSXOpeningElement, JSXOpeningFragment, Program};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

use super::source::Source;
use crate::model::{Import, ImportKind, ImportedName};

/// What makes elements, and the types of them.
const MAKERS: [&str; 4] = ["Fragment", "JSX", "jsx", "jsxs"];

/// Of nothing but types: no such comment is left when the program runs.
pub(super) fn of(program: &Program<'_>, source: &Source<'_>) -> Vec<Import> {
    let references = before_all(program).filter_map(|comment| {
        let tag = source.slice(comment.span).strip_prefix("///")?.trim_start().strip_prefix("<reference")?;
        let specifier = match (attribute(tag, "path"), attribute(tag, "types")) {
            // A path begins at the file, also where it does not say so.
            (Some(path), _) if path.starts_with(['.', '/']) => path.to_owned(),
            (Some(path), _) => format!("./{path}"),
            (None, types) => types?.to_owned(),
        };
        let line = source.line(comment.span.start);
        Some(Import { specifier, kind: ImportKind::TypeOnly, names: Vec::new(), line })
    });
    references.collect()
}

/// The module that makes the elements of a file that has some.
pub(super) fn of_elements(program: &Program<'_>, source: &Source<'_>) -> Option<Import> {
    let said = |word: &'static str| {
        before_all(program).filter_map(move |comment| {
            let text = source.slice(comment.span).strip_prefix("/*")?.strip_suffix("*/")?;
            let (_, rest) = text.split_once(word)?;
            let rest = rest.strip_prefix(char::is_whitespace)?;
            let value = rest.split_whitespace().next()?.trim_end_matches('*');
            (!value.is_empty()).then_some((value, comment))
        })
    };
    // The last one counts.
    let (module, comment) = said("@jsxImportSource").last()?;
    let is_classic = said("@jsxRuntime").last().is_some_and(|(runtime, _)| runtime == "classic");
    let mut elements = Elements(false);
    elements.visit_program(program);
    if is_classic || !elements.0 {
        return None;
    }
    let name =
        |name: &str| ImportedName { imported: name.to_owned(), local: String::new(), type_only: false };
    Some(Import {
        specifier: format!("{module}/jsx-runtime"),
        kind: ImportKind::Static,
        names: MAKERS.map(name).into(),
        line: source.line(comment.span.start),
    })
}

/// Whether there are any.
struct Elements(bool);

impl<'a> Visit<'a> for Elements {
    fn visit_jsx_opening_element(&mut self, _: &JSXOpeningElement<'a>) {
        self.0 = true;
    }

    fn visit_jsx_opening_fragment(&mut self, _: &JSXOpeningFragment) {
        self.0 = true;
    }
}

/// The comments before the first word.
fn before_all<'p>(program: &'p Program<'_>) -> impl Iterator<Item = &'p Comment> {
    let first = program.directives.first().map(GetSpan::span).or(program.body.first().map(GetSpan::span));
    let end = first.map_or(u32::MAX, |first| first.start);
    program.comments.iter().take_while(move |comment| comment.span.end <= end)
}

/// `path="a"`, `path = 'a'`.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (before, after) = tag.split_once(name)?;
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let (value, _) = value[1..].split_once(quote)?;
    (before.ends_with(char::is_whitespace) && !value.is_empty()).then_some(value)
}
