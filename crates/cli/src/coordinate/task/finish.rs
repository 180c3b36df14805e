//! The end of a task: done, verify, complete.

use becket_engine::{
    Engine, Error,
    coordinate::{TaskFinish, TaskGet, Verified},
};
use serde_json::json;

use crate::coordinate::{Outcome, word};

#[derive(Debug, clap::Args)]
pub(crate) struct Finish {
    /// The task
    id: String,
    /// Who finished it; whoever holds it if left out
    #[arg(short, long)]
    agent: Option<String>,
    /// What was done or checked; it is told with the event
    #[arg(long)]
    note: Option<String>,
}

impl Finish {
    pub(super) fn done(self, engine: &Engine) -> Result<Outcome, Error> {
        let (id, request) = self.request(engine)?;
        let done = engine.task_done(&request)?.answer;
        let data = json!({"id": id, "status": done.status, "task_id": id});
        Ok(Outcome::new(data, format!("{id} is done.")).warn(done.warnings).then(
            "task.verify",
            format!("task verify {}", word(&id)),
            "Verify it",
        ))
    }

    pub(super) fn verify(self, engine: &Engine) -> Result<Outcome, Error> {
        let (id, request) = self.request(engine)?;
        let verified = engine.task_verify(&request)?.answer;
        Ok(ended(&id, verified))
    }

    pub(super) fn complete(self, engine: &Engine) -> Result<Outcome, Error> {
        let (id, request) = self.request(engine)?;
        let verified = engine.task_complete(&request)?.answer;
        Ok(ended(&id, verified))
    }

    /// Whoever holds the task is meant where nobody is named.
    fn request(self, engine: &Engine) -> Result<(String, TaskFinish), Error> {
        let holder = if self.agent.is_some() {
            self.agent
        } else {
            let request = TaskGet { task_id: self.id.clone(), ..TaskGet::default() };
            engine.task_get(&request)?.answer.runtime.claimed_by
        };
        let request = TaskFinish {
            task_id: self.id.clone(),
            agent_id: holder.unwrap_or_default(),
            note: self.note,
            by_person: true,
            ..TaskFinish::default()
        };
        Ok((self.id, request))
    }
}

fn ended(id: &str, verified: Verified) -> Outcome {
    let freed = match verified.newly_ready_task_ids.as_slice() {
        [] => String::new(),
        ids => format!(" Newly ready: {}.", ids.join(", ")),
    };
    let data = json!({"id": id, "task_id": id, "status": verified.status, "unblocked": verified.newly_ready_task_ids});
    Outcome::new(data, format!("{id} is {}.{freed}", verified.status)).warn(verified.warnings)
}
