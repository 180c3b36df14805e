//! Tells clients of drift while they edit: log messages and an updated resource for MCP clients, texts for an outlet that
//! the face around it has. Follows the worktree only while somebody wants to know.
//!
//! Best effort, as notifications are: whoever misses one reads `becket://drift` or calls `logicstamp_compare_snapshot`.

use std::{sync::Arc, time::Duration};

use becket_engine::{Engine, Error, understand::DriftEvent};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{log_level::Level, resources::drift, server::Server, subscriptions::Notice};

/// How often it is looked whether there is somebody to tell.
const GLANCE: Duration = Duration::from_millis(50);
/// How long one wait for edits lasts: the end of the server is noticed in between.
const WAIT: Duration = Duration::from_millis(200);
/// After a failure (a folder that is gone) it is tried again this many glances later.
const PAUSE: u32 = 40;

/// What a listener hears first, made when it comes; nothing where that cannot be said.
pub type Greeting = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// Where events go besides MCP clients: a WebSocket, for one.
pub trait Outlet: Send + Sync {
    /// Whether anybody listens there.
    fn is_wanted(&self) -> bool;

    /// Never waits.
    fn send(&self, text: String);

    /// What everybody hears now, and a listener who comes later first.
    fn greet(&self, greeting: Option<Greeting>);
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
        let mut said = None;
        while !self.closing.is_cancelled() {
            if !self.is_wanted() {
                std::thread::sleep(GLANCE);
                continue;
            }
            if let Err(error) = self.follow() {
                let told = said.replace(error.to_string());
                if told != said {
                    tracing::warn!(%error, "edits cannot be followed; it is tried again");
                }
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
        let (server, notice) = (self.server.clone(), feed.notice().map(str::to_owned));
        self.greet(Some(Arc::new(move || greeting(server.engine(), notice.as_deref()).ok())));
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

    fn greet(&self, greeting: Option<Greeting>) {
        if let Some(outlet) = &self.outlet {
            outlet.greet(greeting);
        }
    }

    fn is_wanted(&self) -> bool {
        self.server.wants_resource(drift::URI)
            || self.outlet.as_ref().is_some_and(|outlet| outlet.is_wanted())
    }
}

/// From this on every edit is told.
fn greeting(engine: &Engine, notice: Option<&str>) -> Result<String, Error> {
    let recent = engine.recent_drift()?;
    let sequence = recent.events.first().map_or(0, |event| event.sequence);
    let message = json!({
        "type": "watching",
        "projectPath": recent.project_path,
        "branch": recent.branch,
        "sequence": sequence,
        "notice": notice,
    });
    Ok(message.to_string())
}
