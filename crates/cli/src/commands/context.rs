//! `becket context …`: contracts, bundles, the graph and drift, for people and for CI.

mod bar;
mod watch;

use std::{
    fmt::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use becket_base::{counted, verb};
use becket_engine::{
    Error,
    understand::{
        AgainstSource, CleanRequest, ContextChoice, ContextReport, ContextRequest, DriftReport, DriftRequest,
        GraphFormat, ModeCost, ModesReport, ModesRequest, Tests,
    },
};
use serde_json::{Value, json};

use self::watch::WatchOptions;
use crate::{
    context::Context,
    ui::{Finding, Report, whole_number},
};

/// What holds where neither an option nor a profile says otherwise.
const DEFAULTS: &str =
    "Left out: --depth 2 --include-code header --style-mode lean --format json --max-nodes 100 --schema 0.3";

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, after_help = DEFAULTS)]
pub(crate) struct ContextCommand {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    generate: Generate,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Write contracts with style metadata
    Style(Generate),
    /// Check written context files against the published schemas
    Validate {
        /// A context file, or a `context_main.json` for all that it lists
        file: Option<String>,
        /// Say nothing but what went wrong
        #[arg(long, short)]
        quiet: bool,
    },
    /// What changed: written files against the code as it is, two files, or a commit; exit 1 on drift
    Compare(Compare),
    /// Remove written context files; only lists them without --all --yes
    Clean {
        /// The folder to clean; the repository if left out
        path: Option<String>,
        /// Remove all that are listed; only together with --yes
        #[arg(long)]
        all: bool,
        /// Do not only list them; only together with --all
        #[arg(long, short)]
        yes: bool,
        /// Say nothing but what went wrong
        #[arg(long, short)]
        quiet: bool,
    },
    /// The contracts of files, for people
    Show {
        /// Source files
        #[arg(required = true)]
        files: Vec<String>,
    },
    /// Who imports whom
    Graph {
        /// The folder whose files to draw; the repository if left out
        path: Option<String>,
        /// Draw tests too
        #[arg(long)]
        include_tests: bool,
        /// How to print it
        #[arg(long, value_enum, default_value = "dot")]
        format: Drawing,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Drawing {
    Dot,
    Json,
    Mermaid,
}

#[derive(Debug, Clone, clap::Args)]
#[command(after_help = DEFAULTS)]
pub(crate) struct Generate {
    /// The folder to analyse; the repository if left out
    path: Option<String>,
    #[command(flatten)]
    options: Options,
    /// Where files go; a name ending in .json means its folder
    #[arg(long, short, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Exit 1 where an import leads nowhere
    #[arg(long, short)]
    strict: bool,
    /// The same, under the name that the original has for it
    #[arg(long)]
    strict_missing: bool,
    /// Analyse and report, write nothing
    #[arg(long)]
    dry_run: bool,
    /// One line of JSON with the numbers, and no files
    #[arg(long)]
    stats: bool,
    /// What each mode costs in tokens; with --stats as a file `context_compare_modes.json`
    #[arg(long)]
    compare_modes: bool,
    /// Accepted for the sake of scripts: .gitignore is never touched here
    #[arg(long)]
    skip_gitignore: bool,
    /// Read everything again
    #[arg(long)]
    clean_cache: bool,
    /// Say nothing but what went wrong
    #[arg(long, short)]
    quiet: bool,
    /// A line for every folder's file
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    watching: WatchOptions,
}

#[derive(Debug, Clone, clap::Args)]
struct Options {
    /// Levels of dependencies in a bundle, 0 for the file alone
    #[arg(long, short, value_name = "LEVELS", allow_negative_numbers = true, value_parser = whole_number)]
    depth: Option<usize>,
    /// How much code goes with a contract
    #[arg(long, short = 'c', value_name = "MODE", value_parser = ["none", "header", "full"])]
    include_code: Option<String>,
    /// Add style metadata
    #[arg(long)]
    include_style: bool,
    /// How much style metadata: counts and flags, or everything
    #[arg(long, value_name = "MODE", value_parser = ["lean", "full"])]
    style_mode: Option<String>,
    /// How files are written
    #[arg(long, short, value_name = "FORMAT", value_parser = ["json", "pretty", "ndjson", "toon"])]
    format: Option<String>,
    /// How many files a bundle holds at most
    #[arg(long, short, value_name = "COUNT", allow_negative_numbers = true, value_parser = whole_number)]
    max_nodes: Option<usize>,
    /// How many tokens a bundle has at most
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true, value_parser = whole_number)]
    max_tokens: Option<usize>,
    /// Several options at once; what is given beside it counts. llm-safe: 30 files a bundle; ci-strict: no code, --strict
    #[arg(long, value_name = "NAME", value_parser = ["llm-chat", "llm-safe", "ci-strict", "watch-fast"])]
    profile: Option<String>,
    /// The spelling of contracts: 0.4 as the original writes them, 0.3 as its guide has them
    #[arg(long, value_name = "VERSION", value_parser = ["0.3", "0.4"])]
    schema: Option<String>,
    /// Analyse tests too
    #[arg(long)]
    include_tests: bool,
    /// Add sentences about what a file does
    #[arg(long)]
    predict_behavior: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "What is left out of the options is as the baseline was made.")]
struct Compare {
    /// Two context files, or two `context_main.json`: old and new; or the folder that context files were written for
    #[arg(num_args = 0..=2, value_names = ["OLD", "NEW"])]
    files: Vec<String>,
    /// disk, snapshot, the id of a snapshot, git:<ref> or a folder; the written files if left out
    #[arg(long, value_name = "BASELINE")]
    baseline: Option<String>,
    /// Write the files of now over the old ones, and exit 0
    #[arg(long)]
    approve: bool,
    /// With --approve: remove context files whose folder has no source any more
    #[arg(long, requires = "approve")]
    clean_orphaned: bool,
    /// Only breaking changes are drift
    #[arg(long)]
    strict: bool,
    /// Show the difference in tokens
    #[arg(long)]
    stats: bool,
    /// Accepted for the sake of scripts: .gitignore is never touched here
    #[arg(long)]
    skip_gitignore: bool,
    /// Say nothing but what went wrong
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    options: Options,
}

impl ContextCommand {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        match self.action {
            None => self.generate.run(context),
            Some(Action::Style(mut generate)) => {
                if generate.compare_modes {
                    let error = Error::invalid(
                        "invalid_arguments",
                        "`style` and --compare-modes exclude each other.",
                    )
                    .with_hint("Leave out `style`: the comparison has a row for it.");
                    return context.ui.finish::<()>("context style", Err(error));
                }
                generate.options.include_style = true;
                generate.run(context)
            }
            Some(Action::Validate { file, quiet }) => validate(context, file, quiet),
            Some(Action::Compare(compare)) => compare.run(context),
            Some(Action::Clean { path, all, yes, quiet }) => clean(context, path, all && yes, quiet),
            Some(Action::Show { files }) => show(context, files),
            Some(Action::Graph { path, include_tests, format }) => {
                graph(context, path, include_tests, format)
            }
        }
    }
}

impl Generate {
    fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        let path = self.path.clone().map(|path| context.path(&engine, path));
        if self.watching.is_wanted() && (self.dry_run || self.stats || self.compare_modes) {
            let error = Error::invalid(
                "invalid_arguments",
                "Watching writes context files; --dry-run, --stats and --compare-modes do not.",
            )
            .with_hint("Leave out one of them.");
            return context.ui.finish::<()>("context", Err(error));
        }
        if self.compare_modes {
            let request = self.modes(path);
            let write = self.stats.then(|| self.out.clone());
            let report = engine.compare_modes(&request).and_then(|report| {
                if let Some(out) = write {
                    engine.write_compare_modes(&report, out.as_deref())?;
                }
                Ok(report)
            });
            return context
                .ui
                .finish("context", report.map(|report| Report::new(report.clone(), report.to_string())));
        }
        let request = ContextRequest {
            path,
            out: self.out.clone(),
            choice: self.options.choice(),
            dry_run: self.dry_run || self.stats,
            clean_cache: self.clean_cache,
        };
        if self.watching.is_wanted() {
            return watch::run(context, &engine, request, &self.watching, self.quiet);
        }
        let talks = !self.quiet && !context.global.json;
        let started = Instant::now();
        let generate = || bar::shown(talks, || engine.context_generate(&request));
        let report = becket_engine::alone(generate).and_then(|report| {
            if self.stats {
                let took = started.elapsed();
                let modes = engine.compare_modes(&ModesRequest {
                    clean_cache: false,
                    ..self.modes(request.path.clone())
                })?;
                let text = statistics(&report, &modes, took).to_string();
                return Ok(self.report(report, text));
            }
            let folders =
                if self.verbose && !self.dry_run { engine.context_folders(&report) } else { Vec::new() };
            let text =
                folders.iter().map(|line| line.clone() + "\n").collect::<String>() + &report.to_string();
            Ok(self.report(report, text))
        });
        let code = context.ui.finish("context", report);
        // The system takes all memory back at once; taking an index apart piece by piece would keep the caller waiting.
        std::mem::forget(engine);
        code
    }

    fn modes(&self, project_path: Option<String>) -> ModesRequest {
        let include_tests = self.options.include_tests;
        ModesRequest { project_path, include_tests, clean_cache: self.clean_cache }
    }

    /// With what is printed unless few words are wanted.
    fn report(&self, report: ContextReport, text: String) -> Report<ContextReport> {
        let strict =
            self.strict || self.strict_missing || self.options.profile.as_deref() == Some("ci-strict");
        let lost = if strict { report.missing_dependencies } else { 0 };
        let text = if self.stats {
            text
        } else if self.quiet {
            let missing = report.missing.iter().filter(|_| lost > 0);
            let missing = missing
                .map(|one| format!("✗ missing: {} in {}: {}", one.name, one.referenced_by, one.reason));
            let lines: Vec<String> =
                report.problems.iter().map(|problem| format!("! {problem}")).chain(missing).collect();
            lines.join("\n")
        } else {
            text
        };
        let finding = (lost > 0).then(|| {
            Finding::new(
                "missing_dependencies",
                format!("{} nowhere.", counted(lost, "import") + verb(lost, " leads", " lead")),
                "`data.missing` names each with the reason: correct it, or declare the package.",
            )
        });
        Report::new(report, text).with_verdict(finding)
    }
}

/// A report with the fields that the original's line has beside.
fn statistics(report: &ContextReport, modes: &ModesReport, took: Duration) -> Value {
    let AgainstSource { none, header, header_style, full, .. } = &modes.comparison_vs_raw_source;
    let tokens = |cost: &ModeCost| json!({ "gpt4": cost.tokens_gpt4o, "claude": cost.tokens_claude });
    let mut line = json!(report);
    line["modeEstimates"] = json!({
        "none": tokens(none),
        "header": tokens(header),
        "headerStyle": tokens(header_style),
        "full": tokens(full),
    });
    line["savingsGPT4"] = report.savings_percent.to_string().into();
    // An estimate for Claude is a share of the tokens of GPT-4o, of the source as of the contracts.
    line["savingsClaude"] = line["savingsGPT4"].clone();
    line["elapsedMs"] = json!(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    line
}

impl Options {
    fn choice(&self) -> ContextChoice {
        ContextChoice {
            profile: self.profile.clone(),
            mode: self.include_code.clone(),
            include_style: self.include_style,
            style_mode: self.style_mode.clone(),
            depth: self.depth,
            max_nodes: self.max_nodes,
            token_budget: self.max_tokens,
            schema: self.schema.clone(),
            format: self.format.clone(),
            include_tests: self.include_tests,
            predict_behavior: self.predict_behavior,
        }
    }
}

impl Compare {
    fn run(self, context: &Context) -> ExitCode {
        let engine = context.engine(Vec::new());
        let named: Vec<String> = self.files.iter().map(|file| context.path(&engine, file.clone())).collect();
        let refused = |message: &str, hint: &str| {
            let error = Error::invalid("invalid_arguments", message).with_hint(hint);
            context.ui.finish::<()>("context compare", Err(error))
        };
        let is_folder = |path: &str| {
            let inside = engine.workspace().is_ok_and(|workspace| workspace.root.join(path).is_dir());
            inside || Path::new(path).is_dir()
        };
        let (files, path) = match named.as_slice() {
            [] => (None, None),
            [_, _] if self.approve => {
                return refused(
                    "Two files are compared as they are: there is nothing to approve.",
                    "Copy the new file over the old one, or leave both out to write those of now.",
                );
            }
            [_, _] if self.baseline.is_some() => {
                return refused("Two files need no baseline.", "Leave out --baseline, or the files.");
            }
            [old, new] => (Some((old.clone(), new.clone())), None),
            [folder] if is_folder(folder) => (None, Some(folder.clone())),
            _ => {
                return refused(
                    "Two files are needed, an old and a new one, or a folder.",
                    "Name both, or none to compare the written files with the code.",
                );
            }
        };
        let request = DriftRequest {
            files,
            path,
            baseline: self.baseline.clone(),
            choice: self.options.choice(),
            approve: self.approve,
            clean_orphaned: self.clean_orphaned,
        };
        let report = engine.context_compare(&request).map(|report| self.report(report));
        context.ui.finish("context compare", report)
    }

    fn report(&self, report: DriftReport) -> Report<DriftReport> {
        let finding = if self.approve { None } else { self.finding(&report) };
        let tells = !self.quiet || finding.is_some();
        let mut text = if tells { report.compared.to_string() } else { String::new() };
        if self.stats {
            let delta = report.compared.result.summary.token_delta;
            let _ =
                writeln!(text, "tokens: GPT-4o {:+}, Claude {:+} (estimate)", delta.gpt4o_mini, delta.claude);
        }
        let orphaned = if report.removed_orphaned { "removed" } else { "orphaned" };
        for path in report.orphaned.iter().filter(|_| !self.quiet) {
            let _ = writeln!(text, "{orphaned}: {path}");
        }
        if report.approved && !self.quiet {
            text.push_str("approved: the context files are those of now\n");
        }
        Report::new(report, text).with_verdict(finding)
    }

    fn finding(&self, report: &DriftReport) -> Option<Finding> {
        let breaking = report.breaking();
        if self.strict {
            let message = || {
                let found = counted(breaking, "breaking change") + verb(breaking, " was", " were");
                format!("{found} found.")
            };
            let hint = "`data.folderDiffs` has each with its reason and who uses it.";
            return (breaking > 0).then(|| Finding::new("breaking_changes", message(), hint));
        }
        let hint = if self.baseline.is_none() && self.files.len() < 2 {
            "`data.folderDiffs` says what; --approve writes the context files of now."
        } else {
            "`data.folderDiffs` says what."
        };
        let folders = counted(report.compared.result.folder_diffs.len(), "folder");
        let message = || format!("{folders} changed since the baseline.");
        report.has_drift().then(|| Finding::new("drift", message(), hint))
    }
}

fn validate(context: &Context, file: Option<String>, quiet: bool) -> ExitCode {
    let engine = context.engine(Vec::new());
    let file = file.map(|file| context.path(&engine, file));
    let report = engine.context_validate(file.as_deref()).map(|report| {
        let mut text = String::new();
        for file in report.files.iter().filter(|file| !(quiet && file.errors.is_empty())) {
            let mark = if file.errors.is_empty() { "✓" } else { "✗" };
            let holds = match file.bundles {
                0 => String::new(),
                bundles => format!(" ({}, {})", counted(bundles, "bundle"), counted(file.nodes, "node")),
            };
            let _ = writeln!(text, "{mark} {}{holds}", file.path);
            for error in &file.errors {
                let _ = writeln!(text, "  {error}");
            }
        }
        let faulty = report.files.iter().filter(|file| !file.errors.is_empty()).count();
        let finding = (!report.valid).then(|| {
            let all = counted(report.files.len(), "file");
            Finding::new(
                "context_invalid",
                format!("{faulty} of {all} {} not what the schemas ask for.", verb(faulty, "is", "are")),
                "`data.files` has the errors of each; `becket context` writes context files anew.",
            )
        });
        Report::new(report, text).with_verdict(finding)
    });
    context.ui.finish("context validate", report)
}

fn clean(context: &Context, path: Option<String>, remove: bool, quiet: bool) -> ExitCode {
    let engine = context.engine(Vec::new());
    let path = path.map(|path| context.path(&engine, path));
    let report = engine.context_clean(&CleanRequest { path, remove }).map(|report| {
        let listed = report.files.iter().filter(|_| !quiet);
        let mut text: String = listed.map(|file| file.clone() + "\n").collect();
        let kept = report.not_removed.len();
        let mut advice = Vec::new();
        match (report.files.len(), remove) {
            (0, _) if kept == 0 && !quiet => text.push_str("no context files"),
            (0, _) => {}
            (_, true) if !quiet => text.push_str("removed\n"),
            (_, true) => {}
            (_, false) if !quiet => text.push_str("not removed: add --all --yes"),
            (_, false) => advice.push("not removed: add --all --yes".to_owned()),
        }
        for one in &report.not_removed {
            let _ = writeln!(text, "not removed: {} ({})", one.file, one.reason);
        }
        let finding = (kept > 0).then(|| {
            let found = counted(kept, "context file") + verb(kept, " was", " were");
            let hint = "Check the permissions of the folders, and do it again: `data.notRemoved` names them.";
            Finding::new("not_removed", format!("{found} not removed."), hint)
        });
        Report::new(report, text).with_verdict(finding).with_advice(advice)
    });
    context.ui.finish("context clean", report)
}

/// One file is one object, several are a list.
fn show(context: &Context, files: Vec<String>) -> ExitCode {
    let engine = context.engine(Vec::new());
    let files: Vec<String> = files.into_iter().map(|file| context.path(&engine, file)).collect();
    let report = engine.context_show(None, &files).map(|shown| {
        let text = shown.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let data = if let [one] = shown.as_slice() { json!(one) } else { json!(shown) };
        Report::new(data, text)
    });
    context.ui.finish("context show", report)
}

fn graph(context: &Context, path: Option<String>, include_tests: bool, format: Drawing) -> ExitCode {
    let engine = context.engine(Vec::new());
    let path = path.map(|path| context.path(&engine, path));
    let tests = if include_tests { Tests::Included } else { Tests::LeftOut };
    let report = engine.context_graph(path.as_deref(), tests).map(|report| {
        let text = match format {
            Drawing::Dot => report.draw(GraphFormat::Dot),
            Drawing::Mermaid => report.draw(GraphFormat::Mermaid),
            Drawing::Json => report.draw(GraphFormat::Json),
        };
        Report::new(json!(report), text)
    });
    context.ui.finish("context graph", report)
}
