//! Integers and texts to and from PostgreSQL. Its texts cannot hold a NUL, which a message may: that one is escaped.

use std::borrow::Cow;
use std::error::Error as StdError;

use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::error::{Error, Result};
use crate::sql::{Row, Value};

/// A letter of the private use area, which stands before what it stands for.
const ESCAPE: char = '\u{E000}';

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(number) if *kind == Type::INT4 => i32::try_from(*number)?.to_sql(kind, out),
            Value::Integer(number) => number.to_sql(kind, out),
            Value::Text(text) => escaped(text).as_ref().to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::INT8 | Type::INT4 | Type::TEXT | Type::VARCHAR)
    }

    to_sql_checked!();
}

pub(crate) fn from_row(row: &tokio_postgres::Row) -> Result<Row> {
    let cells = row.columns().iter().enumerate().map(|(index, column)| {
        let read = match *column.type_() {
            Type::INT8 => row.try_get::<_, Option<i64>>(index).map(|value| value.map(Value::Integer)),
            Type::INT4 => {
                row.try_get::<_, Option<i32>>(index).map(|value| value.map(|one| Value::Integer(one.into())))
            }
            Type::BOOL => {
                row.try_get::<_, Option<bool>>(index).map(|value| value.map(|one| Value::Integer(one.into())))
            }
            _ => row
                .try_get::<_, Option<&str>>(index)
                .map(|value| value.map(|one| Value::Text(unescaped(one)))),
        };
        let read = read.map_err(|error| Error::unexpected(format!("column {index}: {error}")))?;
        Ok(read.unwrap_or(Value::Null))
    });
    Ok(Row(cells.collect::<Result<_>>()?))
}

/// One line of the text format of `COPY`.
pub(crate) fn write_line(row: &[Value], line: &mut Vec<u8>) {
    for (column, value) in row.iter().enumerate() {
        if column > 0 {
            line.push(b'\t');
        }
        match value {
            Value::Null => line.extend_from_slice(b"\\N"),
            Value::Integer(number) => line.extend_from_slice(number.to_string().as_bytes()),
            Value::Text(text) => {
                for byte in escaped(text).bytes() {
                    match byte {
                        b'\\' => line.extend_from_slice(b"\\\\"),
                        b'\n' => line.extend_from_slice(b"\\n"),
                        b'\r' => line.extend_from_slice(b"\\r"),
                        b'\t' => line.extend_from_slice(b"\\t"),
                        byte => line.push(byte),
                    }
                }
            }
        }
    }
    line.push(b'\n');
}

fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '\0' => escaped.extend([ESCAPE, '0']),
            ESCAPE => escaped.extend([ESCAPE, '1']),
            letter => escaped.push(letter),
        }
    }
    Cow::Owned(escaped)
}

fn unescaped(text: &str) -> String {
    if !text.contains(ESCAPE) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    let mut plain = String::with_capacity(text.len());
    while let Some(letter) = letters.next() {
        match (letter, letter == ESCAPE) {
            (_, true) => match letters.next() {
                Some('0') => plain.push('\0'),
                Some('1') => plain.push(ESCAPE),
                other => plain.extend(std::iter::once(ESCAPE).chain(other)),
            },
            (letter, false) => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_leaves_its_column() {
        let mut line = Vec::new();
        write_line(&[Value::Null, Value::Integer(3), Value::from("a\tb\\N\n\rc")], &mut line);
        assert_eq!(String::from_utf8(line).unwrap(), "\\N\t3\ta\\tb\\\\N\\n\\rc\n");
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in "[\\x00a\u{E000}01é]{0,12}") {
            let sent = escaped(&text).into_owned();
            prop_assert!(!sent.contains('\0'));
            prop_assert_eq!(unescaped(&sent), text);
        }
    }
}
