//! Everything a store holds as lines of JSON, and back into an empty store: from one engine to another, or as a backup.

use std::io::{BufRead, Write};

use serde_json::{Value as Json, json};

use super::{counts, tallies};
use crate::error::{Error, Result};
use crate::random;
use crate::sql::schema::{TABLES, VERSION};
use crate::sql::{Transaction, TransactionExt, Value};

const FORMAT: &str = "becket-store";

pub(crate) fn export(transaction: &mut dyn Transaction, out: &mut dyn Write) -> Result<()> {
    let header = json!({ "format": FORMAT, "version": VERSION, "exportedAt": transaction.moment().text() });
    write_line(out, &header)?;
    for (table, columns) in TABLES {
        let sql = format!("SELECT {} FROM {table}", columns.join(", "));
        for row in transaction.query(&sql, &[])? {
            let cells: Vec<Json> = row.0.iter().map(to_json).collect();
            write_line(out, &json!({ "table": table, "row": cells }))?;
        }
    }
    Ok(())
}

/// All or nothing. Event ids are kept; the stream gets a new id, because cursors of the old store do not hold here.
pub(crate) fn import(transaction: &mut dyn Transaction, lines: &mut dyn BufRead) -> Result<u64> {
    for table in ["agents", "tasks", "events"] {
        if transaction.one(&format!("SELECT 1 FROM {table} LIMIT 1"), &[])?.is_some() {
            return Err(Error::Import { detail: "the store is not empty: reset it first".to_owned() });
        }
    }
    let mut header = String::new();
    lines.read_line(&mut header).map_err(|error| broken(1, &error.to_string()))?;
    let header: Json = serde_json::from_str(&header).map_err(|error| broken(1, &error.to_string()))?;
    if header["format"] != FORMAT || header["version"].as_i64().is_none_or(|version| version > VERSION) {
        return Err(broken(1, "it is no export of a store that this becket knows"));
    }
    let (mut current, mut rows, mut count) = ("", Vec::new(), 0);
    for (index, line) in lines.lines().enumerate() {
        let number = index + 2;
        let line = line.map_err(|error| broken(number, &error.to_string()))?;
        if line.trim().is_empty() {
            continue;
        }
        let line: Json = serde_json::from_str(&line).map_err(|error| broken(number, &error.to_string()))?;
        let named = TABLES.iter().find(|(table, _)| line["table"] == *table);
        let (table, columns) = named.ok_or_else(|| broken(number, "it names no table of a store"))?;
        let cells = line["row"].as_array().filter(|cells| cells.len() == columns.len());
        let cells = cells.ok_or_else(|| broken(number, "its row does not have the columns of its table"))?;
        if *table != current {
            flush(transaction, current, &mut rows)?;
            current = table;
        }
        let values = cells.iter().map(|cell| from_json(cell, number)).collect::<Result<Vec<_>>>()?;
        rows.push(values);
        count += 1;
        if rows.len() >= 1000 {
            flush(transaction, current, &mut rows)?;
        }
    }
    flush(transaction, current, &mut rows)?;
    tallies::recount(transaction)?;
    transaction.rows_were_imported()?;
    counts::set_stream(transaction, &random::name("", 16)?.to_lowercase())?;
    Ok(count)
}

fn flush(transaction: &mut dyn Transaction, table: &str, rows: &mut Vec<Vec<Value>>) -> Result<()> {
    let columns = TABLES.iter().find(|(name, _)| *name == table).map(|(_, columns)| columns.join(", "));
    if let Some(columns) = columns {
        transaction.insert_all(&format!("{table} ({columns})"), rows, &[])?;
    }
    rows.clear();
    Ok(())
}

fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Integer(number) => json!(number),
        Value::Text(text) => json!(text),
    }
}

fn from_json(cell: &Json, line: usize) -> Result<Value> {
    match cell {
        Json::Null => Ok(Value::Null),
        Json::Number(number) => {
            number.as_i64().map(Value::Integer).ok_or_else(|| broken(line, "a number is out of range"))
        }
        Json::String(text) => Ok(Value::Text(text.clone())),
        _ => Err(broken(line, "a cell is neither a text nor a number")),
    }
}

fn write_line(out: &mut dyn Write, line: &Json) -> Result<()> {
    writeln!(out, "{line}").map_err(|source| Error::File { path: "the export".to_owned(), source })
}

fn broken(line: usize, detail: &str) -> Error {
    Error::Import { detail: format!("line {line}: {detail}") }
}
