//! `lodestar.task.update`: change a task.

use becket_engine::{
    Error,
    coordinate::{Answer, ChangedTask, TaskUpdate},
};

use crate::{
    call::Call,
    coordinate_text::changed,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskUpdate;

impl Tool for LodestarTaskUpdate {
    const NAME: &'static str = "lodestar.task.update";
    const TITLE: &'static str = "Change a task";
    const DESCRIPTION: &'static str =
        "Change fields of a task in spec.yaml, its labels, or its status along a legal move.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Settles;

    type Params = TaskUpdate;
    type Output = Answer<ChangedTask>;

    async fn run(call: Call, params: TaskUpdate) -> Result<Answer<ChangedTask>, Error> {
        call.blocking(move |engine| engine.task_update(&params)).await
    }

    fn text(output: &Answer<ChangedTask>) -> String {
        changed("Updated", output)
    }
}
