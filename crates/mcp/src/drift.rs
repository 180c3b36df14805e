//! Tells clients of drift while they edit: log messages and an updated resource for MCP clients, texts for an outlet that
//! the face around it has. Follows the worktree only while somebody wants to know.
//!
//! Best effort, as notifications are: whoever misses one reads `becket://drift` or calls `logicstamp_compare_snapshot`.

use std::{sync::Arc, time::Duration};

use becket_engine::{
    Error,
    understand::{DriftEvent, DriftFeed},
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{log_level::Level, resources::drift, server::Server, subscriptions::Notice};

/// How often it is looked whether there is somebody to tell.
const GLANCE: Duration = Duration::from_millis(50);
/// How long one wait for edits lasts: the end of the server is noticed in between.
const WAIT: Duration = Duration::from_millis(200);
/// After a failure (a folder that is gone) it is tried again this many glances later.
const PAUSE: u32 = 40;

/// Where events go besides MCP clients: a WebSocket, for one.
pub trait Outlet: Send + Sync {
    /// Whether anybody listens there.
    fn is_wanted(&self) -> bool;

    /// Never waits.
    fn send(&self, text: String);

    /// What a listener hears first from now on.
    fn greet(&self, text: Option<String>);
}

/// On a thread of its own until `closing`: waiting for the file system blocks.
pub(crate) fn start(server: Server, outlet: Option<Arc<dyn Outlet>>, closing: CancellationToken) {
    let follower = Follower { server, outlet, closing };
    let started = std::thread::Builder::new().name("drift".to_owned()).spawn(move || follower.run());
    if let Err(error) = started {
        tracing::warn!(%error, "clients are not told of drift: no thread could be started");
    }
}

struct Follower {
    server: Server,
    outlet: Option<Arc<dyn Outlet>>,
    closing: CancellationToken,
}

impl Follower {
    fn run(&self) {
        while !self.closing.is_cancelled() {
            if !self.is_wanted() {
                std::thread::sleep(GLANCE);
                continue;
            }
            if let Err(error) = self.follow() {
                tracing::warn!(%error, "edits cannot be followed; it is tried again");
                self.greet(None);
                for _ in 0..PAUSE {
                    if self.closing.is_cancelled() {
                        return;
                    }
                    std::thread::sleep(GLANCE);
                }
            }
        }
    }

    fn follow(&self) -> Result<(), Error> {
        let mut feed = self.server.engine().drift_feed()?;
        if let Some(notice) = feed.notice() {
            tracing::warn!(notice, "edits are followed by looking");
        }
        self.greet(Some(greeting(&feed)?));
        while self.is_wanted() && !self.closing.is_cancelled() {
            if let Some(event) = feed.wait(WAIT)? {
                self.tell(&event);
            }
        }
        self.greet(None);
        Ok(())
    }

    fn tell(&self, event: &DriftEvent) {
        let level = match event {
            DriftEvent { breaking: 1.., .. } => Level::Warning,
            DriftEvent { compatible: 1.., .. } => Level::Info,
            _ => Level::Debug,
        };
        let data = json!({"drift": event, "summary": event.summary});
        self.server.publish(&Notice::Message { level, data });
        self.server.publish(&Notice::ResourceUpdated(drift::URI.to_owned()));
        if let Some(outlet) = &self.outlet {
            let mut message = json!({"type": "drift"});
            if let (Some(message), Value::Object(fields)) = (message.as_object_mut(), json!(event)) {
                message.extend(fields);
            }
            outlet.send(message.to_string());
        }
    }

    fn greet(&self, text: Option<String>) {
        if let Some(outlet) = &self.outlet {
            outlet.greet(text);
        }
    }

    fn is_wanted(&self) -> bool {
        self.server.wants_resource(drift::URI)
            || self.outlet.as_ref().is_some_and(|outlet| outlet.is_wanted())
    }
}

/// From this on every edit is told.
fn greeting(feed: &DriftFeed<'_>) -> Result<String, Error> {
    let recent = feed.recent()?;
    let sequence = recent.events.first().map_or(0, |event| event.sequence);
    let message = json!({
        "type": "watching",
        "projectPath": recent.project_path,
        "branch": recent.branch,
        "sequence": sequence,
        "notice": feed.notice(),
    });
    Ok(message.to_string())
}
