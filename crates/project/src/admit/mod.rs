//! The sandbox: one function decides whether a path that a caller names may be touched, and every plane goes through it.
//! It resolves links and `..` on the disk, compares by component, and knows Git's own files; what is done with an
//! admitted path is the caller's.
//!
//! What is guaranteed: at the moment of the call the path, with every link resolved, lay inside the root it names, and
//! `absolute` had no link in it. Another process that may write there can still put a link in its place afterwards;
//! [`Admitted::open`] therefore looks again once the file is open. A process that changes it back and forth in the very
//! instants between has the user's rights already and is not what this guards against.

pub mod lexical;
mod nested;
mod opened;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use becket_base::RepoPath;

use self::lexical::{LexicalError, Spelling, Style, is_git_name, spell};
use crate::canonical::canonical;
use crate::root::{RootError, Workspace, WorkspaceKind, discover};

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

#[derive(Debug, thiserror::Error)]
pub enum AdmitError {
    #[error("`{argument}` is not a path that can be used: {source}")]
    Spelling { argument: String, source: LexicalError },
    #[error("`{argument}` is not UTF-8")]
    NotUnicode { argument: String },
    #[error("`{argument}` leads out of {} with `..`", root.display())]
    Escape { argument: String, root: PathBuf },
    #[error("`{argument}` is outside of {}", root.display())]
    Outside { argument: String, root: PathBuf },
    #[error("`{argument}` is outside of {}: only the beginning of its name is the same", root.display())]
    Sibling { argument: String, root: PathBuf },
    #[error("`{argument}` goes through a link that leads out of {}", root.display())]
    LinkOutside { argument: String, root: PathBuf },
    #[error("`{argument}` goes through {}, a link that leads nowhere", link.display())]
    DanglingLink { argument: String, link: PathBuf },
    #[error("`{argument}` is inside of Git's own files")]
    GitInternal { argument: String },
    #[error("`{argument}` belongs to {}, which leads to a Git directory elsewhere", dot_git.display())]
    NestedGitOutside { argument: String, dot_git: PathBuf },
    #[error("`{argument}` belongs to {}, which cannot be understood", dot_git.display())]
    NestedGitBroken { argument: String, dot_git: PathBuf, source: crate::root::GitFileError },
    #[error("`{argument}` goes through {}, which is not a folder", path.display())]
    NotAFolder { argument: String, path: PathBuf },
    #[error("`{argument}` cannot be resolved")]
    Unreadable { argument: String, source: io::Error },
    #[error("{} is a bare repository and has no files to name", root.display())]
    NoWorkTree { root: PathBuf },
    #[error("`{argument}` belongs to the repository {}, which is not an allowed root", root.display())]
    RootOutside { argument: String, root: PathBuf },
    #[error("`{argument}` is not a usable root")]
    Root { argument: String, source: RootError },
    #[error("`{argument}` was replaced while it was being opened")]
    Replaced { argument: String },
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
        let own = self.admit_in(&self.workspace.root, argument);
        let Err(AdmitError::Outside { .. } | AdmitError::Sibling { .. } | AdmitError::NoWorkTree { .. }) =
            own
        else {
            return own;
        };
        let others = self.workspace.work_trees().into_iter().filter(|tree| *tree != self.workspace.root);
        others.map(|tree| self.admit_in(&tree, argument)).find(Result::is_ok).unwrap_or(own)
    }

    /// Admits a `projectPath` or `repo` argument: a folder in the workspace, in another work tree of the same clone or
    /// in an allowed root. The workspace that holds it must lie there as well.
    pub fn admit_root(&self, argument: impl AsRef<OsStr>) -> Result<Workspace, AdmitError> {
        let argument = text(argument.as_ref())?;
        let roots = self.roots();
        let own = &self.workspace.root;
        let mut refused = None;
        let mut folder = None;
        for root in &roots {
            match self.place(root, own, argument) {
                Ok(place) => {
                    folder = Some(place);
                    break;
                }
                Err(error) => _ = refused.get_or_insert(error),
            }
        }
        let folder = match (folder, refused) {
            (Some(folder), _) => folder,
            (None, Some(error)) => return Err(error),
            (None, None) => return Err(AdmitError::NoWorkTree { root: own.clone() }),
        };
        let found =
            discover(&folder).map_err(|source| AdmitError::Root { argument: argument.to_owned(), source })?;
        if !roots.iter().any(|root| found.root.starts_with(root)) {
            return Err(AdmitError::RootOutside { argument: argument.to_owned(), root: found.root });
        }
        Ok(found)
    }

    /// Where an absolute path leads, when that is in any root that callers may name: for paths in settings.
    pub(crate) fn admit_anywhere(&self, path: &Path) -> Result<PathBuf, AdmitError> {
        let argument = text(path.as_os_str())?;
        let own = self.admit(argument).map(|admitted| admitted.absolute);
        let others = self
            .roots()
            .into_iter()
            .map(|root| self.admit_in(&root, argument).map(|admitted| admitted.absolute));
        if own.is_ok() { own } else { others.into_iter().find(Result::is_ok).unwrap_or(own) }
    }

    /// The one decision about a file. `root` is canonical; a relative argument starts there.
    pub(crate) fn admit_in(&self, root: &Path, argument: &str) -> Result<Admitted, AdmitError> {
        if self.workspace.kind == WorkspaceKind::Bare && root == self.workspace.root {
            return Err(AdmitError::NoWorkTree { root: root.to_owned() });
        }
        let absolute = self.place(root, root, argument)?;
        let relative = relative_to(root, &absolute, argument)?;
        Ok(Admitted { root: root.to_owned(), relative, absolute })
    }

    /// Where an argument leads, when that is inside `root` and not among Git's own files.
    fn place(&self, root: &Path, base: &Path, argument: &str) -> Result<PathBuf, AdmitError> {
        let place = resolve(root, base, argument)?;
        let inside = place.strip_prefix(root).unwrap_or(&place);
        let named = inside.iter().any(|name| name.to_str().is_some_and(is_git_name));
        if named || self.git_dirs().any(|git_dir| place.starts_with(git_dir) && git_dir != root) {
            return Err(AdmitError::GitInternal { argument: argument.to_owned() });
        }
        let homes: Vec<PathBuf> =
            self.roots().into_iter().chain(self.git_dirs().map(Path::to_owned)).collect();
        nested::check(root, &place, &homes, argument)?;
        Ok(place)
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

impl AdmitError {
    /// Stable and machine-readable.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Spelling { .. } => "path_invalid",
            Self::NotUnicode { .. } => "path_not_utf8",
            Self::Escape { .. } => "path_escapes_root",
            Self::Outside { .. } | Self::Sibling { .. } => "path_outside_root",
            Self::LinkOutside { .. } | Self::DanglingLink { .. } => "path_link_outside_root",
            Self::GitInternal { .. } => "path_in_git_dir",
            Self::NestedGitOutside { .. } | Self::NestedGitBroken { .. } => "path_nested_git",
            Self::NotAFolder { .. } => "path_not_a_folder",
            Self::Unreadable { .. } => "path_unreadable",
            Self::NoWorkTree { .. } => "bare_repository",
            Self::RootOutside { .. } => "root_not_allowed",
            Self::Root { source, .. } => source.code(),
            Self::Replaced { .. } => "path_replaced",
        }
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Spelling { .. } | Self::NotUnicode { .. } => {
                "Give a path relative to the repository root, with forward slashes."
            }
            Self::Escape { .. } | Self::Outside { .. } | Self::Sibling { .. } | Self::RootOutside { .. } => {
                "Use a path inside the repository, or add its folder to security.allowed_paths."
            }
            Self::LinkOutside { .. } | Self::DanglingLink { .. } => {
                "Name the file itself instead of a link, and only inside the repository."
            }
            Self::GitInternal { .. } => "Git's own files are never read or written through becket; use Git.",
            Self::NestedGitOutside { .. } | Self::NestedGitBroken { .. } => {
                "Start another becket inside that nested repository, or remove its .git file."
            }
            Self::NotAFolder { .. } => "Check the path: one of its folders is a file.",
            Self::Unreadable { .. } => "Check that the path exists and may be read.",
            Self::NoWorkTree { .. } => {
                "Name a file in one of the repository's linked worktrees, by its absolute path."
            }
            Self::Root { source, .. } => source.hint(),
            Self::Replaced { .. } => "Try again.",
        }
    }
}

fn text(argument: &OsStr) -> Result<&str, AdmitError> {
    argument
        .to_str()
        .ok_or_else(|| AdmitError::NotUnicode { argument: argument.to_string_lossy().into_owned() })
}

/// Follows an argument on the disk, from `base` when it is relative, and refuses to end outside `root`.
fn resolve(root: &Path, base: &Path, argument: &str) -> Result<PathBuf, AdmitError> {
    let owned = || argument.to_owned();
    let refused = |source| match source {
        LexicalError::Escape => AdmitError::Escape { argument: owned(), root: root.to_owned() },
        source => AdmitError::Spelling { argument: owned(), source },
    };
    let (from, components) = match spell(argument, Style::NATIVE).map_err(refused)? {
        Spelling::Relative(components) => (base.to_owned(), components),
        Spelling::Absolute { anchor, components } => (PathBuf::from(anchor), components),
    };
    let spelled = normal(&from, &components);
    let walked = walk(&from, &components, argument);
    match walked {
        Ok(place) if place.starts_with(root) => Ok(place),
        // What lies outside is not told apart: neither whether it exists nor whether it may be read.
        _ if !spelled.starts_with(root) => Err(outside(root, &from, &components, argument)),
        Ok(_) => Err(AdmitError::LinkOutside { argument: owned(), root: root.to_owned() }),
        Err(error) => Err(error),
    }
}

fn outside(root: &Path, from: &Path, components: &[String], argument: &str) -> AdmitError {
    let argument = argument.to_owned();
    let root = root.to_owned();
    let unfolded: PathBuf = from.iter().chain(components.iter().map(OsStr::new)).collect();
    let spelled = normal(from, components);
    if unfolded.starts_with(&root) {
        AdmitError::Escape { argument, root }
    } else if spelled.as_os_str().as_encoded_bytes().starts_with(root.as_os_str().as_encoded_bytes()) {
        AdmitError::Sibling { argument, root }
    } else {
        AdmitError::Outside { argument, root }
    }
}

/// `..` taken back without asking the disk.
fn normal(from: &Path, components: &[String]) -> PathBuf {
    let mut path = from.to_owned();
    for component in components {
        if component == ".." { _ = path.pop() } else { path.push(component) }
    }
    path
}

/// Each component in turn, as the system would go: a link is replaced by where it leads before `..` is taken back. What
/// does not exist is kept as written.
fn walk(from: &Path, components: &[String], argument: &str) -> Result<PathBuf, AdmitError> {
    let unreadable = |source| AdmitError::Unreadable { argument: argument.to_owned(), source };
    let mut path = from.to_owned();
    let mut existing = true;
    for component in components {
        if component == ".." {
            path.pop();
            existing = path.exists();
            continue;
        }
        path.push(component);
        if !existing {
            continue;
        }
        match fs_err::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                path = canonical(&path).map_err(|source| match source.kind() {
                    io::ErrorKind::NotFound => {
                        AdmitError::DanglingLink { argument: argument.to_owned(), link: path.clone() }
                    }
                    _ => unreadable(source),
                })?;
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => existing = false,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                path.pop();
                return Err(AdmitError::NotAFolder { argument: argument.to_owned(), path });
            }
            Err(error) => return Err(unreadable(error)),
        }
    }
    // A system that does not tell cases apart has one true spelling of what exists.
    let depth = path.ancestors().take_while(|ancestor| !ancestor.exists()).count();
    let Some(deepest) = path.ancestors().nth(depth) else { return Ok(path) };
    let mut place = canonical(deepest).map_err(unreadable)?;
    if let Ok(missing) = path.strip_prefix(deepest) {
        place.extend(missing);
    }
    Ok(place)
}

fn relative_to(root: &Path, absolute: &Path, argument: &str) -> Result<RepoPath, AdmitError> {
    let outside = || AdmitError::Outside { argument: argument.to_owned(), root: root.to_owned() };
    let inside = absolute.strip_prefix(root).map_err(|_| outside())?;
    let mut names = Vec::new();
    for name in inside {
        names.push(text(name)?);
    }
    // The leading `./` says that a backslash is part of a name.
    RepoPath::parse(&format!("./{}", names.join("/"))).map_err(|_| AdmitError::Spelling {
        argument: argument.to_owned(),
        source: LexicalError::ReservedName,
    })
}

#[cfg(test)]
mod tests;
