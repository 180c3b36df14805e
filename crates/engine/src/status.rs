//! "Where am I?": the repository, worktree and branch that calls speak of, the planes, what is wrong, what to call next.

use std::{fmt, path::Path};

use becket_git::Worktree as GitWorktree;
use becket_project::{AdmitError, Sandbox, Workspace, WorkspaceKind, files};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Engine, Error, commit::interrupted_operations, repository::Repository, settings::Problem};

/// What the caller wants to know.
#[derive(Debug, Clone, Default)]
pub struct StatusRequest {
    /// Another repository inside an allowed path; the server's own if left out.
    pub repo: Option<String>,
    /// A path, a folder's name or a branch; the server's own worktree if left out.
    pub worktree: Option<String>,
}

/// The answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The folder that calls speak of, and what it is to Git.
    pub repository: RepositoryStatus,
    /// The worktree that this answer speaks of; absent outside Git and in a bare repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<WorktreeStatus>,
    /// Every worktree of the clone, sorted by path.
    pub worktrees: Vec<WorktreeStatus>,
    /// The four planes: which are there, how fresh each is.
    pub planes: Vec<PlaneStatus>,
    /// Where tasks, leases, messages and events live.
    pub store: StoreStatus,
    /// Settings files that cannot be used as they are (defaults stand in for them), and commits that were interrupted.
    pub problems: Vec<Problem>,
    /// Settings that are accepted and have no effect.
    pub notices: Vec<String>,
    pub versions: Versions,
    /// Calls that make sense now.
    pub next: Vec<NextCall>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RepositoryStatus {
    pub root: String,
    /// `repository`, `linked_worktree`, `submodule`, `bare` or `plain` (outside Git).
    pub kind: String,
    /// Shared by all worktrees; absent outside Git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common_dir: Option<String>,
    /// The repository that has this one as a submodule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superproject: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorktreeStatus {
    pub path: String,
    /// Absent when HEAD is detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit; absent before the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    pub detached: bool,
    /// Whether it is the worktree that the clone was made with.
    pub main: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<String>,
    /// Why it may be pruned: usually its folder is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prunable: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaneStatus {
    pub name: String,
    /// Whether this build has the plane.
    pub available: bool,
    /// How fresh its answers are, in words.
    pub freshness: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoreStatus {
    /// none, sqlite or postgres.
    pub kind: String,
    pub detail: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Versions {
    pub becket: String,
    /// Absent where there is no git program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NextCall {
    /// A tool or a command.
    pub call: String,
    pub why: String,
}

impl Engine {
    /// Never fails for a broken set-up: that is what it is asked about. Fails for a worktree that is not ours.
    pub fn status(&self, request: &StatusRequest) -> Result<Status, Error> {
        let workspace = &self.workspace_named(request.repo.as_deref())?;
        let (repository, mut problems) = match self.repository_of(workspace) {
            Ok(repository) => (repository, Vec::new()),
            // Without git the rest can still be said.
            Err(error) => (None, vec![Problem::from(&error)]),
        };
        problems.extend(self.problems.iter().cloned());
        problems.extend(repository.iter().flat_map(|found| interrupted_operations(found)));
        let worktrees: Vec<WorktreeStatus> =
            repository.iter().flat_map(|found| describe_all(found)).collect();
        let worktree = match &request.worktree {
            Some(name) => Some(choose(&worktrees, name, &self.sandbox()?.around(workspace.clone()))?),
            None => worktrees.iter().find(|worktree| Path::new(&worktree.path) == workspace.root).cloned(),
        };
        Ok(Status {
            repository: RepositoryStatus {
                root: workspace.root.display().to_string(),
                kind: kind_name(workspace.kind).to_owned(),
                common_dir: workspace.common_dir.as_ref().map(|path| path.display().to_string()),
                superproject: repository
                    .as_ref()
                    .and_then(|found| found.location.superproject.as_ref())
                    .map(|path| path.display().to_string()),
            },
            worktree,
            worktrees,
            planes: planes(workspace),
            store: self.store_status(workspace),
            next: next_calls(workspace, &problems),
            problems,
            notices: self.notices.clone(),
            versions: Versions { becket: env!("CARGO_PKG_VERSION").to_owned(), git: self.git_version() },
        })
    }

    /// Where the store is or would be; it is not opened for that.
    fn store_status(&self, workspace: &Workspace) -> StoreStatus {
        let address = self.settings.optional_text(becket_project::config::STORE_URL);
        let (kind, detail) = match address {
            None if self.store_is_sound().is_err() => (
                "none",
                "The settings name a store that becket does not use; `problems` says why.".to_owned(),
            ),
            Some(address) if address.starts_with("postgres") => {
                ("postgres", crate::settings::without_password(address))
            }
            Some(path) => ("sqlite", path.to_owned()),
            None if has_tasks(workspace) => (
                "sqlite",
                ".lodestar/runtime.sqlite of the main worktree, shared by all worktrees".to_owned(),
            ),
            None => ("none", "There is no .lodestar/ here.".to_owned()),
        };
        StoreStatus { kind: kind.to_owned(), detail }
    }

    /// The worktrees of the clone, for completion.
    pub fn worktree_paths(&self) -> Vec<String> {
        let repository = self.repository().ok().flatten();
        repository
            .iter()
            .flat_map(|found| &found.worktrees)
            .map(|worktree| worktree.path.display().to_string())
            .collect()
    }
}

/// What each plane is in this build, and how fresh its answers are in this workspace.
fn planes(workspace: &Workspace) -> Vec<PlaneStatus> {
    let remember = if has_entries(workspace) {
        "entries in .context/ are read from the disk on every call, each with its state against today's code"
    } else {
        "no .context/ here yet: `becket note init` makes it"
    };
    let coordinate = if has_tasks(workspace) {
        "tasks in .lodestar/spec.yaml and the store, read on every call"
    } else {
        "no .lodestar/ here yet: `becket task init` makes it"
    };
    [
        (
            "understand".to_owned(),
            true,
            "contracts are made from the files as they are on every call; only what changed is read again"
                .to_owned(),
        ),
        ("remember".to_owned(), true, remember.to_owned()),
        ("coordinate".to_owned(), true, coordinate.to_owned()),
        (
            "commit".to_owned(),
            true,
            "groups what is not committed, plans and makes commits, takes them back, drafts the PR"
                .to_owned(),
        ),
    ]
    .into_iter()
    .map(|(name, available, freshness)| PlaneStatus { name, available, freshness })
    .collect()
}

fn has_entries(workspace: &Workspace) -> bool {
    let config = workspace.root.join(".context").join("config.json");
    // Too large or not a file: it is there, and the plane's own calls say what is wrong with it.
    !matches!(files::read(&config, 1 << 20), Ok(None))
}

fn has_tasks(workspace: &Workspace) -> bool {
    !matches!(files::read(&workspace.root.join(".lodestar").join("spec.yaml"), 0), Ok(None))
}

fn next_calls(workspace: &Workspace, problems: &[Problem]) -> Vec<NextCall> {
    let mut next = Vec::new();
    if !problems.is_empty() {
        next.push((
            "becket doctor",
            "Something in the set-up is broken; it says what, and the command that mends it.",
        ));
    }
    next.push((
        "logicstamp_refresh_snapshot",
        "Before an edit: what the code promises; logicstamp_compare_snapshot then says what the edit broke.",
    ));
    if has_entries(workspace) {
        next.push(("context_search", "Before a change: was the reason for today's code written down?"));
        next.push(("context_refs", "Which entries explain the file that you are about to change?"));
        next.push(("context_create", "After a decision: write down why, so that nobody undoes it."));
    } else {
        next.push((
            "becket note init",
            "Makes the place for decisions, so that the next agent does not undo them.",
        ));
    }
    if has_tasks(workspace) {
        next.push(("lodestar_agent_join", "Several agents work here: join, then lodestar_task_claim_next."));
    }
    let owned = |(call, why): (&str, &str)| NextCall { call: call.to_owned(), why: why.to_owned() };
    next.into_iter().map(owned).collect()
}

fn describe_all(repository: &Repository) -> Vec<WorktreeStatus> {
    let main = repository.location.main_worktree.as_deref();
    // A bare repository is in Git's list too, and is no worktree.
    repository
        .worktrees
        .iter()
        .filter(|worktree| !worktree.bare)
        .map(|worktree| describe(worktree, main))
        .collect()
}

fn describe(worktree: &GitWorktree, main: Option<&Path>) -> WorktreeStatus {
    WorktreeStatus {
        path: worktree.path.display().to_string(),
        branch: worktree.branch.clone(),
        head: worktree.head.clone(),
        detached: worktree.detached,
        main: main == Some(worktree.path.as_path()),
        locked: worktree.locked.clone(),
        prunable: worktree.prunable.clone(),
    }
}

/// By branch or folder name, else by path; a path is admitted before anything is said about it.
fn choose(worktrees: &[WorktreeStatus], name: &str, sandbox: &Sandbox) -> Result<WorktreeStatus, Error> {
    let named = |worktree: &&WorktreeStatus| {
        worktree.branch.as_deref() == Some(name)
            || Path::new(&worktree.path).file_name().is_some_and(|folder| folder == name)
    };
    let mut found = worktrees.iter().filter(named);
    match (found.next(), found.next()) {
        (Some(worktree), None) => return Ok(worktree.clone()),
        (Some(_), Some(_)) => {
            return Err(Error::invalid(
                "worktree_ambiguous",
                format!("Several worktrees are called `{name}`."),
            )
            .with_hint("Give its path."));
        }
        (None, _) => {}
    }
    let root = match sandbox.admit_root(name) {
        Ok(workspace) => Some(workspace.root),
        // Inside, and not there: not a matter of the sandbox.
        Err(AdmitError::Root { .. } | AdmitError::Unreadable { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let found = worktrees.iter().find(|worktree| root.as_deref() == Some(Path::new(&worktree.path)));
    found.cloned().ok_or_else(|| {
        let name = becket_base::clip(name, 120);
        Error::not_found("unknown_worktree", format!("There is no worktree `{name}` in this repository."))
            .with_hint("becket_status without arguments lists the worktrees.")
    })
}

fn kind_name(kind: WorkspaceKind) -> &'static str {
    match kind {
        WorkspaceKind::Repository => "repository",
        WorkspaceKind::LinkedWorktree => "linked_worktree",
        WorkspaceKind::Submodule => "submodule",
        WorkspaceKind::Bare => "bare",
        WorkspaceKind::Plain => "plain",
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{} ({})", self.repository.root, self.repository.kind.replace('_', " "))?;
        match &self.worktree {
            Some(worktree) => writeln!(formatter, "worktree  {} on {}", worktree.path, place(worktree))?,
            None => writeln!(formatter, "worktree  none")?,
        }
        let others = self.worktrees.len().saturating_sub(1);
        if others > 0 {
            writeln!(formatter, "          and {others} more of this clone")?;
        }
        for plane in &self.planes {
            let mark = if plane.available { "+" } else { "-" };
            writeln!(formatter, "{mark} {:<10} {}", plane.name, plane.freshness)?;
        }
        for problem in &self.problems {
            writeln!(formatter, "! {}", problem.message)?;
        }
        for next in &self.next {
            writeln!(formatter, "next: {}: {}", next.call, next.why)?;
        }
        Ok(())
    }
}

fn place(worktree: &WorktreeStatus) -> String {
    let commit = worktree.head.as_deref().map(|head| head.get(..10).unwrap_or(head));
    match (&worktree.branch, commit) {
        (Some(branch), Some(commit)) => format!("{branch} at {commit}"),
        (Some(branch), None) => format!("{branch}, before its first commit"),
        (None, Some(commit)) => format!("a detached HEAD at {commit}"),
        (None, None) => "no commit".to_owned(),
    }
}
