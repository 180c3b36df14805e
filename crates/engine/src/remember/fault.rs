//! What the vault's refusals mean to a caller: kind, stable code, next step.

use becket_memory::{ConfigError, VaultError, anchor::AnchorError};

use crate::{Error, repository::sentence, sandbox::refused_link};

const INIT: &str = "Run `context-stash --init` (or `becket note init`) in the root of the workspace.";

impl From<VaultError> for Error {
    fn from(error: VaultError) -> Self {
        if let Some(refused) = refused_link(&error) {
            return refused.with_source(error);
        }
        let message = sentence(&error.to_string());
        let mapped = match &error {
            VaultError::Missing { .. } => {
                Error::not_found("context_missing", "There is no `.context/` folder here.").with_hint(INIT)
            }
            VaultError::Unfit { .. } => Error::denied("context_unfit", message)
                .with_hint("Make `.context` an ordinary folder in the root of the workspace."),
            VaultError::ConfigMissing { .. } => {
                Error::not_found("config_missing", "There is no `.context/config.json`.").with_hint(INIT)
            }
            VaultError::ConfigNotText { .. } => {
                Error::invalid("config_malformed", "`.context/config.json` is not UTF-8.")
                    .with_hint("Save the file as UTF-8, or delete it and run `context-stash --init`.")
            }
            VaultError::Config(problem) => config(problem),
            VaultError::Reference(_) => Error::invalid("invalid_ref", message)
                .with_hint("context_list shows the references of all entries."),
            VaultError::NotFound { .. } => Error::not_found("entry_not_found", message)
                .with_hint("context_list shows all entries, context_search finds one by its words."),
            VaultError::NotText { .. } => Error::invalid("entry_not_utf8", message)
                .with_hint("Restore the file from Git, or write the reason again with context_create."),
            VaultError::TooLarge { .. } => Error::invalid("entry_too_large", message)
                .with_hint("Write a shorter one, or raise `maxBytes` in .context/config.json."),
            VaultError::NotAnEntry { .. } => Error::invalid("not_an_entry", message)
                .with_hint("Entries are plain files; links and folders in `.context/` are not followed."),
            VaultError::Busy { .. } => {
                Error::unavailable("context_busy", "Another process is writing entries.")
                    .with_hint("Try again; if it stays so, a process that hangs holds the lock.")
            }
            VaultError::NumbersExhausted { .. } => Error::unavailable("numbers_exhausted", message)
                .with_hint("Lower startIndex in `.context/config.json`."),
            VaultError::Write { .. } => Error::unavailable("context_not_writable", message)
                .with_hint("Nothing was kept. Check the permissions and the free space of the disk."),
            VaultError::Read { .. } => Error::unavailable("context_unreadable", message)
                .with_hint("Check the permissions of `.context/`."),
        };
        mapped.with_source(error)
    }
}

fn config(problem: &ConfigError) -> Error {
    Error::invalid("config_malformed", sentence(&problem.to_string()))
        .with_hint("Correct `.context/config.json` there; nothing was written.")
}

impl From<AnchorError> for Error {
    fn from(error: AnchorError) -> Self {
        let hint = match &error {
            AnchorError::Ambiguous { .. } => "Write the full name, or a range of lines: file:10-20.",
            AnchorError::FileMissing { .. } | AnchorError::Path(_) => {
                "Paths are relative to the root of the workspace."
            }
            _ => "An anchor is `file`, `file#declaration` or `file:10-20`.",
        };
        Error::invalid("invalid_anchor", sentence(&error.to_string())).with_hint(hint).with_source(error)
    }
}
