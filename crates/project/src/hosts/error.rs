//! Why init or uninit cannot be done. Nothing has been written when planning fails; [`SetupError::Undone`] says what
//! applying left behind.

use std::path::PathBuf;

use super::document::DocumentError;
use crate::files::FileError;

#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("there is no host called `{name}`")]
    UnknownHost { name: String, nearest: Option<String> },
    #[error("{host} keeps its settings in the home folder, and no home folder is known")]
    NoHome { host: &'static str },
    #[error("`{}` is not Unicode text, and a settings file cannot hold it", path.display())]
    NotUnicode { path: PathBuf },
    #[error("`{}` leads to `{}`, which is outside `{}`", path.display(), target.display(), allowed.display())]
    Outside { path: PathBuf, target: PathBuf, allowed: PathBuf },
    #[error("`{}` is a link to something that does not exist", path.display())]
    DanglingLink { path: PathBuf },
    #[error("`{}` is not a folder", path.display())]
    NotAFolder { path: PathBuf },
    #[error("`{}` is not UTF-8 text: byte {offset}", path.display())]
    NotText { path: PathBuf, offset: usize },
    #[error("`{}`, {source}", path.display())]
    Document { path: PathBuf, source: DocumentError },
    #[error("the record of what init wrote, `{}`, cannot be read", path.display())]
    Record { path: PathBuf, source: serde_json::Error },
    #[error("another becket is setting this repository up (`{}` is locked)", path.display())]
    Busy { path: PathBuf },
    #[error("`{}` has changed since the plan was made", path.display())]
    Changed { path: PathBuf },
    /// Not a file, too large, read-only, or what the system says.
    #[error(transparent)]
    File(#[from] FileError),
    #[error("`{}`: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// Applying failed; what had been done was taken back, except for these paths.
    #[error("{cause}")]
    Undone { cause: Box<SetupError>, left: Vec<PathBuf> },
}

impl SetupError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| SetupError::Io { path, source }
    }
}
