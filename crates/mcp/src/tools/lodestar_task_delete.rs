//! `lodestar.task.delete`: delete a task.

use becket_engine::{
    Error,
    coordinate::{Answer, DeletedTasks, TaskDelete},
};

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskDelete;

impl Tool for LodestarTaskDelete {
    const NAME: &'static str = "lodestar.task.delete";
    const TITLE: &'static str = "Delete a task";
    const DESCRIPTION: &'static str =
        "Mark a task as deleted; refused while others depend on it, unless cascade is set.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Settles;

    type Params = TaskDelete;
    type Output = Answer<DeletedTasks>;

    async fn run(call: Call, params: TaskDelete) -> Result<Answer<DeletedTasks>, Error> {
        call.blocking(move |engine| engine.task_delete(&params)).await
    }

    fn text(output: &Answer<DeletedTasks>) -> String {
        format!("Deleted {}.{}", output.answer.deleted_task_ids.join(", "), output.notice())
    }
}
