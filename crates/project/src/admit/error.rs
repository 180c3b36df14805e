//! Why a path is refused: one variant for each way of leading out, with a code for programs and a hint for people.

use std::io;
use std::path::PathBuf;

use super::lexical::LexicalError;
use crate::root::{GitFileError, RootError};
use crate::shown::shown_path;

#[derive(Debug, thiserror::Error)]
pub enum AdmitError {
    #[error("`{argument}` is not a path that can be used: {source}")]
    Spelling { argument: String, source: LexicalError },
    #[error("`{argument}` is not UTF-8")]
    NotUnicode { argument: String },
    #[error("`{argument}` leads out of {} with `..`", shown_path(root))]
    Escape { argument: String, root: PathBuf },
    #[error("`{argument}` is outside of {}", shown_path(root))]
    Outside { argument: String, root: PathBuf },
    #[error("`{argument}` is outside of {}: only the beginning of its name is the same", shown_path(root))]
    Sibling { argument: String, root: PathBuf },
    #[error("`{argument}` goes through a link that leads out of {}", shown_path(root))]
    LinkOutside { argument: String, root: PathBuf },
    #[error("`{argument}` goes through {}, a link that leads nowhere", shown_path(link))]
    DanglingLink { argument: String, link: PathBuf },
    #[error("`{argument}` is inside of Git's own files")]
    GitInternal { argument: String },
    #[error("`{argument}` belongs to {}, which leads to a Git directory elsewhere", shown_path(dot_git))]
    NestedGitOutside { argument: String, dot_git: PathBuf },
    #[error("`{argument}` belongs to {}, which cannot be understood", shown_path(dot_git))]
    NestedGitBroken { argument: String, dot_git: PathBuf, source: GitFileError },
    #[error("`{argument}` goes through {}, which is not a folder", shown_path(path))]
    NotAFolder { argument: String, path: PathBuf },
    #[error("`{argument}` cannot be resolved")]
    Unreadable { argument: String, source: io::Error },
    #[error("{} is a bare repository and has no files to name", shown_path(root))]
    NoWorkTree { root: PathBuf },
    #[error("`{argument}` belongs to the repository {}, which is not an allowed root", shown_path(root))]
    RootOutside { argument: String, root: PathBuf },
    #[error("{source}")]
    Root { argument: String, source: RootError },
    #[error("`{argument}` was replaced while it was being opened")]
    Replaced { argument: String },
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
            Self::NestedGitOutside { .. } => {
                "Add the main repository's folder to security.allowed_paths too, or start another becket there."
            }
            Self::NestedGitBroken { .. } => {
                "Start another becket inside that nested repository, or remove its .git file."
            }
            Self::NotAFolder { .. } => "Check the path: one of its folders is a file.",
            Self::Unreadable { .. } => "Check that the path exists and may be read.",
            Self::NoWorkTree { .. } => {
                "Name a file in one of the repository's linked worktrees, by its absolute path."
            }
            Self::Root { source: RootError::Missing { .. } | RootError::NotAFolder { .. }, .. } => {
                "Name a folder that exists, by its absolute path or relative to the repository."
            }
            Self::Root { source, .. } => source.hint(),
            Self::Replaced { .. } => "Try again.",
        }
    }
}
