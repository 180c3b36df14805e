//! Names that nobody has to agree on. Owns where chance comes from.

use crate::error::{Error, Result};

/// A prefix and so many hexadecimal digits, upper-case as the original writes them.
pub(crate) fn name(prefix: &str, digits: usize) -> Result<String> {
    let mut bytes = vec![0_u8; digits.div_ceil(2)];
    getrandom::fill(&mut bytes).map_err(|error| Error::unexpected(format!("no randomness: {error}")))?;
    let mut name: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    name.truncate(digits);
    Ok(format!("{prefix}{name}"))
}
