//! What grouping and planning are given: changes, and what is known about the repository. All of it is plain data.

use std::sync::Arc;

use becket_diff::{FileChange, FilePath};
use serde::{Deserialize, Serialize};

use crate::history::History;
use crate::words::hash;

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
    /// For changes of files whose contract is known, in the order of changes, each at most once.
    pub contracts: &'a [ContractFacts],
    /// Units, by their place in `units`, that cannot be parted: a deletion and the addition that takes its place, say.
    pub together: &'a [Vec<usize>],
    /// Units that say themselves what they belong to. One that belongs to another stands behind it.
    pub companions: &'a [Companion],
    pub breaking: &'a [Breaking],
}

impl<'a> Evidence<'a> {
    /// The history, and nothing else.
    pub fn of(history: &'a History) -> Self {
        Self { history, embeddings: None, contracts: &[], together: &[], companions: &[], breaking: &[] }
    }
}

/// A unit that goes where most of what it belongs to is, as a note goes with the code that it cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Companion {
    /// By their place in `units`, as below.
    pub unit: usize,
    pub with: Vec<usize>,
    /// What says so: `citation`, `rename`.
    pub signal: &'static str,
    /// For a person: "note 00012 cites `src/money.ts#format`".
    pub reason: String,
}

/// A promise to others that units break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breaking {
    /// Those that touch it, by their place in `units`. The first commit that has one of them is the one that breaks it.
    pub units: Vec<usize>,
    /// What is broken and how, in one line.
    pub text: String,
}

/// What the contracts say of one change, before and after it. Names are as in source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractFacts {
    /// Which of the changes, counted from zero.
    pub change: usize,
    pub old: SideFacts,
    pub new: SideFacts,
}

/// A file before or after a change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideFacts {
    /// At its outermost level, with lines counted from 1 and inclusive.
    pub declares: Vec<DeclaredName>,
    /// Names that it takes from other files of the repository.
    pub uses: Vec<UsedName>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredName {
    pub name: String,
    pub exported: bool,
    pub first_line: usize,
    pub last_line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedName {
    /// What it is called here.
    pub local: String,
    /// The file that declares it, as `FilePath::to_text` writes it, and its name there.
    pub path: String,
    pub name: String,
}

impl SideFacts {
    /// What is declared around a line, the innermost.
    pub(crate) fn around(&self, line: usize) -> Option<&DeclaredName> {
        let holding = self.declares.iter().filter(|it| (it.first_line..=it.last_line).contains(&line));
        holding.min_by_key(|it| it.last_line - it.first_line)
    }

    /// What a name means here: the file that declares it, `own` for this one, and its name there. Nothing for a name that
    /// is only known further in.
    pub(crate) fn meaning<'a>(&'a self, name: &'a str, own: &'a str) -> Option<(&'a str, &'a str)> {
        let used = self.uses.iter().find(|used| used.local == name);
        let declared = || self.declares.iter().any(|declared| declared.name == name).then_some((own, name));
        used.map(|used| (used.path.as_str(), used.name.as_str())).or_else(declared)
    }
}

/// Stands for what a file declares under a name.
pub(crate) fn symbol(path: &str, name: &str) -> u64 {
    hash(hash(7, path.as_bytes()), name.as_bytes())
}

/// Of one change, where they are known.
pub(crate) fn facts_of(contracts: &[ContractFacts], change: usize) -> Option<&ContractFacts> {
    contracts.binary_search_by_key(&change, |facts| facts.change).ok().map(|place| &contracts[place])
}
