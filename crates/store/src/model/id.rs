//! Names of things, and who asks. Ids are what a user typed or the store made; they say nothing by themselves.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$note:meta])* $name:ident) => {
        $(#[$note])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }
    };
}

id! {
    /// The key of a task in `spec.yaml`.
    TaskId
}
id! {
    /// `A` and eight hexadecimal digits, made when an agent joins.
    AgentId
}
id! {
    /// Whose `spec.yaml` the definitions come from: one key per clone and worktree, stable over time.
    Worktree
}

/// Who makes a change, and under which names it can be found again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Call {
    /// Nobody is a person at the command line, who may change tasks but holds no lease.
    pub agent: Option<AgentId>,
    /// Written into every event of the call: the id of the tool call or trace.
    pub correlation_id: Option<String>,
    /// The same key with the same operation is done once and answered alike for 24 hours.
    pub idempotency_key: Option<String>,
}

impl Call {
    pub fn by(agent: &AgentId) -> Self {
        Self { agent: Some(agent.clone()), ..Self::default() }
    }
}
