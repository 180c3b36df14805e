//! Who imports whom, made of what imports resolve to: never of names that look alike. Owns edges, cycles, roots and
//! reach; how a bundle is cut from it is `bundle`'s.

mod cycles;
mod reach;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::model::{ExportOrigin, ImportKind, LocalFacts};
use crate::target::Target;

pub use self::cycles::Cycle;
pub use self::reach::{Dependent, Impact};

/// How one file needs another; the strongest first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    Static,
    Dynamic,
    ReExport,
    TypeOnly,
}

impl EdgeKind {
    pub fn as_str(self) -> &'static str {
        match self {
            EdgeKind::Static => "static",
            EdgeKind::Dynamic => "dynamic",
            EdgeKind::ReExport => "re-export",
            EdgeKind::TypeOnly => "type-only",
        }
    }
}

/// What one file brings to the graph.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    pub path: &'a str,
    pub facts: &'a LocalFacts,
    /// By specifier.
    pub targets: &'a BTreeMap<String, Target>,
}

/// One file needs another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    pub to: usize,
    /// The strongest of the ways.
    pub kind: EdgeKind,
    /// The names, as the other file exports them; `*` for all of them.
    pub names: BTreeSet<String>,
    /// The barrel that the names came through, where the other file is not imported itself.
    pub through: Option<usize>,
}

/// The files of a tree, by path, and what each needs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Graph {
    paths: Vec<String>,
    edges: Vec<Vec<Edge>>,
    reverse: Vec<Vec<usize>>,
}

/// What of a graph is worth storing.
#[derive(Serialize, Deserialize)]
struct Stored {
    paths: Vec<String>,
    edges: Vec<Vec<Edge>>,
}

impl From<Stored> for Graph {
    fn from(stored: Stored) -> Self {
        Self::from_edges(stored.paths, stored.edges)
    }
}

impl From<Graph> for Stored {
    fn from(graph: Graph) -> Self {
        Self { paths: graph.paths, edges: graph.edges }
    }
}

impl Graph {
    /// `members` are sorted by path.
    pub fn new(members: &[Member<'_>]) -> Self {
        let paths: Vec<String> = members.iter().map(|member| member.path.to_owned()).collect();
        let finder = Finder { members, paths: &paths };
        let edges: Vec<Vec<Edge>> = (0..members.len()).map(|from| finder.edges_of(from)).collect();
        Self::from_edges(paths, edges)
    }

    /// The part of it that has these files; what leads out of it is gone.
    #[must_use]
    pub fn restricted(&self, keep: impl Fn(&str) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.len()).filter(|at| keep(self.path(*at))).collect();
        let moved = |at: usize| kept.binary_search(&at).ok();
        let edges = kept.iter().map(|at| {
            let inside = self.edges(*at).iter().filter_map(|edge| {
                let through = edge.through.and_then(moved);
                Some(Edge { to: moved(edge.to)?, through, ..edge.clone() })
            });
            inside.collect()
        });
        Self::from_edges(kept.iter().map(|at| self.paths[*at].clone()).collect(), edges.collect())
    }

    /// Edges to files that are not there are dropped: what was stored may be damaged.
    fn from_edges(paths: Vec<String>, mut edges: Vec<Vec<Edge>>) -> Self {
        edges.resize_with(paths.len(), Vec::new);
        let mut reverse = vec![Vec::new(); paths.len()];
        for (from, edges) in edges.iter_mut().enumerate() {
            edges.retain(|edge| edge.to < paths.len());
            for edge in edges {
                reverse[edge.to].push(from);
            }
        }
        Self { paths, edges, reverse }
    }

    pub fn len(&self) -> usize {
        self.paths.len()
    }

    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    pub fn path(&self, index: usize) -> &str {
        &self.paths[index]
    }

    pub fn position(&self, path: &str) -> Option<usize> {
        self.paths.binary_search_by(|known| known.as_str().cmp(path)).ok()
    }

    /// By path of the other file.
    pub fn edges(&self, from: usize) -> &[Edge] {
        &self.edges[from]
    }

    /// The files that need this one, by path.
    pub fn dependents(&self, of: usize) -> &[usize] {
        &self.reverse[of]
    }

    /// How many pairs of files there are, those through a barrel included.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// Files that use `name` of a file, as far as imports tell; all that use it at all for `None`.
    pub fn users_of(&self, file: usize, name: Option<&str>) -> Vec<usize> {
        let uses = |from: &usize| {
            let edge = self.edges[*from].iter().find(|edge| edge.to == file);
            edge.is_some_and(|edge| match name {
                Some(name) => edge.names.contains(name) || edge.names.contains("*"),
                None => true,
            })
        };
        self.reverse[file].iter().copied().filter(uses).collect()
    }
}

/// How many barrels in a row are followed; more is a circle of them.
const LONGEST_BARREL: usize = 32;

struct Finder<'a> {
    members: &'a [Member<'a>],
    paths: &'a [String],
}

impl Finder<'_> {
    fn edges_of(&self, from: usize) -> Vec<Edge> {
        let mut found: BTreeMap<usize, Edge> = BTreeMap::new();
        let member = &self.members[from];
        for import in &member.facts.imports {
            let Some(to) = self.file(from, &import.specifier) else { continue };
            let types_only = !import.names.is_empty() && import.names.iter().all(|name| name.type_only);
            let kind = match import.kind {
                ImportKind::Dynamic => EdgeKind::Dynamic,
                ImportKind::ReExport => EdgeKind::ReExport,
                ImportKind::TypeOnly => EdgeKind::TypeOnly,
                ImportKind::Static | ImportKind::Require if types_only => EdgeKind::TypeOnly,
                ImportKind::Static | ImportKind::Require => EdgeKind::Static,
            };
            let whole = import.names.is_empty() && kind != EdgeKind::Static;
            let names: Vec<&str> = if whole {
                vec!["*"]
            } else {
                import.names.iter().map(|name| name.imported.as_str()).collect()
            };
            note(&mut found, to, kind, names.iter().copied(), None);
            for name in names.into_iter().filter(|name| *name != "*") {
                if let Some((declaring, original)) = self.declaring(to, name, 0) {
                    if declaring != to && declaring != from {
                        note(&mut found, declaring, kind, std::iter::once(original.as_str()), Some(to));
                    }
                }
            }
        }
        // A re-export is said by its export too; facts may list it in one place only.
        for export in &member.facts.exports {
            if let ExportOrigin::Module { specifier, imported } = &export.origin {
                if let Some(to) = self.file(from, specifier) {
                    let kind = if export.type_only { EdgeKind::TypeOnly } else { EdgeKind::ReExport };
                    note(&mut found, to, kind, std::iter::once(imported.as_str()), None);
                }
            }
        }
        found.into_values().filter(|edge| edge.to != from).collect()
    }

    /// The file that declares what another exports as `name`, and its name there.
    fn declaring(&self, file: usize, name: &str, depth: usize) -> Option<(usize, String)> {
        if depth > LONGEST_BARREL {
            return None;
        }
        let exports = &self.members[file].facts.exports;
        if let Some(export) = exports.iter().find(|export| export.name == name) {
            return match &export.origin {
                ExportOrigin::Local(_) => Some((file, name.to_owned())),
                ExportOrigin::Module { specifier, imported } => {
                    let next = self.file(file, specifier)?;
                    if imported == "*" {
                        return Some((next, "*".to_owned()));
                    }
                    self.declaring(next, imported, depth + 1)
                }
            };
        }
        if name == "default" {
            return None;
        }
        let stars = exports.iter().filter(|export| export.name == "*");
        stars
            .filter_map(|star| match &star.origin {
                ExportOrigin::Module { specifier, .. } => self.file(file, specifier),
                ExportOrigin::Local(_) => None,
            })
            .find_map(|next| self.declaring(next, name, depth + 1))
    }

    fn file(&self, from: usize, specifier: &str) -> Option<usize> {
        let path = self.members[from].targets.get(specifier)?.file()?;
        self.paths.binary_search_by(|known| known.as_str().cmp(path)).ok()
    }
}

fn note<'a>(
    found: &mut BTreeMap<usize, Edge>,
    to: usize,
    kind: EdgeKind,
    names: impl Iterator<Item = &'a str>,
    through: Option<usize>,
) {
    let edge = found.entry(to).or_insert_with(|| Edge { to, kind, names: BTreeSet::new(), through });
    edge.kind = edge.kind.min(kind);
    edge.names.extend(names.map(str::to_owned));
    if through.is_none() {
        edge.through = None;
    }
}

#[cfg(test)]
pub(crate) mod tests;
