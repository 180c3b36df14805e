//! The command line: the only crate that knows a terminal. Every command is one call into `becket-engine` and a report.

mod alias;
mod client;
mod commands;
mod context;
mod coordinate;
mod editor;
mod logging;
mod signals;
mod ui;

use std::{path::PathBuf, process::ExitCode};

use clap::{CommandFactory, Parser};

use crate::{
    commands::Command,
    context::Context,
    ui::{Color, Ui},
};

/// Four planes over one Git repository, for people who run several AI coding agents in it.
#[derive(Debug, Parser)]
#[command(name = "becket", version, propagate_version = true, after_help = ui::after_help(), max_term_width = 110)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options of every command, which its help has after its own.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// The repository; otherwise BECKET_REPO, PROJECT_PATH, or the one around the current directory
    #[arg(long, global = true, value_name = "PATH")]
    pub repo: Option<PathBuf>,
    /// Print one JSON envelope instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// When to colour
    #[arg(long, global = true, value_enum, default_value = "auto")]
    pub color: Color,
    /// How much to log on stderr: error, warn, info, debug or trace
    #[arg(long, global = true, value_name = "LEVEL")]
    pub log_level: Option<String>,
    /// Also write the log to this file
    #[arg(long, global = true, value_name = "PATH")]
    pub log_file: Option<String>,
    /// Log one JSON object per line
    #[arg(long, global = true)]
    pub json_logs: bool,
}

/// The whole process.
pub fn run() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some((persona, arguments)) = alias::called_as(&arguments) {
        return alias::run(persona, &arguments);
    }
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return usage("becket", &error),
    };
    let ui = Ui::new(cli.global.json, cli.global.color);
    cli.command.run(&Context::open(cli.global, ui))
}

/// The whole command line, for the generated reference and completions.
pub fn command() -> clap::Command {
    Cli::command().mut_subcommands(Command::whole)
}

/// Help and version go to stdout with 0, a wrong command line to stderr with 2, and to stdout as an envelope if asked.
pub(crate) fn usage(program: &str, error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        let message = error.render().to_string();
        let message = message.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let details = serde_json::json!({"code": "usage", "kind": "invalid", "message": message, "hint": format!("{program} --help")});
        let envelope = serde_json::json!({"ok": false, "command": program, "error": details});
        Ui::new(true, Color::Never).print(&envelope.to_string());
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

#[cfg(test)]
mod tests {
    use clap::Command;

    /// What has no words of help, below a command.
    fn silent(command: &Command, parents: &str, found: &mut Vec<String>) {
        let name = format!("{parents} {}", command.get_name());
        if command.get_about().is_none() {
            found.push(name.clone());
        }
        for argument in command.get_arguments() {
            let help = argument.get_help().or(argument.get_long_help()).map(ToString::to_string);
            if help.is_none_or(|help| help.trim().is_empty()) {
                found.push(format!("{name} {}", argument.get_id()));
            }
        }
        command.get_subcommands().for_each(|child| silent(child, &name, found));
    }

    #[test]
    fn every_command_argument_and_option_says_what_it_is_for() {
        let mut found = Vec::new();
        for command in std::iter::once(super::command()).chain(super::alias::commands()) {
            silent(&command, "", &mut found);
        }
        assert!(found.is_empty(), "without help: {found:#?}");
    }
}
