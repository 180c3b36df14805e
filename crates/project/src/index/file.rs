//! One analysed file of an index.

use std::sync::Arc;

use becket_contracts::graph::{Edge, Members};
use becket_contracts::model::Contract;

use super::kept::{Again, Kept, Linked, nothing};
use super::local::{Key, Local, Surface};
use super::{IndexId, Targets};

#[derive(Debug)]
pub struct IndexedFile {
    pub path: String,
    /// Tokens of the source, for GPT-4o.
    pub tokens: usize,
    /// Of the source.
    pub bytes: usize,
    pub(super) surface: Surface,
    pub(super) local: Kept<Local>,
    pub(super) linked: Kept<Linked>,
    /// Positions of the files that were looked at for its contract and its edges, by path.
    pub(super) rests_on: Vec<u32>,
    /// Over its edges.
    pub(super) edges: [u8; 8],
    pub(super) again: Option<Arc<Again>>,
}

impl IndexedFile {
    /// What it says by itself.
    pub fn local(&self) -> &Arc<Local> {
        self.local.get(|| {
            let again = self.again.as_ref().and_then(|again| again.index());
            match again.and_then(|index| index.file(&self.path)) {
                Some(file) => Arc::clone(file.local()),
                None => Arc::new(Local::parse(&self.path, b"")),
            }
        })
    }

    pub fn contract(&self) -> &Contract {
        &self.linked().contract
    }

    /// Where its imports lead, by specifier.
    pub fn targets(&self) -> &Targets {
        &self.linked().targets
    }

    /// The same for the same source with the same promises and needs: whatever is made of it may be kept as long.
    pub fn id(&self) -> IndexId {
        let mut all = [0; 72];
        all[..32].copy_from_slice(&self.local.key.0);
        all[32..64].copy_from_slice(&self.linked.key.0);
        all[64..].copy_from_slice(&self.edges);
        first(&blake3::hash(&all))
    }

    fn linked(&self) -> &Arc<Linked> {
        self.linked.get(|| {
            let again = self.again.as_ref().and_then(|again| again.index());
            match again.and_then(|index| index.file(&self.path)) {
                Some(file) => Arc::clone(file.linked()),
                None => Arc::new(nothing(&self.path)),
            }
        })
    }
}

pub(super) fn first<const N: usize>(hash: &blake3::Hash) -> [u8; N] {
    let mut first = [0; N];
    first.copy_from_slice(&hash.as_bytes()[..N]);
    first
}

/// Over what a file needs, by path, to see whether it is the same without having it at hand.
pub(super) fn edges_digest(tree: &impl Members, edges: &[Edge]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    for edge in edges {
        hasher.update(tree.path(edge.to).as_bytes()).update(&[0]);
        hasher.update(edge.kind.as_str().as_bytes()).update(&[0]);
        hasher.update(edge.through.map_or("", |at| tree.path(at)).as_bytes());
        for name in edge.names.iter() {
            hasher.update(&[0]).update(name.as_bytes());
        }
        hasher.update(&[1]);
    }
    first(&hasher.finalize())
}

/// The key of a record is what is written in it.
pub(super) fn written_key(payload: &[u8]) -> Key {
    Key(*blake3::hash(payload).as_bytes())
}
