//! What the last run of the same command left behind. An unchanged project is known by the index and by the stamps of the
//! files that were written, without reading either; in a changed one only what the change touches is made again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use becket_base::codec::{Decoder, Encoder};
use becket_contracts::render::Thrift;
use becket_project::files;
use becket_project::index::{GENERATION, Index, IndexId};
use becket_project::walk::{Stamp, stamp_of};
use rayon::prelude::*;

use super::entry::Measures;
use super::generate::{ContextReport, left_out};
use super::material::{Material, Packed, Remembered, paths_id};
use super::options::ContextOptions;
use super::site::Site;
use super::written::{self, INDEX, KeptIndex, KeptPage, KeptPages};

const MAGIC: &[u8] = concat!("becket ", env!("CARGO_PKG_VERSION"), " run 6\n").as_bytes();
const ENDING: &str = "run";
const LARGEST: u64 = 256 * 1024 * 1024;
/// Bytes that an entry or a bundle usually takes.
const USUAL: usize = 128;
/// As they are written, by position.
const THRIFTS: [Thrift; 3] = [Thrift::None, Thrift::Texts, Thrift::Fields];

/// A folder under some options, written to a place.
pub(super) struct Run {
    file: PathBuf,
}

/// What the last run did.
#[derive(Debug)]
pub(super) struct LastRun {
    index: IndexId,
    pub(super) options: ContextOptions,
    pub(super) report: ContextReport,
    pub(super) pages: KeptPages,
    pub(super) remembered: Remembered,
}

impl Run {
    pub(super) fn at(site: &Site, options: ContextOptions, output: &Path) -> Self {
        let mut hasher = blake3::Hasher::new();
        let root = site.workspace.root.to_string_lossy();
        let asked = (root, &site.prefix, options, output.to_string_lossy());
        let written = serde_json::to_writer(&mut hasher, &asked);
        debug_assert!(written.is_ok());
        Self { file: site.cache().join(format!("{}.{ENDING}", &hasher.finalize().to_hex()[..16])) }
    }

    /// What was kept in mind, if it can be read.
    pub(super) fn last(&self) -> Option<LastRun> {
        LastRun::read(&self.file)
    }

    /// Keeps a run in mind; that it could not is no failure.
    pub(super) fn keep(&self, index: &Index, material: &Material, pages: &KeptPages, report: &ContextReport) {
        let parts = rayon::join(|| encode_entries(index, material, report), || encode_pages(material, pages));
        let (Some(mut bytes), Some(pages)) = parts else { return };
        bytes.extend(pages);
        let sum = blake3::hash(&bytes);
        bytes.extend(sum.as_bytes());
        if let Err(error) = files::write_derived(&self.file, &bytes) {
            tracing::debug!(%error, "the run is not kept in mind");
        }
    }
}

impl LastRun {
    /// The run that wrote the context files in a folder, whatever it was asked for, where they are as it left them or
    /// copies of that.
    pub(super) fn that_wrote(site: &Site, folder: &Path) -> Option<Self> {
        let runs = files::with_ending(&site.cache(), ENDING);
        let mut runs: Vec<Self> = runs.iter().filter_map(|file| Self::read(file)).collect();
        let found = runs.iter().position(|run| run.is_untouched(folder));
        let found = found.or_else(|| runs.iter().position(|run| run.is_copied_to(folder)))?;
        Some(runs.swap_remove(found))
    }

    fn read(file: &Path) -> Option<Self> {
        let bytes = files::read(file, LARGEST).ok()??;
        let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
        if blake3::hash(body).as_bytes() != sum {
            return None;
        }
        Self::decode(&mut Decoder { bytes: body.strip_prefix(MAGIC)? })
    }

    fn is_untouched(&self, folder: &Path) -> bool {
        let untouched =
            |path: &str, stamp: Option<Stamp>| stamp.is_some() && stamp_of(&folder.join(path)) == stamp;
        self.pages.index.as_ref().is_some_and(|index| untouched(INDEX, index.stamp))
            && self.pages.folders.par_iter().all(|(path, page)| untouched(path, page.stamp))
    }

    /// Whether they say the same of every bundle, down to when it was made.
    fn is_copied_to(&self, folder: &Path) -> bool {
        let same = |path: &str, page: &KeptPage| {
            let bundles =
                page.bundles.iter().map(|packed| packed.hash.clone()).zip(page.times.iter().cloned());
            written::read(&folder.join(path))
                .is_some_and(|text| written::times_of(&text) == bundles.collect())
        };
        self.pages.index.as_ref().is_some_and(|index| index.is_in(folder))
            && self.pages.folders.par_iter().all(|(path, page)| same(path, page))
    }

    /// What it said, if a run now would write the same bytes over untouched files.
    pub(super) fn unchanged(&self, index: &Index, output: &Path) -> Option<ContextReport> {
        if self.index != index.id() {
            return None;
        }
        self.is_untouched(output).then(|| ContextReport {
            files_written: 0,
            files_unchanged: self.pages.folders.len() + 1,
            files_removed: 0,
            files_parsed: index.work().parsed,
            left_out: left_out(index),
            left_out_files: index.left_out().count(),
            ..self.report.clone()
        })
    }

    fn decode(decoder: &mut Decoder<'_>) -> Option<Self> {
        (decoder.str()? == GENERATION).then_some(())?;
        let (index, paths, graph) = (decoder.array()?, decoder.array()?, decoder.array()?);
        let thrift = *THRIFTS.get(usize::from(decoder.byte()?))?;
        let length = decoder.count()?;
        let (options, report) = serde_json::from_slice(decoder.take(length)?).ok()?;
        let count = decoder.small()?;
        // No more than there can be, whatever the number says: each has a record and four numbers.
        let mut entries = Vec::with_capacity(count.min(decoder.bytes.len() / 76));
        for _ in 0..count {
            entries.push((decoder.array()?, Measures::decode(decoder)?));
        }
        let mut packed = Vec::new();
        for _ in 0..decoder.small()? {
            packed.push(Arc::new(decode_packed(decoder, entries.len())?));
        }
        let mut times: Vec<Arc<str>> = Vec::new();
        for _ in 0..decoder.small()? {
            times.push(decoder.text()?.into());
        }
        let mut folders = BTreeMap::new();
        for _ in 0..decoder.small()? {
            let (path, stamp) = (decoder.text()?, Some(Stamp::decode(decoder)?));
            let mut page = KeptPage { bundles: Vec::new(), times: Vec::new(), stamp, row: OnceLock::new() };
            for _ in 0..decoder.small()? {
                page.bundles.push(Arc::clone(packed.get(decoder.small()?)?));
                page.times.push(Arc::clone(times.get(decoder.small()?)?));
            }
            folders.insert(path, Arc::new(page));
        }
        let (created_at, digest) = (decoder.text()?, decoder.array()?);
        let index_file = KeptIndex { created_at, digest, stamp: Some(Stamp::decode(decoder)?) };
        decoder.bytes.is_empty().then_some(())?;
        Some(Self {
            index,
            options,
            report,
            pages: KeptPages { folders, index: Some(index_file) },
            remembered: Remembered { paths, graph, thrift, entries, packed: packed.into() },
        })
    }
}

/// What a run said, and what it measured. Nothing where there is something that no later process could take over.
fn encode_entries(index: &Index, material: &Material, report: &ContextReport) -> Option<Vec<u8>> {
    let entries = &material.entries;
    let mut encoder = Encoder { bytes: Vec::with_capacity(entries.len() * USUAL) };
    encoder.bytes.extend(MAGIC);
    encoder.text(GENERATION);
    let paths = paths_id(entries.iter().map(|entry| entry.path()));
    for id in [index.id(), paths, material.graph_id()?] {
        encoder.bytes.extend(id);
    }
    let thrift = THRIFTS.iter().position(|thrift| *thrift == material.thrift)?;
    encoder.bytes.push(u8::try_from(thrift).ok()?);
    let report = serde_json::to_vec(&(material.options, report)).ok()?;
    encoder.count(report.len());
    encoder.bytes.extend(report);
    encoder.small(entries.len());
    for entry in entries {
        encoder.bytes.extend(entry.record()?);
        entry.measures.encode(&mut encoder);
    }
    Some(encoder.bytes)
}

/// The bundles, and the files that hold them. Nothing where one of these cannot be known again.
fn encode_pages(material: &Material, pages: &KeptPages) -> Option<Vec<u8>> {
    let packed = material.packed();
    let mut encoder = Encoder { bytes: Vec::with_capacity(packed.len() * USUAL) };
    encoder.small(packed.len());
    let mut places = vec![None; material.entries.len()];
    for (at, packed) in packed.iter().enumerate() {
        encode_packed(&mut encoder, packed);
        places[packed.root] = Some(at);
    }
    let mut times: Vec<&Arc<str>> = pages.folders.values().flat_map(|page| &page.times).collect();
    times.sort();
    times.dedup();
    encoder.small(times.len());
    for time in &times {
        encoder.text(time);
    }
    encoder.small(pages.folders.len());
    for (path, page) in &pages.folders {
        encoder.text(path);
        page.stamp?.encode(&mut encoder);
        encoder.small(page.bundles.len());
        for (bundle, time) in page.bundles.iter().zip(&page.times) {
            encoder.small(places[bundle.root]?);
            encoder.small(times.binary_search(&time).ok()?);
        }
    }
    let kept = pages.index.as_ref()?;
    encoder.text(&kept.created_at);
    encoder.bytes.extend(kept.digest);
    kept.stamp?.encode(&mut encoder);
    Some(encoder.bytes)
}

fn encode_packed(encoder: &mut Encoder, packed: &Packed) {
    encoder.small(packed.root);
    encoder.small(packed.tokens);
    encoder.text(&packed.hash);
    encoder.small(packed.nodes.len());
    let mut last = 0;
    for node in &packed.nodes {
        encoder.small(node - last);
        last = *node;
    }
}

/// Its nodes are positions among `entries` entries.
fn decode_packed(decoder: &mut Decoder<'_>, entries: usize) -> Option<Packed> {
    let (root, tokens, hash) = (decoder.small()?, decoder.small()?, decoder.text()?);
    let mut nodes = Vec::new();
    let mut last = 0_usize;
    for _ in 0..decoder.small()? {
        last = last.checked_add(decoder.small()?)?;
        nodes.push(last);
    }
    let sound = root < entries && nodes.iter().all(|node| *node < entries);
    sound.then_some(Packed { root, nodes, hash, tokens, more: OnceLock::new() })
}
