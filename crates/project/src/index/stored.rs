//! An index on the disk, per worktree and choice of tests: a file with the stamps, by which most looks are done; one with
//! the measures of the sources and their places in the packs; and the graph, written only when it is another. Each is
//! replaced in one step. The first is believed where its checksum holds, the others where it names theirs.
#![allow(clippy::disallowed_methods, reason = "the owner of the files of the index")]

use std::io;
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use becket_contracts::graph::{Asked, Edge, EdgeKind, Graph, Names, WrittenEdges};
use fs_err as fs;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use super::adding::Adding;
use super::file::{IndexedFile, RestsOn, written};
use super::kept::{Again, Kept};
use super::known::Known;
use super::local::{GENERATION, Key, Surface};
use super::pack::{FACTS, LINKED, Pack, Record, Slot};
use super::{Index, IndexId, KeptGraph, LostExtends, Place, Work, pack};
use crate::files;
use crate::walk::{Tests, WalkProblem};
use becket_base::codec::{Decoder, Encoder};

const MAGIC: &[u8] = concat!("becket ", env!("CARGO_PKG_VERSION"), " index 14\n").as_bytes();
/// Bytes that a file usually takes in each.
const USUAL: usize = 144;
/// Endings of what is ours in the cache folder.
const OURS: [&str; 7] = ["pack", "tree", "files", "graph", "run", "parts", "bundles"];

/// What the last look remembered: what was seen, and what stands for the rest.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) known: Known,
    pub(super) id: IndexId,
    graph: IndexId,
    /// Over the file of sources.
    files: IndexId,
}

impl Stored {
    pub(super) fn read(place: &Place) -> Option<Self> {
        let bytes = fs::read(file_of(place, "tree")).ok()?;
        let body = unsealed(&bytes)?;
        let mut decoder = Decoder { bytes: body.strip_prefix(MAGIC)? };
        (decoder.str()? == GENERATION).then_some(())?;
        let [id, graph, files] = [decoder.array()?, decoder.array()?, decoder.array()?];
        let known = Known::decode(&mut decoder)?;
        decoder.bytes.is_empty().then_some(Self { known, id, graph, files })
    }

    /// As it will be read.
    pub(super) fn graph(&self, place: &Place) -> KeptGraph {
        KeptGraph::stored(file_of(place, "graph"), self.graph)
    }

    /// With its graph.
    pub(super) fn index(self, place: &Place, graph: Arc<KeptGraph>) -> Option<Index> {
        let bytes = fs::read(file_of(place, "files")).ok()?;
        (digest(&bytes) == self.files).then_some(())?;
        let index = index_of(place, &self.known, graph, &mut Decoder { bytes: &bytes })?;
        Some(Index { known: Arc::new(self.known), id: self.id, ..index })
    }
}

/// Without what was seen, and without what stands for it.
fn index_of(place: &Place, known: &Known, graph: Arc<KeptGraph>, decoder: &mut Decoder<'_>) -> Option<Index> {
    let again = Arc::new(Again::new(place));
    let (problems, lost, adding) = (pairs(decoder)?, pairs(decoder)?, pairs(decoder)?);
    let mut files = Vec::with_capacity(known.walked.files.len());
    let mut room = Vec::new();
    for (path, key) in known.sources() {
        files.push(Arc::new(indexed(decoder, Arc::clone(path), key, &again, &mut room)?));
    }
    decoder.bytes.is_empty().then_some(())?;
    let problem = |(path, message)| WalkProblem { path, message };
    Some(Index {
        bytes: files.iter().map(|file| file.bytes).sum(),
        files: files.into(),
        graph,
        problems: problems.into_iter().map(problem).collect(),
        known: Arc::default(),
        resolver: Arc::default(),
        lost_extends: lost.into(),
        adding: Arc::new(Adding::from_pairs(adding)),
        id: IndexId::default(),
        work: Work::default(),
        again: Some(again),
        unsaved: AtomicBool::new(false),
    })
}

/// Uses `room` for a while.
fn indexed(
    decoder: &mut Decoder<'_>,
    path: Arc<str>,
    key: Key,
    again: &Arc<Again>,
    room: &mut Vec<u32>,
) -> Option<IndexedFile> {
    let local = Kept::stored(key, slot(decoder)?);
    let linked = Kept::stored(Key(decoder.array()?), slot(decoder)?);
    let (surface, edges) = (Surface(decoder.array()?), decoder.array()?);
    let (tokens, bytes) = (decoder.small()?, decoder.small()?);
    room.clear();
    add_places(decoder, room)?;
    let followed = room.len();
    add_places(decoder, room)?;
    let (followed, entered) = room.split_at(followed);
    let rests_on = RestsOn::new(followed, entered, Asked(u128::from_le_bytes(decoder.array()?)));
    let again = Some(Arc::clone(again));
    Some(IndexedFile { path, tokens, bytes, surface, local, linked, rests_on, edges, again })
}

/// Each as the distance from the one before.
fn add_places(decoder: &mut Decoder<'_>, places: &mut Vec<u32>) -> Option<()> {
    let mut last = 0_usize;
    for _ in 0..decoder.small()? {
        last = last.checked_add(decoder.small()?)?;
        places.push(u32::try_from(last).ok()?);
    }
    Some(())
}

fn put_places(encoder: &mut Encoder, places: &[u32]) {
    encoder.small(places.len());
    let mut last = 0;
    for at in places {
        encoder.small((at - last) as usize);
        last = *at;
    }
}

/// Remembers an index; that it could not is no failure.
pub(super) fn save(index: &Index, place: &Place) {
    if let Err(error) = write(index, place) {
        tracing::debug!(%error, "the index is not remembered");
    }
}

/// Remembers what files say, and nothing of the tree.
pub(super) fn save_facts(index: &Index, pack: &Pack) {
    if let Err(error) = append_facts(index, pack) {
        tracing::debug!(%error, "facts are not remembered");
    }
}

fn write(index: &Index, place: &Place) -> io::Result<()> {
    append_facts(index, &Pack::new(&place.cache, FACTS))?;
    append_linked(index, &Pack::new(&place.cache, LINKED))?;
    let graph = file_of(place, "graph");
    if index.graph.file.is_none() {
        let encoded = index.graph.take_unsaved().unwrap_or_else(|| encode_graph(index.graph()));
        replace(&graph, &encoded)?;
    }
    let files = encode_files(index).ok_or_else(|| io::Error::other("a record has no place"))?;
    replace(&file_of(place, "files"), &files)?;
    let mut encoder = Encoder { bytes: Vec::with_capacity(index.known.walked.files.len() * USUAL) };
    encoder.bytes.extend(MAGIC);
    encoder.text(GENERATION);
    encoder.bytes.extend([index.id, index.graph.id, digest(&files)].as_flattened());
    drop(files);
    index.known.encode(&mut encoder);
    seal(&mut encoder.bytes);
    let tree = file_of(place, "tree");
    replace(&tree, &encoder.bytes)?;
    for folder in [&place.cache, &place.cache.join("locks")] {
        files::clear_half_written(folder, &tree);
    }
    Ok(())
}

/// What is known of each source. Nothing where something of one could not be put into its pack.
fn encode_files(index: &Index) -> Option<Vec<u8>> {
    let mut encoder = Encoder { bytes: Vec::with_capacity(index.files.len() * USUAL) };
    let problems = index.problems.iter().map(|problem| (&*problem.path, &*problem.message));
    put_pairs(&mut encoder, problems);
    put_pairs(&mut encoder, index.lost_extends.iter().map(|(file, extends)| (&**file, &**extends)));
    let adding = index.adding.pairs();
    put_pairs(&mut encoder, adding.iter().map(|(to, by)| (&**to, &**by)));
    for file in &index.files {
        put_slot(&mut encoder, file.local.slot()?);
        encoder.bytes.extend(file.linked.key.0);
        put_slot(&mut encoder, file.linked.slot()?);
        encoder.bytes.extend(file.surface.0);
        encoder.bytes.extend(file.edges);
        encoder.small(file.tokens);
        encoder.small(file.bytes);
        put_places(&mut encoder, file.rests_on.followed());
        put_places(&mut encoder, file.rests_on.entered());
        encoder.bytes.extend(file.rests_on.names.0.to_le_bytes());
    }
    Some(encoder.bytes)
}

fn append_facts(index: &Index, pack: &Pack) -> io::Result<()> {
    let files: Vec<&Arc<IndexedFile>> =
        index.files.iter().filter(|file| file.local.slot().is_none()).collect();
    if files.is_empty() && !pack.is_damaged() {
        return Ok(());
    }
    let record = |file: &&Arc<IndexedFile>| {
        written(&**file.local(), |payload| Record::new(file.local.key, payload, xxh3_128(payload)))
    };
    // By nobody else: whoever waits for others while the pack is locked may be given work that wants the same lock. So each
    // batch has the memory of the one before, too.
    let records = |some: &[&Arc<IndexedFile>]| some.iter().map(record).collect();
    for (file, slot) in files.iter().zip(pack.append(files.chunks(pack::AT_ONCE).map(records))?) {
        file.local.saved_at(slot);
    }
    Ok(())
}

fn append_linked(index: &Index, pack: &Pack) -> io::Result<()> {
    let files: Vec<&Arc<IndexedFile>> =
        index.files.iter().filter(|file| file.linked.slot().is_none()).collect();
    if files.is_empty() {
        return Ok(());
    }
    let record = |file: &&Arc<IndexedFile>| {
        let again = |payload: &[u8]| Record::new(file.linked.key, payload, xxh3_128(payload));
        file.linked.take_unsaved().unwrap_or_else(|| written(&**file.linked(), again))
    };
    let records = |some: &[&Arc<IndexedFile>]| some.iter().map(record).collect();
    for (file, slot) in files.iter().zip(pack.append(files.chunks(pack::AT_ONCE).map(records))?) {
        file.linked.saved_at(slot);
    }
    Ok(())
}

/// Beside the kind of an edge.
const HANDED_ON: u8 = 0x80;

/// The graph of a file, if it is the one that is meant.
pub(super) fn graph(file: &Path, id: IndexId, paths: Vec<Arc<str>>) -> Option<Graph> {
    let bytes = fs::read(file).ok()?;
    (digest(&bytes) == id).then_some(())?;
    let edges = GraphFile::of(bytes, paths.len())?;
    Some(Graph::written(paths, Arc::new(edges)))
}

/// The file of a graph: what stands for its paths, so that none over other files is taken for it; the names of all edges, who
/// takes all of a file, how long each file's part of the names and of the edges is, and these.
#[derive(Debug)]
struct GraphFile {
    bytes: Vec<u8>,
    names: Arc<str>,
    /// Edges of all files.
    count: usize,
    takers: Range<usize>,
    /// Where the edges of each file begin, and where their names do; the end behind the last.
    places: Vec<(usize, usize)>,
}

impl GraphFile {
    fn of(bytes: Vec<u8>, files: usize) -> Option<Self> {
        let mut decoder = Decoder { bytes: &bytes };
        let _paths: IndexId = decoder.array()?;
        let (names, count) = (Arc::from(decoder.str()?), decoder.small()?);
        let length = decoder.small()?;
        let start = bytes.len() - decoder.bytes.len();
        let takers = start..start + decoder.take(length)?.len();
        let mut places = Vec::with_capacity(files + 1);
        let mut end = (0_usize, 0_usize);
        for _ in 0..files {
            places.push(end);
            end = (end.0.checked_add(decoder.small()?)?, end.1.checked_add(decoder.small()?)?);
        }
        places.push(end);
        let start = bytes.len() - decoder.bytes.len();
        for (edges, _) in &mut places {
            *edges += start;
        }
        (start + end.0 == bytes.len()).then_some(Self { bytes, names, count, takers, places })
    }
}

impl WrittenEdges for GraphFile {
    fn count(&self) -> usize {
        self.count
    }

    fn of(&self, from: usize) -> Vec<Edge> {
        let ((start, mut name), (end, _)) = (self.places[from], self.places[from + 1]);
        let mut decoder = Decoder { bytes: &self.bytes[start..end] };
        let mut edges = Vec::new();
        while let Some(edge) = decode_edge(&mut decoder, &self.names, &mut name) {
            edges.push(edge);
        }
        // They are under a checksum, and under the version of whoever wrote them.
        debug_assert!(decoder.bytes.is_empty());
        edges
    }

    fn takers(&self) -> Vec<(usize, usize)> {
        let mut decoder = Decoder { bytes: &self.bytes[self.takers.clone()] };
        let mut last = 0;
        let next = || {
            last += decoder.small()?;
            Some((last, decoder.small()?))
        };
        iter::from_fn(next).collect()
    }
}

/// Its names begin at `name` in all of them; then the next ones do.
fn decode_edge(decoder: &mut Decoder<'_>, names: &Arc<str>, name: &mut usize) -> Option<Edge> {
    let to = decoder.small()?;
    let how = decoder.byte()?;
    let kind = match how & !HANDED_ON {
        0 => EdgeKind::Static,
        1 => EdgeKind::Dynamic,
        2 => EdgeKind::ReExport,
        _ => EdgeKind::TypeOnly,
    };
    let through = decoder.small()?.checked_sub(1);
    let start = *name;
    *name = start.checked_add(decoder.small()?)?;
    let names = Names::from_text(names, start..*name)?;
    Some(Edge { to, kind, names, through, handed_on: how & HANDED_ON != 0 })
}

pub(super) fn encode_graph(graph: &Graph) -> Vec<u8> {
    let (mut names, mut lengths, mut edges) = (String::new(), Encoder::default(), Encoder::default());
    for from in 0..graph.len() {
        let (start, first_name) = (edges.bytes.len(), names.len());
        for edge in graph.edges(from) {
            names.push_str(edge.names.as_text());
            edges.small(edge.to);
            let kind = match edge.kind {
                EdgeKind::Static => 0,
                EdgeKind::Dynamic => 1,
                EdgeKind::ReExport => 2,
                EdgeKind::TypeOnly => 3,
            };
            edges.bytes.push(if edge.handed_on { kind | HANDED_ON } else { kind });
            edges.small(edge.through.map_or(0, |through| through + 1));
            edges.small(edge.names.as_text().len());
        }
        lengths.small(edges.bytes.len() - start);
        lengths.small(names.len() - first_name);
    }
    let mut encoder = Encoder { bytes: Vec::with_capacity(names.len() + 2 * edges.bytes.len()) };
    let mut paths = Xxh3Default::new();
    for at in 0..graph.len() {
        paths.update(graph.path(at).as_bytes());
        paths.update(&[0]);
    }
    encoder.bytes.extend(paths.digest128().to_le_bytes());
    encoder.text(&names);
    encoder.small(graph.edge_count());
    let mut takers = Encoder::default();
    let mut last = 0;
    for (to, from) in graph.takers() {
        takers.small(to - last);
        takers.small(*from);
        last = *to;
    }
    encoder.small(takers.bytes.len());
    encoder.bytes.extend(takers.bytes);
    encoder.bytes.extend(lengths.bytes);
    encoder.bytes.extend(edges.bytes);
    encoder.bytes
}

/// Leaves the last look behind; what files say stays in its pack.
pub(super) fn forget(place: &Place) {
    _ = fs::remove_file(file_of(place, "tree"));
}

/// Removes what was remembered.
pub(super) fn clear(cache: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(cache) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let path = entry?.path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if OURS.contains(&ending) {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}

fn file_of(place: &Place, ending: &str) -> PathBuf {
    let mut hasher = blake3::Hasher::new();
    hasher.update(place.root.to_string_lossy().as_bytes());
    hasher.update(&[u8::from(place.tests == Tests::Included)]);
    place.cache.join(format!("{}.{ending}", &hasher.finalize().to_hex()[..16]))
}

/// Stands for the bytes of a file.
fn digest(bytes: &[u8]) -> IndexId {
    xxh3_128(bytes).to_le_bytes()
}

/// Adds to bytes what tells later whether they are whole.
pub fn seal(bytes: &mut Vec<u8>) {
    bytes.extend(xxh3_128(bytes).to_le_bytes());
}

/// What was sealed, if it is as it was then.
pub fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let (body, sum) = bytes.split_last_chunk()?;
    (xxh3_128(body).to_le_bytes() == *sum).then_some(body)
}

/// Without a sync: after a crash of the machine the checksum tells.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    files::create_folder_of(path)?;
    files::write_derived(path, bytes).map_err(io::Error::other)
}

fn slot(decoder: &mut Decoder<'_>) -> Option<Slot> {
    Some(Slot { at: decoder.small()? as u64, length: u32::try_from(decoder.small()?).ok()? })
}

fn put_slot(encoder: &mut Encoder, slot: Slot) {
    encoder.small(usize::try_from(slot.at).unwrap_or(usize::MAX));
    encoder.small(slot.length as usize);
}

fn pairs(decoder: &mut Decoder<'_>) -> Option<Vec<LostExtends>> {
    (0..decoder.small()?).map(|_| Some((decoder.text()?, decoder.text()?))).collect()
}

fn put_pairs<'a>(encoder: &mut Encoder, pairs: impl ExactSizeIterator<Item = (&'a str, &'a str)>) {
    encoder.small(pairs.len());
    for (left, right) in pairs {
        encoder.text(left);
        encoder.text(right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_is_read_as_it_was_written() {
        let edge = |to, kind, names: &[&str], through, handed_on| Edge {
            to,
            kind,
            names: names.iter().copied().collect(),
            through,
            handed_on,
        };
        let many: Vec<String> = (0..300).map(|at| format!("räder{at}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let edges = vec![
            vec![
                edge(1, EdgeKind::ReExport, &["*"], None, true),
                edge(2, EdgeKind::Static, &[], None, false),
            ],
            vec![],
            vec![
                edge(0, EdgeKind::TypeOnly, &many, Some(1), false),
                edge(1, EdgeKind::Dynamic, &["*", "a"], Some(0), false),
            ],
        ];
        let paths: Vec<Arc<str>> = ["a.ts", "b.ts", "c.ts"].map(Arc::from).into();
        let made = Graph::from_edges(paths.clone(), edges.clone());
        let encoded = encode_graph(&made);
        let read = Graph::written(paths, Arc::new(GraphFile::of(encoded.clone(), 3).unwrap()));
        for (from, edges) in edges.iter().enumerate() {
            assert_eq!(read.edges(from), edges);
            assert!(read.takers_of_all(from).eq(made.takers_of_all(from)));
        }
        assert_eq!(read.takers(), [(1, 0), (1, 2)]);
        assert_eq!((read.edge_count(), read.dependents(1)), (4, &[0, 2][..]));
        assert_eq!(encode_graph(&read), encoded);
        // Not the files that it is of.
        assert!(GraphFile::of(encoded.clone(), 2).is_none() && GraphFile::of(encoded, 4).is_none());
        assert!(GraphFile::of(Vec::new(), 0).is_none());
    }
}
