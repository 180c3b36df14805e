//! The working tree as becket sees it: where it is, which paths may be touched, what the user has set, and how files
//! are written. It starts no process and speaks no protocol.

pub mod admit;
pub mod config;
pub mod environment;
pub mod files;
pub mod hosts;
pub mod index;
pub mod lock;
pub mod resolve;
pub mod root;
pub mod share;
mod shown;
pub mod snapshot;
pub mod walk;
pub mod watch;

pub use becket_fence::canonical;

pub use admit::{AdmitError, Admitted, Sandbox};
pub use config::{Loaded, Settings};
pub use environment::Environment;
pub use root::{CheckedOut, RootError, Workspace, WorkspaceKind};
