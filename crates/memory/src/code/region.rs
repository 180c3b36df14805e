//! Pieces of code and whether they are still the same. A piece's hash ignores line endings, trailing space, common
//! indentation and the reference comments in it, so that only what the code says makes it differ.

use std::ops::RangeInclusive;

use super::{Declaration, Mention, Source, mentions, outline};
use crate::entry::ContentHash;

/// The piece of code that a line belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The declaration, where one was recognised.
    pub declaration: Option<String>,
    pub first: usize,
    pub last: usize,
    pub hash: ContentHash,
}

/// A cited piece, found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub first: usize,
    pub last: usize,
    /// Lines that count towards the hash.
    pub size: usize,
    pub hash: ContentHash,
}

/// A paragraph that stands in for an unrecognised declaration is no longer than this on either side of its line.
const PARAGRAPH: usize = 20;

/// The region of a line: the declaration that follows its comment, else the innermost one around it, else the paragraph.
pub fn region_of_line(
    source: &Source<'_>,
    line: usize,
    declarations: &[Declaration],
    mentions: &[Mention],
) -> Region {
    let line = line.clamp(1, source.lines.len().max(1));
    let following = first_code_line(source, line);
    let declaration = declarations
        .iter()
        .find(|one| Some(one.first) == following && one.first >= line)
        .or_else(|| declarations.iter().rfind(|one| (one.first..=one.last).contains(&line)));
    let (first, last) = match declaration {
        Some(declaration) => (declaration.first, declaration.last),
        None => paragraph(source, line),
    };
    let piece = piece(source, first..=last, mentions);
    Region { declaration: declaration.map(|one| one.name.clone()), first, last, hash: piece.hash }
}

impl Source<'_> {
    /// The whole text as one piece.
    pub fn whole(&self) -> Piece {
        piece(self, 1..=self.lines.len(), &mentions(self))
    }

    /// A range of lines; nothing if the text ends before it.
    pub fn lines_piece(&self, first: usize, last: usize) -> Option<Piece> {
        let count = self.lines.len() - usize::from(self.text.ends_with('\n'));
        (1 <= first && first <= last && last <= count).then(|| piece(self, first..=last, &mentions(self)))
    }

    /// The declarations that a name may mean: `total` or `Cart.total` (also `Cart::total`, `Cart#total`).
    pub fn named(&self, name: &str) -> Vec<(Declaration, Piece)> {
        let wanted = name.replace("::", ".").replace('#', ".");
        let matches = |one: &Declaration| {
            let own = one.name.replace("::", ".");
            own == wanted || own.strip_suffix(&wanted).is_some_and(|outer| outer.ends_with('.'))
        };
        let mentions = mentions(self);
        let with_piece = |one: Declaration| {
            let piece = piece(self, one.first..=one.last, &mentions);
            (one, piece)
        };
        outline(self).into_iter().filter(matches).map(with_piece).collect()
    }
}

/// A piece of the same content anywhere in the text.
pub fn find_piece(source: &Source<'_>, hash: &ContentHash, size: usize) -> Option<Piece> {
    let lines = counted_lines(source, 1..=source.lines.len(), &mentions(source));
    if size == 0 || lines.len() < size {
        return None;
    }
    lines.windows(size).find_map(|window| {
        let (first, last) = (window.first()?.0, window.last()?.0);
        (hash_lines(window) == *hash).then(|| Piece { first, last, size, hash: hash.clone() })
    })
}

fn piece(source: &Source<'_>, range: RangeInclusive<usize>, mentions: &[Mention]) -> Piece {
    let (first, last) = (*range.start(), *range.end());
    let lines = counted_lines(source, range, mentions);
    Piece { first, last, size: lines.len(), hash: hash_lines(&lines) }
}

/// The lines of a range that count, with their numbers: not those that are blank or only refer to entries.
fn counted_lines(
    source: &Source<'_>,
    range: RangeInclusive<usize>,
    mentions: &[Mention],
) -> Vec<(usize, String)> {
    let first = *range.start();
    let mut offset: usize = source.lines[..first.saturating_sub(1).min(source.lines.len())]
        .iter()
        .map(|line| line.len() + 1)
        .sum();
    let mut counted = Vec::new();
    for number in range {
        let Some(line) = source.lines.get(number - 1) else { break };
        let end = offset + line.len();
        let mut text = (*line).to_owned();
        let mut phrases: Vec<_> = mentions
            .iter()
            .filter(|mention| mention.phrase.start < end && mention.phrase.end > offset)
            .map(|mention| mention.phrase.start.max(offset) - offset..mention.phrase.end.min(end) - offset)
            .collect();
        phrases.dedup();
        let refers = !phrases.is_empty();
        for phrase in phrases.into_iter().rev() {
            text.replace_range(phrase, "");
        }
        if refers {
            let code = text
                .trim_end_matches(|one: char| {
                    one.is_whitespace() || matches!(one, '/' | '*' | '#' | '-' | '<' | '!' | '>' | '.' | ',')
                })
                .len();
            text.truncate(code);
        }
        let says_something =
            if refers { text.chars().any(char::is_alphanumeric) } else { !text.trim().is_empty() };
        if says_something {
            text.truncate(text.trim_end().len());
            counted.push((number, text));
        }
        offset = end + 1;
    }
    counted
}

fn hash_lines(lines: &[(usize, String)]) -> ContentHash {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let common = lines.iter().map(|(_, line)| indent(line)).min().unwrap_or(0);
    let mut text = String::new();
    for (_, line) in lines {
        text.push_str(line.get(common..).unwrap_or(line.trim_start()));
        text.push('\n');
    }
    ContentHash::of(text.as_bytes())
}

/// The first line at or after `line` that has code on it, with nothing but comments, blank lines and attributes between.
fn first_code_line(source: &Source<'_>, line: usize) -> Option<usize> {
    let masked: Vec<&str> = source.mask.split('\n').skip(line - 1).take(60).collect();
    let mut blank_run = 0;
    for (index, text) in masked.iter().enumerate() {
        let text = text.trim();
        let original = source.lines.get(line - 1 + index).map_or("", |line| line.trim());
        if text.is_empty() {
            blank_run = if original.is_empty() { blank_run + 1 } else { 0 };
            if blank_run > 1 {
                return None;
            }
        } else if !(text.starts_with('@') || text.starts_with("#[")) {
            return Some(line + index);
        }
    }
    None
}

fn paragraph(source: &Source<'_>, line: usize) -> (usize, usize) {
    let blank = |number: usize| source.lines.get(number - 1).is_none_or(|line| line.trim().is_empty());
    let first =
        (line.saturating_sub(PARAGRAPH).max(1)..line).rev().take_while(|number| !blank(*number)).last();
    let last = (line + 1..=line + PARAGRAPH).take_while(|number| !blank(*number)).last();
    (first.unwrap_or(line), last.unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(path: &str, text: &str, line: usize) -> Region {
        let source = Source::new(path, text);
        region_of_line(&source, line, &outline(&source), &mentions(&source))
    }

    const CART: &str = "class Cart {\n  // refer to context 00012\n  total() {\n    return 1;\n  }\n\n  other() {\n    // refer to context 00013\n    return 2;\n  }\n}\n";

    #[test]
    fn a_comment_belongs_to_what_it_stands_above_or_in() {
        let above = region("a.ts", CART, 2);
        assert_eq!((above.declaration.as_deref(), above.first, above.last), (Some("Cart.total"), 3, 5));
        let inside = region("a.ts", CART, 8);
        assert_eq!((inside.declaration.as_deref(), inside.first, inside.last), (Some("Cart.other"), 7, 10));
        let loose = region("a.ts", "a();\nb(); // refer to context 1\nc();\n\nd();\n", 2);
        assert_eq!((loose.declaration, loose.first, loose.last), (None, 1, 3));
        let documented = "/**\n * refer to context 1\n */\n@decorated\nfunction f() {\n}\n";
        assert_eq!(region("a.ts", documented, 2).declaration.as_deref(), Some("f"));
    }

    #[test]
    fn only_what_the_code_says_counts() {
        let hash = |text: &str| region("a.ts", text, 8).hash;
        let original = hash(CART);
        for (same, why) in [
            (CART.replace('\n', "\r\n"), "line endings"),
            (CART.replace("return 2;", "return 2;   "), "trailing space"),
            (CART.replace("00013", "00013, 00014"), "another reference"),
            (
                CART.replace("    return 2;", "    return 2; // refer to context 5"),
                "a reference at the end of a line",
            ),
            (format!("\t{}", CART.replace('\n', "\n\t")), "indentation of the whole"),
        ] {
            assert_eq!(hash(&same), original, "{why}");
        }
        for (other, why) in [
            (CART.replace("return 2", "return 3"), "code"),
            (CART.replace("return 2;", "return 2; // why"), "another comment"),
            (CART.replace("    return 2", "      return 2"), "indentation inside"),
        ] {
            assert_ne!(hash(&other), original, "{why}");
        }
    }

    #[test]
    fn pieces_are_found_by_name_range_and_content() {
        let source = Source::new("a.ts", CART);
        let (declaration, by_name) = source.named("total").remove(0);
        assert_eq!(declaration.name, "Cart.total");
        assert_eq!(source.named("Cart::total")[0].1, by_name);
        assert!(source.named("otal").is_empty());
        let piece = source.lines_piece(7, 10).unwrap();
        let shifted = CART.replace("class Cart {\n", "class Cart {\n  a = 1;\n\n  b = 2;\n");
        let found = find_piece(&Source::new("a.ts", &shifted), &piece.hash, piece.size).unwrap();
        assert_eq!((found.first, found.last), (10, 13));
        assert_eq!(find_piece(&Source::new("a.ts", "x\n"), &piece.hash, piece.size), None);
        assert!(source.lines_piece(11, 12).is_none());
        assert!(source.lines_piece(0, 1).is_none());
        assert_eq!(source.whole().size, 9 - 2 + 1);
    }
}
