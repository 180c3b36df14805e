//! `lodestar.task.release`: release a task.

use becket_engine::{
    Error,
    coordinate::{Answer, Released, TaskRelease},
};

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskRelease;

impl Tool for LodestarTaskRelease {
    const NAME: &'static str = "lodestar.task.release";
    const TITLE: &'static str = "Release a task";
    const DESCRIPTION: &'static str = "Give a claimed task back before its lease ends.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Settles;

    type Params = TaskRelease;
    type Output = Answer<Released>;

    async fn run(call: Call, params: TaskRelease) -> Result<Answer<Released>, Error> {
        call.blocking(move |engine| engine.task_release(&params)).await
    }

    fn text(output: &Answer<Released>) -> String {
        format!("{} is free again.{}", output.answer.previous_lease.task_id, output.notice())
    }
}
