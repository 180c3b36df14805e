//! `lodestar.task.graph`: how tasks depend on each other.

use becket_engine::{
    Error,
    coordinate::{GraphAnswer, TaskGraph},
};

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarTaskGraph;

impl Tool for LodestarTaskGraph {
    const NAME: &'static str = "lodestar.task.graph";
    const TITLE: &'static str = "How tasks depend on each other";
    const DESCRIPTION: &'static str = "Give every task and dependency as nodes and edges, and report cycles.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Reads;

    type Params = TaskGraph;
    type Output = GraphAnswer;

    async fn run(call: Call, params: TaskGraph) -> Result<GraphAnswer, Error> {
        call.blocking(move |engine| Ok(engine.task_graph(&params)?.bounded(engine.max_output_bytes()))).await
    }

    fn text(output: &GraphAnswer) -> String {
        output.drawing()
    }
}
