//! What tasks there are: create, update, delete.

use becket_engine::{
    Engine, Error,
    coordinate::{PrdInput, PrdRef, TaskCreate, TaskDelete, TaskDetailView, TaskUpdate},
};
use serde_json::{Value, json};

use crate::coordinate::{Outcome, required, word};

#[derive(Debug, clap::Args)]
pub(crate) struct Create {
    /// What is to be done, in one line
    #[arg(short, long)]
    title: Option<String>,
    /// Its id; the next free T… if left out
    #[arg(long)]
    id: Option<String>,
    /// What is to be done, at length
    #[arg(short, long)]
    description: Option<String>,
    /// Lower comes first; 100 if left out
    #[arg(short, long)]
    priority: Option<i64>,
    /// todo, ready or blocked; ready if left out
    #[arg(short, long)]
    status: Option<String>,
    /// A task that must be verified before; may be repeated
    #[arg(long, value_name = "ID")]
    depends_on: Vec<String>,
    /// A word to find it by, and to compare with capabilities; may be repeated
    #[arg(short, long)]
    label: Vec<String>,
    /// A pattern of paths that the task works on; may be repeated
    #[arg(long, value_name = "GLOB")]
    lock: Vec<String>,
    /// An acceptance criterion; may be repeated
    #[arg(short, long)]
    accept: Vec<String>,
    /// The document with its requirements, a path in the repository
    #[arg(long, value_name = "PATH")]
    prd_source: Option<String>,
    /// A heading or anchor of that document, or lines as L10-L20; may be repeated
    #[arg(long)]
    prd_ref: Vec<String>,
    /// The words of that document that count
    #[arg(long, value_name = "TEXT")]
    prd_excerpt: Option<String>,
    /// The document and its sections must exist (the default)
    #[arg(long, overrides_with = "no_validate_prd")]
    validate_prd: bool,
    /// The document may come later
    #[arg(long)]
    no_validate_prd: bool,
    /// The agent that creates it; a person if left out
    #[arg(long)]
    agent: Option<String>,
    /// A word of your own: repeated with the same word, the command makes one task
    #[arg(long, value_name = "WORD")]
    idempotency_key: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Update {
    /// The task
    id: String,
    /// Its new title
    #[arg(short, long)]
    title: Option<String>,
    /// Its new description
    #[arg(short, long)]
    description: Option<String>,
    /// Lower comes first
    #[arg(short, long)]
    priority: Option<i64>,
    /// A status that it may move to
    #[arg(short, long)]
    status: Option<String>,
    /// A label more; may be repeated
    #[arg(long, value_name = "LABEL")]
    add_label: Vec<String>,
    /// A label less; may be repeated
    #[arg(long, value_name = "LABEL")]
    remove_label: Vec<String>,
    /// Replaces the dependencies; may be repeated
    #[arg(long, value_name = "ID")]
    depends_on: Vec<String>,
    /// Replaces the locks; may be repeated
    #[arg(long, value_name = "GLOB")]
    lock: Vec<String>,
    /// Replaces the acceptance criteria; may be repeated
    #[arg(long)]
    accept: Vec<String>,
    /// The agent that changes it; a person if left out
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
        let data = definition(&task);
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
        let given = [
            ("title", self.title.is_some()),
            ("description", self.description.is_some()),
            ("priority", self.priority.is_some()),
            ("status", self.status.is_some()),
            ("labels", !(self.add_label.is_empty() && self.remove_label.is_empty())),
            ("depends_on", !self.depends_on.is_empty()),
            ("locks", !self.lock.is_empty()),
            ("acceptance_criteria", !self.accept.is_empty()),
        ];
        let fields: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
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
        let mut data = definition(&task);
        data["updated_fields"] = json!(fields);
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

/// What a task is, under the names that it has in `spec.yaml`.
pub(super) fn definition(task: &TaskDetailView) -> Value {
    let prd = task.prd.as_ref().map(|prd| {
        let refs: Vec<Value> =
            prd.refs.iter().map(|one| json!({"anchor": one.anchor, "lines": one.lines})).collect();
        json!({"source": prd.source, "refs": refs, "excerpt": prd.excerpt, "prd_hash": prd.prd_hash})
    });
    json!({"id": task.id, "title": task.title, "description": task.description,
        "acceptance_criteria": task.acceptance_criteria, "depends_on": task.dependencies, "labels": task.labels,
        "locks": task.locks, "priority": task.priority, "status": task.status, "created_at": task.created_at,
        "updated_at": task.updated_at, "prd": prd, "dependents": task.dependents, "claimable": task.claimable})
}
