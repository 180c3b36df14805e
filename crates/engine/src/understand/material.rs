//! What is handed out of an index under some options: each contract written once, the graph between them, bundles over
//! both. A snapshot is this value, stored.

use std::collections::BTreeMap;

use becket_contracts::bundle::{self, Bundle, Missing};
use becket_contracts::compare::component_name;
use becket_contracts::fingerprint::bundle_hash;
use becket_contracts::graph::Graph;
use becket_contracts::model::Contract;
use becket_contracts::render::{self, BundleText, Code, CodeMode};
use becket_contracts::target::{Reason, Target};
use becket_contracts::{header, secrets, style};
use becket_project::index::{Index, IndexedFile};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::options::ContextOptions;
use super::site::Site;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Material {
    pub(super) options: ContextOptions,
    /// By entry id; positions are those of the graph.
    pub(super) entries: Vec<Entry>,
    pub(super) graph: Graph,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) contract: Contract,
    /// As it stands in every bundle.
    pub(super) node: String,
    /// Of the node.
    pub(super) tokens: usize,
    /// Of the source.
    pub(super) source_tokens: usize,
    pub(super) missing: Vec<Missing>,
}

/// A bundle with what a list says of it.
#[derive(Debug)]
pub(super) struct Packed {
    pub(super) bundle: Bundle,
    pub(super) hash: String,
    pub(super) tokens: usize,
    pub(super) missing: Vec<Missing>,
}

impl Material {
    /// `source` gives a file's text, which `full` alone asks for.
    pub(super) fn of(
        index: &Index,
        site: &Site,
        options: ContextOptions,
        source: &(dyn Fn(&str) -> Option<String> + Sync),
    ) -> Self {
        let files: Vec<&IndexedFile> = index.files().iter().filter(|file| site.holds(&file.path)).collect();
        let entries = files.par_iter().map(|file| entry(file, site, options, source)).collect();
        let graph = index.graph().restricted(|path| site.holds(path));
        Self { options, entries, graph }
    }

    pub(super) fn contracts(&self) -> BTreeMap<&str, &Contract> {
        self.entries.iter().map(|entry| (entry.contract.entry_id.as_str(), &entry.contract)).collect()
    }

    pub(super) fn entry(&self, path: &str) -> Option<&Entry> {
        self.graph.position(path).map(|at| &self.entries[at])
    }

    /// Bundles that hold every file, by folder of their root (empty for the top), then by path.
    pub(super) fn folders(&self) -> BTreeMap<String, Vec<Packed>> {
        let tokens = |at: usize| self.entries[at].tokens;
        let bundles = bundle::bundles(&self.graph, self.options.bundle, &tokens);
        let packed: Vec<Packed> = bundles.into_par_iter().map(|bundle| self.pack(bundle)).collect();
        let mut folders: BTreeMap<String, Vec<Packed>> = BTreeMap::new();
        for packed in packed {
            let path = self.graph.path(packed.bundle.root);
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            folders.entry(folder.to_owned()).or_default().push(packed);
        }
        folders
    }

    /// The bundle of one file, root or not.
    pub(super) fn bundle_of(&self, at: usize) -> Packed {
        let tokens = |at: usize| self.entries[at].tokens;
        self.pack(bundle::bundle(&self.graph, at, self.options.bundle, &tokens))
    }

    fn pack(&self, bundle: Bundle) -> Packed {
        let nodes = bundle.nodes.iter().map(|at| &self.entries[*at]);
        let hash = bundle_hash(
            self.options.bundle.depth,
            nodes
                .clone()
                .map(|entry| (entry.contract.entry_id.as_str(), entry.contract.semantic_hash.as_str())),
        );
        let mut missing: Vec<Missing> =
            nodes.clone().flat_map(|entry| entry.missing.iter().cloned()).collect();
        missing.sort();
        missing.dedup_by(|later, earlier| later.name == earlier.name && later.reason == earlier.reason);
        let tokens = nodes.map(|entry| entry.tokens).sum();
        let mut packed = Packed { bundle, hash, tokens, missing };
        packed.tokens += becket_base::tokens::count(&self.text(&packed, (1, 1), "").frame());
        packed
    }

    pub(super) fn text<'a>(
        &'a self,
        packed: &'a Packed,
        position: (usize, usize),
        created_at: &'a str,
    ) -> BundleText<'a> {
        let path = |at: usize| self.graph.path(at);
        BundleText {
            entry_id: path(packed.bundle.root),
            position,
            depth: self.options.bundle.depth,
            created_at,
            bundle_hash: &packed.hash,
            nodes: packed.bundle.nodes.iter().map(|at| self.entries[*at].node.as_str()).collect(),
            edges: packed
                .bundle
                .edges
                .iter()
                .map(|(from, to, kind)| (path(*from), path(*to), *kind))
                .collect(),
            missing: &packed.missing,
            cut: &packed.bundle.cut,
        }
    }

    /// The file's name without its ending, as the seed names components.
    pub(super) fn component(&self, at: usize) -> &str {
        let path = self.graph.path(at);
        component_name(path.rsplit('/').next().unwrap_or(path))
    }
}

fn entry(
    file: &IndexedFile,
    site: &Site,
    options: ContextOptions,
    source: &(dyn Fn(&str) -> Option<String> + Sync),
) -> Entry {
    let mut contract = Contract::clone(&file.contract);
    let facts = &file.local.facts;
    if let (Some(mode), Some(found)) = (options.style, &facts.style) {
        contract.style = Some(style::view(found, mode));
    }
    if options.predict {
        contract.prediction = predictions(&contract);
    }
    let header = (options.mode != CodeMode::None).then(|| header::code_header(facts));
    let header = header.as_deref().filter(|header| !header.is_empty());
    let text = (options.mode == CodeMode::Full).then(|| source(&file.path)).flatten();
    let text = text.as_deref().map(secrets::redact);
    let code = match (options.mode, &text) {
        (CodeMode::None, _) => Code::None,
        (CodeMode::Full, Some(source)) => Code::Full { header, source },
        (CodeMode::Header | CodeMode::Full, _) => Code::Header(header),
    };
    let node = render::node(&contract, options.schema, code);
    let mut missing = bundle::missing(&file.path, file.targets.iter());
    // Of the repository, and not of the folder that was asked for.
    let elsewhere = |target: &Target| target.file().is_some_and(|path| !site.holds(path));
    let outside = file.targets.iter().filter(|(_, target)| elsewhere(target)).map(|(specifier, _)| Missing {
        name: specifier.clone(),
        reason: Reason::OutsideScanPath.as_str().to_owned(),
        referenced_by: file.path.clone(),
        package_name: None,
        package_version: None,
    });
    missing.extend(outside);
    Entry {
        tokens: becket_base::tokens::count(&node),
        source_tokens: file.local.tokens,
        contract,
        node,
        missing,
    }
}

/// What can be said of a file's behaviour from its contract alone, in sentences.
fn predictions(contract: &Contract) -> Vec<String> {
    let mut said = Vec::new();
    let signature = &contract.logic_signature;
    let names = |names: Vec<&String>| names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    if !signature.state.is_empty() {
        said.push(format!("Keeps state of its own: {}.", names(signature.state.keys().collect())));
    }
    if !signature.emits.is_empty() {
        said.push(format!("Calls back through {}.", names(signature.emits.keys().collect())));
    }
    if !contract.version.hooks.is_empty() {
        said.push(format!("Uses the hooks {}.", names(contract.version.hooks.iter().collect())));
    }
    if !contract.routes.is_empty() {
        let routes: Vec<String> =
            contract.routes.iter().map(|route| format!("{} {}", route.method, route.path)).collect();
        said.push(format!("Answers {}.", routes.join(", ")));
    }
    said
}
