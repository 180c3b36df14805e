//! `lodestar.task.complete`: complete a task.

use becket_engine::{
    Error,
    coordinate::{Answer, TaskFinish, Verified},
};

use crate::{
    call::Call,
    coordinate_text::verified,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskComplete;

impl Tool for LodestarTaskComplete {
    const NAME: &'static str = "lodestar.task.complete";
    const TITLE: &'static str = "Complete a task";
    const DESCRIPTION: &'static str = "Mark a task done and verified in one step.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Settles;

    type Params = TaskFinish;
    type Output = Answer<Verified>;

    async fn run(call: Call, params: TaskFinish) -> Result<Answer<Verified>, Error> {
        call.blocking(move |engine| engine.task_complete(&params)).await
    }

    fn text(output: &Answer<Verified>) -> String {
        verified(output)
    }
}
