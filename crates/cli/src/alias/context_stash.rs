//! `context-stash --init`: a vault in the current directory, as its seed has it.

use std::{ffi::OsString, process::ExitCode};

use becket_engine::{environment, remember};

use crate::ui::{Report, Ui};

/// Whether the words ask for a vault to be made; `--init` wins over `--serve`, wherever it stands.
pub(super) fn is_init(words: &[OsString]) -> bool {
    words.iter().any(|word| word == "--init")
}

pub(super) fn init(ui: Ui) -> ExitCode {
    let made = environment().and_then(|environment| remember::init(&environment.current_dir));
    ui.finish(
        "init",
        made.map(|report| {
            let text = report.steps.join("\n");
            Report::new(report, text)
        }),
    )
}
