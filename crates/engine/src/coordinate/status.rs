//! "Where are we?" of this plane.

use std::collections::BTreeMap;

use becket_base::{counted, verb};
use becket_store::spec_file::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    answer::agent_id,
    board::Board,
    views::{BEHIND, behind, problems},
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct BoardStatusRequest {
    /// Another worktree of this repository, by path; the server's own if left out.
    pub repo: Option<String>,
    /// Whose unread messages are counted; everybody's if left out.
    pub agent_id: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoardStatus {
    pub repo_root: String,
    pub spec_path: String,
    pub runtime_path: String,
    pub project: String,
    pub counts: Counts,
    pub suggested_next_actions: Vec<String>,
    pub warnings: Vec<String>,
    /// The id of the last event: sinceCursor for what happens from now on.
    pub last_event: i64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    pub tasks: TaskCounts,
    pub agents: AgentCounts,
    pub messages: MessageCounts,
    pub active_leases: u64,
    pub agents_online: u64,
    pub unread_messages: u64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskCounts {
    /// Without deleted ones.
    pub total: u64,
    pub by_status: BTreeMap<String, u64>,
    pub claimable: u64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentCounts {
    pub registered: u64,
    pub online: u64,
    pub active_leases: u64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageCounts {
    pub total: u64,
    pub unread: u64,
}

/// What was answered is kept, and the file does not say it.
pub(super) fn unwritten(error: &Error) -> String {
    format!("spec.yaml does not say every status yet: {}", error.message())
}

impl Engine {
    /// Answers also when `spec.yaml` is broken: that is what it is asked about.
    pub fn lodestar_status(&self, request: &BoardStatusRequest) -> Result<BoardStatus, Error> {
        let worktree = match request.repo.as_deref() {
            None => None,
            Some(repo) => Some(self.sandbox()?.admit_root(repo)?.root.display().to_string()),
        };
        let board = self.board(worktree.as_deref())?;
        let mut warnings = Vec::new();
        if let Err(error) = self.refresh(&board) {
            warnings.push(error.message().to_owned());
        } else if let Err(error) = self.flush_board(&board) {
            warnings.push(unwritten(&error));
        }
        let agent = request.agent_id.as_deref().map(agent_id).transpose()?;
        let counts = board.store.counts(&board.worktree, agent.as_ref())?;
        warnings.extend(problems(&board.store.problems(&board.worktree, 10)?));
        warnings.extend(behind(&board.store.behind(&board.worktree, BEHIND)?));
        let mut by_status: BTreeMap<String, u64> =
            Status::ALL.iter().map(|status| (status.word().to_owned(), 0)).collect();
        by_status.extend(counts.by_status.iter().map(|(status, number)| (status.word().to_owned(), *number)));
        let mut next = Vec::new();
        if counts.agents_online == 0 || agent.is_none() {
            next.push("lodestar_agent_join: get an agentId.".to_owned());
        }
        if counts.unread > 0 {
            let are = verb(counts.unread, "is", "are");
            next.push(format!("lodestar_message_list: {} {are} unread.", counted(counts.unread, "message")));
        }
        let done = by_status.get("done").copied().unwrap_or_default();
        if done > 0 {
            let are = verb(done, "is", "are");
            next.push(format!(
                "lodestar_task_verify: {} {are} done and not verified.",
                counted(done, "task")
            ));
        }
        if counts.claimable > 0 {
            let are = verb(counts.claimable, "is", "are");
            next.push(format!("lodestar_task_claim_next: {} {are} free.", counted(counts.claimable, "task")));
        } else if counts.tasks == 0 {
            next.push("lodestar_task_create: there are no tasks yet.".to_owned());
        } else {
            next.push("lodestar_events_wait: nothing is free now.".to_owned());
        }
        Ok(BoardStatus {
            repo_root: board.root.display().to_string(),
            spec_path: board.spec.path().display().to_string(),
            runtime_path: board.runtime.clone(),
            project: self.project_name(&board),
            counts: Counts {
                tasks: TaskCounts { total: counts.tasks, by_status, claimable: counts.claimable },
                agents: AgentCounts {
                    registered: counts.agents,
                    online: counts.agents_online,
                    active_leases: counts.active_leases,
                },
                messages: MessageCounts { total: counts.messages, unread: counts.unread },
                active_leases: counts.active_leases,
                agents_online: counts.agents_online,
                unread_messages: counts.unread,
            },
            suggested_next_actions: next,
            warnings,
            last_event: counts.last_event,
        })
    }

    /// How many messages the thread of each task has; tasks without any are left out.
    pub fn messages_by_task(&self) -> Result<BTreeMap<String, u64>, Error> {
        let counts = self.board(None)?.store.messages_by_task()?;
        Ok(counts.into_iter().map(|(task, count)| (task.to_string(), count)).collect())
    }

    /// `lodestar://spec`: the file as it is.
    pub fn spec_text(&self) -> Result<String, Error> {
        let (root, _) = self.board_root(None)?;
        // A link or a folder in its place is refused here as everywhere: it may lead out of the repository.
        let spec = becket_store::spec_file::SpecFile::new(root.join(".lodestar"));
        spec.stat()?;
        let path = spec.path();
        let bytes = becket_project::files::read(&path, 64 * 1024 * 1024).map_err(|error| {
            Error::unavailable("spec_io", format!("{error}.")).with_hint("Check the file.").with_source(error)
        })?;
        let bytes = bytes.ok_or_else(|| Error::from(becket_store::spec_file::SpecError::Missing { path }))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Only the head of the file is looked at: a name is no reason to read fifty thousand tasks.
    pub(super) fn project_name(&self, board: &Board) -> String {
        let text = board.spec.head().unwrap_or_default();
        let head = text.find("\ntasks:").and_then(|at| text.get(..=at)).unwrap_or(&text);
        becket_store::spec_file::read(head).map_or_else(|_| "unnamed".to_owned(), |spec| spec.project.name)
    }
}
