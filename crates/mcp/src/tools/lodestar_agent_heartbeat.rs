//! `lodestar.agent.heartbeat`: say that the agent is alive.

use becket_engine::{
    Error,
    coordinate::{AgentHeartbeat, Answer, Beat},
};

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarAgentHeartbeat;

impl Tool for LodestarAgentHeartbeat {
    const NAME: &'static str = "lodestar.agent.heartbeat";
    const TITLE: &'static str = "Say that the agent is alive";
    const DESCRIPTION: &'static str =
        "Refresh an agent's presence; any other call with its agentId does the same.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Settles;

    type Params = AgentHeartbeat;
    type Output = Answer<Beat>;

    async fn run(call: Call, params: AgentHeartbeat) -> Result<Answer<Beat>, Error> {
        call.blocking(move |engine| engine.agent_heartbeat(&params)).await
    }

    fn text(output: &Answer<Beat>) -> String {
        match &output.answer.expires_at {
            Some(expires_at) => format!("Present until {expires_at}.{}", output.notice()),
            None => output.answer.warnings.join(" "),
        }
    }
}
