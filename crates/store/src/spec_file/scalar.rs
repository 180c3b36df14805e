//! How a value is written as YAML, so that the original's reader (YAML 1.1) and ours read the same text back.

use std::fmt::Write;

use super::node::Style;

/// A text as a value of one line, in quotes where it needs them.
pub fn quoted(text: &str) -> String {
    inline(text, Style::Plain)
}

/// One line, in the style that stood there before where that can hold it.
pub(super) fn inline(text: &str, like: Style) -> String {
    if needs_escapes(text) || like == Style::Double {
        return double(text);
    }
    if like != Style::Single && is_plain(text) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "''"))
}

/// The lines of a literal block with its header, each line indented; nothing where only quotes can hold the text.
pub(super) fn literal(text: &str, indent: usize, line_break: &str) -> Option<String> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let unfit = |line: &str| line.starts_with([' ', '\t']) || line.ends_with([' ', '\t']);
    let odd = !text.contains('\n')
        || body.starts_with('\n')
        || body.ends_with('\n')
        || body.is_empty()
        || text.chars().any(|one| one != '\n' && must_be_escaped(one))
        || body.split('\n').next().is_some_and(unfit)
        || body.split('\n').any(|line| !line.is_empty() && line.trim().is_empty());
    if odd {
        return None;
    }
    let mut written = String::from(if text.ends_with('\n') { "|" } else { "|-" });
    for line in body.split('\n') {
        written.push_str(line_break);
        if !line.is_empty() {
            written.push_str(&" ".repeat(indent));
            written.push_str(line);
        }
    }
    Some(written)
}

/// Whether a text needs no quotes, in a block and between brackets alike.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let indicator = "-?:,[]{}#&*!|>'\"%@`=<".contains(first) || first.is_whitespace();
    !indicator
        && !text.ends_with([':', ' ', '\t'])
        && !text.contains([',', '[', ']', '{', '}', '\t'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !is_other_type(text)
}

/// Whether a YAML 1.1 reader takes the bare word for a boolean, a number, a time or nothing.
fn is_other_type(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let word =
        matches!(lower.as_str(), "null" | "~" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n");
    let number_like = text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
        && text.chars().all(|one| one.is_ascii_hexdigit() || "xXoO_.:+-tTzZ nNiIfFaA".contains(one));
    word || number_like
}

fn needs_escapes(text: &str) -> bool {
    text.chars().any(must_be_escaped)
}

fn must_be_escaped(one: char) -> bool {
    (one.is_control() && one != '\t')
        || matches!(one, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        // They would reorder the line for whoever reads it.
        || matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// In double quotes, readable: only what cannot be shown is escaped.
pub(super) fn double(text: &str) -> String {
    let mut quoted = String::from("\"");
    for one in text.chars() {
        match one {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // JSON knows these too, so that a file that is JSON stays JSON.
            one if must_be_escaped(one) => {
                let mut units = [0; 2];
                for unit in one.encode_utf16(&mut units) {
                    _ = write!(quoted, "\\u{unit:04x}");
                }
            }
            one => quoted.push(one),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spec_file::read::read;

    fn read_back(value: &str) -> String {
        let text = format!("tasks:\n  T1:\n    title: {value}\n");
        read(&text).unwrap_or_else(|error| panic!("{error}: {text}")).tasks[0].title.clone()
    }

    #[test]
    fn words_that_yaml_takes_for_something_else_are_quoted() {
        for word in
            ["yes", "No", "null", "~", "12", "1e3", "0x1F", "2025-12-28", "1:30", ".5", "=", "on", "-1"]
        {
            assert!(inline(word, Style::Plain).starts_with('\''), "{word}");
        }
    }

    #[test]
    fn ordinary_words_and_other_scripts_stay_readable() {
        for word in ["Fix the login", "修复登录", "naïve café", "src/**/*.rs", "3 tasks left", "a#b", "x:y"]
        {
            assert_eq!(inline(word, Style::Plain), word);
        }
    }

    #[test]
    fn the_style_that_stood_there_is_kept() {
        assert_eq!(inline("done", Style::Single), "'done'");
        assert_eq!(inline("done", Style::Double), "\"done\"");
    }

    proptest! {
        #[test]
        fn every_text_reads_back_as_it_was(text in "\\PC{1,24}|[ -~\n\t\r\u{85}\u{2028}]{1,24}", style in 0..3) {
            let style = [Style::Plain, Style::Single, Style::Double][usize::try_from(style).unwrap()];
            prop_assert_eq!(read_back(&inline(&text, style)), text);
        }

        #[test]
        fn every_literal_block_reads_back_as_it_was(text in "[a-z #:\n\t'-]{1,40}") {
            if let Some(block) = literal(&text, 6, "\n") {
                prop_assert_eq!(read_back(&block), text);
            }
        }
    }
}
