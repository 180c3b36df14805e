//! `becket msg`: messages between agents.

use std::process::ExitCode;

use super::task::coordinated;
use crate::{context::Context, coordinate};

#[derive(Debug, clap::Args)]
pub(crate) struct Msg {
    #[command(subcommand)]
    command: coordinate::msg::Msg,
}

impl Msg {
    pub(crate) fn run(self, context: &Context) -> ExitCode {
        let name = self.command.name();
        coordinated(context, name, |engine| self.command.run(engine))
    }
}
