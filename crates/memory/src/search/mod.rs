//! Finding entries: every literal match, and what BM25 over words and sub-words finds beyond, in one ranking, into which
//! the caller may blend what it knows of their meaning. Owns the
//! corpus in memory, its ranking, snippets and the measure of likeness; reads entries through [`crate::vault`] alone.

mod blend;
mod corpus;
mod index;
mod parallel;
mod rank;
mod similar;
mod snippet;
mod words;

pub use corpus::{Corpus, Document, Skipped};
pub use rank::{Hit, HitKind};
pub use similar::Similar;
pub use snippet::{LONGEST_SNIPPET, bounded};

#[cfg(test)]
mod tests;
