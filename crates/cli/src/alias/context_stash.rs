//! `context-stash --init`: a vault in the current directory, as its seed has it.

use std::{ffi::OsString, process::ExitCode};

use becket_engine::{current_directory, environment, remember};

use crate::ui::{Report, Ui};

/// Whether the words ask for a vault to be made; `--init` wins over `--serve`, wherever it stands.
pub(super) fn is_init(words: &[OsString]) -> bool {
    words.iter().any(|word| word == "--init")
}

pub(super) fn init(ui: Ui) -> ExitCode {
    let environment = environment();
    let made = current_directory(&environment).and_then(remember::init);
    ui.finish(
        "init",
        made.map(|report| {
            let text = report.steps.join("\n");
            Report::new(report, text)
        }),
    )
}
