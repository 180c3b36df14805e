//! Who works on a task: claim, renew, release.

use becket_engine::{
    Engine, Error,
    coordinate::{ClaimedTask, TaskClaim, TaskClaimNext, TaskContext, TaskGet, TaskRelease, TaskRenew},
};
use serde_json::json;

use crate::{
    coordinate::{Outcome, required, seconds, word},
    ui::Finding,
};

#[derive(Debug, clap::Args)]
pub(crate) struct Claim {
    /// The task
    id: Option<String>,
    /// Who claims it
    #[arg(short, long)]
    agent: Option<String>,
    /// How long, such as 15m, 1h30m or 45s; from a minute to two hours unless set otherwise
    #[arg(short, long, value_name = "TIME", value_parser = seconds)]
    ttl: Option<u64>,
    /// Leave the requirements out of the answer
    #[arg(long)]
    no_context: bool,
    /// Say nothing about overlapping locks
    #[arg(short, long)]
    force: bool,
    /// Take the best free task
    #[arg(long, conflicts_with = "id")]
    next: bool,
}

impl Claim {
    pub(super) fn run(self, engine: &Engine) -> Result<Outcome, Error> {
        let agent_id = required(self.agent, "--agent")?;
        let (id, claimed) = if self.next {
            let request = TaskClaimNext {
                agent_id: agent_id.clone(),
                ttl_seconds: self.ttl,
                ..TaskClaimNext::default()
            };
            let found = engine.task_claim_next(&request)?.answer;
            let Some(task) = found.task else {
                let hint = "`task list` shows what every task waits for.";
                let refused = Finding::new("nothing_claimable", found.rationale.clone(), hint);
                let mut outcome = Outcome::new(json!({"claimed": null}), found.rationale);
                outcome.refused = Some(refused);
                return Ok(outcome);
            };
            let claimed = ClaimedTask {
                ok: found.ok,
                lease: found.lease,
                conflict: None,
                renewed: false,
                lock_overlaps: found.lock_overlaps,
                warnings: found.warnings,
                handoff_message: found.handoff_message,
                unread_count: None,
            };
            (task.id, claimed)
        } else {
            let request = TaskClaim {
                task_id: required(self.id, "TASK_ID (or --next)")?,
                agent_id: agent_id.clone(),
                ttl_seconds: self.ttl,
                ..TaskClaim::default()
            };
            let claimed = engine.task_claim(&request)?.answer;
            (request.task_id, claimed)
        };
        let Some(lease) = claimed.lease else {
            let conflict = claimed.conflict;
            let text = conflict.as_ref().map_or_else(
                || format!("{id} was not claimed."),
                |conflict| {
                    format!("{} holds {id} until {}.", conflict.claimed_by_agent_id, conflict.expires_at)
                },
            );
            let conflict = conflict.map(|conflict| {
                json!({"claimed_by": conflict.claimed_by_agent_id, "expires_at": conflict.expires_at})
            });
            let hint = "`task next` names one that is free; a lease that is not renewed ends by itself.";
            let refused = Finding::new("task_claimed", text.clone(), hint);
            let mut outcome = Outcome::new(json!({"error": text, "conflict": conflict}), text);
            outcome.refused = Some(refused);
            return Ok(outcome.then("task.next", "task next".to_owned(), "Find another task"));
        };
        let mut data = json!({"lease_id": lease.lease_id, "task_id": lease.task_id, "agent_id": lease.agent_id,
            "expires_at": lease.expires_at, "ttl_seconds": lease.ttl_seconds, "generation": lease.generation,
            "unread_count": claimed.unread_count.unwrap_or_default(),
            "handoff_message": claimed.handoff_message.as_ref().map(|message| json!({"message_id": message.id,
                "from": message.from, "from_agent_id": message.from, "created_at": message.created_at,
                "text": message.body, "subject": message.subject, "severity": message.severity}))});
        let mut text = format!("{} is yours until {}.", lease.task_id, lease.expires_at);
        if !self.no_context {
            let context = engine.task_context(&TaskContext {
                task_id: id.clone(),
                max_chars: Some(1_000),
                ..TaskContext::default()
            })?;
            let context = context.answer;
            data["context"] = json!({"title": context.title, "description": context.description,
                "content": context.content, "truncated": context.truncated,
                "prd_source": context.context.prd_source, "prd_excerpt": context.context.prd_excerpt});
            text = format!("{text}\n\n{}\n{}", context.title, context.content);
        }
        let warnings = if self.force { Vec::new() } else { claimed.warnings };
        let id = word(&id);
        Ok(Outcome::new(data, text)
            .warn(warnings)
            .then("task.done", format!("task done {id} --agent {agent_id}"), "When the work is finished")
            .then("task.renew", format!("task renew {id} --agent {agent_id}"), "If it takes longer"))
    }
}

pub(super) fn renew(
    engine: &Engine,
    id: Option<String>,
    agent: Option<String>,
    ttl: Option<u64>,
) -> Result<Outcome, Error> {
    let request = TaskRenew {
        task_id: required(id, "TASK_ID")?,
        agent_id: required(agent, "--agent")?,
        ttl_seconds: ttl,
        generation: None,
    };
    let renewed = engine.task_renew(&request)?.answer;
    let lease = renewed.lease;
    let data = json!({"lease_id": lease.lease_id, "task_id": lease.task_id, "agent_id": lease.agent_id,
        "expires_at": lease.expires_at, "new_expires_at": lease.expires_at, "ttl_seconds": lease.ttl_seconds});
    Ok(Outcome::new(data, format!("{} is yours until {}.", lease.task_id, lease.expires_at))
        .warn(renewed.warnings))
}

pub(super) fn release(
    engine: &Engine,
    id: String,
    agent: Option<String>,
    reason: Option<String>,
) -> Result<Outcome, Error> {
    let agent_id = if let Some(agent) = agent {
        agent
    } else {
        let found = engine.task_get(&TaskGet { task_id: id.clone(), ..TaskGet::default() })?.answer;
        found.runtime.claimed_by.ok_or_else(|| {
            Error::conflict("not_claimed", format!("Nobody holds {id}."))
                .with_hint("There is nothing to release.")
        })?
    };
    let released =
        engine.task_release(&TaskRelease { task_id: id, agent_id, reason, generation: None })?.answer;
    let lease = released.previous_lease;
    let data = json!({"task_id": lease.task_id, "agent_id": lease.agent_id, "released": true});
    Ok(Outcome::new(data, format!("{} is free again.", lease.task_id)))
}
