//! The coordinate plane's records: tasks, leases, agents, messages and events, and the rules over them.
//!
//! Rules once (`rules`), dialects at the edge (`sqlite`, `postgres`), one method per use case (`Store`). `spec.yaml` is the
//! truth for what tasks there are, this store for everything else. Knows no protocol and no terminal.

mod address;
mod backend;
mod clock;
mod error;
pub mod globs;
mod model;
mod natural;
mod open;
mod postgres;
pub mod prd;
mod random;
mod rules;
pub mod spec_file;
mod sql;
mod sqlite;
mod store;
mod watch;

pub use address::ServerAddress;
pub use clock::{FakeClock, LeaseClock, MachineClock, Moment};
pub use error::{Error, Result};
pub use model::*;
pub use open::{Options, Place};
pub use rules::definitions::Change;
pub use rules::status::Cascade;
pub use rules::sync::Origin;
pub use rules::{LeaseBounds, LockPolicy, Policy, Verifier};
pub use sqlite::{Repair, check, repair};
pub use store::Store;
pub use watch::Watch;
