//! What the process was started with: variables, current directory, home. Read once, at the start, and then passed on:
//! nothing else in becket asks the process.
#![allow(clippy::disallowed_methods, reason = "the one reader of the environment and the current directory")]

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

#[derive(Clone, PartialEq, Eq)]
pub struct Environment {
    /// Names are upper case on Windows, where case does not matter. What is not Unicode in a value is `\u{FFFD}`, so
    /// that whoever uses the value refuses it by name instead of missing it.
    pub variables: BTreeMap<String, String>,
    /// Empty when the directory that the process was started in is gone: then only absolute paths lead anywhere.
    pub current_dir: PathBuf,
    /// Absolute, or nothing.
    pub home: Option<PathBuf>,
}

impl Environment {
    pub fn from_process() -> Self {
        // Where it cannot be asked, those who need it say so: help and a command with `--repo` do not.
        let current_dir = std::env::current_dir().unwrap_or_default();
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| {
                let name = name.into_string().ok()?;
                let name = if cfg!(windows) { name.to_uppercase() } else { name };
                Some((name, value.to_string_lossy().into_owned()))
            })
            .collect();
        Self { variables, current_dir, home: None }.with_home_of_user()
    }

    /// No variables and no home: what a test starts from.
    pub fn new(current_dir: impl Into<PathBuf>) -> Self {
        Self { variables: BTreeMap::new(), current_dir: current_dir.into(), home: None }
    }

    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    #[must_use]
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Whether there is a directory that relative paths start at.
    pub fn has_current_dir(&self) -> bool {
        !self.current_dir.as_os_str().is_empty()
    }

    /// The value of a variable; an empty one counts as unset.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The first program of this name in an absolute folder of the PATH.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        std::env::split_paths(self.variable("PATH")?)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
            .find(|program| program.is_file())
    }

    /// A path as the user wrote it on the command line or in a variable: `~/` is the home, and what is relative starts
    /// at the current directory.
    pub fn resolve(&self, path: &str) -> PathBuf {
        self.resolve_from(&self.current_dir, path)
    }

    /// As `resolve`, with another place for relative paths to start at.
    pub fn resolve_from(&self, base: &Path, path: &str) -> PathBuf {
        match (path.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with(std::path::is_separator) => {
                home.join(rest.trim_start_matches(std::path::is_separator))
            }
            _ => base.join(path),
        }
    }

    fn with_home_of_user(mut self) -> Self {
        let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        self.home = self.variable(name).map(PathBuf::from).filter(|home| home.is_absolute());
        self
    }
}

impl fmt::Debug for Environment {
    /// Names only: a value may be a token.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Environment")
            .field("variables", &self.variables.keys().collect::<Vec<_>>())
            .field("current_dir", &self.current_dir)
            .field("home", &self.home)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_is_read() {
        let environment = Environment::from_process();
        assert_eq!(environment.current_dir, std::env::current_dir().unwrap());
        assert_eq!(environment.variable("CARGO_PKG_NAME"), Some("becket-project"));
    }

    #[test]
    fn an_empty_variable_is_unset() {
        let environment =
            Environment::new("/work-tree").with_variable("EMPTY", "").with_variable("FULL", " ");
        assert_eq!(environment.variable("EMPTY"), None);
        assert_eq!(environment.variable("FULL"), Some(" "));
        assert_eq!(environment.variable("ABSENT"), None);
    }

    #[test]
    fn home_must_be_absolute() {
        let home = |value: &str| Environment::new("/x").with_variable("HOME", value).with_home_of_user().home;
        if cfg!(unix) {
            assert_eq!(home("/home/ada"), Some(PathBuf::from("/home/ada")));
        }
        assert_eq!(home("ada"), None);
        assert_eq!(home(""), None);
    }

    #[test]
    fn only_a_leading_tilde_is_the_home() {
        let environment = Environment::new("/here").with_home("/home/ada");
        for (written, meant) in [
            ("~", "/home/ada"),
            ("~/notes", "/home/ada/notes"),
            ("~//etc", "/home/ada/etc"),
            ("~bob/notes", "/here/~bob/notes"),
            ("a/~", "/here/a/~"),
            ("/etc", "/etc"),
            ("logs/x", "/here/logs/x"),
        ] {
            assert_eq!(environment.resolve(written), PathBuf::from(meant), "{written}");
        }
        assert_eq!(Environment::new("/here").resolve("~/x"), PathBuf::from("/here/~/x"));
    }

    #[test]
    fn debug_output_has_no_values() {
        let environment = Environment::new("/x").with_variable("BECKET_HTTP_TOKEN", "hunter2");
        let printed = format!("{environment:?}");
        assert!(printed.contains("BECKET_HTTP_TOKEN") && !printed.contains("hunter2"));
    }
}
