//! The two spellings of a contract: schema 0.3 (`version`, `logicSignature`), which is what serde writes, and 0.4
//! (`composition`, `interface`).

use std::{fmt, str::FromStr};

use becket_base::ByName;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Contract, Exports, Version, shared_guards};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum SchemaVersion {
    #[default]
    #[serde(rename = "0.3")]
    V03,
    #[serde(rename = "0.4")]
    V04,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no contract schema `{0}`; known are 0.3 and 0.4")]
pub struct UnknownSchemaVersion(pub String);

impl SchemaVersion {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V03 => "0.3",
            Self::V04 => "0.4",
        }
    }
}

impl fmt::Display for SchemaVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for SchemaVersion {
    type Err = UnknownSchemaVersion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "0.3" => Ok(Self::V03),
            "0.4" => Ok(Self::V04),
            other => Err(UnknownSchemaVersion(other.to_owned())),
        }
    }
}

impl Contract {
    /// The contract as JSON in the spelling of `schema`.
    pub fn to_json(&self, schema: SchemaVersion) -> Value {
        let mut written = serde_json::to_value(self).unwrap_or(Value::Null);
        if let Some(fields) = written.as_object_mut() {
            shared_guards::fold(fields, &self.routes);
        }
        match (schema, written) {
            (SchemaVersion::V04, Value::Object(fields)) => Value::Object(as_04(fields, self)),
            (_, written) => written,
        }
    }
}

/// Renames in place, so that the order of the fields stays, and writes the lists that 0.4 requires even when empty.
fn as_04(fields: Map<String, Value>, contract: &Contract) -> Map<String, Value> {
    let mut renamed = Map::new();
    for (name, value) in fields {
        match name.as_str() {
            "schemaVersion" => renamed.insert(name, json!("0.4")),
            "version" => renamed.insert("composition".to_owned(), contract.version.with_every_list()),
            "logicSignature" => renamed.insert("interface".to_owned(), value),
            "exports" => renamed.insert(name, contract.exports.as_04()),
            _ => renamed.insert(name, value),
        };
    }
    renamed
}

impl Version {
    /// As 0.4 has it: every list, empty or not.
    pub(crate) fn with_every_list(&self) -> Value {
        let mut whole = Map::new();
        for (name, list) in [
            ("variables", &self.variables),
            ("hooks", &self.hooks),
            ("components", &self.components),
            ("functions", &self.functions),
            ("imports", &self.imports),
        ] {
            whole.insert(name.to_owned(), json!(list));
        }
        if let Some(more) = &self.language_specific {
            whole.insert("languageSpecific".to_owned(), json!(more));
        }
        Value::Object(whole)
    }
}

impl Exports {
    /// 0.4 has no place for the name of a default export beside named ones, so it stands among them as `default`.
    pub(crate) fn as_04(&self) -> Value {
        match (&self.default, self.named.as_slice()) {
            (Some(_), []) => json!("default"),
            (None, [_]) => json!("named"),
            (None, named) => json!({ "named": named }),
            (Some(_), named) => {
                let names: Vec<&str> =
                    std::iter::once("default").chain(named.iter().map(String::as_str)).collect();
                json!({ "named": names })
            }
        }
    }
}

/// Every form in which `exports` is found in files.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum ReadExports {
    Word(String),
    Lists {
        #[serde(default)]
        default: Option<String>,
        #[serde(default)]
        named: Vec<String>,
        #[serde(default)]
        stars: Vec<String>,
        #[serde(default)]
        renamed: ByName<String>,
        #[serde(default)]
        types: Vec<String>,
    },
}

impl From<ReadExports> for Exports {
    fn from(read: ReadExports) -> Self {
        match read {
            ReadExports::Word(word) if word == "default" => {
                Self { default: Some("default".to_owned()), ..Self::default() }
            }
            ReadExports::Word(_) => Self::default(),
            ReadExports::Lists { default, named, stars, renamed, types } => {
                Self { default, named, stars, renamed, types }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, LogicSignature, Version};

    fn contract(exports: Exports) -> Contract {
        Contract {
            type_name: "UIFContract".to_owned(),
            schema_version: "0.3".to_owned(),
            kind: Kind::NodeCli,
            entry_id: "src/a.ts".to_owned(),
            description: "a".to_owned(),
            version: Version { functions: vec!["run".to_owned()], ..Version::default() },
            logic_signature: LogicSignature::default(),
            exports,
            passed_on: Vec::new(),
            declarations: Vec::new(),
            routes: Vec::new(),
            nextjs: None,
            style: None,
            prediction: Vec::new(),
            unresolved: Vec::new(),
            diagnostics: Vec::new(),
            semantic_hash: "uif:0".to_owned(),
            file_hash: "uif:1".to_owned(),
            brief: false,
        }
    }

    #[test]
    fn both_spellings_are_read_back() {
        let written = contract(Exports { named: vec!["a".to_owned(), "b".to_owned()], ..Exports::default() });
        let old: Contract = serde_json::from_value(written.to_json(SchemaVersion::V03)).unwrap();
        let new: Contract = serde_json::from_value(written.to_json(SchemaVersion::V04)).unwrap();
        assert_eq!(old, written);
        assert_eq!(new, Contract { schema_version: "0.4".to_owned(), ..written });
    }

    #[test]
    fn schema_04_has_the_words_of_today() {
        let written = contract(Exports { default: Some("Run".to_owned()), ..Exports::default() });
        let json = written.to_json(SchemaVersion::V04);
        assert_eq!(json["exports"], "default");
        assert_eq!(
            json["composition"],
            json!({"variables": [], "hooks": [], "components": [], "functions": ["run"], "imports": []})
        );
        assert!(json.get("version").is_none() && json.get("logicSignature").is_none());
    }
}
