//! Names that nobody has to agree on. Owns where chance comes from.

use std::fmt::Write;

use crate::error::{Error, Result};

/// A prefix and so many hexadecimal digits, upper-case as the original writes them.
pub(crate) fn name(prefix: &str, digits: usize) -> Result<String> {
    let mut bytes = vec![0_u8; digits.div_ceil(2)];
    getrandom::fill(&mut bytes).map_err(|error| Error::unexpected(format!("no randomness: {error}")))?;
    let mut name = String::from(prefix);
    for byte in bytes {
        // Into a string it cannot fail.
        let _ = write!(name, "{byte:02X}");
    }
    name.truncate(prefix.len() + digits);
    Ok(name)
}
