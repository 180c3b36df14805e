//! `context.search`: reasons for a question, best first.

use becket_base::counted;
use becket_engine::{
    Error,
    remember::{Filter, SearchRequest, SearchResults},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    call::Call,
    seed_text::seed_text,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct ContextSearch;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// Words, an identifier or a phrase. Every entry that contains it literally is found, and ranked first.
    query: String,
    /// Only entries in this state: fresh, moved, changed, gone, unanchored, or stale for changed and gone.
    state: Option<String>,
    /// Only entries that explain something at or below this path.
    path: Option<String>,
    /// Only entries created since this day or moment (`2026-01-31`, `2026-01-31T12:00:00Z`).
    since: Option<String>,
    /// Only entries whose author's name contains this.
    author: Option<String>,
    /// How many results to show at most: 1 to 1000, 50 if left out.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// The nextCursor of the answer before, to go on from there.
    cursor: Option<String>,
    /// The worktree whose `.context/` is meant: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for ContextSearch {
    const NAME: &'static str = "context.search";
    const TITLE: &'static str = "Search reasons";
    const DESCRIPTION: &'static str = "Search entries by words, also words inside identifiers: literal matches first, then \
        by relevance, each with the line that matches and its state.";
    const TOOLSET: Toolset = Toolset::Remember;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = SearchResults;

    async fn run(call: Call, params: Params) -> Result<SearchResults, Error> {
        let filter =
            Filter { state: params.state, path: params.path, since: params.since, author: params.author };
        let request = SearchRequest {
            query: params.query,
            filter,
            limit: params.limit,
            cursor: params.cursor,
            worktree: params.worktree,
        };
        call.blocking(move |engine| engine.context_search(&request)).await
    }

    fn text(output: &SearchResults) -> String {
        let results: Vec<Value> = output
            .results
            .iter()
            .map(|one| {
                json!({"ref": one.reference, "file": one.file, "snippet": one.snippet, "title": one.title, "state": one.state})
            })
            .collect();
        seed_text(&json!({"results": results}), || {
            let all = counted(output.total, "result");
            format!("{} of {all}; the structured result has them.", output.results.len())
        })
    }
}
