//! Values of settings: from a file's tree or from the text of a variable or flag, checked against their kind.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use becket_base::nearest;

use super::document::{Content, Node};
use super::key::{DefaultValue, Items, Key, Kind, quoted};
use super::problem::ProblemKind;
use crate::environment::Environment;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Unset,
    Text(String),
    Number(u64),
    Flag(bool),
    List(Vec<String>),
    Path(PathBuf),
    Paths(Vec<PathBuf>),
    Secret(Secret),
}

/// A text that no log shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// What a relative path or a `~` in a value means.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin<'a> {
    pub(super) environment: &'a Environment,
    pub(super) base: &'a Path,
}

impl Value {
    pub(super) fn default_of(key: &Key) -> Self {
        match (key.kind, key.default) {
            (Kind::Paths, _) => Self::Paths(Vec::new()),
            (_, DefaultValue::Unset) => Self::Unset,
            (_, DefaultValue::Text(text)) => Self::Text(text.to_owned()),
            (_, DefaultValue::Number(number)) => Self::Number(number),
            (_, DefaultValue::Flag(flag)) => Self::Flag(flag),
            (_, DefaultValue::List(items)) => {
                Self::List(items.iter().map(|item| (*item).to_owned()).collect())
            }
        }
    }

    /// From a file. A problem comes with the offset that it is about.
    pub(super) fn from_node(
        key: &'static Key,
        node: &Node,
        origin: Origin<'_>,
    ) -> Result<Self, (usize, ProblemKind)> {
        let wrong_type = |node: &Node| {
            let (expected, found) = (key.kind.to_string(), node.content.to_string());
            (node.offset, ProblemKind::WrongType { key: key.name.to_owned(), expected, found })
        };
        let at = |node: &Node| {
            let offset = node.offset;
            move |kind| (offset, kind)
        };
        match (key.kind, &node.content) {
            (Kind::Token, _) => Err((node.offset, ProblemKind::SecretInFile { key: key.name })),
            (Kind::Flag, Content::Flag(flag)) => Ok(Self::Flag(*flag)),
            (Kind::Number { .. }, Content::Number(text)) => number(key, text).map_err(at(node)),
            (Kind::Text | Kind::Choice(_) | Kind::Path | Kind::Address, Content::Text(text)) => {
                scalar(key, text, origin).map_err(at(node))
            }
            (Kind::List(_) | Kind::Paths, Content::List(items)) => {
                let mut texts = Vec::new();
                for item in items {
                    let Content::Text(text) = &item.content else { return Err(wrong_type(item)) };
                    check_item(key, text).map_err(at(item))?;
                    texts.push(text.clone());
                }
                Ok(list(key, texts, origin))
            }
            _ => Err(wrong_type(node)),
        }
    }

    /// From a variable or a flag.
    pub(super) fn from_text(key: &'static Key, text: &str, origin: Origin<'_>) -> Result<Self, ProblemKind> {
        match key.kind {
            Kind::Flag => flag(key, text),
            Kind::Number { .. } => number(key, text.trim()),
            Kind::List(_) => {
                let items: Vec<_> = text
                    .split(',')
                    .map(str::trim)
                    .filter(|item| !item.is_empty())
                    .map(str::to_owned)
                    .collect();
                items.iter().try_for_each(|item| check_item(key, item))?;
                Ok(list(key, items, origin))
            }
            Kind::Paths => {
                let paths = std::env::split_paths(text).map(|path| path.to_string_lossy().into_owned());
                let paths: Vec<_> = paths.filter(|path| !path.is_empty()).collect();
                paths.iter().try_for_each(|path| check_item(key, path))?;
                Ok(list(key, paths, origin))
            }
            Kind::Text | Kind::Choice(_) | Kind::Path | Kind::Address | Kind::Token => {
                scalar(key, text, origin)
            }
        }
    }
}

fn scalar(key: &'static Key, text: &str, origin: Origin<'_>) -> Result<Value, ProblemKind> {
    match key.kind {
        Kind::Choice(choices) if !choices.contains(&text) => Err(wrong_choice(key, text, choices)),
        Kind::Address if !is_address(text) => Err(wrong_value(key, text)),
        Kind::Token if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Err(ProblemKind::BadSecret { key: key.name, expected: key.kind.to_string() })
        }
        Kind::Token => Ok(Value::Secret(Secret(text.to_owned()))),
        _ if text.is_empty() || text.contains('\0') => Err(wrong_value(key, text)),
        Kind::Path => Ok(Value::Path(origin.environment.resolve_from(origin.base, text))),
        _ => Ok(Value::Text(text.to_owned())),
    }
}

fn number(key: &'static Key, text: &str) -> Result<Value, ProblemKind> {
    let Kind::Number { least, most } = key.kind else { return Err(wrong_value(key, text)) };
    match text.parse::<i128>() {
        Ok(number) => match u64::try_from(number) {
            Ok(number) if (least..=most).contains(&number) => Ok(Value::Number(number)),
            _ => Err(ProblemKind::OutOfRange { key: key.name, least, most, value: number.to_string() }),
        },
        Err(_) => Err(wrong_value(key, text)),
    }
}

fn flag(key: &'static Key, text: &str) -> Result<Value, ProblemKind> {
    match text.trim().to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(Value::Flag(true)),
        "0" | "false" | "no" | "off" => Ok(Value::Flag(false)),
        _ => Err(wrong_value(key, text)),
    }
}

fn check_item(key: &'static Key, item: &str) -> Result<(), ProblemKind> {
    match key.kind {
        Kind::List(Items::Choice(choices)) if !choices.contains(&item) => {
            Err(wrong_choice(key, item, choices))
        }
        _ if item.is_empty() || item.contains('\0') => Err(wrong_value(key, item)),
        _ => Ok(()),
    }
}

fn list(key: &Key, items: Vec<String>, origin: Origin<'_>) -> Value {
    if key.kind == Kind::Paths {
        return Value::Paths(
            items.iter().map(|item| origin.environment.resolve_from(origin.base, item)).collect(),
        );
    }
    let mut distinct = Vec::new();
    for item in items {
        if !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    Value::List(distinct)
}

fn wrong_value(key: &'static Key, text: &str) -> ProblemKind {
    let expected = key.kind.to_string();
    ProblemKind::WrongValue { key: key.name, expected, value: text.to_owned(), nearest: None }
}

fn wrong_choice(key: &'static Key, text: &str, choices: &'static [&'static str]) -> ProblemKind {
    ProblemKind::WrongValue {
        key: key.name,
        expected: format!("one of {}", quoted(choices)),
        value: text.to_owned(),
        nearest: nearest(text, choices.iter().copied()),
    }
}

fn is_address(text: &str) -> bool {
    let local = text.strip_prefix("localhost:").is_some_and(|port| port.parse::<u16>().is_ok());
    local || text.parse::<SocketAddr>().is_ok()
}
