//! One call in progress, as a tool sees it: the engine, the way to report progress and to log, and whether it was cancelled.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use becket_engine::{
    Cancelled, Engine, Error, cancellable,
    progress::{Listener, Progress, followed},
};
use rmcp::{
    Peer, RoleServer,
    model::{ProgressNotificationParam, ProgressToken, ProtocolVersion},
    service::RequestContext,
};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

use crate::{
    log_level::{self, Level},
    persona::Persona,
    session::Session,
};

/// What a client is told more often than this tells it nothing.
const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// Handed to [`crate::Tool::run`].
#[derive(Debug, Clone)]
pub struct Call {
    engine: Arc<Engine>,
    session: Arc<Session>,
    connection: Option<u64>,
    persona: Persona,
    json_text: bool,
    peer: Peer<RoleServer>,
    progress: Option<ProgressToken>,
    /// How far it was said to be.
    done: Arc<Mutex<Option<f64>>>,
    /// The level this very request asked for (2026-07-28), or that the session set (before).
    level: Option<Level>,
    cancelled: CancellationToken,
}

/// Whether who asks speaks a protocol that has no other place for a result than its text.
fn knows_text_alone(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version < ProtocolVersion::V_2025_06_18)
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
            connection: (!log_level::is_modern(context)).then_some(session.id),
            persona,
            json_text: persona.json_text || knows_text_alone(context),
            peer: context.peer.clone(),
            progress: context.meta.get_progress_token(),
            done: Arc::default(),
            level: log_level::of_request(context, &session),
            cancelled: context.ct.clone(),
            session,
        }
    }

    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Remembers, for as long as the connection lasts, that it took a snapshot.
    pub(crate) fn took(&self, snapshot: &str) {
        self.session.took(snapshot.to_owned());
    }

    /// The snapshots that this connection took, the newest last.
    pub(crate) fn snapshots(&self) -> Vec<String> {
        self.session.snapshots()
    }

    /// Whose call it is; none where a request stands for itself alone, over HTTP as over stdio.
    pub(crate) fn connection(&self) -> Option<u64> {
        self.connection
    }

    /// As whom the server answers.
    pub(crate) fn persona(&self) -> Persona {
        self.persona
    }

    /// Whether the text of a result has to be the result itself.
    pub(crate) fn json_text(&self) -> bool {
        self.json_text
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
        let (listener, mut heard) = match &self.progress {
            Some(_) => {
                let (listener, heard) = Follower::listener();
                (Some(listener), Some(heard))
            }
            None => (None, None),
        };
        let mut work = tokio::task::spawn_blocking(move || {
            cancellable(cancelled, || match listener {
                Some(listener) => followed(listener, || work(&engine)),
                None => work(&engine),
            })
        });
        // The end of the work is the end, and not that nobody is left who could tell: what was read may be kept, and who
        // was told of the reading with it.
        let ended = loop {
            tokio::select! {
                biased;
                Some(step) = next(&mut heard) => self.progress(step.value, None, &step.message).await,
                ended = &mut work => break ended,
            }
        };
        while let Some(step) = heard.as_mut().and_then(|heard| heard.try_recv().ok()) {
            self.progress(step.value, None, &step.message).await;
        }
        match ended {
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

    /// Tells the client how far the call is, if it asked to be told. The protocol wants a number that grows each time:
    /// one that does not, because a second piece of work begins, goes on from where the first one was.
    pub async fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        let Some(token) = self.progress.clone() else { return };
        let done = {
            let mut last = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            let done = last.filter(|last| done <= *last).map_or(done, |last| last + 1.0);
            *last.insert(done)
        };
        let total = total.filter(|total| done <= *total);
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

/// What the engine tells, as the protocol has it: a number that only grows, a phase for each whole one, not too often.
#[derive(Debug, Default)]
struct Follower {
    phase: Option<&'static str>,
    phases: u32,
    value: f64,
    told: Option<Instant>,
}

#[derive(Debug, PartialEq)]
struct Report {
    value: f64,
    message: String,
}

impl Follower {
    fn listener() -> (Listener, UnboundedReceiver<Report>) {
        let (sender, receiver) = unbounded_channel();
        let follower = Mutex::new(Self::default());
        let listener = move |progress| {
            let mut follower = follower.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(report) = follower.hear(progress, Instant::now()) {
                // Nobody listens any more: the work goes on all the same.
                let _ = sender.send(report);
            }
        };
        (Arc::new(listener), receiver)
    }

    fn hear(&mut self, progress: Progress, now: Instant) -> Option<Report> {
        let Progress { phase, done, total } = progress;
        if self.phase == Some(phase) {
            if self.told.is_some_and(|told| now.duration_since(told) < BETWEEN_REPORTS) {
                return None;
            }
        } else {
            self.phase = Some(phase);
            self.phases += 1;
        }
        #[expect(clippy::cast_precision_loss, reason = "a share of a whole, for people")]
        let share = match total {
            Some(total) => done.min(total) as f64 / (total as f64 + 1.0),
            // Of what has no known end, ever less is left.
            None => done as f64 / (done as f64 + 1000.0),
        };
        let value = f64::from(self.phases) + share;
        if value <= self.value {
            return None;
        }
        (self.value, self.told) = (value, Some(now));
        let message = match (done, total) {
            (0, None | Some(0)) => phase.to_owned(),
            (done, None) => format!("{phase}: {done}"),
            (done, Some(total)) => format!("{phase}: {done} of {total}"),
        };
        Some(Report { value, message })
    }
}

async fn next(heard: &mut Option<UnboundedReceiver<Report>>) -> Option<Report> {
    heard.as_mut()?.recv().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_grows_and_comes_now_and_then() {
        let mut follower = Follower::default();
        let begin = Instant::now();
        let mut hear = |phase, done, total, after: u64| {
            follower.hear(Progress { phase, done, total }, begin + Duration::from_millis(after))
        };
        let first = hear("reading", 0, None, 0).unwrap();
        assert_eq!(first, Report { value: 1.0, message: "reading".to_owned() });
        assert_eq!(hear("reading", 10, None, 50), None, "too soon");
        let second = hear("reading", 500, None, 150).unwrap();
        assert_eq!(second.message, "reading: 500");
        assert!(second.value > 1.0 && second.value < 2.0);
        assert_eq!(hear("reading", 500, None, 400), None, "nothing new");
        let third = hear("judging", 3, Some(4), 401).unwrap();
        assert_eq!(third.message, "judging: 3 of 4");
        assert!(third.value > 2.0 && third.value < 3.0);
    }
}
