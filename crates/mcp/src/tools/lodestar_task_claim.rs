//! `lodestar.task.claim`: claim a task.

use becket_engine::{
    Error,
    coordinate::{Answer, ClaimedTask, TaskClaim},
};

use crate::{
    call::Call,
    coordinate_text::claimed,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskClaim;

impl Tool for LodestarTaskClaim {
    const NAME: &'static str = "lodestar.task.claim";
    const TITLE: &'static str = "Claim a task";
    const DESCRIPTION: &'static str = "Take the lease of a task, or renew your own; if another agent holds it, ok is false and conflict says who and until when.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Settles;

    type Params = TaskClaim;
    type Output = Answer<ClaimedTask>;

    async fn run(call: Call, params: TaskClaim) -> Result<Answer<ClaimedTask>, Error> {
        call.blocking(move |engine| engine.task_claim(&params)).await
    }

    fn text(output: &Answer<ClaimedTask>) -> String {
        claimed(output)
    }
}
