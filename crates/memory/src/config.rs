//! `.context/config.json`: reading it strictly, with the key and its place in every complaint, and completing one that
//! lacks keys without touching the rest. Owns what a valid setting is; does no I/O.

use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{ObjectProp, Value},
    common::Ranged,
    cst::{CstInputValue, CstRootNode},
    errors::ParseError,
    parse_to_ast,
};

/// How entries are named and how long they may be. The defaults are the seed's, save `max_bytes`, which it lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    pub max_lines: usize,
    /// Of one entry's text; `maxBytes`, which only a few vaults will ever set.
    pub max_bytes: usize,
    pub start_index: u64,
    /// The width that numbers are padded to (the seed's name says zeros, its examples say width).
    pub leading_zeros: usize,
    pub file_prefix: String,
    pub file_suffix: String,
}

/// Why a configuration is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("config.json, line {line}, column {column}: {message}")]
    Malformed { line: usize, column: usize, message: String },
    #[error("config.json, line {line}, column {column}: `{key}` {problem}")]
    Key { key: String, line: usize, column: usize, problem: String },
}

const LARGEST_INDEX: u64 = 999_999_999_999_999;
const WIDEST_NUMBER: u64 = 15;
const MOST_LINES: u64 = 1_000_000;
const MOST_BYTES: u64 = 16 * 1024 * 1024;
const LONGEST_AFFIX: usize = 64;

impl Default for Config {
    fn default() -> Self {
        Self {
            max_lines: 50,
            max_bytes: 64 * 1024,
            start_index: 1,
            leading_zeros: 5,
            file_prefix: String::new(),
            file_suffix: ".md".to_owned(),
        }
    }
}

impl Config {
    /// Keys that are missing have their defaults; keys that are unknown are left to whoever knows them. A byte order
    /// mark is not a fault: editors put it there unasked.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let (text, _) = without_mark(text);
        let place = |offset: usize| line_and_column(text, offset);
        let parsed =
            parse_to_ast(text, &CollectOptions::default(), &strict()).map_err(|error| malformed(&error))?;
        let Some(Value::Object(object)) = parsed.value else {
            let offset = parsed.value.as_ref().map_or(0, Ranged::start);
            let (line, column) = place(offset);
            let message = "an object with settings is expected here".to_owned();
            return Err(ConfigError::Malformed { line, column, message });
        };
        let mut config = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        for property in &object.properties {
            let key = property.name.as_str();
            let refuse = |offset: usize, problem: String| {
                let (line, column) = place(offset);
                ConfigError::Key { key: key.to_owned(), line, column, problem }
            };
            if seen.contains(&key) {
                return Err(refuse(property.name.start(), "is given twice".to_owned()));
            }
            seen.push(key);
            config.set(key, property).map_err(|problem| refuse(property.value.start(), problem))?;
        }
        Ok(config)
    }

    fn set(&mut self, key: &str, property: &ObjectProp<'_>) -> Result<(), String> {
        let value = &property.value;
        match key {
            "maxLines" => self.max_lines = count(value, 1, MOST_LINES)?,
            "maxBytes" => self.max_bytes = count(value, 1, MOST_BYTES)?,
            "startIndex" => self.start_index = whole(value, 0, LARGEST_INDEX)?,
            "leadingZeros" => self.leading_zeros = count(value, 0, WIDEST_NUMBER)?,
            "filePrefix" => {
                let prefix = affix(value)?;
                if prefix.ends_with(|last: char| last.is_ascii_digit()) {
                    return Err(
                        "must not end in a digit, or the number that follows has no beginning".to_owned()
                    );
                }
                self.file_prefix = prefix;
            }
            "fileSuffix" => {
                let suffix = affix(value)?;
                if suffix.starts_with(|first: char| first.is_ascii_digit()) {
                    return Err("must not begin with a digit, or the number before it has no end".to_owned());
                }
                if suffix.ends_with(['.', ' ']) {
                    return Err("must not end in a dot or a space, which Windows drops".to_owned());
                }
                self.file_suffix = suffix;
            }
            _ => {}
        }
        Ok(())
    }

    /// The digits that stand in a file name and in a reference.
    pub fn format_ref(&self, number: u64) -> String {
        format!("{number:0width$}", width = self.leading_zeros)
    }

    pub fn file_name(&self, number: u64) -> String {
        format!("{}{}{}", self.file_prefix, self.format_ref(number), self.file_suffix)
    }

    /// What `--init` writes where there is no configuration.
    pub fn default_text() -> String {
        let default = Self::default();
        format!(
            "{{\n  \"maxLines\": {},\n  \"startIndex\": {},\n  \"leadingZeros\": {},\n  \"filePrefix\": \"{}\",\n  \"fileSuffix\": \"{}\"\n}}\n",
            default.max_lines,
            default.start_index,
            default.leading_zeros,
            default.file_prefix,
            default.file_suffix
        )
    }

    /// The text with the seed's keys that it lacks, every other byte as it was; nothing if it lacks none.
    pub fn completed(text: &str) -> Result<Option<String>, ConfigError> {
        Self::parse(text)?;
        let (bare, mark) = without_mark(text);
        let root = CstRootNode::parse(bare, &strict()).map_err(|error| malformed(&error))?;
        let Some(object) = root.object_value() else { return Ok(None) };
        let default = Self::default();
        let number = |value: u64| CstInputValue::Number(value.to_string());
        let mut added = false;
        for (key, value) in [
            ("maxLines", number(default.max_lines as u64)),
            ("startIndex", number(default.start_index)),
            ("leadingZeros", number(default.leading_zeros as u64)),
            ("filePrefix", CstInputValue::String(default.file_prefix)),
            ("fileSuffix", CstInputValue::String(default.file_suffix)),
        ] {
            if object.get(key).is_none() {
                object.append(key, value);
                added = true;
            }
        }
        Ok(added.then(|| format!("{mark}{root}")))
    }
}

fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn malformed(error: &ParseError) -> ConfigError {
    let message = format!("not valid JSON: {}", error.kind());
    ConfigError::Malformed { line: error.line_display(), column: error.column_display(), message }
}

fn without_mark(text: &str) -> (&str, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => (rest, "\u{feff}"),
        None => (text, ""),
    }
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    (line, column)
}

fn count(value: &Value<'_>, least: u64, most: u64) -> Result<usize, String> {
    whole(value, least, most).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

fn whole(value: &Value<'_>, least: u64, most: u64) -> Result<u64, String> {
    let refuse = |found: &str| Err(format!("must be a whole number from {least} to {most}, not {found}"));
    match value {
        // `50.0` is a whole number to JSON, and JavaScript may have written it.
        Value::NumberLit(literal) => match literal.value.trim_end_matches(".0").parse::<u64>() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => refuse(literal.value),
        },
        other => refuse(kind(other)),
    }
}

fn affix(value: &Value<'_>) -> Result<String, String> {
    let Value::StringLit(literal) = value else {
        return Err(format!("must be a string, not {}", kind(value)));
    };
    let text = literal.value.as_ref();
    let unfit = |character: char| {
        character.is_control() || matches!(character, '/' | '\\' | '<' | '>' | ':' | '"' | '|' | '?' | '*')
    };
    if let Some(character) = text.chars().find(|character| unfit(*character)) {
        return Err(format!("must not contain {character:?}, which no file name can have on every system"));
    }
    if text.len() > LONGEST_AFFIX {
        return Err(format!("must not be longer than {LONGEST_AFFIX} bytes"));
    }
    Ok(text.to_owned())
}

fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a boolean",
        Value::Object(_) => "an object",
        Value::Array(_) => "an array",
        Value::NullKeyword(_) => "null",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        Config::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn the_default_text_is_the_default() {
        assert_eq!(Config::parse(&Config::default_text()), Ok(Config::default()));
        assert_eq!(Config::completed(&Config::default_text()), Ok(None));
        assert_eq!(Config::parse("{}"), Ok(Config::default()));
    }

    #[test]
    fn a_mark_and_foreign_keys_are_tolerated() {
        let config = Config::parse("\u{feff}{\"maxLines\": 7, \"theme\": {\"dark\": null}}").unwrap();
        assert_eq!(config.max_lines, 7);
    }

    #[test]
    fn every_wrong_value_names_its_key_and_place() {
        for (text, expected) in [
            (
                "{\n  \"maxLines\": \"abc\"\n}",
                "config.json, line 2, column 15: `maxLines` must be a whole number from 1 to 1000000, not a string",
            ),
            (
                "{\"fileSuffix\":null}",
                "config.json, line 1, column 15: `fileSuffix` must be a string, not null",
            ),
            (
                "{\"startIndex\":-5}",
                "config.json, line 1, column 15: `startIndex` must be a whole number from 0 to 999999999999999, not -5",
            ),
            (
                "{\"startIndex\":1.5}",
                "config.json, line 1, column 15: `startIndex` must be a whole number from 0 to 999999999999999, not 1.5",
            ),
            (
                "{\"maxLines\":0}",
                "config.json, line 1, column 13: `maxLines` must be a whole number from 1 to 1000000, not 0",
            ),
            (
                "{\"leadingZeros\":1e9}",
                "config.json, line 1, column 17: `leadingZeros` must be a whole number from 0 to 15, not 1e9",
            ),
            (
                "{\"filePrefix\":\"../x\"}",
                "config.json, line 1, column 15: `filePrefix` must not contain '/', which no file name can have on every system",
            ),
            (
                "{\"filePrefix\":\"v2\"}",
                "config.json, line 1, column 15: `filePrefix` must not end in a digit, or the number that follows has no beginning",
            ),
            ("{\"maxLines\":1,\"maxLines\":2}", "config.json, line 1, column 15: `maxLines` is given twice"),
            ("null", "config.json, line 1, column 1: an object with settings is expected here"),
            (" []", "config.json, line 1, column 2: an object with settings is expected here"),
            ("\"x\"", "config.json, line 1, column 1: an object with settings is expected here"),
            ("", "config.json, line 1, column 1: an object with settings is expected here"),
        ] {
            assert_eq!(refusal(text), expected, "{text}");
        }
        assert!(
            refusal("{\n \"maxLines\": 5,\n}").starts_with("config.json, line 2"),
            "a trailing comma has a place"
        );
    }

    #[test]
    fn completing_adds_only_what_is_missing() {
        let text = "{\n    \"maxLines\": 7,\n    \"mine\": [1,2]\n}\n";
        let completed = Config::completed(text).unwrap().unwrap();
        assert!(
            completed.starts_with("{\n    \"maxLines\": 7,\n    \"mine\": [1,2],\n    \"startIndex\": 1,"),
            "{completed}"
        );
        assert_eq!(Config::parse(&completed).unwrap(), Config { max_lines: 7, ..Config::default() });
        assert_eq!(Config::completed(&completed), Ok(None));
        assert!(Config::completed("{\"maxLines\": null}").is_err());
    }

    #[test]
    fn numbers_are_padded_and_grow() {
        let config =
            Config { file_prefix: "ctx-".into(), file_suffix: ".markdown".into(), ..Config::default() };
        assert_eq!(config.file_name(123), "ctx-00123.markdown");
        assert_eq!(config.file_name(100_000), "ctx-100000.markdown");
    }
}
