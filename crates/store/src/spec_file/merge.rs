//! Three versions of a `spec.yaml` into one, task by task: what one side added or finished does not collide with what the
//! other side did beside it. Where both changed the same thing in different ways, Git's own conflict markers stay.

use std::{collections::BTreeMap, ops::Range};

use super::{
    definition::{Definition, Status},
    edit::{self, Edit, Field},
    file::without_mark,
    lines::{self, Labels},
    read::{self, Layout, Spec},
    splice::line_break,
};

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    pub text: String,
    /// Places with conflict markers.
    pub conflicts: usize,
}

/// Merges `theirs` into `ours`; both come from `base`.
pub fn merge(base: &str, ours: &str, theirs: &str, labels: &Labels<'_>) -> Merged {
    if ours == theirs || base == theirs {
        return Merged { text: ours.to_owned(), conflicts: 0 };
    }
    if base == ours {
        return Merged { text: theirs.to_owned(), conflicts: 0 };
    }
    // What cannot be read as tasks, or is written in one line, is merged as the text that it is.
    by_task(base, ours, theirs, labels).unwrap_or_else(|| lines::merge(base, ours, theirs, labels))
}

/// One version, cut into what stands before the tasks, each task with its comments, and what stands after.
struct Version<'t> {
    head: &'t str,
    tail: &'t str,
    entries: Vec<(&'t str, &'t str)>,
    tasks: BTreeMap<&'t str, &'t Definition>,
    column: Option<usize>,
}

fn by_task(base: &str, ours: &str, theirs: &str, labels: &Labels<'_>) -> Option<Merged> {
    let (base_read, ours_read, theirs_read) = (understood(base)?, understood(ours)?, understood(theirs)?);
    let base = Version::cut(base, &base_read)?;
    let mine = Version::cut(ours, &ours_read)?;
    let other = Version::cut(theirs, &theirs_read)?;
    if let (Some(left), Some(right)) = (mine.column, other.column) {
        if left != right {
            return None;
        }
    }
    let line_break = line_break(ours);
    let spelled = |text: &str| text.replace("\r\n", "\n").replace('\n', line_break);
    let mut conflicts = 0;
    let mut kept: Vec<(String, String)> = Vec::new();
    for (id, text) in &mine.entries {
        let both = (base.task(id), other.task(id));
        match both {
            (Some(before), None) if mine.task(id) == Some(before) => {}
            (None, None) => kept.push(((*id).to_owned(), (*text).to_owned())),
            (Some(_), None) => {
                conflicts += 1;
                let marked = lines::conflict(text, "", labels, line_break);
                kept.push(((*id).to_owned(), marked));
            }
            (before, Some(_)) => {
                let old = before.map_or("", |_| base.text(id));
                let new = other.text(id);
                let merged = entry(
                    id,
                    (old, before),
                    (text, mine.task(id)?),
                    (new, other.task(id)?),
                    labels,
                    line_break,
                );
                conflicts += merged.conflicts;
                kept.push(((*id).to_owned(), merged.text));
            }
        }
    }
    // What only the other side has comes after the task that it follows there.
    let mut previous: Option<String> = None;
    for (id, text) in &other.entries {
        if mine.task(id).is_none() {
            let text = match base.task(id) {
                Some(before) if other.task(id) == Some(before) => continue,
                Some(_) => {
                    conflicts += 1;
                    lines::conflict("", text, labels, line_break)
                }
                None => spelled(text),
            };
            let at = previous.as_ref().and_then(|id| kept.iter().position(|(known, _)| known == id));
            // Behind our own additions at that place, so that both sides keep their order.
            let at = at.map_or(kept.len(), |at| {
                let ours = |(id, _): &&(String, String)| mine.task(id).is_some() && base.task(id).is_none();
                at + 1 + kept.iter().skip(at + 1).take_while(ours).count()
            });
            kept.insert(at, ((*id).to_owned(), text));
        }
        previous = Some((*id).to_owned());
    }
    let head = lines::merge(base.head, mine.head, other.head, labels);
    let tail = lines::merge(base.tail, mine.tail, other.tail, labels);
    conflicts += head.conflicts + tail.conflicts;
    let mut text = head.text;
    for (_, entry) in kept {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push_str(line_break);
        }
        text.push_str(&entry);
    }
    if !tail.text.is_empty() && !text.ends_with('\n') {
        text.push_str(line_break);
    }
    text.push_str(&tail.text);
    if conflicts == 0 && read::read(without_mark(&text)).is_err() {
        return None;
    }
    Some(Merged { text, conflicts })
}

/// One task that both sides have.
fn entry(
    id: &str,
    (old, before): (&str, Option<&Definition>),
    (text, mine): (&str, &Definition),
    (new, other): (&str, &Definition),
    labels: &Labels<'_>,
    line_break: &str,
) -> Merged {
    if text == new || before == Some(other) {
        return Merged { text: text.to_owned(), conflicts: 0 };
    }
    if before == Some(mine) {
        let text = new.replace("\r\n", "\n").replace('\n', line_break);
        return Merged { text, conflicts: 0 };
    }
    let Some(before) = before else { return lines::merge(old, text, new, labels) };
    let spliced = fields(before, mine, other).and_then(|fields| with_fields(id, text, fields, line_break));
    if let Some(text) = spliced {
        return Merged { text, conflicts: 0 };
    }
    // They contradict each other. What they do not contradict each other in is said alike by both first, so that only
    // the rest is left to a person.
    let (ours, theirs) = settled(before, mine, other);
    let alike = with_fields(id, text, ours, line_break)
        .and_then(|text| Some(lines::merge(old, &text, &with_fields(id, new, theirs, line_break)?, labels)));
    alike.unwrap_or_else(|| lines::merge(old, text, new, labels))
}

/// The text of one task with these fields set.
fn with_fields(id: &str, text: &str, fields: Vec<Field>, line_break: &str) -> Option<String> {
    let edits = [Edit::Set { id: id.to_owned(), fields }];
    let (text, _) = edit::apply(&format!("tasks:{line_break}{text}"), &edits).ok()?;
    text.strip_prefix("tasks:")?.strip_prefix(line_break).map(str::to_owned)
}

/// What has to be set on either side of a contradiction so that both say the same of status, lists and time.
fn settled(before: &Definition, mine: &Definition, other: &Definition) -> (Vec<Field>, Vec<Field>) {
    let mut sides = (
        progress(before, mine, other).unwrap_or_default(),
        progress(before, other, mine).unwrap_or_default(),
    );
    let mut both = |field: fn(Vec<String>) -> Field, of: fn(&Definition) -> &Vec<String>| {
        let all = list(of(before), of(mine), of(other)).unwrap_or_else(|| of(mine).clone());
        if all != *of(mine) {
            sides.0.push(field(all.clone()));
        }
        if all != *of(other) {
            sides.1.push(field(all));
        }
    };
    both(Field::Labels, |task| &task.labels);
    both(Field::Locks, |task| &task.locks);
    both(Field::DependsOn, |task| &task.depends_on);
    both(Field::AcceptanceCriteria, |task| &task.acceptance_criteria);
    if other.updated_at > mine.updated_at {
        sides.0.push(Field::UpdatedAt(other.updated_at.clone()));
    } else if mine.updated_at > other.updated_at {
        sides.1.push(Field::UpdatedAt(mine.updated_at.clone()));
    }
    sides
}

/// What has to be set on our side so that it says what both sides meant; nothing where they contradict each other.
fn fields(before: &Definition, mine: &Definition, other: &Definition) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    fields.extend(choose(&before.title, &mine.title, &other.title, Field::Title)?);
    fields.extend(choose(&before.description, &mine.description, &other.description, Field::Description)?);
    fields.extend(choose(&before.priority, &mine.priority, &other.priority, Field::Priority)?);
    fields.extend(choose(&before.prd, &mine.prd, &other.prd, Field::Prd)?);
    fields.extend(list(&before.labels, &mine.labels, &other.labels).map(Field::Labels));
    fields.extend(list(&before.locks, &mine.locks, &other.locks).map(Field::Locks));
    fields.extend(list(&before.depends_on, &mine.depends_on, &other.depends_on).map(Field::DependsOn));
    let criteria = list(&before.acceptance_criteria, &mine.acceptance_criteria, &other.acceptance_criteria);
    fields.extend(criteria.map(Field::AcceptanceCriteria));
    fields.extend(progress(before, mine, other)?);
    if other.updated_at > mine.updated_at {
        fields.push(Field::UpdatedAt(other.updated_at.clone()));
    }
    Some(fields)
}

/// The value that has to be set on our side, if any; nothing at all where the sides contradict each other.
fn choose<T: PartialEq + Clone>(
    before: &T,
    mine: &T,
    other: &T,
    field: impl Fn(T) -> Field,
) -> Option<Vec<Field>> {
    if other == before || other == mine {
        Some(Vec::new())
    } else if mine == before {
        Some(vec![field(other.clone())])
    } else {
        None
    }
}

/// Both sides' additions and removals.
fn list(before: &[String], mine: &[String], other: &[String]) -> Option<Vec<String>> {
    let mut merged: Vec<String> =
        mine.iter().filter(|item| other.contains(item) || !before.contains(item)).cloned().collect();
    let added = other.iter().filter(|item| !before.contains(item) && !mine.contains(item));
    merged.extend(added.cloned());
    (merged != mine).then_some(merged)
}

/// Who is further has it, with who did it and when.
fn progress(before: &Definition, mine: &Definition, other: &Definition) -> Option<Vec<Field>> {
    let rank = |status: Status| match status {
        Status::Todo | Status::Ready | Status::Blocked => 0,
        Status::Done => 1,
        Status::Verified => 2,
        Status::Deleted => 3,
    };
    let theirs = || {
        vec![
            Field::Status(other.status),
            Field::CompletedBy(other.completed_by.clone()),
            Field::CompletedAt(other.completed_at.clone()),
            Field::VerifiedBy(other.verified_by.clone()),
            Field::VerifiedAt(other.verified_at.clone()),
        ]
    };
    let changed = |side: &Definition| {
        side.status != before.status
            || side.completed_by != before.completed_by
            || side.completed_at != before.completed_at
            || side.verified_by != before.verified_by
            || side.verified_at != before.verified_at
    };
    match (changed(mine), changed(other)) {
        (_, false) => Some(Vec::new()),
        (false, true) => Some(theirs()),
        (true, true) if rank(other.status) > rank(mine.status) => Some(theirs()),
        (true, true) if rank(mine.status) > rank(other.status) => Some(Vec::new()),
        (true, true) if mine.status == other.status => {
            // Finished on both sides: the earlier one was first.
            let earlier = other.completed_at.is_some() && other.completed_at < mine.completed_at;
            Some(if earlier { theirs() } else { Vec::new() })
        }
        // Ready here and blocked there: only a person knows.
        (true, true) => None,
    }
}

fn understood(text: &str) -> Option<(Spec, Layout<'_>)> {
    if text.starts_with('\u{feff}') {
        return None;
    }
    let (spec, layout) = read::read_with(text, |_| false).ok()?;
    spec.problems.is_empty().then_some((spec, layout))
}

impl<'t> Version<'t> {
    fn cut(text: &'t str, (spec, layout): &'t (Spec, Layout<'t>)) -> Option<Self> {
        let flow = layout.root.is_some_and(|root| root.flow)
            || layout.tasks.as_ref().is_some_and(|tasks| tasks.container.flow);
        if flow && !layout.entries.is_empty() {
            return None;
        }
        let Some(first) = layout.entries.first() else {
            return Some(Self {
                head: text,
                tail: "",
                entries: Vec::new(),
                tasks: BTreeMap::new(),
                column: None,
            });
        };
        let starts: Vec<usize> =
            layout.entries.iter().map(|entry| with_comments(text, entry.key.start, entry.column)).collect();
        let last = layout.entries.last()?;
        let end = after_line(text, last.end);
        let mut entries = Vec::new();
        for (index, entry) in layout.entries.iter().enumerate() {
            let range =
                Range { start: *starts.get(index)?, end: starts.get(index + 1).copied().unwrap_or(end) };
            entries.push((entry.id.as_str(), text.get(range)?));
        }
        let tasks = spec.tasks.iter().map(|task| (task.id.as_str(), task)).collect();
        let head = text.get(..*starts.first()?)?;
        Some(Self { head, tail: text.get(end..)?, entries, tasks, column: Some(first.column) })
    }

    fn task(&self, id: &str) -> Option<&'t Definition> {
        self.tasks.get(id).copied()
    }

    fn text(&self, id: &str) -> &'t str {
        self.entries.iter().find(|(known, _)| *known == id).map_or("", |(_, text)| text)
    }
}

/// The start of the line of a key, or of the comments right above it that are indented like it.
fn with_comments(text: &str, key: usize, column: usize) -> usize {
    let line_start = |at: usize| text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let mut start = line_start(key);
    while start > 0 {
        let above = line_start(start - 1);
        let line = text.get(above..start).unwrap_or_default();
        let indent = line.len() - line.trim_start_matches(' ').len();
        if !line.trim_start().starts_with('#') || indent != column {
            break;
        }
        start = above;
    }
    start
}

fn after_line(text: &str, at: usize) -> usize {
    if at > 0 && text.as_bytes().get(at - 1) == Some(&b'\n') {
        return at;
    }
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |found| at + found + 1)
}
