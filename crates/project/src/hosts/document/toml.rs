//! Tables of TOML documents, spliced at the spans of the parsed items: the writer of `toml_edit` would change line
//! endings.

use std::ops::Range;

use serde_json::Value;
use toml_edit::{Array, Document, InlineTable, Item, Key, Table};

use super::DocumentError;
use super::text::{gap_before_append, line_end, line_start, newline, position, with_separator, without};

pub(super) fn tree(text: &str) -> Result<Value, DocumentError> {
    Ok(item_tree(parse(text)?.as_item()))
}

pub(super) fn insert(
    text: &str,
    container: &[String],
    name: &str,
    entry: &Value,
) -> Result<String, DocumentError> {
    let document = parse(text)?;
    let mut item = document.as_item();
    for (depth, key) in container.iter().enumerate() {
        let Some((written, child)) = item.as_table().and_then(|table| table.get_key_value(key)) else {
            break;
        };
        item = child;
        match item {
            Item::Table(_) => {}
            Item::Value(toml_edit::Value::InlineTable(inline)) => {
                return insert_inline(text, inline, &container[depth + 1..], name, entry);
            }
            other => {
                let span = written.span().unwrap_or_default();
                let (line, column) = position(text, span.start);
                let (what, found) = (format!("`{key}`"), kind(other));
                return Err(DocumentError::Shape { line, column, what, found, wanted: "a table" });
            }
        }
    }
    let newline = newline(text);
    let header: Vec<String> = container.iter().map(|key| key_text(key)).chain([key_text(name)]).collect();
    let lines = entry
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some(format!("{} = {}{newline}", key_text(key), toml_value(value)?)));
    let table: String = std::iter::once(format!("[{}]{newline}", header.join("."))).chain(lines).collect();
    Ok([text, &gap_before_append(text), &table].concat())
}

pub(super) fn remove(text: &str, container: &[String], name: &str) -> Result<String, DocumentError> {
    let document = parse(text)?;
    let mut item = document.as_item();
    for key in container {
        match item.get(key) {
            Some(child) => item = child,
            None => return Ok(text.to_owned()),
        }
    }
    let cuts = match item {
        Item::Table(table) => match table.get_key_value(name) {
            Some((key, item)) => {
                let mut cuts = Vec::new();
                lines_of(text, key, item, &mut cuts);
                cuts.into_iter().map(|lines| with_separator(text, lines)).collect()
            }
            None => Vec::new(),
        },
        Item::Value(toml_edit::Value::InlineTable(inline)) => inline_cut(text, inline, name),
        _ => Vec::new(),
    };
    Ok(without(text, cuts))
}

fn parse(text: &str) -> Result<Document<&str>, DocumentError> {
    Document::parse(text).map_err(|error| {
        let (line, column) = position(text, error.span().unwrap_or_default().start);
        DocumentError::Malformed { line, column, message: error.message().to_owned() }
    })
}

fn insert_inline(
    text: &str,
    inline: &InlineTable,
    inner: &[String],
    name: &str,
    entry: &Value,
) -> Result<String, DocumentError> {
    let unsupported = || DocumentError::Unverified { name: name.to_owned() };
    let path: Vec<String> = inner.iter().map(|key| key_text(key)).chain([key_text(name)]).collect();
    let member = format!("{} = {}", path.join("."), toml_value(entry).ok_or_else(unsupported)?);
    let last = inline.iter().filter_map(|(_, value)| value.span()).map(|span| span.end).max();
    let (at, member) = match last {
        Some(end) => (end, format!(", {member}")),
        None => (inline.span().ok_or_else(unsupported)?.start + 1, format!(" {member} ")),
    };
    Ok([&text[..at], &member, &text[at..]].concat())
}

/// A member of an inline table and the comma that belongs to it. A member written with dotted keys gives nothing: the
/// re-reading then refuses.
fn inline_cut(text: &str, inline: &InlineTable, name: &str) -> Vec<Range<usize>> {
    let member = inline.get_key_value(name).and_then(|(key, item)| Some(key.span()?.start..item.span()?.end));
    let cut = |member: Range<usize>| {
        let (head, rest) = (&text[..member.start], &text[member.end..]);
        let gap = rest.len() - rest.trim_start().len();
        if rest[gap..].starts_with(',') {
            head.trim_end_matches([' ', '\t']).len()..member.end + gap + 1
        } else {
            head.trim_end().strip_suffix(',').map_or(member.clone(), |head| head.len()..member.end)
        }
    };
    member.map(cut).into_iter().collect()
}

/// The whole lines that an item of a table consists of: values, headers with what follows them, tables below.
fn lines_of(text: &str, key: &Key, item: &Item, lines: &mut Vec<Range<usize>>) {
    match item {
        Item::Value(value) => {
            if let (Some(key), Some(value)) = (key.span(), value.span()) {
                lines.push(line_start(text, key.start)..line_end(text, value.end));
            }
        }
        Item::Table(table) => lines_of_table(text, table, lines),
        Item::ArrayOfTables(tables) => {
            for table in tables {
                lines_of_table(text, table, lines);
            }
        }
        Item::None => {}
    }
}

fn lines_of_table(text: &str, table: &Table, lines: &mut Vec<Range<usize>>) {
    let (mut own, mut below) = (Vec::new(), Vec::new());
    for (name, item) in table {
        let Some(key) = table.key(name) else { continue };
        // A dotted key's values stand among the table's own.
        let dotted = item.as_table().is_none_or(Table::is_dotted) && !item.is_array_of_tables();
        lines_of(text, key, item, if dotted { &mut own } else { &mut below });
    }
    match table.span().filter(|_| !table.is_implicit() && !table.is_dotted()) {
        Some(header) => {
            let end = own.iter().map(|lines| lines.end).max().unwrap_or(line_end(text, header.end));
            lines.push(line_start(text, header.start)..end);
        }
        None => lines.append(&mut own),
    }
    lines.append(&mut below);
}

fn item_tree(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => value_tree(value),
        Item::Table(table) => table
            .iter()
            .map(|(key, item)| (key.to_owned(), item_tree(item)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Item::ArrayOfTables(tables) => {
            tables.iter().map(|table| item_tree(&Item::Table(table.clone()))).collect::<Vec<_>>().into()
        }
    }
}

fn value_tree(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(truth) => (*truth.value()).into(),
        // JSON knows neither infinities nor dates: their text stands for them, which is enough to compare.
        toml_edit::Value::Float(number) => format!("float {:?}", number.value()).into(),
        toml_edit::Value::Datetime(date) => format!("date {}", date.value()).into(),
        toml_edit::Value::Array(array) => array.iter().map(value_tree).collect::<Vec<_>>().into(),
        toml_edit::Value::InlineTable(table) => table
            .iter()
            .map(|(key, value)| (key.to_owned(), value_tree(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}

fn toml_value(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(truth) => (*truth).into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64()?.into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(values) => values.iter().filter_map(toml_value).collect::<Array>().into(),
        Value::Object(map) => {
            let members = map.iter().filter_map(|(key, value)| Some((key.as_str(), toml_value(value)?)));
            members.collect::<InlineTable>().into()
        }
    })
}

fn key_text(key: &str) -> String {
    Key::new(key).to_string()
}

fn kind(item: &Item) -> &'static str {
    match item {
        Item::None => "nothing",
        Item::Table(_) => "a table",
        Item::ArrayOfTables(_) => "an array of tables",
        Item::Value(toml_edit::Value::String(_)) => "a string",
        Item::Value(toml_edit::Value::Array(_)) => "an array",
        Item::Value(toml_edit::Value::Boolean(_)) => "a truth value",
        Item::Value(toml_edit::Value::Datetime(_)) => "a date",
        Item::Value(toml_edit::Value::Integer(_) | toml_edit::Value::Float(_)) => "a number",
        Item::Value(toml_edit::Value::InlineTable(_)) => "a table",
    }
}
