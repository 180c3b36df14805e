//! `undo`: the last operation is taken back.

use becket_engine::{Error, commit::UndoneOperation};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct CommitUndo;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// The operation that is meant, to be sure; the last one if left out.
    operation: Option<u64>,
    /// The worktree to speak of: its path, its folder's name or its branch.
    worktree: Option<String>,
}

impl Tool for CommitUndo {
    const NAME: &'static str = "undo";
    const TITLE: &'static str = "Undo the last applied commits";
    const DESCRIPTION: &'static str = "Take back the last apply_commit or apply_all: branch and index are exactly what they were, files are not touched. Refused when the branch or the index moved since.";
    const TOOLSET: Toolset = Toolset::Commit;
    const EFFECT: Effect = Effect::Changes;

    type Params = Params;
    type Output = UndoneOperation;

    async fn run(call: Call, params: Params) -> Result<UndoneOperation, Error> {
        call.blocking(move |engine| engine.undo(params.operation, params.worktree.as_deref())).await
    }

    fn text(output: &UndoneOperation) -> String {
        output.to_string()
    }
}
