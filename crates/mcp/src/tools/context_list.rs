//! `context.list`: every entry, with its title and state.

use becket_base::counted;
use becket_engine::{
    Error,
    remember::{Filter, ListRequest, Listed},
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

pub(super) struct ContextList;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// Only entries in this state: fresh, moved, changed, gone, unanchored, or stale for changed and gone.
    state: Option<String>,
    /// Only entries that explain something at or below this path.
    path: Option<String>,
    /// Only entries created since this day or moment (`2026-01-31`, `2026-01-31T12:00:00Z`).
    since: Option<String>,
    /// Only entries whose author's name contains this.
    author: Option<String>,
    /// How many entries to show at most: 1 to 10000, 500 if left out.
    #[schemars(range(min = 1, max = 10000))]
    limit: Option<usize>,
    /// The nextCursor of the answer before, to go on from there.
    cursor: Option<String>,
    /// The worktree whose `.context/` is meant: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for ContextList {
    const NAME: &'static str = "context.list";
    const TITLE: &'static str = "List reasons";
    const DESCRIPTION: &'static str =
        "List the entries in `.context/`, sorted by number, with title and state.";
    const TOOLSET: Toolset = Toolset::Remember;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = Listed;

    async fn run(call: Call, params: Params) -> Result<Listed, Error> {
        let filter =
            Filter { state: params.state, path: params.path, since: params.since, author: params.author };
        let request =
            ListRequest { filter, limit: params.limit, cursor: params.cursor, worktree: params.worktree };
        call.blocking(move |engine| engine.context_list(&request)).await
    }

    fn text(output: &Listed) -> String {
        let entries: Vec<Value> = output
            .entries
            .iter()
            .map(
                |row| json!({"ref": row.reference, "file": row.file, "title": row.title, "state": row.state}),
            )
            .collect();
        seed_text(&json!({"entries": entries}), || {
            let all = counted(output.total, "entry");
            format!("{} of {all}; the structured result has them.", output.entries.len())
        })
    }
}
