//! All entries, in the order of their numbers, page by page.

use std::sync::Arc;

use becket_base::RepoPath;
use becket_memory::{anchor::Anchor, search::Document};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    desk::Desk,
    freshness::Referrers,
    page::{Window, invalid_cursor},
    place::Scope,
    view::{Filter, Freshness, Wanted},
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct ListRequest {
    pub filter: Filter,
    pub limit: Option<usize>,
    pub cursor: Option<String>,
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    pub entries: Vec<EntryRow>,
    /// Entries in the folder, before filters.
    pub total: usize,
    /// Files with the name of an entry that cannot be read as one.
    pub unreadable: Vec<Unreadable>,
    /// Where the rest begins; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What was left out, and how to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    pub scope: Scope,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntryRow {
    #[serde(rename = "ref")]
    pub reference: String,
    pub file: String,
    pub title: String,
    pub state: Freshness,
    /// The end of the chain of entries that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unreadable {
    pub file: String,
    pub reason: String,
}

const DEFAULT_LIMIT: usize = 500;
const MOST_ROWS: usize = 10_000;
const MOST_UNREADABLE: usize = 50;

impl Engine {
    pub fn context_list(&self, request: &ListRequest) -> Result<Listed, Error> {
        let window = Window::new(request.limit, DEFAULT_LIMIT, MOST_ROWS, self.max_output_bytes())?;
        let wanted = request.filter.understood()?;
        let after = request.cursor.as_deref().map(after).transpose()?;
        self.at_desk(request.worktree.as_deref(), |desk| {
            desk.read_entries()?;
            desk.read_references();
            let referrers = desk.referrers();
            let documents: Vec<Arc<Document>> = desk.documents().to_vec();
            let rest = documents.iter().filter(|document| {
                after
                    .as_ref()
                    .is_none_or(|(number, file)| (document.number, &document.file) > (*number, file))
            });
            let (entries, all) = window.fill(rest, |document| Ok(desk.row(document, &wanted, &referrers)))?;
            desk.store_origins();
            let last = entries.last().and_then(|row| documents.iter().find(|one| one.file == row.file));
            let next_cursor =
                last.filter(|_| !all).map(|last| format!("after:{}:{}", last.number, last.file));
            let cut = next_cursor.as_ref().map(|_| {
                format!(
                    "{} of {} entries are shown; call again with `cursor` set to nextCursor for the rest.",
                    entries.len(),
                    documents.len()
                )
            });
            Ok(Listed {
                total: documents.len(),
                unreadable: desk.unreadable(),
                entries,
                next_cursor,
                cut,
                scope: desk.place.scope(),
            })
        })
    }
}

fn after(cursor: &str) -> Result<(u64, String), Error> {
    let (number, file) =
        cursor.strip_prefix("after:").and_then(|rest| rest.split_once(':')).ok_or_else(invalid_cursor)?;
    Ok((number.parse().map_err(|_| invalid_cursor())?, file.to_owned()))
}

impl Desk<'_> {
    pub(super) fn unreadable(&self) -> Vec<Unreadable> {
        let skipped = self.view.corpus.skipped().iter().take(MOST_UNREADABLE);
        skipped.map(|one| Unreadable { file: one.listed.file.clone(), reason: one.reason.clone() }).collect()
    }

    /// The row of an entry, unless a filter leaves it out. The state is computed last, because it costs most.
    pub(super) fn row(
        &mut self,
        document: &Document,
        wanted: &Wanted,
        referrers: &Referrers,
    ) -> Option<EntryRow> {
        let created = self.creation(document.number, &document.hash);
        let at = created.map(|event| event.at);
        let author = document.front.author.clone().or_else(|| created.and_then(|event| event.author.clone()));
        let (at, author) = match (at, author) {
            (Some(at), author) => (Some(at.to_string()), author),
            (None, author) => {
                let commit = self.introduction(document);
                let by = author.or_else(|| commit.as_ref().map(|view| view.author.clone()));
                (commit.map(|view| view.at), by)
            }
        };
        let since = |since: &becket_base::Timestamp| {
            at.as_deref()
                .and_then(|at| at.parse::<becket_base::Timestamp>().ok())
                .is_some_and(|at| at >= *since)
        };
        let by = |name: &String| author.as_ref().is_some_and(|author| author.to_lowercase().contains(name));
        let left_out = wanted.since.as_ref().is_some_and(|moment| !since(moment))
            || wanted.author.as_ref().is_some_and(|name| !by(name))
            || wanted.path.as_ref().is_some_and(|path| !explains(document, path, referrers));
        if left_out {
            return None;
        }
        let state = self.judge(document, referrers).state();
        if wanted.states.as_ref().is_some_and(|states| !states.contains(&state)) {
            return None;
        }
        Some(EntryRow {
            reference: document.reference.clone(),
            file: document.file.clone(),
            title: document.title.clone(),
            state,
            superseded_by: self.successor(document).map(|successor| successor.reference),
            author,
            created: at,
        })
    }
}

/// Whether an entry cites or is referred to from a path or something below it.
fn explains(document: &Document, path: &RepoPath, referrers: &Referrers) -> bool {
    let referred =
        referrers.get(&document.number).is_some_and(|all| all.iter().any(|(file, _)| file.starts_with(path)));
    referred
        || document.front.anchors.iter().any(|cited| {
            let whole = RepoPath::parse(cited).is_ok_and(|file| file.starts_with(path));
            whole || Anchor::parse(cited, |_| false).is_ok_and(|anchor| anchor.path.starts_with(path))
        })
}
