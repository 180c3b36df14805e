//! What is wrong with a setting, and where. A problem never stops becket: the value is left out and the rest holds.

use std::fmt;
use std::path::PathBuf;

use super::HTTP_TOKEN;
use crate::shown::shown;

/// Where a value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    File { path: PathBuf, position: Option<Position> },
    Variable(String),
    Flag(String),
}

/// Both count from one; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// An error in the settings: `becket.toml:3:1: unknown key …`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {kind}")]
pub struct Problem {
    pub place: Place,
    pub kind: ProblemKind,
}

/// Something that is not wrong but should be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub place: Place,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProblemKind {
    #[error("unknown key `{}`{}", shown(key), meant(nearest.as_deref()))]
    UnknownKey { key: String, nearest: Option<String> },
    #[error("`{key}` must be {expected}, not {found}")]
    WrongType { key: String, expected: String, found: String },
    #[error("`{key}` must be {expected}, not {}{}", quoted(value), meant(*nearest))]
    WrongValue { key: String, expected: String, value: String, nearest: Option<&'static str> },
    #[error("`{key}` must be from {least} to {most}, not {value}")]
    OutOfRange { key: String, least: u64, most: u64, value: String },
    #[error("`{key}` stands twice, first in line {first}")]
    Duplicate { key: String, first: usize },
    #[error("`{key}` is a secret and must not stand in a file of the repository")]
    SecretInFile { key: String, variable: &'static str },
    #[error("`{key}` must be {expected}")]
    BadSecret { key: String, expected: String, variable: &'static str },
    #[error("`{key}` does not count in a file of the repository, which could then send your texts to others")]
    NotFromFile { key: String, variable: &'static str },
    #[error("`{key}` is a server, and a file of the repository does not say where becket connects to")]
    ServerFromFile { key: String, variable: &'static str },
    #[error("`{key}` is a place that becket must not use: {reason}")]
    Refused { key: String, reason: String },
    #[error("{message}")]
    Syntax { message: String },
    #[error("the file must hold {expected}")]
    NotATable { expected: &'static str },
    #[error("the file is not UTF-8")]
    NotUnicode,
    #[error("the file is UTF-16, not UTF-8")]
    Utf16,
    #[error("it is not a file")]
    NotAFile,
    #[error("the file is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the file cannot be read: {reason}")]
    Unreadable { reason: String },
    #[error("{} in this file", becket_base::counted(*count, "other problem"))]
    More { count: usize },
}

impl Problem {
    /// Stable and machine-readable.
    pub fn code(&self) -> &'static str {
        match self.kind {
            ProblemKind::UnknownKey { .. } => "setting_unknown",
            ProblemKind::WrongType { .. } => "setting_type",
            ProblemKind::WrongValue { .. } | ProblemKind::BadSecret { .. } => "setting_value",
            ProblemKind::OutOfRange { .. } => "setting_range",
            ProblemKind::Duplicate { .. } => "setting_duplicate",
            ProblemKind::SecretInFile { .. } => "setting_secret_in_file",
            ProblemKind::NotFromFile { .. } | ProblemKind::ServerFromFile { .. } => "setting_not_from_file",
            ProblemKind::Refused { .. } => "setting_path_refused",
            ProblemKind::Syntax { .. } | ProblemKind::NotATable { .. } => "settings_malformed",
            ProblemKind::NotUnicode | ProblemKind::Utf16 => "settings_not_utf8",
            ProblemKind::NotAFile | ProblemKind::Unreadable { .. } => "settings_unreadable",
            ProblemKind::TooLarge { .. } => "settings_too_large",
            ProblemKind::More { .. } => "settings_more",
        }
    }

    /// The next step.
    pub fn hint(&self) -> String {
        match &self.kind {
            ProblemKind::UnknownKey { nearest: Some(nearest), .. } => format!("Write `{nearest}` instead."),
            ProblemKind::UnknownKey { .. } => "`becket config` lists every key.".to_owned(),
            ProblemKind::SecretInFile { variable, .. } | ProblemKind::BadSecret { variable, .. }
                if *variable == HTTP_TOKEN.key().variable.unwrap_or_default() =>
            {
                format!("Set {variable}, or name a file outside Git with http.token_file.")
            }
            ProblemKind::SecretInFile { variable, .. }
            | ProblemKind::BadSecret { variable, .. }
            | ProblemKind::NotFromFile { variable, .. } => format!("Set {variable} in the environment."),
            ProblemKind::ServerFromFile { variable, .. } => {
                format!(
                    "If you trust that server, set {variable} to its address in your environment: that counts."
                )
            }
            ProblemKind::Refused { .. } => {
                "Name a folder inside the repository or an allowed path, or use the flag or the variable."
                    .to_owned()
            }
            ProblemKind::Duplicate { .. } => "Keep one of them.".to_owned(),
            ProblemKind::NotUnicode | ProblemKind::Utf16 => "Save the file as UTF-8.".to_owned(),
            ProblemKind::NotAFile | ProblemKind::Unreadable { .. } => {
                format!("Make {} a file that you may read, or remove it.", self.place)
            }
            ProblemKind::Syntax { .. } | ProblemKind::NotATable { .. } | ProblemKind::TooLarge { .. } => {
                "Correct the file; until then none of it counts.".to_owned()
            }
            _ => "Correct it; until then the value that it would override holds.".to_owned(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, position } => {
                let name = path.file_name().unwrap_or(path.as_os_str());
                write!(formatter, "{}", name.display())?;
                match position {
                    Some(Position { line, column }) => write!(formatter, ":{line}:{column}"),
                    None => Ok(()),
                }
            }
            Self::Variable(name) | Self::Flag(name) => formatter.write_str(name),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.message)
    }
}

impl Position {
    /// Of a byte in a text; the end for what lies beyond.
    pub(super) fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[start..].chars().count() + 1 }
    }
}

fn quoted(value: &str) -> String {
    if value.is_empty() { "an empty text".to_owned() } else { format!("`{}`", shown(value)) }
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
}
