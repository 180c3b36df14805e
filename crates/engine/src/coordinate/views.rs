//! Tasks and leases as callers see them: the seed's names, and sentences for what the store says in values.

use becket_base::verb;
use becket_store::{
    Behind, Lease, LockOverlap, Problem, TaskDetail, TaskSummary, Warning,
    spec_file::{Definition, Prd, dependencies_at},
};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskRow {
    pub id: String,
    pub title: String,
    pub status: String,
    /// Lower comes first.
    pub priority: i64,
    pub labels: Vec<String>,
    pub dependencies: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by_agent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// Ready, dependencies verified, not claimed.
    pub claimable: bool,
}

impl From<TaskSummary> for TaskRow {
    fn from(task: TaskSummary) -> Self {
        Self {
            claimable: task.is_claimable(),
            id: task.id.to_string(),
            title: task.title,
            status: task.status.word().to_owned(),
            priority: task.priority,
            labels: task.labels,
            dependencies: task.depends_on.iter().map(ToString::to_string).collect(),
            claimed_by_agent_id: task.claimed_by.map(|agent| agent.to_string()),
            lease_expires_at: task.lease_expires_at,
            updated_at: task.updated_at,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaseView {
    pub lease_id: String,
    pub task_id: String,
    pub agent_id: String,
    pub created_at: String,
    pub expires_at: String,
    pub ttl_seconds: u64,
    /// Rises with every new claim of the task; a call that presents an old one is refused.
    pub generation: u64,
}

impl From<Lease> for LeaseView {
    fn from(lease: Lease) -> Self {
        Self {
            lease_id: lease.lease_id,
            task_id: lease.task.to_string(),
            agent_id: lease.agent.to_string(),
            created_at: lease.created_at,
            expires_at: lease.expires_at,
            ttl_seconds: lease.ttl_seconds,
            generation: lease.generation,
        }
    }
}

/// Two patterns of locks that share a possible path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OverlapView {
    pub pattern: String,
    pub other_task_id: String,
    pub other_agent_id: String,
    pub other_pattern: String,
}

impl From<LockOverlap> for OverlapView {
    fn from(overlap: LockOverlap) -> Self {
        Self {
            pattern: overlap.pattern,
            other_task_id: overlap.other_task.to_string(),
            other_agent_id: overlap.other_agent.to_string(),
            other_pattern: overlap.other_pattern,
        }
    }
}

impl OverlapView {
    pub(super) fn sentence(&self) -> String {
        format!(
            "The lock `{}` overlaps `{}` of {}, which {} holds.",
            self.pattern, self.other_pattern, self.other_task_id, self.other_agent_id
        )
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskDetailView {
    pub id: String,
    pub title: String,
    pub description: String,
    pub acceptance_criteria: Vec<String>,
    pub status: String,
    pub priority: i64,
    pub labels: Vec<String>,
    /// Patterns of paths that the task works on.
    pub locks: Vec<String>,
    pub dependencies: Vec<String>,
    /// Those of them that are not verified.
    pub unmet_dependencies: Vec<String>,
    pub dependents: Vec<String>,
    pub claimable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prd: Option<PrdPointer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrdPointer {
    pub source: String,
    pub refs: Vec<PrdReferenceView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prd_hash: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PrdReferenceView {
    pub anchor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<[u64; 2]>,
}

impl From<&Prd> for PrdPointer {
    fn from(prd: &Prd) -> Self {
        let refs = prd.refs.iter().map(|one| PrdReferenceView {
            anchor: one.anchor.clone(),
            lines: one.lines.map(|(first, last)| [first, last]),
        });
        Self {
            source: prd.source.clone(),
            refs: refs.collect(),
            excerpt: prd.excerpt.clone(),
            prd_hash: prd.prd_hash.clone(),
        }
    }
}

impl From<&TaskDetail> for TaskDetailView {
    fn from(detail: &TaskDetail) -> Self {
        let Definition {
            id,
            title,
            description,
            acceptance_criteria,
            depends_on,
            labels,
            locks,
            priority,
            prd,
            ..
        } = detail.definition.clone();
        let ids = |tasks: &[becket_store::TaskId]| tasks.iter().map(ToString::to_string).collect();
        Self {
            id,
            title,
            description,
            acceptance_criteria,
            status: detail.state.status.word().to_owned(),
            priority,
            labels,
            locks,
            dependencies: depends_on,
            unmet_dependencies: ids(&detail.unmet),
            dependents: ids(&detail.dependents),
            claimable: detail.claimable,
            prd: prd.as_ref().map(PrdPointer::from),
            created_at: detail.definition.created_at.clone(),
            updated_at: detail.state.updated_at.clone().or_else(|| detail.definition.updated_at.clone()),
        }
    }
}

/// What stands in the way of a task, as a sentence.
pub(super) fn problem(problem: &Problem) -> String {
    match problem {
        Problem::MissingDependency { task, dependency } => {
            format!("{task} depends on {dependency}, which does not exist: it can never be claimed.")
        }
        Problem::DeletedDependency { task, dependency } => {
            format!("{task} depends on {dependency}, which is deleted: it can never be claimed.")
        }
        Problem::Cycle { cycle, .. } => {
            if let [alone] = &cycle[..] {
                return format!("{alone} depends on itself: it can never be claimed.");
            }
            let names: Vec<String> = cycle.iter().map(ToString::to_string).collect();
            format!(
                "{} depend on each other in a circle: none of them can ever be claimed.",
                names.join(", ")
            )
        }
    }
}

pub(super) fn problems(all: &[Problem]) -> Vec<String> {
    let mut sentences: Vec<String> = all.iter().map(problem).collect();
    sentences.dedup();
    sentences
}

/// The same with the place in the text of the file, where that can be told.
pub(super) fn placed_problems(all: &[Problem], text: &str) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    let mut sentences = Vec::new();
    for one in all {
        let sentence = problem(one);
        if told.contains(&sentence) {
            continue;
        }
        let (Problem::MissingDependency { task, .. }
        | Problem::DeletedDependency { task, .. }
        | Problem::Cycle { task, .. }) = one;
        let place = dependencies_at(text, task.as_str());
        let place = place.map(|place| format!("spec.yaml:{}:{}: ", place.line, place.column));
        sentences.push(format!("{}{sentence}", place.unwrap_or_default()));
        told.push(sentence);
    }
    sentences
}

/// How many tasks [`behind`] wants to be given.
pub(super) const BEHIND: usize = 6;

/// What a file from before says less than the store; nothing when there is nothing.
pub(super) fn behind(tasks: &[Behind]) -> Option<String> {
    if tasks.is_empty() {
        return None;
    }
    let named: Vec<String> = tasks
        .iter()
        .take(BEHIND - 1)
        .map(|one| format!("{} ({}, not {})", one.task, one.store.word(), one.file.word()))
        .collect();
    let more = if tasks.len() >= BEHIND { " and more" } else { "" };
    Some(format!(
        "This spec.yaml is behind what is known, and nothing is rolled back: {}{more}.",
        named.join(", ")
    ))
}

pub(super) fn warning(warning: &Warning) -> String {
    let list = |tasks: &[becket_store::TaskId]| {
        tasks.iter().take(10).map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    match warning {
        Warning::NotClaimed { task } => format!("{task} was not claimed by you or anybody."),
        Warning::LeaseExpired { task } => {
            format!("Your lease of {task} had run out; nobody else had claimed it.")
        }
        Warning::AlreadyThere { task, status } => format!("{task} was {} already.", status.word()),
        Warning::SelfVerified { task } => format!("You verified {task}, which you completed yourself."),
        Warning::DependentsWaiting { dependents, .. } => {
            let wait = verb(dependents.len(), "waits", "wait");
            format!("{} {wait} for it to be verified.", list(dependents))
        }
        Warning::DependenciesUnmet { unmet, .. } => {
            format!("{} {} not verified.", list(unmet), verb(unmet.len(), "is", "are"))
        }
    }
}
