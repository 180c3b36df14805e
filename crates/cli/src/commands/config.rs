//! `becket config`: each effective value and where it came from.

use std::process::ExitCode;

use becket_base::counted;
use becket_engine::settings::SettingsReport;
use owo_colors::OwoColorize;

use crate::{
    context::Context,
    ui::{Finding, Report},
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
        let finding = finding(&report);
        context.ui.finish("config", Ok(Report::new(report, text).with_verdict(finding)))
    }
}

/// The first problem, and how many there are beside.
fn finding(report: &SettingsReport) -> Option<Finding> {
    let (first, others) = report.problems.split_first()?;
    let more = match others.len() {
        0 => String::new(),
        more => format!(" And {}.", counted(more, "other problem")),
    };
    let hint =
        first.hint.clone().unwrap_or_else(|| "Correct the file or the variable that it names.".to_owned());
    Some(Finding::new("settings_invalid", format!("{}{more}", first.message), hint))
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
