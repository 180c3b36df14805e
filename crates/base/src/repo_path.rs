//! A path inside a repository: relative, forward slashes, one spelling per place, on every system. It owns the
//! spelling only; whether the place exists, is a link or may be touched is `becket_project`'s to decide.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A repository-relative path such as `src/main.rs`; the root itself is `.`.
///
/// Components are separated by `/` and are never empty, `.` or `..`; there is no NUL and no drive letter. Any other
/// character may occur, newlines and leading dashes included.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoPath(String);

/// Why a text is not a path inside a repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RepoPathError {
    #[error("a path is needed, and an empty one was given; the repository root is `.`")]
    Empty,
    /// It begins at a root, a drive (`C:`) or a share (`\\server`).
    #[error("`{path}` is not relative to the repository root")]
    Absolute { path: String },
    #[error("`{path}` has a `..`, which could lead outside the repository")]
    Parent { path: String },
    #[error("{path:?} has a NUL character, which no path can have")]
    Nul { path: String },
}

const ROOT: &str = ".";

impl RepoPath {
    /// Reads a caller's spelling. `./a//b/` is `a/b`; `..` is refused even where it would stay inside, because what
    /// `link/..` means depends on the disk.
    ///
    /// A backslash is a separator on one system and an ordinary character on the others, so a text that has
    /// backslashes and no `/` is taken as a Windows spelling (`src\main.rs` is `src/main.rs`), and in a text with a `/`
    /// a backslash is part of a name (`./a\b` is the file `a\b`). What would be absolute or have a `..` under the
    /// Windows reading is refused under both.
    pub fn parse(text: &str) -> Result<Self, RepoPathError> {
        let separator = if text.contains('/') { '/' } else { '\\' };
        Self::read(text, separator)
    }

    /// Reads a path as Git prints it: `/` separates, and a backslash is part of a name.
    pub fn from_git(text: &str) -> Result<Self, RepoPathError> {
        Self::read(text, '/')
    }

    fn read(text: &str, separator: char) -> Result<Self, RepoPathError> {
        if text.is_empty() {
            return Err(RepoPathError::Empty);
        }
        let path = || text.to_owned();
        if text.contains('\0') {
            return Err(RepoPathError::Nul { path: path() });
        }
        if text.starts_with('/') {
            return Err(RepoPathError::Absolute { path: path() });
        }
        if text.split(['/', '\\']).any(|part| part == "..") {
            return Err(RepoPathError::Parent { path: path() });
        }
        let parts: Vec<&str> = text.split(separator).filter(|part| !matches!(*part, "" | ".")).collect();
        let Some(first) = parts.first() else {
            // Only separators and dots: `\` is a root, `.` and `./` are ours.
            return if text.starts_with(separator) {
                Err(RepoPathError::Absolute { path: path() })
            } else {
                Ok(Self::root())
            };
        };
        // Looked for in the text and behind a `./` too: on Windows `C:x` and `\x` replace what they are joined to.
        let drive = matches!(first.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
        if drive || first.starts_with('\\') || text.starts_with('\\') {
            return Err(RepoPathError::Absolute { path: path() });
        }
        Ok(Self(parts.join("/")))
    }

    pub fn root() -> Self {
        Self(ROOT.to_owned())
    }

    pub fn is_root(&self) -> bool {
        self.0 == ROOT
    }

    /// As Git has it. `Display` and serde write what `parse` reads back, which differs in one corner: the file `a\b` in
    /// the root is written `./a\b`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Names from the outermost in; none for the root.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|part| *part != ROOT)
    }

    #[must_use]
    pub fn join(&self, other: &RepoPath) -> Self {
        if self.is_root() {
            other.clone()
        } else if other.is_root() {
            self.clone()
        } else {
            Self(format!("{}/{}", self.0, other.0))
        }
    }

    /// The folder that holds it; nothing for the root.
    pub fn parent(&self) -> Option<Self> {
        match self.0.rsplit_once('/') {
            Some((parent, _)) => Some(Self(parent.to_owned())),
            None if self.is_root() => None,
            None => Some(Self::root()),
        }
    }

    /// The last name; nothing for the root.
    pub fn file_name(&self) -> Option<&str> {
        self.components().next_back()
    }

    /// Whether it is `base` or lies inside it. Names are compared whole: `src-old/x` does not start with `src`.
    pub fn starts_with(&self, base: &RepoPath) -> bool {
        base.is_root()
            || self.0.strip_prefix(base.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.contains('\\') && !self.0.contains('/') {
            formatter.write_str("./")?;
        }
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

impl TryFrom<String> for RepoPath {
    type Error = RepoPathError;

    fn try_from(text: String) -> Result<Self, RepoPathError> {
        Self::parse(&text)
    }
}

impl std::str::FromStr for RepoPath {
    type Err = RepoPathError;

    fn from_str(text: &str) -> Result<Self, RepoPathError> {
        Self::parse(text)
    }
}

impl From<RepoPath> for String {
    fn from(path: RepoPath) -> Self {
        path.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> String {
        RepoPath::parse(text).unwrap().as_str().to_owned()
    }

    #[test]
    fn one_spelling_per_place() {
        for text in [
            "src/main.rs",
            "./src/main.rs",
            "src//main.rs",
            "src/./main.rs/",
            "src\\main.rs",
            ".\\src\\\\main.rs\\",
        ] {
            assert_eq!(parsed(text), "src/main.rs", "{text}");
        }
        for text in [".", "./", "././/", ".\\"] {
            assert!(RepoPath::parse(text).unwrap().is_root(), "{text}");
        }
    }

    #[test]
    fn odd_names_are_names() {
        for text in [
            "-rf",
            "a b/c",
            "new\nline",
            "日本/ñ",
            "...",
            "..x/y..",
            "a:b:c/d",
            "12:30",
            "~/x",
            "CON",
            "\"q\"",
        ] {
            let accepted = RepoPath::parse(text).map(|path| path.as_str().to_owned());
            if text.starts_with("a:") {
                assert!(matches!(accepted, Err(RepoPathError::Absolute { .. })), "{text}");
            } else {
                assert_eq!(accepted.unwrap(), text);
            }
        }
    }

    #[test]
    fn absolute_paths_of_every_system_are_refused() {
        for text in [
            "/",
            "//",
            "/etc/passwd",
            "//server/share",
            "\\",
            "\\\\server\\share",
            "\\windows",
            "\\\\?\\C:\\x",
            "C:",
            "C:\\x",
            "c:/x",
            "C:x",
            "./C:/x",
            ".\\C:\\x",
            "./\\x",
            ".//\\\\server/x",
        ] {
            let refused = RepoPath::parse(text);
            assert!(matches!(refused, Err(RepoPathError::Absolute { .. })), "{text}: {refused:?}");
        }
    }

    #[test]
    fn parents_are_refused_under_both_readings() {
        for text in ["..", "../x", "a/..", "a/../b", "..\\x", "a\\..\\b", "a/..\\..\\b", "a\\../b"] {
            assert!(matches!(RepoPath::parse(text), Err(RepoPathError::Parent { .. })), "{text}");
            assert!(matches!(RepoPath::from_git(text), Err(RepoPathError::Parent { .. })), "{text}");
        }
        assert!(matches!(RepoPath::parse(""), Err(RepoPathError::Empty)));
        assert!(matches!(RepoPath::parse("a\0b"), Err(RepoPathError::Nul { .. })));
    }

    #[test]
    fn a_backslash_can_be_part_of_a_name() {
        assert_eq!(parsed("dir/a\\b"), "dir/a\\b");
        assert_eq!(parsed("./a\\b"), "a\\b");
        let path = RepoPath::from_git("a\\b").unwrap();
        assert_eq!(path.as_str(), "a\\b");
        assert_eq!(path.to_string(), "./a\\b");
        assert_eq!(path.to_string().parse(), Ok(path));
    }

    #[test]
    fn names_are_compared_whole() {
        let path = |text: &str| RepoPath::parse(text).unwrap();
        assert!(path("src/a/b").starts_with(&path("src/a")));
        assert!(path("src").starts_with(&path("src")));
        assert!(path("src").starts_with(&RepoPath::root()));
        assert!(!path("src-old/x").starts_with(&path("src")));
        assert!(!path("src").starts_with(&path("src/a")));
        assert!(!RepoPath::root().starts_with(&path("src")));
    }

    #[test]
    fn parents_and_names() {
        let path = RepoPath::parse("a/b").unwrap();
        let parent = path.parent().unwrap();
        assert_eq!((parent.as_str(), path.file_name()), ("a", Some("b")));
        assert_eq!(parent.parent(), Some(RepoPath::root()));
        assert_eq!((RepoPath::root().parent(), RepoPath::root().file_name()), (None, None));
        assert_eq!(RepoPath::root().join(&path), path);
        assert_eq!(path.join(&RepoPath::root()), path);
        assert_eq!(path.join(&parent).as_str(), "a/b/a");
    }

    proptest! {
        #[test]
        fn what_is_accepted_is_normal_and_reads_back(text in "[a-cC.:/\\\\ \n-]{0,12}") {
            for path in [RepoPath::parse(&text), RepoPath::from_git(&text)].into_iter().flatten() {
                prop_assert!(!path.as_str().starts_with(['/', '\\']));
                prop_assert!(path.components().all(|part| !matches!(part, "" | "." | "..")));
                prop_assert_eq!(&RepoPath::parse(&path.to_string()).unwrap(), &path);
                let parent: Vec<_> = path.parent().iter().flat_map(RepoPath::components).map(str::to_owned).collect();
                let rebuilt = parent.iter().map(String::as_str).chain(path.file_name());
                prop_assert!(rebuilt.eq(path.components()));
            }
        }
    }
}
