//! `refer to context 00012, 00019` in comments: found in any language, with the place of every number, so that it can be
//! listed and rewritten.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{Source, lexis::Kind};

/// One number in one comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub number: u64,
    /// What stands before the digits (`ctx-`); only a prefix that entries have or had makes it a reference.
    pub prefix: String,
    /// One-based.
    pub line: usize,
    /// The digits in the text.
    pub digits: Range<usize>,
    /// The whole phrase that the number belongs to, from `refer` to its last number.
    pub phrase: Range<usize>,
}

static PHRASE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\brefer(?:s|red|ring)?\s+to\s+contexts?\s*:?\s*").ok());
static SEPARATOR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:,\s*(?:and\s+)?|;\s*|&\s*|\+\s*|/\s*|and\s+)(?:[*#/;%\-]*\s+)?").ok()
});
const MOST_DIGITS: usize = 15;

/// A quick look that spares reading most files closely.
pub fn may_mention(bytes: &[u8]) -> bool {
    bytes.windows(7).any(|window| window[0] | 0x20 == b'c' && window.eq_ignore_ascii_case(b"context"))
}

/// Every reference in the comments of a text, in order.
pub fn mentions(source: &Source<'_>) -> Vec<Mention> {
    let (Some(phrase), Some(separator)) = (&*PHRASE, &*SEPARATOR) else { return Vec::new() };
    let mut mentions = Vec::new();
    // A list that ends its comment with a comma may go on in the next one.
    let mut open_until: Option<usize> = None;
    for span in source.spans.iter().filter(|span| span.kind != Kind::Text) {
        let comment = &source.text[span.range.clone()];
        let base = span.range.start;
        let continues = open_until.take().is_some_and(|end| {
            let between = &source.text[end..base];
            between.trim().is_empty() && between.matches('\n').count() == 1
        });
        let mut starts: Vec<(usize, usize)> = Vec::new();
        if continues {
            let leader = comment.len() - comment.trim_start_matches(|one: char| !one.is_alphanumeric()).len();
            starts.push((leader, leader));
        }
        starts.extend(phrase.find_iter(comment).map(|found| (found.start(), found.end())));
        for (phrase_start, list_start) in starts {
            let list = read_list(&comment[list_start..], separator);
            let Some(last) = list.numbers.last() else { continue };
            let phrase = base + phrase_start..base + list_start + last.end;
            for number in &list.numbers {
                let digits = base + list_start + number.digits.start..base + list_start + number.digits.end;
                mentions.push(Mention {
                    number: number.value,
                    prefix: number.prefix.clone(),
                    line: source.line_at(digits.start),
                    digits,
                    phrase: phrase.clone(),
                });
            }
            if list.open {
                open_until = Some(span.range.end);
            }
        }
    }
    mentions
}

#[derive(Debug, Default)]
struct List {
    numbers: Vec<Number>,
    /// It ended with a comma at the end of the comment.
    open: bool,
}

#[derive(Debug)]
struct Number {
    value: u64,
    prefix: String,
    digits: Range<usize>,
    end: usize,
}

fn read_list(text: &str, separator: &Regex) -> List {
    let mut list = List::default();
    let mut position = 0;
    while let Some(number) = read_number(text, position) {
        position = number.end;
        list.numbers.push(number);
        match separator.find(&text[position..]) {
            Some(found) if text[position + found.end()..].trim().is_empty() => {
                list.open = true;
                break;
            }
            Some(found) => position += found.end(),
            None => break,
        }
    }
    list
}

/// `00012`, `#12`, `00012.md`, `ctx-00012`, `ctx-00012.md`.
fn read_number(text: &str, start: usize) -> Option<Number> {
    let start = start + usize::from(text[start..].starts_with('#'));
    let rest = &text[start..];
    let is_part = |one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | '-' | '.');
    let token = &rest[..rest.find(|one: char| !is_part(one)).unwrap_or(rest.len())];
    let token = token.trim_end_matches(['.', '-', '_']);
    let digits = if token.starts_with(|first: char| first.is_ascii_digit()) {
        let length = token.find(|one: char| !one.is_ascii_digit()).unwrap_or(token.len());
        let next = token[length..].chars().next();
        if next.is_some_and(|next| next.is_ascii_alphabetic() || next == '_') {
            return None;
        }
        0..length
    } else {
        let stem = match token.rsplit_once('.') {
            Some((stem, extension))
                if !extension.is_empty() && !extension.ends_with(|last: char| last.is_ascii_digit()) =>
            {
                stem
            }
            _ => token,
        };
        let length = stem.len() - stem.trim_end_matches(|last: char| last.is_ascii_digit()).len();
        stem.len() - length..stem.len()
    };
    let written = &token[digits.clone()];
    let value =
        (written.trim_start_matches('0').len() <= MOST_DIGITS).then(|| written.parse().ok()).flatten()?;
    let after = &token[digits.end..];
    let suffix =
        if after.starts_with('.') && after[1..].starts_with(|first: char| first.is_ascii_alphabetic()) {
            1 + after[1..].find(|one: char| !one.is_ascii_alphanumeric()).unwrap_or(after.len() - 1)
        } else {
            0
        };
    Some(Number {
        value,
        prefix: token[..digits.start].to_owned(),
        digits: start + digits.start..start + digits.end,
        end: start + digits.end + suffix,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        mentions(&Source::new(path, text))
            .into_iter()
            .map(|mention| {
                assert_eq!(text[mention.digits.clone()].parse(), Ok(mention.number));
                format!("{}:{}{}", mention.line, mention.prefix, mention.number)
            })
            .collect()
    }

    #[test]
    fn every_comment_style_is_read() {
        for (path, text) in [
            ("a.ts", "x(); // refer to context 00012, 00019"),
            ("a.py", "# Refer to context 00012, 00019."),
            ("a.sql", "-- refer to context 12 and 19"),
            ("a.css", "/* refer to contexts: #12, #19 */"),
            ("a.html", "<!-- refer to context 00012; 00019 -->"),
            ("a.md", "text <!-- refers to context 00012 & 00019 -->"),
            ("a.c", "/*\n * refer to context 00012,\n *   00019\n */"),
            ("a.rs", "// refer to context 00012,\n// 00019\nfn x() {}"),
            ("a.clj", ";; refer to context 00012.md, 00019.md"),
            ("unheard.of", "# refer to context 00012, and 00019"),
            ("Dockerfile", "FROM x\n# refer to context 00012/00019"),
        ] {
            let numbers: Vec<String> = found(path, text)
                .iter()
                .map(|mention| mention.rsplit(':').next().unwrap().to_owned())
                .collect();
            assert_eq!(numbers, ["12", "19"], "{path}: {text}");
        }
    }

    #[test]
    fn prefixes_are_told_and_lines_counted() {
        assert_eq!(
            found("a.ts", "// a\r\n// refer to context ctx-00012.md, v2-7\r\n"),
            ["2:ctx-12", "2:v2-7"]
        );
        assert_eq!(found("a.ts", "/* x\n\n refer to context\n 00003 */"), ["4:3"]);
    }

    #[test]
    fn what_is_no_reference_is_left_alone() {
        for (path, text) in [
            ("a.ts", "const s = \"refer to context 00012\";"),
            ("a.md", "refer to context 00012\n```\n// refer to context 00012\n```"),
            ("a.ts", "// refer to context"),
            ("a.ts", "// refer to context menus"),
            ("a.ts", "// refer to context 12abc"),
            ("a.ts", "// refer to context 99999999999999999999999"),
            ("a.ts", "// prefer to context-switch 12"),
            ("a.ts", "// context 00012"),
        ] {
            assert_eq!(found(path, text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn the_quick_look_misses_nothing() {
        assert!(may_mention(b"x CoNtExT 1"));
        assert!(!may_mention(b"contex"));
        assert!(!may_mention(b""));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(refer to context |[0-9]{1,3}|[,;#/*\n a-c.é-]){0,30}") {
            for path in ["a.ts", "a.py", "a.md", "a.x"] {
                for mention in mentions(&Source::new(path, &text)) {
                    prop_assert!(text[mention.digits.clone()].bytes().all(|byte| byte.is_ascii_digit()));
                    prop_assert!(mention.phrase.start <= mention.digits.start);
                    prop_assert!(may_mention(text.as_bytes()));
                }
            }
        }
    }
}
