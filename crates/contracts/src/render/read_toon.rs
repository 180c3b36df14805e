//! TOON read back, as [`toon`](super::toon) writes it: by the indentation of lines and the lengths in headers.

use becket_base::divided;
use serde_json::{Map, Value};

/// Values in values.
const DEEPEST: usize = 128;

/// Whether a text begins as a list in TOON does: `[2]:` or `[2]{a,b}:`.
pub(super) fn is_list(text: &str) -> bool {
    let count = text.strip_prefix('[').and_then(|rest| divided::around_first(rest, b']'));
    count.is_some_and(|(count, rest)| count.parse::<usize>().is_ok() && rest.starts_with([':', '{']))
}

/// The value of a text; else the number of the line, counted from 1, that does not fit.
pub(super) fn read_toon(text: &str) -> Result<Value, usize> {
    let lines = text.trim_end_matches('\n').split('\n').map(|line| {
        let inner = line.trim_start_matches(' ');
        ((line.len() - inner.len()) / 2, inner)
    });
    let mut reader = Reader { lines: lines.collect(), at: 0 };
    let value = match reader.lines.first() {
        Some((0, line)) if is_list(line) => {
            reader.at = 1;
            reader.list(line, 0)
        }
        Some(_) => reader.object(0).map(Value::Object),
        None => None,
    };
    let line = reader.at;
    value.filter(|_| line == reader.lines.len()).ok_or(line)
}

struct Reader<'t> {
    /// Each with how deep it stands.
    lines: Vec<(usize, &'t str)>,
    at: usize,
}

impl<'t> Reader<'t> {
    /// The next line, where it stands this deep.
    fn line(&mut self, depth: usize) -> Option<&'t str> {
        let (_, line) = *self.lines.get(self.at).filter(|(found, _)| *found == depth)?;
        self.at += 1;
        Some(line)
    }

    fn object(&mut self, depth: usize) -> Option<Map<String, Value>> {
        let mut fields = Map::new();
        while let Some(line) = self.line(depth) {
            let (name, value) = self.field(line, depth)?;
            fields.insert(name, value);
        }
        Some(fields)
    }

    fn field(&mut self, line: &'t str, depth: usize) -> Option<(String, Value)> {
        let (name, rest) = name(line)?;
        if rest.starts_with('[') {
            return Some((name, self.list(rest, depth)?));
        }
        let value = match rest.strip_prefix(':')? {
            "" if depth < DEEPEST => Value::Object(self.object(depth + 1)?),
            plain => scalar(plain.strip_prefix(' ')?)?,
        };
        Some((name, value))
    }

    /// From its length on.
    fn list(&mut self, line: &'t str, depth: usize) -> Option<Value> {
        let (count, rest) = line.strip_prefix('[')?.split_once(']')?;
        let count: usize = count.parse().ok()?;
        if depth > DEEPEST || count > self.lines.len().max(line.len()) {
            return None;
        }
        let mut items = Vec::new();
        if let Some(columns) = rest.strip_prefix('{') {
            let columns = cells(columns.strip_suffix("}:")?)?;
            let columns: Option<Vec<String>> = columns.into_iter().map(|cell| Some(name(cell)?.0)).collect();
            let columns = columns?;
            for _ in 0..count {
                let cells = cells(self.line(depth + 1)?)?;
                (cells.len() == columns.len()).then_some(())?;
                let values =
                    columns.iter().zip(cells).map(|(name, cell)| Some((name.clone(), scalar(cell)?)));
                items.push(Value::Object(values.collect::<Option<_>>()?));
            }
        } else if let Some(plain) = rest.strip_prefix(": ") {
            items = cells(plain)?.into_iter().map(scalar).collect::<Option<_>>()?;
        } else {
            (rest == ":").then_some(())?;
            for _ in 0..count {
                let line = self.line(depth + 1)?.strip_prefix('-')?;
                items.push(self.item(line.strip_prefix(' ').unwrap_or(line), depth + 1)?);
            }
        }
        (items.len() == count).then_some(Value::Array(items))
    }

    fn item(&mut self, line: &'t str, depth: usize) -> Option<Value> {
        if line.is_empty() {
            return Some(Value::Object(Map::new()));
        }
        if is_list(line) {
            return self.list(line, depth);
        }
        match name(line) {
            Some((_, rest)) if rest.starts_with([':', '[']) => {
                let (name, value) = self.field(line, depth + 1)?;
                let mut fields = self.object(depth + 1)?;
                // The one beside the dash is the first.
                fields.shift_insert(0, name, value);
                Some(Value::Object(fields))
            }
            _ => scalar(line),
        }
    }
}

/// The name that a line begins with, and what follows.
fn name(line: &str) -> Option<(String, &str)> {
    let end =
        if line.starts_with('"') { text_end(line)? } else { line.find([':', '[']).unwrap_or(line.len()) };
    let (name, rest) = line.split_at(end);
    let name = if name.starts_with('"') { serde_json::from_str(name).ok()? } else { name.to_owned() };
    Some((name, rest))
}

/// Where the text ends that a line begins with, its quotes included.
fn text_end(line: &str) -> Option<usize> {
    let mut escaped = false;
    let end = line.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map(|end| end + 2)
}

/// The parts between commas.
fn cells(mut line: &str) -> Option<Vec<&str>> {
    let mut cells = Vec::new();
    loop {
        let end = if line.starts_with('"') { text_end(line)? } else { line.find(',').unwrap_or(line.len()) };
        let (cell, rest) = line.split_at(end);
        cells.push(cell);
        if rest.is_empty() {
            return Some(cells);
        }
        line = rest.strip_prefix(',')?;
    }
}

fn scalar(text: &str) -> Option<Value> {
    let is_json = text.starts_with(['"', '-']) || text.starts_with(|first: char| first.is_ascii_digit());
    match text {
        "true" => Some(true.into()),
        "false" => Some(false.into()),
        "null" => Some(Value::Null),
        _ if is_json => {
            serde_json::from_str(text).ok().or_else(|| (!text.starts_with('"')).then(|| text.into()))
        }
        _ => Some(text.into()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::toon::toon;
    use super::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[ -~]{0,8}",
            "[a-z:,\\[\\]{}\"\\\\\n\u{8}é-]{0,6}",
            "-?[0-9]{1,3}(\\.5)?",
            "true|null"
        ];
        let plain = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            text.clone().prop_map(Value::from),
        ];
        plain.prop_recursive(5, 60, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((text.clone(), inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(value in any_value()) {
            let value = json!([value]);
            prop_assert_eq!(read_toon(&toon(&value)), Ok(value));
        }

        #[test]
        fn nothing_makes_it_fail_badly(text in "(\\[[0-9]{1,3}\\][:{]|- |  |[a-z]|:|\"|,|\n){0,40}") {
            _ = read_toon(&text);
        }
    }

    #[test]
    fn what_does_not_fit_is_named_by_its_line() {
        assert!(is_list("[2]: a,b") && is_list("[1]{a}:\n  1") && !is_list("[1]") && !is_list("[\n{}]"));
        assert_eq!(read_toon("[2]:\n  - a: 1\n  b"), Err(3));
    }
}
