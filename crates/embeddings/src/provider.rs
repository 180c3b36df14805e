//! The provider: texts in, vectors out, in batches, with a deadline each and a bounded number of attempts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use serde::Serialize;

use crate::{
    ApiKey, EmbeddingError, answer,
    endpoint::{Endpoint, Failed, Retry},
    local,
};

/// Says yes once nobody waits for the vectors any more.
pub type Cancelled<'a> = &'a dyn Fn() -> bool;

#[derive(Debug, Clone)]
pub struct ProviderOptions {
    /// What stands before `/embeddings`: `https://api.openai.com/v1`.
    pub base_url: String,
    pub model: String,
    pub key: Option<ApiKey>,
    /// For one batch, all its attempts together.
    pub timeout: Duration,
}

#[derive(Debug, Clone)]
pub struct Provider {
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Local,
    Remote(Remote),
}

#[derive(Debug, Clone)]
struct Remote {
    endpoint: Arc<Endpoint>,
    base_url: String,
    model: String,
    timeout: Duration,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
}

/// Texts of one request; the cache keeps what it gets after each.
pub(crate) const BATCH: usize = 64;
/// Characters of one request.
const BATCH_LENGTH: usize = 200_000;
/// The usual models read some eight thousand tokens, and no token is shorter than a character.
const LONGEST_TEXT: usize = 8_000;
const ATTEMPTS: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How soon a cancellation is noticed.
const LOOK_UP: Duration = Duration::from_millis(20);

impl Provider {
    pub fn new(options: ProviderOptions) -> Result<Self, EmbeddingError> {
        let ProviderOptions { base_url, model, key, timeout } = options;
        let endpoint = Arc::new(Endpoint::new(&base_url, key)?);
        Ok(Self { kind: Kind::Remote(Remote { endpoint, base_url, model, timeout }) })
    }

    /// Vectors from the letters of the words, made on this machine.
    pub fn local() -> Self {
        Self { kind: Kind::Local }
    }

    /// What its vectors can be compared with: only with those of the same identity.
    pub fn identity(&self) -> String {
        match &self.kind {
            Kind::Local => "local 1".to_owned(),
            Kind::Remote(remote) => format!("{} at {}", remote.model, remote.base_url),
        }
    }

    /// One vector for each text, in their order and all of one length.
    pub fn embed(&self, texts: &[&str], cancelled: Cancelled<'_>) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        match &self.kind {
            Kind::Local => Ok(texts.iter().map(|text| local::embed(text)).collect()),
            Kind::Remote(remote) => remote.embed(texts, cancelled),
        }
    }
}

impl Remote {
    fn embed(&self, texts: &[&str], cancelled: Cancelled<'_>) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let texts: Vec<&str> = texts.iter().map(|text| sendable(text)).collect();
        let mut vectors: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
        for batch in batches(&texts) {
            let more = self.batch(batch, cancelled)?;
            let (before, now) = (vectors.first().map(Vec::len), more.first().map(Vec::len));
            if before.is_some() && before != now {
                let reason = "the length of its vectors changed between two requests".to_owned();
                return Err(EmbeddingError::BadAnswer { host: self.endpoint.host.clone(), reason });
            }
            vectors.extend(more);
        }
        Ok(vectors)
    }

    /// The request runs on a thread of its own, so that a caller who gives up need not wait for the network.
    fn batch(&self, texts: &[&str], cancelled: Cancelled<'_>) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        if cancelled() {
            return Err(EmbeddingError::Cancelled);
        }
        let body = serde_json::to_vec(&Request { model: &self.model, input: texts })
            .map_err(|error| self.not_understood(error.to_string()))?;
        let (sender, receiver) = mpsc::channel();
        let abandoned = Arc::new(AtomicBool::new(false));
        let (endpoint, timeout) = (Arc::clone(&self.endpoint), self.timeout);
        let given_up = Arc::clone(&abandoned);
        thread::Builder::new()
            .name("embeddings".to_owned())
            .spawn(move || {
                // Nobody receives it if the caller has gone.
                let _ = sender.send(attempts(&endpoint, &body, timeout, &given_up));
            })
            .map_err(EmbeddingError::NoThread)?;
        let started = Instant::now();
        let answer = loop {
            match receiver.recv_timeout(LOOK_UP) {
                Ok(answer) => break answer,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.not_understood("the request ended early".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let late = started.elapsed() > self.timeout + LOOK_UP * 5;
            if cancelled() || late {
                abandoned.store(true, Ordering::Relaxed);
                return Err(if late {
                    timed_out(&self.endpoint, self.timeout)
                } else {
                    EmbeddingError::Cancelled
                });
            }
        };
        answer::vectors(&answer?, texts.len()).map_err(|reason| self.not_understood(reason))
    }

    fn not_understood(&self, reason: String) -> EmbeddingError {
        EmbeddingError::BadAnswer { host: self.endpoint.host.clone(), reason }
    }
}

fn attempts(
    endpoint: &Endpoint,
    body: &[u8],
    timeout: Duration,
    abandoned: &AtomicBool,
) -> Result<Vec<u8>, EmbeddingError> {
    let started = Instant::now();
    let mut pause = FIRST_PAUSE;
    for attempt in 1.. {
        let left = timeout.saturating_sub(started.elapsed());
        let Failed { error, retry } = match endpoint.post(body, left) {
            Ok(body) => return Ok(body),
            Err(failed) => failed,
        };
        let wait = match retry {
            Retry::No => return Err(whole_time(error, timeout)),
            Retry::Soon => pause,
            Retry::After(asked) => asked.min(LONGEST_PAUSE).max(pause),
        };
        if attempt == ATTEMPTS || started.elapsed() + wait >= timeout || abandoned.load(Ordering::Relaxed) {
            return Err(error);
        }
        thread::sleep(wait);
        pause *= 2;
    }
    Err(timed_out(endpoint, timeout))
}

/// A later attempt has less time; a person is told of all of it.
fn whole_time(error: EmbeddingError, timeout: Duration) -> EmbeddingError {
    match error {
        EmbeddingError::TimedOut { host, .. } => {
            EmbeddingError::TimedOut { host, seconds: timeout.as_secs().max(1) }
        }
        other => other,
    }
}

fn timed_out(endpoint: &Endpoint, timeout: Duration) -> EmbeddingError {
    EmbeddingError::TimedOut { host: endpoint.host.clone(), seconds: timeout.as_secs().max(1) }
}

/// Providers refuse an empty text and one beyond their model's length; the beginning says what a text is about.
fn sendable(text: &str) -> &str {
    let text = becket_base::clip(text, LONGEST_TEXT).text;
    if text.trim().is_empty() { "-" } else { text }
}

fn batches<'a, 'b>(texts: &'b [&'a str]) -> impl Iterator<Item = &'b [&'a str]> {
    let mut rest = texts;
    std::iter::from_fn(move || {
        let mut length = 0;
        let fits = |text: &&&str| {
            length += text.len();
            length <= BATCH_LENGTH
        };
        let count = rest.iter().take(BATCH).take_while(fits).count().max(1);
        let (batch, after) = rest.split_at_checked(count)?;
        rest = after;
        Some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_bounded_and_lose_nothing() {
        let short = vec!["x"; 150];
        assert_eq!(batches(&short).map(<[&str]>::len).collect::<Vec<_>>(), [64, 64, 22]);
        let long = "y".repeat(BATCH_LENGTH / 2 + 1);
        assert_eq!(batches(&[&long, &long, "z"]).map(<[&str]>::len).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(batches(&[]).count(), 0);
    }

    #[test]
    fn every_text_can_be_sent() {
        assert_eq!(sendable(" \n"), "-");
        assert_eq!(sendable(&"é".repeat(9_000)).chars().count(), LONGEST_TEXT);
    }
}
