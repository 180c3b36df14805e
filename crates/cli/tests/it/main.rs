//! The real binary in a hermetic home: exit codes, stdout, stderr, and real server processes.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_push_string,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make files, start the binary, and fail loudly in their helpers too"
)]

mod alias;
mod arguments;
mod changes;
mod checks;
mod clones;
mod commands;
mod commit;
mod context_flags;
mod context_races;
mod context_tools;
mod coordinate;
mod endings;
mod http;
mod initialize;
mod note;
mod original;
mod pages;
mod places;
mod refused_writes;
mod stdio;
mod understand;
mod watching;

use std::process::{Command, Output};

use becket_testing::TestRepo;
use serde_json::Value;

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

/// becket in the root of a repository.
fn becket<const N: usize>(repo: &TestRepo, arguments: [&str; N]) -> Command {
    let mut command = repo.command(BECKET);
    command.args(arguments);
    command
}

/// What a person sees, with everything that varies replaced.
fn seen(repo: &TestRepo, mut command: Command) -> String {
    let output = command.output().expect("becket runs");
    let text = format!(
        "exit {}\n--- stdout\n{}--- stderr\n{}",
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    text.replace(&repo.root().display().to_string(), "[REPO]")
        .replace(&repo.home().root().display().to_string(), "[HOME]")
        .replace(env!("CARGO_PKG_VERSION"), "[VERSION]")
}

/// The one envelope of `--json`.
fn envelope(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}
