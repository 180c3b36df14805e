//! `becket completions SHELL`.

use std::process::ExitCode;

use crate::context::Context;

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// bash, elvish, fish, powershell or zsh
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

impl Completions {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut crate::command(), "becket", &mut script);
        let script = String::from_utf8_lossy(&script).into_owned();
        let data = serde_json::json!({"shell": self.shell.to_string(), "script": script});
        context.ui.finish("completions", Ok(crate::ui::Report::new(data, script)))
    }
}
