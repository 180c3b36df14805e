//! How much of the code goes into contracts and bundles: profiles, and what overrides them. A word that is none of the
//! known ones is refused, never guessed.

use becket_base::nearest;
use becket_contracts::bundle::BundleOptions;
use becket_contracts::model::{SchemaVersion, StyleMode};
use becket_contracts::render::{CodeMode, Format};
use becket_project::config;
use becket_project::walk::Tests;
use serde::{Deserialize, Serialize};

use crate::{Engine, Error};

/// What a caller may say; what is left out comes from the profile, and the profile from the settings.
#[derive(Debug, Clone, Default)]
pub struct ContextChoice {
    pub profile: Option<String>,
    pub mode: Option<String>,
    pub include_style: bool,
    /// `lean` or `full`.
    pub style_mode: Option<String>,
    pub depth: Option<usize>,
    pub max_nodes: Option<usize>,
    pub token_budget: Option<usize>,
    /// `0.3` or `0.4`.
    pub schema: Option<String>,
    pub format: Option<String>,
    pub include_tests: bool,
    pub predict_behavior: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    LlmChat,
    LlmSafe,
    CiStrict,
    WatchFast,
}

/// Everything decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextOptions {
    pub profile: Profile,
    pub mode: CodeMode,
    pub style: Option<StyleMode>,
    pub bundle: BundleOptions,
    pub schema: SchemaVersion,
    pub format: Format,
    pub tests: Tests,
    pub predict: bool,
}

impl ContextChoice {
    /// As something was made before, and what is said otherwise now: `asked` is everything that this choice came to.
    pub(super) fn over(&self, asked: ContextOptions, before: ContextOptions) -> ContextOptions {
        let said = |is_said: bool| if is_said { asked } else { before };
        let profile = self.profile.is_some();
        ContextOptions {
            profile: said(profile).profile,
            mode: said(profile || self.mode.is_some()).mode,
            style: said(self.include_style).style,
            bundle: BundleOptions {
                depth: said(self.depth.is_some()).bundle.depth,
                max_nodes: said(profile || self.max_nodes.is_some()).bundle.max_nodes,
                token_budget: said(self.token_budget.is_some()).bundle.token_budget,
            },
            schema: said(self.schema.is_some()).schema,
            format: said(self.format.is_some()).format,
            tests: said(self.include_tests).tests,
            predict: said(self.predict_behavior).predict,
        }
    }
}

impl Profile {
    pub fn as_str(self) -> &'static str {
        match self {
            Profile::LlmChat => "llm-chat",
            Profile::LlmSafe => "llm-safe",
            Profile::CiStrict => "ci-strict",
            Profile::WatchFast => "watch-fast",
        }
    }

    /// Whether a missing dependency is a failure.
    pub fn is_strict(self) -> bool {
        self == Profile::CiStrict
    }
}

const PROFILES: [(&str, Profile); 4] = [
    ("llm-chat", Profile::LlmChat),
    ("llm-safe", Profile::LlmSafe),
    ("ci-strict", Profile::CiStrict),
    ("watch-fast", Profile::WatchFast),
];
const MODES: [(&str, CodeMode); 3] =
    [("none", CodeMode::None), ("header", CodeMode::Header), ("full", CodeMode::Full)];
const FORMATS: [(&str, Format); 4] =
    [("json", Format::Json), ("pretty", Format::Pretty), ("ndjson", Format::Ndjson), ("toon", Format::Toon)];
const STYLES: [(&str, StyleMode); 2] = [("lean", StyleMode::Lean), ("full", StyleMode::Full)];
const SCHEMAS: [(&str, SchemaVersion); 2] = [("0.3", SchemaVersion::V03), ("0.4", SchemaVersion::V04)];

impl Engine {
    pub(super) fn context_options(&self, choice: &ContextChoice) -> Result<ContextOptions, Error> {
        let named = choice.profile.as_deref().unwrap_or(self.settings.text(config::UNDERSTAND_PROFILE));
        let profile = pick("profile", named, &PROFILES)?;
        let default_mode = match profile {
            Profile::CiStrict if choice.profile.is_some() => "none",
            _ => self.settings.text(config::UNDERSTAND_MODE),
        };
        let most = if profile == Profile::LlmSafe { 30 } else { 100 };
        let max_nodes = counted("max-nodes", choice.max_nodes, most, usize::MAX)?;
        let budget = choice.token_budget;
        let token_budget =
            budget.map(|most| counted("max-tokens", Some(most), usize::MAX, usize::MAX)).transpose()?;
        let style_mode = pick("style mode", choice.style_mode.as_deref().unwrap_or("lean"), &STYLES)?;
        Ok(ContextOptions {
            profile,
            mode: pick("mode", choice.mode.as_deref().unwrap_or(default_mode), &MODES)?,
            style: choice.include_style.then_some(style_mode),
            bundle: BundleOptions { depth: choice.depth.unwrap_or(2), max_nodes, token_budget },
            schema: pick("schema", choice.schema.as_deref().unwrap_or("0.3"), &SCHEMAS)?,
            format: pick("format", choice.format.as_deref().unwrap_or("json"), &FORMATS)?,
            tests: if choice.include_tests { Tests::Included } else { Tests::LeftOut },
            predict: choice.predict_behavior,
        })
    }
}

/// How many a caller wants, or as many as usual. None of them is no wish, and more than there can be is not cut in silence.
pub(super) fn counted(what: &str, wanted: Option<usize>, usual: usize, most: usize) -> Result<usize, Error> {
    let wanted = wanted.unwrap_or(usual);
    if (1..=most).contains(&wanted) {
        return Ok(wanted);
    }
    let range = if most == usize::MAX { "of 1 or more".to_owned() } else { format!("from 1 to {most}") };
    let hint = if usual == usize::MAX { "no limit".to_owned() } else { usual.to_string() };
    Err(Error::invalid("invalid_arguments", format!("`{what}` is a whole number {range}, not {wanted}."))
        .with_hint(format!("Leave it out for {hint}.")))
}

fn pick<T: Copy>(what: &str, word: &str, known: &[(&'static str, T)]) -> Result<T, Error> {
    if let Some((_, value)) = known.iter().find(|(name, _)| *name == word) {
        return Ok(*value);
    }
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let all = names.join(", ");
    let hint = match nearest(word, names.iter().copied()) {
        Some(meant) => format!("Did you mean `{meant}`? There are {all}."),
        None => format!("There are {all}."),
    };
    let shown = becket_base::clip(word, 60);
    Err(Error::invalid("invalid_arguments", format!("There is no {what} `{shown}`.")).with_hint(hint))
}
