//! `lodestar.task.list`: list tasks.

use becket_engine::{
    Error,
    coordinate::{TaskList, Tasks},
};

use crate::{
    call::Call,
    coordinate_text::{lines, rows},
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskList;

impl Tool for LodestarTaskList {
    const NAME: &'static str = "lodestar.task.list";
    const TITLE: &'static str = "List tasks";
    const DESCRIPTION: &'static str = "List tasks by priority, filtered by status or label, page by page.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Reads;

    type Params = TaskList;
    type Output = Tasks;

    async fn run(call: Call, params: TaskList) -> Result<Tasks, Error> {
        call.blocking(move |engine| engine.task_list(&params)).await
    }

    fn text(output: &Tasks) -> String {
        rows(&output.tasks, output.total) + &lines(&output.warnings)
    }
}
