//! Which database a store is in. One row per engine.

use std::path::PathBuf;
use std::sync::Arc;

use crate::address::ServerAddress;
use crate::backend::Backend;
use crate::clock::LeaseClock;
use crate::error::{Error, Result};
use crate::postgres::PostgresStore;
use crate::rules::Policy;
use crate::sqlite::SqliteStore;
use crate::store::Store;

#[derive(Debug, Clone)]
pub struct Options {
    pub place: Place,
    /// Which of the repositories of a database; of a file it is only said.
    pub repository: String,
    pub policy: Policy,
    /// What the links of a file's place must not lead out of; nothing for a place that the user named.
    pub within: Option<PathBuf>,
    /// Refuses changes, also where they could be made.
    pub read_only: bool,
    /// Nothing is the engine's own: time since boot for a file, the server's for a server.
    pub clock: Option<Arc<dyn LeaseClock>>,
}

impl Options {
    pub fn new(place: Place) -> Self {
        Self {
            place,
            repository: "default".to_owned(),
            policy: Policy::default(),
            within: None,
            read_only: false,
            clock: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// `runtime.sqlite`; its folder must be there.
    File(PathBuf),
    Server(ServerAddress),
}

impl Place {
    /// An address of PostgreSQL, or else a path.
    pub fn parse(text: &str) -> Result<Self> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return ServerAddress::parse(text).map(Self::Server);
        }
        match text.split_once("://") {
            Some(("sqlite" | "file", path)) => Ok(Self::File(path.into())),
            Some((scheme, _)) => Err(Error::Address {
                detail: format!("no store speaks `{scheme}`; postgres:// and paths are known"),
            }),
            None if text.trim().is_empty() => Err(Error::Address { detail: "it is empty".to_owned() }),
            None => Ok(Self::File(text.into())),
        }
    }
}

impl Store {
    /// A database that somebody else made is refused, and nothing is changed in it.
    pub fn open(options: &Options) -> Result<Self> {
        let backend: Box<dyn Backend> = match &options.place {
            Place::File(path) => Box::new(SqliteStore::open(path, options)?),
            Place::Server(address) => {
                Box::new(PostgresStore::open(address, &options.repository, options.clock.clone())?)
            }
        };
        Ok(Self::over(backend, options))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_else_is_a_path_or_refused() {
        assert_eq!(
            Place::parse(".lodestar/runtime.sqlite").unwrap(),
            Place::File(".lodestar/runtime.sqlite".into())
        );
        assert!(Place::parse("mysql://x").is_err() && Place::parse(" ").is_err());
        assert!(Place::parse("postgres://host:notaport/x").is_err());
    }
}
