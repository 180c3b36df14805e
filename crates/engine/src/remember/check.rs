//! The lint: everything about a vault that is not as it should be, each with a stable code.

use std::{collections::BTreeMap, sync::Arc};

use becket_base::counted;
use becket_memory::{
    Entry, Vault, VaultError,
    entry::count_lines,
    screen::{flags, secrets},
    search::Document,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    desk::{Desk, FOLDER},
    freshness::Referrers,
    place::Scope,
    refs::{dangling, orphans},
    view::Freshness,
};
use crate::{Engine, Error, repository::sentence};

#[derive(Debug, Clone, Default)]
pub struct CheckRequest {
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    pub findings: Vec<Finding>,
    /// Entries that were checked.
    pub entries: usize,
    pub errors: usize,
    pub warnings: usize,
    pub notes: usize,
    /// What could not be looked at.
    pub notices: Vec<String>,
    pub scope: Scope,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Stable: `dangling-reference`, `stale-entry` …
    pub code: String,
    pub level: Level,
    pub message: String,
    /// Relative to the root of the workspace.
    pub file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Note,
    Warning,
    Error,
}

/// A rule of the lint, for listings and SARIF.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) code: &'static str,
    pub(super) level: Level,
    pub(super) description: &'static str,
}

macro_rules! rules {
    ($($name:ident: $code:literal, $level:ident, $description:literal;)*) => {
        $(const $name: &Rule = &Rule { code: $code, level: Level::$level, description: $description };)*
        pub(super) const RULES: &[&Rule] = &[$($name),*];
    };
}

rules! {
    MALFORMED_CONFIG: "malformed-config", Error, "`.context/config.json` is missing, not JSON, or has a wrong value.";
    DANGLING: "dangling-reference", Error, "Code refers to an entry that does not exist.";
    DUPLICATE: "duplicate-number", Error, "Two entries have one number, here or on another branch.";
    ALTERED: "altered-entry", Error, "An entry is no longer what was written.";
    OVER_LONG: "over-long-entry", Error, "An entry has more lines or bytes than the configuration allows.";
    NOT_UTF8: "not-utf8", Error, "An entry is not UTF-8.";
    UNREADABLE: "unreadable-entry", Error, "Something with the name of an entry is a folder, a link or cannot be read.";
    SECRET: "secret-in-entry", Error, "An entry has something that looks like a key, a token or a password.";
    STALE: "stale-entry", Warning, "Code that an entry explains has changed or is gone.";
    DECEPTIVE: "deceptive-text", Warning, "An entry has invisible characters, or orders for an agent.";
    MALFORMED_LOG: "malformed-log", Warning, "A line of `.context/log.jsonl` cannot be read.";
    BROKEN_LINK: "broken-link", Warning, "An entry supersedes or relates to one that does not exist.";
    ORPHAN: "orphan-entry", Note, "An entry cites nothing, and nothing refers to it.";
    STRAY: "stray-file", Note, "A file in `.context/` is no entry.";
}

impl Engine {
    /// Checks the vault. What is wrong with it is a finding; an error means that it could not be checked.
    pub fn context_check(&self, request: &CheckRequest) -> Result<CheckReport, Error> {
        let place = self.place(request.worktree.as_deref())?;
        let broken = Vault::open(&place.root, &place.state)?.config().err();
        let mut findings = Findings::default();
        if let Some(error) = broken {
            if let error @ VaultError::Read { .. } = error {
                return Err(error.into());
            }
            let line = match &error {
                VaultError::Config(
                    becket_memory::ConfigError::Malformed { line, .. }
                    | becket_memory::ConfigError::Key { line, .. },
                ) => Some(*line),
                _ => None,
            };
            let message = sentence(&error.to_string());
            let message = if line.is_some() { message } else { Error::from(error).message().to_owned() };
            findings.add(MALFORMED_CONFIG, message, format!("{FOLDER}/config.json"), line, None);
            // Without names and limits nothing else can be told.
            return Ok(findings.into_report(0, Vec::new(), place.scope()));
        }
        self.at_desk(request.worktree.as_deref(), |desk| check(desk, findings))
    }
}

fn check(desk: &mut Desk<'_>, mut findings: Findings) -> Result<CheckReport, Error> {
    desk.read_entries()?;
    desk.read_references();
    let referrers = desk.referrers();
    let documents: Vec<Arc<Document>> = desk.documents().to_vec();
    for document in &documents {
        check_text(desk, document, &mut findings);
        check_state(desk, document, &referrers, &mut findings);
    }
    for one in desk.view.corpus.skipped() {
        let rule = if one.reason.ends_with("UTF-8") { NOT_UTF8 } else { UNREADABLE };
        findings.add(
            rule,
            sentence(&one.reason),
            path(&one.listed.file),
            None,
            Some(one.listed.reference.clone()),
        );
    }
    for one in dangling(desk, &referrers, |_, _| true) {
        let message = format!("There is no entry {}.", one.reference);
        findings.add(DANGLING, message, one.file, Some(one.line), Some(one.reference));
    }
    for row in orphans(desk, &referrers) {
        let message = format!("Nothing refers to {} ({}), and it cites nothing.", row.reference, row.title);
        findings.add(ORPHAN, message, path(&row.file), None, Some(row.reference));
    }
    for stray in &desk.listing.strays {
        findings.add(STRAY, format!("{} is no entry.", stray.file), path(&stray.file), None, None);
    }
    for line in &desk.log().malformed {
        findings.add(
            MALFORMED_LOG,
            "This line is not an event.".to_owned(),
            path("log.jsonl"),
            Some(*line),
            None,
        );
    }
    let mut notices = Vec::new();
    duplicates(desk, &mut findings);
    other_branches(desk, &mut findings, &mut notices)?;
    desk.store_origins();
    Ok(findings.into_report(documents.len(), notices, desk.place.scope()))
}

fn path(file: &str) -> String {
    format!("{FOLDER}/{file}")
}

fn check_text(desk: &Desk<'_>, document: &Document, findings: &mut Findings) {
    let entry = Entry::parse(&document.text);
    let mut add = |rule, message, line: Option<usize>| {
        findings.add(rule, message, path(&document.file), line, Some(document.reference.clone()));
    };
    let (lines, most) = (count_lines(entry.body), desk.config.max_lines);
    if lines > most {
        add(
            OVER_LONG,
            format!("It has {}; maxLines is {most}.", counted(lines, "line")),
            Some(entry.front_lines + most + 1),
        );
    }
    let (bytes, most) = (document.text.len(), desk.config.max_bytes);
    if bytes > most {
        add(OVER_LONG, format!("It has {}; the limit is {most}.", counted(bytes, "byte")), None);
    }
    for secret in secrets(&document.text) {
        add(SECRET, format!("This looks like {}.", secret.kind), Some(secret.line));
    }
    for flag in flags(&document.text) {
        let what = flag.kind.as_str().replace('_', " ");
        add(DECEPTIVE, format!("A reader may be deceived by this {what}: {}", flag.detail), Some(flag.line));
    }
    for number in document.front.supersedes.iter().chain(&document.front.relates) {
        let meant = desk.meant(document, *number);
        if desk.listing.numbered(meant).is_empty() {
            add(
                BROKEN_LINK,
                format!("It names {}, which does not exist.", desk.config.format_ref(meant)),
                None,
            );
        }
    }
}

fn check_state(desk: &mut Desk<'_>, document: &Document, referrers: &Referrers, findings: &mut Findings) {
    let reference = Some(document.reference.clone());
    let by = |by: &Option<super::view::CommitView>| {
        by.as_ref().map_or(String::new(), |by| {
            format!(", by {} ({})", by.commit.get(..10).unwrap_or(&by.commit), by.subject)
        })
    };
    if let Some(altered) = desk.altered(document) {
        let how = match (&altered.by, altered.witness.as_str()) {
            (Some(_), _) => by(&altered.by),
            (None, "log") => ", as its recorded digest says".to_owned(),
            (None, _) => ", and that is not committed".to_owned(),
        };
        findings.add(
            ALTERED,
            format!("It was altered after it was written{how}."),
            path(&document.file),
            None,
            reference.clone(),
        );
    }
    // Whoever reads a superseded entry is led to the one that holds, so its age harms nobody.
    if desk.successor(document).is_some() {
        return;
    }
    let judged = desk.judge(document, referrers);
    for view in judged.anchors.iter().filter(|view| view.state.is_stale()) {
        let what = if view.state == Freshness::Gone { "is gone" } else { "has changed" };
        let message = format!("{} {what}{}.", view.anchor, by(&view.by));
        findings.add(STALE, message, path(&document.file), None, reference.clone());
    }
    for view in judged.references.iter().filter(|view| view.state.is_stale()) {
        let what = view.declaration.as_deref().unwrap_or("the code around this reference");
        let message =
            format!("{what} has changed since {} was referred to{}.", document.reference, by(&view.by));
        findings.add(STALE, message, view.file.clone(), Some(view.line), reference.clone());
    }
}

/// Two files of one number in this folder.
fn duplicates(desk: &Desk<'_>, findings: &mut Findings) {
    let mut by_number: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for entry in &desk.listing.entries {
        by_number.entry(entry.number).or_default().push(&entry.file);
    }
    for (number, files) in by_number.iter().filter(|(_, files)| files.len() > 1) {
        let reference = desk.config.format_ref(*number);
        for file in files {
            let message = format!(
                "{} have the number {reference}. `becket note renumber {file}` moves this one.",
                files.join(" and ")
            );
            findings.add(DUPLICATE, message, path(file), None, Some(reference.clone()));
        }
    }
}

/// Other branches that gave a number of ours to another text.
fn other_branches(
    desk: &mut Desk<'_>,
    findings: &mut Findings,
    notices: &mut Vec<String>,
) -> Result<(), Error> {
    for (file, _) in desk.unmerged()? {
        let message = "Two branches took this number, and the merge could not join them. `becket note renumber` keeps both.";
        findings.add(DUPLICATE, message.to_owned(), path(&file), None, None);
    }
    let (clashes, more) = desk.clashes()?;
    if more {
        notices.push("Only the 200 branches that were last committed to were compared.".to_owned());
    }
    for clash in clashes {
        let message = format!(
            "The branch {} gave the number {} to another entry. `becket note renumber {}` moves this one.",
            clash.branch, clash.reference, clash.file
        );
        findings.add(DUPLICATE, message, path(&clash.file), None, Some(clash.reference));
    }
    Ok(())
}

#[derive(Debug, Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(
        &mut self,
        rule: &Rule,
        message: String,
        file: String,
        line: Option<usize>,
        reference: Option<String>,
    ) {
        self.0.push(Finding {
            code: rule.code.to_owned(),
            level: rule.level,
            message,
            file,
            line,
            reference,
        });
    }

    fn into_report(mut self, entries: usize, notices: Vec<String>, scope: Scope) -> CheckReport {
        self.0.sort_by(|left, right| {
            (&left.file, left.line, &left.code, &left.message).cmp(&(
                &right.file,
                right.line,
                &right.code,
                &right.message,
            ))
        });
        let count = |level| self.0.iter().filter(|finding| finding.level == level).count();
        CheckReport {
            entries,
            errors: count(Level::Error),
            warnings: count(Level::Warning),
            notes: count(Level::Note),
            findings: self.0,
            notices,
            scope,
        }
    }
}

impl Level {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
