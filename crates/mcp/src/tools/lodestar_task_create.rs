//! `lodestar.task.create`: create a task.

use becket_engine::{
    Error,
    coordinate::{Answer, ChangedTask, TaskCreate},
};

use crate::{
    call::Call,
    coordinate_text::changed,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskCreate;

impl Tool for LodestarTaskCreate {
    const NAME: &'static str = "lodestar.task.create";
    const TITLE: &'static str = "Create a task";
    const DESCRIPTION: &'static str = "Add a task to spec.yaml; unknown dependencies and cycles are refused.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Adds;

    type Params = TaskCreate;
    type Output = Answer<ChangedTask>;

    async fn run(call: Call, params: TaskCreate) -> Result<Answer<ChangedTask>, Error> {
        call.blocking(move |engine| engine.task_create(&params)).await
    }

    fn text(output: &Answer<ChangedTask>) -> String {
        changed("Created", output)
    }
}
