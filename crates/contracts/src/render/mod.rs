//! Contracts as files: nodes, bundles, the index over them, in the seed's fields. A node is written once and spliced into
//! every bundle that has it. What goes where is decided elsewhere; when something was made is told by the caller.

mod earlier;
mod index;
mod merged;
mod node;
mod read_toon;
mod thrift;
mod toon;

use std::fmt::Write;
use std::sync::{Arc, OnceLock};

use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bundle::{CutReason, LeftOut};
use crate::graph::{EdgeKind, Graph};
use crate::json::quote;

pub use self::earlier::EarlierText;
pub use self::index::{FolderEntry, Index, IndexMeta, IndexSummary, TokenEstimates, root_label};
pub(crate) use self::node::named;
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

/// What stands behind the position of a bundle.
const KIND: &str = ",\"type\":\"LogicStampBundle\"";

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
    pub edges: &'a [(usize, usize, EdgeKind)],
    /// Each as JSON.
    pub missing: &'a [Arc<str>],
    pub cut: &'a [LeftOut],
    pub paths: QuotedPaths<'a>,
}

/// The paths of a graph as [`quoted`] writes them, each when somebody asks: it stands in many bundles.
#[derive(Debug, Clone, Copy)]
pub struct QuotedPaths<'a> {
    pub graph: &'a Graph,
    /// One for each path.
    pub quoted: &'a [OnceLock<Box<str>>],
}

impl<'a> QuotedPaths<'a> {
    pub fn of(&self, at: usize) -> &'a str {
        self.quoted[at].get_or_init(|| quoted(self.graph.path(at)))
    }
}

impl<'a> BundleText<'a> {
    /// One object, compact, on one line.
    pub fn json(&self) -> String {
        let mut text = String::with_capacity(self.size(usize::MAX));
        self.write(&mut text, String::push_str);
        text
    }

    /// What its text takes, about, with nodes that are smaller than so much.
    fn size(&self, largest: usize) -> usize {
        let nodes = self.nodes.iter().map(|node| node.len()).filter(|size| *size < largest);
        let nodes: usize = nodes.map(|size| size + 1).sum();
        let missing: usize = self.missing.iter().map(|missing| missing.len() + 1).sum();
        nodes + missing + (self.edges.len() + self.cut.len()) * 192 + 1024
    }

    /// What stands in a list ends with a comma, and the last of these is taken back.
    fn write(&self, text: &mut String, mut put_node: impl FnMut(&mut String, &'a str)) {
        begin(text, self.position);
        text.push_str(KIND);
        text.push_str(",\"schemaVersion\":\"0.1\",\"entryId\":");
        quote(text, self.entry_id);
        // Writing to a string cannot fail.
        let _ = write!(text, ",\"depth\":{},\"createdAt\":", self.depth);
        quote(text, self.created_at);
        text.push_str(",\"bundleHash\":");
        quote(text, self.bundle_hash);
        text.push_str(",\"graph\":{\"nodes\":[");
        for node in &self.nodes {
            put_node(text, node);
            text.push(',');
        }
        end(text, self.nodes.is_empty());
        text.push_str(",\"edges\":[");
        // Ends the edge before, which the first one has not.
        let mut head = String::new();
        let start = text.len();
        for edges in self.edges.chunk_by(|(one, ..), (other, ..)| one == other) {
            for (at, (from, to, _)) in edges.iter().enumerate() {
                if at == 0 {
                    head.clear();
                    head.push_str("],[");
                    head.push_str(self.paths.of(*from));
                    head.push(',');
                }
                text.push_str(if text.len() == start { &head["],".len()..] } else { &head });
                text.push_str(self.paths.of(*to));
            }
        }
        text.push_str(if self.edges.is_empty() { "]" } else { "]]" });
        if !self.edges.is_empty() {
            text.push_str(",\"edgeKinds\":[");
            for (.., kind) in self.edges {
                text.push_str(match kind {
                    EdgeKind::Static => "\"static\",",
                    EdgeKind::Dynamic => "\"dynamic\",",
                    EdgeKind::ReExport => "\"re-export\",",
                    EdgeKind::TypeOnly => "\"type-only\",",
                });
            }
            end(text, false);
        }
        text.push_str("},\"meta\":{\"missing\":[");
        for missing in self.missing {
            text.push_str(missing);
            text.push(',');
        }
        end(text, self.missing.is_empty());
        if !self.cut.is_empty() {
            let between =
                CutReason::ALL.map(|reason| format!(",\"reason\":\"{}\",\"referencedBy\":", reason.as_str()));
            for (at, (file, reason, by)) in self.cut.iter().enumerate() {
                text.push_str(if at == 0 { ",\"cut\":[{\"entryId\":" } else { "},{\"entryId\":" });
                text.push_str(self.paths.of(*file));
                text.push_str(&between[*reason as usize]);
                text.push_str(self.paths.of(*by));
            }
            text.push_str("}]");
        }
        text.push_str(",\"source\":");
        quote(text, &source());
        text.push_str("}}");
    }
}

/// The beginning of a bundle that is so many of so many in its file.
fn begin(text: &mut String, (at, of): (usize, usize)) {
    // Writing to a string cannot fail.
    let _ = write!(text, "{{\"$schema\":\"{SCHEMA}\",\"position\":\"{at}/{of}\"");
}

/// Ends a list; where something stands in it, in the place of the last comma.
fn end(text: &mut String, is_empty: bool) {
    if !is_empty {
        text.pop();
    }
    text.push(']');
}

/// A bundle of a folder's file.
#[derive(Debug)]
pub enum BundleLine<'a> {
    New(BundleText<'a>),
    /// As an earlier file has it behind its position, which may be another now.
    Known {
        position: (usize, usize),
        rest: &'a str,
    },
}

impl<'a> BundleLine<'a> {
    fn size(&self) -> usize {
        match self {
            BundleLine::New(bundle) => bundle.size(WORTH_SHARING),
            BundleLine::Known { .. } => 128,
        }
    }

    fn nodes(&self) -> usize {
        match self {
            BundleLine::New(bundle) => bundle.nodes.len(),
            BundleLine::Known { .. } => 1,
        }
    }

    fn write(&self, own: &mut String, shared: &mut Vec<(usize, &'a str)>) {
        match self {
            BundleLine::New(bundle) => bundle.write(own, |own, node| match node.len() {
                ..WORTH_SHARING => own.push_str(node),
                _ => shared.push((own.len(), node)),
            }),
            BundleLine::Known { position, rest } => {
                begin(own, *position);
                shared.push((own.len(), rest));
            }
        }
    }

    fn value(&self) -> Option<Value> {
        let text = match self {
            BundleLine::New(bundle) => bundle.json(),
            BundleLine::Known { position, rest } => {
                let mut text = String::new();
                begin(&mut text, *position);
                text + rest
            }
        };
        serde_json::from_str(&text).ok()
    }
}

/// The file of a folder. A node stands in many of them, and is not copied for each.
#[derive(Debug)]
pub struct FolderText<'a> {
    own: String,
    /// What stands elsewhere, and before which byte of what does not.
    nodes: Vec<(usize, &'a str)>,
}

/// With fewer bytes a node is sooner copied than told of.
const WORTH_SHARING: usize = 256;

impl<'a> FolderText<'a> {
    /// Written in the room of a text that nobody needs any more.
    pub fn of(bundles: &[BundleLine<'a>], format: Format, mut room: String) -> Self {
        room.clear();
        let nodes = Vec::with_capacity(bundles.iter().map(BundleLine::nodes).sum());
        let mut text = Self { own: room, nodes };
        match format {
            // One bundle a line: small, and a difference in Git shows the bundle.
            Format::Json => text.join(bundles, "[\n", ",\n", "\n]\n"),
            Format::Ndjson => text.join(bundles, "", "\n", "\n"),
            // Writing to a string cannot fail, and our own values have only text keys.
            Format::Pretty => {
                let pretty = serde_json::to_string_pretty(&values(bundles));
                debug_assert!(pretty.is_ok());
                let _ = writeln!(text.own, "{}", pretty.unwrap_or_default());
            }
            Format::Toon => {
                let _ = writeln!(text.own, "{}", toon(&Value::from(values(bundles))));
            }
        }
        text
    }

    fn join(&mut self, bundles: &[BundleLine<'a>], before: &str, between: &str, after: &str) {
        let Self { own, nodes } = self;
        let size = bundles.iter().map(BundleLine::size).sum();
        if own.capacity() < size {
            // Larger at once: nothing that stands in it has to be copied.
            *own = String::with_capacity(size);
        }
        own.push_str(before);
        for (at, bundle) in bundles.iter().enumerate() {
            if at > 0 {
                own.push_str(between);
            }
            bundle.write(own, nodes);
        }
        own.push_str(after);
    }

    /// All of it, from its beginning to its end.
    pub fn pieces(&self) -> Vec<&str> {
        let mut pieces = Vec::with_capacity(2 * self.nodes.len() + 1);
        let mut done = 0;
        for (at, node) in &self.nodes {
            pieces.extend([&self.own[done..*at], node]);
            done = *at;
        }
        pieces.push(&self.own[done..]);
        pieces
    }

    /// For the next one.
    pub fn into_room(self) -> String {
        self.own
    }
}

/// A path as JSON.
pub fn quoted(path: &str) -> Box<str> {
    let mut text = String::with_capacity(path.len() + 2);
    quote(&mut text, path);
    text.into()
}

fn values(bundles: &[BundleLine<'_>]) -> Vec<Value> {
    bundles.iter().filter_map(BundleLine::value).collect()
}

/// The bundles in a folder's file, whichever of its forms it has.
pub fn read_folder_file(text: &str) -> Result<Vec<Value>, serde_json::Error> {
    let text = text.trim_start_matches('\u{feff}');
    if read_toon::is_list(text) {
        let read = read_toon::read_toon(text);
        let read = read.map_err(|line| serde_json::Error::custom(format!("line {line} is no TOON")))?;
        return Ok(read.as_array().cloned().unwrap_or_default());
    }
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

    fn bundle<'a>(
        nodes: Vec<&'a str>,
        missing: &'a [Arc<str>],
        cut: &'a [LeftOut],
        paths: QuotedPaths<'a>,
    ) -> BundleText<'a> {
        BundleText {
            entry_id: "src/a \"b\".ts",
            position: (1, 2),
            depth: 2,
            created_at: "2026-01-01T00:00:00Z",
            bundle_hash: "uifb:0",
            nodes,
            edges: &[(0, 1, EdgeKind::TypeOnly), (0, 2, EdgeKind::Static), (2, 0, EdgeKind::Dynamic)],
            missing,
            cut,
            paths,
        }
    }

    #[test]
    fn every_form_is_read_back() {
        let missing = ["{\"name\":\"x\"}".into(), "{\"name\":\"y\"}".into()];
        let cut = [(1, CutReason::MaxDepth, 0), (2, CutReason::TokenBudget, 1)];
        // One that is copied, one that is not.
        let large = "b".repeat(WORTH_SHARING);
        let large_node = format!("{{\"entryId\":\"{large}\"}}");
        let graph = Graph::from_edges(["a", "b \"c\"\\\u{1}", "d"].map(Arc::from).into(), Vec::new());
        let quoted = [const { OnceLock::new() }; 3];
        let paths = QuotedPaths { graph: &graph, quoted: &quoted };
        let texts = [
            bundle(vec!["{\"entryId\":\"a\"}", &large_node], &missing, &cut, paths),
            bundle(Vec::new(), &[], &[], paths),
        ]
        .map(BundleLine::New);
        let read = |format| {
            let text = FolderText::of(&texts, format, "old".to_owned());
            read_folder_file(&text.pieces().concat()).unwrap()
        };
        let plain = read(Format::Json);
        assert_eq!(plain.len(), 2);
        assert_eq!(plain[0]["entryId"], "src/a \"b\".ts");
        assert_eq!(plain[0]["graph"]["edges"], json!([["a", "b \"c\"\\\u{1}"], ["a", "d"], ["d", "a"]]));
        assert_eq!(plain[0]["graph"]["edgeKinds"], json!(["type-only", "static", "dynamic"]));
        assert_eq!(plain[0]["graph"]["nodes"], json!([{"entryId": "a"}, {"entryId": large}]));
        assert_eq!(plain[0]["meta"]["missing"], json!([{"name": "x"}, {"name": "y"}]));
        let cut = |path: &str, reason: &str, by: &str| json!({"entryId": path, "reason": reason, "referencedBy": by});
        let odd = "b \"c\"\\\u{1}";
        let both = [cut(odd, "max depth exceeded", "a"), cut("d", "token budget exceeded", odd)];
        assert_eq!(plain[0]["meta"]["cut"], json!(both));
        assert_eq!((&plain[1]["graph"]["nodes"], &plain[1]["meta"]["missing"]), (&json!([]), &json!([])));
        assert!(plain[1]["meta"].get("cut").is_none());
        for format in [Format::Pretty, Format::Ndjson, Format::Toon] {
            assert_eq!(read(format), plain, "{format:?}");
        }
        assert!(read_folder_file("[{\"cut").is_err());
        assert!(read_folder_file("").is_err());
    }
}
