//! Contracts as files in the project: written only where something changed, read back in either spelling, and taken away
//! again. Times of making are kept while what was made is the same, so that an unchanged project writes unchanged bytes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use becket_base::Timestamp;
use becket_base::text::decoded;
use becket_contracts::bundle::Missing;
use becket_contracts::model::{Contract, SchemaVersion, StyleMode};
use becket_contracts::render::{
    CodeMode, FolderEntry, Format, Index as IndexFile, IndexMeta, IndexSummary, TokenEstimates,
    read_folder_file, read_node, root_label,
};
use becket_project::files::{self, FileError, Folders, MissingFolders, Staged};
use becket_project::index::Index;
use becket_project::share::{each, heaviest_first};
use becket_project::walk::rules::role_of;
use becket_project::walk::{Below, Role, Stamp, Tests};
use serde_json::{Value, json};

use super::fault::{no_baseline, not_written, unreadable, without_text};
use super::material::{Material, Packed};
use super::options::ContextOptions;
use super::page::KeptPage;
use super::site::Site;
use super::staging::{Staging, put};
use super::tokens::claude;
use crate::Error;
use crate::progress::{self, Progress};

pub(super) const INDEX: &str = "context_main.json";
/// What a folder's file may be called.
pub(super) const PAGES: [&str; 3] = ["context.json", "context.ndjson", "context.toon"];
pub(super) const LARGEST: u64 = 256 * 1024 * 1024;
/// From so many files on it is worth waking a thread to ask for their stamps.
const MANY_LOOKS: usize = 256;
/// The same for making and for writing their texts.
pub(super) const MANY_PAGES: usize = 4;
/// So many files are written between two words about how far it is.
const BATCH: usize = 64;
/// Bytes of a file by which it is known as one of ours.
const HEAD: usize = 4096;

/// Files that are to stand in a folder, and the index over them.
#[derive(Debug)]
pub(super) struct Pages {
    /// By path relative to the output folder.
    pub(super) files: BTreeMap<String, Page>,
    pub(super) index: IndexFile,
    kept: KeptPages,
    /// What was written there before, as far as it is known without reading.
    before: BTreeSet<String>,
    /// Whether that is all: the index over it was not touched since.
    before_is_whole: bool,
    /// What stands in the place of some and is no context file.
    foreign: Vec<String>,
}

#[derive(Debug)]
pub(super) enum Page {
    /// Its text is made when it is written: all of them together would be the largest part of the memory of a run.
    Bundles(Arc<KeptPage>, Option<Arc<KeptPage>>),
    Text(String),
    /// It stands there already, and was not touched since.
    Same,
}

/// The pages of the time before, by path relative to the output folder.
#[derive(Debug, Clone, Default)]
pub(super) struct KeptPages {
    pub(super) folders: BTreeMap<String, Arc<KeptPage>>,
    pub(super) index: Option<KeptIndex>,
}

impl KeptPages {
    /// Whether all of them are as they were left.
    pub(super) fn are_untouched(&self, folder: &Path) -> bool {
        let below = Below::new(folder);
        let pages: Vec<_> = self.folders.iter().collect();
        let is_same = |kept: Option<Stamp>, path: &str| kept.is_some() && kept == below.file(path);
        let is_touched = |(path, page): (&String, &Arc<KeptPage>)| !is_same(page.stamp, path);
        self.index.as_ref().is_some_and(|index| is_same(index.stamp, INDEX))
            && !each(pages, MANY_LOOKS, is_touched).contains(&true)
    }
}

/// What was written of the index over the folders.
#[derive(Debug, Clone)]
pub(super) struct KeptIndex {
    pub(super) created_at: String,
    /// Of its text without the time.
    pub(super) digest: [u8; 32],
    pub(super) stamp: Option<Stamp>,
}

impl KeptIndex {
    /// Whether the index in a folder says the same, and was made at the same time.
    pub(super) fn is_in(&self, folder: &Path) -> bool {
        read_index(folder).is_some_and(|mut index| {
            let then = std::mem::take(&mut index.created_at);
            then == self.created_at && *blake3::hash(index.json().as_bytes()).as_bytes() == self.digest
        })
    }
}

/// What writing did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Wrote {
    pub(super) written: usize,
    pub(super) unchanged: usize,
    pub(super) removed: usize,
}

/// The pages of a material for an output folder. What `kept` knows and nobody touched is not written again; whether somebody
/// touched a page that has to say the same is not asked of a folder that is trusted.
pub(super) fn pages(
    material: &Material,
    site: &Site,
    now: Timestamp,
    folder: Option<(&Path, bool)>,
    kept: &KeptPages,
) -> Pages {
    let now: Arc<str> = now.to_string().into();
    let (folder, trusts) = folder.map_or((None, false), |(folder, trusts)| (Some(folder), trusts));
    let old = |path: &str| folder.and_then(|folder| standing(&folder.join(path)));
    let below = folder.map(Below::new);
    let stamp = |path: &str| below.as_ref().and_then(|below| below.file(path));
    let folders = material.folders();
    let format = material.options.format;
    let found: Vec<(&str, &Vec<&Arc<Packed>>)> =
        folders.iter().map(|(name, bundles)| (*name, bundles)).collect();
    let known = each(found, MANY_LOOKS, |(name, bundles)| {
        let inside = site.inside(name);
        let path = if inside.is_empty() {
            format.file_name().to_owned()
        } else {
            format!("{inside}/{}", format.file_name())
        };
        let known = kept.folders.get(&path).filter(|page| page.stamp.is_some());
        let same = known.is_some_and(|page| {
            let pairs = || page.bundles.iter().zip(bundles);
            page.bundles.len() == bundles.len() && pairs().all(|(old, new)| Arc::ptr_eq(old, new))
        });
        let known = known.filter(|page| (trusts && same) || page.stamp == stamp(&path));
        (inside, path, bundles, known, same && known.is_some())
    });
    let changed = known.iter().filter(|(.., same)| !same).collect();
    let foreign = Mutex::new(Vec::new());
    let not_ours = |path: &str| foreign.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
    let mut made = each(changed, MANY_PAGES, |(_, path, bundles, known, _)| {
        let before: HashMap<String, Arc<str>> = if let Some(page) = known {
            let hashes = page.bundles.iter().map(|packed| packed.hash.clone());
            hashes.zip(page.times.iter().cloned()).collect()
        } else {
            let text = old(path);
            if text.as_deref().is_some_and(|text| !is_ours(text)) {
                not_ours(path);
            }
            text.map(|text| times_of(&text)).unwrap_or_default()
        };
        let time = |packed: &Packed| Arc::clone(before.get(&packed.hash).unwrap_or(&now));
        let times: Vec<Arc<str>> = bundles.iter().map(|packed| time(packed)).collect();
        let bundles = bundles.iter().map(|packed| Arc::clone(packed)).collect();
        let page = Arc::new(KeptPage::new(bundles, times, None));
        (Page::Bundles(Arc::clone(&page), known.map(Arc::clone)), page)
    })
    .into_iter();
    let (mut files, mut pages, mut rows) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for (inside, path, _, known, same) in &known {
        let page = match known.filter(|_| *same) {
            Some(page) => Some((Page::Same, Arc::clone(page))),
            None => made.next(),
        };
        if let Some((page, kept)) = page {
            rows.push(Arc::clone(
                kept.row.get_or_init(|| Arc::new(row(material, inside, path, &kept.bundles))),
            ));
            files.insert(path.clone(), page);
            pages.insert(path.clone(), kept);
        }
    }
    // Every bundle brings the code of its nodes; in `full` it is there already.
    let code = if material.options.mode == CodeMode::Full {
        0
    } else {
        pages.values().map(|page: &Arc<KeptPage>| page.source_tokens(material)).sum()
    };
    let summary = summary(material, &rows, code);
    let index = IndexFile::new(now.to_string(), summary, rows, material.options.bundle);
    let known = kept.index.as_ref().filter(|kept| kept.stamp.is_some() && kept.stamp == stamp(INDEX));
    let old_index = || {
        old(INDEX).inspect(|text| {
            if !is_ours(text) {
                not_ours(INDEX);
            }
        })
    };
    let (index, page, digest) = index_page(index, known, &old_index);
    files.insert(INDEX.to_owned(), page);
    let kept_index = KeptIndex { created_at: index.created_at.clone(), digest, stamp: None };
    Pages {
        files,
        index,
        before: kept.folders.keys().cloned().collect(),
        before_is_whole: known.is_some(),
        kept: KeptPages { folders: pages, index: Some(kept_index) },
        foreign: foreign.into_inner().unwrap_or_else(PoisonError::into_inner),
    }
}

/// What stands where a context file is to be, whatever it is: what has no text, or may not be read, is no file of ours.
fn standing(path: &Path) -> Option<String> {
    match files::read(path, LARGEST) {
        Ok(bytes) => bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        Err(_) => path.is_file().then(|| char::REPLACEMENT_CHARACTER.to_string()),
    }
}

/// Whether a text is a context file, or nothing that could be lost.
fn is_ours(text: &str) -> bool {
    let head = becket_base::clip(text, HEAD).to_string();
    matches!(text.trim(), "" | "[]" | "{}") || head.contains("LogicStamp")
}

/// What the index says of a folder.
fn row(material: &Material, inside: &str, path: &str, bundles: &[Arc<Packed>]) -> FolderEntry {
    let file_name = |packed: &Arc<Packed>| {
        let path = material.graph().path(packed.root);
        path.rsplit('/').next().unwrap_or(path).to_owned()
    };
    let components: Vec<String> = bundles.iter().map(file_name).collect();
    let shown = if inside.is_empty() { ".".to_owned() } else { inside.to_owned() };
    let label = root_label(&shown, &components);
    FolderEntry {
        path: shown,
        context_file: path.to_owned(),
        bundles: bundles.len(),
        components,
        is_root: label.is_some(),
        root_label: label,
        token_estimate: bundles.iter().map(|packed| packed.tokens).sum(),
    }
}

/// The index with the time of the one that it replaces, where nothing else in it is another.
fn index_page(
    index: IndexFile,
    known: Option<&KeptIndex>,
    old: &dyn Fn() -> Option<String>,
) -> (IndexFile, Page, [u8; 32]) {
    let mut index = index;
    let now = std::mem::take(&mut index.created_at);
    let undated = index.json();
    let digest = *blake3::hash(undated.as_bytes()).as_bytes();
    if let Some(known) = known {
        let same = digest == known.digest;
        index.created_at = if same { known.created_at.clone() } else { now };
        if same {
            return (index, Page::Same, digest);
        }
    } else {
        let old = old().and_then(|text| serde_json::from_str::<IndexFile>(&text).ok());
        index.created_at = match old {
            Some(mut old) => {
                let then = std::mem::take(&mut old.created_at);
                if index == old { then } else { now }
            }
            None => now,
        };
    }
    let text = IndexFile::dated(&undated, &index.created_at);
    (index, Page::Text(text), digest)
}

impl Pages {
    /// Why they must not be written: what the project has of its own under these names would be lost.
    fn foreign(&self) -> Option<Error> {
        let mut names: Vec<&str> = self.foreign.iter().map(String::as_str).collect();
        names.sort_unstable();
        let shown = becket_base::clip(&names.join(", "), 400).to_string();
        let what = if names.len() == 1 { "is no file" } else { "are no files" };
        (!names.is_empty()).then(|| {
            Error::conflict("not_ours", format!("{shown} {what} of LogicStamp and would be overwritten."))
                .with_hint(
                    "Rename it, or have the context files written elsewhere: `becket context --out FOLDER`.",
                )
        })
    }

    /// To know them again, once they are written.
    pub(super) fn keep(&self, folder: &Path) -> KeptPages {
        let below = Below::new(folder);
        let stamp = |path: &str| below.file(path);
        let stamped = |(path, page): (&String, &Arc<KeptPage>)| {
            let page = match page.stamp {
                Some(_) => Arc::clone(page),
                None => Arc::new(page.stamped(stamp(path))),
            };
            (path.clone(), page)
        };
        let index = self.kept.index.as_ref().map(|kept| KeptIndex { stamp: stamp(INDEX), ..kept.clone() });
        let folders = each(self.kept.folders.iter().collect(), MANY_LOOKS, stamped);
        KeptPages { folders: folders.into_iter().collect(), index }
    }
}

/// `code` are the tokens of the sources in all bundles, where these leave them out.
fn summary(material: &Material, folders: &[Arc<FolderEntry>], code: usize) -> IndexSummary {
    let tokens: usize = folders.iter().map(|folder| folder.token_estimate).sum();
    let lacking = material.totals.lacking.iter().map(|at| &material.entries[*at]);
    let mut missing: Vec<&Missing> = lacking.flat_map(|entry| entry.measures.missing.problems()).collect();
    missing.sort_unstable();
    missing.dedup_by(|later, earlier| later.name == earlier.name && later.reason == earlier.reason);
    let missing = missing.into_iter().cloned().collect();
    IndexSummary {
        total_components: material.entries.len(),
        total_bundles: folders.iter().map(|folder| folder.bundles).sum(),
        total_folders: folders.len(),
        total_token_estimate: tokens,
        token_estimates: TokenEstimates {
            gpt4o_mini: tokens,
            gpt4o_mini_full_code: tokens + code,
            claude: claude(tokens),
            claude_full_code: claude(tokens + code),
        },
        missing_dependencies: missing,
    }
}

/// When each bundle was made, by its hash.
pub(super) fn times_of(text: &str) -> HashMap<String, Arc<str>> {
    // Our own files have the two side by side, and are too large to be read as JSON for that.
    let ours = text.match_indices("\"createdAt\":\"").filter_map(|(at, mark)| {
        let (time, rest) = text[at + mark.len()..].split_once('"')?;
        let (hash, _) = rest.strip_prefix(",\"bundleHash\":\"")?.split_once('"')?;
        Some((hash.to_owned(), Arc::from(time)))
    });
    let times: HashMap<String, Arc<str>> = ours.collect();
    if !times.is_empty() {
        return times;
    }
    let bundles = read_folder_file(text).unwrap_or_default();
    let field = |bundle: &Value, name: &str| bundle.get(name).and_then(Value::as_str).map(str::to_owned);
    bundles
        .iter()
        .filter_map(|bundle| Some((field(bundle, "bundleHash")?, field(bundle, "createdAt")?.into())))
        .collect()
}

/// Whether a page can be read to its end.
pub(super) fn is_whole(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() || read_folder_file(text).is_ok()
}

/// Writes what differs, and removes what an earlier index of ours lists and this one does not. Until all of it is on the disk
/// nothing is replaced.
pub(super) fn write(material: &Material, site: &Site, pages: &Pages, folder: &Path) -> Result<Wrote, Error> {
    if let Some(error) = pages.foreign() {
        return Err(error);
    }
    let mut before = pages.before.clone();
    if !pages.before_is_whole {
        // Another process may have written since; and somebody may have taken the index away.
        before.extend(listed(folder));
    }
    let others: Vec<_> = pages.files.iter().filter(|(_, page)| !matches!(page, Page::Same)).collect();
    let is_gone = |path: &String| !pages.files.contains_key(path) && may_go(&folder.join(path));
    let gone: BTreeSet<String> = before.into_iter().filter(is_gone).collect();
    if others.is_empty() && gone.is_empty() {
        return Ok(Wrote { unchanged: pages.files.len(), ..Wrote::default() });
    }
    let names: Vec<&str> = others.iter().map(|(path, _)| path.as_str()).collect();
    let _staging = Staging::begin(site, folder, &names).map_err(not_written)?;
    // The analysed folder has those that sources are in; one that it lacks is being removed just now.
    let beside_sources = folder == site.folder();
    let folders_of =
        Folders::new(folder, if beside_sources { MissingFolders::LeftOut } else { MissingFolders::Made });
    let (listener, begun) = (progress::listener(), AtomicUsize::new(0));
    let stage = |some: Vec<(&String, &Page)>| {
        let weight = |(_, page): &(&String, &Page)| match page {
            Page::Bundles(page, _) => page.bundles.iter().map(|packed| packed.tokens).sum(),
            Page::Text(text) => text.len(),
            Page::Same => 0,
        };
        let staged = heaviest_first(some, MANY_PAGES, weight, |(path, page)| {
            let done = begun.fetch_add(1, Relaxed);
            if let Some(listener) = listener.as_ref().filter(|_| done.is_multiple_of(BATCH)) {
                listener(Progress { phase: "writing context files", done, total: Some(pages.files.len()) });
            }
            match page {
                // Who removes a folder has taken its sources, and would find something in it again.
                Page::Bundles(page, _) if beside_sources && !has_source(material, site, page) => Ok(None),
                Page::Bundles(page, known) => {
                    let known = known.as_deref().map(|known| (known, folder.join(path)));
                    page.with_text(material, known, |text| staged(folder, &folders_of, path, text))
                }
                Page::Text(text) => staged(folder, &folders_of, path, &[text]),
                Page::Same => Ok(None),
            }
        });
        staged.into_iter().filter_map(Result::transpose).collect::<Result<Vec<_>, _>>().map_err(not_written)
    };
    let (index, folders): (Vec<_>, Vec<_>) = others.into_iter().partition(|(path, _)| *path == INDEX);
    let staged = stage(folders)?;
    let index = stage(index)?;
    let moved = if gone.is_empty() { Vec::new() } else { moved(material, site, pages, folder, &gone) };
    progress::still_wanted()?;
    let mut written = put(staged, &folders_of).map_err(not_written)?;
    let mut leave = gone.iter().chain(&moved);
    let left = leave.try_for_each(|path| files::remove(&folder.join(path)));
    // The index comes last: whoever is interrupted before still finds in it what there was to remove.
    written += put(index, &folders_of).map_err(not_written)?;
    left.map_err(not_written)?;
    Ok(Wrote { written, unchanged: pages.files.len() - written, removed: gone.len() + moved.len() })
}

/// Pages that came along when their folder was renamed, where that has none under its new name. A page holds the bundles of
/// the folder that it stands in; one that holds nothing but those of a page that is gone is that page.
fn moved(
    material: &Material,
    site: &Site,
    pages: &Pages,
    folder: &Path,
    gone: &BTreeSet<String>,
) -> Vec<String> {
    let name = material.options.format.file_name();
    let page_of = |entry: &str| match site.inside(entry).rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name.to_owned(),
    };
    let graph = material.graph();
    let folders: BTreeSet<String> = (0..graph.len()).map(|at| page_of(graph.path(at))).collect();
    let is_moved = |path: &String| {
        let bundles = read(&folder.join(path)).and_then(|text| read_folder_file(&text).ok());
        bundles.filter(|bundles| !bundles.is_empty()).is_some_and(|bundles| {
            bundles.iter().all(|bundle| {
                bundle["type"] == "LogicStampBundle"
                    && bundle["entryId"].as_str().is_some_and(|entry| gone.contains(&page_of(entry)))
            })
        })
    };
    let is_free = |path: &String| !pages.files.contains_key(path) && !gone.contains(path);
    folders.into_iter().filter(is_free).filter(is_moved).collect()
}

/// Written files whose folder has no source any more: those that the index lists, and what an index before it listed, which
/// holds nothing but bundles of files that stood beside it and are gone. A folder whose files are in bundles of others has no
/// file either, and is none of these.
pub(super) fn orphaned(index: &Index, site: &Site, pages: &Pages, folder: &Path) -> BTreeSet<String> {
    let is_free = |path: &String| !pages.files.contains_key(path);
    let root = &site.workspace.root;
    let is_lost = |place: &str, path: &String| {
        let bundles = read(&folder.join(path)).and_then(|text| read_folder_file(&text).ok());
        bundles.filter(|bundles| !bundles.is_empty()).is_some_and(|bundles| {
            bundles
                .iter()
                .filter_map(|bundle| bundle["entryId"].as_str())
                .all(|entry| folder_of(entry) == place && !root.join(entry).exists())
                && bundles.iter().all(|bundle| bundle["type"] == "LogicStampBundle")
        })
    };
    let files = index.files().iter().filter(|file| site.holds(&file.path));
    let folders: BTreeSet<&str> = files.map(|file| folder_of(site.inside(&file.path))).collect();
    let has_sources = |path: &str| folders.contains(folder_of(path));
    let is_orphan = |path: &String| {
        let file = folder.join(path);
        is_free(path) && !has_sources(path) && file.exists() && may_go(&file)
    };
    let mut found: BTreeSet<String> = listed(folder).into_iter().filter(is_orphan).collect();
    for place in index.folders().filter(|place| *place == site.prefix || site.holds(place)) {
        let names = PAGES.iter().map(|name| match site.inside(place) {
            "" => (*name).to_owned(),
            inside => format!("{inside}/{name}"),
        });
        found.extend(names.filter(is_free).filter(|path| is_lost(place, path)));
    }
    found
}

/// The folder that a file lies in; empty for the root.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a file that a page is for is still there.
fn has_source(material: &Material, site: &Site, page: &KeptPage) -> bool {
    let mut roots = page.bundles.iter().map(|packed| material.graph().path(packed.root));
    roots.any(|path| site.workspace.root.join(path).exists())
}

/// Nothing where it need not be written, or cannot be because its folder is gone.
fn staged(
    folder: &Path,
    folders: &Folders<'_>,
    path: &str,
    text: &[&str],
) -> Result<Option<Staged>, FileError> {
    if !folders.open(Path::new(path).parent().unwrap_or(Path::new("")))? {
        return Ok(None);
    }
    match files::stage_derived(&folder.join(path), text) {
        Err(error) if folders.is_gone(&error) => Ok(None),
        staged => staged,
    }
}

/// The files that the index in a folder lists, itself included, as far as they are such as a run writes into it.
pub(super) fn listed(folder: &Path) -> BTreeSet<String> {
    let Some(index) = read_index(folder) else { return BTreeSet::new() };
    let files = index.folders.into_iter().map(|row| row.context_file.clone());
    files.filter(|path| page_at(folder, path).is_some()).chain([INDEX.to_owned()]).collect()
}

/// Where a file lies that an index names, if it is one that a run could have written. An index comes with a clone, and says
/// what it likes: a source, a file of Git, something behind a link.
pub(super) fn page_at(folder: &Path, path: &str) -> Option<PathBuf> {
    becket_base::RepoPath::parse(path).ok().filter(|path| !path.is_root())?;
    let mut place = folder.to_owned();
    for name in path.split('/') {
        place.push(name);
        if name.eq_ignore_ascii_case(".git") || place.is_symlink() {
            return None;
        }
    }
    PAGES.iter().any(|name| place.ends_with(name)).then_some(place)
}

/// Whether a file is gone, or holds bundles: nothing else is taken away because an index names it.
fn may_go(path: &Path) -> bool {
    let is_page = |text: String| {
        text.trim() == "[]" || becket_base::clip(&text, HEAD).to_string().contains("LogicStampBundle")
    };
    !path.exists() || read(path).is_some_and(is_page)
}

pub(super) fn read_index(folder: &Path) -> Option<IndexFile> {
    serde_json::from_str(&read(&folder.join(INDEX))?).ok()
}

/// The text of a file, if it is one.
pub(super) fn read(path: &Path) -> Option<String> {
    let bytes = files::read(path, LARGEST).ok()??;
    String::from_utf8(bytes).ok()
}

/// The text of a source as its facts were read from it, whatever bytes it has.
pub(super) fn source(path: &Path) -> Option<String> {
    Some(decoded(&files::read(path, LARGEST).ok()??).into_owned())
}

/// What the files of a folder hold, by entry id.
#[derive(Debug, Default)]
pub(super) struct WrittenContracts {
    pub(super) contracts: BTreeMap<String, Contract>,
    /// Of each node as it is written.
    pub(super) tokens: BTreeMap<String, usize>,
    /// Files that a bundle would have, had there been no limit.
    cut: BTreeSet<String>,
    /// Who imports whom, as far as both are there.
    edges: BTreeMap<String, Vec<String>>,
    /// How the first of them was written.
    pub(super) form: Option<(CodeMode, SchemaVersion)>,
    /// What an index says of all of them.
    meta: Option<IndexMeta>,
    format: Option<Format>,
    depth: Option<usize>,
    style: Option<StyleMode>,
    predicts: bool,
}

/// What is said of a file that an index names and that [`page_at`] refuses.
pub(super) const NO_PAGE: &str = "context_main.json names it, and it is no context file in its folder";

/// Whether a file is not there because its folder is not.
pub(super) fn went_with_folder(path: &Path) -> bool {
    path.parent().is_some_and(|folder| !folder.exists())
}

/// Of a folder at `prefix` in its repository.
pub(super) fn contracts_in(folder: &Path, prefix: &str) -> Result<WrittenContracts, Error> {
    let index = read_index(folder).ok_or_else(|| no_baseline(folder))?;
    let mut written = WrittenContracts { meta: Some(index.meta), ..WrittenContracts::default() };
    for row in &index.folders {
        let path = page_at(folder, &row.context_file)
            .ok_or_else(|| unreadable(Path::new(&row.context_file), NO_PAGE))?;
        if went_with_folder(&path) {
            written.add_gone(prefix, row);
            continue;
        }
        let text = read(&path).ok_or_else(|| without_text(&path))?;
        written.add(&text).map_err(|error| unreadable(&path, &error))?;
        written.format.get_or_insert_with(|| format_of(&row.context_file, &text));
    }
    Ok(written)
}

impl WrittenContracts {
    /// What the text of one folder's file holds.
    pub(super) fn of(text: &str) -> Result<Self, String> {
        let mut written = Self::default();
        written.add(text)?;
        Ok(written)
    }

    /// What an index says of a folder that is gone, which is not much: the files that its bundles began with.
    fn add_gone(&mut self, prefix: &str, row: &FolderEntry) {
        for name in &row.components {
            let parts =
                [prefix, row.path.as_str(), name].into_iter().filter(|part| !matches!(*part, "" | "."));
            let entry = parts.collect::<Vec<_>>().join("/");
            let known = serde_json::from_value(json!({"kind": "ts:module", "entryId": entry}));
            if let Ok(contract) = known {
                self.contracts.entry(entry).or_insert(contract);
            }
        }
    }

    fn add(&mut self, text: &str) -> Result<(), String> {
        for bundle in read_folder_file(text).map_err(|error| error.to_string())? {
            if bundle.pointer("/graph/nodes").is_none_or(|nodes| !nodes.is_array()) {
                return Err("it holds something that is no bundle".to_owned());
            }
            let depth = bundle.get("depth").and_then(Value::as_u64);
            self.depth = self.depth.or(depth.and_then(|depth| usize::try_from(depth).ok()));
            let listed = |place: &str| bundle.pointer(place).and_then(Value::as_array).into_iter().flatten();
            let cut = listed("/meta/cut").filter_map(|cut| cut["entryId"].as_str());
            self.cut.extend(cut.map(str::to_owned));
            for edge in listed("/graph/edges") {
                if let (Some(from), Some(to)) = (edge[0].as_str(), edge[1].as_str()) {
                    self.edges.entry(from.to_owned()).or_default().push(to.to_owned());
                }
            }
            for node in listed("/graph/nodes") {
                let entry = node.get("entryId").and_then(Value::as_str).unwrap_or_default();
                let is_known = |known: &Contract| !known.semantic_hash.is_empty();
                if node.get("contract").is_none() || self.contracts.get(entry).is_some_and(is_known) {
                    continue;
                }
                let contract = read_node(node).map_err(|error| error.to_string())?;
                self.form.get_or_insert_with(|| form(node, &contract));
                if let Some(style) = &contract.style {
                    let is_full = style.pointer("/summary/mode").is_some_and(|mode| mode == "full");
                    self.style = Some(if is_full { StyleMode::Full } else { StyleMode::Lean });
                }
                self.predicts |= !contract.prediction.is_empty();
                self.tokens.insert(contract.entry_id.clone(), becket_base::tokens::count(&node.to_string()));
                self.contracts.insert(contract.entry_id.clone(), contract);
            }
        }
        Ok(())
    }
}

impl WrittenContracts {
    /// Of the files in these, those that `other` may have left out: what a limit cut there, and what is there for that alone.
    pub(super) fn cut_by<'a>(&'a self, other: &WrittenContracts) -> BTreeSet<&'a str> {
        let mut cut = BTreeSet::new();
        let known = self.contracts.keys().filter(|entry| other.cut.contains(*entry));
        let mut open: Vec<&String> = known.collect();
        while let Some(entry) = open.pop() {
            if !other.contracts.contains_key(entry) && cut.insert(entry.as_str()) {
                open.extend(self.edges.get(entry).into_iter().flatten());
            }
        }
        cut
    }

    /// How they were made, as far as they tell; in everything else as `asked`.
    pub(super) fn options(&self, asked: ContextOptions) -> ContextOptions {
        let (mode, schema) = self.form.unwrap_or((asked.mode, asked.schema));
        let is_test = |entry: &String| {
            let role = |tests| role_of(entry, 1, tests);
            role(Tests::LeftOut) != Role::Source && role(Tests::Included) == Role::Source
        };
        let depth = self.depth.unwrap_or(asked.bundle.depth);
        ContextOptions {
            mode,
            schema,
            style: self.style,
            bundle: self.meta.as_ref().map_or(asked.bundle, |meta| meta.limits(depth)),
            format: self.format.unwrap_or(asked.format),
            tests: if self.contracts.keys().any(is_test) { Tests::Included } else { Tests::LeftOut },
            predict: self.predicts,
            profile: asked.profile,
        }
    }
}

fn format_of(path: &str, text: &str) -> Format {
    let named = |format: &Format| path.ends_with(format.file_name());
    let named = [Format::Ndjson, Format::Toon].into_iter().find(named);
    // One bundle a line, or not.
    named.unwrap_or(if text.starts_with("[\n{") { Format::Json } else { Format::Pretty })
}

fn form(node: &Value, contract: &Contract) -> (CodeMode, SchemaVersion) {
    let mode = match (node.get("code"), node.get("codeHeader")) {
        (Some(_), _) => CodeMode::Full,
        (None, Some(_)) => CodeMode::Header,
        (None, None) => CodeMode::None,
    };
    (mode, contract.schema_version.parse().unwrap_or_default())
}

/// Context files below a folder, wherever they come from, by path relative to it.
pub(super) fn found_in(folder: &Path) -> Vec<PathBuf> {
    let index = becket_project::walk::walk(folder, becket_project::walk::Tests::Included);
    let mut found: BTreeSet<PathBuf> = listed(folder).into_iter().map(PathBuf::from).collect();
    // Most projects ignore them, so the index knows of files that a walk does not see.
    for file in &index.map(|walked| walked.files).unwrap_or_default() {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        if PAGES.contains(&name) || matches!(name, INDEX | "context_compare_modes.json") {
            found.insert(PathBuf::from(&*file.path));
        }
    }
    let is_ours = |path: &PathBuf| read(&folder.join(path)).is_some_and(|text| is_ours(&text));
    found.into_iter().filter(is_ours).collect()
}
