//! What some units do, as facts: which declarations they add, remove, rename or change, and in what sort of files. The
//! words for it are `message`'s.

use std::collections::{BTreeMap, BTreeSet};

use becket_diff::{Hunk, Line, LineKind, Status};

use crate::change::{Change, ContractFacts, facts_of};
use crate::place::{Place, Role};
use crate::profile::{CONTEXT, is_formatting};
use crate::unit::{Part, Unit};
use crate::words::{self, DeclarationKind};

#[derive(Debug, Default)]
pub(crate) struct Gist {
    pub(crate) files: Vec<FileGist>,
    /// All lines differ in white space only.
    pub(crate) formatting: bool,
    /// A word on an added line says that something was wrong.
    pub(crate) speaks_of_a_fault: bool,
    pub(crate) trailers: BTreeSet<(&'static str, String)>,
}

#[derive(Debug)]
pub(crate) struct FileGist {
    pub(crate) place: Place,
    pub(crate) status: Status,
    pub(crate) old_path: Option<String>,
    pub(crate) mode_only: bool,
    pub(crate) comments_only: bool,
    pub(crate) formatting: bool,
    pub(crate) imports_only: bool,
    pub(crate) has_lines: bool,
    /// By name, in the order of first appearance; the kind of the first.
    pub(crate) facts: Vec<Fact>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) what: What,
    pub(crate) name: String,
    /// Of a rename: the name before.
    pub(crate) before: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    Renamed,
    Added,
    Removed,
    Changed,
}

impl Gist {
    pub(crate) fn of(changes: &[Change<'_>], members: &[&Unit], contracts: &[ContractFacts]) -> Self {
        let mut by_change: BTreeMap<usize, Vec<&Unit>> = BTreeMap::new();
        for unit in members {
            by_change.entry(unit.change).or_default().push(unit);
        }
        let mut gist = Self::default();
        for (number, units) in by_change {
            let file = gist.file(&changes[number], &units, facts_of(contracts, number));
            match gist.files.last_mut() {
                Some(last) if last.goes_on_in(&file) => last.take(file),
                _ => gist.files.push(file),
            }
        }
        gist.formatting = !gist.files.is_empty() && gist.files.iter().all(|file| file.formatting);
        gist
    }

    pub(crate) fn all(&self, role: Role) -> bool {
        self.files.iter().all(|file| file.place.role == role)
    }

    fn file(&mut self, change: &Change<'_>, units: &[&Unit], contract: Option<&ContractFacts>) -> FileGist {
        let place = Place::of(change.path());
        let mut facts = Facts { document: place.role == Role::Documentation, contract, ..Facts::default() };
        let (mut comments, mut formatting, mut imports, mut has_lines) = (true, true, true, false);
        for unit in units {
            let lines: Vec<Line<'_>> = match &unit.part {
                Part::Lines(hunk) => hunk.lines().collect(),
                Part::File => change.file.hunks().iter().flat_map(Hunk::lines).collect(),
                Part::Metadata => Vec::new(),
            };
            let changed: Vec<&Line<'_>> =
                lines.iter().filter(|line| line.kind != LineKind::Context).collect();
            has_lines |= !changed.is_empty();
            let side = |kind: LineKind| -> Vec<&[u8]> {
                changed.iter().filter(|line| line.kind == kind).map(|line| line.content).collect()
            };
            formatting &=
                changed.is_empty() || is_formatting(&side(LineKind::Removed), &side(LineKind::Added));
            comments &= changed
                .iter()
                .all(|line| line.content.trim_ascii().is_empty() || words::is_comment(line.content));
            facts.read(&changed);
            let all_imports = changed
                .iter()
                .all(|line| line.content.trim_ascii().is_empty() || words::names_a_module(line.content));
            imports &= all_imports;
            // What an import stands in is not changed by it.
            if let Some(hunk) = unit.hunk().filter(|_| !all_imports) {
                facts.enclosing(change.file.hunks(), hunk, &changed);
            }
            for line in changed.iter().filter(|line| line.kind == LineKind::Added) {
                self.cited(line.content);
            }
        }
        if let Some(note) = note_number(&place.text) {
            self.trailers.insert(("Context", note));
        }
        let old_path = change.file.old.as_ref().map(|side| side.path.to_text().into_owned());
        FileGist {
            status: change.file.status,
            old_path,
            mode_only: change.file.mode_changed() && !has_lines,
            comments_only: has_lines && comments && place.role == Role::Source,
            formatting: has_lines && formatting,
            imports_only: has_lines && imports,
            has_lines,
            facts: facts.finish(),
            place,
        }
    }

    /// Notes and tasks that a line names, and words that tell of a fault.
    fn cited(&mut self, line: &[u8]) {
        let lower = String::from_utf8_lossy(line).to_lowercase();
        let words: Vec<&str> =
            lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        self.speaks_of_a_fault |= words.iter().any(|word| FAULTS.contains(word));
        for (place, word) in words.iter().enumerate() {
            if *word == "context"
                && (place > 1 && words[place - 1] == "to" && words[place - 2] == "refer"
                    || lower
                        .trim_start_matches(|letter: char| !letter.is_alphanumeric())
                        .starts_with("context:"))
            {
                let numbers = words[place + 1..]
                    .iter()
                    .take_while(|word| word.bytes().all(|byte| byte.is_ascii_digit()) && word.len() <= 9);
                self.trailers.extend(numbers.map(|number| ("Context", format!("{number:0>5}"))));
            }
            if matches!(*word, "task" | "tasks") {
                let tasks = words[place + 1..].iter().take_while(|word| is_task(word));
                self.trailers.extend(tasks.map(|task| ("Task", task.to_uppercase())));
            }
        }
    }
}

impl FileGist {
    /// Whether another step is an edit of the same file, as of one that is partly staged.
    fn goes_on_in(&self, next: &Self) -> bool {
        self.place.text == next.place.text
            && next.status == Status::Modified
            && self.status != Status::Deleted
    }

    fn take(&mut self, next: Self) {
        self.mode_only &= next.mode_only;
        self.comments_only &= next.comments_only;
        self.formatting &= next.formatting;
        self.imports_only &= next.imports_only || !next.has_lines;
        self.has_lines |= next.has_lines;
        for fact in next.facts {
            if !self.facts.iter().any(|known| known.name == fact.name) {
                self.facts.push(fact);
            }
        }
    }
}

const FAULTS: &[&str] = &[
    "fix",
    "fixes",
    "fixed",
    "bug",
    "regression",
    "workaround",
    "crash",
    "crashes",
    "panic",
    "overflow",
    "leak",
    "deadlock",
    "race",
    "incorrect",
    "incorrectly",
    "wrong",
    "wrongly",
    "broken",
];

fn is_task(word: &str) -> bool {
    word.strip_prefix('t').is_some_and(|number| {
        (1..=6).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// `.context/00012.md` is note 00012.
fn note_number(path: &str) -> Option<String> {
    let number = path.strip_prefix(".context/")?.strip_suffix(".md")?;
    (number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| number.to_owned())
}

#[derive(Default)]
struct Facts<'a> {
    document: bool,
    contract: Option<&'a ContractFacts>,
    order: Vec<String>,
    sides: BTreeMap<String, (bool, bool)>,
    renamed: BTreeMap<String, String>,
    around: Vec<String>,
}

impl Facts<'_> {
    fn read(&mut self, changed: &[&Line<'_>]) {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for line in changed {
            let Some(name) = self.declared(line.content) else { continue };
            if !self.sides.contains_key(&name) {
                self.order.push(name.clone());
            }
            let sides = self.sides.entry(name.clone()).or_default();
            if line.kind == LineKind::Removed {
                sides.0 = true;
                old.push((name, line.content));
            } else {
                sides.1 = true;
                new.push((name, line.content));
            }
        }
        for ((old_name, old_line), (new_name, new_line)) in old.iter().zip(&new) {
            let text = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
            if old_name != new_name && text(old_line).replace(old_name, new_name) == text(new_line) {
                self.renamed.insert(new_name.clone(), old_name.clone());
            }
        }
    }

    /// Where nothing is declared on a changed line, the declaration around it is what changed.
    fn enclosing(&mut self, hunks: &[Hunk], hunk: &Hunk, changed: &[&Line<'_>]) {
        if changed.iter().any(|line| self.declared(line.content).is_some()) {
            return;
        }
        let around = crate::profile::surrounding(hunks, hunk);
        let near = around.before.iter().rev().find_map(|line| self.declared(line));
        let name = match self.holding(hunk) {
            // What stands just above may be inside of what holds both, a method of a class, or end before the change.
            Some((name, is_far)) => near.filter(|_| is_far).or(Some(name)),
            None => near.or_else(|| self.declared(around.section.trim_ascii())),
        };
        self.around.extend(name);
    }

    /// What contracts know to hold a hunk, and whether that begins above its context.
    fn holding(&self, hunk: &Hunk) -> Option<(String, bool)> {
        let contract = self.contract?;
        let sides = [(&contract.new, hunk.new), (&contract.old, hunk.old)];
        let found = sides.into_iter().filter(|(_, span)| span.lines > 0).find_map(|(side, span)| {
            let holding = side.around(span.start)?;
            Some((holding.name.clone(), holding.first_line + CONTEXT < span.start))
        });
        found.filter(|(name, _)| name != "default")
    }

    /// What is exported first, what is known to be private last.
    fn standing(&self, name: &str) -> u8 {
        let Some(contract) = self.contract else { return 1 };
        let known = contract.new.declares.iter().chain(&contract.old.declares).find(|it| it.name == name);
        known.map_or(1, |known| if known.exported { 0 } else { 2 })
    }

    fn declared(&self, line: &[u8]) -> Option<String> {
        let name = if self.document {
            words::heading(line)
        } else if words::is_import(line) {
            // What it names is declared elsewhere.
            None
        } else {
            words::declaration(line)
                .filter(|declared| declared.kind != DeclarationKind::Binding)
                .map(|declared| declared.name)
                .or_else(|| words::assigned(line))
        };
        name.map(|name| String::from_utf8_lossy(name).into_owned())
    }

    fn finish(self) -> Vec<Fact> {
        let gone: BTreeSet<&String> = self.renamed.values().collect();
        let mut facts: Vec<Fact> = Vec::new();
        for name in &self.order {
            let what = match self.sides.get(name).copied().unwrap_or_default() {
                _ if self.renamed.contains_key(name) => What::Renamed,
                _ if gone.contains(name) => continue,
                (true, true) => What::Changed,
                (true, false) => What::Removed,
                _ => What::Added,
            };
            facts.push(Fact { what, name: name.clone(), before: self.renamed.get(name).cloned() });
        }
        for name in &self.around {
            if !facts.iter().any(|fact| fact.name == *name) {
                facts.push(Fact { what: What::Changed, name: name.clone(), before: None });
            }
        }
        facts.sort_by_key(|fact| self.standing(&fact.name));
        facts
    }
}
