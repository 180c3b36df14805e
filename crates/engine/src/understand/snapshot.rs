//! Snapshots, and the bundles in them: set aside once, listed and read as they were then.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use becket_contracts::render::IndexSummary;
use becket_project::config;
use becket_project::lock::LockError;
use becket_project::snapshot::{SnapshotError, SnapshotRecord};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::bundle_part::{BundlePart, foreign_cursor};
use super::compare::unread;
use super::fault::unless_full;
use super::generate::{LeftOutFile, left_out, nothing_found};
use super::material::{Material, Packed};
use super::options::ContextChoice;
use super::part::{fitting, size};
use super::session::output_lock;
use super::site::{Site, lies_in, spelled};
use super::written::{self, folder_of};
use crate::progress::{self, tell};
use crate::repository::sentence;
use crate::sandbox::refused_link;
use crate::settings::BYTES_PER_TOKEN;
use crate::{Engine, Error, shrink};

#[derive(Debug, Clone, Default)]
pub struct RefreshRequest {
    pub project_path: Option<String>,
    pub choice: ContextChoice,
    pub clean_cache: bool,
}

/// A new snapshot and what is in it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refreshed {
    pub snapshot_id: String,
    pub project_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    pub profile: String,
    pub mode: String,
    pub include_style: bool,
    pub depth: usize,
    pub summary: SnapshotSummary,
    /// By path; the first of them where there are many.
    pub folders: Vec<FolderRow>,
    /// Set when not everything is shown, with how to get the rest; and when nothing could be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Sources that are not analysed, with the reason; the first of them where there are many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutFile>,
    /// How many they are in all.
    pub left_out_files: usize,
}

pub type SnapshotSummary = IndexSummary;

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderRow {
    pub path: String,
    pub bundles: usize,
    /// File names of the bundles' roots.
    pub components: Vec<String>,
    pub token_estimate: usize,
}

/// A snapshot by its id, or the newest of a project; without either, the newest of the server's own.
#[derive(Debug, Clone, Default)]
pub struct SnapshotSource {
    pub snapshot_id: Option<String>,
    pub project_path: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct ListBundlesRequest {
    pub source: SnapshotSource,
    pub folder_prefix: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedBundles {
    pub snapshot_id: String,
    pub project_path: String,
    pub total_bundles: usize,
    pub bundles: Vec<BundleRow>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BundleRow {
    pub id: String,
    pub root_component: String,
    pub file_path: String,
    pub folder: String,
    /// What `read_bundle` takes.
    pub bundle_path: String,
    pub position: String,
    pub bundle_hash: String,
    pub approx_tokens: usize,
}

#[derive(Debug, Clone, Default)]
pub struct ReadBundleRequest {
    pub source: SnapshotSource,
    pub bundle_path: String,
    pub root_component: Option<String>,
    /// Where the answer before left off.
    pub cursor: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadBundle {
    pub snapshot_id: String,
    pub bundle_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_component: Option<String>,
    /// The bundle that was asked for by its component.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<Value>,
    /// All bundles of the folder, when no component was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundles: Option<Vec<Value>>,
    /// The index, when `context_main.json` was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<Value>,
    /// What was left out to stay within the limits, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Said of a snapshot whose context files could not be written.
pub(super) const UNWRITTEN: &str = "unwritten";
const MOST_FOLDERS: usize = 200;
/// An id that a caller made up may have any length.
const LONGEST_MESSAGE: usize = 400;
/// Room for saying what is not shown of a snapshot.
const REFRESH_NOTICE: usize = 400;
/// Room for saying which part of a bundle is shown, and where the next begins.
const PART_NOTICE: usize = 1_000;

impl Engine {
    /// Analyses a project, writes its context files, and sets a copy aside.
    pub fn refresh_snapshot(&self, request: &RefreshRequest) -> Result<Refreshed, Error> {
        let options = self.context_options(&request.choice)?;
        let site = self.site(request.project_path.as_deref())?;
        let folder = site.folder();
        let lock = output_lock(&site, &folder)?;
        let reading = self.reading(request.project_path.as_deref(), options, request.clean_cache)?;
        if reading.material.entries.is_empty() {
            return Err(nothing_found(&reading.site));
        }
        let pages = self.pages(&reading, &folder);
        let unwritten = match self.write_run(&reading, &pages, &folder) {
            Ok(()) => None,
            // A snapshot needs none of them: the project's own files come first, and it may be one to be read only.
            Err(error) if matches!(error.code(), "not_ours" | "not_writable") => {
                Some(format!("No context files were written. {}", error.message()))
            }
            Err(error) => return Err(error),
        };
        drop(lock);
        progress::still_wanted()?;
        let (left_out, left_out_files) = left_out(&reading.index.gist());
        let notices: Vec<String> = unwritten.iter().cloned().chain(unread(&reading.index)).collect();
        let (site, material) = (reading.site, reading.material);
        let bytes = serde_json::to_vec(&*material)
            .map_err(|error| Error::internal("The snapshot could not be written.").with_source(error))?;
        let created_at = pages.index.created_at.clone();
        let about = json!({"prefix": site.prefix, "createdAt": created_at, "contextDir": site.shown(),
            UNWRITTEN: unwritten.is_some()});
        let record =
            self.snapshots(&site).store(self.now(), &site.shown(), &about, &bytes).map_err(of_snapshot)?;
        self.remember_opened(&record, &material);
        if request.project_path.is_some() {
            let mut taken = self.understanding.taken.lock().unwrap_or_else(PoisonError::into_inner);
            taken.insert(record.id.clone(), site.shown());
        }
        let folders = pages.index.folders.iter().map(|row| FolderRow {
            path: match (site.prefix.as_str(), row.path.as_str()) {
                ("", path) => path.to_owned(),
                (prefix, ".") => prefix.to_owned(),
                (prefix, path) => format!("{prefix}/{path}"),
            },
            bundles: row.bundles,
            components: row.components.clone(),
            token_estimate: row.token_estimate,
        });
        let mut refreshed = Refreshed {
            snapshot_id: record.id,
            project_path: site.shown(),
            branch: site.branch,
            profile: options.profile.as_str().to_owned(),
            mode: options.mode.as_str().to_owned(),
            include_style: options.style.is_some(),
            depth: options.bundle.depth,
            summary: pages.index.summary,
            folders: folders.collect(),
            notice: (!notices.is_empty()).then(|| notices.join(" ")),
            left_out,
            left_out_files,
        };
        refreshed.fit(self.max_output_bytes());
        Ok(refreshed)
    }

    /// Every bundle of a snapshot, by file.
    pub fn list_bundles(&self, request: &ListBundlesRequest) -> Result<ListedBundles, Error> {
        let opened = self.open_snapshot(&request.source)?;
        let prefix = spelled(request.folder_prefix.as_deref().unwrap_or_default());
        let below = |folder: &str| lies_in(folder, &prefix);
        let material = &opened.material;
        let mut bundles = Vec::new();
        let mut named: HashMap<(&str, &str), usize> = HashMap::new();
        for at in 0..material.graph().len() {
            let folder = folder_of(material.graph().path(at));
            *named.entry((folder, material.component(at))).or_default() += 1;
        }
        for (folder, packed) in material.folders().into_iter().filter(|(folder, _)| below(folder)) {
            let count = packed.len();
            for (at, one) in packed.iter().enumerate() {
                let component = material.component(one.root);
                // Two files beside each other may have one name but for its ending.
                let is_alone = named.get(&(folder, component)) == Some(&1);
                let component = if is_alone { component } else { material.file_name(one.root) };
                bundles.push(BundleRow {
                    id: format!("bundle_{component}"),
                    root_component: component.to_owned(),
                    file_path: material.graph().path(one.root).to_owned(),
                    folder: if folder.is_empty() { ".".to_owned() } else { folder.to_owned() },
                    bundle_path: path_in(folder, material.options.format.file_name()),
                    position: format!("{}/{count}", at + 1),
                    bundle_hash: one.hash.clone(),
                    approx_tokens: one.tokens,
                });
            }
        }
        bundles.sort_by(|left, right| left.file_path.cmp(&right.file_path));
        Ok(ListedBundles {
            snapshot_id: opened.record.id,
            project_path: opened.record.project_path,
            total_bundles: bundles.len(),
            bundles,
        })
    }

    /// One bundle, all of a folder, or the index, as far as the limits allow.
    pub fn read_bundle(&self, request: &ReadBundleRequest) -> Result<ReadBundle, Error> {
        tell("opening the snapshot", 0, None);
        let opened = self.open_snapshot(&request.source)?;
        let material = &opened.material;
        let created =
            opened.record.about.get("createdAt").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut answer = ReadBundle {
            snapshot_id: opened.record.id.clone(),
            bundle_path: request.bundle_path.clone(),
            root_component: request.root_component.clone(),
            bundle: None,
            bundles: None,
            index: None,
            notice: None,
            next_cursor: None,
        };
        let path = &*spelled(&request.bundle_path);
        let limit = self.limit();
        if path == written::INDEX {
            if request.cursor.is_some() {
                return Err(foreign_cursor());
            }
            let site = opened.site.clone();
            // Nothing of it is of another time than it was taken.
            let then = created.parse().unwrap_or(opened.record.created_at);
            let pages = written::pages(material, &site, then, None, &written::KeptPages::default());
            let mut index = serde_json::to_value(&pages.index).unwrap_or_default();
            let lost = shrink(&mut index, limit.beside(&answer).room());
            answer.index = Some(index);
            answer.notice = (!lost.is_empty()).then(|| {
                format!("Cut to fit: {}. logicstamp_list_bundles has every folder.", lost.join("; "))
            });
            return Ok(answer);
        }
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let folders = material.folders();
        let known = written::PAGES.contains(&file);
        let has_files = (0..material.graph().len()).any(|at| folder_of(material.graph().path(at)) == folder);
        if !known || !has_files {
            return Err(unknown_bundle_path(path, folders.keys().copied()));
        }
        let packed = folders.get(folder).map(Vec::as_slice).unwrap_or_default();
        let count = packed.len();
        if let Some(component) = &request.root_component {
            let at = find_component(material, folder, packed, component)?;
            let position =
                packed.iter().position(|one| one.root == at).map_or((1, 1), |found| (found + 1, count));
            let one = packed.iter().position(|one| one.root == at);
            let made;
            let one = if let Some(found) = one {
                &**packed[found]
            } else {
                made = material.bundle_of(at);
                &made
            };
            tell("reading bundles", 0, Some(1));
            let text = material.text(one, position, &created).json();
            let size = Limit { bytes: text.len(), tokens: one.tokens };
            let whole: Value = serde_json::from_str(&text).unwrap_or_default();
            if request.cursor.is_none() && size.within(limit.beside(&answer)) {
                answer.bundle = Some(whole);
                return Ok(answer);
            }
            let part = BundlePart::of(whole, request.cursor.as_deref(), limit.beside(&answer).room())?;
            let more = part.next_cursor.as_ref().map(|_| "Call again with nextCursor as cursor.");
            answer.notice = Some(partial(&part, size, limit, more));
            answer.next_cursor = part.next_cursor;
            answer.bundle = Some(part.bundle);
            return Ok(answer);
        }
        let start = match &request.cursor {
            None => 0,
            Some(cursor) => {
                packed.iter().position(|one| material.graph().path(one.root) == cursor).ok_or_else(|| {
                    Error::invalid("invalid_cursor", "This cursor is not of this folder.")
                        .with_hint("Leave it out to start again.")
                })?
            }
        };
        let (mut bundles, mut spent) = (Vec::new(), Limit { bytes: 0, tokens: 0 });
        let beside = limit.beside(&answer);
        for (at, one) in packed.iter().enumerate().skip(start) {
            tell("reading bundles", at - start, Some(count - start));
            let text = material.text(one, (at + 1, count), &created).json();
            let next = Limit { bytes: spent.bytes + text.len() + 1, tokens: spent.tokens + one.tokens };
            if !next.within(beside) {
                if bundles.is_empty() {
                    let whole = serde_json::from_str(&text).unwrap_or_default();
                    let part = BundlePart::of(whole, None, beside.room())?;
                    let root = material.graph().path(one.root);
                    let more = part
                        .next_cursor
                        .as_ref()
                        .map(|_| format!("Read it by the rootComponent {root} for the rest."));
                    answer.notice = Some(partial(&part, next, limit, more.as_deref()));
                    bundles.push(part.bundle);
                    answer.next_cursor =
                        packed.get(at + 1).map(|next| material.graph().path(next.root).to_owned());
                } else {
                    answer.next_cursor = Some(material.graph().path(one.root).to_owned());
                    answer.notice = Some(format!(
                        "{} of {count} bundles; the others are beyond the limit of {} bytes or {} tokens. Call again with nextCursor as cursor.",
                        bundles.len(),
                        limit.bytes,
                        limit.tokens
                    ));
                }
                break;
            }
            spent = next;
            bundles.push(serde_json::from_str(&text).unwrap_or_default());
        }
        if packed.is_empty() {
            answer.notice = Some(format!(
                "No bundle begins in this folder: other files import all of these. Name one as rootComponent: {}.",
                named_in(material, &files_in(material, folder))
            ));
        }
        answer.bundles = Some(bundles);
        Ok(answer)
    }

    /// The material of a snapshot, from memory where it was opened before.
    pub(super) fn open_snapshot(&self, source: &SnapshotSource) -> Result<Opened, Error> {
        let taken = {
            let taken = self.understanding.taken.lock().unwrap_or_else(PoisonError::into_inner);
            source.snapshot_id.as_ref().and_then(|id| taken.get(id).cloned())
        };
        let site = self.site(source.project_path.as_deref().or(taken.as_deref()))?;
        let snapshots = self.snapshots(&site);
        let record = match &source.snapshot_id {
            Some(id) => snapshots.record(id, self.now()).map_err(of_snapshot)?,
            None => self.newest_snapshot(&site).ok_or_else(no_snapshot)?,
        };
        let known = {
            let opened = self.understanding.opened.lock().unwrap_or_else(PoisonError::into_inner);
            opened.get(&record.content).cloned()
        };
        let material = if let Some(material) = known {
            material
        } else {
            let bytes = snapshots.open(&record).map_err(of_snapshot)?;
            let material: Material = serde_json::from_slice(&bytes).map_err(|error| {
                Error::unavailable(
                    "snapshot_damaged",
                    format!("The snapshot `{}` is of another version.", record.id),
                )
                .with_hint("Call logicstamp_refresh_snapshot for a new one.")
                .with_source(error)
            })?;
            let material = Arc::new(material);
            self.remember_opened(&record, &material);
            material
        };
        let prefix = record.about.get("prefix").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Opened { site: Site { prefix, ..site }, record, material })
    }

    pub(super) fn newest_snapshot(&self, site: &Site) -> Option<SnapshotRecord> {
        self.snapshots(site).list(self.now()).into_iter().find(|record| record.project_path == site.shown())
    }

    /// The newest of those that somebody took, where it is kept still.
    pub(super) fn own_snapshot(&self, site: &Site, taken: &[String]) -> Option<SnapshotRecord> {
        let snapshots = self.snapshots(site);
        let kept = taken.iter().rev().filter_map(|id| snapshots.record(id, self.now()).ok());
        kept.into_iter().find(|record| record.project_path == site.shown())
    }

    /// Whether somebody took snapshots of which there is none of this folder any more, but one that is gone.
    pub(super) fn has_lost_own(&self, site: &Site, taken: &[String]) -> bool {
        let snapshots = self.snapshots(site);
        let is_gone = |id: &String| snapshots.record(id, self.now()).is_err();
        self.own_snapshot(site, taken).is_none() && taken.iter().any(is_gone)
    }

    fn remember_opened(&self, record: &SnapshotRecord, material: &Arc<Material>) {
        let mut opened = self.understanding.opened.lock().unwrap_or_else(PoisonError::into_inner);
        // A few are enough: who compares uses the newest.
        if opened.len() >= 4 {
            opened.clear();
        }
        opened.insert(record.content.clone(), Arc::clone(material));
    }

    fn limit(&self) -> Limit {
        let number = |key| usize::try_from(self.settings.number(key)).unwrap_or(usize::MAX);
        Limit {
            bytes: number(config::SECURITY_MAX_BUNDLE_SIZE).min(self.max_bundle_answer_bytes()),
            tokens: number(config::SECURITY_MAX_TOKENS_PER_REQUEST),
        }
    }
}

/// A snapshot that is open.
pub(super) struct Opened {
    pub(super) site: Site,
    pub(super) record: SnapshotRecord,
    pub(super) material: Arc<Material>,
}

#[derive(Debug, Clone, Copy)]
struct Limit {
    bytes: usize,
    tokens: usize,
}

impl Limit {
    fn within(self, most: Limit) -> bool {
        self.bytes <= most.bytes && self.tokens <= most.tokens
    }

    /// What is left for bundles beside the other fields of an answer, and what is said of a part.
    fn beside(self, answer: &ReadBundle) -> Self {
        let saying = PART_NOTICE.min(self.bytes / 3);
        Self { bytes: self.bytes.saturating_sub(size(answer) + saying), ..self }
    }

    /// The bytes that may be spent are shared with tokens at the usual rate.
    fn room(self) -> usize {
        let rate = usize::try_from(BYTES_PER_TOKEN).unwrap_or(1);
        self.bytes.min(self.tokens.saturating_mul(rate))
    }
}

impl Refreshed {
    /// Leaves no more of its lists than an answer holds, and says so.
    fn fit(&mut self, most: usize) {
        let missing = std::mem::take(&mut self.summary.missing_dependencies);
        let (folders, left_out) = (std::mem::take(&mut self.folders), std::mem::take(&mut self.left_out));
        let room = most.saturating_sub(size(self) + REFRESH_NOTICE.min(most / 4));
        let (all, lacking) = (folders.len(), missing.len());
        self.summary.missing_dependencies = fitting(missing.into_iter().take(MOST_FOLDERS), room / 4);
        self.left_out = fitting(left_out, room / 4);
        let rest = room.saturating_sub(size(&self.summary.missing_dependencies) + size(&self.left_out));
        self.folders = fitting(folders.into_iter().take(MOST_FOLDERS), rest);
        let shown = (self.folders.len(), self.summary.missing_dependencies.len(), self.left_out.len());
        if shown != (all, lacking, self.left_out_files) {
            let cut = format!(
                "{}, {} and {} left out in all: {}, {} and {} are \
                 shown. logicstamp_list_bundles has every folder, context_main.json every dependency.",
                becket_base::counted(all, "folder"),
                becket_base::counted(lacking, "missing dependency"),
                becket_base::counted(self.left_out_files, "source"),
                shown.0,
                shown.1,
                shown.2
            );
            self.notice = Some(self.notice.iter().cloned().chain([cut]).collect::<Vec<_>>().join(" "));
        }
    }
}

/// What of a bundle is shown, why not all of it, and how to get the rest.
fn partial(part: &BundlePart, size: Limit, limit: Limit, more: Option<&str>) -> String {
    let shown = format!(
        "{}: the whole bundle has {} bytes and {} tokens, the limits are {} and {}.",
        part.shown, size.bytes, size.tokens, limit.bytes, limit.tokens
    );
    let inside = part.cut_inside.as_ref().map(|cut| format!("{cut} Higher limits show it whole."));
    let parts: Vec<String> = std::iter::once(shown).chain(inside).chain(more.map(str::to_owned)).collect();
    parts.join(" ")
}

/// The files of a folder.
fn files_in(material: &Material, folder: &str) -> Vec<usize> {
    (0..material.graph().len()).filter(|at| folder_of(material.graph().path(*at)) == folder).collect()
}

/// Their names as components, as far as they fit into a sentence.
fn named_in(material: &Material, files: &[usize]) -> String {
    let names: Vec<&str> = files.iter().map(|at| material.component(*at)).collect();
    becket_base::clip(&names.join(", "), 400).to_string()
}

/// By entry id, by file name, by file name without its ending, or by what one file alone declares and exports.
fn find_component(
    material: &Material,
    folder: &str,
    bundles: &[&Arc<Packed>],
    component: &str,
) -> Result<usize, Error> {
    let here = files_in(material, folder);
    let declares = |at: &usize| {
        let mut declared = material.entries[*at].contract().declarations.iter();
        declared.any(|one| one.exported && one.name == component)
    };
    let is_exact =
        |at: &&usize| material.graph().path(**at) == component || material.file_name(**at) == component;
    let mut roots = bundles.iter().map(|bundle| &bundle.root);
    // Of two with one name a bundle begins with the one that is meant.
    let named = |at: &&usize| material.component(**at) == component;
    let found = here.iter().find(is_exact).or_else(|| roots.find(named)).or_else(|| here.iter().find(named));
    if let Some(found) = found {
        return Ok(*found);
    }
    let declaring: Vec<usize> = here.iter().copied().filter(declares).collect();
    if let [one] = declaring[..] {
        return Ok(one);
    }
    let is_elsewhere = |at: &usize| material.component(*at) == component || declares(at);
    let elsewhere = || (0..material.graph().len()).find(is_elsewhere).map(|at| material.graph().path(at));
    let names = here.iter().map(|at| material.component(*at));
    let hint = if !declaring.is_empty() {
        format!("Several files declare it: {}.", named_in(material, &declaring))
    } else if let Some(path) = elsewhere() {
        format!("It is in `{path}`: read `{}`.", path_in(folder_of(path), "context.json"))
    } else if let Some(meant) = becket_base::nearest(component, names) {
        format!("Did you mean `{meant}`?")
    } else {
        format!("This folder has {}.", named_in(material, &here))
    };
    let shown = becket_base::clip(component, 80);
    let message = format!("Bundle not found: there is no `{shown}` in this folder.");
    Err(Error::not_found("unknown_component", message).with_hint(hint))
}

fn unknown_bundle_path<'a>(path: &str, folders: impl Iterator<Item = &'a str>) -> Error {
    let paths: Vec<String> = folders.map(|folder| path_in(folder, "context.json")).collect();
    let hint = match becket_base::nearest(path, paths.iter().map(String::as_str)) {
        Some(meant) => format!("Did you mean `{meant}`?"),
        None => "logicstamp_list_bundles names every bundlePath.".to_owned(),
    };
    let shown = becket_base::clip(path, 120);
    Error::not_found("unknown_bundle_path", format!("There is no bundle file `{shown}` in this snapshot."))
        .with_hint(hint)
}

fn path_in(folder: &str, file: &str) -> String {
    if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") }
}

pub(super) fn no_snapshot() -> Error {
    Error::not_found(
        "no_snapshot",
        "There is no snapshot of this project: none was taken yet, or it expired.",
    )
    .with_hint("Call logicstamp_refresh_snapshot first; to compare, before the edits.")
}

pub(super) fn of_snapshot(error: SnapshotError) -> Error {
    if let Some(refused) = refused_link(&error) {
        return refused.with_source(error);
    }
    let message = sentence(&becket_base::clip(&error.to_string(), LONGEST_MESSAGE).to_string());
    match &error {
        SnapshotError::Unknown { .. } => Error::not_found("unknown_snapshot", message)
            .with_hint("Snapshots expire; logicstamp_refresh_snapshot makes a new one."),
        // To a caller one that does not exist.
        SnapshotError::Expired { .. } => Error::not_found("unknown_snapshot", message).with_hint(
            "logicstamp_refresh_snapshot makes a new one; snapshots.ttl_minutes says how long one is kept.",
        ),
        SnapshotError::Damaged { .. } => Error::unavailable("snapshot_damaged", message)
            .with_hint("Call logicstamp_refresh_snapshot for a new one."),
        SnapshotError::Lock(LockError::Held { .. }) => Error::unavailable("busy", message)
            .with_hint("Another process stores a snapshot or clears old ones away: try again."),
        SnapshotError::Folder { .. }
        | SnapshotError::File(_)
        | SnapshotError::Json(_)
        | SnapshotError::Lock(_) => Error::unavailable("not_writable", message)
            .with_hint(unless_full(&error, "Check the permissions of becket's cache folder.")),
    }
    .with_source(error)
}
