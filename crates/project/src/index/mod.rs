//! The one index over a tree: what each file says, where its imports lead, what it therefore promises. Owns when
//! something has to be read again and what may be remembered; what is remembered can always be made anew, and a look
//! that remembers gives the same index as one that does not.
//!
//! Two stages. What a file says by itself is kept by its content, for all worktrees of a clone. What it promises hangs
//! on its imports too: it is kept with the files that were looked at to make it, and made again when one of those shows
//! another face; and with those that were asked for names, which matter when one of these names is exported otherwise
//! ([`shown`]). Where its routes are reachable hangs on files that import it: that is put in afterwards
//! ([`mounted`]). Both lie in packs and are read one by one, when somebody asks ([`kept`], [`pack`]).

mod adding;
mod build;
mod compact;
mod file;
mod kept;
mod known;
mod local;
mod look;
mod mounted;
mod pack;
mod reading;
mod recalled;
mod shown;
mod step;
mod stored;
mod touched;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use becket_base::{ByName, Parts};
use becket_contracts::graph::Graph;
use becket_contracts::target::Target;
use xxhash_rust::xxh3::xxh3_128;

use self::adding::Adding;
pub use self::file::{FileRecord, IndexedFile};
use self::kept::Again;
pub use self::kept::Linked;
use self::known::Known;
use self::local::OnDisk;
pub use self::local::{GENERATION, Key, Local, facts_of};
pub use self::look::{Gist, Look};
use self::pack::{FACTS, Pack};
pub use self::reading::Reading;
pub use self::stored::{seal, unsealed};
use self::touched::Touched;
use crate::resolve::{Contents, Resolver};
use crate::walk::{Found, Role, Tests, WalkError, WalkProblem, Walked, rules};

/// Where the imports of a file lead, by specifier.
pub type Targets = ByName<Target>;

/// A `tsconfig` file, and what of it is lost, in words.
type LostExtends = (String, String);

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
    files: Parts<Arc<IndexedFile>>,
    /// Of all sources.
    bytes: usize,
    graph: Arc<KeptGraph>,
    problems: Vec<WalkProblem>,
    known: Arc<Known>,
    /// Made when an import has to be followed that was not there before.
    resolver: Arc<OnceLock<Resolver>>,
    lost_extends: Arc<[LostExtends]>,
    adding: Arc<Adding>,
    id: IndexId,
    work: Work,
    again: Option<Arc<Again>>,
    unsaved: AtomicBool,
}

/// Stands for everything that an index says.
pub type IndexId = [u8; 16];

/// The graph, which is read when somebody asks for it.
#[derive(Debug)]
struct KeptGraph {
    /// Nothing where it could not be read.
    value: OnceLock<Option<Graph>>,
    /// What is there then.
    instead: OnceLock<Graph>,
    id: IndexId,
    file: Option<PathBuf>,
    /// What is to be written of it.
    unsaved: Mutex<Option<Vec<u8>>>,
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
    /// Who is told how far a look is that has to read everything.
    pub reading: Reading,
}

impl Index {
    /// The tree as it is now. `previous` is an earlier index of the same place, if there is one in memory. What is new is
    /// remembered by [`Index::save`].
    pub fn of(place: &Place, previous: Option<&Index>) -> Result<Self, IndexError> {
        crate::share::prepare();
        let previous = previous.filter(|index| !index.is_damaged());
        let Some(previous) = previous else { return Ok(Look::at(place)?.index(place, || ()).0) };
        let (walked, taken) = known::look(place, Some(&previous.known))?;
        Ok(Self::seen(place, (walked, taken), Some(previous), None, true))
    }

    /// The tree as it is now, by somebody's word that nothing else was touched since `previous` than `changed`, which are
    /// paths of the tree. Where that cannot be enough the whole tree is looked at.
    pub fn after(place: &Place, previous: &Index, changed: &[String]) -> Result<Self, IndexError> {
        let looked = known::look_at(place, &previous.known, changed).filter(|_| !previous.is_damaged());
        let Some((walked, touched)) = looked else { return Self::of(place, Some(previous)) };
        let touched = Touched::at(&previous.known, &walked, touched);
        // What was not looked at now is as old as the look before.
        match step::step(place, previous, walked, previous.known.taken, &touched) {
            Ok(index) if !previous.is_damaged() => Ok(index),
            _ => Self::of(place, Some(previous)),
        }
    }

    /// `touched` are the sources that may be others than in `previous`, if that is known.
    fn seen(
        place: &Place,
        (walked, taken): (Walked, i64),
        previous: Option<&Index>,
        touched: Option<&Touched>,
        resident: bool,
    ) -> Self {
        if let Some(index) = previous.filter(|index| index.known.is_current(&walked)) {
            let same = index.known.walked == walked;
            let index = index.again(walked, taken);
            // Folders that were only touched are not read a second time.
            index.unsaved.store(!same && !resident, Ordering::Relaxed);
            return index;
        }
        let since = || Touched::since(&previous?.known, &walked);
        let own = if touched.is_none() { since() } else { None };
        let walked = match previous.zip(touched.or(own.as_ref())) {
            Some((previous, touched)) => match step::step(place, previous, walked, taken, touched) {
                Ok(index) if !previous.is_damaged() => {
                    // With an index in memory the next process repeats a few steps at most.
                    index.unsaved.store(!resident, Ordering::Relaxed);
                    return index;
                }
                Ok(index) => index.known.walked.clone(),
                Err(walked) => walked,
            },
            None => walked,
        };
        let read = OnDisk::at(&place.root);
        let facts = Pack::new(&place.cache, FACTS);
        let build = |walked, previous| build::build(walked, taken, &read, &facts, previous, &place.reading);
        // What it said was made anew from the files of now, and so tells nothing of what changed since.
        let sound = |previous: &&Index| !previous.is_damaged();
        let index = build(walked, previous.filter(sound));
        if previous.is_none_or(|previous| sound(&previous)) {
            index
        } else {
            build(index.known.walked.clone(), None)
        }
    }

    /// Remembers it, unless that was done. May run beside whatever reads the index; that it could not is no failure. What
    /// was made of a damaged cache is not remembered: the next process would meet the damage again.
    pub fn save(&self, place: &Place) {
        if self.unsaved.swap(false, Ordering::Relaxed) && !self.is_damaged() {
            stored::save(self, place);
        }
    }

    /// The same over files that are not on the disk: a commit. Remembers what files say, and no stamps. `beside` is an
    /// index of much the same files, if there is one.
    pub fn of_given(walked: Walked, contents: &dyn Contents, cache: &Path, beside: Option<&Index>) -> Self {
        let facts = Pack::new(cache, FACTS);
        let index = build::build(walked, 0, contents, &facts, beside, &Reading::default());
        if beside.is_none() {
            stored::save_facts(&index, &facts);
        }
        index
    }

    /// An index that was, by the records of its files in the order of their paths, from what the cache still holds of them;
    /// `None` where one is gone. It knows nothing of the tree beside its files.
    pub fn recalled(cache: &Path, records: &[FileRecord]) -> Option<Self> {
        recalled::recalled(cache, records)
    }

    fn without_cache(place: &Place) -> Result<Self, IndexError> {
        let (walked, taken) = known::look(place, None)?;
        let read = OnDisk::at(&place.root);
        Ok(build::build(walked, taken, &read, &Pack::new(&place.cache, ""), None, &place.reading))
    }

    /// Forgets everything: the next look starts from nothing.
    pub fn clear(cache: &Path) -> Result<(), IndexError> {
        stored::clear(cache).map_err(|source| IndexError::Clear { path: cache.to_owned(), source })
    }

    /// By path.
    pub fn files(&self) -> &Parts<Arc<IndexedFile>> {
        &self.files
    }

    /// Of all of them.
    pub fn source_bytes(&self) -> usize {
        self.bytes
    }

    pub fn file(&self, path: &str) -> Option<&IndexedFile> {
        self.position(path).map(|at| &*self.files[at])
    }

    pub fn position(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|file| (*file.path).cmp(path)).ok()
    }

    /// Positions in it are positions in [`Index::files`].
    pub fn graph(&self) -> &Graph {
        let paths = || self.files.iter().map(|file| Arc::clone(&file.path)).collect();
        let again = || self.again.as_ref().and_then(|again| again.index()).map(|index| index.graph().clone());
        let instead = || again().unwrap_or_else(|| Graph::from_edges(paths(), Vec::new()));
        self.graph.read(paths).unwrap_or_else(|| self.graph.instead.get_or_init(instead))
    }

    /// The same for the same edges.
    pub fn graph_id(&self) -> IndexId {
        self.graph.id
    }

    /// The same for the same files with the same promises, whenever and wherever it was made.
    pub fn id(&self) -> IndexId {
        self.id
    }

    /// What could not be looked at.
    pub fn problems(&self) -> &[WalkProblem] {
        &self.problems
    }

    /// tsconfig files that cannot be read, or extend something that is not there, each with what is said of it.
    pub fn lost_extends(&self) -> &[(String, String)] {
        &self.lost_extends
    }

    pub fn work(&self) -> Work {
        self.work
    }

    /// Every file of the tree that is not ignored, with what it is to the analysis.
    pub fn tree(&self) -> impl Iterator<Item = (&str, Role)> {
        self.known.walked.files.iter().map(|file| (&*file.path, file.role))
    }

    /// Sources that are not read though they are no tests, with the reason.
    pub fn left_out(&self) -> impl Iterator<Item = (&str, &'static str)> {
        left_out(&self.known)
    }

    /// Every folder that was looked into, relative to the root; empty for the root itself.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.known.walked.folders.iter().map(|folder| folder.path.as_str())
    }

    /// Files that are imported without being read as source (style sheets, for one), and were touched since `before`.
    pub fn touched_assets<'a>(&'a self, before: &'a Index) -> impl Iterator<Item = &'a str> {
        let known = &before.known.walked.files;
        let is_same = |file: &Found| {
            let at = known.binary_search_by(|known| known.path.cmp(&file.path));
            at.is_ok_and(|at| known[at].stamp == file.stamp)
        };
        let assets = self.known.walked.files.iter().filter(|file| file.role == Role::Asset);
        assets.filter(move |file| !is_same(file)).map(|file| &*file.path)
    }

    /// Whether the tree had the same files and folders in the other look.
    pub fn has_same_names(&self, other: &Index) -> bool {
        let (one, other) = (&self.known.walked, &other.known.walked);
        let mut folders = one.folders.unshared(&other.folders);
        let mut files = one.files.unshared(&other.files);
        one.folders.len() == other.folders.len()
            && one.files.len() == other.files.len()
            && folders.all(|at| one.folders[at].path == other.folders[at].path)
            && files.all(|at| one.files[at].has_path(&other.files[at].path))
    }

    fn is_damaged(&self) -> bool {
        self.again.as_ref().is_some_and(|again| again.was_needed())
    }

    fn again(&self, walked: Walked, taken: i64) -> Self {
        Self {
            files: self.files.clone(),
            bytes: self.bytes,
            graph: Arc::clone(&self.graph),
            problems: self.problems.clone(),
            known: Arc::new(Known { walked, keys: self.known.keys.clone(), taken }),
            resolver: Arc::clone(&self.resolver),
            lost_extends: Arc::clone(&self.lost_extends),
            adding: Arc::clone(&self.adding),
            id: self.id,
            work: Work::default(),
            again: self.again.clone(),
            unsaved: AtomicBool::new(false),
        }
    }
}

fn left_out(known: &Known) -> impl Iterator<Item = (&str, &'static str)> {
    known.walked.files.iter().zip(&known.keys).filter_map(|(file, key)| {
        let reason = match file.role {
            Role::LeftOut => rules::unreadable(&file.path, file.stamp.size)?,
            Role::Source if key.is_none() => "unreadable",
            _ => return None,
        };
        Some((&*file.path, reason))
    })
}

impl KeptGraph {
    fn stored(file: PathBuf, id: IndexId) -> Self {
        let (value, instead) = (OnceLock::new(), OnceLock::new());
        Self { value, instead, id, file: Some(file), unsaved: Mutex::default() }
    }

    fn read(&self, paths: impl FnOnce() -> Vec<Arc<str>>) -> Option<&Graph> {
        let stored = || stored::graph(self.file.as_deref()?, self.id, paths());
        self.value.get_or_init(stored).as_ref()
    }

    fn take_unsaved(&self) -> Option<Vec<u8>> {
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn fresh(graph: Graph) -> Self {
        let encoded = stored::encode_graph(&graph);
        let id = xxh3_128(&encoded).to_le_bytes();
        let (value, unsaved) = (OnceLock::from(Some(graph)), Mutex::new(Some(encoded)));
        Self { value, instead: OnceLock::new(), id, file: None, unsaved }
    }
}

#[cfg(test)]
mod tests;
