//! The one index over a tree: what each file says, where its imports lead, what it therefore promises. Owns when
//! something has to be read again and what may be remembered; what is remembered can always be made anew, and a look
//! that remembers gives the same index as one that does not.
//!
//! Two stages. What a file says by itself is kept by its content, for all worktrees of a clone ([`pack`]). What it
//! promises hangs on its imports too, and is made again for what changed and for everything that imports that.

mod build;
mod known;
mod local;
mod pack;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_contracts::graph::Graph;
use becket_contracts::model::Contract;
use becket_contracts::target::Target;

use self::known::Known;
pub use self::local::{Key, Local, facts_of};
use self::pack::Pack;
use crate::resolve::{Contents, Resolver};
use crate::walk::{Role, Tests, WalkError, WalkProblem, Walked};

#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error(transparent)]
    Walk(#[from] WalkError),
    #[error("the index in {} cannot be cleared", path.display())]
    Clear { path: PathBuf, source: io::Error },
}

/// A tree that was looked at.
#[derive(Debug)]
pub struct Index {
    /// By path.
    files: Vec<IndexedFile>,
    graph: Graph,
    problems: Vec<WalkProblem>,
    known: Known,
    resolver: Arc<Resolver>,
    work: Work,
}

/// One analysed file.
#[derive(Debug, Clone)]
pub struct IndexedFile {
    pub path: String,
    pub local: Arc<Local>,
    /// By specifier.
    pub targets: Arc<BTreeMap<String, Target>>,
    pub contract: Arc<Contract>,
}

/// What it cost to make an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Files whose bytes were read.
    pub read: usize,
    /// Files that were parsed.
    pub parsed: usize,
    /// Files whose contract was made anew.
    pub linked: usize,
    /// Whether something in the cache could not be used and was made anew.
    pub repaired: bool,
}

/// Where an index looks, and where it remembers.
#[derive(Debug, Clone)]
pub struct Place {
    pub root: PathBuf,
    /// A folder of its own in becket's cache, shared by the worktrees of a clone. It may not exist yet.
    pub cache: PathBuf,
    pub tests: Tests,
}

impl Index {
    /// The tree as it is now. `previous` is an earlier index of the same place, if there is one in memory.
    pub fn of(place: &Place, previous: Option<&Index>) -> Result<Self, IndexError> {
        let loaded = match previous {
            Some(_) => None,
            None => Known::load(place),
        };
        let known = previous.map(|index| &index.known).or(loaded.as_ref());
        let (walked, taken) = known::look(place, known)?;
        if let Some(index) = previous.filter(|index| index.known.is_current(&walked)) {
            return Ok(index.again());
        }
        // With an index in memory only the few edited files are parsed: cheaper than reading what was remembered.
        let mut pack = match previous {
            Some(_) => Pack::empty(&place.cache),
            None => Pack::open(&place.cache),
        };
        let root = place.root.clone();
        let read = move |path: &str| local::read(&root, path);
        let index = build::build(walked, taken, &read, known, &mut pack, previous);
        if previous.is_none() {
            pack.save();
        }
        index.known.save(place);
        Ok(index)
    }

    /// The same over files that are not on the disk: a commit. Remembers what files say, and no stamps. `beside` is an
    /// index of much the same files, if there is one.
    pub fn of_given(walked: Walked, contents: &dyn Contents, cache: &Path, beside: Option<&Index>) -> Self {
        let mut pack = match beside {
            Some(_) => Pack::empty(cache),
            None => Pack::open(cache),
        };
        let index = build::build(walked, 0, contents, None, &mut pack, beside);
        if beside.is_none() {
            pack.save();
        }
        index
    }

    /// Forgets everything: the next look starts from nothing.
    pub fn clear(cache: &Path) -> Result<(), IndexError> {
        known::clear(cache).map_err(|source| IndexError::Clear { path: cache.to_owned(), source })
    }

    /// By path.
    pub fn files(&self) -> &[IndexedFile] {
        &self.files
    }

    pub fn file(&self, path: &str) -> Option<&IndexedFile> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|at| &self.files[at])
    }

    /// Positions in it are positions in [`Index::files`].
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// What could not be looked at.
    pub fn problems(&self) -> &[WalkProblem] {
        &self.problems
    }

    /// tsconfig files that extend something that is not there.
    pub fn lost_extends(&self) -> &[(String, String)] {
        self.resolver.lost_extends()
    }

    pub fn work(&self) -> Work {
        self.work
    }

    /// Every file of the tree that is not ignored, with what it is to the analysis.
    pub fn tree(&self) -> impl Iterator<Item = (&str, Role)> {
        self.known.walked.files.iter().map(|file| (file.path.as_str(), file.role))
    }

    /// Every folder that was looked into, relative to the root; empty for the root itself.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.known.walked.folders.iter().map(|folder| folder.path.as_str())
    }

    fn again(&self) -> Self {
        Self {
            files: self.files.clone(),
            graph: self.graph.clone(),
            problems: self.problems.clone(),
            known: self.known.clone(),
            resolver: Arc::clone(&self.resolver),
            work: Work::default(),
        }
    }
}

#[cfg(test)]
mod tests;
