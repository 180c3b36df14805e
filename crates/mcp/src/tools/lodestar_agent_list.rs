//! `lodestar.agent.list`: list agents.

use becket_base::counted;
use becket_engine::{
    Error,
    coordinate::{AgentList, Agents},
};

use crate::{
    call::Call,
    tool::{Effect, Tool},
    toolset::Toolset,
};

pub(super) struct LodestarAgentList;

impl Tool for LodestarAgentList {
    const NAME: &'static str = "lodestar.agent.list";
    const TITLE: &'static str = "List agents";
    const DESCRIPTION: &'static str = "List agents, last seen first, with presence, capabilities and leases.";
    const TOOLSET: Toolset = Toolset::Coordinate;
    const EFFECT: Effect = Effect::Reads;

    type Params = AgentList;
    type Output = Agents;

    async fn run(call: Call, params: AgentList) -> Result<Agents, Error> {
        call.blocking(move |engine| engine.agent_list(&params)).await
    }

    fn text(output: &Agents) -> String {
        output
            .agents
            .iter()
            .map(|agent| {
                let name = agent.display_name.as_deref().unwrap_or("");
                let leases = counted(agent.active_leases, "lease");
                format!("{} {} {name} ({leases})", agent.agent_id, agent.status)
            })
            .collect::<Vec<_>>()
            .join("\n")
    }
}
