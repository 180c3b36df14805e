//! `becket agent`: who works in this repository.

use std::process::ExitCode;

use super::task::coordinated;
use crate::{context::Context, coordinate};

#[derive(Debug, clap::Args)]
pub(crate) struct Agent {
    #[command(subcommand)]
    command: coordinate::agent::Agent,
}

impl Agent {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let name = self.command.name();
        coordinated(context, name, |engine| self.command.run(engine, "becket"))
    }
}
