//! The one binary.

use std::process::ExitCode;

/// Reading a large project makes and drops millions of small values.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    becket_cli::run()
}
