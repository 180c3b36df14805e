//! What the last run of the same command left behind. An unchanged project is known by the index and by the stamps of the
//! files that were written, without reading either; in a changed one only what the change touches is made again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use becket_base::codec::{Decoder, Encoder};
use becket_contracts::render::Thrift;
use becket_project::files::{self, FileError, Staged};
use becket_project::index::{GENERATION, Gist, Index, IndexId, seal, unsealed};
use becket_project::walk::{Stamp, stamp_of};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

use super::generate::{ContextReport, left_out};
use super::material::{Material, Packed, Remembered, paths_id};
use super::options::ContextOptions;
use super::page::KeptPage;
use super::rows::Rows;
use super::site::Site;
use super::written::{self, INDEX, KeptIndex, KeptPages};

const MAGIC: &[u8] = concat!("becket ", env!("CARGO_PKG_VERSION"), " run 10\n").as_bytes();
const ENDING: &str = "run";
/// Of the files with what only a changed project needs: what each entry measured, and what bundles hold.
const PARTS: &str = "parts";
const BUNDLES: &str = "bundles";
const LARGEST: u64 = 256 * 1024 * 1024;
/// More bytes than a bundle or a folder usually takes: what is not used costs nothing.
const USUAL: usize = 256;
/// As they are written, by position.
const THRIFTS: [Thrift; 3] = [Thrift::None, Thrift::Texts, Thrift::Fields];

/// A folder under some options, written to a place.
pub(super) struct Run {
    file: PathBuf,
}

/// What the last run did, as far as an unchanged project asks.
#[derive(Debug)]
pub(super) struct Told {
    file: PathBuf,
    index: IndexId,
    pub(super) options: ContextOptions,
    pub(super) report: ContextReport,
    /// The files with bundles, by path.
    folders: Vec<(String, Stamp)>,
    index_file: KeptIndex,
    /// Of the bytes of the other two files.
    digests: [[u8; 16]; 2],
}

/// What entries measured, written down beside the place where a run is kept.
#[derive(Debug)]
pub(super) struct Measured {
    file: Staged,
    digest: [u8; 16],
}

/// What the last run did.
#[derive(Debug)]
pub(super) struct LastRun {
    pub(super) told: Told,
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
    pub(super) fn told(&self) -> Option<Told> {
        Told::read(&self.file)
    }

    /// What of a run can be written before it is over: most of what is kept of it.
    pub(super) fn measured(&self, material: &Material) -> Option<Measured> {
        let entries = encode_entries(material)?;
        let file = Staged::of(&self.file.with_extension(PARTS), &entries).inspect_err(not_kept).ok()?;
        Some(Measured { file, digest: xxh3_128(&entries).to_le_bytes() })
    }

    /// Keeps a run in mind; that it could not is no failure.
    pub(super) fn keep(
        &self,
        measured: Measured,
        index: &Index,
        material: &Material,
        pages: &KeptPages,
        report: &ContextReport,
    ) {
        let Some(bundles) = encode_pages(material, pages) else { return };
        let digests = [measured.digest, xxh3_128(&bundles).to_le_bytes()];
        let Some(mut told) = encode_told(index, material, pages, report, digests) else { return };
        seal(&mut told);
        // Whoever reads meanwhile finds parts that are not those of what is told, and leaves all.
        let put = measured.file.put();
        let put = put.and_then(|()| files::write_derived(&self.file.with_extension(BUNDLES), &bundles));
        _ = put.and_then(|()| files::write_derived(&self.file, &told)).inspect_err(not_kept);
    }
}

impl Told {
    fn read(file: &Path) -> Option<Self> {
        let bytes = files::read(file, LARGEST).ok()??;
        let mut decoder = Decoder { bytes: unsealed(&bytes)?.strip_prefix(MAGIC)? };
        (decoder.str()? == GENERATION).then_some(())?;
        let (index, digests) = (decoder.array()?, [decoder.array()?, decoder.array()?]);
        let length = decoder.count()?;
        let (options, report) = serde_json::from_slice(decoder.take(length)?).ok()?;
        let mut folders = Vec::new();
        for _ in 0..decoder.small()? {
            folders.push((decoder.text()?, Stamp::decode(&mut decoder)?));
        }
        let (created_at, digest) = (decoder.text()?, decoder.array()?);
        let index_file = KeptIndex { created_at, digest, stamp: Some(Stamp::decode(&mut decoder)?) };
        decoder.bytes.is_empty().then_some(())?;
        Some(Self { file: file.to_owned(), index, options, report, folders, index_file, digests })
    }

    /// With the rest, if that is of the same run.
    pub(super) fn whole(self) -> Option<LastRun> {
        let read = |ending: &str, digest: [u8; 16]| {
            let bytes = files::read(&self.file.with_extension(ending), LARGEST).ok()??;
            (xxh3_128(&bytes).to_le_bytes() == digest).then_some(bytes)
        };
        let (entries, bundles) = (read(PARTS, self.digests[0])?, read(BUNDLES, self.digests[1])?);
        LastRun::decode(self, entries, &mut Decoder { bytes: &bundles })
    }

    fn is_untouched(&self, folder: &Path) -> bool {
        self.is_untouched_but(folder, |_| false)
    }

    fn is_untouched_but(&self, folder: &Path, beside: impl Fn(&Path) -> bool + Sync) -> bool {
        let untouched = |path: &str, stamp: Stamp| {
            let path = folder.join(path);
            stamp_of(&path) == Some(stamp) || beside(&path)
        };
        self.index_file.stamp.is_some_and(|stamp| untouched(INDEX, stamp))
            && self.folders.par_iter().all(|(path, stamp)| untouched(path, *stamp))
    }

    /// What it said, if a run now would write the same bytes over untouched files.
    pub(super) fn unchanged(&self, index: &Gist<'_>, output: &Path) -> Option<ContextReport> {
        (self.index == index.id && self.is_untouched(output)).then(|| {
            let (left_out, left_out_files) = left_out(index);
            ContextReport {
                files_written: 0,
                files_unchanged: self.folders.len() + 1,
                files_removed: 0,
                files_parsed: index.parsed,
                left_out,
                left_out_files,
                ..self.report.clone()
            }
        })
    }
}

impl LastRun {
    /// The run that wrote the context files in a folder, whatever it was asked for, where they are as it left them or
    /// copies of that. One that went with its folder takes nothing from that.
    pub(super) fn that_wrote(site: &Site, folder: &Path) -> Option<Self> {
        let runs = files::with_ending(&site.cache(), ENDING);
        let mut runs: Vec<Told> = runs.iter().filter_map(|file| Told::read(file)).collect();
        if let Some(found) =
            runs.iter().position(|run| run.is_untouched_but(folder, written::went_with_folder))
        {
            return runs.swap_remove(found).whole();
        }
        let mut whole = runs.into_iter().filter_map(Told::whole);
        whole.find(|run| run.is_copied_to(folder))
    }

    /// Whether they say the same of every bundle, down to when it was made.
    fn is_copied_to(&self, folder: &Path) -> bool {
        let same = |path: &str, page: &KeptPage| {
            let bundles =
                page.bundles.iter().map(|packed| packed.hash.clone()).zip(page.times.iter().cloned());
            let path = folder.join(path);
            written::went_with_folder(&path)
                || written::read(&path).is_some_and(|text| {
                    written::times_of(&text) == bundles.collect() && written::is_whole(&text)
                })
        };
        self.pages.index.as_ref().is_some_and(|index| index.is_in(folder))
            && self.pages.folders.par_iter().all(|(path, page)| same(path, page))
    }

    fn decode(told: Told, entries: Vec<u8>, decoder: &mut Decoder<'_>) -> Option<Self> {
        let mut head = Decoder { bytes: &entries };
        let (paths, graph) = (head.array()?, head.array()?);
        let thrift = *THRIFTS.get(usize::from(head.byte()?))?;
        let start = entries.len() - head.bytes.len();
        let rows = Arc::new(Rows::read(entries, start)?);
        let mut packed = Vec::new();
        for _ in 0..decoder.small()? {
            packed.push(Arc::new(decode_packed(decoder, rows.len())?));
        }
        let mut times: Vec<Arc<str>> = Vec::new();
        for _ in 0..decoder.small()? {
            times.push(decoder.text()?.into());
        }
        let mut folders = BTreeMap::new();
        for (path, stamp) in &told.folders {
            let mut page = KeptPage::new(Vec::new(), Vec::new(), Some(*stamp));
            for _ in 0..decoder.small()? {
                page.bundles.push(Arc::clone(packed.get(decoder.small()?)?));
                page.times.push(Arc::clone(times.get(decoder.small()?)?));
            }
            folders.insert(path.clone(), Arc::new(page));
        }
        decoder.bytes.is_empty().then_some(())?;
        let pages = KeptPages { folders, index: Some(told.index_file.clone()) };
        let remembered = Remembered { paths, graph, thrift, rows, packed: packed.into() };
        Some(Self { told, pages, remembered })
    }
}

fn not_kept(error: &FileError) {
    tracing::debug!(%error, "the run is not kept in mind");
}

/// What a run said, and the files that it wrote, with what tells the rest of it from that of others. Nothing where one of
/// the files cannot be known again.
fn encode_told(
    index: &Index,
    material: &Material,
    pages: &KeptPages,
    report: &ContextReport,
    digests: [[u8; 16]; 2],
) -> Option<Vec<u8>> {
    let mut encoder = Encoder { bytes: Vec::with_capacity(pages.folders.len() * USUAL) };
    encoder.bytes.extend(MAGIC);
    encoder.text(GENERATION);
    encoder.bytes.extend(index.id());
    encoder.bytes.extend(digests.as_flattened());
    let report = serde_json::to_vec(&(material.options, report)).ok()?;
    encoder.count(report.len());
    encoder.bytes.extend(report);
    encoder.small(pages.folders.len());
    for (path, page) in &pages.folders {
        encoder.text(path);
        page.stamp?.encode(&mut encoder);
    }
    let kept = pages.index.as_ref()?;
    encoder.text(&kept.created_at);
    encoder.bytes.extend(kept.digest);
    kept.stamp?.encode(&mut encoder);
    Some(encoder.bytes)
}

/// What a run measured. Nothing where there is something that no later process could take over.
fn encode_entries(material: &Material) -> Option<Vec<u8>> {
    let entries = &material.entries;
    let mut head = Vec::new();
    head.extend(paths_id(entries.iter().map(|entry| entry.path())));
    head.extend(material.graph_id()?);
    let thrift = THRIFTS.iter().position(|thrift| *thrift == material.thrift)?;
    head.push(u8::try_from(thrift).ok()?);
    Rows::written(entries, &head)
}

/// The bundles, and which of them each file holds.
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
    for page in pages.folders.values() {
        encoder.small(page.bundles.len());
        for (bundle, time) in page.bundles.iter().zip(&page.times) {
            encoder.small((*places.get(bundle.root)?)?);
            encoder.small(times.binary_search(&time).ok()?);
        }
    }
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
