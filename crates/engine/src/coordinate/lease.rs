//! Leases: claim, claim the next, renew, release.

use becket_base::{counted, verb};
use becket_store::{AgentId, Claim, ClaimNext, ClaimRequest, Conflict, Severity, TaskId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    answer::{Answer, Since, agent_id},
    board::Board,
    messages::MessageRow,
    tasks::{TaskNext, next_request, task_id},
    views::{LeaseView, OverlapView, TaskRow, warning},
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskClaim {
    pub task_id: String,
    pub agent_id: String,
    /// 60 to 7200 by default; others are clamped. 900 if left out.
    #[serde(default)]
    pub ttl_seconds: Option<u64>,
    /// Accepted for the seed's sake: a lease that ran out never stands in the way, a live one always does.
    #[serde(default)]
    pub force: bool,
    /// The worktree whose tasks are meant.
    #[serde(default)]
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimedTask {
    pub ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<LeaseView>,
    /// Who holds it, when ok is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<ConflictView>,
    /// You held it already: the same lease, a new expiry.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub renewed: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lock_overlaps: Vec<OverlapView>,
    pub warnings: Vec<String>,
    /// What whoever had the task before left in its thread: the newest unread handoff, else the newest unread message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff_message: Option<MessageRow>,
    /// Unread in the thread of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread_count: Option<u64>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConflictView {
    pub claimed_by_agent_id: String,
    pub expires_at: String,
    pub expires_in_seconds: u64,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskClaimNext {
    pub agent_id: String,
    /// A word of your own: the same call with the same word is done once, however often it is repeated.
    #[serde(default)]
    pub idempotency_key: Option<String>,
    #[serde(default)]
    pub ttl_seconds: Option<u64>,
    /// Only tasks with any of these.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Only tasks with this priority or a lower number.
    #[serde(default)]
    pub max_priority: Option<i64>,
    /// The worktree whose tasks are meant.
    #[serde(default)]
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NextClaim {
    /// False when nothing is claimable now.
    pub ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<LeaseView>,
    pub rationale: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lock_overlaps: Vec<OverlapView>,
    pub warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff_message: Option<MessageRow>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskRenew {
    pub task_id: String,
    pub agent_id: String,
    #[serde(default)]
    pub ttl_seconds: Option<u64>,
    /// Of the lease that the claim gave; refused if somebody claimed the task since.
    #[serde(default)]
    pub generation: Option<u64>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Renewed {
    pub ok: bool,
    pub lease: LeaseView,
    /// Such as a ttlSeconds that was clamped.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskRelease {
    pub task_id: String,
    pub agent_id: String,
    #[serde(default)]
    pub reason: Option<String>,
    /// Of the lease that the claim gave.
    #[serde(default)]
    pub generation: Option<u64>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Released {
    pub ok: bool,
    pub previous_lease: LeaseView,
}

impl Engine {
    pub fn task_claim(&self, request: &TaskClaim) -> Result<Answer<ClaimedTask>, Error> {
        let agent = agent_id(&request.agent_id)?;
        let board = self.tasks_board(request.worktree.as_deref())?;
        let call = board.caller(Some(&request.agent_id))?;
        let wanted = ClaimRequest { task: task_id(&request.task_id)?, ttl_seconds: request.ttl_seconds };
        Ok(match board.store.claim(&call, &board.worktree, &wanted)? {
            Claim::Held(conflict) => {
                let refused = ClaimedTask {
                    ok: false,
                    lease: None,
                    conflict: Some(ConflictView::from(conflict)),
                    renewed: false,
                    lock_overlaps: Vec::new(),
                    warnings: Vec::new(),
                    handoff_message: None,
                    unread_count: None,
                };
                self.answered(&board, Some(&agent), refused)
            }
            Claim::Granted { lease, renewed, overlaps, warnings } => {
                let overlaps: Vec<OverlapView> = overlaps.into_iter().map(OverlapView::from).collect();
                let handoff = self.handoff(&board, &agent, &wanted.task);
                let mut warnings: Vec<String> = warnings.iter().map(warning).collect();
                warnings.extend(overlaps.iter().map(OverlapView::sentence));
                warnings.extend(clamped(request.ttl_seconds, lease.ttl_seconds));
                let claimed = ClaimedTask {
                    ok: true,
                    lease: Some(LeaseView::from(lease)),
                    conflict: None,
                    renewed,
                    lock_overlaps: overlaps,
                    warnings,
                    handoff_message: handoff.message,
                    unread_count: (handoff.unread > 0).then_some(handoff.unread),
                };
                Answer { answer: claimed, since_last_call: handoff.since }
            }
        })
    }

    /// Finds and claims in one step: two agents never get the same task, and none is refused.
    pub fn task_claim_next(&self, request: &TaskClaimNext) -> Result<Answer<NextClaim>, Error> {
        let agent = agent_id(&request.agent_id)?;
        let board = self.tasks_board(request.worktree.as_deref())?;
        let call = board.caller_with_key(Some(&request.agent_id), request.idempotency_key.as_deref())?;
        let wish = TaskNext {
            labels: request.labels.clone(),
            max_priority: request.max_priority,
            ..TaskNext::default()
        };
        let wish = next_request(&wish, Some(agent.clone()));
        Ok(match board.store.claim_next(&call, &board.worktree, &wish, request.ttl_seconds)? {
            ClaimNext::Claimed { task, lease, rationale, overlaps, warnings } => {
                let overlaps: Vec<OverlapView> = overlaps.into_iter().map(OverlapView::from).collect();
                let handoff = self.handoff(&board, &agent, &task.id);
                let mut warnings: Vec<String> = warnings.iter().map(warning).collect();
                warnings.extend(overlaps.iter().map(OverlapView::sentence));
                warnings.extend(clamped(request.ttl_seconds, lease.ttl_seconds));
                let claimed = NextClaim {
                    ok: true,
                    task: Some(TaskRow::from(*task)),
                    lease: Some(LeaseView::from(lease)),
                    rationale,
                    lock_overlaps: overlaps,
                    warnings,
                    handoff_message: handoff.message,
                };
                Answer { answer: claimed, since_last_call: handoff.since }
            }
            ClaimNext::Nothing { leased, waiting } => {
                let nothing = NextClaim {
                    ok: false,
                    task: None,
                    lease: None,
                    rationale: nothing_claimable(leased, waiting),
                    lock_overlaps: Vec::new(),
                    warnings: Vec::new(),
                    handoff_message: None,
                };
                self.answered(&board, Some(&agent), nothing)
            }
        })
    }

    pub fn task_renew(&self, request: &TaskRenew) -> Result<Answer<Renewed>, Error> {
        let agent = agent_id(&request.agent_id)?;
        let board = self.board(None)?;
        let call = board.caller(Some(&request.agent_id))?;
        let lease =
            board.store.renew(&call, &task_id(&request.task_id)?, request.generation, request.ttl_seconds)?;
        let warnings = clamped(request.ttl_seconds, lease.ttl_seconds).into_iter().collect();
        Ok(self.answered(&board, Some(&agent), Renewed { ok: true, lease: LeaseView::from(lease), warnings }))
    }

    pub fn task_release(&self, request: &TaskRelease) -> Result<Answer<Released>, Error> {
        let agent = agent_id(&request.agent_id)?;
        let board = self.board(None)?;
        let call = board.caller(Some(&request.agent_id))?;
        let task = task_id(&request.task_id)?;
        let lease = board.store.release(&call, &task, request.generation, request.reason.as_deref())?;
        Ok(self.answered(&board, Some(&agent), Released { ok: true, previous_lease: LeaseView::from(lease) }))
    }

    /// What was left in the thread for whoever comes next and how much is unread there, with what every answer ends with.
    fn handoff(&self, board: &Board, agent: &AgentId, task: &TaskId) -> Handoff {
        let (since, mut page) = self.news_with_thread(board, agent, task);
        let meant = page.messages.iter().position(|message| message.severity == Severity::Handoff);
        let newest = (!page.messages.is_empty()).then(|| page.messages.swap_remove(meant.unwrap_or(0)));
        Handoff { since, message: newest.map(MessageRow::from), unread: page.unread }
    }
}

struct Handoff {
    since: Option<Since>,
    message: Option<MessageRow>,
    unread: u64,
}

fn clamped(wanted: Option<u64>, given: u64) -> Option<String> {
    wanted
        .filter(|wanted| *wanted != given)
        .map(|wanted| format!("ttlSeconds {wanted} was clamped to {given}."))
}

impl From<Conflict> for ConflictView {
    fn from(conflict: Conflict) -> Self {
        Self {
            claimed_by_agent_id: conflict.holder.to_string(),
            expires_at: conflict.expires_at,
            expires_in_seconds: conflict.remaining_seconds,
        }
    }
}
fn nothing_claimable(leased: u64, waiting: u64) -> String {
    format!(
        "Nothing is claimable now: {} {} under lease, {waiting} {} for dependencies.",
        counted(leased, "ready task"),
        verb(leased, "is", "are"),
        verb(waiting, "waits", "wait"),
    )
}
