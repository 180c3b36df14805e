//! How much of everything is taken in or given out. One place, so that every face refuses the same.

use crate::error::{Error, Result};

pub(crate) const BODY_BYTES: usize = 16 * 1024;
pub(crate) const SUBJECT_BYTES: usize = 500;
pub(crate) const NAME_BYTES: usize = 200;
pub(crate) const NOTE_BYTES: usize = 4 * 1024;
pub(crate) const ID_CHARACTERS: usize = 100;
pub(crate) const CAPABILITIES: usize = 100;
pub(crate) const SESSION_BYTES: usize = 16 * 1024;
pub(crate) const ACKNOWLEDGED: usize = 1000;

/// A page size: a wish outside the bounds gets the nearest one.
pub(crate) fn page(wanted: Option<usize>, default: usize, most: usize) -> usize {
    wanted.unwrap_or(default).clamp(1, most)
}

pub(crate) fn text(field: &'static str, text: Option<&str>, most: usize) -> Result<()> {
    match text {
        Some(text) if text.len() > most => {
            Err(Error::invalid(field, format!("has {} bytes, and at most {most} are taken", text.len())))
        }
        _ => Ok(()),
    }
}

pub(crate) fn id(field: &'static str, id: &str) -> Result<()> {
    if id.trim().is_empty() {
        return Err(Error::invalid(field, "is empty"));
    }
    if id.chars().count() > ID_CHARACTERS {
        return Err(Error::invalid(field, format!("is longer than {ID_CHARACTERS} characters")));
    }
    Ok(())
}
