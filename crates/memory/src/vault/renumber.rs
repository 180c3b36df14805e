//! Moving an entry to another number, so that two branches that took the same one can both keep theirs.

use std::path::Path;

use becket_base::Timestamp;
use fs_err as fs;

use super::{
    Vault, VaultError,
    create::{Writing, remove_quietly, sync_directory},
};
use crate::{
    config::Config,
    entry::ContentHash,
    log::{Event, Renumbered},
};

/// An entry that is to get another number.
#[derive(Debug, Clone)]
pub struct Move {
    pub from: u64,
    /// Its text, exactly as it was written.
    pub bytes: Vec<u8>,
    pub at: Timestamp,
    pub author: Option<String>,
}

impl Vault {
    /// Writes the entry again under the next free number and records the move. The old file stays until
    /// [`Vault::settle`]: what refers to it is rewritten in between.
    pub fn renumber(
        &self,
        config: &Config,
        entry: Move,
        known_elsewhere: impl FnOnce() -> Option<u64>,
    ) -> Result<(u64, String), VaultError> {
        let mut writing = Writing::begin(self, config, known_elsewhere)?;
        let (to, file) = writing.place(&entry.bytes)?;
        let hash = ContentHash::of(&entry.bytes);
        let event = Event::Renumbered(Renumbered {
            from: entry.from,
            to,
            file: file.clone(),
            hash,
            at: entry.at,
            author: entry.author,
        });
        if let Err(error) = writing.record(&event) {
            remove_quietly(&self.directory.join(&file));
            return Err(error);
        }
        Ok((to, file))
    }

    /// Ends a move: the old file goes, or gets the text of the entry that keeps the number.
    pub fn settle(&self, file: &str, keeps: Option<&[u8]>) -> Result<(), VaultError> {
        let path = self.directory.join(file);
        let failed = |source| VaultError::Write { path: path.clone(), source };
        match keeps {
            None => fs::remove_file(&path).map_err(failed)?,
            Some(bytes) => replace(&path, bytes).map_err(failed)?,
        }
        sync_directory(&self.directory).map_err(failed)
    }
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    let beside = path.with_file_name(format!("{}settle-{}", super::create::TEMPORARY, std::process::id()));
    remove_quietly(&beside);
    let written = fs::File::create_new(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        remove_quietly(&beside);
    }
    written
}
