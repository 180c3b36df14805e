//! Settings as use cases need them: typed groups for the server, a report for people, problems as errors.

use std::path::PathBuf;

use becket_project::config::{self, Place};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Engine, Error,
    repository::sentence,
    token::{self, Token, TokenSource},
};

/// Something in the set-up that cannot be used as it is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Problem {
    pub code: String,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// From the command line: then the command itself is wrong, and not the set-up.
    #[serde(skip)]
    pub(crate) from_flag: bool,
    /// About the token: to go on without it would be to take another one than the user meant.
    #[serde(skip)]
    pub(crate) about_token: bool,
    /// About the store: another one than was meant would be a store that nobody else looks into.
    #[serde(skip)]
    pub(crate) about_store: bool,
}

/// What `becket config` prints.
#[derive(Debug, Clone, Serialize)]
pub struct SettingsReport {
    pub settings: Vec<SettingStatus>,
    pub problems: Vec<Problem>,
    pub notices: Vec<String>,
}

/// One effective value.
#[derive(Debug, Clone, Serialize)]
pub struct SettingStatus {
    pub key: String,
    pub value: String,
    pub source: String,
    pub doc: String,
}

/// What the server offers.
#[derive(Debug, Clone)]
pub struct McpSettings {
    pub toolsets: Vec<String>,
    pub tools: Vec<String>,
    pub exclude: Vec<String>,
    pub read_only: bool,
    pub dotted_names: bool,
    pub max_message_bytes: usize,
}

/// How it is reached over HTTP.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    pub allowed_hosts: Vec<String>,
    pub allowed_origins: Vec<String>,
    pub max_body_bytes: usize,
}

/// What is logged, and where.
#[derive(Debug, Clone)]
pub struct LogSettings {
    pub level: String,
    pub file: Option<PathBuf>,
    pub json: bool,
}

/// Of answers in JSON, at least.
pub(crate) const BYTES_PER_TOKEN: u64 = 3;
/// The text beside the structured part of an answer, with what is around the two.
const LONGEST_TEXT: usize = 9_000;
/// With fewer bytes nothing can be said.
const LEAST_OUTPUT: u64 = 1_024;

impl Engine {
    pub fn settings_report(&self) -> SettingsReport {
        let settings = self.settings.entries().into_iter().map(|entry| SettingStatus {
            key: entry.key.to_owned(),
            value: shown(&entry.value),
            source: self.shown_path(&entry.source.to_string()),
            doc: entry.doc.to_owned(),
        });
        SettingsReport {
            settings: settings.collect(),
            problems: self.problems.clone(),
            notices: self.notices.clone(),
        }
    }

    /// A place in the repository, as a person in the repository names it.
    fn shown_path(&self, source: &str) -> String {
        let root = self
            .workspace()
            .ok()
            .map(|workspace| format!("{}{}", workspace.root.display(), std::path::MAIN_SEPARATOR));
        root.and_then(|root| source.strip_prefix(root.as_str())).unwrap_or(source).to_owned()
    }

    /// Tools refuse to guess while a setting is broken.
    pub fn settings_are_sound(&self) -> Result<(), Error> {
        self.problems.first().map_or(Ok(()), |problem| Err(as_error(problem)))
    }

    /// Nor is another store taken than the one that was meant.
    pub(crate) fn store_is_sound(&self) -> Result<(), Error> {
        self.problems
            .iter()
            .find(|problem| problem.about_store)
            .map_or(Ok(()), |problem| Err(as_error(problem)))
    }

    /// A wrong flag ends the command; a wrong file does not keep a server from starting.
    pub fn flags_are_sound(&self) -> Result<(), Error> {
        let wrong = self.problems.iter().find(|problem| problem.from_flag);
        wrong.map_or(Ok(()), |problem| Err(as_error(problem)))
    }

    /// A host shows stderr where nobody asks for the status.
    pub fn warn_of_problems(&self) {
        if let Err(error) = self.workspace() {
            tracing::warn!(code = error.code(), "{error}");
        }
        for problem in &self.problems {
            tracing::warn!(code = problem.code, hint = problem.hint, "{}", problem.message);
        }
    }

    /// Tool names are known to the server alone, so a wrong one is found late; where it stands is known here.
    pub fn with_source_of_tool_names(&self, error: Error) -> Error {
        if error.code() != "unknown_tool" {
            return error;
        }
        let sources: Vec<String> = [config::MCP_TOOLS.key(), config::MCP_EXCLUDE.key()]
            .into_iter()
            .filter(|key| self.settings.source(key) != config::Source::Default)
            .map(|key| format!("{} in {}", key.name, self.shown_path(&self.settings.source(key).to_string())))
            .collect();
        let hint = format!("{} It stands in {}.", error.hint().unwrap_or_default(), sources.join(" or "));
        Error::invalid("unknown_tool", error.message().to_owned()).with_hint(hint.trim_start().to_owned())
    }

    pub fn server_name(&self) -> Option<&str> {
        self.settings.optional_text(config::SERVER_NAME)
    }

    /// How long the structured part of an answer may be: what the text beside it needs is left for that.
    pub fn max_output_bytes(&self) -> usize {
        let whole = self.max_result_bytes();
        whole - self.max_text_bytes()
    }

    /// How long the text beside the structured part may be, with what is around the two.
    pub fn max_text_bytes(&self) -> usize {
        (self.max_result_bytes() / 4).min(LONGEST_TEXT)
    }

    /// How long a whole answer may be. Tokens are bytes at the usual rate; what is counted in them, bundles, is held to them too.
    fn max_result_bytes(&self) -> usize {
        let tokens = self.settings.number(config::SECURITY_MAX_TOKENS_PER_REQUEST);
        let by_tokens = tokens.saturating_mul(BYTES_PER_TOKEN).max(LEAST_OUTPUT);
        bytes(self.settings.number(config::MCP_MAX_OUTPUT_BYTES).min(by_tokens))
    }

    /// How long an answer may be that holds bundles, which have a limit of their own: the general one only where somebody
    /// chose it.
    pub fn max_bundle_answer_bytes(&self) -> usize {
        let chosen = self.settings.source(config::MCP_MAX_OUTPUT_BYTES.key()) != config::Source::Default;
        let bundle = bytes(self.settings.number(config::SECURITY_MAX_BUNDLE_SIZE));
        if chosen { self.max_output_bytes() } else { bundle.max(self.max_output_bytes()) }
    }

    pub fn mcp_settings(&self) -> McpSettings {
        let list = |key| self.settings.list(key).to_vec();
        McpSettings {
            toolsets: list(config::MCP_TOOLSETS),
            tools: list(config::MCP_TOOLS),
            exclude: list(config::MCP_EXCLUDE),
            read_only: self.settings.flag(config::MCP_READ_ONLY),
            dotted_names: self.settings.text(config::MCP_TOOL_NAMES) == "dotted",
            max_message_bytes: bytes(self.settings.number(config::MCP_MAX_MESSAGE_BYTES)),
        }
    }

    /// Whether the environment asks for HTTP.
    pub fn http_is_asked_for(&self) -> bool {
        matches!(self.settings.source(config::HTTP_LISTEN.key()), config::Source::Variable { .. })
    }

    /// The address to serve HTTP at, if one is set.
    pub fn http_listen(&self) -> Option<&str> {
        self.settings.optional_text(config::HTTP_LISTEN)
    }

    pub fn http_settings(&self) -> HttpSettings {
        HttpSettings {
            allowed_hosts: self.settings.list(config::HTTP_ALLOWED_HOSTS).to_vec(),
            allowed_origins: self.settings.list(config::HTTP_ALLOWED_ORIGINS).to_vec(),
            max_body_bytes: bytes(self.settings.number(config::HTTP_MAX_BODY_BYTES)),
        }
    }

    /// From the environment, else the user's file, else one that is made in the cache.
    pub fn http_token(&self) -> Result<Token, Error> {
        if let Some(problem) = self.problems.iter().find(|problem| problem.about_token) {
            return Err(as_error(problem));
        }
        let source =
            match (self.settings.secret(config::HTTP_TOKEN), self.settings.path(config::HTTP_TOKEN_FILE)) {
                (Some(token), _) => TokenSource::Given(token.expose().to_owned()),
                (None, Some(file)) => TokenSource::File(file.to_owned()),
                (None, None) => TokenSource::Generated { folder: self.workspace()?.cache_dir.clone() },
            };
        token::obtain(source)
    }

    pub fn log_settings(&self) -> LogSettings {
        LogSettings {
            level: self.settings.text(config::LOG_LEVEL).to_owned(),
            file: self.settings.path(config::LOG_FILE).map(PathBuf::from),
            json: self.settings.flag(config::LOG_JSON),
        }
    }
}

impl From<&config::Problem> for Problem {
    fn from(problem: &config::Problem) -> Self {
        Self {
            code: problem.code().to_owned(),
            message: sentence(&problem.to_string()),
            hint: Some(problem.hint()),
            from_flag: matches!(problem.place, Place::Flag(_)),
            about_store: match &problem.kind {
                config::ProblemKind::ServerFromFile { .. } => true,
                config::ProblemKind::Refused { key, .. } => *key == config::STORE_URL.key().name,
                _ => false,
            },
            about_token: matches!(&problem.kind, config::ProblemKind::BadSecret { key, .. } if *key == config::HTTP_TOKEN.key().name),
        }
    }
}

impl From<&Error> for Problem {
    fn from(error: &Error) -> Self {
        Self {
            code: error.code().to_owned(),
            message: error.message().to_owned(),
            hint: error.hint().map(str::to_owned),
            from_flag: false,
            about_token: false,
            about_store: false,
        }
    }
}

fn as_error(problem: &Problem) -> Error {
    let error = Error::invalid("settings_invalid", problem.message.clone());
    match &problem.hint {
        Some(hint) => error.with_hint(hint.clone()),
        None => error,
    }
}

fn shown(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "(unset)".to_owned(),
        serde_json::Value::String(text) => without_password(text),
        serde_json::Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// `scheme://user:password@host` is printed without its password.
pub(crate) fn without_password(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    match rest.rsplit_once('@') {
        Some((login, place)) if login.contains(':') => {
            let user = login.split_once(':').map_or(login, |(user, _)| user);
            format!("{scheme}://{user}:…@{place}")
        }
        _ => text.to_owned(),
    }
}

fn bytes(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
