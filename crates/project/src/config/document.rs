//! A settings file as one tree with positions, whichever of the two formats it is in. It knows neither keys nor types.

use std::fmt;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use toml_edit::{Document, Item, TableLike, Value};

use super::problem::{Position, ProblemKind};
use crate::shown::shown;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Toml,
    Json,
}

#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    /// Bytes into the text.
    pub(super) offset: usize,
    pub(super) node: Node,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) offset: usize,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Text(String),
    /// As written, for what no integer type holds.
    Number(String),
    Flag(bool),
    List(Vec<Node>),
    Table(Vec<Member>),
    Null,
    Time,
}

/// Reads a text. What cannot be read at all is one problem with its position.
pub(super) fn parse(text: &str, format: Format) -> Result<Vec<Member>, (Option<Position>, ProblemKind)> {
    match format {
        Format::Toml => parse_toml(text),
        Format::Json => parse_json(text),
    }
}

fn parse_toml(text: &str) -> Result<Vec<Member>, (Option<Position>, ProblemKind)> {
    match Document::parse(text) {
        Ok(document) => Ok(toml_members(document.as_table())),
        Err(error) => {
            let position = error.span().map(|span| Position::of(text, span.start));
            let mut message = format!("not TOML: {}", error.message().lines().collect::<Vec<_>>().join("; "));
            if let Some(key) =
                error.span().and_then(|span| text.get(span)).filter(|_| message.ends_with("duplicate key"))
            {
                message = format!("{message} `{}`", shown(key));
            }
            Err((position, ProblemKind::Syntax { message }))
        }
    }
}

fn toml_members(table: &dyn TableLike) -> Vec<Member> {
    let member = |(name, item): (&str, &Item)| {
        let offset = table.key(name).and_then(toml_edit::Key::span).map_or(0, |span| span.start);
        Some(Member { name: name.to_owned(), offset, node: toml_node(item, offset)? })
    };
    table.iter().filter_map(member).collect()
}

fn toml_node(item: &Item, key: usize) -> Option<Node> {
    let content = match item {
        Item::None => return None,
        Item::Value(value) => return Some(toml_value(value, key)),
        Item::Table(table) => Content::Table(toml_members(table)),
        Item::ArrayOfTables(tables) => Content::List(
            tables
                .iter()
                .map(|table| Node { offset: key, content: Content::Table(toml_members(table)) })
                .collect(),
        ),
    };
    Some(Node { offset: key, content })
}

fn toml_value(value: &Value, key: usize) -> Node {
    let offset = value.span().map_or(key, |span| span.start);
    let content = match value {
        Value::String(text) => Content::Text(text.value().clone()),
        Value::Integer(number) => Content::Number(number.value().to_string()),
        Value::Float(number) => Content::Number(number.display_repr().into_owned()),
        Value::Boolean(flag) => Content::Flag(*flag.value()),
        Value::Datetime(_) => Content::Time,
        Value::Array(items) => Content::List(items.iter().map(|item| toml_value(item, offset)).collect()),
        Value::InlineTable(table) => Content::Table(toml_members(table)),
    };
    Node { offset, content }
}

fn parse_json(text: &str) -> Result<Vec<Member>, (Option<Position>, ProblemKind)> {
    // People write comments and leave commas behind; everything else is plain JSON.
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| {
        let position = Position::of(text, error.range().start);
        let message =
            format!("not JSON: {}", error.kind().to_string().to_lowercase().replace("json", "JSON"));
        (Some(position), ProblemKind::Syntax { message })
    })?;
    match parsed.value {
        Some(ast::Value::Object(object)) => Ok(json_members(object)),
        // An empty file says nothing, as an empty TOML file does.
        None => Ok(Vec::new()),
        Some(other) => {
            let position = Position::of(text, other.range().start);
            Err((Some(position), ProblemKind::NotATable { expected: "one JSON object" }))
        }
    }
}

fn json_members(object: ast::Object<'_>) -> Vec<Member> {
    let member = |property: ast::ObjectProp<'_>| Member {
        offset: property.range.start,
        name: property.name.into_string(),
        node: json_node(property.value),
    };
    object.properties.into_iter().map(member).collect()
}

fn json_node(value: ast::Value<'_>) -> Node {
    let offset = value.range().start;
    let content = match value {
        ast::Value::StringLit(text) => Content::Text(text.value.into_owned()),
        ast::Value::NumberLit(number) => Content::Number(number.value.to_owned()),
        ast::Value::BooleanLit(flag) => Content::Flag(flag.value),
        ast::Value::NullKeyword(_) => Content::Null,
        ast::Value::Array(items) => Content::List(items.elements.into_iter().map(json_node).collect()),
        ast::Value::Object(object) => Content::Table(json_members(object)),
    };
    Node { offset, content }
}

impl fmt::Display for Content {
    /// What it is, not what it says: "text", "a number".
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Text(_) => "text",
            Self::Number(_) => "a number",
            Self::Flag(_) => "true or false",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
            Self::Null => "null",
            Self::Time => "a date or time",
        })
    }
}
