//! `becket doctor`: checks everything, a real handshake with itself included.

use std::{process::ExitCode, time::Instant};

use becket_base::counted;
use becket_engine::{
    Error,
    doctor::{Check, CheckState},
};
use owo_colors::OwoColorize;
use serde_json::json;

use crate::{
    client::{Client, Surroundings},
    context::{Context, own_binary},
    ui::{Finding, Report},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    /// Mend what can be mended: a damaged store is rebuilt from what can be read, a backup stays
    #[arg(long)]
    repair: bool,
}

impl Doctor {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        if self.repair {
            match engine.lodestar_repair() {
                Ok(done) => done.iter().for_each(|step| context.ui.say(step)),
                Err(error) => return context.ui.finish::<()>("doctor", Err(error)),
            }
        }
        let mut checks = engine.checks();
        let environment = context.environment();
        checks.extend(engine.check_hosts(becket_engine::setup::machine(environment), environment));
        if let Ok(workspace) = engine.workspace() {
            checks.push(handshake("server", &workspace.root, Era::Handshake));
            checks.push(handshake("server", &workspace.root, Era::Stateless));
        }
        let finding = finding(&checks);
        let text = table(&checks);
        let data = json!({"sound": finding.is_none(), "checks": checks});
        context.ui.finish("doctor", Ok(Report::new(data, text).with_verdict(finding)))
    }
}

/// What is broken, with the first thing to do.
fn finding(checks: &[Check]) -> Option<Finding> {
    let broken: Vec<&Check> = checks.iter().filter(|check| check.state == CheckState::Broken).collect();
    let names: Vec<&str> = broken.iter().map(|check| check.name).collect();
    let fix = broken.first()?.fix.clone();
    let hint = fix.unwrap_or_else(|| "`data.checks` says what is wrong with each.".to_owned());
    let message = format!(
        "{} of {} found something broken: {}.",
        broken.len(),
        counted(checks.len(), "check"),
        names.join(", ")
    );
    Some(Finding::new("checks_failed", message, hint))
}

#[derive(Clone, Copy)]
enum Era {
    Handshake,
    Stateless,
}

fn handshake(name: &'static str, repo: &std::path::Path, era: Era) -> Check {
    match try_handshake(repo, era) {
        Ok(message) => Check::works(name, message),
        Err(error) => Check::broken(name, &error),
    }
}

/// Starts the server as a host would, and asks it the first questions of an agent.
fn try_handshake(repo: &std::path::Path, era: Era) -> Result<String, Error> {
    let started = Instant::now();
    let mut client = Client::start(&own_binary()?, repo, Surroundings::AsTheyAre)?;
    let version = match era {
        Era::Handshake => {
            client.initialize("2025-11-25")?["protocolVersion"].as_str().unwrap_or_default().to_owned()
        }
        Era::Stateless => {
            client.speak_stateless();
            client.request("server/discover", json!({}))?;
            "2026-07-28".to_owned()
        }
    };
    let milliseconds = started.elapsed().as_secs_f64() * 1e3;
    let list = client.request("tools/list", json!({}))?;
    let names: Vec<_> =
        list["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
    // Somebody may have excluded it.
    if names.contains(&"becket_status") {
        let status = client.call("becket_status", &json!({}))?;
        if status["isError"] == true {
            let words = status["content"][0]["text"].as_str().unwrap_or_default();
            return Err(Error::unavailable(
                "status_failed",
                format!("The server runs, but becket_status fails: {words}"),
            ));
        }
    }
    let tools = names.len();
    if !client.stop() {
        return Err(Error::unavailable("server_exit", "The server did not end cleanly with its input."));
    }
    Ok(format!("answers protocol {version} in {milliseconds:.1} ms, {}", counted(tools, "tool")))
}

fn table(checks: &[Check]) -> String {
    let mut lines = Vec::new();
    for check in checks {
        let mark = match check.state {
            CheckState::Works => "ok    ".green().to_string(),
            CheckState::Advice => "advice".yellow().to_string(),
            CheckState::Broken => "BROKEN".red().bold().to_string(),
        };
        lines.push(format!("{mark}  {:<11} {}", check.name, check.message));
        if let Some(fix) = &check.fix {
            lines.push(format!("        {:<11} {} {fix}", "", "→".cyan()));
        }
    }
    lines.join("\n")
}
