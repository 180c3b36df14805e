//! Where each task of a text stands, so that a change reads the bytes of its task and not the whole file.
//!
//! That is sound because the entries of a block mapping do not depend on each other. A text in which one could refer to
//! another (anchors, tags), or whose tasks stand in one line, has no outline and is read whole.

use std::{collections::BTreeMap, ops::Range};

use super::{
    definition::Definition,
    edit::{self, Edit, Plan},
    error::SpecError,
    read::{self, Layout},
    scan,
    splice::line_break,
};

#[derive(Debug, Clone)]
pub(super) struct Outline {
    /// Whole lines, in the order of the file.
    spans: Vec<Range<usize>>,
    places: BTreeMap<String, usize>,
    /// What makes a file of its own out of the lines of a task.
    header: String,
}

impl Outline {
    pub(super) fn of(text: &str, layout: &Layout<'_>) -> Option<Self> {
        let is_block = layout.tasks.as_ref().is_some_and(|tasks| !tasks.container.flow);
        if !is_block || layout.is_entangled || layout.entries.is_empty() {
            return None;
        }
        let mut spans: Vec<Range<usize>> = Vec::with_capacity(layout.entries.len());
        let mut places = BTreeMap::new();
        for (index, entry) in layout.entries.iter().enumerate() {
            let start = text.get(..entry.key.start)?.rfind('\n').map_or(0, |at| at + 1);
            let is_alone = text.get(start..entry.key.start)?.bytes().all(|byte| byte == b' ');
            let is_after = spans.last().is_none_or(|before| before.end <= start);
            if !(is_alone && is_after) {
                return None;
            }
            spans.push(start..line_end(text, entry.end));
            places.insert(entry.id.clone(), index);
        }
        Some(Self { spans, places, header: format!("tasks:{}", line_break(text)) })
    }

    /// Of a text that was read whole before, without reading it again. Nothing where its lines alone do not tell.
    pub(super) fn scan(text: &str) -> Option<Self> {
        let mut spans = Vec::new();
        let mut places = BTreeMap::new();
        for (index, (id, span)) in scan::tasks(text)?.into_iter().enumerate() {
            spans.push(span);
            if places.insert(id, index).is_some() {
                return None;
            }
        }
        Some(Self { spans, places, header: format!("tasks:{}", line_break(text)) })
    }

    /// Nothing where there is no such task.
    pub(super) fn task(&self, text: &str, id: &str) -> Option<Result<Definition, SpecError>> {
        let lines = text.get(self.spans.get(*self.places.get(id)?)?.clone())?;
        let read = read::read(&format!("{}{lines}", self.header));
        read.map(|spec| spec.tasks.into_iter().next()).transpose()
    }

    /// The text after the edits and its outline; nothing where the whole text has to be looked at.
    pub(super) fn apply(&self, text: &str, edits: &[Edit]) -> Option<(String, Self)> {
        let plan = Plan::of(edits).ok()?;
        if plan.clear || !plan.removes.is_empty() {
            return None;
        }
        let mut changed: BTreeMap<usize, String> = BTreeMap::new();
        for (id, fields) in &plan.sets {
            let place = *self.places.get(id)?;
            let edit = Edit::Set { id: id.clone(), fields: fields.clone() };
            changed.insert(place, self.redo(text.get(self.spans.get(place)?.clone())?, &[edit])?);
        }
        let mut places = self.places.clone();
        let mut added = Vec::new();
        if !plan.creates.is_empty() {
            let last = self.spans.len().checked_sub(1)?;
            for (index, made) in plan.creates.iter().enumerate() {
                if places.insert(made.id.clone(), last + 1 + index).is_some() {
                    return None;
                }
            }
            let edits: Vec<Edit> =
                plan.creates.iter().map(|made| Edit::Create(Box::new(made.clone()))).collect();
            let before = match changed.get(&last) {
                Some(lines) => lines.clone(),
                None => text.get(self.spans.get(last)?.clone())?.to_owned(),
            };
            let lines = self.redo(&before, &edits)?;
            added = self.spans_in(&lines)?;
            changed.insert(last, lines);
        }
        let (text, spans) = self.joined(text, &changed, &added)?;
        (spans.len() == places.len()).then(|| (text, Self { spans, places, header: self.header.clone() }))
    }

    /// The lines of a task after edits of it, or with others created behind it.
    fn redo(&self, lines: &str, edits: &[Edit]) -> Option<String> {
        let (changed, _) = edit::apply(&format!("{}{lines}", self.header), edits).ok()?;
        changed.strip_prefix(&self.header).map(str::to_owned)
    }

    /// Where the tasks of these lines stand in them.
    fn spans_in(&self, lines: &str) -> Option<Vec<Range<usize>>> {
        let text = format!("{}{lines}", self.header);
        let (_, layout) = read::read_with(&text, |_| false).ok()?;
        let head = self.header.len();
        let spans = Self::of(&text, &layout)?.spans;
        Some(spans.into_iter().map(|span| span.start - head..span.end - head).collect())
    }

    /// `added` are the spans within the last of the changed lines, where tasks were created behind it.
    fn joined(
        &self,
        text: &str,
        changed: &BTreeMap<usize, String>,
        added: &[Range<usize>],
    ) -> Option<(String, Vec<Range<usize>>)> {
        let grown: usize = changed.values().map(String::len).sum();
        let mut joined = String::with_capacity(text.len() + grown);
        let mut spans = Vec::with_capacity(self.spans.len() + added.len());
        let mut at = 0;
        for (index, span) in self.spans.iter().enumerate() {
            // What stands between is copied with the next change, or at the end.
            let start = joined.len() + (span.start - at);
            let Some(lines) = changed.get(&index) else {
                spans.push(start..start + span.len());
                continue;
            };
            joined.push_str(text.get(at..span.start)?);
            joined.push_str(lines);
            at = span.end;
            if index + 1 == self.spans.len() && !added.is_empty() {
                spans.extend(added.iter().map(|one| start + one.start..start + one.end));
            } else {
                spans.push(start..joined.len());
            }
        }
        joined.push_str(text.get(at..)?);
        Some((joined, spans))
    }
}

/// After the break of the line in which `at` lies.
fn line_end(text: &str, at: usize) -> usize {
    if at > 0 && text.as_bytes().get(at - 1) == Some(&b'\n') {
        return at;
    }
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |found| at + found + 1)
}
