//! The specification in `spec/`: a heading per case, fenced input, fenced expected result.
//!
//! In `signals/NAME.md` a `patch` gives what the signal of that name says of its units, one line for each two of them,
//! counted from 1. `history` has one line of paths for each past commit, with how often it happened. In `plan.md` a
//! `patch` and `groups` of its units give the commits of a `plan`; what stands below a line `staged` in a patch was not
//! staged. A line of `@` for each hunk suffices: positions are `-old +new`. Units are counted as Git shows them, whatever
//! pieces they are cut into.
//!
//! `contracts` has what is known of files: `src/a.ts new declares save 3-9 exported`, `src/b.ts new uses store as
//! src/a.ts save`; `old` for before the change.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;

use becket_commits::learning::said;
use becket_commits::{
    Change, ContractFacts, DeclaredName, Evidence, Group, Grouping, History, HunkId, Part, Plan, SideFacts,
    Stage, Touched, Unit, UsedName, joined, plan, runs, units,
};
use becket_diff::{Entry, FileChange, FilePath, parse};

macro_rules! signals {
    ($($name:ident),* $(,)?) => {
        const SIGNALS: &[&str] = &[$(stringify!($name)),*];
        $(#[test]
        fn $name() {
            check_signal(stringify!($name), include_str!(concat!("spec/signals/", stringify!($name), ".md")));
        })*
    };
}

signals!(
    shared_names,
    text_similarity,
    definition_use,
    declaration,
    distance,
    path,
    test_source,
    co_change,
    rename,
    repetition,
    documentation,
    formatting,
    lockfile,
);

#[test]
fn every_signal_that_gives_reasons_is_specified() {
    // `shape` gives none, and `embeddings` needs vectors, which `grouping.rs` gives it.
    let table = include_str!("../src/signals/mod.rs");
    let rows: Vec<&str> = table.lines().filter_map(|line| line.trim().strip_suffix("::SIGNAL,")).collect();
    let missing: Vec<&&str> =
        rows.iter().filter(|row| !SIGNALS.contains(row) && !["shape", "embeddings"].contains(row)).collect();
    assert!(rows.len() > 10 && missing.is_empty(), "{missing:?} of {rows:?}");
}

fn check_signal(signal: &str, document: &str) {
    let cases = cases(document);
    assert!(cases.len() >= 2, "{signal} needs a case where it speaks and one where it does not");
    for case in cases {
        let tree = Tree::read(&case);
        let changes = tree.changes();
        let units = whole_runs(&changes);
        let history = history(&case);
        let mut spoken = String::new();
        let contracts = contracts(&case, &changes);
        let evidence = Evidence { contracts: &contracts, ..evidence(&history) };
        for one in said(&changes, &units, &evidence) {
            if one.signal == signal {
                writeln!(spoken, "{} {}: {}", one.one + 1, one.other + 1, one.text).unwrap();
            }
        }
        assert_eq!(spoken, case.fence("says").unwrap_or_default(), "{signal}: {}", case.name);
    }
}

#[test]
fn plans_are_ordered_and_worded_as_specified() {
    let cases = cases(include_str!("spec/plan.md"));
    assert!(cases.len() > 10);
    for case in cases {
        let tree = Tree::read(&case);
        let changes = tree.changes();
        let units = units(&changes);
        let history = History::default();
        let groups = case.fence("groups").unwrap();
        let runs = runs(&units);
        let grouping = Grouping {
            groups: groups
                .lines()
                .enumerate()
                .map(|(number, line)| group(number, line, &units, &runs))
                .collect(),
        };
        let contracts = contracts(&case, &changes);
        let evidence = Evidence { contracts: &contracts, ..evidence(&history) };
        let plan = plan(&changes, &units, &evidence, &grouping);
        assert_eq!(render(&plan, &units, &runs), case.fence("plan").unwrap_or_default(), "{}", case.name);
    }
}

fn whole_runs(changes: &[Change<'_>]) -> Vec<Unit> {
    let units = units(changes);
    runs(&units).iter().map(|run| joined(&units, run).unwrap()).collect()
}

fn group(number: usize, line: &str, units: &[Unit], runs: &[Vec<usize>]) -> Group {
    let named = line.split_whitespace().map(|run| &runs[run.parse::<usize>().unwrap() - 1]);
    let members = named.flatten().map(|unit| &units[*unit]);
    Group {
        id: format!("group-{}", number + 1),
        change_ids: Vec::new(),
        hunks: members.map(|unit| unit.id.clone()).collect(),
        summary: String::new(),
        reasons: Vec::new(),
        confidence: 1.0,
    }
}

fn render(plan: &Plan, units: &[Unit], runs: &[Vec<usize>]) -> String {
    let mut text = String::new();
    for commit in &plan.commits {
        let number = |hunk: &HunkId| {
            let unit = units.iter().position(|unit| unit.id == *hunk).unwrap();
            runs.iter().position(|run| run.contains(&unit)).unwrap() + 1
        };
        let mut numbers: Vec<String> = commit.hunks.iter().map(|hunk| number(hunk).to_string()).collect();
        numbers.dedup();
        writeln!(text, "{}", commit.title).unwrap();
        write!(text, "    {} of {}", numbers.join(" "), commit.group_ids.join(", ")).unwrap();
        if !commit.depends_on.is_empty() {
            write!(text, ", after {}", commit.depends_on.join(", ")).unwrap();
        }
        writeln!(text).unwrap();
        for trailer in &commit.trailers {
            writeln!(text, "    {}: {}", trailer.key, trailer.value).unwrap();
        }
    }
    text
}

/// The files of a case: those above a line `staged`, and those below it, which are not.
struct Tree {
    files: Vec<(Stage, String, FileChange)>,
}

impl Tree {
    fn read(case: &Case<'_>) -> Self {
        let text = case.fence("patch").unwrap_or_else(|| panic!("{} has no patch", case.name));
        let parts: Vec<(Stage, String)> = match text.split_once("staged\n") {
            Some((staged, unstaged)) => {
                vec![(Stage::Staged, staged.to_owned()), (Stage::Unstaged, unstaged.to_owned())]
            }
            None => vec![(Stage::Unstaged, text)],
        };
        let mut files = Vec::new();
        for (stage, text) in parts {
            for entry in parse(text.as_bytes()).unwrap_or_else(|error| panic!("{}: {error}", case.name)) {
                let Entry::File(file) = entry else { panic!("{}: a file", case.name) };
                files.push((stage, format!("change-{}", files.len() + 1), file));
            }
        }
        Self { files }
    }

    fn changes(&self) -> Vec<Change<'_>> {
        self.files.iter().map(|(stage, id, file)| Change { id, stage: *stage, file }).collect()
    }
}

fn evidence(history: &History) -> Evidence<'_> {
    Evidence::of(history)
}

fn contracts(case: &Case<'_>, changes: &[Change<'_>]) -> Vec<ContractFacts> {
    let mut all: Vec<ContractFacts> = Vec::new();
    for line in case.fence("contracts").unwrap_or_default().lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let change = changes.iter().position(|change| change.path().to_text() == words[0]).unwrap();
        if !all.iter().any(|facts| facts.change == change) {
            all.push(ContractFacts { change, ..ContractFacts::default() });
        }
        let facts = all.iter_mut().find(|facts| facts.change == change).unwrap();
        let side: &mut SideFacts = if words[1] == "new" { &mut facts.new } else { &mut facts.old };
        match words[2] {
            "declares" => {
                let (first, last) = words[4].split_once('-').unwrap();
                side.declares.push(DeclaredName {
                    name: words[3].to_owned(),
                    exported: words.get(5) == Some(&"exported"),
                    first_line: first.parse().unwrap(),
                    last_line: last.parse().unwrap(),
                });
            }
            "uses" => side.uses.push(UsedName {
                local: words[3].to_owned(),
                path: words[5].to_owned(),
                name: words[6].to_owned(),
            }),
            other => panic!("{}: `{other}` is not understood", case.name),
        }
    }
    all.sort_by_key(|facts| facts.change);
    all
}

/// `3 a.rs b.rs`: three commits that touched both.
fn history(case: &Case<'_>) -> History {
    let mut history = History::default();
    for line in case.fence("history").unwrap_or_default().lines() {
        let (count, paths) = line.split_once(' ').unwrap();
        let paths: Vec<FilePath> = paths.split(' ').map(FilePath::from).collect();
        for _ in 0..count.parse::<usize>().unwrap() {
            history.absorb(&Touched { paths: &paths, patch: None });
        }
    }
    history
}

#[test]
fn units_are_the_changes() {
    for document in [include_str!("spec/plan.md"), include_str!("spec/signals/distance.md")] {
        for case in cases(document) {
            let tree = Tree::read(&case);
            let changes = tree.changes();
            let all = units(&changes);
            let mut ids: Vec<_> = all.iter().map(|unit| unit.id.clone()).collect();
            ids.sort();
            ids.dedup();
            assert_eq!(ids.len(), all.len(), "{}: ids are unique", case.name);
            for (number, change) in changes.iter().enumerate() {
                let own = all.iter().filter(|unit| unit.change == number);
                let lines: usize = own.clone().filter_map(Unit::hunk).map(|hunk| hunk.lines().count()).sum();
                let whole = own.clone().any(|unit| unit.part == Part::File);
                assert!(whole || lines == change.file.added + change.file.removed, "{}", case.name);
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
    fn fence(&self, kind: &str) -> Option<String> {
        let mut lines = self.text.lines();
        lines.find(|line| line.strip_prefix("````").or(line.strip_prefix("```")) == Some(kind))?;
        let body: Vec<&str> = lines.take_while(|line| !line.starts_with("```")).collect();
        Some(body.iter().flat_map(|line| [line, "\n"]).collect())
    }
}
