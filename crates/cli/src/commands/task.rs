//! `becket task`: tasks that several agents share.

use std::process::ExitCode;

use crate::{context::Context, coordinate};

#[derive(Debug, clap::Args)]
pub(crate) struct Task {
    #[command(subcommand)]
    command: coordinate::task::Task,
}

impl Task {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let name = self.command.name();
        coordinated(context, name, |engine| self.command.run(engine))
    }
}

/// Ends a command of this plane: what was answered is in `spec.yaml` before the process ends.
pub(super) fn coordinated(
    context: &Context,
    name: &str,
    act: impl FnOnce(&becket_engine::Engine) -> Result<coordinate::Outcome, becket_engine::Error>,
) -> ExitCode {
    use crate::ui::Report;
    let engine = context.engine(Vec::new());
    let result = engine.settings_are_sound().and_then(|()| act(&engine));
    if let Err(error) = engine.settle_tasks() {
        context.ui.say(format_args!("spec.yaml is not up to date yet: {error}"));
    }
    context.ui.finish(
        name,
        result.map_err(|error| coordinate::spoken(error, "becket")).map(|outcome| {
            let mut data = outcome.data.clone();
            if let (Some(data), false) = (data.as_object_mut(), outcome.warnings.is_empty()) {
                data.insert("warnings".to_owned(), serde_json::json!(outcome.warnings));
            }
            Report::new(data, outcome.text.trim_end())
                .with_verdict(outcome.refused.clone())
                .with_advice(outcome.advice("becket"))
        }),
    )
}
