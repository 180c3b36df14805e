//! What is handed out of an index under some options: each contract written once, the graph between them, bundles over
//! both. A snapshot is this value, stored.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use becket_contracts::bundle::{self, Bundle, Missing};
use becket_contracts::compare::component_name;
use becket_contracts::fingerprint::bundle_hash;
use becket_contracts::graph::Graph;
use becket_contracts::model::Contract;
use becket_contracts::render::{self, BundleText, CodeMode, NodeSource, NodeText, Thrift};
use becket_contracts::secrets;
use becket_contracts::style::{self, Sheets};
use becket_contracts::target::{Reason, Target};
use becket_project::index::{Index, IndexId, IndexedFile};
use rayon::prelude::*;
use serde::{Deserialize, Serialize, Serializer};

use super::options::ContextOptions;
use super::site::Site;

/// Entries are by entry id; positions are those of the graph.
#[derive(Debug, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub(super) struct Material {
    pub(super) options: ContextOptions,
    /// Of what entries were written with.
    #[serde(skip)]
    thrift: Thrift,
    #[serde(serialize_with = "without_arcs")]
    pub(super) entries: Vec<Arc<Entry>>,
    graph: GraphOf,
    /// By path of the root; made when somebody asks.
    #[serde(skip)]
    packed: OnceLock<Vec<Arc<Packed>>>,
    /// Bundles of the material before, and the entries that are not as they were then.
    #[serde(skip)]
    before: Option<Before>,
}

/// A material as it is stored.
#[derive(Deserialize)]
struct Stored {
    options: ContextOptions,
    entries: Vec<Entry>,
    graph: Graph,
}

impl From<Stored> for Material {
    fn from(Stored { options, entries, graph }: Stored) -> Self {
        Self {
            options,
            thrift: Thrift::default(),
            entries: entries.into_iter().map(Arc::new).collect(),
            graph: GraphOf::Own(Arc::new(graph)),
            packed: OnceLock::new(),
            before: None,
        }
    }
}

fn without_arcs<S: Serializer>(entries: &[Arc<Entry>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(entries.iter().map(|entry| &**entry))
}

/// The graph of a whole index is its own; that of a folder is a part of it.
#[derive(Debug, Clone)]
enum GraphOf {
    Index(Arc<Index>),
    Own(Arc<Graph>),
}

impl Serialize for GraphOf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.graph().serialize(serializer)
    }
}

impl GraphOf {
    fn graph(&self) -> &Graph {
        match self {
            GraphOf::Index(index) => index.graph(),
            GraphOf::Own(graph) => graph,
        }
    }
}

#[derive(Debug, Clone)]
struct Before {
    packed: Vec<Arc<Packed>>,
    changed: Vec<bool>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The same for the same file with the same promises.
    #[serde(skip)]
    id: IndexId,
    pub(super) contract: Contract,
    /// As it stands in every bundle.
    pub(super) node: String,
    /// Of the node.
    pub(super) tokens: usize,
    /// Of the contract and the code beside it, without the name of the file that every node begins with.
    pub(super) contract_tokens: usize,
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
    /// `source` gives a file's text, which `full` asks for, and style for style sheets. What `previous` has of the same files under the same
    /// options is taken from it.
    pub(super) fn of(
        index: &Arc<Index>,
        site: &Site,
        options: ContextOptions,
        previous: Option<&Material>,
        source: &(dyn Fn(&str) -> Option<String> + Sync),
    ) -> Self {
        let files: Vec<&Arc<IndexedFile>> =
            index.files().iter().filter(|file| site.holds(&file.path)).collect();
        let thrift = Thrift::of(files.len(), files.iter().map(|file| file.bytes).sum());
        let alike = |material: &&Material| material.options == options && material.thrift == thrift;
        let previous = previous.filter(alike);
        let entries: Vec<Arc<Entry>> = files
            .par_iter()
            .map(|file| {
                // A style sheet may be another while what imports it is the same.
                let previous = previous.filter(|_| options.style.is_none() || !has_sheets(file));
                let known = previous.and_then(|previous| previous.known(file));
                known.unwrap_or_else(|| Arc::new(entry(file, site, options, thrift, source)))
            })
            .collect();
        let graph = if site.prefix.is_empty() {
            GraphOf::Index(Arc::clone(index))
        } else {
            GraphOf::Own(Arc::new(index.graph().restricted(|path| site.holds(path))))
        };
        let before = previous.and_then(|previous| previous.as_before(&entries));
        Self { options, thrift, entries, graph, packed: OnceLock::new(), before }
    }

    fn known(&self, file: &IndexedFile) -> Option<Arc<Entry>> {
        let path = |entry: &Arc<Entry>| entry.contract.entry_id.as_str().cmp(&file.path);
        let at = self.entries.binary_search_by(path).ok()?;
        let entry = &self.entries[at];
        (entry.id == file.id()).then(|| Arc::clone(entry))
    }

    /// What of its bundles may still hold for `entries`.
    fn as_before(&self, entries: &[Arc<Entry>]) -> Option<Before> {
        let same_files =
            self.entries.len() == entries.len()
                && self.entries.iter().zip(entries).all(|(old, new)| {
                    Arc::ptr_eq(old, new) || old.contract.entry_id == new.contract.entry_id
                });
        if !same_files {
            return None;
        }
        let mut before = match (self.packed.get(), &self.before) {
            (Some(packed), _) => Before { packed: packed.clone(), changed: vec![false; entries.len()] },
            (None, Some(before)) => before.clone(),
            (None, None) => return None,
        };
        for (at, (old, new)) in self.entries.iter().zip(entries).enumerate() {
            before.changed[at] |= !Arc::ptr_eq(old, new);
        }
        Some(before)
    }

    pub(super) fn graph(&self) -> &Graph {
        self.graph.graph()
    }

    pub(super) fn contracts(&self) -> BTreeMap<&str, &Contract> {
        self.entries.iter().map(|entry| (entry.contract.entry_id.as_str(), &entry.contract)).collect()
    }

    pub(super) fn entry(&self, path: &str) -> Option<&Entry> {
        self.graph().position(path).map(|at| &*self.entries[at])
    }

    /// Bundles that hold every file, by folder of their root (empty for the top), then by path.
    pub(super) fn folders(&self) -> BTreeMap<&str, Vec<&Arc<Packed>>> {
        let mut folders: BTreeMap<&str, Vec<&Arc<Packed>>> = BTreeMap::new();
        for packed in self.packed() {
            let path = self.graph().path(packed.bundle.root);
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            folders.entry(folder).or_default().push(packed);
        }
        folders
    }

    /// A bundle whose nodes are all as they were is as it was.
    fn packed(&self) -> &[Arc<Packed>] {
        self.packed.get_or_init(|| {
            let options = self.options.bundle;
            let tokens = |at: usize| self.entries[at].tokens;
            let kept = |root: usize| -> Option<&Arc<Packed>> {
                // What a budget lets in hangs on what others cost.
                let before = self.before.as_ref().filter(|_| options.token_budget.is_none())?;
                let at = before.packed.binary_search_by_key(&root, |packed| packed.bundle.root).ok()?;
                let packed = &before.packed[at];
                (!packed.bundle.nodes.iter().any(|node| before.changed[*node])).then_some(packed)
            };
            let known = |root: usize| kept(root).map(|packed| packed.bundle.nodes.clone());
            let roots = bundle::cover(self.graph(), options, &tokens, &known);
            let made = roots.into_par_iter().map(|(root, _)| match kept(root) {
                Some(packed) => Arc::clone(packed),
                None => Arc::new(self.bundle_of(root)),
            });
            made.collect()
        })
    }

    /// The bundle of one file, root or not.
    pub(super) fn bundle_of(&self, at: usize) -> Packed {
        let tokens = |at: usize| self.entries[at].tokens;
        self.pack(bundle::bundle(self.graph(), at, self.options.bundle, &tokens))
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
        let path = |at: usize| self.graph().path(at);
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
        let path = self.graph().path(at);
        component_name(path.rsplit('/').next().unwrap_or(path))
    }
}

fn has_sheets(file: &IndexedFile) -> bool {
    let style = file.local().facts.style.as_ref();
    style.is_some_and(|style| !style.css_modules.is_empty() || !style.scss_modules.is_empty())
}

fn entry(
    file: &IndexedFile,
    site: &Site,
    options: ContextOptions,
    thrift: Thrift,
    source: &(dyn Fn(&str) -> Option<String> + Sync),
) -> Entry {
    let mut contract = file.contract().clone();
    let facts = &file.local().facts;
    if let (Some(mode), Some(found)) = (options.style, &facts.style) {
        let sheet = |specifier: &str| match file.targets().get(specifier) {
            Some(Target::Asset(path)) => source(path),
            _ => None,
        };
        contract.style = Some(style::view(found, &Sheets::of(found, &sheet), mode));
    }
    if options.predict {
        contract.prediction = predictions(&contract);
    }
    let text = (options.mode == CodeMode::Full).then(|| source(&file.path)).flatten();
    let text = text.as_deref().map(secrets::redact);
    let parts = NodeSource { contract: &contract, facts, bytes: file.bytes, thrift, code: text.as_deref() };
    let NodeText { text: node, contract: start } = render::node(&parts, options.schema, options.mode);
    let (named, told) = node.split_at(start);
    let contract_tokens = becket_base::tokens::count(told);
    let mut missing = bundle::missing(&file.path, file.targets().iter());
    // Of the repository, and not of the folder that was asked for.
    let elsewhere = |target: &Target| target.file().is_some_and(|path| !site.holds(path));
    let outside = file.targets().iter().filter(|(_, target)| elsewhere(target));
    missing.extend(outside.map(|(specifier, _)| Missing {
        name: specifier.clone(),
        reason: Reason::OutsideScanPath.as_str().to_owned(),
        referenced_by: file.path.clone(),
        package_name: None,
        package_version: None,
    }));
    Entry {
        id: file.id(),
        tokens: becket_base::tokens::count(named) + contract_tokens,
        contract_tokens,
        source_tokens: file.tokens,
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
