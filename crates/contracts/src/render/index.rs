//! `context_main.json`: the index over all folders.

use std::sync::Arc;

use becket_base::divided;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::bundle::{BundleOptions, Missing};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// Always `LogicStampIndex`.
    #[serde(rename = "type")]
    pub type_name: String,
    pub schema_version: String,
    /// Always `.`: no path of a machine.
    pub project_root: String,
    pub created_at: String,
    pub summary: IndexSummary,
    /// By path.
    #[serde(serialize_with = "each_shared", deserialize_with = "each_own")]
    pub folders: Vec<Arc<FolderEntry>>,
    pub meta: IndexMeta,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexMeta {
    pub source: String,
    /// Nodes per bundle, where they are not as many as usual: which bundles there are hangs on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_nodes: Option<usize>,
    /// Tokens per bundle, where there was a budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_tokens: Option<usize>,
}

impl IndexMeta {
    /// How much went into a bundle; how deep stands in each.
    pub fn limits(&self, depth: usize) -> BundleOptions {
        let max_nodes = self.max_nodes.unwrap_or(BundleOptions::default().max_nodes);
        BundleOptions { depth, max_nodes, token_budget: self.max_tokens }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IndexSummary {
    /// Files.
    pub total_components: usize,
    pub total_bundles: usize,
    pub total_folders: usize,
    pub total_token_estimate: usize,
    #[serde(default)]
    pub token_estimates: TokenEstimates,
    /// What somebody should look at: declared packages are not among them.
    #[serde(default)]
    pub missing_dependencies: Vec<Missing>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TokenEstimates {
    #[serde(rename = "gpt4oMini")]
    pub gpt4o_mini: usize,
    #[serde(rename = "gpt4oMiniFullCode")]
    pub gpt4o_mini_full_code: usize,
    pub claude: usize,
    #[serde(rename = "claudeFullCode")]
    pub claude_full_code: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderEntry {
    /// `.` for the root.
    pub path: String,
    pub context_file: String,
    pub bundles: usize,
    /// File names of the bundles' roots.
    pub components: Vec<String>,
    pub is_root: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_label: Option<String>,
    pub token_estimate: usize,
}

impl Index {
    pub fn new(
        created_at: String,
        summary: IndexSummary,
        folders: Vec<Arc<FolderEntry>>,
        limits: BundleOptions,
    ) -> Self {
        let usual = BundleOptions::default().max_nodes;
        let max_nodes = Some(limits.max_nodes).filter(|most| *most != usual);
        Self {
            type_name: "LogicStampIndex".to_owned(),
            schema_version: "0.2".to_owned(),
            project_root: ".".to_owned(),
            created_at,
            summary,
            folders,
            meta: IndexMeta { source: super::source(), max_nodes, max_tokens: limits.token_budget },
        }
    }

    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The text of an index without a time, with one.
    pub fn dated(json: &str, created_at: &str) -> String {
        let quoted = serde_json::to_string(created_at).unwrap_or_default();
        // What stands before it is the same in every index.
        json.replacen("\"createdAt\": \"\"", &format!("\"createdAt\": {quoted}"), 1)
    }
}

fn each_shared<S: Serializer>(folders: &[Arc<FolderEntry>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(folders.iter().map(|folder| &**folder))
}

fn each_own<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Arc<FolderEntry>>, D::Error> {
    Ok(Vec::<FolderEntry>::deserialize(deserializer)?.into_iter().map(Arc::new).collect())
}

/// What a folder is to its project, where its path tells; decided inside the repository alone.
pub fn root_label(path: &str, components: &[String]) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let routes = components.iter().any(|name| {
        let stem = divided::before_first(name, b'.');
        matches!(stem, "page" | "layout")
    });
    match parts.as_slice() {
        ["."] => Some("Project Root".to_owned()),
        ["src"] => Some("Main Source".to_owned()),
        ["examples", name, "src"] => Some(format!("Example: {name}")),
        ["tests", "fixtures", name, "src"] => Some(format!("Test Fixture: {name}")),
        _ if parts.contains(&"app") && routes && parts.last() == Some(&"app") => {
            Some("Next.js App".to_owned())
        }
        ["apps", name] | ["apps", name, "src"] => Some(format!("App: {name}")),
        _ => None,
    }
}
