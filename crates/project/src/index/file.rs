//! One analysed file of an index.

use std::cell::Cell;
use std::sync::Arc;

use becket_contracts::graph::{Asked, Edge, Members};
use becket_contracts::model::Contract;
use serde::Serialize;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::compact::Compact;
use super::kept::{Again, Kept, Linked, nothing};
use super::local::{Key, Local, Surface};
use super::{IndexId, Targets};

/// The keys of what a file says and promises, and a digest over its edges.
pub type FileRecord = [u8; 72];

#[derive(Debug)]
pub struct IndexedFile {
    pub path: Arc<str>,
    /// Tokens of the source, for GPT-4o.
    pub tokens: usize,
    /// Of the source.
    pub bytes: usize,
    pub(super) surface: Surface,
    pub(super) local: Kept<Local>,
    pub(super) linked: Kept<Linked>,
    pub(super) rests_on: RestsOn,
    /// Over its edges.
    pub(super) edges: [u8; 8],
    pub(super) again: Option<Arc<Again>>,
}

/// What a contract and its edges were made of besides the file: positions of others, by path.
#[derive(Debug, Clone, Default)]
pub(super) struct RestsOn {
    /// Those whose facts were looked at, and then those that were asked for names.
    places: Box<[u32]>,
    /// Those that may be among them.
    bits: Bits,
    /// How many are of the first kind.
    followed: u32,
    /// The names.
    pub(super) names: Asked,
}

/// Places, by one bit of 64 each: who has none of these bits has none of these places.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bits(u64);

impl Bits {
    pub(super) fn of(places: impl Iterator<Item = usize>) -> Self {
        Self(places.fold(0, |bits, at| bits | 1 << (at % 64)))
    }

    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl RestsOn {
    /// Of places in order, by what was done there.
    pub(super) fn new(followed: &[u32], entered: &[u32], names: Asked) -> Self {
        let places: Box<[u32]> = [followed, entered].concat().into();
        let bits = Bits::of(places.iter().map(|at| *at as usize));
        Self { places, bits, followed: u32::try_from(followed.len()).unwrap_or(u32::MAX), names }
    }

    /// Those whose facts were looked at.
    pub(super) fn followed(&self) -> &[u32] {
        &self.places[..self.followed as usize]
    }

    /// Those that were asked for names, with who is behind their stars.
    pub(super) fn entered(&self) -> &[u32] {
        &self.places[self.followed as usize..]
    }

    /// Whether one of these may be among them; to be asked before looking for it.
    pub(super) fn may_have(&self, some: Bits) -> bool {
        self.bits.meets(some)
    }

    /// The same in a tree where positions are others.
    pub(super) fn moved(&self, to: impl Fn(u32) -> Option<u32>) -> Self {
        let all = |places: &[u32]| {
            let mut moved: Vec<u32> = places.iter().filter_map(|at| to(*at)).collect();
            moved.sort_unstable();
            moved
        };
        Self::new(&all(self.followed()), &all(self.entered()), self.names)
    }
}

impl IndexedFile {
    /// What it says by itself.
    pub fn local(&self) -> &Arc<Local> {
        self.local.get(self.again.as_ref().map(|again| &again.facts), || {
            let again = self.again.as_ref().and_then(|again| again.index());
            match again.and_then(|index| index.file(&self.path)) {
                Some(file) => Arc::clone(file.local()),
                None => Arc::new(Local::parse(&self.path, b"", &blake3::hash(b""))),
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
        xxh3_128(&self.record()).to_le_bytes()
    }

    /// By which [`Index::recalled`](super::Index::recalled) finds it, whatever was looked at since.
    pub fn record(&self) -> FileRecord {
        let mut all = [0; 72];
        all[..32].copy_from_slice(&self.local.key.0);
        all[32..64].copy_from_slice(&self.linked.key.0);
        all[64..].copy_from_slice(&self.edges);
        all
    }

    /// The same file with another promise.
    pub(super) fn promising(&self, linked: Kept<Linked>) -> Self {
        Self {
            path: Arc::clone(&self.path),
            tokens: self.tokens,
            bytes: self.bytes,
            surface: self.surface,
            local: self.local.again(),
            linked,
            rests_on: self.rests_on.clone(),
            edges: self.edges,
            again: self.again.clone(),
        }
    }

    pub(super) fn linked(&self) -> &Arc<Linked> {
        self.linked.get(self.again.as_ref().map(|again| &again.linked), || {
            let again = self.again.as_ref().and_then(|again| again.index());
            match again.and_then(|index| index.file(&self.path)) {
                Some(file) => Arc::clone(file.linked()),
                None => Arc::new(nothing(&self.path)),
            }
        })
    }
}

/// Over what a file needs, by path, to see whether it is the same without having it at hand.
pub(super) fn edges_digest(tree: &impl Members, edges: &[Edge]) -> [u8; 8] {
    let mut all = String::with_capacity(edges.len() * 64);
    for edge in edges {
        let through = edge.through.map_or("", |at| tree.path(at));
        for text in [tree.path(edge.to), edge.kind.as_str(), through] {
            all.push_str(text);
            all.push('\0');
        }
        // Each with such an end.
        all.push_str(edge.names.as_text());
        all.push(if edge.handed_on { '\u{2}' } else { '\u{1}' });
    }
    xxh3_64(all.as_bytes()).to_le_bytes()
}

/// Hands the bytes of a value to `then`, without making room for them each time.
pub(super) fn written<T>(value: &impl Serialize, then: impl FnOnce(&[u8]) -> T) -> T {
    thread_local! {
        static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    }
    let mut room = ROOM.take();
    room.clear();
    // Our own values can all be written.
    let done = value.serialize(&mut Compact { bytes: &mut room });
    debug_assert!(done.is_ok());
    let result = then(&room);
    ROOM.set(room);
    result
}

/// The key of a record is what is written in it, which has this hash.
pub(super) fn written_key(payload: &[u8], hash: u128) -> Key {
    let mut key = [0; 32];
    key[..16].copy_from_slice(&hash.to_le_bytes());
    key[16..24].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    Key(key)
}
