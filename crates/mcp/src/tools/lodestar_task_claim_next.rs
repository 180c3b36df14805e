//! `lodestar.task.claim_next`: claim the next task.

use becket_engine::{
    Error,
    coordinate::{Answer, NextClaim, TaskClaimNext},
};

use crate::{
    call::Call,
    coordinate_text::lines,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskClaimNext;

impl Tool for LodestarTaskClaimNext {
    const NAME: &'static str = "lodestar.task.claim_next";
    const TITLE: &'static str = "Claim the next task";
    const DESCRIPTION: &'static str =
        "Find the best free task and claim it in one step, so that no two agents get the same one.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Changes;

    type Params = TaskClaimNext;
    type Output = Answer<NextClaim>;

    async fn run(call: Call, params: TaskClaimNext) -> Result<Answer<NextClaim>, Error> {
        call.blocking(move |engine| engine.task_claim_next(&params)).await
    }

    fn text(output: &Answer<NextClaim>) -> String {
        match (&output.answer.task, &output.answer.lease) {
            (Some(task), Some(lease)) => format!(
                "{} {} is yours until {}. {}{}{}",
                task.id,
                task.title,
                lease.expires_at,
                output.answer.rationale,
                lines(&output.answer.warnings),
                output.notice()
            ),
            _ => format!("{}{}", output.answer.rationale, output.notice()),
        }
    }
}
