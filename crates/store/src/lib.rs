//! The coordinate plane's records: tasks, leases, agents, messages and events, and the rules over them.

pub mod globs;
pub mod prd;
pub mod spec_file;
