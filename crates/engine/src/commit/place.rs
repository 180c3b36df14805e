//! Which worktree a call speaks of, and what its path argument means there.

use std::path::{Path, PathBuf};

use becket_base::RepoPath;
use becket_diff::FilePath;
use becket_git::Git;
use becket_project::{AdmitError, Sandbox};
use schemars::JsonSchema;
use serde::Serialize;

use super::interrupted;
use crate::{
    Engine, Error,
    repository::{Repository, sentence},
    status::StatusRequest,
};

/// What an answer speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Scope {
    /// The worktree; absent in a bare repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Absent where HEAD is detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit; absent before the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
}

impl Scope {
    /// The same after the branch moved, if it did.
    pub(super) fn with_head(self, head: Option<String>) -> Self {
        Self { head: head.or(self.head), ..self }
    }
}

/// One worktree, and the path in it that the caller named.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) git: Git,
    pub(super) scope: Scope,
    pub(super) path: Option<FilePath>,
    /// An operation in the worktree that was not ended, in words.
    pub(super) unfinished: Option<interrupted::Found>,
}

impl Place {
    /// What an answer says beside what was asked.
    pub(super) fn notices(&self) -> Vec<String> {
        self.unfinished.iter().map(|found| found.sentence().to_owned()).collect()
    }
}

impl Engine {
    /// The worktree is the named one, else the one that holds the path, else the server's own.
    pub(super) fn commit_place(&self, worktree: Option<&str>, path: Option<&str>) -> Result<Place, Error> {
        let repository = self.repository().map_err(in_seed_words)?;
        let repository = repository.ok_or_else(not_a_repository)?;
        let sandbox = self.sandbox()?;
        let (root, path) = match (worktree, path) {
            (Some(name), path) => self.in_worktree(&sandbox, name, path)?,
            (None, Some(path)) => holding(&sandbox, path)?,
            (None, None) => (sandbox.workspace().root.clone(), None),
        };
        let path = path.map(|path| FilePath::new(path.as_str().as_bytes()));
        let unfinished = interrupted::find(&repository, &root);
        Ok(Place { git: Git::at(root.as_path()), scope: scope(&repository, &root), path, unfinished })
    }

    fn in_worktree(
        &self,
        sandbox: &Sandbox,
        name: &str,
        path: Option<&str>,
    ) -> Result<(PathBuf, Option<RepoPath>), Error> {
        let request = StatusRequest { worktree: Some(name.to_owned()), ..StatusRequest::default() };
        let chosen = self.status(&request)?.worktree;
        let root = chosen.map_or_else(|| sandbox.workspace().root.clone(), |tree| PathBuf::from(tree.path));
        let Some(path) = path else { return Ok((root, None)) };
        let workspace = sandbox.admit_root(&root)?;
        let admitted = sandbox.around(workspace).admit(path)?;
        if admitted.root == root {
            return Ok((root, Some(admitted.relative)));
        }
        let (path, name) = (becket_base::clip(path, 120), becket_base::clip(name, 120));
        Err(Error::invalid("path_outside_worktree", format!("`{path}` is not in the worktree `{name}`."))
            .with_hint("Leave out `worktree`, or name a path relative to its root."))
    }
}

/// The worktree that a path is in. Without worktrees a path can still name something in a commit.
fn holding(sandbox: &Sandbox, path: &str) -> Result<(PathBuf, Option<RepoPath>), Error> {
    match sandbox.admit(path) {
        Ok(admitted) => Ok((admitted.root, Some(admitted.relative))),
        Err(AdmitError::NoWorkTree { root }) => {
            let relative = RepoPath::parse(path).map_err(|error| {
                Error::denied("path_invalid", sentence(&error.to_string()))
                    .with_hint("Name it as it stands in the commit, relative to the root.")
            })?;
            Ok((root, Some(relative)))
        }
        Err(error) => Err(error.into()),
    }
}

fn scope(repository: &Repository, root: &Path) -> Scope {
    let known = repository.worktrees.iter().find(|worktree| worktree.path == root);
    let bare = known.is_none_or(|worktree| worktree.bare);
    Scope {
        worktree: (!bare).then(|| root.display().to_string()),
        branch: known.and_then(|worktree| worktree.branch.clone()),
        head: known.and_then(|worktree| worktree.head.clone()),
    }
}

/// Clients of Segmint compare these two sentences.
fn in_seed_words(error: Error) -> Error {
    match error.code() {
        "git_missing" => reworded(error, "git command not found. Please install git."),
        "not_a_repository" => not_a_repository(),
        _ => error,
    }
}

fn reworded(error: Error, message: &str) -> Error {
    let hint = error.hint().unwrap_or_default().to_owned();
    Error::new(error.kind(), error.code(), message).with_hint(hint).with_source(error)
}

fn not_a_repository() -> Error {
    Error::not_found("not_a_repository", "Not a git repository")
        .with_hint("Run `git init`, or start becket on a repository (--repo, BECKET_REPO).")
}

/// ` on main` and the like, for the first line of a text.
pub(super) fn on(scope: &Scope) -> String {
    let tree = scope.worktree.as_deref().unwrap_or("a bare repository");
    match (&scope.branch, &scope.head) {
        (Some(branch), _) => format!("{tree} on {branch}"),
        (None, Some(head)) => format!("{tree} on a detached HEAD at {}", head.get(..10).unwrap_or(head)),
        (None, None) => tree.to_owned(),
    }
}
