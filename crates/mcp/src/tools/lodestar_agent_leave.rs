//! `lodestar.agent.leave`: an agent goes, and its leases are released.

use becket_engine::{
    Error,
    coordinate::{AgentLeave, LeftAgent},
};

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarAgentLeave;

impl Tool for LodestarAgentLeave {
    const NAME: &'static str = "lodestar.agent.leave";
    const TITLE: &'static str = "Leave";
    const DESCRIPTION: &'static str = "Mark an agent as gone and give its leases back.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Settles;

    type Params = AgentLeave;
    type Output = LeftAgent;

    async fn run(call: Call, params: AgentLeave) -> Result<LeftAgent, Error> {
        call.blocking(move |engine| engine.agent_leave(&params)).await
    }

    fn text(output: &LeftAgent) -> String {
        match output.released.len() {
            0 => "Left.".to_owned(),
            1 => "Left; 1 lease was given back.".to_owned(),
            leases => format!("Left; {leases} leases were given back."),
        }
    }
}
