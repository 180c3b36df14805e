//! `lodestar.task.renew`: renew a lease.

use becket_engine::{
    Error,
    coordinate::{Answer, Renewed, TaskRenew},
};

use crate::{
    call::Call,
    coordinate_text::lines,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskRenew;

impl Tool for LodestarTaskRenew {
    const NAME: &'static str = "lodestar.task.renew";
    const TITLE: &'static str = "Renew a lease";
    const DESCRIPTION: &'static str = "Let your lease of a task last longer.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Settles;

    type Params = TaskRenew;
    type Output = Answer<Renewed>;

    async fn run(call: Call, params: TaskRenew) -> Result<Answer<Renewed>, Error> {
        call.blocking(move |engine| engine.task_renew(&params)).await
    }

    fn text(output: &Answer<Renewed>) -> String {
        format!(
            "{} is yours until {}.{}{}",
            output.answer.lease.task_id,
            output.answer.lease.expires_at,
            lines(&output.answer.warnings),
            output.notice()
        )
    }
}
