//! The names that a printed signature mentions: of types, and of values by `typeof`, as a parent, or for a key. What is only a label
//! in it (of a parameter, a member, a part of a qualified name) is none of them.

use std::borrow::Cow;

use crate::brackets::{end_of_list, split};

/// A mention with its place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mention<'t> {
    /// `Props`, `React.ReactNode`.
    pub(crate) text: &'t str,
    pub(crate) start: usize,
    /// After `typeof`, spread, in what a class extends, as a computed key, or of a member of an enum: what has the name is
    /// wanted as a value.
    pub(crate) is_value: bool,
}

impl<'t> Mention<'t> {
    /// What is looked up: `React` of `React.ReactNode`.
    pub(crate) fn first(&self) -> &'t str {
        self.text.split_once('.').map_or(self.text, |(first, _)| first)
    }
}

/// In the order of the text.
pub(crate) fn mentions(text: &str) -> Mentions<'_> {
    mentions_among(text, u64::MAX)
}

/// Those that begin with one of some letters: each is one bit, as [`first_letter`] has it.
pub(crate) fn mentions_among(text: &str, letters: u64) -> Mentions<'_> {
    Mentions {
        text,
        at: 0,
        open: [0; DEEPEST],
        depth: 0,
        is_class: is_class(text),
        is_enum: is_enum(text),
        in_heritage: false,
        after_typeof: false,
        in_template: false,
        letters,
    }
}

/// One bit, by which most words are told from the names of a file.
pub(crate) fn first_letter(word: &[u8]) -> u64 {
    1 << (word.first().copied().unwrap_or_default() & 63)
}

/// Whether a signature is that of a class.
pub(crate) fn is_class(signature: &str) -> bool {
    signature.starts_with("class ") || signature.starts_with("abstract class ")
}

/// Whether a signature is that of an enumeration.
pub(crate) fn is_enum(signature: &str) -> bool {
    signature.starts_with("enum ") || signature.starts_with("const enum ")
}

/// The type parameters of a signature: `interface Box<T>`, `const pick: <T>(all: T[]) => T`.
pub(crate) fn type_parameters(signature: &str) -> Vec<String> {
    let Some((head, list)) = signature.split_once('<') else { return Vec::new() };
    // What is given to a type is no parameter: `class A extends B<C>`, `const a: B<C>`.
    let is_own = match head.split_once(':') {
        Some((_, rest)) => rest.trim().is_empty(),
        None => {
            !head.contains(['(', '{', '=']) && !head.contains(" extends ") && !head.contains(" implements ")
        }
    };
    let name = |parameter: &String| {
        let end = parameter.find(" extends ").or_else(|| parameter.find(" = ")).unwrap_or(parameter.len());
        parameter[..end].rsplit(' ').next().map(str::to_owned)
    };
    match end_of_list(list).filter(|_| is_own) {
        Some(end) => split(&list[..end], &[',']).iter().filter_map(name).collect(),
        None => Vec::new(),
    }
}

/// Whether one of the signatures of a declaration has a type parameter by this name.
pub(crate) fn is_parameter(signatures: &[String], name: &str) -> bool {
    signatures.iter().flat_map(|one| type_parameters(one)).any(|one| one == name)
}

/// Whether what stands in a text is all of a key: `[name]: string`, `[name](): void`.
pub(crate) fn is_key(text: &str, place: std::ops::Range<usize>) -> bool {
    let after = text.get(place.end..).and_then(|after| after.strip_prefix(']'));
    let begins = |after: &str| after.trim_start_matches(['-', '?']).starts_with([':', '(', '<']);
    text.get(..place.start).is_some_and(|before| before.ends_with('[')) && after.is_some_and(begins)
}

/// The text with other words for some mentions.
pub(crate) fn replaced<'t>(text: &'t str, other: impl Fn(&Mention<'t>) -> Option<&'t str>) -> Cow<'t, str> {
    let mut whole = String::new();
    let mut done = 0;
    for mention in mentions(text) {
        if let Some(word) = other(&mention) {
            whole.push_str(&text[done..mention.start]);
            whole.push_str(word);
            done = mention.start + mention.text.len();
        }
    }
    if done == 0 { Cow::Borrowed(text) } else { Cow::Owned(whole + &text[done..]) }
}

/// Brackets inside of each other that are told apart; deeper ones count as the last of these.
const DEEPEST: usize = 32;

pub(crate) struct Mentions<'t> {
    text: &'t str,
    at: usize,
    open: [u8; DEEPEST],
    depth: usize,
    is_class: bool,
    is_enum: bool,
    in_heritage: bool,
    after_typeof: bool,
    /// Whether the innermost bracket is that of a template.
    in_template: bool,
    letters: u64,
}

impl<'t> Iterator for Mentions<'t> {
    type Item = Mention<'t>;

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if self.in_template {
                self.template(bytes, byte);
            } else if is_word(byte) {
                let start = self.at;
                self.at = past_word(bytes, start + 1);
                let found = self.word(bytes, start);
                if found.is_some() {
                    return found;
                }
            } else {
                self.at += 1;
                match byte {
                    b'\'' | b'"' => self.quoted(bytes, byte),
                    b'(' | b'[' | b'{' | b'<' | b'`' => self.push(byte),
                    b'>' if self.at >= 2 && bytes[self.at - 2] == b'=' => {}
                    b')' | b']' | b'}' | b'>' => self.pop(),
                    _ => {}
                }
            }
        }
        None
    }
}

impl<'t> Mentions<'t> {
    fn innermost(&self) -> u8 {
        self.depth.checked_sub(1).map_or(0, |last| self.open[last.min(DEEPEST - 1)])
    }

    fn push(&mut self, bracket: u8) {
        self.open[self.depth.min(DEEPEST - 1)] = bracket;
        self.depth += 1;
        self.in_heritage &= bracket != b'{';
        self.in_template = bracket == b'`';
    }

    fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.in_template = self.innermost() == b'`';
    }

    /// The text of a template, up to what is put in or to its end.
    fn template(&mut self, bytes: &[u8], byte: u8) {
        self.at += 1;
        match byte {
            b'\\' => self.at += 1,
            b'`' => self.pop(),
            b'$' if bytes.get(self.at) == Some(&b'{') => {
                self.at += 1;
                self.push(b'{');
            }
            _ => {}
        }
    }

    fn quoted(&mut self, bytes: &[u8], quote: u8) {
        while let Some(&byte) = bytes.get(self.at) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == quote {
                return;
            }
        }
    }

    fn word(&mut self, bytes: &[u8], start: usize) -> Option<Mention<'t>> {
        let after_typeof = std::mem::take(&mut self.after_typeof);
        let first_end = self.at;
        match &bytes[start..first_end] {
            b"typeof" => {
                self.after_typeof = true;
                return None;
            }
            b"extends" if self.is_class && self.depth == 0 => {
                self.in_heritage = true;
                return None;
            }
            b"implements" if self.depth == 0 => {
                self.in_heritage = false;
                return None;
            }
            _ => {}
        }
        // The rest of a qualified name.
        while bytes.get(self.at) == Some(&b'.') && bytes.get(self.at + 1).copied().is_some_and(is_word) {
            self.at = past_word(bytes, self.at + 1);
        }
        if self.letters & first_letter(&bytes[start..]) == 0 {
            return None;
        }
        let before = bytes[..start].trim_ascii_end();
        let is_spread = before.ends_with(b"...");
        let is_member = matches!(before.last(), Some(b'.' | b'#')) && !is_spread;
        if bytes[start].is_ascii_digit() || is_member {
            return None;
        }
        let of_enum = self.is_enum && self.depth > 0;
        let value = after_typeof || self.in_heritage || of_enum && !self.is_label(bytes, before, is_spread);
        if !value && self.is_label(bytes, before, is_spread) {
            return None;
        }
        let text = self.text.get(start..self.at)?;
        let is_key = is_key(self.text, start..self.at);
        Some(Mention { text, start, is_value: value || is_spread || is_key })
    }

    fn is_label(&self, bytes: &[u8], before: &[u8], is_spread: bool) -> bool {
        let after = &bytes[self.at..];
        let inside = self.innermost();
        let begins = matches!(before.last(), Some(b'(' | b'{' | b',' | b';')) || is_spread;
        match (after.first(), after.get(1)) {
            (Some(b':' | b'('), _) | (Some(b'?'), Some(b':' | b'(')) => true,
            (Some(b'?'), Some(b',' | b')')) => inside == b'(',
            (Some(b' '), Some(b'=')) => after.get(2) != Some(&b'>'),
            // Parameters without a type, members by name alone.
            (Some(b',' | b')'), _) if inside == b'(' => begins,
            (Some(b',' | b';' | b' '), _) if inside == b'{' => {
                let next = after.trim_ascii_start().first();
                begins && !is_spread && matches!(next, Some(b',' | b';' | b'}'))
            }
            _ => false,
        }
    }
}

/// By byte: asked of every byte of every signature.
const WORD: [bool; 256] = {
    let mut word = [false; 256];
    let mut byte = 0_u8;
    loop {
        word[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
        if byte == u8::MAX {
            break word;
        }
        byte += 1;
    }
};

fn is_word(byte: u8) -> bool {
    WORD[usize::from(byte)]
}

fn past_word(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    rest.iter().position(|byte| !is_word(*byte)).map_or(bytes.len(), |length| start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<String> {
        let keyword = |word: &str| {
            matches!(
                word,
                "function"
                    | "const"
                    | "class"
                    | "interface"
                    | "type"
                    | "abstract"
                    | "string"
                    | "void"
                    | "keyof"
                    | "extends"
                    | "async"
                    | "readonly"
                    | "inferred"
                    | "as"
                    | "is"
                    | "static"
                    | "in"
                    | "number"
            )
        };
        mentions(text)
            .filter(|one| !keyword(one.text))
            .map(|one| format!("{}{}", if one.is_value { "=" } else { "" }, one.text))
            .collect()
    }

    #[test]
    fn labels_are_no_mentions() {
        for (text, expected) in [
            ("function f(path, fs: A, q?: B[], ...rest: C): Map<D>", vec!["A", "B", "C", "Map", "D"]),
            ("function f({...}: { a: A; b?: B; run(c: C): void }, d?)", vec!["A", "B", "C"]),
            ("function f(a): inferred { b, c }", vec![]),
            ("const g: typeof a", vec!["=a"]),
            ("const g: { a: typeof a; b: (c, d) => E; ...base }", vec!["=a", "E", "=base"]),
            (
                "class K<T extends A> extends mixin(B, C)<D> implements E { x: F }",
                vec!["K", "T", "A", "=mixin", "=B", "=C", "=D", "E", "F"],
            ),
            ("type T = A extends B ? C : `a ${D} it's b` | 'E' | \"F\"", vec!["A", "B", "C", "D"]),
            (
                "type T = typeof o[number] | React.ReactNode | (keyof typeof p)[]",
                vec!["=o", "React.ReactNode", "=p"],
            ),
            ("const o: { a, b } #0badcafe", vec![]),
            ("type T = [a: A, B?, ...C]", vec!["A", "B", "=C"]),
        ] {
            assert_eq!(named(text), expected, "{text}");
        }
    }

    #[test]
    fn whatever_the_text_is_it_ends() {
        for text in
            ["", "'", "`", "`${", "((((", "}}}", "a.", "...", "é.ü", "<>)]`}", "'\\", "typeof", "a?", "\\"]
        {
            assert!(mentions(text).count() <= 2);
            assert!(mentions(&text.repeat(100)).count() <= 200);
        }
    }
}
