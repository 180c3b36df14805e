//! Markdown entries in Git that say why: written once, numbered once, linked from code, searched, and known to be fresh
//! or stale. Owns everything under `.context/` and its rules; what Git knows comes in as data.

pub mod anchor;
pub mod code;
pub mod config;
pub mod entry;
pub mod front_matter;
pub mod log;
pub mod naming;
pub mod references;
pub mod screen;
pub mod search;
pub mod vault;

pub use config::{Config, ConfigError};
pub use entry::{ContentHash, Entry};
pub use front_matter::FrontMatter;
pub use log::Log;
pub use vault::{Vault, VaultError};
