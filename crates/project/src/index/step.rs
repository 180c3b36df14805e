//! From an index to the next one where no name came or went and nothing changed that decides resolution: only files that
//! were edited are read, and only what was made by looking at them is made again. Everything else is not even read from
//! the cache.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use becket_contracts::graph::{Behind, Edge, Library, Members, NextApp, stars, twin_of};
use becket_contracts::model::LocalFacts;
use becket_contracts::target::Target;

use super::build::{LIBRARY, NEXT, found, id_with, library, made, next_app, targets_of};
use super::file::IndexedFile;
use super::kept::Kept;
use super::known::Known;
use super::local::{Key, Local, OnDisk, Surface};
use super::shown::Shown;
use super::touched::Touched;
use super::{Index, KeptGraph, Place, Targets, Work, mounted};
use crate::resolve::{Loading, Modules, Resolver};
use crate::share::each;
use crate::walk::{Below, Role, Walked};

/// With more edits than this everything is looked at: reading the cache as a whole is cheaper then.
const MOST_EDITS: usize = 500;

/// With fewer files than this one thread is done before another has begun.
const WORTH_WAKING: usize = 4;

/// With fewer files to make again nobody asks the same twice.
const WORTH_KEEPING: usize = 8;

/// With fewer, nobody asks for most of what is behind a barrel, and all of it would have to be read.
const WORTH_LISTING: usize = 64;

/// A file that was edited.
struct Edited {
    at: usize,
    key: Key,
    local: Arc<Local>,
    surface: Surface,
    targets: Arc<Targets>,
}

/// Gives the look back where a step is not enough.
pub(super) fn step(
    place: &Place,
    previous: &Index,
    walked: Walked,
    taken: i64,
    touched: &Touched,
) -> Result<Index, Walked> {
    let sources = walked.files.iter().filter(|file| file.role == Role::Source).count();
    if touched.sources().len() > MOST_EDITS || sources != previous.files.len() {
        return Err(walked);
    }
    let root = Below::new(&place.root);
    let mut keys = previous.known.keys.clone();
    let mut work = Work { read: touched.sources().len(), ..Work::default() };
    let resolver = &previous.resolver;
    let parsed = each(touched.sources().iter().collect(), WORTH_WAKING, |source| {
        let path = &source.path;
        let content = source.content(&root)?;
        let Some(local) = &content.local else { return Some(None) };
        let at = previous.position(path)?;
        let old = &previous.files[at];
        let found = |how, specifier: &str| {
            let found = found(resolver_of(resolver, place, &walked), how, path, specifier)?;
            Some(previous.adding.modules.led(path, specifier, found))
        };
        let targets = targets_of(path, &local.facts, |how, specifier| {
            // Where a path leads is the same however it is loaded, and so it is for packages of others.
            let is_same = |target: &Target| {
                specifier.starts_with('.')
                    || matches!(target, Target::Package { .. } | Target::Builtin(_))
                    || Loading::of(path, &old.local().facts, specifier) == how
            };
            let known = old.targets().get(specifier).filter(|target| is_same(target));
            known.cloned().or_else(|| found(how, specifier))
        });
        let (key, local, surface) = (content.key, Arc::clone(local), Surface::of(&local.facts));
        Some(Some((source.seen, Edited { at, key, local, surface, targets: targets.into() })))
    });
    let Some(parsed) = parsed.into_iter().collect::<Option<Vec<_>>>() else { return Err(walked) };
    let adds = |file: &Edited| {
        let old = &previous.files[file.at];
        previous.adding.rests_on(&old.path, &file.local.facts, || &old.local().facts)
    };
    if parsed.iter().flatten().any(|(_, file)| adds(file)) {
        return Err(walked);
    }
    let mut edited: BTreeMap<usize, Edited> = BTreeMap::new();
    for (seen, file) in parsed.into_iter().flatten() {
        keys.set(seen, Some(file.key));
        edited.insert(file.at, file);
    }
    work.parsed = edited.len();
    let mut shown = Shown::default();
    for edited in edited.values() {
        let old = &previous.files[edited.at];
        if old.surface != edited.surface || *old.targets() != *edited.targets {
            shown.add(edited.at, old, Some((&edited.local.facts, &edited.targets)));
        }
    }
    shown.through_stars(|| previous.graph());
    let all = previous.files.iter().enumerate();
    let dirty = all.filter(|(at, file)| edited.contains_key(at) || shown.touches(*at, file));
    let dirty: Vec<usize> = dirty.map(|(at, _)| at).collect();

    let keeps = if dirty.len() < WORTH_KEEPING { 0 } else { previous.files.len() };
    let stars = (0..keeps).map(|_| OnceLock::new()).collect();
    let lists = if dirty.len() < WORTH_LISTING { 0 } else { previous.files.len() };
    let behind = (0..lists).map(|_| Behind::default()).collect();
    let overlay = Overlay { previous, edited: &edited, stars, behind };
    let linked: Vec<(usize, Arc<IndexedFile>, Vec<Edge>)> = each(dirty, WORTH_WAKING, |at| {
        let old = &previous.files[at];
        let (local, surface, targets) = if let Some(new) = edited.get(&at) {
            let local = Kept::fresh(Arc::clone(&new.local), new.key, None);
            (local, new.surface, Arc::clone(&new.targets))
        } else {
            let local = Kept::fresh(Arc::clone(old.local()), old.local.key, None);
            (local.with_slot(old.local.slot()), old.surface, Arc::clone(&old.linked().targets))
        };
        let (file, edges) = made(&overlay, at, &old.path, local, surface, targets, Some(old));
        (at, file, edges)
    });
    let mut made = BTreeMap::new();
    let mut other_edges = Vec::new();
    for (at, file, edges) in linked {
        if previous.files[at].edges != file.edges {
            other_edges.push((at, edges));
        }
        made.insert(at, file);
    }
    mounted::again(&previous.files, &mut made);
    work.linked = made.len();
    let mut files = previous.files.clone();
    let (mut id, mut bytes) = (previous.id, previous.bytes);
    for (at, file) in made {
        let old = &previous.files[at];
        id = id_with(id, old, &file);
        bytes = bytes - old.bytes + file.bytes;
        files.set(at, file);
    }
    let graph = if other_edges.is_empty() {
        Arc::clone(&previous.graph)
    } else {
        Arc::new(KeptGraph::fresh(previous.graph().with_edges(other_edges)))
    };
    Ok(Index {
        files,
        bytes,
        graph,
        problems: previous.problems.clone(),
        known: Arc::new(Known { walked, keys, taken }),
        resolver: Arc::clone(resolver),
        lost_extends: Arc::clone(&previous.lost_extends),
        adding: Arc::clone(&previous.adding),
        id,
        work,
        again: previous.again.clone(),
        unsaved: AtomicBool::new(false),
    })
}

fn resolver_of<'a>(resolver: &'a OnceLock<Resolver>, place: &Place, walked: &Walked) -> &'a Resolver {
    resolver.get_or_init(|| Resolver::new(Modules::of(walked), &OnDisk::at(&place.root)))
}

/// The files of before with those that were edited in their place.
struct Overlay<'a> {
    previous: &'a Index,
    edited: &'a BTreeMap<usize, Edited>,
    /// As in a whole tree, where more than a few files are made again.
    stars: Vec<OnceLock<Box<[usize]>>>,
    behind: Vec<Behind>,
}

impl Overlay<'_> {
    fn target(&self, at: usize, specifier: &str) -> Option<&Target> {
        match self.edited.get(&at) {
            Some(edited) => edited.targets.get(specifier),
            None => self.previous.files[at].targets().get(specifier),
        }
    }
}

impl Members for Overlay<'_> {
    fn path(&self, at: usize) -> &str {
        &self.previous.files[at].path
    }

    fn facts(&self, at: usize) -> &LocalFacts {
        match self.edited.get(&at) {
            Some(edited) => &edited.local.facts,
            None => &self.previous.files[at].local().facts,
        }
    }

    fn file(&self, from: usize, specifier: &str) -> Option<usize> {
        self.previous.position(self.target(from, specifier)?.file()?)
    }

    fn matched(&self, from: usize, pattern: &str) -> Vec<usize> {
        let files = self.target(from, pattern).map(Target::files).unwrap_or_default();
        files.iter().filter_map(|path| self.previous.position(path)).collect()
    }

    fn stars(&self, at: usize) -> Cow<'_, [usize]> {
        match self.stars.get(at) {
            Some(known) => Cow::Borrowed(known.get_or_init(|| stars(self, at).into())),
            None => stars(self, at).into(),
        }
    }

    fn behind(&self, at: usize) -> Option<&Behind> {
        self.behind.get(at)
    }

    fn twin(&self, at: usize) -> Option<usize> {
        twin_of(self.path(at), |path| self.previous.position(path))
    }

    fn next_app(&self, at: usize) -> NextApp<'_> {
        next_app(self.target(at, NEXT))
    }

    fn library(&self, at: usize) -> Library {
        library(self.target(at, LIBRARY))
    }

    fn declared(&self, to: usize, specifier: &str) -> Option<&str> {
        self.previous.adding.modules.name_in(self.path(to), specifier)
    }

    fn has_declared(&self) -> bool {
        !self.previous.adding.modules.is_empty()
    }

    fn declaring(&self, to: usize, module: &str) -> Vec<usize> {
        let files = self.previous.adding.modules.near(module, self.path(to)).into_iter();
        files.filter_map(|path| self.previous.position(path)).collect()
    }

    fn adding(&self, at: usize) -> Vec<usize> {
        self.previous.adding.to(self.path(at)).filter_map(|path| self.previous.position(path)).collect()
    }
}
