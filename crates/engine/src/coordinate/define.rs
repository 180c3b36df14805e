//! Definitions: create, update, delete. The file is written under its lock, and the store told before it is let go.

use std::collections::BTreeMap;

use becket_base::Timestamp;
use becket_store::{
    AgentId, Cascade, Change, Reservation, TaskDetail, TaskId, globs,
    spec_file::{DEFAULT_PRIORITY, Definition, Edit, Field, Sheet, Status},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    answer::{Answer, agent_id},
    board::{Board, stamp_of},
    requirement::PrdInput,
    tasks::{parse_status, task_id},
    views::TaskDetailView,
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskCreate {
    pub title: String,
    /// T and the next free number if left out.
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub acceptance_criteria: Vec<String>,
    #[serde(default)]
    pub depends_on: Vec<String>,
    #[serde(default)]
    pub labels: Vec<String>,
    /// Patterns of paths that the task works on.
    #[serde(default)]
    pub locks: Vec<String>,
    /// Lower comes first; 100 if left out.
    #[serde(default)]
    pub priority: Option<i64>,
    /// ready if left out.
    #[serde(default)]
    pub status: Option<String>,
    #[serde(default)]
    pub prd: Option<PrdInput>,
    /// Who makes it.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// A word of your own: the same call with the same word is done once, however often it is repeated.
    #[serde(default)]
    pub idempotency_key: Option<String>,
    /// The worktree whose `spec.yaml` is meant.
    #[serde(default)]
    pub worktree: Option<String>,
    /// Asked by a person at a terminal, who needs no agent.
    #[serde(skip)]
    pub by_person: bool,
}

impl TaskCreate {
    /// What would be another task if it were another.
    fn wish(&self) -> serde_json::Value {
        let prd = self.prd.as_ref().map(|prd| serde_json::json!([prd.source, prd.refs, prd.excerpt]));
        serde_json::json!({
            "id": self.id, "title": self.title, "description": self.description,
            "acceptanceCriteria": self.acceptance_criteria, "dependsOn": self.depends_on, "labels": self.labels,
            "locks": self.locks, "priority": self.priority, "status": self.status, "prd": prd,
        })
    }
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskUpdate {
    pub task_id: String,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub acceptance_criteria: Option<Vec<String>>,
    #[serde(default)]
    pub depends_on: Option<Vec<String>>,
    #[serde(default)]
    pub locks: Option<Vec<String>>,
    #[serde(default)]
    pub priority: Option<i64>,
    /// A legal move only: todo, ready or blocked; a finished task can be reopened as ready.
    #[serde(default)]
    pub status: Option<String>,
    #[serde(default)]
    pub add_labels: Vec<String>,
    #[serde(default)]
    pub remove_labels: Vec<String>,
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The worktree whose `spec.yaml` is meant.
    #[serde(default)]
    pub worktree: Option<String>,
    /// Asked by a person at a terminal, who needs no agent.
    #[serde(skip)]
    pub by_person: bool,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskDelete {
    pub task_id: String,
    /// Also everything that depends on it.
    #[serde(default)]
    pub cascade: bool,
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The worktree whose tasks are meant.
    #[serde(default)]
    pub worktree: Option<String>,
    /// Asked by a person at a terminal, who needs no agent.
    #[serde(skip)]
    pub by_person: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedTask {
    pub ok: bool,
    pub task: TaskDetailView,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newly_ready_task_ids: Vec<String>,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeletedTasks {
    pub ok: bool,
    /// The task first, then what went with it.
    pub deleted_task_ids: Vec<String>,
}

const MOST_CHARACTERS: usize = 64 * 1024;
const MOST_ITEMS: usize = 500;

impl Engine {
    pub fn task_create(&self, request: &TaskCreate) -> Result<Answer<ChangedTask>, Error> {
        let agent = actor(request.agent_id.as_deref(), request.by_person)?;
        let board = self.tasks_board(request.worktree.as_deref())?;
        let call = board.caller_with_key(request.agent_id.as_deref(), request.idempotency_key.as_deref())?;
        if let Some(agent) = &agent {
            board.store.agent(agent)?;
        }
        let wish = request.wish();
        let earlier = board.store.reserved_task(&call, &wish)?;
        if let Some(made) = earlier.as_ref().map(|one| made_before(&board, one)).transpose()?.flatten() {
            return Ok(self.answered(&board, agent.as_ref(), ChangedTask::of(&made, Vec::new())));
        }
        let status = request.status.as_deref().map_or(Ok(Status::Ready), parse_status)?;
        if !matches!(status, Status::Todo | Status::Ready | Status::Blocked) {
            return Err(Error::invalid("invalid_status", format!("A new task cannot be {}.", status.word()))
                .with_hint("Create it as ready, todo or blocked."));
        }
        let (prd, warnings) = match &request.prd {
            Some(input) => {
                let (prd, warnings) = self.prd_of(&board, input)?;
                (Some(prd), warnings)
            }
            None => (None, Vec::new()),
        };
        let mut definition = Definition {
            title: request.title.trim().to_owned(),
            description: request.description.clone().unwrap_or_default(),
            acceptance_criteria: request.acceptance_criteria.clone(),
            depends_on: request.depends_on.clone(),
            labels: request.labels.clone(),
            locks: request.locks.clone(),
            priority: request.priority.unwrap_or(DEFAULT_PRIORITY),
            status,
            prd,
            ..Definition::default()
        };
        if let Some(wish) = request.id.as_deref() {
            definition.id = task_id(wish)?.to_string();
        }
        validate(&definition)?;
        let reserved = match earlier {
            Some(reserved) => reserved,
            None => board.store.reserve_task(&call, &wish, &board.worktree, &definition, &now())?,
        };
        definition.id = reserved.id.to_string();
        definition.created_at = Some(reserved.created_at.clone());
        definition.updated_at = Some(reserved.created_at);
        board.store.check_definition(&board.worktree, &definition, Change::Create)?;
        board.spec.change_then::<Error>(
            |_| Ok(vec![Edit::Create(Box::new(definition.clone()))]),
            |after| {
                let written = find(after, &definition.id)?;
                Ok(board.store.create_task(&call, &board.worktree, &stamp_of(after), &written)?)
            },
        )?;
        let detail = board.store.task(&board.worktree, &TaskId::new(&definition.id))?;
        Ok(self.answered(&board, agent.as_ref(), ChangedTask::of(&detail, warnings)))
    }

    pub fn task_update(&self, request: &TaskUpdate) -> Result<Answer<ChangedTask>, Error> {
        let agent = actor(request.agent_id.as_deref(), request.by_person)?;
        let id = task_id(&request.task_id)?;
        let board = self.tasks_board(request.worktree.as_deref())?;
        let call = board.caller(request.agent_id.as_deref())?;
        if let Some(agent) = &agent {
            board.store.agent(agent)?;
        }
        let before = board.store.task(&board.worktree, &id)?;
        let fields = fields(request, &before.definition);
        if fields.is_empty() && request.status.is_none() {
            return Err(Error::invalid("nothing_to_change", "There is nothing to change.")
                .with_hint("Give a new value that differs from the present one."));
        }
        let status = request.status.as_deref().map(parse_status).transpose()?;
        if !fields.is_empty() {
            let mut meant = before.definition.clone();
            for field in &fields {
                field.apply(&mut meant);
            }
            validate(&meant)?;
            board.store.check_definition(&board.worktree, &meant, Change::Update)?;
        }
        // The move first: it may be refused, and then nothing shall be written.
        let (mut newly_ready, mut warnings) = (Vec::new(), Vec::new());
        if let Some(status) = status {
            let outcome = board.store.move_task(&call, &board.worktree, &id, status)?;
            newly_ready.extend(outcome.newly_ready);
            warnings.extend(outcome.warnings.iter().map(super::views::warning));
            self.coordinate.flusher.nudge(&board);
        }
        if !fields.is_empty() {
            let mut edits = fields;
            edits.push(Field::UpdatedAt(Some(now())));
            board.spec.change_then::<Error>(
                |_| Ok(vec![Edit::Set { id: id.to_string(), fields: edits.clone() }]),
                |after| {
                    let written = find(after, id.as_str())?;
                    let ready =
                        board.store.update_task(&call, &board.worktree, &stamp_of(after), &written)?;
                    newly_ready.extend(ready);
                    Ok(())
                },
            )?;
        }
        let detail = board.store.task(&board.worktree, &id)?;
        newly_ready.sort();
        newly_ready.dedup();
        let changed = ChangedTask {
            ok: true,
            task: TaskDetailView::from(&detail),
            newly_ready_task_ids: newly_ready.iter().map(ToString::to_string).collect(),
            warnings,
        };
        Ok(self.answered_about(&board, agent.as_ref(), &id, changed))
    }

    pub fn task_delete(&self, request: &TaskDelete) -> Result<Answer<DeletedTasks>, Error> {
        let agent = actor(request.agent_id.as_deref(), request.by_person)?;
        let board = self.tasks_board(request.worktree.as_deref())?;
        let call = board.caller(request.agent_id.as_deref())?;
        let cascade = if request.cascade { Cascade::Dependents } else { Cascade::Refuse };
        let deleted =
            board.store.delete_task(&call, &board.worktree, &task_id(&request.task_id)?, cascade)?;
        self.coordinate.flusher.nudge(&board);
        let answer = DeletedTasks {
            ok: true,
            deleted_task_ids: deleted.tasks.iter().map(ToString::to_string).collect(),
        };
        Ok(self.answered(&board, agent.as_ref(), answer))
    }
}

impl ChangedTask {
    fn of(detail: &TaskDetail, warnings: Vec<String>) -> Self {
        Self { ok: true, task: TaskDetailView::from(detail), newly_ready_task_ids: Vec::new(), warnings }
    }
}

/// The task that an earlier call with the same key has written, if it came so far. The time tells it from another's.
fn made_before(board: &Board, earlier: &Reservation) -> Result<Option<TaskDetail>, Error> {
    match board.store.task(&board.worktree, &earlier.id) {
        Ok(detail) if detail.definition.created_at.as_ref() == Some(&earlier.created_at) => Ok(Some(detail)),
        Ok(_) | Err(becket_store::Error::UnknownTask { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whoever is no person at a terminal says who it is.
fn actor(agent: Option<&str>, by_person: bool) -> Result<Option<AgentId>, Error> {
    match agent {
        None if !by_person => Err(becket_store::Error::NoAgent.into()),
        agent => agent.map(agent_id).transpose(),
    }
}

fn find(sheet: &Sheet, id: &str) -> Result<Definition, Error> {
    sheet
        .task(id)?
        .ok_or_else(|| Error::internal(format!("`{id}` is not in spec.yaml after it was written.")))
}

/// Only what differs: an update that changes nothing writes nothing.
fn fields(request: &TaskUpdate, before: &Definition) -> Vec<Field> {
    let mut fields = Vec::new();
    let title = request.title.as_ref().map(|title| title.trim().to_owned());
    fields.extend(title.filter(|title| *title != before.title).map(Field::Title));
    fields.extend(
        request.description.clone().filter(|text| *text != before.description).map(Field::Description),
    );
    let changed =
        |wanted: &Option<Vec<String>>, present: &Vec<String>| wanted.clone().filter(|list| list != present);
    fields.extend(
        changed(&request.acceptance_criteria, &before.acceptance_criteria).map(Field::AcceptanceCriteria),
    );
    fields.extend(changed(&request.depends_on, &before.depends_on).map(Field::DependsOn));
    fields.extend(changed(&request.locks, &before.locks).map(Field::Locks));
    fields.extend(request.priority.filter(|number| *number != before.priority).map(Field::Priority));
    let mut labels = before.labels.clone();
    labels.retain(|label| !request.remove_labels.contains(label));
    for label in &request.add_labels {
        if !labels.contains(label) {
            labels.push(label.clone());
        }
    }
    if labels != before.labels {
        fields.push(Field::Labels(labels));
    }
    fields
}

/// Bounds, so that no call makes a file that nobody can work with.
fn validate(definition: &Definition) -> Result<(), Error> {
    let wrong = |message: String| {
        Error::invalid("invalid_arguments", message).with_hint("Correct that argument; nothing was written.")
    };
    if definition.title.is_empty() || definition.title.contains('\n') {
        return Err(wrong("`title` is one line of text.".to_owned()));
    }
    let odd_id = definition.id.chars().count() > 100 || definition.id.chars().any(char::is_control);
    if odd_id {
        return Err(wrong("`id` has at most 100 characters, and none that cannot be shown.".to_owned()));
    }
    let texts: BTreeMap<&str, &str> =
        [("title", definition.title.as_str()), ("description", definition.description.as_str())].into();
    for (name, text) in texts {
        if text.chars().count() > MOST_CHARACTERS {
            return Err(wrong(format!("`{name}` has more than {MOST_CHARACTERS} characters.")));
        }
    }
    let lists = [
        ("acceptanceCriteria", &definition.acceptance_criteria),
        ("dependsOn", &definition.depends_on),
        ("labels", &definition.labels),
        ("locks", &definition.locks),
    ];
    for (name, list) in lists {
        let long = list.iter().any(|item| item.chars().count() > 4_096 || item.trim().is_empty());
        if list.len() > MOST_ITEMS || long {
            return Err(wrong(format!(
                "`{name}` has at most {MOST_ITEMS} items, none of them empty or over 4096 characters."
            )));
        }
    }
    for pattern in &definition.locks {
        globs::validate(pattern).map_err(|error| {
            Error::invalid("invalid_lock", crate::repository::sentence(&error.to_string()))
                .with_hint("A lock is a pattern such as src/auth/**.")
                .with_source(error)
        })?;
    }
    Ok(())
}

/// As the original writes it: microseconds.
fn now() -> String {
    let now = Timestamp::now();
    Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task() -> Definition {
        Definition {
            id: "T1".to_owned(),
            title: "One".to_owned(),
            labels: vec!["ui".to_owned(), "api".to_owned()],
            ..Definition::default()
        }
    }

    #[test]
    fn an_update_writes_only_what_differs() {
        let request = TaskUpdate {
            title: Some(" One ".to_owned()),
            priority: Some(0),
            add_labels: vec!["api".to_owned(), "new".to_owned()],
            remove_labels: vec!["ui".to_owned(), "never".to_owned()],
            ..TaskUpdate::default()
        };
        let labels = vec!["api".to_owned(), "new".to_owned()];
        assert_eq!(fields(&request, &task()), [Field::Labels(labels)]);
        assert!(fields(&TaskUpdate::default(), &task()).is_empty());
    }

    #[test]
    fn bounds_keep_a_file_workable() {
        assert!(validate(&task()).is_ok());
        let wrong = [
            Definition { title: String::new(), ..task() },
            Definition { title: "two\nlines".to_owned(), ..task() },
            Definition { id: "x".repeat(101), ..task() },
            Definition { id: "a\u{7}".to_owned(), ..task() },
            Definition { description: "é".repeat(MOST_CHARACTERS + 1), ..task() },
            Definition { labels: vec![" ".to_owned()], ..task() },
            Definition { labels: vec!["x".to_owned(); MOST_ITEMS + 1], ..task() },
            Definition { locks: vec!["../outside".to_owned()], ..task() },
        ];
        for definition in wrong {
            let error = validate(&definition).unwrap_err();
            assert!(["invalid_arguments", "invalid_lock"].contains(&error.code()), "{error}");
        }
    }

    #[test]
    fn whoever_is_no_person_says_who_it_is() {
        assert_eq!(actor(None, false).unwrap_err().code(), "agent_required");
        assert_eq!(actor(None, true).unwrap(), None);
        assert_eq!(actor(Some("A1"), false).unwrap().unwrap().as_str(), "A1");
    }
}
