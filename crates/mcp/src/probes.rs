//! Tools that exist in tests alone, to try what the adapter does with any tool.

use std::sync::Arc;

use becket_engine::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    call::Call,
    log_level::Level,
    route::{Route, route},
    tool::{Effect, Page, Tool},
    toolset::Toolset,
};

pub(crate) fn routes() -> [Arc<dyn Route>; 4] {
    [route::<Rows>(), route::<Write>(), route::<Panic>(), route::<Wait>()]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RowParams {
    row_count: usize,
    /// How long the text of each row is.
    row_length: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RowOutput {
    rows: Vec<Row>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Row {
    key: String,
    text: String,
}

/// A list of any size.
struct Rows;

impl Tool for Rows {
    const NAME: &'static str = "probe.rows";
    const TITLE: &'static str = "Rows";
    const DESCRIPTION: &'static str = "Gives rows.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Reads;
    const PAGE: Option<Page> = Some(Page {
        list: "rows",
        key: "key",
        order: crate::tool::Order::ByKey,
        default_limit: 10,
        most: 1_000,
    });
    type Params = RowParams;
    type Output = RowOutput;

    async fn run(_call: Call, params: RowParams) -> Result<RowOutput, Error> {
        let text = "x".repeat(params.row_length.unwrap_or(1));
        let row = |number| Row { key: format!("{number:06}"), text: text.clone() };
        Ok(RowOutput { rows: (0..params.row_count).map(row).collect() })
    }

    fn text(output: &RowOutput) -> String {
        format!("{} rows", output.rows.len())
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct NoParams {}

#[derive(Debug, Serialize, JsonSchema)]
struct Done {
    done: bool,
}

/// Changes something.
struct Write;

impl Tool for Write {
    const NAME: &'static str = "probe.write";
    const TITLE: &'static str = "Write";
    const DESCRIPTION: &'static str = "Writes.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Changes;
    type Params = NoParams;
    type Output = Done;

    async fn run(_call: Call, _params: NoParams) -> Result<Done, Error> {
        Ok(Done { done: true })
    }

    fn text(_output: &Done) -> String {
        "written".to_owned()
    }
}

/// Has a defect.
struct Panic;

impl Tool for Panic {
    const NAME: &'static str = "probe.panic";
    const TITLE: &'static str = "Panic";
    const DESCRIPTION: &'static str = "Panics.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Reads;
    type Params = NoParams;
    type Output = Done;

    async fn run(call: Call, _params: NoParams) -> Result<Done, Error> {
        call.log(Level::Error, json!("about to fail")).await;
        panic!("a defect")
    }

    fn text(_output: &Done) -> String {
        String::new()
    }
}

/// Reports progress and logs at every level, then waits until nobody wants the answer.
struct Wait;

impl Tool for Wait {
    const NAME: &'static str = "probe.wait";
    const TITLE: &'static str = "Wait";
    const DESCRIPTION: &'static str = "Waits.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Reads;
    type Params = NoParams;
    type Output = Done;

    async fn run(call: Call, _params: NoParams) -> Result<Done, Error> {
        for step in 1..=3_u8 {
            call.progress(f64::from(step), Some(3.0), "a step").await;
        }
        call.progress(1.0, Some(3.0), "a second matter").await;
        for (level, word) in [(Level::Debug, "debug"), (Level::Info, "info"), (Level::Warning, "warning")] {
            call.log(level, json!(word)).await;
        }
        call.cancelled().await;
        Ok(Done { done: false })
    }

    fn text(_output: &Done) -> String {
        "waited".to_owned()
    }
}
