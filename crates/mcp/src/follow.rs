//! Tells connected clients what other processes did: the events of the store, as they are committed.
//!
//! Best effort, as notifications are: whoever misses one asks `lodestar_events_pull`.

use std::time::Duration;

use becket_engine::{Engine, coordinate::EventRow};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{log_level::Level, resources::lodestar, server::Server, subscriptions::Notice};

/// How often it is looked whether there is somebody to tell, or a store to follow.
const GLANCE: Duration = Duration::from_millis(50);
/// How long one wait for a commit lasts: the end of the server is noticed in between.
const WAIT: Duration = Duration::from_millis(400);

/// On a thread of its own until `closing`: waiting for a database blocks.
pub(crate) fn start(server: Server, closing: CancellationToken) {
    let started = std::thread::Builder::new().name("events".to_owned()).spawn(move || run(&server, &closing));
    if let Err(error) = started {
        tracing::warn!(%error, "clients are not told of events: no thread could be started");
    }
}

fn run(server: &Server, closing: &CancellationToken) {
    while !closing.is_cancelled() {
        if !server.has_clients() {
            std::thread::sleep(GLANCE);
            continue;
        }
        if let Err(error) = follow(server, server.engine(), closing) {
            tracing::debug!(%error, "no events to follow yet");
            // There may be no `.lodestar/` yet, or its server is away.
            for _ in 0..40 {
                if closing.is_cancelled() {
                    return;
                }
                std::thread::sleep(GLANCE);
            }
        }
    }
}

fn follow(server: &Server, engine: &Engine, closing: &CancellationToken) -> Result<(), becket_engine::Error> {
    let mut tail = engine.events_tail()?;
    while !closing.is_cancelled() {
        for event in tail.wait(WAIT)? {
            tell(server, &event);
        }
    }
    Ok(())
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
