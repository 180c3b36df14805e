//! `lodestar.task.done`: mark a task done.

use becket_engine::{
    Error,
    coordinate::{Answer, Finished, TaskFinish},
};

use crate::{
    call::Call,
    coordinate_text::lines,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskDone;

impl Tool for LodestarTaskDone {
    const NAME: &'static str = "lodestar.task.done";
    const TITLE: &'static str = "Mark a task done";
    const DESCRIPTION: &'static str = "Mark a task as done, pending verification; ends your lease.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Settles;

    type Params = TaskFinish;
    type Output = Answer<Finished>;

    async fn run(call: Call, params: TaskFinish) -> Result<Answer<Finished>, Error> {
        call.blocking(move |engine| engine.task_done(&params)).await
    }

    fn text(output: &Answer<Finished>) -> String {
        format!(
            "{} is {}. Next: {}{}{}",
            output.answer.task_id,
            output.answer.status,
            output.answer.next_step,
            lines(&output.answer.warnings),
            output.notice()
        )
    }
}
