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
        /// What people call it
        #[arg(short, long)]
        name: Option<String>,
        /// What it is here for, such as reviewer
        #[arg(short, long)]
        role: Option<String>,
        /// A word that labels of tasks are compared with; may be repeated
        #[arg(short, long)]
        capability: Vec<String>,
        /// The model that it runs on
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
        /// Accepted, and not needed
        #[arg(long, hide = true)]
        agent: Option<String>,
    },
    /// Find agents by capability or role
    Find {
        /// Who named this capability when it joined
        #[arg(short, long)]
        capability: Option<String>,
        /// Who has this role, where no capability is asked for
        #[arg(short, long)]
        role: Option<String>,
    },
    /// Say that an agent is alive
    Heartbeat {
        /// The agent
        id: String,
    },
    /// Mark an agent as gone; its leases are given back
    Leave {
        /// The agent
        id: String,
        /// Why; it is told with the event
        #[arg(long)]
        reason: Option<String>,
    },
    /// A text to start an agent on a task with
    Brief {
        /// The task
        #[arg(short, long)]
        task: String,
        /// Tags for Claude, Markdown for Copilot, or plain text
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
                let kind = if capability.is_some() { "capability" } else { "role" };
                let term = capability.as_ref().or(role.as_ref());
                let search = json!({"type": kind, "term": term, "capability": capability, "role": role});
                let data = json!({"search": search, "agents": rows(&agents), "count": agents.len()});
                Ok(Outcome::new(data, text(&agents)))
            }
            Agent::Heartbeat { id } => {
                let beat = engine.agent_heartbeat(&AgentHeartbeat { agent_id: id.clone() })?.answer;
                if !beat.ok {
                    return Err(Error::not_found("unknown_agent", format!("No agent is called {id}."))
                        .with_hint("lodestar_agent_join gives an id."));
                }
                Ok(Outcome::new(
                    json!({"agent_id": id, "updated": true, "expires_at": beat.expires_at}),
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
    let word = super::word(id);
    let claim = format!("{program} task claim {word} --agent <agent-id>");
    let done = format!("{program} task done {word} --agent <agent-id>");
    let report = format!("{program} msg send --task {word} --from <agent-id> --text \"…\"");
    let commands = [claim.clone(), report.clone(), done.clone()];
    let heading = format!("{}: {}", task.id, task.title);
    let parts = [
        ("context", "Context", vec![context.content], ""),
        ("acceptance_criteria", "Acceptance criteria", task.acceptance_criteria.clone(), "- "),
        ("locks", "Touch only", task.locks.clone(), "- "),
        ("commands", "Commands", commands.to_vec(), "- "),
    ];
    let parts = parts.iter().filter(|(_, _, items, _)| items.iter().any(|item| !item.is_empty()));
    let listed = |items: &[String], mark: &str| {
        items.iter().map(|item| format!("{mark}{item}")).collect::<Vec<_>>().join("\n")
    };
    let text = match format {
        "claude" => {
            let parts =
                parts.map(|(tag, _, items, mark)| format!("<{tag}>\n{}\n</{tag}>", listed(items, mark)));
            format!("<task>\n{heading}\n\n{}\n</task>", parts.collect::<Vec<_>>().join("\n\n"))
        }
        "copilot" => {
            let parts = parts.map(|(tag, title, items, mark)| match *tag {
                "acceptance_criteria" => format!("## {title}\n\n{}", listed(items, "- [ ] ")),
                "commands" => format!("## {title}\n\n```sh\n{}\n```", listed(items, "")),
                _ => format!("## {title}\n\n{}", listed(items, mark)),
            });
            format!("# {heading}\n\n{}", parts.collect::<Vec<_>>().join("\n\n"))
        }
        _ => {
            let parts = parts.map(|(tag, title, items, mark)| match *tag {
                "context" => listed(items, mark),
                _ => format!("{title}:\n{}", listed(items, mark)),
            });
            format!("{heading}\n\n{}", parts.collect::<Vec<_>>().join("\n\n"))
        }
    };
    let data = json!({"task_id": task.id, "title": task.title,
        "goal": if task.description.is_empty() { &task.title } else { &task.description },
        "acceptance_criteria": task.acceptance_criteria, "locks": task.locks, "labels": task.labels, "format": format,
        "formatted": text, "formatted_output": text,
        "commands": {"claim": claim, "report": report, "report_progress": report, "done": done, "mark_done": done}});
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
