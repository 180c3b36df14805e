//! New tasks and new values as YAML text.

use super::{
    definition::{Definition, Prd},
    edit::Value,
    node::Style,
    scalar::{double, inline, literal},
};

/// How the surroundings are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// Between brackets, in one line.
    pub(super) flow: bool,
    /// Something follows in the same line.
    pub(super) one_line: bool,
    /// Everything in double quotes, as in JSON.
    pub(super) quoted: bool,
    /// The column of the keys.
    pub(super) column: usize,
    /// The column of the dashes of lists.
    pub(super) list_column: usize,
}

impl Form {
    fn block(column: usize) -> Self {
        Self { flow: false, one_line: false, quoted: false, column, list_column: column }
    }

    fn text(&self, text: &str) -> String {
        if self.quoted { double(text) } else { inline(text, Style::Plain) }
    }
}

/// `key: value`, without the indentation of its first line and the last break.
pub(super) fn field(key: &str, new: &Value<'_>, form: &Form, line_break: &str) -> String {
    let key = if form.quoted { double(key) } else { key.to_owned() };
    format!("{key}:{}", value(new, form, line_break))
}

/// What follows the colon, with its leading blank or break.
pub(super) fn value(new: &Value<'_>, form: &Form, line_break: &str) -> String {
    match new {
        Value::Absent => " null".to_owned(),
        Value::Integer(number) => format!(" {number}"),
        Value::Text(text) => {
            let block =
                if form.flow || form.one_line { None } else { literal(text, form.column + 2, line_break) };
            format!(" {}", block.unwrap_or_else(|| form.text(text)))
        }
        Value::List([]) => " []".to_owned(),
        Value::List(items) if form.flow => {
            format!(" [{}]", items.iter().map(|item| form.text(item)).collect::<Vec<_>>().join(", "))
        }
        Value::List(items) => {
            let indent = " ".repeat(form.list_column);
            let lines = items.iter().map(|item| format!("{line_break}{indent}- {}", form.text(item)));
            lines.collect()
        }
        Value::Prd(value) => prd(value, form, line_break),
    }
}

/// A whole entry of `tasks`, with its breaks.
pub(super) fn task(task: &Definition, column: usize, field_column: usize, line_break: &str) -> String {
    let form = Form::block(field_column);
    let indent = " ".repeat(field_column);
    let mut text = format!("{}{}:{line_break}", " ".repeat(column), inline(&task.id, Style::Plain));
    for (key, value) in values(task) {
        text.push_str(&indent);
        text.push_str(&field(key, &value, &form, line_break));
        text.push_str(line_break);
    }
    text
}

/// Entries of a `tasks` that is written between brackets, separated by commas.
pub(super) fn flow_tasks(tasks: &[Definition], quoted: bool) -> String {
    let form = Form { flow: true, one_line: true, quoted, column: 0, list_column: 0 };
    let one = |task: &Definition| {
        let fields: Vec<String> =
            values(task).iter().map(|(key, value)| field(key, value, &form, "\n")).collect();
        format!("{}: {{{}}}", form.text(&task.id), fields.join(", "))
    };
    tasks.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// In the order in which the original writes them; what a task lacks is left out as there.
fn values(task: &Definition) -> Vec<(&'static str, Value<'_>)> {
    let mut values = vec![
        ("title", Value::Text(&task.title)),
        ("description", Value::Text(&task.description)),
        ("acceptance_criteria", Value::List(&task.acceptance_criteria)),
        ("depends_on", Value::List(&task.depends_on)),
        ("labels", Value::List(&task.labels)),
        ("locks", Value::List(&task.locks)),
        ("priority", Value::Integer(task.priority)),
        ("status", Value::Text(task.status.word())),
    ];
    let optional = [
        ("created_at", &task.created_at),
        ("updated_at", &task.updated_at),
        ("completed_by", &task.completed_by),
        ("completed_at", &task.completed_at),
        ("verified_by", &task.verified_by),
        ("verified_at", &task.verified_at),
    ];
    for (key, value) in optional {
        values.extend(value.as_deref().map(|text| (key, Value::Text(text))));
    }
    values.extend(task.prd.as_ref().map(|prd| ("prd", Value::Prd(prd))));
    values
}

fn prd(prd: &Prd, form: &Form, line_break: &str) -> String {
    let inner = Form { column: form.column + 2, list_column: form.column + 2, one_line: form.flow, ..*form };
    let refs: Vec<String> = prd
        .refs
        .iter()
        .map(|reference| {
            let lines =
                reference.lines.map_or("null".to_owned(), |(first, last)| format!("[{first}, {last}]"));
            let name = |key: &str| if form.quoted { double(key) } else { key.to_owned() };
            let mut text =
                format!("{{{}: {}, {}: {lines}", name("anchor"), form.text(&reference.anchor), name("lines"));
            if let Some(hash) = &reference.section_hash {
                text.push_str(&[", ", &name("section_hash"), ": ", &form.text(hash)].concat());
            }
            text.push('}');
            text
        })
        .collect();
    let refs = match (refs.is_empty(), form.flow) {
        (true, _) => " []".to_owned(),
        (false, true) => format!(" [{}]", refs.join(", ")),
        (false, false) => {
            let indent = " ".repeat(inner.list_column);
            [String::new()]
                .into_iter()
                .chain(refs)
                .collect::<Vec<_>>()
                .join(&format!("{line_break}{indent}- "))
        }
    };
    let key = |key: &str| if form.quoted { double(key) } else { key.to_owned() };
    let mut fields = vec![
        field("source", &Value::Text(&prd.source), &inner, line_break),
        format!("{}:{refs}", key("refs")),
    ];
    for (name, text) in [("excerpt", &prd.excerpt), ("prd_hash", &prd.prd_hash)] {
        let value = text.as_deref().map_or(Value::Absent, Value::Text);
        fields.push(field(name, &value, &inner, line_break));
    }
    if form.flow {
        return format!(" {{{}}}", fields.join(", "));
    }
    let indent = " ".repeat(inner.column);
    [String::new()].into_iter().chain(fields).collect::<Vec<_>>().join(&format!("{line_break}{indent}"))
}
