//! The specification in `spec/*.md`: a heading per case, fenced input, fenced expected result.
//!
//! In `parse.md` a `patch` gives `entries` or an `error`, and prints back to itself. In `apply.md` a `base` and a
//! `patch`, of which `keep` says what is kept, give a `result` or an `error`. `␍` stands for a carriage return, and a
//! fence marked `no-newline` does not end with one.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fmt::Write as _;

use becket_diff::{Content, Entry, FileChange, Hunk, Side, apply, parse, print, select, split};

#[test]
fn patches_are_read_as_specified() {
    let cases = cases(include_str!("spec/parse.md"));
    assert!(cases.len() > 20);
    for case in cases {
        let patch = case.fence("patch").unwrap();
        match parse(&patch) {
            Ok(entries) => {
                let rendered: String = entries.iter().map(render).collect();
                assert_eq!(Some(rendered.into_bytes()), case.fence("entries"), "{}", case.name);
                let printed: Vec<u8> = entries.iter().flat_map(print).collect();
                assert_eq!(
                    String::from_utf8_lossy(&printed),
                    String::from_utf8_lossy(&patch),
                    "{}",
                    case.name
                );
            }
            Err(error) => {
                assert_eq!(Some(format!("{error}\n").into_bytes()), case.fence("error"), "{}", case.name);
            }
        }
    }
}

#[test]
fn selections_are_applied_as_specified() {
    let cases = cases(include_str!("spec/apply.md"));
    assert!(cases.len() > 8);
    for case in cases {
        let entries = parse(&case.fence("patch").unwrap()).unwrap();
        let [Entry::File(change)] = entries.as_slice() else { panic!("{}: one file", case.name) };
        let keep = String::from_utf8(case.fence("keep").unwrap()).unwrap();
        let hunks = kept_hunks(change.hunks(), keep.trim());
        match apply(&case.fence("base").unwrap(), &hunks) {
            Ok(result) => {
                let expected = case.fence("result").unwrap_or_default();
                assert_eq!(
                    String::from_utf8_lossy(&result),
                    String::from_utf8_lossy(&expected),
                    "{}",
                    case.name
                );
            }
            Err(error) => {
                assert_eq!(Some(format!("{error}\n").into_bytes()), case.fence("error"), "{}", case.name);
            }
        }
    }
}

/// `hunks 1 3`, `pieces 2` (of all hunks split) or `lines 1 2` (of the first hunk), each counted from 1.
fn kept_hunks(hunks: &[Hunk], keep: &str) -> Vec<Hunk> {
    let mut words = keep.split_whitespace();
    let unit = words.next().unwrap();
    let numbers: Vec<usize> = words.map(|word| word.parse().unwrap()).collect();
    let pick = |hunks: Vec<Hunk>| numbers.iter().map(|number| hunks[number - 1].clone()).collect();
    match unit {
        "hunks" => pick(hunks.to_vec()),
        "pieces" => pick(hunks.iter().flat_map(split).collect()),
        "lines" => select(&hunks[0], |line| numbers.contains(&(line + 1))).into_iter().collect(),
        _ => panic!("{keep}"),
    }
}

fn render(entry: &Entry) -> String {
    let mut output = String::new();
    match entry {
        Entry::Unmerged(path) => writeln!(output, "unmerged {path:?}").unwrap(),
        Entry::Combined(change) => {
            writeln!(output, "combined {:?}, binary {}", change.path, change.binary).unwrap();
            for hunk in &change.hunks {
                let old: Vec<String> = hunk.old.iter().map(ToString::to_string).collect();
                writeln!(output, "hunk {} -> {}", old.join(" and "), hunk.new).unwrap();
                for line in hunk.raw_lines() {
                    writeln!(output, "    {:?}", String::from_utf8_lossy(line)).unwrap();
                }
            }
        }
        Entry::File(change) => render_file(change, &mut output),
    }
    output
}

fn render_file(change: &FileChange, output: &mut String) {
    let side = |side: &Option<Side>| match side {
        None => "nothing".to_owned(),
        Some(side) => {
            let mode = side.mode.map_or_else(|| "-".to_owned(), |mode| mode.to_string());
            format!("{:?} {mode} {}", side.path, side.id.as_deref().unwrap_or("-"))
        }
    };
    writeln!(output, "{:?}: {} -> {}", change.status, side(&change.old), side(&change.new)).unwrap();
    if let Some(similarity) = change.similarity {
        writeln!(output, "{similarity}% alike").unwrap();
    }
    match &change.content {
        Content::Same => writeln!(output, "same content").unwrap(),
        Content::Binary => writeln!(output, "binary").unwrap(),
        Content::Text(hunks) => {
            writeln!(output, "+{} -{}", change.added, change.removed).unwrap();
            for hunk in hunks {
                let section = String::from_utf8_lossy(hunk.section()).into_owned();
                writeln!(output, "hunk {} -> {} in {section:?}", hunk.old, hunk.new).unwrap();
                for line in hunk.lines() {
                    let content = String::from_utf8_lossy(line.content);
                    let end = if line.newline { "" } else { " without newline" };
                    writeln!(output, "    {:?} {content:?}{end}", line.kind).unwrap();
                }
            }
        }
    }
}

struct Case<'a> {
    name: &'a str,
    text: &'a str,
}

fn cases(document: &str) -> Vec<Case<'_>> {
    let sections = document.split("\n## ").skip(1);
    sections
        .map(|section| {
            let (name, text) = section.split_once('\n').unwrap();
            Case { name, text }
        })
        .collect()
}

impl Case<'_> {
    fn fence(&self, kind: &str) -> Option<Vec<u8>> {
        let mut lines = self.text.lines();
        let info = lines.find_map(|line| {
            let info = line.strip_prefix("```")?;
            (info.split(' ').next() == Some(kind)).then_some(info)
        })?;
        let body: Vec<&str> = lines.take_while(|line| *line != "```").collect();
        let mut text = body.join("\n").replace('␍', "\r");
        if !body.is_empty() && !info.contains("no-newline") {
            text.push('\n');
        }
        Some(text.into_bytes())
    }
}
