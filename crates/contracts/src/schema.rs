//! The published JSON Schemas, which every file that is written satisfies. They are documents of their own, in the
//! `schema` folder of this crate; here they only have names.

/// A folder's `context.json`: a list of bundles, contracts in either spelling.
pub const CONTEXT: &str = include_str!("../schema/context.schema.json");
/// `context_main.json`.
pub const INDEX: &str = include_str!("../schema/context-main.schema.json");
/// `context_compare_modes.json`.
pub const COMPARE_MODES: &str = include_str!("../schema/compare-modes.schema.json");
/// `stamp_security_report.json`.
pub const SECURITY_REPORT: &str = include_str!("../schema/security-report.schema.json");
/// `.logicstamp/context_watch-status.json`.
pub const WATCH_STATUS: &str = include_str!("../schema/watch-status.schema.json");
/// `.logicstamp/context_watch-mode-logs.json`.
pub const WATCH_LOG: &str = include_str!("../schema/watch-log.schema.json");
/// `.logicstamp/strict_watch_violations.json`.
pub const STRICT_WATCH: &str = include_str!("../schema/strict-watch.schema.json");
