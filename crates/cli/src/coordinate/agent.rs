//! `becket agent …` and `lodestar agent …`: who is at work, in words for people; the rules are the engine's.

use becket_engine::{
    Engine, Error,
    coordinate::{
        AgentHeartbeat, AgentJoin, AgentLeave, AgentList, AgentRow, Capabilities, TaskContext, TaskGet,
    },
};
use serde_json::{Value, json};

use super::{Outcome, table};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Agent {
    /// Register an agent, and print its id
    Join {
        #[arg(short, long)]
        name: Option<String>,
        #[arg(short, long)]
        role: Option<String>,
        /// A word that labels of tasks are compared with
        #[arg(short, long)]
        capability: Vec<String>,
        #[arg(short, long)]
        model: Option<String>,
        /// The host it runs in
        #[arg(short, long)]
        tool: Option<String>,
        /// A word that nobody else would choose: repeated with the same word, the command makes one agent
        #[arg(long, value_name = "WORD")]
        idempotency_key: Option<String>,
    },
    /// List agents, last seen first
    List {
        #[arg(long, hide = true)]
        agent: Option<String>,
    },
    /// Find agents by capability or role
    Find {
        #[arg(short, long)]
        capability: Option<String>,
        #[arg(short, long)]
        role: Option<String>,
    },
    /// Say that an agent is alive
    Heartbeat { id: String },
    /// Mark an agent as gone; its leases are given back
    Leave {
        id: String,
        #[arg(long)]
        reason: Option<String>,
    },
    /// A text to start an agent on a task with
    Brief {
        #[arg(short, long)]
        task: String,
        #[arg(short, long, default_value = "generic", value_parser = ["claude", "copilot", "generic"])]
        format: String,
    },
}

impl Agent {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Agent::Join { .. } => "agent join",
            Agent::List { .. } => "agent list",
            Agent::Find { .. } => "agent find",
            Agent::Heartbeat { .. } => "agent heartbeat",
            Agent::Leave { .. } => "agent leave",
            Agent::Brief { .. } => "agent brief",
        }
    }

    /// `program` is what the commands of a brief begin with.
    pub(crate) fn run(self, engine: &Engine, program: &str) -> Result<Outcome, Error> {
        match self {
            Agent::Join { name, role, capability, model, tool, idempotency_key } => {
                let joined = engine.agent_join(&AgentJoin {
                    name,
                    client: tool.clone(),
                    model: model.clone(),
                    capabilities: Some(Capabilities::Words(capability)),
                    ttl_seconds: None,
                    role: role.clone(),
                    idempotency_key,
                })?;
                let data = json!({"agent_id": joined.agent_id, "display_name": joined.display_name, "role": role,
                    "capabilities": joined.capabilities, "registered_at": joined.registered_at,
                    "session_meta": {"model": model, "tool": tool}});
                let id = joined.agent_id;
                Ok(Outcome::new(data, id.clone()).then(
                    "task.next",
                    format!("task next --agent {id}"),
                    "Find something to do",
                ))
            }
            Agent::List { .. } => {
                let agents = engine.agent_list(&AgentList::default())?.agents;
                Ok(Outcome::new(json!({"agents": rows(&agents), "count": agents.len()}), text(&agents)))
            }
            Agent::Find { capability, role } => {
                if capability.is_none() && role.is_none() {
                    return Err(Error::invalid("missing_option", "--capability or --role is required.")
                        .with_hint("--help shows the whole command."));
                }
                // As in the seed, a capability is asked for first.
                let role = if capability.is_some() { None } else { role };
                let agents = engine
                    .agent_list(&AgentList { capability: capability.clone(), role: role.clone() })?
                    .agents;
                let data = json!({"search": {"capability": capability, "role": role}, "agents": rows(&agents), "count": agents.len()});
                Ok(Outcome::new(data, text(&agents)))
            }
            Agent::Heartbeat { id } => {
                let beat = engine.agent_heartbeat(&AgentHeartbeat { agent_id: id.clone() })?.answer;
                if !beat.ok {
                    return Err(Error::not_found("unknown_agent", format!("No agent is called {id}."))
                        .with_hint("`agent join` gives an id."));
                }
                Ok(Outcome::new(
                    json!({"agent_id": id, "expires_at": beat.expires_at}),
                    format!("{id} is alive."),
                ))
            }
            Agent::Leave { id, reason } => {
                let left = engine.agent_leave(&AgentLeave { agent_id: id.clone(), reason })?;
                let data = json!({"agent_id": id, "released": left.released});
                Ok(Outcome::new(
                    data,
                    match left.released.len() {
                        0 => format!("{id} left."),
                        1 => format!("{id} left; 1 lease was given back."),
                        leases => format!("{id} left; {leases} leases were given back."),
                    },
                ))
            }
            Agent::Brief { task, format } => brief(engine, program, &task, &format),
        }
    }
}

fn brief(engine: &Engine, program: &str, id: &str, format: &str) -> Result<Outcome, Error> {
    let found = engine.task_get(&TaskGet { task_id: id.to_owned(), ..TaskGet::default() })?.answer;
    let context =
        engine.task_context(&TaskContext { task_id: id.to_owned(), ..TaskContext::default() })?.answer;
    let task = found.task;
    let bullets =
        |items: &[String]| items.iter().map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n");
    let claim = format!("{program} task claim {id} --agent <agent-id>");
    let done = format!("{program} task done {id} --agent <agent-id>");
    let report = format!("{program} msg send --task {id} --from <agent-id> --text \"…\"");
    let mut parts = vec![format!("{}: {}", task.id, task.title)];
    if !context.content.is_empty() {
        parts.push(context.content);
    }
    if !task.acceptance_criteria.is_empty() {
        parts.push(format!("Acceptance criteria:\n{}", bullets(&task.acceptance_criteria)));
    }
    if !task.locks.is_empty() {
        parts.push(format!("Touch only:\n{}", bullets(&task.locks)));
    }
    parts.push(format!("Commands:\n{}", bullets(&[claim.clone(), report.clone(), done.clone()])));
    let body = parts.join("\n\n");
    let text = match format {
        "claude" => format!("<task>\n{body}\n</task>"),
        "copilot" => {
            body.lines().map(|line| format!("// {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
        }
        _ => body,
    };
    let data = json!({"task_id": task.id, "goal": task.title, "acceptance_criteria": task.acceptance_criteria,
        "locks": task.locks, "labels": task.labels, "format": format, "formatted": text,
        "commands": {"claim": claim, "report": report, "done": done}});
    Ok(Outcome::new(data, text))
}

fn rows(agents: &[AgentRow]) -> Vec<Value> {
    agents
        .iter()
        .map(|agent| {
            json!({"agent_id": agent.agent_id, "display_name": agent.display_name, "role": agent.role,
                "status": agent.status, "capabilities": agent.capabilities, "last_seen_at": agent.last_seen_at,
                "active_leases": agent.active_leases, "session_meta": {"model": agent.model, "tool": agent.client}})
        })
        .collect()
}

fn text(agents: &[AgentRow]) -> String {
    if agents.is_empty() {
        return "No agents.".to_owned();
    }
    let cells: Vec<Vec<String>> = agents
        .iter()
        .map(|agent| {
            vec![
                agent.agent_id.clone(),
                agent.status.clone(),
                agent.active_leases.to_string(),
                agent.display_name.clone().unwrap_or_default(),
                agent.capabilities.join(","),
            ]
        })
        .collect();
    table(&["ID", "PRESENCE", "LEASES", "NAME", "CAPABILITIES"], &cells)
}
