//! The one binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    becket_cli::run()
}
