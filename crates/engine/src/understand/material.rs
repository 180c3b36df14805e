//! What is handed out of an index under some options: each contract written once, the graph between them, bundles over
//! both. A snapshot is this value, stored.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use becket_base::{Parts, tokens};
use becket_contracts::bundle::{self, Bundle, LeftOut, Missing, Reached};
use becket_contracts::compare::component_name;
use becket_contracts::fingerprint::bundle_hash;
use becket_contracts::graph::{EdgeKind, Graph};
use becket_contracts::model::Contract;
use becket_contracts::render::{BundleText, CodeMode, QuotedPaths, Thrift, quoted};
use becket_project::index::{Index, IndexId, IndexedFile};
use becket_project::share::{AT_ONCE, each};
use rayon::prelude::*;
use serde::{Deserialize, Serialize, Serializer};
use xxhash_rust::xxh3::Xxh3Default;

use super::entry::{self, Entry, Recipe, SourceOf};
use super::lacking::LackingText;
use super::layout::{Layout, cut_tokens, edge_tokens};
use super::options::ContextOptions;
use super::rows::Rows;
use super::site::Site;

/// Entries are by entry id; positions are those of the graph.
#[derive(Debug, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub(super) struct Material {
    pub(super) options: ContextOptions,
    /// Of what entries were written with.
    #[serde(skip)]
    pub(super) thrift: Thrift,
    #[serde(serialize_with = "without_arcs")]
    pub(super) entries: Parts<Arc<Entry>>,
    graph: GraphOf,
    #[serde(skip)]
    pub(super) totals: Totals,
    /// By path of the root; made when somebody asks.
    #[serde(skip)]
    packed: OnceLock<Parts<Arc<Packed>>>,
    #[serde(skip)]
    layout: Arc<Layout>,
    /// Bundles of the material before, and the entries that are not as they were then.
    #[serde(skip)]
    before: Option<Before>,
}

/// A material as it is stored.
#[derive(Deserialize)]
struct Stored {
    options: ContextOptions,
    entries: Vec<entry::Stored>,
    graph: Graph,
}

impl From<Stored> for Material {
    fn from(Stored { options, entries, graph }: Stored) -> Self {
        let entries: Parts<_> = entries.into_iter().map(|entry| Arc::new(Entry::from(entry))).collect();
        let graph = GraphOf::Own(Arc::new(graph));
        Self::made(options, Thrift::default(), entries, graph, None)
    }
}

fn without_arcs<S: Serializer>(entries: &Parts<Arc<Entry>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(entries.iter().map(|entry| &**entry))
}

/// Sums over all entries.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    pub(super) contract_tokens: usize,
    pub(super) source_tokens: usize,
    /// Positions of those that lack something that somebody should look at.
    pub(super) lacking: BTreeSet<usize>,
}

impl Totals {
    fn add(&mut self, at: usize, entry: &Entry) {
        self.contract_tokens += entry.measures.contract_tokens;
        self.source_tokens += entry.measures.source_tokens;
        if entry.measures.missing.is_problem() {
            self.lacking.insert(at);
        }
    }

    fn take(&mut self, at: usize, entry: &Entry) {
        self.contract_tokens -= entry.measures.contract_tokens;
        self.source_tokens -= entry.measures.source_tokens;
        self.lacking.remove(&at);
    }
}

/// The graph of a whole index is its own; that of a folder is a part of it.
#[derive(Debug, Clone)]
enum GraphOf {
    Index(Arc<Index>),
    Part(Arc<Graph>, IndexId),
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
            GraphOf::Part(graph, _) | GraphOf::Own(graph) => graph,
        }
    }

    /// The same for the same edges of the same folder.
    fn id(&self) -> Option<IndexId> {
        match self {
            GraphOf::Index(index) => Some(index.graph_id()),
            GraphOf::Part(_, id) => Some(*id),
            GraphOf::Own(_) => None,
        }
    }
}

/// What may be taken over from the time before.
#[derive(Debug, Clone, Copy)]
pub(super) enum Previous<'a> {
    Material(&'a Material),
    /// Of an earlier process.
    Remembered(&'a Remembered),
}

/// What another process left behind of a material under the same options.
#[derive(Debug)]
pub(super) struct Remembered {
    /// Over the paths of its entries.
    pub(super) paths: IndexId,
    pub(super) graph: IndexId,
    pub(super) thrift: Thrift,
    /// Of its entries.
    pub(super) rows: Arc<Rows>,
    pub(super) packed: Parts<Arc<Packed>>,
}

#[derive(Debug, Clone)]
struct Before {
    packed: Parts<Arc<Packed>>,
    changed: BTreeSet<usize>,
    /// Whether there are the same edges as then, and so the same bundles of the same files.
    same_graph: bool,
    /// Whether it was in this process: where there was one step there will be more.
    here: bool,
}

/// Every time has about as many tokens.
const SOME_TIME: &str = "2026-01-01T00:00:00.123456789Z";

/// With fewer bundles or entries to be made than this, one thread is done before another has begun.
const WORTH_WAKING: usize = 4;

/// Looking whether an entry is known takes so little that a thread has to have many of them.
const WORTH_SHARING: usize = 512;

/// A bundle with what a list says of it.
#[derive(Debug)]
pub(super) struct Packed {
    pub(super) root: usize,
    /// By path; the root is among them.
    pub(super) nodes: Vec<usize>,
    pub(super) hash: String,
    pub(super) tokens: usize,
    /// What only its text says; made when somebody asks.
    pub(super) more: OnceLock<More>,
}

#[derive(Debug)]
pub(super) struct More {
    pub(super) edges: Vec<(usize, usize, EdgeKind)>,
    pub(super) cut: Vec<LeftOut>,
    /// Each as JSON.
    pub(super) missing: Vec<Arc<str>>,
    missing_tokens: usize,
}

/// A bundle as it was, or what a new one holds.
enum Held {
    Kept(Arc<Packed>),
    Reached(Reached),
}

impl Held {
    fn nodes(&self) -> &[usize] {
        match self {
            Held::Kept(packed) => &packed.nodes,
            Held::Reached(reached) => &reached.nodes,
        }
    }
}

impl Material {
    /// `source` gives a file's text, which `full` and style ask for. What `previous` has of the same files under the same
    /// options is taken from it.
    pub(super) fn of(
        index: &Arc<Index>,
        site: &Site,
        options: ContextOptions,
        previous: Option<Previous<'_>>,
        source: &SourceOf<'_>,
    ) -> Self {
        let whole = site.prefix.is_empty();
        let thrift = Thrift::of(index.files().len(), index.source_bytes());
        let recipe = |thrift| Arc::new(Recipe { options, site: site.clone(), thrift });
        if let Some(Previous::Material(previous)) = previous.filter(|_| whole) {
            if let Some(material) = previous.step(index, &recipe(thrift), source) {
                return material;
            }
        }
        let files: Vec<&Arc<IndexedFile>> =
            index.files().iter().filter(|file| site.holds(&file.path)).collect();
        let thrift = Thrift::of(files.len(), files.iter().map(|file| file.bytes).sum());
        let recipe = recipe(thrift);
        let previous = previous.filter(|previous| previous.is_alike(&recipe));
        let known = previous.map(|previous| previous.known_by(&files));
        let known_entry = |(at, file): (usize, &&Arc<IndexedFile>)| {
            // A style sheet may be another while what imports it is the same.
            let known = known.as_ref().filter(|_| options.style.is_none() || !has_sheets(file));
            known.and_then(|known| known.entry(at, file, &recipe))
        };
        let mut entries: Vec<Option<Arc<Entry>>> =
            files.par_iter().with_min_len(WORTH_SHARING).enumerate().map(known_entry).collect();
        let changed: Vec<usize> = (0..files.len()).filter(|at| entries[*at].is_none()).collect();
        let made = |at: usize| Arc::new(Entry::of(files[at], &recipe, source));
        for (at, entry) in changed.iter().zip(each(changed.clone(), WORTH_WAKING, made)) {
            entries[*at] = Some(entry);
        }
        let entries = entries.into_iter().flatten().collect();
        let graph = if whole {
            GraphOf::Index(Arc::clone(index))
        } else {
            let part = index.graph().restricted(|path| site.holds(path));
            GraphOf::Part(Arc::new(part), index.graph_id())
        };
        let before = known.and_then(|known| known.before(changed.into_iter(), graph.id()));
        Self::made(options, thrift, entries, graph, before)
    }

    fn made(
        options: ContextOptions,
        thrift: Thrift,
        entries: Parts<Arc<Entry>>,
        graph: GraphOf,
        before: Option<Before>,
    ) -> Self {
        let mut totals = Totals::default();
        for (at, entry) in entries.iter().enumerate() {
            totals.add(at, entry);
        }
        let (packed, layout) = (OnceLock::new(), Arc::default());
        Self { options, thrift, entries, graph, totals, packed, layout, before }
    }

    /// The material of a later index of the same files; looks at nothing that the two indexes share. `None` where that is
    /// not enough.
    fn step(&self, index: &Arc<Index>, recipe: &Arc<Recipe>, source: &SourceOf<'_>) -> Option<Self> {
        let GraphOf::Index(known) = &self.graph else { return None };
        let Recipe { options, thrift, .. } = **recipe;
        let (old, new) = (known.files(), index.files());
        // A style sheet may be another while what imports it is the same.
        if self.options != options
            || self.thrift != thrift
            || options.style.is_some()
            || old.len() != new.len()
        {
            return None;
        }
        let mut changed = Vec::new();
        for at in old.unshared(new) {
            let (old, new) = (&old[at], &new[at]);
            if !Arc::ptr_eq(old, new) {
                (old.path == new.path).then_some(())?;
                if !self.entries[at].is_of(new) {
                    changed.push(at);
                }
            }
        }
        let mut before = self.as_before()?;
        before.same_graph &= known.graph_id() == index.graph_id();
        before.changed.extend(&changed);
        let (mut entries, mut totals) = (self.entries.clone(), self.totals.clone());
        let made = each(changed, WORTH_WAKING, |at| (at, Arc::new(Entry::of(&new[at], recipe, source))));
        for (at, entry) in made {
            totals.take(at, &self.entries[at]);
            totals.add(at, &entry);
            entries.set(at, entry);
        }
        let same_bundles = before.same_graph && options.bundle.token_budget.is_none();
        Some(Self {
            options,
            thrift,
            entries,
            graph: GraphOf::Index(Arc::clone(index)),
            totals,
            packed: OnceLock::new(),
            layout: if same_bundles { Arc::clone(&self.layout) } else { Arc::default() },
            before: Some(before),
        })
    }

    /// What a material over the same files may take over of its bundles, were nothing changed.
    fn as_before(&self) -> Option<Before> {
        match (self.packed.get(), &self.before) {
            (Some(packed), _) => Some(Before {
                packed: packed.clone(),
                changed: BTreeSet::new(),
                same_graph: true,
                here: true,
            }),
            (None, before) => before.clone(),
        }
    }

    pub(super) fn graph_id(&self) -> Option<IndexId> {
        self.graph.id()
    }

    pub(super) fn graph(&self) -> &Graph {
        self.graph.graph()
    }

    pub(super) fn contracts(&self) -> BTreeMap<&str, &Contract> {
        self.entries.iter().map(|entry| (entry.path(), entry.contract())).collect()
    }

    pub(super) fn entry(&self, path: &str) -> Option<&Entry> {
        self.graph().position(path).map(|at| &*self.entries[at])
    }

    /// Bundles that hold every file, by folder of their root (empty for the top), then by path.
    pub(super) fn folders(&self) -> BTreeMap<&str, Vec<&Arc<Packed>>> {
        let packed = self.packed();
        let bundles = |places: &Vec<usize>| places.iter().map(|at| &packed[*at]).collect();
        let folders = self.layout.folders(packed, self.graph());
        folders.iter().map(|(folder, places)| (folder.as_str(), bundles(places))).collect()
    }

    /// By path of the root. A bundle whose nodes are all as they were is as it was.
    pub(super) fn packed(&self) -> &Parts<Arc<Packed>> {
        self.packed.get_or_init(|| {
            let options = self.options.bundle;
            // What a budget lets in hangs on what others cost.
            let before = self.before.as_ref().filter(|_| options.token_budget.is_none());
            if let Some(before) = before.filter(|before| before.same_graph) {
                let mut packed = before.packed.clone();
                let touched = self.touched(before);
                let bundle = |at: usize| (at, Arc::new(self.bundle_of(before.packed[at].root)));
                for (at, bundle) in each(touched, WORTH_WAKING, bundle) {
                    packed.set(at, bundle);
                }
                return packed;
            }
            let changed = before.map(|before| before.flags(self.entries.len()));
            let kept = |root: usize| -> Option<&Arc<Packed>> {
                let (before, changed) = (before?, changed.as_ref()?);
                let at = before.packed.binary_search_by(|packed| packed.root.cmp(&root)).ok()?;
                Some(&before.packed[at]).filter(|packed| !packed.nodes.iter().any(|node| changed[*node]))
            };
            let reach = |root: usize| match kept(root) {
                Some(packed) => Held::Kept(Arc::clone(packed)),
                None => Held::Reached(self.reach(root)),
            };
            let reach = |roots: &[usize]| each(roots.to_vec(), WORTH_WAKING, reach);
            let alone = |root: usize| match kept(root) {
                Some(packed) => bundle::positions(&packed.nodes),
                None => self.held(root),
            };
            let alone = |roots: &[usize]| each(roots.to_vec(), WORTH_WAKING, alone);
            let held = bundle::cover(self.graph(), reach, Held::nodes, alone);
            let made = held.into_par_iter().with_max_len(AT_ONCE).map(|(_, held)| match held {
                Held::Kept(packed) => packed,
                Held::Reached(reached) => Arc::new(self.packed_of(reached)),
            });
            made.collect::<Vec<_>>().into()
        })
    }

    /// Makes the texts of entries that an earlier process measured, by all threads: few bundles may hold many of them.
    pub(super) fn read_back(&self, places: BTreeSet<usize>) {
        each(places.into_iter().collect(), WORTH_WAKING, |at| _ = self.entries[at].node());
    }

    /// The places of bundles that hold something that changed, where their nodes are the same.
    fn touched(&self, before: &Before) -> Vec<usize> {
        if before.here {
            return self.layout.holding(&before.changed, &before.packed, self.entries.len());
        }
        let changed = before.flags(self.entries.len());
        let all = before.packed.iter().enumerate();
        let touched = all.filter(|(_, packed)| packed.nodes.iter().any(|node| changed[*node]));
        touched.map(|(at, _)| at).collect()
    }

    /// The bundle of one file, root or not.
    pub(super) fn bundle_of(&self, at: usize) -> Packed {
        self.packed_of(self.reach(at))
    }

    fn packed_of(&self, reached: Reached) -> Packed {
        let bundle = bundle::bundle(self.graph(), reached);
        let entries = bundle.nodes.iter().map(|at| &self.entries[*at]);
        let hash = bundle_hash(self.options.bundle.depth, entries.clone().map(|entry| entry.bundled()));
        let tokens = entries.map(|entry| entry.measures.tokens).sum();
        let root = bundle.root;
        let (nodes, more) = self.more(bundle);
        let mut packed = Packed { root, nodes, hash, tokens, more: OnceLock::from(more) };
        packed.tokens += self.frame_tokens(&packed);
        packed
    }

    /// Of what a bundle says beside its nodes. What many bundles say alike is counted once, one by one: their text is cut
    /// into tokens where one ends and the next begins.
    fn frame_tokens(&self, packed: &Packed) -> usize {
        let Some(More { edges, cut, missing_tokens, .. }) = packed.more.get() else { return 0 };
        let path = self.layout.path_tokens(self.graph());
        let edges: usize =
            edges.iter().map(|(from, to, kind)| path(*from) + path(*to) + edge_tokens(*kind)).sum();
        let cut: usize =
            cut.iter().map(|(file, reason, by)| path(*file) + path(*by) + cut_tokens(*reason)).sum();
        let entry_id = self.graph().path(packed.root);
        let own = own_tokens(entry_id, &packed.hash);
        let frame = self.layout.frame.get_or_init(|| {
            let whole = BundleText {
                entry_id,
                position: (1, 1),
                depth: self.options.bundle.depth,
                created_at: SOME_TIME,
                bundle_hash: &packed.hash,
                nodes: Vec::new(),
                edges: &[],
                missing: &[],
                cut: &[],
                paths: self.paths(),
            };
            tokens::count(&whole.json()) - own
        });
        edges + cut + missing_tokens + frame + own
    }

    fn reach(&self, at: usize) -> Reached {
        let tokens = |at: usize| self.entries[at].measures.tokens;
        let mut options = self.options.bundle;
        let mut reached = bundle::reach(self.graph(), at, options, &tokens);
        let (Some(most), Some(mut left)) = (options.token_budget, options.token_budget) else {
            return reached;
        };
        // What stands around the nodes costs too, and is known only with them. A root stays, with the list of what is cut.
        while reached.nodes.len() > 1 && left > 0 {
            let excess = self.packed_of(reached.clone()).tokens.saturating_sub(most);
            if excess == 0 {
                break;
            }
            left = left.saturating_sub(excess.clamp(left / 16 + 1, left / 2 + 1));
            options.token_budget = Some(left);
            reached = bundle::reach(self.graph(), at, options, &tokens);
        }
        reached
    }

    fn held(&self, at: usize) -> Box<[u32]> {
        if self.options.bundle.token_budget.is_some() {
            return bundle::positions(&self.reach(at).nodes);
        }
        let tokens = |at: usize| self.entries[at].measures.tokens;
        bundle::held(self.graph(), at, self.options.bundle, &tokens)
    }

    /// The nodes of a bundle, and what its text says beside them.
    pub(super) fn more(&self, bundle: Bundle) -> (Vec<usize>, More) {
        let Bundle { nodes, edges, cut, .. } = bundle;
        let entries = nodes.iter().map(|at| &self.entries[*at]);
        let mut missing: Vec<(&Missing, &OnceLock<LackingText>)> =
            entries.flat_map(|entry| entry.measures.missing.texts()).collect();
        missing.sort_unstable_by_key(|(one, _)| *one);
        missing.dedup_by(|(later, _), (earlier, _)| {
            later.name == earlier.name && later.reason == earlier.reason
        });
        let texts = missing.iter().map(|(one, text)| text.get_or_init(|| LackingText::of(one)));
        let missing_tokens = texts.clone().map(|text| text.tokens).sum();
        let missing = texts.map(|text| Arc::clone(&text.json)).collect();
        (nodes, More { edges, cut, missing, missing_tokens })
    }

    pub(super) fn text<'a>(
        &'a self,
        packed: &'a Packed,
        position: (usize, usize),
        created_at: &'a str,
    ) -> BundleText<'a> {
        self.text_with(packed, position, created_at, |at| self.entries[at].node())
    }

    /// With the texts of nodes from elsewhere.
    pub(super) fn text_with<'a>(
        &'a self,
        packed: &'a Packed,
        position: (usize, usize),
        created_at: &'a str,
        node: impl Fn(usize) -> &'a str,
    ) -> BundleText<'a> {
        let bundle = || bundle::bundle(self.graph(), self.reach(packed.root));
        let more = packed.more.get_or_init(|| self.more(bundle()).1);
        BundleText {
            entry_id: self.graph().path(packed.root),
            position,
            depth: self.options.bundle.depth,
            created_at,
            bundle_hash: &packed.hash,
            nodes: packed.nodes.iter().map(|at| node(*at)).collect(),
            edges: &more.edges,
            missing: &more.missing,
            cut: &more.cut,
            paths: self.paths(),
        }
    }

    /// Of its entries, as JSON.
    pub(super) fn paths(&self) -> QuotedPaths<'_> {
        self.layout.quoted(self.graph())
    }

    /// Whether the text of a bundle is there without making a part of it.
    pub(super) fn is_at_hand(&self, packed: &Packed) -> bool {
        packed.more.get().is_some() && packed.nodes.iter().all(|at| self.entries[*at].made_node().is_some())
    }

    /// Whether a bundle is of the material before, so that what did not change since stands in both.
    pub(super) fn follows(&self, packed: &Arc<Packed>) -> bool {
        let known = self.before.as_ref().and_then(|before| {
            let at = before.packed.binary_search_by(|known| known.root.cmp(&packed.root)).ok()?;
            Some(&before.packed[at])
        });
        known.is_some_and(|known| Arc::ptr_eq(known, packed))
    }

    /// Whether an entry is another than in the material before.
    pub(super) fn has_changed(&self, at: usize) -> bool {
        self.before.as_ref().is_none_or(|before| before.changed.contains(&at))
    }

    /// The file's name without its ending, as the seed names components.
    pub(super) fn component(&self, at: usize) -> &str {
        component_name(self.file_name(at))
    }

    pub(super) fn file_name(&self, at: usize) -> &str {
        let path = self.graph().path(at);
        path.rsplit('/').next().unwrap_or(path)
    }
}

/// Of what the text of a bundle, without its lists, says of this bundle alone. `…"entryId` and `depth":…` stand around
/// the path, `…"uifb` and `","graph":…` around the rest of the hash: no token reaches across the end of a word.
fn own_tokens(path: &str, hash: &str) -> usize {
    tokens::count(&["\":", &quoted(path), ",\""].concat())
        + tokens::count(hash.trim_start_matches(char::is_alphabetic))
}

impl Before {
    fn flags(&self, entries: usize) -> Vec<bool> {
        let mut flags = vec![false; entries];
        for at in &self.changed {
            flags[*at] = true;
        }
        flags
    }
}

pub(super) fn paths_id<'a>(paths: impl Iterator<Item = &'a str>) -> IndexId {
    let mut all = Xxh3Default::new();
    for path in paths {
        all.update(path.as_bytes());
        all.update(&[0]);
    }
    all.digest128().to_le_bytes()
}

impl<'a> Previous<'a> {
    /// Whether its entries were written by the same rules.
    fn is_alike(&self, recipe: &Recipe) -> bool {
        let Recipe { options, thrift, .. } = recipe;
        match self {
            Previous::Material(material) => material.options == *options && material.thrift == *thrift,
            // What only `full` and style write is not kept, and so cannot be written again.
            Previous::Remembered(remembered) => {
                options.mode != CodeMode::Full && options.style.is_none() && remembered.thrift == *thrift
            }
        }
    }

    fn known_by(self, files: &[&Arc<IndexedFile>]) -> Known<'a> {
        let same_paths = match self {
            Previous::Material(material) => {
                let pairs = || material.entries.iter().zip(files);
                material.entries.len() == files.len() && pairs().all(|(entry, file)| entry.has_path_of(file))
            }
            Previous::Remembered(remembered) => {
                remembered.rows.len() == files.len()
                    && remembered.paths == paths_id(files.iter().map(|file| &*file.path))
            }
        };
        let by_record = match self {
            Previous::Remembered(remembered) if !same_paths => {
                remembered.rows.records().map(|(at, record)| (record, at)).collect()
            }
            _ => HashMap::new(),
        };
        Known { previous: self, same_paths, by_record }
    }
}

fn has_sheets(file: &IndexedFile) -> bool {
    let style = file.local().facts.style.as_ref();
    style.is_some_and(|style| !style.css_modules.is_empty() || !style.scss_modules.is_empty())
}

/// The time before, seen from the files of now.
struct Known<'a> {
    previous: Previous<'a>,
    /// Whether positions of now are those of then.
    same_paths: bool,
    /// Positions of then, where they are others.
    by_record: HashMap<&'a [u8], usize>,
}

impl Known<'_> {
    fn entry(&self, at: usize, file: &Arc<IndexedFile>, recipe: &Arc<Recipe>) -> Option<Arc<Entry>> {
        match self.previous {
            Previous::Material(material) => {
                let path = |entry: &Arc<Entry>| entry.path().cmp(&file.path);
                let at = if self.same_paths { at } else { material.entries.binary_search_by(path).ok()? };
                Some(&material.entries[at]).filter(|entry| entry.is_of(file)).map(Arc::clone)
            }
            Previous::Remembered(remembered) => {
                let record = file.record();
                let at = if self.same_paths { at } else { *self.by_record.get(&record[..])? };
                let rows = &remembered.rows;
                let measures = rows.measures(at).filter(|_| rows.record(at) == Some(&record));
                Some(Arc::new(Entry::measured(file, recipe, measures?)))
            }
        }
    }

    /// What of its bundles may still hold where the entries at these places are others.
    fn before(&self, changed: impl Iterator<Item = usize>, graph: Option<IndexId>) -> Option<Before> {
        if !self.same_paths {
            return None;
        }
        match self.previous {
            Previous::Material(material) => {
                let mut before = material.as_before()?;
                before.same_graph &= graph.is_some() && graph == material.graph.id();
                before.changed.extend(changed);
                Some(before)
            }
            Previous::Remembered(remembered) => Some(Before {
                packed: remembered.packed.clone(),
                changed: changed.collect(),
                same_graph: graph == Some(remembered.graph),
                here: false,
            }),
        }
    }
}
