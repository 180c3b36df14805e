//! The server on a pair of byte streams, from the first byte to the clean end.
//!
//! Owns `StdioTransport` (rmcp's transport trait over `framing`, `exchange` and `output`) and `serve`, which outlives
//! what would end rmcp's own loop: a notification before the handshake, a refused handshake, a handler that panics.
//! It decides nothing about messages.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, ServerJsonRpcMessage};
use rmcp::service::{QuitReason, ServerInitializeError, Service, ServiceExt};
use rmcp::transport::Transport;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Limits;
use super::exchange::{Effect, Exchange};
use super::framing::{Decoder, Event};
use super::guarded::Guarded;
use super::output::Output;

/// A pipe's capacity on Linux: one read takes what can have come at once.
const READ_BYTES: usize = 64 * 1024;

/// Why the server ended other than by the peer's or the operator's wish.
#[derive(Debug, Error)]
pub enum StdioError {
    #[error("reading from the client failed")]
    Read { source: io::Error },
    #[error("writing to the client failed")]
    Write { source: io::Error },
    #[error("the server could not be started")]
    Start { source: Box<ServerInitializeError> },
    #[error("the server loop failed")]
    Loop { source: tokio::task::JoinError },
}

/// The process's own standard streams, without a thread hand-off for each message where the system allows it.
///
/// Where they fall back to blocking reads, a pending read outlives the server: end the runtime without waiting for it.
pub fn stdio() -> (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static) {
    rmcp::transport::io::stdio_pipes()
}

/// Serves one client until its input ends, it sends `exit`, it stops reading, or `closing` is cancelled.
///
/// `closing` works both ways: cancelling it ends the server, and the server cancels it when the client is leaving, so
/// that handlers that wait without bound can watch it. Requests in flight are then still answered, within
/// `limits.drain`.
pub async fn serve<S, R, W>(
    service: S,
    input: R,
    output: W,
    limits: Limits,
    closing: CancellationToken,
) -> Result<(), StdioError>
where
    S: Service<RoleServer>,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = StdioTransport::new(input, output, limits, closing);
    let service = Guarded::new(service);
    loop {
        match service.clone().serve_with_ct(transport.clone(), transport.shared.abort.clone()).await {
            Ok(running) => match running.waiting().await {
                Ok(QuitReason::JoinError(source)) | Err(source) => return Err(StdioError::Loop { source }),
                Ok(_) => break,
            },
            // rmcp gives up here; the peer has been answered or was owed nothing, and may try again.
            Err(
                ServerInitializeError::ExpectedInitializeRequest(_)
                | ServerInitializeError::InitializeFailed(_),
            ) => {}
            Err(error @ ServerInitializeError::UnexpectedInitializeResponse(_)) => {
                tracing::error!(%error, "the handshake went wrong");
                transport
                    .fail_all(&ErrorData::internal_error("the server could not answer initialize", None));
            }
            Err(
                ServerInitializeError::ConnectionClosed(_)
                | ServerInitializeError::Cancelled
                | ServerInitializeError::TransportError { .. },
            ) => break,
            Err(error) => return Err(StdioError::Start { source: Box::new(error) }),
        }
    }
    transport.finish().await
}

/// rmcp's transport over two byte streams. Clones share the streams and the conversation.
#[derive(Debug)]
pub struct StdioTransport<R, W> {
    shared: Arc<Shared<R, W>>,
}

#[derive(Debug)]
struct Shared<R, W> {
    input: tokio::sync::Mutex<Input<R>>,
    exchange: Mutex<Exchange>,
    output: Output<W>,
    limits: Limits,
    closing: CancellationToken,
    /// Ends rmcp's loop and every handler in it.
    abort: CancellationToken,
}

#[derive(Debug)]
struct Input<R> {
    reader: R,
    chunk: Vec<u8>,
    decoder: Decoder,
    events: VecDeque<Event>,
    /// Messages for rmcp, already entered in the exchange.
    ready: VecDeque<ClientJsonRpcMessage>,
    state: InputState,
    error: Option<io::Error>,
}

#[derive(Debug, Clone, Copy)]
enum InputState {
    Open,
    /// The stream has ended; what it said is still being taken.
    Ended,
    /// Nothing more is taken: only answers go out, until then.
    Draining(Instant),
}

impl<R, W> Clone for StdioTransport<R, W> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<R, W> StdioTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub fn new(input: R, output: W, limits: Limits, closing: CancellationToken) -> Self {
        let input = Input {
            reader: input,
            chunk: vec![0; READ_BYTES],
            decoder: Decoder::new(limits.max_message_bytes),
            events: VecDeque::new(),
            ready: VecDeque::new(),
            state: InputState::Open,
            error: None,
        };
        let shared = Shared {
            input: tokio::sync::Mutex::new(input),
            exchange: Mutex::new(Exchange::new(limits.max_message_bytes, limits.max_batch_messages)),
            output: Output::new(output, closing.clone()),
            limits,
            closing,
            abort: CancellationToken::new(),
        };
        Self { shared: Arc::new(shared) }
    }

    fn fail_all(&self, error: &ErrorData) {
        for text in self.shared.exchange().fail_all(error) {
            self.shared.output.enqueue(text);
        }
    }

    /// Writes what is left, lets go of the output and says whether a stream failed.
    async fn finish(&self) -> Result<(), StdioError> {
        self.shared.close().await;
        if let Some(error) = self.shared.output.error().filter(|error| !means_peer_gone(error)) {
            return Err(StdioError::Write { source: io::Error::new(error.kind(), error.to_string()) });
        }
        match self.shared.input.lock().await.error.take() {
            Some(source) => Err(StdioError::Read { source }),
            None => Ok(()),
        }
    }
}

impl<R, W> Transport<RoleServer> for StdioTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn name() -> std::borrow::Cow<'static, str> {
        "stdio".into()
    }

    /// The message takes its place in the output here and now; the future only waits until it is written.
    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let shared = Arc::clone(&self.shared);
        let text = shared.exchange().answer(&message);
        if let Some(text) = text {
            shared.output.enqueue(text);
        }
        let is_answer = matches!(message, ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_));
        async move {
            let result = shared.output.flush().await;
            // When nobody is left to read an answer, that ends the server and is no error of this call.
            if is_answer { Ok(()) } else { result }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let shared = Arc::clone(&self.shared);
        let mut input = shared.input.lock().await;
        input.next(&shared).await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.shared.close().await;
        Ok(())
    }
}

impl<R, W> Shared<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    fn exchange(&self) -> MutexGuard<'_, Exchange> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn close(&self) {
        for text in self.exchange().unfinished_batches() {
            self.output.enqueue(text);
        }
        if self.output.has_unwritten() {
            // A peer that does not read must not keep the process.
            let _ = tokio::time::timeout(self.limits.drain, self.output.flush()).await;
        }
        self.output.close().await;
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Input<R> {
    /// The next message for rmcp. May be dropped at any await: all that was read stays on `self`.
    async fn next<W>(&mut self, shared: &Shared<R, W>) -> Option<ClientJsonRpcMessage>
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if let Some(event) = self.events.pop_front() {
                self.take(event, shared);
                continue;
            }
            match self.state {
                InputState::Open => self.read(shared).await,
                InputState::Ended => self.drain_from_now(shared),
                InputState::Draining(deadline) => {
                    drain(shared, deadline).await;
                    shared.abort.cancel();
                    // rmcp ends sooner when it sees its token than when it sees the end of input, and looks at
                    // both in no fixed order: by the second turn it has looked at the token.
                    tokio::task::yield_now().await;
                    tokio::task::yield_now().await;
                    return None;
                }
            }
        }
    }

    fn take<W>(&mut self, event: Event, shared: &Shared<R, W>)
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let effects = shared.exchange().accept(event);
        for effect in effects {
            match effect {
                Effect::Deliver(message) => self.ready.push_back(*message),
                Effect::Reply(text) => shared.output.enqueue(text),
                Effect::End => self.drain_from_now(shared),
            }
        }
    }

    async fn read<W>(&mut self, shared: &Shared<R, W>)
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let result = tokio::select! {
            biased;
            () = shared.closing.cancelled() => return self.drain_from_now(shared),
            // Its failure cancels `closing`.
            _ = shared.output.flush(), if shared.output.has_unwritten() => return,
            result = self.reader.read(&mut self.chunk), if !shared.output.is_congested() => result,
        };
        match result {
            Ok(0) => self.end_of_input(),
            Ok(count) => {
                self.decoder.push(&self.chunk[..count], &mut self.events);
                if let Some(framing) = self.decoder.framing() {
                    shared.output.set_framing(framing);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                if !means_peer_gone(&error) {
                    tracing::warn!(%error, "reading from the client failed");
                    self.error = Some(error);
                }
                self.end_of_input();
            }
        }
    }

    fn end_of_input(&mut self) {
        self.decoder.finish(&mut self.events);
        self.state = InputState::Ended;
    }

    fn drain_from_now<W>(&mut self, shared: &Shared<R, W>) {
        self.events.clear();
        self.state = InputState::Draining(Instant::now() + shared.limits.drain);
        shared.closing.cancel();
    }
}

/// Waits until every request is answered and every answer is written.
///
/// It is done here, while rmcp's loop still turns, because in rmcp's own drain a handler that reports progress
/// waits for ever.
async fn drain<R, W>(shared: &Shared<R, W>, deadline: Instant)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let drained = async {
        while shared.output.error().is_none() {
            if shared.output.has_unwritten() {
                let _ = shared.output.flush().await;
            } else if shared.exchange().is_idle() {
                return;
            } else {
                // An answer comes through `send`, which rmcp cannot call while this waits: it drops this and asks again.
                std::future::pending::<()>().await;
            }
        }
    };
    if tokio::time::timeout_at(deadline, drained).await.is_err() {
        tracing::warn!("not every request could be answered before the end");
    }
}

fn means_peer_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted
    )
}

#[cfg(test)]
mod tests;
