//! From the text of a `spec.yaml` to its tasks, and to where each of them stands.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use saphyr_parser::Event;

use super::{
    definition::{Definition, Project},
    error::{Place, SpecError},
    file::without_mark,
    node::{Events, Kind, Node, Style, malformed},
    task,
};

/// What the file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spec {
    pub project: Project,
    /// In the order of the file.
    pub tasks: Vec<Definition>,
    pub features: Vec<(String, Vec<String>)>,
    /// What is odd but readable.
    pub problems: Vec<Problem>,
}

/// Something that the file says twice or in vain.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// Where things stand in the text.
#[derive(Debug, Default)]
pub(super) struct Layout<'t> {
    /// The mapping that is the whole file; absent in an empty one.
    pub(super) root: Option<Container>,
    /// The value of `tasks`; absent where there is no such key.
    pub(super) tasks: Option<TasksAt>,
    /// In the order of the file; of a repeated id the last one counts.
    pub(super) entries: Vec<Entry>,
    /// The trees of the tasks that were asked for.
    pub(super) trees: BTreeMap<String, Node<'t>>,
    /// The spans of `features`, key and value.
    pub(super) features: Option<(Range<usize>, Node<'t>)>,
    /// Some node has an anchor or a tag, or stands for another: no part can be read without the rest.
    pub(super) is_entangled: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Container {
    pub(super) flow: bool,
    /// Where its content ends; of a flow mapping before the closing bracket.
    pub(super) end: usize,
}

#[derive(Debug)]
pub(super) struct TasksAt {
    /// After the colon.
    pub(super) value: usize,
    pub(super) start: usize,
    pub(super) container: Container,
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) key: Range<usize>,
    /// Where the task's content ends.
    pub(super) end: usize,
    /// The column of the key, from 0.
    pub(super) column: usize,
    /// The column of its fields, from 0; absent when they are written in one line.
    pub(super) field_column: Option<usize>,
}

/// Reads a whole file.
pub fn read(text: &str) -> Result<Spec, SpecError> {
    Ok(read_with(text, |_| false)?.0)
}

/// Where a task says what it depends on; nothing where it does not say, or cannot be read.
pub fn dependencies_at(text: &str, task: &str) -> Option<Place> {
    let (_, layout) = read_with(without_mark(text), |id| id == task).ok()?;
    let Kind::Mapping { entries, .. } = &layout.trees.get(task)?.kind else { return None };
    let said = entries.iter().find(|(key, _)| scalar(key) == Some("depends_on"));
    said.map(|(key, _)| key.place)
}

/// Reads a whole file and keeps the trees of the tasks that `wanted` names.
pub(super) fn read_with(text: &str, wanted: impl Fn(&str) -> bool) -> Result<(Spec, Layout<'_>), SpecError> {
    refuse_conflict_markers(text)?;
    let mut reader =
        Reader { events: Events::new(text), spec: Spec::default(), layout: Layout::default(), wanted };
    reader.document()?;
    reader.drop_repeated();
    reader.layout.is_entangled = reader.events.is_entangled();
    Ok((reader.spec, reader.layout))
}

struct Reader<'t, W> {
    events: Events<'t>,
    spec: Spec,
    layout: Layout<'t>,
    wanted: W,
}

impl<'t, W: Fn(&str) -> bool> Reader<'t, W> {
    fn document(&mut self) -> Result<(), SpecError> {
        loop {
            let step = self.events.next()?;
            match step.event {
                Event::StreamStart | Event::DocumentStart(_) => {}
                Event::StreamEnd => return Ok(()),
                Event::MappingStart(..) => {
                    self.root(step.end > step.start)?;
                    break;
                }
                _ => {
                    let node = self.events.node_from(step, 0)?;
                    if !node.is_null() {
                        return Err(malformed(
                            node.place,
                            format!("the file is {}, not a mapping", node.found()),
                        ));
                    }
                    break;
                }
            }
        }
        loop {
            let step = self.events.next()?;
            match step.event {
                Event::DocumentEnd => {}
                Event::StreamEnd => return Ok(()),
                _ => return Err(malformed(step.place, "a second document begins here")),
            }
        }
    }

    fn root(&mut self, flow: bool) -> Result<(), SpecError> {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut end = 0;
        loop {
            let step = self.events.next()?;
            if matches!(step.event, Event::MappingEnd) {
                self.layout.root = Some(Container { flow, end: if flow { step.start } else { end } });
                return Ok(());
            }
            let key = self.events.node_from(step, 1)?;
            let name = scalar(&key).unwrap_or_default().to_owned();
            if !seen.insert(name.clone()) {
                self.odd(key.place, format!("the key `{name}` stands here a second time; this one counts"));
            }
            end = match name.as_str() {
                "tasks" => self.tasks(&key)?,
                "project" => {
                    let node = self.events.node()?;
                    self.spec.project = task::project(&node)?;
                    node.end
                }
                "features" => {
                    let node = self.events.node()?;
                    self.spec.features = task::features(&node)?;
                    let end = node.end;
                    self.layout.features = Some((key.start..key.end, node));
                    end
                }
                _ => self.events.node()?.end,
            };
        }
    }

    /// The value of `tasks`; gives back where it ends.
    fn tasks(&mut self, key: &Node<'t>) -> Result<usize, SpecError> {
        let step = self.events.next()?;
        let (flow, start) = (step.end > step.start, step.start);
        let value = key.end;
        self.spec.tasks.clear();
        self.layout.entries.clear();
        self.layout.trees.clear();
        if !matches!(step.event, Event::MappingStart(..)) {
            let node = self.events.node_from(step, 1)?;
            if !node.is_null() {
                let (place, found) = (node.place, node.found());
                let key = "tasks".to_owned();
                return Err(SpecError::TopLevelType {
                    place,
                    key,
                    expected: "a mapping from id to task",
                    found,
                });
            }
            let container = Container { flow: false, end: node.end };
            self.layout.tasks = Some(TasksAt { value, start, container });
            return Ok(node.end);
        }
        let mut end = start;
        loop {
            let step = self.events.next()?;
            if matches!(step.event, Event::MappingEnd) {
                let close = if flow { step.start } else { end };
                let container = Container { flow, end: close };
                self.layout.tasks = Some(TasksAt { value, start, container });
                return Ok(if flow { step.end } else { end });
            }
            let key = self.events.node_from(step, 2)?;
            let node = self.events.node()?;
            end = node.end;
            self.task(&key, node)?;
        }
    }

    fn task(&mut self, key: &Node<'t>, node: Node<'t>) -> Result<(), SpecError> {
        let id = scalar(key).unwrap_or_default().to_owned();
        if id.trim().is_empty() {
            return Err(SpecError::EmptyId { place: key.place });
        }
        let mut odd = Vec::new();
        self.spec.tasks.push(task::definition(&id, key.place, &node, &mut odd)?);
        for (place, message) in odd {
            self.odd(place, message);
        }
        let field_column = match &node.kind {
            Kind::Mapping { entries, flow: false } if !node.entangled => {
                entries.first().map(|(first, _)| first.place.column - 1)
            }
            _ => None,
        };
        let column = key.place.column - 1;
        self.layout.entries.push(Entry {
            id: id.clone(),
            key: key.start..key.end,
            end: node.end,
            column,
            field_column,
        });
        if (self.wanted)(&id) {
            self.layout.trees.insert(id, node);
        }
        Ok(())
    }

    /// Of a task that is there twice the last one counts, as in the original; here it is said.
    fn drop_repeated(&mut self) {
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, task) in self.spec.tasks.iter().enumerate() {
            last.insert(&task.id, index);
        }
        if last.len() == self.spec.tasks.len() {
            return;
        }
        let keep: Vec<bool> = self
            .spec
            .tasks
            .iter()
            .enumerate()
            .map(|(index, task)| last.get(task.id.as_str()) == Some(&index))
            .collect();
        let text = self.events.text();
        for (entry, _) in self.layout.entries.iter().zip(&keep).filter(|(_, keep)| !**keep) {
            let before = text.get(..entry.key.start).unwrap_or_default();
            self.spec.problems.push(Problem {
                line: before.matches('\n').count() + 1,
                column: entry.column + 1,
                message: format!("the task `{}` stands in the file twice; the later one counts", entry.id),
            });
        }
        let mut kept = keep.iter();
        self.spec.tasks.retain(|_| kept.next().copied().unwrap_or(true));
        let mut kept = keep.iter();
        self.layout.entries.retain(|_| kept.next().copied().unwrap_or(true));
    }

    fn odd(&mut self, place: Place, message: String) {
        self.spec.problems.push(Problem { line: place.line, column: place.column, message });
    }
}

pub(super) fn scalar<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    match &node.kind {
        Kind::Scalar { style: Style::Absent, .. } => None,
        Kind::Scalar { text, .. } => Some(text),
        _ => None,
    }
}

/// Git's own, at the beginning of a line: no YAML begins a line so, and the parser's words for it would lead astray.
fn refuse_conflict_markers(text: &str) -> Result<(), SpecError> {
    if !text.contains("<<<<<<<") && !text.contains(">>>>>>>") {
        return Ok(());
    }
    let marker = |line: &str| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ");
    match text.lines().position(marker) {
        Some(index) => Err(SpecError::ConflictMarkers { place: Place { line: index + 1, column: 1 } }),
        None => Ok(()),
    }
}
