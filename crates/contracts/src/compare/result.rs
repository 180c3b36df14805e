//! The seed's `CompareResult`: the comparison folder by folder, with a delta of tokens.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Change, Comparison, DeclarationChange, Details, FileChange, Side, Verdict};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompareResult {
    /// `disk`, `snapshot`, the id of one, `git:<ref>` or a path.
    pub baseline: String,
    /// `pass`, `diff` or `error`.
    pub status: String,
    pub summary: CompareSummary,
    /// Folders with a difference, by path.
    pub folder_diffs: Vec<FolderDiff>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompareSummary {
    pub total_folders: usize,
    pub unchanged_folders: usize,
    pub changed_folders: usize,
    pub added_folders: usize,
    pub removed_folders: usize,
    pub token_delta: TokenDelta,
    /// Files with at least one change that breaks who uses them.
    pub breaking: usize,
    pub compatible: usize,
    pub internal: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TokenDelta {
    #[serde(rename = "gpt4oMini")]
    pub gpt4o_mini: i64,
    pub claude: i64,
}

/// What a file's contract costs on each side.
#[derive(Debug, Clone, Copy, Default)]
pub struct Costs {
    pub before: TokenDelta,
    pub after: TokenDelta,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderDiff {
    /// `.` for the root.
    pub path: String,
    /// `added`, `removed` or `changed`.
    pub status: String,
    pub changes: Vec<ComponentChange>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentChange {
    /// The file's name without its ending.
    pub root_component: String,
    /// `uif_contract_changed`, `props_signature_changed`, `bundle_added`, `bundle_removed` or `hash_changed`.
    #[serde(rename = "type")]
    pub kind: String,
    pub entry_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic_hash_before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic_hash_after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_delta: Option<i64>,
    pub verdict: Verdict,
    #[serde(default, skip_serializing_if = "Details::is_empty")]
    pub details: Details,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declarations: Vec<DeclarationChange>,
}

impl CompareResult {
    /// `tokens` tells what a file's contract costs.
    pub fn new(
        baseline: &str,
        (before, after): (&Side<'_>, &Side<'_>),
        comparison: Comparison,
        tokens: &dyn Fn(&str) -> Costs,
    ) -> Self {
        let (old, new) =
            (folders(before.contracts.keys().copied()), folders(after.contracts.keys().copied()));
        let mut summary = CompareSummary {
            breaking: comparison.count(Verdict::Breaking),
            compatible: comparison.count(Verdict::Compatible),
            internal: comparison.count(Verdict::Internal),
            ..CompareSummary::default()
        };
        let mut changes: BTreeMap<String, Vec<ComponentChange>> = BTreeMap::new();
        for file in comparison.files {
            let was = file.moved_from.as_deref().unwrap_or(&file.entry_id);
            let before = tokens(was).before;
            let after = if file.change == Change::Removed {
                TokenDelta::default()
            } else {
                tokens(&file.entry_id).after
            };
            let before = if file.change == Change::Added { TokenDelta::default() } else { before };
            let delta = TokenDelta {
                gpt4o_mini: after.gpt4o_mini - before.gpt4o_mini,
                claude: after.claude - before.claude,
            };
            summary.token_delta.gpt4o_mini += delta.gpt4o_mini;
            summary.token_delta.claude += delta.claude;
            changes.entry(folder_of(&file.entry_id).to_owned()).or_default().push(component(file, delta));
        }
        // One whose files all went elsewhere has no change of its own, and is gone all the same.
        for folder in old.difference(&new) {
            changes.entry((*folder).to_owned()).or_default();
        }
        summary.total_folders = old.union(&new).count();
        summary.added_folders = new.difference(&old).count();
        summary.removed_folders = old.difference(&new).count();
        let folder_diffs: Vec<FolderDiff> = changes
            .into_iter()
            .map(|(folder, changes)| {
                let status = match (old.contains(&*folder), new.contains(&*folder)) {
                    (false, true) => "added",
                    (true, false) => "removed",
                    _ => "changed",
                };
                let path = if folder.is_empty() { ".".to_owned() } else { folder };
                FolderDiff { path, status: status.to_owned(), changes }
            })
            .collect();
        summary.changed_folders = folder_diffs.iter().filter(|folder| folder.status == "changed").count();
        summary.unchanged_folders =
            summary.total_folders - summary.changed_folders - summary.added_folders - summary.removed_folders;
        let status = if folder_diffs.is_empty() { "pass" } else { "diff" };
        Self { baseline: baseline.to_owned(), status: status.to_owned(), summary, folder_diffs, error: None }
    }
}

fn component(file: FileChange, delta: TokenDelta) -> ComponentChange {
    let details = &file.details;
    let signature = !details.added_props.is_empty()
        || !details.removed_props.is_empty()
        || !details.modified_props.is_empty()
        || !details.modified_exports.is_empty();
    let kind = match file.change {
        Change::Added => "bundle_added",
        Change::Removed => "bundle_removed",
        Change::Changed | Change::Moved if signature => "props_signature_changed",
        Change::Changed | Change::Moved if !details.is_empty() => "uif_contract_changed",
        Change::Changed | Change::Moved => "hash_changed",
    };
    let name = file.entry_id.rsplit('/').next().unwrap_or(&file.entry_id);
    ComponentChange {
        root_component: component_name(name).to_owned(),
        kind: kind.to_owned(),
        moved_from: file.moved_from,
        semantic_hash_before: file.semantic_hash_before,
        semantic_hash_after: file.semantic_hash_after,
        token_delta: Some(delta.gpt4o_mini),
        verdict: file.verdict,
        details: file.details,
        declarations: file.declarations,
        entry_id: file.entry_id,
    }
}

/// `clean` for `clean.ts`, `types` for `types.d.ts`.
pub fn component_name(file_name: &str) -> &str {
    let stem = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
    stem.strip_suffix(".d").unwrap_or(stem)
}

/// What `totalFolders` counts, wherever it is said: the folders of all files that are analysed, with bundles or without.
pub fn folders<'e>(entries: impl Iterator<Item = &'e str>) -> BTreeSet<&'e str> {
    entries.map(folder_of).collect()
}

pub(super) fn folder_of(entry: &str) -> &str {
    entry.rsplit_once('/').map_or("", |(folder, _)| folder)
}
