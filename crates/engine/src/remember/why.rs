//! Why is this place so? The entries that explain it, with the commits that wrote and changed it.

use std::path::{Component, Path, PathBuf};

use becket_memory::anchor::{Anchor, Target};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    get::EntryView,
    place::Scope,
    refs::{Explanation, RefsRequest},
    view::{CommitView, ReferenceView},
};
use crate::{Engine, Error};

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhyAnswer {
    /// The place, relative to the root of the workspace.
    pub target: String,
    /// The commit that last wrote the line, where one line was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<CommitView>,
    /// Nearest first.
    pub explanations: Vec<Explanation>,
    /// Their texts, each once, in the same order.
    pub entries: Vec<EntryView>,
    /// References there to entries that do not exist.
    pub dangling: Vec<ReferenceView>,
    pub scope: Scope,
}

/// A person reads no more at once.
const MOST_ENTRIES: usize = 20;

impl Engine {
    /// Answers for `FILE`, `FILE:LINE`, `FILE:FROM-TO` or `FILE#DECLARATION`, as typed in the current directory.
    pub fn context_why(&self, typed: &str, worktree: Option<&str>) -> Result<WhyAnswer, Error> {
        let target = self.as_typed_here(typed, worktree)?;
        let request = RefsRequest {
            target: Some(target.clone()),
            worktree: worktree.map(str::to_owned),
            reference: None,
        };
        let answer = self.context_refs(&request)?;
        let mut references: Vec<&String> = Vec::new();
        for explanation in &answer.explanations {
            if !references.contains(&&explanation.file) {
                references.push(&explanation.file);
            }
        }
        let entries = references
            .into_iter()
            .take(MOST_ENTRIES)
            .map(|file| self.context_get(file, worktree))
            .collect::<Result<Vec<_>, _>>()?;
        let written = self.written(&target, worktree)?;
        Ok(WhyAnswer {
            target,
            written,
            explanations: answer.explanations,
            entries,
            dangling: answer.dangling,
            scope: answer.scope,
        })
    }

    /// The commit that a single line comes from.
    fn written(&self, target: &str, worktree: Option<&str>) -> Result<Option<CommitView>, Error> {
        self.at_desk(worktree, |desk| {
            let anchor = Anchor::parse(target, |path| desk.read_file(path).is_some())?;
            let (Target::Lines(first, last), Some(past)) = (&anchor.target, &desk.place.past) else {
                return Ok(None);
            };
            if first != last {
                return Ok(None);
            }
            let lines = past.lines(anchor.path.as_str(), &[*first])?;
            Ok(lines.first().and_then(|line| line.cause.as_ref()).map(CommitView::from))
        })
    }

    /// A place as a person types it, below the current directory, made relative to the root.
    fn as_typed_here(&self, typed: &str, worktree: Option<&str>) -> Result<String, Error> {
        let place = self.place(worktree)?;
        let here = &self.environment().current_dir;
        let end = typed.find('#').or_else(|| {
            typed.rfind(':').filter(|at| typed[at + 1..].starts_with(|first: char| first.is_ascii_digit()))
        });
        let exists =
            |path: &Path| place.sandbox.admit(path.as_os_str()).is_ok_and(|admitted| admitted.open().is_ok());
        let whole = exists(&here.join(typed)) || exists(&place.root.join(typed));
        let (file, rest) = typed.split_at(if whole { typed.len() } else { end.unwrap_or(typed.len()) });
        let below = lexical(&here.join(file));
        let is_there = exists(&below) || !exists(&place.root.join(file));
        match below.strip_prefix(&place.root) {
            Ok(relative) if is_there && !relative.as_os_str().is_empty() => {
                let parts = relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
                Ok(format!("{}{rest}", parts.collect::<Vec<_>>().join("/")))
            }
            _ => Ok(typed.to_owned()),
        }
    }
}

/// Without `.` and `..`, by name alone: whether it may be read is decided later.
fn lexical(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut place, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                place.pop();
            }
            other => place.push(other),
        }
        place
    })
}
