//! Where an import leads: the words in which a resolver tells the graph and the linker what it found. How it is found is
//! the business of whoever can see the files.

use serde::{Deserialize, Serialize};

/// Paths are relative to the repository, with forward slashes: the same strings that contracts have as `entryId`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Target {
    /// A file that is analysed.
    File(String),
    /// The files that are analysed and that a pattern matches, by path.
    Files(Vec<String>),
    /// A file of the repository that is not: a style sheet, a picture, data, something left out.
    Asset(String),
    /// A package that the repository does not hold.
    Package {
        name: String,
        /// From the lock file, else as the manifest asks for it.
        version: Option<String>,
        /// Whether a manifest in reach names it.
        declared: bool,
    },
    /// A module of the runtime, such as `node:fs`.
    Builtin(String),
    Unresolved(Reason),
}

/// Why an import leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    FileNotFound,
    /// A rule of `.gitignore` or `.stampignore` speaks of it, so that nobody has looked whether it is there.
    Ignored,
    /// It may exist, where nothing is looked at: above the root, in build output, in `node_modules`.
    OutsideScanPath,
    /// A package of the workspace does not export it.
    NotExported,
    InvalidSpecifier,
    /// Only a part of it is written: `import(`./pages/${name}`)`.
    DecidedAtRunTime,
}

impl Reason {
    /// In the words of the published schema.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::FileNotFound => "file not found",
            Reason::Ignored => "ignored or not there",
            Reason::OutsideScanPath => "outside scan path",
            Reason::NotExported => "not exported by the package",
            Reason::InvalidSpecifier => "invalid specifier",
            Reason::DecidedAtRunTime => "decided at run time",
        }
    }
}

impl Target {
    /// The analysed file, where it is one.
    pub fn file(&self) -> Option<&str> {
        match self {
            Target::File(path) => Some(path),
            _ => None,
        }
    }

    /// Those that a pattern matches.
    pub fn files(&self) -> &[String] {
        match self {
            Target::Files(paths) => paths,
            _ => &[],
        }
    }
}
