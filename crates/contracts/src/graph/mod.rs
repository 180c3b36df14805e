//! Who imports whom, made of what imports resolve to: never of names that look alike. Owns edges, cycles, roots and
//! reach; how a bundle is cut from it is `bundle`'s.

mod cycles;
pub(crate) mod declared;
mod members;
mod names;
mod reach;
mod twin;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use self::declared::showing;
use crate::model::{Declaration, ExportOrigin, Import, ImportKind, ImportedName};

pub use self::cycles::Cycle;
pub use self::declared::{DeclaredModules, fits};
pub use self::members::{Behind, Exported, Library, Member, Members, NextApp, Slice, exported, stars};
pub use self::names::Names;
pub use self::reach::{Dependent, HandedOn, Taken};
pub use self::twin::{is_declaration, is_twin, twin_of};

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
    pub const ALL: [Self; 4] = [Self::Static, Self::Dynamic, Self::ReExport, Self::TypeOnly];

    pub fn as_str(self) -> &'static str {
        match self {
            EdgeKind::Static => "static",
            EdgeKind::Dynamic => "dynamic",
            EdgeKind::ReExport => "re-export",
            EdgeKind::TypeOnly => "type-only",
        }
    }
}

/// The names that somebody asked for, as bits of which several names may share one: what is not among them surely was not
/// asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked(pub u128);

impl Asked {
    pub const ALL: Self = Self(u128::MAX);

    pub fn one(name: &str) -> Self {
        let mix = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
        Self(1 << (hash >> 57))
    }

    pub fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Whether a name may be among both.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// What one file needs, and what was asked to find it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needs {
    /// By path of the other file.
    pub edges: Vec<Edge>,
    /// The files that were asked for names, each once; who is behind their stars was asked with them.
    pub asked: Vec<usize>,
    pub names: Asked,
}

/// One file needs another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    pub to: usize,
    /// The strongest of the ways.
    pub kind: EdgeKind,
    /// The names, as the other file exports them; `*` for all of them.
    pub names: Names,
    /// The barrel that the names came through, where the other file is not imported itself.
    pub through: Option<usize>,
    /// Whether all of it is for others: what the file exports again and does not use itself.
    #[serde(default)]
    pub handed_on: bool,
}

impl Edge {
    /// Whether it takes the other file as a whole, with all that that hands on, and not only by names. Who runs it takes it so.
    pub fn takes_all(&self) -> bool {
        self.names.is_empty() || self.names.has_all()
    }

    /// Whether it takes what the other file exports under a name. A star that is handed on is none of the default.
    pub fn takes(&self, name: &str) -> bool {
        let by_star = name != "default" || self.kind != EdgeKind::ReExport;
        self.names.contains(name) || by_star && self.names.has_all()
    }
}

/// The files of a tree, by path, and what each needs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Graph {
    paths: Vec<Arc<str>>,
    edges: Edges,
    /// Made when somebody asks.
    reverse: OnceLock<Reverse>,
    takers: OnceLock<Vec<(usize, usize)>>,
}

#[derive(Debug, Clone)]
enum Edges {
    All {
        /// Those of one file after those of another.
        list: Vec<Edge>,
        /// Where those of each file end.
        ends: Vec<usize>,
    },
    /// Each list is read when somebody asks: after an edit nobody asks for most of them.
    Written { by: Arc<dyn WrittenEdges>, read: Vec<OnceLock<Box<[Edge]>>> },
}

impl Default for Edges {
    fn default() -> Self {
        Self::All { list: Vec::new(), ends: Vec::new() }
    }
}

/// The edges of a graph as somebody wrote them down.
pub trait WrittenEdges: Debug + Send + Sync {
    /// Of all files.
    fn count(&self) -> usize;

    /// Those of one file, by path of the other.
    fn of(&self, from: usize) -> Vec<Edge>;

    /// Those by which somebody takes all that a file exports: the file and who takes it, by the file.
    fn takers(&self) -> Vec<(usize, usize)>;
}

/// Who needs each file: all in one list, and where those of each begin in it.
#[derive(Debug, Clone)]
struct Reverse {
    starts: Vec<usize>,
    from: Vec<usize>,
}

/// What of a graph is worth storing.
#[derive(Serialize, Deserialize)]
struct Stored {
    paths: Vec<String>,
    edges: Vec<Vec<Edge>>,
}

impl From<Stored> for Graph {
    fn from(stored: Stored) -> Self {
        Self::from_edges(stored.paths.into_iter().map(Arc::from).collect(), stored.edges)
    }
}

impl From<Graph> for Stored {
    fn from(graph: Graph) -> Self {
        Self {
            paths: graph.paths.iter().map(ToString::to_string).collect(),
            edges: (0..graph.len()).map(|from| graph.edges(from).to_vec()).collect(),
        }
    }
}

impl Graph {
    /// `members` are sorted by path.
    pub fn new(members: &[Member<'_>]) -> Self {
        let paths = members.iter().map(|member| Arc::from(member.path)).collect();
        let tree = Slice(members);
        Self::from_edges(paths, (0..members.len()).map(|from| needs(&tree, from).edges))
    }

    /// The same with other edges for some files.
    #[must_use]
    pub fn with_edges(&self, changed: impl IntoIterator<Item = (usize, Vec<Edge>)>) -> Self {
        let mut changed: BTreeMap<usize, Vec<Edge>> = changed.into_iter().collect();
        let edges = |from: usize| changed.remove(&from).unwrap_or_else(|| self.edges(from).to_vec());
        Self::from_edges(self.paths.clone(), (0..self.len()).map(edges))
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
        Self::from_edges(kept.iter().map(|at| self.paths[*at].clone()).collect(), edges)
    }

    /// Files by path, and the edges of each. Edges to files that are not there are dropped: what was stored may be damaged.
    pub fn from_edges(paths: Vec<Arc<str>>, edges: impl IntoIterator<Item = Vec<Edge>>) -> Self {
        let (mut all, mut ends) = (Vec::new(), Vec::with_capacity(paths.len()));
        for edges in edges {
            all.extend(edges.into_iter().filter(|edge| edge.to < paths.len()));
            ends.push(all.len());
        }
        ends.resize(paths.len(), all.len());
        Self { paths, edges: Edges::All { list: all, ends }, ..Self::default() }
    }

    /// The same of edges that are written down.
    pub fn written(paths: Vec<Arc<str>>, by: Arc<dyn WrittenEdges>) -> Self {
        let read = paths.iter().map(|_| OnceLock::new()).collect();
        Self { paths, edges: Edges::Written { by, read }, ..Self::default() }
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
        self.paths.binary_search_by(|known| (**known).cmp(path)).ok()
    }

    /// By path of the other file.
    pub fn edges(&self, from: usize) -> &[Edge] {
        match &self.edges {
            Edges::All { list, ends } => {
                let start = from.checked_sub(1).map_or(0, |before| ends[before]);
                &list[start..ends[from]]
            }
            Edges::Written { by, read } => read[from].get_or_init(|| {
                let mut edges = by.of(from);
                edges.retain(|edge| edge.to < self.len());
                edges.into()
            }),
        }
    }

    /// The files that need this one, by path.
    pub fn dependents(&self, of: usize) -> &[usize] {
        let Reverse { starts, from } = self.reverse.get_or_init(|| Reverse::of(self));
        &from[starts[of]..starts[of + 1]]
    }

    /// Those of them that take all that it exports.
    pub fn takers_of_all(&self, of: usize) -> impl Iterator<Item = usize> {
        let takers = self.takers();
        let start = takers.partition_point(|(to, _)| *to < of);
        takers[start..].iter().take_while(move |(to, _)| *to == of).map(|(_, from)| *from)
    }

    /// All of these, each behind what it takes.
    pub fn takers(&self) -> &[(usize, usize)] {
        self.takers.get_or_init(|| match &self.edges {
            Edges::All { .. } => {
                let of = |from: usize| self.edges(from).iter().filter(|edge| edge.names.has_all());
                let pairs = (0..self.len()).flat_map(|from| of(from).map(move |edge| (edge.to, from)));
                let mut takers: Vec<(usize, usize)> = pairs.collect();
                takers.sort_unstable();
                takers
            }
            Edges::Written { by, .. } => by.takers(),
        })
    }

    /// How many pairs of files there are, those through a barrel included.
    pub fn edge_count(&self) -> usize {
        match &self.edges {
            Edges::All { list, .. } => list.len(),
            Edges::Written { by, .. } => by.count(),
        }
    }

    /// Files that use `name` of a file, as far as imports tell; all that use it at all for `None`.
    pub fn users_of(&self, file: usize, name: Option<&str>) -> Vec<usize> {
        let uses = |from: &usize| {
            let edge = self.edges(*from).iter().find(|edge| edge.to == file);
            edge.is_some_and(|edge| name.is_none_or(|name| edge.takes(name)))
        };
        self.dependents(file).iter().copied().filter(uses).collect()
    }
}

impl Reverse {
    fn of(graph: &Graph) -> Self {
        let mut starts = vec![0; graph.len() + 1];
        for edge in (0..graph.len()).flat_map(|from| graph.edges(from)) {
            starts[edge.to + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut reverse = vec![0; graph.edge_count()];
        for from in 0..graph.len() {
            for edge in graph.edges(from) {
                reverse[next[edge.to]] = from;
                next[edge.to] += 1;
            }
        }
        Self { starts, from: reverse }
    }
}

/// The edges of one file.
pub fn needs(members: &dyn Members, from: usize) -> Needs {
    let mut finder = Finder { members, asked: Vec::new(), names: Asked::default() };
    let edges = finder.edges_of(from);
    let Finder { mut asked, names, .. } = finder;
    asked.sort_unstable();
    asked.dedup();
    asked.retain(|file| *file != from);
    Needs { edges, asked, names }
}

struct Finder<'a> {
    members: &'a dyn Members,
    asked: Vec<usize>,
    names: Asked,
}

impl<'a> Finder<'a> {
    fn edges_of(&mut self, from: usize) -> Vec<Edge> {
        let mut found: Vec<Way<'a>> = Vec::new();
        let facts = self.members.facts(from);
        for import in &facts.imports {
            let Some(to) = self.members.file(from, &import.specifier) else {
                if Import::is_pattern(&import.specifier) {
                    self.matched(from, import, &mut found);
                }
                continue;
            };
            let types_only = !import.names.is_empty() && import.names.iter().all(|name| name.type_only);
            let kind = match import.kind {
                ImportKind::Dynamic => EdgeKind::Dynamic,
                ImportKind::ReExport => EdgeKind::ReExport,
                ImportKind::TypeOnly => EdgeKind::TypeOnly,
                ImportKind::Static | ImportKind::Require if types_only => EdgeKind::TypeOnly,
                ImportKind::Static | ImportKind::Require => EdgeKind::Static,
            };
            let handed_on = import.kind == ImportKind::ReExport;
            if let Some(module) = self.members.declared(to, &import.specifier) {
                let way = Way { to, kind, name: None, through: None, handed_on };
                for name in import.taken() {
                    self.declared(module, &name.imported, way, &mut found);
                }
                if import.names.is_empty() && kind == EdgeKind::Static {
                    found.push(way);
                } else if import.names.is_empty() {
                    self.declared(module, "*", way, &mut found);
                }
                continue;
            }
            let whole = import.names.is_empty() && kind != EdgeKind::Static;
            found.push(Way { to, kind, name: whole.then_some("*"), through: None, handed_on });
            let has_namespace = import.names.iter().any(|name| name.imported == "*");
            for ImportedName { imported: name, local, type_only } in import.taken() {
                let declaring = if name == "*" { None } else { self.declaring_file(to, name) };
                // A member that is no export: of what `export =` gives, or of something that cannot be looked at.
                let is_member = local.is_empty() && has_namespace;
                let is_missing = declaring.is_none() && self.members.facts(to).exported_as(name).0.is_empty();
                // So it is by its name alone, `const { first } = require('./class')`, and `import app from './app.cjs'` is all
                // that the file exports.
                let as_whole = is_missing && (is_member || name != "*" && self.has_default(to))
                    || name == "default" && self.members.facts(to).is_common_js;
                let name = if as_whole { "*" } else { name.as_str() };
                found.push(Way { to, kind, name: Some(name), through: None, handed_on });
                // `import { value, type Type }`: what a name leads to is needed as the name is.
                let kind = if kind == EdgeKind::Static && *type_only { EdgeKind::TypeOnly } else { kind };
                match declaring {
                    Some((declaring, name)) if declaring != to && declaring != from => {
                        let (name, through) = (Some(name), Some(to));
                        found.push(Way { to: declaring, kind, name, through, handed_on });
                    }
                    _ => {}
                }
            }
        }
        // A re-export is said by its export too; facts may list it in one place only.
        for export in &facts.exports {
            if let ExportOrigin::Module { specifier, imported } = &export.origin {
                if let Some(to) = self.members.file(from, specifier) {
                    // `module.exports = require('./names')` has a default where that has one.
                    if facts.is_common_js && imported == "default" && !self.has_default(to) {
                        continue;
                    }
                    let kind = if export.type_only { EdgeKind::TypeOnly } else { EdgeKind::ReExport };
                    if let Some(module) = self.members.declared(to, specifier) {
                        let way = Way { to, kind, name: None, through: None, handed_on: true };
                        self.declared(module, imported, way, &mut found);
                        continue;
                    }
                    found.push(Way { to, kind, name: Some(imported), through: None, handed_on: true });
                    let with_default = imported == "*" && export.name != "*" && self.has_default(to);
                    let name = Some("default").filter(|_| with_default);
                    found.extend(name.map(|_| Way { to, kind, name, through: None, handed_on: true }));
                }
            }
        }
        // Whoever adds to a type of another module needs that type.
        let adding = facts.declarations.iter().filter(|_| !facts.is_global).filter_map(Declaration::adds);
        for (specifier, types) in adding {
            let Some(to) = self.members.file(from, specifier) else { continue };
            let way = Way { to, kind: EdgeKind::TypeOnly, name: None, through: None, handed_on: false };
            found.push(way);
            for one in types {
                let Some((declaring, name)) = self.declaring_file(to, &one.name) else { continue };
                found.push(Way { name: Some(&one.name), ..way });
                if declaring != to && declaring != from {
                    found.push(Way { to: declaring, name: Some(name), through: Some(to), ..way });
                }
            }
        }
        if let Some(to) = self.members.twin(from) {
            let names = ["*"].into_iter().chain(self.has_default(to).then_some("default"));
            let way =
                |name| Way { to, kind: EdgeKind::ReExport, name: Some(name), through: None, handed_on: true };
            found.extend(names.map(way));
        }
        found.retain(|way| way.to != from);
        if found.is_empty() { Vec::new() } else { edges_by(found) }
    }

    /// The ways to all files that a pattern matches.
    fn matched(&self, from: usize, import: &'a Import, found: &mut Vec<Way<'a>>) {
        let is_late = import.kind == ImportKind::Dynamic;
        let kind = if is_late { EdgeKind::Dynamic } else { EdgeKind::Static };
        for to in self.members.matched(from, &import.specifier) {
            let names = import.names.iter().map(|name| Some(name.imported.as_str()));
            found.extend(names.map(|name| Way { to, kind, name, through: None, handed_on: false }));
        }
    }

    /// The ways to what is taken of a module that is only declared, which several files may do; `first` leads to the nearest.
    fn declared(&mut self, module: &str, name: &'a str, first: Way<'a>, found: &mut Vec<Way<'a>>) {
        if name == "*" {
            let all = self.members.declaring(first.to, module).into_iter();
            found.extend(all.map(|to| Way { to, name: Some(name), ..first }));
            return;
        }
        let shown = showing(self.members, first.to, module, name, |file| self.ask(file, name));
        let otherwise = shown.is_empty().then_some(first.to);
        let files = shown.into_iter().map(|(file, _)| file).chain(otherwise);
        found.extend(files.map(|to| Way { to, name: Some(name), ..first }));
    }

    /// The file that declares what another exports as `name`, and its name there.
    fn declaring_file(&mut self, file: usize, name: &str) -> Option<(usize, &'a str)> {
        self.ask(file, name);
        match exported(self.members, file, name, |file, name| self.ask(file, name))? {
            Exported::Here(file, export) => Some((file, &export.name)),
            Exported::All(file) => Some((file, "*")),
            Exported::Declared { file, name, .. } => Some((file, name)),
            Exported::Module(file, _) => Some((file, "*")),
            Exported::Outside(_) => None,
        }
    }

    fn has_default(&mut self, file: usize) -> bool {
        self.ask(file, "default");
        !self.members.facts(file).exported_as("default").0.is_empty()
    }

    fn ask(&mut self, file: usize, name: &str) {
        self.asked.push(file);
        self.names.add(Asked::one(name));
    }
}

/// One way in which a file needs another, of which there may be more.
#[derive(Clone, Copy)]
struct Way<'a> {
    to: usize,
    kind: EdgeKind,
    name: Option<&'a str>,
    through: Option<usize>,
    handed_on: bool,
}

fn edges_by(mut ways: Vec<Way<'_>>) -> Vec<Edge> {
    ways.sort_by_key(|way| way.to);
    let mut text = String::new();
    let mut names = Vec::new();
    let edges = ways.chunk_by(|one, other| one.to == other.to).map(|ways| {
        names.extend(ways.iter().filter_map(|way| way.name));
        let here = Names::write(&mut text, &mut names);
        let first = &ways[0];
        let kind = ways.iter().map(|way| way.kind).fold(first.kind, EdgeKind::min);
        let is_direct = ways.iter().any(|way| way.through.is_none());
        let handed_on = ways.iter().all(|way| way.handed_on);
        (first.to, kind, here, if is_direct { None } else { first.through }, handed_on)
    });
    let edges: Vec<_> = edges.collect();
    let text: Arc<str> = text.into();
    let edge = |(to, kind, here, through, handed_on)| {
        Some(Edge { to, kind, names: Names::from_text(&text, here)?, through, handed_on })
    };
    edges.into_iter().filter_map(edge).collect()
}

#[cfg(test)]
pub(crate) mod tests;
