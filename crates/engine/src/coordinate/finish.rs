//! The end of a task: done, verified, or both at once.

use becket_store::Outcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    answer::{Answer, agent_id},
    tasks::task_id,
    views::warning,
};
use crate::{Engine, Error, progress::tell};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskFinish {
    pub task_id: String,
    pub agent_id: String,
    #[serde(default)]
    pub note: Option<String>,
    /// Of the lease that the claim gave; refused if somebody claimed the task since.
    #[serde(default)]
    pub generation: Option<u64>,
    /// The worktree whose tasks are meant.
    #[serde(default)]
    pub worktree: Option<String>,
    /// Asked by a person at a terminal, who needs no agent.
    #[serde(skip)]
    pub by_person: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finished {
    pub ok: bool,
    pub task_id: String,
    pub status: String,
    pub warnings: Vec<String>,
    pub next_step: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    pub ok: bool,
    pub task_id: String,
    pub status: String,
    /// Claimable now because of this.
    pub newly_ready_task_ids: Vec<String>,
    pub warnings: Vec<String>,
}

/// What somebody who waits is told: tasks are read, the move is made.
const PHASE: &str = "finishing the task";
const STEPS: usize = 2;

impl Engine {
    pub fn task_done(&self, request: &TaskFinish) -> Result<Answer<Finished>, Error> {
        self.finish(request, becket_store::Store::done, |outcome| Finished {
            ok: true,
            task_id: outcome.task.to_string(),
            status: outcome.status.word().to_owned(),
            warnings: outcome.warnings.iter().map(warning).collect(),
            next_step: "lodestar_task_verify, once the acceptance criteria are checked.".to_owned(),
        })
    }

    pub fn task_verify(&self, request: &TaskFinish) -> Result<Answer<Verified>, Error> {
        self.finish(request, becket_store::Store::verify, Verified::from)
    }

    pub fn task_complete(&self, request: &TaskFinish) -> Result<Answer<Verified>, Error> {
        self.finish(request, becket_store::Store::complete, Verified::from)
    }

    fn finish<T>(
        &self,
        request: &TaskFinish,
        act: impl Fn(
            &becket_store::Store,
            &becket_store::Call,
            &becket_store::Worktree,
            &becket_store::TaskId,
            Option<u64>,
            Option<&str>,
        ) -> becket_store::Result<Outcome>,
        answer: impl Fn(Outcome) -> T,
    ) -> Result<Answer<T>, Error> {
        let task = task_id(&request.task_id)?;
        let nobody = request.by_person && request.agent_id.is_empty();
        let agent = if nobody { None } else { Some(agent_id(&request.agent_id)?) };
        tell(PHASE, 0, Some(STEPS));
        let board = self.tasks_board(request.worktree.as_deref())?;
        tell(PHASE, 1, Some(STEPS));
        let call = board.caller(agent.as_ref().map(becket_store::AgentId::as_str))?;
        let outcome =
            act(&board.store, &call, &board.worktree, &task, request.generation, request.note.as_deref())?;
        self.coordinate.flusher.nudge(&board);
        tell(PHASE, STEPS, Some(STEPS));
        Ok(self.answered(&board, agent.as_ref(), answer(outcome)))
    }
}

impl From<Outcome> for Verified {
    fn from(outcome: Outcome) -> Self {
        Self {
            ok: true,
            task_id: outcome.task.to_string(),
            status: outcome.status.word().to_owned(),
            newly_ready_task_ids: outcome.newly_ready.iter().map(ToString::to_string).collect(),
            warnings: outcome.warnings.iter().map(warning).collect(),
        }
    }
}
