//! The one binary.

use std::process::ExitCode;

// Reading a large project makes and drops millions of small values. Here it takes the place of the system's allocator.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
use mimalloc as _;

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    becket_cli::run()
}
