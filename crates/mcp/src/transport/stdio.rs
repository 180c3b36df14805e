//! The server on a pair of byte streams, from the first byte to the clean end.
//!
//! Owns `StdioTransport` (rmcp's transport trait over `framing`, `exchange` and `output`) and `serve`, which outlives
//! what would end rmcp's own loop: a notification before the handshake, a refused handshake, a handler that panics,
//! a handshake after requests that did without one.
//! It decides nothing about messages.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId, ServerJsonRpcMessage};
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
/// `limits.drain`; after that no write waits for a client that does not read.
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
    tokio::select! {
        result = serve_on(&service, &transport) => result?,
        never = transport.shared.bound_the_end() => match never {},
    }
    transport.finish().await
}

/// One rmcp server after the other, until the conversation has ended.
async fn serve_on<S, R, W>(service: &Guarded<S>, transport: &StdioTransport<R, W>) -> Result<(), StdioError>
where
    S: Service<RoleServer>,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    loop {
        match service.clone().serve_with_ct(transport.clone(), transport.shared.new_turn()).await {
            Ok(running) => match running.waiting().await {
                Ok(QuitReason::JoinError(source)) | Err(source) => return Err(StdioError::Loop { source }),
                Ok(_) if transport.renew().await => {}
                Ok(_) => return Ok(()),
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
            ) => {
                if !transport.renew().await {
                    return Ok(());
                }
            }
            Err(error) => return Err(StdioError::Start { source: Box::new(error) }),
        }
    }
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
    /// A child of `abort`, for the rmcp server of the moment.
    turn: Mutex<CancellationToken>,
}

#[derive(Debug)]
struct Input<R> {
    reader: R,
    chunk: Vec<u8>,
    decoder: Decoder,
    events: VecDeque<Event>,
    /// Messages for rmcp, already entered in the exchange.
    ready: VecDeque<ClientJsonRpcMessage>,
    /// Nothing more is taken until a new rmcp server stands before this request.
    renewal: Option<Renewal>,
    state: InputState,
    error: Option<io::Error>,
}

#[derive(Debug)]
struct Renewal {
    id: RequestId,
    request: ClientRequest,
    deadline: Instant,
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
            renewal: None,
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
            turn: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    fn fail_all(&self, error: &ErrorData) {
        for text in self.shared.exchange().fail_all(error) {
            self.shared.output.enqueue(text);
        }
    }

    /// Puts the request that a new server was wanted for before it; false when there is none and this is the end.
    ///
    /// Nobody is left to answer what the server before did not.
    async fn renew(&self) -> bool {
        let mut input = self.shared.input.lock().await;
        let Some(Renewal { id, request, .. }) = input.renewal.take() else { return false };
        self.fail_all(&ErrorData::internal_error("given up for the handshake that followed", None));
        let message = self.shared.exchange().readmit(id, request);
        input.ready.push_back(message);
        true
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
    ///
    /// For an answer it does not even wait: rmcp would read nothing meanwhile before the handshake, and not see the
    /// end of the input. `receive` writes it.
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
        async move { if is_answer { Ok(()) } else { shared.output.flush().await } }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let shared = Arc::clone(&self.shared);
        let mut input = shared.input.lock().await;
        input.next(&shared).await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        if self.shared.input.lock().await.renewal.is_none() {
            self.shared.close().await;
        }
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

    fn new_turn(&self) -> CancellationToken {
        let turn = self.abort.child_token();
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = turn.clone();
        turn
    }

    fn end_turn(&self) {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Wherever the server waits when the time for the last answers is over, it waits no longer.
    async fn bound_the_end(&self) -> Infallible {
        self.closing.cancelled().await;
        tokio::time::sleep(self.limits.drain).await;
        self.output.stop_waiting();
        self.abort.cancel();
        std::future::pending().await
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
            if let Some(renewal) = &self.renewal {
                tokio::select! {
                    () = shared.closing.cancelled() => {}
                    () = drain(shared, renewal.deadline) => {}
                }
                shared.end_turn();
                let_rmcp_see_its_token().await;
                return None;
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
                    let_rmcp_see_its_token().await;
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
                Effect::Renew(id, request) => {
                    let deadline = Instant::now() + shared.limits.drain;
                    self.renewal = Some(Renewal { id, request: *request, deadline });
                }
                Effect::Frame(framing) => shared.output.set_framing(framing),
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
            Ok(count) => self.decoder.push(&self.chunk[..count], &mut self.events),
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

/// rmcp ends sooner when it sees its token than when it sees the end of input, and looks at both in no fixed order:
/// by the second turn it has looked at the token.
async fn let_rmcp_see_its_token() {
    tokio::task::yield_now().await;
    tokio::task::yield_now().await;
}

fn means_peer_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted
    )
}

#[cfg(test)]
mod tests;
