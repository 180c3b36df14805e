//! From a look at the tree to the index: reads what is not known, resolves every import, and makes the contracts of
//! everything that is not as it was.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use becket_contracts::fingerprint;
use becket_contracts::graph::{
    Behind, DeclaredModules, Edge, Graph, Library, Members, NextApp, needs, stars, twin_of,
};
use becket_contracts::link::{link, may_be_of_any_library, may_be_route};
use becket_contracts::model::{Declaration, ExportOrigin, LocalFacts};
use becket_contracts::target::Target;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128, xxh3_128_with_seed};

use super::adding::Adding;
use super::file::{IndexedFile, RestsOn, edges_digest, written, written_key};
use super::kept::{Kept, Linked};
use super::known::Known;
use super::local::{Key, Local, Surface, reuse};
use super::pack::{Pack, Record, Slot};
use super::reading::Reading;
use super::shown::Shown;
use super::{Index, IndexId, KeptGraph, LostExtends, Targets, Work, mounted};
use crate::resolve::{Contents, Loading, Modules, Resolver};
use crate::share::AT_ONCE;
use crate::walk::{Found, Role, WalkProblem, Walked};

pub(super) fn build(
    walked: Walked,
    taken: i64,
    contents: &dyn Contents,
    pack: &Pack,
    previous: Option<&Index>,
    reading: &Reading,
) -> Index {
    crate::share::prepare();
    // Where the threads are, so that each step need not go there by itself.
    rayon::scope(|_| build_here(walked, taken, contents, pack, previous, reading))
}

/// Bytes of a source that takes a while.
const LARGE: u64 = 64 * 1024;

/// A file on its way into the index.
pub(super) struct Raw<'a> {
    pub(super) path: &'a Arc<str>,
    pub(super) key: Key,
    pub(super) local: Arc<Local>,
    pub(super) slot: Option<Slot>,
    pub(super) surface: Surface,
    pub(super) targets: Arc<Targets>,
    pub(super) old: Option<&'a IndexedFile>,
}

fn build_here(
    walked: Walked,
    taken: i64,
    contents: &dyn Contents,
    pack: &Pack,
    previous: Option<&Index>,
    reading: &Reading,
) -> Index {
    let mut work = Work::default();
    let mut problems = walked.problems.clone();
    let mut keys: Vec<Option<Key>> = vec![None; walked.files.len()];
    let sources: Vec<(usize, &Found)> =
        walked.files.iter().enumerate().filter(|(_, file)| file.role == Role::Source).collect();
    let count = reading.of(sources.len());
    // A lock file can be larger than all sources: nobody waits for it but those who resolve.
    let (resolver, read) = rayon::join(
        || Resolver::new(Modules::of(&walked), contents),
        || -> Vec<Option<Read>> {
            // All would wait for a large one that came last.
            let mut order: Vec<usize> = (0..sources.len()).collect();
            order.sort_by_key(|at| Reverse(sources[*at].1.stamp.size / LARGE));
            let read_one = |at: &usize| {
                count.one_more();
                local_of(sources[*at].1, contents, pack, previous)
            };
            let mut read: Vec<_> = order.par_iter().with_max_len(AT_ONCE).map(read_one).collect();
            let mut sorted: Vec<_> = sources.iter().map(|_| None).collect();
            order.iter().zip(&mut read).for_each(|(at, read)| sorted[*at] = read.take());
            sorted
        },
    );
    let said = sources.iter().zip(&read);
    let said = said.filter_map(|((_, file), read)| Some((&*file.path, &read.as_ref()?.local.facts)));
    let modules = DeclaredModules::of(said);
    let targets: Vec<Arc<Targets>> = sources
        .par_iter()
        .with_max_len(AT_ONCE)
        .zip(&read)
        .map(|((_, file), read)| match read {
            Some(read) => targets_of(&file.path, &read.local.facts, |loading, specifier| {
                Some(modules.led(&file.path, specifier, found(&resolver, loading, &file.path, specifier)?))
            })
            .into(),
            None => Arc::default(),
        })
        .collect();
    work.repaired = pack.is_damaged();
    let mut raw: Vec<Raw<'_>> = Vec::with_capacity(sources.len());
    for (((at, file), read), targets) in sources.iter().zip(read).zip(targets) {
        let Some(Read { key, local, surface, slot, effort }) = read else {
            let message = "it could not be read".to_owned();
            problems.push(WalkProblem { path: file.path.to_string(), message });
            continue;
        };
        work.read += usize::from(effort >= Effort::Read);
        work.parsed += usize::from(effort == Effort::Parsed);
        keys[*at] = Some(key);
        let old = previous.and_then(|previous| previous.file(&file.path));
        raw.push(Raw { path: &file.path, key, local, slot, surface, targets, old });
    }
    problems.sort();

    let mut tree = Tree::of(&raw);
    tree.adding = Arc::new(Adding::of(&tree, raw.len(), modules));
    let dirty = dirty(&raw, &tree.adding, previous);
    let made: Vec<(Arc<IndexedFile>, Vec<Edge>)> = (0..raw.len())
        .into_par_iter()
        .with_max_len(AT_ONCE)
        .map(|at| match (raw[at].old, previous) {
            (Some(old), Some(previous)) if !dirty[at] => kept(old, previous, &tree, at),
            _ => {
                let Raw { path, key, local, slot, surface, targets, old } = &raw[at];
                let local = Kept::fresh(Arc::clone(local), *key, None).with_slot(*slot);
                made(&tree, at, path, local, *surface, Arc::clone(targets), *old)
            }
        })
        .collect();
    work.linked = dirty.iter().filter(|dirty| **dirty).count();
    let (mut files, edges): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    mounted::all(&mut files, previous);
    let adding = Arc::clone(&tree.adding);
    let lost: Arc<[LostExtends]> = resolver.lost_extends().into();
    let paths = raw.iter().map(|file| Arc::clone(file.path)).collect();
    let (id, graph) = rayon::join(
        || index_id(&files, &problems, &lost),
        || {
            drop(raw);
            KeptGraph::fresh(Graph::from_edges(paths, edges))
        },
    );
    let unlisted = Arc::new(resolver.unlisted().clone());
    let walked = Walked { unlisted, ..walked.decided_by(resolver.rests_on()) };
    Index {
        bytes: files.iter().map(|file| file.bytes).sum(),
        files: files.into(),
        graph: Arc::new(graph),
        problems,
        known: Arc::new(Known { walked, keys: keys.into(), taken }),
        resolver: Arc::new(OnceLock::from(resolver)),
        lost_extends: lost,
        adding,
        id,
        work,
        again: previous.and_then(|previous| previous.again.clone()),
        unsaved: AtomicBool::new(true),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effort {
    Remembered,
    Read,
    Parsed,
}

struct Read {
    key: Key,
    local: Arc<Local>,
    surface: Surface,
    slot: Option<Slot>,
    effort: Effort,
}

fn local_of(file: &Found, contents: &dyn Contents, pack: &Pack, previous: Option<&Index>) -> Option<Read> {
    let old = previous.and_then(|previous| previous.file(&file.path));
    let same = |key: Key, effort: Effort| {
        let old = old.filter(|old| old.local.key == key)?;
        let (local, surface) = (Arc::clone(old.local()), old.surface);
        Some(Read { key, local, surface, slot: old.local.slot(), effort })
    };
    if let Some(known) = previous.and_then(|previous| previous.known.key(file)) {
        if let Some(read) = same(known, Effort::Remembered) {
            return Some(read);
        }
    }
    let bytes = contents.read(&file.path)?;
    let content = blake3::hash(&bytes);
    let key = Key::of(&file.path, &content);
    if let Some(read) = same(key, Effort::Read) {
        return Some(read);
    }
    let found = pack.find(key).and_then(|(payload, slot)| Some((rmp_serde::from_slice(payload).ok()?, slot)));
    let (local, slot, effort) = match found {
        Some((local, slot)) => (local, Some(slot), Effort::Read),
        None => (Local::parse(&file.path, &bytes, &content), None, Effort::Parsed),
    };
    reuse(bytes);
    let surface = Surface::of(&local.facts);
    Some(Read { key, local: Arc::new(local), surface, slot, effort })
}

/// Among the targets of a file that may be a route, no import, but the app of Next.js that it belongs to.
pub(super) const NEXT: &str = "next/";

/// The same for a file with hooks or components: the library that they are of.
pub(super) const LIBRARY: &str = "library/";

/// Where a specifier leads, or [`NEXT`], or [`LIBRARY`].
pub(super) fn found(resolver: &Resolver, loading: Loading, from: &str, specifier: &str) -> Option<Target> {
    if specifier == LIBRARY {
        let library = match resolver.library(from) {
            Library::Unknown => return None,
            Library::React => "react",
            Library::Vue => "vue",
            Library::Other => "",
        };
        return Some(Target::Builtin(library.to_owned()));
    }
    if specifier != NEXT {
        return Some(resolver.resolve_for(loading, from, specifier));
    }
    let (folder, asks_for_it) = resolver.home(from, "next")?;
    Some(Target::Builtin(if asks_for_it { format!("{NEXT}{folder}") } else { String::new() }))
}

/// What was found as [`NEXT`].
pub(super) fn next_app(target: Option<&Target>) -> NextApp<'_> {
    match target {
        Some(Target::Builtin(app)) => app.strip_prefix(NEXT).map_or(NextApp::Absent, NextApp::In),
        _ => NextApp::Unknown,
    }
}

/// What was found as [`LIBRARY`].
pub(super) fn library(target: Option<&Target>) -> Library {
    match target {
        Some(Target::Builtin(library)) if library == "react" => Library::React,
        Some(Target::Builtin(library)) if library == "vue" => Library::Vue,
        Some(_) => Library::Other,
        None => Library::Unknown,
    }
}

/// Where each specifier leads; one that `resolve` knows nothing of is left out.
pub(super) fn targets_of(
    path: &str,
    facts: &LocalFacts,
    resolve: impl Fn(Loading, &str) -> Option<Target>,
) -> Targets {
    let resolve = |specifier: &str| resolve(Loading::of(path, facts, specifier), specifier);
    let exported = facts.exports.iter().filter_map(|export| match &export.origin {
        ExportOrigin::Module { specifier, .. } => Some(specifier),
        ExportOrigin::Local(_) => None,
    });
    let mut specifiers: Vec<&String> =
        facts.imports.iter().map(|import| &import.specifier).chain(exported).collect();
    specifiers.sort_unstable();
    specifiers.dedup();
    let led = specifiers.iter().filter_map(|specifier| Some(((*specifier).clone(), resolve(specifier)?)));
    let mut targets: Vec<(String, Target)> = Vec::with_capacity(specifiers.len());
    targets.extend(led);
    // What is no module itself declares others, and adds to none.
    let adding = facts.declarations.iter().filter(|_| !facts.is_global);
    for (to, _) in adding.filter_map(Declaration::adds) {
        // Most such blocks speak of packages, which nobody imports by them.
        if specifiers.binary_search_by(|specifier| specifier.as_str().cmp(to)).is_err() {
            let other = resolve(to).filter(|target| target.file().is_some_and(|file| file != path));
            targets.extend(other.map(|one| (to.to_owned(), one)));
        }
    }
    if may_be_route(path, facts) {
        targets.extend(resolve(NEXT).map(|app| (NEXT.to_owned(), app)));
    }
    if may_be_of_any_library(facts) {
        targets.extend(resolve(LIBRARY).map(|library| (LIBRARY.to_owned(), library)));
    }
    targets.into_iter().collect()
}

/// What has to be made again: a file that says or reaches something else, and every file that was made by looking at one
/// that others see otherwise now.
fn dirty(raw: &[Raw<'_>], adding: &Adding, previous: Option<&Index>) -> Vec<bool> {
    let Some(previous) = previous else { return vec![true; raw.len()] };
    let unlike = previous.adding.unlike(adding);
    let same_targets: Vec<bool> =
        raw.par_iter().map(|file| file.old.is_some_and(|old| *old.targets() == *file.targets)).collect();
    let mut shown = Shown::default();
    for (at, old) in previous.files.iter().enumerate() {
        match raw.binary_search_by(|file| file.path.cmp(&old.path)) {
            Ok(now) if same_targets[now] && old.surface == raw[now].surface => {}
            Ok(now) => shown.add(at, old, Some((&raw[now].local.facts, &raw[now].targets))),
            Err(_) => shown.add(at, old, None),
        }
    }
    unlike.iter().filter_map(|path| previous.position(path)).for_each(|at| shown.add_all(at));
    shown.through_stars(|| previous.graph());
    raw.iter()
        .zip(&same_targets)
        .map(|(file, same_targets)| {
            let Some(old) = file.old else { return true };
            let is_touched = || previous.position(file.path).is_none_or(|at| shown.touches(at, old));
            let is_other = !*same_targets || old.local.key != file.key || unlike.contains(&**file.path);
            is_other || is_touched()
        })
        .collect()
}

/// A file as it was, in a tree where positions may be others.
fn kept(old: &IndexedFile, previous: &Index, tree: &Tree<'_>, at: usize) -> (Arc<IndexedFile>, Vec<Edge>) {
    let moved = |from: u32| {
        let path = &previous.files.get(from as usize)?.path;
        tree.position(path).and_then(|at| u32::try_from(at).ok())
    };
    let rests_on = old.rests_on.moved(moved);
    let edges = needs(tree, at).edges;
    let file = old.promising(old.linked.again());
    (Arc::new(IndexedFile { rests_on, edges: edges_digest(tree, &edges), ..file }), edges)
}

/// A file with a contract made now, in the place of an old one.
pub(super) fn made(
    tree: &impl Members,
    at: usize,
    path: &Arc<str>,
    local: Kept<Local>,
    surface: Surface,
    targets: Arc<Targets>,
    old: Option<&IndexedFile>,
) -> (Arc<IndexedFile>, Vec<Edge>) {
    let linked = link(tree, at);
    let needs = needs(tree, at);
    let (mut contract, looked_at, handed) = (linked.contract, linked.rests_on, linked.handed);
    let places = |others: &[usize]| others.iter().filter_map(|other| u32::try_from(*other).ok()).collect();
    let mut entered = [needs.asked, looked_at.entered].concat();
    entered.sort_unstable();
    entered.dedup();
    let mut names = looked_at.names;
    names.add(needs.names);
    let [followed, entered]: [Vec<u32>; 2] = [places(&looked_at.followed), places(&entered)];
    let rests_on = RestsOn::new(&followed, &entered, names);
    let (tokens, bytes) = match local.in_memory() {
        Some(local) => {
            contract.file_hash.clone_from(&local.file_hash);
            (local.tokens, local.bytes)
        }
        None => (0, 0),
    };
    contract.semantic_hash = fingerprint::semantic_hash(&contract);
    let linked = kept_linked(Linked { contract, targets, handed }, old);
    let file = IndexedFile {
        path: Arc::clone(path),
        tokens,
        bytes,
        surface,
        local,
        linked,
        rests_on,
        edges: edges_digest(tree, &needs.edges),
        again: None,
    };
    (Arc::new(file), needs.edges)
}

/// To be written, unless it is written in the place of the old one already.
pub(super) fn kept_linked(linked: Linked, old: Option<&IndexedFile>) -> Kept<Linked> {
    let linked = Arc::new(linked);
    written(&*linked, |payload| {
        let hash = xxh3_128(payload);
        let key = written_key(payload, hash);
        let slot = old.filter(|old| old.linked.key == key).and_then(|old| old.linked.slot());
        let unsaved = slot.is_none().then(|| Record::new(key, payload, hash));
        Kept::fresh(Arc::clone(&linked), key, unsaved).with_slot(slot)
    })
}

pub(super) fn index_id(
    files: &[Arc<IndexedFile>],
    problems: &[WalkProblem],
    lost: &[LostExtends],
) -> IndexId {
    let rest = written(&(problems, lost), xxh3_128);
    files.iter().map(|file| file_id(file)).fold(rest, u128::wrapping_add).to_le_bytes()
}

/// That of an index in which a file stands in the place of another: a sum, so that nobody else is asked.
pub(super) fn id_with(id: IndexId, old: &IndexedFile, new: &IndexedFile) -> IndexId {
    u128::from_le_bytes(id).wrapping_sub(file_id(old)).wrapping_add(file_id(new)).to_le_bytes()
}

fn file_id(file: &IndexedFile) -> u128 {
    let mut keys = [0; 64];
    keys[..32].copy_from_slice(&file.local.key.0);
    keys[32..].copy_from_slice(&file.linked.key.0);
    xxh3_128_with_seed(file.path.as_bytes(), xxh3_64(&keys))
}

/// The files as the linker and the graph ask for them.
pub(super) struct Tree<'a> {
    positions: FxHashMap<&'a str, usize>,
    raw: &'a [Raw<'a>],
    /// Asked again and again where a barrel has many of them.
    stars: Vec<OnceLock<Box<[usize]>>>,
    behind: Vec<Behind>,
    adding: Arc<Adding>,
}

impl<'a> Tree<'a> {
    pub(super) fn of(raw: &'a [Raw<'a>]) -> Self {
        let stars = raw.iter().map(|_| OnceLock::new()).collect();
        let positions = raw.iter().enumerate().map(|(at, file)| (&**file.path, at)).collect();
        let behind = raw.iter().map(|_| Behind::default()).collect();
        Self { positions, raw, stars, behind, adding: Arc::default() }
    }

    fn position(&self, path: &str) -> Option<usize> {
        self.positions.get(path).copied()
    }
}

impl Members for Tree<'_> {
    fn path(&self, at: usize) -> &str {
        self.raw[at].path
    }

    fn facts(&self, at: usize) -> &LocalFacts {
        &self.raw[at].local.facts
    }

    fn file(&self, from: usize, specifier: &str) -> Option<usize> {
        self.position(self.raw[from].targets.get(specifier)?.file()?)
    }

    fn matched(&self, from: usize, pattern: &str) -> Vec<usize> {
        let files = self.raw[from].targets.get(pattern).map(Target::files).unwrap_or_default();
        files.iter().filter_map(|path| self.position(path)).collect()
    }

    fn stars(&self, at: usize) -> Cow<'_, [usize]> {
        Cow::Borrowed(self.stars[at].get_or_init(|| stars(self, at).into()))
    }

    fn behind(&self, at: usize) -> Option<&Behind> {
        self.behind.get(at)
    }

    fn twin(&self, at: usize) -> Option<usize> {
        twin_of(self.path(at), |path| self.position(path))
    }

    fn next_app(&self, at: usize) -> NextApp<'_> {
        next_app(self.raw[at].targets.get(NEXT))
    }

    fn library(&self, at: usize) -> Library {
        library(self.raw[at].targets.get(LIBRARY))
    }

    fn declared(&self, to: usize, specifier: &str) -> Option<&str> {
        self.adding.modules.name_in(self.path(to), specifier)
    }

    fn has_declared(&self) -> bool {
        !self.adding.modules.is_empty()
    }

    fn declaring(&self, to: usize, module: &str) -> Vec<usize> {
        self.adding
            .modules
            .near(module, self.path(to))
            .into_iter()
            .filter_map(|path| self.position(path))
            .collect()
    }

    fn adding(&self, at: usize) -> Vec<usize> {
        self.adding.to(self.path(at)).filter_map(|path| self.position(path)).collect()
    }
}
