//! What hangs on the edges of a material alone, and so goes from one to the next as long as they are the same: where
//! bundles lie, what they hold, and what it costs to say so. Made when somebody asks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use becket_base::{Parts, tokens};
use becket_contracts::bundle::CutReason;
use becket_contracts::graph::{EdgeKind, Graph};
use becket_contracts::render::QuotedPaths;

use super::material::Packed;

#[derive(Debug, Default)]
pub(super) struct Layout {
    holders: OnceLock<Holders>,
    /// By path, and the places of their bundles.
    folders: OnceLock<Vec<(String, Vec<usize>)>>,
    /// Of each path; one more than they are, because none is not known yet.
    paths: OnceLock<Vec<AtomicUsize>>,
    /// Of what is the same in the text of every bundle.
    pub(super) frame: OnceLock<usize>,
    /// Each path as JSON.
    quoted: OnceLock<Vec<OnceLock<Box<str>>>>,
}

/// The places of the bundles that hold each entry.
#[derive(Debug)]
struct Holders {
    /// Where those of an entry begin, and at the end those of the last one end.
    starts: Vec<usize>,
    places: Vec<u32>,
}

impl Layout {
    /// Folders that have bundles, by path, and the places of these.
    pub(super) fn folders(&self, packed: &Parts<Arc<Packed>>, graph: &Graph) -> &[(String, Vec<usize>)] {
        self.folders.get_or_init(|| {
            let mut folders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for (at, one) in packed.iter().enumerate() {
                let path = graph.path(one.root);
                folders.entry(path.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default().push(at);
            }
            folders.into_iter().map(|(folder, places)| (folder.to_owned(), places)).collect()
        })
    }

    /// The places of the bundles that hold one of some entries.
    pub(super) fn holding(
        &self,
        some: &BTreeSet<usize>,
        packed: &Parts<Arc<Packed>>,
        entries: usize,
    ) -> Vec<usize> {
        let holders = self.holders.get_or_init(|| Holders::of(packed, entries));
        let places: BTreeSet<u32> = some.iter().flat_map(|at| holders.of_entry(*at)).copied().collect();
        places.into_iter().map(|place| place as usize).collect()
    }

    /// The tokens of the path of each entry.
    pub(super) fn path_tokens<'a>(&'a self, graph: &'a Graph) -> impl Fn(usize) -> usize + 'a {
        let paths = self.paths.get_or_init(|| (0..graph.len()).map(|_| AtomicUsize::new(0)).collect());
        move |at| match paths[at].load(Ordering::Relaxed) {
            0 => {
                let counted = tokens::count(graph.path(at));
                paths[at].store(counted + 1, Ordering::Relaxed);
                counted
            }
            known => known - 1,
        }
    }

    /// The paths of entries as JSON.
    pub(super) fn quoted<'a>(&'a self, graph: &'a Graph) -> QuotedPaths<'a> {
        QuotedPaths { graph, quoted: self.quoted.get_or_init(|| vec![OnceLock::new(); graph.len()]) }
    }
}

/// Of what an edge says beside its two paths: its kind, and what stands around and between them.
pub(super) fn edge_tokens(kind: EdgeKind) -> usize {
    static SIGNS: OnceLock<[usize; 4]> = OnceLock::new();
    let counted = SIGNS.get_or_init(|| {
        let around = tokens::count("\",\"") + tokens::count("\"],[\"");
        EdgeKind::ALL.map(|kind| around + tokens::count(&format!("{}\",\"", kind.as_str())))
    });
    counted[kind as usize]
}

/// Of what is said of a file that was left out, beside the two paths.
pub(super) fn cut_tokens(reason: CutReason) -> usize {
    static SIGNS: OnceLock<[usize; CutReason::ALL.len()]> = OnceLock::new();
    let counted = SIGNS.get_or_init(|| {
        let around =
            tokens::count("{\"entryId\":\"\",\"reason\":\"") + tokens::count("\",\"referencedBy\":\"\"},");
        CutReason::ALL.map(|reason| around + tokens::count(reason.as_str()))
    });
    counted[reason as usize]
}

impl Holders {
    fn of(packed: &Parts<Arc<Packed>>, entries: usize) -> Self {
        let mut starts = vec![0; entries + 1];
        for node in packed.iter().flat_map(|packed| &packed.nodes) {
            starts[node + 1] += 1;
        }
        for at in 0..entries {
            starts[at + 1] += starts[at];
        }
        let mut places = vec![0; starts[entries]];
        let mut next = starts.clone();
        for (place, packed) in (0..).zip(packed) {
            for node in &packed.nodes {
                places[next[*node]] = place;
                next[*node] += 1;
            }
        }
        Self { starts, places }
    }

    fn of_entry(&self, at: usize) -> &[u32] {
        &self.places[self.starts[at]..self.starts[at + 1]]
    }
}
