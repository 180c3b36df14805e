//! `becket context --watch`: says what each burst of edits changed, until somebody ends it.

use std::{process::ExitCode, time::Duration};

use becket_engine::{
    Engine, Error,
    understand::{
        ContextRequest, ContextWatch, Regenerated, StrictReport, ViolationSeverity, WatchContextRequest,
    },
};
use serde_json::{Value, json};

use crate::{
    context::Context,
    signals::{self, Noted},
    ui::told,
};

/// How long it takes at most to notice that somebody asked for the end.
const GLANCE: Duration = Duration::from_millis(100);

/// What only watching asks for.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct WatchOptions {
    /// Write the files again after every edit, until Ctrl-C
    #[arg(long, short = 'w')]
    pub(super) watch: bool,
    /// The same, and keep account of what was broken; ends with 1 where something still is
    #[arg(long)]
    pub(super) strict_watch: bool,
    /// While watching: print hashes
    #[arg(long)]
    pub(super) debug: bool,
    /// While watching: append every regeneration to `.logicstamp/context_watch-mode-logs.json`
    #[arg(long)]
    pub(super) watch_log: bool,
}

impl WatchOptions {
    pub(super) fn is_wanted(&self) -> bool {
        self.watch || self.strict_watch
    }
}

pub(super) fn run(
    context: &Context,
    engine: &Engine,
    request: ContextRequest,
    options: &WatchOptions,
    quiet: bool,
) -> ExitCode {
    let asked = match signals::noted() {
        Ok(asked) => asked,
        Err(error) => {
            let error = Error::unavailable("runtime", "Signals cannot be caught.").with_source(error);
            return context.ui.finish::<()>("context", Err(error));
        }
    };
    let request =
        WatchContextRequest { context: request, strict: options.strict_watch, log: options.watch_log };
    let watch = match engine.watch_context(&request) {
        Ok(watch) => watch,
        Err(error) => return context.ui.finish::<()>("context", Err(error)),
    };
    let voice = Voice { context, quiet, debug: options.debug };
    voice.begin(&watch);
    match follow(watch, &voice, &asked) {
        Ok(broken) if broken => ExitCode::from(1),
        Ok(_) => ExitCode::from(asked.exit_code().unwrap_or(0)),
        Err(error) => context.ui.finish::<()>("context", Err(error)),
    }
}

/// Whether something is broken at the end.
fn follow(mut watch: ContextWatch<'_>, voice: &Voice<'_>, asked: &Noted) -> Result<bool, Error> {
    let mut polling = watch.notice().is_some();
    while !asked.is_asked() {
        match watch.wait(GLANCE) {
            Ok(Some(regenerated)) => voice.regenerated(&regenerated),
            Ok(None) => {}
            Err(error) if watch.is_over() => {
                // What can still be taken back of what it says of itself.
                _ = watch.close();
                return Err(error);
            }
            // A file that cannot be written now can be later: it is tried again.
            Err(error) => voice.failed(&error),
        }
        if let Some(notice) = watch.notice().filter(|_| !polling) {
            polling = true;
            voice.context.ui.say(notice);
        }
    }
    let end = watch.close()?;
    voice.end(end.strict.as_ref());
    Ok(end.strict.is_some_and(|report| report.active_errors() > 0))
}

struct Voice<'c> {
    context: &'c Context,
    quiet: bool,
    debug: bool,
}

impl Voice<'_> {
    fn begin(&self, watch: &ContextWatch<'_>) {
        let report = watch.report();
        if let Some(notice) = watch.notice() {
            self.context.ui.say(notice);
        }
        if self.context.global.json {
            self.line(&json!({"type": "watching", "report": report}));
        } else if !self.quiet {
            self.context.ui.print(report.to_string().trim_end());
        }
        // For whoever waits for it, on the stream for talk, however few words are wanted.
        self.context.ui.say(format_args!("watching {}; Ctrl-C ends it", report.project_path));
    }

    fn regenerated(&self, regenerated: &Regenerated) {
        if self.context.global.json {
            let mut line = json!({"type": "regenerated"});
            if let (Some(line), Value::Object(fields)) = (line.as_object_mut(), json!(regenerated)) {
                line.extend(fields);
            }
            self.line(&line);
            return;
        }
        if !self.quiet {
            self.changed(regenerated);
        }
        let ui = &self.context.ui;
        if let Some(check) = regenerated.strict.as_ref().and_then(|report| report.last_check.as_ref()) {
            for violation in &check.violations {
                let severity = match violation.severity {
                    ViolationSeverity::Error => "error",
                    ViolationSeverity::Warning => "warning",
                };
                ui.print(&format!("  {severity} {}: {}", violation.entry_id, violation.message));
            }
        }
    }

    fn changed(&self, regenerated: &Regenerated) {
        let ui = &self.context.ui;
        let why = match regenerated.changed_files.as_slice() {
            [] => "context files put right".to_owned(),
            [one] => format!("{one} changed"),
            several => format!("{} files changed", several.len()),
        };
        ui.print(&format!(
            "{why}: {} written, {} removed, {} ms",
            regenerated.files_written, regenerated.files_removed, regenerated.duration_ms
        ));
        for file in &regenerated.comparison.files {
            ui.print(&format!("  {} {}", file.verdict.as_str(), file.entry_id));
            for one in &file.declarations {
                ui.print(&format!("    {} {} {}: {}", one.verdict.as_str(), one.kind, one.name, one.reason));
            }
        }
        if self.debug {
            for change in &regenerated.hashes {
                for (what, hash) in [("semantic", &change.semantic_hash), ("file", &change.file_hash)] {
                    if let Some(hash) = hash {
                        ui.print(&format!("  {} {what} {} -> {}", change.entry_id, hash.old, hash.new));
                    }
                }
            }
        }
    }

    fn failed(&self, error: &Error) {
        if self.context.global.json {
            let causes = error.causes();
            let mut line = json!({"type": "error", "causes": causes});
            if let (Some(line), Value::Object(fields)) = (line.as_object_mut(), told(error)) {
                line.extend(fields);
            }
            self.line(&line);
        }
        self.context.ui.complain(error);
    }

    fn end(&self, strict: Option<&StrictReport>) {
        if self.context.global.json {
            self.line(&json!({"type": "ended", "strict": strict}));
            return;
        }
        self.context.ui.say("watching ended");
        if let Some(report) = strict {
            self.context.ui.say(format_args!(
                "errors {}, warnings {}, resolved {}, still broken {}",
                report.total_errors_detected,
                report.total_warnings_detected,
                report.resolved_count,
                report.cumulative_violations
            ));
            if report.cumulative_violations > 0 {
                self.context.ui.say("what is still broken: .logicstamp/strict_watch_violations.json");
            }
        }
    }

    /// One object a line, for programs.
    fn line(&self, value: &Value) {
        self.context.ui.print(&value.to_string());
    }
}
