//! What tasks there are: create, update, delete.

use becket_engine::{
    Engine, Error,
    coordinate::{PrdInput, PrdRef, TaskCreate, TaskDelete, TaskUpdate},
};
use serde_json::json;

use crate::coordinate::{Outcome, required, word};

#[derive(Debug, clap::Args)]
pub(crate) struct Create {
    #[arg(short, long)]
    title: Option<String>,
    #[arg(long)]
    id: Option<String>,
    #[arg(short, long)]
    description: Option<String>,
    #[arg(short, long)]
    priority: Option<i64>,
    /// todo, ready or blocked
    #[arg(short, long)]
    status: Option<String>,
    #[arg(long)]
    depends_on: Vec<String>,
    #[arg(short, long)]
    label: Vec<String>,
    /// A pattern of paths that the task works on
    #[arg(long)]
    lock: Vec<String>,
    /// An acceptance criterion
    #[arg(short, long)]
    accept: Vec<String>,
    #[arg(long)]
    prd_source: Option<String>,
    /// A heading or anchor of that document, or lines as L10-L20
    #[arg(long)]
    prd_ref: Vec<String>,
    #[arg(long)]
    prd_excerpt: Option<String>,
    /// The document and its sections must exist (the default)
    #[arg(long, overrides_with = "no_validate_prd")]
    validate_prd: bool,
    #[arg(long)]
    no_validate_prd: bool,
    #[arg(long)]
    agent: Option<String>,
    /// A word of your own: repeated with the same word, the command makes one task
    #[arg(long, value_name = "WORD")]
    idempotency_key: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Update {
    id: String,
    #[arg(short, long)]
    title: Option<String>,
    #[arg(short, long)]
    description: Option<String>,
    #[arg(short, long)]
    priority: Option<i64>,
    #[arg(short, long)]
    status: Option<String>,
    #[arg(long)]
    add_label: Vec<String>,
    #[arg(long)]
    remove_label: Vec<String>,
    /// Replaces the dependencies
    #[arg(long)]
    depends_on: Vec<String>,
    /// Replaces the locks
    #[arg(long)]
    lock: Vec<String>,
    /// Replaces the acceptance criteria
    #[arg(long)]
    accept: Vec<String>,
    #[arg(long)]
    agent: Option<String>,
}

impl Create {
    pub(super) fn run(self, engine: &Engine) -> Result<Outcome, Error> {
        let prd = self.prd_source.map(|source| PrdInput {
            source,
            refs: self.prd_ref.into_iter().map(PrdRef::Name).collect(),
            excerpt: self.prd_excerpt,
            validate: Some(!self.no_validate_prd),
        });
        let created = engine
            .task_create(&TaskCreate {
                title: required(self.title, "--title")?,
                id: self.id,
                description: self.description,
                acceptance_criteria: self.accept,
                depends_on: self.depends_on,
                labels: self.label,
                locks: self.lock,
                priority: self.priority,
                status: self.status,
                prd,
                agent_id: self.agent,
                idempotency_key: self.idempotency_key,
                worktree: None,
                by_person: true,
            })?
            .answer;
        let task = created.task;
        let data = json!({"id": task.id, "title": task.title, "status": task.status, "priority": task.priority,
            "labels": task.labels, "depends_on": task.dependencies, "locks": task.locks,
            "acceptance_criteria": task.acceptance_criteria});
        let id = word(&task.id);
        let outcome =
            Outcome::new(data, format!("Created {} {}.", task.id, task.title)).warn(created.warnings);
        Ok(if task.claimable {
            outcome.then("task.claim", format!("task claim {id} --agent <agent-id>"), "Claim it")
        } else {
            outcome.then("task.show", format!("task show {id}"), "See what it waits for")
        })
    }
}

impl Update {
    pub(super) fn run(self, engine: &Engine) -> Result<Outcome, Error> {
        let some = |list: Vec<String>| (!list.is_empty()).then_some(list);
        let changed = engine
            .task_update(&TaskUpdate {
                task_id: self.id,
                title: self.title,
                description: self.description,
                acceptance_criteria: some(self.accept),
                depends_on: some(self.depends_on),
                locks: some(self.lock),
                priority: self.priority,
                status: self.status,
                add_labels: self.add_label,
                remove_labels: self.remove_label,
                agent_id: self.agent,
                worktree: None,
                by_person: true,
            })?
            .answer;
        let task = changed.task;
        let data = json!({"id": task.id, "title": task.title, "status": task.status, "priority": task.priority,
            "labels": task.labels, "depends_on": task.dependencies});
        Ok(Outcome::new(data, format!("Updated {} {} [{}].", task.id, task.title, task.status))
            .warn(changed.warnings))
    }
}

pub(super) fn delete(
    engine: &Engine,
    id: String,
    cascade: bool,
    agent: Option<String>,
) -> Result<Outcome, Error> {
    let request = TaskDelete { task_id: id, cascade, agent_id: agent, worktree: None, by_person: true };
    let deleted = engine.task_delete(&request)?.answer.deleted_task_ids;
    let text = format!("Deleted {}.", deleted.join(", "));
    Ok(Outcome::new(json!({"deleted": deleted, "count": deleted.len()}), text))
}
