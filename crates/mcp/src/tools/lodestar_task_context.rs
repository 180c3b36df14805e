//! `lodestar.task.context`: what a task is about.

use becket_engine::{
    Error,
    coordinate::{Answer, ContextAnswer, TaskContext},
};

use crate::{
    call::Call,
    coordinate_text::lines,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskContext;

impl Tool for LodestarTaskContext {
    const NAME: &'static str = "lodestar.task.context";
    const TITLE: &'static str = "What a task is about";
    const DESCRIPTION: &'static str = "Give the requirements behind a task: excerpt and live sections of the PRD within a budget, and whether they changed.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Reads;

    type Params = TaskContext;
    type Output = Answer<ContextAnswer>;

    async fn run(call: Call, params: TaskContext) -> Result<Answer<ContextAnswer>, Error> {
        call.blocking(move |engine| engine.task_context(&params)).await
    }

    fn text(output: &Answer<ContextAnswer>) -> String {
        let found = &output.answer;
        let (warnings, notice) = (lines(&found.warnings), output.notice());
        format!("{} {}{warnings}\n{}{notice}", found.task_id, found.title, found.content)
    }
}
