//! `becket config`: each effective value and where it came from.

use std::process::ExitCode;

use becket_engine::settings::SettingsReport;
use owo_colors::OwoColorize;

use crate::{
    context::Context,
    ui::{Report, Verdict},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Config {}

impl Config {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        if let Err(error) = engine.workspace() {
            return context.ui.finish::<()>("config", Err(error));
        }
        let report = engine.settings_report();
        let text = table(&report);
        let verdict = if report.problems.is_empty() { Verdict::Sound } else { Verdict::Broken };
        context.ui.finish("config", Ok(Report::new(report, text).with_verdict(verdict)))
    }
}

fn table(report: &SettingsReport) -> String {
    let width = |column: fn(&becket_engine::settings::SettingStatus) -> &str| {
        report.settings.iter().map(|setting| column(setting).chars().count()).max().unwrap_or(0).min(48)
    };
    let (keys, values) = (width(|setting| &setting.key), width(|setting| &setting.value));
    let mut lines = Vec::new();
    for setting in &report.settings {
        let source = setting.source.dimmed();
        lines.push(format!("{:<keys$}  {:<values$}  {source}", setting.key, setting.value));
    }
    for notice in &report.notices {
        lines.push(format!("{} {notice}", "note:".yellow()));
    }
    for problem in &report.problems {
        lines.push(format!("{} {}", "problem:".red().bold(), problem.message));
        if let Some(hint) = &problem.hint {
            lines.push(format!("         {hint}"));
        }
    }
    lines.join("\n")
}
