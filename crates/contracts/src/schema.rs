//! The published JSON Schemas, which every file that is written satisfies. They are documents of their own, in the
//! `schema` folder of this crate; here they only have names.

/// A folder's `context.json`: a list of bundles, contracts in either spelling.
pub const CONTEXT: &str = include_str!("../schema/context.schema.json");
/// `context_main.json`.
pub const INDEX: &str = include_str!("../schema/context-main.schema.json");
