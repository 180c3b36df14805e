//! The store as a machine treats it: several processes at once, processes that are killed, files that are damaged, full,
//! removed or read-only, a server that goes away. Real processes, real files, a real server.
//!
//! Counts are small by default and large with `BECKET_FULL=1`.

#![allow(unreachable_pub, reason = "a test has no surface")]
#![allow(
    clippy::expect_used,
    clippy::items_after_statements,
    clippy::panic,
    clippy::unwrap_used,
    reason = "its failures are test failures, and names stand where they are read"
)]
#![allow(clippy::disallowed_methods, reason = "it starts processes and damages files")]

mod files;
mod kills;
mod leases;
mod original;
mod races;
mod server;
mod worker;

/// The first number in an ordinary run, the second in a full one.
fn counted(ordinary: usize, full: usize) -> usize {
    if std::env::var_os("BECKET_FULL").is_some() { full } else { ordinary }
}
