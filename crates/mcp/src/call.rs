//! One call in progress, as a tool sees it: the engine, the way to report progress and to log, and whether it was cancelled.

use std::sync::Arc;

use becket_engine::{Cancelled, Engine, Error, cancellable};
use rmcp::{
    Peer, RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::RequestContext,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    log_level::{self, Level},
    persona::Persona,
    session::Session,
};

/// Handed to [`crate::Tool::run`].
#[derive(Debug, Clone)]
pub struct Call {
    engine: Arc<Engine>,
    session: Arc<Session>,
    persona: Persona,
    peer: Peer<RoleServer>,
    progress: Option<ProgressToken>,
    /// The level this very request asked for (2026-07-28), or that the session set (before).
    level: Option<Level>,
    cancelled: CancellationToken,
}

impl Call {
    pub(crate) fn new(
        engine: Arc<Engine>,
        session: Arc<Session>,
        persona: Persona,
        context: &RequestContext<RoleServer>,
    ) -> Self {
        Self {
            engine,
            persona,
            peer: context.peer.clone(),
            progress: context.meta.get_progress_token(),
            level: log_level::of_request(context, &session),
            cancelled: context.ct.clone(),
            session,
        }
    }

    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// As whom the server answers.
    pub(crate) fn persona(&self) -> Persona {
        self.persona
    }

    /// Runs file, process or database work off the protocol's threads; a `git` that it started ends with the call.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let engine = Arc::clone(&self.engine);
        // Not the closing of the session: what was asked before the end of input is still answered.
        let token = self.cancelled.clone();
        let cancelled: Cancelled = Arc::new(move || token.is_cancelled());
        match tokio::task::spawn_blocking(move || cancellable(cancelled, || work(&engine))).await {
            Ok(result) => result,
            Err(error) => Err(Error::internal("The call ended unexpectedly.").with_source(error)),
        }
    }

    /// Resolves when the client no longer wants the answer, or the server is closing.
    pub async fn cancelled(&self) {
        tokio::select! {
            () = self.cancelled.cancelled() => {}
            () = self.session.closing.cancelled() => {}
        }
    }

    /// Tells the client how far the call is, if it asked to be told. `done` must grow from call to call.
    pub async fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        let Some(token) = self.progress.clone() else { return };
        let mut param = ProgressNotificationParam::new(token, done).with_message(message);
        if let Some(total) = total {
            param = param.with_total(total);
        }
        if let Err(error) = self.peer.notify_progress(param).await {
            tracing::debug!(%error, "progress not delivered");
        }
    }

    /// A log message for this client, if its level lets it through.
    pub async fn log(&self, level: Level, data: Value) {
        if let Some(threshold) = self.level {
            log_level::send(&self.peer, threshold, level, data).await;
        }
    }
}
