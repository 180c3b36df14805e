//! The coordinate plane's records: tasks, leases, agents, messages and events, and the rules over them.

pub mod spec_file;
