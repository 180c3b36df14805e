//! `lodestar.agent.join`: join as an agent.

use becket_engine::{
    Error,
    coordinate::{AgentJoin, JoinedAgent},
};

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarAgentJoin;

impl Tool for LodestarAgentJoin {
    const NAME: &'static str = "lodestar.agent.join";
    const TITLE: &'static str = "Join as an agent";
    const DESCRIPTION: &'static str = "Register an agent and get the agentId that every other call takes.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Adds;

    type Params = AgentJoin;
    type Output = JoinedAgent;

    async fn run(call: Call, params: AgentJoin) -> Result<JoinedAgent, Error> {
        call.blocking(move |engine| engine.agent_join(&params)).await
    }

    fn text(output: &JoinedAgent) -> String {
        format!("You are {}. {}", output.agent_id, output.notes.join(" "))
    }
}
