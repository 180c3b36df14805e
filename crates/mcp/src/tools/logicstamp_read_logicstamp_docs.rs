//! `logicstamp_read_logicstamp_docs`: how all this works, for an agent.

use becket_engine::{
    Error,
    understand::{Documents, DocumentsRequest},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LogicstampReadLogicstampDocs;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// The nextCursor of the answer before; only where an answer has no room for all of them.
    cursor: Option<String>,
}

impl Tool for LogicstampReadLogicstampDocs {
    const NAME: &'static str = "logicstamp_read_logicstamp_docs";
    const TITLE: &'static str = "How contracts work";
    const DESCRIPTION: &'static str = "Read the documents about contracts, bundles, comparison and their limits. Call it when \
        unsure how to use the logicstamp tools.";
    const TOOLSET: Toolset = Toolset::Understand;
    const EFFECT: Effect = Effect::Reads;

    type Params = Params;
    type Output = Documents;

    async fn run(call: Call, params: Params) -> Result<Documents, Error> {
        let request = DocumentsRequest { cursor: params.cursor };
        call.blocking(move |engine| engine.logicstamp_documents(&request)).await
    }

    fn text(output: &Documents) -> String {
        output.for_llms.clone().unwrap_or_else(|| output.text())
    }
}
