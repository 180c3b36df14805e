//! Values of settings: from a file's tree or from the text of a variable or flag, checked against their kind.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use becket_base::nearest;

use super::document::{Content, Node};
use super::key::{DefaultValue, Items, Key, Kind};
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

/// A setting for which a source has a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) key: &'static Key,
    /// As the source calls it, for problems to name.
    pub(super) name: &'a str,
    pub(super) environment: &'a Environment,
    /// Where relative paths start.
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
    pub(super) fn from_node(asked: Asked<'_>, node: &Node) -> Result<Self, (usize, ProblemKind)> {
        let wrong_type = |offset, found| (offset, asked.wrong_type(found));
        let at = |offset| move |kind| (offset, kind);
        match (asked.key.kind, &node.content) {
            (Kind::Token, _) => {
                let (key, variable) = (asked.name.to_owned(), asked.key.variable.unwrap_or_default());
                Err((node.offset, ProblemKind::SecretInFile { key, variable }))
            }
            (Kind::Flag, Content::Flag(flag)) => Ok(Self::Flag(*flag)),
            (Kind::Number { least, most }, Content::Number(text)) => {
                asked.number(text, least, most).map_err(at(node.offset))
            }
            (Kind::Text | Kind::Choice(_) | Kind::Path | Kind::Address, Content::Text(text)) => {
                asked.scalar(text).map_err(at(node.offset))
            }
            (Kind::List(_) | Kind::Paths, Content::List(items)) => {
                let mut texts = Vec::new();
                for item in items {
                    let Content::Text(text) = &item.content else {
                        return Err(wrong_type(item.offset, format!("a list with {}", item.content)));
                    };
                    asked.check_item(text).map_err(at(item.offset))?;
                    texts.push(text.clone());
                }
                Ok(asked.list(texts))
            }
            _ => Err(wrong_type(node.offset, node.content.to_string())),
        }
    }

    /// From a variable or a flag.
    pub(super) fn from_text(asked: Asked<'_>, text: &str) -> Result<Self, ProblemKind> {
        let list = |items: Vec<String>| {
            items.iter().try_for_each(|item| asked.check_item(item))?;
            Ok(asked.list(items))
        };
        match asked.key.kind {
            Kind::Flag => asked.flag(text),
            Kind::Number { least, most } => asked.number(text.trim(), least, most),
            Kind::List(_) => list(
                text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect(),
            ),
            Kind::Paths => {
                let paths = std::env::split_paths(text).map(|path| path.to_string_lossy().into_owned());
                list(paths.filter(|path| !path.is_empty()).collect())
            }
            Kind::Text | Kind::Choice(_) | Kind::Path | Kind::Address | Kind::Token => asked.scalar(text),
        }
    }
}

impl Asked<'_> {
    fn scalar(self, text: &str) -> Result<Value, ProblemKind> {
        match self.key.kind {
            Kind::Choice(choices) if !choices.contains(&text) => Err(self.wrong_choice(text, choices)),
            Kind::Address if !is_address(text) => Err(self.wrong_value(text)),
            Kind::Token if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) => {
                let (key, variable) = (self.name.to_owned(), self.key.variable.unwrap_or_default());
                Err(ProblemKind::BadSecret { key, expected: self.key.kind.to_string(), variable })
            }
            Kind::Token => Ok(Value::Secret(Secret(text.to_owned()))),
            _ if text.is_empty() || text.contains('\0') => Err(self.wrong_value(text)),
            Kind::Path => Ok(Value::Path(self.environment.resolve_from(self.base, text))),
            _ => Ok(Value::Text(text.to_owned())),
        }
    }

    fn number(self, text: &str, least: u64, most: u64) -> Result<Value, ProblemKind> {
        let number: i128 = text.parse().map_err(|_| self.wrong_value(text))?;
        match u64::try_from(number) {
            Ok(number) if (least..=most).contains(&number) => Ok(Value::Number(number)),
            _ => {
                let value = number.to_string();
                Err(ProblemKind::OutOfRange { key: self.name.to_owned(), least, most, value })
            }
        }
    }

    fn flag(self, text: &str) -> Result<Value, ProblemKind> {
        match text.trim().to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Ok(Value::Flag(true)),
            "0" | "false" | "no" | "off" => Ok(Value::Flag(false)),
            _ => Err(self.wrong_value(text)),
        }
    }

    fn check_item(self, item: &str) -> Result<(), ProblemKind> {
        match self.key.kind {
            Kind::List(Items::Choice(choices)) if !choices.contains(&item) => {
                Err(self.wrong_choice(item, choices))
            }
            _ if item.is_empty() || item.contains('\0') => Err(self.wrong_value(item)),
            _ => Ok(()),
        }
    }

    fn list(self, items: Vec<String>) -> Value {
        if self.key.kind == Kind::Paths {
            return Value::Paths(
                items.iter().map(|item| self.environment.resolve_from(self.base, item)).collect(),
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

    fn wrong_type(self, found: String) -> ProblemKind {
        ProblemKind::WrongType { key: self.name.to_owned(), expected: self.key.kind.to_string(), found }
    }

    fn wrong_value(self, text: &str) -> ProblemKind {
        let expected = self.key.kind.to_string();
        ProblemKind::WrongValue { key: self.name.to_owned(), expected, value: text.to_owned(), nearest: None }
    }

    fn wrong_choice(self, text: &str, choices: &'static [&'static str]) -> ProblemKind {
        ProblemKind::WrongValue {
            key: self.name.to_owned(),
            expected: self.key.kind.to_string(),
            value: text.to_owned(),
            nearest: nearest(text, choices.iter().copied()),
        }
    }
}

fn is_address(text: &str) -> bool {
    let local = text.strip_prefix("localhost:").is_some_and(|port| port.parse::<u16>().is_ok());
    local || text.parse::<SocketAddr>().is_ok()
}
