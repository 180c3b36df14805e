//! Drift: the files as they are now against a snapshot, written files, a folder, or a commit.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use becket_base::text::decoded;
use becket_base::{Timestamp, counted};
use becket_contracts::compare::{
    CompareResult, Comparison, Costs, DeclarationChange, Globals, Side, TokenDelta, Verdict, compare,
};
use becket_contracts::graph::Graph;
use becket_contracts::model::Contract;
use becket_contracts::render::CodeMode;
use becket_contracts::target::Target;
use becket_diff::FilePath;
use becket_git::{Git, LogOptions, Merges};
use becket_project::AdmitError;
use becket_project::index::{FileRecord, Index, IndexedFile};
use becket_project::snapshot::is_id;
use becket_project::walk::rules::is_rule_file;
use schemars::JsonSchema;
use serde::Serialize;

use super::fault;
use super::left_out::tell_left_out;
use super::material::Material;
use super::options::{ContextChoice, ContextOptions};
use super::run::LastRun;
use super::session::output_lock;
use super::site::Site;
use super::snapshot::{Opened, SnapshotSource, UNWRITTEN, no_snapshot};
use super::tokens::claude;
use super::validate::text_at;
use super::written::{self, Page, WrittenContracts};
use crate::repository::sentence;
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct CompareRequest {
    pub project_path: Option<String>,
    pub choice: ContextChoice,
    /// `disk`, `snapshot`, the id of a snapshot, `git:<ref>`, or a folder with a `context_main.json`.
    pub baseline: Option<String>,
    /// Snapshots that the caller took, the newest last: others of the same worktree take theirs in between.
    pub own: Vec<String>,
    /// Write the context files of now as well.
    pub force_regenerate: bool,
    pub clean_cache: bool,
    /// Goes on with the last comparison instead.
    pub cursor: Option<String>,
    /// Of whom it is the last comparison then.
    pub connection: Option<u64>,
}

/// The seed's result, and what it speaks of.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Compared {
    #[serde(flatten)]
    pub result: CompareResult,
    pub project_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The snapshot or commit that the baseline was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_id: Option<String>,
    /// When it was compared.
    pub compared_at: String,
    /// What is not in this answer, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// Where the rest begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What was taken for the baseline, where it is not what one would expect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct LastCompareRequest {
    /// Only a result of this moment or later.
    pub since: Option<String>,
    /// Where an answer before ended.
    pub cursor: Option<String>,
    /// Who asks: what others of the same server compared is none of theirs. Those without a connection share theirs.
    pub connection: Option<u64>,
}

/// A comparison that was answered.
#[derive(Debug)]
pub(super) struct KeptCompared {
    at: Timestamp,
    connection: Option<u64>,
    compared: Compared,
}

/// `stamp context compare`: two written files, two indexes, or what is written against what is.
#[derive(Debug, Clone, Default)]
pub struct DriftRequest {
    /// Old and new: two folder files, or two `context_main.json`.
    pub files: Option<(String, String)>,
    pub path: Option<String>,
    pub baseline: Option<String>,
    pub choice: ContextChoice,
    /// Write the files of now over those that were compared.
    pub approve: bool,
    /// With `approve`: also remove files of folders that are gone.
    pub clean_orphaned: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DriftReport {
    #[serde(flatten)]
    pub compared: Compared,
    pub approved: bool,
    /// Written files whose folder has no source any more.
    pub orphaned: Vec<String>,
    /// Whether these were removed.
    pub removed_orphaned: bool,
}

/// What could not be read, and what that leads to.
pub(super) fn unread(index: &Index) -> Option<String> {
    let (first, rest) = index.problems().split_first()?;
    let name = first.path.rsplit('/').next().unwrap_or(&first.path);
    let follows = if is_rule_file(name) { "its rules do not hold" } else { "what is in it seems to be gone" };
    let more = if rest.is_empty() { String::new() } else { format!(", nor {} more", rest.len()) };
    Some(format!("{} could not be read ({}){more}: {follows}.", first.path, first.message))
}

/// So many comparisons are kept for those who ask for the rest of one, and the last of so many connections.
const MOST_COMPARED: usize = 8;
const MOST_CONNECTIONS: usize = 64;

/// A baseline that has been read.
struct Baseline {
    contracts: Contracts,
    id: Option<String>,
    /// How it was made, where that is not for the caller to say.
    options: Option<ContextOptions>,
}

/// How far the path of a baseline may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// On the word of an agent.
    Repository,
    /// On a command line, typed by whoever may read there anyway.
    Anywhere,
}

enum Contracts {
    /// Everything that is known of the files of then.
    Whole(Arc<Material>),
    /// The same of the files that a run wrote contracts of, with the tokens of each as it was written.
    Recalled(Box<(Index, Vec<usize>)>),
    /// What was written of them.
    Written(WrittenContracts),
}

impl Baseline {
    /// `graph` is that of now, for a baseline without one.
    fn side<'a>(&'a self, graph: &'a Graph) -> Side<'a> {
        match &self.contracts {
            Contracts::Whole(material) => {
                Side { contracts: material.contracts(), graph: Some(material.graph()), reduced: false }
            }
            Contracts::Recalled(recalled) => {
                let files = recalled.0.files().iter();
                let contracts = files.map(|file| (&*file.path, file.contract())).collect();
                Side { contracts, graph: Some(recalled.0.graph()), reduced: false }
            }
            Contracts::Written(written) => Side { graph: Some(graph), ..side_of(written) },
        }
    }

    fn tokens(&self, entry: &str) -> usize {
        match &self.contracts {
            Contracts::Whole(material) => material.entry(entry).map_or(0, |entry| entry.measures.tokens),
            Contracts::Recalled(recalled) => {
                let (index, tokens) = &**recalled;
                index.position(entry).and_then(|at| tokens.get(at).copied()).unwrap_or_default()
            }
            Contracts::Written(written) => written.tokens.get(entry).copied().unwrap_or_default(),
        }
    }
}

fn side_of(written: &WrittenContracts) -> Side<'_> {
    let contracts = written.contracts.iter().map(|(entry, one)| (entry.as_str(), one)).collect();
    Side { contracts, graph: None, reduced: true }
}

impl Engine {
    /// What changed since the baseline. The later side is always the files as they are now.
    pub fn compare_snapshot(&self, request: &CompareRequest) -> Result<Compared, Error> {
        if request.cursor.is_some() {
            let (cursor, connection) = (request.cursor.clone(), request.connection);
            return self.last_compare_result(&LastCompareRequest { since: None, cursor, connection });
        }
        let (compared, _) = self.compared(request, Reach::Repository)?;
        let mut known = self.understanding.compared.lock().unwrap_or_else(PoisonError::into_inner);
        let kept =
            KeptCompared { at: self.now(), connection: request.connection, compared: compared.clone() };
        known.push_back(kept);
        forget_old(&mut known);
        compared.part(None, self.max_output_bytes())
    }

    /// The last result, without comparing again.
    pub fn last_compare_result(&self, request: &LastCompareRequest) -> Result<Compared, Error> {
        let since = match &request.since {
            None => None,
            Some(text) => Some(text.parse::<Timestamp>().map_err(|error| {
                Error::invalid(
                    "invalid_arguments",
                    format!("`{}` is no moment.", becket_base::clip(text, 60)),
                )
                .with_hint("Write it like 2026-01-31T12:00:00Z.")
                .with_source(error)
            })?),
        };
        let known = self.understanding.compared.lock().unwrap_or_else(PoisonError::into_inner);
        // Others may have compared since the answer that is gone on with.
        let gone_on = request
            .cursor
            .as_deref()
            .and_then(|cursor| known.iter().rev().find(|kept| kept.compared.place(cursor).is_some()));
        let last = || known.iter().rev().find(|kept| kept.connection == request.connection);
        match gone_on.or_else(last) {
            Some(kept) if since.is_none_or(|since| kept.at >= since) => {
                kept.compared.clone().part(request.cursor.as_deref(), self.max_output_bytes())
            }
            Some(_) => Err(Error::not_found("no_compare_result", "Nothing was compared since then.")
                .with_hint("Call logicstamp_compare_snapshot, or leave out `since`.")),
            None => {
                Err(Error::not_found("no_compare_result", "You have compared nothing in this server yet.")
                    .with_hint("Call logicstamp_compare_snapshot."))
            }
        }
    }

    /// Drift for people and CI.
    pub fn context_compare(&self, request: &DriftRequest) -> Result<DriftReport, Error> {
        if let Some((old, new)) = &request.files {
            return self.compare_files(old, new);
        }
        let baseline = request.baseline.clone().unwrap_or_else(|| "files".to_owned());
        let compare = CompareRequest {
            project_path: request.path.clone(),
            choice: request.choice.clone(),
            baseline: Some(baseline),
            own: Vec::new(),
            force_regenerate: false,
            clean_cache: false,
            ..CompareRequest::default()
        };
        let (compared, options) = self.compared(&compare, Reach::Anywhere)?;
        let site = self.site(request.path.as_deref())?;
        let named = compare.baseline.as_deref().unwrap_or_default();
        let folder = self.baseline_folder(named, Reach::Anywhere)?.unwrap_or_else(|| site.folder());
        let mut orphaned = BTreeSet::new();
        if written::read_index(&folder).is_some() {
            let _lock = if request.approve { Some(output_lock(&site, &folder)?) } else { None };
            let reading = self.reading(request.path.as_deref(), options, false)?;
            let mut pages = self.pages(&reading, &folder);
            orphaned = written::orphaned(&reading.index, &site, &pages, &folder);
            if request.approve {
                if !request.clean_orphaned {
                    // Kept in sight of the writer, so that it leaves them alone.
                    for path in &orphaned {
                        pages.files.insert(path.clone(), Page::Same);
                    }
                }
                self.write_run(&reading, &pages, &folder)?;
            }
            if request.approve && request.clean_orphaned {
                for path in &orphaned {
                    becket_project::files::remove(&folder.join(path)).map_err(fault::not_written)?;
                }
            }
        }
        let orphaned = orphaned.into_iter().collect();
        let removed_orphaned = request.approve && request.clean_orphaned;
        Ok(DriftReport { compared, approved: request.approve, orphaned, removed_orphaned })
    }

    /// With the options under which files of now are like those that were compared.
    fn compared(&self, request: &CompareRequest, reach: Reach) -> Result<(Compared, ContextOptions), Error> {
        let asked = self.context_options(&request.choice)?;
        let named = request.baseline.as_deref().unwrap_or("disk");
        let site = self.site(request.project_path.as_deref())?;
        let folder = site.folder();
        let newest = self.newest_snapshot(&site);
        let is_snapshot = matches!(named, "disk" | "snapshot");
        let own = || self.own_snapshot(&site, &request.own).or_else(|| newest.clone());
        let snapshot = if is_snapshot { own() } else { None };
        // What else it can be lies elsewhere.
        let of_project = is_snapshot || named == "files";
        if !request.force_regenerate && of_project && written::read_index(&folder).is_none() {
            if snapshot.as_ref().is_none_or(|record| record.about[UNWRITTEN] != true) {
                return Err(match reach {
                    Reach::Repository => fault::no_index(&folder),
                    Reach::Anywhere => fault::no_index_yet(&folder),
                });
            }
        }
        if snapshot.is_none() && of_project {
            self.is_of(&site)?;
        }
        let baseline = match &snapshot {
            Some(record) => self.baseline(&site, &record.id, asked, reach)?,
            None => self.baseline(&site, named, asked, reach)?,
        };
        let options = baseline.options.map_or(asked, |before| request.choice.over(asked, before));
        let _lock = if request.force_regenerate { Some(output_lock(&site, &folder)?) } else { None };
        let reading = self.reading(request.project_path.as_deref(), options, request.clean_cache)?;
        let shown = &reading.material;
        let before = baseline.side(shown.graph());
        let after = Side { contracts: shown.contracts(), graph: Some(shown.graph()), reduced: false };
        let costs = |entry: &str| Costs {
            before: delta(baseline.tokens(entry)),
            after: delta(shown.entry(entry).map_or(0, |entry| entry.measures.tokens)),
        };
        let mut comparison = compare(&before, &after);
        name_users_of_globals(&site, (&before, &after), &mut comparison);
        tell_unknown(&mut comparison);
        tell_left_out(&site, &reading.index, &mut comparison);
        let result = CompareResult::new(named, (&before, &after), comparison, &costs);
        if request.force_regenerate {
            let pages = self.pages(&reading, &folder);
            self.write_run(&reading, &pages, &folder)?;
        }
        let notice = match &baseline.id {
            None if named == "disk" => Some(
                "There is no snapshot of this project, or none that is still kept: the context files in its folders were \
                 compared.",
            ),
            Some(_) if named == "disk" && baseline.options.is_none() => Some(
                "There was neither a snapshot of this project nor a context file: the last commit was compared.",
            ),
            _ => None,
        };
        let is_lost = is_snapshot && self.has_lost_own(&site, &request.own);
        let lost = is_lost.then(|| {
            let compared = snapshot.as_ref().map_or(named, |record| &record.id);
            format!(
                "A snapshot that you took is no longer kept: `{compared}` was compared, and what changed before that is \
                 not told."
            )
        });
        let own = snapshot.filter(|_| !is_lost);
        let later = newest.filter(|newest| own.is_some_and(|own| own.id != newest.id));
        let later = later.map(|newest| {
            format!("Somebody else has taken the snapshot `{}` since; your own was compared.", newest.id)
        });
        let is_unstyled = options.style.is_some() && baseline.options.is_some_and(|one| one.style.is_none());
        let unstyled = is_unstyled.then(|| {
            "The baseline was made without style, so style was not compared: make it with style, or compare with git:<ref>."
                .to_owned()
        });
        let notices = notice.map(str::to_owned).into_iter().chain(lost).chain(later).chain(unstyled);
        let notices = notices.chain(unread(&reading.index));
        let otherwise = baseline.options.filter(|before| before.mode != options.mode);
        let otherwise = otherwise.filter(|_| result.status != "pass").map(|before| {
            let (was, is) = (before.mode.as_str(), options.mode.as_str());
            format!(
                "The baseline was made in mode {was} and compared in mode {is}: tokenDelta is between the two modes too."
            )
        });
        let notices: Vec<String> = notices.chain(otherwise).collect();
        let notice = (!notices.is_empty()).then(|| notices.join(" "));
        Ok((Compared { notice, ..self.answer(&site, result, baseline.id) }, options))
    }

    fn baseline(
        &self,
        site: &Site,
        named: &str,
        options: ContextOptions,
        reach: Reach,
    ) -> Result<Baseline, Error> {
        let whole = |material: Arc<Material>, id: String, options: Option<ContextOptions>| Baseline {
            contracts: Contracts::Whole(material),
            id: Some(id),
            options,
        };
        if let Some(revision) = named.strip_prefix("git:") {
            let index = Arc::new(self.index_at(site, revision, options.tests)?);
            let commit = becket_git::resolve(&site.workspace.root, revision)?;
            let asks = options.mode == CodeMode::Full || options.style.is_some();
            let texts = if asks { texts_at(site, &index, commit.as_str())? } else { BTreeMap::new() };
            let text = |path: &str| texts.get(path).map(|bytes| decoded(bytes).into_owned());
            let material = Arc::new(Material::of(&index, site, options, None, &text));
            return Ok(whole(material, commit.as_str().to_owned(), None));
        }
        match named {
            // Of which there is no snapshot.
            "snapshot" => Err(no_snapshot()),
            "disk" if written::read_index(&site.folder()).is_none() => {
                self.baseline(site, "git:HEAD", options, reach).map_err(|_| no_snapshot())
            }
            "disk" | "files" => self.of_folder(site, &site.folder(), options),
            id if is_id(id) => {
                let source =
                    SnapshotSource { snapshot_id: Some(id.to_owned()), project_path: Some(site.shown()) };
                let Opened { record, material, .. } = self.open_snapshot(&source)?;
                if record.project_path != site.shown() {
                    let place = &record.project_path;
                    let message = format!("The snapshot `{id}` is of another folder: `{place}`.");
                    return Err(Error::invalid("unknown_baseline", message)
                        .with_hint("Give that folder as projectPath, or take a snapshot of this one."));
                }
                let options = material.options;
                Ok(whole(material, record.id, Some(options)))
            }
            path => {
                let folder = self.baseline_folder(path, reach)?.unwrap_or_else(|| site.folder());
                self.of_folder(site, &folder, options)
            }
        }
    }

    /// The folder that a baseline names, where it names one.
    fn baseline_folder(&self, named: &str, reach: Reach) -> Result<Option<PathBuf>, Error> {
        if named.starts_with("git:") || matches!(named, "disk" | "snapshot" | "files") || is_id(named) {
            return Ok(None);
        }
        let sandbox = self.sandbox()?;
        // As `--out` has it: from where the user stands.
        let typed = self.environment().current_dir.join(named);
        let mut place = if reach == Reach::Anywhere && is_written(&typed) {
            match sandbox.admit(&typed) {
                Ok(admitted) => admitted.absolute,
                Err(error) if is_elsewhere(&error) => typed,
                Err(error) => return Err(error.into()),
            }
        } else {
            match (sandbox.admit(named), meant_baseline(named)) {
                (Ok(admitted), _) if is_written(&admitted.absolute) => admitted.absolute,
                // Nothing is hidden from a user who may look there anyway.
                (Err(error), None) if reach == Reach::Repository || !is_elsewhere(&error) => {
                    return Err(error.into());
                }
                (_, meant) => return Err(unknown_baseline(named, meant)),
            }
        };
        if place.is_file() {
            place.pop();
        }
        Ok(Some(place))
    }

    /// What `--out` wrote into a folder is no earlier state of that folder, in which all seems to be gone.
    fn is_of(&self, site: &Site) -> Result<(), Error> {
        let (folder, own) = (site.folder(), &self.workspace()?.root);
        let Some(index) = written::read_index(&folder) else { return Ok(()) };
        let mut files =
            index.folders.iter().flat_map(|row| row.components.iter().map(|name| (&row.path, name)));
        if folder == *own || files.any(|(path, name)| folder.join(path).join(name).exists()) {
            return Ok(());
        }
        let written = written::contracts_in(&folder, &site.prefix)?;
        let mut entries = written.contracts.keys();
        let is_elsewhere = if site.prefix.is_empty() {
            // Outside of Git a folder is a project of its own, unless it is told by what is around it.
            folder.starts_with(own) && entries.any(|entry| own.join(entry).exists())
        } else {
            entries.len() > 0 && !entries.any(|entry| site.holds(entry))
        };
        if !is_elsewhere {
            return Ok(());
        }
        let shown = folder.strip_prefix(own).unwrap_or(&folder).display();
        let message = format!("`{shown}` has context files of another folder, and no source of its own.");
        Err(Error::invalid("context_mismatch", message).with_hint(format!(
            "Take it for the baseline, of the folder that they are of: `becket context compare --baseline {shown}`."
        )))
    }

    /// What was written into a folder. The run that wrote it knew more than it wrote; what style sheets say is not kept.
    fn of_folder(&self, site: &Site, folder: &Path, asked: ContextOptions) -> Result<Baseline, Error> {
        let run = if asked.style.is_none() { LastRun::that_wrote(site, folder) } else { None };
        let recalled = run.and_then(|run| {
            let rows = &run.remembered.rows;
            let records: Vec<FileRecord> =
                rows.records().filter_map(|(_, record)| record.try_into().ok()).collect();
            let index = Index::recalled(&site.cache(), &records)?;
            let tokens = |at: usize| rows.measures(at).map(|measures| measures.tokens);
            let tokens = (0..rows.len()).map(tokens).collect::<Option<_>>()?;
            Some((Contracts::Recalled(Box::new((index, tokens))), run.told.options))
        });
        let (contracts, options) = if let Some(recalled) = recalled {
            recalled
        } else {
            let mut written = written::contracts_in(folder, &site.prefix)?;
            let options = written.options(asked);
            self.fill_from_commit(site, folder, &mut written, options);
            (Contracts::Written(written), options)
        };
        Ok(Baseline { contracts, id: None, options: Some(options) })
    }

    /// Files that were written elsewhere came with a commit, as a rule that of the sources they speak of: what it promises by
    /// the same hash is known whole from there.
    fn fill_from_commit(
        &self,
        site: &Site,
        folder: &Path,
        written: &mut WrittenContracts,
        options: ContextOptions,
    ) {
        let index = folder.strip_prefix(&site.workspace.root).ok().and_then(|inside| {
            let path = inside.join(written::INDEX).to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
            Some(FilePath::new(path))
        });
        let log = LogOptions { limit: 1, path: index, merges: Merges::Include, ..LogOptions::default() };
        if log.path.is_none() {
            return;
        }
        let newest =
            becket_git::log(&site.workspace.root, &log).ok().and_then(|log| log.commits.into_iter().next());
        let Some(commit) = newest else { return };
        let Ok(then) = self.index_at(site, &commit.id, options.tests) else { return };
        for (entry, contract) in &mut written.contracts {
            let whole = then.file(entry).map(IndexedFile::contract);
            let is_it = |whole: &&Contract| {
                contract.semantic_hash.is_empty() || whole.semantic_hash == contract.semantic_hash
            };
            let same = whole.filter(is_it);
            if let Some(whole) = same {
                *contract = Contract::clone(whole);
            }
        }
    }

    fn compare_files(&self, old: &str, new: &str) -> Result<DriftReport, Error> {
        // Only a command line names them, by whoever may read them anyway: an artefact of another job lies anywhere.
        let site = self.site(None)?;
        let place = |path: &str| site.workspace.root.join(path);
        let missing = |path: &str| {
            let shown = becket_base::clip(path, 120);
            Error::not_found("context_missing", format!("There is no context file `{shown}`."))
                .with_hint("Name two files that `becket context` wrote.")
        };
        if let Some(path) = [old, new].into_iter().find(|path| !place(path).exists()) {
            return Err(missing(path));
        }
        // What one of them leaves out by its kind would be told as gone, or new.
        if let Some(error) = unlike((old, holds_all(&place(old))), (new, holds_all(&place(new)))) {
            return Err(error);
        }
        let read = |path: &str| -> Result<WrittenContracts, Error> {
            let place = place(path);
            if holds_all(&place) {
                let folder =
                    if place.is_dir() { place.as_path() } else { place.parent().unwrap_or(Path::new("")) };
                return written::contracts_in(folder, "");
            }
            let text = text_at(&place, || missing(path))?;
            WrittenContracts::of(&text).map_err(|error| {
                Error::invalid(
                    "context_unreadable",
                    format!("`{}` cannot be read: {error}.", becket_base::clip(path, 120)),
                )
                .with_hint("Run `becket context` to write it anew.")
            })
        };
        let (before, after) = (read(old)?, read(new)?);
        let (mut before_side, mut after_side) = (side_of(&before), side_of(&after));
        let (cut_after, cut_before) = (before.cut_by(&after), after.cut_by(&before));
        before_side.contracts.retain(|entry, _| !cut_after.contains(entry));
        after_side.contracts.retain(|entry, _| !cut_before.contains(entry));
        let cost =
            |side: &WrittenContracts, entry: &str| delta(side.tokens.get(entry).copied().unwrap_or_default());
        let mut comparison = compare(&before_side, &after_side);
        tell_unknown(&mut comparison);
        let result = CompareResult::new(old, (&before_side, &after_side), comparison, &|entry| Costs {
            before: cost(&before, entry),
            after: cost(&after, entry),
        });
        let notice = "Two written files were compared, which leave out what they can: a change may be graver than it is told, and who uses what is not known. \
                      Against `git:<ref>`, a snapshot or a folder that a run has written everything is known.";
        let cut: Vec<&str> = cut_after.union(&cut_before).copied().collect();
        let not_compared = (!cut.is_empty()).then(|| {
            let names = becket_base::clip(&cut.join(", "), 400).to_string();
            format!(
                "Not compared: {} that a limit cut from one of them ({names}).",
                counted(cut.len(), "file")
            )
        });
        let notice = std::iter::once(notice.to_owned()).chain(not_compared).collect::<Vec<_>>().join(" ");
        let compared = Compared { notice: Some(notice), ..self.answer(&site, result, None) };
        Ok(DriftReport { compared, approved: false, orphaned: Vec::new(), removed_orphaned: false })
    }

    fn answer(&self, site: &Site, result: CompareResult, baseline_id: Option<String>) -> Compared {
        Compared {
            result,
            project_path: site.shown(),
            branch: site.branch.clone(),
            baseline_id,
            compared_at: self.now().to_string(),
            cut: None,
            next_cursor: None,
            notice: None,
        }
    }
}

/// The oldest go first, and those that are the last of their connection last.
fn forget_old(known: &mut VecDeque<KeptCompared>) {
    while known.len() > MOST_COMPARED {
        let is_last =
            |at: usize| !known.range(at + 1..).any(|later| later.connection == known[at].connection);
        let old = (0..known.len()).find(|at| !is_last(*at));
        if old.is_none() && known.len() <= MOST_CONNECTIONS {
            return;
        }
        known.remove(old.unwrap_or_default());
    }
}

impl DriftReport {
    pub fn has_drift(&self) -> bool {
        self.compared.result.status != "pass"
    }

    pub fn breaking(&self) -> usize {
        let changes = self.compared.result.folder_diffs.iter().flat_map(|folder| &folder.changes);
        changes.filter(|change| change.verdict == Verdict::Breaking).count()
    }
}

/// The sources of a commit, and the style sheets that they import: what is written whole is measured whole.
fn texts_at(site: &Site, index: &Index, commit: &str) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let git = Git::at(site.workspace.root.as_path());
    let mut blobs = becket_git::tree::names_of(git.clone(), commit)?;
    let mut wanted: BTreeSet<&str> = BTreeSet::new();
    for file in index.files() {
        wanted.insert(&file.path);
        wanted.extend(file.targets().iter().filter_map(|(_, target)| match target {
            Target::Asset(path) => Some(path.as_str()),
            _ => None,
        }));
    }
    blobs.retain(|path, _| wanted.contains(path.as_str()));
    let ids: Vec<&str> = blobs.values().map(String::as_str).collect();
    let texts = becket_git::write::read_blobs(git, None, &ids).map_err(|error| {
        Error::unavailable("git_failed", sentence(&error.to_string()))
            .with_hint("Run `git fsck` to see whether the object database is whole.")
            .with_source(error)
    })?;
    Ok(blobs.into_keys().zip(texts).collect())
}

/// Of a file whose contract went with the folder that it was written in nothing is known but that it was there.
fn tell_unknown(comparison: &mut Comparison) {
    for file in &mut comparison.files {
        let is_unknown = file.semantic_hash_before.as_ref().is_some_and(String::is_empty);
        if !is_unknown || file.verdict == Verdict::Breaking {
            continue;
        }
        file.verdict = Verdict::Breaking;
        // It may be anything: what cannot be told is looked at.
        let change = DeclarationChange {
            name: file.entry_id.clone(),
            kind: "file".to_owned(),
            change: file.change,
            before: Vec::new(),
            after: Vec::new(),
            verdict: Verdict::Breaking,
            reason: "its context file is gone with its folder, so what it exported is not known".to_owned(),
            used_by: Vec::new(),
        };
        file.declarations.insert(0, change);
    }
}

/// Whether a place stands for all context files of a project: their index, or the folder that it is in.
fn holds_all(place: &Path) -> bool {
    place.is_dir() || place.file_name().is_some_and(|name| name == written::INDEX)
}

/// That of two written files one speaks of a project and the other of a folder.
fn unlike(old: (&str, bool), new: (&str, bool)) -> Option<Error> {
    if old.1 == new.1 {
        return None;
    }
    let shown = |path: &str| becket_base::clip(path, 120).to_string();
    let (all, one) = if old.1 { (shown(old.0), shown(new.0)) } else { (shown(new.0), shown(old.0)) };
    let message = format!("`{all}` has the contracts of a whole project, and `{one}` those of one folder.");
    let hint = "Compare two `context_main.json`, or the files of the same folder: `context.json` with `context.json`.";
    Some(Error::invalid("context_mismatch", message).with_hint(hint))
}

/// Whether a place may hold context files: a folder, or the index in one.
/// Whether a path was refused for nothing but where it leads.
fn is_elsewhere(error: &AdmitError) -> bool {
    matches!(
        error,
        AdmitError::Escape { .. }
            | AdmitError::Outside { .. }
            | AdmitError::Sibling { .. }
            | AdmitError::LinkOutside { .. }
            | AdmitError::RootOutside { .. }
    )
}

fn is_written(place: &Path) -> bool {
    place.is_dir() || place.is_file() && place.ends_with(written::INDEX)
}

/// What was meant by a word that is no baseline, and no folder.
fn meant_baseline(named: &str) -> Option<String> {
    match named.split_once(':') {
        Some((git, revision)) if git.trim().eq_ignore_ascii_case("git") => {
            Some(format!("git:{}", revision.trim()))
        }
        _ => becket_base::nearest(named.trim(), ["disk", "snapshot"]).map(str::to_owned),
    }
}

fn unknown_baseline(named: &str, meant: Option<String>) -> Error {
    let shown = becket_base::clip(named, 120);
    let all = "A baseline is disk, snapshot, the id of a snapshot, git:<ref>, or a folder that has a context_main.json.";
    let hint = meant.map_or_else(|| all.to_owned(), |meant| format!("Did you mean `{meant}`? {all}"));
    Error::not_found(
        "unknown_baseline",
        format!("There is no baseline `{shown}`, and no folder of that name."),
    )
    .with_hint(hint)
}

/// Who uses what is declared for everybody has no edge to it: the texts are looked at, where something of that kind broke.
fn name_users_of_globals(site: &Site, sides: (&Side<'_>, &Side<'_>), comparison: &mut Comparison) {
    let after = sides.1;
    let mut texts: Option<Vec<(String, String)>> = None;
    for file in &mut comparison.files {
        let mut found = Vec::new();
        for (at, change) in file.declarations.iter().enumerate() {
            let Some(globals) = Globals::of(sides, file, change) else { continue };
            let texts = texts.get_or_insert_with(|| {
                let read = |path: &&str| {
                    Some(((*path).to_owned(), written::source(&site.workspace.root.join(path))?))
                };
                after.contracts.keys().filter_map(read).collect()
            });
            let has_own = |path: &str, name: &str| {
                let edges = after.graph.and_then(|graph| Some(graph.edges(graph.position(path)?)));
                let declares = after
                    .contracts
                    .get(path)
                    .is_some_and(|file| file.declarations.iter().any(|one| one.name == name));
                declares || edges.is_some_and(|edges| edges.iter().any(|edge| edge.names.contains(name)))
            };
            let users = globals.users(texts, has_own).into_iter().map(str::to_owned);
            found.push((at, users.collect::<Vec<_>>()));
        }
        for (at, users) in found {
            let used_by = &mut file.declarations[at].used_by;
            used_by.extend(users);
            used_by.sort_unstable();
            used_by.dedup();
        }
    }
}

fn delta(tokens: usize) -> TokenDelta {
    let number = |tokens: usize| i64::try_from(tokens).unwrap_or(i64::MAX);
    TokenDelta { gpt4o_mini: number(tokens), claude: number(claude(tokens)) }
}
