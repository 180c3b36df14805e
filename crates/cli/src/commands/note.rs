//! `becket note …`: the entries in `.context/`, for people and for CI.

mod render;

pub(super) use render::{Lines, commit, entry, explanation};

use std::{io::Read, process::ExitCode};

use becket_base::counted;
use becket_engine::{
    Error,
    remember::{
        CheckReport, CheckRequest, CreateRequest, Filter, Level, ListRequest, RefsRequest, RenumberRequest,
        SearchRequest, VerifyRequest,
    },
};

use crate::{
    context::Context,
    ui::{Finding, Report},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Note {
    /// The worktree whose `.context/` is meant: its path, its folder's name or its branch
    #[arg(long, global = true)]
    worktree: Option<String>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make what is missing: `.context/`, its configuration, a block in `agents.md`
    Init,
    /// Write down a reason, for good
    New(New),
    /// Show an entry and whether it still holds
    Show {
        /// Its number as code has it (00012), or its file name
        reference: String,
    },
    /// List the entries
    List {
        #[command(flatten)]
        filter: Filters,
    },
    /// Find entries by words, also words inside identifiers
    Search {
        /// The words to look for
        query: String,
        #[command(flatten)]
        filter: Filters,
    },
    /// Which code refers to an entry, which entries explain a place, what hangs in the air
    Refs {
        /// An entry (00012) or a place (FILE, `FILE:10-20`, FILE#DECLARATION); without either, what hangs in the air
        what: Option<String>,
    },
    /// Record that an entry was checked and still holds
    Verify {
        /// Its number as code has it (00012), or its file name
        reference: String,
        /// What was looked at
        #[arg(long, short)]
        message: Option<String>,
        /// Who looked; otherwise Git's user name
        #[arg(long)]
        author: Option<String>,
    },
    /// Check everything about the entries, for CI
    Check(Check),
    /// Give an entry another number, and rewrite the code that refers to it
    Renumber {
        /// Its number, or its file name where two have the number
        reference: String,
        /// Only say what would be done
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, clap::Args)]
struct New {
    /// The reason as Markdown; `-` reads it from stdin, and without it your editor opens
    text: Option<String>,
    /// A place in the code that it explains: FILE, FILE#DECLARATION or `FILE:10-20`
    #[arg(long = "anchor", value_name = "PLACE")]
    anchors: Vec<String>,
    /// An entry that this one replaces
    #[arg(long, value_name = "REF")]
    supersedes: Vec<String>,
    /// An entry that belongs to the same matter
    #[arg(long, value_name = "REF")]
    relates: Vec<String>,
    /// The task that it was written for
    #[arg(long)]
    task: Option<String>,
    /// Who writes it; otherwise Git's user name
    #[arg(long)]
    author: Option<String>,
}

#[derive(Debug, clap::Args)]
struct Filters {
    /// Only this state: fresh, moved, changed, gone, unanchored, or stale for changed and gone
    #[arg(long)]
    state: Option<String>,
    /// Only what explains something at or below this path
    #[arg(long)]
    path: Option<String>,
    /// Only what was created since this day or moment
    #[arg(long)]
    since: Option<String>,
    /// Only authors whose name contains this
    #[arg(long)]
    author: Option<String>,
    /// How many at most
    #[arg(long)]
    limit: Option<usize>,
    /// Where the answer before left off
    #[arg(long)]
    cursor: Option<String>,
}

#[derive(Debug, clap::Args)]
struct Check {
    /// How to print the findings
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// The least grave finding that makes the exit code 1
    #[arg(long, value_enum, default_value = "warning")]
    fail_on: FailOn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Human,
    Json,
    Sarif,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Note,
}

/// A text is read no further than any entry may be long.
const MOST_INPUT: u64 = 16 * 1024 * 1024;

impl Note {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        let worktree = self.worktree;
        let ui = &context.ui;
        match self.action {
            Action::Init => {
                let done = engine.context_init(worktree.as_deref());
                ui.finish(
                    "note init",
                    done.map(|report| {
                        let text = report.steps.join("\n");
                        Report::new(report, text)
                    }),
                )
            }
            Action::New(new) => {
                let created =
                    new.request(context, worktree).and_then(|request| engine.context_create(&request));
                ui.finish(
                    "note new",
                    created.map(|entry| {
                        let text = render::created(&entry);
                        Report::new(entry, text)
                    }),
                )
            }
            Action::Show { reference } => {
                let entry = engine.context_get(&reference, worktree.as_deref());
                ui.finish(
                    "note show",
                    entry.map(|entry| {
                        let text = render::entry(&entry);
                        Report::new(entry, text)
                    }),
                )
            }
            Action::List { filter } => {
                let (filter, limit, cursor) = filter.split();
                let listed = engine.context_list(&ListRequest { filter, limit, cursor, worktree });
                ui.finish(
                    "note list",
                    listed.map(|listed| {
                        let text = render::list(&listed);
                        Report::new(listed, text)
                    }),
                )
            }
            Action::Search { query, filter } => {
                let (filter, limit, cursor) = filter.split();
                let found = engine.context_search(&SearchRequest { query, filter, limit, cursor, worktree });
                ui.finish(
                    "note search",
                    found.map(|found| {
                        let text = render::results(&found);
                        Report::new(found, text)
                    }),
                )
            }
            Action::Refs { what } => {
                let is_entry =
                    what.as_deref().is_some_and(|what| engine.context_get(what, worktree.as_deref()).is_ok())
                        || what.as_deref().is_some_and(|what| what.bytes().all(|byte| byte.is_ascii_digit()));
                let (reference, target) = if is_entry { (what, None) } else { (None, what) };
                let answer = engine.context_refs(&RefsRequest { reference, target, worktree });
                ui.finish(
                    "note refs",
                    answer.map(|answer| {
                        let text = render::refs(&answer);
                        Report::new(answer, text)
                    }),
                )
            }
            Action::Verify { reference, message, author } => {
                let verified =
                    engine.context_verify(&VerifyRequest { reference, note: message, author, worktree });
                ui.finish(
                    "note verify",
                    verified.map(|entry| {
                        let text = format!(
                            "{} was {} and is {}.",
                            entry.reference,
                            entry.before.as_str(),
                            entry.state.as_str()
                        );
                        Report::new(entry, text)
                    }),
                )
            }
            Action::Check(check) => check.finish(context, engine.context_check(&CheckRequest { worktree })),
            Action::Renumber { reference, dry_run } => {
                let report = engine.context_renumber(&RenumberRequest { reference, dry_run, worktree });
                ui.finish(
                    "note renumber",
                    report.map(|report| {
                        let text = render::renumbered(&report);
                        Report::new(report, text)
                    }),
                )
            }
        }
    }
}

impl New {
    fn request(self, context: &Context, worktree: Option<String>) -> Result<CreateRequest, Error> {
        let markdown = match self.text.as_deref() {
            Some("-") => stdin()?,
            Some(text) => text.to_owned(),
            None => write(context.environment())?,
        };
        Ok(CreateRequest {
            markdown,
            supersedes: self.supersedes,
            relates: self.relates,
            task: self.task,
            author: self.author,
            anchors: self.anchors,
            worktree,
        })
    }
}

fn stdin() -> Result<String, Error> {
    let mut bytes = Vec::new();
    std::io::stdin().take(MOST_INPUT).read_to_end(&mut bytes).map_err(|error| {
        Error::unavailable("stdin_unreadable", "The text could not be read from stdin.").with_source(error)
    })?;
    String::from_utf8(bytes).map_err(|_| Error::invalid("not_utf8", "The text on stdin is not UTF-8."))
}

impl Filters {
    fn split(self) -> (Filter, Option<usize>, Option<String>) {
        let filter = Filter { state: self.state, path: self.path, since: self.since, author: self.author };
        (filter, self.limit, self.cursor)
    }
}

impl Check {
    fn finish(&self, context: &Context, checked: Result<CheckReport, Error>) -> ExitCode {
        let least = match self.fail_on {
            FailOn::Error => Level::Error,
            FailOn::Warning => Level::Warning,
            FailOn::Note => Level::Note,
        };
        let verdict = |report: &CheckReport| -> Option<Finding> {
            let grave = report.findings.iter().filter(|finding| finding.level >= least);
            let mut grave = grave.peekable();
            let first = grave.peek().map(|first| first.message.clone());
            let count = grave.count();
            first.map(|first| {
                let message = format!("{}, the first: {first}", counted(count, "finding"));
                Finding::new(
                    "entries_unsound",
                    message,
                    "`data.findings` has the place of each; `becket note check` shows them.",
                )
            })
        };
        match (self.format, checked) {
            (Format::Sarif, Ok(report)) => {
                context.ui.print(&report.to_sarif().to_string());
                ExitCode::from(u8::from(verdict(&report).is_some()))
            }
            (format, checked) => {
                let ui = if format == Format::Json { context.ui.with_json() } else { context.ui };
                ui.finish(
                    "note check",
                    checked.map(|report| {
                        let (verdict, text) = (verdict(&report), render::findings(&report));
                        Report::new(report, text).with_verdict(verdict)
                    }),
                )
            }
        }
    }
}

const HELP: &str =
    "<!-- Why is the code as it is? This comment is dropped; an empty text writes nothing. -->";

/// What the user wrote in an editor; an error if that is nothing.
fn write(environment: &becket_engine::Environment) -> Result<String, Error> {
    let text = crate::editor::edit(environment, &format!("\n\n{HELP}\n"), ".md")?;
    let text = text.replace(HELP, "");
    let text = text.trim_matches(['\n', '\r', ' ', '\t']);
    if text.is_empty() {
        return Err(Error::invalid("empty_markdown", "The text is empty; nothing was written."));
    }
    Ok(format!("{text}\n"))
}
