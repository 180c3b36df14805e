//! What a source file promises: contracts, fingerprints, the graph between them, bundles and comparison.
//!
//! Two stages. [`language::Reader`] turns source text into [`model::LocalFacts`], looking at nothing but the text and the
//! file's name. [`link::link`] turns facts, and what their imports resolve to, into a [`model::Contract`]. Neither
//! fails, and neither knows a file system: `project` walks, reads and resolves.

mod brackets;
pub mod bundle;
pub mod compare;
mod conflict;
pub mod fingerprint;
pub mod graph;
pub mod header;
mod json;
pub mod language;
mod languages;
pub mod link;
mod mentions;
pub mod model;
mod order;
pub mod render;
pub mod schema;
pub mod secrets;
pub mod style;
pub mod target;
