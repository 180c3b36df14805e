//! Tasks: list, get, next.

use becket_store::{AgentId, NextRequest, TaskId, TaskQuery, spec_file::Status};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    answer::{Answer, agent_id},
    views::{LeaseView, TaskDetailView, TaskRow, problems},
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskList {
    /// todo, ready, blocked, done, verified, deleted or all; everything but deleted if left out.
    pub status: Option<String>,
    pub label: Option<String>,
    /// 1 to 200; 50 if left out.
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<usize>,
    /// The nextCursor of the answer before.
    pub cursor: Option<String>,
    /// The worktree whose tasks are meant: its path, its folder's name or its branch.
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tasks {
    /// By priority, then by id.
    pub tasks: Vec<TaskRow>,
    /// How many match, over all pages.
    pub total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Tasks that can never be claimed as they stand, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskGet {
    pub task_id: String,
    /// Who asks: looking at a task that it holds keeps its lease.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The worktree whose tasks are meant.
    #[serde(default)]
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskAnswer {
    pub task: TaskDetailView,
    pub runtime: TaskRuntime,
    pub warnings: Vec<String>,
}

/// What the store knows of a task.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskRuntime {
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<LeaseView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified_at: Option<String>,
    /// In the thread of the task.
    pub messages: u64,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskNext {
    /// Puts tasks first whose labels are capabilities of this agent.
    pub agent_id: Option<String>,
    /// 1 to 20; 5 if left out.
    #[schemars(range(min = 1, max = 20))]
    pub limit: Option<usize>,
    /// Only tasks with any of these.
    pub labels: Vec<String>,
    /// Only tasks with this priority or a lower number.
    pub max_priority: Option<i64>,
    /// The worktree whose tasks are meant.
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Candidates {
    /// Claimable now, best first.
    pub candidates: Vec<TaskRow>,
    pub rationale: String,
    pub total_claimable: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Engine {
    pub fn task_list(&self, request: &TaskList) -> Result<Tasks, Error> {
        bounded("limit", request.limit, 200)?;
        let (status, include_deleted) = match request.status.as_deref() {
            None => (None, false),
            Some("all") => (None, true),
            Some(word) => (Some(parse_status(word)?), true),
        };
        let board = self.tasks_board(request.worktree.as_deref())?;
        self.fitting(request.limit.unwrap_or(50), |limit| {
            let query = TaskQuery {
                status,
                include_deleted,
                label: request.label.clone(),
                limit: Some(limit),
                cursor: request.cursor.clone(),
            };
            let page = board.store.tasks(&board.worktree, &query)?;
            Ok(Tasks {
                tasks: page.tasks.into_iter().map(TaskRow::from).collect(),
                total: page.total,
                next_cursor: page.next_cursor,
                warnings: problems(&page.problems),
            })
        })
    }

    pub fn task_get(&self, request: &TaskGet) -> Result<Answer<TaskAnswer>, Error> {
        let id = task_id(&request.task_id)?;
        let board = self.tasks_board(request.worktree.as_deref())?;
        let agent = board.asking(request.agent_id.as_deref())?;
        let detail = board.store.task(&board.worktree, &id)?;
        let mut warnings = problems(&detail.problems);
        if let Some(prd) = &detail.definition.prd {
            warnings.extend(self.prd_warnings(&board, prd));
        }
        let answer = TaskAnswer {
            task: TaskDetailView::from(&detail),
            runtime: TaskRuntime {
                status: detail.state.status.word().to_owned(),
                claimed_by: detail.lease.as_ref().map(|lease| lease.agent.to_string()),
                lease: detail.lease.map(LeaseView::from),
                updated_at: detail.state.updated_at,
                completed_by: detail.state.completed_by,
                completed_at: detail.state.completed_at,
                verified_by: detail.state.verified_by,
                verified_at: detail.state.verified_at,
                messages: detail.messages,
            },
            warnings,
        };
        Ok(self.answered_about(&board, agent.as_ref(), &id, answer))
    }

    pub fn task_next(&self, request: &TaskNext) -> Result<Answer<Candidates>, Error> {
        bounded("limit", request.limit, 20)?;
        let agent = request.agent_id.as_deref().map(agent_id).transpose()?;
        let board = self.tasks_board(request.worktree.as_deref())?;
        let next = board.store.next(&board.worktree, &next_request(request, agent.clone()))?;
        let candidates = Candidates {
            candidates: next.candidates.into_iter().map(|candidate| TaskRow::from(candidate.task)).collect(),
            rationale: next.rationale,
            total_claimable: next.total_claimable,
            warnings: problems(&next.problems),
        };
        Ok(self.answered(&board, agent.as_ref(), candidates))
    }

    /// Ids of tasks for completion.
    pub fn task_ids(&self) -> Vec<String> {
        let listed = self.task_list(&TaskList { limit: Some(200), ..TaskList::default() });
        listed.map(|tasks| tasks.tasks.into_iter().map(|task| task.id).collect()).unwrap_or_default()
    }
}

pub(super) fn next_request(request: &TaskNext, agent: Option<AgentId>) -> NextRequest {
    NextRequest {
        agent,
        limit: request.limit,
        labels: request.labels.clone(),
        max_priority: request.max_priority,
    }
}

pub(super) fn task_id(text: &str) -> Result<TaskId, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::invalid("invalid_arguments", "The taskId is empty.")
            .with_hint("lodestar_task_list names the tasks."));
    }
    Ok(TaskId::new(text))
}

pub(super) fn parse_status(word: &str) -> Result<Status, Error> {
    Status::parse(word).ok_or_else(|| {
        Error::invalid("invalid_status", format!("`{}` is not a status.", becket_base::clip(word, 40)))
            .with_hint("A status is todo, ready, blocked, done, verified or deleted.")
    })
}

pub(super) fn bounded(name: &str, value: Option<usize>, most: usize) -> Result<(), Error> {
    match value {
        Some(value) if value == 0 || value > most => {
            Err(Error::invalid("invalid_arguments", format!("`{name}` is a whole number from 1 to {most}."))
                .with_hint("Leave it out for the default."))
        }
        _ => Ok(()),
    }
}
