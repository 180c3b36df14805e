//! `lodestar.task.verify`: verify a task.

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

pub(super) struct LodestarTaskVerify;

impl Tool for LodestarTaskVerify {
    const NAME: &'static str = "lodestar.task.verify";
    const TITLE: &'static str = "Verify a task";
    const DESCRIPTION: &'static str =
        "Confirm that a done task meets its acceptance criteria, which frees the tasks that depend on it.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Settles;

    type Params = TaskFinish;
    type Output = Answer<Verified>;

    async fn run(call: Call, params: TaskFinish) -> Result<Answer<Verified>, Error> {
        call.blocking(move |engine| engine.task_verify(&params)).await
    }

    fn text(output: &Answer<Verified>) -> String {
        verified(output)
    }
}
