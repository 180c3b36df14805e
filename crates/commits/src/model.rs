//! What was learned offline: how likely two units belong together, and when joining groups stops. The data stands in
//! `model.json`, with the command that made it.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::forest::Forest;

/// The weights of all signals and of the joining of groups.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The command that made it.
    pub made_by: String,
    /// The numbers that `pair` was grown on, by name; a model of other numbers is not used.
    pub features: Vec<String>,
    /// How much each number counts in `pair`, all together one.
    pub weights: Vec<f32>,
    /// Whether two units belong together.
    pub pair: Forest,
    /// What it says of two units that nothing connects.
    pub background: f32,
    /// Whether two groups of units are one.
    pub join: Forest,
    /// Groups are joined while the best join is at least this likely.
    pub stop: f32,
}

impl Model {
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The one that is shipped.
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<Model> =
            LazyLock::new(|| Model::from_json(include_str!("model.json")).unwrap_or_default());
        &SHIPPED
    }
}
