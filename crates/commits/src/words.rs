//! Names in source text, whatever the language: identifiers, the words inside them, and what a line declares. It reads
//! one line at a time and never fails; a line that it does not understand declares nothing.

/// Identifiers of a line, in order: a letter or `_`, then letters, digits and `_`. Single letters say too little.
pub(crate) fn names(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| !is_name_byte(*byte)).filter(|name| {
        name.len() > 1
            && name.len() <= LONGEST_NAME
            && !name[0].is_ascii_digit()
            && name.iter().any(|byte| *byte != b'_')
    })
}

/// The words inside an identifier, in lower case and without a plural's `s`: `parseHTTPHeaders_v2` has `parse`, `http`
/// and `header`.
pub(crate) fn sub_words(name: &[u8], mut emit: impl FnMut(&[u8])) {
    let mut word: Vec<u8> = Vec::new();
    for (place, &byte) in name.iter().enumerate() {
        let next_is_lower = name.get(place + 1).is_some_and(u8::is_ascii_lowercase);
        let before = place.checked_sub(1).map(|before| name[before]);
        let begins = byte.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase() || before.is_ascii_digit() || next_is_lower
            });
        if begins || !byte.is_ascii_alphabetic() && byte < 0x80 {
            finish_word(&mut word, &mut emit);
        }
        if byte.is_ascii_alphabetic() || byte >= 0x80 {
            word.push(byte.to_ascii_lowercase());
        }
    }
    finish_word(&mut word, &mut emit);
}

/// What sort of thing a line declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DeclarationKind {
    Type,
    Function,
    Module,
    Constant,
    /// A local name.
    Binding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declaration<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) kind: DeclarationKind,
}

/// What a line of source declares, told by its first words.
pub(crate) fn declaration(line: &[u8]) -> Option<Declaration<'_>> {
    let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let text = &line[indent..];
    if text.is_empty() || is_comment(text) {
        return None;
    }
    let mut words = Words { rest: text };
    let mut word = words.next()?;
    let mut modified = false;
    while MODIFIERS.contains(&word) {
        modified = true;
        words.skip_parentheses();
        word = words.next()?;
    }
    if let Some((_, kind)) = KEYWORDS.iter().find(|(keyword, _)| *keyword == word) {
        words.skip_parentheses();
        let mut name = words.next()?;
        if name == b"self" {
            name = words.next()?;
        }
        let kind = match kind {
            DeclarationKind::Constant if indent > 0 && !modified => DeclarationKind::Binding,
            kind => *kind,
        };
        let ended = matches!(text.last(), Some(b';')) && kind == DeclarationKind::Type && word == b"struct";
        return (is_identifier(name) && !ended).then_some(Declaration { name, kind });
    }
    function_by_shape(text, indent, modified)
}

/// The name under which a line hands a thing out by assigning it: `exports.parse = …`, `View.prototype.render = function`.
pub(crate) fn assigned(line: &[u8]) -> Option<&[u8]> {
    let equals = find(line, b" = ")?;
    let (target, value) = (&line[..equals], line[equals + 3..].trim_ascii());
    let mut parts = target.rsplit(|byte| *byte == b'.');
    let name = parts.next()?;
    let owner: Vec<&[u8]> = parts.collect();
    let is_name = |part: &&[u8]| is_identifier(part) && part.iter().all(|byte| is_name_byte(*byte));
    let is_plain = is_name(&name) && !owner.is_empty() && owner.iter().all(is_name);
    let hands_out = owner.iter().any(|part| [b"exports".as_slice(), b"prototype"].contains(part));
    let is_function = [b"function".as_slice(), b"async ", b"class "].iter().any(|it| value.starts_with(it))
        || value.starts_with(b"(") && find(value, b"=>").is_some();
    (is_plain && (hands_out || is_function)).then_some(name)
}

/// `#`, `##` … in a document.
pub(crate) fn heading(line: &[u8]) -> Option<&[u8]> {
    let level = line.iter().take_while(|byte| **byte == b'#').count();
    let text = line.get(level..)?.trim_ascii();
    (1..=6).contains(&level).then_some(text).filter(|text| !text.is_empty() && line.get(level) == Some(&b' '))
}

/// `- text` or `1. text` in a document: what stands behind the mark.
pub(crate) fn list_item(line: &[u8]) -> Option<&[u8]> {
    let text = line.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mark = match text.get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=3).contains(&digits) => digits + 1,
        _ => return None,
    };
    let rest = text.get(mark..).filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace))?;
    Some(rest.trim_ascii()).filter(|rest| !rest.is_empty())
}

pub(crate) fn is_comment(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    COMMENTS.iter().any(|mark| text.starts_with(mark))
        && !text.starts_with(b"#define")
        && !text.starts_with(b"#include")
        && !text.starts_with(b"#if")
        && !text.starts_with(b"#[")
}

pub(crate) fn is_import(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    IMPORTS.iter().any(|mark| text.starts_with(mark))
        || (text.starts_with(b"const ") || text.starts_with(b"var ")) && find(text, b"require(").is_some()
}

/// Whether a line is about where something comes from, as an import or a part of one.
pub(crate) fn names_a_module(line: &[u8]) -> bool {
    let marks: [&[u8]; 4] = [b"require(", b"import(", b" from '", b" from \""];
    is_import(line) || marks.iter().any(|mark| find(line, mark).is_some())
}

/// FNV-1a: the same on every machine, and small enough to keep for every name of a history.
pub(crate) fn hash(seed: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

pub(crate) fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

const LONGEST_NAME: usize = 80;
const MODIFIERS: &[&[u8]] = &[
    b"pub",
    b"export",
    b"default",
    b"async",
    b"static",
    b"public",
    b"private",
    b"protected",
    b"final",
    b"abstract",
    b"unsafe",
    b"extern",
    b"override",
    b"open",
    b"internal",
    b"data",
    b"inline",
    b"virtual",
    b"suspend",
    b"declare",
    b"readonly",
    b"sealed",
    b"partial",
    b"synchronized",
    b"crate",
];
const KEYWORDS: &[(&[u8], DeclarationKind)] = &[
    (b"fn", DeclarationKind::Function),
    (b"func", DeclarationKind::Function),
    (b"fun", DeclarationKind::Function),
    (b"function", DeclarationKind::Function),
    (b"def", DeclarationKind::Function),
    (b"defp", DeclarationKind::Function),
    (b"sub", DeclarationKind::Function),
    (b"proc", DeclarationKind::Function),
    (b"macro_rules", DeclarationKind::Function),
    (b"macro", DeclarationKind::Function),
    (b"class", DeclarationKind::Type),
    (b"struct", DeclarationKind::Type),
    (b"enum", DeclarationKind::Type),
    (b"trait", DeclarationKind::Type),
    (b"interface", DeclarationKind::Type),
    (b"type", DeclarationKind::Type),
    (b"union", DeclarationKind::Type),
    (b"record", DeclarationKind::Type),
    (b"protocol", DeclarationKind::Type),
    (b"object", DeclarationKind::Type),
    (b"typedef", DeclarationKind::Type),
    (b"impl", DeclarationKind::Type),
    (b"module", DeclarationKind::Module),
    (b"mod", DeclarationKind::Module),
    (b"namespace", DeclarationKind::Module),
    (b"const", DeclarationKind::Constant),
    (b"let", DeclarationKind::Binding),
    (b"var", DeclarationKind::Constant),
    (b"val", DeclarationKind::Constant),
    (b"define", DeclarationKind::Constant),
];
/// Words before a parenthesis that are no function's name.
const STATEMENTS: &[&[u8]] = &[
    b"if", b"for", b"while", b"switch", b"return", b"catch", b"match", b"with", b"elif", b"else", b"assert",
    b"sizeof", b"typeof", b"await", b"throw", b"new", b"delete", b"raise", b"yield", b"unless", b"until",
    b"when", b"super",
];
const COMMENTS: &[&[u8]] = &[b"//", b"#", b"/*", b"*", b"--", b"<!--", b"\"\"\"", b";;"];
const IMPORTS: &[&[u8]] = &[
    b"import ",
    b"from ",
    b"use ",
    b"pub use ",
    b"#include",
    b"require ",
    b"require_relative ",
    b"using ",
    b"export * from",
    b"export {",
];

/// A function without a keyword: `static int name(…)` at the margin, or `name(…) {` in a class.
fn function_by_shape(text: &[u8], indent: usize, modified: bool) -> Option<Declaration<'_>> {
    let open = text.iter().position(|byte| *byte == b'(')?;
    let before = text[..open].trim_ascii_end();
    let begin = before.iter().rposition(|byte| !is_name_byte(*byte)).map_or(0, |place| place + 1);
    let name = &before[begin..];
    // A text is handed to a call, as in `it('works', () => {`; no declaration takes one.
    let quoted = matches!(text[open + 1..].trim_ascii_start().first(), Some(b'\'' | b'"' | b'`'));
    if !is_identifier(name) || STATEMENTS.contains(&name) || quoted {
        return None;
    }
    let lead = before[..begin].trim_ascii_end();
    let plain_lead = lead.iter().all(|byte| is_name_byte(*byte) || b" *&<>[],.?:".contains(byte));
    let leading_word = names(lead).next().is_some_and(|word| STATEMENTS.contains(&word));
    let tail = text.trim_ascii_end();
    let opens = tail.ends_with(b"{");
    let ends = tail.ends_with(b";");
    let declares = if lead.is_empty() {
        opens && indent > 0
    } else {
        plain_lead && !leading_word && !ends && (opens || modified || (indent == 0 && tail.ends_with(b")")))
    };
    declares.then_some(Declaration { name, kind: DeclarationKind::Function })
}

struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        let begin = self.rest.iter().position(|byte| is_name_byte(*byte))?;
        // An operator ends what the first words of a line can declare.
        if self.rest[..begin].iter().any(|byte| b"=({".contains(byte)) {
            return None;
        }
        let rest = &self.rest[begin..];
        let end = rest.iter().position(|byte| !is_name_byte(*byte)).unwrap_or(rest.len());
        self.rest = &rest[end..];
        Some(&rest[..end])
    }

    /// `pub(crate)`, and the receiver of a Go method.
    fn skip_parentheses(&mut self) {
        let text = self.rest.trim_ascii_start();
        if text.first() == Some(&b'(') {
            if let Some(end) = text.iter().position(|byte| *byte == b')') {
                self.rest = &text[end + 1..];
            }
        }
    }
}

fn finish_word(word: &mut Vec<u8>, emit: &mut impl FnMut(&[u8])) {
    if word.len() > 4 && word.ends_with(b"s") && !word.ends_with(b"ss") {
        word.pop();
    }
    if word.len() > 2 {
        emit(word);
    }
    word.clear();
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn is_identifier(name: &[u8]) -> bool {
    name.len() > 1 && name.len() <= LONGEST_NAME && !name[0].is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_out_by_assigning_it_has_a_name() {
        let name =
            |line: &str| assigned(line.as_bytes()).map(|name| String::from_utf8_lossy(name).into_owned());
        assert_eq!(name("exports.parse = parse;").as_deref(), Some("parse"));
        assert_eq!(name("module.exports.parse = require('./parse');").as_deref(), Some("parse"));
        assert_eq!(name("View.prototype.render = function render(options) {").as_deref(), Some("render"));
        assert_eq!(name("res.type = function contentType(type) {").as_deref(), Some("type"));
        assert_eq!(name("app.use = (path) => {").as_deref(), Some("use"));
        let others =
            ["total = 1;", "  this.total = 1;", "self.total = sum", "a[0].bb = function () {", "x == y"];
        for line in others {
            assert_eq!(name(line), None, "{line}");
        }
    }
}
