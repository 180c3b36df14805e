//! Rust source as tokens: which paths it names, which platforms it asks about, which modules it declares.
//!
//! Tokens rather than a syntax tree, because code inside macro calls counts too. Comments and strings never match.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

/// Something that the source names, and the line where it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) line: usize,
    pub(crate) name: String,
}

/// Every token of `text`. What does not lex does not compile either, and the compiler says it better.
pub(crate) fn all(text: &str) -> Vec<TokenTree> {
    text.parse::<TokenStream>().unwrap_or_default().into_iter().collect()
}

/// The tokens without what stands under `#[cfg(test)]`.
pub(crate) fn without_tests(tokens: &[TokenTree]) -> Vec<TokenTree> {
    let mut kept: Vec<TokenTree> = Vec::new();
    let mut rest = tokens.iter();
    while let Some(token) = rest.next() {
        match token {
            TokenTree::Group(group) if is_cfg_test(group) => {
                kept.pop(); // the `#`
                rest.by_ref().find(|skipped| match skipped {
                    TokenTree::Punct(punct) => punct.as_char() == ';',
                    TokenTree::Group(body) => body.delimiter() == Delimiter::Brace,
                    _ => false,
                });
            }
            TokenTree::Group(group) => {
                let inner = without_tests(&inside(group)).into_iter().collect();
                kept.push(TokenTree::Group(proc_macro2::Group::new(group.delimiter(), inner)));
            }
            _ => kept.push(token.clone()),
        }
    }
    kept
}

/// Every path that is named, with `use` trees written out: `std::{fs, io}` gives `std::fs` and `std::io`.
pub(crate) fn paths(tokens: &[TokenTree]) -> Vec<Named> {
    let mut found = Vec::new();
    collect_paths(tokens, &mut found);
    found
}

/// Whether `path` has the segments of `wanted` next to each other.
pub(crate) fn names(path: &str, wanted: &str) -> bool {
    format!("::{path}::").contains(&format!("::{wanted}::"))
}

/// What each `keyword NAME` declares: `declared(tokens, "mod")` gives the modules.
pub(crate) fn declared(tokens: &[TokenTree], keyword: &str) -> Vec<Named> {
    let mut found = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(word) if word == keyword => {
                if let Some(TokenTree::Ident(name)) = tokens.get(index + 1) {
                    found.push(named(name, name.to_string()));
                }
            }
            TokenTree::Group(group) => found.extend(declared(&inside(group), keyword)),
            _ => {}
        }
    }
    found
}

/// Every word in the body of the constant, static or enum called `name`, or of what a macro of that name is called with.
pub(crate) fn words_of_item(tokens: &[TokenTree], name: &str) -> Option<Vec<String>> {
    let start = tokens.windows(2).position(|pair| match pair {
        [TokenTree::Ident(keyword), TokenTree::Ident(found)] => {
            found == name && ["const", "static", "enum"].iter().any(|wanted| keyword == wanted)
        }
        [TokenTree::Ident(found), TokenTree::Punct(call)] => found == name && call.as_char() == '!',
        _ => false,
    })?;
    let mut body = Vec::new();
    for token in &tokens[start + 2..] {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ';' => break,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                body.push(token.clone());
                break;
            }
            _ => body.push(token.clone()),
        }
    }
    let mut words = Vec::new();
    collect_words(&body, &mut words);
    Some(words)
}

/// Every text literal, without its quotes.
pub(crate) fn strings(tokens: &[TokenTree]) -> Vec<Named> {
    let mut found = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Literal(literal) => {
                let written = literal.to_string();
                if let Some(text) = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
                    found.push(Named { line: literal.span().start().line, name: text.to_owned() });
                }
            }
            TokenTree::Group(group) => found.extend(strings(&inside(group))),
            _ => {}
        }
    }
    found
}

/// A platform that a `#[cfg(…)]` asks for, or asks not to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Platform {
    pub(crate) line: usize,
    /// `unix`, `windows`, or a pair such as `target_os = "linux"`.
    pub(crate) name: String,
    pub(crate) wanted: bool,
}

/// The platforms in every `#[cfg(…)]` and `#![cfg(…)]`.
pub(crate) fn platforms(tokens: &[TokenTree]) -> Vec<Platform> {
    let mut found = Vec::new();
    for token in tokens {
        let TokenTree::Group(group) = token else { continue };
        let inner = inside(group);
        match inner.as_slice() {
            [TokenTree::Ident(word), TokenTree::Group(predicate)]
                if group.delimiter() == Delimiter::Bracket && word == "cfg" =>
            {
                collect_platforms(&inside(predicate), true, &mut found);
            }
            _ => found.extend(platforms(&inner)),
        }
    }
    found
}

/// Every attribute called `name`, with arguments or without.
pub(crate) fn attributes(tokens: &[TokenTree], name: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let inner = inside(group);
        let after_hash =
            index > 0 && matches!(&tokens[index - 1], TokenTree::Punct(punct) if punct.as_char() == '#');
        match inner.first() {
            Some(TokenTree::Ident(word)) if after_hash && word == name => {
                lines.push(word.span().start().line);
            }
            _ => lines.extend(attributes(&inner, name)),
        }
    }
    lines
}

fn is_cfg_test(group: &proc_macro2::Group) -> bool {
    let mut words = Vec::new();
    collect_words(&inside(group), &mut words);
    group.delimiter() == Delimiter::Bracket
        && words.first().is_some_and(|word| word == "cfg")
        && words.iter().any(|word| word == "test")
        && !words.iter().any(|word| word == "not" || word == "any")
}

fn collect_paths(tokens: &[TokenTree], found: &mut Vec<Named>) {
    let mut index = 0;
    while index < tokens.len() {
        match &tokens[index] {
            TokenTree::Ident(_) => index = collect_path(tokens, index, "", found),
            TokenTree::Group(group) => {
                collect_paths(&inside(group), found);
                index += 1;
            }
            _ => index += 1,
        }
    }
}

/// Reads the path that starts at `start` and gives the index behind it.
fn collect_path(tokens: &[TokenTree], start: usize, prefix: &str, found: &mut Vec<Named>) -> usize {
    let TokenTree::Ident(first) = &tokens[start] else { return start + 1 };
    let mut path = match (prefix, first.to_string().as_str()) {
        ("", word) => word.to_owned(),
        (prefix, "self") => prefix.to_owned(),
        (prefix, word) => format!("{prefix}::{word}"),
    };
    let mut index = start + 1;
    while is_colon(tokens.get(index)) && is_colon(tokens.get(index + 1)) {
        match tokens.get(index + 2) {
            Some(TokenTree::Ident(segment)) => path = format!("{path}::{segment}"),
            Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => path.push_str("::*"),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inner = inside(group);
                for item in
                    inner.split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','))
                {
                    match item.first() {
                        Some(TokenTree::Ident(_)) => {
                            collect_path(item, 0, &path, found);
                        }
                        Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => {
                            found.push(named(first, format!("{path}::*")));
                        }
                        _ => {}
                    }
                }
                return index + 3;
            }
            _ => break,
        }
        index += 3;
    }
    found.push(named(first, path));
    index
}

fn collect_words(tokens: &[TokenTree], words: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => words.push(word.to_string()),
            TokenTree::Group(group) => collect_words(&inside(group), words),
            _ => {}
        }
    }
}

fn collect_platforms(predicate: &[TokenTree], wanted: bool, found: &mut Vec<Platform>) {
    for (index, token) in predicate.iter().enumerate() {
        let TokenTree::Ident(word) = token else { continue };
        let line = word.span().start().line;
        let word = word.to_string();
        match (word.as_str(), predicate.get(index + 1), predicate.get(index + 2)) {
            ("not", Some(TokenTree::Group(group)), _) => collect_platforms(&inside(group), !wanted, found),
            ("all" | "any", Some(TokenTree::Group(group)), _) => {
                collect_platforms(&inside(group), wanted, found);
            }
            ("unix" | "windows", ..) => found.push(Platform { line, name: word, wanted }),
            ("target_os" | "target_family", _, Some(value)) => {
                found.push(Platform { line, name: format!("{word} = {value}"), wanted });
            }
            _ => {}
        }
    }
}

fn inside(group: &proc_macro2::Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

fn is_colon(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':')
}

fn named(at: &Ident, name: String) -> Named {
    Named { line: at.span().start().line, name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_names(text: &str) -> Vec<String> {
        paths(&without_tests(&all(text))).into_iter().map(|path| path.name).collect()
    }

    #[test]
    fn use_trees_are_written_out() {
        let found = path_names("use std::{fs::{self, File}, io as fs2, time::*};");
        assert_eq!(found, ["use", "std::fs", "std::fs::File", "std::io", "std::time::*"]);
    }

    #[test]
    fn paths_in_macros_count_and_those_in_comments_do_not() {
        let text = "// std::fs\nfn f() { select! { x = ::std::env::var(\"std::net\") => {} } }";
        let found = paths(&without_tests(&all(text)));
        assert!(found.contains(&Named { line: 2, name: "std::env::var".into() }));
        assert!(!found.iter().any(|path| names(&path.name, "std::fs") || names(&path.name, "std::net")));
    }

    #[test]
    fn tests_are_not_shipped_but_what_follows_them_is() {
        let text = "#[cfg(test)] mod tests { use std::fs; }\n#[cfg(test)] use std::env;\nuse std::net;
            impl A { #[cfg(test)] fn t() { std::process::id(); } }\n#[cfg(not(test))] fn g() { tokio::spawn(); }";
        let found = path_names(text);
        assert!(
            !found.iter().any(|path| ["std::fs", "std::env", "std::process::id"].contains(&path.as_str()))
        );
        assert!(found.contains(&"std::net".to_owned()));
        assert!(found.contains(&"tokio::spawn".to_owned()));
    }

    #[test]
    fn names_compares_whole_segments() {
        assert!(names("std::time::Instant::now", "time::Instant"));
        assert!(!names("std::fs_extra", "std::fs"));
    }

    #[test]
    fn platforms_know_their_negation() {
        let text =
            "#[cfg(unix)] fn a() {}\n#[cfg(all(test, not(any(windows, target_os = \"macos\"))))] fn b() {}";
        let found: Vec<_> =
            platforms(&all(text)).into_iter().map(|found| (found.name, found.wanted)).collect();
        assert_eq!(
            found,
            [
                ("unix".to_owned(), true),
                ("windows".to_owned(), false),
                ("target_os = \"macos\"".to_owned(), false)
            ]
        );
    }

    #[test]
    fn the_words_of_a_table() {
        let tokens =
            all("const TOOLS: &[Tool; 2] = &[a::TOOL, b::TOOL]; const OTHER: u8 = c; enum E { D(d::Args) }");
        assert_eq!(words_of_item(&tokens, "TOOLS").unwrap(), ["Tool", "a", "TOOL", "b", "TOOL"]);
        assert_eq!(words_of_item(&tokens, "E").unwrap(), ["D", "d", "Args"]);
        assert_eq!(words_of_item(&tokens, "MISSING"), None);
    }

    #[test]
    fn attributes_are_found_at_any_depth() {
        assert_eq!(attributes(&all("mod t {\n#[ignore = \"slow\"]\nfn a() { v[ignore]; } }"), "ignore"), [2]);
    }
}
