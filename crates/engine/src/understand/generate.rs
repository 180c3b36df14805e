//! `becket context`: contracts and bundles for a folder, written as files or only counted; and their removal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_base::counted;
use becket_contracts::bundle::Missing;
use becket_contracts::graph::Cycle;
use becket_project::index::Index;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::material::Material;
use super::options::{ContextChoice, ContextOptions};
use super::run::Run;
use super::session::output_lock;
use super::site::Site;
use super::tokens::claude;
use super::written::{self, Pages};
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
    pub removed: bool,
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
    pub(super) wrote: written::Wrote,
    output: PathBuf,
}

impl Generated {
    pub(super) fn is_empty(&self) -> bool {
        self.reading.material.entries.is_empty()
    }

    pub(super) fn nothing_found(&self) -> Error {
        nothing_found(&self.reading.site)
    }

    pub(super) fn report(&self) -> ContextReport {
        report(&self.reading, &self.pages, self.wrote, self.output.display().to_string())
    }

    /// By the entry id of the bundle's root.
    pub(super) fn bundle_hashes(&self) -> BTreeMap<String, String> {
        let material = &self.reading.material;
        let bundles = material.folders().into_values().flatten();
        bundles
            .map(|packed| (material.graph().path(packed.bundle.root).to_owned(), packed.hash.clone()))
            .collect()
    }
}

impl Engine {
    /// Analyses a folder and writes its context files.
    pub fn context_generate(&self, request: &ContextRequest) -> Result<ContextReport, Error> {
        let options = self.context_options(&request.choice)?;
        // Style sheets are no part of the index that an unchanged project is known by.
        if !request.dry_run && !request.clean_cache && options.style.is_none() {
            if let Some(report) = self.unchanged(request, options)? {
                return Ok(report);
            }
        }
        let generated = self.generated(request, options)?;
        if generated.is_empty() {
            return Err(generated.nothing_found());
        }
        let report = generated.report();
        if !request.dry_run {
            let Generated { reading, pages, output, .. } = &generated;
            let run = Run::at(&reading.site, options, output);
            run.keep(&reading.index, output, pages.files.keys(), &report);
        }
        Ok(report)
    }

    /// What the last run said, where this one would write the same.
    fn unchanged(
        &self,
        request: &ContextRequest,
        options: ContextOptions,
    ) -> Result<Option<ContextReport>, Error> {
        let site = self.site(request.path.as_deref())?;
        let output = self.output_folder(&site, request.out.as_deref())?;
        let index = self.live(&site, options.tests)?;
        let report = Run::at(&site, options, &output).unchanged(&index, &output);
        Ok(report.map(|report| ContextReport { branch: site.branch.clone(), ..report }))
    }

    /// A reading, and its files where they stand now. Nothing is written for a folder without sources that never had any.
    pub(super) fn generated(
        &self,
        request: &ContextRequest,
        options: ContextOptions,
    ) -> Result<Generated, Error> {
        let site = self.site(request.path.as_deref())?;
        let output = self.output_folder(&site, request.out.as_deref())?;
        let _lock = if request.dry_run { None } else { Some(output_lock(&site, &output)?) };
        let reading = self.reading(request.path.as_deref(), options, request.clean_cache)?;
        let pages = self.pages(&reading, &output);
        let nothing = reading.material.entries.is_empty() && written::read_index(&output).is_none();
        let wrote = if request.dry_run || nothing {
            written::Wrote::default()
        } else {
            self.write_pages(&pages, &output)?
        };
        Ok(Generated { reading, pages, wrote, output })
    }

    /// A line for every folder's file that a run has left behind.
    pub fn context_folders(&self, report: &ContextReport) -> Vec<String> {
        let index = written::read_index(Path::new(&report.output));
        let folders = index.into_iter().flat_map(|index| index.folders);
        folders
            .map(|folder| {
                let bundles = counted(folder.bundles, "bundle");
                format!("{}: {bundles}, {} tokens", folder.context_file, folder.token_estimate)
            })
            .collect()
    }

    /// The context files below a folder; removes them only when told to.
    pub fn context_clean(&self, request: &CleanRequest) -> Result<CleanReport, Error> {
        let CleanRequest { path, remove } = request;
        let site = self.site(path.as_deref())?;
        let folder = site.folder();
        let found = written::found_in(&folder);
        if *remove {
            for path in &found {
                becket_project::files::remove(&folder.join(path)).map_err(written::not_written)?;
            }
        }
        let files = found.iter().map(|path| path.display().to_string()).collect();
        Ok(CleanReport { files, removed: *remove })
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
        tell("reading sources", 0, None);
        let index = self.live(&site, options.tests)?;
        tell("making contracts", 0, None);
        let material = self.material(&site, &index, options);
        Ok(Reading { site, index, material })
    }

    pub(super) fn pages(&self, reading: &Reading, folder: &Path) -> Pages {
        let kept = self.kept_pages(folder);
        written::pages(&reading.material, &reading.site, self.now(), Some(folder), &kept)
    }

    /// Writes pages, and keeps in mind what was written.
    pub(super) fn write_pages(&self, pages: &Pages, folder: &Path) -> Result<written::Wrote, Error> {
        let wrote = written::write(pages, folder)?;
        self.keep_pages(folder, pages.keep(folder));
        Ok(wrote)
    }

    pub(super) fn output_folder(&self, site: &Site, out: Option<&Path>) -> Result<PathBuf, Error> {
        let Some(out) = out else { return Ok(site.folder()) };
        let names_file =
            out.extension().is_some_and(|ending| ending == "json" || ending == "toon" || ending == "ndjson");
        let folder =
            if names_file { out.parent().unwrap_or(Path::new("")).to_owned() } else { out.to_owned() };
        let folder = self.environment().current_dir.join(folder);
        let there = folder.ancestors().find(|place| place.is_dir()).unwrap_or(&folder);
        let missing = folder.strip_prefix(there).unwrap_or(Path::new(""));
        becket_project::files::create_folder(there, missing).map_err(written::not_written)
    }
}

pub(super) fn nothing_found(site: &Site) -> Error {
    Error::not_found(
        "nothing_to_analyse",
        format!("There are no TypeScript or JavaScript files in {}.", site.shown()),
    )
    .with_hint(
        "Name a folder with source files; .gitignore, .stampignore and --include-tests decide what counts.",
    )
}

fn report(reading: &Reading, pages: &Pages, wrote: written::Wrote, output: String) -> ContextReport {
    let Reading { site, index, material } = reading;
    let graph = material.graph();
    let tokens: usize = material.entries.iter().map(|entry| entry.contract_tokens).sum();
    let source: usize = material.entries.iter().map(|entry| entry.source_tokens).sum();
    let saved = i64::try_from(source).unwrap_or(i64::MAX) - i64::try_from(tokens).unwrap_or(i64::MAX);
    let summary = &pages.index.summary;
    let folders = material.folders();
    let lost = index
        .lost_extends()
        .iter()
        .map(|(file, extends)| format!("{file} extends `{extends}`, which is not there; its own rules hold"));
    ContextReport {
        project_path: site.shown(),
        branch: site.branch.clone(),
        output,
        total_components: material.entries.len(),
        root_components: graph.roots().len(),
        leaf_components: (0..graph.len()).filter(|at| graph.edges(*at).is_empty()).count(),
        bundles_compiled: summary.total_bundles,
        total_folders: summary.total_folders,
        total_nodes: folders.values().flatten().map(|packed| packed.bundle.nodes.len()).sum(),
        total_edges: graph.edge_count(),
        cycles: graph.cycles(),
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
            .map(|problem| format!("{}: {}", problem.path, problem.message))
            .chain(lost)
            .collect(),
    }
}
