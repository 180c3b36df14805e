//! Who is told of what: one registry for `resources/subscribe` (before 2026-07-28) and `subscriptions/listen` (from then on).
//!
//! Each subscriber has its own queue and its own task, so that a slow client delays nobody and order is kept.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::future::join_all;
use rmcp::{
    Peer, RoleServer,
    model::ResourceUpdatedNotificationParam,
    service::{SubscriptionContext, SubscriptionSink},
};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::{
    log_level::{self, Level},
    session::Session,
};

/// How far a client may lag behind before it misses notices; they are hints, and the state can always be asked for.
const QUEUE: usize = 256;

/// Notices that are handed over together.
const BURST: usize = 30;

/// Something that happened, for whoever wants to know.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// The content behind this resource changed.
    ResourceUpdated(String),
    /// A log message to every client of the handshake era whose level lets it through.
    Message { level: Level, data: Value },
}

/// Everybody who is connected or listens.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    subscribers: Mutex<Subscribers>,
}

#[derive(Debug, Default)]
struct Subscribers {
    next: u64,
    /// Handshake era, by session.
    sessions: BTreeMap<u64, SessionSubscriber>,
    /// Stateless era, by our own number.
    listeners: BTreeMap<u64, Listener>,
}

#[derive(Debug)]
struct SessionSubscriber {
    resources: BTreeSet<String>,
    queue: mpsc::Sender<Notice>,
}

#[derive(Debug)]
struct Listener {
    resources: BTreeSet<String>,
    queue: mpsc::Sender<Notice>,
}

impl Subscribers {
    fn session(&mut self, session: &Arc<Session>, peer: Peer<RoleServer>) -> &mut SessionSubscriber {
        self.sessions.entry(session.id).or_insert_with(|| {
            let (queue, notices) = mpsc::channel(QUEUE);
            tokio::spawn(deliver_to_session(Arc::clone(session), peer, notices));
            SessionSubscriber { resources: BTreeSet::new(), queue }
        })
    }
}

impl Subscriptions {
    /// A client finished its handshake: from now on messages reach it.
    pub(crate) fn connect(&self, session: &Arc<Session>, peer: Peer<RoleServer>) {
        self.lock().session(session, peer);
    }

    /// A client may subscribe before its `initialized` was handled: the two are not ordered.
    pub(crate) fn subscribe(&self, session: &Arc<Session>, peer: Peer<RoleServer>, uri: String) {
        self.lock().session(session, peer).resources.insert(uri);
    }

    pub(crate) fn unsubscribe(&self, session: u64, uri: &str) {
        if let Some(subscriber) = self.lock().sessions.get_mut(&session) {
            subscriber.resources.remove(uri);
        }
    }

    pub(crate) fn disconnect(&self, session: u64) {
        self.lock().sessions.remove(&session);
    }

    /// Runs one `subscriptions/listen` until the client or the server ends it.
    pub(crate) async fn listen(&self, session: &Session, context: SubscriptionContext) {
        let (queue, mut notices) = mpsc::channel(QUEUE);
        let resources = context.accepted().resource_subscriptions.iter().flatten().cloned().collect();
        let number = {
            let mut subscribers = self.lock();
            subscribers.next += 1;
            let number = subscribers.next;
            subscribers.listeners.insert(number, Listener { resources, queue });
            number
        };
        loop {
            tokio::select! {
                () = context.cancelled() => break,
                () = session.closing.cancelled() => break,
                notice = notices.recv() => {
                    let Some(notice) = notice else { break };
                    if !deliver_to_listener(context.sink(), notice).await {
                        break;
                    }
                }
            }
        }
        self.lock().listeners.remove(&number);
    }

    /// Never waits: a full queue loses the notice for that client alone, and says so in the log.
    pub(crate) fn publish(&self, notice: &Notice) {
        let subscribers = self.lock();
        for (session, subscriber) in &subscribers.sessions {
            let wanted = match notice {
                Notice::ResourceUpdated(uri) => subscriber.resources.contains(uri),
                Notice::Message { .. } => true,
            };
            if wanted && subscriber.queue.try_send(notice.clone()).is_err() {
                tracing::warn!(session, "the client is too slow or gone: a notice is dropped");
            }
        }
        for listener in subscribers.listeners.values() {
            let wanted = matches!(notice, Notice::ResourceUpdated(uri) if listener.resources.contains(uri));
            if wanted && listener.queue.try_send(notice.clone()).is_err() {
                tracing::warn!("a listener is too slow or gone: a notice is dropped");
            }
        }
    }

    /// Whether anybody is there to be told of anything.
    pub(crate) fn has_clients(&self) -> bool {
        let subscribers = self.lock();
        !subscribers.sessions.is_empty() || !subscribers.listeners.is_empty()
    }

    pub(crate) fn wants_resource(&self, uri: &str) -> bool {
        let subscribers = self.lock();
        subscribers.sessions.values().any(|subscriber| subscriber.resources.contains(uri))
            || subscribers.listeners.values().any(|listener| listener.resources.contains(uri))
    }

    /// Whether anybody asked to hear of any resource.
    pub(crate) fn wants_resources(&self) -> bool {
        let subscribers = self.lock();
        subscribers.sessions.values().any(|subscriber| !subscriber.resources.is_empty())
            || subscribers.listeners.values().any(|listener| !listener.resources.is_empty())
    }

    fn lock(&self) -> MutexGuard<'_, Subscribers> {
        // Nothing is left half-done under this lock, so a panic elsewhere does not spoil it.
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn deliver_to_session(
    session: Arc<Session>,
    peer: Peer<RoleServer>,
    mut notices: mpsc::Receiver<Notice>,
) {
    let mut burst = Vec::new();
    // What came together goes out together, in its order: one write and one waking of the client for all of it.
    while notices.recv_many(&mut burst, BURST).await > 0 {
        join_all(burst.drain(..).map(|notice| deliver(&session, &peer, notice))).await;
    }
}

async fn deliver(session: &Session, peer: &Peer<RoleServer>, notice: Notice) {
    match notice {
        Notice::ResourceUpdated(uri) => {
            if let Err(error) = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
            {
                tracing::debug!(%error, "notice not delivered");
            }
        }
        Notice::Message { level, data } => log_level::send(peer, session.level(), level, data).await,
    }
}

async fn deliver_to_listener(sink: &SubscriptionSink, notice: Notice) -> bool {
    match notice {
        Notice::ResourceUpdated(uri) => sink.notify_resource_updated(uri).await.is_ok(),
        Notice::Message { .. } => true,
    }
}
