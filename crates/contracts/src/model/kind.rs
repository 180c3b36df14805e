//! What a file is, as the seed spells it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Decided from what the file holds, never from the directory that the checkout lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    #[serde(rename = "react:component")]
    ReactComponent,
    #[serde(rename = "react:hook")]
    ReactHook,
    #[serde(rename = "vue:component")]
    VueComponent,
    #[serde(rename = "vue:composable")]
    VueComposable,
    #[serde(rename = "node:api")]
    NodeApi,
    #[serde(rename = "node:cli")]
    NodeCli,
    #[serde(rename = "ts:module")]
    TsModule,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReactComponent => "react:component",
            Self::ReactHook => "react:hook",
            Self::VueComponent => "vue:component",
            Self::VueComposable => "vue:composable",
            Self::NodeApi => "node:api",
            Self::NodeCli => "node:cli",
            Self::TsModule => "ts:module",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
