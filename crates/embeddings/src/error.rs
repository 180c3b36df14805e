//! Why there are no vectors, in words that can be shown: never the key, never a text that was sent.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum EmbeddingError {
    #[error("the address of the embedding provider must be {expected}")]
    BadAddress { expected: &'static str },
    #[error("the embedding provider at {host} is not encrypted, so no key is sent to it")]
    KeyInTheClear { host: String },
    #[error("the embedding provider at {host} cannot be reached: {reason}")]
    Unreachable { host: String, reason: String },
    #[error("the embedding provider at {host} did not answer within {seconds} s")]
    TimedOut { host: String, seconds: u64 },
    #[error("the embedding provider at {host} answered {status}{}", because(detail))]
    Refused { host: String, status: u16, detail: String },
    #[error("the embedding provider at {host} gave an answer that is not understood: {reason}")]
    BadAnswer { host: String, reason: String },
    #[error("{reason}; it is not asked again for some seconds")]
    Resting { reason: String },
    #[error("the call was cancelled")]
    Cancelled,
    #[error("no thread could be started for the embedding provider")]
    NoThread(#[source] io::Error),
}

fn because(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(": {detail}") }
}
