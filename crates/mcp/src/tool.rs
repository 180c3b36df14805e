//! What a tool is: one type with its name, texts, parameters, output and `run` in one file.
//!
//! Knows nothing of bounds, logs, error mapping or schemas on the wire: [`crate::route`] does those, once.

use std::future::Future;

use becket_engine::{Engine, Error};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{call::Call, toolset::Toolset};

/// A tool that agents can call.
pub trait Tool: Send + Sync + 'static {
    /// The canonical name, as the seed writes it (`context.create`).
    const NAME: &'static str;
    const TITLE: &'static str;
    /// At most two sentences.
    const DESCRIPTION: &'static str;
    const TOOLSET: Toolset;
    const EFFECT: Effect;
    /// The list in the output that is shown page by page.
    const PAGE: Option<Page> = None;
    /// How long the answer may be.
    const MOST_BYTES: fn(&Engine) -> usize = Engine::max_output_bytes;
    /// Whether the call makes sense while the settings are broken. Only a tool that explains them says yes.
    const WITH_BROKEN_SETTINGS: bool = false;

    type Params: DeserializeOwned + JsonSchema + Send + 'static;
    type Output: Serialize + JsonSchema + Send + 'static;

    /// Where the rest of that list is, for a call that must not be made again to go on.
    fn rest(_params: &Self::Params) -> Option<&'static str> {
        None
    }

    fn run(call: Call, params: Self::Params) -> impl Future<Output = Result<Self::Output, Error>> + Send;

    /// A short text for people; not a second copy of the JSON.
    fn text(output: &Self::Output) -> String;
}

/// What a call may change, told to hosts as annotations and enforced by `--read-only`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Reads,
    /// Adds, and never takes anything away.
    Adds,
    /// Changes or removes; the same call twice has the effect of one.
    Settles,
    /// Changes or removes, each time anew.
    Changes,
}

/// A list in the output, bounded and continued by key, so that rows that come or go in between neither shift nor repeat.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// The field of the output that holds the list.
    pub list: &'static str,
    /// The field of each row that names it, unique.
    pub key: &'static str,
    pub order: Order,
    pub default_limit: usize,
    pub most: usize,
}

/// What stands behind a row that has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Sorted by key, ascending: what sorts behind it.
    ByKey,
    /// Nobody can tell.
    Own,
}
