//! Tells connected clients what other processes did: the events of the store, as they are committed.
//!
//! Best effort, as notifications are: whoever misses one asks `lodestar_events_pull`.

use std::time::{Duration, Instant};

use becket_engine::coordinate::{EventRow, Tail};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{log_level::Level, resources::lodestar, server::Server, subscriptions::Notice};

/// How often it is looked whether there is somebody to tell.
const GLANCE: Duration = Duration::from_millis(10);
/// How often a store is looked for that is not there yet, or away.
const RETRY: Duration = Duration::from_millis(250);
/// How long one wait for a commit lasts: the end of the server is noticed in between.
const WAIT: Duration = Duration::from_millis(400);

/// On a thread of its own until `closing`: waiting for a database blocks.
pub(crate) fn start(server: Server, closing: CancellationToken) {
    let begun = Instant::now();
    let started =
        std::thread::Builder::new().name("events".to_owned()).spawn(move || run(&server, begun, &closing));
    if let Err(error) = started {
        tracing::warn!(%error, "clients are not told of events: no thread could be started");
    }
}

/// The first client hears of everything since the server began: nothing that happens while it connects is missed.
fn run(server: &Server, begun: Instant, closing: &CancellationToken) {
    let mut tail: Option<Tail> = None;
    while !closing.is_cancelled() {
        if tail.is_none() && !server.has_clients() {
            std::thread::sleep(GLANCE);
            continue;
        }
        let news = match &mut tail {
            Some(tail) => tail.wait(WAIT),
            None => server.engine().events_tail(begun).map(|found| {
                tail = Some(found);
                Vec::new()
            }),
        };
        match news {
            Ok(events) => events.iter().for_each(|event| tell(server, event)),
            Err(error) => {
                tracing::debug!(%error, "no events to follow now");
                std::thread::sleep(RETRY);
            }
        }
    }
}

fn tell(server: &Server, event: &EventRow) {
    let level = match event.kind.as_str() {
        "lease.expired" => Level::Warning,
        "message.read" | "lease.renewed" => Level::Debug,
        _ => Level::Info,
    };
    let data = json!({"event": event, "summary": event.summary()});
    server.publish(&Notice::Message { level, data });
    server.publish(&Notice::ResourceUpdated(lodestar::STATUS.to_owned()));
    if let Some(task) = &event.task_id {
        server.publish(&Notice::ResourceUpdated(lodestar::task_uri(task)));
        if event.kind.starts_with("task.") && !matches!(event.kind.as_str(), "task.claimed" | "task.released")
        {
            server.publish(&Notice::ResourceUpdated(lodestar::SPEC.to_owned()));
        }
    }
}
