//! `logicstamp_get_last_compare_result`: the last comparison again.

use becket_engine::{
    Error,
    understand::{Compared, LastCompareRequest},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LogicstampGetLastCompareResult;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// Only a result of this moment or later (`2026-01-31T12:00:00Z`).
    since: Option<String>,
    /// The nextCursor of the answer before.
    cursor: Option<String>,
}

impl Tool for LogicstampGetLastCompareResult {
    const NAME: &'static str = "logicstamp_get_last_compare_result";
    const TITLE: &'static str = "The last comparison";
    const DESCRIPTION: &'static str =
        "Get the last result of logicstamp_compare_snapshot on this connection without comparing again.";
    const TOOLSET: Toolset = Toolset::Understand;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = Compared;

    async fn run(call: Call, params: Params) -> Result<Compared, Error> {
        let request =
            LastCompareRequest { since: params.since, cursor: params.cursor, connection: call.connection() };
        call.blocking(move |engine| engine.last_compare_result(&request)).await
    }

    fn text(output: &Compared) -> String {
        output.to_string()
    }
}
