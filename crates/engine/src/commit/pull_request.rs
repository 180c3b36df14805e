//! `generate_pr`: the text of a pull request from planned commits or from commits that were made, and what the other
//! planes know of them. Every word of it can be the caller's own.

use std::{collections::BTreeSet, fmt};

use becket_commits::{
    Note, NoteStanding, PlannedCommit, PullRequest, PullRequestCommit, PullRequestError, Task, Template,
    Trailer, Wording, draft,
};
use becket_git::{
    GitError, ShowOptions,
    past::{PastContent, PastOptions, past_commits},
    resolve, show_commit,
};
use becket_project::{config, files};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    cut::Cut,
    desk::Desk,
    ledger::Ledger,
    place::Scope,
    propose::{self, chosen, description, unknown_commit},
};
use crate::{
    Engine, Error,
    remember::{Filter, ListRequest},
};

#[derive(Debug, Clone, Default)]
pub struct GeneratePrRequest {
    /// Planned commits, or ids of commits.
    pub commits: Vec<String>,
    /// All commits since here, besides.
    pub base: Option<String>,
    /// The caller's own words win.
    pub title: Option<String>,
    pub summary: Option<String>,
    pub body: Option<String>,
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PullRequestView {
    pub title: String,
    /// Markdown.
    pub description: String,
    pub commits: Vec<PullRequestRow>,
    pub scope: Scope,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PullRequestRow {
    /// As it was named: a planned commit or one of Git.
    pub id: String,
    pub title: String,
    pub description: String,
    pub change_group_ids: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_sha: Option<String>,
}

/// Templates and forms are short.
const LONGEST_TEMPLATE: u64 = 256 << 10;
/// Files whose entries are looked up.
const MOST_FILES: usize = 60;
/// Commits that a base may be behind.
const MOST_COMMITS: usize = 500;

/// Where hosts look for a form.
const FORMS: [&str; 6] = [
    ".github/PULL_REQUEST_TEMPLATE.md",
    ".github/pull_request_template.md",
    "PULL_REQUEST_TEMPLATE.md",
    "pull_request_template.md",
    "docs/PULL_REQUEST_TEMPLATE.md",
    "docs/pull_request_template.md",
];

/// A file at the root, and the command that runs the tests where it is.
const CHECKS: [(&str, &str); 6] = [
    ("Cargo.toml", "cargo test"),
    ("package.json", "npm test"),
    ("go.mod", "go test ./..."),
    ("pyproject.toml", "pytest"),
    ("pom.xml", "mvn test"),
    ("Makefile", "make test"),
];

impl Engine {
    pub fn generate_pr(&self, request: &GeneratePrRequest) -> Result<PullRequestView, Error> {
        let desk = self.desk(request.worktree.as_deref())?;
        let mut named = request.commits.clone();
        if let Some(base) = &request.base {
            named.extend(since(&desk, base)?);
        }
        if named.is_empty() {
            return Err(Error::invalid("no_commits", "At least one commit SHA is required")
                .with_hint("Name planned commits (`commit-1`) or ids of commits."));
        }
        let ledger = Ledger::read(&desk.write)?;
        let mut content = PullRequest::default();
        let mut rows = Vec::new();
        for name in &named {
            let (commit, row) = match ledger.plan_of(name) {
                Some((kept, planned)) => {
                    let cut = desk.recall(&kept.trees)?;
                    let sha = kept.progress(&desk.write)?.sha(name).map(str::to_owned);
                    of_plan(&cut, planned, sha)
                }
                None => of_git(&desk, name)?,
            };
            content.commits.push(commit);
            rows.push(row);
        }
        self.take_in_notes(&desk, &mut content);
        content.tasks =
            trailed(&content.commits, "Task").map(|id| Task { id, title: String::new() }).collect();
        let root = desk.git.dir().to_path_buf();
        let checks = CHECKS.iter().filter(|(file, _)| root.join(file).is_file());
        content.checks = checks.map(|(_, command)| (*command).to_owned()).collect();
        let wording = Wording {
            title: request.title.clone(),
            summary: request.summary.clone(),
            body: request.body.clone(),
        };
        let (template, form) = (self.template()?, form(&root));
        let template = match (&template, &form) {
            (Some(template), _) => Template::User(template),
            (None, Some(form)) => Template::Form(form),
            (None, None) => Template::BuiltIn,
        };
        let drafted = draft(&content, &wording, template).map_err(|error| match error {
            PullRequestError::NoCommits => {
                Error::invalid("no_commits", "At least one commit SHA is required")
            }
            PullRequestError::Template { .. } => Error::invalid("invalid_template", format!("{error}."))
                .with_hint("Correct the template that `commit.pr_template` names."),
        })?;
        Ok(PullRequestView {
            title: drafted.title,
            description: drafted.body,
            commits: rows,
            scope: desk.scope,
        })
    }

    /// The commits of the newest plan, for a caller who names none.
    pub fn planned_commit_ids(&self, worktree: Option<&str>) -> Result<Vec<String>, Error> {
        let desk = self.desk(worktree)?;
        let kept = chosen(&Ledger::read(&desk.write)?, None)?;
        Ok(kept.plan.commits.into_iter().map(|commit| commit.id).collect())
    }

    /// The user's own template.
    fn template(&self) -> Result<Option<String>, Error> {
        let Some(path) = self.settings.optional_text(config::COMMIT_PR_TEMPLATE) else { return Ok(None) };
        let admitted = self.sandbox()?.admit(path)?;
        let missing = || {
            Error::not_found("template_missing", format!("The template {path} is not there."))
                .with_hint("Correct commit.pr_template in becket.toml.")
        };
        let bytes = files::read(&admitted.root.join(admitted.relative.as_str()), LONGEST_TEMPLATE);
        let bytes = bytes.map_err(|error| missing().with_source(error))?.ok_or_else(missing)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Entries that the commits cite, and those that they make stale. A repository without entries has none.
    fn take_in_notes(&self, desk: &Desk, content: &mut PullRequest) {
        let cited: BTreeSet<String> = trailed(&content.commits, "Context").collect();
        for id in &cited {
            let title = self.context_get(id, desk.scope.worktree.as_deref()).map(|entry| entry.title);
            let title = title.unwrap_or_default();
            content.notes.push(Note { id: id.clone(), title, standing: NoteStanding::Cited });
        }
        let files: BTreeSet<&String> = content.commits.iter().flat_map(|commit| &commit.files).collect();
        let mut stale = BTreeSet::new();
        for file in files.into_iter().take(MOST_FILES) {
            let filter =
                Filter { state: Some("stale".to_owned()), path: Some(file.clone()), ..Filter::default() };
            let worktree = desk.scope.worktree.clone();
            let Ok(listed) = self.context_list(&ListRequest { filter, worktree, ..ListRequest::default() })
            else {
                break;
            };
            stale.extend(listed.entries.into_iter().map(|entry| (entry.reference, entry.title)));
        }
        let notes = stale.into_iter().filter(|(id, _)| !cited.contains(id));
        content.notes.extend(notes.map(|(id, title)| Note { id, title, standing: NoteStanding::Stale }));
    }
}

fn of_plan(cut: &Cut, planned: &PlannedCommit, sha: Option<String>) -> (PullRequestCommit, PullRequestRow) {
    let changes = cut.changes();
    let (mut added, mut removed) = (0, 0);
    for unit in planned.hunks.iter().filter_map(|id| cut.number(id)) {
        let unit = &cut.units[unit];
        match unit.hunk() {
            Some(hunk) => {
                added += hunk.new.lines;
                removed += hunk.old.lines;
            }
            None if unit.part == becket_commits::Part::File => {
                added += changes[unit.change].file.added;
                removed += changes[unit.change].file.removed;
            }
            None => {}
        }
    }
    let commit = PullRequestCommit {
        id: planned.id.clone(),
        title: planned.title.clone(),
        body: planned.body.clone(),
        trailers: planned.trailers.clone(),
        files: propose::files(cut, &planned.hunks),
        added,
        removed,
    };
    let row = PullRequestRow {
        id: planned.id.clone(),
        title: planned.title.clone(),
        description: description(planned),
        change_group_ids: planned.group_ids.clone(),
        commit_sha: sha,
    };
    (commit, row)
}

fn of_git(desk: &Desk, name: &str) -> Result<(PullRequestCommit, PullRequestRow), Error> {
    if name.starts_with("commit-") {
        return Err(unknown_commit(name));
    }
    if name.len() < 4 || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Error::invalid("invalid_sha", format!("Invalid commit SHA format: {name}"))
            .with_hint("Give at least four digits of a commit's id, or `commit-1` of a plan."));
    }
    let shown = show_commit(&desk.git, name, &ShowOptions::default()).map_err(|error| match error {
        GitError::UnknownRevision { .. } => {
            Error::not_found("unknown_revision", format!("Unknown commit SHA: {name}"))
                .with_hint("`log` names them.")
        }
        error => error.into(),
    })?;
    let (body, trailers) = split_trailers(&shown.commit.body);
    let sum = |count: fn(&becket_diff::FileChange) -> usize| shown.changes.iter().map(count).sum();
    let commit = PullRequestCommit {
        id: shown.commit.short_id.clone(),
        title: shown.commit.subject.clone(),
        body,
        trailers,
        files: shown.changes.iter().filter_map(|change| change.path().map(ToString::to_string)).collect(),
        added: sum(|change| change.added),
        removed: sum(|change| change.removed),
    };
    let row = PullRequestRow {
        id: name.to_owned(),
        title: shown.commit.subject,
        description: shown.commit.body,
        change_group_ids: Vec::new(),
        commit_sha: Some(shown.commit.id),
    };
    Ok((commit, row))
}

/// The ids of commits since a base, oldest first.
fn since(desk: &Desk, base: &str) -> Result<Vec<String>, Error> {
    let base = resolve(&desk.git, base)?;
    let tip = resolve(&desk.git, "HEAD")?;
    let mut ids = Vec::new();
    let options =
        PastOptions { since: Some(base), skip: 0, limit: MOST_COMMITS, content: PastContent::Paths };
    past_commits(&desk.git, &tip, &options, &mut |commit| ids.push(commit.id))?;
    ids.reverse();
    Ok(ids)
}

/// A last paragraph of nothing but `Key: value` lines.
fn split_trailers(message: &str) -> (String, Vec<Trailer>) {
    let message = message.trim_end();
    let (body, last) = message.rsplit_once("\n\n").unwrap_or(("", message));
    let trailer = |line: &str| {
        let (key, value) = line.split_once(": ")?;
        let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_key.then(|| Trailer { key: key.to_owned(), value: value.trim().to_owned() })
    };
    match last.lines().map(trailer).collect::<Option<Vec<_>>>() {
        Some(trailers) if !trailers.is_empty() => (body.to_owned(), trailers),
        _ => (message.to_owned(), Vec::new()),
    }
}

/// The values of one trailer in all commits, each once.
fn trailed(commits: &[PullRequestCommit], key: &str) -> impl Iterator<Item = String> {
    let all = commits.iter().flat_map(|commit| &commit.trailers).filter(|trailer| trailer.key == key);
    let values: BTreeSet<String> = all.map(|trailer| trailer.value.clone()).collect();
    values.into_iter()
}

fn form(root: &std::path::Path) -> Option<String> {
    let read = |name: &&str| files::read(&root.join(name), LONGEST_TEMPLATE).ok().flatten();
    FORMS.iter().find_map(read).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

impl fmt::Display for PullRequestView {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}\n\n{}", self.title, self.description.trim_end())
    }
}
