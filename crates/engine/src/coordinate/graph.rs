//! What depends on what, for programs, for Graphviz and for a terminal.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::views::problems;
use crate::{Engine, Error};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskGraph {
    /// Also deleted tasks.
    pub include_deleted: bool,
    /// The worktree whose tasks are meant.
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphAnswer {
    pub nodes: Vec<GraphNodeView>,
    pub edges: Vec<GraphEdge>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Nodes that were left out to keep the answer short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphNodeView {
    pub id: String,
    pub title: String,
    pub status: String,
    pub priority: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by_agent_id: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphEdge {
    /// The dependency.
    pub from: String,
    /// Who needs it.
    pub to: String,
}

impl Engine {
    pub fn task_graph(&self, request: &TaskGraph) -> Result<GraphAnswer, Error> {
        let board = self.tasks_board(request.worktree.as_deref())?;
        let graph = board.store.graph(&board.worktree)?;
        let shown = |status: becket_store::spec_file::Status| {
            request.include_deleted || status != becket_store::spec_file::Status::Deleted
        };
        let nodes: Vec<GraphNodeView> = graph
            .nodes
            .into_iter()
            .filter(|node| shown(node.status))
            .map(|node| GraphNodeView {
                id: node.id.to_string(),
                title: node.title,
                status: node.status.word().to_owned(),
                priority: node.priority,
                claimed_by_agent_id: node.claimed_by.map(|agent| agent.to_string()),
            })
            .collect();
        let known: BTreeSet<&str> = nodes.iter().map(|node| node.id.as_str()).collect();
        let edges = graph
            .edges
            .iter()
            .map(|edge| GraphEdge { from: edge.dependency.to_string(), to: edge.dependent.to_string() })
            .filter(|edge| known.contains(edge.to.as_str()))
            .collect();
        Ok(GraphAnswer { edges, warnings: problems(&graph.problems), nodes, cut: None })
    }
}

impl GraphAnswer {
    /// At most so many bytes of JSON: unfinished tasks are kept before finished ones.
    #[must_use]
    pub fn bounded(mut self, most_bytes: usize) -> Self {
        let size = |answer: &Self| serde_json::to_vec(answer).map_or(0, |bytes| bytes.len());
        if size(&self) <= most_bytes {
            return self;
        }
        let all = self.nodes.len();
        self.nodes.sort_by_key(|node| matches!(node.status.as_str(), "verified" | "deleted"));
        while size(&self) + 200 > most_bytes && self.nodes.len() > 1 {
            self.nodes.truncate(self.nodes.len() * 3 / 4);
            let known: BTreeSet<&str> = self.nodes.iter().map(|node| node.id.as_str()).collect();
            self.edges.retain(|edge| known.contains(edge.from.as_str()) && known.contains(edge.to.as_str()));
        }
        self.cut = Some(format!(
            "{} of {all} tasks are shown; `becket task graph --json` has all.",
            self.nodes.len()
        ));
        self
    }

    /// For Graphviz.
    pub fn dot(&self) -> String {
        let quote = |text: &str| {
            format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " "))
        };
        let mut lines =
            vec!["digraph tasks {".to_owned(), "  rankdir=LR;".to_owned(), "  node [shape=box];".to_owned()];
        for node in &self.nodes {
            let colour = match node.status.as_str() {
                "verified" => "palegreen",
                "done" => "khaki",
                "deleted" => "lightgrey",
                "blocked" => "lightsalmon",
                _ if node.claimed_by_agent_id.is_some() => "lightblue",
                _ => "white",
            };
            let label = format!("{}\n{}", node.id, becket_base::clip(&one_line(&node.title), 40));
            let label = label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            lines.push(format!(
                "  {} [label=\"{label}\", style=filled, fillcolor={colour}];",
                quote(&node.id)
            ));
        }
        lines
            .extend(self.edges.iter().map(|edge| format!("  {} -> {};", quote(&edge.from), quote(&edge.to))));
        lines.push("}".to_owned());
        lines.join("\n")
    }

    /// For a terminal: what a task needs stands above it, what needs it hangs below it.
    pub fn drawing(&self) -> String {
        let nodes: BTreeMap<&str, &GraphNodeView> =
            self.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
        let mut below: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut needed: BTreeSet<&str> = BTreeSet::new();
        for edge in self.edges.iter().filter(|edge| nodes.contains_key(edge.from.as_str())) {
            below.entry(&edge.from).or_default().push(&edge.to);
            needed.insert(&edge.to);
        }
        let mut drawing = Drawing { nodes: &nodes, below: &below, drawn: BTreeSet::new(), lines: Vec::new() };
        for node in self.nodes.iter().filter(|node| !needed.contains(node.id.as_str())) {
            drawing.branch(&node.id, "", "", 0);
        }
        // What is left hangs together in circles.
        for node in &self.nodes {
            if !drawing.drawn.contains(node.id.as_str()) {
                drawing.branch(&node.id, "", "", 0);
            }
        }
        drawing.lines.extend(self.warnings.iter().map(|warning| format!("! {warning}")));
        if drawing.lines.is_empty() { "There are no tasks.".to_owned() } else { drawing.lines.join("\n") }
    }
}

struct Drawing<'g> {
    nodes: &'g BTreeMap<&'g str, &'g GraphNodeView>,
    below: &'g BTreeMap<&'g str, Vec<&'g str>>,
    drawn: BTreeSet<&'g str>,
    lines: Vec<String>,
}

const DEEPEST: usize = 200;

/// A title that was written by hand may have several.
fn one_line(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl<'g> Drawing<'g> {
    fn branch(&mut self, id: &'g str, lead: &str, joint: &str, depth: usize) {
        let Some(node) = self.nodes.get(id) else { return };
        let mark = match node.status.as_str() {
            "verified" => "✔",
            "done" => "◐",
            "deleted" => "✗",
            "blocked" => "■",
            "todo" => "·",
            _ if node.claimed_by_agent_id.is_some() => "▶",
            _ => "○",
        };
        let again = !self.drawn.insert(id);
        let holder =
            node.claimed_by_agent_id.as_ref().map(|agent| format!("  [{agent}]")).unwrap_or_default();
        let title = if again {
            "↑".to_owned()
        } else {
            format!("{}{holder}", becket_base::clip(&one_line(&node.title), 60))
        };
        self.lines.push(format!("{lead}{joint}{mark} {id}  {title}"));
        if again || depth > DEEPEST {
            return;
        }
        let lead = match joint {
            "├─ " => format!("{lead}│  "),
            "└─ " => format!("{lead}   "),
            _ => lead.to_owned(),
        };
        let children = self.below.get(id).cloned().unwrap_or_default();
        for (index, child) in children.iter().enumerate() {
            let joint = if index + 1 == children.len() { "└─ " } else { "├─ " };
            self.branch(child, &lead, joint, depth + 1);
        }
    }
}
