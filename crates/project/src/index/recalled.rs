//! An index that was: packs only grow, so what files said and promised then is there until a pack is begun anew. Where
//! imports lead stands with what was promised, so nothing is resolved and nothing is linked again.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use becket_contracts::graph::{Graph, needs};
use rayon::prelude::*;
use serde::de::DeserializeOwned;

use super::build::{Raw, Tree, index_id};
use super::file::{FileRecord, IndexedFile, RestsOn, edges_digest};
use super::kept::{Kept, Linked};
use super::local::{Key, Local, Surface};
use super::pack::{FACTS, LINKED, Pack, Slot};
use super::{Index, KeptGraph, Work};

pub(super) fn recalled(cache: &Path, records: &[FileRecord]) -> Option<Index> {
    crate::share::prepare();
    let (facts, promises) = (Pack::new(cache, FACTS), Pack::new(cache, LINKED));
    let found = |record: &FileRecord| {
        let (local_key, linked_key) = (key(record, 0), key(record, 32));
        let local: (Local, Slot) = read(&facts, local_key)?;
        let linked: (Linked, Slot) = read(&promises, linked_key)?;
        Some((local_key, local, linked_key, linked))
    };
    let found: Vec<_> = records.par_iter().map(found).collect::<Option<_>>()?;
    let paths: Vec<Arc<str>> =
        found.iter().map(|(.., (linked, _))| linked.contract.entry_id.as_str().into()).collect();
    paths.is_sorted().then_some(())?;
    let (mut raw, mut kept) = (Vec::with_capacity(found.len()), Vec::with_capacity(found.len()));
    for ((local_key, (local, slot), linked_key, (linked, linked_slot)), path) in found.into_iter().zip(&paths)
    {
        raw.push(Raw {
            path,
            key: local_key,
            surface: Surface::of(&local.facts),
            local: Arc::new(local),
            slot: Some(slot),
            targets: Arc::clone(&linked.targets),
            old: None,
        });
        kept.push(Kept::fresh(Arc::new(linked), linked_key, None).with_slot(Some(linked_slot)));
    }
    let tree = Tree::of(&raw);
    let edges: Vec<_> = (0..raw.len()).into_par_iter().map(|at| needs(&tree, at).edges).collect();
    let indexed = |((raw, linked), edges): ((&Raw<'_>, Kept<Linked>), &Vec<_>)| {
        Arc::new(IndexedFile {
            path: Arc::clone(raw.path),
            tokens: raw.local.tokens,
            bytes: raw.local.bytes,
            surface: raw.surface,
            local: Kept::fresh(Arc::clone(&raw.local), raw.key, None).with_slot(raw.slot),
            linked,
            rests_on: RestsOn::default(),
            edges: edges_digest(&tree, edges),
            again: None,
        })
    };
    let files: Vec<Arc<IndexedFile>> = raw.iter().zip(kept).zip(&edges).map(indexed).collect();
    Some(Index {
        bytes: files.iter().map(|file| file.bytes).sum(),
        id: index_id(&files, &[], &[]),
        files: files.into(),
        graph: Arc::new(KeptGraph::fresh(Graph::from_edges(paths.clone(), edges))),
        problems: Vec::new(),
        known: Arc::default(),
        resolver: Arc::new(OnceLock::new()),
        lost_extends: Arc::default(),
        adding: Arc::default(),
        work: Work::default(),
        again: None,
        unsaved: AtomicBool::new(false),
    })
}

fn key(record: &FileRecord, at: usize) -> Key {
    Key(std::array::from_fn(|byte| record[at + byte]))
}

fn read<T: DeserializeOwned>(pack: &Pack, key: Key) -> Option<(T, Slot)> {
    let (payload, slot) = pack.find(key)?;
    Some((rmp_serde::from_slice(payload).ok()?, slot))
}
