//! Just enough of the document of requirements: excerpt, live sections, and whether these sections changed since the task
//! was written.

use becket_store::{
    prd,
    spec_file::{Prd, PrdReference},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{answer::Answer, board::Board, tasks::task_id};
use crate::{Engine, Error};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskContext {
    pub task_id: String,
    /// Who asks: reading about a task that it holds keeps its lease.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The budget of `content`, in characters; 4000 if left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100_000))]
    pub max_chars: Option<usize>,
    /// The worktree whose files are meant.
    #[serde(default)]
    pub worktree: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextAnswer {
    pub task_id: String,
    pub title: String,
    pub context: PrdContext,
    /// Description, excerpt and live sections, within the budget.
    pub content: String,
    pub truncated: bool,
    pub warnings: Vec<String>,
    /// Alone, which `content` begins with.
    #[serde(skip)]
    pub description: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrdContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prd_source: Option<String>,
    /// The first reference; all of them are in `sections`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prd_ref: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prd_excerpt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    pub sections: Vec<SectionView>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Drift {
    /// Whether a section that the task points to changed since the task was written.
    pub changed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
}

/// Where a section is today; its text is in `content`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SectionView {
    pub anchor: String,
    pub found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<[usize; 2]>,
    /// Absent where the task does not say what the section was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
}

const DEFAULT_BUDGET: usize = 4_000;
const MOST_BYTES: u64 = 16 * 1024 * 1024;

impl Engine {
    pub fn task_context(&self, request: &TaskContext) -> Result<Answer<ContextAnswer>, Error> {
        let budget = request.max_chars.unwrap_or(DEFAULT_BUDGET);
        if !(1..=100_000).contains(&budget) {
            return Err(Error::invalid("invalid_arguments", "`maxChars` is a number from 1 to 100000.")
                .with_hint("Leave it out for 4000."));
        }
        let id = task_id(&request.task_id)?;
        let board = self.tasks_board(request.worktree.as_deref())?;
        let agent = board.asking(request.agent_id.as_deref())?;
        let task = board.store.task(&board.worktree, &id)?.definition;
        let mut parts = Vec::new();
        let mut warnings = Vec::new();
        if !task.description.trim().is_empty() {
            parts.push(task.description.trim().to_owned());
        }
        let mut context = PrdContext {
            prd_source: None,
            prd_ref: None,
            prd_excerpt: None,
            drift: None,
            sections: Vec::new(),
        };
        if let Some(pointer) = &task.prd {
            context.prd_source = Some(pointer.source.clone());
            context.prd_ref = pointer.refs.first().map(|one| one.anchor.clone());
            context.prd_excerpt.clone_from(&pointer.excerpt);
            parts.extend(pointer.excerpt.iter().map(|text| text.trim().to_owned()));
            match self.prd_document(&board, &pointer.source) {
                Ok(document) => {
                    context.sections = sections(&document, pointer, &mut parts);
                    let drift = drift(&document, pointer, &context.sections);
                    warnings.extend(drift.details.clone().filter(|_| drift.changed));
                    context.drift = Some(drift);
                }
                Err(error) => warnings.push(error.message().to_owned()),
            }
        }
        let cut = prd::excerpt(&parts.join("\n\n"), budget);
        if let Some(excerpt) = &mut context.prd_excerpt {
            *excerpt = prd::excerpt(excerpt, budget).text;
        }
        let answer = ContextAnswer {
            task_id: task.id,
            title: task.title,
            context,
            content: cut.text,
            truncated: cut.truncated,
            warnings,
            description: task.description,
        };
        Ok(self.answered_about(&board, agent.as_ref(), &id, answer))
    }

    /// What `task.get` says about the document: missing, or changed.
    pub(super) fn prd_warnings(&self, board: &Board, pointer: &Prd) -> Vec<String> {
        match self.prd_document(board, &pointer.source) {
            Ok(document) => {
                let sections = sections(&document, pointer, &mut Vec::new());
                let drift = drift(&document, pointer, &sections);
                drift.details.filter(|_| drift.changed).into_iter().collect()
            }
            Err(error) => vec![error.message().to_owned()],
        }
    }

    /// The document, if it lies inside the repository.
    pub(super) fn prd_document(&self, board: &Board, source: &str) -> Result<String, Error> {
        // Relative to the folder of `.lodestar/`, which may lie below the root of the repository.
        let inside = board
            .root
            .strip_prefix(&board.sandbox.workspace().root)
            .ok()
            .filter(|path| !path.as_os_str().is_empty());
        let named = match inside {
            Some(inside) => inside.join(source).to_string_lossy().into_owned(),
            None => source.to_owned(),
        };
        let admitted = if board.root.starts_with(&board.sandbox.workspace().root) {
            board.sandbox.admit(&named)?
        } else {
            board.sandbox.admit(board.root.join(source))?
        };
        let unreadable = |error: becket_project::files::FileError| {
            Error::unavailable("prd_unreadable", format!("`{source}` cannot be read: {error}."))
                .with_hint("Check the path in `prd.source` of the task.")
                .with_source(error)
        };
        let bytes = becket_project::files::read(&admitted.absolute, MOST_BYTES).map_err(unreadable)?;
        let bytes = bytes.ok_or_else(|| {
            Error::not_found("prd_missing", format!("The document `{source}` of the task does not exist."))
                .with_hint("Correct `prd.source` of the task in .lodestar/spec.yaml.")
        })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn sections(document: &str, pointer: &Prd, parts: &mut Vec<String>) -> Vec<SectionView> {
    let view = |reference: &PrdReference| match prd::section(document, reference) {
        Some(section) => {
            parts.push(section.text.trim().to_owned());
            SectionView {
                anchor: reference.anchor.clone(),
                found: true,
                lines: Some([section.first_line, section.last_line]),
                changed: reference.section_hash.as_ref().map(|before| *before != prd::section_hash(&section)),
            }
        }
        None => SectionView { anchor: reference.anchor.clone(), found: false, lines: None, changed: None },
    };
    pointer.refs.iter().map(view).collect()
}

fn drift(document: &str, pointer: &Prd, sections: &[SectionView]) -> Drift {
    let lost: Vec<&str> = sections.iter().filter(|one| !one.found).map(|one| one.anchor.as_str()).collect();
    let moved: Vec<&str> =
        sections.iter().filter(|one| one.changed == Some(true)).map(|one| one.anchor.as_str()).collect();
    let known = !sections.is_empty() && sections.iter().all(|one| one.changed.is_some() || !one.found);
    let whole = pointer.prd_hash.as_ref().is_some_and(|before| *before != prd::hash(document));
    let source = &pointer.source;
    if !lost.is_empty() {
        let details = format!("`{source}` has no section {} any more.", lost.join(", "));
        return Drift { changed: true, details: Some(details) };
    }
    if !moved.is_empty() {
        let details = format!("{} of `{source}` changed since the task was written.", moved.join(", "));
        return Drift { changed: true, details: Some(details) };
    }
    if known {
        let details =
            whole.then(|| format!("`{source}` changed elsewhere; the sections of this task did not."));
        return Drift { changed: false, details };
    }
    let details = whole.then(|| format!("`{source}` changed since the task was written."));
    Drift { changed: whole, details }
}
