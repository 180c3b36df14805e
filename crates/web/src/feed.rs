//! The live feed: one WebSocket for each listener, text messages one way. What they say is the caller's; how long a slow
//! listener is waited for, and with which code it is let go, is decided here.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{FromRequestParts, Request};
use axum::response::{IntoResponse, Response};
use http::Method;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, interval_at, timeout};
use tokio_util::sync::CancellationToken;

use crate::body;
use crate::refusal::Refusal;

/// The subprotocol that is spoken; a browser has to be answered one of those that it offered.
pub const FEED_PROTOCOL: &str = "becket.feed.v1";
/// How far a listener may lag behind.
const QUEUE: usize = 256;
const LISTENERS: usize = 64;
/// How long one message may take to be taken.
const SEND_TIME: Duration = Duration::from_secs(10);
const PING_EVERY: Duration = Duration::from_secs(20);
/// A listener that answers no ping for this long is gone.
const SILENCE: Duration = Duration::from_mins(1);
/// Nothing is expected from a listener.
const LARGEST_MESSAGE: usize = 4 * 1024;

/// Close codes of RFC 6455 and its registry.
mod code {
    pub(super) const GOING_AWAY: u16 = 1001;
    pub(super) const NOT_UNDERSTOOD: u16 = 1003;
    pub(super) const TRY_AGAIN_LATER: u16 = 1013;
}

/// What a listener hears first, made when it comes; nothing where there is nothing to say.
pub type Greeting = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// What is told to everybody who listens. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Feed {
    inner: Arc<Inner>,
}

struct Inner {
    sender: broadcast::Sender<Utf8Bytes>,
    /// Said to a new listener first.
    greeting: Mutex<Option<Greeting>>,
    slots: Arc<Semaphore>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Inner").field("sender", &self.sender).finish_non_exhaustive()
    }
}

impl Default for Feed {
    fn default() -> Self {
        let (sender, _) = broadcast::channel(QUEUE);
        let inner = Inner { sender, greeting: Mutex::default(), slots: Arc::new(Semaphore::new(LISTENERS)) };
        Self { inner: Arc::new(inner) }
    }
}

impl Feed {
    /// Whether anybody listens.
    pub fn is_wanted(&self) -> bool {
        self.inner.sender.receiver_count() > 0
    }

    /// Never waits: who lags too far behind is let go.
    pub fn send(&self, text: String) {
        // That nobody listens is no failure.
        let _ = self.inner.sender.send(text.into());
    }

    /// What everybody hears first, now and from now on; `None` when there is nothing to say until the next one.
    pub fn greet(&self, greeting: Option<Greeting>) {
        let mut known = self.greeting();
        if let Some(text) = greeting.as_ref().and_then(|greeting| greeting()) {
            self.send(text);
        }
        *known = greeting;
    }

    /// Answers a request to listen.
    pub(crate) async fn answer(self, request: Request, ending: CancellationToken) -> Response {
        let (mut parts, body) = request.into_parts();
        if parts.method != Method::GET {
            body::drain(&parts.headers, body).await;
            return Refusal::MethodNotAllowed { allow: "GET" }.into_response();
        }
        let Ok(upgrade) = WebSocketUpgrade::from_request_parts(&mut parts, &()).await else {
            body::drain(&parts.headers, body).await;
            return Refusal::NotWebSocket.into_response();
        };
        let Ok(slot) = Arc::clone(&self.inner.slots).try_acquire_owned() else {
            return Refusal::TooManyListeners { limit: LISTENERS }.into_response();
        };
        upgrade
            .protocols([FEED_PROTOCOL])
            .max_message_size(LARGEST_MESSAGE)
            .max_frame_size(LARGEST_MESSAGE)
            .on_failed_upgrade(|error| tracing::debug!(%error, "a listener went away before it could listen"))
            .on_upgrade(move |socket| self.serve(socket, ending, slot))
    }

    /// Waits until all listeners have been told of the end.
    pub(crate) async fn ended(&self) {
        let all = u32::try_from(LISTENERS).unwrap_or(u32::MAX);
        let _ = timeout(SEND_TIME, self.inner.slots.acquire_many(all)).await;
    }

    async fn serve(self, mut socket: WebSocket, ending: CancellationToken, slot: OwnedSemaphorePermit) {
        let (mut messages, greeting) = {
            // Together, so that a greeting of this moment is heard once.
            let greeting = self.greeting();
            (self.inner.sender.subscribe(), greeting.clone())
        };
        let mut left = None;
        if let Some(greeting) = greeting {
            // It may look at files.
            let text = tokio::task::spawn_blocking(move || greeting()).await.ok().flatten();
            if let Some(text) = text
                && !send(&mut socket, Message::Text(text.into())).await
            {
                return;
            }
        }
        let mut ping = interval_at(Instant::now() + PING_EVERY, PING_EVERY);
        let mut heard = Instant::now();
        while left.is_none() {
            tokio::select! {
                biased;
                () = ending.cancelled() => left = Some((code::GOING_AWAY, "the server ends")),
                message = messages.recv() => match message {
                    Ok(text) => if !send(&mut socket, Message::Text(text)).await { return },
                    Err(RecvError::Lagged(_)) => {
                        left = Some((code::TRY_AGAIN_LATER, "too slow: messages were lost; connect again"));
                    }
                    Err(RecvError::Closed) => left = Some((code::GOING_AWAY, "the server ends")),
                },
                frame = socket.recv() => match frame {
                    Some(Ok(Message::Text(_) | Message::Binary(_))) => {
                        left = Some((code::NOT_UNDERSTOOD, "the feed takes no messages"));
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => heard = Instant::now(),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                },
                _ = ping.tick() => {
                    if heard.elapsed() > SILENCE || !send(&mut socket, Message::Ping(Vec::new().into())).await {
                        return;
                    }
                }
            }
        }
        // Nobody is wanted by one who is being let go.
        drop(messages);
        if let Some((code, reason)) = left {
            let frame = CloseFrame { code, reason: reason.into() };
            if send(&mut socket, Message::Close(Some(frame))).await {
                // Until the other side has closed too, the system may throw away what is on its way.
                let last = async { while let Some(Ok(_)) = socket.recv().await {} };
                let _ = timeout(Duration::from_secs(1), last).await;
            }
        }
        drop(slot);
    }

    fn greeting(&self) -> MutexGuard<'_, Option<Greeting>> {
        self.inner.greeting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// False when the listener is gone, or takes nothing.
async fn send(socket: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(SEND_TIME, socket.send(message)).await, Ok(Ok(())))
}
