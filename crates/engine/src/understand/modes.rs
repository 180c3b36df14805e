//! What each mode costs, measured: every contract is written in every mode and counted, and so is the source.

use becket_contracts::model::StyleMode;
use becket_contracts::render::CodeMode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::material::Material;
use super::options::{ContextChoice, ContextOptions};
use super::tokens::{METHOD, claude};
use super::written;
use crate::{Engine, Error};

#[derive(Debug, Clone, Default)]
pub struct ModesRequest {
    pub project_path: Option<String>,
    pub include_tests: bool,
    pub clean_cache: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModesReport {
    pub project_path: String,
    pub token_estimation: TokenMethod,
    pub comparison_vs_raw_source: AgainstSource,
    pub mode_breakdown: AgainstFull,
    pub stats: SourceStats,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TokenMethod {
    pub method: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgainstSource {
    pub raw_source: ModeCost,
    pub none: ModeCost,
    pub header: ModeCost,
    pub header_style: ModeCost,
    pub full: ModeCost,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgainstFull {
    pub none: ModeShare,
    pub header: ModeShare,
    pub header_style: ModeShare,
    pub full: ModeShare,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModeCost {
    #[serde(rename = "tokensGPT4o")]
    pub tokens_gpt4o: usize,
    pub tokens_claude: usize,
    /// Negative where it costs more than the source.
    pub savings_percent: i64,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModeShare {
    #[serde(rename = "tokensGPT4o")]
    pub tokens_gpt4o: usize,
    pub tokens_claude: usize,
    pub savings_vs_full: i64,
}

#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct SourceStats {
    #[serde(rename = "totalFiles")]
    pub total_files: usize,
    #[serde(rename = "totalTS")]
    pub total_ts: usize,
    #[serde(rename = "totalTSX")]
    pub total_tsx: usize,
    #[serde(rename = "totalJS")]
    pub total_js: usize,
}

impl Engine {
    /// Tokens of the source and of each mode, every contract counted once.
    pub fn compare_modes(&self, request: &ModesRequest) -> Result<ModesReport, Error> {
        let base = self.context_options(&ContextChoice {
            mode: Some("header".to_owned()),
            include_tests: request.include_tests,
            ..ContextChoice::default()
        })?;
        let reading = self.reading(request.project_path.as_deref(), base, request.clean_cache)?;
        if reading.material.entries.is_empty() {
            return Err(super::generate::nothing_found(&reading.site));
        }
        let root = reading.site.workspace.root.clone();
        let measured = |mode: CodeMode, style: Option<StyleMode>| {
            let options = ContextOptions { mode, style, ..base };
            let source = |path: &str| written::source(&root.join(path));
            let material = Material::of(&reading.index, &reading.site, options, None, &source);
            material.entries.iter().map(|entry| entry.measures.contract_tokens).sum::<usize>()
        };
        let (raw, header) = (reading.material.totals.source_tokens, reading.material.totals.contract_tokens);
        let none = measured(CodeMode::None, None);
        let styled = measured(CodeMode::Header, Some(StyleMode::Lean));
        let full = measured(CodeMode::Full, None);
        let cost = |tokens: usize| ModeCost {
            tokens_gpt4o: tokens,
            tokens_claude: claude(tokens),
            savings_percent: saved(tokens, raw),
        };
        let share = |tokens: usize| ModeShare {
            tokens_gpt4o: tokens,
            tokens_claude: claude(tokens),
            savings_vs_full: saved(tokens, full),
        };
        let ending = |endings: &[&str]| {
            let has = |path: &str| endings.iter().any(|ending| path.ends_with(ending));
            reading.material.entries.iter().filter(|entry| has(entry.path())).count()
        };
        Ok(ModesReport {
            project_path: reading.site.shown(),
            token_estimation: TokenMethod { method: METHOD.to_owned() },
            comparison_vs_raw_source: AgainstSource {
                raw_source: cost(raw),
                none: cost(none),
                header: cost(header),
                header_style: cost(styled),
                full: cost(full),
            },
            mode_breakdown: AgainstFull {
                none: share(none),
                header: share(header),
                header_style: share(styled),
                full: share(full),
            },
            stats: SourceStats {
                total_files: reading.material.entries.len(),
                total_ts: ending(&[".ts", ".mts", ".cts"]),
                total_tsx: ending(&[".tsx"]),
                total_js: ending(&[".js", ".jsx", ".mjs", ".cjs"]),
            },
        })
    }
}

impl Engine {
    /// Writes the comparison beside the context files.
    pub fn write_compare_modes(
        &self,
        report: &ModesReport,
        out: Option<&std::path::Path>,
    ) -> Result<(), Error> {
        let folder = match out {
            Some(out) => self.folder_for_output(out)?,
            None => std::path::PathBuf::from(&report.project_path),
        };
        // Where the checkout lies is nobody else's business.
        let ModesReport {
            token_estimation,
            comparison_vs_raw_source,
            mode_breakdown,
            stats,
            project_path: _,
        } = report;
        let file = json!({
            "type": "LogicStampCompareModes",
            "schemaVersion": "0.1",
            "tokenEstimation": token_estimation,
            "comparisonVsRawSource": comparison_vs_raw_source,
            "modeBreakdown": mode_breakdown,
            "stats": stats,
        });
        let text = serde_json::to_string_pretty(&file).unwrap_or_default() + "\n";
        becket_project::files::write_derived(&folder.join("context_compare_modes.json"), text.as_bytes())
            .map_err(super::fault::not_written)
    }
}

fn saved(tokens: usize, of: usize) -> i64 {
    let number = |tokens: usize| i64::try_from(tokens).unwrap_or(i64::MAX);
    if of == 0 { 0 } else { (number(of) - number(tokens)) * 100 / number(of) }
}
