//! The text of a file with what is asked of it again and again: lines, columns, doc comments, the text of a span.

use std::borrow::Cow;
use std::cell::RefCell;

use oxc_ast::ast::{Comment, Statement};
use oxc_span::Span;

use super::origins::Origins;
use crate::model::{Lines, Member};

#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    comments: &'a [Comment],
    /// For each block of the text, how many lines end before it: few places are asked for, and lines are many.
    lines_before: Vec<u32>,
    /// Doc comments are where JavaScript says types.
    comments_have_types: bool,
    /// Whether elements can be written in it.
    pub(super) has_elements: bool,
    /// Whether a comment may say in which ways a function is called.
    pub(super) has_overloads: bool,
    /// Whether a function of JavaScript may take more than it names.
    pub(super) has_arguments: bool,
    /// What the names at the top of the file stand for.
    pub(super) origins: Origins<'a>,
    /// What printing has room in.
    pub(super) room: RefCell<String>,
}

/// Bytes of a block.
const BLOCK: usize = 512;

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str, comments: &'a [Comment]) -> Self {
        let mut lines_before = Vec::with_capacity(text.len() / BLOCK + 2);
        let mut lines = 0;
        lines_before.push(lines);
        for block in text.as_bytes().chunks(BLOCK) {
            lines += line_ends(block);
            lines_before.push(lines);
        }
        Self {
            text,
            comments,
            lines_before,
            comments_have_types: false,
            has_elements: false,
            has_overloads: false,
            has_arguments: false,
            origins: Origins::new(&[]),
            room: RefCell::default(),
        }
    }

    pub(super) fn of_javascript(self, comments_have_types: bool) -> Self {
        let mentions = |tag: &str| memchr::memmem::find(self.text.as_bytes(), tag.as_bytes()).is_some();
        let has_overloads = comments_have_types && mentions("@overload");
        let has_arguments = comments_have_types && mentions("arguments");
        Self { comments_have_types, has_overloads, has_arguments, ..self }
    }

    pub(super) fn of_elements(self, has_elements: bool) -> Self {
        Self { has_elements, ..self }
    }

    pub(super) fn is_javascript(&self) -> bool {
        self.comments_have_types
    }

    pub(super) fn with_names(self, body: &'a [Statement<'a>]) -> Self {
        Self { origins: Origins::new(body), ..self }
    }

    /// The doc comment that speaks of the types of what begins at `start`, of which a keyword and a name may stand before:
    /// `export const name =`.
    pub(super) fn typed_doc(&self, start: u32) -> Option<&'a str> {
        if !self.comments_have_types {
            return None;
        }
        self.docs(start).next().filter(|text| text.contains('{') || text.contains("@template"))
    }

    /// The doc comments above what begins at `start`, the nearest first. `// eslint-disable-next-line` may stand below one.
    pub(super) fn docs(&self, start: u32) -> impl Iterator<Item = &'a str> {
        let after = self.comments.partition_point(|comment| comment.span.end <= start);
        let mut end = start;
        let above = self.comments[..after].iter().rev().map_while(move |comment| {
            let between = self.text.get(comment.span.end as usize..end as usize)?;
            let belongs = if end == start { begins_with(between) } else { between.trim().is_empty() };
            end = comment.span.start;
            belongs.then(|| self.slice(comment.span))
        });
        above.filter(|text| text.starts_with("/**"))
    }

    /// Counted from 1.
    pub(super) fn line(&self, offset: u32) -> u32 {
        let offset = (offset as usize).min(self.text.len());
        let block = &self.text.as_bytes()[offset - offset % BLOCK..offset];
        1 + self.lines_before[offset / BLOCK] + line_ends(block)
    }

    /// In characters, counted from 1.
    pub(super) fn column(&self, offset: u32) -> u32 {
        let before = self.text.get(..offset as usize).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        small(before[start..].chars().count()) + 1
    }

    pub(super) fn lines(&self, span: Span) -> Lines {
        Lines { first: self.line(span.start), last: self.line(span.end.saturating_sub(1).max(span.start)) }
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The text of a span without comments and without the blanks that only lay it out, for what is shown as written.
    pub(super) fn compact(&self, span: Span) -> Cow<'a, str> {
        let whole = self.slice(span);
        if whole.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return whole.into();
        }
        let first = self.comments.partition_point(|comment| comment.span.end <= span.start);
        let inside = self.comments[first..].iter().take_while(|comment| comment.span.start < span.end);
        let mut text = String::new();
        let mut start = span.start;
        for comment in inside.map(|comment| comment.span).chain([Span::empty(span.end)]) {
            compact(self.slice(Span::new(start, comment.start.max(start))), &mut text);
            start = comment.end;
        }
        text.into()
    }

    /// The first line of the doc comment that stands right before `start`.
    pub(super) fn doc(&self, start: u32) -> Option<String> {
        let after = self.comments.partition_point(|comment| comment.span.end <= start);
        let comment = self.comments[..after].last()?;
        let between = self.text.get(comment.span.end as usize..start as usize)?;
        if !comment.is_block() || !between.trim().is_empty() {
            return None;
        }
        first_line(self.slice(comment.span))
    }

    /// The doc comment that describes the whole file: the first thing in it beside a licence, apart from what it documents
    /// first.
    pub(super) fn file_doc(&self, first_statement: Option<u32>) -> Option<String> {
        let mut end = if self.text.starts_with("#!") { self.text.find('\n')? } else { 0 };
        for comment in self.comments {
            let start = comment.span.start as usize;
            if start < end {
                continue;
            }
            if !self.text.get(end..start)?.trim().is_empty() {
                return None;
            }
            end = comment.span.end as usize;
            let text = self.slice(comment.span);
            let Some(line) = first_line(text) else { continue };
            let named = ["@file", "@fileoverview", "@module", "@packageDocumentation", "@uif"];
            let apart = first_statement.is_none_or(|at| {
                let between = self.text.get(end..at as usize).unwrap_or_default();
                between.bytes().filter(|byte| *byte == b'\n').count() > 1 || !between.trim().is_empty()
            });
            return (apart || named.iter().any(|tag| text.contains(tag))).then_some(line);
        }
        None
    }

    pub(super) fn documented(&self, start: u32, member: Member) -> Member {
        Member { doc: self.doc(start), ..member }
    }
}

pub(super) fn line_ends(text: &[u8]) -> u32 {
    small(memchr::memchr_iter(b'\n', text).count())
}

/// Whether a declaration may begin so: keywords, then at most one name. The end of a statement before it may be a line.
fn begins_with(text: &str) -> bool {
    const KEYWORDS: [&str; 10] =
        ["export", "default", "declare", "const", "let", "var", "async", "function", "static", "="];
    // The last comment may be far away.
    if text.len() >= 200 {
        return false;
    }
    let text = text.trim_end().trim_end_matches(['=', ':']);
    let (before, name) = text.trim().rsplit_once(char::is_whitespace).unwrap_or(("", text));
    before.split_whitespace().all(|word| KEYWORDS.contains(&word))
        && !name.contains([';', '{', '}', '(', ')', ',', '[', ']', '\'', '"'])
}

/// Appends a text without its blanks, but for one between words.
pub(super) fn compact(text: &str, into: &mut String) {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    for word in text.split_whitespace() {
        if into.ends_with(is_word) && word.starts_with(is_word) {
            into.push(' ');
        }
        into.push_str(word);
    }
}

/// Offsets are 32 bits wide, as the parser's are.
pub(super) fn small(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX - 1)
}

/// The first line with words in it, of `/** … */` that is no licence. A tag line counts only where it says something
/// (`@file Words`).
fn first_line(comment: &str) -> Option<String> {
    let body = comment.strip_prefix("/**")?.strip_suffix("*/")?;
    let mut tag = OpenTag::default();
    let line = body.lines().map(|line| line.trim().trim_start_matches('*').trim()).find_map(|line| {
        let line = match line.strip_prefix('@').filter(|_| tag.depth == 0) {
            Some(tagged) => tag.begin(tagged),
            None if tag.holds(line) => "",
            None => line,
        };
        line.contains(char::is_alphanumeric).then_some(line)
    })?;
    (!is_licence(body, line)).then(|| cut(line))
}

/// The tag that lines of a comment may be about.
#[derive(Default)]
struct OpenTag {
    goes_on: bool,
    /// Further lines of code: not even an empty one ends it.
    is_code: bool,
    /// Of braces that its type has open.
    depth: usize,
}

impl OpenTag {
    /// Gives the words that describe what is documented.
    fn begin<'t>(&mut self, tagged: &'t str) -> &'t str {
        const DESCRIBES: &[&str] =
            &["file", "fileoverview", "module", "description", "summary", "deprecated"];
        // Nothing else may follow one that says nothing: `@internal`.
        const SAYS_MORE: &[&str] =
            &["arg", "callback", "example", "param", "property", "remarks", "return", "returns", "typedef"];
        let (tag, words) = tagged.split_once(char::is_whitespace).unwrap_or((tagged, ""));
        let describes = DESCRIBES.contains(&tag);
        self.goes_on = !describes && (!words.is_empty() || SAYS_MORE.contains(&tag));
        self.is_code = tag == "example";
        if describes {
            return words.trim();
        }
        self.count(words);
        ""
    }

    fn holds(&mut self, line: &str) -> bool {
        let is_open = self.depth > 0;
        self.goes_on &= !line.is_empty() || is_open || self.is_code;
        if is_open {
            self.count(line);
        }
        self.goes_on
    }

    fn count(&mut self, text: &str) {
        for byte in text.bytes().filter(|_| !self.is_code) {
            match byte {
                b'{' => self.depth += 1,
                b'}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }
}

/// Who owns a file says nothing about what is in it.
fn is_licence(body: &str, first_line: &str) -> bool {
    let begins = |words: &[&str]| {
        words
            .iter()
            .any(|word| first_line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))
    };
    let mentions = |word: &str| memchr::memmem::find(body.as_bytes(), word.as_bytes()).is_some();
    begins(&["SPDX-License", "Licensed under"])
        || mentions("@license")
        || begins(&["Copyright", "(c)", "©"])
            && ["icense", "icence", "ights reserved", "ights Reserved"].into_iter().any(mentions)
}

fn cut(line: &str) -> String {
    const LONGEST: usize = 160;
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let source = Source::new("a\né b\n", &[]);
        assert_eq!((source.line(0), source.column(0)), (1, 1));
        assert_eq!((source.line(5), source.column(5)), (2, 3));
        assert_eq!(source.lines(Span::new(0, 6)), Lines { first: 1, last: 2 });
    }

    #[test]
    fn the_first_line_of_a_doc_comment_has_words() {
        assert_eq!(first_line("/** One. */").as_deref(), Some("One."));
        assert_eq!(first_line("/**\n * @internal\n * Two.\n */").as_deref(), Some("Two."));
        assert_eq!(first_line("/**\n * @param a b\n *   and c\n *\n * Two.\n */").as_deref(), Some("Two."));
        let tag = "@param {{\n * filter?: (name: string) => boolean;\n *\n * @deep: {} }} options\n * of all";
        assert_eq!(first_line(&format!("/**\n * {tag}\n */")), None);
        assert_eq!(first_line(&format!("/**\n * {tag}\n * @summary Two.\n */")).as_deref(), Some("Two."));
        assert_eq!(first_line("/**\n * @example\n * if (a) {\n *\n * b()\n * @returns {X}\n */"), None);
        assert_eq!(first_line("/**\n * @file Three.\n */").as_deref(), Some("Three."));
        assert_eq!(first_line("/**\n * ------\n * Four\n * ------\n */").as_deref(), Some("Four"));
        assert_eq!(first_line("/* no */"), None);
        assert_eq!(first_line("/***/"), None);
        assert_eq!(first_line("/** */"), None);
        assert_eq!(first_line("/**\n * Copyright (c) Some Body.\n * Under the MIT license.\n */"), None);
        assert_eq!(first_line("/**\n * @license\n * Some Body.\n */"), None);
        assert_eq!(
            first_line("/** Copyright line of a page. */").as_deref(),
            Some("Copyright line of a page.")
        );
    }
}
