//! `lodestar …`: the seed's own command line, its envelope and its exit codes.

use std::{
    ffi::OsString,
    io::{IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
};

use becket_base::counted;
use becket_engine::{
    Engine, Error,
    coordinate::{BoardStatusRequest, CheckState, InitOptions},
};
use clap::{Parser, Subcommand};
use serde_json::{Value, json};

use crate::{
    Global,
    context::Context,
    coordinate::{Outcome, agent::Agent, command_in, msg::Msg, spoken, task::Task},
    ui::{Color, Finding, Ui, told, visible},
};

/// Tasks, leases and messages for several agents in one repository.
#[derive(Debug, Parser)]
#[command(name = "lodestar", disable_version_flag = true)]
struct Lodestar {
    /// Print one JSON envelope instead of text
    #[arg(long, global = true)]
    json: bool,
    /// Say what the command does, and do nothing
    #[arg(long, global = true)]
    explain: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make `.lodestar/` here
    Init {
        /// The folder; this one if left out
        path: Option<PathBuf>,
        /// The name of the project; the folder's if left out
        #[arg(short, long)]
        name: Option<String>,
        /// Empty what is there
        #[arg(short, long)]
        force: bool,
        /// Also tell MCP hosts of the server
        #[arg(long)]
        mcp: bool,
        /// Also a prompt to write requirements with
        #[arg(long)]
        prd: bool,
    },
    /// Where the work stands
    Status,
    /// Check everything
    Doctor,
    /// Empty the runtime; with --hard the tasks too
    Reset {
        /// Do not ask
        #[arg(short, long)]
        force: bool,
        /// Also empty tasks and features of spec.yaml
        #[arg(long)]
        hard: bool,
    },
    /// Print everything as one object
    Export {
        #[command(subcommand)]
        what: Export,
    },
    /// Agents
    Agent {
        #[command(subcommand)]
        command: Option<Agent>,
    },
    /// Tasks
    Task {
        #[command(subcommand)]
        command: Option<Task>,
    },
    /// Messages
    Msg {
        #[command(subcommand)]
        command: Option<Msg>,
    },
    /// The MCP server
    Mcp {
        #[command(subcommand)]
        command: Option<McpCommand>,
    },
}

#[derive(Debug, Subcommand)]
enum Export {
    /// Spec, agents and live leases
    Snapshot {
        /// Also the messages of every task
        #[arg(long)]
        include_messages: bool,
    },
}

#[derive(Debug, Subcommand)]
enum McpCommand {
    /// Serve on stdio or HTTP; every option of `becket mcp` is understood too
    Serve(Serve),
}

/// For people: [`serve_options`] reads them, among those of `becket mcp`.
#[derive(Debug, clap::Args)]
#[allow(dead_code, reason = "what is shown as help and explained is never parsed into it")]
struct Serve {
    /// The repository; the one around the current directory if left out
    #[arg(long, value_name = "PATH")]
    repo: Option<PathBuf>,
    /// Serve on stdin and stdout (the default)
    #[arg(long)]
    stdio: bool,
    /// How to serve
    #[arg(short, long, default_value = "stdio", value_parser = ["stdio", "streamable-http"])]
    transport: String,
    /// Where to listen with streamable-http
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Where to listen with streamable-http; 0 is any that is free
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// Also write the log to this file
    #[arg(long, value_name = "PATH")]
    log_file: Option<PathBuf>,
    /// Log one JSON object per line
    #[arg(long)]
    json_logs: bool,
    /// Log everything
    #[arg(long)]
    dev: bool,
}

/// The seed's options of `mcp serve` as those of `becket mcp`.
pub(super) fn serve_options(given: &[OsString]) -> Result<Vec<OsString>, Error> {
    let mut options = Vec::new();
    let (mut http, mut host, mut port) = (false, OsString::from("127.0.0.1"), OsString::from("8000"));
    let mut words = given.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(OsString::from(value))),
            _ => (text, None),
        };
        let mut value = || value.clone().or_else(|| words.next().cloned()).unwrap_or_default();
        match name.as_str() {
            "-t" | "--transport" => {
                let wanted = value();
                http = wanted == "streamable-http";
                if !http && wanted != "stdio" {
                    let wanted = wanted.to_string_lossy();
                    return Err(Error::invalid(
                        "unknown_transport",
                        format!("No transport is called `{wanted}`."),
                    )
                    .with_hint("stdio and streamable-http are known."));
                }
            }
            "--host" => host = value(),
            "--port" => port = value(),
            _ => options.push(word.clone()),
        }
    }
    if http {
        options.push("--http".into());
        let mut address = host;
        address.push(":");
        address.push(port);
        options.push(address);
    }
    Ok(options)
}

#[cfg(test)]
pub(super) fn command() -> clap::Command {
    <Lodestar as clap::CommandFactory>::command()
}

/// Everything but `mcp serve`.
pub(super) fn run(arguments: &[OsString]) -> ExitCode {
    let words = arguments.get(1..).unwrap_or_default();
    if words.first().is_some_and(|word| word == "-v" || word == "--version" || word == "-V") {
        Ui::new(false, Color::Auto).print(&format!("lodestar (becket {})", env!("CARGO_PKG_VERSION")));
        return ExitCode::SUCCESS;
    }
    if words.iter().any(|word| word == "--explain") {
        return explain(words);
    }
    let cli = match Lodestar::try_parse_from(
        std::iter::once(OsString::from("lodestar")).chain(words.iter().cloned()),
    ) {
        Ok(cli) => cli,
        Err(error) => return crate::usage("lodestar", &error),
    };
    let ui = Ui::new(cli.json, Color::Auto);
    let global = Global {
        repo: None,
        json: cli.json,
        color: Color::Auto,
        log_level: None,
        log_file: None,
        json_logs: false,
    };
    let context = Context::open(global, ui);
    let command = cli.command.unwrap_or(Command::Status);
    let engine = context.engine(Vec::new());
    engine.coordinate_in_nearest_folder();
    let outcome = act(command, &engine, &ui, cli.json);
    if let Err(error) = engine.settle_tasks() {
        ui.say(format_args!("spec.yaml is not up to date yet: {error}"));
    }
    match outcome {
        Ok(outcome) => {
            if cli.json {
                ui.print(&pretty(&outcome.envelope()));
            } else {
                ui.print(outcome.text.trim_end());
                outcome.advice("lodestar").iter().for_each(|line| ui.say(line));
            }
            ExitCode::from(u8::from(outcome.refused.is_some()))
        }
        Err(error) => refused(&ui, cli.json, &spoken(error, "lodestar")),
    }
}

fn act(command: Command, engine: &Engine, ui: &Ui, json: bool) -> Result<Outcome, Error> {
    match command {
        Command::Init { path, name, force, mcp, prd } => {
            let options = InitOptions { name, force, mcp, prd, bare: false };
            let made = engine.lodestar_init(path.as_deref(), &options)?;
            if path.is_none() {
                engine.register_merge_driver(&crate::context::own_binary()?)?;
            }
            let text = format!(
                "Initialised {} in {}:\n{}",
                made.project_name,
                made.path,
                made.files_created.join("\n")
            );
            Ok(Outcome::new(json!(made), text)
                .then("task.create", "task create --title \"…\"".to_owned(), "Create the first task")
                .then("agent.join", "agent join --name \"…\"".to_owned(), "Join as an agent"))
        }
        Command::Status => status(engine),
        Command::Doctor => Ok(doctor(engine)),
        Command::Reset { force, hard } => reset(engine, ui, json, force, hard),
        Command::Export { what: Export::Snapshot { include_messages } } => {
            let snapshot = engine.lodestar_snapshot(include_messages)?;
            let text = pretty(&snapshot);
            Ok(Outcome::new(snapshot, text))
        }
        Command::Agent { command: Some(command) } => command.run(engine, "lodestar"),
        Command::Task { command: Some(command) } => command.run(engine),
        Command::Msg { command: Some(command) } => command.run(engine),
        Command::Agent { command: None } => Ok(hint("join", "agent join --name \"…\"")),
        Command::Task { command: None } => Ok(hint("next → claim → context → done → verify", "task next")),
        Command::Msg { command: None } => Ok(hint("send, thread, mark-read, search", "msg --help")),
        Command::Mcp { .. } => Ok(hint("serve", "mcp serve --repo .")),
    }
}

fn hint(workflow: &str, command: &str) -> Outcome {
    Outcome::new(json!({"workflow": workflow}), format!("Workflow: {workflow}")).then(
        "help",
        command.to_owned(),
        "Begin here",
    )
}

/// Outside a repository that is what it says, and no failure.
fn status(engine: &Engine) -> Result<Outcome, Error> {
    let status = match engine.lodestar_status(&BoardStatusRequest::default()) {
        Ok(status) => status,
        Err(error) if error.code() == "lodestar_missing" => {
            return Ok(Outcome::new(json!({"initialized": false}), error.message()).then(
                "init",
                "init".to_owned(),
                "Make .lodestar/ here",
            ));
        }
        Err(error) => return Err(error),
    };
    let counts = &status.counts;
    let by_status: Vec<String> = counts
        .tasks
        .by_status
        .iter()
        .filter(|(_, number)| **number > 0)
        .map(|(status, number)| format!("{number} {status}"))
        .collect();
    let text = format!(
        "{}\ntasks     {}{}, {} claimable\nagents    {} registered, {} online\nleases    {}\nmessages  {}, {} unread",
        status.project,
        counts.tasks.total,
        if by_status.is_empty() { String::new() } else { format!(" ({})", by_status.join(", ")) },
        counts.tasks.claimable,
        counts.agents.registered,
        counts.agents_online,
        counts.active_leases,
        counts.messages.total,
        counts.unread_messages
    );
    let data = json!({
        "initialized": true,
        "project": status.project,
        "tasks": {"total": counts.tasks.total, "by_status": counts.tasks.by_status, "claimable": counts.tasks.claimable},
        "agents": {"registered": counts.agents.registered, "active_leases": counts.active_leases, "online": counts.agents_online},
        "messages": {"total": counts.messages.total, "unread": counts.unread_messages, "by_task": engine.messages_by_task()?},
    });
    let outcome = Outcome::new(data, text).warn(status.warnings);
    Ok(if counts.tasks.total == 0 {
        outcome.then("task.create", "task create --title \"…\"".to_owned(), "Create the first task")
    } else {
        outcome.then("task.next", "task next".to_owned(), "Find work")
    })
}

/// Always 0, as in the seed: whether it is healthy stands in the answer.
fn doctor(engine: &Engine) -> Outcome {
    let checks = engine.lodestar_checks();
    if checks.is_empty() {
        let check = json!({"name": "repository", "status": "fail", "message": "There is no .lodestar/ here.", "fix": "lodestar init"});
        return Outcome::new(json!({"healthy": false, "checks": [check]}), "There is no .lodestar/ here.");
    }
    let healthy = !checks.iter().any(|check| check.status == CheckState::Fail);
    let lines: Vec<String> = checks
        .iter()
        .map(|check| {
            let mark = match check.status {
                CheckState::Pass => "ok  ",
                CheckState::Warn => "warn",
                CheckState::Fail => "FAIL",
                CheckState::Info => "info",
            };
            let fix = check.fix.as_ref().map(|fix| format!("  → {fix}")).unwrap_or_default();
            format!("{mark}  {:<15} {}{fix}", check.name, check.message)
        })
        .collect();
    Outcome::new(json!({"healthy": healthy, "checks": checks}), lines.join("\n"))
}

fn reset(engine: &Engine, ui: &Ui, json: bool, force: bool, hard: bool) -> Result<Outcome, Error> {
    let preview = engine.lodestar_reset_preview(hard)?;
    let would = format!(
        "{}, {}, {}{}",
        counted(preview.agents_cleared, "agent"),
        counted(preview.leases_cleared, "lease"),
        counted(preview.messages_cleared, "message"),
        if hard { format!(" and {}", counted(preview.tasks_deleted, "task")) } else { String::new() }
    );
    if !force {
        if json || !std::io::stdin().is_terminal() {
            let mut outcome = Outcome::new(
                json!({
                    "error": format!("This would clear {would}."), "code": "confirmation_required",
                    "hint": "Repeat it with --force.", "reset_type": preview.reset_type,
                    "tasks_to_delete": preview.tasks_deleted, "agents_to_clear": preview.agents_cleared,
                    "leases_to_clear": preview.leases_cleared, "messages_to_clear": preview.messages_cleared,
                }),
                format!("This would clear {would}."),
            );
            outcome.refused = Some(Finding::new(
                "confirmation_required",
                format!("This would clear {would}."),
                "Repeat it with --force.",
            ));
            let again = if hard { "reset --hard --force" } else { "reset --force" };
            return Ok(outcome.then("reset", again.to_owned(), "Clear it"));
        }
        ui.say(format_args!("This clears {would}. Go on? [y/N]"));
        let _ = std::io::stderr().flush();
        let mut answer = String::new();
        let _ = std::io::stdin().read_line(&mut answer);
        if !matches!(answer.trim(), "y" | "Y" | "yes") {
            return Ok(Outcome::new(json!({"reset_type": null}), "Nothing was cleared."));
        }
    }
    let done = engine.lodestar_reset(hard)?;
    Ok(Outcome::new(json!(done), format!("Cleared {would}.")))
}

/// What a command is for and takes, without doing it and whatever else was given; with `--json` a bare object.
pub(super) fn explain(words: &[OsString]) -> ExitCode {
    let json = words.iter().any(|word| word == "--json");
    let mut command = <Lodestar as clap::CommandFactory>::command();
    command.build();
    let mut name = String::from("lodestar");
    for word in words.iter().filter_map(|word| word.to_str()).filter(|word| !word.starts_with('-')) {
        let Some(inner) = command.find_subcommand(word).cloned() else { break };
        name = format!("{name} {}", inner.get_name());
        command = inner;
    }
    // The help texts are the explanations: said once.
    let purpose = command.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = command.render_usage().to_string().replace("Usage: ", "");
    let takes: Vec<(String, String)> = command
        .get_arguments()
        .filter(|argument| !argument.is_global_set() && argument.get_id() != "help")
        .map(|argument| {
            let meaning = argument.get_help().map(ToString::to_string).unwrap_or_default();
            let name = argument.get_long().map(|long| format!("--{long}"));
            (name.unwrap_or_else(|| argument.get_id().as_str().to_uppercase()), meaning)
        })
        .collect();
    let ui = Ui::new(json, Color::Auto);
    if json {
        let takes: Vec<Value> =
            takes.iter().map(|(name, meaning)| json!({"name": name, "meaning": meaning})).collect();
        let told = json!({"command": name, "purpose": purpose, "usage": usage, "arguments": takes});
        ui.print(&pretty(&told));
    } else {
        let lines: Vec<String> = takes
            .iter()
            .map(|(name, meaning)| format!("  {name:<20} {meaning}").trim_end().to_owned())
            .collect();
        ui.print(
            [format!("{name}: {purpose}"), format!("  {usage}")]
                .into_iter()
                .chain(lines)
                .collect::<Vec<_>>()
                .join("\n")
                .as_str(),
        );
    }
    ExitCode::SUCCESS
}

fn refused(ui: &Ui, json: bool, error: &Error) -> ExitCode {
    if json {
        let next: Vec<Value> = error
            .hint()
            .and_then(|hint| Some(json!({"intent": "fix", "cmd": command_in(hint)?, "description": hint})))
            .into_iter()
            .collect();
        let data = json!({"error": error.message(), "code": error.code(), "hint": error.hint()});
        let envelope = json!({"ok": false, "data": data, "next": next, "warnings": [], "error": told(error)});
        ui.print(&pretty(&envelope));
    } else {
        ui.say(format_args!("error: {} [{}]", visible(error.message()), error.code()));
        if let Some(hint) = error.hint() {
            ui.say(format_args!("hint: {}", visible(hint)));
        }
    }
    ExitCode::from(1)
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
