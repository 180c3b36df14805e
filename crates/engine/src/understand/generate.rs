//! `becket context`: contracts and bundles for a folder, written as files or only counted; and their removal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_base::{counted, verb};
use becket_contracts::bundle::Missing;
use becket_contracts::graph::{Cycle, Graph};
use becket_project::admit::AdmitError;
use becket_project::files::FileError;
use becket_project::index::{Gist, Index, IndexId};
use becket_project::lock::FileLock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::material::{Material, Totals};
use super::options::{ContextChoice, ContextOptions};
use super::run::{LastRun, Measured, Run, Told};
use super::session::output_lock;
use super::site::{Live, READING, Site, place};
use super::tokens::claude;
use super::words::few;
use super::written::{self, Pages, Wrote};
use crate::progress::tell;
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct ContextRequest {
    /// The folder to analyse; the server's own worktree if left out.
    pub path: Option<String>,
    /// Where files go; the analysed folder if left out. A name that ends in `.json` means its folder.
    pub out: Option<PathBuf>,
    pub choice: ContextChoice,
    /// Analyse and count, write nothing.
    pub dry_run: bool,
    /// Start from nothing.
    pub clean_cache: bool,
}

/// What a run found and did.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextReport {
    pub project_path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    pub output: String,
    pub total_components: usize,
    pub root_components: usize,
    pub leaf_components: usize,
    pub bundles_compiled: usize,
    pub total_folders: usize,
    pub total_nodes: usize,
    pub total_edges: usize,
    pub cycles: Vec<Cycle>,
    /// Imports that somebody should look at; declared packages are not among them.
    pub missing: Vec<Missing>,
    pub missing_dependencies: usize,
    #[serde(rename = "tokensGPT4")]
    pub tokens_gpt4: usize,
    pub tokens_claude: usize,
    pub source_tokens: usize,
    /// Of each contract counted once, against the source; negative where it costs more.
    pub savings_percent: i64,
    pub files_written: usize,
    pub files_unchanged: usize,
    pub files_removed: usize,
    pub files_parsed: usize,
    pub problems: Vec<String>,
    /// Sources that were not read, the first of them where there are many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutFile>,
    #[serde(default)]
    pub left_out_files: usize,
}

/// A source that is not analysed, though it is neither ignored nor a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftOutFile {
    pub path: String,
    pub reason: String,
}

/// As many of them are told.
const MOST_LEFT_OUT: usize = 50;

/// With how many there are in all.
pub(super) fn left_out(index: &Gist<'_>) -> (Vec<LeftOutFile>, usize) {
    let told =
        |(path, reason): (&str, &str)| LeftOutFile { path: path.to_owned(), reason: reason.to_owned() };
    (index.left_out().take(MOST_LEFT_OUT).map(told).collect(), index.left_out().count())
}

#[derive(Debug, Clone, Default)]
pub struct CleanRequest {
    pub path: Option<String>,
    /// Otherwise they are only listed.
    pub remove: bool,
}

/// What `clean` took away, or would.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CleanReport {
    pub files: Vec<String>,
    /// Whether all of it is gone. Where something is not, `files` is what went.
    pub removed: bool,
    /// What should have been taken away and could not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_removed: Vec<NotRemoved>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NotRemoved {
    pub file: String,
    pub reason: String,
}

/// A reading of a folder under options.
pub(super) struct Reading {
    pub(super) site: Site,
    pub(super) index: Arc<Index>,
    pub(super) material: Arc<Material>,
}

/// A reading and the files that were made of it.
pub(super) struct Generated {
    reading: Reading,
    pages: Pages,
    pub(super) wrote: Wrote,
    output: PathBuf,
    /// Of the graph, where it was told before.
    pub(super) shape: Option<Shape>,
    /// Where it was written beside the pages.
    measured: Option<Measured>,
}

/// What a report says of a graph.
pub(super) struct Shape {
    roots: usize,
    leaves: usize,
    edges: usize,
    cycles: Vec<Cycle>,
}

impl Shape {
    fn of(graph: &Graph) -> Self {
        Self {
            roots: graph.roots().len(),
            leaves: (0..graph.len()).filter(|at| graph.edges(*at).is_empty()).count(),
            edges: graph.edge_count(),
            cycles: graph.cycles(),
        }
    }

    pub(super) fn said_by(report: ContextReport) -> Self {
        let ContextReport { root_components, leaf_components, total_edges, cycles, .. } = report;
        Self { roots: root_components, leaves: leaf_components, edges: total_edges, cycles }
    }
}

/// What is to be made, and where it goes.
pub(super) struct Job {
    pub(super) site: Site,
    pub(super) output: PathBuf,
    pub(super) options: ContextOptions,
    pub(super) writes: bool,
    /// Whether somebody waits for what it came to, so that it is made ready beside the files.
    pub(super) reports: bool,
    /// Whether a page whose bundles are as they were is believed to stand there still.
    pub(super) trusts: bool,
}

impl Job {
    /// Held from the look at the tree until the last byte is written.
    pub(super) fn lock(&self) -> Result<Option<FileLock>, Error> {
        self.writes.then(|| output_lock(&self.site, &self.output)).transpose()
    }
}

impl Generated {
    /// Itself, unless there are no sources and never were any: who takes all of them away has taken away their files.
    pub(super) fn found(self) -> Result<Self, Error> {
        let is_empty = self.reading.material.entries.is_empty();
        if is_empty && written::read_index(&self.output).is_none() {
            return Err(nothing_found(&self.reading.site));
        }
        Ok(self)
    }

    pub(super) fn report(mut self) -> (ContextReport, Reading) {
        let shape = self.shape.take().unwrap_or_else(|| Shape::of(self.reading.material.graph()));
        let output = self.output.display().to_string();
        (report(&self.reading, &self.pages, self.wrote, output, shape), self.reading)
    }

    /// The same for the same edges.
    pub(super) fn graph_id(&self) -> IndexId {
        self.reading.index.graph_id()
    }

    /// By the entry id of the bundle's root.
    pub(super) fn bundle_hashes(&self) -> BTreeMap<String, String> {
        let material = &self.reading.material;
        let bundles = material.folders().into_values().flatten();
        bundles.map(|packed| (material.graph().path(packed.root).to_owned(), packed.hash.clone())).collect()
    }
}

impl Engine {
    /// Analyses a folder and writes its context files.
    pub fn context_generate(&self, request: &ContextRequest) -> Result<ContextReport, Error> {
        becket_project::share::prepare();
        let options = self.context_options(&request.choice)?;
        let job = self.job(request, options)?;
        let _lock = job.lock()?;
        if request.clean_cache {
            self.forget(&job.site)?;
        }
        tell(READING, 0, None);
        let run = Run::at(&job.site, options, &job.output);
        // Style sheets are no part of the index that an unchanged project is known by.
        let told = || if options.style.is_none() { run.told() } else { None };
        let unchanged = |same: &Gist<'_>, told: &Option<Told>| {
            told.as_ref().filter(|_| job.writes)?.unchanged(same, &job.output)
        };
        let place = place(&job.site, options.tests);
        let (index, last) = match self.live_unless(&place, told, unchanged, |told| told?.whole())? {
            Live::Same(report) => return Ok(ContextReport { branch: job.site.branch, ..report }),
            Live::Index(index, last) => (index, last),
        };
        let told = last.as_ref().map(|last| &last.told).filter(|_| job.writes);
        if let Some(report) = told.and_then(|told| told.unchanged(&index.gist(), &job.output)) {
            index.save(&place);
            return Ok(ContextReport { branch: job.site.branch, ..report });
        }
        // Among the others: a thread of its own would take the processor from one of those that contracts wait for.
        let generated = rayon::in_place_scope(|scope| {
            let save = || {
                // It has to be read back before bundles are made; what follows is nobody's hurry.
                index.graph();
                index.save(&place);
            };
            // Contracts that are known are there before an index is written, and those that are not take longer.
            let late = last.is_some();
            if !late {
                scope.spawn(move |_| save());
            }
            let read = || {
                if late {
                    scope.spawn(move |_| save());
                }
            };
            self.generated(job, Arc::clone(&index), last, read)
        })?;
        let generated = generated.found()?;
        Ok(if request.dry_run { generated.report().0 } else { self.keep_run(generated) })
    }

    /// Keeps a run in mind for later processes; what it came to.
    pub(super) fn keep_run(&self, mut generated: Generated) -> ContextReport {
        let (output, measured) = (generated.output.clone(), generated.measured.take());
        let (report, reading) = generated.report();
        self.keep_written(&reading, &output, &report, measured);
        report
    }

    fn keep_written(
        &self,
        reading: &Reading,
        output: &Path,
        report: &ContextReport,
        measured: Option<Measured>,
    ) {
        let Reading { site, index, material } = reading;
        let run = Run::at(site, material.options, output);
        if let Some(measured) = measured.or_else(|| run.measured(material)) {
            run.keep(measured, index, material, &self.kept_pages(output), report);
        }
    }

    pub(super) fn job(&self, request: &ContextRequest, options: ContextOptions) -> Result<Job, Error> {
        let site = self.site(request.path.as_deref())?;
        let output = self.output_folder(&site, request.out.as_deref())?;
        Ok(Job { site, output, options, writes: !request.dry_run, reports: true, trusts: false })
    }

    /// A reading, and its files where they stand now; `read` is called between the two. Nothing is written for a folder
    /// without sources that never had any.
    pub(super) fn generated(
        &self,
        job: Job,
        index: Arc<Index>,
        last: Option<LastRun>,
        read: impl FnOnce(),
    ) -> Result<Generated, Error> {
        let Job { site, output, options, writes, reports, trusts } = job;
        tell("making contracts", 0, None);
        let material = self.material(&site, &index, options, last.as_ref().map(|last| &last.remembered));
        read();
        let reading = Reading { site, index, material };
        let mut shape = None;
        if let Some(last) = last {
            let same = reading.material.graph_id() == Some(last.remembered.graph);
            shape = same.then(|| Shape::said_by(last.told.report));
            self.keep_pages_once(&output, last.pages);
        }
        let run = Run::at(&reading.site, options, &output);
        let mut measured = None;
        let (pages, wrote) = rayon::in_place_scope(|scope| {
            let material = &reading.material;
            if reports && writes {
                scope.spawn(|_| measured = run.measured(material));
            }
            if reports && shape.is_none() {
                scope.spawn(|_| shape = Some(Shape::of(material.graph())));
            }
            let pages = self.pages_trusting(&reading, &output, trusts);
            let nothing = material.entries.is_empty() && written::read_index(&output).is_none();
            let writes = writes && !nothing;
            let wrote =
                if writes { self.write_pages(&reading, &pages, &output) } else { Ok(Wrote::default()) };
            (pages, wrote)
        });
        Ok(Generated { wrote: wrote?, reading, pages, output, shape, measured })
    }

    /// A line for every folder's file that a run has left behind.
    pub fn context_folders(&self, report: &ContextReport) -> Vec<String> {
        let index = written::read_index(Path::new(&report.output));
        let folders = index.into_iter().flat_map(|index| index.folders);
        folders
            .map(|folder| {
                let bundles = counted(folder.bundles, "bundle");
                format!("{}: {bundles}, {}", folder.context_file, counted(folder.token_estimate, "token"))
            })
            .collect()
    }

    /// The context files below a folder; removes them only when told to.
    pub fn context_clean(&self, request: &CleanRequest) -> Result<CleanReport, Error> {
        let CleanRequest { path, remove } = request;
        let site = self.site(path.as_deref())?;
        let folder = site.folder();
        let (mut files, mut not_removed) = (Vec::new(), Vec::new());
        for path in written::found_in(&folder) {
            let file = path.display().to_string();
            // One folder that may not be written keeps no other from being cleaned.
            let gone = if *remove { becket_project::files::remove(&folder.join(&path)) } else { Ok(()) };
            match gone {
                Ok(()) => files.push(file),
                Err(error) => not_removed.push(NotRemoved { file, reason: cause(&error) }),
            }
        }
        let removed = *remove && not_removed.is_empty();
        Ok(CleanReport { files, removed, not_removed })
    }

    pub(super) fn reading(
        &self,
        path: Option<&str>,
        options: ContextOptions,
        clean_cache: bool,
    ) -> Result<Reading, Error> {
        let site = self.site(path)?;
        if clean_cache {
            self.forget(&site)?;
        }
        tell(READING, 0, None);
        let index = self.live(&site, options.tests)?;
        tell("making contracts", 0, None);
        let material = self.material(&site, &index, options, None);
        Ok(Reading { site, index, material })
    }

    pub(super) fn pages(&self, reading: &Reading, folder: &Path) -> Pages {
        self.pages_trusting(reading, folder, false)
    }

    fn pages_trusting(&self, reading: &Reading, folder: &Path, trusts: bool) -> Pages {
        let kept = self.kept_pages(folder);
        written::pages(&reading.material, &reading.site, self.now(), Some((folder, trusts)), &kept)
    }

    /// Writes pages, and keeps in mind what was written.
    pub(super) fn write_pages(
        &self,
        reading: &Reading,
        pages: &Pages,
        folder: &Path,
    ) -> Result<Wrote, Error> {
        let wrote = written::write(&reading.material, &reading.site, pages, folder)?;
        self.keep_pages(folder, pages.keep(folder));
        Ok(wrote)
    }

    /// The same, and keeps it in mind for later processes.
    pub(super) fn write_run(&self, reading: &Reading, pages: &Pages, folder: &Path) -> Result<(), Error> {
        let wrote = self.write_pages(reading, pages, folder)?;
        let shape = Shape::of(reading.material.graph());
        let report = report(reading, pages, wrote, folder.display().to_string(), shape);
        self.keep_written(reading, folder, &report, None);
        Ok(())
    }

    pub(super) fn output_folder(&self, site: &Site, out: Option<&Path>) -> Result<PathBuf, Error> {
        out.map_or_else(|| Ok(site.folder()), |out| self.folder_for_output(out))
    }

    /// The folder that somebody named for what is written, made where it is missing; of a file the one around it.
    pub(super) fn folder_for_output(&self, out: &Path) -> Result<PathBuf, Error> {
        let names_file =
            out.extension().is_some_and(|ending| ending == "json" || ending == "toon" || ending == "ndjson");
        let folder =
            if names_file { out.parent().unwrap_or(Path::new("")).to_owned() } else { out.to_owned() };
        let folder = self.environment().current_dir.join(folder);
        // Anywhere else the user may write to.
        if let Err(error @ AdmitError::GitInternal { .. }) = self.sandbox()?.admit(&folder) {
            return Err(error.into());
        }
        let there = folder.ancestors().find(|place| place.is_dir()).unwrap_or(&folder);
        let missing = folder.strip_prefix(there).unwrap_or(Path::new(""));
        becket_project::files::create_folder(there, missing).map_err(super::fault::not_written)
    }
}

/// In few words: the file is named beside it.
fn cause(error: &FileError) -> String {
    match error {
        FileError::Failed { source, .. } => source.kind().to_string(),
        other => other.to_string(),
    }
}

pub(super) fn nothing_found(site: &Site) -> Error {
    Error::not_found(
        "nothing_to_analyse",
        format!("There are no TypeScript or JavaScript files in {}.", site.shown()),
    )
    .with_hint(
        "Name a folder with source files: what .gitignore and .stampignore name, and tests, do not count.",
    )
}

/// How many files have syntax errors, and which.
fn unread(material: &Material) -> Option<String> {
    let entries = material.entries.iter().filter(|entry| entry.measures.errors > 0);
    let found: Vec<String> = entries.map(|entry| entry.path().to_owned()).collect();
    let have = verb(found.len(), "has", "have");
    let told = || format!("{} {have} syntax errors: {}", counted(found.len(), "file"), few(&found));
    (!found.is_empty()).then(told)
}

/// Which tsconfigs extend what is not found, and why; in a workspace many extend the same.
fn lost_extends(index: &Index) -> Vec<String> {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (file, what) in index.lost_extends() {
        by_reason.entry(what).or_default().push(file);
    }
    let told = by_reason.into_iter().map(|(what, files)| match files.as_slice() {
        [first] => format!("{first} {what}"),
        [first, others @ ..] => {
            format!(
                "{first} {what} (so {} {})",
                verb(others.len(), "does", "do"),
                counted(others.len(), "other")
            )
        }
        [] => what.to_owned(),
    });
    told.collect()
}

/// What is told where a folder around lists files that were written for this one, too: whoever compares there sees them as
/// changed.
fn listed_around(site: &Site, pages: &Pages, output: &Path) -> Option<String> {
    let root = &site.workspace.root;
    let mut around = output.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
    around.find_map(|folder| {
        let inside = output.strip_prefix(folder).ok()?;
        let is_written = |file: &String| {
            let file = Path::new(file).strip_prefix(inside).ok().and_then(Path::to_str);
            file.is_some_and(|file| pages.files.contains_key(file))
        };
        let index = written::read_index(folder)?;
        let shared = index.folders.iter().filter(|entry| is_written(&entry.context_file)).count();
        let written = counted(shared, "context file");
        let have = verb(shared, "has", "have");
        let told = || {
            format!(
                "{written} of {} now {have} only what is in this folder: run `becket context` there again, or write this folder's with `--out`",
                folder.join(written::INDEX).display()
            )
        };
        (shared > 0).then(told)
    })
}

fn report(reading: &Reading, pages: &Pages, wrote: Wrote, output: String, shape: Shape) -> ContextReport {
    let Reading { site, index, material } = reading;
    let Totals { contract_tokens: tokens, source_tokens: source, .. } = material.totals;
    let saved = i64::try_from(source).unwrap_or(i64::MAX) - i64::try_from(tokens).unwrap_or(i64::MAX);
    let summary = &pages.index.summary;
    let lost = lost_extends(index);
    let (left_out, left_out_files) = left_out(&index.gist());
    let around = (wrote.written > 0).then(|| listed_around(site, pages, Path::new(&output))).flatten();
    ContextReport {
        project_path: site.shown(),
        branch: site.branch.clone(),
        output,
        total_components: material.entries.len(),
        root_components: shape.roots,
        leaf_components: shape.leaves,
        bundles_compiled: summary.total_bundles,
        total_folders: summary.total_folders,
        total_nodes: material.packed().iter().map(|packed| packed.nodes.len()).sum(),
        total_edges: shape.edges,
        cycles: shape.cycles,
        missing_dependencies: summary.missing_dependencies.len(),
        missing: summary.missing_dependencies.clone(),
        tokens_gpt4: tokens,
        tokens_claude: claude(tokens),
        source_tokens: source,
        savings_percent: if source == 0 {
            0
        } else {
            saved * 100 / i64::try_from(source).unwrap_or(i64::MAX)
        },
        files_written: wrote.written,
        files_unchanged: wrote.unchanged,
        files_removed: wrote.removed,
        files_parsed: index.work().parsed,
        problems: index
            .problems()
            .iter()
            .filter(|problem| !left_out.iter().any(|file| file.path == problem.path))
            .map(|problem| format!("{}: {}", problem.path, problem.message))
            .chain(lost)
            .chain(unread(material))
            .chain(around)
            .collect(),
        left_out,
        left_out_files,
    }
}
