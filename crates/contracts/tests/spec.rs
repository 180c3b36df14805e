//! Runs the Markdown specification in `tests/spec/`: a heading per case, files in fences, and what is expected of them.
//!
//! A fence after a line with nothing but a path in backquotes is a file. A fence after `contract of`, `facts of`,
//! `header of` or `style of` and a path is an expectation: an object holds at least the fields that are written (`null`
//! means absent), a list holds exactly what is written, a text is equal.

#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test reads its own pages and fails loudly"
)]

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use becket_contracts::graph::{Members, stars};
use becket_contracts::language::Reader;
use becket_contracts::link::{link, place};
use becket_contracts::model::{Contract, LocalFacts, SchemaVersion, StyleMode};
use becket_contracts::{header, style};
use becket_testing::differences;
use serde_json::Value;

#[derive(Default)]
struct Case {
    place: String,
    files: Vec<(String, String)>,
    expected: Vec<Expected>,
}

struct Expected {
    view: String,
    path: String,
    text: String,
    line: usize,
}

#[test]
fn every_case_of_the_specification_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spec");
    let mut pages: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    let (mut count, mut failures) = (0, String::new());
    for page in pages {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        for case in cases(&name, &std::fs::read_to_string(&page).unwrap()) {
            assert!(!case.expected.is_empty(), "{}: a case expects nothing", case.place);
            count += 1;
            check(&case, &mut failures);
        }
    }
    assert!(count >= 55, "only {count} cases were found");
    assert!(failures.is_empty(), "{failures}");
}

fn cases(page: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut lines = text.lines().enumerate();
    let mut before = String::new();
    while let Some((number, line)) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            cases.push(Case { place: format!("{page}:{} {title}", number + 1), ..Case::default() });
        } else if line.starts_with("```") {
            let fence: String = line.chars().take_while(|letter| *letter == '`').collect();
            let mut content = String::new();
            for (_, inner) in lines.by_ref() {
                if inner.trim_end() == fence {
                    break;
                }
                content.push_str(inner);
                content.push('\n');
            }
            let case = cases
                .last_mut()
                .unwrap_or_else(|| panic!("{page}:{}: a fence before any heading", number + 1));
            let (what, path) =
                named(&before).unwrap_or_else(|| panic!("{page}:{}: a fence without a name", number + 1));
            match what {
                "" => case.files.push((path, content)),
                view => {
                    case.expected.push(Expected {
                        view: view.to_owned(),
                        path,
                        text: content,
                        line: number + 1,
                    });
                }
            }
        }
        if !line.trim().is_empty() {
            line.clone_into(&mut before);
        }
    }
    cases
}

fn named(line: &str) -> Option<(&str, String)> {
    let (what, rest) = line.trim().split_once('`')?;
    let path = rest.strip_suffix('`').or_else(|| rest.strip_suffix("`:"))?;
    let what = what.trim();
    ["", "contract of", "facts of", "header of", "style of", "lean style of"]
        .contains(&what)
        .then(|| (what, path.to_owned()))
}

/// By path.
struct Project(Vec<(String, LocalFacts)>);

impl Project {
    /// With what other files mount.
    fn contract(&self, at: usize) -> Contract {
        let mut contract = link(self, at).contract;
        let each = self.0.iter().enumerate().map(|(at, (path, _))| (path, link(self, at).handed));
        let handed: Vec<_> = each.collect();
        let ways = handed.iter().flat_map(|(by, handed)| handed.iter().map(|one| (by.as_str(), one)));
        let ways: Vec<_> = ways.filter(|(_, one)| one.told_in().any(|told| told == self.path(at))).collect();
        place(&mut contract, &ways);
        contract
    }

    fn position(&self, path: &str) -> Option<usize> {
        self.0.binary_search_by(|(known, _)| known.as_str().cmp(path)).ok()
    }
}

impl Members for Project {
    fn path(&self, at: usize) -> &str {
        &self.0[at].0
    }

    fn facts(&self, at: usize) -> &LocalFacts {
        &self.0[at].1
    }

    fn stars(&self, at: usize) -> Cow<'_, [usize]> {
        stars(self, at).into()
    }

    fn adding(&self, _at: usize) -> Vec<usize> {
        let adds = |at: &usize| self.facts(*at).declarations.iter().any(|one| one.adds().is_some());
        (0..self.0.len()).filter(adds).collect()
    }

    fn file(&self, from: usize, specifier: &str) -> Option<usize> {
        let from = self.path(from);
        let joined = match specifier.strip_prefix("@/") {
            Some(rest) => format!("src/{rest}"),
            None if specifier.starts_with('.') => {
                let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
                join(folder, specifier)
            }
            None => return None,
        };
        let bare = joined.strip_suffix(".js").unwrap_or(&joined).to_owned();
        let endings = ["", ".ts", ".tsx", ".d.ts", ".js", ".jsx", "/index.ts", "/index.tsx"];
        let names =
            endings.iter().flat_map(|ending| [format!("{joined}{ending}"), format!("{bare}{ending}")]);
        names.into_iter().find_map(|name| self.position(&name))
    }
}

fn join(folder: &str, specifier: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in specifier.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

fn check(case: &Case, failures: &mut String) {
    let mut reader = Reader::new();
    let facts = case.files.iter().map(|(path, text)| {
        let file = path.rsplit('/').next().unwrap();
        let facts = reader.read(file, text);
        // What is cached is read again: nothing may be lost on the way.
        let stored = serde_json::to_string(&facts).unwrap();
        assert_eq!(serde_json::from_str::<LocalFacts>(&stored).unwrap(), facts, "{}", case.place);
        (path.clone(), facts)
    });
    let mut project = Project(facts.collect());
    project.0.sort_by(|(one, _), (other, _)| one.cmp(other));
    for expected in &case.expected {
        let place = format!("{} (line {})", case.place, expected.line);
        let Some(at) = project.position(&expected.path) else {
            writeln!(failures, "{place}: no file `{}`", expected.path).unwrap();
            continue;
        };
        let facts = project.facts(at);
        let actual = match expected.view.as_str() {
            "contract of" => project.contract(at).to_json(SchemaVersion::V03),
            "facts of" => serde_json::to_value(facts).unwrap(),
            "header of" => Value::String(header::code_header(facts, usize::MAX)),
            view => {
                let mode = if view == "style of" { StyleMode::Full } else { StyleMode::Lean };
                let folder = expected.path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let text = |specifier: &str| {
                    let path = join(folder, specifier);
                    case.files.iter().find(|(known, _)| *known == path).map(|(_, text)| text.clone())
                };
                facts
                    .style
                    .as_ref()
                    .map_or(Value::Null, |facts| style::view(facts, &style::Sheets::of(facts, &text), mode))
            }
        };
        let wanted = if expected.view == "header of" {
            Value::String(expected.text.trim_end().to_owned())
        } else {
            serde_json::from_str(&expected.text).unwrap_or_else(|error| panic!("{place}: not JSON: {error}"))
        };
        for difference in differences(&wanted, &actual) {
            writeln!(failures, "{place}: {difference}").unwrap();
        }
    }
}
