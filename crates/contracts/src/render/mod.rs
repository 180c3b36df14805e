//! Contracts as files: nodes, bundles, the index over them, in the seed's fields. A node is written once and spliced into
//! every bundle that has it. What goes where is decided elsewhere; when something was made is told by the caller.

mod index;
mod merged;
mod node;
mod thrift;
mod toon;

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bundle::{Cut, Missing};
use crate::graph::EdgeKind;

pub use self::index::{FolderEntry, Index, IndexSummary, TokenEstimates, root_label};
pub use self::node::{NodeSource, NodeText, node, read_node};
pub use self::thrift::Thrift;
pub use self::toon::toon;
pub use crate::compare::component_name;

/// How much code stands beside a contract.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CodeMode {
    None,
    #[default]
    Header,
    Full,
}

impl CodeMode {
    pub fn as_str(self) -> &'static str {
        match self {
            CodeMode::None => "none",
            CodeMode::Header => "header",
            CodeMode::Full => "full",
        }
    }
}

/// How a folder's bundles are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Json,
    Pretty,
    Ndjson,
    Toon,
}

impl Format {
    /// The name of a folder's file.
    pub fn file_name(self) -> &'static str {
        match self {
            Format::Json | Format::Pretty => "context.json",
            Format::Ndjson => "context.ndjson",
            Format::Toon => "context.toon",
        }
    }
}

/// The seed's, so that its readers know what they have.
const SCHEMA: &str = "https://logicstamp.dev/schemas/context/v0.1.json";

/// Who wrote a file, in the form that readers of the original look for.
pub fn source() -> String {
    format!("logicstamp-context@{}", env!("CARGO_PKG_VERSION"))
}

/// Everything that a bundle's file says.
#[derive(Debug, Clone)]
pub struct BundleText<'a> {
    pub entry_id: &'a str,
    /// Which of how many in its file, counted from 1.
    pub position: (usize, usize),
    pub depth: usize,
    pub created_at: &'a str,
    pub bundle_hash: &'a str,
    /// As [`node()`] writes them, by entry id.
    pub nodes: Vec<&'a str>,
    /// The two paths as [`quoted`] writes them: each stands in many bundles.
    pub edges: Vec<(&'a str, &'a str, EdgeKind)>,
    pub missing: &'a [Missing],
    /// Its paths, too.
    pub cut: Vec<Cut<'a>>,
}

impl BundleText<'_> {
    /// One object, compact, on one line.
    pub fn json(&self) -> String {
        let mut text = String::with_capacity(self.size());
        self.write(&mut text);
        text
    }

    /// What its text takes, about.
    fn size(&self) -> usize {
        let nodes: usize = self.nodes.iter().map(|node| node.len() + 1).sum();
        let edges: usize = self.edges.iter().map(|(from, to, _)| from.len() + to.len() + 20).sum();
        nodes + edges + self.missing.len() * 192 + self.cut.len() * 128 + 1024
    }

    fn write(&self, text: &mut String) {
        let (at, of) = self.position;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{{\"$schema\":\"{SCHEMA}\",\"position\":\"{at}/{of}\",\"type\":\"LogicStampBundle\",\"schemaVersion\":\"0.1\",\
             \"entryId\":{},\"depth\":{},\"createdAt\":{},\"bundleHash\":{},\"graph\":{{\"nodes\":[",
            written(&self.entry_id),
            self.depth,
            written(&self.created_at),
            written(&self.bundle_hash),
        );
        for (at, node) in self.nodes.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            text.push_str(node);
        }
        text.push_str("],\"edges\":[");
        for (at, (from, to, _)) in self.edges.iter().enumerate() {
            text.push_str(if at > 0 { ",[" } else { "[" });
            text.push_str(from);
            text.push(',');
            text.push_str(to);
            text.push(']');
        }
        text.push(']');
        if !self.edges.is_empty() {
            text.push_str(",\"edgeKinds\":[");
            for (at, (.., kind)) in self.edges.iter().enumerate() {
                text.push_str(if at > 0 { ",\"" } else { "\"" });
                text.push_str(kind.as_str());
                text.push('"');
            }
            text.push(']');
        }
        text.push_str("},\"meta\":{\"missing\":");
        text.push_str(&written(&self.missing));
        for (at, Cut { entry_id, reason, referenced_by }) in self.cut.iter().enumerate() {
            text.push_str(if at > 0 { ",{\"entryId\":" } else { ",\"cut\":[{\"entryId\":" });
            text.push_str(entry_id);
            text.push_str(",\"reason\":");
            quote(text, reason);
            text.push_str(",\"referencedBy\":");
            text.push_str(referenced_by);
            text.push('}');
        }
        if !self.cut.is_empty() {
            text.push(']');
        }
        text.push_str(",\"source\":");
        quote(text, &source());
        text.push_str("}}");
    }
}

/// The file of a folder, at the end of a text.
pub fn folder_file(bundles: &[BundleText<'_>], format: Format, text: &mut String) {
    match format {
        // One bundle a line: small, and a difference in Git shows the bundle.
        Format::Json => joined(text, bundles, "[\n", ",\n", "\n]\n"),
        Format::Ndjson => joined(text, bundles, "", "\n", "\n"),
        // Writing to a string cannot fail, and our own values have only text keys.
        Format::Pretty => {
            let pretty = serde_json::to_string_pretty(&values(bundles));
            debug_assert!(pretty.is_ok());
            let _ = writeln!(text, "{}", pretty.unwrap_or_default());
        }
        Format::Toon => {
            let _ = writeln!(text, "{}", toon(&Value::from(values(bundles))));
        }
    }
}

fn joined(text: &mut String, bundles: &[BundleText<'_>], before: &str, between: &str, after: &str) {
    text.reserve(bundles.iter().map(BundleText::size).sum());
    text.push_str(before);
    for (at, bundle) in bundles.iter().enumerate() {
        if at > 0 {
            text.push_str(between);
        }
        bundle.write(text);
    }
    text.push_str(after);
}

/// A path as JSON.
pub fn quoted(path: &str) -> Box<str> {
    let mut text = String::with_capacity(path.len() + 2);
    quote(&mut text, path);
    text.into()
}

/// As JSON; almost every path can stand in it as it is.
pub(crate) fn quote(text: &mut String, path: &str) {
    let plain = |byte: u8| byte >= b' ' && !matches!(byte, b'"' | b'\\');
    // All of them, whatever the first ones are: that way many are looked at in one step.
    if path.bytes().fold(true, |so_far, byte| so_far & plain(byte)) {
        text.push('"');
        text.push_str(path);
        text.push('"');
    } else {
        text.push_str(&written(&path));
    }
}

/// Our own values have only text keys: this cannot fail.
fn written(value: &impl Serialize) -> String {
    let written = serde_json::to_string(value);
    debug_assert!(written.is_ok());
    written.unwrap_or_default()
}

fn values(bundles: &[BundleText<'_>]) -> Vec<Value> {
    bundles.iter().filter_map(|bundle| serde_json::from_str(&bundle.json()).ok()).collect()
}

/// The bundles in a folder's file, whichever of the JSON forms it has.
pub fn read_folder_file(text: &str) -> Result<Vec<Value>, serde_json::Error> {
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(bundles)) => Ok(bundles),
        Ok(one) => Ok(vec![one]),
        // A bundle a line.
        Err(error) if text.lines().count() > 1 => {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            lines.map(serde_json::from_str).collect::<Result<_, _>>().map_err(|_| error)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_quoted_as_json_has_it_wherever_its_escapes_stand() {
        for length in 0..40 {
            for at in 0..length {
                for odd in ["a", "\"", "\\", "\n", "\u{1f}", "\u{7f}", "ü"] {
                    let mut path = "x".repeat(length);
                    path.replace_range(at..=at, odd);
                    let mut text = String::new();
                    quote(&mut text, &path);
                    assert_eq!(text, serde_json::to_string(&path).unwrap());
                }
            }
        }
    }

    fn bundle(nodes: Vec<&str>) -> BundleText<'_> {
        BundleText {
            entry_id: "src/a \"b\".ts",
            position: (1, 2),
            depth: 2,
            created_at: "2026-01-01T00:00:00Z",
            bundle_hash: "uifb:0",
            nodes,
            edges: vec![
                ("\"a\"", r#""b \"c\"\\\u0001""#, EdgeKind::TypeOnly),
                ("\"a\"", "\"d\"", EdgeKind::Static),
            ],
            missing: &[],
            cut: Vec::new(),
        }
    }

    #[test]
    fn every_json_form_is_read_back() {
        let texts = vec![bundle(vec!["{\"entryId\":\"a\"}"]), bundle(Vec::new())];
        let read = |format| {
            let mut text = String::new();
            folder_file(&texts, format, &mut text);
            read_folder_file(&text).unwrap()
        };
        let plain = read(Format::Json);
        assert_eq!(plain.len(), 2);
        assert_eq!(plain[0]["entryId"], "src/a \"b\".ts");
        assert_eq!(plain[0]["graph"]["edges"], json!([["a", "b \"c\"\\\u{1}"], ["a", "d"]]));
        assert_eq!(plain[0]["graph"]["edgeKinds"], json!(["type-only", "static"]));
        for format in [Format::Pretty, Format::Ndjson] {
            assert_eq!(read(format), plain, "{format:?}");
        }
        assert!(read_folder_file("[{\"cut").is_err());
        assert!(read_folder_file("").is_err());
    }
}
