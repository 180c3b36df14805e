//! What a person or a script sees: data on stdout, talk on stderr, one JSON envelope, one table of exit codes.

use std::{
    fmt::Display,
    io::{self, Write},
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

use becket_base::is_unseen;
use becket_engine::{Error, ErrorKind};
use owo_colors::OwoColorize;
use serde::Serialize;
use serde_json::{Value, json};

/// Documented in `becket --help` and in the reference; scripts rely on them.
pub(crate) const EXIT_CODES: &[(u8, &str)] = &[
    (0, "done"),
    (1, "the check found something wrong"),
    (2, "the command line, an argument or a file is not valid"),
    (3, "what was named does not exist"),
    (4, "somebody or something else holds or changed it"),
    (5, "understood and refused"),
    (6, "not available now; it may work later"),
    (70, "a defect of becket"),
];

/// Whether stdout refused something: a full disk.
static OUTPUT_FAILED: AtomicBool = AtomicBool::new(false);

/// How to talk in this run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ui {
    json: bool,
}

/// What a command found, for both readers.
#[derive(Debug)]
pub(crate) struct Report<T> {
    pub data: T,
    /// Shown instead of the data when the reader is a person.
    pub text: String,
    pub verdict: Verdict,
    /// Talk that a person gets beside the text.
    pub advice: Vec<String>,
}

/// Whether a finished command is content with what it found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Sound,
    Broken(Finding),
}

/// What a check found wrong, for the envelope: the command itself did what it is for, and ends with 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Stable and machine-readable, as that of an error.
    code: &'static str,
    message: String,
    hint: String,
}

impl Finding {
    pub(crate) fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into() }
    }

    /// The `error` of an envelope.
    pub(crate) fn told(&self) -> Value {
        json!({"code": self.code, "kind": "check", "message": self.message, "hint": self.hint})
    }
}

impl From<Option<Finding>> for Verdict {
    fn from(finding: Option<Finding>) -> Self {
        finding.map_or(Verdict::Sound, Verdict::Broken)
    }
}

/// The `error` of an envelope. A hint is always there, so that a script need not look whether it is.
pub(crate) fn told(error: &Error) -> Value {
    let hint = error.hint().unwrap_or("`becket doctor` checks everything that becket needs.");
    json!({"code": error.code(), "kind": error.kind(), "message": error.message(), "hint": hint})
}

/// A number on a command line, where `-1` is one that is wrong and no flag: needs `allow_negative_numbers`.
pub(crate) fn whole_number(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "it is no whole number from 0 on")
}

/// How many of something are wanted at most, of which none is no wish.
pub(crate) fn at_least_one(text: &str) -> Result<i64, &'static str> {
    text.parse().ok().filter(|count| *count > 0).ok_or("it is no whole number from 1 on")
}

impl<T> Report<T> {
    pub(crate) fn new(data: T, text: impl Into<String>) -> Self {
        Self { data, text: text.into(), verdict: Verdict::Sound, advice: Vec::new() }
    }

    #[must_use]
    pub(crate) fn with_verdict(mut self, verdict: impl Into<Verdict>) -> Self {
        self.verdict = verdict.into();
        self
    }

    #[must_use]
    pub(crate) fn with_advice(mut self, advice: Vec<String>) -> Self {
        self.advice = advice;
        self
    }
}

impl Ui {
    pub(crate) fn new(json: bool, color: Color) -> Self {
        match color {
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
            Color::Auto => {}
        }
        Self { json }
    }

    /// The same, for a command that was asked for JSON by an option of its own.
    pub(crate) fn with_json(self) -> Self {
        Self { json: true }
    }

    /// Ends a command: prints what it found, or why it failed, and says so in the exit code.
    pub(crate) fn finish<T: Serialize>(&self, command: &str, result: Result<Report<T>, Error>) -> ExitCode {
        match result {
            Ok(report) => {
                let ok = report.verdict == Verdict::Sound;
                if self.json {
                    let mut envelope = json!({"ok": ok, "command": command, "data": report.data});
                    if let Verdict::Broken(finding) = &report.verdict {
                        envelope["error"] = finding.told();
                    }
                    self.print(&envelope.to_string());
                } else {
                    let text = report.text.trim_end();
                    if !text.is_empty() {
                        self.print(text);
                    }
                    report.advice.iter().for_each(|line| self.say(line));
                }
                if OUTPUT_FAILED.load(Ordering::Relaxed) {
                    return ExitCode::from(exit_code(ErrorKind::Unavailable));
                }
                ExitCode::from(u8::from(!ok))
            }
            Err(error) => {
                let error = at_a_terminal(error);
                if self.json {
                    let envelope = json!({"ok": false, "command": command, "error": told(&error)});
                    self.print(&envelope.to_string());
                }
                self.complain(&error);
                ExitCode::from(exit_code(error.kind()))
            }
        }
    }

    /// A line of data.
    pub(crate) fn print(&self, line: &str) {
        let written = writeln!(anstream::stdout(), "{line}").and_then(|()| anstream::stdout().flush());
        match written {
            Ok(()) => {}
            // A reader that went away (`| head`) is no reason to complain.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            // Said once, and in the exit code: what was not written must not look done.
            Err(error) => {
                if !OUTPUT_FAILED.swap(true, Ordering::Relaxed) {
                    self.say(format_args!(
                        "{} the output cannot be written: {error} [output]",
                        "error:".red().bold()
                    ));
                }
            }
        }
    }

    /// A line of talk.
    pub(crate) fn say(&self, line: impl Display) {
        let _ = writeln!(anstream::stderr(), "{line}");
    }

    /// An error as a person reads it.
    pub(crate) fn complain(&self, error: &Error) {
        self.say(format_args!("{} {} [{}]", "error:".red().bold(), visible(error.message()), error.code()));
        for cause in error.causes() {
            self.say(format_args!("{} {}", "cause:".dimmed(), visible(&cause)));
        }
        if let Some(hint) = error.hint() {
            self.say(format_args!("{} {}", "hint:".cyan().bold(), visible(hint)));
        }
    }
}

/// The tools that hints name, as a person calls them. Those of tasks are named by their own commands.
const COMMANDS: [(&str, &str); 6] = [
    ("context_create", "`becket note new`"),
    ("context_get", "`becket note show`"),
    ("context_list", "`becket note list`"),
    ("context_refs", "`becket note refs`"),
    ("context_search", "`becket note search`"),
    ("context_verify", "`becket note verify`"),
];

/// What an agent says by an argument of a tool is an option here, and a tool is a command.
fn at_a_terminal(error: Error) -> Error {
    if let Some(hint) = error.hint().filter(|hint| hint.contains("context_")) {
        let named = COMMANDS.iter().fold(hint.to_owned(), |hint, (tool, command)| {
            hint.replace(&format!("`{tool}`"), command).replace(tool, command)
        });
        return error.with_hint(named);
    }
    match error.code() {
        "path_outside_root" | "path_escapes_root" | "root_not_allowed" => error.with_hint(
            "Use a path inside the repository. For another repository: `--repo PATH`, or `cd` there.",
        ),
        _ => error,
    }
}

/// Control characters and those that nobody sees as their numbers; line breaks and tabs stay.
pub(crate) fn visible(text: &str) -> String {
    let unseen = |one: char| one.is_control() && !matches!(one, '\n' | '\t') || is_unseen(one);
    let text = text.replace("\r\n", "\n");
    if !text.contains(unseen) {
        return text;
    }
    text.chars()
        .map(|one| if unseen(one) { format!("<U+{:04X}>", u32::from(one)) } else { one.to_string() })
        .collect()
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// The one mapping of a use case's error to an exit code.
fn exit_code(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Invalid => 2,
        ErrorKind::NotFound => 3,
        ErrorKind::Conflict => 4,
        ErrorKind::Denied => 5,
        ErrorKind::Unavailable => 6,
        ErrorKind::Internal => 70,
    }
}

/// The end of `--help`: the exit codes, and what `--json` prints.
pub(crate) fn after_help() -> String {
    let rows: Vec<String> =
        EXIT_CODES.iter().map(|(code, meaning)| format!("  {code:<3} {meaning}")).collect();
    format!("Exit codes:\n{}\n\n{ENVELOPE}", rows.join("\n"))
}

const ENVELOPE: &str = "With --json:
  {\"ok\": true, \"command\": …, \"data\": …}
  {\"ok\": false, \"command\": …, \"error\": {\"code\", \"kind\", \"message\", \"hint\"}}
  A check that found something wrong (exit code 1) has both `data` and an `error` of the kind `check`.";
