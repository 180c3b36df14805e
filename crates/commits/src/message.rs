//! What a commit does, in words taken from what it changes: a title as Conventional Commits has it, a body, trailers.

use becket_diff::Status;

use crate::change::{Change, ContractFacts};
use crate::gist::{Fact, FileGist, Gist, What};
use crate::group::Reason;
use crate::place::{Place, Role};
use crate::plan::Trailer;
use crate::unit::Unit;

#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) trailers: Vec<Trailer>,
    pub(crate) kind: Kind,
}

/// The type of a commit, in the order in which commits that do not need each other are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Style,
    Refactor,
    Build,
    Chore,
    Feature,
    Fix,
    Test,
    Documentation,
    Integration,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Style => "style",
            Self::Refactor => "refactor",
            Self::Build => "build",
            Self::Chore => "chore",
            Self::Feature => "feat",
            Self::Fix => "fix",
            Self::Test => "test",
            Self::Documentation => "docs",
            Self::Integration => "ci",
        }
    }
}

const LONGEST_TITLE: usize = 72;
const MOST_POINTS: usize = 8;
const MOST_NAMES_IN_A_POINT: usize = 4;

/// One line for people: the title without its type, as a sentence begins.
pub(crate) fn summary(changes: &[Change<'_>], members: &[&Unit], contracts: &[ContractFacts]) -> String {
    let gist = Gist::of(changes, members, contracts);
    let text = description(&gist, kind(&gist), LONGEST_TITLE);
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

pub(crate) fn message(
    changes: &[Change<'_>],
    members: &[&Unit],
    reasons: &[Reason],
    contracts: &[ContractFacts],
) -> Message {
    let gist = Gist::of(changes, members, contracts);
    let kind = kind(&gist);
    let scope = scope(&gist).map(|scope| format!("({scope})")).unwrap_or_default();
    let prefix = format!("{}{scope}: ", kind.name());
    // One letter is left for the mark of a breaking change.
    let room = LONGEST_TITLE.saturating_sub(prefix.len() + 1);
    let title = format!("{prefix}{}", description(&gist, kind, room));
    let trailers =
        gist.trailers.iter().map(|(key, value)| Trailer { key: (*key).to_owned(), value: value.clone() });
    Message { title, body: body(&gist, reasons), trailers: trailers.collect(), kind }
}

fn kind(gist: &Gist) -> Kind {
    let only = |roles: &[Role]| {
        !gist.files.is_empty() && gist.files.iter().all(|file| roles.contains(&file.place.role))
    };
    let code = || gist.files.iter().filter(|file| file.place.role == Role::Source);
    if gist.formatting {
        return Kind::Style;
    }
    if gist.all(Role::Integration) {
        return Kind::Integration;
    }
    if gist.all(Role::Documentation)
        || gist.files.iter().all(|file| file.comments_only || file.place.role == Role::Documentation)
    {
        return Kind::Documentation;
    }
    if gist.all(Role::Test) {
        return Kind::Test;
    }
    if only(&[Role::Manifest, Role::Lockfile, Role::Build]) {
        return Kind::Build;
    }
    if code().next().is_none() {
        return if only(&[Role::Test, Role::Documentation]) { Kind::Test } else { Kind::Chore };
    }
    let facts = || code().flat_map(|file| &file.facts);
    let has = |what: What| facts().any(|fact| fact.what == what);
    let is_moved = |file: &FileGist| file.status == Status::Renamed && !file.has_lines;
    // With the imports that follow.
    let moved = code().any(|file| file.status == Status::Renamed)
        && code().all(|file| is_moved(file) || file.imports_only);
    let new_file = code().any(|file| matches!(file.status, Status::Added | Status::Copied));
    let gone = code().all(|file| file.status == Status::Deleted);
    let renames = facts().filter(|fact| fact.what == What::Renamed).count();
    let adds = facts().filter(|fact| fact.what == What::Added).count();
    if moved
        || gone
        || (renames > 0 && renames >= adds && !new_file)
        || (has(What::Removed) && adds == 0 && !new_file)
    {
        Kind::Refactor
    } else if gist.speaks_of_a_fault && !new_file {
        Kind::Fix
    } else if new_file || adds > 0 {
        Kind::Feature
    } else if code().all(|file| file.mode_only) {
        Kind::Chore
    } else {
        Kind::Fix
    }
}

/// The folder or module that all code is in, where that says something.
fn scope(gist: &Gist) -> Option<String> {
    let telling: Vec<&FileGist> = gist.files.iter().filter(|file| file.place.role == Role::Source).collect();
    let files: Vec<&FileGist> = if telling.is_empty() { gist.files.iter().collect() } else { telling };
    let first = files.first()?;
    let common = files.iter().fold(first.place.folders.len(), |common, file| {
        first
            .place
            .folders
            .iter()
            .zip(&file.place.folders)
            .take(common)
            .take_while(|(one, other)| one == other)
            .count()
    });
    let folder = first.place.folders[..common]
        .iter()
        .rev()
        .find(|folder| !is_plain(folder) && !PACKAGES.contains(&folder.as_str()));
    let stem =
        |place: &Place| Some(place.stem.clone()).filter(|stem| !is_plain(stem) && place.role == Role::Source);
    let same = files.iter().all(|file| file.place.stem == first.place.stem);
    let name = folder.cloned().or_else(|| if same { stem(&first.place) } else { None })?;
    let scope: String = name
        .to_lowercase()
        .chars()
        .map(|letter| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' })
        .collect();
    let scope = scope.trim_matches(['-', '.']).to_owned();
    (1..=24).contains(&scope.chars().count()).then_some(scope)
}

/// Where packages of Java begin.
const PACKAGES: &[&str] = &["com", "org", "io", "net"];

/// Folders and files that every project has say nothing.
fn is_plain(name: &str) -> bool {
    const PLAIN: &[&str] = &[
        "src",
        "lib",
        "crates",
        "packages",
        "package",
        "pkg",
        "internal",
        "cmd",
        "app",
        "apps",
        "main",
        "test",
        "tests",
        "spec",
        "specs",
        "__tests__",
        "java",
        "kotlin",
        "source",
        "sources",
        "modules",
        "mod",
        "index",
        "init",
        "__init__",
        "docs",
        "doc",
        "workflows",
        ".github",
        "jvmmain",
        "commonmain",
        "include",
        "scripts",
        "bin",
    ];
    PLAIN.contains(&name.to_lowercase().as_str())
}

fn description(gist: &Gist, kind: Kind, room: usize) -> String {
    // What a commit is about stands in its code; tests and documents only when there is no code.
    let rank = |file: &&FileGist| match file.place.role {
        Role::Source => 0,
        Role::Test => 1,
        _ => 2,
    };
    let best = gist.files.iter().map(|file| rank(&file)).min().unwrap_or_default();
    let files: Vec<&FileGist> = gist.files.iter().filter(|file| rank(file) == best).collect();
    let facts: Vec<&Fact> = files.iter().flat_map(|file| &file.facts).collect();
    let named = |what: What| -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for fact in facts.iter().filter(|fact| fact.what == what) {
            let name = match &fact.before {
                Some(before) => format!("{before} to {}", fact.name),
                None => fact.name.clone(),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    };
    let moved: Vec<String> = files
        .iter()
        .filter(|file| file.status == Status::Renamed)
        .map(|file| format!("{} to {}", file.old_path.as_deref().unwrap_or_default(), file.place.text))
        .collect();
    let paths = || -> Vec<String> { files.iter().map(|file| file.place.file_name().to_owned()).collect() };
    match kind {
        Kind::Style => return list("format", &paths(), room),
        Kind::Test => {
            let tests: Vec<String> =
                named(What::Added).iter().chain(&named(What::Changed)).map(|name| tested(name)).collect();
            return if tests.is_empty() {
                list("cover", &stems(&files), room)
            } else {
                list("cover", &tests, room)
            };
        }
        Kind::Documentation => {
            let topics: Vec<String> = named(What::Added)
                .into_iter()
                .chain(named(What::Changed))
                .chain(named(What::Removed))
                .collect();
            return if topics.is_empty() {
                list("update", &paths(), room)
            } else {
                list("describe", &topics, room)
            };
        }
        Kind::Build | Kind::Chore | Kind::Integration => {
            let all_new = files.iter().all(|file| file.status == Status::Added);
            let all_gone = files.iter().all(|file| file.status == Status::Deleted);
            let verb = if all_new {
                "add"
            } else if all_gone {
                "remove"
            } else {
                "update"
            };
            let manifest: Vec<String> = gist
                .files
                .iter()
                .filter(|file| file.place.role != Role::Lockfile)
                .map(|file| file.place.file_name().to_owned())
                .collect();
            return list(verb, &if manifest.is_empty() { paths() } else { manifest }, room);
        }
        Kind::Refactor | Kind::Feature | Kind::Fix => {}
    }
    let gone: Vec<String> = files
        .iter()
        .filter(|file| file.status == Status::Deleted)
        .map(|file| file.place.file_name().to_owned())
        .collect();
    let options = [
        ("move", if kind == Kind::Refactor { moved } else { Vec::new() }),
        ("rename", if kind == Kind::Refactor { named(What::Renamed) } else { Vec::new() }),
        ("remove", if gone.len() == files.len() { gone } else { Vec::new() }),
        ("add", if kind == Kind::Feature { named(What::Added) } else { Vec::new() }),
        (if kind == Kind::Fix { "correct" } else { "change" }, named(What::Changed)),
        ("add", named(What::Added)),
        ("remove", named(What::Removed)),
        ("rename", named(What::Renamed)),
    ];
    match options.into_iter().find(|(_, names)| !names.is_empty()) {
        Some((verb, names)) => list(verb, &names, room),
        None if kind == Kind::Feature => list("add", &stems(&files), room),
        None => list(if kind == Kind::Fix { "correct" } else { "change" }, &stems(&files), room),
    }
}

fn stems(files: &[&FileGist]) -> Vec<String> {
    let mut stems: Vec<String> = files.iter().map(|file| file.place.file_name().to_owned()).collect();
    stems.dedup();
    stems
}

/// `test_parses_headers` is about "parses headers".
fn tested(name: &str) -> String {
    let plain = name
        .trim_start_matches("test_")
        .trim_start_matches("Test")
        .trim_end_matches("_test")
        .trim_end_matches("Test");
    if plain.is_empty() { name.to_owned() } else { plain.replace('_', " ") }
}

/// As many names as there is room for, and how many more there are.
fn list(verb: &str, names: &[String], room: usize) -> String {
    let names: Vec<String> = names.iter().map(|name| on_one_line(name.trim())).collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    for count in (1..=names.len().min(3)).rev() {
        let text = format!("{verb} {}", enumerate(&names[..count], names.len() - count));
        if text.chars().count() <= room {
            return text;
        }
    }
    let first = names.first().copied().unwrap_or("files");
    let mut text = format!("{verb} {first}");
    if text.chars().count() > room {
        text = text.chars().take(room.saturating_sub(1)).collect::<String>() + "…";
    }
    text
}

/// A name as it is, but for what would end or hide the line that it stands on.
fn on_one_line(name: &str) -> String {
    let escaped = |letter: char| -> Vec<char> {
        if letter.is_control() { letter.escape_default().collect() } else { vec![letter] }
    };
    name.chars().flat_map(escaped).collect()
}

fn enumerate(names: &[&str], more: usize) -> String {
    match (names, more) {
        ([one], 0) => (*one).to_owned(),
        (names, 0) => format!("{} and {}", names[..names.len() - 1].join(", "), names[names.len() - 1]),
        (names, more) => format!("{} and {more} more", names.join(", ")),
    }
}

/// What happens in each file, and why it is one commit.
fn body(gist: &Gist, reasons: &[Reason]) -> String {
    let mut lines: Vec<String> = gist.files.iter().take(MOST_POINTS).map(point).collect();
    if gist.files.len() > MOST_POINTS {
        let more = gist.files.len() - MOST_POINTS;
        lines.push(format!("- and {more} more {}", if more == 1 { "file" } else { "files" }));
    }
    let mut body = lines.join("\n");
    if !reasons.is_empty() {
        let texts: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
        body = format!("{body}\n\nOne commit because {}.", texts.join("; "));
    }
    body
}

fn point(file: &FileGist) -> String {
    let path = &on_one_line(&file.place.text);
    let said = |what: What| -> Vec<String> {
        let facts = file.facts.iter().filter(|fact| fact.what == what);
        facts
            .map(|fact| {
                fact.before.as_ref().map_or_else(
                    || format!("`{}`", fact.name),
                    |before| format!("`{before}` to `{}`", fact.name),
                )
            })
            .collect()
    };
    let mut parts: Vec<String> = Vec::new();
    for (verb, what) in [
        ("rename", What::Renamed),
        ("add", What::Added),
        ("remove", What::Removed),
        ("change", What::Changed),
    ] {
        let names = said(what);
        if !names.is_empty() {
            let shown: Vec<&str> = names.iter().take(MOST_NAMES_IN_A_POINT).map(String::as_str).collect();
            parts.push(format!("{verb} {}", enumerate(&shown, names.len() - shown.len())));
        }
    }
    let whole = match file.status {
        Status::Added => Some("new file".to_owned()),
        Status::Deleted => Some("deleted".to_owned()),
        Status::Renamed => file.old_path.as_ref().map(|old| format!("moved from {}", on_one_line(old))),
        Status::Copied => file.old_path.as_ref().map(|old| format!("copied from {}", on_one_line(old))),
        Status::Modified if file.mode_only => Some("mode changed".to_owned()),
        Status::Modified if file.formatting => Some("white space".to_owned()),
        Status::Modified => None,
    };
    // A deleted file is known by that, and of white space nothing more is to be said; declarations would only fill the message.
    if file.status == Status::Deleted || file.formatting {
        parts.clear();
    }
    parts.splice(0..0, whole);
    if parts.is_empty() { format!("- {path}") } else { format!("- {path}: {}", parts.join("; ")) }
}
