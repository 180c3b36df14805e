//! One of the files in the project: the bundles of a folder. What the file that it replaces has of them is copied from there;
//! to make it again, every contract in it would have to be read back and written down.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use becket_contracts::render::{BundleLine, EarlierText, FolderEntry, FolderText};
use becket_project::walk::Stamp;

use super::material::{Material, Packed};
use super::written::read;

/// What was written of a folder, to know it again.
#[derive(Debug, Clone)]
pub(super) struct KeptPage {
    pub(super) bundles: Vec<Arc<Packed>>,
    /// When each of them was made.
    pub(super) times: Vec<Arc<str>>,
    pub(super) stamp: Option<Stamp>,
    /// What the index says of it.
    pub(super) row: OnceLock<Arc<FolderEntry>>,
    source_tokens: OnceLock<usize>,
}

impl KeptPage {
    pub(super) fn new(bundles: Vec<Arc<Packed>>, times: Vec<Arc<str>>, stamp: Option<Stamp>) -> Self {
        Self { bundles, times, stamp, row: OnceLock::new(), source_tokens: OnceLock::new() }
    }

    /// The same, once it is written.
    pub(super) fn stamped(&self, stamp: Option<Stamp>) -> Self {
        Self { stamp, ..self.clone() }
    }

    /// Of the sources of all nodes, as often as they stand in it. A bundle is another one where one of its nodes is.
    pub(super) fn source_tokens(&self, material: &Material) -> usize {
        let tokens = |at: &usize| material.entries[*at].measures.source_tokens;
        let of = |packed: &Arc<Packed>| packed.nodes.iter().map(tokens).sum::<usize>();
        *self.source_tokens.get_or_init(|| self.bundles.iter().map(of).sum())
    }

    /// Hands its text to `then`, without making room for it each time. `known` is the page that stands in its place, and
    /// where.
    pub(super) fn with_text<T>(
        &self,
        material: &Material,
        known: Option<(&KeptPage, PathBuf)>,
        then: impl FnOnce(&[&str]) -> T,
    ) -> T {
        thread_local! {
            static ROOM: Cell<String> = const { Cell::new(String::new()) };
        }
        let lacks = |packed: &Arc<Packed>| !material.is_at_hand(packed);
        let known = known.filter(|_| self.bundles.iter().any(lacks));
        let known = known.and_then(|(page, path)| Some((page, read(&path)?)));
        let earlier = known.as_ref().and_then(|(page, text)| Earlier::of(page, text, material));
        let whole = |packed: &Arc<Packed>, time: &Arc<str>| earlier.as_ref()?.bundle(packed, time);
        let new = self.dated().filter(|(packed, time)| whole(packed, time).is_none());
        let new: Vec<&Arc<Packed>> = new.map(|(packed, _)| packed).collect();
        let nodes = earlier.as_ref().map(|earlier| earlier.nodes(&new, material)).unwrap_or_default();
        let is_unmade = |at: &usize| !nodes.contains_key(at) && material.entries[*at].made_node().is_none();
        let unmade = new.iter().flat_map(|packed| &packed.nodes).copied().filter(is_unmade);
        material.read_back(unmade.collect());
        let node = |at: usize| nodes.get(&at).copied().unwrap_or_else(|| material.entries[at].node());
        let lines = self.dated().enumerate().map(|(at, (packed, time))| {
            let position = (at + 1, self.bundles.len());
            match whole(packed, time) {
                Some(rest) => BundleLine::Known { position, rest },
                None => BundleLine::New(material.text_with(packed, position, time, node)),
            }
        });
        let text = FolderText::of(&lines.collect::<Vec<_>>(), material.options.format, ROOM.take());
        let result = then(&text.pieces());
        ROOM.set(text.into_room());
        result
    }

    /// Its bundles, each with when it was made.
    fn dated(&self) -> impl Iterator<Item = (&Arc<Packed>, &Arc<str>)> {
        self.bundles.iter().zip(&self.times)
    }
}

/// The page before, and its text.
struct Earlier<'a> {
    page: &'a KeptPage,
    text: EarlierText<'a>,
}

impl<'a> Earlier<'a> {
    fn of(page: &'a KeptPage, text: &'a str, material: &Material) -> Option<Self> {
        let text = EarlierText::of(text, material.options.format)?;
        (text.bundles() == page.bundles.len()).then_some(Self { page, text })
    }

    /// The place of the bundle with a root.
    fn place(&self, root: usize) -> Option<usize> {
        self.page.bundles.binary_search_by(|packed| packed.root.cmp(&root)).ok()
    }

    /// A bundle that stands in it as it is to be written.
    fn bundle(&self, packed: &Arc<Packed>, time: &Arc<str>) -> Option<&'a str> {
        let at = self.place(packed.root)?;
        let same = Arc::ptr_eq(&self.page.bundles[at], packed) && self.page.times[at] == *time;
        same.then(|| self.text.bundle(at)).flatten()
    }

    /// What has not changed in bundles that have, by position of the entry.
    fn nodes(&self, bundles: &[&Arc<Packed>], material: &Material) -> HashMap<usize, &'a str> {
        let mut nodes = HashMap::new();
        for at in bundles.iter().filter_map(|packed| self.place(packed.root)) {
            let packed = &self.page.bundles[at];
            let paths = packed.nodes.iter().map(|at| material.paths().of(*at));
            if let Some(texts) = material.follows(packed).then(|| self.text.nodes(at, paths)).flatten() {
                let known = packed.nodes.iter().zip(texts);
                nodes.extend(
                    known.filter(|(at, _)| !material.has_changed(**at)).map(|(at, text)| (*at, text)),
                );
            }
        }
        nodes
    }
}
