//! What a file says that it needs in comments before its first word: `/// <reference path="./globals.d.ts" />`.

use oxc_ast::ast::Program;
use oxc_span::GetSpan;

use super::source::Source;
use crate::model::{Import, ImportKind};

/// Of nothing but types: no such comment is left when the program runs.
pub(super) fn of(program: &Program<'_>, source: &Source<'_>) -> Vec<Import> {
    let first = program.directives.first().map(GetSpan::span).or(program.body.first().map(GetSpan::span));
    let end = first.map_or(u32::MAX, |first| first.start);
    let before = program.comments.iter().take_while(|comment| comment.span.end <= end);
    let references = before.filter_map(|comment| {
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

/// `path="a"`, `path = 'a'`.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (before, after) = tag.split_once(name)?;
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let (value, _) = value[1..].split_once(quote)?;
    (before.ends_with(char::is_whitespace) && !value.is_empty()).then_some(value)
}
