//! Runs the Markdown pages in `tests/spec/`: a heading per case, and in it steps in their order.
//!
//! A fence after a line with nothing but a path in backquotes writes a file. A fence after a line that begins with a
//! command of becket in backquotes and says how it exits is what the command answers under `--json`: an object holds at
//! least the fields that are written (`null` means absent), a list holds exactly what is written. What stands in the
//! repository is committed before the first command; `elsewhere` in front of a command runs it in a copy of the files.

use std::fmt::Write as _;
use std::path::Path;

use becket_testing::{TestRepo, differences};
use serde_json::Value;

use crate::{BECKET, envelope};

struct Case {
    place: String,
    steps: Vec<Step>,
}

enum Step {
    Write { path: String, text: String },
    Run { words: Vec<String>, exit: i32, elsewhere: bool, expected: Value, line: usize },
}

#[test]
fn every_page_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spec");
    let mut pages: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    let (mut commands, mut failures) = (0, String::new());
    for page in pages {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        for case in cases(&name, &std::fs::read_to_string(&page).unwrap()) {
            let ran = check(&case, &mut failures);
            assert!(ran > 0, "{}: a case runs nothing", case.place);
            commands += ran;
        }
    }
    assert!(commands >= 12, "only {commands} commands were run");
    assert!(failures.is_empty(), "{failures}");
}

fn cases(page: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut lines = text.lines().enumerate();
    let mut before = String::new();
    while let Some((number, line)) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            cases.push(Case { place: format!("{page}:{} {title}", number + 1), steps: Vec::new() });
        } else if line.starts_with("```") {
            let inner = lines.by_ref().map(|(_, inner)| inner).take_while(|inner| inner.trim_end() != "```");
            let content: String = inner.flat_map(|inner| [inner, "\n"]).collect();
            let case =
                cases.last_mut().unwrap_or_else(|| panic!("{page}:{}: before any heading", number + 1));
            let step = step(&before, content, number + 1)
                .unwrap_or_else(|| panic!("{page}:{}: a fence that says not what it is", number + 1));
            case.steps.push(step);
        }
        if !line.trim().is_empty() {
            line.clone_into(&mut before);
        }
    }
    cases
}

fn step(before: &str, content: String, line: usize) -> Option<Step> {
    let (where_to, rest) = before.trim().split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    let Some(words) = code.strip_prefix("becket ") else {
        return Some(Step::Write { path: code.to_owned(), text: content });
    };
    let exit = after.trim().strip_prefix("exits ")?.split([' ', ':', ',']).next()?.parse().ok()?;
    let words = words.split_whitespace().map(str::to_owned).collect();
    let expected =
        serde_json::from_str(&content).unwrap_or_else(|error| panic!("line {line}: not JSON: {error}"));
    Some(Step::Run { words, exit, elsewhere: where_to.trim() == "elsewhere", expected, line })
}

fn check(case: &Case, failures: &mut String) -> usize {
    let repo = TestRepo::new();
    let mut ran = 0;
    for step in &case.steps {
        let (words, exit, elsewhere, expected, line) = match step {
            Step::Write { path, text } => {
                repo.write(path, text);
                continue;
            }
            Step::Run { words, exit, elsewhere, expected, line } => {
                (words, *exit, *elsewhere, expected, *line)
            }
        };
        if ran == 0 {
            repo.commit("as it was");
        }
        ran += 1;
        let copy;
        let place = if elsewhere {
            copy = TestRepo::new_in(repo.home(), "another/app/cli/place");
            copied(repo.root(), copy.root());
            &copy
        } else {
            &repo
        };
        let output = place.command(BECKET).args(words).arg("--json").output().unwrap();
        let name = format!("{} (line {line})", case.place);
        if output.status.code() != Some(exit) {
            let said = String::from_utf8_lossy(&output.stdout);
            writeln!(failures, "{name}: exit {:?}, not {exit}: {said}", output.status.code()).unwrap();
            continue;
        }
        for difference in differences(expected, &envelope(&output)["data"]) {
            writeln!(failures, "{name}: {difference}").unwrap();
        }
    }
    ran
}

fn copied(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name() == ".git" {
            continue;
        }
        if source.is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copied(&source, &target);
        } else {
            std::fs::copy(&source, &target).unwrap();
        }
    }
}
