//! The seven documents that explain the plane to an agent, embedded.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Engine;

/// Also what `stamp init` puts into a project.
pub(super) const GUIDE: &str = include_str!("docs/for-llms.md");

/// By the seed's keys.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Documents {
    #[serde(rename = "forLLMs")]
    pub for_llms: String,
    pub usage: String,
    pub uif_contracts: String,
    pub schema: String,
    pub context: String,
    pub compare_modes: String,
    pub limitations: String,
}

impl Engine {
    pub fn logicstamp_documents(&self) -> Documents {
        Documents {
            for_llms: GUIDE.to_owned(),
            usage: include_str!("docs/usage.md").to_owned(),
            uif_contracts: include_str!("docs/uif-contracts.md").to_owned(),
            schema: include_str!("docs/schema.md").to_owned(),
            context: include_str!("docs/context.md").to_owned(),
            compare_modes: include_str!("docs/compare-modes.md").to_owned(),
            limitations: include_str!("docs/limitations.md").to_owned(),
        }
    }
}
