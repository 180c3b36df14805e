//! What a text is searched for before it becomes an entry: secrets, which are refused, and what may deceive a reader,
//! which is flagged. Owns the patterns; a verdict never repeats the secret.

mod deceit;
mod secrets;

pub use deceit::{Flag, FlagKind, flags};
pub use secrets::{Secret, secrets};
