//! What is handed out together: a file, what it needs down to a depth, and what had to be left out. Owns the choice of
//! roots and nodes; how a bundle is written is `render`'s.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use crate::graph::{Edge, EdgeKind, Graph};
use crate::json;
use crate::target::Target;

/// How much goes into a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BundleOptions {
    /// Levels of dependencies; 0 for the file alone.
    pub depth: usize,
    /// At least 1.
    pub max_nodes: usize,
    /// Tokens of all contracts together; the root is always there.
    pub token_budget: Option<usize>,
}

impl Default for BundleOptions {
    fn default() -> Self {
        Self { depth: 2, max_nodes: 100, token_budget: None }
    }
}

/// A file with what it needs. Files are positions in the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    pub root: usize,
    /// By path; the root is among them.
    pub nodes: Vec<usize>,
    /// Between nodes, by path.
    pub edges: Vec<(usize, usize, EdgeKind)>,
    /// By path.
    pub cut: Vec<LeftOut>,
}

/// Why a file that a node needs is not in the bundle. Of several reasons the first is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CutReason {
    MaxDepth,
    MaxNodes,
    TokenBudget,
    /// A node hands it on, and nobody in the bundle asks that node for it.
    NotUsed,
}

impl CutReason {
    pub const ALL: [Self; 4] = [Self::MaxDepth, Self::MaxNodes, Self::TokenBudget, Self::NotUsed];

    pub fn as_str(self) -> &'static str {
        match self {
            CutReason::MaxDepth => "max depth exceeded",
            CutReason::MaxNodes => "max nodes exceeded",
            CutReason::TokenBudget => "token budget exceeded",
            CutReason::NotUsed => "re-export not used",
        }
    }
}

/// An import that leads out of the analysed files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Missing {
    /// As it is imported.
    pub name: String,
    pub reason: String,
    pub referenced_by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package_version: Option<String>,
}

/// A declared package is not there to be analysed, and nobody expects it to be.
pub const EXTERNAL_PACKAGE: &str = "external package";
/// No manifest asks for it: the import fails, or works by accident.
pub const UNDECLARED_PACKAGE: &str = "undeclared package";

impl Missing {
    /// As it stands in a bundle.
    pub fn json(&self) -> String {
        const FRAME: usize = 128;
        let texts = [&self.name, &self.reason, &self.referenced_by].map(String::len);
        let mut text = String::with_capacity(FRAME + 2 * texts.iter().sum::<usize>());
        json::write(&mut text, self);
        text
    }

    /// Whether somebody should do something about it.
    pub fn is_problem(&self) -> bool {
        self.reason != EXTERNAL_PACKAGE
    }
}

/// What bundles that together hold every file reach from their roots, by path of these. For some roots, in their order,
/// `reach` finds it out, `nodes` is what it found, and `held` finds these alone.
pub fn cover<R>(
    graph: &Graph,
    reach: impl Fn(&[usize]) -> Vec<R>,
    nodes: impl Fn(&R) -> &[usize],
    held: impl Fn(&[usize]) -> Vec<Box<[u32]>>,
) -> Vec<(usize, R)> {
    let roots = graph.roots();
    let mut found: Vec<(usize, R)> = roots.iter().copied().zip(reach(&roots)).collect();
    let mut lost = vec![true; graph.len()];
    for node in found.iter().flat_map(|(_, reached)| nodes(reached)) {
        lost[*node] = false;
    }
    let more = more_roots(graph, &roots, lost, held);
    found.extend(more.iter().copied().zip(reach(&more)));
    found.sort_by_key(|(root, _)| *root);
    found
}

/// Roots that hold what depth or size would lose, or what a barrel hands on and nobody asks it for: in turn the one that takes
/// in the most of it, among these the smallest. So few bundles have to repeat what stands in others.
fn more_roots(
    graph: &Graph,
    roots: &[usize],
    mut lost: Vec<bool>,
    held: impl Fn(&[usize]) -> Vec<Box<[u32]>>,
) -> Vec<usize> {
    let hands_on_what_is_lost =
        |file: usize| graph.edges(file).iter().any(|edge| edge.handed_on && lost[edge.to]);
    let may_be =
        |file: &usize| lost[*file] || (hands_on_what_is_lost(*file) && roots.binary_search(file).is_err());
    let files: Vec<usize> = (0..graph.len()).filter(may_be).collect();
    let held = held(&files);
    let gain = |lost: &[bool], at: usize| held[at].iter().filter(|node| lost[**node as usize]).count();
    let ranked = |gain: usize, at: usize| (gain, Reverse((held[at].len(), at)));
    let mut rest: BinaryHeap<_> = (0..files.len()).map(|at| ranked(gain(&lost, at), at)).collect();
    let mut more = Vec::new();
    // What it takes in can only become less while it waits.
    while let Some((once, Reverse((_, at)))) = rest.pop() {
        match gain(&lost, at) {
            0 => {}
            now if now == once => {
                held[at].iter().for_each(|node| lost[*node as usize] = false);
                more.push(files[at]);
            }
            now => rest.push(ranked(now, at)),
        }
    }
    more
}

/// The bundle of what was reached.
pub fn bundle(graph: &Graph, reached: Reached) -> Bundle {
    let Reached { root, nodes, cut } = reached;
    let edges = with_marks(graph.len(), |marks| {
        for node in &nodes {
            marks[*node] = NODE;
        }
        let mut edges = Vec::with_capacity(2 * nodes.len());
        for from in &nodes {
            let inside = graph.edges(*from).iter().filter(|edge| marks[edge.to] == NODE);
            edges.extend(inside.map(|edge| (*from, edge.to, edge.kind)));
        }
        for node in &nodes {
            marks[*node] = UNSEEN;
        }
        edges
    });
    Bundle { root, nodes, edges, cut }
}

/// A file, why it is not there, and who needs it.
pub type LeftOut = (usize, CutReason, usize);

/// What is in a bundle, as positions in the graph, and where it ends.
#[derive(Debug, Clone)]
pub struct Reached {
    pub root: usize,
    /// By path; the root is among them.
    pub nodes: Vec<usize>,
    /// By path.
    cut: Vec<LeftOut>,
}

const UNSEEN: u32 = 0;
const NODE: u32 = 1;
/// A node that is asked for everything that it hands on.
const OPEN: u32 = 2;
/// From here on, how many were left out before it.
const CUT: usize = 3;
/// Files that a bundle usually has, or leaves out.
const USUAL: usize = 64;

/// Hands out a mark for each file, none of them seen; `walk` leaves them so. A graph has many bundles, each of few files:
/// nobody could pay for marks of his own.
fn with_marks<T>(files: usize, walk: impl FnOnce(&mut [u32]) -> T) -> T {
    thread_local! {
        static MARKS: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
    }
    let mut marks = MARKS.take();
    if marks.len() < files {
        marks.resize(files, UNSEEN);
    }
    let result = walk(&mut marks);
    MARKS.set(marks);
    result
}

/// Hands each of some positions to `then`, in their order: as bits of a row they need no sorting.
fn in_order<'a>(positions: impl Iterator<Item = &'a usize>, mut then: impl FnMut(usize)) {
    const BITS: usize = u64::BITS as usize;
    thread_local! {
        static ROW: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
    }
    let mut row = ROW.take();
    let (mut start, mut end) = (usize::MAX, 0);
    for at in positions {
        let word = at / BITS;
        if row.len() <= word {
            row.resize(word + 1, 0);
        }
        row[word] |= 1 << (at % BITS);
        (start, end) = (start.min(word), end.max(word + 1));
    }
    // What a bundle holds mostly lies together.
    for (at, word) in row.iter_mut().enumerate().take(end).skip(start) {
        while *word != 0 {
            then(at * BITS + word.trailing_zeros() as usize);
            *word &= *word - 1;
        }
    }
    ROW.set(row);
}

/// What the bundle of a file holds, whether or not it is a root.
pub fn reach(graph: &Graph, root: usize, options: BundleOptions, tokens: &dyn Fn(usize) -> usize) -> Reached {
    with_marks(graph.len(), |marks| {
        let mut cut = Vec::with_capacity(USUAL);
        let nodes = walk(graph, root, options, tokens, marks, Some(&mut cut));
        for file in &nodes {
            if marks[*file] == NODE {
                // What comes through another barrel is left out with that.
                let named = |edge: &&Edge| edge.handed_on && edge.through.is_none();
                for edge in graph.edges(*file).iter().filter(named) {
                    let mark = &mut marks[edge.to];
                    if !matches!(*mark, NODE | OPEN) {
                        leave_out(&mut cut, mark, (edge.to, CutReason::NotUsed, *file));
                    }
                }
            }
        }
        // Positions are by path, and each is there once.
        let mut reached =
            Reached { root, nodes: Vec::with_capacity(nodes.len()), cut: Vec::with_capacity(cut.len()) };
        let seen = nodes.iter().chain(cut.iter().map(|(file, ..)| file));
        in_order(seen, |file| {
            match (std::mem::replace(&mut marks[file], UNSEEN) as usize).checked_sub(CUT) {
                Some(known) => reached.cut.push(cut[known]),
                None => reached.nodes.push(file),
            }
        });
        reached
    })
}

/// The nodes of what [`reach`] finds, in any order.
pub fn held(
    graph: &Graph,
    root: usize,
    options: BundleOptions,
    tokens: &dyn Fn(usize) -> usize,
) -> Box<[u32]> {
    with_marks(graph.len(), |marks| {
        let nodes = walk(graph, root, options, tokens, marks, None);
        for node in &nodes {
            marks[*node] = UNSEEN;
        }
        positions(&nodes)
    })
}

/// In as little room as they take.
pub fn positions(nodes: &[usize]) -> Box<[u32]> {
    nodes.iter().filter_map(|node| u32::try_from(*node).ok()).collect()
}

/// The nodes of a bundle, each with its mark. What they need beyond them is put into `cut`, if anybody asks.
fn walk(
    graph: &Graph,
    root: usize,
    options: BundleOptions,
    tokens: &dyn Fn(usize) -> usize,
    marks: &mut [u32],
    mut cut: Option<&mut Vec<LeftOut>>,
) -> Vec<usize> {
    let mut nodes = Vec::with_capacity(USUAL);
    nodes.push(root);
    let mut spent = tokens(root);
    marks[root] = OPEN;
    let (mut level, mut next) = (vec![(root, true)], Vec::new());
    // Beyond the last level there is only what was opened late, and in both only what is cut.
    for depth in 0.. {
        if level.is_empty() || (cut.is_none() && depth >= options.depth) {
            break;
        }
        for (file, is_open) in level.drain(..) {
            for edge in graph.edges(file).iter().filter(|edge| is_open || !edge.handed_on) {
                let mark = &mut marks[edge.to];
                if matches!(*mark, NODE | OPEN) {
                    // From here on it is looked through too.
                    if *mark == NODE && edge.takes_all() {
                        *mark = OPEN;
                        next.push(edge.to);
                    }
                    continue;
                }
                let cost = if options.token_budget.is_some() { tokens(edge.to) } else { 0 };
                let reason = if depth >= options.depth {
                    CutReason::MaxDepth
                } else if nodes.len() >= options.max_nodes {
                    CutReason::MaxNodes
                } else if options.token_budget.is_some_and(|budget| spent + cost > budget) {
                    CutReason::TokenBudget
                } else {
                    spent += cost;
                    *mark = if edge.takes_all() { OPEN } else { NODE };
                    nodes.push(edge.to);
                    next.push(edge.to);
                    continue;
                };
                // What did not fit once never will.
                if let Some(cut) = &mut cut {
                    leave_out(cut, mark, (edge.to, reason, file));
                }
            }
        }
        // Who comes first may be the last that fits.
        next.sort_unstable();
        next.dedup();
        level.extend(next.drain(..).map(|file| (file, marks[file] == OPEN)));
    }
    nodes
}

/// Each file once, for its first reason.
fn leave_out(cut: &mut Vec<LeftOut>, mark: &mut u32, left_out: LeftOut) {
    if let Some(known) = (*mark as usize).checked_sub(CUT) {
        cut[known] = cut[known].min(left_out);
    } else {
        *mark = u32::try_from(cut.len() + CUT).unwrap_or(u32::MAX);
        cut.push(left_out);
    }
}

/// What a file imports that is no analysed file, one entry per name; files of the repository and modules of the runtime
/// are not missing.
pub fn missing<'a>(path: &str, targets: impl Iterator<Item = (&'a String, &'a Target)>) -> Vec<Missing> {
    let entry = |name: &str, reason: &str, package: Option<(&String, &Option<String>)>| Missing {
        name: name.to_owned(),
        reason: reason.to_owned(),
        referenced_by: path.to_owned(),
        package_name: package.map(|(name, _)| name.clone()),
        package_version: package.and_then(|(_, version)| version.clone()),
    };
    targets
        .filter_map(|(specifier, target)| match target {
            Target::File(_) | Target::Files(_) | Target::Asset(_) | Target::Builtin(_) => None,
            Target::Package { name, version, declared } => {
                let reason = if *declared { EXTERNAL_PACKAGE } else { UNDECLARED_PACKAGE };
                Some(entry(specifier, reason, Some((name, version))))
            }
            Target::Unresolved(reason) => Some(entry(specifier, reason.as_str(), None)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::graph;
    use proptest::prelude::*;

    fn bundle_of(
        graph: &Graph,
        root: usize,
        options: BundleOptions,
        tokens: &dyn Fn(usize) -> usize,
    ) -> Bundle {
        let reached = reach(graph, root, options, tokens);
        let mut alone: Vec<usize> =
            held(graph, root, options, tokens).iter().map(|node| *node as usize).collect();
        alone.sort_unstable();
        assert_eq!(alone, reached.nodes);
        bundle(graph, reached)
    }

    fn bundles(graph: &Graph, options: BundleOptions, tokens: &dyn Fn(usize) -> usize) -> Vec<Bundle> {
        let all = |roots: &[usize]| roots.iter().map(|root| reach(graph, *root, options, tokens)).collect();
        let alone = |roots: &[usize]| roots.iter().map(|root| held(graph, *root, options, tokens)).collect();
        let covered = cover(graph, all, |reached| &reached.nodes, alone);
        covered.into_iter().map(|(_, reached)| bundle(graph, reached)).collect()
    }

    fn names(graph: &Graph, nodes: &[usize]) -> Vec<String> {
        nodes.iter().map(|node| graph.path(*node).to_owned()).collect()
    }

    #[test]
    fn a_depth_beyond_the_graph_costs_nothing() {
        let graph = graph(&[("1", &["2"]), ("2", &["1"])]);
        let options = BundleOptions { depth: usize::MAX, ..BundleOptions::default() };
        assert_eq!(bundle_of(&graph, 0, options, &|_| 1).nodes, [0, 1]);
    }

    #[test]
    fn depth_loses_nothing_and_says_what_it_cut() {
        let graph =
            graph(&[("1", &["2"]), ("2", &["3"]), ("3", &["4"]), ("4", &["5"]), ("5", &["6"]), ("6", &[])]);
        let all = bundles(&graph, BundleOptions::default(), &|_| 1);
        let shown: Vec<_> = all.iter().map(|bundle| names(&graph, &bundle.nodes).join("")).collect();
        assert_eq!(shown, ["123", "456"]);
        assert_eq!(all[0].cut.len(), 1);
        let (file, reason, by) = all[0].cut[0];
        assert_eq!((graph.path(file), reason, graph.path(by)), ("4", CutReason::MaxDepth, "3"));
        let pairs: Vec<_> = all[0].edges.iter().map(|(from, to, _)| (*from, *to)).collect();
        assert_eq!(pairs, [(0, 1), (1, 2)]);
    }

    #[test]
    fn what_is_lost_is_in_few_bundles() {
        let graph = graph(&[
            ("0", &["1"]),
            ("1", &["2"]),
            ("2", &["3", "4"]),
            ("3", &[]),
            ("4", &["5"]),
            ("5", &["3"]),
        ]);
        let all = bundles(&graph, BundleOptions::default(), &|_| 1);
        let shown: Vec<_> = all.iter().map(|bundle| names(&graph, &bundle.nodes).join("")).collect();
        assert_eq!(shown, ["012", "345"], "none of `3` alone");
    }

    #[test]
    fn size_and_tokens_cut_too() {
        let graph = graph(&[("a", &["b", "c", "d"]), ("b", &[]), ("c", &[]), ("d", &[])]);
        let options = BundleOptions { max_nodes: 2, ..BundleOptions::default() };
        assert_eq!(bundles(&graph, options, &|_| 1).len(), 3);
        let options = BundleOptions { token_budget: Some(25), ..BundleOptions::default() };
        let first = bundle_of(&graph, 0, options, &|_| 10);
        assert_eq!(names(&graph, &first.nodes), ["a", "b"]);
        assert!(first.cut.iter().all(|(_, reason, _)| *reason == CutReason::TokenBudget), "{:?}", first.cut);
    }

    #[test]
    fn a_barrel_brings_what_it_is_asked_for() {
        let files = |app: &'static [&'static str]| {
            graph(&[
                ("app", app),
                ("button", &["has:Button", "theme"]),
                ("dialog", &["has:Dialog"]),
                ("lazy", &["dynamic:ui"]),
                ("theme", &[]),
                ("ui", &["from:button:*", "from:dialog:*"]),
            ])
        };
        let held = |graph: &Graph, depth: usize| {
            let bundle = bundle_of(graph, 0, BundleOptions { depth, ..BundleOptions::default() }, &|_| 1);
            let cut = bundle.cut.iter().map(|(file, reason, by)| {
                format!("{} ({}, {})", graph.path(*file), reason.as_str(), graph.path(*by))
            });
            (names(graph, &bundle.nodes).join(" "), cut.collect::<Vec<_>>().join(" "))
        };
        let by_name = files(&["use:ui:Button"]);
        let (nodes, cut) = held(&by_name, 2);
        assert_eq!(nodes, "app button theme ui");
        assert_eq!(cut, "dialog (re-export not used, ui)");
        let all = bundles(&by_name, BundleOptions::default(), &|_| 1);
        let roots: Vec<&str> = all.iter().map(|bundle| by_name.path(bundle.root)).collect();
        assert_eq!(roots, ["app", "lazy"], "nothing is lost, and one bundle has each");
        assert!(held(&files(&["dynamic:ui"]), 2).0.contains("dialog"), "all of it was asked for");
        assert!(held(&files(&["ui"]), 2).0.contains("dialog"), "to run it is to run all of it");
        // Somebody further away asks for all of it: it is as far as from there.
        let both = files(&["use:ui:Button", "lazy"]);
        assert_eq!(
            held(&both, 2),
            ("app button lazy theme ui".to_owned(), "dialog (max depth exceeded, ui)".to_owned(),)
        );
        assert_eq!(held(&both, 3), ("app button dialog lazy theme ui".to_owned(), String::new()));
    }

    #[test]
    fn what_a_barrel_hands_on_is_not_lost() {
        let files: [(&str, &[&str]); 5] = [
            ("app", &["use:ui:Button"]),
            ("button", &["has:Button"]),
            ("card", &["has:Card"]),
            ("dialog", &["has:Dialog"]),
            ("ui", &["from:button:*", "from:card:*", "from:dialog:*"]),
        ];
        let graph = graph(&files);
        let all = bundles(&graph, BundleOptions::default(), &|_| 1);
        let shown: Vec<_> = all.iter().map(|bundle| names(&graph, &bundle.nodes).join(" ")).collect();
        assert_eq!(shown, ["app button ui", "button card dialog ui"], "of the barrel, not of each");
    }

    #[test]
    fn what_a_file_uses_itself_comes_along_though_it_is_handed_on_too() {
        let files: [(&str, &[&str]); 3] = [
            ("app", &["use:lib:run"]),
            ("lib", &["has:run", "from:options:Options", "useType:options:Options"]),
            ("options", &["has:Options"]),
        ];
        let graph = graph(&files);
        let bundle = bundle_of(&graph, 0, BundleOptions::default(), &|_| 1);
        assert_eq!(names(&graph, &bundle.nodes), ["app", "lib", "options"]);
    }

    proptest! {
        #[test]
        fn every_file_is_in_a_bundle(
            edges in proptest::collection::vec((0_usize..12, 0_usize..12, 0_usize..4), 0..40),
            depth in 0_usize..4,
            max_nodes in 1_usize..5,
        ) {
            let names: Vec<String> = (0..12).map(|number| format!("{number:02}")).collect();
            let import = |to: usize, how: usize| match how {
                0 => names[to].clone(),
                1 => format!("from:{}:*", names[to]),
                2 => format!("from:{}:own", names[to]),
                _ => format!("use:{}:own", names[to]),
            };
            let imports: Vec<Vec<String>> = (0..12)
                .map(|from| edges.iter().filter(|edge| edge.0 == from).map(|edge| import(edge.1, edge.2)).collect())
                .collect();
            let imports: Vec<Vec<&str>> =
                imports.iter().map(|some| some.iter().map(String::as_str).chain(["has:other"]).collect()).collect();
            let files: Vec<(&str, &[&str])> =
                names.iter().zip(&imports).map(|(name, imports)| (name.as_str(), imports.as_slice())).collect();
            let graph = graph(&files);
            let all = bundles(&graph, BundleOptions { depth, max_nodes, token_budget: None }, &|_| 1);
            let mut seen: Vec<usize> = all.iter().flat_map(|bundle| bundle.nodes.clone()).collect();
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len(), 12);
            let mut roots: Vec<usize> = all.iter().map(|bundle| bundle.root).collect();
            roots.dedup();
            prop_assert_eq!(roots.len(), all.len(), "each once");
            for bundle in &all {
                prop_assert!(bundle.nodes.contains(&bundle.root));
                prop_assert!(bundle.nodes.len() <= max_nodes);
                // What a node needs is there, or said to be left out; nothing is both.
                let cut: Vec<usize> = bundle.cut.iter().map(|(file, ..)| *file).collect();
                prop_assert!(!cut.iter().any(|file| bundle.nodes.contains(file)));
                let edges = bundle.nodes.iter().flat_map(|node| graph.edges(*node));
                for edge in edges.filter(|edge| !edge.handed_on || edge.through.is_none()) {
                    prop_assert!(bundle.nodes.contains(&edge.to) || cut.contains(&edge.to));
                }
            }
        }
    }
}
