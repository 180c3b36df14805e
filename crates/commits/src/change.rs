//! What grouping and planning are given: changes, and what is known about the repository. All of it is plain data.

use std::sync::Arc;

use becket_diff::{FileChange, FilePath};
use serde::{Deserialize, Serialize};

use crate::history::History;

/// What happened to one file in one step: between the last commit and the index, or between the index and the file. A
/// path that changed in both has two of these with one id.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// As handed out, `change-3`.
    pub id: &'a str,
    pub stage: Stage,
    /// With any number of context lines. What a limit cut is one indivisible unit.
    pub file: &'a FileChange,
}

impl<'a> Change<'a> {
    /// Where the file is now, or was before it was deleted.
    pub fn path(&self) -> &'a FilePath {
        static NOWHERE: std::sync::LazyLock<FilePath> =
            std::sync::LazyLock::new(|| FilePath::new(Vec::new()));
        self.file.path().unwrap_or(&NOWHERE)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    Staged,
    Unstaged,
    Untracked,
}

/// What is known besides the changes. Each part may be missing; the answer is then made from the rest.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    pub history: &'a History,
    /// One vector for each unit, in the order of `units`; any other number of them is ignored.
    pub embeddings: Option<&'a [Arc<[f32]>]>,
    /// For files whose contract is known.
    pub contracts: &'a [ContractFacts],
    /// Units, by their place in `units`, that cannot be parted: a deletion and the addition that takes its place, say.
    pub together: &'a [Vec<usize>],
}

/// What the contracts say of one changed file. Names are as in source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractFacts {
    /// As `FilePath::to_text` writes it.
    pub path: String,
    /// Names that the file declares, with their lines in the new file, counted from 1 and inclusive.
    pub declares: Vec<DeclaredName>,
    /// Names that it imports, with the file that declares them where that is in the repository.
    pub uses: Vec<UsedName>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredName {
    pub name: String,
    pub first_line: usize,
    pub last_line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedName {
    pub name: String,
    pub path: Option<String>,
}
