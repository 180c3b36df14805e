//! The sandbox: one function decides whether a path that a caller names may be touched, and every plane goes through it.
//! It resolves links and `..` on the disk, compares by component, and knows Git's own files; what is done with an
//! admitted path is the caller's.
//!
//! What is guaranteed: at the moment of the call the path, with every link resolved, lay inside the root it names, and
//! `absolute` had no link in it. Another process that may write there can still put a link in its place afterwards;
//! [`Admitted::open`] therefore looks again once the file is open. A process that changes it back and forth in the very
//! instants between has the user's rights already and is not what this guards against.

mod error;
pub mod lexical;
mod nested;
mod opened;
mod walk;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use becket_base::RepoPath;

pub use self::error::AdmitError;
use self::lexical::{LexicalError, is_git_name};
use self::walk::resolve;
use crate::canonical::canonical;
use crate::root::{Workspace, WorkspaceKind, discover};
use crate::shown::shown;

/// The folders that callers may name: the work trees of one clone, and the allowed roots.
#[derive(Debug, Clone)]
pub struct Sandbox {
    workspace: Workspace,
    allowed: Vec<PathBuf>,
}

/// A path that may be touched. It need not exist: then its deepest existing folder was admitted, for it to be made in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted {
    /// The canonical top of the work tree that holds it.
    pub root: PathBuf,
    pub relative: RepoPath,
    /// Canonical as far as it exists.
    pub absolute: PathBuf,
}

impl Sandbox {
    /// `allowed_paths` are absolute; they are resolved on each use, so that they may come into being later.
    pub fn new(workspace: Workspace, allowed_paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { workspace, allowed: allowed_paths.into_iter().collect() }
    }

    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The same permissions around another workspace, one that [`Sandbox::admit_root`] has given.
    #[must_use]
    pub fn around(&self, workspace: Workspace) -> Self {
        Self { workspace, allowed: self.allowed.clone() }
    }

    /// Admits a path inside the workspace: relative to its root, or absolute in it or in another work tree of the same
    /// clone.
    pub fn admit(&self, argument: impl AsRef<OsStr>) -> Result<Admitted, AdmitError> {
        let argument = text(argument.as_ref())?;
        match self.admit_in(&self.workspace.root, argument) {
            Err(
                refused @ (AdmitError::Outside { .. }
                | AdmitError::Sibling { .. }
                | AdmitError::NoWorkTree { .. }),
            ) => {
                let mut others = self.workspace.work_trees().into_iter();
                others.find_map(|tree| self.admit_in(&tree, argument).ok()).ok_or(refused)
            }
            result => result,
        }
    }

    /// Admits a `projectPath` or `repo` argument: a folder in the workspace, in another work tree of the same clone or
    /// in an allowed root. The workspace that holds it must lie there as well, and so must its Git directory and the
    /// one that this shares: whoever has them also has every work tree that they name.
    pub fn admit_root(&self, argument: impl AsRef<OsStr>) -> Result<Workspace, AdmitError> {
        let argument = text(argument.as_ref())?;
        let folder = match self.place(&self.workspace.root, argument) {
            Ok(folder) => folder,
            Err(refused) => self.place_in_any_root(argument, refused)?,
        };
        let found =
            discover(&folder).map_err(|source| AdmitError::Root { argument: shown(argument), source })?;
        if !self.roots().iter().any(|root| found.root.starts_with(root)) {
            return Err(AdmitError::RootOutside { argument: shown(argument), root: found.root });
        }
        if ![&found.git_dir, &found.common_dir].into_iter().flatten().all(|git_dir| self.is_home(git_dir)) {
            let dot_git = found.root.join(".git");
            return Err(AdmitError::NestedGitOutside { argument: shown(argument), dot_git });
        }
        Ok(found)
    }

    /// Where an absolute path leads, when that is in any root that callers may name: for paths in settings.
    pub(crate) fn admit_anywhere(&self, path: &Path) -> Result<PathBuf, AdmitError> {
        let argument = text(path.as_os_str())?;
        self.admit(argument)
            .map(|admitted| admitted.absolute)
            .or_else(|refused| self.place_in_any_root(argument, refused))
    }

    /// What no root takes is refused by the one that it lies in; `refused` is what the workspace says.
    fn place_in_any_root(&self, argument: &str, refused: AdmitError) -> Result<PathBuf, AdmitError> {
        let elsewhere =
            |error: &AdmitError| matches!(error, AdmitError::Outside { .. } | AdmitError::Sibling { .. });
        let mut refused = refused;
        for root in self.roots() {
            match self.place(&root, argument) {
                Ok(place) => return Ok(place),
                Err(error) if elsewhere(&refused) && !elsewhere(&error) => refused = error,
                Err(_) => {}
            }
        }
        Err(refused)
    }

    /// The one decision about a file. `root` is canonical.
    fn admit_in(&self, root: &Path, argument: &str) -> Result<Admitted, AdmitError> {
        if self.workspace.kind == WorkspaceKind::Bare && root == self.workspace.root {
            return Err(AdmitError::NoWorkTree { root: root.to_owned() });
        }
        let absolute = self.place(root, argument)?;
        let relative = relative_to(root, &absolute, argument)?;
        Ok(Admitted { root: root.to_owned(), relative, absolute })
    }

    /// Where an argument leads, when that is inside `root` and not among Git's own files. What is relative starts at
    /// the workspace.
    fn place(&self, root: &Path, argument: &str) -> Result<PathBuf, AdmitError> {
        let walked = resolve(root, &self.workspace.root, argument)?;
        let place = walked.place;
        let inside = place.strip_prefix(root).unwrap_or(&place);
        let disguised = inside.iter().any(|name| name.to_str().is_some_and(is_git_name));
        // A root may lie inside a Git directory (a worktree of a bare repository often does), but not the reverse.
        let git_dir_inside = |git_dir: &Path| git_dir != root && git_dir.starts_with(root);
        if disguised || self.git_dirs().any(|git_dir| git_dir_inside(git_dir) && place.starts_with(git_dir)) {
            return Err(AdmitError::GitInternal { argument: shown(argument) });
        }
        nested::check(root, &walked.existing, argument, |git_dir| self.is_home(git_dir))?;
        Ok(place)
    }

    /// Whether a Git directory may lie at a canonical path: in the clone's own, or in a root.
    fn is_home(&self, git_dir: &Path) -> bool {
        self.git_dirs().any(|home| git_dir.starts_with(home))
            || self.roots().iter().any(|home| git_dir.starts_with(home))
    }

    fn git_dirs(&self) -> impl Iterator<Item = &Path> {
        [&self.workspace.git_dir, &self.workspace.common_dir].into_iter().filter_map(Option::as_deref)
    }

    fn roots(&self) -> Vec<PathBuf> {
        let mut roots = vec![self.workspace.root.clone()];
        roots.extend(self.workspace.work_trees());
        roots.extend(self.allowed.iter().filter_map(|path| canonical(path).ok()));
        roots
    }
}

fn text(argument: &OsStr) -> Result<&str, AdmitError> {
    argument.to_str().ok_or_else(|| AdmitError::NotUnicode { argument: shown(&argument.to_string_lossy()) })
}

fn relative_to(root: &Path, absolute: &Path, argument: &str) -> Result<RepoPath, AdmitError> {
    let outside = |_| AdmitError::Outside { argument: shown(argument), root: root.to_owned() };
    let inside = absolute.strip_prefix(root).map_err(outside)?;
    let names = inside.iter().map(text).collect::<Result<Vec<_>, _>>()?;
    // The leading `./` says that a backslash is part of a name.
    RepoPath::parse(&format!("./{}", names.join("/")))
        .map_err(|_| AdmitError::Spelling { argument: shown(argument), source: LexicalError::ReservedName })
}

#[cfg(test)]
mod tests;
