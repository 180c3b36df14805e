//! Reading the sources of settings one over the other. It owns the order, the places that problems name, and the rule
//! that a file of the repository can point only inside what may be touched; what a value may be is `value`'s.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use becket_base::nearest;

use super::document::{self, Content, Format, Member};
use super::problem::{Notice, Place, Position, Problem, ProblemKind};
use super::value::Asked;
use super::{
    KEYS, Key, Kind, Loaded, SECURITY_ALLOWED_PATHS, STORE_URL, Settings, Slot, StorePlace, Value, find,
};
use crate::canonical::canonical;
use crate::environment::Environment;
use crate::files::{self, FileError};
use crate::root::{ROOT_VARIABLES, Workspace};

/// Far more than every key with a long comment.
const LARGEST_FILE: u64 = 1024 * 1024;
/// So that a file that is no settings file at all does not fill the screen.
const MOST_PROBLEMS: usize = 50;

pub(super) struct Loading<'a> {
    environment: &'a Environment,
    settings: Settings,
    problems: Vec<Problem>,
    notices: Vec<Notice>,
}

/// One file while its tree is read.
struct File<'a> {
    path: PathBuf,
    /// Where the relative paths in it start.
    root: &'a Path,
    text: &'a str,
    /// The line in which each key stood first.
    seen: BTreeMap<&'static str, usize>,
    untold: usize,
    problems: usize,
}

impl<'a> Loading<'a> {
    pub(super) fn new(environment: &'a Environment) -> Self {
        Self { environment, settings: Settings::default(), problems: Vec::new(), notices: Vec::new() }
    }

    pub(super) fn read_file(&mut self, workspace: &Workspace, name: &str, format: Format) {
        let root = &workspace.root;
        let path = root.join(name);
        let result = bytes_of(&path, root).map_err(|kind| (None, kind));
        let text = match result.and_then(|bytes| bytes.map(text_of).transpose()) {
            Ok(None) => return,
            Ok(Some(text)) => text,
            Err((position, kind)) => return self.problem(Place::File { path, position }, kind),
        };
        // What editors on Windows put in front says only that the file is UTF-8.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        match document::parse(text, format) {
            Err((position, kind)) => self.problem(Place::File { path, position }, kind),
            Ok(members) => {
                let mut file = File { path, root, text, seen: BTreeMap::new(), untold: 0, problems: 0 };
                self.read_members(&mut file, "", &members);
                if file.untold > 0 {
                    let place = Place::File { path: file.path, position: None };
                    self.problem(place, ProblemKind::More { count: file.untold });
                }
            }
        }
    }

    pub(super) fn read_variables(&mut self) {
        for key in KEYS {
            let set = |variable: &&str| self.environment.variable(variable).is_some();
            let Some(variable) = key.variables().filter(set).last() else { continue };
            let Some(text) = self.environment.variable(variable) else { continue };
            match Value::from_text(self.asked(key), text) {
                Ok(value) => self.set(key, value, Place::Variable(variable.to_owned())),
                Err(kind) if key.variable == Some(variable) => {
                    self.problem(Place::Variable(variable.to_owned()), kind);
                }
                // It is there for other programs too, and must not stop this one.
                Err(kind) => {
                    let place = Place::Variable(variable.to_owned());
                    self.notices.push(Notice { place, message: format!("passed over: {kind}") });
                }
            }
        }
    }

    pub(super) fn read_flags(&mut self, flags: &[(&str, String)]) {
        let mut given: Vec<&Key> = Vec::new();
        for (name, text) in flags {
            let name = format!("--{}", name.trim_start_matches('-'));
            let Some(key) = KEYS.iter().copied().find(|key| key.flag == Some(name.as_str())) else {
                let known = KEYS.iter().filter_map(|key| key.flag);
                let nearest = nearest(&name, known).map(str::to_owned);
                self.problem(Place::Flag(name.clone()), ProblemKind::UnknownKey { key: name, nearest });
                continue;
            };
            let repeated = given.iter().any(|other| other.name == key.name);
            match Value::from_text(self.asked(key), text) {
                Ok(value) => {
                    let value = if repeated { joined(self.settings.value(key), value) } else { value };
                    given.push(key);
                    self.set(key, value, Place::Flag(name));
                }
                Err(kind) => self.problem(Place::Flag(name), kind),
            }
        }
    }

    pub(super) fn finish(mut self) -> Loaded {
        self.tell_allowed_paths();
        self.tell_misspelt_variables();
        Loaded { settings: self.settings, problems: self.problems, notices: self.notices }
    }

    fn read_members(&mut self, file: &mut File<'_>, section: &str, members: &[Member]) {
        for member in members {
            let name =
                if section.is_empty() { member.name.clone() } else { format!("{section}.{}", member.name) };
            if let Some(key) = find(&name) {
                self.read_member(file, key, &name, member);
                continue;
            }
            match &member.node.content {
                Content::Table(members) if !members.is_empty() => self.read_members(file, &name, members),
                Content::Table(_) if is_section(&name) => {}
                Content::Text(_) if name == "$schema" => {}
                content if is_section(&name) => {
                    let (expected, found) = ("a table".to_owned(), content.to_string());
                    self.file_problem(file, member.node.offset, || ProblemKind::WrongType {
                        key: name,
                        expected,
                        found,
                    });
                }
                content => self.file_problem(file, member.offset, || {
                    let nearest = match content {
                        Content::Table(_) => nearest_section(&name),
                        _ => nearest_key(&name).or_else(|| nearest_section(name.split('.').next()?)),
                    };
                    ProblemKind::UnknownKey { key: name, nearest }
                }),
            }
        }
    }

    fn read_member(&mut self, file: &mut File<'_>, key: &'static Key, name: &str, member: &Member) {
        let position = Position::of(file.text, member.offset);
        if let Some(first) = file.seen.get(key.name) {
            let first = *first;
            return self.file_problem(file, member.offset, || ProblemKind::Duplicate {
                key: name.to_owned(),
                first,
            });
        }
        file.seen.insert(key.name, position.line);
        if key.user_only {
            let variable = key.variable.unwrap_or_default();
            return self.file_problem(file, member.offset, || ProblemKind::NotFromFile {
                key: name.to_owned(),
                variable,
            });
        }
        let asked = Asked { key, name, environment: self.environment, base: file.root };
        let place = Place::File { path: file.path.clone(), position: Some(position) };
        match Value::from_node(asked, &member.node) {
            Ok(value) => {
                if let Some(notice) = key.notice {
                    let message = format!("`{name}` has no effect: {notice}");
                    self.notices.push(Notice { place: place.clone(), message });
                }
                self.set(key, value, place);
            }
            Err((offset, kind)) => self.file_problem(file, offset, || kind),
        }
    }

    /// What a file of the repository names must be inside: else cloning a repository could make becket write anywhere.
    /// What the user says, on the command line or in the environment, holds.
    pub(super) fn confine_paths(&mut self, workspace: &Workspace) {
        let sandbox = self.settings.sandbox_for_files(workspace.clone());
        for key in KEYS.iter().filter(|key| key.kind == Kind::Path) {
            let Some(slot) = self.settings.slots.get_mut(key.name) else { continue };
            let (Value::Path(path), Some(place @ Place::File { .. })) = (&slot.value, &slot.place) else {
                continue;
            };
            match sandbox.admit_anywhere(path) {
                Ok(admitted) => slot.value = Value::Path(admitted),
                Err(error) => {
                    let kind = ProblemKind::Refused { key: key.name.to_owned(), reason: error.to_string() };
                    self.problems.push(Problem { place: place.clone(), kind });
                    *slot = Slot::default_of(key);
                }
            }
        }
    }

    /// A server that a file names is connected to by nobody, and a path is one as those above. Both count only where neither
    /// environment nor flag say something else.
    pub(super) fn confine_store(&mut self, workspace: &Workspace) {
        let key = STORE_URL.key();
        let Some(slot) = self.settings.slots.get(key.name) else { return };
        let (Value::Text(text), Some(place @ Place::File { .. })) = (&slot.value, &slot.place) else {
            return;
        };
        let name = key.name.to_owned();
        let kind = match StorePlace::of(text) {
            StorePlace::Server => {
                ProblemKind::ServerFromFile { key: name, variable: key.variable.unwrap_or_default() }
            }
            StorePlace::File(path) => match self.settings.place_of_store(workspace, path) {
                Ok(_) => return,
                Err(error) => ProblemKind::Refused { key: name, reason: error.to_string() },
            },
        };
        self.problems.push(Problem { place: place.clone(), kind });
        self.settings.slots.insert(key.name, Slot::default_of(key));
    }

    /// A file that came with the repository has opened other folders: that is the user's to know.
    fn tell_allowed_paths(&mut self) {
        let Some(slot) = self.settings.slots.get(SECURITY_ALLOWED_PATHS.key().name) else { return };
        let (Value::Paths(paths), Some(place @ Place::File { .. })) = (&slot.value, &slot.place) else {
            return;
        };
        if !paths.is_empty() {
            let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
            let message = format!("callers may also name folders in {}", paths.join(", "));
            self.notices.push(Notice { place: place.clone(), message });
        }
    }

    /// Other programs may have variables of such names, so a likely slip is told and nothing is refused.
    fn tell_misspelt_variables(&mut self) {
        let known =
            || KEYS.iter().filter_map(|key| key.variable).chain(ROOT_VARIABLES.iter().map(|root| root.name));
        for name in self.environment.variables.keys().filter(|name| name.starts_with("BECKET_")) {
            if known().any(|variable| variable == name) {
                continue;
            }
            if let Some(meant) = nearest(name, known()) {
                let place = Place::Variable(name.clone());
                self.notices
                    .push(Notice { place, message: format!("unknown variable; did you mean {meant}?") });
            }
        }
    }

    /// By the user rather than by a file.
    fn asked(&self, key: &'static Key) -> Asked<'a> {
        Asked { key, name: key.name, environment: self.environment, base: &self.environment.current_dir }
    }

    fn set(&mut self, key: &'static Key, value: Value, place: Place) {
        self.settings.slots.insert(key.name, Slot { value, place: Some(place) });
    }

    fn problem(&mut self, place: Place, kind: ProblemKind) {
        self.problems.push(Problem { place, kind });
    }

    /// `kind` is made only when it will be told.
    fn file_problem(&mut self, file: &mut File<'_>, offset: usize, kind: impl FnOnce() -> ProblemKind) {
        if file.problems == MOST_PROBLEMS {
            file.untold += 1;
            return;
        }
        file.problems += 1;
        let position = Some(Position::of(file.text, offset));
        self.problem(Place::File { path: file.path.clone(), position }, kind());
    }
}

fn bytes_of(path: &Path, root: &Path) -> Result<Option<Vec<u8>>, ProblemKind> {
    if canonical(path).is_ok_and(|place| !place.starts_with(root)) {
        let reason = "it is a link that leads out of the repository".to_owned();
        return Err(ProblemKind::Unreadable { reason });
    }
    files::read(path, LARGEST_FILE).map_err(|error| match error {
        FileError::NotAFile { .. } => ProblemKind::NotAFile,
        FileError::TooLarge { limit, .. } => ProblemKind::TooLarge { limit },
        FileError::Failed { source, .. } => ProblemKind::Unreadable { reason: source.kind().to_string() },
        error => ProblemKind::Unreadable { reason: error.to_string() },
    })
}

fn text_of(bytes: Vec<u8>) -> Result<String, (Option<Position>, ProblemKind)> {
    if matches!(bytes.as_slice(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return Err((None, ProblemKind::Utf16));
    }
    String::from_utf8(bytes).map_err(|error| {
        let end = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..end]);
        (Some(Position::of(&before, end)), ProblemKind::NotUnicode)
    })
}

fn is_section(name: &str) -> bool {
    KEYS.iter()
        .flat_map(|key| key.names())
        .any(|known| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

/// The key that was meant: nearly the same name, or nearly the same name in another section.
fn nearest_key(name: &str) -> Option<String> {
    let names: Vec<String> = KEYS.iter().flat_map(|key| key.names()).collect();
    if let Some(found) = nearest(name, names.iter().map(String::as_str)) {
        return Some(found.to_owned());
    }
    let last = |name: &'_ str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let lasts: Vec<String> = names.iter().map(|name| last(name)).collect();
    let found = nearest(&last(name), lasts.iter().map(String::as_str))?;
    let index = lasts.iter().position(|last| last == found)?;
    names.get(index).cloned()
}

/// The section that was meant; nothing when it is that very one.
fn nearest_section(name: &str) -> Option<String> {
    let sections: BTreeSet<String> = KEYS
        .iter()
        .flat_map(|key| key.names())
        .filter_map(|known| Some(known.rsplit_once('.')?.0.to_owned()))
        .collect();
    nearest(name, sections.iter().map(String::as_str)).filter(|found| *found != name).map(str::to_owned)
}

/// Lists that are given twice add up; of everything else the last holds.
fn joined(before: Option<&Value>, value: Value) -> Value {
    match (before, value) {
        (Some(Value::List(before)), Value::List(items)) => {
            let new = items.into_iter().filter(|item| !before.contains(item));
            Value::List(before.iter().cloned().chain(new).collect())
        }
        (Some(Value::Paths(before)), Value::Paths(paths)) => {
            Value::Paths(before.iter().cloned().chain(paths).collect())
        }
        (_, value) => value,
    }
}
