//! Which folder becket works on, found by reading a handful of small files: no process is started, so that start-up
//! costs nothing. It owns the meaning of "root"; what may be touched inside is `admit`'s.

mod git_config;
pub(crate) mod git_dir;

use std::io;
use std::path::{Path, PathBuf};

use becket_fence::cache;
pub use git_dir::{CheckedOut, GitFileError};
use git_dir::{GitDir, found, read_git_file};

use crate::canonical::canonical;
use crate::environment::Environment;
use crate::shown::shown_path;

/// A variable that names the root, in the order in which they are asked.
#[derive(Debug, Clone, Copy)]
pub struct RootVariable {
    pub name: &'static str,
    pub doc: &'static str,
}

pub const ROOT_VARIABLES: &[RootVariable] = &[
    RootVariable { name: "BECKET_REPO", doc: "The folder to work on, when `--repo` is not given." },
    RootVariable { name: "PROJECT_PATH", doc: "The same, under the name that logicstamp-mcp has for it." },
];

/// The folder that becket works on. All paths are canonical.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// The top of the work tree; for a bare repository the Git directory itself.
    pub root: PathBuf,
    pub kind: WorkspaceKind,
    /// Where the search began: `root` or a folder inside it (or inside its Git directory).
    pub start: PathBuf,
    pub git_dir: Option<PathBuf>,
    /// The Git directory that all worktrees of the clone share.
    pub common_dir: Option<PathBuf>,
    /// The worktree whose files speak for the whole clone; unknown when the clone is bare or keeps its Git directory
    /// apart.
    pub main_root: Option<PathBuf>,
    /// Where becket keeps what can be rebuilt. It may not exist yet.
    pub cache_dir: PathBuf,
}

impl Workspace {
    /// What is checked out, without asking Git.
    pub fn checked_out(&self) -> CheckedOut {
        self.git_dir.as_deref().map_or(CheckedOut::Detached, git_dir::checked_out)
    }

    /// Whether it is still where it was found: a repository is moved or removed while a process works on it.
    pub fn still_there(&self) -> Result<(), RootError> {
        let folders = [Some(&self.root), self.git_dir.as_ref(), self.common_dir.as_ref()];
        let gone = folders.into_iter().flatten().find(|folder| !folder.is_dir());
        gone.map_or(Ok(()), |path| Err(RootError::Missing { path: path.clone() }))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceKind {
    Repository,
    LinkedWorktree,
    Submodule,
    Bare,
    /// Not under Git.
    Plain,
}

#[derive(Debug, thiserror::Error)]
pub enum RootError {
    #[error("{} does not exist", shown_path(path))]
    Missing { path: PathBuf },
    #[error("{} is not a folder", shown_path(path))]
    NotAFolder { path: PathBuf },
    #[error("{} cannot be read", shown_path(path))]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} cannot be understood: {source}", shown_path(path))]
    BrokenGitFile { path: PathBuf, source: GitFileError },
    #[error("{} leads to {}, which is not a Git directory", shown_path(path), shown_path(target))]
    LostGitDir { path: PathBuf, target: PathBuf },
    #[error(transparent)]
    CacheElsewhere(becket_fence::Refused),
    #[error("the current directory cannot be read; it may have been removed")]
    NoCurrentDirectory,
    /// Answers, settings and host files are text, and could only name another folder.
    #[error("the path {} is not Unicode text", shown_path(path))]
    NotUnicode { path: PathBuf },
    /// `by` is the flag or the variable that asked for this root.
    #[error("{by}: {source}")]
    Chosen { by: &'static str, source: Box<RootError> },
}

/// The workspace that the user means: `explicit` (the `--repo` flag), else a variable, else the current directory.
pub fn locate(explicit: Option<&Path>, environment: &Environment) -> Result<Workspace, RootError> {
    let flag = explicit.map(|path| ("--repo", environment.current_dir.join(path)));
    let chosen = flag.or_else(|| {
        ROOT_VARIABLES.iter().find_map(|RootVariable { name, .. }| {
            Some((*name, environment.resolve(environment.variable(name)?)))
        })
    });
    let found = |path: &Path| {
        if path.is_relative() && !environment.has_current_dir() {
            return Err(RootError::NoCurrentDirectory);
        }
        discover(path)
    };
    match chosen {
        Some((by, path)) => found(&path).map_err(|source| RootError::Chosen { by, source: Box::new(source) }),
        None => found(&environment.current_dir),
    }
}

/// The workspace that holds the folder `start`: the nearest Git repository at or above it; else the nearest folder at
/// or above it with a `becket.toml`; else `start` itself.
pub fn discover(start: &Path) -> Result<Workspace, RootError> {
    let workspace = search(start)?;
    let folders = [Some(&workspace.root), workspace.git_dir.as_ref(), workspace.common_dir.as_ref()];
    let unnameable = folders.into_iter().flatten().find(|folder| folder.to_str().is_none()).cloned();
    match unnameable {
        Some(path) => Err(RootError::NotUnicode { path }),
        None => Ok(workspace),
    }
}

fn search(start: &Path) -> Result<Workspace, RootError> {
    let start = existing_folder(start)?;
    for folder in start.ancestors() {
        if let Some(git_dir) = git_dir_at(folder)? {
            // Inside the remains of a linked worktree that is gone, the clone that it belonged to is meant.
            let remains = folder == git_dir.path && git_dir.is_linked() && git_dir.work_tree().is_none();
            if !remains {
                return Workspace::under_git(&start, folder, &git_dir);
            }
        }
    }
    let marked = start.ancestors().find(|folder| folder.join(crate::config::BECKET_TOML).is_file());
    let root = marked.unwrap_or(&start).to_owned();
    let cache_dir = root.join(cache::IN_PROJECT);
    // Unlike a Git directory, this one comes along when a folder is unpacked.
    let placed = becket_fence::place(&root, &cache_dir);
    if let Some(refused) = placed.as_ref().err().and_then(becket_fence::Refused::of) {
        return Err(RootError::CacheElsewhere(refused.clone()));
    }
    Ok(Workspace {
        kind: WorkspaceKind::Plain,
        git_dir: None,
        common_dir: None,
        main_root: Some(root.clone()),
        cache_dir,
        root,
        start,
    })
}

impl Workspace {
    /// The roots of all work trees of this clone that exist, the main one first where it is known. Outside Git it is
    /// the one root; a bare repository has only linked ones.
    pub fn work_trees(&self) -> Vec<PathBuf> {
        let mut trees: Vec<PathBuf> = self.main_root.iter().cloned().collect();
        if let Some(common_dir) = &self.common_dir {
            trees.extend(git_dir::linked_work_trees(common_dir));
        }
        if self.kind != WorkspaceKind::Bare && !trees.contains(&self.root) {
            trees.push(self.root.clone());
        }
        trees
    }

    /// `folder` is where the Git directory was found: the folder with a `.git`, or the Git directory itself.
    fn under_git(start: &Path, folder: &Path, git_dir: &GitDir) -> Result<Self, RootError> {
        let unreadable = |source| RootError::Unreadable { path: git_dir.common.clone(), source };
        let from_inside = folder == git_dir.path;
        let bare = git_dir.core.bare && !git_dir.is_linked();
        let tree = if from_inside { git_dir.work_tree() } else { Some(folder.to_owned()) };
        let (root, kind) = match tree {
            Some(tree) if !bare => {
                let kind = if git_dir.is_linked() {
                    WorkspaceKind::LinkedWorktree
                } else if git_dir.is_in_modules() {
                    WorkspaceKind::Submodule
                } else {
                    WorkspaceKind::Repository
                };
                (tree, kind)
            }
            _ => (git_dir.path.clone(), WorkspaceKind::Bare),
        };
        let main_root = match kind {
            WorkspaceKind::LinkedWorktree => {
                git_dir.common_git_dir().map_err(unreadable)?.and_then(|common| common.work_tree())
            }
            WorkspaceKind::Bare => None,
            _ => Some(root.clone()),
        };
        Ok(Self {
            root,
            kind,
            start: start.to_owned(),
            git_dir: Some(git_dir.path.clone()),
            common_dir: Some(git_dir.common.clone()),
            main_root,
            cache_dir: git_dir.common.join(cache::IN_GIT),
        })
    }
}

impl RootError {
    /// Stable and machine-readable.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "repository_missing",
            Self::NotAFolder { .. } => "repository_not_a_folder",
            Self::Unreadable { .. } => "repository_unreadable",
            Self::BrokenGitFile { .. } | Self::LostGitDir { .. } => "git_file_broken",
            Self::CacheElsewhere(refused) => refused.code(),
            Self::NoCurrentDirectory => "current_directory",
            Self::NotUnicode { .. } => "path_not_unicode",
            Self::Chosen { source, .. } => source.code(),
        }
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } | Self::NotAFolder { .. } => {
                "Give an existing folder with --repo or BECKET_REPO, or start becket inside the repository."
            }
            Self::Unreadable { .. } => "Check the permissions of the folder and of its .git.",
            Self::BrokenGitFile { .. } | Self::LostGitDir { .. } => {
                "Run `git worktree repair` in the main worktree (or `git submodule update --init`), or remove the .git file."
            }
            Self::CacheElsewhere(refused) => refused.hint(),
            Self::NoCurrentDirectory => {
                "Change to a folder that exists, or name one with an absolute --repo."
            }
            Self::NotUnicode { .. } => {
                "Rename the folder, or move the repository, to a path that is Unicode text."
            }
            Self::Chosen { source, .. } => source.hint(),
        }
    }
}

fn existing_folder(path: &Path) -> Result<PathBuf, RootError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => RootError::Missing { path: path.to_owned() },
        io::ErrorKind::NotADirectory => RootError::NotAFolder { path: path.to_owned() },
        _ => RootError::Unreadable { path: path.to_owned(), source },
    };
    let folder = canonical(path).map_err(failed)?;
    if !fs_err::metadata(&folder).map_err(failed)?.is_dir() {
        return Err(RootError::NotAFolder { path: path.to_owned() });
    }
    Ok(folder)
}

/// The Git directory that `folder` has or is, as Git looks for it: a `.git` that is a file must be right, while a
/// folder of that name that is not a Git directory is passed over.
fn git_dir_at(folder: &Path) -> Result<Option<GitDir>, RootError> {
    let dot_git = folder.join(".git");
    let unreadable = |source| RootError::Unreadable { path: dot_git.clone(), source };
    let entry = found(fs_err::symlink_metadata(&dot_git)).map_err(unreadable)?;
    if entry.is_some() {
        let lost = |target: PathBuf| RootError::LostGitDir { path: dot_git.clone(), target };
        let target = match found(fs_err::metadata(&dot_git)).map_err(unreadable)? {
            None => {
                let target = fs_err::read_link(&dot_git).map_err(unreadable)?;
                return Err(lost(folder.join(target)));
            }
            Some(metadata) if metadata.is_dir() => None,
            Some(_) => Some(
                read_git_file(&dot_git)
                    .map_err(|source| RootError::BrokenGitFile { path: dot_git.clone(), source })?,
            ),
        };
        let git_dir = GitDir::open(target.as_deref().unwrap_or(&dot_git)).map_err(unreadable)?;
        match (git_dir, target) {
            (Some(git_dir), _) => return Ok(Some(git_dir)),
            (None, Some(target)) => return Err(lost(target)),
            (None, None) => {}
        }
    }
    GitDir::open(folder).map_err(|source| RootError::Unreadable { path: folder.to_owned(), source })
}

#[cfg(test)]
mod tests;
