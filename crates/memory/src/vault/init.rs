//! Making a vault: the folder, the configuration, the merge rule of the log. Merges and never overwrites.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use fs_err as fs;

use super::{
    CONFIG_FILE, FOLDER, Vault, VaultError,
    create::{remove_quietly, sync_directory},
};
use crate::config::Config;

/// What `init` found and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Initialised {
    pub folder_created: bool,
    pub config: ConfigOutcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigOutcome {
    Created,
    Completed,
    Kept,
}

/// Branches that both added events keep both.
const ATTRIBUTES: &str = "log.jsonl text eol=lf merge=union";

impl Vault {
    /// Makes what is missing of a vault in `root`. A configuration that is wrong is an error and stays as it is.
    pub fn init(root: &Path) -> Result<Initialised, VaultError> {
        let directory = root.join(FOLDER);
        let folder_created = match fs::create_dir(&directory) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            Err(source) => return Err(VaultError::Write { path: directory, source }),
        };
        // Opening refuses a folder that is a file, or leads elsewhere.
        let vault = Self::open(root, &directory)?;
        let path = vault.directory.join(CONFIG_FILE);
        let config = match vault.bytes_of(&path)? {
            None => {
                replace(&path, &Config::default_text())?;
                ConfigOutcome::Created
            }
            Some(bytes) => {
                let text =
                    String::from_utf8(bytes).map_err(|_| VaultError::ConfigNotText { path: path.clone() })?;
                match Config::completed(&text)? {
                    Some(text) => {
                        replace(&path, &text)?;
                        ConfigOutcome::Completed
                    }
                    None => ConfigOutcome::Kept,
                }
            }
        };
        attributes(&vault)?;
        Ok(Initialised { folder_created, config })
    }
}

impl Vault {
    /// The file in which agents read how to work here: `agents.md`, in whatever case it is written, or where it would be.
    pub fn instructions(root: &Path) -> Result<PathBuf, VaultError> {
        let failed = |source| VaultError::Read { path: root.to_owned(), source };
        let mut names = Vec::new();
        for entry in fs::read_dir(root).map_err(failed)? {
            names.extend(entry.map_err(failed)?.file_name().into_string());
        }
        names.retain(|name| name.eq_ignore_ascii_case("agents.md"));
        // Where there are several, the spelling that the seed asks for, then the usual one.
        names.sort_by_key(|name| (name != "agents.md", name != "AGENTS.md", name.clone()));
        Ok(root.join(names.first().map_or("agents.md", String::as_str)))
    }
}

/// Tells Git how to merge the log, unless the folder's attributes speak of it already.
pub(super) fn attributes(vault: &Vault) -> Result<(), VaultError> {
    let path = vault.directory.join(".gitattributes");
    let present = vault.bytes_of(&path)?.unwrap_or_default();
    let present = String::from_utf8_lossy(&present);
    if present.lines().any(|line| line.split_whitespace().next() == Some("log.jsonl")) {
        return Ok(());
    }
    let separator = if present.is_empty() || present.ends_with('\n') { "" } else { "\n" };
    let mut file = vault
        .open_own(&path, fs::OpenOptions::new().create(true).append(true))
        .map_err(|source| VaultError::Write { path: path.clone(), source })?;
    file.write_all(format!("{separator}{ATTRIBUTES}\n").as_bytes())
        .map_err(|source| VaultError::Write { path: path.clone(), source })
}

/// Writes beside and renames, so that a reader sees the old text or the new.
fn replace(path: &Path, text: &str) -> Result<(), VaultError> {
    let failed = |source| VaultError::Write { path: path.to_owned(), source };
    let beside = path.with_extension(format!("json.{}.new", std::process::id()));
    // What has that name is not written through: it may be a link, and the name can be guessed.
    remove_quietly(&beside);
    let written = fs::File::create_new(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    if let Err(source) = written {
        remove_quietly(&beside);
        return Err(failed(source));
    }
    path.parent().map_or(Ok(()), sync_directory).map_err(failed)
}
