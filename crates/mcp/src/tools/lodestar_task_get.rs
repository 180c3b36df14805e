//! `lodestar.task.get`: show a task.

use becket_engine::{
    Error,
    coordinate::{Answer, TaskAnswer, TaskGet},
};

use crate::{
    call::Call,
    coordinate_text::lines,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskGet;

impl Tool for LodestarTaskGet {
    const NAME: &'static str = "lodestar.task.get";
    const TITLE: &'static str = "Show a task";
    const DESCRIPTION: &'static str =
        "Show one task: definition, dependencies, status, lease and what is wrong with it.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Reads;

    type Params = TaskGet;
    type Output = Answer<TaskAnswer>;

    async fn run(call: Call, params: TaskGet) -> Result<Answer<TaskAnswer>, Error> {
        call.blocking(move |engine| engine.task_get(&params)).await
    }

    fn text(output: &Answer<TaskAnswer>) -> String {
        let found = &output.answer;
        format!(
            "{} {} [{}]{}{}",
            found.task.id,
            found.task.title,
            found.runtime.status,
            lines(&found.warnings),
            output.notice()
        )
    }
}
