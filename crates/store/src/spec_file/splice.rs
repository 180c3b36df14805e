//! Where and with which bytes a change of a task is written: in the file's own style, indentation and line breaks.

use std::ops::Range;

use super::{
    definition::Definition,
    edit::{Field, Value},
    error::SpecError,
    node::{Kind, Node, Style},
    read::{Entry, Layout, scalar},
    render::{self, Form},
    scalar::inline,
};

pub(super) struct Splicer<'a, 't> {
    text: &'t str,
    layout: &'a Layout<'t>,
    line_break: &'static str,
    splices: Vec<(Range<usize>, String)>,
}

impl<'a, 't> Splicer<'a, 't> {
    pub(super) fn new(text: &'t str, layout: &'a Layout<'t>) -> Self {
        Self { text, layout, line_break: line_break(text), splices: Vec::new() }
    }

    pub(super) fn into_splices(self) -> Vec<(Range<usize>, String)> {
        self.splices
    }

    pub(super) fn set(&mut self, id: &str, fields: &[Field]) -> Result<(), SpecError> {
        let tree = self.layout.trees.get(id).ok_or_else(|| SpecError::UnknownTask { task: id.to_owned() })?;
        let Kind::Mapping { entries, flow } = &tree.kind else { return Ok(()) };
        let in_flow = *flow || self.layout.tasks.as_ref().is_some_and(|tasks| tasks.container.flow);
        let column = entries.first().map_or(0, |(key, _)| key.place.column - 1);
        let quoted = entries.first().is_some_and(|(key, _)| is_double(key));
        let form = Form {
            flow: in_flow,
            one_line: false,
            quoted,
            column,
            list_column: self.list_column(entries, column),
        };
        let mut added = String::new();
        for field in fields {
            let known = entries.iter().rev().find(|(key, _)| scalar(key) == Some(field.key()));
            match (known, field.value()) {
                (Some((key, _)), Value::Absent) => self.take_out(entries, key, in_flow),
                (None, Value::Absent) => {}
                (Some((key, value)), new) => self.replace(key, value, &new, &form),
                (None, new) => {
                    let written = render::field(field.key(), &new, &form, self.line_break);
                    if in_flow {
                        added.push_str(", ");
                        added.push_str(&written);
                    } else {
                        added.push_str(&" ".repeat(column));
                        added.push_str(&written);
                        added.push_str(self.line_break);
                    }
                }
            }
        }
        if added.is_empty() {
            return Ok(());
        }
        if in_flow {
            let at = entries.last().map_or(tree.start + 1, |(key, value)| self.value_end(key, value));
            let added = if entries.is_empty() { added.trim_start_matches(", ").to_owned() } else { added };
            self.splices.push((at..at, added));
        } else {
            self.insert_line(tree.end, &added);
        }
        Ok(())
    }

    pub(super) fn create(&mut self, made: &[Definition], after_clear: bool) {
        if made.is_empty() {
            return;
        }
        let block = |this: &Self, column: usize, field_column: usize| {
            made.iter()
                .map(|one| render::task(one, column, field_column, this.line_break))
                .collect::<String>()
        };
        let root_flow = self.layout.root.is_some_and(|root| root.flow);
        let Some(tasks) = &self.layout.tasks else {
            match self.layout.root {
                Some(root) if root.flow => {
                    let flow = render::flow_tasks(made, true);
                    let comma = if self
                        .text
                        .get(..root.end)
                        .is_some_and(|before| before.trim_end().ends_with(['{', ',']))
                    {
                        ""
                    } else {
                        ", "
                    };
                    self.splices.push((root.end..root.end, format!("{comma}\"tasks\": {{{flow}}}")));
                }
                Some(root) => {
                    let new = format!("tasks:{}{}", self.line_break, block(self, 2, 4));
                    self.insert_line(root.end, &new);
                }
                None => {
                    let new = format!("tasks:{}{}", self.line_break, block(self, 2, 4));
                    self.insert_line(self.text.len(), &new);
                }
            }
            return;
        };
        let removed_all = after_clear || self.layout.entries.is_empty();
        if removed_all {
            if root_flow {
                let new = format!(" {{{}}}", render::flow_tasks(made, true));
                self.replace_tasks(&new);
            } else {
                let new = format!("{}{}", self.line_break, block(self, 2, 4));
                self.replace_tasks(new.trim_end_matches(['\r', '\n']));
            }
        } else if tasks.container.flow {
            let quoted = self.layout.entries.first().is_some_and(|entry| {
                self.text.get(entry.key.clone()).is_some_and(|key| key.starts_with('"'))
            });
            let end = self.layout.entries.last().map_or(tasks.start + 1, |entry| entry.end);
            self.splices.push((end..end, format!(", {}", render::flow_tasks(made, quoted))));
        } else {
            let last = self.layout.entries.last();
            let column = last.map_or(2, |entry| entry.column);
            let field_column = last.and_then(|entry| entry.field_column).unwrap_or(column + 2);
            let end = last.map_or(tasks.container.end, |entry| entry.end);
            let new = block(self, column, field_column.max(column + 1));
            self.insert_line(end, &new);
        }
    }

    pub(super) fn remove(&mut self, id: &str) {
        let Some(index) = self.layout.entries.iter().position(|entry| entry.id == id) else { return };
        let Some(entry) = self.layout.entries.get(index) else { return };
        let flow = self.layout.tasks.as_ref().is_some_and(|tasks| tasks.container.flow);
        if flow {
            let following = self.layout.entries.get(index + 1);
            let before = index.checked_sub(1).and_then(|index| self.layout.entries.get(index));
            let range = match (following, before) {
                (Some(following), _) => entry.key.start..following.key.start,
                (None, Some(before)) => before.end..entry.end,
                (None, None) => entry.key.start..entry.end,
            };
            self.splices.push((range, String::new()));
        } else {
            self.splices.push((self.lines_of(entry), String::new()));
        }
    }

    pub(super) fn clear(&mut self) {
        self.replace_tasks(" {}");
        if let Some((key, value)) = &self.layout.features {
            let start = self.after_colon(key.end);
            let end = value.end.max(start);
            let tail = if self.ends_line(end) { self.line_break } else { "" };
            self.splices.push((start..end, format!(" {{}}{tail}")));
        }
    }

    /// The later call wins: creating after clearing writes the value once.
    fn replace_tasks(&mut self, new: &str) {
        let Some(tasks) = &self.layout.tasks else { return };
        let start = self.after_colon(tasks.value);
        let end = if tasks.container.flow { tasks.container.end + 1 } else { tasks.container.end.max(start) };
        self.splices.retain(|(range, _)| range.start != start);
        let tail = if self.ends_line(end) && end > start { self.line_break } else { "" };
        self.splices.push((start..end, format!("{new}{tail}")));
    }

    fn replace(&mut self, key: &Node<'_>, value: &Node<'_>, new: &Value<'_>, form: &Form) {
        if let (Value::List(wanted), Kind::Sequence { items, flow: false }, false) =
            (new, &value.kind, form.flow)
        {
            if !value.entangled && self.adjust_list(items, wanted) {
                return;
            }
        }
        if let (Value::Text(text), Kind::Scalar { style, .. }) = (new, &value.kind) {
            // A block cannot stand before the comment of its own line.
            let one_line = form.flow || !text.contains('\n') || self.is_followed(value.end);
            if matches!(style, Style::Plain | Style::Single | Style::Double) && one_line {
                let style = if form.quoted { Style::Double } else { *style };
                self.splices.push((value.start..value.end, inline(text, style)));
                return;
            }
        }
        if let (Value::Integer(number), Kind::Scalar { style: Style::Plain, .. }) = (new, &value.kind) {
            self.splices.push((value.start..value.end, number.to_string()));
            return;
        }
        let start = self.after_colon(key.end);
        let end = self.value_end(key, value);
        let form = Form { one_line: self.is_followed(end), ..*form };
        let mut written = render::value(new, &form, self.line_break);
        let closing = end == self.text.len() && written.contains('\n');
        if (self.ends_line(end) && end > start) || closing {
            written.push_str(self.line_break);
        }
        self.splices.push((start..end, written));
    }

    /// Takes out and appends single items, so that the comments of the others stay. Says whether that was enough.
    fn adjust_list(&mut self, items: &[Node<'_>], wanted: &[String]) -> bool {
        let mut kept = 0;
        let mut gone = Vec::new();
        for item in items {
            match (scalar(item), wanted.get(kept)) {
                (Some(text), Some(next)) if text == next => kept += 1,
                _ => gone.push(item),
            }
        }
        let appended = wanted.get(kept..).unwrap_or_default();
        if kept == 0
            || !gone.iter().all(|item| self.is_alone(item))
            || !items.last().is_some_and(|item| self.is_alone(item))
        {
            return false;
        }
        for item in &gone {
            let range = self.line_start(item.start)..self.line_end(item.end);
            self.splices.push((range, String::new()));
        }
        if let (Some(last), false) = (items.last(), appended.is_empty()) {
            let start = self.line_start(last.start);
            let column =
                self.text.get(start..).map_or(0, |line| line.len() - line.trim_start_matches(' ').len());
            let line = |text: &String| {
                format!("{}- {}{}", " ".repeat(column), inline(text, Style::Plain), self.line_break)
            };
            let lines: Vec<String> = appended.iter().map(line).collect();
            self.insert_line(last.end, &lines.concat());
        }
        true
    }

    /// Whether an item of a block list is a plain line of its own: `- text`.
    fn is_alone(&self, item: &Node<'_>) -> bool {
        let start = self.line_start(item.start);
        let lead = self.text.get(start..item.start).unwrap_or_default().trim_start_matches(' ');
        matches!(item.kind, Kind::Scalar { style: Style::Plain | Style::Single | Style::Double, .. })
            && !item.entangled
            && lead.strip_prefix('-').is_some_and(|rest| rest.trim().is_empty())
    }

    fn take_out(&mut self, entries: &[(Node<'_>, Node<'_>)], key: &Node<'_>, in_flow: bool) {
        let Some(index) = entries.iter().position(|(one, _)| one.start == key.start) else { return };
        let Some((_, value)) = entries.get(index) else { return };
        let end = self.value_end(key, value);
        if !in_flow {
            self.splices.push((self.line_start(key.start)..self.line_end(end), String::new()));
            return;
        }
        let range =
            match (entries.get(index + 1), index.checked_sub(1).and_then(|before| entries.get(before))) {
                (Some((following, _)), _) => key.start..following.start,
                (None, Some((before, value))) => self.value_end(before, value)..end,
                (None, None) => key.start..end,
            };
        self.splices.push((range, String::new()));
    }

    fn value_end(&self, key: &Node<'_>, value: &Node<'_>) -> usize {
        match value.kind {
            Kind::Scalar { style: Style::Absent, .. } => self.after_colon(key.end),
            _ => value.end,
        }
    }

    fn after_colon(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        rest.find(':').map_or(from, |at| from + at + 1)
    }

    /// A new line after the one in which `end` lies.
    fn insert_line(&mut self, end: usize, new: &str) {
        let at = self.line_end(end);
        let missing = at > 0 && !self.text.get(..at).is_some_and(|before| before.ends_with('\n'));
        let new = if missing { format!("{}{}", self.line_break, new) } else { new.to_owned() };
        // Whoever comes next at the end of a file without a last break finds one already.
        let has_break = |(range, text): &(Range<usize>, String)| {
            range.end == at && (range.start == at || text.ends_with('\n'))
        };
        let doubled = missing && self.splices.iter().any(has_break);
        let new = if doubled { new.trim_start_matches(['\r', '\n']).to_owned() } else { new };
        self.splices.push((at..at, new));
    }

    fn lines_of(&self, entry: &Entry) -> Range<usize> {
        self.line_start(entry.key.start)..self.line_end(entry.end)
    }

    fn line_start(&self, at: usize) -> usize {
        self.text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
    }

    /// After the break of the line in which `at` lies, or at the end of the text.
    fn line_end(&self, at: usize) -> usize {
        if self.ends_line(at) {
            return at;
        }
        let rest = self.text.get(at..).unwrap_or_default();
        rest.find('\n').map_or(self.text.len(), |found| at + found + 1)
    }

    fn ends_line(&self, at: usize) -> bool {
        at > 0 && self.text.as_bytes().get(at - 1) == Some(&b'\n')
    }

    /// Whether something besides blanks stands behind `at` in its line.
    fn is_followed(&self, at: usize) -> bool {
        let rest = self.text.get(at..).unwrap_or_default();
        !self.ends_line(at) && rest.lines().next().is_some_and(|line| !line.trim().is_empty())
    }

    /// Where the dashes of this task's lists stand; below their key where there is none to copy.
    fn list_column(&self, entries: &[(Node<'_>, Node<'_>)], column: usize) -> usize {
        let known = entries.iter().find_map(|(_, value)| match &value.kind {
            Kind::Sequence { items, flow: false } => items.first(),
            _ => None,
        });
        known.map_or(column, |item| {
            let start = self.line_start(item.start);
            let line = self.text.get(start..).unwrap_or_default();
            (line.len() - line.trim_start_matches(' ').len()).max(column)
        })
    }
}

fn is_double(key: &Node<'_>) -> bool {
    matches!(key.kind, Kind::Scalar { style: Style::Double, .. })
}

/// The break that the file uses.
pub(super) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.as_bytes().get(at.wrapping_sub(1)) == Some(&b'\r') => "\r\n",
        _ => "\n",
    }
}
