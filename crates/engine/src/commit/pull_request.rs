//! `generate_pr`: the text of a pull request from planned commits or from commits that were made, and what the other
//! planes know of them. Every word of it can be the caller's own.

use std::{collections::BTreeSet, fmt, path::Path};

use becket_commits::{
    ContractChange, Note, NoteStanding, PlannedCommit, PullRequest, PullRequestCommit, PullRequestError,
    Task, Template, Trailer, Wording, draft,
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
    effects::{ContractChangeView, StaleNoteView},
    ledger::{KeptPlan, Ledger},
    place::Scope,
    propose::{self, chosen, description, unknown_commit},
    significance::Made,
};
use crate::{Engine, Error};

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
    /// What the files promise otherwise than before, breaking changes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contract_changes: Vec<ContractChangeView>,
    /// Notes that speak of what the commits change, and may no longer be true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale_notes: Vec<StaleNoteView>,
    /// Tasks that the commits name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskView>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    pub scope: Scope,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskView {
    pub id: String,
    /// Empty for a task that the worktree's `spec.yaml` does not have.
    pub title: String,
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
/// Contract changes of an answer; the text tells how many more there are.
const MOST_CHANGES: usize = 40;
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
const CHECKS: [(&str, &str); 5] = [
    ("Cargo.toml", "cargo test"),
    ("go.mod", "go test ./..."),
    ("pyproject.toml", "pytest"),
    ("pom.xml", "mvn test"),
    ("Makefile", "make test"),
];

/// A lock file, and whose it is.
const RUNNERS: [(&str, &str); 4] =
    [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun")];

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
        let mut made: Vec<Made> = Vec::new();
        let mut planned: Vec<(KeptPlan, Vec<String>)> = Vec::new();
        for name in &named {
            let (commit, row) = if let Some((kept, commit)) = ledger.plan_of(name) {
                let sha = kept.progress(&desk.write)?.sha(name).map(str::to_owned);
                match (&sha, planned.iter_mut().find(|(known, _)| known.id == kept.id)) {
                    (Some(sha), _) => made.push(Made::of(&desk, sha)?),
                    (None, Some((_, commits))) => commits.push(commit.id.clone()),
                    (None, None) => planned.push((kept.clone(), vec![commit.id.clone()])),
                }
                of_plan(&desk.recall(&kept.trees)?, commit, sha)
            } else {
                let (commit, row, one) = of_git(&desk, name)?;
                made.push(one);
                (commit, row)
            };
            content.commits.push(commit);
            rows.push(row);
        }
        let significance = self.significance(&desk, &made, &planned);
        content.contracts = significance.contracts.iter().map(contract_change).collect();
        self.take_in_notes(&desk, &significance.stale_notes, &mut content);
        let titles = self.task_titles(desk.scope.worktree.as_deref());
        content.tasks = trailed(&content.commits, "Task")
            .map(|id| Task { title: titles.get(&id).cloned().unwrap_or_default(), id })
            .collect();
        let root = desk.git.dir().to_path_buf();
        content.checks = checks(&root);
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
                    .with_hint("Name planned commits (`commit-1`) or ids of commits.")
            }
            PullRequestError::Template { .. } => Error::invalid("invalid_template", format!("{error}."))
                .with_hint("Correct the template that `commit.pr_template` names."),
        })?;
        let mut contract_changes = significance.contracts;
        contract_changes.truncate(MOST_CHANGES);
        Ok(PullRequestView {
            title: drafted.title,
            description: drafted.body,
            commits: rows,
            contract_changes,
            stale_notes: significance.stale_notes,
            tasks: content
                .tasks
                .into_iter()
                .map(|task| TaskView { id: task.id, title: task.title })
                .collect(),
            notices: desk.notices.into_iter().chain(significance.notices).collect(),
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

    /// Entries that the commits cite, and those that they make stale.
    fn take_in_notes(&self, desk: &Desk, stale: &[StaleNoteView], content: &mut PullRequest) {
        let cited: BTreeSet<String> = trailed(&content.commits, "Context").collect();
        // One that goes stale is told as that, which is work.
        for id in cited.iter().filter(|id| !stale.iter().any(|note| note.reference == **id)) {
            let title = self.context_get(id, desk.scope.worktree.as_deref()).map(|entry| entry.title);
            let title = title.unwrap_or_default();
            content.notes.push(Note { id: id.clone(), title, standing: NoteStanding::Cited });
        }
        content.notes.extend(stale.iter().map(|note| Note {
            id: note.reference.clone(),
            title: format!("{} ({})", note.title, note.places.join(", ")),
            standing: NoteStanding::Stale,
        }));
    }
}

fn contract_change(change: &ContractChangeView) -> ContractChange {
    ContractChange {
        path: change.file.clone(),
        name: change.name.clone(),
        summary: change.reason.clone(),
        breaking: change.breaking,
        before: change.before.clone(),
        after: change.after.clone(),
        consumers: change.used_by.clone(),
    }
}

/// How the repository's own files say that it is tested.
fn checks(root: &Path) -> Vec<String> {
    let there = |name: &str| root.join(name).is_file();
    let mut checks: Vec<String> =
        CHECKS.iter().filter(|(file, _)| there(file)).map(|(_, command)| (*command).to_owned()).collect();
    let manifest = files::read(&root.join("package.json"), LONGEST_TEMPLATE).ok().flatten();
    let manifest = manifest.and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
    let scripts = manifest.as_ref().and_then(|manifest| manifest.get("scripts"));
    if scripts.is_some_and(|scripts| scripts.get("test").is_some()) {
        let runner = RUNNERS.iter().find(|(lock, _)| there(lock)).map_or("npm", |(_, runner)| runner);
        checks.push(format!("{runner} test"));
    }
    checks
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
        id: sha.clone().unwrap_or_else(|| planned.id.clone()),
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

fn of_git(desk: &Desk, name: &str) -> Result<(PullRequestCommit, PullRequestRow, Made), Error> {
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
        id: shown.commit.id.clone(),
        title: shown.commit.subject.clone(),
        body,
        trailers,
        files: shown.changes.iter().filter_map(|change| change.path().map(ToString::to_string)).collect(),
        added: sum(|change| change.added),
        removed: sum(|change| change.removed),
    };
    let made = Made { id: shown.commit.id.clone(), parent: shown.commit.parents.first().cloned() };
    let row = PullRequestRow {
        id: name.to_owned(),
        title: shown.commit.subject,
        description: shown.commit.body,
        change_group_ids: Vec::new(),
        commit_sha: Some(shown.commit.id),
    };
    Ok((commit, row, made))
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

fn form(root: &Path) -> Option<String> {
    let read = |name: &&str| files::read(&root.join(name), LONGEST_TEMPLATE).ok().flatten();
    FORMS.iter().find_map(read).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

impl fmt::Display for PullRequestView {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}\n\n{}", self.title, self.description.trim_end())
    }
}
