//! What goes into a statement and comes out of a row: integers and texts, or nothing.

use crate::error::{Error, Result};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    Text(String),
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// The columns of one row, in the order of the statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row(pub(crate) Vec<Value>);

impl Row {
    pub(crate) fn integer(&self, column: usize) -> Result<i64> {
        self.optional_integer(column)?.ok_or_else(|| wrong(column, "a number"))
    }

    pub(crate) fn optional_integer(&self, column: usize) -> Result<Option<i64>> {
        match self.0.get(column) {
            Some(Value::Integer(number)) => Ok(Some(*number)),
            Some(Value::Null) => Ok(None),
            _ => Err(wrong(column, "a number")),
        }
    }

    /// A number that is never negative.
    pub(crate) fn count(&self, column: usize) -> Result<u64> {
        Ok(u64::try_from(self.integer(column)?).unwrap_or(0))
    }

    pub(crate) fn text(&self, column: usize) -> Result<&str> {
        self.optional_text(column)?.ok_or_else(|| wrong(column, "a text"))
    }

    pub(crate) fn optional_text(&self, column: usize) -> Result<Option<&str>> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null) => Ok(None),
            _ => Err(wrong(column, "a text")),
        }
    }

    pub(crate) fn owned(&self, column: usize) -> Result<Option<String>> {
        Ok(self.optional_text(column)?.map(str::to_owned))
    }

    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self, column: usize) -> Result<T> {
        serde_json::from_str(self.text(column)?)
            .map_err(|error| Error::unexpected(format!("column {column} holds no such JSON: {error}")))
    }
}

fn wrong(column: usize, expected: &str) -> Error {
    Error::unexpected(format!("column {column} is not {expected}"))
}
