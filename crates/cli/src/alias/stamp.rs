//! `stamp …`: `LogicStamp`'s own command line. Its failures all end with 1, as the original's do.

use std::{ffi::OsString, fmt::Write, process::ExitCode};

use becket_base::counted;
use becket_engine::understand::{ScanReport, ScanRequest, SecretFinding, StampInitRequest};
use clap::{Parser, error::ErrorKind};

use crate::{
    Global,
    commands::context::ContextCommand,
    context::Context,
    ui::{Finding, Report, Ui},
};

/// `LogicStamp`'s contracts, served by becket
#[derive(Debug, Parser)]
#[command(name = "stamp", version, arg_required_else_help = true)]
struct Stamp {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Compile contracts and bundles
    Context(Box<ContextCommand>),
    /// Set up a project: ignore rules, a guide for assistants, a scan for secrets
    Init {
        /// The folder to set up; the repository if left out
        path: Option<String>,
        /// Accepted for the sake of scripts: nothing is asked
        #[arg(long, short)]
        yes: bool,
        /// Say nothing but where secrets were found
        #[arg(long, short)]
        quiet: bool,
        /// Do not look for secrets
        #[arg(long)]
        no_secure: bool,
        /// Leave .gitignore as it is
        #[arg(long)]
        skip_gitignore: bool,
    },
    /// Leave paths out of contracts: adds to .stampignore
    Ignore {
        /// Paths below the root of the project, or globs such as `**/*.gen.ts`
        #[arg(required = true)]
        paths: Vec<String>,
    },
    /// Look for secrets
    Security {
        /// Remove the report of the last scan
        #[arg(long)]
        hard_reset: bool,
        /// The folder whose report to remove
        path: Option<String>,
        #[command(subcommand)]
        action: Option<Security>,
    },
}

#[derive(Debug, clap::Subcommand)]
enum Security {
    /// Scan sources and settings, write `stamp_security_report.json`; exit 1 if something is found
    Scan {
        /// The folder to scan; the repository if left out
        path: Option<String>,
        /// Print nothing but the numbers, as JSON
        #[arg(long, short)]
        quiet: bool,
        /// Do not write the report
        #[arg(long)]
        no_report: bool,
    },
}

#[cfg(test)]
pub(super) fn command() -> clap::Command {
    <Stamp as clap::CommandFactory>::command()
}

/// Whether the words are one of these commands; a server is started elsewhere.
pub(super) fn is_command(words: &[OsString]) -> bool {
    words.first().is_none_or(|word| word != "mcp")
}

pub(super) fn run(arguments: &[OsString]) -> ExitCode {
    let cli = match Stamp::try_parse_from(original_words(arguments)) {
        Ok(cli) => cli,
        Err(error) => {
            let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
            let code = u8::from(error.use_stderr() && !(is_help && arguments.len() < 2));
            crate::usage("stamp", &error);
            return ExitCode::from(code);
        }
    };
    let ui = Ui::new(cli.global.json, cli.global.color);
    let ended = cli.command.run(&Context::open(cli.global, ui));
    let by_signal = [129, 130, 143].map(ExitCode::from).contains(&ended);
    if ended == ExitCode::SUCCESS || by_signal { ended } else { ExitCode::from(1) }
}

/// The original's `--log-file` of `stamp context` takes no value; ours is the log of the program, and takes one. Its `-v`
/// alone asks for the version.
fn original_words(arguments: &[OsString]) -> Vec<OsString> {
    let watches = arguments.iter().any(|word| word == "--watch" || word == "-w" || word == "--strict-watch");
    let asks_version = matches!(arguments, [_, only] if only == "-v");
    let names_none =
        |next: Option<&OsString>| next.is_none_or(|next| next.as_encoded_bytes().starts_with(b"-"));
    let rename = |(at, word): (usize, &OsString)| match word {
        word if asks_version && word == "-v" => OsString::from("--version"),
        word if word == "--log-file" && (watches || names_none(arguments.get(at + 1))) => {
            OsString::from("--watch-log")
        }
        word => word.clone(),
    };
    arguments.iter().enumerate().map(rename).collect()
}

impl Command {
    fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        let here = |path: Option<String>| path.map(|path| context.path(&engine, path));
        match self {
            Command::Context(command) => command.run(context),
            Command::Init { path, quiet, no_secure, skip_gitignore, yes: _ } => {
                let request = StampInitRequest { path: here(path), skip_gitignore, skip_scan: no_secure };
                let done = engine.stamp_init(&request).map(|report| {
                    let scan = report.scan.as_ref();
                    let found = scan.map(|scan| &*scan.matches).unwrap_or_default();
                    let steps = report.steps.iter().filter(|_| !quiet).cloned();
                    let places = found.iter().take(MOST_PLACES).map(place);
                    let rest = found.len().saturating_sub(MOST_PLACES);
                    let rest = (rest > 0).then(|| format!("{rest} more: `stamp security scan` shows all"));
                    let text = steps.chain(places).chain(rest).collect::<Vec<_>>().join("\n");
                    let finding = scan.and_then(secrets_found);
                    Report::new(report, text).with_verdict(finding)
                });
                context.ui.finish("init", done)
            }
            Command::Ignore { paths } => {
                let done = engine.stamp_ignore(&paths).map(|report| {
                    let added = report.added.iter().map(|path| format!("added {path}"));
                    let known = report.already.iter().map(|path| format!("{path} is there already"));
                    let text = added.chain(known).collect::<Vec<_>>().join("\n");
                    Report::new(report, text)
                });
                context.ui.finish("ignore", done)
            }
            Command::Security { action: Some(Security::Scan { path, quiet, no_report }), .. } => {
                let scan = engine
                    .security_scan(&ScanRequest { path: here(path), keep_report: !no_report })
                    .map(|report| {
                        let mut text = String::new();
                        if quiet {
                            let numbers = serde_json::json!({
                                "filesScanned": report.files_scanned, "secretsFound": report.secrets_found,
                                "filesWithSecrets": report.files_with_secrets.len(),
                                "filesNotScanned": report.not_scanned.len(),
                            });
                            text = numbers.to_string();
                        } else {
                            for one in &report.matches {
                                let _ = writeln!(text, "{} {}", place(one), one.snippet);
                            }
                            let _ = writeln!(
                                text,
                                "{} in {} scanned",
                                counted(report.secrets_found, "secret"),
                                counted(report.files_scanned, "file"),
                            );
                            for one in &report.not_scanned {
                                let _ = writeln!(text, "not scanned: {} ({})", one.file, one.reason);
                            }
                        }
                        let finding = secrets_found(&report);
                        Report::new(report, text).with_verdict(finding)
                    });
                context.ui.finish("security scan", scan)
            }
            Command::Security { action: None, path, hard_reset } => {
                if !hard_reset {
                    let error = becket_engine::Error::invalid(
                        "invalid_arguments",
                        "`stamp security` needs a command.",
                    )
                    .with_hint("Try: stamp security scan | stamp security --hard-reset");
                    return context.ui.finish::<()>("security", Err(error));
                }
                let done = engine.security_reset(here(path).as_deref()).map(|there| {
                    let text = if there { "the report is gone" } else { "there was no report" };
                    Report::new(serde_json::json!({"removed": there}), text)
                });
                context.ui.finish("security", done)
            }
        }
    }
}

/// So many secrets are named by `init`, which does more than to look for them.
const MOST_PLACES: usize = 20;

/// Where a secret is and how it was known, without a letter of it.
fn place(found: &SecretFinding) -> String {
    format!("{}:{}:{} {} ({})", found.file, found.line, found.column, found.rule, found.severity)
}

fn secrets_found(scan: &ScanReport) -> Option<Finding> {
    let hint = "Take them out, or leave the files out of contracts with `stamp ignore`; what Git has of them stays there.";
    let (secrets, files) = (scan.secrets_found, scan.files_with_secrets.len());
    let message = || format!("{} in {}.", counted(secrets, "secret"), counted(files, "file"));
    (secrets > 0).then(|| Finding::new("secrets_found", message(), hint))
}
