//! `lodestar.repo.status`: where the work stands.

use becket_base::counted;
use becket_engine::{
    Error,
    coordinate::{BoardStatus, BoardStatusRequest},
};

use crate::{
    call::Call,
    coordinate_text::lines,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarRepoStatus;

impl Tool for LodestarRepoStatus {
    const NAME: &'static str = "lodestar.repo.status";
    const TITLE: &'static str = "Where the work stands";
    const DESCRIPTION: &'static str =
        "Count tasks by status, live leases, agents online and unread messages, and say what to call next.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Reads;

    type Params = BoardStatusRequest;
    type Output = BoardStatus;

    async fn run(call: Call, params: BoardStatusRequest) -> Result<BoardStatus, Error> {
        call.blocking(move |engine| engine.lodestar_status(&params)).await
    }

    fn text(output: &BoardStatus) -> String {
        format!(
            "{}: {}, {} claimable, {}, {} online, {} unread.{}",
            output.project,
            counted(output.counts.tasks.total, "task"),
            output.counts.tasks.claimable,
            counted(output.counts.active_leases, "lease"),
            counted(output.counts.agents_online, "agent"),
            output.counts.unread_messages,
            lines(&output.warnings)
        )
    }
}
