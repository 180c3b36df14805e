//! Transports of our own: the byte-stream server that `becket mcp` runs on standard input and output.
//!
//! Owns framing, the reading of messages, the answers that rmcp does not give, and the clean end. Streamable HTTP is
//! rmcp's and is mounted by `web`; what a request means is for the handler.
//!
//! ```text
//! bytes ─ framing ─► frames ─ messages ─► JSON-RPC ─ exchange ─► rmcp ─► handler
//!         (header, outline)                 │ answers of our own     │
//! bytes ◄──────────── output ◄──────────────┴────────────────────────┘
//! ```

use std::time::Duration;

mod exchange;
mod framing;
mod guarded;
mod header;
mod messages;
mod outline;
mod output;
mod stdio;

pub use framing::{Decoder, Event, Framing};
pub use guarded::Guarded;
pub use header::{HeaderFault, MAX_HEADER_BYTES};
pub(crate) use messages::{Refusal, parse_message, parse_text};
pub use outline::{Outline, OutlineKind};
pub use stdio::{StdioError, StdioTransport, serve, stdio};

/// What one peer may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A larger message is refused and read past.
    pub max_message_bytes: usize,
    /// A batch with more messages is refused whole: each would cost an answer.
    pub max_batch_messages: usize,
    /// How long requests in flight may take to be answered once the peer is leaving.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_message_bytes: 16 * 1024 * 1024, max_batch_messages: 1000, drain: Duration::from_secs(5) }
    }
}
