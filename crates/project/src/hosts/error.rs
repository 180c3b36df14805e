//! Why init or uninit cannot be done. Nothing has been written when planning fails; [`SetupError::Undone`] says what
//! applying left behind.

use std::path::PathBuf;

use super::document::DocumentError;
use super::table::HOSTS;
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
    /// Stable, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownHost { .. } => "unknown_host",
            Self::NoHome { .. } => "home_unknown",
            Self::NotUnicode { .. } => "path_not_unicode",
            Self::Outside { .. } | Self::DanglingLink { .. } => "path_link_outside_root",
            Self::NotAFolder { .. } => "not_a_folder",
            Self::NotText { .. } => "file_not_text",
            Self::Document { source: DocumentError::Malformed { .. }, .. } => "file_malformed",
            Self::Document { source: DocumentError::Shape { .. }, .. } => "file_shape",
            Self::Document { source: DocumentError::Unverified { .. }, .. } => "edit_unverified",
            Self::Record { .. } => "setup_record_broken",
            Self::Busy { .. } => "setup_busy",
            Self::Changed { .. } => "setup_changed",
            Self::File(FileError::ReadOnly { .. }) => "file_read_only",
            Self::File(FileError::TooLarge { .. }) => "file_too_large",
            Self::File(FileError::NotAFile { .. }) => "not_a_file",
            Self::File(_) | Self::Io { .. } => "file_failed",
            Self::Undone { cause, .. } => cause.code(),
        }
    }

    /// The next step.
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownHost { nearest, .. } => {
                let known: Vec<&str> = HOSTS.iter().map(|host| host.name).collect();
                let known = format!("The hosts are all, {}.", known.join(", "));
                match nearest {
                    Some(name) => format!("Did you mean `{name}`? {known}"),
                    None => known,
                }
            }
            Self::NoHome { .. } => "Set HOME (USERPROFILE on Windows), or leave this host out.".to_owned(),
            Self::NotUnicode { .. } => {
                "Move it to a path that is Unicode text, or leave this host out.".to_owned()
            }
            Self::Outside { .. } | Self::DanglingLink { .. } => {
                "Replace the link by a file, or leave this host out; `--print` shows what to paste."
                    .to_owned()
            }
            Self::NotAFolder { .. } | Self::File(FileError::NotAFile { .. }) => {
                "Move what is there out of the way, or leave this host out.".to_owned()
            }
            Self::NotText { .. } => "Save the file as UTF-8.".to_owned(),
            Self::Document { source: DocumentError::Unverified { .. }, .. } => {
                "Edit the file by hand; `becket init --print` shows what to paste.".to_owned()
            }
            Self::Document { .. } => {
                "Mend that line, then run the command again; nothing was written.".to_owned()
            }
            Self::Record { path, .. } => {
                format!("Remove {}; uninit then finds entries and block by their name.", path.display())
            }
            Self::Busy { .. } => "Wait until it is done, then run the command again.".to_owned(),
            Self::Changed { .. } => "Run the command again.".to_owned(),
            Self::File(FileError::ReadOnly { .. }) => {
                "Make the file writable, or leave this host out.".to_owned()
            }
            Self::File(FileError::TooLarge { .. }) => {
                "Leave this host out: that is no settings file.".to_owned()
            }
            Self::File(_) | Self::Io { .. } => {
                "Check the permissions of the file and of its folder.".to_owned()
            }
            Self::Undone { left, .. } if left.is_empty() => {
                "Everything was taken back. Mend the cause, then run the command again.".to_owned()
            }
            Self::Undone { left, .. } => {
                let left: Vec<String> = left.iter().map(|path| path.display().to_string()).collect();
                format!("`becket uninit` takes back what could not be: {}.", left.join(", "))
            }
        }
    }

    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| SetupError::Io { path, source }
    }
}
