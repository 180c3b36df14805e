//! Text to vectors through one OpenAI-compatible provider; the only crate that makes an outgoing connection.
//!
//! Owns the request, its limits and its failures, the vectors kept on disk, and how alike two vectors are. Off unless the
//! user asks for it; what a vector is good for is the caller's to decide, and every caller can do without.

mod answer;
mod cache;
mod endpoint;
mod error;
mod key;
mod local;
mod provider;
mod vector;

pub use cache::VectorCache;
pub use error::EmbeddingError;
pub use key::ApiKey;
pub use provider::{Cancelled, Provider, ProviderOptions};
pub use vector::cosine;

#[cfg(test)]
mod tests;
