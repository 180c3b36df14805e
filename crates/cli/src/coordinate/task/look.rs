//! Looking at tasks: list, show, context, next, graph.

use std::collections::BTreeSet;

use becket_engine::{
    Engine, Error,
    coordinate::{TaskContext, TaskGet, TaskGraph, TaskList, TaskNext, TaskRow},
};
use serde_json::{Value, json};

use super::define::definition;
use crate::coordinate::{Outcome, table, word};

#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// todo, ready, blocked, done, verified, deleted or all
    #[arg(short, long)]
    status: Option<String>,
    /// Only tasks with this label
    #[arg(short, long)]
    label: Option<String>,
    /// Also deleted tasks
    #[arg(long)]
    include_deleted: bool,
    /// At most so many; all if left out
    #[arg(short = 'n', long)]
    limit: Option<usize>,
    /// Accepted, and not needed
    #[arg(long, hide = true)]
    agent: Option<String>,
}

impl List {
    pub(super) fn run(self, engine: &Engine) -> Result<Outcome, Error> {
        let mut rows: Vec<TaskRow> = Vec::new();
        let mut warnings: Vec<String> = Vec::new();
        let mut cursor = None;
        let mut total;
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
            total = page.total;
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
        if cursor.is_some() {
            warnings.push(format!("{} of {total} tasks are shown; --limit shows more.", tasks.len()));
        }
        let data = json!({"tasks": tasks, "count": tasks.len(), "total": total});
        Ok(Outcome::new(data, text).warn(warnings))
    }
}

pub(super) fn show(engine: &Engine, id: String) -> Result<Outcome, Error> {
    let found = engine.task_get(&TaskGet { task_id: id, ..TaskGet::default() })?.answer;
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
    let participants = if runtime.messages == 0 { BTreeSet::new() } else { writers(engine, &task.id)? };
    let lease = runtime.lease.as_ref().map(|lease| {
        json!({"lease_id": lease.lease_id, "agent_id": lease.agent_id, "expires_at": lease.expires_at,
            "generation": lease.generation})
    });
    let mut data = definition(task);
    let more = json!({
        "status": runtime.status, "completed_by": runtime.completed_by, "completed_at": runtime.completed_at,
        "verified_by": runtime.verified_by, "verified_at": runtime.verified_at,
        "lease": lease, "claimed_by": lease, "message_count": runtime.messages,
        "communication": {"message_count": runtime.messages, "participating_agents": participants},
    });
    if let (Some(data), Value::Object(more)) = (data.as_object_mut(), more) {
        data.extend(more);
    }
    Ok(Outcome::new(data, lines.join("\n")).warn(found.warnings))
}

/// Who wrote into the thread of a task.
fn writers(engine: &Engine, task: &str) -> Result<BTreeSet<String>, Error> {
    let mut writers = BTreeSet::new();
    let mut since: Option<String> = None;
    loop {
        let page = engine.message_thread(task, None, since.as_deref(), Some(200))?;
        writers.extend(page.messages.into_iter().map(|message| message.from));
        since = page.next_cursor;
        if since.is_none() {
            return Ok(writers);
        }
    }
}

pub(super) fn context(engine: &Engine, id: String, max_chars: usize) -> Result<Outcome, Error> {
    let request = TaskContext { task_id: id, max_chars: Some(max_chars), ..TaskContext::default() };
    let found = engine.task_context(&request)?.answer;
    let data = json!({
        "task_id": found.task_id, "title": found.title, "description": found.description, "content": found.content,
        "truncated": found.truncated,
        "prd_source": found.context.prd_source, "prd_excerpt": found.context.prd_excerpt,
        "prd_sections": found.context.sections, "drift": found.context.drift,
    });
    let cut = found.truncated.then(|| format!("Cut to {max_chars} characters; --max-chars shows more."));
    Ok(Outcome::new(data, format!("{}  {}\n\n{}", found.task_id, found.title, found.content))
        .warn(found.warnings)
        .warn(cut.into_iter().collect()))
}

pub(super) fn next(
    engine: &Engine,
    count: usize,
    agent: Option<String>,
    labels: Vec<String>,
) -> Result<Outcome, Error> {
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
            format!("task claim {} --agent <agent-id>", word(&first.id)),
            "Claim the first",
        ),
        None => outcome,
    })
}

pub(super) fn graph(engine: &Engine, format: Option<&str>, include_deleted: bool) -> Result<Outcome, Error> {
    let graph = engine.task_graph(&TaskGraph { include_deleted, worktree: None })?;
    let text = match format {
        Some("dot") => graph.dot(),
        Some("json") => serde_json::to_string_pretty(&json!({"nodes": graph.nodes, "edges": graph.edges}))
            .unwrap_or_default(),
        _ => graph.drawing(),
    };
    let data = match format {
        Some("dot") => json!({"dot": graph.dot()}),
        _ => json!({"nodes": graph.nodes, "edges": graph.edges}),
    };
    // The drawing says what is wrong itself.
    let warnings = if matches!(format, Some("dot" | "json")) { graph.warnings } else { Vec::new() };
    Ok(Outcome::new(data, text).warn(warnings))
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
