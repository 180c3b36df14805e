//! `lodestar.task.next`: what to do next.

use becket_engine::{
    Error,
    coordinate::{Answer, Candidates, TaskNext},
};

use crate::{
    call::Call,
    coordinate_text::{lines, rows},
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskNext;

impl Tool for LodestarTaskNext {
    const NAME: &'static str = "lodestar.task.next";
    const TITLE: &'static str = "What to do next";
    const DESCRIPTION: &'static str = "Name tasks that can be claimed now, best first.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Reads;

    type Params = TaskNext;
    type Output = Answer<Candidates>;

    async fn run(call: Call, params: TaskNext) -> Result<Answer<Candidates>, Error> {
        call.blocking(move |engine| engine.task_next(&params)).await
    }

    fn text(output: &Answer<Candidates>) -> String {
        format!(
            "{}{}{}{}",
            rows(&output.answer.candidates, output.answer.total_claimable),
            lines(std::slice::from_ref(&output.answer.rationale)),
            lines(&output.answer.warnings),
            output.notice()
        )
    }
}
