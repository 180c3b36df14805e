//! One contract for people, and the graph in the forms that drawing programs read.

use std::fmt::Write;

use becket_contracts::bundle::{self, Missing};
use becket_contracts::graph::{Cycle, Dependent, EdgeKind};
use becket_contracts::header;
use becket_contracts::model::SchemaVersion;
use becket_project::index::Index;
use becket_project::walk::Tests;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::impact::unknown_file;
use super::site::Site;
use crate::{Engine, Error};

/// A file's contract with its neighbours.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShownFile {
    pub entry_id: String,
    pub contract: Value,
    pub header: String,
    pub imports: Vec<Neighbour>,
    /// What else it imports: packages, and what was not found.
    pub missing: Vec<Missing>,
    pub dependents: Vec<Dependent>,
    pub source_tokens: usize,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Neighbour {
    pub path: String,
    pub kind: EdgeKind,
    pub names: Vec<String>,
    /// The barrel that it came through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphFormat {
    Json,
    Dot,
    Mermaid,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphReport {
    pub project_path: String,
    pub files: Vec<String>,
    pub edges: Vec<GraphEdge>,
    pub cycles: Vec<Cycle>,
    pub roots: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphEdge {
    pub from: String,
    pub to: String,
    pub kind: EdgeKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
}

impl Engine {
    pub fn context_show(
        &self,
        project_path: Option<&str>,
        files: &[String],
    ) -> Result<Vec<ShownFile>, Error> {
        let site = self.site(project_path)?;
        let index = self.live(&site, Tests::Included)?;
        files.iter().map(|file| self.shown(&site, &index, file)).collect()
    }

    fn shown(&self, site: &Site, index: &Index, file: &str) -> Result<ShownFile, Error> {
        let path = self.entry_of(site, file)?;
        let graph = index.graph();
        let at = graph.position(&path).ok_or_else(|| unknown_file(&path, index))?;
        let file = &index.files()[at];
        let imports = graph.edges(at).iter().map(|edge| Neighbour {
            path: graph.path(edge.to).to_owned(),
            kind: edge.kind,
            names: edge.names.iter().map(str::to_owned).collect(),
            through: edge.through.map(|at| graph.path(at).to_owned()),
        });
        Ok(ShownFile {
            contract: file.contract().to_json(SchemaVersion::V03),
            header: header::code_header(&file.local().facts, usize::MAX),
            imports: imports.collect(),
            missing: bundle::missing(&path, file.targets().iter()),
            dependents: graph.direct(at),
            source_tokens: file.tokens,
            entry_id: path,
        })
    }

    pub fn context_graph(&self, project_path: Option<&str>, tests: Tests) -> Result<GraphReport, Error> {
        let site = self.site(project_path)?;
        let index = self.live(&site, tests)?;
        let graph = index.graph().restricted(|path| site.holds(path));
        let path = |at: usize| graph.path(at).to_owned();
        let edges = (0..graph.len()).flat_map(|from| graph.edges(from).iter().map(move |edge| (from, edge)));
        Ok(GraphReport {
            project_path: site.shown(),
            files: (0..graph.len()).map(path).collect(),
            edges: edges
                .map(|(from, edge)| GraphEdge {
                    from: path(from),
                    to: path(edge.to),
                    kind: edge.kind,
                    through: edge.through.map(path),
                })
                .collect(),
            cycles: graph.cycles(),
            roots: graph.roots().into_iter().map(path).collect(),
        })
    }
}

impl GraphReport {
    pub fn draw(&self, format: GraphFormat) -> String {
        match format {
            GraphFormat::Json => serde_json::to_string_pretty(self).unwrap_or_default(),
            GraphFormat::Dot => self.dot(),
            GraphFormat::Mermaid => self.mermaid(),
        }
    }

    /// For Graphviz: what is only a type is dashed, what is loaded later dotted. Names through a barrel are left out,
    /// because the way through it is drawn.
    fn dot(&self) -> String {
        let mut text =
            String::from("digraph becket {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n");
        // Writing to a string cannot fail.
        for file in &self.files {
            let _ = writeln!(text, "  {};", quoted(file));
        }
        for edge in self.edges.iter().filter(|edge| edge.through.is_none()) {
            let style = match edge.kind {
                EdgeKind::Static => "",
                EdgeKind::TypeOnly => " [style=dashed]",
                EdgeKind::Dynamic => " [style=dotted]",
                EdgeKind::ReExport => " [color=gray]",
            };
            let _ = writeln!(text, "  {} -> {}{style};", quoted(&edge.from), quoted(&edge.to));
        }
        text + "}\n"
    }

    fn mermaid(&self) -> String {
        let mut text = String::from("flowchart LR\n");
        let number = |path: &String| self.files.binary_search(path).unwrap_or_default();
        for (at, file) in self.files.iter().enumerate() {
            let _ = writeln!(text, "  f{at}[\"{}\"]", entities(file));
        }
        for edge in self.edges.iter().filter(|edge| edge.through.is_none()) {
            let arrow = match edge.kind {
                EdgeKind::Static => "-->",
                EdgeKind::TypeOnly => "-.->|type|",
                EdgeKind::Dynamic => "-.->|dynamic|",
                EdgeKind::ReExport => "-->|re-export|",
            };
            let _ = writeln!(text, "  f{} {arrow} f{}", number(&edge.from), number(&edge.to));
        }
        text
    }
}

/// For Graphviz, which reads `&lt;` in a name as a sign.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;");
    format!("\"{}\"", text.replace('\n', "\\n"))
}

/// A label for Mermaid, which makes HTML of it, Markdown of what stands in backquotes, and mathematics of `$$`.
fn entities(text: &str) -> String {
    let mut label = String::with_capacity(text.len());
    for letter in text.chars() {
        if "\"<>&#`\\$".contains(letter) || letter.is_control() {
            let _ = write!(label, "#{};", u32::from(letter));
        } else {
            label.push(letter);
        }
    }
    label
}
