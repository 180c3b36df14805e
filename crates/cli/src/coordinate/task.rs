//! `becket task …` and `lodestar task …`: what is to be done, in words for people; the rules are the engine's.

use becket_engine::{
    Engine, Error,
    coordinate::{
        InitOptions, PrdInput, TaskClaim, TaskClaimNext, TaskContext, TaskCreate, TaskDelete, TaskFinish,
        TaskGet, TaskGraph, TaskList, TaskNext, TaskRelease, TaskRenew, TaskRow, TaskUpdate,
    },
};
use serde_json::{Value, json};

use super::{Outcome, required, seconds, table};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Task {
    /// Make `.lodestar/` with an empty list of tasks here
    Init {
        /// The name of the project; the folder's if left out
        #[arg(short, long)]
        name: Option<String>,
    },
    /// List tasks by priority
    List(List),
    /// Show one task
    Show {
        id: String,
        #[arg(long, hide = true)]
        agent: Option<String>,
    },
    /// The requirements behind a task, and whether they changed
    Context {
        id: String,
        /// The budget in characters
        #[arg(short, long, default_value_t = 1_000)]
        max_chars: usize,
    },
    /// Add a task
    Create(Box<Create>),
    /// Change a task
    Update(Box<Update>),
    /// Tasks that can be claimed now
    Next {
        #[arg(short = 'n', long, default_value_t = 1)]
        count: usize,
        /// Puts tasks first whose labels are capabilities of this agent
        #[arg(short, long)]
        agent: Option<String>,
        #[arg(short, long)]
        label: Vec<String>,
    },
    /// Take the lease of a task; without an id, of the best free one
    Claim(Claim),
    /// Let a lease last longer
    Renew {
        id: Option<String>,
        #[arg(short, long)]
        agent: Option<String>,
        #[arg(short, long, value_parser = seconds)]
        ttl: Option<u64>,
    },
    /// Give a task back
    Release {
        id: String,
        /// The holder; whoever holds it if left out
        #[arg(short, long)]
        agent: Option<String>,
        #[arg(long)]
        reason: Option<String>,
    },
    /// Mark a task as done
    Done(Finish),
    /// Mark a done task as verified
    Verify(Finish),
    /// Done and verified at once
    Complete(Finish),
    /// Mark a task as deleted
    Delete {
        id: String,
        /// Also everything that depends on it
        #[arg(long)]
        cascade: bool,
        #[arg(short, long)]
        agent: Option<String>,
    },
    /// How tasks depend on each other
    Graph {
        /// json, dot or text; text for a person
        #[arg(short, long, value_parser = ["json", "dot", "text"])]
        format: Option<String>,
        /// Also deleted tasks
        #[arg(long)]
        include_deleted: bool,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// todo, ready, blocked, done, verified, deleted or all
    #[arg(short, long)]
    status: Option<String>,
    #[arg(short, long)]
    label: Option<String>,
    #[arg(long)]
    include_deleted: bool,
    /// At most so many; all if left out
    #[arg(short = 'n', long)]
    limit: Option<usize>,
    #[arg(long, hide = true)]
    agent: Option<String>,
}

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
    /// A heading or anchor of that document
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

#[derive(Debug, clap::Args)]
pub(crate) struct Claim {
    id: Option<String>,
    #[arg(short, long)]
    agent: Option<String>,
    #[arg(short, long, value_parser = seconds)]
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

#[derive(Debug, clap::Args)]
pub(crate) struct Finish {
    id: String,
    /// Who finished it; whoever holds it if left out
    #[arg(short, long)]
    agent: Option<String>,
    #[arg(long)]
    note: Option<String>,
}

impl Task {
    /// For the name of the command in envelopes and explanations.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Task::Init { .. } => "task init",
            Task::List(_) => "task list",
            Task::Show { .. } => "task show",
            Task::Context { .. } => "task context",
            Task::Create(_) => "task create",
            Task::Update(_) => "task update",
            Task::Next { .. } => "task next",
            Task::Claim(_) => "task claim",
            Task::Renew { .. } => "task renew",
            Task::Release { .. } => "task release",
            Task::Done(_) => "task done",
            Task::Verify(_) => "task verify",
            Task::Complete(_) => "task complete",
            Task::Delete { .. } => "task delete",
            Task::Graph { .. } => "task graph",
        }
    }

    pub(crate) fn run(self, engine: &Engine) -> Result<Outcome, Error> {
        match self {
            Task::Init { name } => {
                let root = engine.workspace()?.root.clone();
                let made = engine.lodestar_init(
                    Some(&root),
                    &InitOptions { name, bare: true, ..InitOptions::default() },
                )?;
                engine.register_merge_driver(&crate::context::own_binary()?)?;
                let text = format!("Made {} in {}.", made.files_created.join(", "), made.path);
                Ok(Outcome::new(json!(made), text))
            }
            Task::List(list) => list.run(engine),
            Task::Show { id, .. } => show(engine, id),
            Task::Context { id, max_chars } => context(engine, id, max_chars),
            Task::Create(create) => create.run(engine),
            Task::Update(update) => update.run(engine),
            Task::Next { count, agent, label } => next(engine, count, agent, label),
            Task::Claim(claim) => claim.run(engine),
            Task::Renew { id, agent, ttl } => renew(engine, id, agent, ttl),
            Task::Release { id, agent, reason } => release(engine, id, agent, reason),
            Task::Done(finish) => {
                let (id, request) = finish.request(engine)?;
                let done = engine.task_done(&request)?.answer;
                let data = json!({"id": id, "status": done.status, "task_id": id});
                Ok(Outcome::new(data, format!("{id} is done.")).warn(done.warnings).then(
                    "task.verify",
                    format!("lodestar task verify {id}"),
                    "Verify it",
                ))
            }
            Task::Verify(finish) => {
                let (id, request) = finish.request(engine)?;
                let verified = engine.task_verify(&request)?.answer;
                Ok(ended(&id, verified))
            }
            Task::Complete(finish) => {
                let (id, request) = finish.request(engine)?;
                let verified = engine.task_complete(&request)?.answer;
                Ok(ended(&id, verified))
            }
            Task::Delete { id, cascade, agent } => {
                let request =
                    TaskDelete { task_id: id, cascade, agent_id: agent, worktree: None, by_person: true };
                let deleted = engine.task_delete(&request)?.answer.deleted_task_ids;
                let text = format!("Deleted {}.", deleted.join(", "));
                Ok(Outcome::new(json!({"deleted": deleted, "count": deleted.len()}), text))
            }
            Task::Graph { format, include_deleted } => {
                let graph = engine.task_graph(&TaskGraph { include_deleted, worktree: None })?;
                let text = match format.as_deref() {
                    Some("dot") => graph.dot(),
                    Some("json") => {
                        serde_json::to_string_pretty(&json!({"nodes": graph.nodes, "edges": graph.edges}))
                            .unwrap_or_default()
                    }
                    _ => graph.drawing(),
                };
                let data = match format.as_deref() {
                    Some("dot") => json!({"dot": graph.dot()}),
                    _ => json!({"nodes": graph.nodes, "edges": graph.edges}),
                };
                Ok(Outcome::new(data, text))
            }
        }
    }
}

impl List {
    fn run(self, engine: &Engine) -> Result<Outcome, Error> {
        let mut rows: Vec<TaskRow> = Vec::new();
        let mut warnings: Vec<String> = Vec::new();
        let mut cursor = None;
        let status = self.status.or_else(|| self.include_deleted.then(|| "all".to_owned()));
        loop {
            let limit = self.limit.map_or(200, |limit| limit.saturating_sub(rows.len()).clamp(1, 200));
            let page = engine.task_list(&TaskList {
                status: status.clone(),
                label: self.label.clone(),
                limit: Some(limit),
                cursor,
                worktree: None,
            })?;
            rows.extend(page.tasks);
            warnings.extend(page.warnings);
            cursor = page.next_cursor;
            if cursor.is_none() || self.limit.is_some_and(|limit| rows.len() >= limit) {
                break;
            }
        }
        warnings.sort();
        warnings.dedup();
        let text = if rows.is_empty() { "No tasks.".to_owned() } else { list_text(&rows) };
        let tasks: Vec<Value> = rows.iter().map(row_data).collect();
        Ok(Outcome::new(json!({"tasks": tasks, "count": tasks.len()}), text).warn(warnings))
    }
}

impl Create {
    fn run(self, engine: &Engine) -> Result<Outcome, Error> {
        let prd = self.prd_source.map(|source| PrdInput {
            source,
            refs: self.prd_ref,
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
                worktree: None,
                by_person: true,
            })?
            .answer;
        let task = created.task;
        let data = json!({"id": task.id, "title": task.title, "status": task.status, "priority": task.priority,
            "labels": task.labels, "depends_on": task.dependencies, "locks": task.locks,
            "acceptance_criteria": task.acceptance_criteria});
        let id = task.id.clone();
        Ok(Outcome::new(data, format!("Created {} {}.", task.id, task.title)).warn(created.warnings).then(
            "task.claim",
            format!("lodestar task claim {id} --agent <agent-id>"),
            "Claim it",
        ))
    }
}

impl Update {
    fn run(self, engine: &Engine) -> Result<Outcome, Error> {
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

impl Claim {
    fn run(self, engine: &Engine) -> Result<Outcome, Error> {
        let agent_id = required(self.agent, "--agent")?;
        let id = match (self.id, self.next) {
            (Some(id), _) => id,
            (None, true) => {
                let request = TaskClaimNext {
                    agent_id: agent_id.clone(),
                    ttl_seconds: self.ttl,
                    ..TaskClaimNext::default()
                };
                let claimed = engine.task_claim_next(&request)?.answer;
                let Some(task) = claimed.task else {
                    let mut outcome = Outcome::new(json!({"claimed": null}), claimed.rationale);
                    outcome.refused = true;
                    return Ok(outcome);
                };
                // The lease is ours by now: what follows tells the same as of a claim by id.
                task.id
            }
            (None, false) => required(None, "TASK_ID (or --next)")?,
        };
        let request = TaskClaim {
            task_id: id.clone(),
            agent_id: agent_id.clone(),
            ttl_seconds: self.ttl,
            ..TaskClaim::default()
        };
        let claimed = engine.task_claim(&request)?.answer;
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
            let mut outcome = Outcome::new(json!({"error": text, "conflict": conflict}), text);
            outcome.refused = true;
            return Ok(outcome.then("task.next", "lodestar task next".to_owned(), "Find another task"));
        };
        let mut data = json!({"lease_id": lease.lease_id, "task_id": lease.task_id, "agent_id": lease.agent_id,
            "expires_at": lease.expires_at, "ttl_seconds": lease.ttl_seconds, "generation": lease.generation,
            "unread_count": claimed.unread_count.unwrap_or_default(),
            "handoff_message": claimed.handoff_message.as_ref().map(|message| json!({"from": message.from, "text": message.body}))});
        let mut text = format!("{} is yours until {}.", lease.task_id, lease.expires_at);
        if !self.no_context {
            let context = engine.task_context(&TaskContext {
                task_id: id.clone(),
                max_chars: Some(1_000),
                worktree: None,
            })?;
            data["context"] = json!({"title": context.title, "description": context.content,
                "prd_source": context.context.prd_source, "prd_excerpt": context.context.prd_excerpt});
            text = format!("{text}\n\n{}\n{}", context.title, context.content);
        }
        let warnings = if self.force { Vec::new() } else { claimed.warnings };
        Ok(Outcome::new(data, text)
            .warn(warnings)
            .then(
                "task.done",
                format!("lodestar task done {id} --agent {agent_id}"),
                "When the work is finished",
            )
            .then("task.renew", format!("lodestar task renew {id} --agent {agent_id}"), "If it takes longer"))
    }
}

impl Finish {
    /// Whoever holds the task is meant where nobody is named.
    fn request(self, engine: &Engine) -> Result<(String, TaskFinish), Error> {
        let holder = match self.agent {
            Some(agent) => Some(agent),
            None => {
                engine.task_get(&TaskGet { task_id: self.id.clone(), worktree: None })?.runtime.claimed_by
            }
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

fn ended(id: &str, verified: becket_engine::coordinate::Verified) -> Outcome {
    let freed = match verified.newly_ready_task_ids.as_slice() {
        [] => String::new(),
        ids => format!(" Newly ready: {}.", ids.join(", ")),
    };
    let data = json!({"id": id, "task_id": id, "status": verified.status, "unblocked": verified.newly_ready_task_ids});
    Outcome::new(data, format!("{id} is {}.{freed}", verified.status)).warn(verified.warnings)
}

fn show(engine: &Engine, id: String) -> Result<Outcome, Error> {
    let found = engine.task_get(&TaskGet { task_id: id, worktree: None })?;
    let (task, runtime) = (&found.task, &found.runtime);
    let mut lines = vec![format!("{}  {}", task.id, task.title), format!("status      {}", runtime.status)];
    let mut add = |name: &str, values: &[String]| {
        if !values.is_empty() {
            lines.push(format!("{name:<11} {}", values.join(", ")));
        }
    };
    add("priority", &[task.priority.to_string()]);
    add("labels", &task.labels);
    add("depends on", &task.dependencies);
    add("waits for", &task.unmet_dependencies);
    add("needed by", &task.dependents);
    add("locks", &task.locks);
    if let Some(lease) = &runtime.lease {
        add("held by", &[format!("{} until {}", lease.agent_id, lease.expires_at)]);
    }
    add("messages", &[runtime.messages.to_string()]);
    for criterion in &task.acceptance_criteria {
        lines.push(format!("  [ ] {criterion}"));
    }
    if !task.description.is_empty() {
        lines.push(format!("\n{}", task.description.trim_end()));
    }
    let data = json!({
        "id": task.id, "title": task.title, "description": task.description, "status": runtime.status,
        "priority": task.priority, "labels": task.labels, "locks": task.locks, "depends_on": task.dependencies,
        "dependents": task.dependents, "acceptance_criteria": task.acceptance_criteria, "prd": task.prd,
        "created_at": task.created_at, "updated_at": task.updated_at,
        "completed_by": runtime.completed_by, "completed_at": runtime.completed_at,
        "verified_by": runtime.verified_by, "verified_at": runtime.verified_at,
        "claimable": task.claimable,
        "lease": runtime.lease.as_ref().map(|lease| json!({"lease_id": lease.lease_id, "agent_id": lease.agent_id,
            "expires_at": lease.expires_at, "generation": lease.generation})),
        "message_count": runtime.messages,
    });
    Ok(Outcome::new(data, lines.join("\n")).warn(found.warnings))
}

fn context(engine: &Engine, id: String, max_chars: usize) -> Result<Outcome, Error> {
    let found =
        engine.task_context(&TaskContext { task_id: id, max_chars: Some(max_chars), worktree: None })?;
    let data = json!({
        "task_id": found.task_id, "title": found.title, "content": found.content, "truncated": found.truncated,
        "prd_source": found.context.prd_source, "prd_excerpt": found.context.prd_excerpt,
        "prd_sections": found.context.sections, "drift": found.context.drift,
    });
    Ok(Outcome::new(data, format!("{}  {}\n\n{}", found.task_id, found.title, found.content))
        .warn(found.warnings))
}

fn next(engine: &Engine, count: usize, agent: Option<String>, labels: Vec<String>) -> Result<Outcome, Error> {
    let request = TaskNext { agent_id: agent, limit: Some(count), labels, ..TaskNext::default() };
    let found = engine.task_next(&request)?.answer;
    let text =
        if found.candidates.is_empty() { found.rationale.clone() } else { list_text(&found.candidates) };
    let tasks: Vec<Value> = found.candidates.iter().map(row_data).collect();
    let data = json!({"tasks": tasks, "count": tasks.len(), "total_claimable": found.total_claimable, "rationale": found.rationale});
    let outcome = Outcome::new(data, text).warn(found.warnings);
    Ok(match found.candidates.first() {
        Some(first) => outcome.then(
            "task.claim",
            format!("lodestar task claim {} --agent <agent-id>", first.id),
            "Claim the first",
        ),
        None => outcome,
    })
}

fn renew(
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
    let lease = engine.task_renew(&request)?.answer.lease;
    let data = json!({"lease_id": lease.lease_id, "task_id": lease.task_id, "agent_id": lease.agent_id,
        "expires_at": lease.expires_at, "ttl_seconds": lease.ttl_seconds});
    Ok(Outcome::new(data, format!("{} is yours until {}.", lease.task_id, lease.expires_at)))
}

fn release(
    engine: &Engine,
    id: String,
    agent: Option<String>,
    reason: Option<String>,
) -> Result<Outcome, Error> {
    let agent_id = if let Some(agent) = agent {
        agent
    } else {
        let found = engine.task_get(&TaskGet { task_id: id.clone(), worktree: None })?;
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

fn list_text(rows: &[TaskRow]) -> String {
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|task| {
            vec![
                task.id.clone(),
                task.status.clone(),
                task.priority.to_string(),
                task.claimed_by_agent_id
                    .clone()
                    .unwrap_or_else(|| if task.claimable { "free".to_owned() } else { "-".to_owned() }),
                becket_base::clip(&task.title, 70).to_string(),
            ]
        })
        .collect();
    table(&["ID", "STATUS", "PRIORITY", "HELD BY", "TITLE"], &cells)
}

fn row_data(task: &TaskRow) -> Value {
    json!({"id": task.id, "title": task.title, "status": task.status, "priority": task.priority, "labels": task.labels,
        "depends_on": task.dependencies, "claimed_by": task.claimed_by_agent_id, "claimable": task.claimable})
}
