//! The text of a pull request from its commits and what the other planes know of them. It owns what is said and in
//! which order; the form is a template's, ours or the user's.

mod form;
mod sandbox;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use becket_diff::FilePath;
use serde::{Deserialize, Serialize};

use crate::place::{Place, Role};
use crate::plan::Trailer;

/// All that the text may speak of. Lists are in the order in which they are to be shown; breaking changes go first by
/// themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequest {
    pub commits: Vec<PullRequestCommit>,
    pub contracts: Vec<ContractChange>,
    pub notes: Vec<Note>,
    pub tasks: Vec<Task>,
    /// Commands or steps that show that it works.
    pub checks: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequestCommit {
    /// A plan's `commit-1`, or a commit's id.
    pub id: String,
    pub title: String,
    pub body: String,
    pub trailers: Vec<Trailer>,
    /// Paths that it touches.
    pub files: Vec<String>,
    pub added: usize,
    pub removed: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractChange {
    pub path: String,
    pub name: String,
    /// "the parameter `limit` is now required".
    pub summary: String,
    pub breaking: bool,
    /// How it is declared before and after, where that is known.
    pub before: Option<String>,
    pub after: Option<String>,
    /// Who depends on it, as paths.
    pub consumers: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// `00012`
    pub id: String,
    pub title: String,
    pub standing: NoteStanding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteStanding {
    Cited,
    /// These commits change what it speaks of.
    Stale,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// `T12`
    pub id: String,
    pub title: String,
}

/// A caller's own words, which win.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wording {
    pub title: Option<String>,
    pub summary: Option<String>,
    /// Replaces the whole body.
    pub body: Option<String>,
}

/// What gives the body its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Template<'a> {
    BuiltIn,
    /// A minijinja template of the user. It sees the fields of [`PullRequest`], `title`, `summary` and `sections`.
    User(&'a str),
    /// A host's `PULL_REQUEST_TEMPLATE.md`: its headings are kept and filled.
    Form(&'a str),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequestDraft {
    pub title: String,
    pub body: String,
}

#[derive(Debug, thiserror::Error)]
pub enum PullRequestError {
    #[error("a pull request needs at least one commit")]
    NoCommits,
    #[error("line {line} of the template: {reason}")]
    Template { line: usize, reason: String },
}

/// One part of the body under a heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Section {
    /// Stable: `summary`, `commits`, `contracts`, `notes`, `tasks`, `checks`.
    pub(crate) key: &'static str,
    pub(crate) heading: &'static str,
    pub(crate) text: String,
}

const LONGEST_TITLE: usize = 100;
const MOST_CONSUMERS: usize = 5;
const MOST_BREAKING: usize = 20;
const MOST_COMPATIBLE: usize = 12;
const MOST_TESTS: usize = 8;
const BUILT_IN: &str = include_str!("pull_request/default.md.jinja");

pub fn draft(
    request: &PullRequest,
    wording: &Wording,
    template: Template<'_>,
) -> Result<PullRequestDraft, PullRequestError> {
    if request.commits.is_empty() {
        return Err(PullRequestError::NoCommits);
    }
    let title = wording
        .title
        .as_deref()
        .map(one_line)
        .filter(|title| !title.is_empty())
        .unwrap_or_else(|| title(request));
    if let Some(body) = &wording.body {
        return Ok(PullRequestDraft { title, body: body.clone() });
    }
    let sections = sections(request, wording);
    let body = match template {
        Template::BuiltIn => sandbox::render(BUILT_IN, request, &title, &sections)?,
        Template::User(template) => sandbox::render(template, request, &title, &sections)?,
        Template::Form(form) => form::fill(form, &sections),
    };
    Ok(PullRequestDraft { title, body: tidy(&body) })
}

/// The commit that does most, and how many others there are.
fn title(request: &PullRequest) -> String {
    let main = request.commits.iter().enumerate().min_by_key(|(place, commit)| {
        (importance(&commit.title), std::cmp::Reverse(commit.added + commit.removed), *place)
    });
    let main = main.map(|(_, commit)| one_line(&commit.title)).unwrap_or_default();
    let more = request.commits.len() - 1;
    let tail = if more == 0 { String::new() } else { format!(" (+{more} more)") };
    let room = LONGEST_TITLE - tail.len();
    let main = if main.chars().count() > room {
        main.chars().take(room - 1).collect::<String>() + "…"
    } else {
        main
    };
    main + &tail
}

fn importance(title: &str) -> usize {
    let intent = intent(title).0;
    INTENTS.iter().position(|(kind, _)| *kind == intent).unwrap_or(INTENTS.len())
}

const INTENTS: &[(&str, &str)] = &[
    ("feat", "New"),
    ("fix", "Corrected"),
    ("perf", "Faster"),
    ("refactor", "Restructured"),
    ("test", "Tests"),
    ("docs", "Documentation"),
    ("build", "Build"),
    ("ci", "Continuous integration"),
    ("style", "Formatting"),
    ("chore", "Other"),
    ("", "Other"),
];

/// `feat(scope)!: text` is `feat` and `text`; of another form, nothing and all of it.
fn intent(title: &str) -> (&str, &str) {
    let parsed = title.split_once(':').and_then(|(head, text)| {
        let kind = head.split(['(', '!']).next().unwrap_or(head);
        INTENTS.iter().any(|(known, _)| *known == kind && !kind.is_empty()).then_some((kind, text.trim()))
    });
    parsed.unwrap_or(("", title.trim()))
}

fn sections(request: &PullRequest, wording: &Wording) -> Vec<Section> {
    let summary =
        wording.summary.as_deref().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let all = [
        ("summary", "Summary", summary.unwrap_or_else(|| summary_by_intent(request))),
        ("contracts", "Contract changes", contracts(request)),
        ("commits", "Commits", commits(request)),
        ("notes", "Notes", notes(request)),
        ("tasks", "Tasks", tasks(request)),
        ("checks", "How to test", checks(request)),
    ];
    let sections = all.into_iter().filter(|(_, _, text)| !text.trim().is_empty());
    sections.map(|(key, heading, text)| Section { key, heading, text: text.trim_end().to_owned() }).collect()
}

fn summary_by_intent(request: &PullRequest) -> String {
    let mut text = String::new();
    let mut said = BTreeSet::new();
    for (_, heading) in INTENTS {
        if !said.insert(*heading) {
            continue;
        }
        let kinds: Vec<&str> =
            INTENTS.iter().filter(|(_, other)| other == heading).map(|(kind, _)| *kind).collect();
        let commits: Vec<&str> = request
            .commits
            .iter()
            .map(|commit| intent(&commit.title))
            .filter(|(kind, _)| kinds.contains(kind))
            .map(|(_, text)| text)
            .collect();
        match commits.as_slice() {
            [] => {}
            [one] => points(&mut text, [format!("**{heading}**: {}", one_line(one))]),
            several => {
                points(&mut text, [format!("**{heading}**")]);
                for one in several {
                    let _ = writeln!(text, "  - {}", one_line(one));
                }
            }
        }
    }
    text
}

/// Breaking changes one by one, with whom they break; the others by file, because nobody has to do anything for them.
fn contracts(request: &PullRequest) -> String {
    let touched: BTreeSet<&str> =
        request.commits.iter().flat_map(|commit| &commit.files).map(String::as_str).collect();
    let (breaking, others): (Vec<_>, Vec<_>) = request.contracts.iter().partition(|change| change.breaking);
    let mut text = String::new();
    for change in breaking.iter().take(MOST_BREAKING) {
        let summary = one_line(&change.summary);
        points(&mut text, [format!("**Breaking**: `{}` in {}: {summary}", change.name, change.path)]);
        if let (Some(before), Some(after)) = (&change.before, &change.after) {
            if before != after {
                let _ = writeln!(text, "  - was `{}`, is `{}`", code(before), code(after));
            }
        }
        let (here, elsewhere): (Vec<&str>, Vec<&str>) =
            change.consumers.iter().map(String::as_str).partition(|path| touched.contains(path));
        if !elsewhere.is_empty() {
            let _ = writeln!(text, "  - used by {}, **not changed here**", paths(&elsewhere));
        }
        if !here.is_empty() {
            let _ = writeln!(text, "  - used by {}, changed here too", paths(&here));
        }
    }
    if breaking.len() > MOST_BREAKING {
        points(&mut text, [format!("and {} more breaking changes", breaking.len() - MOST_BREAKING)]);
    }
    let mut by_file: Vec<((&str, String), Vec<&str>)> = Vec::new();
    for change in others {
        let key = (change.path.as_str(), one_line(&change.summary));
        match by_file.iter_mut().find(|(known, _)| *known == key) {
            Some((_, names)) => names.push(&change.name),
            None => by_file.push((key, vec![&change.name])),
        }
    }
    for ((path, summary), names) in by_file.iter().take(MOST_COMPATIBLE) {
        points(&mut text, [format!("{} in {path}: {summary}", paths(names))]);
    }
    if by_file.len() > MOST_COMPATIBLE {
        points(&mut text, [format!("and {} more that break nobody", by_file.len() - MOST_COMPATIBLE)]);
    }
    text
}

/// Some of the names, as code, and how many more there are.
fn paths(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(MOST_CONSUMERS).map(|name| format!("`{name}`")).collect();
    let more = names.len() - shown.len();
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown.join(", ") + &tail
}

/// Without the marks that would end it.
fn code(text: &str) -> String {
    one_line(text).replace('`', "'")
}

fn commits(request: &PullRequest) -> String {
    let line = |commit: &PullRequestCommit| {
        let is_sha = commit.id.len() >= 40 && commit.id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let id = if is_sha { format!("`{}` ", &commit.id[..10]) } else { String::new() };
        let files = if commit.files.len() == 1 {
            "1 file".to_owned()
        } else {
            format!("{} files", commit.files.len())
        };
        format!("{id}{} ({files}, +{} −{})", one_line(&commit.title), commit.added, commit.removed)
    };
    let mut text = String::new();
    points(&mut text, request.commits.iter().map(line));
    text
}

/// Notes that go stale first: they are work.
fn notes(request: &PullRequest) -> String {
    let of = |standing: NoteStanding, tail: &'static str| {
        let notes = request.notes.iter().filter(move |note| note.standing == standing);
        notes.map(move |note| format!("{} {}{tail}", note.id, one_line(&note.title)))
    };
    let mut text = String::new();
    points(&mut text, of(NoteStanding::Stale, ": **may be stale now**").chain(of(NoteStanding::Cited, "")));
    text
}

/// Tasks that were given, and those that only a trailer names.
fn tasks(request: &PullRequest) -> String {
    let mut text = String::new();
    points(&mut text, request.tasks.iter().map(|task| format!("{} {}", task.id, one_line(&task.title))));
    let mut said: BTreeSet<&str> = request.tasks.iter().map(|task| task.id.as_str()).collect();
    let named =
        request.commits.iter().flat_map(|commit| &commit.trailers).filter(|trailer| trailer.key == "Task");
    points(
        &mut text,
        named.filter(|trailer| said.insert(&trailer.value)).map(|trailer| trailer.value.clone()),
    );
    text
}

fn checks(request: &PullRequest) -> String {
    let mut text = String::new();
    points(&mut text, request.checks.iter().map(|check| one_line(check)));
    let files: BTreeSet<&String> = request.commits.iter().flat_map(|commit| &commit.files).collect();
    let is_test = |path: &&&String| Place::of(&FilePath::from(path.as_str())).role == Role::Test;
    let tests: Vec<String> = files.iter().filter(is_test).map(|path| format!("`{path}`")).collect();
    if !tests.is_empty() {
        let more = tests.len().saturating_sub(MOST_TESTS);
        let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
        let shown = tests[..tests.len().min(MOST_TESTS)].join(", ");
        points(&mut text, [format!("Tests changed here: {shown}{tail}")]);
    }
    text
}

fn points(text: &mut String, items: impl IntoIterator<Item = String>) {
    for item in items {
        let _ = writeln!(text, "- {item}");
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most one empty line in a row, one newline at the end.
fn tidy(body: &str) -> String {
    let mut text = String::new();
    let mut empty = true;
    for line in body.lines().map(str::trim_end) {
        if !(line.is_empty() && empty) {
            text.push_str(line);
            text.push('\n');
        }
        empty = line.is_empty();
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}
