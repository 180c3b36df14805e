//! The original context-stash and ours on one folder in turn.
//!
//! The original (version 1.0.0) is in no package registry, so `./test` cannot install it. What stands here in its place is
//! a simulation of its reading and writing rules, written after its source was read, with none of it copied: which names it takes for entries,
//! how it numbers, counts lines, sorts and matches, and that it knows neither lock, log nor front matter. It shares no code
//! with what it is played against.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use becket_testing::{McpProcess, TestRepo};
use serde_json::{Value, json};

use crate::{BECKET, becket};

/// The original's rules, its faults included.
struct Original {
    folder: PathBuf,
}

struct Rules {
    most_lines: usize,
    start: u64,
    width: usize,
    prefix: String,
    suffix: String,
}

impl Original {
    fn on(repo: &TestRepo) -> Self {
        Self { folder: repo.path(".context") }
    }

    /// What the file says, over the defaults; any file that is not JSON stops everything.
    fn rules(&self) -> Result<Rules, String> {
        let failed = || "Failed to load config. Run 'context-stash --init' first.".to_owned();
        let text = fs::read_to_string(self.folder.join("config.json")).map_err(|_| failed())?;
        let given: Value = serde_json::from_str(&text).map_err(|_| failed())?;
        let number = |key: &str, default: u64| given[key].as_u64().unwrap_or(default);
        let text = |key: &str, default: &str| given[key].as_str().unwrap_or(default).to_owned();
        Ok(Rules {
            most_lines: usize::try_from(number("maxLines", 50)).unwrap(),
            start: number("startIndex", 1),
            width: usize::try_from(number("leadingZeros", 5)).unwrap(),
            prefix: text("filePrefix", ""),
            suffix: text("fileSuffix", ".md"),
        })
    }

    /// Everything with the prefix and the suffix is an entry, whatever is between.
    fn entries(&self, rules: &Rules) -> Vec<(String, String)> {
        let mut files: Vec<String> = fs::read_dir(&self.folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|file| file != "config.json")
            .collect();
        files.sort();
        let middle = |file: &String| {
            let rest = file.strip_prefix(&rules.prefix)?.strip_suffix(&rules.suffix)?;
            (!rest.is_empty()).then(|| (rest.to_owned(), file.clone()))
        };
        files.iter().filter_map(middle).collect()
    }

    /// The digits at the beginning, as `parseInt` has them.
    fn number(reference: &str) -> Option<u64> {
        let digits: String = reference.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    }

    fn create(&self, markdown: &str) -> Result<String, String> {
        let rules = self.rules()?;
        let lines = markdown.split('\n').count();
        if lines > rules.most_lines {
            return Err(format!(
                "Markdown exceeds maximum of {} lines (got {lines} lines)",
                rules.most_lines
            ));
        }
        let highest = self.entries(&rules).iter().filter_map(|(reference, _)| Self::number(reference)).max();
        let next = highest.map_or(rules.start, |highest| highest + 1);
        let file = format!("{}{next:0width$}{}", rules.prefix, rules.suffix, width = rules.width);
        fs::write(self.folder.join(&file), markdown).map_err(|error| error.to_string())?;
        Ok(file)
    }

    fn get(&self, reference: &str) -> Result<String, String> {
        let rules = self.rules()?;
        let file = format!("{}{reference}{}", rules.prefix, rules.suffix);
        fs::read_to_string(self.folder.join(file))
            .map_err(|_| format!("Context entry '{reference}' not found"))
    }

    fn list(&self) -> Vec<(String, String)> {
        let mut entries = self.entries(&self.rules().unwrap());
        entries.sort_by_key(|(reference, _)| Self::number(reference).expect("a number"));
        entries
    }

    /// The first line of each entry that holds the query, in any case.
    fn search(&self, query: &str) -> BTreeMap<String, String> {
        let query = query.to_lowercase();
        let mut found = BTreeMap::new();
        for (reference, file) in self.list() {
            let text = fs::read_to_string(self.folder.join(file)).unwrap();
            if let Some(line) = text.split('\n').find(|line| line.to_lowercase().contains(&query)) {
                found.insert(reference, line.trim().to_owned());
            }
        }
        found
    }
}

fn ours(repo: &TestRepo) -> McpProcess {
    let mut command = repo.command(BECKET);
    command.args(["as", "context-stash", "--serve"]);
    let mut server = McpProcess::spawn(command);
    server.initialize("2025-06-18");
    server
}

/// What a client of the original reads in our answer: the text, as JSON.
fn told(server: &mut McpProcess, tool: &str, arguments: Value) -> Value {
    let result = server.call(tool, arguments);
    assert_ne!(result["isError"], true, "{result}");
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

/// Both see the same entries with the same content, and ours finds everything that the original finds.
fn agree(original: &Original, server: &mut McpProcess, queries: &[&str]) {
    let listed = told(server, "context.list", json!({}));
    let ours: Vec<(String, String)> = listed["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["ref"].as_str().unwrap().to_owned(), row["file"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(ours, original.list());
    for (reference, _) in &ours {
        let got = told(server, "context.get", json!({"ref": reference}));
        assert_eq!(got["markdown"], original.get(reference).unwrap().as_str(), "{reference}");
    }
    for query in queries {
        let answer = server.call("context.search", json!({"query": query, "limit": 1000}));
        let results = answer["structuredContent"]["results"].as_array().unwrap();
        let literal: BTreeMap<String, String> = results
            .iter()
            .filter(|one| one["match"] == "literal")
            .map(|one| (one["ref"].as_str().unwrap().to_owned(), one["snippet"].as_str().unwrap().to_owned()))
            .collect();
        assert_eq!(literal, original.search(query), "{query}");
    }
}

fn initialised() -> TestRepo {
    let repo = TestRepo::new();
    assert!(becket(&repo, ["as", "context-stash", "--init"]).output().unwrap().status.success());
    repo
}

#[test]
fn the_two_take_turns_and_neither_loses_anything() {
    let repo = initialised();
    let original = Original::on(&repo);
    let mut server = ours(&repo);
    let mut written: BTreeMap<String, String> = BTreeMap::new();
    for turn in 0..24 {
        let markdown = match turn % 6 {
            0 => format!("# Turn {turn}\n\nGrüße, Parsing of HTTPResponse {turn}."),
            1 => format!("one line {turn}"),
            2 => format!("windows\r\nlines {turn}\r\n"),
            3 => format!("---\nof: the original\n---\n\nParsing {turn}"),
            4 => format!("\n\n  blank around {turn}  \n\n"),
            _ => format!("# Titel\n\n- parsing\n- ÜBER {turn}\n"),
        };
        let file = if turn % 2 == 0 {
            original.create(&markdown).unwrap()
        } else {
            told(&mut server, "context.create", json!({"markdown": markdown}))["file"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        assert!(written.insert(file.clone(), markdown).is_none(), "{file} was given twice");
        if turn % 5 == 4 {
            agree(
                &original,
                &mut server,
                &["parsing", "PARSING of http", "über", "turn 1", "no such words", "lines"],
            );
        }
    }
    for (file, markdown) in &written {
        assert_eq!(&fs::read_to_string(original.folder.join(file)).unwrap(), markdown, "{file}");
    }
    let expected: Vec<String> = (1..=24).map(|number| format!("{number:05}.md")).collect();
    assert_eq!(written.into_keys().collect::<Vec<_>>(), expected);
    server.finish();
}

#[test]
fn what_ours_adds_the_original_reads_as_plain_markdown() {
    let repo = initialised();
    repo.write("src/a.ts", "export function one() {\n  return 1;\n}\n");
    let original = Original::on(&repo);
    original.create("# Old\n\nThe first reason.").unwrap();
    let mut server = ours(&repo);
    let created = server.call(
        "context.create",
        json!({"markdown": "# New\n\nA better reason.", "supersedes": ["00001"], "task": "T-1", "anchors": ["src/a.ts#one"]}),
    );
    assert_eq!(created["structuredContent"]["file"], "00002.md", "{created}");
    server.call("context.verify", json!({"ref": "00002"}));
    let text = original.get("00002").unwrap();
    assert!(text.starts_with("---\n") && text.ends_with("# New\n\nA better reason."), "{text}");
    assert_eq!(original.search("better reason").len(), 1);
    // The log and what goes with it are no entries to it.
    assert_eq!(original.list().len(), 2);
    assert_eq!(original.create("# Third").unwrap(), "00003.md");
    agree(&original, &mut server, &["reason", "new"]);
    server.finish();
}

#[test]
fn a_number_that_the_original_takes_again_is_noticed() {
    let repo = initialised();
    let original = Original::on(&repo);
    let mut server = ours(&repo);
    told(&mut server, "context.create", json!({"markdown": "# One"}));
    told(&mut server, "context.create", json!({"markdown": "# Two"}));
    fs::remove_file(original.folder.join("00002.md")).unwrap();
    // The original counts from the largest that is there.
    assert_eq!(original.create("# Another two").unwrap(), "00002.md");
    let got = server.call("context.get", json!({"ref": "00002"}));
    assert_eq!(got["structuredContent"]["markdown"], "# Another two");
    assert!(got["structuredContent"]["altered"].is_object(), "{got}");
    fs::remove_file(original.folder.join("00002.md")).unwrap();
    // Ours does not.
    assert_eq!(told(&mut server, "context.create", json!({"markdown": "# Three"}))["file"], "00003.md");
    server.finish();
}

#[test]
fn names_and_limits_of_the_folder_hold_for_both() {
    let repo = initialised();
    let config = json!({"maxLines": 3, "startIndex": 1000, "leadingZeros": 6, "filePrefix": "ctx-", "fileSuffix": ".markdown"});
    repo.write(".context/config.json", config.to_string());
    let original = Original::on(&repo);
    let mut server = ours(&repo);
    assert_eq!(original.create("one\ntwo\nthree").unwrap(), "ctx-001000.markdown");
    assert_eq!(
        told(&mut server, "context.create", json!({"markdown": "one"}))["file"],
        "ctx-001001.markdown"
    );
    assert_eq!(original.create("again").unwrap(), "ctx-001002.markdown");
    agree(&original, &mut server, &["one", "two"]);
    let four = "one\ntwo\nthree\nfour";
    assert!(original.create(four).unwrap_err().contains("exceeds maximum of 3 lines"));
    let refused = server.call("context.create", json!({"markdown": four}));
    assert_eq!(refused["structuredContent"]["error"]["code"], "too_many_lines");
    // The one difference: a final newline is not a line to us.
    assert!(original.create("one\ntwo\nthree\n").is_err());
    told(&mut server, "context.create", json!({"markdown": "one\ntwo\nthree\n"}));
    agree(&original, &mut server, &["three"]);
    server.finish();
}

#[test]
fn a_folder_that_the_original_made_is_read_as_it_is() {
    let repo = TestRepo::new();
    let defaults = "{\n  \"maxLines\": 50,\n  \"startIndex\": 1,\n  \"leadingZeros\": 5,\n  \"filePrefix\": \"\",\n  \"fileSuffix\": \".md\"\n}";
    repo.write(".context/config.json", defaults);
    let original = Original::on(&repo);
    for number in 1..=30 {
        original.create(&format!("# Reason {number}\n\nBecause of {number}.")).unwrap();
    }
    let before = snapshot(&original.folder);
    let mut server = ours(&repo);
    agree(&original, &mut server, &["because", "Reason 1", "of 30"]);
    assert_eq!(snapshot(&original.folder), before, "reading changes nothing");
    assert!(becket(&repo, ["as", "context-stash", "--init"]).output().unwrap().status.success());
    let after: BTreeSet<String> = snapshot(&original.folder).into_keys().collect();
    assert!(before.keys().all(|file| after.contains(file)));
    assert_eq!(repo.read(".context/config.json"), defaults, "a config that has every key stays as it is");
    server.finish();
}

fn snapshot(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
        })
        .collect()
}
