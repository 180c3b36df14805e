//! Entries for a question, best first, page by page.

use becket_base::{counted, verb};
use becket_memory::{
    ContentHash,
    search::{Hit, HitKind},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    list::Unreadable,
    meaning::{Among, Asked},
    page::{Window, invalid_cursor},
    place::Scope,
    view::{Filter, Freshness},
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    pub query: String,
    pub filter: Filter,
    pub limit: Option<usize>,
    pub cursor: Option<String>,
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchResults {
    pub results: Vec<SearchResult>,
    /// Entries that match, before filters.
    pub total: usize,
    /// What the reader should know; absent when all is well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Files with the name of an entry that could not be searched.
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
pub struct SearchResult {
    #[serde(rename = "ref")]
    pub reference: String,
    pub file: String,
    /// The line that matches, at most 240 characters of it.
    pub snippet: String,
    pub title: String,
    pub state: Freshness,
    #[serde(rename = "match")]
    pub kind: Match,
    /// The end of the chain of entries that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// The query stands in the text.
    Literal,
    /// Words of it do, or words inside identifiers.
    Words,
    /// It means nearly the same, by the embeddings that the user has turned on.
    Meaning,
}

const DEFAULT_LIMIT: usize = 50;
const MOST_ROWS: usize = 1_000;
const LONGEST_QUERY: usize = 4_000;

impl Engine {
    pub fn context_search(&self, request: &SearchRequest) -> Result<SearchResults, Error> {
        let window = Window::new(request.limit, DEFAULT_LIMIT, MOST_ROWS, self.max_output_bytes())?;
        if request.query.chars().count() > LONGEST_QUERY {
            return Err(Error::invalid(
                "invalid_arguments",
                format!("A query has at most {LONGEST_QUERY} characters."),
            )
            .with_hint("Search for the few words that the entry would use."));
        }
        let wanted = request.filter.understood()?;
        let digest = ContentHash::of(request.query.as_bytes()).as_str()[..8].to_owned();
        let start = request.cursor.as_deref().map(|cursor| offset(cursor, &digest)).transpose()?.unwrap_or(0);
        let worktree = request.worktree.as_deref();
        let Asked { meaning, warnings } = self.meaning(&request.query, Among::Everything, worktree);
        self.at_desk(worktree, |desk| {
            desk.read_entries()?;
            desk.read_references();
            let referrers = desk.referrers();
            let corpus = &desk.view.corpus;
            let hits: Vec<Hit> = match &meaning {
                None => corpus.search(&request.query),
                Some(meaning) => {
                    corpus.search_with_meaning(&request.query, |document| meaning.likeness(document))
                }
            };
            let mut looked_at = start;
            let rest = hits.iter().enumerate().skip(start);
            let (results, all) = window.fill(rest, |(place, hit)| {
                let Some(row) = desk.row(&hit.document, &wanted, &referrers) else { return Ok(None) };
                looked_at = place;
                Ok(Some(SearchResult {
                    reference: row.reference,
                    file: row.file,
                    snippet: hit.document.snippet(&request.query),
                    title: row.title,
                    state: row.state,
                    kind: match hit.kind {
                        HitKind::Literal => Match::Literal,
                        HitKind::Words => Match::Words,
                        HitKind::Meaning => Match::Meaning,
                    },
                    superseded_by: row.superseded_by,
                }))
            })?;
            desk.store_origins();
            // The row that did not fit is where the next page begins.
            let next_cursor = (!all).then(|| format!("{digest}-{looked_at}"));
            let cut = next_cursor.as_ref().map(|_| {
                format!(
                    "{} shown from {} on, of {} that match; call again with `cursor` set to nextCursor for the rest.",
                    counted(results.len(), "result") + verb(results.len(), " is", " are"),
                    start + 1,
                    hits.len()
                )
            });
            Ok(SearchResults {
                results,
                total: hits.len(),
                warnings,
                unreadable: desk.unreadable(),
                next_cursor,
                cut,
                scope: desk.place.scope(),
            })
        })
    }
}

/// A cursor belongs to its query.
fn offset(cursor: &str, digest: &str) -> Result<usize, Error> {
    let offset =
        cursor.strip_prefix(digest).and_then(|rest| rest.strip_prefix('-')).ok_or_else(invalid_cursor)?;
    offset.parse().map_err(|_| invalid_cursor())
}
