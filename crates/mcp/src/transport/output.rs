//! The write half: whole messages, in the order they were queued, whoever is writing.
//!
//! Owns the queue, the peer's framing and the writer. A message is queued without waiting, so that the order is that
//! of the callers and a dropped future can neither lose nor cut one; any number of tasks may flush. It knows nothing
//! of what it writes.

use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

use super::framing::Framing;

/// The peer does not read: take no more input until it does.
const HIGH_WATER_BYTES: usize = 8 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Output<W> {
    queue: Mutex<Queue>,
    writer: tokio::sync::Mutex<Option<Writing<W>>>,
    error: OnceLock<io::Error>,
    /// Cancelled at the first write that fails: nobody is there to serve.
    failed: CancellationToken,
    /// From then on only what the peer takes at once is written.
    overdue: CancellationToken,
}

#[derive(Debug, Default)]
struct Queue {
    framing: Option<Framing>,
    /// Messages from before the framing was known.
    unframed: Vec<Vec<u8>>,
    framed: Vec<u8>,
    /// Queued and being written.
    unwritten: usize,
    closed: bool,
}

#[derive(Debug)]
struct Writing<W> {
    writer: W,
    bytes: Vec<u8>,
    written: usize,
}

impl<W: AsyncWrite + Unpin> Output<W> {
    pub(super) fn new(writer: W, failed: CancellationToken) -> Self {
        let writing = Writing { writer, bytes: Vec::new(), written: 0 };
        Self {
            queue: Mutex::default(),
            writer: tokio::sync::Mutex::new(Some(writing)),
            error: OnceLock::new(),
            failed,
            overdue: CancellationToken::new(),
        }
    }

    /// Answers in the peer's own framing; nothing is written before it is known.
    pub(super) fn set_framing(&self, framing: Framing) {
        let mut queue = self.queue();
        queue.framing = Some(framing);
        for json in std::mem::take(&mut queue.unframed) {
            queue.push(framing, &json);
        }
    }

    pub(super) fn enqueue(&self, json: Vec<u8>) {
        let mut queue = self.queue();
        match queue.framing {
            _ if queue.closed => {}
            Some(framing) => queue.push(framing, &json),
            None => queue.unframed.push(json),
        }
    }

    pub(super) fn has_unwritten(&self) -> bool {
        self.queue().unwritten > 0
    }

    pub(super) fn is_congested(&self) -> bool {
        self.queue().unwritten > HIGH_WATER_BYTES
    }

    /// Why writing ended, if it did.
    pub(super) fn error(&self) -> Option<&io::Error> {
        self.error.get()
    }

    /// Writes all that is queued. May be dropped at any point: the next caller goes on at the same byte.
    pub(super) async fn flush(&self) -> io::Result<()> {
        tokio::select! {
            biased;
            result = self.flush_patiently() => result,
            () = self.overdue.cancelled() => {
                self.queue().close();
                Err(io::Error::new(io::ErrorKind::TimedOut, "the peer does not read"))
            }
        }
    }

    /// No write waits for the peer any more, neither those under way nor later ones.
    pub(super) fn stop_waiting(&self) {
        self.overdue.cancel();
    }

    /// Lets go of the writer; what is still queued is not written.
    pub(super) async fn close(&self) {
        // A write under way in another task would keep the writer for as long as the peer does not read.
        self.stop_waiting();
        *self.writer.lock().await = None;
        self.queue().close();
    }

    async fn flush_patiently(&self) -> io::Result<()> {
        let mut guard = self.writer.lock().await;
        let Some(writing) = guard.as_mut() else {
            return Err(io::Error::new(io::ErrorKind::NotConnected, "the output is closed"));
        };
        let result = self.write_queued(writing).await;
        if let Err(error) = &result {
            *guard = None;
            let copy = io::Error::new(error.kind(), error.to_string());
            if self.error.set(copy).is_ok() {
                tracing::debug!(%error, "writing to the peer failed");
            }
            self.queue().close();
            self.failed.cancel();
        }
        result
    }

    async fn write_queued(&self, writing: &mut Writing<W>) -> io::Result<()> {
        loop {
            while let Some(rest) = writing.bytes.get(writing.written..).filter(|rest| !rest.is_empty()) {
                let count = writing.writer.write(rest).await?;
                if count == 0 {
                    return Err(io::ErrorKind::WriteZero.into());
                }
                writing.written += count;
                let mut queue = self.queue();
                queue.unwritten = queue.unwritten.saturating_sub(count);
            }
            let next = std::mem::take(&mut self.queue().framed);
            if next.is_empty() {
                // A burst must not be remembered by its capacity.
                writing.bytes = Vec::new();
                writing.written = 0;
                return writing.writer.flush().await;
            }
            writing.bytes = next;
            writing.written = 0;
        }
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn push(&mut self, framing: Framing, json: &[u8]) {
        let before = self.framed.len();
        framing.encode(json, &mut self.framed);
        self.unwritten += self.framed.len() - before;
    }

    fn close(&mut self) {
        *self = Self { framing: self.framing, closed: true, ..Self::default() };
    }
}
